package assemble

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strings"
	"testing"

	"rollbook/internal/discover"
	"rollbook/internal/fsx"
	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// The tests of this file are sized so that work which grows with the square of
// its input would not end within the time that go test allows.

// Calls of one id are found by their records, however many there are.
func TestManyCallsOfOneID(t *testing.T) {
	const n = 1_000_000
	c, turns := newCalls(), newTurns()
	for i := int32(1); i <= n; i += 2 {
		c.note(callRecord{"same", isCall, i, "", false}, turns)
		c.note(callRecord{"same", isOutput, i + 1, "", false}, turns)
	}
	for i := int32(1); i <= n; i += 2 {
		if a, b := c.find(isCall, i), c.find(isOutput, i+1); a != i/2 || b != a {
			t.Fatalf("record %d: call %d and %d", i, a, b)
		}
	}
	if c.find(isOutput, 1) != -1 || c.find(isCall, n+1) != -1 {
		t.Error("found what is not there")
	}
}

// Calls of one id keep their own results, whichever are missing.
func TestRepeatedCallIDs(t *testing.T) {
	all := []string{meta(""), started("t"), userEvent("hi")}
	var want []string
	for i := range 300 {
		all = append(all, callLine("c", "shell", "{}"))
		want = append(want, "call c shell recorded")
		if i%3 == 0 {
			want = append(want, `result c "no output of this call is recorded" synthetic`)
			continue
		}
		all = append(all, outputLine("c", fmt.Sprintf(`"%d"`, i)))
		want = append(want, fmt.Sprintf(`result c "%d" recorded`, i))
	}
	l, id := lines(t, all...)
	_, got := events(t, l, id, transcript.Active)
	checkPairs(t, got)
	equal(t, "work", work(got), want)
}

// Rollbacks of turns that are gone already are cheap.
func TestManyRollbacks(t *testing.T) {
	const n = 200_000
	p := &pass{survey: &survey{turns: newTurns()}}
	for i := int32(1); i <= n; i++ {
		p.turns.begin("", i, true)
		p.turns.all[i-1].users = 1
	}
	for i := int32(1); i <= n; i++ {
		p.rollBack(n+i, 1<<40)
	}
	for i := range p.turns.all {
		if !p.turns.all[i].hidden {
			t.Fatalf("turn %d is not hidden", i)
		}
	}
}

// An answer may hold any number of plans.
func TestManyPlans(t *testing.T) {
	const n = 300_000
	if got := prose(strings.Repeat("a<proposed_plan>x</proposed_plan>", n) + "b<proposed_plan>c"); got != strings.Repeat("a", n)+"b<proposed_plan>c" {
		t.Errorf("%d bytes", len(got))
	}
	for text, want := range map[string]string{
		"": "", "a": "a", "<proposed_plan>": "<proposed_plan>", "</proposed_plan><proposed_plan>": "</proposed_plan><proposed_plan>",
		"<proposed_plan>x</proposed_plan>": "", "<proposed_plan>x</proposed_plan>a": "a", "a<proposed_plan>x</proposed_plan><oai-mem-citation>": "a",
	} {
		if got := prose(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// An item may hold any number of parts and its event a long text.
func TestManyParts(t *testing.T) {
	const n = 200_000
	parts := make([]part, n)
	for i := range parts {
		parts[i] = part{fmt.Sprintf("<skill>%d", i), injected}
	}
	if mirrors(parts, strings.Repeat("<skill", n), false) {
		t.Error("is a mirror")
	}
}

// A line may hold any number of images that begin alike; each is found again.
func TestManyImages(t *testing.T) {
	const n = 2_000
	var blocks []string
	for i := range n {
		data := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "picture %08d", i))
		blocks = append(blocks, `{"type":"input_image","image_url":"data:image/png;base64,`+data+`"}`)
	}
	l, id := lines(t, meta(""), started("t"), userEvent("hi"), callLine("c", "view", "{}"), outputLine("c", "["+strings.Join(blocks, ",")+"]"))
	_, all := events(t, l, id, transcript.Active)
	images := only(all, transcript.ToolResult)[0].Images
	if len(images) != n {
		t.Fatalf("%d images", len(images))
	}
	for _, i := range []int{0, 1, n / 2, n - 1} {
		in, err := images[i].Open()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(in); string(got) != fmt.Sprintf("picture %08d", i) || err != nil {
			t.Errorf("image %d: %q, %v", i, got, err)
		}
	}
}

// The places of a line's images are found in one walk of it, and those of another
// line, or of an earlier image, too.
func TestPlaces(t *testing.T) {
	const n, size = 200_000, 41
	var all []byte
	for i := range n {
		all = fmt.Appendf(all, `"data:image/png;base64,AAAAAAAA%08d"`+",", i)
	}
	rec := record{Record: &rollout.Record{Text: all}, n: 1}
	var p places
	for i := range n {
		at := i * size
		if got := p.find(rec, all[at:at+size-1]); got != at {
			t.Fatalf("image %d at %d, want %d", i, got, at)
		}
	}
	if got := p.find(rec, all[:size-1]); got != 0 {
		t.Errorf("the first image once more at %d", got)
	}
	if got := p.find(record{Record: &rollout.Record{Text: all[size:]}, n: 2}, all[size:2*size-1]); got != 0 {
		t.Errorf("the first image of the next line at %d", got)
	}
}

// What a thread keeps of each turn does not grow with the length of its id or
// its model's name.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	l, id := lines(t, meta(""), started(long), line("turn_context", `"model":"`+long+`","cwd":"/x"`), userEvent("hi"), answerEvent("a"), completed(long),
		started("u"), userEvent("more"), answerEvent("b"), completed("u"))
	th, all := events(t, l, id, transcript.Active)
	equal(t, "said", said(all), []string{"u: hi", "a: a", "u: more", "a: b"})
	if len(th.Models) != 0 || th.Counts.Turns != 2 || th.State != transcript.Complete {
		t.Errorf("models %d, turns %d, state %s", len(th.Models), th.Counts.Turns, th.State)
	}
	for _, ev := range all {
		if len(ev.TurnID) > maxName || len(ev.Model) > maxName {
			t.Errorf("event %d, a %s: turn id of %d bytes, model of %d", ev.Seq, ev.Kind, len(ev.TurnID), len(ev.Model))
		}
	}
}

