package store

import (
	"cmp"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"rollbook/internal/query"
	"rollbook/internal/transcript"
)

// settleThread brings up to date what follows from all streams of a thread:
// mirrors, and of a thread that no rollout tells of its title and times.
func (w *Writer) settleThread(thread int64) error {
	if err := w.mirrors(thread); err != nil {
		return err
	}
	told := int64(0) // by a rollout
	if err := w.query("SELECT current != '' FROM threads WHERE id = ?", func(s *sqlite.Stmt) error {
		told = s.ColumnInt64(0)
		return nil
	}, thread); err != nil || told != 0 {
		return err
	}
	events, err := number(w.c, "SELECT EXISTS(SELECT 1 FROM events WHERE thread = ?)", thread)
	if err != nil {
		return err
	}
	if events == 0 { // nobody tells of it any more
		if err := w.exec("DELETE FROM stream_threads WHERE thread = ?", thread); err != nil {
			return err
		}
		w.ids = newIDs() // its number may be another's from now on
		return w.exec("DELETE FROM threads WHERE id = ? AND current = ''", thread)
	}
	err = w.exec(`UPDATE threads SET
		created = (SELECT min(id) >> 20 FROM events WHERE thread = ?1), updated = (SELECT max(id) >> 20 FROM events WHERE thread = ?1)
		WHERE id = ?1 AND current = ''`, thread)
	if err != nil {
		return err
	}
	return w.promptTitle(thread)
}

// promptTitle gives a thread that no rollout tells of, and that nobody named, the
// first line of its first prompt as its title.
func (w *Writer) promptTitle(thread int64) error {
	title, source, first := "", "", int64(-1)
	err := w.query(`SELECT e.id >> 20, b.body FROM events e JOIN bodies b ON b.id = e.id
		WHERE e.thread = ? AND e.kind = ? AND e.flags & ? != 0 ORDER BY e.id LIMIT 100`,
		func(s *sqlite.Stmt) error {
			text, err := columnText(s, 1)
			ms, line := s.ColumnInt64(0), firstLine(text)
			if first < 0 || ms == first && line < title { // of several at once any order of imports chooses the same
				first, title, source = ms, line, "prompt"
			}
			return err
		}, thread, int64(transcript.User), int64(Natural))
	if err != nil {
		return err
	}
	return w.exec("UPDATE threads SET title = ?, title_source = ? WHERE id = ? AND title_source IN ('', 'prompt')", title, source, thread)
}

// firstLine is the first line of a text that is not blank, for a title.
func firstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = strings.TrimSpace(line); line != "" {
			line, _ = clip(line, 200)
			return line
		}
	}
	return ""
}

// A twin is a message that may be the mirror of one in another stream.
type twin struct {
	id, stream int64
	source     string
	line       int64
	channel    Channel
	flags      Flag
	kind       transcript.Kind
	chars      int
	same       string // role, tool and text: what mirrors have in common
	kept       []int64
}

// mirrorSpan is how far apart mirrors may be, in milliseconds.
const mirrorSpan = 2000

// priority orders channels: the first is the one that stays in sight.
func (c Channel) priority() int {
	switch c {
	case ChannelEvent:
		return 0
	case ChannelResponse, ChannelNormalized:
		return 1
	case ChannelHistory:
		return 2
	}
	return 3
}

// mirrors marks the messages that another stream of the thread holds too
// (docs/format/store.md, "Mirrors").
func (w *Writer) mirrors(thread int64) error {
	streams := 0
	if err := w.query("SELECT count(*) FROM stream_threads WHERE thread = ?", func(s *sqlite.Stmt) error {
		streams = s.ColumnInt(0)
		return nil
	}, thread); err != nil || streams < 2 && !w.alone[thread] {
		return err
	}
	twins, err := w.twins(thread)
	if err != nil {
		return err
	}
	mirror := findMirrors(twins)
	for i := range twins {
		t := &twins[i]
		if is := mirror[t.id]; is != (t.flags&Mirror != 0) {
			if err := w.setMirror(thread, t, is); err != nil {
				return err
			}
		}
	}
	return nil
}

