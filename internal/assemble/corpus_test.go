package assemble

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"rollbook/internal/corpustest"
	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/transcript"
)

// oracle is what Codex itself shows of a home.
type oracle struct {
	Threads []struct {
		ListedAgain bool `json:"listed_again"`
		ReadError   any  `json:"read_error"`
		List        struct{ ID string }
		Turns       *[]shownTurn
		TurnsList   []shownTurn `json:"turns_list"`
	}
}

type shownTurn struct {
	Items []struct {
		Type    string
		Text    string
		Content json.RawMessage
	}
}

// truth is what was really said and done.
type truth struct {
	Truth []struct {
		During, Role, From string
		Text               json.RawMessage
		CallID             string `json:"call_id"`
		Call, Result       *json.RawMessage
	}
}

// library opens a home as the command line does.
func library(t testing.TB, dir string, report func(diag.Diagnostic)) *Library {
	t.Helper()
	home, err := discover.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { home.Close() })
	if report == nil {
		report = func(diag.Diagnostic) {}
	}
	refs, err := home.Refs(context.Background(), report)
	if err != nil {
		t.Fatal(err)
	}
	titles, err := home.Titles(context.Background(), report)
	if err != nil {
		t.Fatal(err)
	}
	return New(home, refs, titles, report)
}

// events reads all events of a thread.
func events(t testing.TB, l *Library, id string, view transcript.View) (*transcript.Thread, []transcript.Event) {
	t.Helper()
	th, err := l.Thread(context.Background(), id, view)
	if err != nil {
		t.Fatal(err)
	}
	var all []transcript.Event
	for ev, err := range th.Events {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, *ev)
	}
	return th, all
}

func scenarios(t *testing.T) []string {
	homes, err := filepath.Glob(filepath.Join(corpustest.Dir(t), "*", "*", "home"))
	if err != nil || len(homes) < 100 {
		t.Fatalf("corpus: %d homes, %v", len(homes), err)
	}
	return homes
}

// TestCorpus is invariant R3: the active view of every thread is what Codex
// itself shows; and what was said is found, and calls have results, and each
// event leads back to its record (R4).
func TestCorpus(t *testing.T) {
	equal := 0
	for _, home := range scenarios(t) {
		dir := filepath.Dir(home)
		name := filepath.Base(filepath.Dir(dir)) + "/" + filepath.Base(dir)
		t.Run(name, func(t *testing.T) {
			l := library(t, home, nil)
			active := make(map[string][]transcript.Event)
			var physical []transcript.Event
			for _, id := range l.IDs() {
				th, all := events(t, l, id, transcript.Active)
				checkCounts(t, th, all)
				checkPairs(t, all)
				active[id] = all
				th, all = events(t, l, id, transcript.Physical)
				checkCounts(t, th, all)
				checkPairs(t, all)
				physical = append(physical, all...)
			}
			equal += checkShown(t, dir, active)
			files := newFiles(home)
			checkSaid(t, dir, files, physical)
			for _, all := range active {
				files.checkSources(t, all)
			}
			files.checkSources(t, physical)
		})
	}
	if equal < 280 {
		t.Errorf("only %d threads were compared with what Codex shows", equal)
	}
}

// checkShown compares the texts of each thread with those that Codex shows.
func checkShown(t *testing.T, dir string, active map[string][]transcript.Event) (compared int) {
	var o oracle
	if !load(t, filepath.Join(dir, "oracle.json"), &o) {
		return 0
	}
	for _, th := range o.Threads {
		turns := th.TurnsList
		if th.Turns != nil {
			turns = *th.Turns
		}
		want := shownTextsOf(t, turns)
		// The two known exceptions: an empty answer is not shown, and versions
		// up to 0.110 cannot read an archived thread by its id.
		if th.ListedAgain || th.ReadError != nil && len(want) == 0 {
			continue
		}
		var got []string
		for _, ev := range active[th.List.ID] {
			if ev.Kind == transcript.User || ev.Kind == transcript.Assistant && ev.Text != "" {
				got = append(got, ev.Kind.String()+": "+ev.Text)
			}
		}
		compared++
		if !slices.Equal(got, want) {
			t.Errorf("thread %s:\n got %.300q\nwant %.300q", th.List.ID, got, want)
		}
	}
	return compared
}

