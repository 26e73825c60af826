package bundle

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"rollbook/internal/confine"
	"rollbook/internal/fsx"
	"rollbook/internal/gitro"
)

// Codes of selected files that cannot be carried (spec/bundle.md 5.9).
const (
	symlinkUnsupported    = "symlink_unsupported"
	nonDirectoryParent    = "non_directory_parent"
	nestedRepository      = "nested_repository_unsupported"
	nonRegularFile        = "non_regular_file_unsupported"
	fileLimit             = "file_limit"
	binaryUnsupported     = "binary_unsupported"
	nonUTF8Unsupported    = "non_utf8_unsupported"
	baseTypeUnsupported   = "base_type_unsupported"
	baseUnavailable       = "base_unavailable"
	baseUnavailableOrMore = "base_unavailable_or_limit"
	indexUnavailable      = "index_unavailable"
	conflictUnsupported   = "conflict_unsupported"
	unreadablePath        = "unreadable_path"
	unreadableFile        = "unreadable_file"
	totalLimit            = "total_limit"
	unchanged             = "unchanged"
)

// A capture is the selected code of a checkout: of each path the version of the
// commit and the bytes on disk, whatever the index says.
type capture struct {
	selected []string // sorted
	changes  []Change
	code     []contents // of each change
	omitted  []string
	partial  bool // something was left out that there is
}

func (c *capture) omissions() []string {
	if c == nil {
		return nil
	}
	return c.omitted
}

// A version is one of the two of a file.
type version struct {
	there bool
	mode  string
	text  []byte
}

func (v version) equal(w version) bool {
	return v.there == w.there && v.mode == w.mode && bytes.Equal(v.text, w.text)
}

// captureCode compares the selected paths with the commit. What cannot be carried
// is an omission; an error says that the selection is none, or that the checkout
// changed meanwhile.
func captureCode(ctx context.Context, repo *gitro.Repo, commit string, include []string) (*capture, error) {
	c := &capture{selected: slices.Compact(slices.Sorted(slices.Values(include))), changes: []Change{}}
	if err := checkSelection(c.selected); err != nil {
		return nil, err
	}
	root, err := confine.OpenRoot(repo.Root)
	if err != nil {
		return nil, errors.New("the checkout cannot be opened")
	}
	defer root.Close()
	total := 0
	onDisk := make([]version, len(c.selected))
	for i, name := range c.selected {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		disk, code := diskVersion(root, name)
		base, baseCode := version{}, ""
		if code == "" {
			base, baseCode = baseVersion(ctx, repo, commit, name)
			code = baseCode
		}
		onDisk[i] = disk
		size := len(base.text) + len(disk.text)
		switch {
		case code == "" && !base.there && !disk.there:
			return nil, fmt.Errorf("the selected path %q is neither in the commit nor on disk", name)
		case code == "" && base.equal(disk):
			code = unchanged
		case code == "" && total+size > maxCode:
			code = totalLimit
		}
		if code != "" {
			c.omitted = append(c.omitted, fmt.Sprintf("selection %d: %s", i+1, code))
			c.partial = c.partial || code != unchanged
			continue
		}
		total += size
		c.add(i+1, name, base, disk)
	}
	return c, c.still(ctx, repo, root, commit, onDisk)
}

// still sees to it that commit and files are what they were.
func (c *capture) still(ctx context.Context, repo *gitro.Repo, root fsx.FS, commit string, onDisk []version) error {
	for i, name := range c.selected {
		if now, _ := diskVersion(root, name); !now.equal(onDisk[i]) {
			return fmt.Errorf("the selected path %q changed while it was read", name)
		}
	}
	if head, err := repo.Head(ctx); err != nil || head != commit {
		return errors.Join(errors.New("the commit of the checkout changed while it was read"), ctx.Err())
	}
	return nil
}

// add notes a change. n is the number of its path among the selected ones.
func (c *capture) add(n int, name string, base, disk version) {
	ch := Change{Path: name, Kind: Modify, Payload: PatchName}
	t := contents{known: true, base: base.text, result: disk.text}
	if base.there {
		sum := hashOf(base.text)
		ch.BaseSHA256, ch.BaseMode = &sum, &base.mode
	} else {
		ch.Kind, ch.Payload = Add, newFileName(n)
	}
	if disk.there {
		sum := hashOf(disk.text)
		ch.ResultSHA256, ch.ResultMode = &sum, &disk.mode
	} else {
		ch.Kind = Delete
	}
	if ch.Kind == Modify && bytes.Equal(base.text, disk.text) {
		t.known = false // of the mode only: the patch does not have the texts
	}
	c.changes = append(c.changes, ch)
	c.code = append(c.code, t)
}

