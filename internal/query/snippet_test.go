package query

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// marked writes a snippet with brackets around what was looked for.
func marked(pieces []Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		if p.Hit {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestSnippets(t *testing.T) {
	hay := strings.Repeat("some hay and more hay ", 40)
	for _, tt := range []struct {
		text, query string
		width       int
		want        string
	}{
		{"", "a", 20, ""},
		{"short", "other", 20, "short"},
		{" The\n\tred  needle\r\n", "needle", 40, "The red [needle]"},
		{"pkg.Func(x)", `"pkg func" func`, 40, "[pkg.Func](x)"},
		{"Le CAFE\u0301 noir", "café -noir", 40, "Le [CAFE\u0301] noir"},
		{"日本語のテスト", "本語", 40, "日[本語]のテスト"},
		{"tests tested", "test*", 40, "[tests] [tested]"},
		{hay + "needle", "needle", 20, "… and more hay [needle]"},
		{"needle " + hay + "red needle " + hay, "needle red", 30, "… hay [red] [needle] some hay and m…"},
		{"red x x x needle " + hay + "red needle " + hay, "needle red", 30, "… hay [red] [needle] some hay and m…"},
		{hay + "needle x x x red " + hay, "needle red", 20, "… [needle] x x x [red] so…"},
		{hay + "internationalisation " + hay, "internationalisation", 12, "…[internationa]…"},
		{hay + "日本語のテスト" + hay, "日本語のテスト", 12, "… [日本語のテスト]some…"},
	} {
		q, err := Parse(tt.query, ParseOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := marked(Snippet(tt.text, q, tt.width)); got != tt.want {
			t.Errorf("%.30q, %s: %q, want %q", tt.text, tt.query, got, tt.want)
		}
	}
}

// TestSnippetProperties: a snippet is short, of whole runes, on one line, and has
// a hit wherever the text alone is what the query looks for.
func TestSnippetProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(genText.Draw(t, "text")+strings.Repeat(" hay\n", rapid.IntRange(0, 60).Draw(t, "hay"))+genText.Draw(t, "more"), "")
		q := &Query{}
		for range rapid.IntRange(1, 3).Draw(t, "terms") {
			if w, err := Parse(genWord.Draw(t, "word"), ParseOptions{}); err == nil {
				q.Terms = append(q.Terms, w.Terms...)
			}
		}
		width := rapid.IntRange(20, 120).Draw(t, "width")
		pieces := Snippet(text, q, width)
		hit, n := false, 0
		for _, p := range pieces {
			hit = hit || p.Hit
			n += utf8.RuneCountInString(p.Text)
			if !utf8.ValidString(p.Text) || strings.ContainsAny(p.Text, "\n\t\r") || p.Text == "" {
				t.Fatalf("piece %q", p.Text)
			}
		}
		if n > width+2 {
			t.Fatalf("%d runes of %d: %q", n, width, marked(pieces))
		}
		found := len(q.Terms) > 0
		for _, term := range q.Terms {
			one := Query{Terms: []Term{term}, Filters: []Filter{{Name: ByKind, Values: []string{"all"}}}}
			found = found && one.Match(&Document{Text: text, Kind: "user"})
		}
		if found && !hit {
			t.Fatalf("no hit of %s in %q", q, marked(pieces))
		}
	})
}
