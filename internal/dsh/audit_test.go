package dsh

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"rollbook/internal/confine"
)

// row audits the only session of a home.
func row(t *testing.T, text string) Row {
	t.Helper()
	home := t.TempDir()
	newHome(t, home)
	session(t, home, text)
	for r, err := range Audit(openHome(t, home)) {
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	t.Fatal("no session")
	return Row{}
}

// conversation is a request, a call, its result of so many units, and an answer.
func conversation(units int) []Event {
	return []Event{
		{0, TurnStart{1}}, {0, StepStart{1, 1}}, {0, SystemHead{1, 1, "s"}},
		{0, UserMessage{ID: "u", Content: []Block{Text{strings.Repeat("u", 400)}}}},
		{0, AssistantMessage{1, 1, "a", "p", "m", []Block{Call{"c", "shell", `{"a":1}`}}}},
		{0, ToolCall{1, 1, "c", "shell", `{"a":1}`}},
		{0, &ToolResult{1, 1, "r", "c", 5, []Block{Text{strings.Repeat("é", units)}}, false}},
		{0, &AssistantMessage{1, 1, "b", "p", "m", []Block{Text{"done"}}}},
		{0, StepEnd{1, 1}}, {0, TurnEnd{1, Completed}},
	}
}

// text gives the text of the log of a session.
func textOf(t testing.TB, events []Event) (string, int64) {
	t.Helper()
	var b strings.Builder
	e := encoder{w: &b}
	e.header(exampleHeader)
	var price int64
	for i, ev := range events {
		e.event(i, &ev)
		price += tokens(ev.Data)
	}
	e.flush()
	return b.String(), price
}

// TestPrice holds T1: what the Writer counts and what an audit counts.
func TestPrice(t *testing.T) {
	text, price := textOf(t, conversation(800))
	// 400/4+4+4, then 5/4 and 7/4 rounded up +4+4, 800/4+4+4+4, 4/4+4+4.
	const want = 108 + 12 + 212 + 9
	got := row(t, text)
	if price != want || got.Tokens != want || got.Surface != 5 || got.Records != 11 || got.Frames != 2 || got.Cure != (Cure{}) {
		t.Errorf("written %d, audited %+v, want %d", price, got, want)
	}
	if got.ID != exampleHeader.ID || got.Cwd != exampleHeader.Cwd {
		t.Errorf("%+v", got)
	}
	for _, content := range []Block{
		Text{"a\xff😀é"}, Reasoning{"12345"}, Call{"i", "n", "12345"},
		Image{ID: "i", MediaType: "image/gif", Width: 2, Height: 3, Bytes: 4, Name: "\"n😀", OriginalWidth: 5, OriginalHeight: 6},
	} {
		text, price := textOf(t, []Event{{0, UserMessage{ID: "u", Content: []Block{content}}}, {0, AssistantMessage{ID: "e"}}})
		if got := row(t, text); got.Tokens != price || price < 9 {
			t.Errorf("%+v: written %d, audited %d", content, price, got.Tokens)
		}
	}
}

func TestUTF16Len(t *testing.T) {
	for _, s := range []string{"", "a", "é", "译", "😀", "a\xf0", "\xf0\x9f\x98", "\xff\xfe", "😀😀x"} {
		if got, want := utf16Len(s), len(utf16.Encode([]rune(s))); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

// TestPriceReplaced holds T2: what a replacement shadows counts no more.
func TestPriceReplaced(t *testing.T) {
	text, price := textOf(t, conversation(800))
	replaced := text + `{"type":"user/message","seq":10,"time":0,"data":{"id":"x","role":"user","source":{"kind":"user"},"content":[{"type":"text","text":"12345678"}]},"surfaceOp":{"op":"replace","startSeq":3,"endSeq":6},"sourceEventSeqs":[[3,6]]}` + "\n"
	got := row(t, replaced)
	if want := price - 108 - 12 - 212 + 10; got.Tokens != want || got.Surface != 3 {
		t.Errorf("%+v, want %d", got, want)
	}
	// One that names what is not there shadows nothing.
	odd := row(t, strings.Replace(replaced, `"startSeq":3`, `"startSeq":5`, 1))
	if odd.Tokens != price+10 || odd.Surface != 6 {
		t.Errorf("%+v", odd)
	}
}

// TestAudit: what is too large is told with its cure, and what cannot be priced
// is passed over with the reason.
func TestAudit(t *testing.T) {
	home := t.TempDir()
	newHome(t, home)
	add := func(id string, log []byte) string {
		name := filepath.Join(home, "sessions", "--p--", id, LogName)
		put(t, name, log)
		return name
	}
	small, _ := write(t, exampleHeader, exampleEvents())
	large, _ := write(t, exampleHeader, conversation(4_000_000))
	long := conversation(400)
	long[3].Data = UserMessage{ID: "u", Content: []Block{Text{strings.Repeat("u", 4_000_000)}}}
	talk, _ := write(t, exampleHeader, long)
	name := add("a-small", small)
	add("b-large", large)
	add("c-talk", talk)
	add("d-one", small[:len(frame(t, true, exampleText[:strings.Index(exampleText, "\n")+1]))])
	add("e-torn", append(frames(t, exampleText[:strings.Index(exampleText, "\n")+1], "{\n\n{}\n"), small[:20]...))
	add("f-broken", append(small, 7))
	big := add("g-big", nil)
	if err := os.Truncate(big, maxLog+1); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		if err := os.MkdirAll(filepath.Join(home, "sessions", "--p--", "h-link"), 0o700); err != nil {
			t.Fatal(err)
		}
		for link, to := range map[string]string{
			filepath.Join("--p--", "h-link", LogName): name,
			filepath.Join("--p--", "i-link"):          filepath.Dir(name),
			"--q--":                                   filepath.Dir(filepath.Dir(name)),
		} {
			if err := os.Symlink(to, filepath.Join(home, "sessions", link)); err != nil {
				t.Fatal(err)
			}
		}
	}
	old := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(name, old, old); err != nil {
		t.Fatal(err)
	}
	var got []string
	for r, err := range Audit(openHome(t, home)) {
		id := filepath.Base(filepath.Dir(r.Path))
		switch {
		case errors.Is(err, ErrTooFew), errors.Is(err, ErrTooLarge):
			got = append(got, fmt.Sprintf("%s: %v", id, err))
		case err != nil:
			got = append(got, id+": broken")
		default:
			got = append(got, fmt.Sprintf("%s: %d %d %t %t %d", id, r.Records, r.BadLines, r.Torn, r.Tokens > Oversized, r.Cure.MaxToolOutput))
			if r.Cure.MaxToolOutput > 0 && (r.Cure.Tokens > Oversized || r.Cure.Tokens < int64(r.Cure.MaxToolOutput/4)) {
				t.Errorf("%s: %+v", id, r.Cure)
			}
		}
	}
	want := []string{
		"a-small: 17 0 false false 0",
		"b-large: 11 0 false true 65536",
		"c-talk: 11 0 false true 0",
		"d-one: fewer than two frames",
		"e-torn: 3 1 true false 0",
		"f-broken: broken",
		"g-big: larger than 512 MiB",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if info, err := os.Stat(name); err != nil || !info.ModTime().Equal(old) {
		t.Errorf("%v, %v", info.ModTime(), err)
	}
}

// TestAuditNothing: a root without sessions gives nothing.
func TestAuditNothing(t *testing.T) {
	root, err := confine.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for r, err := range Audit(Root{FS: root, Path: root.Path()}) {
		t.Errorf("%+v, %v", r, err)
	}
}
