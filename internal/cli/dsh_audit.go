package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"rollbook/internal/dsh"
	"rollbook/internal/term"
)

func newDSHAudit(e *Env, o *dshOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "audit [SESSIONS_ROOT]",
		Short: "price what a model is given of each session",
		Long: `Estimates, with the harness's own rule, the tokens that a model is given of each
session below a sessions root, and lists those above 700,000: the harness can
neither send nor compact them. Each comes with what would make it fit, and the
estimate after that. Without SESSIONS_ROOT the harness's own is audited. Nothing
is written, and no harness is needed.`,
		Example: `  rollbook dsh audit
  rollbook dsh audit /tmp/sessions --json`,
		Args: operands("[SESSIONS_ROOT]"),
		Annotations: exits("0   audited", "1   the folder cannot be read", "2   audited, but some logs could not be",
			"64  the command line was wrong"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.dshAudit(cmd.Context(), args, o)
		},
	}
	if o.seed {
		cmd.Annotations = exits("0   audited, whatever was found", "2   the command line was wrong")
	}
	o.target(e, cmd, cmd.Flags())
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

// A dshPrice is one log in the report of audit.
type dshPrice struct {
	Path          string   `json:"path"`
	ID            string   `json:"id"`
	Cwd           string   `json:"cwd,omitzero"`
	ContextTokens int64    `json:"contextTokens"`
	Records       int      `json:"records"`
	Surface       int      `json:"surfaceMessages"`
	BadLines      int      `json:"badLines"`
	Oversized     bool     `json:"oversized"`
	Remedy        *dshCure `json:"remedy,omitzero"`
}

type dshCure struct {
	MaxToolOutput int   `json:"maxToolOutput,omitzero"`
	ContextTokens int64 `json:"contextTokens"`
}

type dshPassedOver struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

func (e *Env) dshAudit(ctx context.Context, args []string, o *dshOptions) error {
	operand, err := "", error(nil)
	if len(args) > 0 {
		operand = args[0]
	} else if operand, err = e.sessionsRoot(o); err != nil {
		return err
	}
	root, store, err := e.openSessions(operand, "")
	if store != nil {
		defer store.Close()
	}
	if err != nil {
		if o.seed { // it says so, and that is all
			e.warnf("%v", err)
			return nil
		}
		return err
	}
	defer root.Close()
	prices, over := []dshPrice{}, []dshPassedOver{}
	for row, err := range dsh.Audit(dsh.Root{FS: root, Path: root.Path()}) {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			over = append(over, dshPassedOver{row.Path, err.Error()})
		default:
			prices = append(prices, newPrice(row))
		}
	}
	slices.SortStableFunc(prices, func(a, b dshPrice) int { return cmp.Compare(b.ContextTokens, a.ContextTokens) })
	if err := e.writePrices(o, root.Path(), prices, over); err != nil {
		return err
	}
	for _, p := range over {
		e.warnf("passed over %s: %s", p.Path, p.Reason)
	}
	for _, p := range prices {
		if p.Surface > dsh.MaxSurface {
			e.warnf("%s has %s messages: the harness takes long to check more than %s", p.ID, term.FormatCount(int64(p.Surface)), term.FormatCount(dsh.MaxSurface))
		}
	}
	if len(over) > 0 && !o.seed {
		return errPartial
	}
	return nil
}

func newPrice(row dsh.Row) dshPrice {
	p := dshPrice{Path: row.Path, ID: row.ID, Cwd: row.Cwd, ContextTokens: row.Tokens, Records: row.Records, Surface: row.Surface, BadLines: row.BadLines,
		Oversized: row.Tokens > dsh.Oversized}
	if p.Oversized {
		p.Remedy = &dshCure{row.Cure.MaxToolOutput, row.Cure.Tokens}
	}
	return p
}

func (e *Env) writePrices(o *dshOptions, root string, prices []dshPrice, over []dshPassedOver) error {
	var total int64
	oversized := 0
	for _, p := range prices {
		total += p.ContextTokens
		if p.Oversized {
			oversized++
		}
	}
	if o.json {
		return e.writeJSON(struct {
			SchemaVersion int             `json:"schema_version"`
			Root          string          `json:"root"`
			ContextTokens int64           `json:"contextTokens"`
			Limit         int64           `json:"limit"`
			Oversized     int             `json:"oversized"`
			Sessions      []dshPrice      `json:"sessions"`
			PassedOver    []dshPassedOver `json:"passedOver"`
		}{dshSchema, root, total, dsh.Oversized, oversized, prices, over})
	}
	fmt.Fprintf(e.Stdout, "%s\n%s, %s tokens in all, %d above %s\n", term.Safe(root, term.OneLine), plural(len(prices), "session", "sessions"),
		term.FormatCount(total), oversized, term.FormatCount(dsh.Oversized))
	if oversized == 0 {
		return nil
	}
	t := term.NewTable(e.Stdout, e.width(), e.style(), term.Column{Title: "session", Paint: e.style().Cyan}, term.Column{Title: "context", Right: true},
		term.Column{Title: "records", Right: true}, term.Column{Title: "cwd", Flex: true}, term.Column{Title: "what helps"})
	for _, p := range prices {
		if p.Oversized {
			if err := t.Row(p.ID, term.FormatCount(p.ContextTokens), strconv.Itoa(p.Records), orElse(p.Cwd, "(none)"), p.Remedy.words()); err != nil {
				return err
			}
		}
	}
	return t.Flush()
}

// words say what makes a session fit, and what it would be then.
func (c *dshCure) words() string {
	after := term.FormatCount(c.ContextTokens)
	if c.MaxToolOutput > 0 {
		return fmt.Sprintf("--max-tool-output %d: about %s", c.MaxToolOutput, after)
	}
	return fmt.Sprintf("the default window (no --full-history); the smallest outputs alone leave %s", after)
}
