package bundle

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"rollbook/internal/confine"
	"rollbook/internal/gitro"
)

// Targets that prepare-resume knows.
const (
	Claude = "claude"
	Codex  = "codex"
)

// A Resume asks how an agent can go on from a bundle. Paths are absolute.
type Resume struct {
	Bundle   *Verified
	Git      gitro.Git
	Target   string // Claude or Codex
	Project  string
	Worktree string // a folder to be made for the work; empty: the project itself
	Prompt   string // the file that the prompt is written to; empty for none
}

// A ResumeReport says what there is and what to do (spec/bundle.md 5.12). The
// members stand in the order of the format.
type ResumeReport struct {
	Target           string        `json:"target"`
	Mode             string        `json:"mode"`
	Bundle           string        `json:"bundle"`
	Verified         VerifyReport  `json:"verified"`
	SourceAgent      *string       `json:"source_agent"`
	Project          ResumeProject `json:"project"`
	ExpectedBase     *string       `json:"expected_base"`
	BaseMatch        string        `json:"base_match"`
	Changes          string        `json:"changes"`
	WorkingDirectory string        `json:"working_directory"`
	Attention        []string      `json:"attention"`
	Steps            []Step        `json:"steps"`
	Prompt           string        `json:"prompt"`
	PromptFile       *string       `json:"prompt_file"`
	Confirmation     string        `json:"confirmation"`
	Launched         bool          `json:"launched"`
	LaunchExitCode   *int          `json:"launch_exit_code"` // nil too where a signal ended it
	SourceModified   bool          `json:"source_modified"`  // never
}

// A ResumeProject is the state of the project.
type ResumeProject struct {
	Root    string  `json:"root"`
	Head    *string `json:"head"`
	Dirty   *bool   `json:"dirty"`
	Partial bool    `json:"partial"` // something of it is not known
}

// A Step is a command for a person to run.
type Step struct {
	Description string   `json:"description"`
	Cwd         string   `json:"cwd"`
	Argv        []string `json:"argv"`
	Shell       string   `json:"shell"`
}

// Modes of a resume.
const (
	sameCheckout = "same-checkout"
	newWorktree  = "new-worktree"
)

// States of the changes of a bundle in a checkout.
const (
	changesNone    = "none"    // the bundle carries none
	changesBase    = "base"    // every file is as before them
	changesApplied = "applied" // every file is as after them
	changesMixed   = "mixed"
	changesUnknown = "unknown"
)

// Report looks at bundle and project, and writes nothing.
func (r *Resume) Report(ctx context.Context) (*ResumeReport, error) {
	if err := r.checkPaths(); err != nil {
		return nil, err
	}
	m := r.Bundle.Manifest
	rep := &ResumeReport{
		Target: r.Target, Mode: sameCheckout, Bundle: r.Bundle.Dir, Verified: r.Bundle.Report(),
		ExpectedBase: m.Project.BaseCommit, BaseMatch: "not-recorded", Changes: changesNone,
		WorkingDirectory: r.Project, Attention: []string{}, Steps: []Step{},
	}
	if agent := m.Source.Agent; agent == "codex" || agent == "claude-code" {
		rep.SourceAgent = &agent
	}
	seen := gitro.Observe(ctx, r.Git, r.Project)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	rep.Project = ResumeProject{r.Project, seen.BaseCommit, seen.Dirty, seen.BaseCommit == nil || seen.Dirty == nil}
	if seen.Repo != nil {
		rep.Project.Root = seen.Repo.Root
	}
	if base := m.Project.BaseCommit; base != nil {
		rep.BaseMatch = "unknown"
		if head := seen.BaseCommit; head != nil {
			rep.BaseMatch = map[bool]string{true: "match", false: "differs"}[*head == *base]
		}
	}
	if len(m.Changes) > 0 {
		rep.Changes = changesUnknown
		if seen.Repo != nil {
			rep.Changes = r.stateOfChanges(seen.Repo.Root)
		}
	}
	if r.Worktree != "" {
		if err := r.checkWorktree(ctx, seen.Repo); err != nil {
			return nil, err
		}
		rep.Mode, rep.WorkingDirectory = newWorktree, r.Worktree
		if len(m.Changes) > 0 {
			rep.Changes = changesBase // as they will be there
		}
	}
	rep.attend(seen.Repo != nil)
	rep.Prompt = rep.prompt()
	rep.plan()
	rep.Confirmation = rep.confirm(r.Bundle.SHA256)
	if r.Prompt != "" {
		rep.PromptFile = &r.Prompt
	}
	for i := range rep.Steps {
		rep.Steps[i].Shell = shellOf(&rep.Steps[i], rep.Prompt, r.Prompt)
	}
	return rep, nil
}

