package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"rollbook/internal/activity"
	"rollbook/internal/assemble"
	"rollbook/internal/term"
)

// maxPrompt is how much of a first prompt is listed.
const maxPrompt = 70

func newDSHList(e *Env, o *dshOptions) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "list",
		Short: "list the threads that would be converted",
		Long: `Lists the threads that convert and sync would take, the newest first: when they
began and when they were last active, the number of files and prompts, id,
folder and first prompt. Nothing is written.

A thread is active when one of its files was begun in the last --since-hours, or
is still written to: its last record says so, never the file's own time.`,
		Example: `  rollbook dsh list
  rollbook dsh list --since-hours 168 --project ~/shop-api
  rollbook dsh list --session 01a0a41f --json`,
		Args:        operands(),
		Annotations: exits("0   listed; also where there is none", "1   could not be read", "2   listed, but some input was lost", "64  the command line was wrong"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return e.dshList(cmd.Context(), o)
		},
	}
	if o.seed {
		cmd.Annotations = exits("0   listed", "1   there is none, or it could not be read", "2   the command line was wrong")
	}
	o.selection(e, cmd, cmd.Flags())
	cmd.Flags().BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

// A dshThread is a thread in a list.
type dshThread struct {
	ID       string    `json:"id"`
	Started  time.Time `json:"started"`
	Last     time.Time `json:"last"`
	Segments int       `json:"segments"`
	Prompts  int       `json:"prompts"`
	Cwd      string    `json:"cwd,omitzero"`
	Prompt   string    `json:"prompt"` // the first, up to 70 characters
	Refused  string    `json:"refused,omitzero"`
}

func (e *Env) dshList(ctx context.Context, o *dshOptions) error {
	h, err := e.harvest(ctx, o)
	if err != nil {
		return err
	}
	defer h.Close()
	if len(h.threads) == 0 && !o.json {
		return e.nothing(o, h)
	}
	list := make([]dshThread, 0, len(h.threads))
	for _, t := range h.threads {
		row, err := h.row(ctx, t)
		if err != nil {
			return err
		}
		list = append(list, row)
	}
	e.bar.Done()
	if o.json {
		err = e.writeJSON(struct {
			SchemaVersion int         `json:"schema_version"`
			Threads       []dshThread `json:"threads"`
		}{dshSchema, list})
		if err == nil && len(list) == 0 {
			return e.nothing(o, h)
		}
	} else {
		err = e.dshRows(list)
	}
	if err != nil {
		return err
	}
	return e.told(o, h)
}

// row reads a thread once.
func (h *harvest) row(ctx context.Context, t activity.Thread) (dshThread, error) {
	row := dshThread{ID: t.ID, Started: t.Begun, Last: t.Last, Segments: len(t.Files), Cwd: t.Files[0].Cwd, Refused: t.Refused}
	s, err := h.lib.Summarize(ctx, t.ID, nil, h.tally.Add)
	if err != nil {
		return row, err
	}
	row.Prompts = s.Counts.UserMessages
	row.Cwd = orElse(s.Project, row.Cwd)
	row.Prompt = firstPrompt(s)
	return row, nil
}

func firstPrompt(s *assemble.Summary) string {
	if s.Prompt == "" && s.Counts.UserMessages > 0 {
		return "[image]"
	}
	return term.Truncate(s.Prompt, maxPrompt)
}

func (e *Env) dshRows(list []dshThread) error {
	right := func(title string) term.Column { return term.Column{Title: title, Right: true} }
	style := e.style()
	t := term.NewTable(e.Stdout, e.width(), style, term.Column{Title: "started"}, term.Column{Title: "last", Paint: style.Dim}, right("seg"), right("prompts"),
		term.Column{Title: "id", Paint: style.Cyan}, term.Column{Title: "cwd", Flex: true}, term.Column{Title: "first prompt", Flex: true})
	zone := e.now().Location()
	for _, r := range list {
		id := r.ID
		if r.Refused != "" {
			id = fmt.Sprintf("%s (%s)", id, r.Refused)
		}
		err := t.Row(term.FormatTime(r.Started, zone), term.FormatTime(r.Last, zone), strconv.Itoa(r.Segments), strconv.Itoa(r.Prompts), id, orElse(r.Cwd, "(none)"), r.Prompt)
		if err != nil {
			return err
		}
	}
	return t.Flush()
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
