package rolltest

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// Meta says what a thread's first line will tell. Every field has a default.
type Meta struct {
	ID         string         // default: seeded; UUIDv4 up to V36, UUIDv7 after
	Start      time.Time      // default: 2026-03-02 09:00 UTC
	Zone       *time.Location // local time of file names; default UTC
	Cwd        string         // default /home/ada/work
	Source     any            // "cli" (default), "exec", "vscode", or an O for a sub-agent
	Originator string         // default: what the version writes for the source
	CLI        string         // cli_version; default: the version's own
	Model      string         // default: the version's own
	Provider   string         // default "openai"
	Agents     string         // text of AGENTS.md; default none
	Git        *Git
	Legacy     bool   // history_mode legacy where the version would write paginated
	Seed       uint64 // of ids and steps of the clock; a Home gives each rollout its own

	// Set by Fork, Revert and Spawn.
	forkedFrom     string
	forkedOrdinal  int
	parent         *Rollout
	nickname       string
	base           *mark
	ownFromOrdinal int
	multiAgent     string
}

// Git is the checkout that a session_meta names.
type Git struct {
	Commit, Branch, URL string
}

// A Rollout is one file of a thread while it is written. Its methods append
// lines and return it, so that calls can be chained.
type Rollout struct {
	Version Version
	Meta    Meta
	ID      string // of the thread
	Segment string // of the file, where a revert made it; else empty

	Archived   bool      // lies in archived_sessions/
	Compressed bool      // becomes .jsonl.zst
	ModTime    time.Time // default: the time of the last line

	home       *Home
	rng        *rand.Rand
	now        time.Time
	created    time.Time // the file's own time: its name and payload.timestamp
	lastLine   time.Time
	buf        []byte
	flushed    int64 // bytes that were taken out of buf by take
	ordinal    int
	ordinals   bool // lines have an ordinal
	itemEvents bool // item_completed events in place of user_message and the like

	prompts    []prompt
	turns      []mark
	turn       turn
	count      counters
	contextDue bool     // the next turn opens with the context messages
	responding bool     // a response of the model is being written
	tokensDue  bool     // a token_count follows its outputs
	held       []func() // items that follow the response's events, up to V63
	outBytes   int      // what the model wrote in this response
	secret     int      // bytes of an encrypted thought
}

// A mark is the place before a turn: where a fork or a revert may cut.
type mark struct {
	file    *Rollout
	ordinal int
	offset  int64
	count   counters
	prompts []prompt
}

// turn is what the lines of a turn share.
type turn struct {
	id, root, parent string
	started          time.Time
	open             bool
	last             any // the last assistant text, or nil
	responses        int
}

// New starts a rollout that belongs to no home. Two of the same Meta are the same
// thread, line for line, as long as the same is said in them.
func New(v Version, m Meta) *Rollout { return newRollout(nil, v, m) }

func newRollout(h *Home, v Version, m Meta) *Rollout {
	if _, known := versionFacts[v]; !known {
		panic(fmt.Sprintf("rolltest: unknown version %d", int(v)))
	}
	m.defaults(v)
	r := &Rollout{
		Version: v, Meta: m, ID: m.ID, home: h,
		rng: rand.New(rand.NewPCG(m.Seed, seedOf(v, m))),
		now: m.Start, created: m.Start, contextDue: true, secret: 180,
		ordinals:   v.Paginated() && !m.Legacy,
		itemEvents: v.Paginated() && !m.Legacy,
	}
	if r.ID == "" {
		r.ID = r.threadID()
	}
	r.count.firstWindow = r.uuid7()
	r.count.window = r.count.firstWindow
	if h != nil {
		h.rollouts = append(h.rollouts, r)
	}
	r.begin()
	return r
}

func (m *Meta) defaults(v Version) {
	if m.Start.IsZero() {
		m.Start = time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	}
	if m.Zone == nil {
		m.Zone = time.UTC
	}
	m.Start = m.Start.UTC()
	setDefault(&m.Cwd, "/home/ada/work")
	setDefault(&m.CLI, v.String())
	setDefault(&m.Model, versionFacts[v].model)
	setDefault(&m.Provider, "openai")
	if m.Source == nil {
		m.Source = "cli"
	}
	setDefault(&m.Originator, originator(v, m.Source))
}

func setDefault(s *string, v string) {
	if *s == "" {
		*s = v
	}
}