// payloads gives the patch and the new files of the changes.
func (c *capture) payloads() *Code {
	code := &Code{NewFiles: []NewFile{}}
	for i := range c.changes {
		ch, t := &c.changes[i], &c.code[i]
		if ch.Kind == Add {
			code.NewFiles = append(code.NewFiles, NewFile{ch.Payload, string(t.result)})
		} else {
			code.Patch = appendEdit(code.Patch, editOf(ch, t))
		}
	}
	return code
}

// diskVersion reads a file without following a link, or gives the code that says
// why it cannot be carried.
func diskVersion(root fsx.FS, name string) (version, string) {
	parts := strings.Split(name, "/")
	for i := 1; i < len(parts); i++ {
		dir := path.Join(parts[:i]...)
		info, err := root.Lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return version{}, ""
		case err != nil:
			return version{}, unreadablePath
		case info.Mode()&fs.ModeSymlink != 0:
			return version{}, symlinkUnsupported
		case !info.IsDir():
			return version{}, nonDirectoryParent
		case isRepository(root, dir):
			return version{}, nestedRepository
		}
	}
	info, err := root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return version{}, ""
	case err != nil:
		return version{}, unreadablePath
	case info.Mode()&fs.ModeSymlink != 0:
		return version{}, symlinkUnsupported
	case info.IsDir() && isRepository(root, name):
		return version{}, nestedRepository
	case !info.Mode().IsRegular():
		return version{}, nonRegularFile
	}
	return readVersion(root, name)
}

func isRepository(root fsx.FS, dir string) bool {
	_, err := root.Lstat(dir + "/.git")
	return err == nil
}

func readVersion(root fsx.FS, name string) (version, string) {
	f, err := root.Open(name)
	if err != nil {
		return version{}, unreadableFile
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return version{}, unreadableFile
	}
	text, err := io.ReadAll(io.LimitReader(f, maxVersion+1))
	switch {
	case err != nil:
		return version{}, unreadableFile
	case len(text) > maxVersion:
		return version{}, fileLimit
	}
	v := version{true, plainMode, text}
	if info.Mode()&0o100 != 0 {
		v.mode = execMode
	}
	return v, textCode(text)
}

// textCode says why bytes are no text that can be carried.
func textCode(text []byte) string {
	switch {
	case bytes.IndexByte(text, 0) >= 0:
		return binaryUnsupported
	case !utf8.Valid(text):
		return nonUTF8Unsupported
	}
	return ""
}

// baseVersion gives the file as the commit has it.
func baseVersion(ctx context.Context, repo *gitro.Repo, commit, name string) (version, string) {
	conflicted, err := repo.Conflicted(ctx, name)
	switch {
	case err != nil:
		return version{}, indexUnavailable
	case conflicted:
		return version{}, conflictUnsupported
	}
	blob, err := repo.Entry(ctx, commit, name)
	switch {
	case err != nil:
		return version{}, baseUnavailable
	case blob == gitro.Blob{}:
		return version{}, ""
	case blob.Mode != plainMode && blob.Mode != execMode:
		return version{}, baseTypeUnsupported
	}
	if n, err := repo.Size(ctx, blob.ID); err != nil || n > maxVersion {
		return version{}, baseUnavailableOrMore
	}
	text, err := repo.Content(ctx, blob.ID)
	if err != nil {
		return version{}, baseUnavailableOrMore
	}
	return version{true, blob.Mode, text}, textCode(text)
}

// selected writes which code goes along.
func (h *handoff) selected() {
	if h.code == nil {
		return
	}
	h.printf("\n## Selected code\n\n")
	h.printf("%s selected by whoever made this, %s.\n", plural(len(h.m.SelectedPaths), "path"), plural(len(h.m.Changes), "change"))
	if len(h.m.Changes) == 0 {
		h.printf("None of them differs from the base commit in a way that can be carried.\n")
		return
	}
	h.printf("\n| path | change | in |\n|---|---|---|\n")
	for _, c := range h.m.Changes {
		h.printf("| %s | %s | [%s](%s) |\n", inline(c.Path), c.kindText(), c.Payload, c.Payload)
	}
	h.printf("\nIn a checkout of the base commit, `rollbook apply THIS-FOLDER --project CHECKOUT\n--check` says whether they fit, and `--write` makes them.\n")
}

// kindText says what happened to a file, its mode included.
func (c *Change) kindText() string {
	if c.Kind == Modify && *c.BaseMode != *c.ResultMode {
		return fmt.Sprintf("%s, mode %s to %s", c.Kind, *c.BaseMode, *c.ResultMode)
	}
	return string(c.Kind)
}
