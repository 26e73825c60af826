package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// The test binary tries to open things, instead of testing, where this is set:
// to "free" or "confined", then the home and the store.
const tryVariable = "ROLLBOOK_TEST_TRY"

func TestMain(m *testing.M) {
	if args := os.Getenv(tryVariable); args != "" {
		try(strings.Split(args, "\n"))
		return
	}
	os.Exit(m.Run())
}

// try prints of each thing to do whether it could be done.
func try(args []string) {
	mode, home, store := args[0], args[1], args[2]
	if mode == "confined" {
		r, err := Restrict(Rules{List: []string{home}, Write: []string{store},
			Read: []string{filepath.Join(home, "history.jsonl"), filepath.Join(home, "sessions"), filepath.Join(home, "not-there"), filepath.Join(home, "link")}})
		if err != nil || !r.Active {
			fmt.Println("restrict", r.Words, err)
		}
	}
	say := func(what string, err error) {
		switch {
		case err == nil:
			fmt.Println(what, "done")
		case errors.Is(err, fs.ErrPermission):
			fmt.Println(what, "refused")
		default:
			fmt.Println(what, err)
		}
	}
	read := func(name string) error { _, err := os.ReadFile(name); return err }
	say("auth", read(filepath.Join(home, "auth.json")))
	say("config", read(filepath.Join(home, "config.toml")))
	say("outside", read(filepath.Join(filepath.Dir(home), "outside.txt")))
	say("link", read(filepath.Join(home, "link")))
	say("session", read(filepath.Join(home, "sessions", "a", "r.jsonl")))
	say("history", read(filepath.Join(home, "history.jsonl")))
	_, err := os.ReadDir(home)
	say("list", err)
	say("write-home", os.WriteFile(filepath.Join(home, "sessions", "new"), nil, 0o600))
	say("remove-home", os.Remove(filepath.Join(home, "sessions", "a", "spare")))
	say("write-store", os.WriteFile(filepath.Join(store, "new"), []byte("x"), 0o600))
	say("rename-store", os.Rename(filepath.Join(store, "new"), filepath.Join(store, "newer")))
	c, err := net.Dial("tcp", "127.0.0.1:9")
	if c != nil {
		c.Close()
	}
	if errors.Is(err, fs.ErrPermission) {
		fmt.Println("connect refused by the kernel")
	} else {
		fmt.Println("connect done")
	}
}

// TestRestrict: what the rules do not name is refused by the kernel, and without
// the rules the same can be done: the test says nothing of its own.
func TestRestrict(t *testing.T) {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil || abi < 1 {
		t.Skipf("this kernel has no Landlock: %v", err)
	}
	for mode, want := range map[string]string{
		"free":     "auth done, config done, outside done, link done, session done, history done, list done, write-home done, remove-home done, write-store done, rename-store done, connect done",
		"confined": "auth refused, config refused, outside refused, link refused, session done, history done, list done, write-home refused, remove-home refused, write-store done, rename-store done, connect refused by the kernel",
	} {
		dir := t.TempDir()
		home, store := filepath.Join(dir, "home"), filepath.Join(dir, "store")
		for _, name := range []string{"home/auth.json", "home/config.toml", "outside.txt", "home/sessions/a/r.jsonl", "home/sessions/a/spare", "home/history.jsonl", "store/old"} {
			at := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(at, []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Symlink(filepath.Join(dir, "outside.txt"), filepath.Join(home, "link")); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), tryVariable+"="+strings.Join([]string{mode, home, store}, "\n"))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if abi < 4 {
			want = strings.Replace(want, "connect refused by the kernel", "connect done", 1)
		}
		if got := strings.Join(strings.Split(strings.TrimSpace(string(out)), "\n"), ", "); got != want {
			t.Errorf("%s:\n got %s\nwant %s", mode, got, want)
		}
	}
}

// TestInForce: the report says what each kernel refuses and what it cannot.
func TestInForce(t *testing.T) {
	for abi, want := range map[int]string{
		1:  "the kernel refuses this program every other file; it is too old to refuse cutting files short, TCP connections, sockets of other programs, UDP (Landlock 1)",
		7:  "the kernel refuses this program every other file, cutting files short, TCP connections; it is too old to refuse sockets of other programs, UDP (Landlock 7)",
		11: "the kernel refuses this program every other file, cutting files short, TCP connections, sockets of other programs, UDP (Landlock 11)",
	} {
		if got := inForce(abi); got != want {
			t.Errorf("%d: %s", abi, got)
		}
	}
}

// TestAbsent: where there is no Landlock, the report says why.
func TestAbsent(t *testing.T) {
	for want, err := range map[string]error{
		"switched off": unix.EOPNOTSUPP, "has no Landlock": unix.ENOSYS, "operation not permitted": unix.EPERM,
	} {
		r := unavailable(absent(err))
		if r.Active || !strings.HasPrefix(r.Words, "kernel confinement is not available here: ") || !strings.Contains(r.Words, want) {
			t.Errorf("%v: %+v", err, r)
		}
	}
}
