//go:build !linux

package confine

import "runtime"

// Restrict does nothing where the kernel has no such thing; the report says so.
func Restrict(Rules) (Report, error) {
	return unavailable("only Linux has it, not " + runtime.GOOS), nil
}
