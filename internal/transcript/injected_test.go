package transcript

import (
	"strings"
	"testing"
)

// TestInjectedTags holds the list to the names as the format page gives them.
func TestInjectedTags(t *testing.T) {
	names := strings.Split("recommended_plugins, environment_context, permissions instructions, skill, turn_aborted, "+
		"in-app-browser-context, app-context, user_instructions, agents_md, pending_input, codex_internal_context, "+
		"user_shell_context, user_shell_command, user_action, subagent_notification, request_id, model, "+
		"end_of_conversation, turn_id, instructions", ", ")
	if len(names) != len(injectedTags) {
		t.Errorf("the list has %d tags, want %d", len(injectedTags), len(names))
	}
	for _, name := range names {
		for _, block := range []string{
			"<" + name + ">",
			"<" + name + ">\nbody\n</" + name + ">",
			"<" + name + ` source="x">body`,
			" \t\r\n\u00a0<" + name + ">body",
			"<" + strings.ToUpper(name) + ">body",
			"\n<" + strings.ToUpper(name[:1]) + name[1:] + " a>body",
		} {
			if !Injected(block) {
				t.Errorf("Injected(%q) = false", block)
			}
		}
		for _, block := range []string{
			"<" + name,
			"<" + name + "\n>",
			"<" + name + "/>",
			"<" + name + "s>body",
			"<x" + name + ">body",
			"< " + name + ">body",
			"</" + name + ">",
			name + ">body",
			"`<" + name + ">` is what I mean",
			"what does <" + name + "> do?",
			"\u200b<" + name + ">body", // a zero width space is no white space
		} {
			if Injected(block) {
				t.Errorf("Injected(%q) = true", block)
			}
		}
	}
}

func TestInjected(t *testing.T) {
	tests := []struct {
		block string
		want  bool
	}{
		{"", false},
		{" \n", false},
		{"<", false},
		{"fix the tests", false},
		{"<skills>list</skills>", false},
		{"<modeling>", false},
		{"<image name=[Image #1]>", false},
		{"<user_instruction>", false},
		{"<environment-context>", false},
		{"<\u017fkill>", false}, // folds to an s, but is none
		{"<permissions_instructions>", false},

		{"# AGENTS.md instructions", true},
		{"# AGENTS.md instructions\n\n<INSTRUCTIONS>\nbe brief\n</INSTRUCTIONS>", true},
		{"# AGENTS.md instructions\r\nbe brief", true},
		{"# AGENTS.md instructions  \nbe brief", true},
		{"# AGENTS.md instructions for /home/ada/x\n\nbe brief", true},
		{"\n\t# AGENTS.md instructions for C:\\x y", true},
		{"# agents.MD Instructions for /x", true},
		{"# AGENTS.md instructions are out of date, rewrite them", false},
		{"# AGENTS.md instructions: rewrite them", false},
		{"# AGENTS.md instructionsx", false},
		{"# AGENTS.md instruction", false},
		{"## AGENTS.md instructions", false},
		{"AGENTS.md instructions for /x", false},
		{"see # AGENTS.md instructions for /x", false},
	}
	for _, tt := range tests {
		if got := Injected(tt.block); got != tt.want {
			t.Errorf("Injected(%q) = %v, want %v", tt.block, got, tt.want)
		}
	}
}
