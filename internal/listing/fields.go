package listing

import (
	"slices"

	"rollbook/internal/assemble"
	"rollbook/internal/diag"
	"rollbook/internal/discover"
	"rollbook/internal/transcript"
)

// The fields of what is kept, in the order of the file. A field that is not
// here would be lost on the second listing; TestFields finds it.

func texts(c *codec, v *[]string) { list(c, v, text[string]) }

func codeFile(c *codec, f *file) {
	text(c, &f.path)
	num(c, &f.stamp.size)
	num(c, &f.stamp.modified)
	num(c, &f.stamp.changed)
	num(c, &f.stamp.inode)
	if c.flag(&f.rollout); f.rollout {
		codeRef(c, &f.ref)
	}
	list(c, &f.diags, codeDiagnostic)
}

// codeRef leaves out the stamp, which a listing takes anew.
func codeRef(c *codec, r *discover.Ref) {
	for _, s := range []*string{
		&r.Path, &r.ThreadID, &r.SegmentID, &r.ID, &r.SessionID, &r.ParentID, &r.ForkedFrom, &r.CopiedFrom, &r.Cwd, &r.Source,
		&r.ThreadSource, &r.AgentNickname, &r.AgentRole, &r.AgentPath, &r.Originator, &r.Version, &r.Provider, &r.HistoryMode,
		&r.FirstLineProblem,
	} {
		text(c, s)
	}
	c.time(&r.FileTime, false)
	maybe(c, &r.ForkOrdinal, num[int64])
	maybe(c, &r.SubagentStart, num[int64])
	maybe(c, &r.Base, func(c *codec, b *discover.Base) {
		text(c, &b.ThreadID)
		num(c, &b.EndOrdinal)
		num(c, &b.EndByte)
	})
	num(c, &r.Depth)
	num(c, &r.MetaLine)
	num(c, &r.MetaCount)
	num(c, &r.Size)
	c.flag(&r.Bare)
	c.flag(&r.Unsaid)
	c.flag(&r.Archived)
	c.flag(&r.Compressed)
	c.time(&r.Created, false)
	c.time(&r.First, false)
	c.time(&r.Last, false)
	c.time(&r.ModTime, true)
}

func codeDiagnostic(c *codec, d *diag.Diagnostic) {
	text(c, &d.File)
	num(c, &d.Line)
	num(c, &d.Offset)
	num(c, &d.Block)
	text(c, &d.Code)
	text(c, &d.Message)
}

func codeEntry(c *codec, e *entry) {
	text(c, &e.id)
	texts(c, &e.sources)
	codeSummary(c, &e.summary)
	same(c, &e.summary.Files, e.sources)
	same(c, &e.summary.Segments, e.sources)
	texts(c, &e.touched.files)
	c.flag(&e.touched.cut)
	list(c, &e.findings, func(c *codec, f *Finding) {
		text(c, &f.Code)
		num(c, &f.Count)
		list(c, &f.Examples, codeDiagnostic)
	})
}

func codeSummary(c *codec, s *assemble.Summary) {
	text(c, &s.Name)
	text(c, &s.Prompt)
	c.flag(&s.UserEvent)
	c.flag(&s.SourceRecorded)
	codeMeta(c, &s.Meta)
}

// same codes a list that mostly is the same as another, which is known by then.
func same(c *codec, v *[]string, other []string) {
	is := slices.Equal(*v, other)
	c.flag(&is)
	switch {
	case !is:
		texts(c, v)
	case c.reading:
		*v = other
	}
}

// codeMeta leaves out the title, which is chosen anew each time, and the lists of
// files.
func codeMeta(c *codec, m *transcript.Meta) {
	for _, s := range []*string{&m.ID, &m.Project, &m.Source, &m.Originator, &m.Provider, &m.ParentID, &m.ForkedFrom, &m.SessionID} {
		text(c, s)
	}
	texts(c, &m.Models)
	texts(c, &m.Versions)
	text(c, &m.State)
	c.flag(&m.Archived)
	c.time(&m.Created, false)
	c.time(&m.Updated, false)
	num(c, &m.Losses)
	for _, n := range []*int{&m.Counts.Turns, &m.Counts.UserMessages, &m.Counts.AssistantMessages, &m.Counts.ToolCalls, &m.Counts.Files} {
		num(c, n)
	}
	num(c, &m.Counts.Bytes)
}
