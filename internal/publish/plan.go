package publish

import (
	"context"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"

	"rollbook/internal/dsh"
)

// A Candidate is a thread that was converted once, to learn what its session is.
type Candidate struct {
	Key string // <project>/<session>: dsh.SessionDir
	Converted
	// Refused says why there is no session; the digest is not used then.
	Refused string
	// Write converts again and writes the log. What the log refers to, images,
	// is whole and synced when it returns. Where the thread grew in between,
	// what it returns differs from what was planned, and counts.
	Write func(ctx context.Context, w io.Writer) (Converted, error)
}

// Converted is what a conversion made.
type Converted struct {
	Digest        dsh.Digest // zero: none
	ImagesSkipped int        // images that the thread has and the session has not
}

// An Outcome is what becomes of a session.
type Outcome string

const (
	Installed Outcome = "installed"  // it was not there
	Refreshed Outcome = "refreshed"  // the log is replaced, behind a backup
	Unchanged Outcome = "unchanged"  // nothing is written
	Adopted   Outcome = "adopted"    // unchanged, and now known to be ours
	LeftAlone Outcome = "left alone" // for a reason
	Failed    Outcome = "failed"     // could not be done; what was there is still there
)

// An Entry is one session of a plan, and after Apply what became of it.
type Entry struct {
	Key     string // or <metadata>: what lies beside the sessions root
	Outcome Outcome
	Reason  string // of LeftAlone and Failed
	Digest  dsh.Digest
	// Of a log that is replaced.
	Previous      dsh.Digest
	Frames, Turns int
	Forced        bool // it is not ours, or no longer: only force replaces it
	Backup        string
}

// A Plan is what a sync would do.
type Plan struct {
	Entries    []Entry // in the order of the candidates; <metadata> first
	candidates []Candidate
	force      bool
}

// Changes reports whether a plan writes anything.
func (p *Plan) Changes() bool {
	for _, e := range p.Entries {
		if e.Outcome == Installed || e.Outcome == Refreshed || e.Outcome == Adopted {
			return true
		}
	}
	return false
}

// Plan compares what was converted with what is installed. It writes nothing.
// force also replaces logs that are not ours, or that the harness went on with.
func (t *Target) Plan(ctx context.Context, candidates []Candidate, force bool) (*Plan, error) {
	at, err := t.open()
	if err != nil {
		return nil, err
	}
	if at == nil { // not even the home: everything is new
		at = &tree{fsys: nowhere{}, home: t.home(), base: filepath.Base(t.root), close: func() error { return nil }}
	}
	p, _, err := at.plan(ctx, candidates, force)
	if cerr := at.close(); err == nil {
		err = cerr
	}
	return p, err
}

// plan also gives the state that it was made with.
func (t *tree) plan(ctx context.Context, candidates []Candidate, force bool) (*Plan, *state, error) {
	p := &Plan{candidates: slices.Clone(candidates), force: force}
	for _, bad := range t.preflight() {
		p.Entries = append(p.Entries, Entry{Key: metadataKey, Outcome: LeftAlone, Reason: bad})
	}
	s, err := t.readState()
	if err != nil {
		s = &state{}
		if len(p.Entries) == 0 {
			p.Entries = append(p.Entries, Entry{Key: metadataKey, Outcome: LeftAlone, Reason: err.Error()})
		}
	}
	usable := len(p.Entries) == 0
	d := decider{t: t, state: s, force: force, seen: make(map[string]bool)}
	for _, c := range candidates {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		e := d.decide(c)
		if !usable && (e.Outcome == Installed || e.Outcome == Refreshed || e.Outcome == Adopted) {
			e = Entry{Key: c.Key, Outcome: LeftAlone, Digest: c.Digest, Reason: "nothing is published before " + metadataKey + " is mended"}
		}
		p.Entries = append(p.Entries, e)
	}
	return p, s, nil
}

// A decider decides about one candidate after the other.
type decider struct {
	t        *tree
	state    *state
	force    bool
	seen     map[string]bool // by session
	projects []string
	listed   bool
}

// decide decides about a candidate. Of two that are one session, in whatever
// project, the first counts.
func (d *decider) decide(c Candidate) Entry {
	session := path.Base(c.Key)
	if d.seen[session] {
		return Entry{Key: c.Key, Outcome: LeftAlone, Digest: c.Digest, Reason: "another thread of this run has the same session"}
	}
	d.seen[session] = c.Refused == ""
	return d.judge(c)
}

// judge is the order of docs/sync.md, "What becomes of a session".
func (d *decider) judge(c Candidate) Entry {
	e := Entry{Key: c.Key, Outcome: LeftAlone, Digest: c.Digest}
	if err := checkKey(c.Key); err != nil {
		e.Reason = err.Error()
		return e
	}
	if c.Refused != "" {
		e.Reason = c.Refused
		return e
	}
	if c.Digest == (dsh.Digest{}) {
		e.Reason = "no digest"
		return e
	}
	have, err := d.t.look(c.Key)
	if err != nil {
		e.Reason = why(err)
		return e
	}
	if have.presence != there {
		return d.absent(e, have)
	}
	e.Previous, e.Frames, e.Turns = have.info.Digest, have.info.Frames, have.info.Turns
	return d.compare(e, c, have)
}

// absent decides about a session of which there is no log.
func (d *decider) absent(e Entry, have sight) Entry {
	if !d.listed {
		var err error
		if d.projects, err = d.t.projects(); err != nil {
			e.Reason = fmt.Sprintf("unreadable: %v", err)
			return e
		}
		d.listed = true
	}
	other, err := d.t.elsewhere(e.Key, d.projects)
	switch {
	case err != nil:
		e.Reason = fmt.Sprintf("unreadable: %v", err)
	case other != "":
		e.Reason = fmt.Sprintf("the same session lies in %s, and DSH refuses a root with one twice", other)
	default:
		e.Outcome = Installed
	}
	return e
}

// compare decides about a session whose log can be read.
func (d *decider) compare(e Entry, c Candidate, have sight) Entry {
	ours := d.state.knows(c.Key, have.info.Digest)
	if have.info.Digest == c.Digest && have.info.Frames == ownedFrames {
		e.Outcome = Unchanged
		if known, ok := d.state.recorded(c.Key); !ok || known != c.Digest {
			e.Outcome = Adopted
		}
		return e
	}
	if c.ImagesSkipped > 0 && have.info.Images {
		e.Reason = fmt.Sprintf("the installed log has images, and this conversion leaves out %d", c.ImagesSkipped)
		return e
	}
	if have.locked {
		e.Reason = "DSH has the session open (" + sessionLock + ")"
		return e
	}
	if have.whole() && ours {
		e.Outcome = Refreshed
		return e
	}
	e.Reason = have.continued()
	_, known := d.state.recorded(c.Key)
	switch {
	case e.Reason != "":
	case known:
		e.Reason = "rewritten after the import"
	default:
		e.Reason = "no importer ownership record"
	}
	if d.force {
		e.Outcome, e.Forced, e.Reason = Refreshed, true, "forced: "+e.Reason
	}
	return e
}
