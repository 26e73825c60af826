package ingest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/diag"
	"rollbook/internal/rolltest"
	"rollbook/internal/store"
)

// say makes a line of the normalized format.
func say(i int, text string) string {
	return fmt.Sprintf(`{"thread_id":"t","timestamp":%d,"role":"user","text":"%s"}`+"\n", 1767225600+i, text)
}

// TestLimits: at each limit nothing is lost; one above it there is a finding, a
// counter, and all else is still taken.
func TestLimits(t *testing.T) {
	long := strings.Repeat("x", 500)
	rollout := rolltest.New(rolltest.V140, rolltest.Meta{Cwd: "/srv/x"}).Turn("short").Assistant(long).TurnComplete()
	for _, tt := range []struct {
		name string
		text string
		at   Options // nothing is lost
		over Options // one less
		code diag.Code
		lost int64 // messages
		left func(s *Summary) int64
	}{
		{"a.jsonl", say(1, "first") + say(2, long), Options{MaxLine: int64(len(say(2, long)))}, Options{MaxLine: int64(len(say(2, long))) - 1}, LineLimit, 1,
			func(s *Summary) int64 { return s.Run.Counts.Oversized }},
		{"a.jsonl", say(1, "first") + say(2, long), Options{MaxText: 500}, Options{MaxText: 499}, TextLimit, 0,
			func(s *Summary) int64 { return s.Run.Counts.Truncated }},
		{"a.jsonl", say(1, "first") + say(2, long), Options{MaxFile: int64(len(say(1, "first") + say(2, long)))}, Options{MaxFile: int64(len(say(1, "first")+say(2, long))) - 1}, FileLimit, 2,
			func(s *Summary) int64 { return int64(s.Roots[0].Actions[Skip]) }},
		{"rollout-2026-01-01T00-00-00-" + rollout.Meta.ID + ".jsonl", string(rollout.Data()), Options{MaxFile: int64(len(rollout.Data()))}, Options{MaxFile: int64(len(rollout.Data())) - 1}, FileLimit, 2,
			func(s *Summary) int64 { return int64(s.Roots[0].Actions[Skip]) }},
		{"rollout-2026-01-01T00-00-00-" + rollout.Meta.ID + ".jsonl", string(rollout.Data()), Options{MaxText: 500}, Options{MaxText: 499}, TextLimit, 0,
			func(s *Summary) int64 { return s.Run.Counts.Truncated }},
	} {
		t.Run(string(tt.code)+" "+tt.name[:1], func(t *testing.T) {
			dir := files(t, map[string]string{tt.name: tt.text, "z.jsonl": say(9, "beside")})
			s := run1(t, newStore(t), tt.at, dir)
			if s.Run.Counts.Imported != 3 || s.Partial || s.Tally.Count(tt.code) > 0 {
				t.Errorf("at the limit: %+v, partial %t, %v", s.Run.Counts, s.Partial, s.Tally.Codes())
			}
			db := newStore(t)
			s = run1(t, db, tt.over, dir)
			if s.Run.Counts.Imported != 3-tt.lost || !s.Partial || s.Tally.Count(tt.code) != 1 || tt.left(s) != 1 {
				t.Errorf("above it: %+v, partial %t, %v", s.Run.Counts, s.Partial, s.Tally.Codes())
			}
			// What was taken once stays, whatever the limit says now of its file.
			db = newStore(t)
			run1(t, db, tt.at, dir)
			before := dump(t, db)
			if tt.code == FileLimit {
				appendTo(t, filepath.Join(dir, tt.name), "\n")
				run1(t, db, tt.over, dir)
				sameDump(t, "a larger file", dump(t, db), before)
			}
		})
	}
}

// TestBatches: a run that stops at the limit for records keeps what it read, and
// the next one goes on, in the middle of a file too; nothing comes twice.
func TestBatches(t *testing.T) {
	conversation := func(seed uint64, messages int) (string, string) {
		r := rolltest.New(rolltest.V171, rolltest.Meta{Seed: seed, Cwd: "/srv/x"})
		for i := range messages / 2 {
			r.Turn(fmt.Sprintf("question %d of %d", i, seed)).Assistant(fmt.Sprintf("answer %d", i)).TurnComplete()
		}
		return r.Path(), string(r.Data())
	}
	three, one := map[string]string{}, map[string]string{}
	for seed := range uint64(3) {
		name, text := conversation(seed+1, 200)
		three[name] = text
	}
	name, text := conversation(9, 600)
	one[name] = text
	document := map[string]string{"a.jsonl": ""}
	for i := range 600 {
		document["a.jsonl"] += say(i, fmt.Sprintf("line %d", i))
	}
	for what, content := range map[string]map[string]string{"three rollouts": three, "one rollout": one, "a document": document} {
		t.Run(what, func(t *testing.T) {
			home := files(t, content)
			fresh := newStore(t)
			run1(t, fresh, Options{}, home)
			db := newStore(t)
			var taken []int64
			for range 10 {
				s := run1(t, db, Options{MaxRecords: 250}, home)
				taken = append(taken, messagesIn(t, db))
				if !s.Stopped {
					break
				}
				if s.Tally.Count(RecordLimit) == 0 || !s.Partial {
					t.Errorf("stopped without a word: %v", s.Tally.Codes())
				}
				dump(t, db)
			}
			if fmt.Sprint(taken) != "[250 500 600]" {
				t.Errorf("the store held %v messages after each run", taken)
			}
			sameDump(t, what, dump(t, db), dump(t, fresh))
			onlyActions(t, run1(t, db, Options{MaxRecords: 250}, home), Unchanged)
		})
	}
}

