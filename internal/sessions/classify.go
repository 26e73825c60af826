package sessions

import (
	"path/filepath"

	"rollbook/internal/diag"
	"rollbook/internal/inspect"
)

// What a report may keep of the listed files, in bytes. All the diagnostics that
// DefaultBudgets.TotalBytes of text can have fit; compressed files could have
// any number. A file that does not fit is unreadable.
const (
	maxDiagnosticBytes = 128 << 20
	maxTextBytes       = 8 << 20
)

// kept is what a report keeps so far.
type kept struct{ diagnostics, text int }

// classify lists a file, or says why not, or knows it to be of another project.
func (w *walk) classify(rel string, rep *inspect.Report) {
	if rep.State == inspect.Partial {
		w.note(rel, PartialFile)
	}
	project, code := belongs(rep)
	switch {
	case code != "":
		w.note(rel, code)
	case w.report.Project == "" || project == w.report.Project:
		w.list(rel, rep)
	}
}

// belongs gives the project of a file, where it names just one, and one session.
func belongs(rep *inspect.Report) (project string, code diag.Code) {
	for _, cwd := range rep.ProjectPaths {
		if !filepath.IsAbs(cwd) {
			return "", InvalidProjectMetadata
		}
	}
	for _, cwd := range rep.ProjectPaths {
		cwd = filepath.Clean(cwd)
		if project != "" && cwd != project {
			return "", ConflictingProjectMetadata
		}
		project = cwd
	}
	switch {
	case project == "":
		return "", MissingProjectMetadata
	case len(rep.SessionIDs) == 0:
		return "", MissingSessionMetadata
	case len(rep.SessionIDs) > 1:
		return "", ConflictingSessionMetadata
	}
	return project, ""
}

func (w *walk) list(rel string, rep *inspect.Report) {
	s := Session{
		Path:             w.report.path(rel),
		SessionID:        rep.SessionIDs[0],
		ObservedVersions: rep.ObservedVersions,
		State:            rep.State,
		Records:          rep.Records,
		Events:           rep.Events,
		rel:              rel,
	}
	text := s.weight()
	if w.found.over || w.kept.text+text > maxTextBytes {
		w.note(rel, FileUnreadable)
		return
	}
	s.found = w.found.take()
	w.kept.text += text
	w.kept.diagnostics += s.found.size()
	w.report.Sessions = append(w.report.Sessions, s)
}
