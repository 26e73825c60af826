package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rollbook/internal/acp"
	"rollbook/internal/dsh"
	"rollbook/internal/term"
)

type resumeOptions struct {
	prompt  string
	timeout time.Duration
	json    bool
}

func newDSHResume(e *Env) *cobra.Command {
	var o resumeOptions
	cmd := &cobra.Command{
		Use:   "test-resume SESSIONS_ROOT [SESSION_ID] [DSH_HOME]",
		Short: "have the installed harness resume a session",
		Long: `Starts the harness, dsh --profile acp, and has it list, resume and close one
session below SESSIONS_ROOT: the one of SESSION_ID, else the newest. With
--prompt it is also sent a prompt, which the harness's model answers and which
becomes part of the session.

The harness reads the sessions of its own home: DSH_HOME, else the folder around
SESSIONS_ROOT. The program is dsh on the PATH, or DSH_CODEX_IMPORT_DSH_BIN.`,
		Example: `  rollbook dsh test-resume ~/.dsh/sessions
  rollbook dsh test-resume ~/.dsh/sessions session-01a0a41f --prompt "go on"`,
		Args: operands("SESSIONS_ROOT", "[SESSION_ID]", "[DSH_HOME]"),
		Annotations: exits("0   the harness resumed it, and answered the prompt", "1   it could not, or there is no such session",
			"4   the harness could not be started", "64  the command line was wrong", "130 interrupted"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return e.testResume(cmd.Context(), append(args, "", "")[:3], o)
		},
	}
	set := cmd.Flags()
	set.StringVar(&o.prompt, "prompt", "", "send this `TEXT` to the session")
	set.DurationVar(&o.timeout, "timeout", 2*time.Minute, "give up after this time")
	set.BoolVar(&o.json, "json", false, "print one JSON object")
	return cmd
}

func (e *Env) testResume(ctx context.Context, args []string, o resumeOptions) error {
	root, store, err := e.openSessions(args[0], "")
	if store != nil {
		store.Close()
	}
	if err != nil {
		return err
	}
	defer root.Close()
	session, err := newestSession(dsh.Root{FS: root, Path: root.Path()}, args[1])
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	home := filepath.Dir(root.Path())
	if args[2] != "" {
		if home, err = e.absPath(args[2]); err != nil {
			return err
		}
	}
	report, err := e.resumeWith(ctx, home, session, o)
	if report == nil {
		return err
	}
	if sayErr := e.sayResume(session, report, err, o); err == nil {
		err = sayErr
	}
	return err
}

// newestSession finds a session: the one that is named, wholly or by the beginning
// of its id with or without "session-", else the one whose log is the newest.
func newestSession(root dsh.Root, name string) (acp.Session, error) {
	var best acp.Session
	var at time.Time
	found := 0
	for row, err := range dsh.Audit(root) {
		if err != nil {
			continue // verify says what is wrong with it
		}
		if name != "" && !strings.HasPrefix(row.ID, name) && !strings.HasPrefix(row.ID, "session-"+name) {
			continue
		}
		info, err := os.Lstat(row.Path)
		if err != nil {
			return best, err
		}
		if found++; found == 1 || row.ID == name || best.ID != name && info.ModTime().After(at) {
			best, at = acp.Session{ID: row.ID, Cwd: row.Cwd}, info.ModTime()
		}
	}
	switch {
	case found == 0 && name != "":
		return best, fmt.Errorf("no session %s below it", name)
	case found == 0:
		return best, errors.New("no session below it")
	case name != "" && found > 1 && best.ID != name && best.ID != "session-"+name:
		return best, fmt.Errorf("%d sessions begin with %s", found, name)
	}
	return best, nil
}

// resumeWith starts the harness and has it resume a session. Without a report it
// did not start.
func (e *Env) resumeWith(ctx context.Context, home string, session acp.Session, o resumeOptions) (*acp.Report, error) {
	program := e.harnessProgram()
	if program == "" {
		return nil, withHint(launchError(errors.New("the harness is not installed here: there is no dsh on the PATH")), "name it: DSH_CODEX_IMPORT_DSH_BIN=FILE")
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	argv := []string{program, "--profile", "acp"}
	if strings.HasSuffix(program, ".js") {
		argv = append([]string{"node"}, argv...)
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = e.Dir, append(os.Environ(), "DSH_HOME="+home)
	var talk bytes.Buffer
	cmd.Stderr = &limited{&talk, 64 << 10}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, launchError(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, launchError(err)
	}
	if err := cmd.Start(); err != nil {
		return nil, launchError(fmt.Errorf("%s: %w", program, err))
	}
	report, err := acp.Resume(ctx, out, in, session, o.prompt)
	in.Close()
	if err != nil {
		cancel()
	}
	waitErr := cmd.Wait()
	if err != nil && len(report.Steps) == 0 {
		return nil, launchError(fmt.Errorf("%s: %w; it said: %s", program, err, lastLine(talk.String())))
	}
	if err == nil && waitErr != nil {
		e.warnf("the harness ended with an error after all was answered: %v", waitErr)
	}
	return &report, err
}

// limited keeps the beginning of what is written to it.
type limited struct {
	b *bytes.Buffer
	n int
}

func (l *limited) Write(p []byte) (int, error) {
	if room := l.n - l.b.Len(); room > 0 {
		l.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return orElse(lines[len(lines)-1], "nothing")
}

func (e *Env) sayResume(s acp.Session, r *acp.Report, failed error, o resumeOptions) error {
	if o.json {
		words := ""
		if failed != nil {
			words = failed.Error()
		}
		return e.writeJSON(struct {
			SchemaVersion int      `json:"schema_version"`
			Session       string   `json:"session"`
			Cwd           string   `json:"cwd,omitzero"`
			Agent         string   `json:"agent"`
			Steps         []string `json:"steps"`
			Listed        int      `json:"listed"`
			ConfigOptions int      `json:"configOptions"`
			StopReason    string   `json:"stopReason,omitzero"`
			Text          string   `json:"text,omitzero"`
			Error         string   `json:"error,omitzero"`
		}{dshSchema, s.ID, s.Cwd, r.Agent, none(r.Steps), r.Sessions, r.Options, r.StopReason, r.Text, words})
	}
	fmt.Fprintf(e.Stdout, "%s with %s\n", term.Safe(s.ID, term.OneLine), term.Safe(orElse(r.Agent, "an agent without a name"), term.OneLine))
	for _, step := range r.Steps {
		note := ""
		switch step {
		case "session/list":
			note = fmt.Sprintf("  one of %d", r.Sessions)
		case "session/resume":
			note = fmt.Sprintf("  %s", plural(r.Options, "option", "options"))
		case "session/prompt":
			note = "  " + term.Safe(r.StopReason, term.OneLine)
		}
		fmt.Fprintf(e.Stdout, "  ok  %s%s\n", step, note)
	}
	if r.Text != "" && o.prompt != "" {
		fmt.Fprintf(e.Stdout, "\n%s\n", term.Safe(r.Text, term.Block))
	}
	return nil
}
