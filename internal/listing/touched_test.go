package listing

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/rolltest"
)

// TestTouched: each form in which the versions of Codex record a patch.
func TestTouched(t *testing.T) {
	const patch = "*** Begin Patch\n*** Update File: cart/cart.go\n@@\n-a\n+b\n*** Add File: new.go\n+x\n*** Delete File: old.go\n*** Update File: from.go\n*** Move to: to.go\n@@\n-a\n+b\n*** End Patch"
	all := []string{"/home/ada/shop/cart/cart.go", "/home/ada/shop/new.go", "/home/ada/shop/old.go", "/home/ada/shop/from.go", "/home/ada/shop/to.go"}
	type rollout = rolltest.Rollout // its turn items have no move_path
	for _, tt := range []struct {
		name string
		v    rolltest.Version
		make func(*rollout)
		want []string
	}{
		{"a shell's words", rolltest.V140, func(r *rollout) {
			r.Call("shell", rolltest.O{"command", rolltest.A{"apply_patch", patch}}).Output("ok")
		}, all},
		{"a here document", rolltest.V140, func(r *rollout) {
			r.Call("exec_command", rolltest.O{"cmd", "apply_patch <<'EOF'\n" + patch + "\nEOF\n"}).Output("ok")
		}, all},
		{"in another folder", rolltest.V140, func(r *rollout) {
			r.Call("shell", rolltest.O{"command", rolltest.A{"apply_patch", "*** Begin Patch\n*** Add File: x.go\n+x\n*** Add File: /abs/y.go\n+y\n*** Add File: ../z.go\n+z\n*** End Patch"}, "workdir", "/srv/app"}).Output("ok")
		}, []string{"/srv/app/x.go", "/abs/y.go", "/srv/z.go"}},
		{"a folder below", rolltest.V140, func(r *rollout) {
			r.Call("shell", rolltest.O{"workdir", "web", "command", rolltest.A{"apply_patch", "*** Begin Patch\n*** Add File: x.go\n+x\n*** End Patch"}}).Output("ok")
		}, []string{"/home/ada/shop/web/x.go"}},
		{"arguments that are no JSON", rolltest.V140, func(r *rollout) {
			r.Item(rolltest.O{"type", "function_call", "name", "shell", "arguments", `{"command":["` + strings.ReplaceAll(patch, "\n", `\n`) + `"`, "call_id", "c"})
		}, all},
		{"a custom tool", rolltest.V140, func(r *rollout) { r.CustomCall("apply_patch", patch).Output("ok") }, all},
		{"a local shell", rolltest.V140, func(r *rollout) {
			r.Item(rolltest.O{"type", "local_shell_call", "call_id", "c", "status", "completed", "action", rolltest.O{"type", "exec", "command", rolltest.A{"apply_patch", patch}, "working_directory", "/srv"}})
		}, []string{"/srv/cart/cart.go", "/srv/new.go", "/srv/old.go", "/srv/from.go", "/srv/to.go"}},
		{"what was applied", rolltest.V140, func(r *rollout) {
			r.Event(rolltest.O{"type", "patch_apply_end", "call_id", "c", "success", false, "changes", rolltest.O{
				"/a.go", rolltest.O{"type", "add", "content", ""}, "/b.go", rolltest.O{"type", "update", "unified_diff", "", "move_path", "/c.go"}}})
		}, []string{"/a.go", "/b.go", "/c.go"}},
		{"a turn item", rolltest.V171, func(r *rollout) { r.FileChange("exec-1", patch) }, all[:4]},
		{"a script", rolltest.V171, func(r *rollout) {
			r.Script("const r = await tools.apply_patch(p);", "ok", func() { r.FileChange(r.ExecID(), patch) })
		}, all[:4]},
		{"as the versions do", rolltest.V63, func(r *rollout) { r.Patch(patch) }, all},
		{"as the versions do", rolltest.V101, func(r *rollout) { r.Patch(patch) }, all},
		{"as the versions do", rolltest.V156, func(r *rollout) { r.Patch(patch) }, all},
		{"twice", rolltest.V156, func(r *rollout) { r.Patch(patch).Patch(patch) }, all},
		{"undone all the same", rolltest.V140, func(r *rollout) { r.Patch(patch).TurnComplete().RolledBack(1) }, all},
		{"text about patches", rolltest.V140, func(r *rollout) {
			r.Assistant(patch).Shell("cat notes", patch, 0)
		}, nil},
		{"lines outside a patch", rolltest.V140, func(r *rollout) {
			r.CustomCall("apply_patch", "*** Add File: before.go\n*** Begin Patch\n *** Add File: quoted.go\n+*** Add File: added.go\n*** Add File: \n*** End Patch").Output("ok")
		}, nil},
	} {
		r := rolltest.New(tt.v, rolltest.Meta{Cwd: "/home/ada/shop"})
		r.Turn("go")
		tt.make(r)
		home := rolltest.NewHome(1)
		home.Add(r.Path(), r.Data())
		thread := threadsOf(t, home.Temp(t))[r.ID]
		if !slices.Equal(thread.Touched, tt.want) || thread.TouchedCut {
			t.Errorf("%s in %v: %q, want %q", tt.name, tt.v, thread.Touched, tt.want)
		}
	}
}

