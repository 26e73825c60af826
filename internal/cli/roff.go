package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manPage gives the manual page of one command in the man macros of roff. It
// has what the help text has, and does not change from run to run.
func manPage(cmd *cobra.Command) string {
	var r roff
	name := manName(cmd)
	r.macro("TH", strings.ToUpper(name), "1", "", "rollbook "+cmd.Root().Version, "rollbook")
	r.section("NAME")
	r.line(name + " - " + cmd.Short)
	r.section("SYNOPSIS")
	r.line(useLine(cmd))
	r.section("DESCRIPTION")
	r.prose(longOf(cmd))
	if len(cmd.Aliases) > 0 {
		r.macro("PP")
		r.line("Also called " + strings.Join(cmd.Aliases, ", ") + ".")
	}
	r.commands(cmd)
	r.flags(cmd)
	if cmd.Example != "" {
		r.section("EXAMPLES")
		r.verbatim(cmd.Example)
	}
	r.section("EXIT STATUS")
	for _, c := range exitsOf(cmd) {
		r.item(strconv.Itoa(c.code), c.meaning)
	}
	if !cmd.HasParent() {
		r.section("ENVIRONMENT")
		for _, v := range envVars {
			r.item(v.name, v.meaning)
		}
	}
	r.seeAlso(cmd)
	return r.b.String()
}

// A roff collects a manual page.
type roff struct{ b strings.Builder }

// macro writes a request with quoted arguments.
func (r *roff) macro(name string, args ...string) {
	r.b.WriteString("." + name)
	for _, a := range args {
		r.b.WriteString(` "` + strings.ReplaceAll(roffEscaper.Replace(a), `"`, `\(dq`) + `"`)
	}
	r.b.WriteString("\n")
}

func (r *roff) section(title string) { r.macro("SH", title) }

var roffEscaper = strings.NewReplacer(`\`, `\e`, "-", `\-`)

// line writes a line of text, which roff may fill.
func (r *roff) line(text string) {
	text = roffEscaper.Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	r.b.WriteString(text + "\n")
}

// prose writes paragraphs; those whose lines are indented stay as they are.
func (r *roff) prose(text string) {
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			r.macro("PP")
		}
		if strings.HasPrefix(paragraph, "  ") {
			r.verbatim(paragraph)
			continue
		}
		for line := range strings.Lines(paragraph) {
			r.line(strings.TrimRight(line, "\n"))
		}
	}
}

func (r *roff) verbatim(text string) {
	r.macro("nf")
	for line := range strings.Lines(text) {
		r.line(strings.TrimRight(line, "\n"))
	}
	r.macro("fi")
}

// item writes a term and what it means.
func (r *roff) item(term, meaning string) {
	r.macro("TP")
	r.macro("B", term)
	r.line(meaning)
}

func (r *roff) commands(parent *cobra.Command) {
	if !parent.HasSubCommands() {
		return
	}
	r.section("COMMANDS")
	for _, c := range parent.Commands() {
		if !c.Hidden {
			r.item(c.Name(), c.Short)
		}
	}
}

func (r *roff) flags(cmd *cobra.Command) {
	r.section("OPTIONS")
	add := func(f *pflag.Flag) {
		if !f.Hidden {
			r.item(flagTerm(f), flagMeaning(f))
		}
	}
	cmd.NonInheritedFlags().VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
}

// flagTerm is how a flag is given, as in "-o, --output NEWDIR".
func flagTerm(f *pflag.Flag) string {
	text := "--" + f.Name
	if f.Shorthand != "" {
		text = "-" + f.Shorthand + ", " + text
	}
	if value, _ := pflag.UnquoteUsage(f); value != "" {
		text += " " + value
	}
	return text
}

func flagMeaning(f *pflag.Flag) string {
	_, usage := pflag.UnquoteUsage(f)
	switch f.DefValue {
	case "", "false", "0", "[]":
		return usage
	}
	return fmt.Sprintf("%s (default %s)", usage, f.DefValue)
}

func (r *roff) seeAlso(cmd *cobra.Command) {
	var pages []string
	if cmd.HasParent() {
		pages = append(pages, manName(cmd.Parent())+"(1)")
	}
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			pages = append(pages, manName(c)+"(1)")
		}
	}
	r.section("SEE ALSO")
	r.line(strings.Join(pages, ", "))
}
