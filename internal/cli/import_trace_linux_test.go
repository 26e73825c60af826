package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// quoted finds the names in a line of strace.
var quoted = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"`)

// TestImportOpensOnlyWhatIsNeeded proves R2 for import: of a home it opens what
// holds threads and nothing else, no link is followed, everything that is written
// lies in the folder of the store, and nothing is connected to or started.
func TestImportOpensOnlyWhatIsNeeded(t *testing.T) {
	needStrace(t)
	bin := buildProgram(t)
	top := t.TempDir()
	home, data, outside := filepath.Join(top, "home"), filepath.Join(top, "data"), filepath.Join(top, "outside")
	day := filepath.Join(home, "sessions", "2026", "09", "24")
	for _, dir := range []string{day, filepath.Join(home, "archived_sessions"), filepath.Join(home, "logs"), filepath.Join(outside, "deep")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	rollout := `{"timestamp":"2026-09-24T12:00:00Z","type":"session_meta","payload":{"id":"a","cwd":"/p"}}` + "\n" +
		`{"timestamp":"2026-09-24T12:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"hello"}}` + "\n"
	for _, name := range []string{filepath.Join(day, "rollout-a.jsonl"), filepath.Join(outside, "deep", "b.jsonl"), filepath.Join(outside, "c.jsonl"), filepath.Join(home, "logs", "d.jsonl")} {
		writeFile(t, name, rollout)
	}
	writeFile(t, filepath.Join(home, "history.jsonl"), `{"session_id":"a","ts":1790251201,"text":"hello"}`+"\n")
	for _, secret := range []string{"auth.json", ".env", "config.toml", "config.json", ".credentials.json", "credentials.json", ".env.local", "auth.jsonl", "AUTH.JSON"} {
		writeFile(t, filepath.Join(home, secret), "secret")
		if secret != "auth.jsonl" { // that one is no denied name
			writeFile(t, filepath.Join(day, secret), "secret")
		}
	}
	for link, to := range map[string]string{"sessions/link.jsonl": filepath.Join(outside, "c.jsonl"), "sessions/linked": filepath.Join(outside, "deep"),
		"archived_sessions/link.jsonl": filepath.Join(outside, "c.jsonl"), "session_index.jsonl": filepath.Join(outside, "c.jsonl"), "state_5.sqlite": filepath.Join(outside, "c.jsonl")} {
		if err := os.Symlink(to, filepath.Join(home, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	before := treeOf(t, home)
	log := filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command("strace", "-f", "-y", "-s", "4096", "-e", "trace=file,network,process,flock", "-o", log, bin, "import", home, "--db", filepath.Join(data, "rollbook.db"))
	cmd.Dir = outside
	// Links that are left out make the exit code 2.
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() > 2 || !strings.Contains(string(out), "2  messages and tool calls") {
		t.Fatalf("exit code %d: %s", cmd.ProcessState.ExitCode(), out)
	}
	if after := treeOf(t, home); after != before {
		t.Errorf("the home was changed:\n%s\nwas\n%s", after, before)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	mayRead := regexp.MustCompile(`^` + regexp.QuoteMeta(home) + `(/(sessions(/2026(/09(/24(/rollout-a\.jsonl)?)?)?)?|archived_sessions|history\.jsonl)?)?$`)
	read, execs := 0, 0
	for line := range strings.Lines(string(text)) {
		call := traceCall.FindStringSubmatch(line)
		if call == nil {
			continue
		}
		switch {
		case call[1] == "execve":
			execs++
		case call[1] == "connect" || call[1] == "socket" || call[1] == "bind":
			t.Errorf("%s", line)
		case changing[call[1]]:
			for _, name := range quoted.FindAllStringSubmatch(line, -1) {
				if !strings.HasPrefix(name[1], data) {
					t.Errorf("changes something outside of the store: %s", line)
				}
			}
		}
		m := traceOpen.FindStringSubmatch(line)
		if m == nil || strings.Contains(m[4], "= -1") {
			continue
		}
		name := m[3]
		if !filepath.IsAbs(name) {
			base := m[2]
			if m[1] == "AT_FDCWD" || m[1] == "" {
				base = outside
			}
			name = filepath.Join(base, name)
		}
		writes := regexp.MustCompile(`O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND`).MatchString(m[4])
		switch {
		case name == data || strings.HasPrefix(name, data+"/"):
		case writes:
			t.Errorf("opens for writing: %s", line)
		case runtimeFiles.MatchString(name), strings.HasPrefix(name, "/usr/share/zoneinfo/"), name == "/etc/localtime", name == "/dev/urandom":
		case mayRead.MatchString(name):
			read++
		case strings.HasPrefix(name, home):
			t.Errorf("opens %s", name)
		case !strings.HasPrefix(home, name): // folders on the way may be looked through
			t.Errorf("opens %s", name)
		}
	}
	if read < 4 || execs != 1 {
		t.Errorf("%d opened below the home, %d programs started: the trace says too little", read, execs)
	}
}

// treeOf lists a folder with sizes and times.
func treeOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			b.WriteString(name + " " + info.Mode().String() + " " + info.ModTime().String() + "\n")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestImportReadsNoBait: without a path nothing is read, whatever the environment
// names.
func TestImportReadsNoBait(t *testing.T) {
	home := t.TempDir()
	writeFile(t, filepath.Join(home, "history.jsonl"), `{"session_id":"a","ts":1790251201,"text":"hello"}`+"\n")
	data := t.TempDir()
	bin := buildProgram(t)
	cmd := exec.Command(bin, "import")
	cmd.Env = []string{"CODEX_HOME=" + home, "HOME=" + home, "ROLLBOOK_DATA=" + data}
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != 64 {
		t.Errorf("%v: %s", err, out)
	}
	if entries, err := os.ReadDir(data); err != nil || len(entries) > 0 {
		t.Errorf("a store was made: %v %v", entries, err)
	}
}
