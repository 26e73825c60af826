package ingest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rollbook/internal/ledger"
	"rollbook/internal/store"
	"rollbook/internal/transcript"
)

func line(at, typ, payload string) string {
	return `{"timestamp":"2026-02-` + at + `.000Z","type":"` + typ + `","payload":` + payload + "}\n"
}

// threeDialects is a home with one rollout of events and items, one of items
// alone, one of turn items, and a history.jsonl.
func threeDialects(t testing.TB) string {
	msg := func(role, text string) string {
		return `{"type":"message","role":"` + role + `","content":[{"type":"input_text","text":"` + text + `"}]}`
	}
	item := func(typ, part, text string) string {
		return `{"type":"item_completed","turn_id":"t","item":{"type":"` + typ + `","id":"i","content":[{"type":"` + part + `","text":"` + text + `"}]}}`
	}
	dir := files(t, map[string]string{
		"sessions/2026/02/01/rollout-a.jsonl": line("01T10:00:00", "session_meta", `{"id":"thr-a","cwd":"/srv/alpha"}`) +
			line("01T10:00:01", "response_item", msg("user", "<environment_context>x</environment_context>")) +
			line("01T10:00:02", "event_msg", `{"type":"user_message","message":"Sketch the parser"}`) +
			line("01T10:00:02", "response_item", msg("user", "Sketch the parser")) +
			line("01T10:00:04", "response_item", `{"type":"function_call","name":"shell","arguments":"{\"cmd\":\"ls\"}","call_id":"c1"}`) +
			line("01T10:00:05", "response_item", `{"type":"function_call_output","call_id":"c1","output":"x"}`) +
			line("01T10:00:06", "event_msg", `{"type":"agent_message","message":"Here it is"}`) +
			line("01T10:00:06", "response_item", msg("assistant", "Here it is")) +
			line("01T10:00:07", "event_msg", `{"type":"token_count","info":null}`) +
			line("01T10:00:08", "event_msg", `{"type":"never_seen"}`) +
			line("01T10:00:09", "response_item", msg("developer", "be kind")) +
			line("01T10:00:10", "riddle", `{}`),
		"archived_sessions/rollout-b.jsonl": line("02T10:00:00", "session_meta", `{"id":"thr-b"}`) +
			line("02T10:00:01", "response_item", msg("user", "<environment_context>y</environment_context>")) +
			line("02T10:00:02", "response_item", msg("user", "Make the change")) +
			line("02T10:00:03", "response_item", `{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch","call_id":"c2"}`) +
			line("02T10:00:04", "response_item", msg("assistant", "made")),
		"sessions/2026/02/02/rollout-c.jsonl": line("02T11:00:00", "session_meta", `{"id":"thr-c","cwd":"/srv/gamma"}`) +
			line("02T11:00:01", "response_item", msg("user", "# AGENTS.md instructions")) +
			line("02T11:00:02", "response_item", msg("user", "Check it")) +
			line("02T11:00:02", "event_msg", item("UserMessage", "text", "Check it")) +
			line("02T11:00:03", "event_msg", item("AgentMessage", "Text", "checked")) +
			line("02T11:00:03", "response_item", msg("assistant", "checked")),
		"history.jsonl": `{"session_id":"thr-a","ts":1769940002,"text":"Sketch the parser"}` + "\n" +
			`{"session_id":"thr-h","ts":1769950000,"text":"continue"}` + "\n",
		"logs/private.jsonl": `{"thread_id":"secret","timestamp":"2026-02-01T00:00:00Z","role":"user","text":"never"}` + "\n",
		"auth.json":          `{"never":1}`,
		"config.toml":        "never",
	})
	stateDB(t, filepath.Join(dir, "state_5.sqlite"), map[string]string{"thr-a": "/other/ignored", "thr-b": "/srv/beta", "thr-h": "/srv/hist"})
	return dir
}

