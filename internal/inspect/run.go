package inspect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"rollbook/internal/diag"
	"rollbook/internal/rollout"
)

// A State says how much of a file the report could give.
type State string

// The states. A single diagnostic that is not UnverifiedCompatibility makes a
// report Partial.
const (
	Read    State = "read"    // events, and no loss
	Empty   State = "empty"   // no event, and no loss
	Partial State = "partial" // something was lost
)

// A Report is what Run learned of the file as a whole.
type Report struct {
	State         State
	SnapshotBytes int64     // size on disk when it was opened; of a stream the bytes read
	Bytes         int64     // read, after decompression
	Lines         int       // physical lines, whatever they hold
	Blank         LineCount // lines of white space only
	Records       int
	Events        int
	Diagnostics   int

	// Sets of what stands in session_meta and turn_context, in byte order.
	SessionIDs, ObservedVersions, ProjectPaths []string
}

// A Place is a physical line. Line is 0 where a diagnostic is of the file.
type Place struct {
	Line   int   // from 1
	Offset int64 // of its first byte, after decompression
	Length int64 // its bytes, line feed included
}

// A Record is one valid envelope, of a known type or not. Values that are
// absent or no strings are nil; the others are spelled as the report writes
// them (see appendSpelled).
type Record struct {
	Place
	Type     rollout.Raw // the envelope's type
	ItemType rollout.Raw // the payload's type
	ID       rollout.Raw // the payload's id
	Session  rollout.Raw // as known at this line, its own header included
	Turn     rollout.Raw // likewise
}

// An Event is a piece of text that was said, called, returned or kept as a
// checkpoint. It shows its record's place, identity and types.
type Event struct {
	*Record
	Block                           int // of the content, from 1; 0 where the text is no block
	Role                            Role
	Kind                            Kind
	Text                            rollout.Raw
	Timestamp                       rollout.Raw // nil where it is no valid time
	Phase                           rollout.Raw
	ToolID, ToolName, ToolNamespace rollout.Raw
}

// A Diagnostic says what the report does not give of a line or block.
type Diagnostic struct {
	Place
	Block int // from 1; 0 means none
	Code  diag.Code
}

// A Role is who speaks in an event.
type Role uint8

// The roles.
const (
	User Role = iota
	Assistant
	System
	Developer
	Tool
)

var roleNames = [...]string{"user", "assistant", "system", "developer", "tool"}

func (r Role) String() string { return roleNames[r] }

// A Kind is what an event is.
type Kind uint8

// The kinds.
const (
	Text Kind = iota
	ToolCall
	ToolResult
	Checkpoint
)

var kindNames = [...]string{"text", "tool_call", "tool_result", "checkpoint"}

func (k Kind) String() string { return kindNames[k] }

// Provenance gives how the event came to be: "extracted" or "checkpoint".
func (k Kind) Provenance() string {
	if k == Checkpoint {
		return "checkpoint"
	}
	return "extracted"
}

// A Handler takes the report as it is read: UnverifiedCompatibility, then of
// each line its record, its events and its diagnostics, and at last
// SourceChanged. What it is given is good until it returns; an error ends the
// run.
type Handler interface {
	Record(*Record) error
	Event(*Event) error
	Diagnostic(*Diagnostic) error
}

// Run reads a source to its end. Damage within the file is a diagnostic; an
// error means that there is no report: the file could not be read or exceeds
// its limit (ErrRefused), its identities do not fit (ErrIdentities), the
// handler failed, or ctx was cancelled.
func Run(ctx context.Context, src *Source, h Handler) (*Report, error) {
	r := run{h: h, report: Report{State: Empty}}
	r.diagnose(UnverifiedCompatibility, 0)
	r.flush()
	lines := rollout.NewReader(src.text, rollout.Options{
		Limits: rollout.Limits{Line: src.limits.Line, File: src.limits.File},
	})
	defer lines.Close()
	for r.err == nil {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rec, err := lines.Next()
		if err == io.EOF {
			break
		}
		if errors.Is(err, rollout.ErrFileTooLarge) {
			return nil, fmt.Errorf("%s: %w: more than %d bytes", src.name, ErrRefused, src.limits.File)
		}
		if err != nil {
			return nil, src.failure(err)
		}
		r.line(rec)
	}
	if r.err == nil {
		r.err = r.compare(src)
	}
	if r.err != nil {
		return nil, r.err
	}
	r.report.SnapshotBytes, r.report.Bytes = src.SnapshotBytes(), lines.Offset()
	return r.end(), nil
}

// run is the state of one Run.
type run struct {
	h      Handler
	err    error // the first
	report Report

	session, turn rollout.Raw // nil while unknown
	header        bool        // a session_meta was seen

	place      Place
	found      []finding // diagnostics of this line, which follow its events
	payload    fields
	block      fields
	respell    bool   // the line is not spelled as the report is
	spelled    []byte // values of such a line
	record     Record
	event      Event
	diagnostic Diagnostic
	sessions   identities
	versions   identities
	projects   identities
	identity   int // what the three sets weigh
}

