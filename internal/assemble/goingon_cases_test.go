package assemble

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/discover"
)

// What is appended may say something of what stands before the mark: then the
// thread is read whole, and what comes of it is what one reading gives.
func TestNotResumable(t *testing.T) {
	head := func(more ...string) []string {
		return append([]string{meta(""), started("t1"), userItem("one"), userEvent("one"), callLine("c1", "x", "{}"), outputLine("c1", `"1"`), answerEvent("A1"), answerItem("A1"), completed("t1")}, more...)
	}
	second := head(started("t2"), userItem("two"), userEvent("two"), answerEvent("A2"), answerItem("A2"), completed("t2"))
	other := strings.ReplaceAll(meta(""), lineThread, "019cb000-0000-7000-8000-0000000000ff")
	for _, c := range []struct {
		name    string
		before  []string
		after   []string
		resumed bool
	}{
		{"one more turn", second, []string{started("t3"), userItem("three"), userEvent("three"), answerEvent("A3"), answerItem("A3"), completed("t3")}, true},
		{"the open turn goes on", second[:len(second)-2], []string{answerItem("A2"), completed("t2")}, true},
		{"a rollback of the last turn", second, []string{event(`"type":"thread_rolled_back","num_turns":1`)}, true},
		{"a rollback of two", second, []string{event(`"type":"thread_rolled_back","num_turns":2`)}, false},
		{"an output of an earlier call", second, []string{outputLine("c1", `"again"`)}, false},
		{"a completion of an earlier turn", second, []string{shownItem("t1", fmt.Sprintf(command, "c1", "completed", "x", 0))}, false},
		{"a completion that names no turn", second, []string{event(`"type":"exec_command_end","call_id":"c1","exit_code":1`)}, false},
		{"a completion of a new turn", second, []string{started("t3"), shownItem("t3", fmt.Sprintf(command, "c1", "completed", "x", 0))}, true},
		{"the end of an earlier turn", second, []string{event(`"type":"turn_aborted","turn_id":"t1"`)}, false},
		{"an earlier turn once more", second, []string{started("t1"), userEvent("again")}, false},
		{"the same header", second, []string{meta(`,"memory_mode":"x"`)}, true},
		{"another header", second, []string{other}, false},
		{"a header that makes a sub-agent of it", append([]string{strings.Replace(meta(""), `,"source":"cli"`, "", 1)}, second[1:]...), []string{strings.Replace(meta(""), `"source":"cli"`, `"source":{"subagent":"review"}`, 1)}, false},
		{"the first event of a user message", []string{meta(""), userItem("one"), answerItem("A1"), userItem("two"), answerItem("A2")}, []string{userEvent("three")}, false},
		{"items alone", []string{meta(""), userItem("one"), answerItem("A1"), userItem("two"), answerItem("A2")}, []string{userItem("three"), answerItem("A3")}, true},
		{"the first mark of a turn", []string{meta(""), answerItem("A0"), userEvent("one")}, []string{started("t1")}, false},
		{"a web search whose event stands before", head(event(`"type":"web_search_end","call_id":"ws","query":"q","action":{"type":"search","query":"q"}`), started("t2"), userEvent("two")),
			[]string{item(`"type":"web_search_call","action":{"type":"search","query":"q"}`)}, false},
		{"the other family's event of the last message", []string{meta(""), started("t1"), userEvent("one"), answerEvent("A"), completed("t1"), started("t2")},
			[]string{shownItem("t2", `"type":"AgentMessage","content":[{"type":"Text","text":"A"}]`)}, false},
		{"a rollback of a turn that begins with its item", []string{meta(""), userItem("one"), userEvent("one"), answerEvent("A"), userItem("<skill>x"), userEvent("two")},
			[]string{event(`"type":"thread_rolled_back","num_turns":1`)}, false},
		{"an item that still waits for its event", []string{meta(""), userItem("one"), userEvent("one"), answerEvent("A"), userItem("<skill>x"), line("turn_context", `"model":"m"`), userEvent("two")},
			[]string{answerEvent("B")}, true},
		{"a file without a header", []string{userEvent("one"), answerEvent("A"), userEvent("two")}, []string{answerEvent("B")}, true},
		{"an output without an id", second, []string{started("t3"), item(`"type":"function_call_output","output":"1"`)}, true},
		{"the count of a response before the mark", head(line("token_usage_record", `"response_id":"r","usage":{"input_tokens":9,"output_tokens":1,"total_tokens":10}`), started("t2")),
			[]string{event(`"type":"token_count","info":{"total_token_usage":{"input_tokens":9,"output_tokens":1,"total_tokens":10},"last_token_usage":{"input_tokens":9,"output_tokens":1,"total_tokens":10}}`)}, true},
		{"a sub-agent", append([]string{strings.Replace(meta(""), `"source":"cli"`, `"source":{"subagent":"review"}`, 1)}, second[1:]...), []string{started("t3"), answerEvent("A3")}, true},
		{"an answer outside of turns before the mark", []string{meta(""), answerEvent("A0"), userEvent("one"), answerEvent("A1"), userEvent("two")},
			[]string{event(`"type":"thread_rolled_back","num_turns":1`), answerItem("not shown")}, true},
		{"an open turn before the mark", []string{meta(""), userEvent("one"), userEvent("two"), answerEvent("A2")}, []string{event(`"type":"thread_rolled_back","num_turns":1`)}, true},
		{"a header without a folder", []string{strings.Replace(meta(""), `"cwd":"/home/ada/work",`, "", 1), line("turn_context", `"cwd":"/x"`), userEvent("one"), userEvent("two")},
			[]string{line("turn_context", `"cwd":"/y"`)}, true},
		{"a header without a time", append([]string{strings.Replace(meta(""), `"timestamp":"2026-03-02T09:00:00.000Z","cwd"`, `"cwd"`, 1)}, second[1:]...), []string{started("t3")}, true},
		{"a cut line is completed", append(slices.Clone(second), started("t3"), `{"timestamp":"2026-03-02T09:00:05.000Z","type":"event_msg",`),
			[]string{`"payload":{"type":"user_message","message":"three"}}`}, true},
	} {
		whole := []byte(strings.Join(append(slices.Clone(c.before), c.after...), "\n") + "\n")
		first := []byte(strings.Join(c.before, "\n") + "\n")
		if c.name == "a cut line is completed" {
			first = first[:len(first)-1]
			whole = append(append(slices.Clone(first), c.after[0]...), '\n')
		}
		of := checkPieces(t, whole, len(first))
		if of.all != 1 || of.resumed == 1 != c.resumed {
			t.Errorf("%s: went on %v times, want %t", c.name, of, c.resumed)
		}
	}
}

