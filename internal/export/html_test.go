package export

import (
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"
	"testing"
	"unicode"

	nethtml "golang.org/x/net/html"
	"pgregory.net/rapid"

	"rollbook/internal/term"
	"rollbook/internal/transcript"
)

func htmlOf(t interface{ Fatal(...any) }, o HTMLOptions, th *transcript.Thread) string {
	o.Zone = lisbon
	var b strings.Builder
	if err := NewHTML(&b, o).Write(th); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// ours are the elements that a page has, with the attributes they may have.
var ours = map[string]string{
	"html": "lang", "head": "", "body": "", "meta": "charset http-equiv content name", "title": "", "link": "rel href", "style": "", "script": "",
	"main": "id class", "header": "class", "footer": "class", "nav": "id aria-label", "section": "class id aria-labelledby", "article": "class id aria-label",
	"div": "class", "span": "class id title", "p": "class id", "h1": "", "h2": "id", "h3": "", "h4": "", "h5": "", "dl": "class", "dt": "", "dd": "", "small": "",
	"a": "class href title rel", "b": "class", "em": "", "strong": "", "del": "", "code": "", "pre": "class", "kbd": "", "blockquote": "", "ul": "", "ol": "start", "li": "",
	"hr": "", "br": "", "table": "class", "caption": "", "thead": "", "tbody": "", "tr": "", "th": "scope class", "td": "class colspan data-label", "details": "", "summary": "",
	"figure": "", "figcaption": "", "img": "loading decoding alt width height src", "dialog": "id aria-label", "form": "class role method",
	"input": "type placeholder aria-label autocomplete spellcheck", "output": "aria-live", "button": "type data-do title aria-label aria-expanded aria-controls",
}

var voids = []string{"meta", "link", "hr", "br", "img", "input"}

// checkHTML reads a page as a browser does. Every element is one of ours, with
// its attributes, and ends where we end it; there is one script and one style,
// ours; links lead within the page or to the web; images are in the page.
func checkHTML(page string) (problem string) {
	var open []string
	scripts := 0
	z := nethtml.NewTokenizer(strings.NewReader(page))
	for {
		kind := z.Next()
		if kind == nethtml.ErrorToken {
			break
		}
		token := z.Token()
		switch kind {
		case nethtml.StartTagToken:
			if problem := checkElement(&token); problem != "" {
				return problem
			}
			if !slices.Contains(voids, token.Data) {
				open = append(open, token.Data)
			}
			if token.Data == "script" || token.Data == "style" {
				scripts++
			}
		case nethtml.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != token.Data {
				return fmt.Sprintf("</%s> within %v", token.Data, open)
			}
			open = open[:len(open)-1]
		case nethtml.TextToken:
			if last := len(open) - 1; last >= 0 && (open[last] == "script" && token.Data != pageScript || open[last] == "style" && token.Data != pageStyle) {
				return "another " + open[last]
			}
		case nethtml.DoctypeToken:
		default:
			return "a token that is none of ours: " + token.String()
		}
	}
	if len(open) > 0 || scripts != 2 {
		return fmt.Sprintf("%d scripts and styles; left open: %v", scripts, open)
	}
	return ""
}

func checkElement(token *nethtml.Token) (problem string) {
	may, ok := ours[token.Data]
	if !ok {
		return "an element that is none of ours: " + token.String()
	}
	for _, a := range token.Attr {
		if !slices.Contains(strings.Fields(may), a.Key) {
			return "an attribute that is none of ours: " + token.String()
		}
		switch {
		case a.Key == "href" && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "http://") && !strings.HasPrefix(a.Val, "https://") &&
			!strings.HasPrefix(a.Val, "mailto:") && a.Val != "data:," && a.Val != "index.html":
			return "a link: " + a.Val
		case a.Key == "src" && !strings.HasPrefix(a.Val, "data:image/png;base64,") && !strings.HasPrefix(a.Val, "data:image/jpeg;base64,") &&
			!strings.HasPrefix(a.Val, "data:image/gif;base64,") && !strings.HasPrefix(a.Val, "data:image/webp;base64,"):
			return "an image: " + a.Val[:min(len(a.Val), 40)]
		}
	}
	return ""
}

