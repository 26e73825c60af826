package discover

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rollbook/internal/corpustest"
	"rollbook/internal/diag"
	"rollbook/internal/history"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

// homes gives every home of the corpus.
func homes(t *testing.T) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(corpustest.Dir(t), "*", "*", "home"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no homes: %v", err)
	}
	return all
}

// list lists a root that must give no diagnostic but those wanted.
func list(t *testing.T, name string, wanted ...string) (*Home, *Listing) {
	t.Helper()
	h, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	var found []string
	l, err := h.List(context.Background(), func(d diag.Diagnostic) {
		found = append(found, d.Position.String()+" "+string(d.Code))
	})
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(wanted, found); d != "" {
		t.Errorf("diagnostics: %s", d)
	}
	return h, l
}

// A line is what encoding/json says of one, independently of our reader.
type line struct {
	Timestamp  string
	Type       string
	ID         string
	RecordType string `json:"record_type"`
	Payload    struct {
		ID            string
		SessionID     string `json:"session_id"`
		Timestamp     string
		Cwd           string
		Originator    string
		CLIVersion    string          `json:"cli_version"`
		ModelProvider string          `json:"model_provider"`
		HistoryMode   string          `json:"history_mode"`
		ForkedFrom    string          `json:"forked_from_id"`
		ForkOrdinal   *int64          `json:"forked_from_ordinal_exclusive"`
		Parent        string          `json:"parent_thread_id"`
		Source        json.RawMessage `json:"source"`
		Base          *struct {
			ThreadID   string `json:"thread_id"`
			EndOrdinal int64  `json:"end_ordinal_exclusive"`
			EndByte    int64  `json:"end_byte_offset"`
		} `json:"history_base"`
	}
}

func lines(t *testing.T, name string) (all []line) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(name, ".zst") {
		dec, err := zstd.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		defer dec.Close()
		if b, err = io.ReadAll(dec); err != nil {
			t.Fatal(err)
		}
	}
	for text := range bytes.Lines(b) {
		var l line
		// A cut last line stays as far as it was read.
		if err := json.Unmarshal(text, &l); err != nil && bytes.HasSuffix(text, []byte("\n")) {
			t.Fatalf("%s: %v", name, err)
		}
		all = append(all, l)
	}
	return all
}

