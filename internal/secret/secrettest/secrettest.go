// Package secrettest makes up secrets for tests, and puts them into every spelling
// that texts of threads have.
package secrettest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/url"
	"strings"
)

// A Plant is a made-up secret and the text that it stands in.
type Plant struct {
	Kind          string
	Value         string
	Before, After string
}

// Text is the secret in its text.
func (p Plant) Text() string { return p.Before + p.Value + p.After }

// Plants makes the planted set anew for a seed: more than 60 secrets of 20 kinds.
// None of them opens anything, and none stands in this file as it is.
func Plants(seed uint64) []Plant {
	rnd := rand.New(rand.NewPCG(seed, 1))
	pick := func(alphabet string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[rnd.IntN(len(alphabet))]
		}
		return string(b)
	}
	const lower, upper, numbers = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
	const all, hex = lower + upper + numbers, numbers + "abcdef"
	var list []Plant
	add := func(kind, before, value, after string) {
		list = append(list, Plant{kind, value, before, after})
	}
	token := func(kind string, prefix ...string) func(tail string) {
		return func(tail string) { add(kind, "use ", strings.Join(prefix, "")+tail, " here") }
	}
	token("model", "sk", "-")(pick(all, 48))
	token("model", "sk", "-ant-api03-")(pick(all+"_-", 92) + "A")
	token("model", "sk", "-proj-")(pick(all+"_-", 64) + "A")
	token("model", "hf", "_")(pick(lower+upper, 34))
	token("model", "gsk", "_")(pick(all, 52))
	token("model", "xai", "-")(pick(all, 80))
	for _, kind := range "pousr" {
		token("github", "gh", string(kind), "_")(pick(all, 36))
	}
	token("github", "github", "_pat_")(pick(all, 22) + "_" + pick(all, 59))
	token("gitlab", "gl", "pat-")(pick(all, 20))
	token("gitlab", "gl", "rt-")(pick(all, 20))
	token("cloud", "AK", "IA")(pick(upper+"234567", 16))
	token("cloud", "AS", "IA")(pick(upper+"234567", 16))
	token("cloud", "AI", "za")(pick(all, 35))
	token("cloud", "GOC", "SPX-")(pick(all, 28))
	token("cloud", "ya", "29.")(pick(all, 60))
	token("cloud", "dop", "_v1_")(pick(hex, 64))
	token("chat", "xo", "xb-")(pick(numbers, 12) + "-" + pick(numbers, 12) + "-" + pick(all, 24))
	token("chat", "xo", "xp-")(pick(numbers, 12) + "-" + pick(numbers, 12) + "-" + pick(hex, 32))
	token("chat", "https://hooks.sl", "ack.com/services/")("T" + pick(upper, 8) + "/B" + pick(upper, 8) + "/" + pick(all, 24))
	token("chat", pick("123456789", 9), ":A", "A")(pick(all, 33))
	token("chat", "https://disc", "ord.com/api/webhooks/")(pick(numbers, 18) + "/" + pick(all, 68))
	token("payment", "sk", "_live_")(pick(all, 24))
	token("payment", "rk", "_test_")(pick(all, 24))
	token("payment", "wh", "sec_")(pick(all, 32))
	token("payment", "shp", "at_")(pick(hex, 32))
	token("package", "npm", "_")(pick(all, 36))
	token("package", "py", "pi-AgEIcHlwaS5vcmc")(pick(all, 70))
	token("package", "ruby", "gems_")(pick(hex, 48))
	token("package", "dckr", "_pat_")(pick(all, 27))
	token("mail", "S", "G.")(pick(all, 22) + "." + pick(all, 43))
	token("mail", "ke", "y-")(pick(hex, 32))
	token("mail", pick(hex, 32))("-us" + "12")
	token("voice", "S", "K")(pick(hex, 32))
	token("azure", pick(all, 3)+"8", "Q", "~")(pick(all, 33))
	add("azure", "DefaultEndpointsProtocol=https;AccountName=x;Account"+"Key=", pick(all, 86)+"==", ";EndpointSuffix=core.windows.net")
	add("azure", "https://x.blob.core.windows.net/c?sv=2022-11-02&se=2026-12-01&sig=", pick(all, 43), "&sp=r")
	jwt := func() string {
		enc := base64.RawURLEncoding.EncodeToString
		return enc([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + enc([]byte(`{"sub":"`+pick(numbers, 10)+`"}`)) + "." + pick(all, 43)
	}
	token("jwt")(jwt())
	add("jwt", "Authorization: Bearer ", jwt(), "")
	add("bearer", "-H 'Authorization: Bearer ", pick(all, 40), "' https://api.test")
	add("bearer", "authorization: bearer ", pick(hex, 64), "\nAccept: */*")
	login := func() string {
		return base64.StdEncoding.EncodeToString([]byte(pick(lower, 6) + ":" + pick(all, 14)))
	}
	add("basic", "Authorization: Basic ", login(), "\n")
	add("basic", "proxy-authorization: basic ", login(), "\n")
	add("basic", `{"auths":{"registry.test":{"auth": "`, login(), `"}}}`)
	add("basic", "curl -s -u ", pick(lower, 6)+":"+pick(all, 14), " https://api.test/v1")
	pem := func(kind, head string, lines int) {
		var b strings.Builder
		fmt.Fprintf(&b, "-----BEGIN %sPRIVATE "+"KEY-----\n%s", kind, head)
		for range lines {
			fmt.Fprintln(&b, pick(all+"+/", 64))
		}
		fmt.Fprintf(&b, "%s==\n-----END %sPRIVATE "+"KEY-----", pick(all, 30), kind)
		add("key", "cat key.pem\n", b.String(), "\ndone")
	}
	pem("", "", 26)
	pem("RSA ", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,"+pick(hex, 32)+"\n\n", 24)
	pem("EC ", "", 3)
	pem("OPENSSH ", "", 6)
	pem("ENCRYPTED ", "", 26)
	add("key", "client-key-data: ", base64.StdEncoding.EncodeToString([]byte("-----BEGIN RSA PRIVATE "+"KEY-----\n"+pick(all, 64)+"\n"+pick(all, 64))), "\n")
	add("key", "key: ", "AGE-SECRET-"+"KEY-1"+pick(upper+numbers, 58), "\n")
	for _, scheme := range []string{"postgres", "mysql", "mongodb+srv", "redis", "amqp", "ftp", "https", "git+ssh"} {
		add("connection", "DATABASE_URL="+scheme+"://", pick(lower, 5)+":"+pick(all, 16), "@db.internal:5432/app")
	}
	add("connection", "redis://", ":"+pick(all, 20), "@cache:6379")
	add("connection", "Server=db;User Id=sa;Pass"+"word=", pick(all, 16), ";Encrypt=true")
	add("assignment", "export API"+"_KEY=", pick(all, 32), "\n")
	add("assignment", `"pass`+`word": "`, pick(all, 14), `"`)
	add("assignment", "client"+"_secret='", pick(all, 40), "'")
	add("assignment", "pass"+"word: ", pick(all, 7)+"42"+pick(all, 7), "\n")
	add("assignment", "AWS_SECRET_ACCESS"+"_KEY=", pick(all+"/+", 39)+"a", "\n")
	add("assignment", "secret_key_base: ", pick(hex, 128), "\n")
	add("assignment", "  auth_"+"token = \"", pick(all, 32), "\"\n")
	add("assignment", "deploy --to"+"ken ", pick(all, 30)+"7a", " --now")
	add("assignment", "<pass"+"word>", pick(all, 10)+"7x", "</pass"+"word>")
	add("assignment", `{"name":"SESSION_SE`+`CRET","value":"`, pick(all, 30)+"9", `"}`)
	add("assignment", "machine git.test login me password ", pick(all, 12), "\n")
	add("cookie", "Cookie: session=", pick(all, 32), "; theme=dark\n")
	return list
}

// Spellings are how a text of a person or a tool comes to stand in a thread
// or a file.
var Spellings = []struct {
	Name    string
	Written bool // by rollbook too
	Of      func(string) string
}{
	{"plain", true, func(s string) string { return s }},
	{"JSON", true, quoted},
	{"JSON in JSON", true, func(s string) string { return quoted(quoted(s)) }},
	{"JSON as a browser writes it", false, func(s string) string { return strings.ReplaceAll(quoted(s), "/", `\/`) }},
	{"arguments", true, func(s string) string { return `{"command":["bash","-lc",` + quoted(s) + `]}` }},
	{"query", false, func(s string) string { return "https://a.test/?q=" + url.PathEscape(s) + "&x=1" }},
	{"query twice", false, func(s string) string { return "https://a.test/?q=" + url.PathEscape(url.PathEscape(s)) }},
	{"HTML", true, func(s string) string { return "<p>" + html.EscapeString(s) + "</p>" }},
	{"HTML of JSON", false, func(s string) string { return "<pre>" + html.EscapeString(quoted(s)) + "</pre>" }},
	{"Markdown", true, markdown},
	{"diff", false, func(s string) string { return "@@ -1 +1 @@\n+" + strings.ReplaceAll(s, "\n", "\n+") + "\n" }},
	{"numbered", false, func(s string) string { return "     1\t" + strings.ReplaceAll(s, "\n", "\n    12\t") }},
	{"in words", false, func(s string) string { return "I ran this (" + s + "), and it worked." }},
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func markdown(s string) string {
	var b strings.Builder
	for _, c := range s {
		if strings.ContainsRune("\\`*_{}[]()#+-.!|<>~", c) {
			b.WriteByte('\\')
		}
		b.WriteRune(c)
	}
	return b.String()
}

// Left gives a part of 12 bytes of the secret that is left in a text, escaped
// once or not; "" where nothing is. Parts of what every key has are passed over.
func (p Plant) Left(text string) string {
	for i := 0; i+12 <= len(p.Value); i += 4 {
		part := p.Value[i : i+12]
		if strings.ContainsAny(part, "-: ,\n") {
			continue
		}
		for _, spelled := range []string{part, quoted(part), url.PathEscape(part), html.EscapeString(part), markdown(part)} {
			if strings.Contains(text, strings.Trim(spelled, `"`)) {
				return part
			}
		}
	}
	return ""
}