// TestHTMLAttacks writes texts made of what could break out, in every place.
func TestHTMLAttacks(t *testing.T) {
	parts := []string{"<", ">", `"`, "'", "&", "&#", "&lt;", "]]>", "<!--", "-->", "</pre>", "</article>", "</script>", "<script>", "</style>", "</title>", "`", "```", "\n", "\n\n", "# ", "> ", "- ",
		"|", "|---|", "[", "](", ")", "![", "javascript:", "http://x/", "data:text/html,", "*", "_", "\\", "\x00", "\xff", "\x1b[1m", "\u202e", "word", " ", "&#x3c;", "&NewLine;", "mailto:"}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 30).Draw(t, "text"), "")
		th := made(eventsWith(text)...)
		th.Title, th.Project, th.Models = text, text, []string{text}
		for _, o := range []HTMLOptions{{Options: Options{Lost: []string{text}}}, everything} {
			if problem := checkHTML(htmlOf(t, o, th)); problem != "" {
				t.Fatalf("%q: %s", text, problem)
			}
		}
	})
}

func TestHTMLIsOurs(t *testing.T) {
	for _, view := range []transcript.View{transcript.Active, transcript.Physical} {
		for _, th := range append(sampleThreads(t, view), wildThreads(t, view)...) {
			for _, o := range []HTMLOptions{{Index: "index.html"}, everything, {Options: Options{Tools: NoTools}}} {
				p := htmlOf(t, o, th)
				checkPlain(t, strings.Replace(p, pageScript, "", 1), false)
				if problem := checkHTML(p); problem != "" {
					t.Errorf("%s: %s", th.ID, problem)
				}
			}
			if problem := findAgain(t, th); problem != "" {
				t.Errorf("%s: %s", th.ID, problem)
			}
		}
	}
}

// findAgain looks for the text of every event in the article of its number.
func findAgain(t interface{ Fatal(...any) }, th *transcript.Thread) (problem string) {
	doc, err := nethtml.Parse(strings.NewReader(htmlOf(t, everything, th)))
	if err != nil {
		return err.Error()
	}
	articles := make(map[string]*nethtml.Node)
	index(doc, nil, articles)
	for ev, err := range th.Events {
		if err != nil {
			return err.Error()
		}
		text := textOf(ev)
		if text == "" {
			continue
		}
		n := articles[fmt.Sprintf("e%d", ev.Seq)]
		if n == nil {
			return fmt.Sprintf("event %d, %s, has no article: %.80q", ev.Seq, ev.Kind, text)
		}
		if at := missesAt(letters(html.UnescapeString(term.Safe(text, term.Block))), letters(contentOf(n))); at != "" {
			return fmt.Sprintf("event %d, %s: not found: %q", ev.Seq, ev.Kind, at)
		}
	}
	return ""
}

// textOf is what of an event a page must hold.
func textOf(ev *transcript.Event) string {
	switch ev.Kind {
	case transcript.ToolCall:
		if a := describe(ev); a.patch == nil {
			return a.text
		}
		return ""
	case transcript.ToolResult:
		if ev.Origin == transcript.Synthetic {
			return ""
		}
		return uncoloured(ev.Output)
	case transcript.TurnStart, transcript.TurnEnd, transcript.Usage:
		return ""
	case transcript.Notice:
		if ev.Status == "tool_end" {
			return uncoloured(ev.Text)
		}
	}
	return ev.Text
}