func shownTextsOf(t *testing.T, turns []shownTurn) (want []string) {
	for _, turn := range turns {
		for _, it := range turn.Items {
			switch {
			case it.Type == "userMessage":
				var parts []struct{ Text string }
				if err := json.Unmarshal(it.Content, &parts); err != nil {
					t.Fatal(err)
				}
				text := ""
				for _, p := range parts {
					text += p.Text
				}
				want = append(want, "user: "+text)
			case it.Type == "agentMessage" && it.Text != "":
				want = append(want, "assistant: "+it.Text)
			}
		}
	}
	return want
}

func load(t *testing.T, name string, v any) bool {
	data, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return false
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return true
}

// checkSaid looks for everything that was said or called, as far as the files
// hold it, in the physical view.
func checkSaid(t *testing.T, dir string, files *files, physical []transcript.Event) {
	var tr truth
	if !load(t, filepath.Join(dir, "truth.json"), &tr) {
		t.Fatal("no truth.json")
	}
	inFile := files.contents(t)
	said := map[string]bool{}
	calls, results := map[string]bool{}, map[string]bool{}
	for _, ev := range physical {
		switch ev.Kind {
		case transcript.User, transcript.Assistant, transcript.Context:
			said[ev.Text] = true
		case transcript.ToolCall:
			calls[ev.CallID] = true
		case transcript.ToolResult:
			results[ev.CallID] = true
		}
	}
	for _, x := range tr.Truth {
		var text string
		switch {
		case x.During == "compaction":
		case x.Role == "user" || x.Role == "assistant":
			if json.Unmarshal(x.Text, &text) == nil && text != "" && inFile[text] && !said[text] {
				t.Errorf("said by %s, in the file, and not exported: %.120q", x.Role, text)
			}
		case x.Call != nil && inFile["call "+x.CallID] && !calls[x.CallID]:
			t.Errorf("call %s is not exported", x.CallID)
		case x.Result != nil && inFile["output "+x.CallID] && !results[x.CallID]:
			t.Errorf("result of %s is not exported", x.CallID)
		}
	}
}

// checkPairs: every call has one result, behind it, and no result is alone.
func checkPairs(t *testing.T, all []transcript.Event) {
	t.Helper()
	open := map[string]int{}
	for i, ev := range all {
		if ev.Seq != i+1 {
			t.Errorf("event %d has the number %d", i+1, ev.Seq)
		}
		switch ev.Kind {
		case transcript.ToolCall:
			if ev.CallID == "" || open[ev.CallID] != 0 {
				t.Errorf("event %d: call %q is open already", ev.Seq, ev.CallID)
			}
			open[ev.CallID]++
		case transcript.ToolResult:
			if open[ev.CallID] != 1 {
				t.Errorf("event %d: a result of %q without its call", ev.Seq, ev.CallID)
			}
			delete(open, ev.CallID)
		}
	}
	for id := range open {
		t.Errorf("call %s has no result", id)
	}
}

// checkCounts compares what the meta counts with the events themselves.
func checkCounts(t *testing.T, th *transcript.Thread, all []transcript.Event) {
	t.Helper()
	got := transcript.Counts{Bytes: th.Counts.Bytes, Files: th.Counts.Files}
	for _, ev := range all {
		switch ev.Kind {
		case transcript.TurnStart:
			got.Turns++
		case transcript.User:
			got.UserMessages++
		case transcript.Assistant:
			got.AssistantMessages++
		case transcript.ToolCall:
			got.ToolCalls++
		}
	}
	if got != th.Counts {
		t.Errorf("thread %s, %s view: the events are %+v, the meta says %+v", th.ID, th.View, got, th.Counts)
	}
}

// files reads the rollouts of a home again, by themselves.
type files struct {
	home string
	text map[string][]byte
}

func newFiles(home string) *files { return &files{home, make(map[string][]byte)} }

