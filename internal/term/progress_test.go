package term

import (
	"math"
	"strings"
	"sync"
	"testing"
	"time"
)

// clock goes forward only when told.
type clock struct{ t time.Time }

func newClock() *clock                   { return &clock{time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)} }
func (c *clock) now() time.Time          { return c.t }
func (c *clock) forward(d time.Duration) { c.t = c.t.Add(d) }

func fixed(n int) func() int { return func() int { return n } }

func TestProgressLine(t *testing.T) {
	tests := []struct {
		name  string
		o     ProgressOptions
		width int
		done  int64
		want  string
	}{
		{"bytes of a known total", ProgressOptions{Label: "reading", Total: 400 << 20}, 100, 100 << 20,
			"reading  25% [=======>                    ] 100.0 MiB / 400.0 MiB  52.4 MB/s  ETA 6.0s"},
		{"narrow: no bar", ProgressOptions{Label: "reading", Total: 400 << 20}, 60, 100 << 20,
			"reading  25% 100.0 MiB / 400.0 MiB  52.4 MB/s  ETA 6.0s"},
		{"very narrow: cut", ProgressOptions{Label: "reading", Total: 400 << 20}, 20, 100 << 20,
			"reading  25% 100.0…"},
		{"unknown total", ProgressOptions{Label: "reading"}, 100, 100 << 20,
			"reading  100.0 MiB  52.4 MB/s  2.0s"},
		{"counts", ProgressOptions{Label: "listing", Total: 3000, Unit: "files"}, 81, 1500,
			"listing  50% [==============>             ] 1,500 / 3,000 files  750/s  ETA 2.0s"},
		{"done", ProgressOptions{Label: "listing", Total: 3000, Unit: "files"}, 80, 3000,
			"listing 100% [============================] 3,000 / 3,000 files  1500/s"},
		{"more than was said", ProgressOptions{Label: "listing", Total: 10, Unit: "files"}, 80, 30,
			"listing 100% [============================] 30 / 10 files  15/s"},
		{"label from a log", ProgressOptions{Label: "a\x1b[2J"}, 80, 0, `a\x1b[2J  0 B  0.0 MB/s  2.0s`},
	}
	for _, tt := range tests {
		var b strings.Builder
		c := newClock()
		tt.o.Now, tt.o.Width = c.now, fixed(tt.width)
		p := NewProgress(&b, tt.o)
		c.forward(2 * time.Second)
		p.Add(tt.done)
		if got, want := b.String(), "\r"+tt.want+"\x1b[K"; got != want {
			t.Errorf("%s: got\n%q, want\n%q", tt.name, got, want)
		}
	}
}

func TestProgressTiming(t *testing.T) {
	var b strings.Builder
	c := newClock()
	p := NewProgress(&b, ProgressOptions{Label: "x", Now: c.now, Width: fixed(80)})
	drawn := func(want bool, when string) {
		t.Helper()
		if got := b.Len() > 0; got != want {
			t.Errorf("%s: drawn is %v: %q", when, got, b.String())
		}
		b.Reset()
	}
	p.Add(1)
	drawn(false, "at once")
	p.Done()
	drawn(false, "done without having been shown")

	p = NewProgress(&b, ProgressOptions{Label: "x", Now: c.now, Width: fixed(80)})
	c.forward(progressDelay)
	p.Add(1)
	drawn(true, "after the delay")
	p.Add(1)
	drawn(false, "right after a drawing")
	p.Clear()
	drawn(true, "cleared")
	p.Clear()
	drawn(false, "cleared twice")
	c.forward(progressEvery)
	p.Add(1)
	drawn(true, "due again")
	p.Done()
	if got := b.String(); got != "\r\x1b[K" {
		t.Errorf("Done wrote %q, want the line cleared", got)
	}
	b.Reset()
	c.forward(time.Hour)
	p.Add(1)
	drawn(false, "after Done")
}

func TestProgressSetTotal(t *testing.T) {
	var b strings.Builder
	c := newClock()
	p := NewProgress(&b, ProgressOptions{Label: "x", Unit: "files", Now: c.now, Width: fixed(40)})
	p.SetTotal(4)
	c.forward(time.Second)
	p.Add(1)
	if !strings.Contains(b.String(), "25%") || !strings.Contains(b.String(), "ETA 3.0s") {
		t.Errorf("got %q", b.String())
	}
}

func TestProgressSlowestEstimate(t *testing.T) {
	var b strings.Builder
	c := newClock()
	p := NewProgress(&b, ProgressOptions{Total: math.MaxInt64, Now: c.now, Width: fixed(100)})
	c.forward(time.Hour)
	p.Add(1)
	if !strings.Contains(b.String(), "ETA 1000d 0h") {
		t.Errorf("got %q", b.String())
	}
}

func TestNilProgress(t *testing.T) {
	var p *Progress
	p.Add(1)
	p.SetTotal(1)
	p.Clear()
	p.Done()
}

func TestProgressFromManyGoroutines(t *testing.T) {
	var b strings.Builder
	p := NewProgress(&b, ProgressOptions{Unit: "x", Now: time.Now, Width: fixed(80)})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 1000 {
				p.Add(1)
				p.Clear()
			}
		})
	}
	wg.Wait()
	p.Done()
	if p.done != 4000 {
		t.Errorf("counted %d, want 4000", p.done)
	}
}

func BenchmarkProgressAdd(b *testing.B) {
	var sink strings.Builder
	p := NewProgress(&sink, ProgressOptions{Total: 1 << 40, Now: time.Now, Width: fixed(80)})
	for b.Loop() {
		p.Add(1)
	}
}
