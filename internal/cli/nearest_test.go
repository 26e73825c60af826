package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	var list []*cobra.Command
	for _, name := range strings.Fields("db do inspect sessions sessions-codex stats") {
		list = append(list, &cobra.Command{Use: name})
	}
	list[2].Aliases = []string{"inspect-codex"}
	list = append(list, &cobra.Command{Use: "secret", Hidden: true})
	tests := []struct{ typed, want string }{
		{"inspekt", "inspect"}, {"INSPECT", "inspect"}, {"inspect", "inspect"}, {"inspct", "inspect"},
		{"sess", "sessions sessions-codex"}, {"sesion", "sessions"}, {"inspect-c", "inspect-codex"},
		{"d", "db do"}, {"status", "stats"}, {"secret", ""}, {"frobnicate", ""}, {"", ""}, {strings.Repeat("d", 1000), ""},
	}
	for _, tt := range tests {
		if got := strings.Join(nearest(tt.typed, list), " "); got != tt.want {
			t.Errorf("nearest(%q) = %q, want %q", tt.typed, got, tt.want)
		}
	}
}

// One more mistake is counted as one more, whichever it is.
func TestMistakes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := []byte(rapid.StringMatching(`[a-z]{1,10}`).Draw(t, "name"))
		at := rapid.IntRange(0, len(name)-1).Draw(t, "at")
		replaced := slices.Clone(name)
		replaced[at] = '#'
		for what, other := range map[string][]byte{
			"replaced": replaced,
			"inserted": slices.Insert(slices.Clone(name), at, '#'),
			"deleted":  slices.Delete(slices.Clone(name), at, at+1),
		} {
			if got := mistakes(string(name), string(other)); got != 1 {
				t.Errorf("%s: mistakes(%q, %q) = %d, want 1", what, name, other, got)
			}
		}
		if got := mistakes(string(name), string(name)); got != 0 {
			t.Errorf("mistakes(%q, itself) = %d", name, got)
		}
	})
}