func (f *files) read(t testing.TB, rel string) []byte {
	if b, ok := f.text[rel]; ok {
		return b
	}
	b, err := os.ReadFile(filepath.Join(f.home, filepath.FromSlash(rel)))
	if err == nil && strings.HasSuffix(rel, ".zst") {
		var r *zstd.Decoder
		if r, err = zstd.NewReader(bytes.NewReader(b)); err == nil {
			b, err = io.ReadAll(r)
			r.Close()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	f.text[rel] = b
	return b
}

// contents gives the texts of messages and the ids of calls and outputs.
func (f *files) contents(t testing.TB) map[string]bool {
	in := map[string]bool{}
	err := filepath.WalkDir(f.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(d.Name(), "rollout-") || !strings.Contains(path, "sessions") {
			return err
		}
		rel, _ := filepath.Rel(f.home, path)
		for line := range bytes.Lines(f.read(t, filepath.ToSlash(rel))) {
			var rec struct {
				Payload json.RawMessage
			}
			var item struct {
				Type    string
				CallID  string `json:"call_id"`
				Content []struct{ Text string }
			}
			if json.Unmarshal(line, &rec) != nil {
				continue
			}
			if rec.Payload == nil {
				rec.Payload = line
			}
			if json.Unmarshal(rec.Payload, &item) != nil {
				continue
			}
			switch item.Type {
			case "message":
				text := ""
				for _, c := range item.Content {
					text += c.Text
				}
				in[text] = true
			case "function_call", "custom_tool_call", "local_shell_call":
				in["call "+item.CallID] = true
			case "function_call_output", "custom_tool_call_output":
				in["output "+item.CallID] = true
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// checkSources is invariant R4: file, line and offset of each event lead to a
// record that holds its text.
func (f *files) checkSources(t testing.TB, all []transcript.Event) {
	for _, ev := range all {
		if err := f.checkSource(t, &ev); err != nil {
			t.Errorf("event %d, a %s: %s:%d: %v", ev.Seq, ev.Kind, ev.Source.File, ev.Source.Line, err)
		}
	}
}

func (f *files) checkSource(t testing.TB, ev *transcript.Event) error {
	if ev.Source.IsZero() {
		return fmt.Errorf("no source")
	}
	text := f.read(t, ev.Source.File)
	at := int(ev.Source.Offset)
	if at > 0 && text[at-1] != '\n' {
		return fmt.Errorf("no line begins at byte %d", at)
	}
	if n := bytes.Count(text[:at], []byte("\n")) + 1; n != ev.Source.Line {
		return fmt.Errorf("byte %d is in line %d", at, n)
	}
	if ev.Origin == transcript.Synthetic || ev.Kind == transcript.Notice {
		return nil
	}
	line, _, _ := bytes.Cut(text[at:], []byte("\n"))
	var v any
	if err := json.Unmarshal(line, &v); err != nil {
		return err
	}
	var strs []string
	collect(v, &strs)
	have := strings.Join(strs, "")
	id := ev.CallID
	if ev.Tool == "web_search" || strings.Contains(id, "@") {
		id = "" // taken from the record before, or named by its place
	}
	for _, want := range []string{ev.Text, ev.Output, ev.Tool, id} {
		// A tool's own JSON is kept as it stands in the line.
		if want != "" && !holds(strs, have, want) && !renamed[want] && !bytes.Contains(line, []byte(want)) {
			return fmt.Errorf("the record does not hold %.80q", want)
		}
	}
	return nil
}

// renamed are the tools' names that records do not spell.
var renamed = map[string]bool{"exec_command": true, "apply_patch": true, "view_image": true, "web_search": true, "image_generation": true, "local_shell": true}

// holds reports whether a record holds a text: in one string, in neighbouring
// blocks, or within a string that is itself JSON.
func holds(strs []string, all, want string) bool {
	if strings.Contains(all, want) {
		return true
	}
	for _, s := range strs {
		var inner any
		if strings.HasPrefix(s, "{") && json.Unmarshal([]byte(s), &inner) == nil {
			var more []string
			collect(inner, &more)
			if slices.Contains(more, want) {
				return true
			}
		}
	}
	return blocksHold(strs, want)
}

// blocksHold reports whether the text is what some of the strings give when
// they are joined in their order, leaving out those between them.
func blocksHold(strs []string, want string) bool {
	for _, s := range strs {
		if s != "" && strings.HasPrefix(want, s) {
			want = want[len(s):]
		}
	}
	return want == ""
}

func collect(v any, out *[]string) {
	switch v := v.(type) {
	case string:
		*out = append(*out, v)
	case []any:
		for _, x := range v {
			collect(x, out)
		}
	case map[string]any:
		for _, x := range v {
			collect(x, out)
		}
	}
}
