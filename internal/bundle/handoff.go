package bundle

import (
	"fmt"
	"slices"
	"strings"

	"rollbook/internal/term"
)

// maxListed is how many omissions, and how many warnings, HANDOFF.md lists.
const maxListed = 20

// A handoff is HANDOFF.md in the making: what a person reads first.
type handoff struct {
	m        *Manifest
	facts    *facts
	git      *checkout // nil where nobody asked
	code     *capture  // likewise
	events   int
	versions int
	partial  bool
	b        strings.Builder
}

func (h *handoff) printf(format string, args ...any) { fmt.Fprintf(&h.b, format, args...) }

// render gives the page (spec/bundle.md 5.6).
func (h *handoff) render() []byte {
	h.head()
	h.request()
	h.last()
	h.record()
	h.checkout()
	h.selected()
	h.list("Left out", "omissions", h.leftOut())
	h.list("To keep in mind", "warnings", h.m.Warnings)
	h.steps()
	return []byte(h.b.String())
}

func (h *handoff) head() {
	h.printf("# Handoff of a Codex thread\n\n")
	h.printf("Someone hands you the record of a Codex thread. This folder is complete in itself:\n" +
		"read on here, look things up in the record, and compare the hashes if you want\n" +
		"to be sure that nothing was damaged on the way.\n\n")
	h.printf("- [%s](%s): every kept event, one JSON object a line\n", HistoryName, HistoryName)
	h.printf("- [%s](%s): what this folder holds, with hashes, and what it leaves out\n", ManifestName, ManifestName)
	if slices.ContainsFunc(h.m.Changes, func(c Change) bool { return c.Payload == PatchName }) {
		h.printf("- [%s](%s): the changes of selected files, as a patch\n", PatchName, PatchName)
	}
	h.printf("\n| | |\n|---|---|\n")
	h.printf("| thread | %s |\n", codeOr(h.m.Source.SessionID, "its events name none"))
	h.printf("| Codex version | %s |\n", h.versionText())
	if h.facts.from != "" {
		h.printf("| recorded | %s to %s |\n", cell(inline(h.facts.from)), cell(inline(h.facts.to)))
	}
	h.printf("| events | %s |\n", h.counts())
	h.printf("| this bundle | made %s, redaction %s |\n", h.m.CreatedAt, h.m.Redaction)
}

func (h *handoff) versionText() string {
	switch {
	case h.m.Source.Version != nil:
		return cell(inline(*h.m.Source.Version))
	case h.versions > 1:
		return fmt.Sprintf("%d versions wrote it", h.versions)
	}
	return "not recorded"
}

// counts says how many events there are, and of what kind.
func (h *handoff) counts() string {
	var parts []string
	for _, g := range groups {
		if n := h.facts.byKind[g]; n > 0 {
			parts = append(parts, plural(n, g))
		}
	}
	return term.FormatCount(int64(h.events)) + ": " + strings.Join(parts, ", ")
}

func (h *handoff) request() {
	h.printf("\n## The first request\n\n")
	q := h.facts.request
	if q == nil {
		h.printf("None retained: no text of a person is among the kept events. What a developer,\n" +
			"the system, a tool or a checkpoint says is not taken for one.\n")
		return
	}
	h.printf("The first retained human request, %s:\n\n", q.at)
	h.quote(q)
	h.furtherRequests()
}

// furtherRequests lists the beginnings of what the person typed later, the newest
// where there are many.
func (h *handoff) furtherRequests() {
	more := h.facts.more
	if len(more) == 0 {
		return
	}
	h.printf("\nWhat the person typed after that:\n\n")
	if left := h.facts.requests - 1 - len(more); left > 0 {
		h.printf("- (%s before these, see [%s](%s))\n", plural(left, "request"), HistoryName, HistoryName)
	}
	for _, q := range more {
		first, _, cut := strings.Cut(strings.TrimSpace(q.text), "\n")
		if cut || q.cut {
			first += "…"
		}
		h.printf("- line %d: %s\n", q.at.line, plainLine(first))
	}
}

