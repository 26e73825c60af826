package cli

import (
	"testing"

	"github.com/spf13/cobra"
)

func TestRoffEscapes(t *testing.T) {
	var r roff
	r.prose(".first\nb\\n a-b\n\n  'kept\n  as is")
	r.item(`say "x"`, "'quote")
	want := "\\&.first\nb\\en a\\-b\n.PP\n.nf\n  'kept\n  as is\n.fi\n.TP\n.B \"say \\(dqx\\(dq\"\n\\&'quote\n"
	if got := r.b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestManualOfFlags(t *testing.T) {
	e := Env{}.wire(t.Context())
	var size int64
	var form string
	cmd := &cobra.Command{Use: "do"}
	limitVar(cmd.Flags(), &size, "max-line", 1<<20, false, "longest line")
	choiceVar(cmd, cmd.Flags(), &form, "format", "json", "form", "json", "ndjson")
	cmd.Flags().StringP("output", "o", "", "write to `FILE`")
	cmd.Flags().Bool("hidden", false, "no")
	cmd.Flags().MarkHidden("hidden")
	addColorFlag(e, cmd)
	var r roff
	r.flags(cmd)
	want := `.SH "OPTIONS"
.TP
.B "\-\-color auto|always|never"
colour the output: on a terminal, always or never (default auto)
.TP
.B "\-\-format json|ndjson"
form (default json)
.TP
.B "\-\-max\-line SIZE"
longest line (default 1MiB)
.TP
.B "\-o, \-\-output FILE"
write to FILE
`
	if got := r.b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
