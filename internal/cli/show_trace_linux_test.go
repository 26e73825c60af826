package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/rolltest"
)

// TestShowOpens proves R2 for show: of a home it opens folders, its lists and
// rollouts, changes nothing, and starts no pager where no terminal is.
func TestShowOpens(t *testing.T) {
	needStrace(t)
	bin := buildProgram(t)
	home := rolltest.NewHome(1)
	r := home.New(rolltest.V171, rolltest.Meta{})
	for range 30 {
		r.Turn("one").Shell("ls", "a\n", 0).Assistant("yes").TurnComplete()
	}
	for _, secret := range []string{"auth.json", "config.toml", ".env", "sessions/auth.json", "sessions/credentials.jsonl"} {
		home.Add(secret, []byte("secret"))
	}
	dir := home.Temp(t)
	t.Setenv("PAGER", "cat")
	for _, args := range [][]string{
		{"show", dir, "--thread", r.ID}, {"show", r.ID, "--home", dir, "--format", "md"}, {"show", filepath.Join(dir, filepath.FromSlash(r.Path())) + "#2-3"},
	} {
		for _, name := range traced(t, t.TempDir(), bin, args...) {
			rel, below := strings.CutPrefix(name, dir)
			base := filepath.Base(name)
			switch {
			case below && (strings.HasPrefix(base, "rollout-") || rel == "" || rel == "/session_index.jsonl" || rel == "/history.jsonl"):
			case below && strings.HasPrefix(rel, "/sessions") && filepath.Ext(base) == "":
			case base == "zoneinfo" || strings.Contains(name, "/zoneinfo/") || name == "/etc/localtime":
			default:
				t.Errorf("%v opened %s", args, name)
			}
		}
	}
}
