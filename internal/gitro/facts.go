package gitro

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// Head gives the commit that is checked out.
func (r *Repo) Head(ctx context.Context) (string, error) {
	return r.commit(ctx, "HEAD")
}

// Has reports whether the repository holds a commit of that full id.
func (r *Repo) Has(ctx context.Context, id string) bool {
	if !isID(id) {
		return false
	}
	got, err := r.commit(ctx, id)
	return err == nil && got == id
}

func (r *Repo) commit(ctx context.Context, name string) (string, error) {
	out, err := r.run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return "", err
	}
	id := strings.TrimSuffix(string(out), "\n")
	if !isID(id) {
		return "", errors.New("git rev-parse: no commit id")
	}
	return id, nil
}

func isID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// Branch gives the branch that is checked out; "" where none is.
func (r *Repo) Branch(ctx context.Context) (string, error) {
	out, err := r.run(ctx, "symbolic-ref", "--quiet", "HEAD")
	if saysNo(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return strings.TrimPrefix(strings.TrimSuffix(string(out), "\n"), "refs/heads/"), nil
}

// Dirty reports whether anything is staged, changed or new; submodules are not
// looked into.
func (r *Repo) Dirty(ctx context.Context) (bool, error) {
	config, err := r.noFilters(ctx)
	if err != nil {
		return false, err
	}
	found := errors.New("dirty")
	err = r.records(ctx, config, func([]byte) error { return found },
		"status", "--porcelain", "-z", "--untracked-files=normal", "--ignore-submodules=all")
	if errors.Is(err, found) {
		return true, nil
	}
	return false, err
}

// noFilters gives the configuration by which no filter is run.
func (r *Repo) noFilters(ctx context.Context) ([][2]string, error) {
	var config [][2]string
	err := r.records(ctx, nil, func(key []byte) error {
		name, _, _ := bytes.Cut(key, []byte{'\n'})
		config = append(config, [2]string{string(name), ""})
		if i := bytes.LastIndexByte(name, '.'); i > 0 {
			config = append(config, [2]string{string(name[:i]) + ".required", "false"})
		}
		if len(config) > 2000 {
			return errors.New("git config: more than 1,000 filters")
		}
		return nil
	}, "config", "-z", "--name-only", "--get-regexp", `^filter\..*\.(clean|smudge|process)$`)
	if saysNo(err) {
		return nil, nil
	}
	return config, err
}

// Submodules reports whether the index names other repositories.
func (r *Repo) Submodules(ctx context.Context) (bool, error) {
	found := errors.New("gitlink")
	err := r.records(ctx, nil, func(entry []byte) error {
		if bytes.HasPrefix(entry, []byte("160000 ")) {
			return found
		}
		return nil
	}, "ls-files", "--stage", "-z")
	if errors.Is(err, found) {
		return true, nil
	}
	return false, err
}

// Conflicted reports whether the index holds several versions of a path.
func (r *Repo) Conflicted(ctx context.Context, path string) (bool, error) {
	out, err := r.run(ctx, "ls-files", "--unmerged", "-z", "--", path)
	return len(out) > 0, err
}

// Remote gives the address of origin as it is configured; "" where there is none.
func (r *Repo) Remote(ctx context.Context) (string, error) {
	out, err := r.run(ctx, "config", "-z", "--get", "remote.origin.url")
	if saysNo(err) {
		return "", nil
	}
	return strings.TrimSuffix(string(out), "\x00"), err
}

// A Blob is a file of a commit.
type Blob struct {
	Mode string // as git writes it: 100644, 100755; 120000 of a link, 160000 of another repository, 040000 of a folder
	ID   string
}

// Entry gives what a commit has at a path; an empty Blob where it has nothing.
func (r *Repo) Entry(ctx context.Context, commit, path string) (Blob, error) {
	out, err := r.run(ctx, "ls-tree", "-z", "--full-tree", commit, "--", path)
	if err != nil || len(out) == 0 {
		return Blob{}, err
	}
	head, name, ok := strings.Cut(strings.TrimSuffix(string(out), "\x00"), "\t")
	fields := strings.Fields(head)
	if !ok || name != path || len(fields) != 3 {
		return Blob{}, fmt.Errorf("git ls-tree: an answer of another form")
	}
	return Blob{fields[0], fields[2]}, nil
}

// Size gives the size of an object.
func (r *Repo) Size(ctx context.Context, id string) (n int64, err error) {
	out, err := r.run(ctx, "cat-file", "-s", id)
	if err != nil {
		return 0, err
	}
	_, err = fmt.Sscanf(string(out), "%d", &n)
	return n, err
}

// Content gives the bytes of a blob as they are stored, at most MaxOutput.
func (r *Repo) Content(ctx context.Context, id string) ([]byte, error) {
	return r.run(ctx, "cat-file", "blob", id)
}
