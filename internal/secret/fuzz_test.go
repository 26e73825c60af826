package secret

import (
	"testing"

	"rollbook/internal/secret/secrettest"
)

// FuzzText holds redaction to what it promises of any text: redacted again it is
// the same, nothing of the contract and nothing at all is found in it, and the
// check of what was written agrees.
func FuzzText(f *testing.F) {
	for _, p := range secrettest.Plants(7) {
		for _, sp := range secrettest.Spellings {
			f.Add(sp.Of(p.Text()))
		}
	}
	for _, s := range []string{
		"[redacted:login:1]", "password=[redacted:login:1]x", `password=\[redacted:login:1\]`, "https://[redacted:login:1]:a@b",
		"%5Bredacted%3Alogin%3A1%5D@h", "password=%5Bredacted:login:1%5D%20abcdefgh", "a@b.co", "/home/joe/x", `C:\\Users\\joe`, `\u0070assword=\u0022abcdefgh`,
	} {
		f.Add(s)
	}
	f.Fuzz(checkRedacted)
}

func checkRedacted(t *testing.T, s string) {
	for _, o := range []Options{{}, {Home: "/home/joe", Emails: true}} {
		r := NewRedactor(o)
		once := r.Text(s)
		if again := r.Text(once); again != once {
			t.Errorf("%q becomes\n%q, and that\n%q", s, once, again)
		}
		if again := NewRedactor(o).Text(once); again != once {
			t.Errorf("%q becomes\n%q, and that with another redactor\n%q", s, once, again)
		}
		if left := Codes(once); len(left) > 0 {
			t.Errorf("%q becomes %q, which has %v", s, once, left)
		}
		if left := Find(once, Redact); len(left) > 0 {
			t.Errorf("%q becomes %q, which has %v", s, once, left)
		}
		for _, sp := range secrettest.Spellings {
			if !sp.Written {
				continue
			}
			check := r.Residue(formOf(sp.Name))
			check.Write([]byte(sp.Of(once)))
			if err := check.Close(); err != nil {
				t.Errorf("%q becomes %q, of which %s is %q: %v", s, once, sp.Name, sp.Of(once), err)
			}
		}
	}
	last := 0
	for _, m := range Find(s, Redact) {
		if m.Start < last || m.End <= m.Start || m.End > len(s) {
			t.Errorf("%+v in %q", m, s)
		}
		last = m.End
	}
}
