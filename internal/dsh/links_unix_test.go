//go:build unix

package dsh

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestVerifyLinks: what is no regular file below real folders is no session.
func TestVerifyLinks(t *testing.T) {
	home, other := t.TempDir(), t.TempDir()
	newHome(t, home)
	newHome(t, other)
	session(t, other, exampleText)
	sessions, from := filepath.Join(home, "sessions"), filepath.Join(other, "sessions")
	file := filepath.Join(from, filepath.FromSlash(SessionPath(exampleHeader)))
	for _, dir := range []string{"--a--/b", "--c--/d", "--e--"} {
		if err := os.MkdirAll(filepath.Join(sessions, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, err := range []error{
		os.Symlink(file, filepath.Join(sessions, "--a--", "b", LogName)),
		syscall.Mkfifo(filepath.Join(sessions, "--c--", "d", LogName), 0o600),
		os.Symlink(filepath.Dir(file), filepath.Join(sessions, "--e--", "session")),
		os.Symlink(filepath.Dir(filepath.Dir(file)), filepath.Join(sessions, "--srv-demo--")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for v, err := range Verify(openHome(t, home)) {
		t.Errorf("%+v, %v", v, err)
	}
}
