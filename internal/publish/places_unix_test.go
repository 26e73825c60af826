//go:build unix

package publish

import (
	"net"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func init() {
	obstacles["FIFO"] = func(t *testing.T, name string) { must(t, unix.Mkfifo(name, 0o600)) }
	obstacles["socket"] = func(t *testing.T, name string) {
		t.Chdir(filepath.Dir(name)) // the name of a socket is short
		l, err := net.Listen("unix", filepath.Base(name))
		must(t, err)
		t.Cleanup(func() { l.Close() })
	}
}
