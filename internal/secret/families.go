package secret

import (
	"encoding/base64"
	"strings"
)

// A family is a sort of token that its first bytes tell.
type family struct {
	code        string
	prefix      string
	of          *class
	least, most int // bytes behind the prefix; most 0: no bound
}

// families are the tokens of services that say what they are. Lengths are those
// that their makers use or promise; where they promise nothing, the shortest seen
// with a margin.
var families = []family{
	{"aws_key", "ASIA", capitals, 16, 16},
	{"aws_key", "ABSK", base64s, 100, 0},
	{"google_key", "AIza", tokens, 35, 35},
	{"google_token", "ya29.", tokens, 20, 0},
	{"google_token", "GOCSPX-", tokens, 20, 0},
	{"google_token", "1//0", tokens, 30, 0},
	{"gitlab_token", "glpat-", dotted, 20, 0},
	{"gitlab_token", "gldt-", dotted, 20, 0},
	{"gitlab_token", "glrt-", dotted, 20, 0},
	{"gitlab_token", "glcbt-", dotted, 20, 0},
	{"gitlab_token", "glptt-", tokens, 20, 0},
	{"gitlab_token", "glft-", tokens, 20, 0},
	{"gitlab_token", "glimt-", tokens, 20, 0},
	{"gitlab_token", "glagent-", tokens, 20, 0},
	{"gitlab_token", "glsoat-", tokens, 20, 0},
	{"gitlab_token", "gloas-", tokens, 20, 0},
	{"gitlab_token", "GR1348941", tokens, 20, 0},
	{"bitbucket_token", "ATBB", alnum, 32, 0},
	{"atlassian_token", "ATATT3", base64s, 60, 0},
	{"slack_token", "xoxb-", tokens, 20, 0},
	{"slack_token", "xoxp-", tokens, 20, 0},
	{"slack_token", "xoxa-", tokens, 20, 0},
	{"slack_token", "xoxr-", tokens, 20, 0},
	{"slack_token", "xoxs-", tokens, 20, 0},
	{"slack_token", "xoxe-", tokens, 20, 0},
	{"slack_token", "xoxc-", tokens, 20, 0},
	{"slack_token", "xoxd-", tokens, 20, 0},
	{"slack_token", "xoxe.xox", dotted, 20, 0},
	{"slack_token", "xapp-", tokens, 20, 0},
	{"slack_webhook", "hooks.slack.com/services/", pathBytes, 30, 0},
	{"slack_webhook", "hooks.slack.com/workflows/", pathBytes, 30, 0},
	{"stripe_key", "sk_live_", alnum, 16, 0},
	{"stripe_key", "sk_test_", alnum, 16, 0},
	{"stripe_key", "rk_live_", alnum, 16, 0},
	{"stripe_key", "rk_test_", alnum, 16, 0},
	{"stripe_key", "whsec_", base64s, 24, 0},
	{"npm_token", "npm_", alnum, 36, 36},
	{"pypi_token", "pypi-AgE", tokens, 50, 0},
	{"rubygems_token", "rubygems_", hexes, 48, 48},
	{"crates_token", "cio", alnum, 32, 32},
	{"huggingface_token", "hf_", alnum, 30, 60},
	{"huggingface_token", "api_org_", alnum, 30, 60},
	{"groq_key", "gsk_", alnum, 40, 0},
	{"xai_key", "xai-", alnum, 60, 0},
	{"perplexity_key", "pplx-", alnum, 40, 0},
	{"replicate_token", "r8_", alnum, 30, 0},
	{"sendgrid_key", "SG.", dotted, 60, 80},
	{"mailgun_key", "key-", hexes, 32, 32},
	{"digitalocean_token", "dop_v1_", hexes, 64, 64},
	{"digitalocean_token", "doo_v1_", hexes, 64, 64},
	{"digitalocean_token", "dor_v1_", hexes, 64, 64},
	{"shopify_token", "shpat_", hexes, 32, 32},
	{"shopify_token", "shpss_", hexes, 32, 32},
	{"shopify_token", "shpca_", hexes, 32, 32},
	{"shopify_token", "shppa_", hexes, 32, 32},
	{"square_token", "sq0atp-", tokens, 22, 0},
	{"square_token", "sq0csp-", tokens, 22, 0},
	{"databricks_token", "dapi", hexes, 32, 32},
	{"vault_token", "hvs.", tokens, 24, 0},
	{"vault_token", "hvb.", tokens, 24, 0},
	{"vault_token", "hvr.", tokens, 24, 0},
	{"age_key", "AGE-SECRET-KEY-1", capitals, 58, 58},
	{"docker_token", "dckr_pat_", tokens, 20, 0},
	{"docker_token", "dckr_oat_", tokens, 20, 0},
	{"postman_key", "PMAK-", tokens, 40, 0},
	{"newrelic_key", "NRAK-", capitals, 27, 27},
	{"sentry_token", "sntrys_", base64s, 40, 0},
	{"sentry_token", "sntryu_", hexes, 64, 64},
	{"linear_key", "lin_api_", alnum, 32, 0},
	{"notion_token", "ntn_", alnum, 40, 0},
	{"notion_token", "secret_", alnum, 43, 43},
	{"grafana_token", "glsa_", words, 40, 0},
	{"grafana_token", "glc_eyJ", base64s, 32, 0},
	{"doppler_token", "dp.pt.", alnum, 40, 0},
	{"pulumi_token", "pul-", hexes, 40, 40},
	{"planetscale_token", "pscale_tkn_", dotted, 32, 0},
	{"planetscale_token", "pscale_pw_", dotted, 32, 0},
	{"supabase_token", "sbp_", hexes, 40, 40},
	{"netlify_token", "nfp_", alnum, 36, 0},
	{"figma_token", "figd_", tokens, 40, 0},
	{"fly_token", "FlyV1 fm", base64s, 50, 0},
	{"heroku_key", "HRKU-", tokens, 36, 0},
	{"easypost_key", "EZAK", alnum, 54, 54},
	{"terraform_token", "atlasv1.", tokens, 60, 0},
}

