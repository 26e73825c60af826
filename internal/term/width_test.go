package term

import (
	"testing"

	"pgregory.net/rapid"
)

func TestWidth(t *testing.T) {
	tests := []struct {
		in   string
		want int
	}{
		{"", 0}, {"abc", 3}, {"é", 1}, {"e\u0301", 1}, {"日本", 4}, {"ｱ", 1},
		{"👍", 2}, {"👩‍🚀", 2}, {"🇩🇪", 2}, {"…", 1}, {"한국", 4},
	}
	for _, tt := range tests {
		if got := Width(tt.in); got != tt.want {
			t.Errorf("Width(%q) = %d, want %d", tt.in, got, tt.want)
		}
	}
}

func TestTruncate(t *testing.T) {
	tests := []struct {
		in    string
		width int
		want  string
	}{
		{"abcdef", 6, "abcdef"}, {"abcdef", 5, "abcd…"}, {"abcdef", 1, "…"},
		{"abcdef", 0, ""}, {"abcdef", -1, ""}, {"", 3, ""},
		{"日本語", 6, "日本語"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日…"}, {"日本語", 2, "…"},
		{"e\u0301e\u0301e\u0301", 2, "e\u0301…"}, {"👩‍🚀👩‍🚀", 3, "👩‍🚀…"},
	}
	for _, tt := range tests {
		if got := Truncate(tt.in, tt.width); got != tt.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", tt.in, tt.width, got, tt.want)
		}
	}
}

func TestPad(t *testing.T) {
	if got := Pad("日", 4) + "|" + PadLeft("12", 4) + "|" + Pad("long", 2); got != "日  |  12|long" {
		t.Errorf("got %q", got)
	}
}

func TestTruncateFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Safe(rapid.String().Draw(t, "s"), OneLine)
		width := rapid.IntRange(0, 20).Draw(t, "width")
		got := Truncate(s, width)
		if Width(got) > width {
			t.Errorf("Truncate(%q, %d) = %q takes %d columns", s, width, got, Width(got))
		}
		if Width(s) <= width && width > 0 && got != s {
			t.Errorf("Truncate(%q, %d) = %q, but it fits", s, width, got)
		}
	})
}