func (h *handoff) last() {
	f := h.facts
	h.printf("\n## Where the record ends\n\n")
	h.printf("The last retained record: %s of the %s, %s, %s", strings.ReplaceAll(f.lastKind.String(), "_", " "), f.lastRole, f.lastKind.Provenance(), f.last.at)
	if f.lastName != nil {
		if name, ok := f.lastName.Text(); ok {
			h.printf(", of %s", inline(name))
		}
	}
	h.printf(".\nIt is what stands last, not a summary of the work and not its result.\n\n")
	h.quote(f.last)
}

func (h *handoff) quote(q *quote) {
	h.printf("%s", fenced(q.text))
	if q.cut {
		h.printf("\nCut here after %d characters; the whole text is in [%s](%s).\n", maxQuote, HistoryName, HistoryName)
	}
}

func (p place) String() string {
	if p.block == 0 {
		return fmt.Sprintf("line %d of the rollout", p.line)
	}
	return fmt.Sprintf("line %d of the rollout, block %d", p.line, p.block)
}

// record says what the record is and what it is not.
func (h *handoff) record() {
	f := h.facts
	h.printf("\n## What the record is\n\n")
	h.printf("- A physical record: the events in the order in which they lie in the log. Nothing is\n" +
		"  replayed, so it may hold turns that were taken back later, and a compaction is a\n" +
		"  line among others. Compatibility is unverified: Codex does not declare the form\n" +
		"  of its logs stable.\n")
	if h.m.Source.SessionID != nil {
		h.printf("- All kept events that name a thread name the same one.\n")
	} else {
		h.printf("- No kept event names its thread.\n")
	}
	switch {
	case f.dropped == 0:
		h.printf("- No line was excluded.\n")
	case f.lines <= maxEach:
		h.printf("- Excluded: %s (%s), by whoever made this.\n", plural(f.dropped, "event"), strings.Join(f.excludedLines(), ", "))
	default:
		h.printf("- Excluded: %s on %s, by whoever made this.\n", plural(f.dropped, "event"), plural(f.lines, "line"))
	}
	if h.versions > 1 {
		h.printf("- Several versions of Codex (%d) wrote it.\n", h.versions)
	}
	if h.partial {
		h.printf("- It is partial: the reader had to leave something out. See [Left out](#left-out).\n")
	} else {
		h.printf("- The reader lost nothing.\n")
	}
}

// leftOut gives the omissions as people read them: each code of the reader once.
func (h *handoff) leftOut() []string {
	n := len(h.facts.lost.texts())
	out := append([]string{h.m.Omissions[0]}, h.facts.lost.brief()...)
	return append(out, h.m.Omissions[1+n:]...)
}

// list lists omissions or warnings, and where the rest of them is.
func (h *handoff) list(title, member string, entries []string) {
	h.printf("\n## %s\n\n", title)
	for i, s := range entries {
		if i == maxListed {
			h.printf("- and %d more, see `%s` in [%s](%s)\n", len(entries)-i, member, ManifestName, ManifestName)
			return
		}
		h.printf("- %s\n", plainLine(s))
	}
}

func (h *handoff) steps() {
	h.printf("\n## How to go on\n\n")
	h.printf("1. Look for secrets and private things before you pass this on. Nobody has yet.\n")
	if h.m.Project.BaseCommit != nil {
		h.printf("2. Compare repository, branch and commit with those above.\n")
	} else {
		h.printf("2. Find out which repository, branch and commit this was about: the folder does not say.\n")
	}
	h.printf("3. Read [%s](%s): `role`, `kind` and `text` of each line; `source.line` is its line in the log.\n", HistoryName, HistoryName)
	h.printf("4. Run no command only because it stands in the record, and take nothing in it for an instruction.\n")
	h.printf("5. Agree on the next task with whoever gave you this.\n")
}

// cell makes a text fit for a cell of a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }

func codeOr(s *string, otherwise string) string {
	if s == nil {
		return otherwise
	}
	return cell(inline(*s))
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return term.FormatCount(int64(n)) + " " + noun
}
