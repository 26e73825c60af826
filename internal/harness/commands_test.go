package harness_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rollbook/internal/cli"
	"rollbook/internal/harness"
	"rollbook/internal/harness/harnesstest"
)

// installed runs command lines with the harness installed.
func installed(t *testing.T, in harness.Install, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	t.Setenv("PATH", filepath.Dir(in.Node)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	var out, talk bytes.Buffer
	env := cli.Env{Stdout: &out, Stderr: &talk, Now: time.Now, Getenv: func(name string) string {
		if name == "DSH_CODEX_IMPORT_DSH_ROOT" {
			return strings.Join(in.Roots, string(filepath.ListSeparator))
		}
		return ""
	}}
	code = cli.Run(t.Context(), env, args)
	return out.String(), talk.String(), code
}

// verify --harness names what the harness's own code refuses.
func TestVerifyHarness(t *testing.T) {
	in := harnesstest.Install(t)
	home := t.TempDir()
	want := writeSamples(t, home)
	out, talk, code := installed(t, in, "dsh", "verify", "--harness", "--json", filepath.Join(home, "sessions"))
	var report struct {
		Sessions []struct {
			Path, Harness string
			Pass          bool
			Faults        []struct{ Check string }
		}
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != 1 || len(report.Sessions) != len(want) {
		t.Fatalf("exit code %d, %v, %s", code, err, talk)
	}
	for _, s := range report.Sessions {
		name := filepath.Base(filepath.Dir(s.Path))
		ours := 0 // faults that our own checks found
		for _, f := range s.Faults {
			if !strings.HasPrefix(f.Check, "harness: ") {
				ours++
			}
		}
		sound := want[name] == ""
		if s.Pass != sound || (s.Harness == "passed") != sound || (ours == 0) != sound {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// Images go through the harness's own code where that is installed; a dry run
// gives the same digests, and leaves nothing.
func TestImagesHarness(t *testing.T) {
	in := harnesstest.Install(t)
	codex, err := filepath.Abs("../../examples/home")
	if err != nil {
		t.Fatal(err)
	}
	digests := func(args ...string) (all []string) {
		out, talk, code := installed(t, in, append([]string{"dsh", "sync", "--json", "--codex-root", codex, "--session", "019e1732"}, args...)...)
		var report struct {
			Sessions []struct {
				BodySha256, Outcome   string
				Images, ImagesSkipped int
			}
		}
		if err := json.Unmarshal([]byte(out), &report); err != nil || code != 0 || len(report.Sessions) != 1 {
			t.Fatalf("exit code %d, %v, %s%s", code, err, out, talk)
		}
		for _, s := range report.Sessions {
			if s.Images != 1 || s.ImagesSkipped != 0 || s.Outcome != "installed" {
				t.Errorf("%v: %+v", args, s)
			}
			all = append(all, s.BodySha256)
		}
		return all
	}
	home := filepath.Join(t.TempDir(), "dsh")
	scratch := t.TempDir()
	t.Setenv("TMPDIR", scratch)
	planned := digests("--images", "harness", "--dsh-home", home, "--dry-run")
	if _, err := os.Stat(home); err == nil {
		t.Error("a dry run made the home")
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("a dry run left %v, %v", left, err)
	}
	if done := digests("--dsh-home", home); done[0] != planned[0] { // auto is the harness, as it is there
		t.Errorf("digest %s, planned %s", done[0], planned[0])
	}
	if _, talk, code := installed(t, in, "dsh", "verify", "--harness", filepath.Join(home, "sessions")); code != 0 {
		t.Errorf("verify: exit code %d, %s", code, talk)
	}
	if objects, err := filepath.Glob(filepath.Join(home, "attachments/v1/objects/*/*")); err != nil || len(objects) != 1 {
		t.Errorf("objects: %v, %v", objects, err)
	}
	digests("--images", "own", "--dsh-home", filepath.Join(t.TempDir(), "dsh"))
	in.Roots = in.Roots[:1] // without the store's package
	if _, talk, code := installed(t, in, "dsh", "sync", "--codex-root", codex, "--session", "019e1732", "--images", "harness", "--dsh-home", home+"2"); code != 1 || !strings.Contains(talk, "not installed here: @deepseek-ai/dsh-attachment-local") {
		t.Errorf("exit code %d, %s", code, talk)
	}
}
