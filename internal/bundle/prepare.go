package bundle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rollbook/internal/fsx"
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

	Project string   // a checkout to look at with git; empty for none
	Include []string // paths below its root whose changes go along
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
	return p, p.compose(ctx, report, r, redact)
}

// Close closes the rollout.
func (p *Prepared) Close() error { return p.src.Close() }

// Findings gives the possible secrets of the bundle. With any, it must not be
// written.
func (p *Prepared) Findings(yield func(Finding) bool) { p.found.all(yield) }

// Clean reports whether there are no findings.
func (p *Prepared) Clean() bool { return len(p.found.list) == 0 }

// compose makes the manifest and HANDOFF.md of what was read.
func (p *Prepared) compose(ctx context.Context, report *inspect.Report, r *reading, redact *redaction) error {
	f := r.learn
	m := &Manifest{
		FormatVersion: 1,
		CreatedAt:     p.options.Now.UTC().Format("2006-01-02T15:04:05.000-07:00"),
		Source:        Source{Agent: "codex"},
		CodeState:     CodeUnknown,
		Redaction:     pendingReview,
	}
	p.Manifest = m
	if f.session != nil {
		id, _ := f.session.Text()
		m.Source.SessionID = &id
	}
	if len(report.ObservedVersions) == 1 {
		m.Source.Version = redact.text(&report.ObservedVersions[0])
		p.found.text("source.version", *m.Source.Version, 0)
	}
	p.Partial = report.State == inspect.Partial
	h := &handoff{m: m, facts: f, events: r.events, versions: len(report.ObservedVersions), partial: p.Partial}
	p.describe(h, redact)
	p.Handoff = h.render()
	if len(p.Handoff) > maxContext {
		return fmt.Errorf("%s would hold more than %d bytes", HandoffName, maxContext)
	}
	m.Files = []File{{HandoffName, hashOf(p.Handoff), entrypoint}, {HistoryName, p.historySum, history}}
	var err error
	if p.manifest, err = m.Encode(); err != nil {
		return err
	}
	if len(p.manifest) > maxManifest {
		return fmt.Errorf("%s would hold more than %d bytes, which verify refuses", ManifestName, maxManifest)
	}
	return nil
}
