package dsh

import (
	"errors"
	"iter"
	"path/filepath"
)

const (
	// Oversized is the price in tokens above which the harness can neither send
	// a session nor compact it.
	Oversized = 700_000
	// MaxSurface is how many messages a session may have before the harness's
	// own checks, whose time grows by the square, become slow.
	MaxSurface = 50_000
	// maxLog is the largest log that is audited, in bytes on disk.
	maxLog = 512 << 20
)

// ErrTooLarge and ErrTooFew are why an audit passes over a log.
var (
	ErrTooLarge = errors.New("larger than 512 MiB")
	ErrTooFew   = errors.New("fewer than two frames")
)

// A Row is one log of an audit.
type Row struct {
	Path     string
	ID       string
	Cwd      string // empty: none
	Frames   int
	Records  int   // lines, the header included
	Surface  int   // messages that the model is given
	Tokens   int64 // their price (docs/format/dsh.md, T1 and T2)
	BadLines int   // that are no JSON, and were passed over
	Torn     bool  // the last frame is: it is not counted
	// Cure is what makes an oversized session fit.
	Cure Cure
}

// A Cure is a limit for tool output, and the price of a session converted with
// it. MaxToolOutput 0 says that no limit is enough: then what helps is the
// default window, and Tokens is the price with the smallest limit that was tried.
type Cure struct {
	MaxToolOutput int
	Tokens        int64
}

// limits are the limits that a Cure may name.
var limits = []int{65536, 32768, 16384, 8192, 4096, 2048, 1024, 512}

// Audit prices what the model is given of each log below a root, by path. It
// needs no more than frames and JSON, checks nothing and changes nothing, not
// even a time. A log or folder that cannot be read, is damaged or is passed over
// (ErrTooLarge, ErrTooFew) gives an error beside its path.
func Audit(root Root) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for name, err := range logs(root.FS) {
			row := Row{Path: filepath.Join(root.Path, filepath.FromSlash(name))}
			if err == nil {
				err = root.audit(&row, name)
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

func (r Root) audit(row *Row, name string) error {
	f, info, err := openLog(r.FS, name)
	if err != nil {
		return err
	}
	defer f.Close()
	if info.Size() > maxLog {
		return ErrTooLarge
	}
	var p parser
	var m meter
	events := int64(0)
	phys, err := walkLog(f, info.Size(), func(n int, line []byte) error {
		row.Records++
		if n > 1 {
			events++
		}
		v, err := p.parse(line)
		switch {
		case err != nil:
			row.BadLines++
		case n == 1:
			row.ID, row.Cwd = v.get("id").text, v.get("cwd").text
		case events > maxEvents:
			return errTooMany
		default:
			m.event(events-1, v)
		}
		return nil
	})
	row.Frames = phys.frames
	row.Torn = errors.Is(err, ErrTorn)
	if err != nil && !row.Torn {
		return err
	}
	if row.Frames < 2 {
		return ErrTooFew
	}
	row.Surface, row.Tokens = len(m.nodes), m.tokens
	if row.Tokens > Oversized {
		row.Cure = m.cure()
	}
	return nil
}

var errTooMany = errors.New("more events than are audited")

// cure finds the largest limit that is enough.
func (m *meter) cure() Cure {
	var price int64
	for _, limit := range limits {
		if price = m.limited(limit); price <= Oversized {
			return Cure{limit, price}
		}
	}
	return Cure{0, price}
}