// index finds the article of every id.
func index(n, article *nethtml.Node, all map[string]*nethtml.Node) {
	if n.Type == nethtml.ElementNode {
		if n.Data == "article" {
			article = n
		}
		for _, a := range n.Attr {
			if a.Key == "id" && article != nil {
				all[a.Val] = article
			}
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		index(c, article, all)
	}
}

// contentOf is an element's text, with where its links lead.
func contentOf(n *nethtml.Node) string {
	var b strings.Builder
	var walk func(*nethtml.Node)
	walk = func(n *nethtml.Node) {
		if n.Type == nethtml.TextNode {
			b.WriteString(n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "aria-label" {
				b.WriteString(a.Val)
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
		for _, a := range n.Attr {
			if a.Key == "title" {
				b.WriteString(a.Val)
			}
		}
	}
	walk(n)
	return b.String()
}

// letters is a text without what Markdown may take for marks, without
// digits, which may number a list, and without capitals, which labels have.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// missesAt gives what of the letters of want is not in those of got, in order.
func missesAt(want, got string) string {
	rest := []rune(got)
	for i, r := range want {
		n := slices.Index(rest, r)
		if n < 0 {
			return want[i:min(len(want), i+40)]
		}
		rest = rest[n+1:]
	}
	return ""
}

// TestTangled: what would keep a reader of Markdown busy for long is shown as it
// stands.
func TestTangled(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "- a\n  - b\n    1. c\n": false, "> > > quoted": false, strings.Repeat("word *em* ", 200): false,
		strings.Repeat("1. ", 30): true, strings.Repeat("- ", 30): true, strings.Repeat(">", 30): true, strings.Repeat("a) * ", 30): false, strings.Repeat("1) * ", 30): true,
		strings.Repeat("[", 3000): true, strings.Repeat("*a ", 3000): true, strings.Repeat("| a |\n", 1500): true, strings.Repeat("[a](b)\n\n", 1500): false,
	} {
		if got := tangled(text); got != want {
			t.Errorf("%.20q: %v", text, got)
		}
		th := made(transcript.Event{Kind: transcript.Assistant, Text: text, Seq: 1})
		if p := htmlOf(t, everything, th); want && !strings.Contains(p, `<div class="typed">`) {
			t.Errorf("%.20q is not shown as it stands", text)
		}
	}
}

func TestHTMLHoldsOneThread(t *testing.T) {
	x := NewHTML(&fullWriter{1 << 20}, HTMLOptions{})
	if err := x.Write(made()); err != nil {
		t.Fatal(err)
	}
	if err := x.Write(made()); err == nil {
		t.Error("a second thread was written")
	}
}

// TestHTMLFullDisk stops at every piece that is written.
func TestHTMLFullDisk(t *testing.T) {
	size := len(htmlOf(t, everything, longThread(20)))
	for left := 0; left < size; left += 997 {
		if err := NewHTML(&fullWriter{left}, everything).Write(longThread(20)); !errors.Is(err, errFull) {
			t.Fatalf("after %d bytes: %v", left, err)
		}
	}
}

// TestHTMLBrokenThread: what came before an error is a whole page.
func TestHTMLBrokenThread(t *testing.T) {
	broken := errors.New("broken")
	th := longThread(3)
	events := th.Events
	th.Events = func(yield func(*transcript.Event, error) bool) {
		n := 0
		for ev := range events {
			if n++; n > 9 {
				yield(nil, broken)
				return
			}
			if !yield(ev, nil) {
				return
			}
		}
	}
	var b strings.Builder
	if err := NewHTML(&b, everything).Write(th); !errors.Is(err, broken) {
		t.Error(err)
	}
	if problem := checkHTML(b.String()); problem != "" {
		t.Error(problem)
	}
}

// FuzzHTML writes any events: nothing of them is an element or an attribute.
func FuzzHTML(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte, _, flags uint8) {
		th := made(fuzzEvents(data)...)
		th.Title, th.Project = string(data), string(data)
		p := htmlOf(t, HTMLOptions{Options: fuzzOptions(flags)}, th)
		checkPlain(t, strings.Replace(p, pageScript, "", 1), false)
		if problem := checkHTML(p); problem != "" {
			t.Fatal(problem)
		}
	})
}
