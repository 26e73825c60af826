package bundle

import (
	"io"
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"rollbook/internal/inspect"
)

// A jsonWriter writes JSON piece by piece and keeps the first error.
type jsonWriter struct {
	w   io.Writer
	err error
}

func (j *jsonWriter) raw(parts ...string) {
	for _, s := range parts {
		if j.err == nil {
			_, j.err = io.WriteString(j.w, s)
		}
	}
}

func (j *jsonWriter) text(s string) { j.raw(string(inspect.AppendQuoted(nil, s))) }

// elements writes a list, an element after the other.
func (j *jsonWriter) elements(all iter.Seq[[]byte], gap string) {
	j.raw("[")
	n := 0
	for e := range all {
		if n++; n > 1 {
			j.raw(",")
		}
		v := jsontext.Value(e)
		if err := v.Indent(jsontext.WithIndent("  "), jsontext.WithIndentPrefix(gap+"  ")); err != nil && j.err == nil {
			j.err = err
		}
		j.raw("\n"+gap+"  ", string(v))
	}
	if n > 0 {
		j.raw("\n" + gap)
	}
	j.raw("]")
}

func (j *jsonWriter) list(n int, gap string, element func(int) []byte) {
	j.elements(func(yield func([]byte) bool) {
		for i := 0; i < n && yield(element(i)); i++ {
		}
	}, gap)
}

func (j *jsonWriter) findings(all iter.Seq[Finding], gap string) {
	j.elements(func(yield func([]byte) bool) {
		for f := range all {
			if !yield(marshal(f)) {
				return
			}
		}
	}, gap)
}

// marshal encodes a value of ours, all of which can be.
func marshal(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
