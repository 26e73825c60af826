package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	progressDelay = 200 * time.Millisecond // quick work shows no bar
	progressEvery = 100 * time.Millisecond
	progressBar   = 30 // columns of the bar itself, at most
	progressLeast = 10 // a bar narrower than this is left out
)

// ProgressOptions says what a Progress shows.
type ProgressOptions struct {
	Label string
	Total int64  // 0 or less: not known
	Unit  string // what is counted, as in "files"; empty means bytes
	// Width gives the columns of the terminal; it is asked for each drawing.
	Width func() int
	Now   func() time.Time
}

// A Progress is one line on a terminal that shows how far long work is, at what
// rate, and when it will end. All methods do nothing on a nil Progress, so
// engines call them freely and the caller passes nil where no terminal is.
// They may be called from several goroutines.
type Progress struct {
	mu    sync.Mutex
	w     io.Writer
	o     ProgressOptions
	done  int64
	begun time.Time
	next  time.Time // no drawing before
	shown bool
	ended bool
}

// NewProgress returns a Progress that draws on w, which must be a terminal.
func NewProgress(w io.Writer, o ProgressOptions) *Progress {
	now := o.Now()
	return &Progress{w: w, o: o, begun: now, next: now.Add(progressDelay)}
}

// Add says that n more units are done.
func (p *Progress) Add(n int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += n
	if now := p.o.Now(); !p.ended && !now.Before(p.next) {
		p.draw(now)
		p.next = now.Add(progressEvery)
	}
}

// SetTotal says how many units there are, once that is known.
func (p *Progress) SetTotal(n int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.o.Total = n
}

// Clear takes the line away, so that other text can be written; the next Add
// that is due draws it again.
func (p *Progress) Clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

// Done takes the line away for good.
func (p *Progress) Done() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.ended = true
}

// clear and draw ignore write errors: a bar that cannot be seen must not stop
// the work.
func (p *Progress) clear() {
	if p.shown {
		io.WriteString(p.w, "\r\x1b[K")
		p.shown = false
	}
}

func (p *Progress) draw(now time.Time) {
	width := p.o.Width()
	if width <= 0 {
		width = 80
	}
	// The last column stays free: some terminals wrap when it is written.
	io.WriteString(p.w, "\r"+Truncate(p.text(now, width-1), width-1)+"\x1b[K")
	p.shown = true
}

// text gives the line, as in
// "reading  43% [=====>      ] 1.2 GiB / 2.8 GiB  210 MB/s  ETA 8s".
func (p *Progress) text(now time.Time, width int) string {
	label := Safe(p.o.Label, OneLine)
	rate := 0.0
	if s := now.Sub(p.begun).Seconds(); s > 0 {
		rate = float64(p.done) / s
	}
	tail := p.amount(p.done)
	if p.o.Total <= 0 {
		return label + "  " + tail + p.unit() + "  " + p.rate(rate) + "  " + FormatDuration(now.Sub(p.begun))
	}
	tail += " / " + p.amount(p.o.Total) + p.unit() + "  " + p.rate(rate)
	if left := p.o.Total - p.done; left > 0 && rate > 0 {
		tail += "  ETA " + FormatDuration(secondsOf(float64(left)/rate))
	}
	part := min(float64(p.done)/float64(p.o.Total), 1)
	head := fmt.Sprintf("%s %3d%% ", label, int(part*100))
	return head + barOf(part, width-Width(head)-Width(tail)-1) + tail
}

func (p *Progress) unit() string {
	if p.o.Unit == "" {
		return ""
	}
	return " " + p.o.Unit
}

func (p *Progress) amount(n int64) string {
	if p.o.Unit == "" {
		return HumanSize(n)
	}
	return FormatCount(n)
}

// rate shows bytes in MB/s, a million bytes a second.
func (p *Progress) rate(perSecond float64) string {
	if p.o.Unit == "" {
		return fmt.Sprintf("%.1f MB/s", perSecond/1e6)
	}
	return fmt.Sprintf("%.0f/s", perSecond)
}

// barOf draws a bar with a space behind it, or nothing where room is short.
func barOf(part float64, room int) string {
	inner := min(room, progressBar) - 2
	if inner+2 < progressLeast {
		return ""
	}
	full := int(part * float64(inner))
	bar := strings.Repeat("=", full)
	if full < inner {
		bar += ">"
	}
	return "[" + Pad(bar, inner) + "] "
}

// secondsOf guards against an estimate that no Duration can hold.
func secondsOf(s float64) time.Duration {
	const most = 1000 * 24 * time.Hour
	if s > most.Seconds() {
		return most
	}
	return time.Duration(s * float64(time.Second))
}
