package inspect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"rollbook/internal/diag"
	"rollbook/internal/fsx"
	"rollbook/internal/fsx/fsxtest"
)

// openRead opens a file and reads it with all handlers.
func openRead(fsys fsx.FS, name string, limits Limits) (*reading, error) {
	src, err := Open(fsys, name, limits)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return read(src)
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// changedLog is long enough to be read in several pieces.
var changedLog = lines(meta("s"), strings.TrimSuffix(strings.Repeat(msg(strings.Repeat("some text ", 100))+"\n", 600), "\n"))

// readChanging reads changedLog from a file that something happens to once its
// first few kilobytes were read.
func readChanging(t *testing.T, change func(path string) error) *jsonReport {
	t.Helper()
	path := writeFile(t, "r.jsonl", changedLog)
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	m := fsxtest.NewMutating(fsx.OS, func(c fsxtest.Call) {
		if c.Op == fsxtest.Read && c.N == 2 {
			if err := change(path); err != nil {
				t.Error(err)
			}
		}
	}, nil)
	got, err := openRead(m, path, DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	rep := decodeReport(t, got.JSON)
	checkState(t, rep)
	checkForms(t, rep, got)
	if rep.SnapshotBytes != int64(len(changedLog)) {
		t.Errorf("snapshot of %d bytes, want %d", rep.SnapshotBytes, len(changedLog))
	}
	return rep
}

func TestR17Grows(t *testing.T) {
	rep := readChanging(t, func(path string) error {
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = f.WriteString(lines("not JSON", msg("not read")))
		return err
	})
	wantCodes(t, rep, "source_changed")
	if rep.Lines != 601 || len(rep.Events) != 600 {
		t.Errorf("%d lines, %d events", rep.Lines, len(rep.Events))
	}
}

func TestR17Shrinks(t *testing.T) {
	half := strings.LastIndexByte(changedLog[:len(changedLog)/2], '\n') + 1
	rep := readChanging(t, func(path string) error { return os.Truncate(path, int64(half)) })
	wantCodes(t, rep, "source_changed")
	if want := strings.Count(changedLog[:half], "\n"); rep.Lines != want {
		t.Errorf("%d lines, want %d", rep.Lines, want)
	}
	rep = readChanging(t, func(path string) error { return os.Truncate(path, 0) })
	n := strings.Count(changedLog[:4096], "\n") + 1
	wantCodes(t, rep, fmt.Sprintf("incomplete_final_line@%d", n), "source_changed")
}

func TestR17NewTime(t *testing.T) {
	rep := readChanging(t, func(path string) error { return os.Chtimes(path, time.Time{}, time.Now()) })
	wantCodes(t, rep, "source_changed")
	if rep.Lines != 601 {
		t.Errorf("%d lines", rep.Lines)
	}
	wantCodes(t, readChanging(t, func(string) error { return nil }))
}

// The handle is asked what it is, not only the name.
func TestChangedKindIsRefused(t *testing.T) {
	path := writeFile(t, "r.jsonl", msgFile())
	if _, err := openRead(swapFS{fsx.OS, t.TempDir()}, path, DefaultLimits); !errors.Is(err, ErrRefused) {
		t.Errorf("error %v, want %v", err, ErrRefused)
	}
}

// A swapFS opens something else than it was asked about.
type swapFS struct {
	fsx.FS
	other string
}

func (s swapFS) Open(string) (fsx.File, error) { return s.FS.Open(s.other) }

// Each call that fails is an error of the whole, and whatever was opened is
// closed.
func TestFileSystemErrors(t *testing.T) {
	path := writeFile(t, "r.jsonl", changedLog)
	for n := 1; ; n++ {
		f := fsxtest.NewFailing(fsx.OS, n)
		c := fsxtest.NewCounting(f)
		got, err := openRead(c, path, DefaultLimits)
		call, failed := f.Failed()
		if c.Calls(fsxtest.Open) != c.Calls(fsxtest.Close) && call.Op != fsxtest.Open {
			t.Errorf("%s %d failed: %d opened, %d closed", call.Op, call.N, c.Calls(fsxtest.Open), c.Calls(fsxtest.Close))
		}
		if call.Op == fsxtest.Close { // too late for the report
			failed = err != nil
		}
		if !failed {
			if err != nil {
				t.Error(err)
			}
			if call.Op == fsxtest.Close {
				continue
			}
			checkReading(t, got, changedLog)
			if n < 7 {
				t.Errorf("%d calls", n-1)
			}
			return
		}
		if !errors.Is(err, fsxtest.ErrInjected) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s %d failed: error %v", call.Op, call.N, err)
		}
	}
}

func TestR18Limits(t *testing.T) {
	line := strings.Repeat(" ", 1<<20-1) + "\n"
	path := filepath.Join(t.TempDir(), "r.jsonl")
	f := must(os.Create(path))
	defer f.Close()
	for range 64 {
		if _, err := f.WriteString(line); err != nil {
			t.Fatal(err)
		}
	}
	src, err := Open(fsx.OS, path, DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var c Counter
	rep, err := Run(context.Background(), src, &c)
	if err != nil || rep.Lines != 64 || rep.Blank.Bytes != 64<<20 || rep.State != Empty {
		t.Fatalf("64 MiB: report %+v, error %v", rep, err)
	}
	if _, err := f.WriteString(" "); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(fsx.OS, path, DefaultLimits); !errors.Is(err, ErrRefused) {
		t.Errorf("one byte more: error %v, want %v", err, ErrRefused)
	}
}

// A line of 100 MB costs no more memory than the limit and a buffer.
func TestHugeLine(t *testing.T) {
	const size = 100_000_000
	log := io.MultiReader(strings.NewReader(lines(meta("s"))), io.LimitReader(zeros{}, size), strings.NewReader("\n"+lines(msg("after"))))
	src := must(OpenStream(log, "-", Limits{File: 2 * size, Line: 1 << 20}))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var c Counter
	rep, err := Run(context.Background(), src, &c)
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
		t.Errorf("%d bytes were allocated", n)
	}
	if rep.Lines != 3 || rep.Events != 1 || c.lost[LineLimit].Bytes != size+1 {
		t.Errorf("report %+v, lost %+v", rep, c.lost)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func TestFileLimit(t *testing.T) {
	path := writeFile(t, "r.jsonl", msgFile())
	size := int64(len(msgFile()))
	for limit, want := range map[int64]error{size: nil, size - 1: ErrRefused, 10: ErrRefused, 0: ErrLimits, -1: ErrLimits} {
		if _, err := openRead(fsx.OS, path, Limits{File: limit, Line: 300}); !errors.Is(err, want) {
			t.Errorf("limit %d: error %v, want %v", limit, err, want)
		}
		src, err := OpenStream(strings.NewReader(msgFile()), "-", Limits{File: limit, Line: 300})
		if err == nil {
			_, err = read(src)
		}
		if !errors.Is(err, want) {
			t.Errorf("limit %d of a stream: error %v, want %v", limit, err, want)
		}
	}
	if _, err := openRead(fsx.OS, path, Limits{File: 1000}); !errors.Is(err, ErrLimits) {
		t.Errorf("line limit 0: error %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	w := fsxtest.NewCounting(fsx.OS)
	if _, err := openRead(w, t.TempDir(), DefaultLimits); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("directory: error %v", err)
	}
	if _, err := openRead(w, filepath.Join(t.TempDir(), "absent"), DefaultLimits); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: error %v", err)
	}
	if names := w.Opened(); len(names) > 0 {
		t.Errorf("opened %v", names)
	}
}

func TestStreamError(t *testing.T) {
	src, err := OpenStream(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(msgFile()))), "-", DefaultLimits)
	if err == nil {
		_, err = read(src)
	}
	if !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("error %v", err)
	}
}