// A completion that waits for the output of its call does not hold the output
// that it repeats.
func TestWaitingCompletions(t *testing.T) {
	e := &emitter{view: transcript.Active, sv: &survey{calls: newCalls(), turns: newTurns()}, endings: make(map[int32]*ending)}
	e.sv.calls.note(callRecord{"c", isCall, 1, "", false}, e.sv.turns)
	e.sv.calls.note(callRecord{"c", isEnd, 2, "", false}, e.sv.turns)
	e.sv.calls.note(callRecord{"c", isOutput, 3, "", false}, e.sv.turns)
	code := 3
	e.keepEnding(0, &ending{output: "long", arguments: "long", exit: &code})
	if end := e.endings[0]; end.output != "" || end.arguments != "" || *end.exit != 3 {
		t.Errorf("kept %+v", end)
	}
	e.sv.calls.note(callRecord{"d", isCall, 4, "", false}, e.sv.turns)
	e.keepEnding(1, &ending{output: "the only one"})
	if e.endings[1].output == "" {
		t.Error("an output that stands nowhere else is not kept")
	}
}

// endless is a rollout of any size that is nowhere whole: a head, and then one text
// again and again.
type endless struct {
	head, again string
	times       int
	most        int // bytes that were asked for at once
	heap        uint64
}

func (g *endless) Open(discover.Ref) (fsx.File, error) {
	return &endlessFile{g: g, part: strings.NewReader(g.head), left: g.times}, nil
}

type endlessFile struct {
	g    *endless
	part *strings.Reader
	left int
}

func (f *endlessFile) Read(p []byte) (int, error) {
	f.g.most = max(f.g.most, len(p))
	for f.part.Len() == 0 {
		if f.left == 0 {
			return 0, io.EOF
		}
		if f.left--; f.left%512 == 0 {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			f.g.heap = max(f.g.heap, m.HeapAlloc)
		}
		f.part.Reset(f.g.again)
	}
	return f.part.Read(p)
}

func (f *endlessFile) ReadAt([]byte, int64) (int, error) { return 0, fs.ErrInvalid }
func (f *endlessFile) Stat() (fs.FileInfo, error)        { return nil, fs.ErrInvalid }
func (f *endlessFile) Close() error                      { return nil }

// Cases C44, C46 and F22: a long rollout is read in pieces. 90 MiB of it, with
// pictures in the lines, take a small part of that.
func TestC44NotWhole(t *testing.T) {
	picture := `[{"type":"input_image","image_url":"data:image/png;base64,` + strings.Repeat("AAAA", 8<<10) + `"}]`
	g := &endless{head: text(meta(""), started("t"), userItem("hi"), userEvent("hi")), times: 2048,
		again: text(callLine("c", "view", "{}"), outputLine("c", picture), answerEvent("ok"), answerItem("ok"), item(`"type":"reasoning","summary":[],"encrypted_content":"`+strings.Repeat("x", 12<<10)+`"`))}
	if size := len(g.again) * g.times; size < 85<<20 {
		t.Fatalf("only %d bytes", size)
	}
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	th, err := New(g, []discover.Ref{{Path: "rollout.jsonl", ID: lineThread}}, nil, nil).Thread(t.Context(), lineThread, transcript.Active)
	if err != nil {
		t.Fatal(err)
	}
	results := 0
	for ev, err := range th.Events {
		if err != nil {
			t.Fatal(err)
		}
		if ev.Kind == transcript.ToolResult && len(ev.Images) == 1 && ev.Images[0].Bytes == 24<<10 {
			results++
		}
	}
	if results != g.times || th.Counts.AssistantMessages != g.times {
		t.Errorf("%d pictures, %d answers, want %d", results, th.Counts.AssistantMessages, g.times)
	}
	if g.most > 1<<20 {
		t.Errorf("%d bytes were read at once", g.most)
	}
	if grown := int64(g.heap) - int64(before.HeapAlloc); grown > 40<<20 {
		t.Errorf("the heap grew by %d MiB", grown>>20)
	}
}

