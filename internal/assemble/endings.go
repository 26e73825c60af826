package assemble

import (
	"strings"

	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// readEnding gives what a completion says. The tool's name is the one that the
// model calls such work by, so that a command has one name wherever it is
// recorded.
func (e *emitter) readEnding(p rollout.Payload) *ending {
	switch p := p.(type) {
	case *rollout.CommandExecution:
		return commandEnding(p)
	case *rollout.Fragment:
		return commandEnding(&p.CommandExecution)
	case *rollout.FileChange:
		return patchEnding(p)
	case *rollout.MCPToolCall:
		return e.mcpEnding(p)
	case *rollout.DynamicToolCall:
		return e.dynamicEnding(p)
	case *rollout.WebSearch:
		return &ending{tool: "web_search", arguments: webText(p)}
	case *rollout.ImageView:
		return &ending{tool: "view_image", arguments: p.Path}
	case *rollout.ImageGeneration:
		return &ending{tool: "image_generation", arguments: p.Prompt.String(), images: e.generated(p)}
	case *rollout.CollabCall:
		return collabEnding(p)
	case *rollout.ToolOutput:
		return &ending{tool: orElse(p.Name, noCall), namespace: p.Namespace, output: orElse(p.Output.String(), p.Blocks.Text())}
	}
	return &ending{tool: p.Type().String()}
}

func commandEnding(p *rollout.CommandExecution) *ending {
	end := &ending{tool: "exec_command", arguments: string(p.Command), output: p.Output.String()}
	if end.output == "" {
		end.output = orElse(p.Formatted.String(), p.Stdout.String()+p.Stderr.String())
	}
	if p.ExitCode.OK {
		code := int(p.ExitCode.Value)
		end.exit = &code
	}
	if p.Duration.OK {
		d := p.Duration.Value
		end.duration = &d
	}
	return end
}

// failure says whether a completion says that its call failed; nil where it says
// nothing.
func failure(p rollout.Payload) *bool {
	is := func(failed bool) *bool { return &failed }
	switch p := p.(type) {
	case *rollout.CommandExecution:
		switch {
		case p.Status == "failed" || p.Status == "declined":
			return is(true)
		case p.ExitCode.OK:
			return is(p.ExitCode.Value != 0)
		}
	case *rollout.FileChange:
		switch {
		case p.Success.OK:
			return is(!p.Success.Value)
		case p.Status != "":
			return is(p.Status != "completed")
		}
	case *rollout.MCPToolCall:
		if p.Result.OK || p.Error.OK() {
			return is(p.Result.IsError.Value || p.Error.OK())
		}
	case *rollout.DynamicToolCall:
		if p.Success.OK {
			return is(!p.Success.Value)
		}
	case *rollout.ItemCompleted:
		return failure(p.Item)
	}
	return nil
}

func patchEnding(p *rollout.FileChange) *ending {
	end := &ending{tool: "apply_patch", arguments: string(p.Changes), output: p.Stdout.String() + p.Stderr.String()}
	for c := range p.Changes.All() {
		change := transcript.FileChange{Path: c.Path.String(), Kind: c.Type, Moved: c.MovePath, Diff: c.Diff.String()}
		if change.Diff == "" {
			change.Diff = c.Content.String()
		}
		end.changes = append(end.changes, change)
	}
	return end
}

func (e *emitter) mcpEnding(p *rollout.MCPToolCall) *ending {
	end := &ending{tool: p.Tool, namespace: "mcp__" + p.Server, arguments: string(p.Arguments), output: e.blocksText(p.Result.Content)}
	end.images = e.images(p.Result.Content)
	if end.output == "" && len(p.Result.Structured) > 0 && !p.Result.Structured.IsNull() {
		end.output = string(p.Result.Structured)
	}
	if p.Error.OK() {
		end.output = p.Error.String()
	}
	if p.Duration.OK {
		d := p.Duration.Value
		end.duration = &d
	}
	return end
}

func (e *emitter) dynamicEnding(p *rollout.DynamicToolCall) *ending {
	end := &ending{tool: p.Tool, namespace: p.Namespace, arguments: string(p.Arguments), output: e.blocksText(p.Content), images: e.images(p.Content)}
	if p.Error.OK() {
		end.output = orElse(end.output, p.Error.String())
	}
	if p.Duration.OK {
		d := p.Duration.Value
		end.duration = &d
	}
	return end
}

// collabEnding gives what a call to or about sub-agents came to.
func collabEnding(p *rollout.CollabCall) *ending {
	end := &ending{tool: orElse(p.Tool, p.Type().String()), namespace: "collaboration", arguments: p.Prompt.String()}
	var lines []string
	for id, s := range p.States.All() {
		lines = append(lines, strings.TrimSpace(id+": "+s.Name+" "+s.Message.String()))
	}
	if len(lines) == 0 && p.Status.Name != "" {
		lines = append(lines, strings.TrimSpace(orElse(p.Receiver, p.Nickname)+": "+p.Status.Name+" "+p.Status.Message.String()))
	}
	end.output = strings.Join(lines, "\n")
	return end
}
