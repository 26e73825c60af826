package store

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/transcript"
)

// TestCheckKinds: the kinds that the checks name by number are those that are
// indexed.
func TestCheckKinds(t *testing.T) {
	for table, kinds := range map[string]string{Words: messageKinds, Outputs: outputKinds} {
		var list []string
		for k := transcript.TurnStart; k <= transcript.Usage; k++ {
			if indexed(k) == table {
				list = append(list, string(rune('0'+k)))
			}
		}
		if want := "(" + strings.Join(list, ", ") + ")"; kinds != want {
			t.Errorf("%s: %s, want %s", table, kinds, want)
		}
	}
}

// TestCheckFinds: whatever is taken from the store or changed in it is found.
func TestCheckFinds(t *testing.T) {
	path := newPath(t)
	w := openWriter(t, path)
	failed := true
	s, err := w.Replace("d", nil, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, ev := range []*transcript.Event{
		{Kind: transcript.User, Text: "plan it", Time: at(0)},
		{Kind: transcript.Assistant, Text: strings.Repeat("a long answer ", 100), Time: at(1)},
		{Kind: transcript.ToolCall, CallID: "1", Tool: "shell", Arguments: "ls", Time: at(2)},
		{Kind: transcript.ToolResult, CallID: "1", Tool: "shell", Output: "none", IsError: &failed, Time: at(3)},
		{Kind: transcript.Usage, Usage: &transcript.TokenUsage{Input: 7, Output: 3, Total: 10}, Time: at(4)},
	} {
		row := Encode(ev, RowInfo{Thread: "t", Source: "d", Seq: i + 1, Line: i + 1, Project: "/p"})
		row.Pack()
		if err := s.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Finish(nil, []*Source{{Key: "d", Kind: "document"}}, nil); err != nil {
		t.Fatal(err)
	}
	put(t, w, "history.jsonl", 1, said{thread: "t", text: "plan it", channel: ChannelHistory})
	if err := w.IndexOutputs(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := w.StartRun(Run{Started: at(0), Roots: []string{"/r"}}); err != nil {
		t.Fatal(err)
	}
	whole(t, w)
	if err := w.Vacuum(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"DELETE FROM events WHERE kind = 2 AND flags & 16 = 0", "DELETE FROM events WHERE kind = 6", "DELETE FROM events WHERE kind = 10",
		"DELETE FROM threads", "DELETE FROM streams", "DELETE FROM sources", "DELETE FROM stream_threads", "DELETE FROM calls",
		"DELETE FROM bodies WHERE id = (SELECT min(id) FROM bodies)", "UPDATE bodies SET body = body || 'x' WHERE typeof(body) = 'text'",
		"UPDATE bodies SET body = substr(body, 1, 20) WHERE typeof(body) = 'blob'", "UPDATE bodies SET extra = '{' WHERE extra IS NOT NULL",
		"DELETE FROM words WHERE rowid = (SELECT id FROM events WHERE kind = 3)", "DELETE FROM outputs WHERE rowid = (SELECT id FROM events WHERE kind = 6)",
		"INSERT INTO words(rowid, text) VALUES(5, 'x')", "INSERT INTO outputs(rowid, text) VALUES(5, 'x')",
		"INSERT INTO words(rowid, text) SELECT id, 'x' FROM events WHERE flags & 16 != 0", "INSERT INTO todo VALUES(99, 1)",
		"UPDATE events SET flags = flags & ~16", "UPDATE events SET flags = flags & ~128", "UPDATE slots SET calls = calls + 1",
		"UPDATE slots SET input = input + 1", "UPDATE slots SET failed = 0", "DELETE FROM slots", "DELETE FROM usage",
		"UPDATE sources SET counts = '{'", "UPDATE threads SET meta = ''", "UPDATE runs SET roots = '['",
	} {
		path := newPath(t)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, good, 0o600); err != nil {
			t.Fatal(err)
		}
		w := openWriter(t, path)
		if err := w.exec("PRAGMA foreign_keys = OFF"); err != nil {
			t.Fatal(err)
		}
		if err := w.exec(sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if w.c.Changes() == 0 && !strings.Contains(sql, " words") && !strings.Contains(sql, " outputs") {
			t.Errorf("%s: changes nothing", sql)
		}
		faults, err := w.Check()
		if err != nil || len(faults) == 0 || slices.Contains(faults, "") {
			t.Errorf("%s: faults %q, %v", sql, faults, err)
		}
		w.Close()
	}
}
