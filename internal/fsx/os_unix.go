//go:build unix

package fsx

import (
	"os"
	"syscall"
)

const nonblock = syscall.O_NONBLOCK

func syncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	defer d.Close()
	return sync(d)
}