func messagesIn(t testing.TB, db string) int64 {
	t.Helper()
	r, err := store.OpenReader(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	info, err := r.Info()
	if err != nil {
		t.Fatal(err)
	}
	return info.Messages
}

// TestLimitKeepsMore: a limit never makes the store hold less of a file than it
// did.
func TestLimitKeepsMore(t *testing.T) {
	text := ""
	for i := range 60 {
		text += say(i, fmt.Sprintf("line %d", i))
	}
	dir := files(t, map[string]string{"a.jsonl": text})
	db := newStore(t)
	run1(t, db, Options{}, dir)
	before := dump(t, db)
	write(t, filepath.Join(dir, "a.jsonl"), strings.Replace(text, "line 3", "word 3", 1))
	s := run1(t, db, Options{MaxRecords: 20}, dir)
	if s.Tally.Count(RecordLimit) != 1 || !s.Partial {
		t.Errorf("%v", s.Tally.Codes())
	}
	sameDump(t, "after a run that was stopped", dump(t, db), before)
}

// TestNoAttachments: bytes of images, sound and encrypted content are in no file
// of the store.
func TestNoAttachments(t *testing.T) {
	marker := strings.Repeat("TUFSS0VS", 400)
	data := "data:image/png;base64," + marker
	home := files(t, map[string]string{"sessions/rollout-2026-02-01T00-00-00-0194bd8e-0000-7000-8000-000000000001.jsonl": line("01T10:00:00", "session_meta", `{"id":"0194bd8e-0000-7000-8000-000000000001","cwd":"/srv/alpha"}`) +
		line("01T10:00:01", "event_msg", `{"type":"user_message","message":"look","images":["`+data+`"]}`) +
		line("01T10:00:01", "response_item", `{"type":"message","role":"user","content":[{"type":"input_text","text":"look"},{"type":"input_image","image_url":"`+data+`"},{"type":"input_audio","audio_url":"data:audio/wav;base64,`+marker+`"}]}`) +
		line("01T10:00:02", "response_item", `{"type":"reasoning","summary":[],"encrypted_content":"`+marker+`"}`) +
		line("01T10:00:03", "response_item", `{"type":"function_call","name":"view","arguments":"{\"url\":\"`+data+`\"}","call_id":"c"}`) +
		line("01T10:00:04", "response_item", `{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"see `+data+`"},{"type":"input_image","image_url":"`+data+`"}]}`) +
		line("01T10:00:05", "response_item", `{"type":"agent_message","author":"a","recipient":"b","content":[{"type":"encrypted_content","encrypted_content":"`+marker+`"}]}`) +
		line("01T10:00:06", "compacted", `{"message":"","replacement_history":[{"type":"compaction","encrypted_content":"`+marker+`"}]}`) +
		line("01T10:00:07", "event_msg", `{"type":"agent_message","message":"an image"}`)})
	db := newStore(t)
	run1(t, db, Options{}, home)
	dump(t, db)
	if n := len(events(t, db, "0194bd8e-0000-7000-8000-000000000001")); n < 5 {
		t.Errorf("only %d events", n)
	}
	for _, name := range []string{db, db + "-wal"} {
		text, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("TUFSS0VSTUFSS0VS")) {
			t.Errorf("%s holds what was attached", name)
		}
	}
	// Texts are compressed in the store: look at them too.
	for _, ev := range events(t, db, "0194bd8e-0000-7000-8000-000000000001") {
		if strings.Contains(fmt.Sprint(ev.Event), "TUFSS0VS") {
			t.Errorf("event %d holds what was attached", ev.Seq)
		}
	}
}

// TestMessagesOnly stores what was said and called, and nothing else.
func TestMessagesOnly(t *testing.T) {
	home := generated(t, 12)
	all, few := newStore(t), newStore(t)
	a := run1(t, all, Options{}, home)
	b := run1(t, few, Options{MessagesOnly: true}, home)
	if a.Run.Counts.Imported != b.Run.Counts.Imported || messagesIn(t, all) != messagesIn(t, few) {
		t.Errorf("%d messages, and %d alone", a.Run.Counts.Imported, b.Run.Counts.Imported)
	}
	n := 0
	for l := range strings.Lines(dump(t, few)) {
		cells := strings.Split(l, "\t")
		if cells[0] != `"event"` {
			continue
		}
		if n++; cells[8] != `"2"` && cells[8] != `"3"` && cells[8] != `"5"` {
			t.Errorf("an event of kind %s is stored", cells[8])
		}
	}
	if n == 0 {
		t.Error("nothing is stored")
	}
}
