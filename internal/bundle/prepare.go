package bundle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"rollbook/internal/fsx"
	"rollbook/internal/gitro"
	"rollbook/internal/inspect"
	"rollbook/internal/secret"
)

// Options say what a bundle is made of.
type Options struct {
	File    string // the rollout
	Limits  inspect.Limits
	Exclude Exclude
	Redact  *secret.Options // nil: a finding blocks writing
	Now     time.Time

	Project string    // a checkout to look at with git; empty for none
	Git     gitro.Git // asked about it
	Include []string  // paths below its root whose changes go along
}

// A Prepared is a bundle that can be looked at or written. It keeps the rollout
// open, not in memory.
type Prepared struct {
	Manifest *Manifest
	Handoff  []byte
	Partial  bool // something was lost by the reader, by git or of the code
	Code     *Code

	found      findings
	options    Options
	src        *rereadable
	calls      map[[16]byte]bool
	historySum string
	manifest   []byte
}

// Code is the selected code of a bundle.
type Code struct {
	Patch    []byte
	NewFiles []NewFile
}

// A NewFile is the content of an added file.
type NewFile struct {
	Path    string `json:"path"` // within the bundle
	Content string `json:"content"`
}

var errNoEvent = errors.New("no event is left for a bundle")

// Prepare reads the rollout and decides what the bundle holds (spec/bundle.md
// 5.1). It writes nothing, and refuses what Verify would refuse. Findings are no
// error here: see Findings.
func Prepare(ctx context.Context, fsys fsx.FS, o Options) (_ *Prepared, err error) {
	p := &Prepared{options: o, src: &rereadable{FS: fsys}}
	defer func() {
		if err != nil {
			p.Close()
		}
	}()
	x := newExcluder(o.Exclude)
	if len(o.Exclude.Tools) > 0 {
		if _, err := p.src.run(ctx, o.File, o.Limits, toolScan{x}); err != nil {
			return nil, err
		}
	}
	p.calls = x.calls
	redact := newRedaction(o.Redact)
	r := newReading(x, redact)
	r.learn = new(facts)
	report, err := p.src.run(ctx, o.File, o.Limits, r)
	if err != nil {
		return nil, err
	}
	if err := x.check(); err != nil {
		return nil, err
	}
	if r.events == 0 {
		return nil, errNoEvent
	}
	r.learn.finish()
	p.historySum = r.sum()
	p.found = r.learn.found
	h := &handoff{facts: r.learn, events: r.events, versions: len(report.ObservedVersions), partial: report.State == inspect.Partial}
	if err := p.observe(ctx, h); err != nil {
		return nil, err
	}
	return p, p.compose(report, h, redact)
}

// observe looks at the checkout, and at the selected code in it.
func (p *Prepared) observe(ctx context.Context, h *handoff) (err error) {
	p.Partial = h.partial
	if p.options.Project == "" {
		return nil
	}
	h.git = &checkout{gitro.Observe(ctx, p.options.Git, p.options.Project)}
	p.Partial = p.Partial || h.git.Partial
	if err := ctx.Err(); err != nil || len(p.options.Include) == 0 {
		return err
	}
	if h.git.BaseCommit == nil {
		return errors.New("there is no commit to compare the selected paths with")
	}
	if h.code, err = captureCode(ctx, h.git.Repo, *h.git.BaseCommit, p.options.Include); err != nil {
		return err
	}
	p.Code = h.code.payloads()
	p.Partial = p.Partial || h.code.partial
	return nil
}

// Close closes the rollout.
func (p *Prepared) Close() error { return p.src.Close() }

// Findings gives the possible secrets of the bundle. With any, it must not be
// written.
func (p *Prepared) Findings(yield func(Finding) bool) { p.found.all(yield) }

// Clean reports whether there are no findings.
func (p *Prepared) Clean() bool { return len(p.found.list) == 0 }

// compose makes the manifest and HANDOFF.md of what was read.
func (p *Prepared) compose(report *inspect.Report, h *handoff, redact *redaction) error {
	m := &Manifest{
		FormatVersion: 1,
		CreatedAt:     p.options.Now.UTC().Format("2006-01-02T15:04:05.000-07:00"),
		Source:        Source{Agent: "codex"},
		CodeState:     CodeUnknown,
		Redaction:     pendingReview,
	}
	p.Manifest, h.m = m, m
	if h.facts.session != nil {
		id, _ := h.facts.session.Text()
		m.Source.SessionID = &id
	}
	if len(report.ObservedVersions) == 1 {
		m.Source.Version = redact.text(&report.ObservedVersions[0])
		p.found.text("source.version", *m.Source.Version, 0)
	}
	p.project(h, redact)
	p.describe(h, redact)
	p.Handoff = h.render()
	if len(p.Handoff) > maxContext {
		return fmt.Errorf("%s would hold more than %d bytes", HandoffName, maxContext)
	}
	p.list()
	var err error
	if p.manifest, err = m.Encode(); err != nil {
		return err
	}
	if len(p.manifest) > maxManifest {
		return fmt.Errorf("%s would hold more than %d bytes, which verify refuses", ManifestName, maxManifest)
	}
	return nil
}

// project takes over what git said and which code goes along.
func (p *Prepared) project(h *handoff, redact *redaction) {
	m := p.Manifest
	if h.git != nil {
		m.Project = Project{redact.text(h.git.Remote), redact.text(h.git.Branch), h.git.BaseCommit, h.git.Dirty}
		if m.Project.Remote != nil {
			p.found.text("project.remote", *m.Project.Remote, 0)
		}
		if m.Project.Branch != nil {
			p.found.text("project.branch", *m.Project.Branch, 0)
		}
		if m.Project.BaseCommit != nil {
			m.CodeState = BaseReference
		}
	}
	if h.code == nil {
		return
	}
	m.FormatVersion = 2
	m.SelectedPaths, m.Changes = h.code.selected, h.code.changes
	if len(m.Changes) > 0 {
		m.CodeState = WithChanges
	}
	for i, name := range m.SelectedPaths {
		p.found.text("code_selection", name, i+1)
		if j := slices.IndexFunc(m.Changes, func(c Change) bool { return c.Path == name }); j >= 0 {
			p.found.text("code_selection", string(h.code.code[j].base), i+1)
			p.found.text("code_selection", string(h.code.code[j].result), i+1)
		}
	}
}

// list lists the files of the bundle with their hashes.
func (p *Prepared) list() {
	m := p.Manifest
	m.Files = []File{{HandoffName, hashOf(p.Handoff), entrypoint}, {HistoryName, p.historySum, history}}
	if p.Code == nil {
		return
	}
	if len(p.Code.Patch) > 0 {
		m.Files = append(m.Files, File{PatchName, hashOf(p.Code.Patch), patch})
	}
	for _, f := range p.Code.NewFiles {
		m.Files = append(m.Files, File{f.Path, hashOf([]byte(f.Content)), newFile})
	}
}