// finding is a diagnostic of the line at hand: small, for a line may be
// nothing but blocks of two bytes.
type finding struct {
	block uint32
	code  uint8
}

func (r *run) diagnose(c diag.Code, block int) {
	r.found = append(r.found, finding{uint32(block), codeNumber[c]})
}

// flush hands out the diagnostics of the line.
func (r *run) flush() {
	for _, f := range r.found {
		if r.err != nil {
			break
		}
		code := codes[f.code]
		if code != UnverifiedCompatibility {
			r.report.State = Partial
		}
		r.report.Diagnostics++
		r.diagnostic = Diagnostic{Place: r.place, Block: int(f.block), Code: code}
		r.err = r.h.Diagnostic(&r.diagnostic)
	}
	r.found = r.found[:0]
}

// line takes one physical line (spec/inspect.md 2.3).
func (r *run) line(rec *rollout.Record) {
	r.place = Place{Line: rec.Line, Offset: rec.Offset, Length: rec.Length}
	if rec.Length > 0 { // else the compressed stream broke between two lines
		r.report.Lines++
	}
	switch {
	case rec.Kind == rollout.Blank:
		r.report.Blank.add(rec.Length)
	case rec.Kind == rollout.Loss:
		r.lose(rec.Code)
	case !rec.Envelope.Type.IsString() || !rec.Envelope.Payload.IsObject():
		r.lose(InvalidRecord)
	default:
		r.envelope(&rec.Envelope)
	}
	r.flush()
}

// spell gives a value of the line as the report spells it.
func (r *run) spell(v rollout.Raw) rollout.Raw {
	if !r.respell || !v.IsString() {
		return v
	}
	start := len(r.spelled)
	r.spelled = appendSpelled(r.spelled, v)
	return r.spelled[start:]
}

// text gives a member of the payload where it is a string.
func (r *run) text(k key) rollout.Raw { return r.spell(r.payload.text(k)) }

// lose drops a line and what it could have said of the lines behind it.
func (r *run) lose(c diag.Code) {
	r.session, r.turn = nil, nil
	r.diagnose(c, 0)
}

// envelope takes a valid record: gates 6 to 12.
func (r *run) envelope(env *rollout.Envelope) {
	p := &r.payload
	p.read(env.Payload)
	r.respell, r.spelled = env.Respell, r.spelled[:0]
	if env.Extra {
		r.diagnose(OmittedFields, 0)
	}
	timestamp := r.spell(env.Timestamp)
	if !validTime(timestamp) {
		timestamp = nil
		r.diagnose(InvalidTimestamp, 0)
	}
	for _, k := range metadataKeys {
		if v := p.val[k]; v != nil && !v.IsString() && !v.IsNull() {
			r.diagnose(InvalidMetadata, 0)
		}
	}
	typ := recordTypeOf(env.Type)
	r.identify(typ)
	r.record = Record{
		Place: r.place, Type: r.spell(env.Type), ItemType: r.text(keyType), ID: r.text(keyID),
		Session: r.session, Turn: r.turn,
	}
	r.report.Records++
	if r.err == nil {
		r.err = r.h.Record(&r.record)
	}
	r.event = Event{
		Record: &r.record, Timestamp: timestamp, Phase: r.text(keyPhase),
		ToolID: r.text(keyCallID), ToolName: r.text(keyName), ToolNamespace: r.text(keyNamespace),
	}
	r.treat(typ)
}

// identify keeps what the record says of session and turn: gates 9 and 10.
func (r *run) identify(typ recordType) {
	p := &r.payload
	if typ == sessionMeta {
		if r.header {
			r.diagnose(RepeatedSessionMetadata, 0)
		}
		r.header = true
		r.session, r.turn = nil, nil
		if id := r.text(keyID); len(id) > len(`""`) {
			r.session = bytes.Clone(id)
			r.observe(&r.sessions, id)
		} else {
			r.diagnose(MissingSessionID, 0)
		}
		r.observe(&r.versions, p.text(keyCLIVersion))
		r.observe(&r.projects, p.text(keyCwd))
		return
	}
	if r.session == nil {
		r.diagnose(MissingSessionMetadata, 0)
	}
	if typ == turnContext {
		r.turn = bytes.Clone(r.text(keyTurnID))
		r.observe(&r.projects, p.text(keyCwd))
	}
}

// compare says so where the source is not what it was when it was opened.
func (r *run) compare(src *Source) error {
	changed, err := src.changed()
	if err != nil || !changed {
		return err
	}
	r.place = Place{}
	r.diagnose(SourceChanged, 0)
	r.flush()
	return r.err
}

// end closes the report.
func (r *run) end() *Report {
	rep := &r.report
	if rep.State != Partial && rep.Events > 0 {
		rep.State = Read
	}
	rep.SessionIDs, rep.ObservedVersions, rep.ProjectPaths = r.sessions.sorted(), r.versions.sorted(), r.projects.sorted()
	return rep
}
