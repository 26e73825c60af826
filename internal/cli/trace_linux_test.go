package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// buildProgram builds rollbook as a user gets it.
func buildProgram(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "rollbook")
	build := exec.Command("go", "build", "-o", bin, "rollbook/cmd/rollbook")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return bin
}

// runtimeFiles are what every Go program reads of the system when it starts.
var runtimeFiles = regexp.MustCompile(`^(/sys/kernel/mm/transparent_hugepage/|/proc/self/(cgroup|mountinfo|maps)$|/sys/fs/cgroup/|/dev/null$)`)

var (
	traceOpen = regexp.MustCompile(`\b(?:openat|openat2|open)\((?:(AT_FDCWD|\d+)(?:<([^>]*)>)?, )?"([^"]*)", (\S.*)`)
	traceCall = regexp.MustCompile(`^(?:\[pid +\d+\] |\d+ +)?(\w+)\(`)
)

// changing are the system calls that could change a file or start something.
var changing = map[string]bool{"creat": true, "mkdir": true, "mkdirat": true, "unlink": true, "unlinkat": true, "rmdir": true,
	"rename": true, "renameat": true, "renameat2": true, "link": true, "linkat": true, "symlink": true, "symlinkat": true,
	"chmod": true, "fchmod": true, "fchmodat": true, "chown": true, "fchown": true, "lchown": true, "fchownat": true,
	"truncate": true, "ftruncate": true, "utime": true, "utimes": true, "utimensat": true, "futimesat": true,
	"mknod": true, "mknodat": true, "setxattr": true, "flock": true, "socket": true, "connect": true, "bind": true, "execveat": true}

// needStrace skips a test where strace is missing; where CI is set it fails.
func needStrace(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("strace"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("strace is not installed")
		}
		t.Skip("strace is not installed")
	}
}

// traced runs a command under strace and returns the files that it opened.
// Any call that could change, lock, connect or start something fails the test.
func traced(t *testing.T, dir, bin string, args ...string) (opened []string) {
	t.Helper()
	log := filepath.Join(t.TempDir(), "trace")
	cmd := exec.Command("strace", append([]string{"-f", "-y", "-s", "4096", "-e", "trace=file,network,process,desc", "-o", log, bin}, args...)...)
	cmd.Dir = dir
	var out bytes.Buffer
	cmd.Stdout = &out
	cmd.Stderr = os.Stderr
	cmd.Run() // the exit code is for other tests
	if out.Len() == 0 {
		t.Fatalf("%v printed nothing", args)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	execs := 0
	for line := range strings.Lines(string(text)) {
		call := traceCall.FindStringSubmatch(line)
		if call == nil {
			continue
		}
		if call[1] == "execve" {
			execs++
		}
		if changing[call[1]] {
			t.Errorf("%v: %s", args, line)
		}
		if m := traceOpen.FindStringSubmatch(line); m != nil {
			if regexp.MustCompile(`O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND`).MatchString(m[4]) {
				t.Errorf("%v opens for writing: %s", args, line)
			}
			name := m[3]
			if !filepath.IsAbs(name) {
				base := m[2]
				if m[1] == "AT_FDCWD" || m[1] == "" {
					base = dir
				}
				name = filepath.Join(base, name)
			}
			if !runtimeFiles.MatchString(name) {
				opened = append(opened, name)
			}
		}
	}
	if execs != 1 {
		t.Errorf("%v: %d programs were started", args, execs)
	}
	return opened
}

// TestOpensOnlyWhatWasNamed proves invariant R2 for inspect and sessions: they
// open nothing for writing, nothing outside what was named, no link below a
// root, no secret, no socket, and start no program.
func TestOpensOnlyWhatWasNamed(t *testing.T) {
	needStrace(t)
	bin := buildProgram(t)
	outside := t.TempDir()
	home := filepath.Join(t.TempDir(), "home")
	day := filepath.Join(home, "sessions", "2026", "09", "24")
	for _, dir := range []string{day, filepath.Join(outside, "deep")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	rollout := `{"timestamp":"2026-09-24T12:00:00Z","type":"session_meta","payload":{"id":"a","cwd":"/p"}}` + "\n"
	for _, name := range []string{filepath.Join(day, "a.jsonl"), filepath.Join(outside, "deep", "b.jsonl"), filepath.Join(outside, "c.jsonl")} {
		writeFile(t, name, rollout)
	}
	for _, secret := range []string{"auth.json", ".env", "config.toml", ".credentials.json"} {
		writeFile(t, filepath.Join(home, secret), "secret")
		writeFile(t, filepath.Join(home, "sessions", secret), "secret")
	}
	for link, to := range map[string]string{"link.jsonl": filepath.Join(outside, "c.jsonl"), "linked": filepath.Join(outside, "deep")} {
		if err := os.Symlink(to, filepath.Join(home, "sessions", link)); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(day, "a.jsonl")
	for _, c := range []struct {
		args []string
		may  *regexp.Regexp
	}{
		{[]string{"inspect", file}, regexp.MustCompile(`^` + regexp.QuoteMeta(file) + `$`)},
		{[]string{"inspect", "--format", "ndjson", file}, regexp.MustCompile(`^` + regexp.QuoteMeta(file) + `$`)},
		{[]string{"inspect", "--summary", file}, regexp.MustCompile(`^` + regexp.QuoteMeta(file) + `$`)},
		{[]string{"sessions", "--root", filepath.Join(home, "sessions"), "--project", "/p"},
			regexp.MustCompile(`^` + regexp.QuoteMeta(filepath.Join(home, "sessions")) + `(/2026(/09(/24(/a\.jsonl)?)?)?)?$`)},
	} {
		opened := traced(t, outside, bin, c.args...)
		if len(opened) == 0 {
			t.Errorf("%v: the trace shows no file at all", c.args)
		}
		for _, name := range opened {
			if !c.may.MatchString(name) {
				t.Errorf("%v opened %s", c.args, name)
			}
		}
	}
}
