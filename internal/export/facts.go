package export

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rollbook/internal/term"
	"rollbook/internal/transcript"
)

// A row is a line of a thread's head. Its values stand on lines of their own.
type row struct {
	label  string
	values []string
	bad    bool // to be seen: something is missing or not as usual
	exact  bool // names of files and the like, shown as they are
}

// maxHeadFiles bounds the files that a head lists.
const maxHeadFiles = 8

// headRows says what is known of a thread before its events.
func headRows(t *transcript.Thread, o *Options) []row {
	var rows []row
	add := func(label string, values ...string) *row {
		if len(values) == 0 || values[0] == "" {
			return new(row)
		}
		rows = append(rows, row{label: label, values: values})
		return &rows[len(rows)-1]
	}
	add("project", t.Project).exact = true
	add("when", period(t.Created, t.Updated, o.zone()))
	add("model", joined(strings.Join(t.Models, ", "), t.Provider))
	add("codex", joined(strings.Join(t.Versions, ", "), cmp.Or(t.Source, t.Originator)))
	add("size", sizeOf(&t.Counts))
	add("fork of", t.ForkedFrom).exact = true
	add("sub-agent", subAgent(&t.Meta))
	if t.Archived {
		add("archived", "yes: Codex does not list it")
	}
	add("state", stateOf(&t.Meta)).bad = t.State != transcript.Complete
	lost := add("lost", o.Lost...)
	lost.bad, lost.exact = true, true
	if t.View != transcript.Active {
		add("view", viewOf(t.View))
	}
	if !o.Turns.All() {
		add("shown", fmt.Sprintf("%s of %d", o.Turns, t.Counts.Turns))
	}
	add("thread", t.ID).exact = true
	files := t.Files
	if len(files) > maxHeadFiles {
		files = append(files[:maxHeadFiles:maxHeadFiles], fmt.Sprintf("and %d more", len(files)-maxHeadFiles))
	}
	add("file", files...).exact = true
	return rows
}

func (o *Options) zone() *time.Location {
	if o.Zone == nil {
		return time.UTC
	}
	return o.Zone
}

func joined(main, more string) string { return joinedBy(main, " · ", more) }

// joinedBy joins two texts, of which one may be missing.
func joinedBy(a, sep, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + sep + b
}

// period gives two times, the second without its day where it is the same.
func period(from, to time.Time, zone *time.Location) string {
	if from.IsZero() {
		from = to
	}
	if from.IsZero() {
		return ""
	}
	from, to = from.In(zone), to.In(zone)
	text := term.FormatTime(from, zone)
	switch {
	case !to.After(from) || term.FormatTime(to, zone) == text:
	case from.Format(time.DateOnly) == to.Format(time.DateOnly):
		text += to.Format(" – 15:04")
	default:
		text += " – " + term.FormatTime(to, zone)
	}
	return text + " " + from.Format("MST")
}

func sizeOf(c *transcript.Counts) string {
	parts := []string{many(c.Turns, "turn"), many(c.UserMessages, "prompt"), many(c.AssistantMessages, "answer"), many(c.ToolCalls, "tool call")}
	text := strings.Join(parts, ", ")
	if c.Files > 0 {
		text += " · " + many(c.Files, "file") + ", " + term.HumanSize(c.Bytes)
	}
	return text
}

// many counts a thing: 1 turn, 1,234 turns, 2 patches.
func many(n int, thing string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(thing, "ch"):
		thing += "es"
	default:
		thing += "s"
	}
	return term.FormatCount(int64(n)) + " " + thing
}

func subAgent(m *transcript.Meta) string {
	_, sort, ok := strings.Cut(m.Source, "subagent:")
	switch {
	case m.ParentID != "":
		return joined("of "+m.ParentID, sort)
	case ok:
		return sort
	}
	return ""
}

func stateOf(m *transcript.Meta) string {
	switch m.State {
	case transcript.Open:
		return "open: the last turn has no end: still being written, or was killed"
	case transcript.Damaged:
		return fmt.Sprintf("damaged: lines or parts that could not be read: %d", m.Losses)
	}
	return string(m.State)
}

func viewOf(v transcript.View) string {
	if v == transcript.Physical {
		return "physical: everything that the files hold, also what was taken back"
	}
	return "model: what the model would be sent next"
}

// turnFacts are the words for the beginning of a turn.
func turnFacts(tn *turn, zone *time.Location) []string {
	facts := []string{"turn " + strconv.Itoa(tn.number)}
	if at := term.FormatTime(tn.start, zone); at != "" {
		facts = append(facts, at)
	}
	if tn.model != "" {
		facts = append(facts, tn.model)
	}
	if tn.inherited {
		facts = append(facts, "inherited")
	}
	if tn.rolledBack {
		facts = append(facts, "rolled back")
	}
	return facts
}

// footFacts are what a turn came to. bad says how it failed to end well.
func footFacts(tn *turn) (bad string, facts []string) {
	switch tn.status {
	case "aborted":
		bad = joined("stopped", tn.why)
	case "failed":
		bad = joined("failed", tn.why)
	case "open":
		bad = "no end is recorded: still being written, or killed"
	}
	facts = costFacts(tn.duration, &tn.usage)
	if tn.calls > 0 {
		facts = append(facts, many(tn.calls, "tool call"))
	}
	return bad, facts
}

