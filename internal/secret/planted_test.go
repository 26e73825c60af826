package secret

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/secret/secrettest"
)

// TestPlanted redacts every plant in every spelling: nothing of it is left, what
// stands beside it is, a second time changes nothing, and the residue check, which
// finds it before, finds nothing.
func TestPlanted(t *testing.T) {
	for seed := range uint64(3) {
		list := secrettest.Plants(seed)
		var kinds []string
		for _, p := range list {
			if !slices.Contains(kinds, p.Kind) {
				kinds = append(kinds, p.Kind)
			}
		}
		if len(list) < 60 || len(kinds) < 12 {
			t.Errorf("only %d plants of %d kinds", len(list), len(kinds))
		}
		for i, p := range list {
			for _, sp := range secrettest.Spellings {
				checkPlant(t, fmt.Sprintf("%d/%s %d, %s", seed, p.Kind, i, sp.Name), p, sp.Of)
			}
		}
	}
}

func checkPlant(t *testing.T, name string, p secrettest.Plant, spell func(string) string) {
	t.Helper()
	text := spell("begin\n" + p.Text() + "\nend")
	r := NewRedactor(Options{})
	got := r.Text(text)
	if left := p.Left(got); left != "" {
		t.Errorf("%s: %q is left in %q of %q", name, left, got, text)
		return
	}
	if !strings.Contains(got, "begin") || !strings.Contains(got, "end") {
		t.Errorf("%s: too much is gone: %q of %q", name, got, text)
	}
	if again := r.Text(got); again != got {
		t.Errorf("%s: redacted again:\n%q, of\n%q", name, again, got)
	}
	form := formOf(name[strings.LastIndex(name, ", ")+2:])
	if err := Check(strings.NewReader(text), Redact, form); err == nil {
		t.Errorf("%s: the check finds nothing in %q", name, text)
	} else if strings.Contains(err.Error(), p.Value) {
		t.Errorf("%s: the error holds the value: %v", name, err)
	}
	if err := Check(strings.NewReader(got), Redact, form); err != nil {
		t.Errorf("%s: %v: %q", name, err, got)
	}
}

func formOf(spelling string) Form {
	if strings.HasPrefix(spelling, "HTML") {
		return HTML
	}
	return Plain
}