// Readers that give data with their end, or in halves, change nothing.
func TestReaders(t *testing.T) {
	log := string(must(os.ReadFile("testdata/losses.jsonl")))
	want := readBytes(t, strings.NewReader(log), DefaultLimits)
	for name, r := range map[string]io.Reader{
		"data with the end": iotest.DataErrReader(strings.NewReader(log)),
		"halves":            iotest.HalfReader(strings.NewReader(log)),
	} {
		if got := readBytes(t, r, DefaultLimits); !bytes.Equal(got.JSON, want.JSON) {
			t.Errorf("%s: the report differs", name)
		}
	}
}

func TestHandlerErrorEndsRun(t *testing.T) {
	stop := errors.New("stop")
	for want := 1; ; want++ {
		h := &failing{after: want, err: stop}
		src := must(OpenStream(strings.NewReader(string(must(os.ReadFile("testdata/losses.jsonl")))), "-", DefaultLimits))
		rep, err := Run(context.Background(), src, h)
		if err == nil {
			if calls := 7 + 3 + 7; want != calls+1 {
				t.Errorf("%d calls, want %d", want-1, calls)
			}
			return
		}
		if !errors.Is(err, stop) || rep != nil || h.calls != want {
			t.Fatalf("call %d: error %v, report %v, %d calls", want, err, rep, h.calls)
		}
	}
}

// A failing handler fails on one call and must not be called again.
type failing struct {
	calls, after int
	err          error
}

func (f *failing) call() error {
	if f.calls++; f.calls >= f.after {
		return f.err
	}
	return nil
}

