package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// versionSchema is raised when a key of versionReport changes its meaning.
const versionSchema = 1

// A versionReport is what version --json prints. Keys whose value is not known
// are null.
type versionReport struct {
	SchemaVersion int     `json:"schema_version"`
	Version       string  `json:"version"` // of the module, or devel
	Go            string  `json:"go"`
	OS            string  `json:"os"`
	Arch          string  `json:"arch"`
	Revision      *string `json:"revision"` // of the source, as its version control names it
	Time          *string `json:"time"`     // of that revision, RFC 3339
	Modified      *bool   `json:"modified"` // the source had changes beyond it
}

func newVersionCommand(e *Env) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "show the version of rollbook",
		Long: `Shows the version of rollbook, of Go, the system it was built for and, where
that is known, the revision of the source.`,
		Example:     "  rollbook version\n  rollbook version --json",
		GroupID:     groupSelf,
		Args:        operands(),
		Annotations: exits("0 shown", "64 the command line was wrong"),
		RunE: func(*cobra.Command, []string) error {
			report := versionOf(buildInfo())
			if asJSON {
				return e.writeJSON(report)
			}
			_, err := fmt.Fprint(e.Stdout, report.text())
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// buildInfo is what the linker wrote into this binary; empty if it wrote none.
func buildInfo() *debug.BuildInfo {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info
	}
	return &debug.BuildInfo{}
}

func versionOf(info *debug.BuildInfo) versionReport {
	v := versionReport{
		SchemaVersion: versionSchema,
		Version:       info.Main.Version,
		Go:            runtime.Version(),
		OS:            runtime.GOOS,
		Arch:          runtime.GOARCH,
	}
	if v.Version == "" || v.Version == "(devel)" {
		v.Version = "devel"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = &s.Value
		case "vcs.time":
			v.Time = &s.Value
		case "vcs.modified":
			modified := s.Value == "true"
			v.Modified = &modified
		}
	}
	return v
}

func (v versionReport) text() string {
	text := fmt.Sprintf("rollbook version %s\n%s %s/%s\n", v.Version, v.Go, v.OS, v.Arch)
	if v.Revision == nil {
		return text
	}
	text += "revision " + *v.Revision
	if v.Modified != nil && *v.Modified {
		text += " with changes"
	}
	return text + "\n"
}
