package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/listing"
	"rollbook/internal/rolltest"
)

// privateData gives an environment with a data folder of its own.
func privateData(t *testing.T, more ...string) func(string) string {
	values := map[string]string{"ROLLBOOK_DATA": filepath.Join(t.TempDir(), "data")}
	for i := 0; i < len(more); i += 2 {
		values[more[i]] = more[i+1]
	}
	return func(name string) string { return values[name] }
}

// TestThreadsHere: the current folder is the one without links, as Codex writes
// it down; --project takes it by any of its names.
func TestThreadsHere(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	work, link := filepath.Join(dir, "work"), filepath.Join(dir, "link")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(work, link); err != nil {
		t.Skip(err)
	}
	home := rolltest.NewHome(1)
	r := home.New(rolltest.V140, rolltest.Meta{Cwd: filepath.Join(work, "web")})
	r.Turn("in the folder").Assistant("yes").TurnComplete()
	codex := home.Temp(t)
	for _, tt := range []struct {
		dir, args string
		found     bool
	}{
		{work, "--here", true},
		{filepath.Join(work, "web"), "--here", true},
		{dir, "--project work", true},
		{dir, "--project ./link/", true},
		{dir, "--project " + link, true},
		{dir, "--project wor", false},
		{work, "--project web/api", false},
		{dir, `--project C:\work`, false},
	} {
		got := try(t, Env{Dir: tt.dir, Getenv: privateData(t)}, append([]string{"threads", codex}, strings.Fields(tt.args)...))
		if got.code != 0 || strings.Contains(got.stdout, "in the folder") != tt.found {
			t.Errorf("%s in %s: %+v", tt.args, tt.dir, got)
		}
	}
}

// TestThreadsTouchedCut: where not all files of a thread are known --touched says
// so.
func TestThreadsTouchedCut(t *testing.T) {
	home := rolltest.NewHome(1)
	r := home.New(rolltest.V140, rolltest.Meta{})
	r.Turn("long names")
	r.Patch("*** Begin Patch\n*** Add File: " + strings.Repeat("x", 5000) + "\n+x\n*** Add File: a.go\n+x\n*** End Patch").Assistant("ok").TurnComplete()
	codex := home.Temp(t)
	got := try(t, Env{Getenv: privateData(t)}, []string{"threads", codex, "--touched", "a.go"})
	if got.code != 0 || !strings.Contains(got.stdout, "long names") ||
		got.stderr != "rollbook: warning: 1 thread touched more files than are kept, so --touched may not find all of theirs\n" {
		t.Errorf("%+v", got)
	}
}

// TestThreadsColor: colour changes nothing but colours, and no line is longer.
func TestThreadsColor(t *testing.T) {
	for _, args := range []string{"threads ../../examples/home --all", "threads ../../examples/home --tree", "threads ../../examples/home --long"} {
		for _, columns := range []string{"", "40", "80", "160"} {
			env := Env{Getenv: privateData(t, "COLUMNS", columns)}
			plain := try(t, env, strings.Fields(args))
			colored := try(t, env, strings.Fields(args+" --color always"))
			if !strings.Contains(colored.stdout, "\x1b[") {
				t.Errorf("%s at %s: no colour", args, columns)
			}
			if got := uncolored(colored.stdout); got != plain.stdout {
				t.Errorf("%s at %s:\n%s\nwithout colour:\n%s", args, columns, got, plain.stdout)
			}
		}
	}
}

// uncolored takes the colours of our own out.
func uncolored(s string) string {
	var b strings.Builder
	for s != "" {
		before, rest, found := strings.Cut(s, "\x1b[")
		b.WriteString(before)
		if !found {
			break
		}
		_, s, _ = strings.Cut(rest, "m")
	}
	return b.String()
}

