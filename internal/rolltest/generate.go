package rolltest

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// GenOptions says what Generate writes. The zero value is 64 MiB of 0.140.0.
type GenOptions struct {
	Seed    uint64
	Bytes   int64   // at least; the turn that reaches it is written whole
	Version Version // default V140
	Legacy  bool    // as in Meta
	MaxLine int     // longest text in a line, in bytes; default 280,000
}

// Generate writes one large rollout to w, turn by turn, and tells its size. Its
// lines are of the kinds and sizes of real ones (half under 700 bytes, one in ten
// over 4 KB, one in a hundred over 40 KB, none over 300 KB or so). The same options
// give the same bytes.
func Generate(w io.Writer, opt GenOptions) (int64, error) {
	if opt.Bytes == 0 {
		opt.Bytes = 64 << 20
	}
	if opt.Version == 0 {
		opt.Version = V140
	}
	r := New(opt.Version, Meta{Seed: opt.Seed, Legacy: opt.Legacy, Cwd: "/home/ada/shop-api"})
	g := newGenerator(opt.Seed, opt.MaxLine)
	for r.Size() < opt.Bytes {
		g.turn(r)
		r.turns = r.turns[:0] // no one forks it
		if _, err := w.Write(r.take()); err != nil {
			return r.flushed, fmt.Errorf("generate: %w", err)
		}
	}
	return r.flushed, nil
}

// generator makes up turns from a pool of text.
type generator struct {
	rng     *rand.Rand
	prose   string
	code    string
	maxLine int
	outputs float64 // usual length of a command's output
	steps   float64 // usual number of responses with calls in a turn

	// Of GenerateMessages alone.
	wide       string      // Chinese and Japanese
	vocabulary *vocabulary // instead of the few words
	aligned    bool        // texts begin and end with whole words
	needle     string      // of the next prompt
}

func newGenerator(seed uint64, maxLine int) *generator {
	if maxLine == 0 {
		maxLine = 280_000
	}
	g := &generator{rng: rand.New(rand.NewPCG(seed, 77)), maxLine: maxLine, outputs: 4200, steps: 4}
	g.prose = g.pool(1<<20, g.sentence)
	g.code = g.pool(2<<20, g.codeLine)
	return g
}

func (g *generator) pool(size int, piece func() string) string {
	var b strings.Builder
	b.Grow(size + 200)
	for b.Len() < size {
		b.WriteString(piece())
	}
	return b.String()
}

var words = strings.Fields(`the a of and to in it is was for on with as at by this that from or be are not an if when then
	test cart order price module build file line error result request response handler server client query index table row column
	field value key map list slice loop branch commit change review config option flag path folder name user session token cache
	queue worker job task retry timeout limit count total sum average date time zone string number parse print read write open close
	naïve café 日本語 größe ✓`)

func (g *generator) word() string {
	if g.vocabulary != nil {
		return g.vocabulary.word()
	}
	return words[g.rng.IntN(len(words))]
}

func (g *generator) sentence() string {
	var b strings.Builder
	for n := 5 + g.rng.IntN(14); n > 0; n-- {
		b.WriteString(g.word())
		if n > 1 {
			b.WriteByte(' ')
		}
	}
	b.WriteString([]string{". ", ". ", ".\n", "?\n"}[g.rng.IntN(4)])
	return b.String()
}

func (g *generator) codeLine() string {
	indent := strings.Repeat("\t", g.rng.IntN(4))
	switch g.rng.IntN(6) {
	case 0:
		return fmt.Sprintf("%sfunc %s%s(%s string) error {\n", indent, g.word(), g.word(), g.word())
	case 1:
		return fmt.Sprintf("%sif %s != nil { return fmt.Errorf(\"%s %s: %%w\", %s) }\n", indent, g.word(), g.word(), g.word(), g.word())
	case 2:
		return fmt.Sprintf("%s%s := %s[%d].%s\n", indent, g.word(), g.word(), g.rng.IntN(900), g.word())
	case 3:
		return fmt.Sprintf("ok  \tshop/%s/%s\t%d.%03ds\n", g.word(), g.word(), g.rng.IntN(9), g.rng.IntN(1000))
	case 4:
		return fmt.Sprintf("%s/%s.go:%d:%d: %s %s\n", g.word(), g.word(), g.rng.IntN(900), g.rng.IntN(80), g.word(), g.word())
	default:
		return indent + "}\n"
	}
}