// hiddenText says what of a turn is not shown.
func hiddenText(tn *turn) string {
	if tn.hidden+tn.hiddenBytes == 0 {
		return ""
	}
	size := term.HumanSize(int64(tn.hiddenBytes))
	if tn.hidden == 0 {
		return "context around the person's words is not shown: " + size
	}
	return "context not shown: " + many(tn.hidden, "message") + ", " + size
}

func costFacts(d time.Duration, u *transcript.TokenUsage) []string {
	var facts []string
	if d > 0 {
		facts = append(facts, term.FormatDuration(d))
	}
	if u.IsZero() {
		return facts
	}
	text := shortCount(u.Input) + " tokens in"
	if u.CachedInput > 0 {
		text += " (" + shortCount(u.CachedInput) + " cached)"
	}
	return append(facts, text+", "+shortCount(u.Output)+" out")
}

// shortCount writes a count in three digits or so: 950, 1.2k, 45.1k, 1.2M.
func shortCount(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 99_950:
		return strconv.FormatFloat(float64(n)/1e3, 'f', 1, 64) + "k"
	case n < 999_500:
		return strconv.FormatInt((n+500)/1000, 10) + "k"
	}
	return strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64) + "M"
}

// endFacts are what all shown turns came to.
func endFacts(s *summary) []string {
	facts := append([]string{many(s.turns, "turn")}, costFacts(s.time, &s.usage)...)
	if s.calls > 0 {
		facts = append(facts, many(s.calls, "tool call"))
	}
	return facts
}

// outcome says how a call ended, and whether that was well.
type outcome struct {
	text string
	kind outcomeKind
}

type outcomeKind uint8

const (
	unknown outcomeKind = iota
	good
	failed
	missing // no result is recorded, or it is still to come
)

// outcomeOf reads a result; rest is what its header adds.
func outcomeOf(r *transcript.Event, rest string) outcome {
	if r == nil {
		return outcome{"", missing}
	}
	if r.Origin == transcript.Synthetic {
		return outcome{"no result is recorded", missing}
	}
	var parts []string
	kind := unknown
	switch {
	case r.IsError != nil && *r.IsError, r.IsError == nil && r.ExitCode != nil && *r.ExitCode != 0:
		kind = failed
	case r.IsError != nil || r.ExitCode != nil:
		kind = good
	}
	switch {
	case r.ExitCode != nil:
		parts = append(parts, "exit "+strconv.Itoa(*r.ExitCode))
	case kind == failed:
		parts = append(parts, "failed")
	case kind == good:
		parts = append(parts, "ok")
	}
	if rest != "" {
		parts = append(parts, rest)
	}
	if r.Duration != nil && *r.Duration >= time.Millisecond {
		parts = append(parts, term.FormatDuration(*r.Duration))
	}
	if r.Origin == transcript.Recovered {
		parts = append(parts, "recovered")
	}
	return outcome{strings.Join(parts, " · "), kind}
}

// imageText says what is known of an image.
func imageText(img *transcript.Image) string {
	var parts []string
	if img.MediaType != "" {
		parts = append(parts, img.MediaType)
	}
	if img.Width > 0 && img.Height > 0 {
		parts = append(parts, fmt.Sprintf("%d × %d pixels", img.Width, img.Height))
	}
	if img.Bytes > 0 {
		parts = append(parts, term.HumanSize(img.Bytes))
	}
	if img.Name != "" {
		parts = append(parts, img.Name)
	}
	if !strings.HasPrefix(img.MediaType, "image/") {
		parts = append([]string{"image"}, parts...)
	}
	return strings.Join(parts, ", ")
}

// placeText is where a record lies, as FILE:LINE.
func placeText(s transcript.Source) string {
	if s.IsZero() {
		return ""
	}
	return s.File + ":" + strconv.Itoa(s.Line)
}

// place is where an event lies, or a call and its result.
func (c *call) place() string {
	at := placeText(c.ev.Source)
	if c.result == nil || c.result.Source == c.ev.Source {
		return at
	}
	if end := placeText(c.result.Source); at != "" && end != "" {
		if c.result.Source.File == c.ev.Source.File {
			end = strconv.Itoa(c.result.Source.Line)
		}
		return at + ", " + end
	} else {
		return at + end
	}
}

// noticeName gives the words for a sort of notice.
func noticeName(status string) string {
	switch status {
	case "":
		return "notice"
	case "tool_end":
		return "a tool ended"
	case "agent_message":
		return "message"
	case "sub_agent":
		return "sub-agent"
	case "guardian":
		return "automatic approval"
	}
	return status
}

// markText says where the line that was asked for lies.
func markText(line int, at where) string {
	text := "▶ line " + term.FormatCount(int64(line))
	switch at {
	case before:
		text += ": nothing is shown of it; it lies before what follows"
	case behind:
		text += ": nothing is shown of it; it lies behind all of this"
	}
	return text
}
