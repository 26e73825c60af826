package cli

import (
	"fmt"
	"io"
	"path"
	"strings"

	"rollbook/internal/listing"
	"rollbook/internal/term"
	"rollbook/internal/transcript"
)

// writeLong writes a block of lines for each thread.
func (e *Env) writeLong(l *listing.Listing, threads []*listing.Thread) error {
	byID := make(map[string]*listing.Thread, len(l.Threads))
	for _, t := range l.Threads {
		byID[t.ID] = t
	}
	for i, t := range threads {
		b := &block{style: e.style(), width: e.width()}
		if i > 0 {
			b.WriteString("\n")
		}
		b.thread(e, t, byID)
		if _, err := io.WriteString(e.Stdout, b.String()); err != nil {
			return err
		}
	}
	return nil
}

// A block is the lines about one thread.
type block struct {
	strings.Builder
	style term.Style
	width int
}

func (b *block) thread(e *Env, t *listing.Thread, byID map[string]*listing.Thread) {
	zone := e.now().Location()
	b.WriteString(b.style.Bold(b.fit(titleOf(t), 0)) + "\n")
	b.line("id", t.ID, b.style.Cyan)
	b.line("title from", titleSources[t.TitleSource], nil)
	b.line("project", t.Project, nil)
	b.line("source", joined(", ", t.Source, prefixed("codex ", strings.Join(t.Versions, ", ")), t.Originator, t.Provider, strings.Join(t.Models, ", ")), nil)
	b.line("active", fromTo(term.FormatTime(t.Created, zone), term.FormatTime(t.Updated, zone)), nil)
	b.line("holds", fmt.Sprintf("%s, %s, %s", plural(t.Counts.Turns, "turn", "turns"),
		plural(messages(t), "message", "messages"), plural(t.Counts.ToolCalls, "tool call", "tool calls")), nil)
	for _, p := range t.Parts {
		note := ""
		if p.Superseded {
			note = string(listing.SupersededSegment) + "  "
		}
		b.whole("file", term.HumanSize(p.Bytes)+"  "+note+p.Path)
	}
	b.state(t)
	b.line("hidden", hiddenBy(t), b.style.Yellow)
	b.relative("parent", t.ParentID, byID)
	b.relative("forked from", t.ForkedFrom, byID)
	for _, id := range t.Children {
		b.relative("sub-agent", id, byID)
	}
	for _, id := range t.Forks {
		b.relative("fork", id, byID)
	}
	if command, ok := t.Resume(); ok {
		if t.Project != "" {
			command = "cd " + shellWord(t.Project) + " && " + command
		}
		b.whole("resume", command)
	}
}

// fromTo gives a span of time; a day is named once.
func fromTo(from, to string) string {
	day, _, _ := strings.Cut(from, " ")
	switch rest, same := strings.CutPrefix(to, day+" "); {
	case from == to:
		return from
	case same && from != "":
		return from + " to " + rest
	}
	return joined(" to ", from, to)
}

// titleSources says in words where a title is from (transcript.Meta.TitleSource).
var titleSources = map[string]string{
	"state_db": "the state database",
	"index":    "session_index.jsonl",
	"event":    "the rollout",
	"prompt":   "the first prompt",
}

func (b *block) state(t *listing.Thread) {
	switch t.State {
	case transcript.Damaged:
		b.line("state", fmt.Sprintf("damaged: %s", plural(t.Losses, "loss", "losses")), b.style.Red)
	case transcript.Open:
		b.line("state", "open: the last turn has no end", b.style.Green)
	default:
		b.line("state", string(t.State), nil)
	}
}

func (b *block) relative(label, id string, byID map[string]*listing.Thread) {
	if t := byID[id]; t != nil {
		b.line(label, id+"  "+titleOf(t), nil)
	} else if id != "" {
		b.line(label, id+"  (not here)", nil)
	}
}

const labelWidth = 15

// line writes a line that may be cut; nothing where there is nothing to say.
func (b *block) line(label, text string, paint func(string) string) {
	if text == "" {
		return
	}
	text = b.fit(text, labelWidth)
	if paint != nil {
		text = paint(text)
	}
	b.WriteString(b.style.Dim(term.Pad("  "+label, labelWidth)) + text + "\n")
}

// whole writes a line that is to be copied, and so is never cut.
func (b *block) whole(label, text string) {
	b.WriteString(b.style.Dim(term.Pad("  "+label, labelWidth)) + term.Safe(text, term.OneLine) + "\n")
}

func (b *block) fit(text string, before int) string {
	text = term.Safe(text, term.OneLine)
	if b.width > 0 {
		text = term.Truncate(text, max(b.width-before, 8))
	}
	return text
}

// shellWord writes a path so that a shell takes it as one word.
func shellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@%:,=") == "" && path.IsAbs(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func joined(sep string, words ...string) string {
	var b strings.Builder
	for _, w := range words {
		if w != "" && b.Len() > 0 {
			b.WriteString(sep)
		}
		b.WriteString(w)
	}
	return b.String()
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}
