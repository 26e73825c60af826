package dsh

import (
	"errors"
	"io"
)

// Info is what a Probe learns of an installed log.
type Info struct {
	ID     string
	Frames int // 2: the harness has not gone on with it since it was written
	Events int
	Turns  int    // that were started
	Digest Digest // of all frames after the first
	Images bool   // a message holds one
}

// Probe reads a whole log and says whether it can be one of ours, by frames and
// digest. Any damage is an error that says what is wrong: such a log is
// somebody else's (docs/format/dsh.md, F2 to F5). It holds a line at a time.
func Probe(r io.ReaderAt, size int64) (Info, error) {
	var info Info
	var p parser
	phys, err := walkLog(r, size, func(n int, line []byte) error {
		v, err := p.parse(line)
		if err != nil {
			return err
		}
		if n == 1 {
			info.ID = v.get("id").text
			return checkKind(v)
		}
		kind := v.get("type")
		if kind.kind != '"' {
			return errors.New("no event: it has no type")
		}
		info.Events++
		if kind.text == "turn/start" {
			info.Turns++
		}
		info.Images = v.images(func(value) {}) || info.Images
		return nil
	})
	info.Frames, info.Digest = phys.frames, phys.digest
	return info, err
}

// checkKind tells a header of format 3 from anything else.
func checkKind(header value) error {
	if version, ok := header.get("version").integer(); !header.get("type").is("session") || !ok || version != 3 {
		return errors.New("no header of a session of format 3")
	}
	return nil
}

// images calls each for the attachment of every image block below v, wherever it
// is, and reports whether there was one.
func (v value) images(each func(attachment value)) bool {
	found := false
	if a := v.get("attachment"); v.get("type").is("image") && a.truthy() {
		each(a)
		found = true
	}
	for _, item := range v.list {
		found = item.images(each) || found
	}
	return found
}