// TestThreadsJSON: the JSON is whole, and every code in it is documented.
func TestThreadsJSON(t *testing.T) {
	got := try(t, Env{Getenv: privateData(t)}, []string{"threads", "../../examples/home", "--all", "--json"})
	var v struct {
		Schema  int `json:"schema_version"`
		Threads []struct {
			ID       string
			Kind     string
			Parent   *string
			Children []string
			Forks    []string
			Files    []struct {
				Path string
				Why  []string `json:"why_hidden"`
			}
		}
	}
	if err := json.Unmarshal([]byte(got.stdout), &v); err != nil || got.code != 2 || v.Schema != 1 || len(v.Threads) != 23 {
		t.Fatalf("exit %d, %v, %d threads", got.code, err, len(v.Threads))
	}
	kinds := make(map[string]int)
	for _, thread := range v.Threads {
		kinds[thread.Kind]++
		if thread.ID == "01a0a41f-9f3d-79cc-a08c-4f24133d7198" && (len(thread.Files) != 2 || !slices.Equal(thread.Files[0].Why, []string{"superseded-segment"}) || len(thread.Files[1].Why) != 0 || len(thread.Forks) != 1) {
			t.Errorf("%+v", thread)
		}
	}
	if kinds["main"] != 20 || kinds["sub-agent"] != 2 || kinds["review"] != 1 {
		t.Errorf("kinds %v", kinds)
	}
}

// TestDocsThreadsJSON: docs/cli.md has the keys that the JSON has.
func TestDocsThreadsJSON(t *testing.T) {
	want := make(map[string]bool)
	keys(want, reflect.TypeFor[listing.JSON](), "")
	got := make(map[string]bool)
	for _, row := range docRows(t, "threads --json") {
		for key := range strings.SplitSeq(row[0], ", ") {
			got[key] = true
		}
	}
	for key := range want {
		if !got[key] {
			t.Errorf("docs/cli.md, threads --json: no key %s", key)
		}
	}
	for key := range got {
		if !want[key] {
			t.Errorf("docs/cli.md, threads --json: key %s is not in the code", key)
		}
	}
}

// keys collects the keys of a type; those of its lists and objects with the key
// that they stand under.
func keys(into map[string]bool, t reflect.Type, under string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return
	}
	for i := range t.NumField() {
		name := t.Field(i).Tag.Get("json")
		into[under+name] = true
		next := name + "."
		if name == "threads" {
			next = ""
		}
		keys(into, t.Field(i).Type, next)
	}
}

// TestDocsHidden: docs/cli.md has every code, with what it means.
func TestDocsHidden(t *testing.T) {
	got := make(map[string]bool)
	for _, row := range docRows(t, "threads") {
		got[row[0]] = true
	}
	for _, code := range []listing.Code{listing.Archived, listing.NotInteractive, listing.IsSubAgent, listing.IsReview, listing.IsGuardian,
		listing.NoUserEvent, listing.NoMeta, listing.FirstLineUnreadable, listing.BadText, listing.OtherProvider, listing.NotInStateDB, listing.SupersededSegment} {
		if !got[string(code)] {
			t.Errorf("docs/cli.md, threads: no code %s", code)
		}
	}
}

func TestShellWord(t *testing.T) {
	for in, want := range map[string]string{
		"/home/ada/shop": "/home/ada/shop", "/home/ada/my notes": "'/home/ada/my notes'", "/it's": `'/it'\''s'`,
		"-rf": "'-rf'", "relative": "'relative'", `C:\x`: `'C:\x'`, "/a;b": "'/a;b'", "/$(x)": "'/$(x)'", "": "''",
	} {
		if got := shellWord(in); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestFromTo(t *testing.T) {
	for _, tt := range []struct{ from, to, want string }{
		{"2026-03-02 09:00", "2026-03-02 09:00", "2026-03-02 09:00"},
		{"2026-03-02 09:00", "2026-03-02 10:00", "2026-03-02 09:00 to 10:00"},
		{"2026-03-02 09:00", "2026-03-03 10:00", "2026-03-02 09:00 to 2026-03-03 10:00"},
		{"", "2026-03-03 10:00", "2026-03-03 10:00"},
		{"", "", ""},
	} {
		if got := fromTo(tt.from, tt.to); got != tt.want {
			t.Errorf("%q, %q: %q, want %q", tt.from, tt.to, got, tt.want)
		}
	}
}