// intrinsic gives the rules of the families, and of tokens that are told by more
// than their first bytes.
func intrinsic() []anchor {
	var list []anchor
	for _, f := range families {
		list = append(list, anchor{f.prefix, true, f.find})
	}
	for _, digit := range "0123456789abcdef" {
		list = append(list, anchor{"SK" + string(digit), true, twilioKey})
	}
	for _, digit := range "0123456789" {
		list = append(list, anchor{string(digit) + "Q~", true, azureSecret})
	}
	return append(list,
		anchor{"eyJ", true, jwt},
		anchor{":AA", true, telegramToken},
		anchor{".atlasv1.", true, terraformToken},
		anchor{"discord.com/api/webhooks/", true, discordWebhook},
		anchor{"discordapp.com/api/webhooks/", true, discordWebhook},
		anchor{"sig=", true, azureSignature},
		anchor{"-us", true, mailchimpKey},
		anchor{"hooks.zapier.com/hooks/", true, zapierHook},
	)
}

func (f *family) find(s string, at, end int) (match, bool) {
	if wordBefore(s, at) {
		return match{}, false
	}
	stop := 0
	if f.most > 0 {
		stop = f.of.upTo(s, end, f.most+1)
	} else {
		stop = f.of.run(s, end)
	}
	if stop-end < f.least || f.most > 0 && stop-end > f.most || wordAt(s, stop) {
		return match{}, false
	}
	return familyMatch(f.code, s, at, stop)
}

func familyMatch(code, s string, at, stop int) (match, bool) {
	for stop > at && (s[stop-1] == '.' || s[stop-1] == '/') {
		stop-- // of the sentence
	}
	v := s[at:stop]
	if !varied(v) {
		return match{end: stop}, false // nor is what it ends with
	}
	return match{code: code, rank: rankFamily, from: at, start: at, end: stop, value: v}, true
}

// varied reports whether a token has more than a few different bytes, which a
// stand-in such as xxxxxxxx has not.
func varied(v string) bool {
	var seen [256]bool
	n := 0
	for i := range len(v) {
		if !seen[v[i]] {
			seen[v[i]] = true
			if n++; n == 8 {
				return true
			}
		}
	}
	return false
}

// token is any token of the contract, with all that belongs to it.
func token(s string, at, end int) (match, bool) {
	m, ok := contractToken(s, at, end)
	if ok && s[at:end] == "sk-" {
		m.end = tokens.run(s, m.end)
		m.value = s[m.start:m.end]
	}
	return m, ok
}

