//go:build !unix

package bundle

import (
	"io/fs"
	"os"
)

// canApply is whether files can be changed the way apply does it.
const canApply = false

func sameFile(a, b fs.FileInfo) bool { return os.SameFile(a, b) }
