package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// A Query is what a person looks for: all terms and filters together.
type Query struct {
	Terms   []Term
	Filters []Filter
	// Since and Until bound the time: from the one on, up to and without the
	// other. Zero times are open ends.
	Since, Until time.Time
}

// A Term is a word or a phrase: tokens that follow one another.
type Term struct {
	Not    bool
	Tokens []string
	Prefix bool // the last token is the beginning of one
}

// A Filter says what a document must be. Of its values one must fit.
type Filter struct {
	Not    bool
	Name   string
	Values []string
}

// The names of filters. The times are no Filter, but bounds of the query.
const (
	ByRole      = "role"
	ByKind      = "kind"
	ByTool      = "tool"
	ByProject   = "project"
	ByThread    = "thread"
	ByFile      = "file"
	ByHas       = "has"
	ByNatural   = "natural"
	ByInherited = "inherited"
	since       = "since"
	until       = "until"
)

// words are what filters with a fixed set of values take.
var words = map[string][]string{
	ByRole:      {"user", "assistant", "tool", "other"},
	ByKind:      {"message", "user", "assistant", "tool_call", "output", "reasoning", "notice", "compaction", "context", "all"},
	ByHas:       {"image", "change", "error"},
	ByNatural:   {"yes", "no"},
	ByInherited: {"yes", "no", "any"},
}

var names = []string{ByRole, ByKind, ByTool, ByProject, ByThread, ByFile, ByHas, ByNatural, ByInherited, since, until}

// The bounds of a query.
const (
	MaxText  = 4 << 10 // bytes
	MaxTerms = 64      // terms and values of filters, together
)

var (
	// ErrEmpty says that nothing is looked for: no word and no filter.
	ErrEmpty = errors.New("nothing to look for")
	// ErrLong says that a query is longer than MaxText or has more than MaxTerms
	// parts.
	ErrLong = fmt.Errorf("longer than %d bytes, or of more than %d parts", MaxText, MaxTerms)
)

// A SyntaxError says which filter cannot be.
type SyntaxError struct {
	Offset int // byte of the query where the filter begins
	Filter string
	Value  string
	Want   string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s:%s: want %s", e.Filter, e.Value, e.Want)
}

// ParseOptions says how times are read. Without a function only those of RFC 3339
// are.
type ParseOptions struct {
	Since, Until func(string) (time.Time, error)
}

// Parse reads a query (docs/search.md). All that is no filter is text: whatever a
// person types, the only errors are a filter whose value cannot be (*SyntaxError),
// ErrEmpty and ErrLong.
func Parse(text string, opt ParseOptions) (*Query, error) {
	if len(text) > MaxText {
		return nil, ErrLong
	}
	q := &Query{}
	parts := 0
	for _, w := range split(text) {
		n, err := q.add(w, opt)
		if err != nil {
			return nil, err
		}
		if parts += n; parts > MaxTerms {
			return nil, ErrLong
		}
	}
	if parts == 0 {
		return nil, ErrEmpty
	}
	return q, nil
}

// A piece is a part of a query: what stands between white space, quotes kept
// together.
type piece struct {
	at     int
	not    bool
	name   string   // before a colon, if it names a filter
	values []string // of a filter
	text   string
	quoted bool
	star   bool // behind the quotes
}

// split cuts a query into pieces. A quote that is not closed reaches to the end.
// Two minuses in front are text, as options of commands are.
func split(text string) (list []piece) {
	i := 0
	for i < len(text) {
		if isSpace(text[i]) {
			i++
			continue
		}
		p := piece{at: i}
		if text[i] == '-' && i+1 < len(text) && !isSpace(text[i+1]) && text[i+1] != '-' {
			p.not = true
			i++
		}
		start := i
		if name, ok := filterName(text[i:]); ok {
			p.name = name
			start += len(name) + 1
			p.values, i = values(text, start)
			p.text = text[start:i]
		} else if text[i] == '"' {
			p.quoted = true
			i++
			end := strings.IndexByte(text[i:], '"')
			if end < 0 {
				end = len(text) - i
			}
			p.text = text[i : i+end]
			if i += end + 1; i < len(text) && text[i] == '*' {
				p.star = true
				i++
			}
		} else {
			for i < len(text) && !isSpace(text[i]) {
				i++
			}
			p.text = text[start:i]
			p.star = strings.HasSuffix(p.text, "*")
			p.text = strings.TrimRight(p.text, "*")
		}
		list = append(list, p)
	}
	return list
}