func moment(t *testing.T, s string) time.Time {
	t.Helper()
	if s == "" {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// TestCorpusRefs: every rollout of the corpus is found, and what its Ref says is
// what a plain decoding of the whole file says.
func TestCorpusRefs(t *testing.T) {
	files := 0
	for _, home := range homes(t) {
		_, l := list(t, home)
		if len(l.Others) > 0 {
			t.Errorf("%s: others %v", home, l.Others)
		}
		files += len(l.Refs)
		for _, ref := range l.Refs {
			checkRef(t, home, ref)
		}
	}
	all := 0
	for _, name := range corpustest.Rollouts(t) {
		if !strings.Contains(filepath.ToSlash(name), "/before/") {
			all++
		}
	}
	if files != all || files == 0 {
		t.Errorf("%d files found, the corpus has %d", files, all)
	}
}

func checkRef(t *testing.T, home string, got Ref) {
	t.Helper()
	name := filepath.Join(home, filepath.FromSlash(got.Path))
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	all := lines(t, name)
	want := Ref{
		Path: got.Path, Name: ParseName(path.Base(got.Path)), Size: info.Size(), ModTime: info.ModTime(), Stamp: StampOf(info),
		Archived: strings.HasPrefix(got.Path, "archived_sessions/"), Compressed: strings.HasSuffix(got.Path, ".zst"),
		MetaLine: 1, MetaCount: 1, Source: "unknown",
	}
	if !strings.Contains(path.Base(got.Path), want.ThreadID) || want.ThreadID == "" {
		t.Errorf("%s: thread id %q in the name", got.Path, want.ThreadID)
	}
	want.ID = all[0].ID
	want.Bare = all[0].Type == ""
	if !want.Bare {
		p := all[0].Payload
		want.ID, want.SessionID, want.Cwd, want.Originator, want.Version = p.ID, p.SessionID, p.Cwd, p.Originator, p.CLIVersion
		want.Provider, want.HistoryMode, want.ForkedFrom, want.ForkOrdinal, want.ParentID = p.ModelProvider, p.HistoryMode, p.ForkedFrom, p.ForkOrdinal, p.Parent
		want.Created = moment(t, p.Timestamp)
		if p.Base != nil {
			want.Base = &Base{p.Base.ThreadID, p.Base.EndOrdinal, p.Base.EndByte}
		}
		for _, l := range all[1:min(len(all), headRecords)] {
			if l.Type == "session_meta" {
				want.MetaCount++
				if want.CopiedFrom == "" && l.Payload.ID != want.ID {
					want.CopiedFrom = l.Payload.ID
				}
			}
		}
	} else {
		want.Created = moment(t, all[0].Timestamp)
	}
	if want.ForkedFrom == "" {
		want.ForkedFrom = want.CopiedFrom
	}
	want.First = moment(t, all[0].Timestamp)
	for _, l := range all {
		if l.Timestamp != "" {
			want.Last = moment(t, l.Timestamp)
		}
	}
	// Checked against Codex's own view below.
	want.Source, want.ThreadSource, want.AgentNickname, want.AgentRole, want.AgentPath, want.Depth =
		got.Source, got.ThreadSource, got.AgentNickname, got.AgentRole, got.AgentPath, got.Depth
	if got.ParentID != "" && want.ParentID == "" {
		want.ParentID = parentOf(t, all[0].Payload.Source)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s: %s", name, d)
	}
}

func parentOf(t *testing.T, source json.RawMessage) string {
	t.Helper()
	var s struct {
		SubAgent struct {
			Spawn struct {
				Parent string `json:"parent_thread_id"`
			} `json:"thread_spawn"`
		} `json:"subagent"`
	}
	if err := json.Unmarshal(source, &s); err != nil {
		t.Fatal(err)
	}
	return s.SubAgent.Spawn.Parent
}

// oracle is what Codex itself lists of a home.
type oracle struct {
	Threads []struct {
		Archived    bool
		ListedAgain bool `json:"listed_again"`
		Unlisted    bool
		List        *struct {
			ID            string
			SessionID     string
			ForkedFromID  string
			ParentThread  string `json:"parentThreadId"`
			HistoryMode   string
			ModelProvider string
			CreatedAt     int64
			Path          string
			Cwd           string
			CliVersion    string
			Originator    string
			Source        json.RawMessage
			AgentNickname string
			Name          string
		}
	}
}

// TestCorpusOracle: the refs of each thread agree with what Codex lists: id,
// newest file, archived, folder, source, lineage, name.
func TestCorpusOracle(t *testing.T) {
	threads := 0
	for _, home := range homes(t) {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(home), "oracle.json"))
		if os.IsNotExist(err) {
			continue
		}
		var o oracle
		if err == nil {
			err = json.Unmarshal(b, &o)
		}
		if err != nil {
			t.Fatal(err)
		}
		h, l := list(t, home)
		known, err := h.Known(context.Background(), func(d diag.Diagnostic) { t.Error(d) })
		if err != nil {
			t.Fatal(err)
		}
		current, first := make(map[string]Ref), make(map[string]Ref)
		for _, ref := range l.Refs {
			if ref.FileID() >= current[ref.ID].SegmentID {
				current[ref.ID] = ref
			}
			if ref.SegmentID == "" {
				first[ref.ID] = ref
			}
		}
		for _, th := range o.Threads {
			if th.List == nil || th.ListedAgain {
				continue
			}
			threads++
			want, got := th.List, current[th.List.ID]
			at := home + " " + want.ID
			if got.ID == "" {
				t.Errorf("%s: not found", at)
				continue
			}
			if path.Base(want.Path) != path.Base(got.Path) && path.Base(want.Path)+".zst" != path.Base(got.Path) {
				t.Errorf("%s: Codex reads %s, we %s", at, want.Path, got.Path)
			}
			// From 0.156 on Codex shows the folder of the last turn, we the first.
			moved := strings.Contains(home, "resume_changed") || strings.Contains(home, "big_reasoning_settings")
			if got.Archived != th.Archived || got.Cwd != want.Cwd && !(moved && got.Cwd+"2" == want.Cwd) || got.Version != want.CliVersion || got.Provider != want.ModelProvider {
				t.Errorf("%s: archived %v, cwd %q, version %q, provider %q; want %v %+v", at, got.Archived, got.Cwd, got.Version, got.Provider, th.Archived, want)
			}
			if s := spelt(want.Source); s != got.Source {
				t.Errorf("%s: source %q, Codex says %s", at, got.Source, want.Source)
			}
			// Codex takes the newest segment's time, and the file's where it has
			// compressed it.
			if at0, at1 := first[want.ID].Created.Unix(), got.Created.Unix(); at0 != want.CreatedAt && at1 != want.CreatedAt && !strings.Contains(home, "compressed") {
				t.Errorf("%s: created %d, Codex says %d", at, at0, want.CreatedAt)
			}
			if got.AgentNickname != want.AgentNickname || want.Originator != "" && got.Originator != want.Originator {
				t.Errorf("%s: nickname %q, originator %q", at, got.AgentNickname, got.Originator)
			}
			if want.ParentThread != "" && got.ParentID != want.ParentThread || want.ForkedFromID != "" && got.ForkedFrom != want.ForkedFromID {
				t.Errorf("%s: parent %q, forked from %q; want %+v", at, got.ParentID, got.ForkedFrom, want)
			}
			if want.Name != "" && known.Titles[want.ID].Text != want.Name {
				t.Errorf("%s: title %+v, Codex says %q", at, known.Titles[want.ID], want.Name)
			}
			if row := known.State; row != nil && row.Threads[want.ID].Archived != th.Archived {
				t.Errorf("%s: the database says archived %v", at, !th.Archived)
			}
		}
	}
	if threads < 200 {
		t.Errorf("only %d threads compared", threads)
	}
}