func originator(v Version, source any) string {
	switch {
	case source == "exec" && v >= V63:
		return "codex_exec"
	case source == "vscode":
		return "codex_vscode"
	case v >= V140:
		return "codex-tui"
	default:
		return "codex_cli_rs"
	}
}

// seedOf makes rollouts that differ in what a test would vary differ in their ids.
func seedOf(v Version, m Meta) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, int(v), m.Cwd, m.Start.UnixMilli(), m.Source, m.nickname, m.forkedFrom, m.forkedOrdinal, m.base != nil)
	return h.Sum64()
}

// begin writes the first line. The file is made at the first prompt, so the
// line's own time is later than the one it tells.
func (r *Rollout) begin() {
	if base := r.Meta.base; base != nil {
		r.ordinal = base.ordinal
	}
	r.tick(4, 60)
	r.writeMeta()
}

// writeMeta writes the header (bare) or the session_meta line.
func (r *Rollout) writeMeta() {
	if r.Version == V20 {
		r.line(r.header())
		return
	}
	r.Record("session_meta", r.sessionMeta())
}

// Wait lets time pass.
func (r *Rollout) Wait(d time.Duration) *Rollout {
	r.now = r.now.Add(d)
	return r
}

// Now tells the time of the rollout's clock.
func (r *Rollout) Now() time.Time { return r.now }

// tick moves the clock by min to max milliseconds.
func (r *Rollout) tick(min, max int) {
	r.now = r.now.Add(time.Duration(min+r.rng.IntN(max-min+1)) * time.Millisecond)
}

// Record writes a line of any type. In a bare file it writes nothing: such a
// file knows items only.
func (r *Rollout) Record(typ string, payload O) *Rollout { return r.record(typ, payload, absent{}) }

// Event writes an event_msg.
func (r *Rollout) Event(payload O) *Rollout { return r.Record("event_msg", payload) }

// Item writes a response_item; in a bare file the item itself.
func (r *Rollout) Item(payload O) *Rollout { return r.item(payload, absent{}) }

func (r *Rollout) item(payload O, metadata any) *Rollout {
	before := r.Size()
	if r.Version == V20 {
		r.line(payload)
	} else {
		r.record("response_item", payload, metadata)
	}
	r.count.context += int(r.Size()-before) / 4
	return r
}

func (r *Rollout) record(typ string, payload O, metadata any) *Rollout {
	if r.Version == V20 {
		return r
	}
	r.tick(0, 12)
	o := O{
		"timestamp", r.now.Format(stamp),
		"ordinal", If(r.ordinals, r.ordinal),
		"type", typ,
		"payload", payload,
		"metadata", metadata,
	}
	if r.ordinals {
		r.ordinal++
	}
	r.line(o)
	return r
}

// stamp is how Codex writes a time.
const stamp = "2006-01-02T15:04:05.000Z"

func (r *Rollout) line(o O) {
	r.buf = append(appendObject(r.buf, o), '\n')
	r.lastLine = r.now
}

// Bytes gives the text so far.
func (r *Rollout) Bytes() []byte { return r.buf }

// Size tells how many bytes were written, line feeds included.
func (r *Rollout) Size() int64 { return r.flushed + int64(len(r.buf)) }

// take gives what was written since the last call and forgets it.
func (r *Rollout) take() []byte {
	out := r.buf
	r.flushed += int64(len(out))
	r.buf = r.buf[:0]
	return out
}

// FileName tells the file's name as Codex gives it, without a folder.
func (r *Rollout) FileName() string {
	name := "rollout-" + r.created.In(r.Meta.Zone).Format("2006-01-02T15-04-05") + "-" + r.ID
	if r.Segment != "" {
		name += "_" + r.Segment
	}
	name += ".jsonl"
	if r.Compressed {
		name += ".zst"
	}
	return name
}

// Path tells where the file lies below the home, with slashes.
func (r *Rollout) Path() string {
	if r.Archived {
		return "archived_sessions/" + r.FileName()
	}
	return "sessions/" + r.created.In(r.Meta.Zone).Format("2006/01/02/") + r.FileName()
}

// Data gives the file's bytes as they lie on disk: Bytes, compressed if asked.
func (r *Rollout) Data() []byte {
	if r.Compressed {
		return compress(r.buf, r.Version)
	}
	return r.buf
}

func (r *Rollout) modTime() time.Time {
	if !r.ModTime.IsZero() {
		return r.ModTime
	}
	return r.lastLine
}