// twins gives the messages of a thread whose text more than one row has.
func (w *Writer) twins(thread int64) ([]twin, error) {
	var all []twin
	err := w.query(`SELECT e.id, e.stream, coalesce(s.key, ''), e.line + e.item, e.channel, e.flags, e.kind, e.chars, e.role, coalesce(e.tool, 0), e.hash
		FROM events e LEFT JOIN sources s ON s.id = e.source WHERE e.thread = ? AND e.kind IN (?, ?, ?)`, func(s *sqlite.Stmt) error {
		all = append(all, twin{id: s.ColumnInt64(0), stream: s.ColumnInt64(1), source: s.ColumnText(2), line: s.ColumnInt64(3), channel: Channel(s.ColumnInt64(4)),
			flags: Flag(s.ColumnInt64(5)), kind: transcript.Kind(s.ColumnInt64(6)), chars: s.ColumnInt(7),
			same: s.ColumnText(8) + " " + s.ColumnText(9) + " " + s.ColumnText(10)})
		return nil
	}, thread, int64(transcript.User), int64(transcript.Assistant), int64(transcript.ToolCall))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b twin) int {
		return cmp.Or(cmp.Compare(a.channel.priority(), b.channel.priority()), strings.Compare(a.source, b.source), cmp.Compare(a.line, b.line), cmp.Compare(a.id, b.id))
	})
	return all, nil
}

// findMirrors goes over messages in the order in which they are kept: each is
// the mirror of the first that is kept with the same text within two seconds and
// was not matched by its stream yet.
func findMirrors(twins []twin) map[int64]bool {
	mirror := make(map[int64]bool)
	kept := make(map[window][]int) // places in twins, growing
	for i := range twins {
		t := &twins[i]
		at := window{t.same, t.id >> timeShift / mirrorSpan}
		of := -1
		for _, near := range []window{{at.same, at.span - 1}, at, {at.same, at.span + 1}} {
			for _, k := range kept[near] {
				if of >= 0 && k > of {
					break
				}
				if twins[k].mirroredBy(t) {
					of = k
					break
				}
			}
		}
		if of < 0 {
			t.kept = append(t.kept, t.stream)
			kept[at] = append(kept[at], i)
			continue
		}
		twins[of].kept = append(twins[of].kept, t.stream)
		mirror[t.id] = true
	}
	return mirror
}

// A window is what messages of the same text and about the same time share, so
// that none is compared with all that say "go on".
type window struct {
	same string
	span int64
}

// mirroredBy says whether a message of the same text may be the mirror of k.
func (k *twin) mirroredBy(t *twin) bool {
	apart := t.id>>timeShift - k.id>>timeShift
	return apart >= -mirrorSpan && apart <= mirrorSpan && !slices.Contains(k.kept, t.stream)
}

// setMirror marks a message, or takes the mark away: a mirror is neither found
// nor counted.
func (w *Writer) setMirror(thread int64, t *twin, is bool) error {
	flags := t.flags &^ Mirror
	if is {
		flags |= Mirror
	}
	if err := w.exec("UPDATE events SET flags = ? WHERE id = ?", int64(flags), t.id); err != nil {
		return err
	}
	w.count(thread, t.id, slotOf(t.kind, t.flags, t.chars, nil), -1)
	w.count(thread, t.id, slotOf(t.kind, flags, t.chars, nil), +1)
	switch {
	case !is:
		return w.again(t.id)
	case w.withdraw(t.id):
		return nil
	}
	return w.exec("DELETE FROM words WHERE rowid = ?", t.id)
}

