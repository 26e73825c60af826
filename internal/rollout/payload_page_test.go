package rollout

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/format/rollout.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// after gives what follows a mark of the page, up to the next blank line.
func after(t *testing.T, page, mark string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page, "<!-- "+mark+" -->\n")
	if !ok {
		t.Fatalf("the page has no mark %q", mark)
	}
	table, _, _ := strings.Cut(rest, "\n\n")
	return table
}

// The tables of the page are the tables of the code (docs/format/rollout.md
// R9).
func TestPageTables(t *testing.T) {
	text := page(t)
	check := func(mark, head string, rows []string) {
		want := head + "\n|---|---|---|\n" + strings.Join(rows, "\n")
		if got := after(t, text, "table: "+mark); got != want {
			t.Errorf("table of %ss: the page says\n%s\nthe code says\n%s", mark, got, want)
		}
	}
	tick := func(s string) string {
		if s == "" {
			return ""
		}
		return "`" + s + "`"
	}
	for f, mark := range []string{"record", "item", "event", "turn item"} {
		var rows []string
		for _, r := range types[f] {
			rows = append(rows, fmt.Sprintf("| %s | %s | %s |", tick(r.name), reflect.TypeOf(r.make()).Elem().Name(), r.treat))
		}
		check(mark, "| type | decoded as | treatment |", rows)
	}
	kinds := map[BlockKind]string{BlockText: "text", BlockImage: "image", BlockAudio: "audio", BlockEncrypted: "encrypted", BlockMention: "mention", BlockResource: "resource"}
	var rows []string
	for _, r := range blockRows {
		rows = append(rows, fmt.Sprintf("| %s | %s | %s |", tick(r.name), kinds[r.kind], r.treat))
	}
	check("block", "| type | kind | treatment |", rows)
	rows = nil
	for _, r := range formRows {
		rows = append(rows, fmt.Sprintf("| %s | %s | %s |", r.where, r.form, r.treat))
	}
	check("form", "| where | form | treatment |", rows)
	for _, v := range schemaVersions {
		if !strings.Contains(text, v) {
			t.Errorf("the page does not name the schema version %s", v)
		}
	}
}

// Every key that a payload is read from is on the page.
func TestPageFields(t *testing.T) {
	_, text, ok := strings.Cut(page(t), "### Fields\n")
	text, _, end := strings.Cut(text, "\n### ")
	if !ok || !end {
		t.Fatal("the page has no section Fields")
	}
	named := map[string]bool{}
	for _, m := range regexp.MustCompile("`([a-zA-Z_.]+)`").FindAllStringSubmatch(text, -1) {
		for part := range strings.SplitSeq(m[1], ".") {
			named[part] = true
		}
	}
	for f := range types {
		for _, r := range types[f] {
			for _, path := range keyPaths(r.typ, reflect.TypeOf(r.make()).Elem()) {
				for part := range strings.FieldsFuncSeq(path, func(c rune) bool { return c == '.' || c == '|' }) {
					if part != "-" && !named[part] && part != "Ok" && part != "Err" && part != "invocation" {
						t.Errorf("%v: the page does not name %s", r.typ, part)
					}
				}
			}
		}
	}
}

// keyPaths gives where the fields of a struct and of the structs in it stand.
func keyPaths(typ RecordType, s reflect.Type) (all []string) {
	for i := range s.NumField() {
		f := s.Field(i)
		name := s.Name() + "." + f.Name
		if f.Type == reflect.TypeFor[base]() || !f.Anonymous && !f.IsExported() {
			continue
		}
		if !f.Anonymous {
			all = append(all, fieldPath(typ, name))
		}
		if f.Type.Kind() == reflect.Struct && !strings.HasPrefix(f.Type.Name(), "Opt[") && f.Type != reflect.TypeFor[Source]() && f.Type != reflect.TypeFor[AgentStatus]() {
			all = append(all, keyPaths(typ, f.Type)...)
		}
	}
	return all
}

