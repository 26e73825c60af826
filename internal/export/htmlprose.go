package export

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	mdtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"rollbook/internal/term"
)

// A text that is longer, or nested deeper, than any that is written as Markdown
// is shown as it stands: reading it could take very long.
const (
	maxMarkdown = 128 << 10
	maxNested   = 24   // quote and list marks that a line begins with
	maxMarks    = 2000 // marks in a paragraph that may open something
)

// prose writes a log's text that is Markdown. Only what has a form here gets
// one; HTML, definitions of references and images stay text that is read.
func (p *htmlPage) prose(s string) {
	s = strings.Trim(term.Safe(s, term.Block), "\n")
	if s == "" {
		return
	}
	if len(s) > maxMarkdown || tangled(s) {
		p.raw(`<div class="typed">`)
		p.escape(s)
		p.raw("</div>")
		return
	}
	source := []byte(s)
	doc := markdownParser.Parse(mdtext.NewReader(source))
	p.raw(`<div class="prose">`)
	m := mdTree{&p.htmlWriter, source}
	m.children(doc)
	p.raw("</div>")
}

// tangled reports whether a text is made to keep a reader of Markdown busy.
func tangled(s string) bool {
	marks := 0
	for line := range strings.Lines(s) {
		if lead := mdLead(line); max(len(strings.Fields(lead)), strings.Count(lead, ">")) > maxNested {
			return true
		}
		if strings.TrimSpace(line) == "" {
			marks = 0
		}
		for i := range len(line) {
			switch line[i] {
			case '*', '_', '[', ']', '`', '~', '<', '|':
				marks++
			}
		}
		if marks > maxMarks {
			return true
		}
	}
	return false
}

// markdownParser reads Markdown as forges do, but without what can hide text or
// reach out of it: HTML, and definitions of references.
var markdownParser = parser.NewParser(
	parser.WithBlockParsers(
		util.Prioritized(parser.NewSetextHeadingParser(), 100),
		util.Prioritized(parser.NewThematicBreakParser(), 200),
		util.Prioritized(parser.NewListParser(), 300),
		util.Prioritized(parser.NewListItemParser(), 400),
		util.Prioritized(parser.NewCodeBlockParser(), 500),
		util.Prioritized(parser.NewATXHeadingParser(), 600),
		util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
		util.Prioritized(parser.NewBlockquoteParser(), 800),
		util.Prioritized(parser.NewParagraphParser(), 1000),
	),
	parser.WithInlineParsers(
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(parser.NewLinkParser(), 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(parser.NewEmphasisParser(), 500),
		util.Prioritized(extension.NewStrikethroughParser(), 500),
		util.Prioritized(extension.NewLinkifyParser(), 999),
	),
	parser.WithParagraphTransformers(
		util.Prioritized(extension.NewTableParagraphTransformer(), 200),
	),
	parser.WithASTTransformers(
		util.Prioritized(extension.NewTableASTTransformer(), 0),
	),
)

// An mdTree writes a tree of Markdown.
type mdTree struct {
	*htmlWriter
	source []byte
}

func (m *mdTree) children(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		m.node(c)
	}
}

func (m *mdTree) within(n ast.Node, open, end markup) {
	m.raw(open)
	m.children(n)
	m.raw(end)
}

func (m *mdTree) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.Paragraph:
		m.within(n, "<p>", "</p>\n")
	case *ast.Heading:
		m.heading(n)
	case *ast.Blockquote:
		m.within(n, "<blockquote>", "</blockquote>\n")
	case *ast.List:
		m.list(n)
	case *ast.ListItem:
		m.within(n, "<li>", "</li>\n")
	case *ast.ThematicBreak:
		m.raw("<hr>\n")
	case *ast.CodeBlock:
		m.block(n, "")
	case *ast.FencedCodeBlock:
		info := ""
		if n.Info != nil {
			info = string(n.Info.Segment.Value(m.source))
		}
		m.block(n, info)
	case *ast.CodeSpan:
		m.within(n, "<code>", "</code>")
	case *ast.Emphasis:
		if n.Level > 1 {
			m.within(n, "<strong>", "</strong>")
		} else {
			m.within(n, "<em>", "</em>")
		}
	case *east.Strikethrough:
		m.within(n, "<del>", "</del>")
	case *east.Table:
		m.within(n, `<div class="scroll"><table>`, "</table></div>\n")
	case *east.TableHeader:
		m.within(n, "<tr>", "</tr>\n")
	case *east.TableRow:
		m.raw("<tr>")
		m.children(n)
		m.surplus(n)
		m.raw("</tr>\n")
	case *east.TableCell:
		m.cell(n)
	case *ast.Link:
		m.link(n, string(n.Destination), string(n.Title))
	case *ast.AutoLink:
		m.autoLink(n)
	case *ast.Image:
		m.raw(`<span class="image">image: `)
		m.children(n)
		m.text(" (" + string(n.Destination) + ")")
		m.raw("</span>")
	case *ast.Text:
		m.span(n)
	case *ast.String:
		m.text(string(n.Value))
	default:
		m.children(n)
	}
}

