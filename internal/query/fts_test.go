package query

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// A corpus is documents in a real FTS5 table, with the tables of names that a
// store has.
type corpus struct {
	c       *sqlite.Conn
	docs    []Document
	names   map[string][]string // of a sort: a name's place is its number
	orphans []int64
}

func newCorpus(t testing.TB) *corpus {
	c, err := sqlite.OpenConn(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := sqlitex.ExecuteTransient(c, "CREATE VIRTUAL TABLE f USING fts5(text, content='', contentless_delete=1, tokenize='ascii')", nil); err != nil {
		t.Fatal(err)
	}
	return &corpus{c: c, names: map[string][]string{}}
}

func (k *corpus) id(sort, name string) int64 {
	i := slices.Index(k.names[sort], name)
	if i < 0 {
		i = len(k.names[sort])
		k.names[sort] = append(k.names[sort], name)
	}
	return int64(i + 1)
}

func (k *corpus) add(t testing.TB, d Document) {
	tokens, _ := AppendTokens(nil, d.Text)
	text := []string{MetaAll.Token(""), MetaKind.Token(d.Kind), MetaRole.Token(d.Role), MetaThread.ID(k.id("thread", d.Thread)), MetaSource.ID(k.id("file", d.File))}
	if d.Tool != "" {
		text = append(text, MetaTool.ID(k.id("tool", d.Tool)))
	}
	if d.Project != "" {
		text = append(text, MetaProject.ID(k.id("project", d.Project)))
	}
	for flag, on := range map[string]bool{"image": d.Image, "change": d.Change, "error": d.Error, "natural": d.Natural, "inherited": d.Inherited} {
		if on {
			text = append(text, MetaFlag.Token(flag))
		}
	}
	if d.Orphan {
		k.orphans = append(k.orphans, k.id("thread", d.Thread))
	}
	all := strings.Join(text, " ") + " " + string(tokens) + string(AppendMarkers(nil, tokens))
	k.docs = append(k.docs, d)
	if err := sqlitex.Execute(k.c, "INSERT INTO f(rowid, text) VALUES(?, ?)", &sqlitex.ExecOptions{Args: []any{len(k.docs), all}}); err != nil {
		t.Fatal(err)
	}
}

func (k *corpus) find(sort string, fits func(string) bool) (ids []int64, err error) {
	for i, name := range k.names[sort] {
		if fits(name) {
			ids = append(ids, int64(i+1))
		}
	}
	return ids, nil
}

func (k *corpus) ToolIDs(fits func(string) bool) ([]int64, error)    { return k.find("tool", fits) }
func (k *corpus) ProjectIDs(fits func(string) bool) ([]int64, error) { return k.find("project", fits) }
func (k *corpus) ThreadIDs(fits func(string) bool) ([]int64, error)  { return k.find("thread", fits) }
func (k *corpus) SourceIDs(fits func(string) bool) ([]int64, error)  { return k.find("file", fits) }
func (k *corpus) Orphans() ([]int64, error)                          { return k.orphans, nil }

// asked gives the documents that FTS5 finds, by the tables that a store has: the
// expression for a table is asked for documents of its kinds alone.
func (k *corpus) asked(t testing.TB, q *Query) (found []int) {
	messages := kinds["message"]
	for _, table := range [][]string{messages, {"tool_result", "reasoning", "notice", "compaction", "context"}} {
		for _, i := range k.askedAmong(t, q, table) {
			if slices.Contains(table, k.docs[i-1].Kind) {
				found = append(found, i)
			}
		}
	}
	slices.Sort(found)
	if whole := k.askedAmong(t, q, kinds["all"]); !slices.Equal(whole, found) {
		t.Errorf("%s: in one table %v, in two %v", q, whole, found)
	}
	return found
}

func (k *corpus) askedAmong(t testing.TB, q *Query, among []string) (found []int) {
	expr, never, err := q.FTS(k, among)
	if err != nil {
		t.Fatal(err)
	}
	if never {
		return nil
	}
	err = sqlitex.Execute(k.c, "SELECT rowid FROM f WHERE f MATCH ? ORDER BY rowid", &sqlitex.ExecOptions{Args: []any{expr}, ResultFunc: func(s *sqlite.Stmt) error {
		found = append(found, s.ColumnInt(0))
		return nil
	}})
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	return found
}

// matched gives the documents that Match takes, times aside.
func (k *corpus) matched(q *Query) (found []int) {
	p := *q
	p.Since, p.Until = time.Time{}, time.Time{}
	for i := range k.docs {
		if p.Match(&k.docs[i]) {
			found = append(found, i+1)
		}
	}
	return found
}

var (
	genWord = rapid.SampledFrom([]string{"plan", "Plan", "test", "tests", "foo_bar", "pkg.Func", "café", "cafe\u0301", "日本語", "本", "/srv/x-y", "👍", "a", "b", "ab", "abc", "ΣΑΣ", "x\ue000y", "-", "NOT", "*"})
	genText = rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(genWord, 0, 12).Draw(t, "words"), rapid.SampledFrom([]string{" ", "\n", ", ", ""}).Draw(t, "between"))
	})
	genDoc = rapid.Custom(func(t *rapid.T) Document {
		d := Document{Text: genText.Draw(t, "text"), Thread: rapid.SampledFrom([]string{"a1", "a2", "a3", "b1"}).Draw(t, "thread"),
			File:    rapid.SampledFrom([]string{"/h/sessions/r-1.jsonl", "/h/x/r-2.jsonl"}).Draw(t, "file"),
			Kind:    rapid.SampledFrom(append([]string{"user", "assistant", "tool_call", "tool_call"}, kinds["all"]...)).Draw(t, "kind"),
			Project: rapid.SampledFrom([]string{"", "/srv/app", "/srv/app/sub", "/srv/apple", `C:\Data\App`}).Draw(t, "project"),
			Image:   rapid.Bool().Draw(t, "image"), Change: rapid.Bool().Draw(t, "change"), Error: rapid.Bool().Draw(t, "error"),
			Natural: rapid.Bool().Draw(t, "natural"), Inherited: rapid.Bool().Draw(t, "inherited")}
		d.Role = map[string]string{"user": "user", "assistant": "assistant", "tool_call": "tool", "tool_result": "tool"}[d.Kind]
		if d.Role == "" {
			d.Role = "other"
		}
		if d.Role == "tool" {
			d.Tool = rapid.SampledFrom([]string{"shell", "mcp.shell", "apply_patch"}).Draw(t, "tool")
		}
		d.Orphan = d.Thread == "b1"
		return d
	})
	genPart = rapid.Custom(func(t *rapid.T) string {
		minus := rapid.SampledFrom([]string{"", "", "", "-"}).Draw(t, "minus")
		switch rapid.IntRange(0, 5).Draw(t, "sort") {
		case 0:
			return minus + `"` + genText.Draw(t, "phrase") + rapid.SampledFrom([]string{`"`, `"*`, ""}).Draw(t, "end")
		case 1:
			return minus + genWord.Draw(t, "word") + "*"
		case 2, 3:
			return minus + genWord.Draw(t, "word")
		}
		return minus + rapid.SampledFrom([]string{"role:user", "role:tool,assistant", "tool:shell", "tool:*patch", "project:/srv/app", "project:app", "project:nowhere",
			"thread:a", "thread:a1,b1", "thread:a,b", "thread:c", "file:r-1.jsonl", "file:*.jsonl", "file:x/r-2.jsonl", "has:image", "has:error,change", "kind:all", "kind:output", "kind:user,notice",
			"natural:yes", "natural:no", "inherited:yes", "inherited:any", "inherited:no", "http://x", `project:"/srv/app"`}).Draw(t, "filter")
	})
	genQuery = rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(genPart, 1, 4).Draw(t, "parts"), " ")
	})
)