// again puts an event into full text anew.
func (w *Writer) again(id int64) error {
	var d doc
	var table string
	err := w.query(documentQuery+" WHERE e.id = ?", func(s *sqlite.Stmt) (err error) {
		d, table, err = readDoc(s)
		return err
	}, id)
	if err != nil || table == "" {
		return err
	}
	if err := w.exec("DELETE FROM "+table+" WHERE rowid = ?", id); err != nil {
		return err
	}
	return w.insertDoc(table, d)
}

const documentQuery = `SELECT e.id, e.kind, e.role, e.flags, coalesce(e.tool, 0), coalesce(e.project, t.project, 0), e.thread, coalesce(e.source, 0), b.body
	FROM events e JOIN threads t ON t.id = e.thread LEFT JOIN bodies b ON b.id = e.id`

// readDoc makes the document of an event, which has none where table is empty.
func readDoc(s *sqlite.Stmt) (d doc, table string, err error) {
	m := metaOf{transcript.Kind(s.ColumnInt64(1)), Role(s.ColumnInt64(2)), Flag(s.ColumnInt64(3)), s.ColumnInt64(4), s.ColumnInt64(5), s.ColumnInt64(6), s.ColumnInt64(7)}
	table = indexed(m.kind)
	if table == "" || m.flags&Mirror != 0 {
		return doc{}, "", nil
	}
	text, err := columnText(s, 8)
	if err != nil {
		return doc{}, "", err
	}
	tokens, _ := query.AppendTokens(nil, text)
	out := appendMeta(make([]byte, 0, len(tokens)+80), m)
	if table == Words { // outputs are ranked by their length alone
		tokens = query.AppendMarkers(tokens, tokens)
	}
	out = append(out, tokens...)
	return doc{s.ColumnInt64(0), out}, table, nil
}

// columnText gives a body or an extra.
func columnText(s *sqlite.Stmt, col int) (string, error) {
	if s.ColumnType(col) == sqlite.TypeBlob {
		return unpack(columnBytes(s, col))
	}
	return s.ColumnText(col), nil
}

// moveThread puts the documents of a thread into full text anew, since its
// project is another now.
func (w *Writer) moveThread(thread int64) error {
	flush := w.flushDocs
	if w.snap != nil {
		flush = w.snap.flushDocs
	}
	if err := flush(); err != nil { // what waits would be put there twice
		return err
	}
	var words []int64
	err := w.query("SELECT id FROM events WHERE thread = ? AND project IS NULL AND kind IN (?, ?, ?) AND flags & ? = 0", func(s *sqlite.Stmt) error {
		words = append(words, s.ColumnInt64(0))
		return nil
	}, thread, int64(transcript.User), int64(transcript.Assistant), int64(transcript.ToolCall), int64(Mirror))
	if err != nil {
		return err
	}
	for _, id := range words {
		if err := w.again(id); err != nil {
			return err
		}
	}
	return w.redoOutputs(thread)
}

// redoOutputs puts the outputs of a thread that the second pass has indexed into
// full text anew.
func (w *Writer) redoOutputs(thread int64) error {
	var streams []int64
	err := w.query("SELECT stream FROM stream_threads WHERE thread = ?", func(s *sqlite.Stmt) error {
		streams = append(streams, s.ColumnInt64(0))
		return nil
	}, thread)
	if err != nil {
		return err
	}
	for _, stream := range streams {
		indexedTo := 1<<62 - 1
		if seq, ok := w.todo[stream]; ok {
			indexedTo = seq
		}
		var ids []int64
		err := w.query("SELECT id FROM events WHERE thread = ? AND stream = ? AND seq < ? AND kind IN (?, ?, ?, ?, ?) AND project IS NULL",
			func(s *sqlite.Stmt) error {
				ids = append(ids, s.ColumnInt64(0))
				return nil
			}, thread, stream, indexedTo, int64(transcript.ToolResult), int64(transcript.Reasoning), int64(transcript.Compaction), int64(transcript.Context), int64(transcript.Notice))
		if err != nil {
			return err
		}
		for _, id := range ids {
			if err := w.again(id); err != nil {
				return err
			}
		}
	}
	return nil
}
