//go:build !linux

package confine

// Restrict does nothing where the kernel has no such thing; the report says so.
func Restrict(Rules) (Report, error) {
	return Report{Words: "this system's kernel cannot confine the program; it confines itself"}, nil
}
