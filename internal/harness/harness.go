// Package harness runs what a DeepSeek Harness that is installed here has to say
// of our sessions: its own validators over logs, and its own image store.
//
// Both are small scripts of ours (js) for Node, which load the harness's packages
// from where they are installed. Nothing is installed and there is no network.
// Without the packages the answer is a MissingError, never a pass.
package harness

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
)

//go:embed js/verify.mjs js/images.mjs
var scripts embed.FS

// An Install is where the harness is.
type Install struct {
	Node  string   // the program, 22.15 or newer: it must know zstd
	Roots []string // folders from which the harness's packages can be resolved, the first first
}

// A MissingError says what of the harness is not there.
type MissingError struct{ Packages []string }

func (e *MissingError) Error() string {
	return "not installed here: " + strings.Join(e.Packages, ", ")
}

// maxTalk is how much of what a script says on standard error is kept.
const maxTalk = 2000

// A process is a script that runs.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *lineReader
	talk   tail
	cancel context.CancelFunc
}

// start runs a script with arguments. It gets no variable of the environment but
// the PATH to its own Node: neither keys nor options of the person's.
func (i Install) start(ctx context.Context, name string, args ...string) (*process, error) {
	if i.Node == "" {
		return nil, &MissingError{[]string{"node"}}
	}
	if len(i.Roots) == 0 {
		return nil, &MissingError{[]string{"dsh"}}
	}
	code, err := scripts.ReadFile("js/" + name + ".mjs")
	if err != nil {
		return nil, err
	}
	roots, err := json.Marshal(i.Roots)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	p := &process{cancel: cancel}
	p.cmd = exec.CommandContext(ctx, i.Node, append([]string{"--input-type=module", "--eval", string(code), name, string(roots)}, args...)...)
	p.cmd.Env = []string{"PATH=" + filepath.Dir(i.Node)}
	p.cmd.Stderr = &p.talk
	if p.in, err = p.cmd.StdinPipe(); err == nil {
		var out io.Reader
		if out, err = p.cmd.StdoutPipe(); err == nil {
			p.out = newLineReader(out)
			err = p.cmd.Start()
		}
	}
	if err != nil {
		cancel()
		return nil, fmt.Errorf("harness: %w", err)
	}
	return p, nil
}

// A greeting is the first line of each script.
type greeting struct {
	Missing []string `json:"missing"`
}

// greet reads the first line.
func (p *process) greet() error {
	var hello greeting
	if err := p.answer(&hello); err != nil {
		return err
	}
	if len(hello.Missing) > 0 {
		return &MissingError{hello.Missing}
	}
	return nil
}

// answer reads one line of JSON; io.EOF where the script has ended.
func (p *process) answer(v any) error {
	line, err := p.out.next()
	if err == nil {
		err = json.Unmarshal(line, v)
	}
	return err
}

// stop ends the script, which has read all or is not needed any more, and says
// what it said where it failed.
func (p *process) stop() error {
	p.in.Close()
	err := p.cmd.Wait()
	p.cancel()
	if err != nil {
		return fmt.Errorf("harness: %w: %s", err, p.talk.words())
	}
	return nil
}

// kill ends a script that is in the middle of something.
func (p *process) kill() {
	p.cancel()
	p.in.Close()
	p.cmd.Wait()
}

// A tail keeps the end of what is written to it.
type tail struct{ b []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	if n := len(t.b) - maxTalk; n > 0 {
		t.b = append(t.b[:0], t.b[n:]...)
	}
	return len(p), nil
}

// words gives the line that names an error, else all of it.
func (t *tail) words() string {
	text := strings.TrimSpace(string(bytes.ToValidUTF8(t.b, []byte("?"))))
	for line := range strings.Lines(text) {
		if strings.Contains(line, "Error") {
			return strings.TrimSpace(line)
		}
	}
	return text
}
