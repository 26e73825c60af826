package export

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	nethtml "golang.org/x/net/html"

	"rollbook/internal/browsertest"
	"rollbook/internal/transcript"
)

// asForge renders Markdown as forges do before they clean it: with all HTML
// that it holds.
func asForge(t interface{ Fatal(...any) }, text string) string {
	var b bytes.Buffer
	forge := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	if err := forge.Convert([]byte(text), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// forgeElements are those that Markdown of ours may become.
var forgeElements = " h1 h2 h3 h4 h5 h6 p blockquote ul ol li hr br em strong b del code pre a table thead tbody tr th td details summary input "

// checkForge looks at rendered Markdown: nothing in it loads or runs anything.
func checkForge(page string) (problem string) {
	folds := 0
	for z := nethtml.NewTokenizer(strings.NewReader(page)); ; {
		kind := z.Next()
		if kind == nethtml.ErrorToken {
			break
		}
		if kind != nethtml.StartTagToken && kind != nethtml.SelfClosingTagToken {
			if token := z.Token(); kind == nethtml.EndTagToken && token.Data == "details" {
				folds--
			}
			continue
		}
		token := z.Token()
		if !strings.Contains(forgeElements, " "+token.Data+" ") {
			return "an element: " + token.String()
		}
		if token.Data == "details" {
			folds++
		}
		for _, a := range token.Attr {
			scheme, _, _ := strings.Cut(strings.ToLower(a.Val), ":")
			if strings.HasPrefix(a.Key, "on") || a.Key == "src" || a.Key == "href" && (scheme == "javascript" || scheme == "data" || scheme == "vbscript") {
				return "an attribute: " + token.String()
			}
		}
	}
	if folds != 0 {
		return "folds that do not end"
	}
	return ""
}

// TestMarkdownOnForge renders threads with every attack in every place.
func TestMarkdownOnForge(t *testing.T) {
	var all strings.Builder
	for _, text := range attacks {
		rendered := asForge(t, everywhere(t, text))
		if problem := checkForge(rendered); problem != "" {
			t.Errorf("%q: %s", text, problem)
		}
		all.WriteString(rendered)
	}
	for _, th := range append(sampleThreads(t, transcript.Active), wildThreads(t, transcript.Physical)...) {
		if problem := checkForge(asForge(t, markdown(t, everything.Options, th))); problem != "" {
			t.Errorf("%s: %s", th.ID, problem)
		}
	}

	// In a browser, without a policy and uncleaned, it does nothing either.
	file := filepath.Join(t.TempDir(), "forge.html")
	if err := os.WriteFile(file, []byte("<!doctype html><meta charset=utf-8><link rel=icon href=data:,>"+all.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	tab := browsertest.Start(t).Open(t, file, browsertest.View{})
	if n := browsertest.Eval[int](t, tab, `document.querySelectorAll("details").forEach((d) => { d.open = true }), document.querySelectorAll("script, img, iframe, svg, style, base, form, object, embed").length`); n != 0 {
		t.Errorf("%d elements that could do something", n)
	}
	tab.Quiet(t)
}
