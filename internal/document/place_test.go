package document

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestOurOwnLinesWithoutATime take the last time of their thread (D5).
func TestOurOwnLinesWithoutATime(t *testing.T) {
	ours := func(thread, text string) string {
		return fmt.Sprintf(`{"thread_id":%q,"timestamp":null,"role":"user","text":%q,"origin":"recorded","source":null}`, thread, text)
	}
	text := strings.Join([]string{
		say("a"), ours("n", "b"), ours("m", "lost"), `{"session_id":"m","ts":1767323045,"text":"of history"}`, ours("m", "lost too"),
		`{"thread_id":"e","seq":0,"kind":"thread","title":"T","project":"/p","provider":"o","created":"2026-03-01T00:00:00Z"}`,
		`{"thread_id":"e","seq":1,"kind":"user","timestamp":null,"origin":"recorded","text":"c"}`,
		`{"thread_id":"e","seq":2,"kind":"usage","timestamp":"2026-03-01T00:00:09Z","origin":"recorded","usage":{"input":1},"item_id":"r"}`,
		`{"thread_id":"e","seq":3,"kind":"assistant","timestamp":null,"origin":"recorded","inherited":true,"text":"d"}`,
		`{"sequence":1,"role":"user","kind":"text","text":"f","timestamp":null,"source":{"session_id":"e"},"provenance":"extracted"}`,
		`{"thread_id":"n","role":"user","text":"another program's"}`,
		`{"thread_id":"o","timestamp":null,"role":"user","text":"g","origin":"recorded","source":{"file":"sessions/2025/09/01/rollout-2025-09-01T08-09-10-x.jsonl","line":2,"offset":1}}`,
		`{"thread_id":"o","timestamp":null,"role":"user","text":"h","origin":"recorded","source":{"file":"rollout-2025-13-01T08-09-10-x.jsonl","line":2,"offset":1}}`,
	}, "\n") + "\n"
	want := []string{
		said("1", "a"),
		`2 n user 2026-01-02T03:04:05Z natural time-inherited text="b"`,
		`4 m user 2026-01-02T03:04:05Z natural text="of history"`,
		`6 e in="/p" title="T" thread`,
		`7 e in="/p" user 2026-03-01T00:00:00Z natural time-inherited text="c"`,
		`8 e in="/p" usage 2026-03-01T00:00:09Z provider="o" response_id="r" 1/0/0/0/0`,
		`9 e in="/p" assistant 2026-03-01T00:00:09Z time-inherited inherited text="d"`,
		`10 e user 2026-03-01T00:00:09Z natural time-inherited text="f"`,
		`12 o user 2025-09-01T08:09:10Z natural time-inherited text="g"`,
	}
	whole := read("a.jsonl", text, Options{})
	check(t, "entry", whole.entries, want)
	if whole.counts.InvalidTimestamps != 4 || whole.shape != Normalized {
		t.Errorf("counted %+v, shape %s", whole.counts, whole.shape)
	}
	goOn(t, text, whole)
}

// goOn reads a file in two goes, parted behind each line, with the place as it is
// kept: it gives what one go gives (D9).
func goOn(t *testing.T, text string, whole result) {
	t.Helper()
	for n := range len(text) {
		if text[n] != '\n' {
			continue
		}
		first := read("a.jsonl", text[:n+1], Options{})
		b, err := first.place.Encode()
		if err != nil {
			t.Fatal(err)
		}
		place, err := DecodePlace(b)
		if err != nil {
			t.Fatal(err)
		}
		second := read("a.jsonl", text, Options{From: place})
		check(t, "entry", append(first.entries, second.entries...), whole.entries)
		if second.counts != whole.counts || second.shape != whole.shape || first.teed+second.teed != text {
			t.Errorf("parted at %d: counted %+v, want %+v", n, second.counts, whole.counts)
		}
		again, _ := second.place.Encode()
		want, _ := whole.place.Encode()
		if string(again) != string(want) {
			t.Errorf("parted at %d: place %s\nwant %s", n, again, want)
		}
	}
}

// TestPlace tells where reading can go on, and where not (D9).
func TestPlace(t *testing.T) {
	history := `{"session_id":"h","ts":1767323045,"text":"a"}` + "\n"
	res := read("history.jsonl", history+"x\n"+history+`{"session_id":"h","ts":1767323045,"text":"no end"}`, Options{})
	p := res.place
	if len(res.entries) != 3 || p.Line != 3 || p.Entries != 2 || p.Offset != int64(2*len(history)+2) || p.Counts.Lines != 3 || p.Counts.InvalidJSON != 1 || p.Shape != History || len(p.Known) != 0 {
		t.Errorf("%d entries, place %+v", len(res.entries), p)
	}
	for _, bad := range []string{"", "{", `{"Offset":-1}`, `{"Line":-1}`, `{"Entries":-1}`, `{"Shape":9}`, `{"Shape":"x"}`} {
		if p, err := DecodePlace([]byte(bad)); err == nil {
			t.Errorf("%q is %+v", bad, p)
		}
	}
	unsought := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(history)), nil }
	if res := readFrom("a.jsonl", unsought, Options{From: p}); res.err == nil {
		t.Error("gone on in a file that cannot be sought in")
	}
	r, err := Read(opener(history+history), Options{Name: "a.jsonl"})
	if err != nil {
		t.Fatal(err)
	}
	for range r.Entries {
		break
	}
	if r.Place() != nil {
		t.Error("a reading that was given up has a place")
	}
	if _, err := Read(opener("[]"), Options{Name: "a.json", From: p}); err == nil {
		t.Error("gone on with a document")
	}
}

// TestKnownThreadsAreBounded holds the memory for threads to its bound, and what
// is written thread by thread loses nothing by it (D9).
func TestKnownThreadsAreBounded(t *testing.T) {
	var b strings.Builder
	n := 2*maxKnown + 10
	for i := range n {
		fmt.Fprintf(&b, `{"thread_id":"e%d","seq":0,"kind":"thread","project":"/p%d","created":"2026-03-01T00:00:00Z"}`+"\n", i, i)
		fmt.Fprintf(&b, `{"thread_id":"e%d","seq":1,"kind":"assistant","timestamp":null,"origin":"recorded","text":"x"}`+"\n", i)
	}
	res := read("a.jsonl", b.String(), Options{})
	if len(res.entries) != 2*n || len(res.place.Known) > maxKnown {
		t.Fatalf("%d entries, %d threads known", len(res.entries), len(res.place.Known))
	}
	for i := range n {
		if want := fmt.Sprintf(`%d e%d in="/p%d" assistant 2026-03-01T00:00:00Z time-inherited text="x"`, 2*i+2, i, i); res.entries[2*i+1] != want {
			t.Fatalf("got %s, want %s", res.entries[2*i+1], want)
		}
	}
}
