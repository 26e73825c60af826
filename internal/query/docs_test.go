package query

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestPage holds docs/search.md to the parser: each example of its tables is a
// query, of filters where the table is about filters, and each name and value of a
// filter stands on the page.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/search.md")
	if err != nil {
		t.Fatal(err)
	}
	page := string(text)
	opt := ParseOptions{Since: func(string) (time.Time, error) { return time.Unix(1, 0), nil }, Until: func(string) (time.Time, error) { return time.Unix(2, 0), nil }}
	words, filters, _ := strings.Cut(page, "## Filters")
	row := regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")
	n := 0
	for section, wantFilter := range map[string]bool{words: false, filters: true} {
		for _, m := range row.FindAllStringSubmatch(section, -1) {
			n++
			q, err := Parse(m[1], opt)
			if err != nil {
				t.Errorf("%s: %v", m[1], err)
				continue
			}
			isFilter := len(q.Filters) > 0 || !q.Since.IsZero()
			if isFilter != wantFilter || wantFilter == (len(q.Terms) > 0) {
				t.Errorf("%s is read as %s", m[1], q)
			}
		}
	}
	if n < 15 {
		t.Errorf("only %d examples found", n)
	}
	for _, name := range names {
		if !strings.Contains(page, "`"+name+":") {
			t.Errorf("filter %s is not on the page", name)
		}
		for _, v := range kindsOf(name) {
			if !strings.Contains(page, v) {
				t.Errorf("value %s of %s is not on the page", v, name)
			}
		}
	}
}

func kindsOf(name string) []string { return words[name] }

// TestParse are queries and what they mean.
func TestParse(t *testing.T) {
	opt := ParseOptions{Since: func(s string) (time.Time, error) { return time.Parse(time.DateOnly, s) }, Until: func(s string) (time.Time, error) { return time.Parse(time.DateOnly, s) }}
	for _, tt := range []struct{ text, want string }{
		{"cart total", `"cart" "total"`},
		{`"cart total"`, `"cart total"`},
		{`"cart total`, `"cart total"`},
		{"round*", `"round"*`},
		{`"cart tot"*`, `"cart tot"*`},
		{"-draft", `-"draft"`},
		{"a - b", `"a" "b"`},
		{"pkg.Func", `"pkg func"`},
		{"日本", `"日 本"`},
		{"http://x", `"http x"`},
		{"12:30", `"12 30"`},
		{"role:", `"role"`},
		{"role:User,tool", `role:"user","tool"`},
		{`project:"/srv/my app"`, `project:"/srv/my app"`},
		{`project:"/srv/my app",/srv/b x`, `"x" project:"/srv/my app","/srv/b"`},
		{`project:"/srv/a,b`, `project:"/srv/a,b"`},
		{`tool:,"x" y`, `"y" tool:"x"`},
		{"--no-verify", `"no verify"`},
		{`-"not this" that`, `-"not this" "that"`},
		{"src/* **bold**", `"src" "bold"*`},
		{`"say so."*`, `"say so"`},
		{`a"b c"`, `"a b" "c"`},
		{"-tool:shell x", `"x" -tool:"shell"`},
		{"since:2026-09-01 x", `"x" since:2026-09-01T00:00:00Z`},
		{"since:2026-09-02 since:2026-09-01 until:2026-10-01 until:2026-10-02", "since:2026-09-02T00:00:00Z until:2026-10-01T00:00:00Z"},
		{"a AND b OR (c) NEAR ^d {e}", `"a" "and" "b" "or" "c" "near" "d" "e"`},
		{"role:bogus", "error"},
		{"has:nothing", "error"},
		{"since:yesteryear", "error"},
		{"-since:2026-09-01", "error"},
		{"since:2026-09-01,2026-09-02", "error"},
		{`tool:""`, "error"},
		{"natural:any", "error"},
		{"", "error"},
		{" - * \" ", "error"},
		{strings.Repeat("a ", MaxTerms+1), "error"},
		{strings.Repeat("a", MaxText+1), "error"},
	} {
		got := "error"
		if q, err := Parse(tt.text, opt); err == nil {
			got = q.String()
		}
		if got != tt.want {
			t.Errorf("Parse(%.40q) = %s, want %s", tt.text, got, tt.want)
		}
	}
}

// TestSyntaxError tells where a query is wrong, and what would be right.
func TestSyntaxError(t *testing.T) {
	_, err := Parse("plan -role:user,Bogus x", ParseOptions{})
	var syntax *SyntaxError
	if !errors.As(err, &syntax) {
		t.Fatal(err)
	}
	want := SyntaxError{5, "role", "user,Bogus", "user, assistant, tool, other"}
	if *syntax != want || err.Error() != "role:user,Bogus: want user, assistant, tool, other" {
		t.Errorf("%#v, %v", syntax, err)
	}
	for text, want := range map[string]error{"": ErrEmpty, "-- \" *": ErrEmpty, strings.Repeat("a ", MaxTerms+1): ErrLong, strings.Repeat("a", MaxText+1): ErrLong} {
		if _, err := Parse(text, ParseOptions{}); err != want {
			t.Errorf("Parse(%.40q): %v, want %v", text, err, want)
		}
	}
}
