//go:build !unix

package confine

import "io/fs"

// linkModes are the kinds of file that lead elsewhere; a junction is irregular.
const linkModes = fs.ModeSymlink | fs.ModeIrregular

const nonblock = 0

const syncsFolders = false

func openSystem(path string) (system, error) { return openPortable(path) }
