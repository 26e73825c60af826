package bundle

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// CheckPath says what forbids a path to be selected, or to be written by apply:
// literal, relative to the root of the checkout, of a few plain bytes, and never
// into .git (B12).
func CheckPath(p string) error {
	switch {
	case p == "":
		return errors.New("is empty")
	case len(p) > maxPathBytes:
		return fmt.Errorf("is longer than %d bytes", maxPathBytes)
	}
	for i := range len(p) {
		if !plainByte(p[i]) {
			return fmt.Errorf("holds %q; only letters, digits, space and / . _ - may stand there", p[i])
		}
	}
	for part := range strings.SplitSeq(p, "/") {
		switch {
		case part == "":
			return errors.New("begins or ends with a slash, or has two in a row")
		case part == "." || part == "..":
			return fmt.Errorf("holds %q", part)
		case strings.EqualFold(part, ".git"):
			return errors.New("leads into .git")
		}
	}
	return nil
}

func plainByte(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return strings.IndexByte(" /._-", c) >= 0
}

// checkSelection says what forbids a sorted list of paths to be selected together:
// none may be another one, in any case of letters, or a folder of another.
func checkSelection(paths []string) error {
	switch {
	case len(paths) == 0:
		return errors.New("no path is selected")
	case len(paths) > maxSelected:
		return fmt.Errorf("%d paths are selected, at most %d may be", len(paths), maxSelected)
	case !slices.IsSorted(paths):
		return errors.New("the selected paths are not sorted")
	}
	folded := make(map[string]string)
	for _, p := range paths {
		if err := CheckPath(p); err != nil {
			return fmt.Errorf("the path %q %w", p, err)
		}
		if other, ok := folded[strings.ToLower(p)]; ok {
			return fmt.Errorf("the paths %q and %q are one", other, p)
		}
		folded[strings.ToLower(p)] = p
	}
	for _, p := range paths {
		for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
			if other, ok := folded[strings.ToLower(dir)]; ok {
				return fmt.Errorf("the path %q lies in the path %q", p, other)
			}
		}
	}
	return nil
}
