package store

import (
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"rollbook/internal/transcript"
)

// A Snapshot replaces what the store holds of a stream. Until Finish readers see
// the old one; one at a time is open.
type Snapshot struct {
	w                   *Writer
	stream              int64
	from                int // first event that is replaced
	slots               map[slotKey]slot
	seen                map[int64]bool // threads that rows belong to, or belonged to
	linked              map[int64]bool // threads that the stream is known to tell of
	docs, docSize, redo int            // of the writer's, before
	ms                  int64          // of the row before, and how many it had
	n                   int
	calls               map[callKey]int64 // calls without a result yet
	looked              map[int64]bool    // for those before the first event that is replaced
	added               bool              // events that go into outputs
}

// maxCalls bounds the calls whose result is still to come; the latest count.
const maxCalls = 10_000

// Replace begins a snapshot: what the stream holds of events from from on is
// taken away; 1 stands for all. t is what is known of the thread of an assembled
// stream, and nil for a document.
func (w *Writer) Replace(stream string, t *Thread, from int) (*Snapshot, error) {
	if w.snap != nil {
		return nil, errors.New("a snapshot is open")
	}
	if w.rows >= commitRows || w.docSize >= commitDocs {
		if err := w.Commit(); err != nil {
			return nil, err
		}
	}
	if err := w.begin(); err != nil {
		return nil, err
	}
	s := &Snapshot{w: w, from: from, slots: make(map[slotKey]slot), seen: make(map[int64]bool), linked: make(map[int64]bool), docs: len(w.docs), docSize: w.docSize, redo: len(w.redo), calls: make(map[callKey]int64), looked: make(map[int64]bool)}
	if err := s.start(stream, t); err != nil {
		return nil, w.fail(err)
	}
	return s, nil
}

func (s *Snapshot) start(stream string, t *Thread) (err error) {
	w := s.w
	if s.stream, err = w.stream(stream); err != nil {
		return err
	}
	held, err := number(w.c, "SELECT EXISTS(SELECT 1 FROM stream_threads WHERE stream = ?)", s.stream)
	if err != nil {
		return err
	}
	others := int64(0)
	if t != nil {
		if others, err = number(w.c, "SELECT EXISTS(SELECT 1 FROM stream_threads s JOIN threads t ON t.id = s.thread WHERE t.thread = ?)", t.ID); err != nil {
			return err
		}
	}
	if held+others != 0 { // what of it still waits for full text must not be put there later
		if err := w.flushDocs(); err != nil {
			return err
		}
		s.docs, s.docSize, s.redo = 0, 0, 0
	}
	if err := w.exec("SAVEPOINT snapshot"); err != nil {
		return err
	}
	w.snap = s
	if t != nil {
		if err := w.putThread(t); err != nil {
			return err
		}
	}
	if held == 0 {
		return nil
	}
	return w.removeEvents(s.stream, s.from, s.seen)
}

// Add adds an event. Events come in the order of their Seq.
func (s *Snapshot) Add(r *Row) error {
	if err := s.add(r); err != nil {
		return s.w.fail(err)
	}
	return nil
}

func (s *Snapshot) add(r *Row) error {
	w := s.w
	thread, err := w.thread(r.Thread)
	if err != nil {
		return err
	}
	if !s.linked[thread] {
		s.linked[thread], s.seen[thread] = true, true
		if err := w.exec("INSERT OR IGNORE INTO stream_threads(thread, stream) VALUES(?, ?)", thread, s.stream); err != nil {
			return err
		}
	}
	n, err := s.numbers(r)
	if err != nil {
		return err
	}
	n.thread = thread
	id, err := s.insert(r, n)
	if err != nil {
		return err
	}
	w.rows++
	w.count(thread, id, slotOf(r.Kind, r.Flags, r.chars, r.Usage), +1)
	if err := s.beside(r, id, thread); err != nil {
		return err
	}
	switch indexed(r.Kind) {
	case Words:
		return w.index(id, r, n)
	case Outputs:
		s.added = true
	}
	return nil
}