// TestFTSMeansMatch: full text and plain matching find the same documents.
func TestFTSMeansMatch(t *testing.T) {
	hits := 0
	rapid.Check(t, func(rt *rapid.T) {
		k := newCorpus(t)
		defer k.c.Close()
		for _, d := range rapid.SliceOfN(genDoc, 1, 12).Draw(rt, "docs") {
			k.add(t, d)
		}
		for range 6 {
			text := genQuery.Draw(rt, "query")
			q, err := Parse(text, ParseOptions{})
			if err == ErrEmpty {
				continue
			}
			if err != nil {
				rt.Fatalf("%s: %v", text, err)
			}
			asked, matched := k.asked(t, q), k.matched(q)
			if !slices.Equal(asked, matched) {
				rt.Fatalf("%q: full text finds %v, matching %v", text, asked, matched)
			}
			hits += len(asked)
			again, err := Parse(q.String(), ParseOptions{})
			if err != nil || !reflect.DeepEqual(again, q) {
				rt.Fatalf("%q is written %q, and read as %v, %v", text, q.String(), again, err)
			}
		}
	})
	if hits < 50 {
		t.Errorf("only %d hits: the test says little", hits)
	}
}

// TestManyNames: a filter may name thousands of threads, folders and files.
func TestManyNames(t *testing.T) {
	k := newCorpus(t)
	const n = 6000
	for i := range n {
		name := fmt.Sprintf("%04x", i)
		k.names["thread"] = append(k.names["thread"], name)
		k.names["project"] = append(k.names["project"], "/srv/"+name)
		k.names["file"] = append(k.names["file"], "/h/"+name)
	}
	k.add(t, Document{Text: "x", Kind: "user", Role: "user", Thread: "0007", Project: "/srv/0007", File: "/h/0007"})
	k.add(t, Document{Text: "x", Kind: "user", Role: "user", Thread: "1001", Project: "/srv/1001", File: "/h/1001"})
	for text, want := range map[string][]int{
		"thread:0": {1}, "-thread:0": {2}, "project:/srv": {1, 2}, "-project:/srv": nil, "file:0*": {1}, "x -file:0* project:/srv thread:0,1": {2},
	} {
		q, err := Parse(text, ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if asked, matched := k.asked(t, q), k.matched(q); !slices.Equal(asked, want) || !slices.Equal(matched, want) {
			t.Errorf("%s: full text finds %v, matching %v, want %v", text, asked, matched, want)
		}
	}
}

// TestTokensAreFTSTokens: FTS5 cuts what AppendTokens makes into the same tokens.
func TestTokensAreFTSTokens(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		k := newCorpus(t)
		defer k.c.Close()
		text := rapid.String().Draw(rt, "text")
		k.add(t, Document{Text: text, Kind: "user", Role: "user", Thread: "a"})
		for c := (Cursor{Text: text}); c.Next(); {
			q := &Query{Terms: []Term{{Tokens: []string{string(c.Token)}}}}
			if len(k.asked(t, q)) != 1 || !q.Match(&k.docs[0]) {
				rt.Fatalf("token %q of %q is not found", c.Token, text)
			}
			if !utf8ok(text[c.Start:c.End]) {
				rt.Fatalf("token %q of %q lies at %d to %d", c.Token, text, c.Start, c.End)
			}
		}
	})
}

