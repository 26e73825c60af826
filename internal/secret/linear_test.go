package secret

import (
	"strings"
	"testing"
)

// TestRepeated: a window of nothing but anchors ends. Rules that go over the same
// bytes from each of them take minutes for it, and with them the test does.
func TestRepeated(t *testing.T) {
	for _, anchor := range []string{
		"password=", "password=a1", "auth=", "secret:", "eyJ.", "sk-", "AIza-", "AKIA", "-xoxb-", "cookie: ", "cookie:a=b ", "sig=", "-whsec_", "://", "a://b:c",
		"bearer ", "basic a", "machine ", "-u a:b ", "-----BEGIN PRIVATE KEY-----", "LS0tLS1CRUdJTi", "private-lines:1 ", "a@b.", "/home/", `\u0070`, "%70", "[redacted:jwt:1]",
		"password=[redacted:jwt:1]", "hf_", "glpat-", "SK1", "1Q~", ":AA", "0-us", "\"key\": \"value",
	} {
		text := strings.Repeat(anchor, (windowSize+reach)/len(anchor))
		Find(text, Contract)
		if once := NewRedactor(Options{Emails: true}).Text(text); NewRedactor(Options{Emails: true}).Text(once) != once {
			t.Errorf("%q: redacting twice changes something", anchor)
		}
	}
}
