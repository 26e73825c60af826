package term

import "io"

// A SafeWriter writes what Safe would make of the whole text, however the text
// is cut into calls of Write. It holds at most three bytes between calls;
// Flush writes them.
type SafeWriter struct {
	w      io.Writer
	policy Policy
	held   []byte // the start of a character, or a carriage return
	buf    []byte // reused for what Write passes on
}

// NewSafeWriter returns a SafeWriter in front of w.
func NewSafeWriter(w io.Writer, p Policy) *SafeWriter {
	return &SafeWriter{w: w, policy: p}
}

// safeChunk bounds how much of one Write is escaped in memory at a time.
const safeChunk = 16 << 10

// Write escapes p. Its count is in bytes of p; an error of the writer behind
// is returned as it is.
func (s *SafeWriter) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		part := p[written:min(len(p), written+safeChunk)]
		if err := s.put(part, false); err != nil {
			return written, err
		}
		written += len(part)
	}
	return written, nil
}

// Flush writes bytes held back at the end of the text: an unfinished character
// is shown byte by byte.
func (s *SafeWriter) Flush() error {
	return s.put(nil, true)
}

func (s *SafeWriter) put(p []byte, final bool) error {
	src := p
	if len(s.held) > 0 {
		src = append(s.held, p...)
	}
	var rest []byte
	s.buf, rest = s.policy.escape(s.buf[:0], src, final)
	s.held = append([]byte(nil), rest...)
	if len(s.buf) == 0 {
		return nil
	}
	_, err := s.w.Write(s.buf)
	return err
}
