package transcript

import "testing"

// TestUnwrapEnvelopes crosses every envelope with every form of the marker.
func TestUnwrapEnvelopes(t *testing.T) {
	for _, opening := range []string{
		"# Files mentioned by the user:\n\n## a.png: /tmp/a.png",
		"# Applications mentioned by the user:\n\n<appshot app=\"x\">tree</appshot>",
		"# Context from my IDE setup:\n\n## Active file: a.go\n\n## Open tabs:\n- a.go: a.go",
		"The following is the Codex agent history whose request action you are assessing.\n>>> TRANSCRIPT START",
		" \n# Context from my IDE setup:\n",
		"# context from my ide setup:\r\n",
	} {
		for _, tt := range []struct{ tail, words string }{
			{"\n\n## My request for Codex:\nkeep this prompt\n", "keep this prompt"},
			{"\n\n## My request:\nkeep this prompt", "keep this prompt"},
			{"\n## MY REQUEST FOR CODEX: keep this prompt", "keep this prompt"},
			{"\r\n## My request:\r\n\r\n  one\r\n\r\ntwo\r\n", "one\r\n\r\ntwo"},
			{"\n## My request for Codex:\nfirst\n## My request:\nsecond", "first\n## My request:\nsecond"},
			{"\n## My request for Codex:\n \n", ""},
			{"\n## My request", ""},
			{"\n## My requests:\nx", ""},
			{"\n# My request:\nx", ""},
			{"\n> ## My request:\nx", ""},
			{"\nsee ## My request: x", ""},
			{"", ""},
		} {
			words, wrapped := Unwrap(opening + tt.tail)
			if words != tt.words || !wrapped {
				t.Errorf("Unwrap(%q) = %q, %v, want %q, true", opening+tt.tail, words, wrapped, tt.words)
			}
		}
	}
}

func TestUnwrapLeavesOtherTexts(t *testing.T) {
	for _, text := range []string{
		"",
		"  fix it \n",
		"## My request for Codex:\nfix it",
		"look at this:\n# Context from my IDE setup:\n\n## My request for Codex:\nfix it",
		"# Context from my IDE",
		"# Files mentioned by the users:\n## My request:\nx",
		"## Files mentioned by the user:\n## My request:\nx",
		"<environment_context>\n## My request:\nx",
	} {
		if words, wrapped := Unwrap(text); words != text || wrapped {
			t.Errorf("Unwrap(%q) = %q, %v, want it unchanged", text, words, wrapped)
		}
	}
}
