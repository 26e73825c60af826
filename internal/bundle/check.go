package bundle

import (
	"errors"
	"fmt"
	"slices"

	"rollbook/internal/inspect"
)

// check says what is wrong with the values of a manifest (B5 to B8): all that can
// be known without the payloads.
func (m *Manifest) check() error {
	if !inspect.IsTime(m.CreatedAt) {
		return fmt.Errorf("created_at: %q is no RFC 3339 time", m.CreatedAt)
	}
	if m.Source.Agent == "" {
		return errors.New("source.agent: is empty")
	}
	if base := m.Project.BaseCommit; base != nil && !isHex(*base, 40) && !isHex(*base, 64) {
		return errors.New("project.base_commit: not 40 or 64 lower-case hexadecimal digits")
	}
	if m.Redaction != pendingReview && m.Redaction != reviewed {
		return fmt.Errorf("redaction: %q is not known", m.Redaction)
	}
	if err := m.checkFiles(); err != nil {
		return err
	}
	switch m.CodeState {
	case CodeUnknown, BaseReference, WithChanges:
	default:
		return fmt.Errorf("code_state: %q is not known", m.CodeState)
	}
	if m.FormatVersion == 1 {
		if m.CodeState == WithChanges {
			return errors.New("code_state: version 1 carries no changes")
		}
		return nil
	}
	return m.checkChanges()
}

func (m *Manifest) checkFiles() error {
	if n := len(m.Files); n < minListedFiles || n > maxListedFiles {
		return fmt.Errorf("files: %d are listed, want %d to %d", n, minListedFiles, maxListedFiles)
	}
	seen := make(map[string]bool)
	for i, f := range m.Files {
		want, err := purposeOf(f.Path)
		if err != nil {
			return fmt.Errorf("files[%d]: %w", i, err)
		}
		switch {
		case f.Purpose != want:
			return fmt.Errorf("files[%d]: the purpose of %s is %s", i, f.Path, want)
		case m.FormatVersion == 1 && f.Purpose != entrypoint && f.Purpose != history:
			return fmt.Errorf("files[%d]: version 1 has no %s", i, f.Path)
		case !isHex(f.SHA256, 64):
			return fmt.Errorf("files[%d]: sha256 is not 64 lower-case hexadecimal digits", i)
		case seen[f.Path]:
			return fmt.Errorf("files[%d]: %s is listed twice", i, f.Path)
		}
		seen[f.Path] = true
	}
	for _, name := range []string{HandoffName, HistoryName} {
		if !seen[name] {
			return fmt.Errorf("files: %s is not listed", name)
		}
	}
	return nil
}

// purposeOf gives the purpose of the payload of that path, of which no other one
// is allowed.
func purposeOf(path string) (string, error) {
	switch path {
	case HandoffName:
		return entrypoint, nil
	case HistoryName:
		return history, nil
	case PatchName:
		return patch, nil
	}
	var n int
	if _, err := fmt.Sscanf(path, FilesName+"/%04d.txt", &n); err == nil && n >= 1 && n <= maxSelected && path == newFileName(n) {
		return newFile, nil
	}
	return "", fmt.Errorf("%q is no file of a bundle", path)
}

// newFileName gives the payload of an added file, by its number among the
// selected paths, from 1.
func newFileName(n int) string { return fmt.Sprintf("%s/%04d.txt", FilesName, n) }

func (m *Manifest) checkChanges() error {
	if m.Project.BaseCommit == nil {
		return errors.New("project.base_commit: version 2 wants one")
	}
	if err := checkSelection(m.SelectedPaths); err != nil {
		return fmt.Errorf("selected_paths: %w", err)
	}
	want := BaseReference
	if len(m.Changes) > 0 {
		want = WithChanges
	}
	if m.CodeState != want {
		return fmt.Errorf("code_state: %q with %d changes", m.CodeState, len(m.Changes))
	}
	used := map[string]int{}
	changed := map[string]bool{}
	for i, c := range m.Changes {
		switch {
		case !slices.Contains(m.SelectedPaths, c.Path):
			return fmt.Errorf("changes[%d]: %q is not selected", i, c.Path)
		case changed[c.Path]:
			return fmt.Errorf("changes[%d]: %q is changed twice", i, c.Path)
		}
		if err := c.check(); err != nil {
			return fmt.Errorf("changes[%d]: %w", i, err)
		}
		changed[c.Path] = true
		used[c.Payload]++
	}
	for _, f := range m.Files {
		n := used[f.Path]
		delete(used, f.Path)
		if f.Purpose == newFile && n != 1 || f.Purpose == patch && n == 0 {
			return fmt.Errorf("files: %s belongs to %d changes", f.Path, n)
		}
	}
	for name := range used {
		return fmt.Errorf("changes: the payload %s is not listed", name)
	}
	return nil
}

// check holds hashes and modes to the kind of change.
func (c *Change) check() error {
	base, result := c.Kind != Add, c.Kind != Delete
	purpose, err := purposeOf(c.Payload)
	switch {
	case c.Kind != Add && c.Kind != Modify && c.Kind != Delete:
		return fmt.Errorf("the kind %q is not known", c.Kind)
	case err != nil:
		return err
	case c.Kind == Add && purpose != newFile, c.Kind != Add && purpose != patch:
		return fmt.Errorf("%s is no payload of the kind %s", c.Payload, c.Kind)
	case (c.BaseSHA256 != nil) != base, (c.BaseMode != nil) != base,
		(c.ResultSHA256 != nil) != result, (c.ResultMode != nil) != result:
		return fmt.Errorf("hashes and modes do not fit the kind %s", c.Kind)
	}
	for _, sum := range []*string{c.BaseSHA256, c.ResultSHA256} {
		if sum != nil && !isHex(*sum, 64) {
			return errors.New("a hash is not 64 lower-case hexadecimal digits")
		}
	}
	for _, mode := range []*string{c.BaseMode, c.ResultMode} {
		if mode != nil && *mode != plainMode && *mode != execMode {
			return fmt.Errorf("the mode %q is not known", *mode)
		}
	}
	if c.Kind == Modify && *c.BaseSHA256 == *c.ResultSHA256 && *c.BaseMode == *c.ResultMode {
		return errors.New("nothing is changed")
	}
	return nil
}

// isHex reports whether s is that many lower-case hexadecimal digits.
func isHex(s string, digits int) bool {
	if len(s) != digits {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
