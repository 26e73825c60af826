package secret

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestPieces puts texts together from what rules look at, and holds them to what
// FuzzText holds any text to.
func TestPieces(t *testing.T) {
	pieces := []string{
		"password", "api_key", "client-secret", "accessToken", "secret", "token", "auth", "Bearer", "Basic", "Cookie:", "machine ", "login ", "curl -u ", "--token ",
		"=", ":", ": ", "\"", "'", "`", ",", ";", "{", "}", "[", "]", "(", ")", "<", ">", "&", "@", "/", "://", "https://", "redis://", " ", "\n", ".", "-", "_",
		`\`, `\n`, `\"`, `\\`, `\\n`, `\u0022`, "%20", "%22", "%40", "%3A", "%2F", "%2520", "%5B", "%5D", "&quot;", "&amp;", "&lt;", `\[`, `\_`, `\]`,
		"[redacted:login:1]", "[redacted:credential_assignment:12]", `\[redacted:login:1\]`, "%5Bredacted:login:1%5D", "[redacted:", "redacted", "1]",
		"abc", "abcdefgh", "A1b2C3d4E5f6G7h8", "0123456789abcdef0123456789abcdef", "joe", "joe@example.org", "dXNlcjpwYXNzd29yZA==",
		made("sk", "-0123456789abcdef"), made("gh", "p_0123456789abcdefghij"), made("-----BEGIN ", "PRIVATE KEY-----"), made("-----END ", "PRIVATE KEY-----"),
		"MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "/home/joe/", `C:\Users\joe\`, "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.0123456789abcdef0123",
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		var b strings.Builder
		for range 1 + rnd.IntN(14) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		checkRedacted(t, b.String())
		if t.Failed() {
			return
		}
	}
}
