package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/rolltest"
)

// TestThreadsOpens proves R2 for threads, and that a second listing opens no
// rollout: it opens folders of the home, its lists and the cache, and changes
// nothing at all.
func TestThreadsOpens(t *testing.T) {
	needStrace(t)
	bin := buildProgram(t)
	home := rolltest.NewHome(1)
	root := home.New(rolltest.V171, rolltest.Meta{})
	root.Turn("one").Assistant("yes").TurnComplete()
	root.Fork(rolltest.All).Turn("two").Assistant("yes").TurnComplete()
	root.Name("A name")
	for _, secret := range []string{"auth.json", "config.toml", ".env", "sessions/auth.json", "sessions/credentials.jsonl"} {
		home.Add(secret, []byte("secret"))
	}
	dir := home.Temp(t)
	t.Setenv("ROLLBOOK_DATA", filepath.Join(t.TempDir(), "data"))
	t.Setenv("CODEX_HOME", "")

	check := func(rollouts bool, args ...string) {
		t.Helper()
		seen := false
		for _, name := range traced(t, t.TempDir(), bin, args...) {
			rel, below := strings.CutPrefix(name, dir)
			base := filepath.Base(name)
			switch {
			case below && strings.HasPrefix(base, "rollout-"):
				seen = true
			case below && (rel == "" || rel == "/session_index.jsonl"):
			case below && strings.HasPrefix(rel, "/sessions") && filepath.Ext(base) == "":
			case filepath.Ext(base) == ".cache" && strings.HasPrefix(name, os.Getenv("ROLLBOOK_DATA")):
			case base == "zoneinfo" || strings.Contains(name, "/zoneinfo/") || name == "/etc/localtime":
			default:
				t.Errorf("%v opened %s", args, name)
			}
		}
		if seen != rollouts {
			t.Errorf("%v opened rollouts: %v, want %v", args, seen, rollouts)
		}
	}
	check(true, "threads", dir, "--no-cache")
	if out, err := exec.Command(bin, "threads", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	check(false, "threads", dir)
	check(false, "threads", dir, "--all", "--json")
}