// checkPaths refuses paths that cannot stand in a prompt or in a line of a shell.
func (r *Resume) checkPaths() error {
	for _, p := range []string{r.Bundle.Dir, r.Project, r.Worktree, r.Prompt} {
		if !utf8.ValidString(p) || strings.ContainsFunc(p, unicode.IsControl) {
			return errors.New("a path holds control characters or is not UTF-8")
		}
	}
	info, err := os.Stat(r.Project)
	if err == nil && !info.IsDir() {
		err = errors.New("is no folder")
	}
	if err != nil {
		return fmt.Errorf("the project: %w", err)
	}
	if r.Prompt != "" && within(r.Prompt, r.Bundle.Dir) {
		return errors.New("the prompt must not be written into the bundle")
	}
	return nil
}

// checkWorktree says why a worktree cannot be made at a path.
func (r *Resume) checkWorktree(ctx context.Context, repo *gitro.Repo) error {
	base := r.Bundle.Manifest.Project.BaseCommit
	switch {
	case repo == nil:
		return errors.New("a worktree wants a project that git knows")
	case base == nil:
		return errors.New("a worktree wants a base commit, and the bundle records none")
	case !repo.Has(ctx, *base):
		return fmt.Errorf("the repository does not have the base commit %s; fetch it first", *base)
	case within(r.Worktree, repo.Root) || within(r.Worktree, r.Project):
		return errors.New("the worktree must lie outside of the project")
	case within(r.Worktree, r.Bundle.Dir):
		return errors.New("the worktree must lie outside of the bundle")
	}
	if _, err := os.Lstat(r.Worktree); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("the worktree %s: must not exist", r.Worktree), err)
	}
	return nil
}

// within reports whether a path, which need not exist, lies in a folder or is it.
func within(name, dir string) bool {
	rel, err := filepath.Rel(resolved(dir), resolved(name))
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// resolved follows the links of as much of a path as exists.
func resolved(name string) string {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return real
	}
	parent := filepath.Dir(name)
	if parent == name {
		return name
	}
	return filepath.Join(resolved(parent), filepath.Base(name))
}

// stateOfChanges compares each file with both of its versions.
func (r *Resume) stateOfChanges(dir string) string {
	root, err := confine.OpenRoot(dir)
	if err != nil {
		return changesUnknown
	}
	defer root.Close()
	base, result := 0, 0
	changes := r.Bundle.Manifest.Changes
	for i := range changes {
		c := &changes[i]
		v, code := diskVersion(root, c.Path)
		switch code {
		case unreadablePath, unreadableFile:
			return changesUnknown
		case "":
			if v.is(c.BaseSHA256, c.BaseMode) {
				base++
			}
			if v.is(c.ResultSHA256, c.ResultMode) {
				result++
			}
		}
	}
	switch len(changes) {
	case base:
		return changesBase
	case result:
		return changesApplied
	}
	return changesMixed
}

// is compares a version with what a manifest says of one.
func (v version) is(sum, mode *string) bool {
	if sum == nil || mode == nil {
		return !v.there
	}
	return v.there && v.mode == *mode && hashOf(v.text) == *sum
}

// confirm gives the token by which a person confirms just this state and these
// steps. Where the prompt is written to is not part of it.
func (rep *ResumeReport) confirm(manifest string) string {
	type step struct {
		Cwd  string
		Argv []string
	}
	steps := make([]step, len(rep.Steps))
	for i, s := range rep.Steps {
		steps[i] = step{s.Cwd, s.Argv}
	}
	sum := sha256.Sum256(marshal(struct {
		Manifest, Target, Mode, Bundle, WorkingDirectory string
		Verified                                         VerifyReport
		Project                                          ResumeProject
		BaseMatch, Changes                               string
		Attention                                        []string
		Steps                                            []step
		Prompt                                           string
	}{manifest, rep.Target, rep.Mode, rep.Bundle, rep.WorkingDirectory, rep.Verified, rep.Project, rep.BaseMatch, rep.Changes, rep.Attention, steps, rep.Prompt}))
	return hex.EncodeToString(sum[:8])
}

// Launchable says why the agent cannot be started on a token, or nil.
func (rep *ResumeReport) Launchable(token string) error {
	switch {
	case rep.Mode != sameCheckout || len(rep.Steps) != 1:
		return errors.New("the agent is started only where nothing else is left to do; do the other steps first")
	case rep.Confirmation != token:
		return errors.New("the confirmation is not that of the present state; look at --preview again")
	}
	return nil
}

// Launch gives the step that starts the agent.
func (rep *ResumeReport) Launch() *Step { return &rep.Steps[len(rep.Steps)-1] }