// spelt gives our word for a source as Codex's app-server spells it.
func spelt(source json.RawMessage) string {
	s := strings.Join(strings.Fields(string(source)), "")
	for from, to := range map[string]string{`"cli"`: "cli", `"vscode"`: "vscode", `"exec"`: "exec", `"appServer"`: "app_server", `"unknown"`: "unknown",
		`{"subAgent":"review"}`: "subagent:review"} {
		if s == from {
			return to
		}
	}
	if strings.Contains(s, "thread_spawn") {
		return "subagent:thread_spawn"
	}
	return s
}

// TestCorpusNames: every index and every history of the corpus is read whole,
// and each base leads to a file.
func TestCorpusNames(t *testing.T) {
	prompts, titles, bases := 0, 0, 0
	for _, home := range homes(t) {
		h, l := list(t, home)
		files := make(map[string]bool)
		for i := range l.Refs {
			files[l.Refs[i].FileID()] = true
		}
		for _, ref := range l.Refs {
			if ref.Base != nil {
				if bases++; !files[ref.Base.ThreadID] {
					t.Errorf("%s: no file %s", ref.Path, ref.Base.ThreadID)
				}
			}
			if ref.ParentID != "" && (!files[ref.ParentID] || !ref.Subagent()) {
				t.Errorf("%s: parent %s, source %s", ref.Path, ref.ParentID, ref.Source)
			}
		}
		for p, err := range h.Prompts(history.Limits{}, func(d diag.Diagnostic) { t.Error(d) }) {
			if err != nil {
				t.Fatal(err)
			}
			if prompts++; !files[p.ThreadID] || p.Text == "" {
				t.Errorf("%s: prompt %+v", home, p)
			}
		}
		k, err := h.Known(context.Background(), func(d diag.Diagnostic) { t.Error(d) })
		if err != nil {
			t.Fatal(err)
		}
		titles += len(k.Titles)
		if k.State == nil {
			continue
		}
		for id, row := range k.State.Threads {
			if !strings.HasSuffix(strings.TrimSuffix(row.RolloutPath, ".zst"), ".jsonl") || k.Titles[id].Text == "" {
				t.Errorf("%s: row %+v", home, row)
			}
		}
	}
	if prompts < 30 || titles < 100 || bases < 30 {
		t.Errorf("%d prompts, %d titles, %d bases", prompts, titles, bases)
	}
}
