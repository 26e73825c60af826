package assemble

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"rollbook/internal/discover"
	"rollbook/internal/ledger"
	"rollbook/internal/transcript"
)

// ignoreOpen leaves out of a comparison what cannot be compared.
var ignoreOpen = cmpopts.IgnoreFields(transcript.Image{}, "Open")

// reading reads a thread with its account; texts has what the digest was given.
func reading(t testing.TB, l *Library, id string, opt ReadOptions) (r *Reading, all []transcript.Event, texts map[string]string) {
	t.Helper()
	given := make(map[string]*bytes.Buffer)
	opt.Digest = func(ref *discover.Ref) io.Writer {
		if given[ref.Path] != nil {
			t.Errorf("%s: digested twice", ref.Path)
		}
		given[ref.Path] = new(bytes.Buffer)
		return given[ref.Path]
	}
	r, err := l.Read(context.Background(), id, opt)
	if err != nil {
		t.Fatal(err)
	}
	for ev, err := range r.Thread.Events {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *ev)
	}
	texts = make(map[string]string)
	for path, b := range given {
		texts[path] = b.String()
	}
	return r, all, texts
}

// inPlaces is how many lines an account has a place for.
func inPlaces(a *FileAccount) int64 {
	return a.Messages + a.Known + a.InvalidJSON + a.Oversized + a.UnknownEvents + a.Inherited + a.RolledBack +
		a.MirroredResponses + a.Context + a.Empty
}

// TestAccounts is invariant R1 for what is read for a store: each line of every
// file of the corpus is in one place, a message is a line that an event of the
// active view leads back to, and the digest is given each file once, whole.
func TestAccounts(t *testing.T) {
	lines := int64(0)
	for _, home := range scenarios(t) {
		dir := filepath.Dir(home)
		t.Run(filepath.Base(filepath.Dir(dir))+"/"+filepath.Base(dir), func(t *testing.T) {
			l, files := library(t, home, nil), newFiles(home)
			for _, id := range l.IDs() {
				r, all, texts := reading(t, l, id, ReadOptions{})
				_, want := events(t, l, id, transcript.Active)
				if d := cmp.Diff(want, all, ignoreOpen); d != "" {
					t.Errorf("thread %s: the events are others than those of Thread: %s", id, d)
				}
				lines += checkAccounts(t, files, l, id, r, all, texts)
			}
		})
	}
	if lines < 10_000 {
		t.Errorf("only %d lines", lines)
	}
}

func checkAccounts(t *testing.T, files *files, l *Library, id string, r *Reading, all []transcript.Event, texts map[string]string) (lines int64) {
	t.Helper()
	shown := messageLines(all)
	if len(r.Files) != len(l.Refs(id)) || len(texts) != len(r.Files) {
		t.Errorf("thread %s: %d files, %d accounts, %d digests", id, len(l.Refs(id)), len(r.Files), len(texts))
	}
	for i := range r.Files {
		a := &r.Files[i]
		text := files.read(t, a.Ref.Path)
		want := int64(0)
		for line := range bytes.Lines(text) {
			if len(bytes.TrimSpace(line)) > 0 {
				want++
			}
		}
		lines += want
		if a.Lines != want || inPlaces(a) != want {
			t.Errorf("%s: %d lines in %d places, want %d: %+v", a.Ref.Path, a.Lines, inPlaces(a), want, a.Counts)
		}
		if texts[a.Ref.Path] != string(text) || a.Bytes != int64(len(text)) || a.Whole != int64(bytes.LastIndexByte(text, '\n')+1) {
			t.Errorf("%s: digest of %d bytes, %d bytes, %d of whole lines, want %d", a.Ref.Path, len(texts[a.Ref.Path]), a.Bytes, a.Whole, len(text))
		}
		if n := shown[a.Ref.Path]; a.Messages != n {
			t.Errorf("%s: %d messages, the events are of %d lines", a.Ref.Path, a.Messages, n)
		}
	}
	return lines
}

// messageLines counts the lines of each file that messages and calls come from.
func messageLines(all []transcript.Event) map[string]int64 {
	seen := make(map[transcript.Source]bool)
	lines := make(map[string]int64)
	for _, ev := range all {
		switch ev.Kind {
		case transcript.User, transcript.Assistant, transcript.ToolCall:
			if !seen[ev.Source] && !ev.Inherited && ev.Origin != transcript.Synthetic {
				seen[ev.Source] = true
				lines[ev.Source.File]++
			}
		}
	}
	return lines
}

