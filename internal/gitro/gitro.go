// Package gitro asks git about a checkout and changes nothing in it: no index is
// refreshed, no hook, filter or file-system monitor is run, nothing is fetched,
// and nobody is asked for a password.
//
// It gives facts. What a fact means for a bundle is decided there.
package gitro

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// MaxOutput is the most that an answer of git may hold.
const MaxOutput = 1 << 20

// ErrTooLarge says that an answer holds more than MaxOutput.
var ErrTooLarge = errors.New("git answers more than 1 MiB")

// A Git is the program and the environment that it is run in.
type Git struct {
	Path    string   // of the program
	Environ []string // NAME=value each; what concerns git is left out
}

// ErrNoGit says that there is no git to ask.
var ErrNoGit = errors.New("git is not there")

// A Repo is a checkout that git knows.
type Repo struct {
	Root string // of its files, absolute
	git  Git
}

// Open finds the checkout that a folder belongs to. A bare repository is none.
func Open(ctx context.Context, git Git, dir string) (*Repo, error) {
	if git.Path == "" {
		return nil, ErrNoGit
	}
	r := &Repo{Root: dir, git: git}
	out, err := r.run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	root := strings.TrimSuffix(string(out), "\n")
	if root == "" {
		return nil, errors.New("git names no root")
	}
	r.Root = root
	return r, nil
}

// An exitError is an answer of git that is none: its exit code.
type exitError struct {
	command string
	code    int
}

func (e *exitError) Error() string { return fmt.Sprintf("git %s: exit code %d", e.command, e.code) }

// saysNo reports whether git answered, and the answer was no.
func saysNo(err error) bool {
	e, ok := errors.AsType[*exitError](err)
	return ok && e.code == 1
}

// environ is what git sees: nothing of GIT_* but what keeps it from writing,
// running, asking and fetching.
func (g Git) environ(config [][2]string) []string {
	env := slices.DeleteFunc(slices.Clone(g.Environ), func(s string) bool {
		name, _, _ := strings.Cut(s, "=")
		return strings.HasPrefix(strings.ToUpper(name), "GIT_") || name == "LC_ALL" || name == "LANGUAGE"
	})
	env = append(env, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1")
	config = append([][2]string{{"core.fsmonitor", "false"}, {"core.untrackedCache", "false"}, {"core.hooksPath", "/dev/null"}}, config...)
	env = append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(config)))
	for i, c := range config {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, c[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, c[1]))
	}
	return env
}

// run gives the answer of a command of git, which is bounded.
func (r *Repo) run(ctx context.Context, args ...string) ([]byte, error) {
	var out []byte
	err := r.stream(ctx, nil, func(in io.Reader) (err error) {
		if out, err = io.ReadAll(io.LimitReader(in, MaxOutput+1)); err == nil && len(out) > MaxOutput {
			err = ErrTooLarge
		}
		return err
	}, args...)
	return out, err
}

// stream runs a command of git and hands what it answers to read. An error of
// read ends the command.
func (r *Repo) stream(ctx context.Context, config [][2]string, read func(io.Reader) error, args ...string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := exec.CommandContext(ctx, r.git.Path, append([]string{"--no-optional-locks", "--literal-pathspecs", "--no-pager", "-C", r.Root}, args...)...)
	cmd.Env = r.git.environ(config)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("git: %w", err)
	}
	rerr := read(out)
	if rerr != nil {
		stop()
	}
	err = cmd.Wait()
	if rerr != nil {
		return rerr
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if e, ok := errors.AsType[*exec.ExitError](err); ok {
		return &exitError{args[0], e.ExitCode()}
	}
	return err
}

// records hands each part of an answer that ends with a zero byte to do.
func (r *Repo) records(ctx context.Context, config [][2]string, do func([]byte) error, args ...string) error {
	return r.stream(ctx, config, func(in io.Reader) error {
		s := bufio.NewScanner(in)
		s.Buffer(nil, MaxOutput)
		s.Split(func(data []byte, atEOF bool) (int, []byte, error) {
			if i := bytes.IndexByte(data, 0); i >= 0 {
				return i + 1, data[:i], nil
			}
			if atEOF && len(data) > 0 {
				return len(data), data, nil
			}
			return 0, nil, nil
		})
		for s.Scan() {
			if err := do(s.Bytes()); err != nil {
				return err
			}
		}
		return s.Err()
	}, args...)
}
