package fsx

import (
	"errors"
	"fmt"
	"os"
)

// ErrLocked says that another process, or another Lock of this one, holds the
// lock.
var ErrLocked = errors.New("held by another process")

// A Lock keeps two runs apart that ask for it by the same name. It is advisory,
// belongs to the open file and ends with the process at the latest.
type Lock struct{ f *os.File }

// TryLock takes the lock of the named file without waiting; it returns
// ErrLocked where somebody has it. The file is made if it is missing, with mode
// 0600, and is never removed: who removes it breaks the lock. A link is refused.
func TryLock(name string) (*Lock, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|lockFlags, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock: %w", err)
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err == nil {
		err = lock(f)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return &Lock{f}, nil
}

// Unlock gives the lock up. It must be called once.
func (l *Lock) Unlock() error {
	err := unlock(l.f)
	if cerr := l.f.Close(); err == nil {
		err = cerr
	}
	return err
}