// TestThreeDialects is the case of a home: what is counted, what is stored, and
// what the state database adds.
func TestThreeDialects(t *testing.T) {
	home := threeDialects(t)
	state, err := os.ReadFile(filepath.Join(home, "state_5.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	db := newStore(t)
	s := run1(t, db, Options{}, home)
	want := ledger.Counts{Files: 4, Lines: 25, Imported: 11, UnknownEvents: 2, NonNatural: 1, MirroredUsers: 2, MirroredResponses: 4, Context: 3, UsageWithoutInfo: 1}
	if d := cmp.Diff(want, s.Run.Counts); d != "" {
		t.Error(d)
	}
	if after, err := os.ReadFile(filepath.Join(home, "state_5.sqlite")); err != nil || string(after) != string(state) {
		t.Error("the state database was changed")
	}
	if _, err := os.Stat(filepath.Join(home, "state_5.sqlite-wal")); err == nil {
		t.Error("something was made beside the state database")
	}
	dump(t, db)
	projects := map[string]string{"thr-a": "/srv/alpha", "thr-b": "/srv/beta", "thr-c": "/srv/gamma", "thr-h": "/srv/hist"}
	var prompts []string
	canonical := 0
	for id, project := range projects {
		for _, ev := range events(t, db, id) {
			if ev.Project != project {
				t.Errorf("%s: project %q, want %q", id, ev.Project, project)
			}
			if !messageKind(ev.Kind) || ev.Flags&store.Mirror != 0 {
				continue
			}
			canonical++
			if ev.Flags&store.Natural != 0 {
				prompts = append(prompts, ev.Text)
			}
		}
	}
	if canonical != 10 || len(prompts) != 4 {
		t.Errorf("%d rows in sight, prompts %q", canonical, prompts)
	}
	if ev := events(t, db, "secret"); len(ev) > 0 {
		t.Error("a folder of logs was read")
	}
}

// TestDocuments are the cases of files that are no rollouts.
func TestDocuments(t *testing.T) {
	row := func(id, at, role, text string) string {
		return `{"thread_id":"` + id + `","timestamp":"` + at + `","role":"` + role + `","text":"` + text + `"}`
	}
	plan := row("n1", "2026-03-01T00:00:00Z", "user", "Plan it")
	for _, tt := range []struct {
		name, text string
		want       ledger.Counts
		code       string
		lines      []int // of messages; places in an array are negative
	}{
		{"array.json", "[\n  " + plan + ",\n  " + row("n1", "2026-03-01T00:00:01Z", "assistant", "ok") + "\n]", ledger.Counts{Files: 1, Lines: 2, Imported: 2}, "", []int{-1, -2}},
		{"messages.JSON", `{"messages": [` + plan + `]}`, ledger.Counts{Files: 1, Lines: 1, Imported: 1}, "", []int{-1}},
		{"cut.json", `{"messages": [` + plan, ledger.Counts{}, "invalid_document", nil},
		{"other.json", `{"items": []}`, ledger.Counts{}, "invalid_document", nil},
		{"mixed.jsonl", "no json\n\n" + plan + "\n" + `{"type":"new"}` + "\n[1, 2]\n" + row("n1", "nonsense", "user", "x") + "\n" + row("n1", "2026-03-01T00:00:00Z", "user", "") + "\n" +
			row("n1", "2026-03-01T00:00:00Z", "user", "   ") + "\n" + `{"role":"tool","tool":"","text":"","timestamp":"2026-03-01T00:00:00Z"}` + "\n",
			ledger.Counts{Files: 1, Lines: 8, Imported: 2, InvalidJSON: 1, UnknownEvents: 2, InvalidTimestamps: 1, NonNatural: 1, Empty: 2}, "invalid_json", []int{3, 8}},
		{"aliases.jsonl", `{"session_id":"n2","created_at":1767225600000,"role":"user","content":"a"}` + "\n" +
			`{"session_id":"n2","ts":"1767225600","role":"assistant","text":"b"}` + "\n" +
			`{"thread_id":"n2","timestamp":null,"ts":1767225601,"role":"user","text":null,"content":[{"type":"text","text":"c"},{"type":"image","url":"x"},{"text":"d"}]}` + "\n" +
			`{"thread_id":"n2","timestamp":"2026-01-01 00:00:05","role":"tool","tool":"grep","text":{"a":1}}` + "\n", ledger.Counts{Files: 1, Lines: 4, Imported: 4}, "", []int{1, 2, 3, 4}},
		{"unicode.jsonl", row("n1", "2026-03-01T00:00:00Z", "user", "a\u2028b\u0085c") + "\n" + plan + "\n", ledger.Counts{Files: 1, Lines: 2, Imported: 2}, "", []int{1, 2}},
		{"crlf.jsonl", "\ufeff" + plan + "\r\n" + plan + "\r\n", ledger.Counts{Files: 1, Lines: 2, Imported: 2}, "", []int{1, 2}},
		{"bytes.jsonl", row("n1", "2026-03-01T00:00:00Z", "user", "a\xffb") + "\n", ledger.Counts{Files: 1, Lines: 1, Imported: 1, Repaired: 1}, "repaired_text", []int{1}},
		{"typed.jsonl", `{"session_id":"n3","ts":1767225600,"text":"typed"}` + "\n" + `{"session_id":"n3","ts":1767225600,"text":null}` + "\n", ledger.Counts{Files: 1, Lines: 2, Imported: 1, Empty: 1}, "", []int{1}},
		{"bundle/history.jsonl", `{"sequence":1,"role":"user","kind":"text","text":"hello","timestamp":"2026-03-01T00:00:00Z","phase":null,"source":{"line":2,"session_id":"n4","turn_id":null},"provenance":"extracted","tool_id":null,"tool_name":null}` + "\n",
			ledger.Counts{Files: 1, Lines: 1, Imported: 1}, "", []int{1}},
		{"usage.jsonl", `{"type":"usage","thread_id":"n5","timestamp":"2026-03-01T00:00:00Z","response_id":"r","usage":{"input":5,"output":2,"total":7}}` + "\n" +
			`{"type":"usage","thread_id":"n5","timestamp":"2026-03-01T00:00:00Z","response_id":"r","usage":{"input":5,"cached_input":9,"output":2,"total":7}}` + "\n",
			ledger.Counts{Files: 1, Lines: 2, InvalidUsage: 1}, "invalid_usage_record", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := files(t, map[string]string{tt.name: tt.text})
			db := newStore(t)
			s := run1(t, db, Options{}, filepath.Join(dir, filepath.FromSlash(tt.name)))
			if d := cmp.Diff(tt.want, s.Run.Counts); d != "" {
				t.Error(d)
			}
			codes := s.Tally.Codes()
			if tt.code == "" && len(codes) > 0 || tt.code != "" && s.Tally.Count(diagCode(tt.code)) == 0 {
				t.Errorf("codes %v, want %q", codes, tt.code)
			}
			var lines []int
			for _, id := range []string{"n1", "n2", "n3", "n4"} {
				for _, ev := range events(t, db, id) {
					if messageKind(ev.Kind) {
						lines = append(lines, ev.Source.Line-ev.Item)
					}
				}
			}
			if d := cmp.Diff(tt.lines, lines); d != "" {
				t.Error(d)
			}
			dump(t, db)
		})
	}
}

// TestUsage: token counters are kept beside events, with what was not counted
// left open.
func TestUsage(t *testing.T) {
	dir := files(t, map[string]string{"u.jsonl": `{"type":"usage","thread_id":"n5","timestamp":"2026-03-01T00:00:00Z","response_id":"r","model":"m","provider":"p","usage":{"input":5,"output":2,"total":7}}` + "\n"})
	db := newStore(t)
	run1(t, db, Options{}, dir)
	list := events(t, db, "n5")
	if len(list) != 1 || list[0].Kind != transcript.Usage || list[0].Usage == nil || list[0].Usage.Total != 7 || list[0].Model != "m" {
		t.Errorf("%+v", list)
	}
}

// TestExports: a folder without the layout of a home is searched for *.jsonl,
// without the folders that hold none of a person's.
func TestExports(t *testing.T) {
	row := func(id string) string {
		return `{"thread_id":"` + id + `","timestamp":"2026-03-01T00:00:00Z","role":"user","text":"x"}` + "\n"
	}
	content := map[string]string{"ok/a.jsonl": row("a"), "ok/sub/b.jsonl": row("b"), "ok/skip.json": "[]", ".hidden.jsonl": row("no")}
	for _, dir := range []string{".hidden", "node_modules", "auth", "log", "logs", "build", "dist", "target", "__pycache__", "cache", "tmp"} {
		content["ok/"+dir+"/x.jsonl"] = row("no-" + dir)
	}
	dir := files(t, content)
	if err := os.Symlink(filepath.Join(dir, "ok", "a.jsonl"), filepath.Join(dir, "ok", "link.jsonl")); err != nil {
		t.Fatal(err)
	}
	db := newStore(t)
	s := run1(t, db, Options{}, dir)
	if s.Run.Counts.Files != 2 || s.Run.Counts.Imported != 2 || s.Tally.Count("symlink_skipped") != 1 {
		t.Errorf("%+v, codes %v", s.Run.Counts, s.Tally.Codes())
	}
	// The chosen folder itself may have any name.
	if s := run1(t, newStore(t), Options{}, filepath.Join(dir, "ok", "build")); s.Run.Counts.Imported != 1 {
		t.Errorf("%+v", s.Run.Counts)
	}
}
