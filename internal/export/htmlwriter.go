package export

import (
	"crypto/sha256"
	_ "embed" // the style and the script of pages
	"encoding/base64"
	"strings"

	"rollbook/internal/term"
)

// The style and the script of every page. The policy of a page names their
// digests, so that a browser takes no other.
var (
	//go:embed page/page.css
	pageStyle string
	//go:embed page/page.js
	pageScript string
)

// markup is HTML of ours. A constant is one by itself; a log's text is a string,
// and becomes part of a page by htmlWriter.text alone.
type markup string

// An htmlWriter writes HTML: markup of ours as it is, and everything else as
// text, which cannot end an element or an attribute in double quotes.
type htmlWriter struct {
	out
	size int // bytes written so far
}

func (h *htmlWriter) raw(m markup) { h.add(string(m)) }

func (h *htmlWriter) add(s string) {
	h.buf = append(h.buf, s...)
	h.size += len(s)
	if len(h.buf) >= flushAt {
		h.flush()
	}
}

// text writes text, as safe as it is for a terminal.
func (h *htmlWriter) text(s string) { h.escape(term.Safe(s, term.Block)) }

// escape writes text that has gone through term.Safe.
func (h *htmlWriter) escape(s string) {
	for s != "" {
		i := strings.IndexAny(s, `&<>"'`)
		if i < 0 {
			i = len(s)
		}
		for i > flushAt { // so that the buffer stays small
			h.add(s[:flushAt])
			s, i = s[flushAt:], i-flushAt
		}
		h.add(s[:i])
		if i < len(s) {
			h.add(entity(s[i]))
			i++
		}
		s = s[i:]
	}
}

func entity(c byte) string {
	switch c {
	case '&':
		return "&amp;"
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	case '"':
		return "&#34;"
	}
	return "&#39;"
}

// threadTools are the buttons of a thread's page; they need the script.
const threadTools markup = `<button type="button" data-do="turns" aria-expanded="false" aria-controls="turns">Turns</button>` +
	`<button type="button" data-do="fold" title="Open or close all tools (e)">Tools</button>`

// top writes a page up to its content. The script stands before it, so that
// what it offers is there while the rest is still being read.
func (h *htmlWriter) top(title, index string, tools markup) {
	h.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"")
	h.raw(markup(policy))
	h.raw("\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		"<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"color-scheme\" content=\"light dark\">\n" +
		"<meta name=\"generator\" content=\"rollbook\">\n<title>")
	h.text(title)
	h.raw("</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>")
	h.raw(markup(pageStyle))
	h.raw("</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#thread\">Skip to the content</a>\n<header class=\"bar\">")
	if index != "" {
		h.raw(`<a class="up" href="`)
		h.text(index)
		h.raw(`">All threads</a>`)
	}
	h.raw(`<span class="name">`)
	h.text(title)
	h.raw(`</span><form class="find" role="search"><input type="search" placeholder="Find" aria-label="Find in this page" autocomplete="off" spellcheck="false">` +
		`<output aria-live="polite"></output><button type="button" data-do="prev" aria-label="Previous hit">↑</button>` +
		`<button type="button" data-do="next" aria-label="Next hit">↓</button></form><span class="tools">`)
	h.raw(tools)
	h.raw(`<button type="button" data-do="theme" title="Light or dark (t)" aria-label="Light or dark">◐</button>` +
		"<button type=\"button\" data-do=\"help\" title=\"Keys (?)\" aria-label=\"Keys\">?</button></span></header>\n")
	h.raw(helpDialog)
	h.raw("<script>")
	h.raw(markup(pageScript))
	h.raw("</script>\n")
	h.flush()
}

const helpDialog markup = `<dialog id="help" aria-label="Keys"><h2>Keys</h2><dl>` +
	`<div><dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>next, previous event</dd></div>` +
	`<div><dt><kbd>J</kbd> <kbd>K</kbd></dt><dd>next, previous turn</dd></div>` +
	`<div><dt><kbd>o</kbd></dt><dd>open or close what is folded here</dd></div>` +
	`<div><dt><kbd>e</kbd></dt><dd>open or close all tools</dd></div>` +
	`<div><dt><kbd>/</kbd></dt><dd>find; <kbd>n</kbd> <kbd>N</kbd> next, previous hit</dd></div>` +
	`<div><dt><kbd>c</kbd></dt><dd>the table of turns</dd></div>` +
	`<div><dt><kbd>t</kbd></dt><dd>light, dark, as the system</dd></div>` +
	`<div><dt><kbd>?</kbd></dt><dd>this</dd></div>` +
	"</dl><form method=\"dialog\"><button>Close</button></form></dialog>\n"

// policy lets a page load nothing, and run and use nothing but what has the
// digests of ours.
var policy = "default-src 'none'; img-src data:; style-src '" + digest(pageStyle) + "'; script-src '" + digest(pageScript) +
	"'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// close ends the page.
func (h *htmlWriter) close() {
	h.raw("</body>\n</html>\n")
	h.flush()
}