func utf8ok(s string) bool { return strings.ToValidUTF8(s, "") == s && s != "" }

// drop takes the last document away.
func (k *corpus) drop(t testing.TB) {
	if err := sqlitex.Execute(k.c, "DELETE FROM f WHERE rowid = ?", &sqlitex.ExecOptions{Args: []any{len(k.docs)}}); err != nil {
		t.Fatal(err)
	}
	k.docs = k.docs[:len(k.docs)-1]
}

// FuzzParse: whatever is typed, its expression runs, finds what plain matching
// takes, and is read again as it is written.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`plan "a b"* -x role:user`, `"`, `-"a`, `a AND (b OR c) NEAR(d) {x}: ^y`, `role:`, `project:"x`, "\x00\xff", `has:nothing`, `-`, `*`,
		`tool:"a,b",c*,-d kind:all`, `thread:a,"b -inherited:yes since:2026-09-01T00:00:00Z`, "some* \"text to\"", "--x **y** 日本*"} {
		f.Add(s, "some text to look in")
	}
	k := newCorpus(f)
	k.add(f, Document{Text: "x", Kind: "user", Role: "user", Thread: "a", Tool: "shell", Project: "/srv/app", File: "/h/r.jsonl"})
	f.Fuzz(func(t *testing.T, text, doc string) {
		q, err := Parse(text, ParseOptions{})
		if err != nil {
			return
		}
		k.add(t, Document{Text: doc, Kind: "user", Role: "user", Thread: "b", File: "/h/r.jsonl"})
		asked, matched := k.asked(t, q), k.matched(q)
		k.drop(t)
		if !slices.Equal(asked, matched) {
			t.Errorf("%s: full text finds %v, matching %v", q, asked, matched)
		}
		if y, z := q.Since.Year(), q.Until.Year(); y > 0 && z > 0 {
			again, err := Parse(q.String(), ParseOptions{})
			if err != nil || !reflect.DeepEqual(again.Terms, q.Terms) || !reflect.DeepEqual(again.Filters, q.Filters) || !again.Since.Equal(q.Since) || !again.Until.Equal(q.Until) {
				t.Errorf("%q is written %s, and read as %v, %v", text, q, again, err)
			}
		}
		n := 0
		for _, p := range Snippet(doc, q, 60) {
			n += len([]rune(p.Text))
		}
		if n > 62 {
			t.Errorf("snippet of %d runes", n)
		}
	})
}
