package rolltest

import "strings"

// Texts that Codex would put before a person's words. They are ours: only the
// tags are Codex's, because readers go by them.
const (
	baseInstructions = "You help ada with the code in this checkout. Look before you change, run the tests after, and say plainly what you did."
	permissionsText  = "<permissions instructions>\nCommands run without a sandbox and need no approval.\n</permissions instructions>"
	skillsText       = "<skills_instructions>\n## Skills\nNone are installed.\n</skills_instructions>"
	abortedText      = "<turn_aborted>\nThe turn was stopped before it was done.\n</turn_aborted>"
	summaryPrefix    = "Earlier work on this task, told in short:\n"
)

// header is the first line of a bare file.
func (r *Rollout) header() O {
	return O{
		"id", r.ID,
		"timestamp", r.created.Format(stamp),
		"instructions", orNull(r.Meta.Agents),
		"git", r.git(),
	}
}

// sessionMeta is the payload of the first line of every later file
// (docs/format/rollout.md, "generations").
func (r *Rollout) sessionMeta() O {
	v, m := r.Version, &r.Meta
	return O{
		"account_scoped", If(v >= V171, true),
		"session_id", If(v >= V147, r.sessionID()),
		"id", r.ID,
		"forked_from_id", If(m.forkedFrom != "" && v >= V101, m.forkedFrom),
		"forked_from_ordinal_exclusive", If(m.forkedFrom != "" && r.ordinals, m.forkedOrdinal),
		"parent_thread_id", If(m.parent != nil && v >= V140, r.parentID()),
		"timestamp", r.created.Format(stamp),
		"cwd", m.Cwd,
		"runtime_workspace_roots", If(v >= V156, A{m.Cwd}),
		"originator", m.Originator,
		"cli_version", m.CLI,
		"instructions", If(v <= V63, orNull(m.Agents)),
		"source", If(v >= V63, m.Source),
		"thread_source", r.threadSource(),
		"agent_nickname", If(m.nickname != "" && v >= V140, m.nickname),
		"model_provider", If(v >= V63, m.Provider),
		"base_instructions", If(v >= V101, O{
			"text", baseInstructions,
			"provenance", If(v >= V152, O{"type", "model", "model", m.Model}),
		}),
		"history_mode", If(v >= V147, r.historyMode()),
		"history_base", r.historyBase(),
		"subagent_history_start_ordinal", If(m.ownFromOrdinal > 0, m.ownFromOrdinal),
		"multi_agent_version", If(m.multiAgent != "" && v >= V140, m.multiAgent),
		"context_window", If(v >= V147, O{"window_id", r.count.firstWindow}),
		"git", r.git(),
	}
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// sessionID is the id of the family's root: a sub-agent shares it.
func (r *Rollout) sessionID() string {
	for r.Meta.parent != nil {
		r = r.Meta.parent
	}
	return r.ID
}

func (r *Rollout) parentID() string {
	if r.Meta.parent == nil {
		return ""
	}
	return r.Meta.parent.ID
}

func (r *Rollout) threadSource() any {
	switch {
	case r.Version < V140:
		return absent{}
	case r.Meta.parent != nil:
		return "subagent"
	case r.Meta.Source == "cli" || r.Meta.Source == "exec":
		return "user"
	default:
		return absent{}
	}
}

func (r *Rollout) historyMode() string {
	if r.ordinals {
		return "paginated"
	}
	return "legacy"
}

func (r *Rollout) historyBase() any {
	base := r.Meta.base
	if base == nil {
		return absent{}
	}
	id := base.file.ID
	if base.file.Segment != "" {
		id = base.file.Segment
	}
	return O{"thread_id", id, "end_ordinal_exclusive", base.ordinal, "end_byte_offset", base.offset}
}

func (r *Rollout) git() any {
	g := r.Meta.Git
	if g == nil {
		return absent{}
	}
	return O{"commit_hash", g.Commit, "branch", g.Branch, "repository_url", If(g.URL != "", g.URL)}
}

// MetaAgain writes the session_meta a second time, as a resumed thread may; it
// differs by memory_mode ("" leaves that out).
func (r *Rollout) MetaAgain(memoryMode string) *Rollout {
	o := r.sessionMeta()
	at := len(o) - 2 // memory_mode stands before git
	o = append(o[:at:at], "memory_mode", If(memoryMode != "", memoryMode), o[at], o[at+1])
	return r.Record("session_meta", o)
}

// writeContext writes the messages that open a thread: what the model is told
// about its surroundings. They are user and developer items without an event.
func (r *Rollout) writeContext() {
	r.contextDue = false
	switch v := r.Version; {
	case v == V20: // stores none
	case v <= V63:
		r.contextItem("user", r.agentsText())
		r.contextItem("user", r.environmentText())
	case v == V101:
		r.contextItem("developer", permissionsText)
		r.contextItem("user", r.agentsText())
		r.contextItem("user", r.environmentText())
	case v == V140:
		r.contextItem("developer", permissionsText, skillsText)
		r.contextItem("user", r.agentsText(), r.environmentText())
	default:
		r.contextItem("developer", skillsText, permissionsText)
		r.contextItem("user", r.agentsText(), r.environmentText())
		r.Record("world_state", O{"full", true, "state", r.worldState()})
	}
}

// contextItem writes one message of the given texts, empty ones left out.
func (r *Rollout) contextItem(role string, texts ...string) {
	var content, kinds, provenance A
	for _, text := range texts {
		if text == "" {
			continue
		}
		kind, from := contextKind(text)
		content = append(content, O{"type", "input_text", "text", text})
		kinds = append(kinds, kind)
		provenance = append(provenance, O{"provenance", from})
	}
	if len(content) == 0 {
		return
	}
	m := message{role: role, content: content, kinds: kinds, provenance: provenance, meta: contextMeta}
	if role == "developer" {
		m.meta = developerMeta
	}
	r.message(m)
}

// contextKind gives the name (from V152) and the origin (V171) of a text.
func contextKind(text string) (kind string, provenance O) {
	harness := O{"type", "harness", "hook", false}
	switch {
	case strings.HasPrefix(text, "<skills"):
		return "host_skills.instructions", O{"type", "skills"}
	case strings.HasPrefix(text, "<permissions"):
		return "permissions.instructions", harness
	case strings.HasPrefix(text, "# AGENTS.md"):
		return "agents_md.instructions", O{"type", "agents_md"}
	case strings.HasPrefix(text, "<turn_aborted"):
		return "generic.turn_aborted", harness
	case strings.HasPrefix(text, "<subagent_notification"):
		return "multi_agent.subagent_notification", O{"type", "tool", "namespace", "multi_agent_v1"}
	default:
		return "environments.environment_context", harness
	}
}

func (r *Rollout) agentsText() string {
	switch {
	case r.Meta.Agents == "":
		return ""
	case r.Version == V36:
		return "<user_instructions>\n\n" + r.Meta.Agents + "\n\n</user_instructions>"
	default:
		return "# AGENTS.md instructions for " + r.Meta.Cwd + "\n\n<INSTRUCTIONS>\n" + r.Meta.Agents + "\n</INSTRUCTIONS>"
	}
}

func (r *Rollout) environmentText() string {
	text := "<environment_context>\n  <cwd>" + r.Meta.Cwd + "</cwd>\n"
	if r.Version <= V63 {
		text += "  <approval_policy>never</approval_policy>\n  <sandbox_mode>danger-full-access</sandbox_mode>\n  <network_access>enabled</network_access>\n"
	}
	text += "  <shell>bash</shell>\n"
	if r.Version >= V140 {
		text += "  <current_date>" + r.date() + "</current_date>\n  <timezone>" + r.timezone() + "</timezone>\n"
	}
	return text + "</environment_context>"
}

func (r *Rollout) date() string { return r.now.In(r.Meta.Zone).Format("2006-01-02") }

func (r *Rollout) timezone() string {
	if name := r.Meta.Zone.String(); name != "UTC" {
		return name
	}
	return "Etc/UTC"
}

func (r *Rollout) worldState() O {
	return O{
		"agents_md", O{},
		"apps_instructions", false,
		"environments", O{
			"environments", O{"local", O{"cwd", r.Meta.Cwd, "status", "available", "shell", "bash"}},
			"current_date", r.date(),
			"timezone", r.timezone(),
		},
		"environments_instructions", false,
		"git_attribution", false,
		"model", r.Meta.Model,
		"multi_agent_mode", O{},
		"plugins_instructions", false,
		"realtime", O{"active", false},
		"skills", O{"includeInstructions", true},
	}
}

// turnContext writes the settings of a turn; up to V101 of each response.
func (r *Rollout) turnContext() {
	v, m := r.Version, &r.Meta
	collaboration := O{"mode", "default", "settings", O{"model", m.Model, "reasoning_effort", nil, "developer_instructions", nil}}
	summary := "auto"
	if v >= V156 {
		summary = "none"
	}
	sandbox := O{"type", "danger-full-access"}
	if v == V36 {
		sandbox = O{"mode", "danger-full-access"}
	}
	r.Record("turn_context", O{
		"turn_id", If(v >= V101, r.turn.id),
		"root_turn_id", If(v >= V156, r.turn.root),
		"disabled_plugin_ids", If(v >= V156, A{}),
		"cwd", m.Cwd,
		"workspace_roots", If(v >= V140 && v < V171, A{m.Cwd}),
		"current_date", If(v >= V140 && v < V171, r.date()),
		"timezone", If(v >= V140 && v < V171, r.timezone()),
		"approval_policy", "never",
		"approvals_reviewer", If(v >= V147, "user"),
		"sandbox_policy", If(v < V171, sandbox),
		"permission_profile", If(v >= V140, O{"type", "disabled"}),
		"model", m.Model,
		"comp_hash", If(v >= V147, "2911"),
		"personality", If(v >= V101 && v < V156, "pragmatic"),
		"collaboration_mode", If(v >= V101, collaboration),
		"multi_agent_version", If(v >= V140, "v1"),
		"realtime_active", If(v >= V140, false),
		"summary", summary,
		"user_instructions", If(v == V101 && m.Agents != "", m.Agents),
		"truncation_policy", If(v == V101, O{"mode", "tokens", "limit", 10000}),
		"sandbox_policy", If(v >= V171, sandbox),
	})
}

// settingsApplied writes the settings that a fork, a segment or a resumed thread
// starts with (V147), and any thread (V171).
func (r *Rollout) settingsApplied() {
	v, m := r.Version, &r.Meta
	if v < V147 {
		return
	}
	r.Event(O{
		"type", "thread_settings_applied",
		"thread_id", If(v >= V152, r.ID),
		"thread_settings", O{
			"model", m.Model,
			"model_provider_id", m.Provider,
			"approval_policy", "never",
			"approvals_reviewer", "user",
			"requested_approvals_reviewer", If(v >= V171, "user"),
			"permission_profile", O{"type", "disabled"},
			"cwd", m.Cwd,
			"runtime_workspace_roots", If(v >= V156, A{m.Cwd}),
			"personality", If(v <= V152, "pragmatic"),
			"collaboration_mode", O{"mode", "default", "settings", O{"model", m.Model, "reasoning_effort", nil, "developer_instructions", nil}},
			"disabled_plugin_ids", If(v >= V156, A{}),
		},
	})
}