func (f *failing) Record(*Record) error         { return f.call() }
func (f *failing) Event(*Event) error           { return f.call() }
func (f *failing) Diagnostic(*Diagnostic) error { return f.call() }

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	src := must(OpenStream(strings.NewReader(msgFile()), "-", DefaultLimits))
	var j JSON
	rep, err := Run(ctx, src, &j)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	var out bytes.Buffer
	if err := j.Write(ctx, &out, rep); !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("write: error %v, %d bytes", err, out.Len())
	}
	src = must(OpenStream(strings.NewReader(msgFile()), "-", DefaultLimits))
	if _, err := Run(ctx, src, &j); !errors.Is(err, context.Canceled) {
		t.Errorf("run: error %v", err)
	}
}

func TestWriteError(t *testing.T) {
	log := lines(meta("s"), msg(strings.Repeat("a", 200<<10)), msg("b"))
	full := errors.New("disk full")
	src := must(OpenStream(strings.NewReader(log), "-", DefaultLimits))
	n := NewNDJSON(context.Background(), errWriter{full}, src)
	if _, err := Run(context.Background(), src, n); !errors.Is(err, full) {
		t.Errorf("ndjson: error %v", err)
	}
	src = must(OpenStream(strings.NewReader(log), "-", DefaultLimits))
	var j JSON
	rep := must(Run(context.Background(), src, &j))
	if err := j.Write(context.Background(), errWriter{full}, rep); !errors.Is(err, full) {
		t.Errorf("json: error %v", err)
	}
}

type errWriter struct{ err error }

func (w errWriter) Write([]byte) (int, error) { return 0, w.err }

// The sets of a file are bounded.
func TestIdentitiesBounded(t *testing.T) {
	var log strings.Builder
	for i := range 17 {
		log.WriteString(row("session_meta", `{"id":"`+strings.Repeat(string(rune('a'+i)), 1<<20-200)+`"}`) + "\n")
	}
	count := func(log string) (*Report, error) {
		return Run(context.Background(), must(OpenStream(strings.NewReader(log), "-", DefaultLimits)), new(Counter))
	}
	if _, err := count(log.String()); !errors.Is(err, ErrIdentities) {
		t.Errorf("error %v, want %v", err, ErrIdentities)
	}
	rep, err := count(log.String()[:15<<20])
	if err != nil || len(rep.SessionIDs) != 15 {
		t.Errorf("error %v, report %.100v", err, rep)
	}
}

// A summary lists a bounded number of types and counts the others.
func TestSummaryTypesBounded(t *testing.T) {
	var log strings.Builder
	log.WriteString(lines(meta("s"), "", "broken", row("event_msg", `{"type":"a"}`), row("event_msg", `{"type":"\u0061"}`), row("event_msg", `{}`), msg("a"), msg("b")))
	for i := range 2 * maxTypes {
		log.WriteString(row(strings.Repeat("x", i%7)+string(rune('a'+i%26))+time.Duration(i).String(), `{}`) + "\n")
	}
	got := readBytes(t, strings.NewReader(log.String()), DefaultLimits)
	checkReading(t, got, log.String())
	s := got.Summary
	if len(s.Types) != maxTypes || s.OtherTypes.Records == 0 {
		t.Errorf("%d types, %d other records", len(s.Types), s.OtherTypes.Records)
	}
	find := func(record string, item *string) TypeCount {
		for _, t := range s.Types {
			if t.RecordType == record && text(t.ItemType) == text(item) {
				return t
			}
		}
		return TypeCount{}
	}
	a, message := "a", "message"
	if find("event_msg", &a).Records != 2 || find("event_msg", nil).Records != 1 || find("response_item", &message).Events != 2 {
		t.Errorf("types %+v", s.Types)
	}
	if s.Blank.Lines != 1 || len(s.Lost) != 1 || s.Lost[0] != (LostCount{InvalidJSON, LineCount{1, 7}}) {
		t.Errorf("blank %+v, lost %+v", s.Blank, s.Lost)
	}
	if s.Diagnostics[0] != (DiagnosticCount{UnverifiedCompatibility, 1}) {
		t.Errorf("diagnostics %+v", s.Diagnostics)
	}
	log.Reset()
	log.WriteString(lines(meta("s"), row(strings.Repeat("long", 100_000), `{}`), row(strings.Repeat("long", 200_000), `{}`)))
	if s = readBytes(t, strings.NewReader(log.String()), DefaultLimits).Summary; s.OtherTypes.Records != 1 || len(s.Types) != 2 {
		t.Errorf("long names: %d types, %+v", len(s.Types), s.OtherTypes)
	}
}

// All codes are numbered once, and the contract has 25 of them.
func TestCodes(t *testing.T) {
	seen := make(map[diag.Code]bool)
	for _, c := range codes {
		seen[c] = true
	}
	if len(seen) != 26 || len(codes) != 26 || tagDiagnostic+len(codes)*forms > 256 {
		t.Errorf("%d codes, %d of them distinct", len(codes), len(seen))
	}
}
