package export

import (
	"strings"

	"rollbook/internal/transcript"
)

// An action is what a tool call did, as far as its arguments say.
type action struct {
	name    string // of the tool, its namespace before it; empty for a command of a shell
	text    string // the command, or the arguments in short
	dir     string // where a command ran, if it says so
	patch   []transcript.FileChange
	details []field // of a call with named arguments, for the full form
}

// describe reads a call's arguments. What it cannot read it shows as it is.
func describe(ev *transcript.Event) action {
	a := action{name: toolName(ev)}
	fields, ok := readObject(ev.Arguments)
	switch {
	case ev.Tool == "apply_patch":
		a.patch = patchOf(ev.Arguments, fields)
		if a.patch == nil {
			a.text = ev.Arguments
		}
		return a
	case isShell(ev.Tool):
		if command, dir, ok := shellCommand(ev.Arguments, fields); ok {
			a.name, a.text, a.dir = "", command, dir
			if strings.Contains(command, "apply_patch") {
				a.patch = parsePatch(command)
			}
			return a
		}
	}
	if !ok {
		a.text = ev.Arguments
		return a
	}
	a.text, a.details = inShort(fields), fields
	return a
}

// toolName joins a tool's name to its namespace, without what only says that
// it is of an MCP server.
func toolName(ev *transcript.Event) string {
	name := ev.Tool
	if ev.Namespace != "" {
		name = ev.Namespace + "." + name
	}
	if rest, ok := strings.CutPrefix(name, "mcp__"); ok && rest != "" {
		name = strings.Replace(rest, "__", ".", 1)
	}
	if name == "" {
		return "tool"
	}
	return name
}

// isShell reports whether a tool runs a command that its arguments hold.
func isShell(tool string) bool {
	switch tool {
	case "shell", "shell_command", "local_shell", "exec_command", "container.exec", "unified_exec":
		return true
	}
	return false
}

// shellCommand gives the command of a shell's arguments: a string or a list,
// alone or under the names that versions have had.
func shellCommand(arguments string, fields []field) (command, dir string, ok bool) {
	for _, f := range fields {
		switch f.name {
		case "command", "cmd":
			command, ok = commandText(f.value)
		case "workdir", "cwd":
			dir, _ = stringOf(f.value)
		}
	}
	if !ok {
		command, ok = commandText(arguments)
	}
	return command, dir, ok
}

// commandText reads a command as JSON: a string, or a list of words.
func commandText(value string) (string, bool) {
	if s, ok := stringOf(value); ok {
		return s, true
	}
	words, ok := readStrings(value)
	if !ok || len(words) == 0 {
		return "", false
	}
	if script, ok := script(words); ok {
		return script, true
	}
	for i, w := range words {
		words[i] = quote(w)
	}
	return strings.Join(words, " "), true
}

// script gives what a shell was told to run: bash -lc SCRIPT and the like.
func script(words []string) (string, bool) {
	if len(words) != 3 {
		return "", false
	}
	shell := words[0][strings.LastIndexAny(words[0], `/\`)+1:]
	switch strings.TrimSuffix(strings.ToLower(shell), ".exe") {
	case "bash", "sh", "zsh", "dash", "fish":
		if words[1] == "-lc" || words[1] == "-c" {
			return words[2], true
		}
	case "pwsh", "powershell":
		if strings.EqualFold(words[1], "-command") || strings.EqualFold(words[1], "-c") {
			return words[2], true
		}
	case "cmd":
		if strings.EqualFold(words[1], "/c") {
			return words[2], true
		}
	}
	return "", false
}

// quote puts a word into quotes where a shell would cut it.
func quote(word string) string {
	if word != "" && strings.IndexFunc(word, splits) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func splits(r rune) bool {
	return r <= ' ' || strings.ContainsRune("'\"\\$`&|;<>()*?[]{}~#!", r)
}

// patchOf reads the changes of apply_patch's arguments: the patch as it is or
// under the name input, or the changes as Codex records them.
func patchOf(arguments string, fields []field) []transcript.FileChange {
	if all := parsePatch(arguments); all != nil {
		return all
	}
	var all []transcript.FileChange
	for _, f := range fields {
		if s, ok := stringOf(f.value); ok {
			if all := parsePatch(s); all != nil {
				return all
			}
			continue
		}
		if inner, ok := readObject(f.value); ok {
			if c := recordedChange(f.name, inner); c.Kind != "" {
				all = append(all, c)
			}
		}
	}
	return all
}

// recordedChange reads {"type":…,"content"|"unified_diff":…,"move_path":…}.
func recordedChange(path string, fields []field) transcript.FileChange {
	c := transcript.FileChange{Path: path}
	for _, f := range fields {
		s, _ := stringOf(f.value)
		switch f.name {
		case "type":
			c.Kind = s
		case "content", "unified_diff":
			c.Diff = s
		case "move_path":
			c.Moved = s
		}
	}
	return c
}

// maxName bounds what is kept of an action until its result comes.
const maxName = 120

// named is the action in as many words as name it.
func (a action) named() action {
	text := a.text
	if len(a.patch) > 0 {
		text = a.patch[0].Path
	}
	text, _, more := strings.Cut(text, "\n")
	if runes := []rune(text[:min(len(text), 4*maxName)]); len(runes) > maxName {
		text, more = string(runes[:maxName]), true
	}
	if more {
		text += "…"
	}
	return action{name: a.name, text: strings.Clone(text)}
}
