package fsx

import (
	"path/filepath"
	"strings"
)

// Leftovers gives what WriteFile and CreateFolder left in a folder when they were
// cut off. What one that still runs is about to rename is among it, so nobody but
// a person can tell that it may go.
func Leftovers(fsys FS, dir string) []string {
	var names []string
	for _, e := range entries(fsys, dir) {
		middle, isOurs := strings.CutPrefix(e.Name(), ".rollbook-")
		middle, isTemp := strings.CutSuffix(middle, ".tmp")
		if isOurs && isTemp && len(middle) == 26 {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	return names
}
