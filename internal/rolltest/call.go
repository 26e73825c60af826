package rolltest

import (
	"fmt"
	"strings"
)

// A Call is a tool call that may get an output. One without stays as a killed or
// interrupted call does.
type Call struct {
	ID     string
	r      *Rollout
	custom bool
}

// Call writes a function call; args is an O or the text of its arguments.
func (r *Rollout) Call(name string, args any) *Call { return r.CallIn("", name, args) }

// CallIn writes a function call of a namespace, which the version spells as it
// does: up to V101 it is part of the name.
func (r *Rollout) CallIn(namespace, name string, args any) *Call {
	text, isText := args.(string)
	if !isText {
		text = args.(O).String()
	}
	if namespace != "" && r.Version <= V101 && strings.HasPrefix(namespace, "mcp__") {
		name, namespace = namespace+"__"+name, ""
	}
	r.respond(len(text) + 40)
	r.tick(100, 1500)
	c := &Call{ID: r.id("call"), r: r}
	v, id := r.Version, r.id("fc")
	r.hold(func() {
		r.item(O{
			"type", "function_call",
			"status", If(v >= V171, "completed"),
			"id", If(v == V20 || v >= V147, id),
			"name", name,
			"namespace", If(namespace != "" && v >= V140, namespace),
			"arguments", text,
			"call_id", c.ID,
			"internal_chat_message_metadata_passthrough", r.passthrough(false, nil, nil),
		}, r.metadata(callMeta, id, ""))
	})
	return c
}

// CustomCall writes a call whose input is plain text: apply_patch, or exec in
// code mode (V63 on).
func (r *Rollout) CustomCall(name, input string) *Call {
	r.need(V63, "CustomCall")
	r.respond(len(input) + 40)
	r.tick(200, 3000)
	c := &Call{ID: r.id("call"), r: r, custom: true}
	id := r.id("ctc")
	r.hold(func() {
		r.item(O{
			"type", "custom_tool_call",
			"id", If(r.Version >= V147, id),
			"status", "completed",
			"call_id", c.ID,
			"name", name,
			"input", input,
			"internal_chat_message_metadata_passthrough", r.passthrough(false, nil, nil),
		}, r.metadata(plainMeta, id, ""))
	})
	return c
}

// Output writes the call's output, a string or an A of content parts, and ends
// the model's response.
func (c *Call) Output(out any) *Rollout {
	r := c.r
	r.endResponse()
	r.tick(20, 900)
	typ, prefix := "function_call_output", "fco"
	if c.custom {
		typ, prefix = "custom_tool_call_output", "ctco"
	}
	return r.item(O{
		"type", typ,
		"id", If(r.Version >= V147, r.ownID(prefix)),
		"call_id", c.ID,
		"output", out,
		"internal_chat_message_metadata_passthrough", r.passthrough(true, nil, nil),
	}, r.metadata(outputMeta, "", ""))
}

// Shell writes a shell command that ran to its end: the call under the name and
// with the arguments of the version, the CommandExecution item of paginated
// threads (V152 on), and the output in the version's form.
func (r *Rollout) Shell(cmd, output string, exit int) *Rollout {
	c := r.ShellCall(cmd)
	r.endResponse()
	r.tick(20, 2500)
	if r.itemEvents && r.Version >= V152 {
		r.CommandExecution(c.ID, cmd, output, exit)
	}
	return c.Output(r.shellOutput(output, exit))
}

// ShellCall writes the call alone.
func (r *Rollout) ShellCall(cmd string) *Call {
	switch {
	case r.Version <= V36:
		return r.Call("shell", O{"command", A{"bash", "-lc", cmd}, "timeout_ms", 20000})
	case r.Version == V63:
		return r.Call("shell_command", O{"command", cmd, "timeout_ms", 20000})
	default:
		return r.Call("exec_command", O{"cmd", cmd, "yield_time_ms", 10000})
	}
}

