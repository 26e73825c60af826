package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// What a rule of each kind allows. Nothing is ever executed.
const (
	mayList     landlock.AccessFSSet = ll.AccessFSReadDir
	mayRead     landlock.AccessFSSet = ll.AccessFSReadDir | ll.AccessFSReadFile
	mayReadFile landlock.AccessFSSet = ll.AccessFSReadFile
	mayWrite    landlock.AccessFSSet = mayRead | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSMakeDir | ll.AccessFSMakeReg | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile
)

// Restrict has the kernel refuse this process, for good, whatever the rules do
// not allow, and network connections where it can. It asks for all that the
// kernel has (Landlock), which the report tells. A kernel without it is no error.
func Restrict(rules Rules) (Report, error) {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil || abi < 1 {
		return unavailable(absent(err)), nil
	}
	allow, err := allowed(rules)
	if err != nil {
		return unavailable(err.Error()), fmt.Errorf("confine: %w", err)
	}
	err = landlock.V11.BestEffort().Restrict(allow...)
	switch {
	case errors.Is(err, unix.E2BIG): // each container and sandbox around us is one
		return unavailable("the process is confined too many times already"), nil
	case err != nil:
		return unavailable(err.Error()), fmt.Errorf("confine: %w", err)
	}
	return Report{Active: true, Words: inForce(abi)}, nil
}

// absent says why the kernel has no Landlock.
func absent(err error) string {
	switch {
	case errors.Is(err, unix.EOPNOTSUPP):
		return "Landlock is switched off in this kernel"
	case errors.Is(err, unix.ENOSYS), err == nil:
		return "this kernel has no Landlock (Linux 5.13 and later have)"
	}
	return "Landlock: " + err.Error() // a sandbox around us may refuse the question
}

// allowed makes the kernel's rules of ours.
func allowed(rules Rules) (list []landlock.Rule, err error) {
	for _, kind := range []struct {
		paths        []string
		folder, file landlock.AccessFSSet
		look         func(string) (fs.FileInfo, error)
	}{
		{rules.List, mayList, 0, os.Lstat},
		{rules.Read, mayRead, mayReadFile, os.Lstat},
		{rules.Write, mayWrite, 0, os.Stat},
	} {
		for _, path := range kind.paths {
			info, err := kind.look(path)
			var access landlock.AccessFSSet
			switch {
			case errors.Is(err, fs.ErrNotExist):
			case err != nil:
				return nil, err
			case info.IsDir():
				access = kind.folder
			case info.Mode().IsRegular():
				access = kind.file
			}
			if access != 0 {
				list = append(list, landlock.PathAccess(access, path).IgnoreIfMissing())
			}
		}
	}
	return list, nil
}

// since tells in which version of Landlock the kernel began to see to what.
var since = []struct {
	abi  int
	what string
}{
	{3, "cutting files short"},
	{4, "TCP connections"},
	{9, "sockets of other programs"},
	{10, "UDP"},
}

// inForce says what a kernel with that version of Landlock refuses.
func inForce(abi int) string {
	has, lacks := []string{"every other file"}, []string(nil)
	for _, s := range since {
		if abi >= s.abi {
			has = append(has, s.what)
		} else {
			lacks = append(lacks, s.what)
		}
	}
	words := "the kernel refuses this program " + strings.Join(has, ", ")
	if len(lacks) > 0 {
		words += "; it is too old to refuse " + strings.Join(lacks, ", ")
	}
	return words + fmt.Sprintf(" (Landlock %d)", abi)
}
