package store

import (
	"context"
	"testing"

	"rollbook/internal/query"
	"rollbook/internal/transcript"
)

// TestCallsGoOn: a call and its result are one whatever part of the stream is
// replaced between them (T6).
func TestCallsGoOn(t *testing.T) {
	failed, exit := true, 2
	events := []*transcript.Event{
		{Kind: transcript.ToolCall, CallID: "a", Tool: "shell", Arguments: "make", Time: at(0)},
		{Kind: transcript.ToolCall, CallID: "b", Tool: "shell", Arguments: "ls", Time: at(1)},
		{Kind: transcript.User, Text: "stop", Time: at(2)},
		{Kind: transcript.ToolResult, CallID: "a", Tool: "shell", Output: "no rule", ExitCode: &exit, IsError: &failed, Time: at(3)},
		{Kind: transcript.ToolResult, CallID: "b", Tool: "shell", Output: "x", Time: at(4)},
	}
	write := func(w *Writer, from, to int) {
		s, err := w.Replace("d", nil, from)
		if err != nil {
			t.Fatal(err)
		}
		for i := from; i <= to; i++ {
			row := Encode(events[i-1], RowInfo{Thread: "t", Source: "d", Seq: i, Line: i})
			row.Pack()
			if err := s.Add(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Finish(nil, []*Source{{Key: "d", Kind: "document"}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	result := func(spans ...[2]int) (string, int) {
		path := newPath(t)
		w := openWriter(t, path)
		for _, s := range spans {
			write(w, s[0], s[1])
			if err := w.IndexOutputs(context.Background(), nil); err != nil {
				t.Fatal(err)
			}
			whole(t, w)
		}
		w.Close()
		return dumpOf(t, path), matches(t, path, Words, `"`+query.MetaFlag.Token(FlagError)+`"`)
	}
	all, n := result([2]int{1, 5})
	if n != 1 {
		t.Fatalf("%d failed calls are found", n)
	}
	for _, spans := range [][][2]int{{{1, 2}, {3, 5}}, {{1, 3}, {4, 5}}, {{1, 4}, {5, 5}}, {{1, 5}, {4, 5}}, {{1, 5}, {4, 3}, {4, 5}}, {{1, 5}, {2, 5}}} {
		if got, k := result(spans...); got != all || k != 1 {
			t.Errorf("%v: %d failed calls\n got %s\nwant %s", spans, k, got, all)
		}
	}
	none, _ := result([2]int{1, 3})
	if got, k := result([2]int{1, 5}, [2]int{4, 3}); got != none || k != 0 {
		t.Errorf("without results: %d failed calls\n got %s\nwant %s", k, got, none)
	}
}

// TestCallsOfTwoThreads: a call id that two threads of a document use means each
// its own (T6).
func TestCallsOfTwoThreads(t *testing.T) {
	path := newPath(t)
	w := openWriter(t, path)
	s, err := w.Replace("d", nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, thread := range []string{"a", "b", "a", "b"} {
		kind, exit := transcript.ToolCall, i
		if i >= 2 {
			kind = transcript.ToolResult
		}
		row := Encode(&transcript.Event{Kind: kind, CallID: "1", Tool: "shell", ExitCode: &exit, Time: at(i)}, RowInfo{Thread: thread, Source: "d", Seq: i + 1})
		row.Pack()
		if err := s.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(nil, []*Source{{Key: "d", Kind: "document"}}, nil); err != nil {
		t.Fatal(err)
	}
	whole(t, w)
	wrong, err := number(w.c, "SELECT count(*) FROM calls c JOIN events e ON e.id = c.call LEFT JOIN events x ON x.id = c.result WHERE x.thread IS NOT e.thread")
	if err != nil || wrong != 0 {
		t.Errorf("%d calls have the result of another thread, %v", wrong, err)
	}
	w.Close()
}
