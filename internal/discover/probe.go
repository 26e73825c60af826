package discover

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
	"time"

	"rollbook/internal/confine"
	"rollbook/internal/diag"
	"rollbook/internal/fsx"
	"rollbook/internal/rollout"
	"rollbook/internal/zstdio"
)

// The bounds of a probe, in bytes but for the first.
const (
	headRecords = 16
	headFirst   = 64 << 10 // one read; no more is read once the first session_meta is there
	headMost    = 8 << 20
	tailRead    = 64 << 10
	tailLine    = 1 << 20   // a last line up to this is validated
	tailMost    = 16 << 20  // looked through for a record with a time
	tailLong    = 256 << 20 // looked through for the start of one line
	tailBrief   = 4 << 20   // read of the end in all, where a home is looked through in brief
	streamMost  = 16 << 30  // of a compressed file
)

// A prober looks at files one after the other and uses its buffers again.
type prober struct {
	ctx    context.Context
	tree   tree
	memory Memory
	brief  bool
	spent  int64  // bytes read of the end of the file at hand
	dir    string // the folder that is open, if one is
	open   folder
	head   []byte
	tail   []byte
	line   []byte
}

// file opens a file through its folder, which stays open for the next.
func (p *prober) file(rel string) (fsx.File, error) {
	dir, name := path.Dir(rel), path.Base(rel)
	if p.open == nil || p.dir != dir {
		p.close()
		open, err := p.tree.folder(dir)
		if err != nil {
			return nil, err
		}
		p.open, p.dir = open, dir
	}
	return p.open.Open(name)
}

func (p *prober) close() {
	if p.open != nil {
		p.open.Close()
		p.open = nil
	}
}

// probe looks at one file, unless it is remembered. It gives a Ref, or an Other
// where the file is no rollout, or neither where it could not be read.
func (p *prober) probe(c *candidate) (*Ref, *Other, []diag.Diagnostic) {
	if look, ok := p.recall(c); ok {
		return look.give(c)
	}
	f, err := p.file(c.path)
	if err != nil {
		code := FileUnreadable
		if errors.Is(err, confine.ErrLink) {
			code = SymlinkSkipped
		}
		return nil, nil, []diag.Diagnostic{about(c.path, code, err.Error())}
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		return nil, nil, []diag.Diagnostic{about(c.path, NonRegularFile, "")}
	}
	h := newHead(c)
	if err == nil {
		h.ref.Size, h.ref.ModTime = info.Size(), info.ModTime()
		err = p.read(f, info, h)
	}
	if err != nil {
		return nil, nil, []diag.Diagnostic{about(c.path, FileUnreadable, err.Error())}
	}
	var look Look // of a file that is no rollout nothing else is told
	if h.named || h.looks {
		h.finish()
		ref := h.ref // not a part of h, whose envelope holds a buffer
		look = Look{&ref, h.diags}
	}
	p.keep(c.path, info, look)
	return look.give(&candidate{path: c.path, info: info})
}

func (p *prober) read(f fsx.File, info fs.FileInfo, h *head) error {
	size := info.Size()
	if p.head == nil {
		p.head = make([]byte, headFirst)
	}
	n, err := readAt(f, p.head[:min(size, headFirst)], 0)
	if err != nil {
		return err
	}
	first := p.head[:n]
	if len(first) > 0 && first[0] != '{' && (zstdio.IsFrame(first) || h.zst) {
		return p.stream(f, size, h)
	}
	if n < headFirst { // the file may have shrunk
		size = int64(n)
	}
	if err := p.readHead(f, size, first, h); err != nil {
		return err
	}
	if !h.named && !h.looks {
		return nil
	}
	most := int64(tailMost)
	if h.ref.Bare {
		most = tailRead // it should have no times at all
	}
	at, err := p.lastTime(f, size, first, most)
	if err != nil {
		return err
	}
	h.last(at)
	return nil
}

// readAt fills b, as far as the file goes.
func readAt(f io.ReaderAt, b []byte, at int64) (int, error) {
	n, err := f.ReadAt(b, at)
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// stream reads a compressed file through: its end has no other way in. In brief
// its head is enough.
func (p *prober) stream(f fsx.File, size int64, h *head) error {
	text, err := rollout.Decompress(io.NewSectionReader(f, 0, size), path.Base(h.ref.Path))
	if err != nil {
		return err
	}
	defer text.Close()
	h.ref.Compressed = text.Compressed
	var last time.Time
	r := rollout.NewReader(text, rollout.Options{HeadOnly: true, Limits: rollout.Limits{Line: headMost, File: streamMost}})
	defer r.Close()
	for rec, err := range r.Records() {
		if p.brief && !h.wants() {
			break
		}
		if errors.Is(err, rollout.ErrFileTooLarge) {
			h.note(0, StreamLimit, err.Error())
			break
		}
		if err != nil {
			return err
		}
		if rec.Line%1024 == 0 && p.ctx.Err() != nil {
			return p.ctx.Err()
		}
		if rec.Code == rollout.DamagedCompression {
			h.note(rec.Line, DamagedCompression, rec.Message)
			h.broken = h.broken || h.records == 0
			break
		}
		switch {
		case !h.wants() || rec.Offset > headMost:
		case rec.Text == nil:
			h.records++
			h.unreadable(rec.Line, rec.Message)
		default:
			h.take(rec.Line, rec.Text)
		}
		if rec.Kind != rollout.Item || rec.Final && !valid(rec.Text) {
			continue
		}
		if at := recordTime(rec.Text, &rec.Envelope); !at.IsZero() {
			last = at
		}
	}
	if p.brief {
		return nil // what comes later is not known, and nothing is wrong
	}
	h.last(last)
	return nil
}