// Cases C42, C43: lines of many megabytes are records like others.
func TestC43LongLines(t *testing.T) {
	huge := strings.Repeat("0123456789abcdef", 1<<20)
	l, id := lines(t, meta(""), started("t"), userItem(huge), userEvent(huge), callLine("c", "shell", "{}"), outputLine("c", `"`+huge+`"`), answerEvent("a"), completed("t"))
	th, all := events(t, l, id, transcript.Active)
	if got := said(all); len(got) != 2 || got[0] != "u: "+huge || got[1] != "a: a" {
		t.Errorf("%d messages", len(got))
	}
	if out := only(all, transcript.ToolResult); len(out) != 1 || out[0].Output != huge {
		t.Errorf("%d results", len(out))
	}
	if len(th.Title) > 1000 || th.Losses != 0 {
		t.Errorf("title of %d bytes, %d losses", len(th.Title), th.Losses)
	}
}

// A hundred thousand turns that are never closed are turns; each is ended by the
// next.
func TestManyOpenTurns(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(meta("") + "\n")
	const n = 100_000
	for i := range n {
		fmt.Fprintf(&b, "%s\n%s\n", started(fmt.Sprint("t", i)), userEvent("go"))
	}
	l, _ := inMemory(b.Bytes())
	th, all := events(t, l, lineThread, transcript.Active)
	ends := only(all, transcript.TurnEnd)
	if th.Counts.Turns != n || len(ends) != n || ends[0].Status != "open" || ends[0].TurnID != "t0" || th.State != transcript.Open {
		t.Errorf("%d turns, %d ends, state %s", th.Counts.Turns, len(ends), th.State)
	}
}

// What is nested too deep for JSON as it is read here is a loss of one line.
func TestDeepNesting(t *testing.T) {
	deep := func(n int) string { return outputLine("c", strings.Repeat("[", n)+strings.Repeat("]", n)) }
	l, id := lines(t, meta(""), started("t"), userEvent("hi"), callLine("c", "x", "{}"), deep(1_000_000), deep(1_000), deep(100), answerEvent("a"), completed("t"))
	th, all := events(t, l, id, transcript.Active)
	checkPairs(t, all)
	equal(t, "said", said(all), []string{"u: hi", "a: a"})
	if th.Losses != 2 {
		t.Errorf("%d losses, want 2", th.Losses)
	}
}

// A compaction of tens of megabytes gives its messages one by one in the model
// view, and none in the active one (F20).
func TestLongCompaction(t *testing.T) {
	const n = 50_000
	var history []string
	for i := range n {
		history = append(history, fmt.Sprintf(`{"type":"message","role":"user","content":[{"type":"input_text","text":"%d %s"}]}`, i, strings.Repeat("w", 300)))
	}
	l, id := lines(t, meta(""), started("t"), userEvent("hi"), line("compacted", `"message":"","replacement_history":[`+strings.Join(history, ",")+`]`), event(`"type":"context_compacted"`), answerEvent("a"), completed("t"))
	equal(t, "active", texts(t, l, id), []string{"u: hi", "a: a"})
	_, all := events(t, l, id, transcript.Model)
	if users := only(all, transcript.User); len(users) != n || !strings.HasPrefix(users[n-1].Text, fmt.Sprint(n-1, " www")) {
		t.Errorf("%d messages", len(users))
	}
}

// More completions than are kept for their outputs are sent as they are: none is
// lost, and calls and results stay in balance.
func TestManyWaitingCompletions(t *testing.T) {
	const n = maxEndings + 44
	text := []string{meta(""), started("t"), userEvent("hi")}
	for i := range n {
		text = append(text, callLine(fmt.Sprintf("c%d", i), "exec_command", "{}"))
	}
	for i := range n {
		text = append(text, shownItem("t", fmt.Sprintf(command, fmt.Sprintf("c%d", i), "completed", "x", 3)))
	}
	for i := range n {
		text = append(text, outputLine(fmt.Sprintf("c%d", i), `"out"`))
	}
	l, id := lines(t, text...)
	_, all := events(t, l, id, transcript.Active)
	checkPairs(t, all)
	said := 0
	for _, ev := range all {
		if ev.ExitCode != nil && *ev.ExitCode == 3 {
			said++
		}
	}
	if said != n {
		t.Errorf("%d of %d completions are told", said, n)
	}
}
