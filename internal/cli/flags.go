package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rollbook/internal/term"
)

// choiceVar declares a flag that takes one of a few words.
func choiceVar(cmd *cobra.Command, set *pflag.FlagSet, p *string, name, def, usage string, words ...string) {
	*p = def
	set.Var(&choice{p, words}, name, usage)
	if err := cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // the flag stands two lines above
	}
}

type choice struct {
	p     *string
	words []string
}

func (c *choice) String() string { return *c.p }
func (c *choice) Type() string   { return strings.Join(c.words, "|") }

func (c *choice) Set(s string) error {
	if !slices.Contains(c.words, s) {
		return fmt.Errorf("want %s", strings.Join(c.words, ", "))
	}
	*c.p = s
	return nil
}

// noLimit is what a limit flag gives for "none": more than any file has.
const noLimit = math.MaxInt64

// limitVar declares a flag for a size in bytes, such as 8MiB, that must be
// positive. With none set, the word "none" gives noLimit.
func limitVar(set *pflag.FlagSet, p *int64, name string, def int64, none bool, usage string) {
	*p = def
	set.Var(&limit{p, none}, name, usage)
}

type limit struct {
	p    *int64
	none bool
}

func (l *limit) Type() string { return "SIZE" }

func (l *limit) String() string {
	if *l.p == noLimit {
		return "none"
	}
	return term.FormatSize(*l.p)
}

func (l *limit) Set(s string) error {
	if l.none && s == "none" {
		*l.p = noLimit
		return nil
	}
	n, err := term.ParseSize(s)
	if err != nil {
		return err
	}
	if n == 0 {
		return errors.New("limits must be positive")
	}
	*l.p = n
	return nil
}

// A window is a span of time. A zero end is open. Until is exclusive.
type window struct{ Since, Until time.Time }

// windowVars declares --since and --until.
func (e *Env) windowVars(set *pflag.FlagSet, w *window) {
	set.Var(&moment{e, &w.Since, term.ParseSince, ""}, "since", "only from this time on: 2026-09-01, 7d, 12h, today, yesterday, RFC 3339")
	set.Var(&moment{e, &w.Until, term.ParseUntil, ""}, "until", "only until this time; a day counts as a whole")
}

// check says so when the window is the wrong way round.
func (w window) check() error {
	if !w.Since.IsZero() && !w.Until.IsZero() && w.Until.Before(w.Since) {
		return usageErrorf("--until is before --since")
	}
	return nil
}

type moment struct {
	e     *Env
	p     *time.Time
	parse func(string, time.Time) (time.Time, error)
	text  string
}

func (m *moment) Type() string   { return "TIME" }
func (m *moment) String() string { return m.text }

func (m *moment) Set(s string) error {
	t, err := m.parse(s, m.e.now())
	if err != nil {
		return err
	}
	*m.p, m.text = t, s
	return nil
}

// onceOnly makes a second use of each named flag an error of usage, where the
// contract of a command says so.
func onceOnly(set *pflag.FlagSet, names ...string) {
	for _, name := range names {
		f := set.Lookup(name)
		f.Value = &once{Value: f.Value}
	}
}

type once struct {
	pflag.Value
	used bool
}

func (o *once) Set(s string) error {
	if o.used {
		return errors.New("given twice")
	}
	o.used = true
	return o.Value.Set(s)
}
