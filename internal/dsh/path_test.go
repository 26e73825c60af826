package dsh

import (
	"strings"
	"testing"
)

// TestSegment and TestProjectKey hold P2 and P3 (docs/format/dsh.md).
func TestSegment(t *testing.T) {
	for in, want := range map[string]string{
		"session-1_a.B":    "session-1_a.B",
		".":                "~002E",
		"..":               "~002E~002E",
		"...":              "...",
		"a b":              "a~0020b",
		"译":                "~8BD1",
		"😀":                "~D83D~DE00",
		"~":                "~007E",
		"a/b\\c:d":         "a~002Fb~005Cc~003Ad",
		"\x00\u007f\u00e9": "~0000~007F~00E9",
	} {
		if got := EncodeSegment(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestProjectKey(t *testing.T) {
	for in, want := range map[string]string{
		"/srv/demo":                          "--srv-demo--",
		"/":                                  "--root--",
		"":                                   "--root--",
		"//srv///a:\\b":                      "--srv-a-b--",
		`C:\a b`:                             "--C-a~0020b--",
		"/a-/-b":                             "--a---b--",
		"/-a":                                "--a--",
		"/srv/译":                             "--srv-~8BD1--",
		"/😀":                                 "--~D83D~DE00--",
		"/.":                                 "--.--",
		"/a~":                                "--a~007E--",
		"/" + strings.Repeat("a", 251):       "--" + strings.Repeat("a", 251) + "--",
		"/" + strings.Repeat("a", 252):       "--" + strings.Repeat("a", 251) + "--",
		"/" + strings.Repeat("a", 249) + "译": "--" + strings.Repeat("a", 249) + "~8--",
	} {
		if got := ProjectKey(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestSessionPath(t *testing.T) {
	for want, h := range map[string]Header{
		"--srv-demo--/session-1/session.v3.jsonl.zstd": {ID: "session-1", Cwd: "/srv/demo"},
		"_no-cwd/~002E~002E/session.v3.jsonl.zstd":     {ID: ".."},
	} {
		if got := SessionPath(h); got != want {
			t.Errorf("%+v: %s, want %s", h, got, want)
		}
	}
}