// A mark is of one file as it was: of another one, of one that was rewritten, or
// read with another limit, reading does not go on.
func TestMarkOfAnotherFile(t *testing.T) {
	whole := text(meta(""), started("t1"), userEvent("one"), completed("t1"), started("t2"), userEvent("two"), completed("t2"))
	ref := discover.Ref{Path: "rollout.jsonl", ID: lineThread}
	read := func(text string, refs []discover.Ref, opt ReadOptions) (*Reading, error) {
		return New(memory(text), refs, nil, nil).Read(t.Context(), lineThread, opt)
	}
	r, err := read(whole, []discover.Ref{ref}, ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Mark() != nil {
		t.Error("a mark before the events were read")
	}
	for range r.Thread.Events {
		break
	}
	if r.Mark() != nil {
		t.Error("a mark though the events were not read to their end")
	}
	for range r.Thread.Events {
	}
	mark := r.Mark()
	if mark == nil || mark.Line() != 4 || mark.Events() != 3 || mark.Turns() != 1 || int(mark.Offset()) != strings.Index(whole, started("t2")) {
		t.Fatalf("mark %+v", mark)
	}
	segment, packed, based, double, older := ref, ref, ref, ref, ref
	older.Path, segment.SegmentID = "older.jsonl", "s"
	items := text(meta(""), userItem("one"), answerItem("A"), userItem("two"), answerItem("B"))
	if r, err = read(items, []discover.Ref{segment}, ReadOptions{}); err != nil {
		t.Fatal(err)
	}
	for range r.Thread.Events {
	}
	if _, err := read(items, []discover.Ref{segment}, ReadOptions{From: r.Mark()}); err != nil {
		t.Errorf("items alone: %v", err)
	}
	if _, err := read(items, []discover.Ref{older, segment}, ReadOptions{From: r.Mark()}); !errors.Is(err, ErrNotResumable) {
		t.Errorf("items alone, and another file that may have events: %v", err)
	}
	packed.Compressed, based.Base, double.Path = true, &discover.Base{ThreadID: "x"}, "other.jsonl"
	for _, c := range []struct {
		name string
		text string
		refs []discover.Ref
		opt  ReadOptions
		ok   bool
	}{
		{"the same", whole, []discover.Ref{ref}, ReadOptions{}, true},
		{"it lies elsewhere", whole, []discover.Ref{{Path: "archived.jsonl", ID: lineThread}}, ReadOptions{}, true},
		{"it was cut", whole[:mark.Offset()], []discover.Ref{ref}, ReadOptions{}, false},
		{"it is shorter", whole[:100], []discover.Ref{ref}, ReadOptions{}, false},
		{"the line is another", strings.Replace(whole, `"t2"`, `"t3"`, 1), []discover.Ref{ref}, ReadOptions{}, false},
		{"it lies elsewhere in the file", strings.Replace(whole, `"cli"`, `"cli2"`, 1), []discover.Ref{ref}, ReadOptions{}, false},
		{"no line begins there", whole[:mark.Offset()-1] + " " + whole[mark.Offset():], []discover.Ref{ref}, ReadOptions{}, false},
		{"a segment", whole, []discover.Ref{segment}, ReadOptions{}, false},
		{"compressed", whole, []discover.Ref{packed}, ReadOptions{}, false},
		{"with a base", whole, []discover.Ref{based}, ReadOptions{}, false},
		{"two of them", whole, []discover.Ref{ref, double}, ReadOptions{}, false},
		{"another limit", whole, []discover.Ref{ref}, ReadOptions{Line: 1000}, false},
	} {
		c.opt.From = mark
		if _, err := read(c.text, c.refs, c.opt); errors.Is(err, ErrNotResumable) == c.ok || c.ok && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// The mark is where the next reading can go on: before what the last turns say of
// each other, and before a turn that has no end.
func TestMarkIsUsable(t *testing.T) {
	turn := func(id string, more ...string) []string {
		return append(append([]string{started(id), userEvent("ask " + id)}, more...), answerEvent("A "+id), completed(id))
	}
	join := func(parts ...[]string) (all []string) {
		for _, p := range parts {
			all = append(all, p...)
		}
		return all
	}
	search := []string{shownItem("b", `"type":"WebSearch","id":"ws","query":"q","action":{"type":"search","query":"q"}`), item(`"type":"web_search_call","action":{"type":"search","query":"q"}`)}
	bare := []string{started("b"), userEvent("ask b")}
	for _, c := range []struct {
		name   string
		before []string
		line   int // behind which the mark is
	}{
		{"turns that are complete", join(turn("a"), turn("b"), turn("c")), 9},
		{"a turn without an end", join(turn("a"), bare, turn("c")), 5},
		{"only turns without an end", join(bare, bare), 1},
		{"many turns, one of them without an end", join(bare, turn("c"), turn("d"), turn("e"), turn("f"), turn("g")), 19},
		{"a completion of the turn before", join(turn("a"), turn("b"), turn("c", shownItem("b", fmt.Sprintf(command, "x", "completed", "x", 0)))), 5},
		{"an output of the turn before", join(turn("a"), turn("b", callLine("c", "x", "{}")), turn("c", outputLine("c", `"1"`))), 5},
		{"a search of the turn before", join(turn("a"), turn("b", search[0]), turn("c", search[1])), 5},
		{"a message that the turn before shows too", join(turn("a"), turn("b"), []string{started("c"), shownItem("c", `"type":"AgentMessage","content":[{"type":"Text","text":"A b"}]`)}), 5},
		{"a rollback of two turns", join(turn("a"), turn("b"), turn("c"), []string{event(`"type":"thread_rolled_back","num_turns":2`)}), 1},
		{"a rollback of two turns, and one more", join(turn("a"), turn("b"), turn("c"), []string{event(`"type":"thread_rolled_back","num_turns":2`)}, turn("d")), 14},
	} {
		first := []byte(text(append([]string{meta("")}, c.before...)...))
		l := New(memory(first), []discover.Ref{{Path: "rollout.jsonl", ID: lineThread}}, nil, nil)
		var held stored
		held.take(t, l, lineThread, first)
		if held.mark == nil || held.mark.Line() != c.line {
			t.Errorf("%s: mark %+v, want it behind line %d", c.name, held.mark, c.line)
		}
		whole := append(bytes.Clone(first), text(turn("z")...)...)
		if of := checkPieces(t, whole, len(first)); of.resumed != 1 {
			t.Errorf("%s: went on %v times", c.name, of)
		}
	}
}

// As many turns without an end as are held open, on both sides of the mark.
func TestGoingOnBehindOpenTurns(t *testing.T) {
	for n := maxOpen - 6; n < maxOpen+4; n++ {
		first := []byte(meta("") + "\n")
		for i := range n {
			first = append(first, text(started(fmt.Sprintf("t%03d", i)), userEvent("hi"))...)
		}
		whole := append(bytes.Clone(first), text(started("u1"), userEvent("one"), started("u2"), userEvent("two"), started("u3"), completed("u1"), answerEvent("A"), completed("u2"), answerEvent("B"))...)
		if of := checkPieces(t, whole, len(first)); of.resumed != 1 {
			t.Errorf("%d turns: went on %v times", n, of)
		}
	}
}

// A turn whose item lies within a copied prefix is no place to go on at.
func TestItemWithinPrefix(t *testing.T) {
	other := strings.ReplaceAll(meta(""), lineThread, "019cb000-0000-7000-8000-0000000000ff")
	first := text(meta(""), other, stamped("2026-03-02T09:00:00.050Z", answerItem("A0")), stamped("2026-03-02T09:00:00.100Z", userItem("<skill>x")), userEvent("two"))
	if of := checkPieces(t, []byte(first+text(answerEvent("A"))), len(first)); of.all != 0 {
		t.Errorf("went on %v times", of)
	}
}

// An image of what was read from a mark on can be read again.
func TestImageBehindMark(t *testing.T) {
	first := text(meta(""), started("a"), userEvent("one"), completed("a"), started("b"), userEvent("two"), completed("b"))
	picture := base64.StdEncoding.EncodeToString([]byte("a picture"))
	whole := first + text(started("c"), userEvent("three"), callLine("v", "view", "{}"), outputLine("v", `[{"type":"input_image","image_url":"data:image/png;base64,`+picture+`"}]`), completed("c"))
	var held stored
	ref := discover.Ref{Path: "rollout.jsonl", ID: lineThread}
	held.take(t, New(memory(first), []discover.Ref{ref}, nil, nil), lineThread, []byte(first))
	r, err := New(memory(whole), []discover.Ref{ref}, nil, nil).Read(t.Context(), lineThread, ReadOptions{From: held.mark})
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for ev, err := range r.Thread.Events {
		if err != nil {
			t.Fatal(err)
		}
		for _, img := range ev.Images {
			in, err := img.Open()
			if err != nil {
				t.Fatal(err)
			}
			if got, err := io.ReadAll(in); string(got) != "a picture" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
			seen++
		}
	}
	if seen != 1 {
		t.Errorf("%d images", seen)
	}
}

// A thread whose names are too long for a mark has none.
func TestMarkIsBounded(t *testing.T) {
	for n, want := range map[int]bool{100: true, MaxMark: false} {
		l := New(memory(text(strings.Replace(meta(""), "/home/ada/work", strings.Repeat("/x", n), 1), started("a"), userEvent("one"))), []discover.Ref{{Path: "rollout.jsonl", ID: lineThread}}, nil, nil)
		r, _, _ := reading(t, l, lineThread, ReadOptions{})
		if got := r.Mark() != nil; got != want {
			t.Errorf("a folder of %d bytes: mark %t", 2*n, got)
		}
	}
	if err := new(Mark).UnmarshalBinary(make([]byte, MaxMark+1)); err == nil {
		t.Error("a mark over the limit was read")
	}
}
