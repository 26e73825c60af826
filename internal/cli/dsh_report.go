package cli

import (
	"fmt"
	"strconv"
	"strings"

	"rollbook/internal/dsh"
	"rollbook/internal/term"
)

// dshSchema is raised when a key of the reports of dsh changes its meaning.
const dshSchema = 1

// A dshSession is a session in a report.
type dshSession struct {
	Conversation string `json:"conversation"` // the session's id; the thread's where there is no session
	Thread       string `json:"thread"`
	Cwd          string `json:"cwd,omitzero"`
	Path         string `json:"path,omitzero"` // below the sessions root
	Outcome      string `json:"outcome"`
	Reason       string `json:"reason,omitzero"`
	Digest       string `json:"bodySha256,omitzero"`
	Bytes        int64  `json:"bytes"`

	Segments      int   `json:"segments"`
	Turns         int   `json:"turns"`
	Records       int   `json:"records"`
	Prompts       int   `json:"prompts"`
	Reasoning     int   `json:"reasoning"`
	Tools         int   `json:"tools"`
	Synthesized   int   `json:"synthesized"`
	FailedTools   int   `json:"failedTools"`
	RepairedTools int   `json:"repairedTools"`
	ContextTokens int64 `json:"contextTokens"`

	Recovered        int             `json:"recovered"`
	Skipped          int             `json:"skippedEntries"`
	Windowed         int             `json:"windowedTurns"`
	RolledBack       int             `json:"rolledBackTurns"`
	Injected         int             `json:"injected"`
	Encrypted        int             `json:"encrypted"`
	Clamped          int             `json:"clampedTexts"`
	TruncatedOutputs int             `json:"truncatedOutputs"`
	Images           int             `json:"images"`
	ImagesSkipped    int             `json:"imagesSkipped"`
	RefusedImages    []refusedImages `json:"refusedImages"`
	Repairs          []repair        `json:"repairs"`
}

type refusedImages struct {
	Reason string `json:"reason"`
	Count  int    `json:"count"`
}

type repair struct {
	File string `json:"file"`
	Line int    `json:"line"`
	What string `json:"what"`
}

func newDSHSession(c *conversion) dshSession {
	r := &c.report
	s := dshSession{
		Conversation: c.thread.ID, Thread: c.thread.ID, Outcome: c.outcome, Reason: c.reason, Bytes: c.bytes,
		RefusedImages: []refusedImages{}, Repairs: []repair{},
	}
	if !c.ok() {
		s.Outcome, s.Reason = "refused", c.why()
		if c.fault == nil {
			return s
		}
	}
	s.Conversation, s.Cwd, s.Path, s.Digest = r.Header.ID, r.Header.Cwd, dsh.SessionPath(r.Header), r.Digest.String()
	s.Segments, s.Turns, s.Records, s.Prompts, s.Reasoning, s.Tools = r.Segments, r.Turns, r.Records, r.Prompts, r.Reasoning, r.Tools
	s.Synthesized, s.FailedTools, s.RepairedTools, s.ContextTokens = r.Synthesized, r.Failed, r.Repaired, r.ContextTokens
	s.Recovered, s.Skipped, s.Windowed, s.RolledBack, s.Injected, s.Encrypted = r.Recovered, r.Skipped, r.Windowed, r.RolledBack, r.Injected, r.Encrypted
	s.Clamped, s.TruncatedOutputs, s.Images, s.ImagesSkipped = r.Clamped, r.Truncated, r.Images, r.ImagesSkipped
	for _, x := range r.Refused {
		s.RefusedImages = append(s.RefusedImages, refusedImages{x.Reason, x.Count})
	}
	for _, x := range r.Repairs {
		s.Repairs = append(s.Repairs, repair{x.File, x.Line, x.What})
	}
	return s
}

// A dshReport is what convert and sync print with --json.
type dshReport struct {
	SchemaVersion int          `json:"schema_version"`
	Root          string       `json:"root"`
	DryRun        bool         `json:"dryRun"`
	Sessions      []dshSession `json:"sessions"`
	Manifest      string       `json:"manifest,omitzero"` // what a rollback of this run takes
}