// cut gives n bytes of a pool or a little less, from anywhere in it.
func (g *generator) cut(pool string, n int) string {
	n = min(n, g.maxLine, len(pool)/2)
	start := g.rng.IntN(len(pool) - n)
	for !utf8.RuneStart(pool[start]) {
		start++
	}
	end := start + n
	for end > start && end < len(pool) && !utf8.RuneStart(pool[end]) {
		end--
	}
	if g.aligned {
		return wholeWords(pool, start, end)
	}
	return pool[start:end]
}

// wholeWords moves both ends to the next space, if there is one near. A text is
// never empty.
func wholeWords(pool string, start, end int) string {
	const near = 48
	next := func(at int) int {
		if i := strings.IndexByte(pool[at:min(at+near, len(pool))], ' '); i >= 0 {
			return at + i
		}
		return at
	}
	start, end = next(start), next(end)
	if text := strings.TrimSpace(pool[start:max(start, end)]); text != "" {
		return text
	}
	return "go on"
}

// size draws a length: half are under median, one in ten over spread times it.
func (g *generator) size(median, spread float64, most int) int {
	n := median * math.Exp(math.Log(spread)/1.2816*g.rng.NormFloat64())
	return max(1, min(int(n), most))
}

// chance reports true once in n times.
func (g *generator) chance(n int) bool { return g.rng.IntN(n) == 0 }

func (g *generator) turn(r *Rollout) {
	r.Wait(time.Duration(g.size(60, 10, 86_400)) * time.Second)
	r.TurnStart().User(g.cut(g.prose, g.size(180, 6, 20_000)), g.images()...)
	for range g.size(g.steps, 4, 60) {
		g.step(r)
	}
	if g.chance(40) && r.Version >= V36 {
		r.Aborted()
		return
	}
	r.Assistant(g.cut(g.prose, g.size(700, 4, 12_000))).TurnComplete()
	if g.chance(60) && r.Version >= V63 {
		r.Compacted(g.cut(g.prose, g.size(3000, 2, 12_000)))
	}
}

// images gives a picture to one prompt in a hundred.
func (g *generator) images() []Image {
	if !g.chance(100) {
		return nil
	}
	png := append([]byte("\x89PNG\r\n\x1a\n"), g.cut(g.code, g.size(30_000, 3, 140_000))...)
	return []Image{{Path: "/home/ada/shop-api/shot.png", PNG: png}}
}

// step is one response of the model with a call. It tells how many messages that
// were: the call, and often what the model said before it.
func (g *generator) step(r *Rollout) (messages int) {
	messages = 1
	r.secret = g.size(1000, 2.5, 6000)
	switch {
	case g.chance(4):
		r.Reasoning("**" + g.word() + " the " + g.word() + "**\n\n" + g.cut(g.prose, g.size(200, 3, 2000)))
	case !g.chance(3):
		r.Reasoning()
	}
	if g.chance(3) {
		messages++
		r.Assistant(g.cut(g.prose, g.size(160, 2, 1000)))
	}
	switch n := g.rng.IntN(20); {
	case n == 0:
		r.Mcp("shop", "lookup", O{"query", g.word()}, g.cut(g.code, g.size(1200, 5, g.maxLine)))
	case n == 1:
		r.Call("update_plan", O{"plan", A{O{"step", g.cut(g.prose, 60), "status", "pending"}}}).Output("Plan updated")
	case n <= 4:
		r.Patch(g.patch())
	default:
		exit := 0
		if g.chance(6) {
			exit = 1
		}
		r.Shell(g.command(), g.output(), exit)
	}
	return messages
}

func (g *generator) command() string {
	return fmt.Sprintf("rg -n %q internal/%s | head -%d", g.word(), g.word(), 20+g.rng.IntN(200))
}

