//go:build !windows

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// On a terminal the control characters of a log are shown escaped, DEL and
// U+0080 to U+009F too, and the JSON stays what it was.
func TestInspectOnTerminal(t *testing.T) {
	log := `{"timestamp":"2026-09-24T12:00:00Z","type":"session_meta","payload":{"id":"s","cwd":"/p` + "\u009b" + `2J"}}` + "\n" +
		`{"timestamp":"2026-09-24T12:00:00Z","type":"x` + "\u009b" + `","payload":{}}` + "\n" +
		`{"timestamp":"2026-09-24T12:00:00Z","type":"compacted","payload":{"message":"a\u001b[2J` + "\x7f\u0085\u009b" + `é"}}` + "\n"
	path := filepath.Join(t.TempDir(), "r.jsonl")
	if err := os.WriteFile(path, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ flags, want string }{
		{"--format json", `"text": "a\u001b[2J\u007f\u0085\u009bé"`},
		{"--format ndjson", `"text":"a\u001b[2J\u007f\u0085\u009bé"`},
		{"--summary --format json", `"/p\u009b2J"`},
		{"--summary", `xU+009B`},
	} {
		s := newScreen(t, 200)
		got := try(t, Env{Stdout: s.tty}, append([]string{"inspect", path, "--color", "never"}, strings.Fields(tt.flags)...))
		text := s.end()
		if got.code != 2 || got.stderr != "" {
			t.Errorf("%s: %+v", tt.flags, got)
		}
		if !strings.Contains(text, tt.want) || strings.ContainsAny(text, "\x1b\x7f\u0085\u009b") {
			t.Errorf("%s: no %s in %q", tt.flags, tt.want, text)
		}
		if strings.HasSuffix(tt.flags, " json") && !jsontext.Value(text).IsValid() {
			t.Errorf("%s: not JSON: %q", tt.flags, text)
		}
	}
	raw := try(t, Env{}, []string{"inspect", path})
	if !strings.Contains(raw.stdout, `"text": "a\u001b[2J`+"\x7f\u0085\u009bé\"") {
		t.Errorf("in a pipe: %q", raw.stdout)
	}
}
