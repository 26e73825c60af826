package bundle

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/fsx"
	"rollbook/internal/secret"
)

// token is made up, and of the form of a credential_token.
const token = "sk-abcdefghijklmnop0123"

// E6: a secret in any string of an event is found, with field and line, and
// blocks writing; the value is nowhere in what is said. Without the line it is gone.
func TestFindingFields(t *testing.T) {
	item := func(kind, more string) string {
		return `{"timestamp":"2026-09-24T12:00:00Z","type":"response_item","payload":{"type":"` + kind + `",` + more + `}}` + "\n"
	}
	turn := func(id string) string {
		return `{"timestamp":"2026-09-24T12:00:00Z","type":"turn_context","payload":{"turn_id":` + quoted(id) + `}}` + "\n"
	}
	message := `"role":"user","content":[{"type":"input_text","text":"x"}]`
	for _, tt := range []struct{ field, two, three string }{
		{"text", turn("t"), say("user", token)},
		{"phase", turn("t"), item("message", message+`,"phase":"`+token+`"`)},
		{"tool_namespace", turn("t"), item("message", message+`,"namespace":"`+token+`"`)},
		{"tool_id", turn("t"), item("function_call", `"call_id":"`+token+`","name":"n","arguments":""`)},
		{"tool_name", turn("t"), item("function_call", `"call_id":"c","name":"`+token+`","arguments":""`)},
		{"source.id", turn("t"), item("message", message+`,"id":"`+token+`"`)},
		{"source.turn_id", turn(token), say("user", "x")},
		{"source.session_id", meta(token), say("user", "x")},
	} {
		text := meta("s") + tt.two + tt.three + meta("s") + turn("t") + say("user", "clean")
		if tt.field == "source.session_id" {
			text = meta(token) + turn("t") + say("user", "x")
		}
		o := optionsFor(rolloutFile(t, text))
		p := prepare(t, o)
		list := slices.Collect(p.Findings)
		if len(list) != 1 || list[0].Code != secret.CredentialToken || list[0].Field != tt.field || list[0].Line == nil || *list[0].Line != 3 {
			t.Errorf("%s: findings %+v", tt.field, list)
		}
		var said strings.Builder
		if err := p.WriteFindings(&said); err != nil || strings.Contains(said.String(), token) {
			t.Errorf("%s: %v, said %s", tt.field, err, said.String())
		}
		parent := t.TempDir()
		err := p.Write(t.Context(), fsx.OS, filepath.Join(parent, "b"))
		if !errors.Is(err, ErrFindings) {
			t.Errorf("%s: written with error %v", tt.field, err)
		}
		if left, _ := os.ReadDir(parent); len(left) > 0 {
			t.Errorf("%s: left %v", tt.field, left)
		}
		if tt.field != "source.session_id" {
			o.Exclude.Lines = []Range{{3, 3}}
			if p := prepare(t, o); !p.Clean() {
				t.Errorf("%s: found in what is left", tt.field)
			}
		}
	}
}

// E7: an id that other events inherit stays; the version is looked through too.
func TestInheritedFinding(t *testing.T) {
	text := strings.Replace(basic, "synthetic-turn", token, 1)
	o := optionsFor(rolloutFile(t, text))
	o.Exclude.Lines = []Range{{3, 3}}
	list := slices.Collect(prepare(t, o).Findings)
	if len(list) != 4 || list[0].Field != "source.turn_id" || *list[0].Line != 4 {
		t.Errorf("findings %+v", list)
	}
	p := prepareText(t, strings.Replace(basic, `"cli_version":"synthetic"`, `"cli_version":"`+token+`"`, 1))
	list = slices.Collect(p.Findings)
	if len(list) != 1 || list[0].Field != "source.version" || list[0].Line != nil || list[0].Block != nil {
		t.Errorf("findings %+v", list)
	}
}

// E12: the five codes of the contract, at most one finding of each a string.
func TestFindingCodes(t *testing.T) {
	for text, want := range map[string]string{
		`{"api_key":"abcdefgh12345"}`:              secret.CredentialAssignment,
		"-----BEGIN OPENSSH PRIVATE KEY-----":      secret.PrivateKey,
		"Authorization: bearer abcdefghijkl.mnop~": secret.BearerToken,
		"see http://joe:pass@example.org/x":        secret.URLCredentials,
		token + " and " + token + "9":              secret.CredentialToken,
	} {
		list := slices.Collect(prepareText(t, meta("s")+say("user", text)).Findings)
		if len(list) != 1 || list[0].Code != want || list[0].Field != "text" || *list[0].Line != 2 || *list[0].Block != 1 {
			t.Errorf("%q: findings %+v", text, list)
		}
	}
}

// With a redaction the same value has the same placeholder, everything else stays,
// and what was replaced is said.
func TestRedact(t *testing.T) {
	text := meta("s") + say("user", "use "+token) + say("assistant", "I use "+token+" and Bearer abcdefghijklmnop")
	o := optionsFor(rolloutFile(t, text))
	o.Redact = &secret.Options{}
	p := prepare(t, o)
	dir := write(t, p)
	v := mustVerify(t, dir)
	seen := preview(t, p)
	for name, data := range tree(t, dir) {
		if strings.Contains(data, token) || strings.Contains(data, "abcdefghijklmnop") {
			t.Errorf("%s holds a secret", name)
		}
	}
	if strings.Count(seen.History, "[redacted:") != 3 || !strings.Contains(seen.Handoff, "[redacted:") {
		t.Errorf("history %s\n%s", seen.History, seen.Handoff)
	}
	redacted := 0
	for _, s := range v.Manifest.Omissions {
		if strings.HasPrefix(s, "redacted ") && strings.Contains(s, "(lines 2-3)") || strings.HasPrefix(s, "redacted bearer_token: 1 (lines 3-3)") {
			redacted++
		}
	}
	if redacted != 2 || v.Manifest.Redaction != "pending-review" {
		t.Errorf("omissions %q", v.Manifest.Omissions)
	}
}

// What has no line does not move the lines that are reported.
func TestRedactVersion(t *testing.T) {
	for text, want := range map[string]string{
		"x":                                   "redacted credential_token: 1 (line n/a)",
		"use ghp_" + strings.Repeat("b1", 12): "redacted credential_token: 2 (lines 2-2)",
	} {
		head := strings.Replace(meta("s"), `"synthetic"`, quoted(token), 1)
		o := optionsFor(rolloutFile(t, head+say("user", text)))
		o.Redact = &secret.Options{}
		p := prepare(t, o)
		if !slices.Contains(p.Manifest.Omissions, want) {
			t.Errorf("omissions %q, want %s", p.Manifest.Omissions, want)
		}
	}
}

// What is left in the files after a redaction fails the writing and leaves nothing.
func TestResidue(t *testing.T) {
	o := optionsFor(rolloutFile(t, meta("s")+say("user", "x")))
	o.Redact = &secret.Options{}
	p := prepare(t, o)
	p.Handoff = append(p.Handoff, token...)
	parent := t.TempDir()
	err := p.Write(context.Background(), fsx.OS, filepath.Join(parent, "b"))
	if _, ok := errors.AsType[*secret.ResidueError](err); !ok {
		t.Errorf("error %v", err)
	}
	if left, _ := os.ReadDir(parent); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}
