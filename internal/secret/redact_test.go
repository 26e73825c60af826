package secret

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/transcript"
)

// TestLeft holds what is no secret to being left as it is.
func TestLeft(t *testing.T) {
	for _, text := range []string{
		"the password is required",
		"Password: ",
		"password: process.env.DB_PASSWORD",
		"const password = getPassword();",
		"const token = await fetchToken(user2, 10)",
		`token := r.Header.Get("X-Auth-Token2")`,
		"password = os.environ['PW_2']",
		"DB_PASS=$DB_PASS_2 make",
		"TOKEN=${GITHUB_TOKEN_V2}",
		`{"token": "{{ .Values.token2 }}"}`,
		`"api_key": "<your key 2 here>"`,
		"--- PASS: TestThing/sub_2 (0.00s)",
		"tokens: 12345678901234567890",
		"total_tokens=1234567890123456",
		"key: value12345678901234567890",
		"primary_key: a1b2c3d4e5f6a7b8c9d0e1f2",
		"cache-key=linux-go-1.26.8-0123456789abcdef0123",
		"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		"01a0a41f-0000-7000-8000-0123456789ab",
		"https://example.org/a@b/c:d",
		"see https://example.org:8080/x?mail=a@b.co",
		"git clone git@example.org:team/repo.git",
		"docker run -u 1000:1000 image",
		"sort -u a:bcdef",
		"Basic usage: see below",
		"basic " + "abcdefgh",
		"bypass=12345678a",
		"import eyJ from 'x'",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
		"xoxb-xxxxxxxxxxxxxxxxxxxxxxxx",
		"author: John 12345678",
		"Cookie: theme=dark",
		"passphrase too short: a1",
	} {
		if got := NewRedactor(Options{}).Text(text); got != text {
			t.Errorf("Text(%q) = %q", text, got)
		}
	}
}

func TestPersonal(t *testing.T) {
	for _, tt := range []struct {
		options    Options
		text, want string
	}{
		{Options{}, "/home/joe/x joe@example.org", "/home/joe/x joe@example.org"},
		{Options{Home: "/srv/people/joe"}, "cd /srv/people/joe/x; ls /srv/people/joey", "cd ~/x; ls /srv/people/joey"},
		{Options{Home: "/srv/people/joe/"}, `"\/srv\/people\/joe\/x" %2Fsrv%2Fpeople%2Fjoe%2Fx`, `"~\/x" ~%2Fx`},
		{Options{Home: AnyHome}, "/home/ann/a /Users/Ann.B/b /Users/Shared/c", "~/a ~/b /Users/Shared/c"},
		{Options{Home: AnyHome}, `C:\Users\ann\a "C:\\Users\\ann\\b"`, `~\a "~\\b"`},
		{Options{Home: AnyHome}, "file:///home/ann/x,/home/", "file://~/x,/home/"},
		{Options{Home: AnyHome}, "https://example.org/home/page", "https://example.org/home/page"},
		{Options{Home: AnyHome}, "/var/home/x", "/var/home/x"},
		{Options{Home: AnyHome}, `"ls\n/home/ann/a\\n/home/ann/b\u0022/home/ann/c"`, `"ls\n~/a\\n~/b\u0022~/c"`},
		{Options{Home: AnyHome}, "q=x%20/home/ann/a%0A/home/ann/b", "q=x%20~/a%0A~/b"},
		{Options{Home: AnyHome}, "a%41/home/ann/a x%2E/home/ann/b", "a%41/home/ann/a x%2E/home/ann/b"},
		{Options{Home: AnyHome}, "/home/安娜/x", "~/x"},
		{Options{Emails: true}, "Ann <ann@example.org>, bob.b+c@mail.example.org.", "Ann <[redacted:email:1]>, [redacted:email:2]."},
		{Options{Emails: true}, "ann@example.org ANN@Example.org ann%40example.org", "[redacted:email:1] [redacted:email:1] [redacted:email:1]"},
		{Options{Emails: true}, "git@example.org:x a@b @media x@2.3", "git@example.org:x a@b @media x@2.3"},
	} {
		r := NewRedactor(tt.options)
		got := r.Text(tt.text)
		if got != tt.want {
			t.Errorf("%+v: Text(%q) = %q, want %q", tt.options, tt.text, got, tt.want)
		}
		if again := r.Text(got); again != got {
			t.Errorf("%+v: Text(%q) = %q", tt.options, got, again)
		}
	}
}