// dshTable writes the table of what was converted, its sum, and what a person is
// to know of it besides.
func (e *Env) dshTable(all []*conversion) error {
	right := func(title string) term.Column { return term.Column{Title: title, Right: true} }
	t := term.NewTable(e.Stdout, e.width(), e.style(),
		term.Column{Title: "conversation", Paint: e.style().Cyan}, right("seg"), right("turns"), right("records"), right("reason"), right("tools"),
		right("synth"), right("failed"), right("repair"), right("context"), term.Column{Title: "cwd", Flex: true})
	var sum dsh.Report
	for _, c := range all {
		if !c.ok() {
			continue
		}
		r := &c.report
		if err := t.Row(append([]string{r.Header.ID}, append(dshCells(r), orElse(r.Header.Cwd, "(none)"))...)...); err != nil {
			return err
		}
		addReport(&sum, r)
	}
	n := 0
	for _, c := range all {
		if c.ok() {
			n++
		}
	}
	if err := t.Row(append([]string{"total " + strconv.Itoa(n)}, dshCells(&sum)...)...); err != nil {
		return err
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return e.dshNotes(&sum)
}

func dshCells(r *dsh.Report) []string {
	var cells []string
	for _, n := range []int{r.Segments, r.Turns, r.Records, r.Reasoning, r.Tools, r.Synthesized, r.Failed, r.Repaired} {
		cells = append(cells, strconv.Itoa(n))
	}
	return append(cells, strconv.FormatInt(r.ContextTokens, 10))
}

func addReport(sum, r *dsh.Report) {
	for _, p := range [][2]*int{
		{&sum.Segments, &r.Segments}, {&sum.Turns, &r.Turns}, {&sum.Records, &r.Records}, {&sum.Reasoning, &r.Reasoning}, {&sum.Tools, &r.Tools},
		{&sum.Synthesized, &r.Synthesized}, {&sum.Failed, &r.Failed}, {&sum.Repaired, &r.Repaired}, {&sum.Recovered, &r.Recovered}, {&sum.Skipped, &r.Skipped},
		{&sum.Windowed, &r.Windowed}, {&sum.RolledBack, &r.RolledBack}, {&sum.Injected, &r.Injected}, {&sum.Encrypted, &r.Encrypted},
		{&sum.Clamped, &r.Clamped}, {&sum.Truncated, &r.Truncated}, {&sum.Images, &r.Images}, {&sum.ImagesSkipped, &r.ImagesSkipped},
	} {
		*p[0] += *p[1]
	}
	sum.ContextTokens += r.ContextTokens
	sum.Repairs = append(sum.Repairs, r.Repairs...)
	for _, x := range r.Refused {
		found := false
		for i := range sum.Refused {
			if sum.Refused[i].Reason == x.Reason {
				sum.Refused[i].Count, found = sum.Refused[i].Count+x.Count, true
			}
		}
		if !found {
			sum.Refused = append(sum.Refused, x)
		}
	}
}

// dshNotes says what the table has no column for.
func (e *Env) dshNotes(sum *dsh.Report) error {
	var b strings.Builder
	note := func(n int, one, many, rest string) {
		if n == 1 {
			many = one
		}
		if n > 0 {
			fmt.Fprintf(&b, "  %s %s %s\n", term.PadLeft(term.FormatCount(int64(n)), 7), many, rest)
		}
	}
	note(sum.Recovered, "message", "messages", "recovered from compactions")
	note(sum.Skipped, "other entry", "other entries", "of compactions left out")
	note(sum.Windowed, "turn", "turns", "before the last compaction left out: --full-history brings back what came before it")
	note(sum.RolledBack, "turn", "turns", "that a person took back left out: --keep-rolled-back keeps what was taken back")
	note(sum.Injected, "text", "texts", "that nobody typed left out")
	note(sum.Encrypted, "encrypted message", "encrypted messages", "between agents left out")
	note(sum.Clamped, "text", "texts", "shortened (--max-text-chars)")
	note(sum.Truncated, "tool output", "tool outputs", "shortened (--max-tool-output)")
	note(sum.Images, "image", "images", "attached")
	for _, x := range sum.Refused {
		note(x.Count, "image", "images", "refused: "+term.Safe(x.Reason, term.OneLine))
	}
	for _, x := range sum.Repairs {
		fmt.Fprintf(&b, "  repaired %s:%d: %s\n", term.Safe(x.File, term.OneLine), x.Line, term.Safe(x.What, term.OneLine))
	}
	if n := sum.Repaired - len(sum.Repairs); n > 0 {
		fmt.Fprintf(&b, "  repaired: %s more of these\n", term.FormatCount(int64(n)))
	}
	if sum.ImagesSkipped > 0 {
		fmt.Fprintf(&b, "WARNING %d image(s) NOT imported\n", sum.ImagesSkipped)
	}
	_, err := e.Stdout.Write([]byte(b.String()))
	return err
}
