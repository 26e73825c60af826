package discover

import (
	"bytes"
	"io"
	"time"

	"rollbook/internal/rollout"
)

// lastTime gives the time of the last record that has one, or zero. It goes
// back from the end, line by line: 64 KiB are nearly always enough, and a long
// last line is skipped over without being held. head is the start of the file,
// as far as it was read; most is how far the search goes, in bytes, unless one
// line is longer.
func (p *prober) lastTime(f io.ReaderAt, size int64, head []byte, most int64) (time.Time, error) {
	if p.tail == nil {
		p.tail = make([]byte, tailRead)
	}
	p.spent = 0
	stop := size // where the line at hand ends, its line feed included
	for end := size; end > 0; {
		start := max(0, end-tailRead)
		chunk, err := p.window(f, start, end, head)
		if err != nil {
			return time.Time{}, err
		}
		for hi := len(chunk); hi > 0; {
			i := bytes.LastIndexByte(chunk[:hi], '\n')
			if i < 0 {
				break
			}
			begin := start + int64(i) + 1
			if at, err := p.lineTime(f, begin, stop, size, start, chunk); err != nil || !at.IsZero() {
				return at, err
			}
			stop, hi = begin, i
		}
		end = start
		walked := size - end
		if walked >= most && stop < size || walked >= tailLong || p.brief && p.spent+2*tailRead > tailBrief {
			return time.Time{}, nil
		}
		if end == 0 {
			return p.lineTime(f, 0, stop, size, start, chunk)
		}
		if p.ctx.Err() != nil {
			return time.Time{}, p.ctx.Err()
		}
	}
	return time.Time{}, nil
}

// window gives the bytes from start to end of the file.
func (p *prober) window(f io.ReaderAt, start, end int64, head []byte) ([]byte, error) {
	if end <= int64(len(head)) {
		return head[start:end], nil
	}
	n, err := readAt(f, p.tail[:end-start], start)
	p.spent += int64(n)
	return p.tail[:n], err
}

// lineTime gives the time of the line from begin to stop, if it is a record
// with one. A line up to 1 MiB must be valid, or be so once it is repaired; of a longer one the start counts,
// unless it is the last and no line feed ends it.
func (p *prober) lineTime(f io.ReaderAt, begin, stop, size, start int64, chunk []byte) (time.Time, error) {
	n := stop - begin
	if n <= 1 {
		return time.Time{}, nil
	}
	var text []byte
	long := false
	if begin >= start && stop <= start+int64(len(chunk)) {
		text = chunk[begin-start : stop-start]
	} else {
		want := n
		if long = n > tailLine || p.brief && n > tailRead; long {
			want = 4 << 10
		}
		p.line = grow(p.line, int(want))
		m, err := readAt(f, p.line, begin)
		p.spent += int64(m)
		if err != nil {
			return time.Time{}, err
		}
		text = p.line[:m]
	}
	if long {
		if stop == size && !p.endsLine(f, size) {
			return time.Time{}, nil
		}
		var env rollout.Envelope
		rollout.Head(text, &env)
		return parseTime(env.Timestamp), nil
	}
	text = bytes.TrimSuffix(text, []byte("\n"))
	var env rollout.Envelope
	if rollout.Scan(text, &env) != rollout.NoFault {
		mended, done := rollout.Mend(text)
		if done.Code == "" || rollout.Scan(mended, &env) != rollout.NoFault {
			return time.Time{}, nil
		}
	}
	return parseTime(env.Timestamp), nil
}

func (p *prober) endsLine(f io.ReaderAt, size int64) bool {
	var b [1]byte
	n, err := readAt(f, b[:], size-1)
	return err == nil && n == 1 && b[0] == '\n'
}

// grow gives a buffer of n bytes, b itself where it is large enough.
func grow(b []byte, n int) []byte {
	if cap(b) >= n {
		return b[:n]
	}
	return make([]byte, n)
}

// valid reports whether a line is a JSON text.
func valid(text []byte) bool {
	var env rollout.Envelope
	return rollout.Scan(text, &env) == rollout.NoFault
}

// recordTime gives the time of a record by its head, or by a full scan where
// it is not spelt as usual: the time may stand behind the payload.
func recordTime(text []byte, env *rollout.Envelope) time.Time {
	if env.Timestamp == nil && env.Payload != nil {
		var whole rollout.Envelope
		if rollout.Scan(text, &whole) != rollout.NoFault {
			return time.Time{}
		}
		return parseTime(whole.Timestamp)
	}
	return parseTime(env.Timestamp)
}

// parseTime reads a time as Codex writes it; zero where it is none.
func parseTime(v rollout.Raw) time.Time {
	s, ok := v.Text()
	if !ok || len(s) > 64 {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}