// values reads the values of a filter, and says where they end. Between quotes,
// spaces and commas are part of a value, as in a shell.
func values(text string, i int) (list []string, end int) {
	var v strings.Builder
	quoted := false
	put := func() {
		if v.Len() > 0 {
			list = append(list, v.String())
		}
		v.Reset()
	}
	for ; i < len(text) && (quoted || !isSpace(text[i])); i++ {
		switch b := text[i]; {
		case b == '"':
			quoted = !quoted
		case b == ',' && !quoted:
			put()
		default:
			v.WriteByte(b)
		}
	}
	put()
	return list, i
}

func isSpace(b byte) bool { return b == ' ' || b == '\t' || b == '\n' || b == '\r' }

// filterName gives the name of the filter that a text begins with.
func filterName(s string) (string, bool) {
	name, rest, ok := strings.Cut(s, ":")
	if !ok || rest == "" || isSpace(rest[0]) {
		return "", false
	}
	return name, slices.Contains(names, name)
}

// add adds a piece and says how many parts it has.
func (q *Query) add(p piece, opt ParseOptions) (int, error) {
	if p.name != "" {
		return q.addFilter(p, opt)
	}
	term := Term{Not: p.not}
	for c := (Cursor{Text: p.text}); c.Next(); {
		term.Tokens = append(term.Tokens, string(c.Token))
		term.Prefix = p.star && c.End == len(p.text)
	}
	if len(term.Tokens) == 0 {
		return 0, nil
	}
	q.Terms = append(q.Terms, term)
	return len(term.Tokens), nil
}

func (q *Query) addFilter(p piece, opt ParseOptions) (int, error) {
	wrong := func(want string) error { return &SyntaxError{p.at, p.name, p.text, want} }
	values := p.values
	if len(values) == 0 {
		return 0, wrong("a value")
	}
	if p.name == since || p.name == until {
		parse, to := opt.Since, &q.Since
		if p.name == until {
			parse, to = opt.Until, &q.Until
		}
		if parse == nil {
			parse = moment
		}
		t, err := parse(values[0])
		switch {
		case p.not:
			return 0, wrong("no minus before it")
		case len(values) > 1:
			return 0, wrong("one time")
		case err != nil:
			return 0, wrong("a time: " + err.Error())
		}
		// Of a bound that is given twice both hold, as of every filter.
		if to.IsZero() || p.name == since && t.After(*to) || p.name == until && t.Before(*to) {
			*to = t
		}
		return 1, nil
	}
	if allowed, ok := words[p.name]; ok {
		for i, v := range values {
			values[i] = strings.ToLower(v)
			if !slices.Contains(allowed, values[i]) {
				return 0, wrong(strings.Join(allowed, ", "))
			}
		}
	}
	q.Filters = append(q.Filters, Filter{p.not, p.name, values})
	return len(values), nil
}

func moment(s string) (time.Time, error) { return time.Parse(time.RFC3339Nano, s) }

// String writes the query so that Parse reads the same.
func (q *Query) String() string {
	var parts []string
	minus := func(not bool) string {
		if not {
			return "-"
		}
		return ""
	}
	for _, t := range q.Terms {
		text := `"` + strings.Join(t.Tokens, " ") + `"`
		if t.Prefix {
			text += "*"
		}
		parts = append(parts, minus(t.Not)+text)
	}
	for _, f := range q.Filters {
		parts = append(parts, minus(f.Not)+f.Name+`:"`+strings.Join(f.Values, `","`)+`"`)
	}
	if !q.Since.IsZero() {
		parts = append(parts, since+":"+q.Since.Format(time.RFC3339Nano))
	}
	if !q.Until.IsZero() {
		parts = append(parts, until+":"+q.Until.Format(time.RFC3339Nano))
	}
	return strings.Join(parts, " ")
}

// has reports whether the query has a filter of that name.
func (q *Query) has(name string) bool {
	return slices.ContainsFunc(q.Filters, func(f Filter) bool { return f.Name == name })
}