// heading writes a heading of a log, which is smaller than ours.
func (m *mdTree) heading(n *ast.Heading) {
	switch n.Level {
	case 1:
		m.within(n, "<h3>", "</h3>\n")
	case 2:
		m.within(n, "<h4>", "</h4>\n")
	default:
		m.within(n, "<h5>", "</h5>\n")
	}
}

func (m *mdTree) list(n *ast.List) {
	if !n.IsOrdered() {
		m.within(n, "<ul>", "</ul>\n")
		return
	}
	m.raw(`<ol start="`)
	m.text(strconv.Itoa(n.Start))
	m.within(n, `">`, "</ol>\n")
}

func (m *mdTree) cell(n *east.TableCell) {
	if _, head := n.Parent().(*east.TableHeader); head {
		m.within(n, `<th scope="col">`, "</th>")
		return
	}
	m.within(n, "<td>", "</td>")
}

// block writes a block of code, and what its fence says of it.
func (m *mdTree) block(n ast.Node, info string) {
	lines := n.Lines()
	m.openBlock(info)
	for i := range lines.Len() {
		at := lines.At(i)
		m.text(string(at.Value(m.source)))
	}
	m.raw("</pre>\n")
}

// surplus writes what a row of a table has more than its head: readers of
// Markdown leave it out.
func (m *mdTree) surplus(row *east.TableRow) {
	last := row.LastChild()
	if last == nil || last.Lines().Len() == 0 {
		return
	}
	end := last.Lines().At(last.Lines().Len() - 1).Stop
	rest, _, _ := strings.Cut(string(m.source[end:]), "\n")
	if rest = strings.Trim(rest, " \t|"); rest != "" {
		m.raw("<td>")
		m.text(rest)
		m.raw("</td>")
	}
}

// openBlock opens a block of code. A newline of ours comes first, because a
// browser leaves the first one out.
func (h *htmlWriter) openBlock(info string) {
	h.raw("<pre>\n")
	if info = strings.TrimSpace(info); info != "" {
		h.raw(`<span class="lang">`)
		h.text(info)
		h.raw("</span>")
	}
}

// span writes a stretch of text, without the backslashes and entities that
// stand for characters.
func (m *mdTree) span(n *ast.Text) {
	raw := n.Segment.Value(m.source)
	if _, code := n.Parent().(*ast.CodeSpan); !code && !n.IsRaw() {
		raw = util.ResolveEntityNames(util.ResolveNumericReferences(util.UnescapePunctuations(raw)))
	}
	m.text(string(raw))
	switch {
	case n.HardLineBreak():
		m.raw("<br>\n")
	case n.SoftLineBreak():
		m.raw("\n")
	}
}

// link writes a link that leads to the web, and of any other where it leads.
func (m *mdTree) link(n ast.Node, to, title string) {
	if target, ok := webLink(to); ok {
		m.raw(`<a rel="noopener noreferrer nofollow" href="`)
		m.text(target)
		m.raw(`" title="`)
		m.text(joinedBy(to, " · ", title))
		m.within(n, `">`, "</a>")
		return
	}
	m.raw(`<span class="ref" title="`)
	m.text(joinedBy(to, " · ", title))
	m.within(n, `">`, "</span>")
}

func (m *mdTree) autoLink(n *ast.AutoLink) {
	label := string(n.Label(m.source))
	if target, ok := webLink(string(n.URL(m.source))); ok {
		m.raw(`<a rel="noopener noreferrer nofollow" href="`)
		m.text(target)
		m.raw(`">`)
		m.text(label)
		m.raw("</a>")
		return
	}
	m.text(label)
}

// webLink gives the address of a link that may be followed: one of the web or
// of mail, written in full.
func webLink(to string) (string, bool) {
	u, err := url.Parse(term.Safe(to, term.OneLine))
	if err != nil {
		return "", false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https":
		return u.String(), u.Host != ""
	case "mailto":
		return u.String(), true
	}
	return "", false
}
