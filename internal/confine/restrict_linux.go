package confine

import (
	"fmt"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// Restrict has the kernel refuse this process, for good, whatever the rules do
// not allow, and every network connection where it can. It asks for what the
// kernel has (Landlock); the report says what that is. A kernel without it is no
// error.
func Restrict(rules Rules) (Report, error) {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil || abi < 1 {
		return Report{Words: fmt.Sprintf("the kernel cannot confine this program (no Landlock: %v); it confines itself", err)}, nil
	}
	var fs []landlock.Rule
	add := func(access landlock.AccessFSSet, paths []string) {
		for _, p := range paths {
			info, err := os.Lstat(p)
			if err != nil || info.Mode()&os.ModeSymlink != 0 { // a link would let in what it leads to
				continue
			}
			if !info.IsDir() {
				access &^= ll.AccessFSReadDir
			}
			fs = append(fs, landlock.PathAccess(access, p))
		}
	}
	add(ll.AccessFSReadDir, rules.List)
	add(ll.AccessFSReadDir|ll.AccessFSReadFile, rules.Read)
	for _, p := range rules.Write {
		if _, err := os.Stat(p); err == nil {
			fs = append(fs, landlock.RWDirs(p))
		}
	}
	if err := landlock.V7.BestEffort().Restrict(fs...); err != nil {
		return Report{Words: "the kernel refused to confine this program: " + err.Error()}, fmt.Errorf("confine: %w", err)
	}
	words := "the kernel refuses this program every other file"
	if abi >= 4 {
		words += ", and every connection"
	}
	return Report{Active: true, Words: words}, nil
}
