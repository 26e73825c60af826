package ingest

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/fsx"
	"rollbook/internal/rollout"
	"rollbook/internal/store"
)

// Adapter is the version of the readers, as far as what they store goes. A
// source that another version read is read whole again.
const Adapter = 1

// A state says how a file stands to what was read of it the last time.
type state uint8

const (
	fresh   state = iota // never read
	same                 // nothing has changed
	grown                // something was appended
	changed              // anything else
)

// A verdict is what is to be done with a thread or a document, and why.
type verdict struct {
	action Action
	moved  bool // the source's row names another place or stamp
	code   diag.Code
	why    string
}

// thread decides about a thread: by stamps alone where those say that nothing
// has changed, else by the ends of its files.
func (r *run) decideThread(rt *root, t *threadJob) (verdict, error) {
	st := r.known.Threads[t.id]
	if st == nil || st.Current == "" {
		return verdict{action: Add}, nil
	}
	if v, other := r.otherCopy(rt, t, st); other {
		return v, nil
	}
	if v := t.narrower(st); v != nil && st.Gaps < t.gaps {
		return *v, nil
	}
	now := t.keys()
	moved, all := false, same
	for i, ref := range t.files() {
		src := r.known.Sources[now[i]]
		s, m, err := r.fileState(rt, ref, src)
		if err != nil {
			return verdict{}, err
		}
		moved = moved || m
		switch {
		case s == same, s == grown && t.isBase(i):
		case s == grown && i == t.current():
			all = max(all, grown)
		default:
			all = changed
		}
	}
	switch {
	case all == changed, st.Adapter != Adapter, !sameSet(now, st.Sources), !r.sameBases(t, st):
		return verdict{action: Replace}, nil
	case st.Partial:
		return verdict{action: Continue}, nil
	case all == grown:
		return verdict{action: Append, moved: moved}, nil
	case moved:
		return verdict{action: Relocate, moved: true}, nil
	}
	return verdict{action: Unchanged}, nil
}

// otherCopy decides where the thread at hand is not the one that the store has
// read: it lies elsewhere, and that place is not gone. The one that reaches
// further is the thread, whichever was imported first (S2).
func (r *run) otherCopy(rt *root, t *threadJob, st *store.Thread) (verdict, bool) {
	src := r.known.Sources[st.Current]
	if src == nil || place(src) == rt.abs(t.own[len(t.own)-1].Path) || rt.gone(src) {
		return verdict{}, false
	}
	cur := &t.own[len(t.own)-1]
	order := cmp.Compare(segment(cur), segmentOf(st.Current, t.id))
	if order == 0 {
		size, err := rt.textSize(cur, src)
		if err != nil || size <= src.TextSize {
			order = -1
		} else {
			order = 1
		}
	}
	if order > 0 {
		return verdict{}, false
	}
	return verdict{action: Skip, code: OtherCopy, why: fmt.Sprintf("thread %s was imported from %s, which reaches as far or further", t.id, place(src))}, true
}

// segment orders the files of a thread: segment ids are UUIDv7, and the file
// that is no segment comes first.
func segment(ref *discover.Ref) string { return ref.SegmentID }

func segmentOf(key, thread string) string {
	id := key[len(rolloutKey("")):]
	if id == thread {
		return ""
	}
	return id
}

// textSize gives how long a rollout's text is up to its last line feed, as far as that can be told
// without reading a plain file.
func (rt *root) textSize(ref *discover.Ref, src *store.Source) (int64, error) {
	if !ref.Compressed {
		return ref.Size, nil
	}
	text, err := rt.text(ref)
	if err != nil {
		return 0, err
	}
	defer text.Close()
	n, err := io.Copy(io.Discard, io.LimitReader(text, src.TextSize+1))
	return n, err
}

// narrower says so where the store knows history of a thread that does not lie
// below the root.
func (t *threadJob) narrower(st *store.Thread) *verdict {
	return &verdict{action: Skip, code: Narrow,
		why: fmt.Sprintf("thread %s builds on files that are not in the folder chosen now; what the store holds of it stays", t.id)}
}

