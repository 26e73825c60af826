package bundle

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Manifest is the closed list of what a bundle holds (spec/bundle.md 5.4). The
// members stand in the order of the format; the last two only in version 2.
type Manifest struct {
	FormatVersion int       `json:"format_version"`
	CreatedAt     string    `json:"created_at"`
	Source        Source    `json:"source"`
	Project       Project   `json:"project"`
	CodeState     CodeState `json:"code_state"`
	Files         []File    `json:"files"`
	Omissions     []string  `json:"omissions"`
	Warnings      []string  `json:"warnings"`
	Redaction     string    `json:"redaction"`
	SelectedPaths []string  `json:"selected_paths,omitzero"`
	Changes       []Change  `json:"changes,omitzero"`
}

// A Source says which thread the bundle is of, where that is certain.
type Source struct {
	Agent     string  `json:"agent"`
	Version   *string `json:"version"`    // nil where none or several were seen
	SessionID *string `json:"session_id"` // nil where the kept events have none
}

// A Project is what git said of a checkout; all nil where nobody asked.
type Project struct {
	Remote     *string `json:"remote"`
	Branch     *string `json:"branch"`
	BaseCommit *string `json:"base_commit"`
	Dirty      *bool   `json:"dirty"`
}

// A File is a payload: every file of the bundle but the manifest.
type File struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256"`
	Purpose string `json:"purpose"`
}

// A Change is what happened to one selected path since the base commit.
type Change struct {
	Path         string  `json:"path"`
	Kind         Kind    `json:"kind"`
	Payload      string  `json:"payload"`
	BaseSHA256   *string `json:"base_sha256"`
	ResultSHA256 *string `json:"result_sha256"`
	BaseMode     *string `json:"base_mode"`
	ResultMode   *string `json:"result_mode"`
}

// CodeState says what a bundle tells of the code.
type CodeState string

// The states of the code.
const (
	CodeUnknown   CodeState = "unknown"
	BaseReference CodeState = "base-reference"   // a commit, and no change to it
	WithChanges   CodeState = "changes-included" // a commit and changes
)

// A Kind is what happened to a file.
type Kind string

// The kinds of changes.
const (
	Add    Kind = "add"
	Modify Kind = "modify"
	Delete Kind = "delete"
)

// The purposes of payloads.
const (
	entrypoint = "entrypoint"
	history    = "history"
	patch      = "patch"
	newFile    = "new-file"
)

// States of the redaction. Nobody but a person can say "reviewed".
const (
	pendingReview = "pending-review"
	reviewed      = "reviewed"
)

// The modes that a file can have.
const (
	plainMode = "100644"
	execMode  = "100755"
)

// Encode gives the bytes of manifest.json: indented by two spaces, without a
// line feed at the end (B3).
func (m *Manifest) Encode() ([]byte, error) {
	return json.Marshal(m, jsontext.WithIndent("  "))
}

// DecodeManifest reads a manifest, which must be closed: every member that the
// version has, once, and no other, at any level (B4). What the values mean
// together is not looked at.
func DecodeManifest(data []byte) (*Manifest, error) {
	var d decoder
	top := d.object("", data)
	m := &Manifest{FormatVersion: d.int("format_version", top["format_version"])}
	keys := []string{"format_version", "created_at", "source", "project", "code_state", "files", "omissions", "warnings", "redaction"}
	switch m.FormatVersion {
	case 1:
	case 2:
		keys = append(keys, "selected_paths", "changes")
	default:
		if d.err == nil {
			d.err = fmt.Errorf("format version %d is not known", m.FormatVersion)
		}
	}
	d.closed("", top, keys...)
	m.CreatedAt = d.text("created_at", top["created_at"])
	m.Source = d.source(top["source"])
	m.Project = d.project(top["project"])
	m.CodeState = CodeState(d.text("code_state", top["code_state"]))
	for i, v := range d.list("files", top["files"]) {
		m.Files = append(m.Files, d.file(fmt.Sprintf("files[%d]", i), v))
	}
	m.Omissions = d.texts("omissions", top["omissions"])
	m.Warnings = d.texts("warnings", top["warnings"])
	m.Redaction = d.text("redaction", top["redaction"])
	if m.FormatVersion == 2 {
		m.SelectedPaths = d.texts("selected_paths", top["selected_paths"])
		m.Changes = []Change{}
		for i, v := range d.list("changes", top["changes"]) {
			m.Changes = append(m.Changes, d.change(fmt.Sprintf("changes[%d]", i), v))
		}
	}
	if d.err != nil {
		return nil, d.err
	}
	return m, nil
}

func (d *decoder) source(v jsontext.Value) Source {
	o := d.closed("source", d.object("source", v), "agent", "version", "session_id")
	return Source{
		Agent:     d.text("source.agent", o["agent"]),
		Version:   d.textOrNull("source.version", o["version"]),
		SessionID: d.textOrNull("source.session_id", o["session_id"]),
	}
}

func (d *decoder) project(v jsontext.Value) Project {
	o := d.closed("project", d.object("project", v), "remote", "branch", "base_commit", "dirty")
	return Project{
		Remote:     d.textOrNull("project.remote", o["remote"]),
		Branch:     d.textOrNull("project.branch", o["branch"]),
		BaseCommit: d.textOrNull("project.base_commit", o["base_commit"]),
		Dirty:      d.boolOrNull("project.dirty", o["dirty"]),
	}
}

func (d *decoder) file(at string, v jsontext.Value) File {
	o := d.closed(at, d.object(at, v), "path", "sha256", "purpose")
	return File{d.text(at+".path", o["path"]), d.text(at+".sha256", o["sha256"]), d.text(at+".purpose", o["purpose"])}
}

func (d *decoder) change(at string, v jsontext.Value) Change {
	o := d.closed(at, d.object(at, v), "path", "kind", "payload", "base_sha256", "result_sha256", "base_mode", "result_mode")
	return Change{
		Path:         d.text(at+".path", o["path"]),
		Kind:         Kind(d.text(at+".kind", o["kind"])),
		Payload:      d.text(at+".payload", o["payload"]),
		BaseSHA256:   d.textOrNull(at+".base_sha256", o["base_sha256"]),
		ResultSHA256: d.textOrNull(at+".result_sha256", o["result_sha256"]),
		BaseMode:     d.textOrNull(at+".base_mode", o["base_mode"]),
		ResultMode:   d.textOrNull(at+".result_mode", o["result_mode"]),
	}
}
