package discover

import (
	"bytes"
	"context"
	"io/fs"
	"testing"
	"testing/fstest"

	"rollbook/internal/rollout"
	"rollbook/internal/rolltest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

type memFile struct {
	*bytes.Reader
	info fs.FileInfo
}

func (f memFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f memFile) Close() error               { return nil }

// sized is a file that says it has another size than it has.
type sized struct {
	fs.FileInfo
	size int64
}

func (s sized) Size() int64 { return s.size }

// probes is used by one test at a time, as a worker uses its own.
var probes = prober{ctx: context.Background()}

// probeText looks at a file in memory. more is how much longer it says it is.
func probeText(t testing.TB, name string, data []byte, more int64) *head {
	t.Helper()
	info, err := fstest.MapFS{"x": {Data: data}}.Stat("x")
	if err != nil {
		t.Fatal(err)
	}
	c := &candidate{path: "sessions/" + name, name: ParseName(name)}
	_, c.zst = cutSuffix(name, ".zst")
	h := newHead(c)
	if err := probes.read(memFile{bytes.NewReader(data), info}, sized{info, info.Size() + more}, h); err != nil {
		t.Fatal(err)
	}
	h.finish()
	return h
}

// TestTruncation: of every start of a rollout the thread is known, and nothing
// is later than in the whole file.
func TestTruncation(t *testing.T) {
	for _, v := range rolltest.Versions {
		r := rolltest.New(v, rolltest.Meta{})
		r.Turn("why does it fail?").Shell("go build", "no\n", 1).Assistant("because").TurnComplete()
		text := r.Bytes()
		whole := probeText(t, r.FileName(), text, 0).ref
		if whole.Last.IsZero() || whole.ID != r.ID || v != rolltest.V20 && !whole.Last.Equal(lastTimeOf(t, text)) {
			t.Fatalf("%v: %+v", v, whole)
		}
		meta := bytes.IndexByte(text, '\n')
		for n := 0; n < len(text); n += 5 {
			h := probeText(t, r.FileName(), text[:n], 0)
			ref := h.ref
			if ref.ID != r.ID || (ref.MetaLine == 1) != (n >= meta) || (ref.FirstLineProblem == "") != (n >= meta) || ref.Last.After(whole.Last) && n >= meta || len(h.diags) == 0 && n < meta {
				t.Fatalf("%v: %d of %d bytes: %+v %v", v, n, len(text), ref, h.diags)
			}
		}
		packed := compressed(t, string(text))
		for n := 0; n < len(packed); n += 11 {
			if ref := probeText(t, r.FileName()+".zst", packed[:n], 0).ref; ref.ID != r.ID || ref.Last.IsZero() {
				t.Fatalf("%v: %d of %d compressed bytes: %+v", v, n, len(packed), ref)
			}
		}
	}
}

// TestChangedSize: a file that shrinks while it is looked at does no harm.
func TestChangedSize(t *testing.T) {
	text := []byte(rolloutText(idA))
	for _, more := range []int64{-100, -1, 1, 1000, 100_000, 1 << 30} {
		if ref := probeText(t, fileName(idA), text, more).ref; ref.ID != idA || ref.MetaLine != 1 || ref.Last.IsZero() {
			t.Errorf("%d more: %+v", more, ref)
		}
	}
}

// FuzzProbe: on any bytes no panic and always an id; a file and its compressed
// form say the same.
func FuzzProbe(f *testing.F) {
	for _, v := range rolltest.Versions {
		r := rolltest.New(v, rolltest.Meta{})
		r.Turn("why?").Assistant("because").TurnComplete()
		f.Add(r.Bytes())
	}
	f.Add([]byte("\ufeff" + rolloutText(idA)))
	f.Add([]byte("\xff\n[]\n" + rolloutText(idB) + `{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context><cwd>x"}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range []string{fileName(idA), "x.jsonl"} {
			h := probeText(t, name, text, 0)
			if h.ref.ID == "" || len(h.ref.ID) > maxID || len(h.ref.Cwd) > maxText || h.ref.Source == "" || h.ref.MetaLine == 0 && h.ref.FirstLineProblem == "" {
				t.Fatalf("%+v", h.ref)
			}
			probeText(t, name, text, 77)
			probeText(t, name+".zst", text, 0)
			if len(text) == 0 || len(text) >= headFirst || rollout.Raw(text).IsString() {
				continue
			}
			packed := probeText(t, name, compressed(t, string(text)), 0)
			alike := []cmp.Option{cmpopts.IgnoreFields(Ref{}, "Compressed", "Last", "Size")}
			if d := cmp.Diff(h.ref, packed.ref, alike...); d != "" && text[0] != 0x28 {
				t.Fatal(d)
			}
		}
	})
}
