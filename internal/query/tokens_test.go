package query

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

func TestAppendTokens(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		n          int
	}{
		{"", "", 0},
		{"Fix the bug.", "fix the bug ", 3},
		{"foo_bar pkg.Func /srv/x-y", "foo bar pkg func srv x y ", 7},
		{"Café café CAFÉ", "cafe cafe cafe ", 3},
		{"日本語 test", "日 本 語 test ", 4},
		{"한국어", "한 국 어 ", 3},
		{"ok 👍🏽 go", "ok 👍 go ", 3},
		{"Straße ΣΊΣΥΦΟΣ σίσυφος", "straße σισυφοσ σισυφοσ ", 3},
		{"ｆｏｏ１２", "foo12 ", 1},
		{"cafe\u0301 \u0301 e\u0301\u0301x", "cafe ex ", 2},
		{"Ёлка ёлка й", "елка елка и ", 3},
		{"कि ไทย ກຂ ខ្មែរ", "कि ไ ท ย ກ ຂ ខ ម រ ", 9},
		{"İı ﬁn ½ x² K ſ", "ii fin 12 x2 k s ", 6},
		{strings.Repeat("aB", 40) + " b", strings.Repeat("ab", 32) + " b ", 2},
		{strings.Repeat("a", 63) + "éßb c", strings.Repeat("a", 63) + "e c ", 2},
		{strings.Repeat("a", 63) + "ßb c", strings.Repeat("a", 63) + " c ", 2},
		{"AᎠ ꜲB ꓐꓑ", "aꭰ ꜳb ꓐꓑ ", 3},
		{"\ufe7a a\ufe7ab", "ab ", 1},
		{"a\x00b\u200dc\u2028d\u00a0e", "a b c d e ", 5},
		{"a\ue000b\xffc", "a b c ", 3},
	} {
		got, n := AppendTokens(nil, tt.text)
		if string(got) != tt.want || n != tt.n {
			t.Errorf("AppendTokens(%q) = %q, %d, want %q, %d", tt.text, got, n, tt.want, tt.n)
		}
	}
}

// genChars draws texts of all sorts of runes: letters of every script, marks,
// symbols, controls, private use, and bytes that are no UTF-8.
var genChars = rapid.Custom(func(t *rapid.T) string {
	part := rapid.OneOf(
		rapid.String(),
		rapid.StringMatching(`[a-zA-Z0-9_./ -]{0,80}`),
		rapid.StringOf(rapid.RuneFrom([]rune("aÀé\u0301ßΣςЁй日本한글のไท\u0e31កि\u093f\u200d\ufe0f👍ＡｂﬁİıſK\ue000\x00 "))),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 8), func(b []byte) string { return string(b) }),
		rapid.Map(rapid.Int32Range(0x80, 0x323af), func(r int32) string { return string(r) }),
	)
	return strings.Join(rapid.SliceOfN(part, 0, 6).Draw(t, "parts"), "")
})

func TestTokensProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkTokens(t, genChars.Draw(t, "text")) })
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{"foo_bar pkg.Func", "cafe\u0301 ΣΑΣ", "日本語👍", "a\ue000b\xffc", strings.Repeat("aß", 40)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) { checkTokens(t, text) })
}

// checkTokens: the two ways to cut agree, tokens lie where they are said to, are
// short, whole, and their own tokens.
func checkTokens(t interface{ Fatalf(string, ...any) }, text string) {
	got, n := AppendTokens([]byte("x"), text)
	want, end := "x", 0
	for c := (Cursor{Text: text}); c.Next(); n-- {
		want += string(c.Token) + " "
		if c.Start < end || c.End <= c.Start || c.End > len(text) {
			t.Fatalf("token %q at %d to %d, after %d", c.Token, c.Start, c.End, end)
		}
		end = c.End
		if len(c.Token) > maxToken || !utf8.Valid(c.Token) {
			t.Fatalf("token %q", c.Token)
		}
		if part, n := AppendTokens(nil, text[c.Start:c.End]); n != 1 || string(part) != string(c.Token)+" " {
			t.Fatalf("%q at %d to %d alone is cut into %q", c.Token, c.Start, c.End, part)
		}
	}
	if string(got) != want || n != 0 {
		t.Fatalf("appended %q, gone over %q, %d of a difference", got, want, n)
	}
	if again, _ := AppendTokens(nil, want[1:]); string(again) != want[1:] {
		t.Fatalf("tokens %q are cut into %q", want[1:], again)
	}
}

// TestEveryRune: the tokens that any rune is part of are their own tokens.
func TestEveryRune(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		once, _ := AppendTokens(nil, "a"+string(r)+"b "+string(r))
		if twice, _ := AppendTokens(nil, string(once)); string(twice) != string(once) {
			t.Errorf("%U: %q is cut into %q", r, once, twice)
		}
	}
}

// TestFTSCutsTheSame: FTS5 sees exactly the tokens, in their places.
func TestFTSCutsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, err := sqlite.OpenConn(":memory:")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		tokens, _ := AppendTokens(nil, genChars.Draw(t, "text"))
		err = sqlitex.ExecuteScript(c, `CREATE VIRTUAL TABLE f USING fts5(text, content='', contentless_delete=1, tokenize='ascii');
			CREATE VIRTUAL TABLE v USING fts5vocab('f', 'instance')`, nil)
		if err == nil {
			err = sqlitex.Execute(c, "INSERT INTO f(rowid, text) VALUES(1, ?)", &sqlitex.ExecOptions{Args: []any{string(tokens)}})
		}
		var got strings.Builder
		if err == nil {
			err = sqlitex.Execute(c, "SELECT term FROM v ORDER BY offset", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
				got.WriteString(s.ColumnText(0) + " ")
				return nil
			}})
		}
		if err != nil || got.String() != string(tokens) {
			t.Fatalf("FTS5 cuts %q into %q, %v", tokens, got.String(), err)
		}
	})
}
