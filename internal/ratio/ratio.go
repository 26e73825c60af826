// Package ratio lets a benchmark say how fast it is beside other work on the
// same bytes, in the same run: on a shared machine only the ratio means much.
package ratio

import (
	"bufio"
	"bytes"
	"io"
	"strings"
	"testing"
	"time"
)

// A Rival is work on the same bytes that a benchmark is compared with.
type Rival struct {
	Name string // as in "1.5 x_line_scan"
	Work func()
}

// Compare runs the work b.N times, and each rival between two runs. It reports
// MB per second of processor time, and of each rival how many times longer it
// takes.
func Compare(b *testing.B, size int, work func(), rivals ...Rival) {
	b.Helper()
	compare(b, clock, "MB/cpu-s", size, work, rivals)
}

// CompareElapsed is Compare by the time that passes: for work that uses more than
// one core. It means something on a quiet machine alone.
func CompareElapsed(b *testing.B, size int, work func(), rivals ...Rival) {
	b.Helper()
	compare(b, elapsed, "MB/elapsed-s", size, work, rivals)
}

func compare(b *testing.B, clock func(func()) time.Duration, unit string, size int, work func(), rivals []Rival) {
	b.Helper()
	var own time.Duration
	times := make([]time.Duration, len(rivals))
	b.SetBytes(int64(size))
	for b.Loop() {
		own += clock(work)
		b.StopTimer()
		for i, r := range rivals {
			times[i] += clock(r.Work)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(size)*float64(b.N)/1e6/own.Seconds(), unit)
	for i, r := range rivals {
		b.ReportMetric(times[i].Seconds()/own.Seconds(), "x_"+strings.ReplaceAll(r.Name, " ", "_"))
	}
}

func clock(f func()) time.Duration {
	start := cpuTime()
	f()
	return cpuTime() - start
}

func elapsed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// LineScan goes over the lines of the text and looks at nothing.
func LineScan(text []byte) Rival {
	return Rival{"line scan", func() {
		r := bufio.NewReaderSize(bytes.NewReader(text), 256<<10)
		for {
			if _, err := r.ReadSlice('\n'); err == io.EOF {
				return
			}
		}
	}}
}