// jwt is a signed token: a header and claims that are JSON objects, and a
// signature. An encrypted one has five parts.
func jwt(s string, at, end int) (match, bool) {
	if wordBefore(s, at) {
		return match{}, false
	}
	dot := tokens.upTo(s, end, maxJWTHead)
	head, err := base64.RawURLEncoding.DecodeString(s[at:dot])
	if byteAt(s, dot) != '.' || err != nil || !strings.Contains(string(head), `"alg"`) {
		return match{}, false
	}
	stop := dotted.run(s, end)
	parts := strings.SplitN(strings.TrimRight(s[at:stop], "."), ".", 4)
	if len(parts) < 3 || len(parts[1]) < 8 || len(parts[2]) < 16 && len(parts) == 3 {
		return match{}, false
	}
	return familyMatch("jwt", s, at, at+len(strings.Join(parts, ".")))
}

// maxJWTHead is how long the first part of a signed token may be.
const maxJWTHead = 4 << 10

// telegramToken is the id of a bot, a colon and 35 bytes that begin with AA.
func telegramToken(s string, at, end int) (match, bool) {
	start := digits.back(s, at, 11)
	stop := tokens.upTo(s, at+1, 36)
	if at-start < 8 || at-start > 10 || stop-at-1 != 35 || wordBefore(s, start) && !foldedAt(s, start-3, "bot") {
		return match{}, false
	}
	return familyMatch("telegram_token", s, start, stop)
}

// twilioKey is SK and 32 hexadecimal digits.
func twilioKey(s string, at, end int) (match, bool) {
	stop := lowerHexes.upTo(s, at+2, 33)
	if wordBefore(s, at) || stop-at != 34 || wordAt(s, stop) {
		return match{}, false
	}
	return familyMatch("twilio_key", s, at, stop)
}

// azureSecret is a client secret: 3 bytes, a digit, Q~ and 31 to 34 more.
func azureSecret(s string, at, end int) (match, bool) {
	start, stop := at-3, azureBytes.upTo(s, end, 35)
	if start < 0 || azureBytes.upTo(s, start, 4) < at || start > 0 && azureBytes[s[start-1]] || stop-end < 31 || stop-end > 34 {
		return match{}, false
	}
	return familyMatch("azure_secret", s, start, stop)
}

var azureBytes = newClass("A-Za-z0-9_~.-")

// azureSignature is that of a shared access signature, which other parameters of
// the address stand beside.
func azureSignature(s string, at, end int) (match, bool) {
	if wordBefore(s, at) {
		return match{}, false
	}
	stop := signatureBytes.upTo(s, end, 256)
	before, after := addressBytes.back(s, at, 400), addressBytes.upTo(s, stop, 400)
	if stop-end < 43 || !strings.Contains(s[before:after], "se=") {
		return match{}, false
	}
	return familyMatch("azure_signature", s, end, stop)
}

// mailchimpKey is 32 hexadecimal digits and the name of a data centre.
func mailchimpKey(s string, at, end int) (match, bool) {
	start, stop := hexes.back(s, at, 33), digits.run(s, end)
	if at-start != 32 || stop == end || stop-end > 2 || wordBefore(s, start) || wordAt(s, stop) {
		return match{}, false
	}
	return familyMatch("mailchimp_key", s, start, stop)
}

// terraformToken is 14 bytes, .atlasv1. and 60 or more.
func terraformToken(s string, at, end int) (match, bool) {
	start, stop := alnum.back(s, at, 14), tokens.run(s, end)
	if at-start != 14 || stop-end < 60 {
		return match{}, false
	}
	return familyMatch("terraform_token", s, start, stop)
}

// discordWebhook is the address of a webhook: an id and a token.
func discordWebhook(s string, at, end int) (match, bool) {
	i := digits.run(s, end)
	if i-end < 15 || byteAt(s, i) != '/' {
		return match{}, false
	}
	stop := tokens.run(s, i+1)
	if stop-i < 40 {
		return match{}, false
	}
	return familyMatch("discord_webhook", s, at, stop)
}

func zapierHook(s string, at, end int) (match, bool) {
	stop := pathBytes.run(s, end)
	if stop-end < 16 {
		return match{}, false
	}
	return familyMatch("zapier_webhook", s, at, stop)
}

var (
	lowerHexes     = newClass("0-9a-f")
	pathBytes      = newClass("A-Za-z0-9/")
	signatureBytes = newClass("A-Za-z0-9+/=%")
	addressBytes   = newClass("A-Za-z0-9+/=%&?:;.,_~-")
)