// fileState looks how a file stands to its source; moved is set where the
// source's row has to be written again though the content is the same.
func (r *run) fileState(rt *root, ref *discover.Ref, src *store.Source) (s state, moved bool, err error) {
	if src == nil {
		return fresh, false, nil
	}
	moved = place(src) != rt.abs(ref.Path) || stampOf(src) != ref.Stamp || src.Compressed != ref.Compressed
	if !moved && !r.opt.Verify {
		return same, false, nil
	}
	if src.Adapter != Adapter {
		return changed, moved, nil
	}
	if ref.Compressed || src.Compressed || r.opt.Verify {
		s, err = rt.wholeState(ref, src)
	} else {
		s, err = rt.edgeState(ref, src)
	}
	return s, moved, err
}

func stampOf(src *store.Source) discover.FileStamp {
	return discover.FileStamp{Size: src.Size, ModTime: src.ModTime, ChangeTime: src.ChangeTime, Device: src.Device, Inode: src.Inode}
}

// edgeState compares both ends of what was read, which costs the same for any
// file.
func (rt *root) edgeState(ref *discover.Ref, src *store.Source) (state, error) {
	f, err := rt.opener.Open(*ref)
	if err != nil {
		return changed, err
	}
	defer f.Close()
	return edgeState(f, src)
}

func edgeState(f fsx.File, src *store.Source) (state, error) {
	info, err := f.Stat()
	if err != nil {
		return changed, err
	}
	if info.Size() < src.TextSize || info.Size() < src.Size {
		return changed, nil
	}
	head, err := headSum(f, src.TextSize)
	if err == nil && head != src.Head {
		return changed, nil
	}
	tail := uint64(0)
	if err == nil {
		tail, err = tailSum(f, src.TextSize)
	}
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return changed, nil
	case err != nil:
		return changed, err
	case tail != src.Tail:
		return changed, nil
	case info.Size() == src.Size && info.Size() == src.TextSize:
		return same, nil
	case info.Size() == src.Size: // the last line is not whole, and may have been written over
		return grown, nil
	}
	return grown, nil
}

// wholeState compares all of what was read.
func (rt *root) wholeState(ref *discover.Ref, src *store.Source) (state, error) {
	text, err := rt.text(ref)
	if err != nil {
		return changed, err
	}
	defer text.Close()
	sum, more, err := wholeSum(text, src.TextSize)
	switch {
	case err != nil:
		return changed, nil // reading it again says what is wrong
	case sum != src.Whole:
		return changed, nil
	case more && ref.Compressed:
		return changed, nil // it cannot be gone on with
	case more:
		return grown, nil
	}
	return same, nil
}

// text opens a rollout, decompressed.
func (rt *root) text(ref *discover.Ref) (io.ReadCloser, error) {
	f, err := rt.opener.Open(*ref)
	if err != nil {
		return nil, err
	}
	text, err := rollout.Decompress(f, ref.Path)
	if err != nil {
		f.Close()
		return nil, err
	}
	return &both{text, f}, nil
}

// both closes a text and the file below it.
type both struct {
	io.ReadCloser
	file io.Closer
}

func (b *both) Close() error {
	err := b.ReadCloser.Close()
	return cmp.Or(err, b.file.Close())
}

// sameSet compares the keys of the files that a thread was and is made of.
func sameSet(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(a, b)
}

// sameBases reports whether the thread was made with the latest reading of each
// of its bases.
func (r *run) sameBases(t *threadJob, st *store.Thread) bool {
	if len(t.bases) == 0 {
		return true
	}
	was, err := decodeResume(st.Resume)
	if err != nil {
		return false
	}
	for i := range t.bases {
		key := rolloutKey(t.bases[i].FileID())
		if was.Bases[key] != r.generation(key) {
			return false
		}
	}
	return true
}