// The facts and rules stand on the page once each, by their numbers.
func TestPageNumbers(t *testing.T) {
	text := page(t)
	for form, last := range map[string]int{"\n**F%d** ": 25, "\n* **R%d** ": 9} {
		for n := 1; n <= last; n++ {
			if mark := fmt.Sprintf(form, n); strings.Count(text, mark) != 1 {
				t.Errorf("%q stands %d times on the page", strings.TrimSpace(mark), strings.Count(text, mark))
			}
		}
		if strings.Contains(text, fmt.Sprintf(form, last+1)) {
			t.Errorf("there are more than %d of %q", last, form)
		}
	}
	var heads []string
	for _, m := range regexp.MustCompile(`(?m)^## (.*)$`).FindAllStringSubmatch(text, -1) {
		heads = append(heads, m[1])
	}
	want := []string{"Purpose", "Evidence and versions", "Physical layout", "Records", "Invariants", "Limits and losses", "Worked example", "Changes"}
	if !reflect.DeepEqual(heads, want) {
		t.Errorf("headings %q, want %q", heads, want)
	}
}

// The worked example decodes to what the page says.
func TestPageExample(t *testing.T) {
	block := after(t, page(t), "example")
	block, ok := strings.CutPrefix(block, "```txtar\n")
	block, end := strings.CutSuffix(block, "```")
	if !ok || !end {
		t.Fatal("the example is no fenced txtar block")
	}
	var got, want strings.Builder
	for _, f := range txtar.Parse([]byte(block)).Files {
		if f.Name == "decoded" {
			want.Write(f.Data)
			continue
		}
		for rec, err := range NewReader(strings.NewReader(string(f.Data)), Options{}).Records() {
			if err != nil {
				t.Fatal(err)
			}
			p := Decode(&rec.Envelope, rec.Text)
			fmt.Fprintf(&got, "%s:%d: %v%s\n", f.Name, rec.Line, p.Type(), summary(p))
		}
	}
	if got.String() != want.String() || got.Len() == 0 {
		t.Errorf("decoded:\n%s\nthe page says:\n%s", got.String(), want.String())
	}
}

// summary says in one line what the example shows of a payload.
func summary(p Payload) string {
	if p.Odd() != nil {
		return fmt.Sprintf(": odd %v", p.Odd())
	}
	switch p := p.(type) {
	case *BareHeader:
		return ": " + p.ID
	case *SessionMeta:
		if b := p.HistoryBase; b.OK() {
			return fmt.Sprintf(": %s after %s to ordinal %d, byte %d", p.ID, b.ThreadID, b.End.Value, b.EndByte.Value)
		}
		return ": " + p.ID
	case *Message:
		return fmt.Sprintf(": %s %q", p.Role, p.Content.Text())
	case *UserMessageEvent:
		return fmt.Sprintf(": %q", p.Message.String())
	case *AgentMessageEvent:
		return fmt.Sprintf(": %q", p.Message.String())
	case *ToolCall:
		return fmt.Sprintf(": %s %s %q", p.CallID, p.Name, p.Input())
	case *ToolOutput:
		return fmt.Sprintf(": %s %q", p.CallID, p.Text())
	case *TurnStarted:
		return ": " + p.TurnID
	case *TurnComplete:
		return fmt.Sprintf(": %s %q", p.TurnID, p.LastMessage.String())
	case *ItemCompleted:
		return fmt.Sprintf(": %v%s", p.Item.Type(), summary(p.Item))
	case *UserMessage:
		return fmt.Sprintf(" %s %q", p.ID, p.Content.Text())
	case *AssistantMessage:
		return fmt.Sprintf(" %s %q", p.ID, p.Content.Text())
	case *Unknown:
		return fmt.Sprintf(": %q %s", p.Name, p.Raw)
	}
	return ""
}

// docs/format/sources.md says of every name, and of no other, what it is known
// from.
func TestSourcesPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/format/sources.md")
	if err != nil {
		t.Fatal(err)
	}
	_, names, ok := strings.Cut(string(text), "\n## Names\n")
	if !ok {
		t.Fatal("the page has no section Names")
	}
	var got, want []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|(.*)\\|$").FindAllStringSubmatch(names, -1) {
		got = append(got, m[1])
		if strings.Trim(m[2], " |") == "" {
			t.Errorf("%s is known from nowhere", m[1])
		}
	}
	for f := range types {
		for _, r := range types[f] {
			want = append(want, r.typ.String())
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the page has\n%q\nthe code has\n%q", got, want)
	}
}