// What a small home of three dialects comes to: events, items alone, and turn
// items whose copies come before them.
func TestAccountsOfDialects(t *testing.T) {
	for _, c := range []struct {
		name     string
		text     []string
		want     ledger.Counts
		messages int64
	}{
		{"events", []string{
			meta(""), line("turn_context", `"turn_id":"t1","model":"m"`), userItem("<environment_context>x</environment_context>"), userEvent("Plan it"), userItem("Plan it"),
			item(`"type":"reasoning","summary":[]`), callLine("c", "shell", "{}"), outputLine("c", `"x"`), answerEvent("Here"), answerItem("Here"),
			event(`"type":"token_count","info":null`), event(`"type":"brand_new_event"`), item(`"type":"message","role":"developer","content":[]`), line("mystery", ""), "",
		}, ledger.Counts{Lines: 14, UnknownEvents: 2, MirroredUsers: 1, MirroredResponses: 2, Context: 2, UsageWithoutInfo: 1}, 3},
		{"items", []string{
			meta(""), userItem("# AGENTS.md instructions for /x"), userItem("Do it"), answerItem("done"), item(`"type":"custom_tool_call","name":"exec","input":"run()"`),
			userItem(""), item(`"type":"message","role":"assistant"`),
		}, ledger.Counts{Lines: 7, Empty: 1}, 5},
		{"turn items", []string{
			meta(""), userItem("# AGENTS.md instructions"), userItem("Check it"), shownItem("t", `"type":"UserMessage","content":[{"type":"text","text":"Check it"}]`),
			answerItem("ok"), shownItem("t", `"type":"AgentMessage","content":[{"type":"Text","text":"ok"}]`), shownItem("t", `"type":"HookPrompt","fragments":[]`), shownItem("t", `"type":"New"`),
		}, ledger.Counts{Lines: 8, MirroredUsers: 1, MirroredResponses: 2, Context: 2, UnknownEvents: 1}, 2},
		{"a second item of the user that no event shows", []string{meta(""), userItem("one"), userEvent("one"), userItem("put in"), answerEvent("a")},
			ledger.Counts{Lines: 5, MirroredUsers: 2, MirroredResponses: 2}, 2},
		{"words that look like context", []string{meta(""), userItem("<skill>mine"), userEvent("<skill>mine"), userItem("<skill>put in")},
			ledger.Counts{Lines: 4, MirroredUsers: 1, MirroredResponses: 1, Context: 1}, 1},
		{"both families", []string{meta(""), started("t"), userEvent("one"), shownItem("t", `"type":"UserMessage","content":[{"type":"text","text":"one"}]`)},
			ledger.Counts{Lines: 4, MirroredUsers: 1, MirroredResponses: 1}, 1},
		{"losses", []string{meta(""), "{", "[]", "7", "nothing", "  ", "{}", userEvent("hi"), strings.Repeat("x", 2000)},
			ledger.Counts{Lines: 8, InvalidJSON: 2, UnknownEvents: 3, Oversized: 1}, 1},
		{"a rollback", []string{meta(""), started("a"), userItem("one"), userEvent("one"), callLine("c", "x", "{}"), outputLine("c", `"1"`), answerEvent("A"), answerItem("A"), completed("a"),
			event(`"type":"thread_rolled_back","num_turns":1`), started("b"), userEvent("two")},
			ledger.Counts{Lines: 12, MirroredUsers: 1, MirroredResponses: 2, RolledBack: 3}, 1},
		{"counters", []string{
			meta(""), count("9", "1", "2", "1", "11"), count("9", "10", "2", "1", "11"), count("9", "1", "2", "3", "11"), count("9", "1", "2", "1", "null"), count("9", "1", "2.5", "1", "11"),
			count("9", "1", "true", "1", "11"), count("9007199254740992", "1", "2", "1", "11"), count("-1", "-1", "2", "1", "11"), count("9", `"1"`, "2", "1", "11"), count("9", "null", "2", "null", "11"),
			line("token_usage_record", `"response_id":"r","usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}`), line("token_usage_record", `"usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}`),
			line("token_usage_record", `"response_id":"`+strings.Repeat("r", 201)+`","usage":{"input_tokens":1,"output_tokens":2,"total_tokens":3}`), line("token_usage_record", `"response_id":"r"`),
			event(`"type":"token_count"`), event(`"type":"token_count","info":7`),
		}, ledger.Counts{Lines: 17, InvalidUsage: 12, UsageWithoutInfo: 1}, 0},
	} {
		l, id := lines(t, c.text...)
		r, _, _ := reading(t, l, id, ReadOptions{Line: 1000})
		if len(r.Files) != 1 || r.Files[0].Counts != c.want || r.Files[0].Messages != c.messages || inPlaces(&r.Files[0]) != c.want.Lines {
			t.Errorf("%s: %+v\nwant %d messages, %+v", c.name, r.Files, c.messages, c.want)
		}
	}
}

// count is a token_count of those totals.
func count(input, cached, output, reasoning, total string) string {
	return event(`"type":"token_count","info":{"total_token_usage":{"input_tokens":` + input + `,"cached_input_tokens":` + cached + `,"output_tokens":` + output +
		`,"reasoning_output_tokens":` + reasoning + `,"total_tokens":` + total + `}}`)
}
