package query

import "testing"

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
		{"a\ue000b\xffc", "a b c ", 3},
	} {
		got, n := AppendTokens(nil, tt.text)
		if string(got) != tt.want || n != tt.n {
			t.Errorf("AppendTokens(%q) = %q, %d, want %q, %d", tt.text, got, n, tt.want, tt.n)
		}
	}
}
