//go:build unix

package sessions

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"rollbook/internal/fsx"
	"rollbook/internal/fsx/fsxtest"
)

func TestD9LinksAndSockets(t *testing.T) {
	root := files{"sessions/": "", "elsewhere/a.jsonl": log("a", project)}.write(t)
	under := filepath.Join(root, "sessions")
	must(t, os.Symlink("../elsewhere/a.jsonl", filepath.Join(under, "file.jsonl")))
	must(t, os.Symlink("../elsewhere", filepath.Join(under, "folder")))
	t.Chdir(under) // the name of a socket must be short
	socket, err := net.Listen("unix", "socket.jsonl")
	must(t, err)
	defer socket.Close()
	must(t, os.Symlink("sessions", filepath.Join(root, "link")))
	r := list(t, options(filepath.Join(root, "link")))
	if r.Root != under {
		t.Errorf("root %q, want %q", r.Root, under)
	}
	expect(t, r, 0, nil, []string{"file.jsonl symlink_skipped", "folder symlink_skipped", "socket.jsonl non_regular_file"})
}

// TestNeverOpened: what is no regular file is not opened, whatever its name.
func TestNeverOpened(t *testing.T) {
	root := files{"a.jsonl": log("a", project)}.write(t)
	must(t, syscall.Mkfifo(filepath.Join(root, "fifo.jsonl"), 0o600))
	must(t, syscall.Mkfifo(filepath.Join(root, "fifo.jsonl.zst"), 0o600))
	must(t, syscall.Mkfifo(filepath.Join(root, "fifo"), 0o600))
	must(t, os.Symlink("nowhere", filepath.Join(root, "dangling")))
	must(t, os.Symlink(".", filepath.Join(root, "loop")))
	var counting *fsxtest.Counting
	o := options(root)
	o.Wrap = func(fsys fsx.FS) fsx.FS { counting = fsxtest.NewCounting(fsys); return counting }
	expect(t, list(t, o), 1, []string{"a.jsonl a"}, []string{
		"dangling symlink_skipped", "fifo.jsonl non_regular_file", "fifo.jsonl.zst non_regular_file", "loop symlink_skipped",
	})
	if got := strings.Join(counting.Opened(), " "); got != "a.jsonl" || counting.Calls(fsxtest.OpenDir) != 1 {
		t.Errorf("opened %q and %d folders", got, counting.Calls(fsxtest.OpenDir))
	}

	// One that was a file a moment before is opened, but not waited for.
	root = files{"a.jsonl": log("a", project)}.write(t)
	r := list(t, during(options(root), func(c fsxtest.Call) {
		if c.Op == fsxtest.Open {
			must(t, os.Remove(filepath.Join(root, c.Name)))
			must(t, syscall.Mkfifo(filepath.Join(root, c.Name), 0o600))
		}
	}, nil))
	expect(t, r, 1, nil, []string{"a.jsonl file_unreadable"})
}

func TestD10NotUTF8(t *testing.T) {
	root := files{"good/": "", "sub/": ""}.write(t)
	bad := filepath.Join(root, "bad\xff")
	if err := os.Mkdir(bad, 0o700); err != nil {
		t.Skip(err) // macOS has no such names
	}
	must(t, os.WriteFile(filepath.Join(bad, "a.jsonl"), []byte(log("a", project)), 0o600))
	must(t, os.WriteFile(filepath.Join(root, "sub", "\xff.jsonl"), []byte(log("a", project)), 0o600))
	must(t, os.Symlink("nowhere", filepath.Join(root, "sub", "\xfe")))
	must(t, os.WriteFile(filepath.Join(root, "sub", "\xfd.txt"), nil, 0o600))
	expect(t, list(t, options(root)), 0, nil, []string{
		". non_utf8_path", "sub non_utf8_path", "sub non_utf8_path", "sub non_utf8_path",
	})

	must(t, os.Symlink(bad, filepath.Join(root, "link")))
	for _, name := range []string{bad, filepath.Join(root, "link")} {
		if _, err := List(t.Context(), options(name)); err == nil || !strings.Contains(err.Error(), "is not UTF-8") {
			t.Errorf("root %q: %v", name, err)
		}
	}
	o := options(root)
	o.Project = "/synthetic/\xff"
	if _, err := List(t.Context(), o); err == nil || !strings.Contains(err.Error(), "is not UTF-8") {
		t.Errorf("project: %v", err)
	}
}

func TestD11NotReadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything") // TestFaults has the same diagnostics
	}
	root := files{"good.jsonl": log("a", project), "file.jsonl": log("b", project), "folder/c.jsonl": log("c", project)}.write(t)
	for _, name := range []string{"file.jsonl", "folder"} {
		path := filepath.Join(root, name)
		must(t, os.Chmod(path, 0))
		t.Cleanup(func() { os.Chmod(path, 0o700) })
	}
	expect(t, list(t, options(root)), 2, []string{"good.jsonl a"}, []string{"file.jsonl file_unreadable", "folder directory_unreadable"})
	if _, err := List(t.Context(), options(filepath.Join(root, "folder"))); err == nil {
		t.Error("a root that cannot be read was listed")
	}
	// Names can be read here, but not what they are.
	must(t, os.Chmod(filepath.Join(root, "folder"), 0o400))
	expect(t, list(t, options(root)), 2, []string{"good.jsonl a"}, []string{"file.jsonl file_unreadable", "folder/c.jsonl entry_unreadable"})
}

// TestRootBehindLink: ".." in a root is the folder above, wherever a link led.
func TestRootBehindLink(t *testing.T) {
	base := files{"data/project/": "", "data/sessions/a.jsonl": log("a", project)}.write(t)
	must(t, os.Symlink("data/project", filepath.Join(base, "link")))
	t.Chdir(filepath.Join(base, "link"))
	for _, name := range []string{"../sessions", filepath.Join(base, "link") + "/../sessions"} {
		r := list(t, options(name))
		if r.Root != filepath.Join(base, "data", "sessions") {
			t.Errorf("%s: root %q", name, r.Root)
		}
	}
}