// numbers are what names come to.
type numbers struct{ thread, source, tool, model, project int64 }

func (s *Snapshot) numbers(r *Row) (n numbers, err error) {
	w := s.w
	if n.source, err = w.source(r.Source); err != nil {
		return n, err
	}
	if n.tool, err = w.tool(r.Tool); err != nil {
		return n, err
	}
	if n.model, err = w.model(r.model, r.provider); err != nil {
		return n, err
	}
	n.project, err = w.project(r.Project)
	return n, err
}

const insertEvent = `INSERT INTO events(id, thread, stream, seq, source, turn, kind, role, channel, flags, line, item, offset, tool, model, project, chars, hash)
	VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// insert puts the row in under the next id that is free.
func (s *Snapshot) insert(r *Row, n numbers) (int64, error) {
	ms := clampMilli(r.Time.UnixMilli())
	if s.n++; ms != s.ms {
		s.ms, s.n = ms, int(s.stream*16)&(1<<countBits-1)
	}
	for {
		if s.n >= 1<<countBits {
			ms, s.n = ms+1, 0 // the millisecond is full
		}
		id := idOf(ms, s.n, r.length)
		err := s.tryInsert(id, r, n)
		if err == nil {
			return id, s.insertBody(id, r)
		}
		if code := sqlite.ErrCode(err); code != sqlite.ResultConstraintPrimaryKey && code != sqlite.ResultConstraintRowID {
			return 0, err
		}
		last, err := number(s.w.c, "SELECT max(id) FROM events WHERE id >= ? AND id < ?", ms<<timeShift, (ms+1)<<timeShift)
		if err != nil {
			return 0, err
		}
		s.n = int(last>>lengthBits)&(1<<countBits-1) + 1
	}
}

func (s *Snapshot) tryInsert(id int64, r *Row, n numbers) error {
	st, err := s.w.c.Prepare(insertEvent)
	if err != nil {
		return err
	}
	for i, v := range [...]int64{id, n.thread, s.stream, int64(r.Seq), n.source, int64(r.Turn), int64(r.Kind), int64(r.Role), int64(r.Channel), int64(r.Flags),
		int64(r.Line), int64(r.Item), r.Offset, n.tool, n.model, n.project, int64(r.chars), int64(r.hash)} {
		if v == 0 && (i == 4 || i >= 13 && i <= 15) {
			st.BindNull(i + 1)
			continue
		}
		st.BindInt64(i+1, v)
	}
	_, err = st.Step()
	if resetErr := st.Reset(); err == nil {
		err = resetErr
	}
	return err
}

func (s *Snapshot) insertBody(id int64, r *Row) error {
	if r.body == "" && r.extra == nil {
		return nil
	}
	st, err := s.w.c.Prepare("INSERT INTO bodies(id, body, extra) VALUES(?, ?, ?)")
	if err != nil {
		return err
	}
	st.BindInt64(1, id)
	bind(st, 2, r.body)
	bind(st, 3, r.extra)
	_, err = st.Step()
	if resetErr := st.Reset(); err == nil {
		err = resetErr
	}
	return err
}

func bind(st *sqlite.Stmt, at int, v any) {
	switch v := v.(type) {
	case string:
		st.BindText(at, v)
	case []byte:
		st.BindBytes(at, v)
	default:
		st.BindNull(at)
	}
}

// beside writes what some kinds have besides their row.
func (s *Snapshot) beside(r *Row, id, thread int64) error {
	switch r.Kind {
	case transcript.ToolCall:
		if r.callID != "" {
			if len(s.calls) >= maxCalls {
				clear(s.calls)
			}
			s.calls[callKey{thread, r.callID}] = id
		}
		return s.w.exec("INSERT INTO calls(call) VALUES(?)", id)
	case transcript.ToolResult:
		key := callKey{thread, r.callID}
		if _, ok := s.calls[key]; !ok && r.callID != "" {
			if err := s.openCalls(thread); err != nil {
				return err
			}
		}
		call, ok := s.calls[key]
		if !ok {
			return nil // it has none
		}
		delete(s.calls, key)
		return s.result(call, id, r.result)
	case transcript.Usage:
		if u := r.Usage; u != nil {
			return s.w.putUsage(id, thread, u)
		}
	}
	return nil
}

func (s *Snapshot) result(call, result int64, c *callResult) error {
	var exit, failed, taken any
	if c.exit != nil {
		exit = *c.exit
	}
	if c.failed != nil {
		failed = *c.failed
	}
	if c.duration != nil {
		taken = c.duration.Milliseconds()
	}
	if c.failed != nil && *c.failed {
		if err := s.w.exec("UPDATE events SET flags = flags | ? WHERE id = ?", int64(IsError), call); err != nil {
			return err
		}
		s.w.failedCall(call)
	}
	return s.w.exec("UPDATE calls SET result = ?, exit_code = ?, failed = ?, duration = ? WHERE call = ?", result, exit, failed, taken, call)
}

func (w *Writer) putUsage(id, thread int64, u *Usage) error {
	var response, cached, reasoning any
	if u.ResponseID != "" {
		response = u.ResponseID
	}
	if !u.NoCached {
		cached = u.CachedInput
	}
	if !u.NoReasoning {
		reasoning = u.ReasoningOutput
	}
	return w.exec("INSERT INTO usage VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", id, thread, int64(u.Kind), response, u.Input, cached, u.Output, reasoning, u.Total)
}

// Finish makes the snapshot what the store holds. t is as in Replace, with what
// was learned since; sources are those that were read.
func (s *Snapshot) Finish(t *Thread, sources []*Source, diags []Diagnostic) error {
	w := s.w
	if err := s.finish(t, sources, diags); err != nil {
		return w.fail(err)
	}
	for key, d := range s.slots {
		sum := w.slots[key]
		sum.add(d, +1)
		w.slots[key] = sum
	}
	for thread := range s.seen {
		w.touched[thread] = true
	}
	w.snap = nil
	return nil
}

func (s *Snapshot) finish(t *Thread, sources []*Source, diags []Diagnostic) error {
	w := s.w
	if s.added { // before the thread may move: its outputs are indexed once
		if err := w.later(s.stream, s.from); err != nil {
			return err
		}
	}
	if t != nil {
		if err := w.putThread(t); err != nil {
			return err
		}
	}
	for _, src := range sources {
		if err := w.putSource(src); err != nil {
			return err
		}
	}
	if err := w.putDiagnostics(diags); err != nil {
		return err
	}
	return w.exec("RELEASE snapshot")
}

// later notes that outputs of a stream are to be indexed from an event on.
func (w *Writer) later(stream int64, from int) error {
	if was, ok := w.todo[stream]; ok && was <= from {
		return nil
	}
	w.todo[stream] = from
	return w.exec("INSERT INTO todo(stream, seq) VALUES(?, ?) ON CONFLICT DO UPDATE SET seq = excluded.seq", stream, from)
}

// Abandon leaves the stream as it was before Replace.
func (s *Snapshot) Abandon() error {
	w := s.w
	if w.snap != s {
		return nil // it failed already
	}
	w.c.SetInterrupt(nil) // it is done after a call to stop, too
	for _, sql := range []string{"ROLLBACK TO snapshot", "RELEASE snapshot"} {
		if err := w.exec(sql); err != nil {
			return w.fail(err)
		}
	}
	w.snap = nil
	w.docs, w.docSize, w.redo = w.docs[:s.docs], s.docSize, w.redo[:s.redo]
	w.ids = newIDs() // some of the numbers are gone
	clear(w.todo)
	if err := w.loadTodo(); err != nil {
		return w.fail(fmt.Errorf("after taking back: %w", err))
	}
	return nil
}
