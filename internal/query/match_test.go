package query

import "testing"

func TestFits(t *testing.T) {
	type row struct {
		value, name string
		want        bool
	}
	for _, tt := range []struct {
		name string
		fits func(value, name string) bool
		rows []row
	}{
		{"project", FitsProject, []row{
			{"/srv/app", "/srv/app", true}, {"/srv/app", "/srv/app/", true}, {"/srv/app/", "/srv/app/sub", true},
			{"/srv/app", "/srv/apple", false}, {"/srv/App", "/srv/app", false}, {"/", "/srv", true}, {"/srv/app", "", false},
			{"app", "/srv/app", true}, {"app", "/srv/app/sub", true}, {"App", "/srv/app", false}, {"ap", "/srv/app", false},
			{`C:\Data\App`, `c:/data/app`, true}, {`c:\data`, `C:\Data\App`, true}, {`C:\`, `c:\data`, true}, {"c:", `C:\data`, true},
			{`C:\Data`, `\\?\c:\data\app`, true}, {`\\host\share`, `\\?\UNC\Host\Share\x`, true}, {`C:\Data\Ap`, `C:\Data\App`, false},
			{"App", `C:\data\app`, true}, {"/data", `C:\data`, false}, {`/a\B`, `/a\b`, false}, {`/a\b`, `/a\b`, true},
		}},
		{"tool", FitsTool, []row{
			{"shell", "shell", true}, {"Shell", "SHELL", true}, {"shell", "mcp.shell", true}, {"mcp.shell", "mcp.shell", true},
			{"mcp", "mcp.shell", false}, {"*patch*", "apply_patch", true}, {"mcp.*", "mcp.shell", true}, {"[", "[", false}, {"*", "", false},
		}},
		{"thread", FitsThread, []row{{"01A0", "01a0a41f", true}, {"01a0a41f0", "01a0a41f", false}}},
		{"file", FitsFile, []row{
			{"r-1.jsonl", "/h/sessions/r-1.jsonl", true}, {"-1.jsonl", "/h/sessions/r-1.jsonl", false}, {"sessions/r-1.jsonl", "/h/sessions/r-1.jsonl", true},
			{"/h/sessions/r-1.jsonl", "/h/sessions/r-1.jsonl", true}, {"*.jsonl", "/h/sessions/r-1.jsonl", true}, {"h/*/r-?.jsonl", "/h/sessions/r-1.jsonl", true},
			{"h/*.jsonl", "/h/sessions/r-1.jsonl", false}, {`sessions\r-1.jsonl`, `C:\h\sessions\r-1.jsonl`, true}, {"r-[", "/h/r-[", true}, {"r-[", "/h/r-x", false},
		}},
	} {
		for _, r := range tt.rows {
			if got := tt.fits(r.value, r.name); got != r.want {
				t.Errorf("%s: %q of %q: %v, want %v", tt.name, r.value, r.name, got, r.want)
			}
		}
	}
}