// TestTouchedOnce: what a fork or a segment has from another file is that
// thread's; what was reverted still counts.
func TestTouchedOnce(t *testing.T) {
	for _, v := range []rolltest.Version{rolltest.V101, rolltest.V156} {
		add := func(name string) string { return "*** Begin Patch\n*** Add File: " + name + "\n+x\n*** End Patch" }
		home := rolltest.NewHome(5)
		r := home.New(v, rolltest.Meta{Cwd: "/w"})
		r.Turn("one").Patch(add("one.go")).Assistant("ok").TurnComplete()
		r.Turn("two").Patch(add("two.go")).Assistant("ok").TurnComplete()
		fork := r.Fork(rolltest.All)
		fork.Turn("three").Patch(add("three.go")).Assistant("ok").TurnComplete()
		want := "/w/one.go /w/two.go"
		if v == rolltest.V156 {
			r.Revert(1).Turn("four").Patch(add("four.go")).TurnComplete()
			want += " /w/four.go"
		}
		byID := threadsOf(t, home.Temp(t))
		for id, want := range map[string]string{r.ID: want, fork.ID: "/w/three.go"} {
			if got := strings.Join(byID[id].Touched, " "); got != want {
				t.Errorf("%v: %q, want %q", v, got, want)
			}
		}
	}
}

// TestTouchedBound: a thread that touches very many files is cut, and says so.
func TestTouchedBound(t *testing.T) {
	for _, tt := range []struct {
		name  string
		files int
		long  int
		kept  int
		cut   bool
	}{
		{"as many as are kept", maxTouched, 10, maxTouched, false},
		{"one more", maxTouched + 1, 10, maxTouched, true},
		{"long names", 100, 4000, maxTouchedText / 4000, true},
		{"a name too long", 1, maxTouchedPath + 1, 0, true},
	} {
		l := newLooker()
		for range 2 { // again changes nothing
			for i := range tt.files {
				l.add("", fmt.Sprintf("%0*d", tt.long, i))
			}
		}
		if len(l.files) != tt.kept || l.cut != tt.cut {
			t.Errorf("%s: %d files, cut %v", tt.name, len(l.files), l.cut)
		}
	}
}

func TestResolve(t *testing.T) {
	for _, tt := range []struct{ cwd, name, want string }{
		{"/w", "a.go", "/w/a.go"},
		{"/w/", "./b/../a.go", "/w/a.go"},
		{"/w", "/a.go", "/a.go"},
		{"/w", "../../../a.go", "/a.go"},
		{"", "a.go", "a.go"},
		{"", "../a.go", "../a.go"},
		{"/w", "", "/w"},
		{"/w", `dir\a.go`, `/w/dir\a.go`}, // a name that Unix allows
		{`C:\w`, "a.go", `C:\w\a.go`},
		{`C:\w\`, `web\..\a.go`, `C:\w\a.go`},
		{`C:\w`, `d:\x\a.go`, `d:\x\a.go`},
		{`C:\w`, "D:/x/a.go", `D:\x\a.go`},
		{"/w", `C:\x\a.go`, `C:\x\a.go`},
		{`\\server\share`, "a.go", `\\server\share\a.go`},
		{`\\server\share`, `..\b`, `\\server\b`},
	} {
		if got := resolve(tt.cwd, tt.name); got != tt.want {
			t.Errorf("%q in %q: %q, want %q", tt.name, tt.cwd, got, tt.want)
		}
	}
}

// FuzzTouched: no arguments of a call make the search fail.
func FuzzTouched(f *testing.F) {
	f.Add(`{"command":["apply_patch","*** Begin Patch\n*** Add File: a\n"],"workdir":"/x"}`, "/w")
	f.Add("*** Begin Patch\n*** Update File: ../a\r\n*** Move to: C:\\b\n", `\\s\t`)
	f.Add(`["*** Begin Patch`, "")
	f.Fuzz(func(t *testing.T, text, cwd string) {
		l := newLooker()
		patches, workdir := arguments(text)
		for _, p := range append(patches, text) {
			l.patch(resolve(cwd, workdir), p)
		}
		for _, name := range l.files {
			if name == "" || resolve("", name) != name {
				t.Errorf("%q is no plain path", name)
			}
		}
	})
}
