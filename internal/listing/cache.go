package listing

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/fsx"
)

// format names the layout of the cache file and the rules by which it was
// filled. It is raised when either changes.
const format = "rollbook listing 2\n"

// maxCache is the largest cache file that is read, in bytes. A home of 10,000
// threads takes about 4 MB.
const maxCache = 1 << 30

// A file is what is kept of one file that was looked into.
type file struct {
	path    string
	stamp   stamp
	rollout bool // else nothing is known of it
	ref     discover.Ref
	diags   []diag.Diagnostic

	same bool // it was found unchanged
}

func (f *file) look() discover.Look {
	if !f.rollout {
		return discover.Look{Diags: f.diags}
	}
	return discover.Look{Ref: &f.ref, Diags: f.diags}
}

// A stamp says whether a file is still the same.
type stamp struct {
	size     int64
	modified int64  // nanoseconds since 1970
	changed  int64  // when anything about it changed, as the system tells; 0 where it does not
	inode    uint64 // 0 where the system has none
}

func stampOf(info fs.FileInfo) stamp {
	s := discover.StampOf(info)
	changed := int64(0)
	if !s.ChangeTime.IsZero() {
		changed = s.ChangeTime.UnixNano()
	}
	return stamp{s.Size, info.ModTime().UnixNano(), changed, s.Inode}
}

// A cache is what is known of a home from listings before, and the Memory of
// the listing at hand. The cache file is only a copy of what the rollouts say:
// one that is damaged, or of another home or program, is as good as none.
//
// Its bytes: the format, the program and the home, the files, the threads, all
// by codec, and at the end a CRC-32C of all before, four bytes, little-endian.
// Two listings at once each write their own file whole; the last one stays.
type cache struct {
	name          string // "" keeps nothing
	program, home string
	files         map[string]*file
	threads       map[string]*entry

	loaded chan struct{} // closed when files and threads are there

	mu    sync.Mutex
	fresh map[string]*file // looked into by this listing
}

func newCache(o Options, home string) *cache {
	return &cache{name: o.Cache, program: o.Program, home: home, fresh: make(map[string]*file), loaded: make(chan struct{})}
}

// load reads the cache file. It must be called once, and may run beside the walk
// of the home: Recall waits for it.
func (c *cache) load() {
	defer close(c.loaded)
	if c.name == "" {
		return
	}
	if text, ok := readCache(c.name); ok {
		c.decode(text)
	}
}

// readCache gives the text between the format and the checksum; one that cannot
// be read, or is not whole, is as good as none.
func readCache(name string) (string, bool) {
	f, err := fsx.OS.Open(name)
	if err != nil {
		return "", false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxCache || info.Size() < int64(len(format)+crc32.Size) {
		return "", false
	}
	var b strings.Builder
	b.Grow(int(info.Size()))
	sum := crc32.New(castagnoli)
	if _, err := io.CopyN(&b, io.TeeReader(f, sum), info.Size()-crc32.Size); err != nil {
		return "", false
	}
	var want [crc32.Size]byte
	if _, err := io.ReadFull(f, want[:]); err != nil || binary.LittleEndian.Uint32(want[:]) != sum.Sum32() {
		return "", false
	}
	return strings.CutPrefix(b.String(), format)
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// decode takes what is kept; of a text that is not whole, or of another home or
// program, nothing, and reports false.
func (c *cache) decode(text string) bool {
	k := newReader(text)
	files, threads := k.all(c.program, c.home, nil, nil)
	if k.err != nil || k.at < len(text) {
		return false
	}
	c.files, c.threads = make(map[string]*file, len(files)), make(map[string]*entry, len(threads))
	for i := range files {
		c.files[files[i].path] = &files[i]
	}
	for i := range threads {
		c.threads[threads[i].id] = &threads[i]
	}
	return true
}

// all codes everything. Read, it fails for another program or home.
func (c *codec) all(program, home string, files []file, threads []entry) ([]file, []entry) {
	p, h := program, home
	text(c, &p)
	text(c, &h)
	if p != program || h != home {
		c.fail()
	}
	list(c, &files, codeFile)
	list(c, &threads, codeEntry)
	return files, threads
}

// Recall gives what is kept of a file that has not changed.
func (c *cache) Recall(path string, info fs.FileInfo) (discover.Look, bool) {
	<-c.loaded
	f := c.files[path]
	if f == nil || f.stamp != stampOf(info) {
		return discover.Look{}, false
	}
	f.same = true // each file is asked for once
	return f.look(), true
}

// Keep takes what is to be kept of a file.
func (c *cache) Keep(path string, info fs.FileInfo, look discover.Look) {
	f := &file{path: path, stamp: stampOf(info), diags: look.Diags}
	if look.Ref != nil {
		f.rollout, f.ref = true, *look.Ref
	}
	c.mu.Lock()
	c.fresh[path] = f
	c.mu.Unlock()
}

// ref gives what the listing at hand knows of a rollout.
func (c *cache) ref(path string) *discover.Ref {
	if f := c.fresh[path]; f != nil {
		return &f.ref
	}
	return &c.files[path].ref
}

// thread gives the entry of a thread whose files are those named, if none of
// them has changed.
func (c *cache) thread(id string, sources []string) *entry {
	e := c.threads[id]
	if e == nil || !slices.Equal(e.sources, sources) {
		return nil
	}
	for _, name := range sources {
		if f := c.files[name]; f == nil || !f.same {
			return nil
		}
	}
	e.known = true
	return e
}

// save writes the cache file, if it would be another. Nothing is kept that the
// listing at hand did not find.
func (c *cache) save(entries []*entry) error {
	if c.name == "" {
		return nil
	}
	changed := c.files == nil || len(c.fresh) > 0
	for _, f := range c.files {
		changed = changed || !f.same
	}
	var kept []*entry
	for _, e := range entries {
		if !e.passing() {
			kept = append(kept, e)
			changed = changed || !e.known
		}
	}
	if !changed && len(kept) == len(c.threads) {
		return nil
	}
	if err := fsx.MkdirAll(fsx.OS, filepath.Dir(c.name)); err != nil {
		return fmt.Errorf("write %s: %w", c.name, err)
	}
	return fsx.WriteFile(fsx.OS, c.name, 0o600, func(w io.Writer) error {
		_, err := w.Write(c.encode(c.found(), kept))
		return err
	})
}

// found gives what is known of the files that the listing at hand found.
func (c *cache) found() []*file {
	files := slices.Collect(maps.Values(c.fresh))
	for _, f := range c.files {
		if f.same {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b *file) int { return strings.Compare(a.path, b.path) })
	return files
}

func (c *cache) encode(files []*file, threads []*entry) []byte {
	k := newWriter()
	k.out = append(k.out, format...)
	k.all(c.program, c.home, values(files), values(threads))
	return binary.LittleEndian.AppendUint32(k.out, crc32.Checksum(k.out, castagnoli))
}

func values[T any](list []*T) []T {
	all := make([]T, len(list))
	for i, v := range list {
		all[i] = *v
	}
	return all
}
