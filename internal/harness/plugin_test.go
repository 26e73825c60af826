package harness_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/harness/harnesstest"
)

// The slash command in the real runtime: registered, listed, and run.
func TestPlugin(t *testing.T) {
	in := harnesstest.Install(t)
	home, err := filepath.Abs("../../examples/home")
	if err != nil {
		t.Fatal(err)
	}
	plugin, err := filepath.Abs("../../integrations/dsh/index.mjs")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	rollbook := filepath.Join(dir, "rollbook")
	if out, err := exec.Command("go", "build", "-o", rollbook, "../../cmd/rollbook").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	root := filepath.Join(dir, "dsh", "sessions")
	run(t, "dsh", "convert", "--codex-root", home, "--session", "019f3d88", "--out", root)
	selftest := filepath.Join(dir, "selftest.json")
	wants := map[string]struct{ kind, text string }{
		"/import-codex list --since-hours 900000":                        {"success", "the payment webhook is retried"},
		"/import-codex --session 019f3d88":                               {"success", "invoice numbers must have no gaps"},
		"/import-codex list --project '/no such' --since-hours 1":        {"error", "no thread was active"},
		"/import-codex remove":                                           {"error", "Usage: /import-codex [list|convert|"},
		`/import-codex list "`:                                           {"error", "is not closed"},
		"/import-codex convert --since-hours 900000 --dry-run --limit 1": {"success", "total 1"},
	}
	got := harnesstest.Live(t, in, root, filepath.Dir(root), harnesstest.Plugin{File: plugin, Commands: slices.Collect(maps.Keys(wants)),
		Env: []string{"ROLLBOOK_BIN=" + rollbook, "CODEX_HOME=" + home, "DSH_CODEX_IMPORT_SELFTEST=" + selftest}})
	if len(got) != 1 || got[0].Problem != "" || len(got[0].Commands) != len(wants) {
		t.Fatalf("%+v", got)
	}
	for _, c := range got[0].Commands {
		if want := wants[c.Line]; !slices.Contains(c.Listed, "/import-codex") || c.Kind != want.kind || !strings.Contains(c.Text, want.text) {
			t.Errorf("%+v, want %v", c, want)
		}
	}
	var told struct {
		Registered bool
		Command    string
	}
	text, err := os.ReadFile(selftest)
	if err == nil {
		err = json.Unmarshal(text, &told)
	}
	if err != nil || !told.Registered || told.Command != "import-codex" {
		t.Errorf("selftest: %s, %v", text, err)
	}
}
