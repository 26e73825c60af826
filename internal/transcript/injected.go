package transcript

import (
	"strings"
	"unicode"
)

// injectedTags are the tags that open a block which Codex or a client put among
// the user's items (docs/format/rollout.md, "Injected items"). This is the one
// list: every command that tells prompts from context asks Injected.
var injectedTags = [...]string{
	"recommended_plugins",
	"environment_context",
	"permissions instructions",
	"skill",
	"turn_aborted",
	"in-app-browser-context",
	"app-context",
	"user_instructions",
	"agents_md",
	"pending_input",
	"codex_internal_context",
	"user_shell_context",
	"user_shell_command",
	"user_action",
	"subagent_notification",
	"request_id",
	"model",
	"end_of_conversation",
	"turn_id",
	"instructions",
}

const agentsHeading = "# AGENTS.md instructions"

// Injected reports whether a block of a user item opens as injected context
// does: after white space and without regard to case, with "<", a tag of the
// list, and a space or ">"; or with the heading of AGENTS.md, alone on its line
// or followed by " for " and a path.
//
// It judges one block by its opening alone, so it comes last: content_item_kinds
// and a matching presentation event, where there is one, decide before it. A
// message of several blocks is judged block by block.
func Injected(block string) bool {
	s := trimSpaceLeft(block)
	if tag, ok := strings.CutPrefix(s, "<"); ok {
		for _, name := range injectedTags {
			if rest, ok := cutPrefixFold(tag, name); ok && rest != "" && (rest[0] == ' ' || rest[0] == '>') {
				return true
			}
		}
		return false
	}
	rest, ok := cutPrefixFold(s, agentsHeading)
	if !ok {
		return false
	}
	line, _, _ := strings.Cut(rest, "\n")
	if strings.TrimSpace(line) == "" {
		return true
	}
	_, ok = cutPrefixFold(line, " for ")
	return ok
}

func trimSpaceLeft(s string) string { return strings.TrimLeftFunc(s, unicode.IsSpace) }

// cutPrefixFold is strings.CutPrefix without regard to the case of an ASCII
// prefix.
func cutPrefixFold(s, prefix string) (rest string, ok bool) {
	if len(s) < len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}
