package fsxtest

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"rollbook/internal/fsx"
)

// ErrInjected is the cause of the error that a Failing file system gives.
var ErrInjected = errors.New("injected fault")

// Failing is a file system whose n-th call fails with ErrInjected; the call has
// no effect, but Write writes half and Close closes. A test runs for n = 1, 2, …
// until Failed reports that no fault was hit: then every call was failed once.
type Failing struct {
	tap
	mu     sync.Mutex
	left   int
	failed *Call
}

// NewFailing fails the n-th call, from 1.
func NewFailing(fsys fsx.FS, n int) *Failing {
	f := &Failing{left: n}
	f.tap.fsys, f.tap.before = fsys, f.count
	return f
}

func (f *Failing) count(c Call) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.left--; f.left != 0 {
		return nil
	}
	f.failed = &c
	return &fs.PathError{Op: string(c.Op), Path: c.Name, Err: ErrInjected}
}

// Failed returns the call that failed, and whether there was one.
func (f *Failing) Failed() (Call, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed == nil {
		return Call{}, false
	}
	return *f.failed, true
}

// Counting is a file system that counts. A count is by the name that was given,
// as it was written.
type Counting struct {
	tap
	mu    sync.Mutex
	calls map[Op]int
	opens map[string]int
	bytes map[string]int64
}

// NewCounting starts at zero.
func NewCounting(fsys fsx.FS) *Counting {
	c := &Counting{calls: make(map[Op]int), opens: make(map[string]int), bytes: make(map[string]int64)}
	c.tap.fsys, c.tap.before, c.tap.after = fsys, c.called, c.done
	return c
}

func (c *Counting) called(call Call) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[call.Op]++
	if call.Op == Open {
		c.opens[call.Name]++
	}
	return nil
}

func (c *Counting) done(call Call, n int) {
	if call.Op == Read || call.Op == ReadAt {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bytes[call.Name] += int64(n)
	}
}

// Calls returns how many calls of a kind there were, with whatever name.
func (c *Counting) Calls(op Op) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.calls[op]
}

// Opens returns how often Open was asked for the file, with or without success.
func (c *Counting) Opens(name string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.opens[name]
}

// Opened returns the names that Open was asked for, sorted.
func (c *Counting) Opened() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.opens))
}

// Bytes returns how many bytes of the file were read.
func (c *Counting) Bytes(name string) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes[name]
}

// Total returns how many bytes of all files were read.
func (c *Counting) Total() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := int64(0)
	for _, b := range c.bytes {
		n += b
	}
	return n
}

// Mutating is a file system that runs a test's code around each call, so that a
// file can grow, shrink or be touched between two of them.
type Mutating struct{ tap }

// NewMutating calls before and after around each call; either may be nil. A
// call that failed has its after too.
func NewMutating(fsys fsx.FS, before, after func(Call)) *Mutating {
	m := &Mutating{}
	m.tap.fsys = fsys
	if before != nil {
		m.tap.before = func(c Call) error { before(c); return nil }
	}
	if after != nil {
		m.tap.after = func(c Call, _ int) { after(c) }
	}
	return m
}
