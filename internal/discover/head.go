package discover

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"rollbook/internal/diag"
	"rollbook/internal/rollout"
)

// A head collects what the first records of a file say.
type head struct {
	ref   Ref
	named bool // a rollout by its name
	zst   bool // compressed by its name
	diags []diag.Diagnostic

	env     rollout.Envelope
	records int         // lines that are not blank
	scanned bool        // the line at hand is valid
	metaAt  int         // the record that was the last session_meta
	forked  bool        // another thread's session_meta stands right behind this one's
	looks   bool        // a line that only a rollout has
	said    bool        // a record says whose file it is
	broken  bool        // the first record could not be read
	text    bool        // a byte order mark, or bytes that are not UTF-8
	seen    rollout.Raw // time of the last record that has one
	context string      // cwd of the first turn_context or environment context
}

func newHead(c *candidate) *head {
	h := &head{named: c.rollout(), zst: c.zst}
	h.ref.Path, h.ref.Name, h.ref.ID, h.ref.Archived = c.path, c.name, c.name.ThreadID, c.archived
	return h
}

func (h *head) note(line int, code diag.Code, message string) {
	d := about(h.ref.Path, code, message)
	d.Line = line
	h.diags = append(h.diags, d)
}

// wants reports whether more records are to be taken.
func (h *head) wants() bool { return h.records < headRecords }

var mark = []byte("\xef\xbb\xbf")

// readHead takes the first records of a plain file of which first is read
// already. It goes on until it has enough of them, but once the owner is known
// it reads no more unless another session_meta stands at the end of what there is.
func (p *prober) readHead(f io.ReaderAt, size int64, first []byte, h *head) error {
	buf := first
	for line, at := 0, 0; h.wants(); {
		n := bytes.IndexByte(buf[at:], '\n')
		end := at + n + 1
		if n < 0 {
			end = len(buf)
			if int64(len(buf)) < size {
				more, err := p.growHead(f, size, buf, at, h)
				if err != nil {
					return err
				}
				if more == nil {
					return nil
				}
				buf = more
				continue
			}
			if at == end {
				return nil
			}
		}
		line++
		h.take(line, bytes.TrimSuffix(buf[at:end], []byte("\n")))
		at = end
	}
	return nil
}

// growHead reads on, twice as far each time, or gives nil where enough is known
// or too much was read.
func (p *prober) growHead(f io.ReaderAt, size int64, buf []byte, at int, h *head) ([]byte, error) {
	if h.ref.MetaLine > 0 {
		var env rollout.Envelope
		if rollout.Head(buf[at:], &env); !env.Type.Is("session_meta") {
			return nil, nil
		}
	}
	if len(buf) >= headMost {
		h.records++
		h.unreadable(1, fmt.Sprintf("longer than %d bytes", headMost))
		return nil, nil
	}
	want := int(min(size, int64(2*len(buf))))
	more := append(make([]byte, 0, want), buf...)
	n, err := readAt(f, more[len(buf):want], int64(len(buf)))
	if err != nil || n == 0 {
		return nil, err
	}
	return more[:len(buf)+n], nil
}

// take takes one line.
func (h *head) take(line int, text []byte) {
	if rest, ok := bytes.CutPrefix(text, mark); ok && line == 1 {
		h.text, text = true, rest
		h.note(line, ByteOrderMark, "")
	}
	if len(bytes.Trim(text, " \t\r\f")) == 0 {
		return
	}
	h.records++
	if !utf8.Valid(text) {
		h.text, text = true, bytes.ToValidUTF8(text, []byte("\ufffd"))
		h.note(line, InvalidUTF8, "")
	}
	switch h.scanned = false; {
	case h.records > 1:
		if !rollout.Head(text, &h.env) {
			return
		}
	case !h.scan(line, text):
		return
	case !h.env.Object:
		h.unreadable(line, "not an object")
		return
	}
	if h.ref.First.IsZero() {
		h.ref.First = recordTime(text, &h.env)
	}
	if h.env.Timestamp != nil {
		h.seen = append(h.seen[:0], h.env.Timestamp...)
	}
	switch {
	case h.env.Type.Is("session_meta"):
		h.meta(line, text)
	case h.env.Payload.IsObject():
		h.record(line, text)
	case h.env.Bare():
		h.bare(line, text)
	}
}

// unreadable notes that a line is lost. Only the first matters here: it is the
// one by which Codex knows a file.
func (h *head) unreadable(line int, why string) {
	if h.records == 1 {
		h.broken = true
		h.note(line, FirstLineUnreadable, why)
	}
}

// scan validates a line that is to be decoded, once.
func (h *head) scan(line int, text []byte) bool {
	if h.scanned {
		return true
	}
	fault := rollout.Scan(text, &h.env)
	if fault != rollout.NoFault {
		h.unreadable(line, fault.String())
	}
	h.scanned = fault == rollout.NoFault
	return h.scanned
}

