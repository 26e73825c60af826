package listing

import (
	"bytes"
	"path"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"rollbook/internal/discover"
	"rollbook/internal/rollout"
)

// What counts as touched (docs/cli.md, "threads"): each file of a patch that
// Codex applied, or tried to (patch_apply_end, FileChange), and each file that a
// patch in the arguments of a tool call names. Turns that were rolled back or
// reverted count too: the files were changed all the same. What a fork or a
// sub-agent inherited is its parent's.

// touched are the files that a thread touched.
type touched struct {
	files []string // in order of first mention; absolute where the thread's folder is known
	cut   bool     // there are more
}

// The bounds of what is kept of a thread's files.
const (
	maxTouched     = 1000
	maxTouchedPath = 4 << 10
	maxTouchedText = 256 << 10
)

// A looker collects the files that a thread touches, payload by payload.
type looker struct {
	touched
	cwd  string // of the turn at hand
	seen map[string]bool
	text int // bytes kept
}

func newLooker() *looker { return &looker{seen: make(map[string]bool)} }

func (l *looker) see(p rollout.Payload) {
	switch p := p.(type) {
	case *rollout.SessionMeta:
		l.enter(p.CWD)
	case *rollout.TurnContext:
		l.enter(p.CWD)
	case *rollout.FileChange:
		l.changes(p.Changes)
	case *rollout.ItemCompleted:
		if c, ok := p.Item.(*rollout.FileChange); ok {
			l.changes(c.Changes)
		}
	case *rollout.ToolCall:
		l.call(p)
	case *rollout.LocalShellCall:
		if bytes.Contains(p.Action.Command, patchMark) {
			for _, word := range p.Action.Command.All() {
				l.patch(resolve(l.cwd, p.Action.WorkingDirectory), word.String())
			}
		}
	}
}

func (l *looker) enter(cwd string) {
	if cwd != "" {
		l.cwd = cwd
	}
}

func (l *looker) changes(list rollout.Changes) {
	for c := range list.All() {
		l.add(l.cwd, c.Path.String())
		l.add(l.cwd, c.MovePath)
	}
}

// patchMark opens a patch. It reads the same in JSON.
var patchMark = []byte("*** Begin Patch")

// call looks for patches in the arguments of a call: the input of apply_patch
// itself, or strings within the JSON of a shell's arguments.
func (l *looker) call(c *rollout.ToolCall) {
	if !bytes.Contains(c.Arguments, patchMark) {
		return
	}
	if c.Type() == rollout.ItemCustomToolCall {
		l.patch(l.cwd, c.Input())
		return
	}
	texts, cwd := arguments(c.Input())
	for _, text := range texts {
		l.patch(resolve(l.cwd, cwd), text)
	}
}

// arguments gives the strings within a JSON text that hold a patch, and the
// folder that a call is to run in. Of a text that is no JSON it gives what
// stands before the fault.
func arguments(text string) (patches []string, workdir string) {
	dec := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	name := ""
	for {
		tok, err := dec.ReadToken()
		if err != nil {
			return patches, workdir
		}
		if tok.Kind() != '"' {
			continue
		}
		kind, n := dec.StackIndex(dec.StackDepth())
		switch s := tok.String(); {
		case kind == '{' && n%2 == 1:
			name = s
		case dec.StackDepth() == 1 && name == "workdir":
			workdir = s
		case strings.Contains(s, string(patchMark)):
			patches = append(patches, s)
		}
	}
}

// patchHeads open the lines of a patch that name files.
var patchHeads = []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "}

// patch takes the files that a patch names.
func (l *looker) patch(cwd, text string) {
	_, text, _ = strings.Cut(text, string(patchMark))
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "*** ") {
			continue
		}
		for _, head := range patchHeads {
			if name, ok := strings.CutPrefix(line, head); ok {
				l.add(cwd, strings.TrimSpace(name))
			}
		}
	}
}

// add takes a file.
func (l *looker) add(cwd, name string) {
	if name == "" {
		return
	}
	name = resolve(cwd, name)
	switch {
	case l.seen[name]:
	case len(l.files) == maxTouched || len(name) > maxTouchedPath || l.text+len(name) > maxTouchedText:
		l.cut = true
	default:
		l.seen[name] = true
		l.files = append(l.files, name)
		l.text += len(name)
	}
}

// resolve gives the path of a file that a thread names in a folder. It is the
// thread's own system that says what a path is, not ours.
func resolve(cwd, name string) string {
	windows := discover.WindowsPath(cwd) || discover.WindowsPath(name)
	if windows {
		cwd, name = strings.ReplaceAll(cwd, `\`, "/"), strings.ReplaceAll(name, `\`, "/")
	}
	if cwd != "" && !path.IsAbs(name) && !discover.WindowsPath(name) {
		name = cwd + "/" + name
	}
	share := windows && strings.HasPrefix(name, "//")
	if name = path.Clean(name); share {
		name = "/" + name
	}
	if windows {
		name = strings.ReplaceAll(name, "/", `\`)
	}
	return name
}
