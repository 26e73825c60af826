package rolltest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// MessagesOptions says what GenerateMessages writes.
type MessagesOptions struct {
	Seed     uint64
	Messages int       // prompts, answers and tool calls together
	Until    time.Time // the newest thread is about that old; default 2026-11-30
}

// A Generated says what GenerateMessages wrote.
type Generated struct {
	Rollouts int
	Messages int   // of the rollouts: prompts, answers and tool calls, none of them twice
	Prompts  int   // lines of history.jsonl
	Needles  int   // threads: Needle(0) to Needle(Needles-1) are in one prompt each
	Bytes    int64 // of all files
}

// Needle gives a word that stands in the first prompt of the i-th thread, by the
// time of its start, and in no other. A fork has that prompt again among what it
// copies, and history.jsonl where it was typed in the terminal.
func Needle(i int) string { return fmt.Sprintf("needle%06d", i) }

// GenerateMessages writes a home with exactly as many messages below dir, which
// must be empty or new: threads of all versions, over two years, in a dozen
// projects; words as frequent as real ones, some of code; one text in fifty
// Chinese or Japanese; some threads archived, compressed or forked. The same
// options give the same bytes.
func GenerateMessages(dir string, opt MessagesOptions) (Generated, error) {
	if opt.Until.IsZero() {
		opt.Until = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	}
	m := newMaker(dir, opt)
	var wg sync.WaitGroup
	next := make(chan int)
	for range 2 { // the text of a thread is held whole
		wg.Go(func() {
			var text []byte // used again
			for i := range next {
				text, m.threads[i].err = m.thread(i, text)
			}
		})
	}
	for i := range m.threads {
		next <- i
	}
	close(next)
	wg.Wait()
	return m.finish()
}

// A maker shares what the threads of a home have in common.
type maker struct {
	dir     string
	opt     MessagesOptions
	shared  *generator // never drawn from once the threads are made
	threads []made
}

// made is one thread: how many messages it is to have, and what became of it.
type made struct {
	want     int
	rollouts int
	bytes    int64
	prompts  []dated
	names    []dated
	err      error
}

func newMaker(dir string, opt MessagesOptions) *maker {
	g := &generator{rng: rand.New(rand.NewPCG(opt.Seed, 78)), maxLine: 280_000, outputs: 600, steps: 4, aligned: true}
	g.vocabulary = drawFrom(newVocabulary(g.rng), g.rng)
	size := min(16<<20, 1<<20+opt.Messages*200)
	g.prose, g.code, g.wide = g.pool(size, g.sentence), g.pool(size, g.codeLine), g.pool(1<<20, g.wideSentence)
	m := &maker{dir: dir, opt: opt, shared: g}
	for left := opt.Messages; left > 0; {
		n := min(left, 1+g.size(60, 5, 4000))
		m.threads = append(m.threads, made{want: n})
		left -= n
	}
	return m
}

// thread makes and writes the i-th thread, within buf. Older ones are of older
// versions.
func (m *maker) thread(i int, buf []byte) ([]byte, error) {
	t := &m.threads[i]
	g := *m.shared
	g.rng = rand.New(rand.NewPCG(m.opt.Seed<<32+uint64(i)+1, 79))
	g.vocabulary = drawFrom(m.shared.vocabulary.words, g.rng)
	part := float64(i) / float64(len(m.threads))
	v := Versions[len(Versions)*i/len(m.threads)]
	home := NewHome(m.opt.Seed)
	age := time.Duration((1 - part) * float64(2*365*24*time.Hour))
	r := home.New(v, Meta{
		Seed:   m.opt.Seed<<32 + uint64(i) + 1,
		Start:  m.opt.Until.Add(-age),
		Cwd:    "/home/ada/" + projects[min(g.rng.IntN(len(projects)), g.rng.IntN(len(projects)))],
		Source: []any{"cli", "cli", "cli", "exec", "vscode"}[g.rng.IntN(5)],
	})
	r.buf = append(buf[:0], r.buf...)
	g.needle = Needle(i)
	forked := v >= V36 && t.want > 8 && g.chance(40)
	if n := t.want; forked {
		g.talk(r, n-4)
		g.talk(r.Fork(All), 4)
	} else {
		g.talk(r, n)
	}
	if v >= V101 && g.chance(10) {
		r.Name(g.cut(g.prose, 30))
	}
	archived, compressed := g.chance(12), v >= V140 && g.chance(10)
	for _, r := range home.rollouts {
		r.Archived, r.Compressed = archived, compressed
		f := File{r.Path(), r.Data(), r.modTime()}
		if err := writeFile(m.dir, f); err != nil {
			return nil, err
		}
		t.rollouts++
		t.bytes += int64(len(f.Data))
	}
	t.prompts, t.names = home.prompts, home.names
	return r.buf, nil
}

// finish writes the indexes of the home.
func (m *maker) finish() (g Generated, err error) {
	home := NewHome(m.opt.Seed)
	for i := range m.threads {
		t := &m.threads[i]
		if t.err != nil {
			return g, t.err
		}
		g.Rollouts += t.rollouts
		g.Messages += t.want
		g.Bytes += t.bytes
		home.prompts, home.names = append(home.prompts, t.prompts...), append(home.names, t.names...)
	}
	g.Prompts, g.Needles = len(home.prompts), len(m.threads)
	for _, f := range home.Files() {
		g.Bytes += int64(len(f.Data))
	}
	return g, home.Write(m.dir)
}

// talk adds turns until n messages were said or called.
func (g *generator) talk(r *Rollout, n int) {
	for n > 0 {
		n = g.exchange(r, n)
	}
}

// exchange adds a turn of at most n messages and tells how many are left.
func (g *generator) exchange(r *Rollout, n int) (left int) {
	text := g.prose
	if g.chance(50) {
		text = g.wide
	}
	r.Wait(time.Duration(g.size(60, 10, 86_400)) * time.Second)
	r.TurnStart().User(g.prompt(text), g.images()...)
	n--
	for range g.size(g.steps, 4, 60) {
		if n <= 2 { // a step may have two, and the answer is still to come
			break
		}
		n -= g.step(r)
	}
	if n == 0 || r.Version >= V36 && g.chance(40) {
		if r.Version >= V36 {
			r.Aborted()
		}
		return n
	}
	r.Assistant(g.cut(text, g.size(700, 4, 12_000))).TurnComplete()
	if r.Version >= V63 && g.chance(60) {
		r.Compacted(g.cut(g.prose, g.size(3000, 2, 12_000)))
	}
	return n - 1
}

// prompt is what a person typed; the first one of a thread has its needle.
func (g *generator) prompt(text string) string {
	p := g.cut(text, g.size(180, 6, 20_000))
	if g.needle != "" {
		p += " " + g.needle
		g.needle = ""
	}
	return p
}
