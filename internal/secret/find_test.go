package secret

import (
	"slices"
	"strings"
	"testing"
)

// made is a made-up value: nothing in this repository looks like a secret to a
// scanner, so they are put together here.
func made(parts ...string) string { return strings.Join(parts, "") }

// TestContract holds the patterns to the page.
func TestContract(t *testing.T) {
	sk, gh := made("sk", "-"), made("gh", "p_")
	pem := made("-----BEGIN ", "PRIVATE KEY-----")
	tests := []struct {
		text string
		want string // code=bytes found
	}{
		{sk + "0123456789abcdef", "credential_token"},
		{sk + "ant-0123456789abcdef", "credential_token"},
		{sk + "0123456789abcde", ""},
		{"disk-0123456789abcdef", ""},
		{"(" + sk + "0123456789abcdef)", "credential_token"},
		{gh + "0123456789abcdefghij", "credential_token"},
		{gh + "0123456789abcdefghi", ""},
		{gh + "0123456789abcdefghij_x", ""},
		{made("gh", "r_") + "0123456789abcdefghij", "credential_token"},
		{made("gh", "x_") + "0123456789abcdefghij", ""},
		{made("github", "_pat_") + "0123456789_abcdefghi", "credential_token"},
		{made("AK", "IA") + "ABCDEFGHIJKLMNOP", "credential_token"},
		{made("AK", "IA") + "ABCDEFGHIJKLMNOPQ", ""},
		{made("AK", "IA") + "ABCDEFGHIJKLMNO", ""},
		{pem, "private_key"},
		{made("-----BEGIN ", "RSA PRIVATE KEY-----"), "private_key"},
		{made("-----BEGIN ", "EC PRIVATE KEY-----"), "private_key"},
		{made("-----BEGIN ", "OPENSSH PRIVATE KEY-----"), "private_key"},
		{"-----BEGIN PUBLIC KEY-----", ""},
		{`{"api_key":"abcdefgh"}`, "credential_assignment"},
		{`API-KEY=abcdefgh`, "credential_assignment"},
		{`apikey:'abcdefgh'`, "credential_assignment"},
		{`access token=abcdefgh`, ""},
		{`accessToken=abcdefgh`, "credential_assignment"},
		{`client_secret="abcdefgh`, "credential_assignment"},
		{`password=abcdefg`, ""},
		{`password=abcdefg,h`, ""},
		{`Password:abcdefgh;`, "credential_assignment"},
		{`password = abcdefgh`, ""},
		{`{"password": "hunter2hunter2"}`, "credential_assignment"},
		{`password = 'abcdefgh'`, "credential_assignment"},
		{`{"api_key" : "abcdefg"}`, ""},
		{"Bearer abcdefghijkl", "bearer_token"},
		{"bearer   abc.def~ghi_jkl-", "bearer_token"},
		{"Bearer abcdefghijk", ""},
		{"Bearer:abcdefghijkl", ""},
		{"https://user:pass@host/x", "url_credentials"},
		{"http://user:pass@host", "url_credentials"},
		{"https://user@host", ""},
		{"https://host:80/a@b", ""},
		{"ftp://user:pass@host", ""},
		{"nothing at all", ""},
		{"", ""},
	}
	for _, tt := range tests {
		if got := strings.Join(Codes(tt.text), " "); got != tt.want {
			t.Errorf("Codes(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

// TestContractOrder holds the codes to the order of the page, each once.
func TestContractOrder(t *testing.T) {
	one := made("https://u:p@h password=abcdefgh Bearer abcdefghijkl -----BEGIN ", "PRIVATE KEY----- sk", "-0123456789abcdef ")
	if got := Codes(one + one); !slices.Equal(got, ContractCodes) {
		t.Errorf("%v", got)
	}
	var places []string
	for _, f := range Find(one, Contract) {
		places = append(places, one[f.Start:f.End])
	}
	want := []string{"u:p", "abcdefgh", "abcdefghijkl", made("-----BEGIN ", "PRIVATE KEY-----"), made("sk", "-0123456789abcdef")}
	if !slices.Equal(places, want) {
		t.Errorf("%q, want %q", places, want)
	}
}

func TestRedactText(t *testing.T) {
	tok := made("gh", "p_0123456789abcdefghij")
	r := NewRedactor(Options{})
	for _, tt := range []struct{ text, want string }{
		{"nothing", "nothing"},
		{"a " + tok + " b", "a [redacted:credential_token:1] b"},
		{"curl -H 'Authorization: Bearer abcdefghijkl=='", "curl -H 'Authorization: Bearer [redacted:bearer_token:1]'"},
		{`{"command":"export PASSWORD=abcd1234\nmake"}`, `{"command":"export PASSWORD=[redacted:credential_assignment:1]\nmake"}`},
		{"again " + tok, "again [redacted:credential_token:1]"},
		{`x\n` + tok + `\n`, `x\n[redacted:credential_token:1]\n`},
		{"password=" + tok, "password=[redacted:credential_token:1]"},
		{"postgres://app:abc@db/x", "postgres://[redacted:connection_string:1]@db/x"},
		{"https%3A%2F%2Fu%3Ap%40h", "https%3A%2F%2F[redacted:url_credentials:1]%40h"},
		{"https://u:p@h", "https://[redacted:url_credentials:1]@h"},
		{made("-----BEGIN ", "PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nAASC\n-----END ", "PRIVATE KEY-----\nrest"), "[redacted:private_key:1]\nrest"},
		{made("-----BEGIN ", `PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nAASC\n-----END `, `PRIVATE KEY-----\nrest`), `[redacted:private_key:1]\nrest`},
	} {
		got := r.Text(tt.text)
		if got != tt.want {
			t.Errorf("Text(%q) = %q, want %q", tt.text, got, tt.want)
		}
		if again := r.Text(got); again != got {
			t.Errorf("Text(%q) = %q", got, again)
		}
		if left := Codes(got); len(left) > 0 {
			t.Errorf("%q has %v", got, left)
		}
	}
}
