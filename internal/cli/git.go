package cli

import (
	"os"
	"os/exec"

	"rollbook/internal/gitro"
)

// git gives the git of the machine. Without one the answer of every question to
// it is an error.
func (e *Env) git() gitro.Git {
	path, err := exec.LookPath("git")
	if err != nil {
		return gitro.Git{}
	}
	return gitro.Git{Path: path, Environ: os.Environ()}
}