// output is what a command printed: cut by Codex at about 40,000 bytes, but for
// a few that came another way.
func (g *generator) output() string {
	most := 40_000
	if g.chance(800) {
		return g.cut(g.code, g.size(90_000, 2, g.maxLine))
	}
	return g.cut(g.code, g.size(g.outputs, 9, most))
}

func (g *generator) patch() string {
	var b strings.Builder
	fmt.Fprintf(&b, "*** Begin Patch\n*** Update File: internal/%s.go\n@@\n", g.word())
	for line := range strings.Lines(g.cut(g.code, g.size(600, 4, 20_000))) {
		b.WriteByte(" -+"[g.rng.IntN(3)])
		b.WriteString(strings.TrimSuffix(line, "\n"))
		b.WriteByte('\n')
	}
	b.WriteString("*** End Patch")
	return b.String()
}

// HomeOptions says what GenerateHome writes.
type HomeOptions struct {
	Seed    uint64
	Threads int
	Bytes   int       // decides the sizes; default 8,000: half of the rollouts under 20 KB, one in ten over 60 KB
	Until   time.Time // the newest thread is about that old; default 2026-11-30
}

// GenerateHome writes a home of many threads below dir, which must be empty or
// new: all versions, a dozen projects, a year. Some are archived, compressed,
// forked or sub-agents, so there may be a few more files than threads. It tells
// how many rollouts and bytes it wrote, and holds one thread at a time.
func GenerateHome(dir string, opt HomeOptions) (rollouts int, size int64, err error) {
	if opt.Bytes == 0 {
		opt.Bytes = 8000
	}
	if opt.Until.IsZero() {
		opt.Until = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	}
	g := newGenerator(opt.Seed, 0)
	g.outputs, g.steps = float64(opt.Bytes)/20, 1.5
	home := NewHome(opt.Seed)
	for i := range opt.Threads {
		g.thread(home, opt, i)
		for _, r := range home.rollouts {
			f := File{r.Path(), r.Data(), r.modTime()}
			if err := writeFile(dir, f); err != nil {
				return rollouts, size, err
			}
			rollouts++
			size += int64(len(f.Data))
		}
		home.rollouts = nil
	}
	return rollouts, size, home.Write(dir) // what is left are the indexes
}

// thread makes the i-th thread of a home; older threads are of older versions.
func (g *generator) thread(home *Home, opt HomeOptions, i int) {
	age := time.Duration(float64(365*24*time.Hour) * (1 - float64(i)/float64(opt.Threads)))
	v := Versions[min(len(Versions)-1, len(Versions)*i/opt.Threads)]
	r := home.New(v, Meta{
		Seed:   opt.Seed<<32 + uint64(i) + 1,
		Start:  opt.Until.Add(-age).Add(time.Duration(g.rng.IntN(3600_000)) * time.Millisecond),
		Cwd:    "/home/ada/" + projects[g.rng.IntN(len(projects))],
		Source: []any{"cli", "cli", "cli", "exec", "vscode"}[g.rng.IntN(5)],
	})
	want := int64(g.size(float64(opt.Bytes)/2, 5, 100*opt.Bytes)) // the last turn goes beyond
	for first := true; first || r.Size() < want; first = false {
		g.turn(r)
	}
	r.Archived = g.chance(12)
	r.Compressed = v >= V140 && g.chance(10)
	if g.chance(10) && v >= V101 {
		r.Name(g.cut(g.prose, 30))
	}
	if g.chance(40) && v >= V36 {
		g.turn(r.Fork(All))
	}
	if g.chance(40) && v >= V101 {
		child := r.Turn("Split the work.").Spawn("Robin", g.cut(g.prose, 90))
		child.Assistant(g.cut(g.prose, 90)).TurnComplete()
		r.WaitFor(child).Assistant("It is done.").TurnComplete()
	}
	for i, r := range slices.Clone(home.rollouts) {
		if i > 0 {
			r.Archived = home.rollouts[0].Archived
		}
	}
}

var projects = []string{"shop-api", "sales-notebook", "dotfiles", "blog", "maps", "chess", "feed-reader", "garden", "ledger", "podcasts", "photos", "thesis"}