// meta takes a session_meta. The first owns the file; later ones of the same
// thread only add what is missing, and one of another thread says whose lines
// are copied (docs/format/rollout.md F6). Where the first line is broken, a
// session_meta that does not have the id in the file's name may be a copied one.
func (h *head) meta(line int, text []byte) {
	if !h.scan(line, text) {
		return
	}
	m, ok := rollout.Decode(&h.env, text).(*rollout.SessionMeta)
	if !ok {
		h.unreadable(line, "session_meta without a payload")
		return
	}
	h.looks = true
	r := &h.ref
	r.MetaCount++
	if len(m.ID) > maxID {
		h.note(line, InvalidMetadata, fmt.Sprintf("id of %d bytes", len(m.ID)))
		m.ID = ""
	}
	foreign := r.ThreadID != "" && m.ID != "" && m.ID != r.ThreadID
	switch {
	case r.MetaLine == 0 && !(h.broken && foreign):
		r.MetaLine = line
		if m.ID != "" {
			r.ID, h.said = m.ID, true
		}
		h.fill(line, m)
	case m.ID == r.ID:
		h.fill(line, m)
	case r.CopiedFrom == "":
		r.CopiedFrom = m.ID
		h.forked = h.records == h.metaAt+1
	}
	h.metaAt = h.records
}

// record takes any other record with a payload.
func (h *head) record(line int, text []byte) {
	t := h.env.RecordType()
	if h.env.Timestamp != nil && t != rollout.RecordUnknown {
		h.looks = true
	}
	if t != rollout.RecordTurnContext || h.context != "" || !h.scan(line, text) {
		return
	}
	if c, ok := rollout.Decode(&h.env, text).(*rollout.TurnContext); ok {
		h.context = c.CWD
	}
}

// bare takes a line of the bare era (F1). Its header has no cwd; up to 0.29 only
// the environment context, which is the first user message, tells it.
func (h *head) bare(line int, text []byte) {
	if !h.scan(line, text) {
		return
	}
	switch b := rollout.Decode(&h.env, text).(type) {
	case *rollout.BareHeader:
		if h.records > 1 || !h.named && rollout.Raw(text).Get("instructions") == nil {
			return
		}
		h.looks = true
		h.ref.Bare, h.ref.MetaLine, h.ref.MetaCount = true, line, 1
		if b.ID != "" && len(b.ID) <= maxID {
			h.ref.ID, h.said = b.ID, true
		}
		h.ref.Created = timeOf(b.Timestamp)
	case *rollout.Message:
		if h.context == "" && b.Role == "user" {
			h.context = environmentCwd(b.Content.Text())
		}
	}
}

// environmentCwd finds the folder in an environment context: an element since
// 0.24, a line of text before.
func environmentCwd(text string) string {
	_, rest, ok := strings.Cut(text, "<environment_context>")
	if !ok {
		return ""
	}
	if _, cwd, ok := strings.Cut(rest, "<cwd>"); ok {
		cwd, _, _ = strings.Cut(cwd, "</cwd>")
		return strings.TrimSpace(cwd)
	}
	if _, cwd, ok := strings.Cut(rest, "Current working directory: "); ok {
		cwd, _, _ = strings.Cut(cwd, "\n")
		return strings.TrimSpace(cwd)
	}
	return ""
}

func timeOf(s string) time.Time {
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// last sets the time of the last record, as the tail has it.
func (h *head) last(at time.Time) {
	if at.IsZero() && !h.ref.Bare && h.records > 0 && (h.named || h.looks) {
		h.note(0, LastTimeUnknown, "no record with a time near the end")
	}
	h.ref.Last = at
}

// finish draws the conclusions that the whole head allows.
func (h *head) finish() {
	r := &h.ref
	r.Unsaid = !h.said
	r.Cwd = orElse(r.Cwd, h.bounded(h.context))
	r.Source = orElse(r.Source, "unknown")
	if r.ForkedFrom == "" && h.forked && !r.Subagent() {
		r.ForkedFrom = r.CopiedFrom
	}
	if r.MetaLine == 0 {
		h.note(0, NoSessionMeta, "the file's name stands in")
	}
	if r.ID == "" {
		base := r.Path[strings.LastIndexByte(r.Path, '/')+1:]
		r.ID = orElse(strings.TrimPrefix(stem(base), prefix), base)
		if r.MetaLine > 0 {
			h.note(r.MetaLine, InvalidMetadata, "no id; the file's name stands in")
		}
	}
	for _, at := range []time.Time{r.First, r.FileTime} {
		if r.Created.IsZero() {
			r.Created = at
		}
	}
	for _, at := range []time.Time{parseTime(h.seen), r.First, r.Created} {
		if r.Last.IsZero() {
			r.Last = at
		}
	}
	switch {
	case h.text:
		r.FirstLineProblem = ProblemText
	case h.broken:
		r.FirstLineProblem = ProblemUnreadable
	case r.MetaLine == 0:
		r.FirstLineProblem = ProblemNoMeta
	}
}

func orElse(s, t string) string {
	if s != "" {
		return s
	}
	return t
}
