package rolltest

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A Home is a Codex home: rollouts, the prompts typed in them, their names.
type Home struct {
	seed     uint64
	rollouts []*Rollout
	prompts  []dated // lines of history.jsonl
	names    []dated // lines of session_index.jsonl
	files    []File
}

type dated struct {
	at   time.Time
	line string
}

// A File is one file of a home.
type File struct {
	Path    string // below the home, with slashes
	Data    []byte
	ModTime time.Time
}

// NewHome makes an empty home. The seed decides every id in it.
func NewHome(seed uint64) *Home { return &Home{seed: seed} }

// New starts a rollout of the home. Forks, segments and sub-agents that come
// from it belong to the home too.
func (h *Home) New(v Version, m Meta) *Rollout {
	if m.Seed == 0 {
		m.Seed = h.seed<<20 + uint64(len(h.rollouts)) + 1
	}
	return newRollout(h, v, m)
}

// Add puts any other file into the home.
func (h *Home) Add(path string, data []byte) {
	h.files = append(h.files, File{Path: path, Data: data})
}

// Name gives the thread a name, as session_index.jsonl keeps it. A thread may
// be named again: the last line counts.
func (r *Rollout) Name(name string) *Rollout {
	if r.home == nil {
		panic("rolltest: Name needs a rollout of a home")
	}
	r.tick(20, 400)
	at := r.now.Add(time.Duration(r.rng.IntN(1e6)))
	line := O{"id", r.ID, "thread_name", name, "updated_at", at.Format(time.RFC3339Nano)}.String()
	r.home.names = append(r.home.names, dated{at, line})
	return r
}

// typed keeps a prompt of the terminal: only those are in history.jsonl.
func (h *Home) typed(r *Rollout, text string) {
	line := O{"session_id", r.ID, "ts", r.now.Unix(), "text", text}.String()
	h.prompts = append(h.prompts, dated{r.now, line})
}

// Rollouts gives the home's rollouts in the order in which they were made.
func (h *Home) Rollouts() []*Rollout { return h.rollouts }

// Files gives every file of the home, by path.
func (h *Home) Files() []File {
	files := slices.Clone(h.files)
	for _, r := range h.rollouts {
		files = append(files, File{r.Path(), r.Data(), r.modTime()})
	}
	files = appendIndex(files, "history.jsonl", h.prompts)
	files = appendIndex(files, "session_index.jsonl", h.names)
	slices.SortFunc(files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return files
}

func appendIndex(files []File, name string, lines []dated) []File {
	if len(lines) == 0 {
		return files
	}
	lines = slices.Clone(lines)
	slices.SortStableFunc(lines, func(a, b dated) int { return a.at.Compare(b.at) })
	f := File{Path: name, ModTime: lines[len(lines)-1].at}
	for _, l := range lines {
		f.Data = append(append(f.Data, l.line...), '\n')
	}
	return append(files, f)
}

// Write writes the home below dir, which may be new, with the times of its
// files. It never overwrites.
func (h *Home) Write(dir string) error {
	for _, f := range h.Files() {
		if err := writeFile(dir, f); err != nil {
			return err
		}
	}
	return nil
}

func writeFile(dir string, f File) error {
	name := filepath.Join(dir, filepath.FromSlash(f.Path))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return fmt.Errorf("write home: %w", err)
	}
	out, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return fmt.Errorf("write home: %w", err)
	}
	_, err = out.Write(f.Data)
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	if err == nil && !f.ModTime.IsZero() {
		err = os.Chtimes(name, f.ModTime, f.ModTime)
	}
	if err != nil {
		return fmt.Errorf("write home: %w", err)
	}
	return nil
}

// TB is what Temp needs of a test.
type TB interface {
	Helper()
	TempDir() string
	Fatal(args ...any)
}

// Temp writes the home into a temporary folder of the test and gives its name.
func (h *Home) Temp(t TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "codex")
	if err := h.Write(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}