func (r *Rollout) shellOutput(output string, exit int) string {
	seconds := float64(r.rng.IntN(25000)) / 10000
	switch {
	case r.Version <= V36:
		return jsonOutput(output, exit, seconds)
	case r.Version == V63:
		return fmt.Sprintf("Exit code: %d\nWall time: %.1f seconds\nOutput:\n%s", exit, seconds, output)
	default:
		return fmt.Sprintf("Chunk ID: %s\nWall time: %.4f seconds\nProcess exited with code %d\nOriginal token count: %d\nOutput:\n%s",
			r.hex(3), seconds, exit, (len(output)+3)/4, output)
	}
}

// jsonOutput is how older versions store an output: JSON within a string.
func jsonOutput(output string, exit int, seconds float64) string {
	return O{"output", output, "metadata", O{"exit_code", exit, "duration_seconds", JSON(fmt.Sprintf("%.1f", seconds))}}.String()
}

// CommandExecution writes the item of a command of a paginated thread; id is the
// call's, or an ExecID in code mode.
func (r *Rollout) CommandExecution(id, cmd, output string, exit int) *Rollout {
	return r.ItemCompleted(r.commandItem(id, cmd, output, exit))
}

func (r *Rollout) commandItem(id, cmd, output string, exit int) O {
	status := "completed"
	if exit != 0 {
		status = "failed"
	}
	old := r.Version < V171
	return O{
		"type", "CommandExecution",
		"id", id,
		"process_id", fmt.Sprint(4000 + r.rng.IntN(60000)),
		"command", A{"/bin/bash", "-lc", cmd},
		"cwd", "file://" + r.Meta.Cwd,
		"parsed_cmd", A{O{"type", "unknown", "cmd", cmd}},
		"source", "unified_exec_startup",
		"status", status,
		"stdout", If(old, output),
		"stderr", If(old, ""),
		"aggregated_output", output,
		"exit_code", exit,
		"duration", r.duration(),
		"formatted_output", If(old, output),
	}
}

// ExecID gives the id of a command or patch that a code-mode script runs.
func (r *Rollout) ExecID() string { return "exec-" + r.uuid4() }

func (r *Rollout) duration() O {
	return O{"secs", r.rng.IntN(3), "nanos", r.rng.IntN(1e9)}
}

// Script writes a code-mode script (V152 on): run, which may be nil, writes the
// items of what it did, by CommandExecution and FileChange with ids of ExecID.
func (r *Rollout) Script(js, output string, run func()) *Rollout {
	r.need(V152, "Script")
	c := r.CustomCall("exec", js)
	r.endResponse()
	if run != nil {
		run()
	}
	return c.Output(A{
		O{"type", "input_text", "text", "Script completed\nWall time 0.1 seconds\nOutput:\n"},
		O{"type", "input_text", "text", output},
	})
}

// Mcp writes a call of an MCP server's tool with a text result.
func (r *Rollout) Mcp(server, tool string, args O, result string) *Rollout {
	c := r.CallIn("mcp__"+server, tool, args)
	r.endResponse()
	r.tick(20, 600)
	content := A{O{"type", "text", "text", result}}
	switch {
	case r.itemEvents && r.Version >= V152:
		r.ItemCompleted(O{
			"type", "McpToolCall",
			"id", c.ID,
			"server", server,
			"tool", tool,
			"arguments", args,
			"readOnlyHint", true,
			"status", "completed",
			"result", O{"content", content},
			"duration", r.duration(),
		})
	case !r.itemEvents && r.Version >= V140:
		r.Event(O{
			"type", "mcp_tool_call_end",
			"call_id", c.ID,
			"invocation", O{"server", server, "tool", tool, "arguments", args},
			"duration", r.duration(),
			"result", O{"Ok", O{"content", content}},
		})
	}
	text := A{O{"type", "text", "text", result}}.String()
	if r.Version >= V140 {
		text = "Wall time: 0.0020 seconds\nOutput:\n" + text
	}
	return c.Output(text)
}

// need panics where the version does not know what is asked for.
func (r *Rollout) need(v Version, what string) {
	if r.Version < v {
		panic(fmt.Sprintf("rolltest: %s is not written by %s", what, r.Version))
	}
}
