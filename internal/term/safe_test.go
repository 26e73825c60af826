package term

import (
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

var safeTests = []struct {
	name, in             string
	oneLine, block, json string
}{
	{"plain", "abc", "abc", "abc", "abc"},
	{"empty", "", "", "", ""},
	{"colour", "a\x1b[31mb", `a\x1b[31mb`, `a\x1b[31mb`, `a\u001b[31mb`},
	{"newline and tab", "a\n\tb", `a\n\tb`, "a\n\tb", "a\n\tb"},
	{"windows line end", "a\r\nb\r\n", `a\r\nb\r\n`, "a\nb\n", `a\u000d` + "\n" + `b\u000d` + "\n"},
	{"lone return", "a\rb\r", `a\rb\r`, `a\rb\r`, `a\u000db\u000d`},
	{"nul and bell", "\x00\a", `\x00\x07`, `\x00\x07`, `\u0000\u0007`},
	{"delete", "\x7f", `\x7f`, `\x7f`, `\u007f`},
	{"c1", "\u009b2J\u0080", "U+009B2JU+0080", "U+009B2JU+0080", `\u009b2J\u0080`},
	{"first printable after c1", "\u00a0é", "\u00a0é", "\u00a0é", "\u00a0é"},
	{"bidi override", "a\u202eb\u2066c\u2069", "aU+202EbU+2066cU+2069", "aU+202EbU+2066cU+2069", `a\u202eb\u2066c\u2069`},
	{"beside bidi", "\u2027\u202f\u2065\u206a", "\u2027\u202f\u2065\u206a", "\u2027\u202f\u2065\u206a", "\u2027\u202f\u2065\u206a"},
	{"separators", "\u2028\u2029", "U+2028U+2029", "U+2028U+2029", `\u2028\u2029`},
	{"no utf-8", "a\xff\x9bb", `a\xff\x9bb`, `a\xff\x9bb`, `a\ufffd\ufffdb`},
	{"cut character", "a\xe2\x82", `a\xe2\x82`, `a\xe2\x82`, `a\ufffd\ufffd`},
	{"replacement character itself", "\ufffd", "\ufffd", "\ufffd", "\ufffd"},
	{"wide and emoji", "日本👩‍🚀", "日本👩‍🚀", "日本👩‍🚀", "日本👩‍🚀"},
	{"backslash stays", `\x1b`, `\x1b`, `\x1b`, `\x1b`},
}

func TestSafe(t *testing.T) {
	for _, tt := range safeTests {
		for p, want := range map[Policy]string{OneLine: tt.oneLine, Block: tt.block, JSON: tt.json} {
			if got := Safe(tt.in, p); got != want {
				t.Errorf("%s, policy %d: got %q, want %q", tt.name, p, got, want)
			}
		}
	}
}

// However the text is cut into writes, the writer gives what Safe gives.
func TestSafeWriterCuts(t *testing.T) {
	for _, tt := range safeTests {
		for _, p := range []Policy{OneLine, Block, JSON} {
			for first := range len(tt.in) + 1 {
				for second := first; second <= len(tt.in); second++ {
					got := throughWriter(t, p, tt.in[:first], tt.in[first:second], tt.in[second:])
					if want := Safe(tt.in, p); got != want {
						t.Errorf("%s, policy %d, cut at %d and %d: got %q, want %q", tt.name, p, first, second, got, want)
					}
				}
			}
		}
	}
}

func TestSafeWriterLongText(t *testing.T) {
	in := strings.Repeat("aé\u202e\r\n", 3*safeChunk)
	if got, want := throughWriter(t, Block, in), Safe(in, Block); got != want {
		t.Errorf("a text longer than a chunk differs: %d bytes, want %d", len(got), len(want))
	}
}

func throughWriter(t *testing.T, p Policy, parts ...string) string {
	t.Helper()
	var b strings.Builder
	w := NewSafeWriter(&b, p)
	for _, part := range parts {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatalf("Write(%q) = %d, %v", part, n, err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

type fullDisk struct{}

var errFull = errors.New("no space")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestSafeWriterError(t *testing.T) {
	w := NewSafeWriter(fullDisk{}, Block)
	if n, err := w.Write([]byte("abc")); n != 0 || err != errFull {
		t.Errorf("Write = %d, %v, want 0, %v", n, err, errFull)
	}
	held := NewSafeWriter(fullDisk{}, Block)
	if n, err := held.Write([]byte("\xe2")); n != 1 || err != nil {
		t.Errorf("Write of half a character = %d, %v", n, err)
	}
	if err := held.Flush(); err != errFull {
		t.Errorf("Flush = %v, want %v", err, errFull)
	}
}

// A terminal acts on nothing that comes out, and cutting changes nothing.
func FuzzSafe(f *testing.F) {
	for _, tt := range safeTests {
		f.Add(tt.in, 1)
	}
	f.Fuzz(func(t *testing.T, in string, cut int) {
		cut = max(0, min(cut, len(in)))
		for _, p := range []Policy{OneLine, Block, JSON} {
			got := Safe(in, p)
			if !utf8.ValidString(got) {
				t.Errorf("policy %d: %q is no UTF-8", p, got)
			}
			for _, r := range got {
				if special(r) && (p == OneLine || r != '\n' && r != '\t') {
					t.Errorf("policy %d: %q came through in %q", p, r, got)
				}
			}
			if cutUp := throughWriter(t, p, in[:cut], in[cut:]); cutUp != got {
				t.Errorf("policy %d, cut at %d: %q, want %q", p, cut, cutUp, got)
			}
		}
	})
}

func BenchmarkSafeWriter(b *testing.B) {
	text := []byte(strings.Repeat(`{"type":"message","text":"plain words, as most lines are"}`+"\n", 1000))
	w := NewSafeWriter(io.Discard, JSON)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		w.Write(text)
	}
}