// TestPlaceholders: the same value has the same number, whatever gave it away.
func TestPlaceholders(t *testing.T) {
	one, two := made("gh", "p_0123456789abcdefghij"), made("gh", "p_0123456789abcdefghik")
	r := NewRedactor(Options{})
	r.At(Place{"a.jsonl", 3})
	if got, want := r.Text(one+" "+two+" "+one), "[redacted:credential_token:1] [redacted:credential_token:2] [redacted:credential_token:1]"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.At(Place{"a.jsonl", 9})
	if got, want := r.Text(`{"TOKEN":"`+two+`"} Bearer `+one), `{"TOKEN":"[redacted:credential_token:2]"} Bearer [redacted:credential_token:1]`; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	r.Text("Bearer abcdefghijkl")
	want := []Count{
		{BearerToken, 1, 1, Place{"a.jsonl", 9}, Place{"a.jsonl", 9}},
		{CredentialToken, 5, 2, Place{"a.jsonl", 3}, Place{"a.jsonl", 9}},
	}
	if got := r.Counts(); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestManyValues: what a Redactor remembers does not grow without a bound.
func TestManyValues(t *testing.T) {
	r := NewRedactor(Options{})
	var last string
	for i := range maxValues + 2 {
		last = r.Text("Bearer abcdefghijkl" + strings.Repeat("x", i%9) + string([]byte{byte('a' + i%26), byte('a' + i/26%26), byte('a' + i/676%26), byte('a' + i/17576%26)}))
	}
	if last != "Bearer [redacted:bearer_token]" || len(r.known) != maxValues {
		t.Errorf("%q, %d known", last, len(r.known))
	}
	if again := r.Text(last); again != last {
		t.Errorf("%q", again)
	}
}

// TestCodesAreNoKeyWords: a placeholder would be a finding by its own code.
func TestCodesAreNoKeyWords(t *testing.T) {
	codes := slices.Clone(ContractCodes)
	for _, f := range families {
		codes = append(codes, f.code)
	}
	for _, code := range append(codes, "secret_value", "basic_auth", "login", "netrc_login", "cookie", "jwt", Email) {
		text := mark + code + ":1]abcdefgh1"
		if got := Find(text, Redact); len(got) > 0 {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

// TestWindows puts a secret at every place round the borders of a window, in
// texts and in what is checked.
func TestWindows(t *testing.T) {
	secrets := []string{made("gh", "p_0123456789abcdefghij"), `export PASSWORD=\"abcd1234\"`, made("-----BEGIN ", `PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\n-----END `, `PRIVATE KEY-----`)}
	for _, s := range secrets {
		for _, border := range []int{0, windowSize, windowSize + lookBack, windowSize + lookBack + reach, 2 * windowSize} {
			for at := max(0, border-len(s)-2); at <= border+2; at += 11 {
				text := strings.Repeat(".", at) + " " + s + " " + strings.Repeat(",", 3*windowSize/2)
				r := NewRedactor(Options{})
				got := r.Text(text)
				if n := strings.Count(got, mark); n != 1 {
					t.Fatalf("%d placeholders for %q at %d", n, s, at)
				}
				if err := Check(iotestReader{strings.NewReader(text)}, Redact, Plain); err == nil {
					t.Fatalf("%q at %d: nothing found", s, at)
				}
				if err := Check(iotestReader{strings.NewReader(got)}, Redact, Plain); err != nil {
					t.Fatalf("%q at %d: %v", s, at, err)
				}
			}
		}
	}
}

// An iotestReader gives parts of odd lengths.
type iotestReader struct{ io.Reader }

func (r iotestReader) Read(p []byte) (int, error) { return r.Reader.Read(p[:min(len(p), 7919)]) }

// TestCutOff: a placeholder that a title or an excerpt ends with is none the less
// one.
func TestCutOff(t *testing.T) {
	const whole = "password=[redacted:credential_assignment:1]"
	for n := range len(whole) {
		for _, end := range []string{"", "…", "\n```\n", `…"}`, "…</a>"} {
			if err := Check(strings.NewReader("machine a login b "+whole[:n]+end), Redact, Plain); err != nil {
				t.Errorf("%s%s: %v", whole[:n], end, err)
			}
		}
	}
	if err := Check(strings.NewReader("password=[redacted:xabcdefgh1"+"-abcdefgh"), Redact, Plain); err == nil {
		t.Error("a value that only begins as a placeholder is none")
	}
}

// TestResidue: where something is left, in every form that files are written in.
func TestResidue(t *testing.T) {
	tok := made("gh", "p_0123456789abcdefghij")
	for _, tt := range []struct {
		options Options
		form    Form
		text    string
		want    string
	}{
		{Options{}, Plain, "a\nb " + tok + "\nc\n" + tok, "credential_token: 2 (lines 2-4)"},
		{Options{}, Plain, `{"text":"x\n` + tok + `"}`, "credential_token: 1 (lines 1-1)"},
		{Options{}, Plain, strings.ReplaceAll(tok, "_", `\_`), "credential_token: 1 (lines 1-1)"},
		{Options{}, HTML, "<p>password:</p><p>abcdefghij</p>", ""},
		{Options{}, HTML, "<b>Bearer</b> abcdefghijklmnop", ""},
		{Options{}, HTML, "<p>\npassword=&#34;abcdefgh&#34;</p>", "credential_assignment: 1 (lines 2-2)"},
		{Options{}, HTML, `<a href="https://u:p@h">x</a>`, "url_credentials: 1 (lines 1-1)"},
		{Options{}, HTML, "<p>" + tok + "</p>", "credential_token: 1 (lines 1-1)"},
		{Options{Emails: true}, Plain, "\nann@example.org", "email: 1 (lines 2-2)"},
		{Options{}, Plain, "ann@example.org", ""},
		{Options{Home: "/srv/joe"}, Plain, "x\n/srv/joe/y", "home_path: 1 (lines 2-2)"},
		{Options{Home: "/srv/joe"}, Plain, "/srv/joey", ""},
	} {
		residue := NewRedactor(tt.options).Residue(tt.form)
		residue.Write([]byte(tt.text))
		err := residue.Close()
		got := ""
		if left, ok := errors.AsType[*ResidueError](err); ok {
			_, got, _ = strings.Cut(left.Error(), ": ")
		} else if err != nil {
			t.Errorf("%q: %v", tt.text, err)
		}
		if got != tt.want {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestThread: every text of a thread goes through, ids of threads stay, and the
// thread that was given is as it was.
func TestThread(t *testing.T) {
	tok := made("gh", "p_0123456789abcdefghij")
	const gone = "[redacted:credential_token:1]"
	ev := transcript.Event{
		Kind: transcript.ToolResult, TurnID: tok, Role: tok, Text: tok, Phase: tok, ItemID: tok, Status: tok, Tool: tok, Namespace: tok, CallID: tok,
		Arguments: `{"x":"` + tok + `"}`, Output: tok, Model: tok, Source: transcript.Source{File: "a.jsonl", Line: 4},
		Images:  []transcript.Image{{Name: tok}},
		Changes: []transcript.FileChange{{Path: tok, Kind: "add", Moved: tok, Diff: "+" + tok}},
	}
	failure := errors.New("no more")
	th := &transcript.Thread{
		Meta: transcript.Meta{ID: "01a0a41f", Title: tok, Project: tok, Models: []string{tok}, Versions: []string{"1"}, Files: []string{"a.jsonl"}},
		Events: func(yield func(*transcript.Event, error) bool) {
			if yield(&ev, nil) {
				yield(nil, failure)
			}
		},
	}
	r := NewRedactor(Options{})
	out := r.Thread(th)
	if out.Title != gone || out.Project != gone || out.Models[0] != gone || out.ID != "01a0a41f" || th.Title != tok || th.Models[0] != tok {
		t.Errorf("%+v of %+v", out.Meta, th.Meta)
	}
	n := 0
	for got, err := range out.Events {
		if err != nil {
			if err != failure {
				t.Error(err)
			}
			continue
		}
		n++
		for _, s := range []string{got.TurnID, got.Role, got.Text, got.Phase, got.ItemID, got.Status, got.Tool, got.Namespace, got.CallID, got.Output, got.Model,
			got.Images[0].Name, got.Changes[0].Path, got.Changes[0].Moved} {
			if s != gone {
				t.Errorf("%q", s)
			}
		}
		if got.Arguments != `{"x":"`+gone+`"}` || got.Changes[0].Diff != "+"+gone {
			t.Errorf("%+v", got)
		}
	}
	if n != 1 || ev.Text != tok || ev.Images[0].Name != tok || ev.Changes[0].Path != tok {
		t.Errorf("%d events; %+v", n, ev)
	}
	if c := r.Counts(); len(c) != 1 || c[0].Last != (Place{"a.jsonl", 4}) || c[0].First != (Place{"a.jsonl", 4}) {
		t.Errorf("%+v", c)
	}
}
