package rolltest

import (
	"fmt"
	"strings"
)

// Patch writes an apply_patch that succeeds. The patch is in the tool's own
// form ("*** Begin Patch" …); its mirrors are made from it: the message, the
// changes of patch_apply_end (V140) or FileChange (V152, paginated).
func (r *Rollout) Patch(patch string) *Rollout {
	stdout := patchMessage(patch)
	if r.Version <= V36 {
		c := r.ShellCall("apply_patch <<'EOF'\n" + patch + "\nEOF")
		return c.Output(jsonOutput(stdout, 0, 0))
	}
	c := r.CustomCall("apply_patch", patch)
	r.endResponse()
	r.tick(5, 60)
	switch {
	case r.itemEvents && r.Version >= V152:
		r.FileChange(c.ID, patch)
	case !r.itemEvents && r.Version >= V140:
		r.Event(O{
			"type", "patch_apply_end",
			"call_id", c.ID,
			"turn_id", r.turn.id,
			"stdout", stdout,
			"stderr", "",
			"success", true,
			"changes", patchChanges(patch, r.Meta.Cwd),
			"status", "completed",
		})
	}
	if r.Version <= V101 {
		return c.Output(jsonOutput(stdout, 0, 0))
	}
	return c.Output("Exit code: 0\nWall time: 0 seconds\nOutput:\n" + stdout)
}

// FileChange writes the item of a patch of a paginated thread.
func (r *Rollout) FileChange(id, patch string) *Rollout {
	return r.ItemCompleted(O{
		"type", "FileChange",
		"id", id,
		"changes", patchChanges(patch, r.Meta.Cwd),
		"status", "completed",
		"stdout", patchMessage(patch),
		"stderr", "",
	})
}

// filePatch is what a patch does to one file.
type filePatch struct {
	mark byte // A, M or D
	path string
	body []string
}

func parsePatch(patch string) (files []filePatch) {
	verbs := []struct {
		prefix string
		mark   byte
	}{{"*** Add File: ", 'A'}, {"*** Update File: ", 'M'}, {"*** Delete File: ", 'D'}}
lines:
	for line := range strings.Lines(patch) {
		line = strings.TrimSuffix(line, "\n")
		for _, verb := range verbs {
			if path, ok := strings.CutPrefix(line, verb.prefix); ok {
				files = append(files, filePatch{mark: verb.mark, path: path})
				continue lines
			}
		}
		if len(files) > 0 && !strings.HasPrefix(line, "***") {
			last := &files[len(files)-1]
			last.body = append(last.body, line)
		}
	}
	if len(files) == 0 {
		panic(fmt.Sprintf("rolltest: no file in patch %q", patch))
	}
	return files
}

func patchMessage(patch string) string {
	text := "Success. Updated the following files:\n"
	for _, f := range parsePatch(patch) {
		text += string(f.mark) + " " + f.path + "\n"
	}
	return text
}

func patchChanges(patch, cwd string) O {
	var changes O
	for _, f := range parsePatch(patch) {
		change := O{"type", "delete", "content", ""}
		switch f.mark {
		case 'A':
			change = O{"type", "add", "content", addedText(f.body)}
		case 'M':
			change = O{"type", "update", "unified_diff", unifiedDiff(f.body), "move_path", nil}
		}
		changes = append(changes, cwd+"/"+f.path, change)
	}
	return changes
}

func addedText(body []string) string {
	var b strings.Builder
	for _, line := range body {
		b.WriteString(strings.TrimPrefix(line, "+") + "\n")
	}
	return b.String()
}

// unifiedDiff turns the hunks of a patch into a unified diff. A hunk stands
// right after the one before it, as nothing tells the lines between.
func unifiedDiff(body []string) string {
	var b strings.Builder
	from, to := 1, 1
	for len(body) > 0 {
		body = body[1:] // the line that opens the hunk, "@@ …"
		n := 0
		for n < len(body) && !strings.HasPrefix(body[n], "@@") {
			n++
		}
		removed, added := 0, 0
		for _, line := range body[:n] {
			switch line[:min(1, len(line))] {
			case "-":
				removed++
			case "+":
				added++
			default:
				removed++
				added++
			}
		}
		fmt.Fprintf(&b, "@@ -%d,%d +%d,%d @@\n%s\n", from, removed, to, added, strings.Join(body[:n], "\n"))
		from, to = from+removed, to+added
		body = body[n:]
	}
	return b.String()
}
