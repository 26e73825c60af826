package store

import (
	"cmp"
	"slices"

	"rollbook/internal/query"
	"rollbook/internal/transcript"
)

// A doc waits to be put into full text. FTS5 wants ids in ascending order, and
// closes a segment of its index each time one is not.
type doc struct {
	id   int64
	text []byte
}

// flushAt is how much text waits within one snapshot.
const flushAt = 16 << 20

// index puts a message into the queue for full text.
func (w *Writer) index(id int64, r *Row, n numbers) error {
	project := n.project
	if project == 0 {
		project = w.projectOf(n.thread)
	}
	text := appendMeta(make([]byte, 0, len(r.tokens)+80), metaOf{r.Kind, r.Role, r.Flags, n.tool, project, n.thread, n.source})
	text = append(text, r.tokens...)
	w.docs = append(w.docs, doc{id, text})
	w.docSize += len(text) + 64
	if s := w.snap; s != nil && w.docSize-s.docSize >= flushAt {
		return s.flushDocs()
	}
	return nil
}

// flushDocs puts into full text what waits since the snapshot began. What waited
// before must not be taken back with it.
func (s *Snapshot) flushDocs() error {
	own := s.w.docs[s.docs:]
	s.w.docs, s.w.docSize = s.w.docs[:s.docs], s.docSize
	return s.w.insertDocs(own)
}

// metaOf is what the meta tokens of a document say.
type metaOf struct {
	kind                          transcript.Kind
	role                          Role
	flags                         Flag
	tool, project, thread, source int64
}

// The values of flags in full text.
const (
	FlagImage     = "image"
	FlagChange    = "change"
	FlagError     = "error"
	FlagNatural   = "natural"
	FlagInherited = "inherited"
)

// appendMeta appends the meta tokens of a document.
func appendMeta(dst []byte, m metaOf) []byte {
	add := func(token string) { dst = append(append(dst, token...), ' ') }
	add(query.MetaAll.Token(""))
	add(query.MetaKind.Token(m.kind.String()))
	if m.role != NoRole {
		add(query.MetaRole.Token(m.role.String()))
	}
	add(query.MetaThread.ID(m.thread))
	for _, n := range []struct {
		meta query.Meta
		id   int64
	}{{query.MetaTool, m.tool}, {query.MetaProject, m.project}, {query.MetaSource, m.source}} {
		if n.id != 0 {
			add(n.meta.ID(n.id))
		}
	}
	for _, f := range []struct {
		flag Flag
		name string
	}{{HasImage, FlagImage}, {HasChange, FlagChange}, {IsError, FlagError}, {Natural, FlagNatural}, {Inherited, FlagInherited}} {
		if m.flags&f.flag != 0 {
			add(query.MetaFlag.Token(f.name))
		}
	}
	return dst
}

// failedCall adds to a call's document that it failed, where it still waits. One
// that does not is put in anew.
func (w *Writer) failedCall(id int64) {
	for i := len(w.docs) - 1; i >= 0 && i >= len(w.docs)-1000; i-- {
		if w.docs[i].id == id {
			w.docs[i].text = append(append(w.docs[i].text, query.MetaFlag.Token(FlagError)...), ' ')
			return
		}
	}
	w.redo = append(w.redo, id)
}

// flushDocs puts what waits into full text.
func (w *Writer) flushDocs() error {
	docs := w.docs
	w.docs, w.docSize = w.docs[:0], 0
	if err := w.insertDocs(docs); err != nil {
		return err
	}
	for _, id := range w.redo {
		if err := w.again(id); err != nil {
			return err
		}
	}
	w.redo = w.redo[:0]
	return nil
}

// withdraw takes a document out of what waits, which must be in order. What was
// never put in need not be taken out: that slows down every search.
func (w *Writer) withdraw(id int64) bool {
	i, waits := slices.BinarySearchFunc(w.docs, id, func(d doc, id int64) int { return cmp.Compare(d.id, id) })
	if waits {
		w.docs[i].text = nil
	}
	return waits
}

func sortDocs(docs []doc) {
	slices.SortFunc(docs, func(a, b doc) int { return cmp.Compare(a.id, b.id) })
}

func (w *Writer) insertDocs(docs []doc) error {
	sortDocs(docs)
	for _, d := range docs {
		if d.text == nil {
			continue // withdrawn
		}
		if err := w.insertDoc(Words, d); err != nil {
			return err
		}
	}
	clear(docs)
	return nil
}

func (w *Writer) insertDoc(table string, d doc) error {
	st, err := w.c.Prepare("INSERT INTO " + table + "(rowid, text) VALUES(?, ?)")
	if err != nil {
		return err
	}
	st.BindInt64(1, d.id)
	st.BindText(2, string(d.text))
	_, err = st.Step()
	if resetErr := st.Reset(); err == nil {
		err = resetErr
	}
	return err
}
