package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"rollbook/internal/confine"
	"rollbook/internal/dsh"
)

// dshPeer stands in for the harness where it is asked to resume a session: it
// answers as dsh --profile acp is recorded to (docs/dsh.md), and knows the
// sessions of its DSH_HOME.
func dshPeer() {
	if !slices.Equal(os.Args[1:], []string{"--profile", "acp"}) {
		fmt.Fprintln(os.Stderr, "usage: dsh --profile acp")
		os.Exit(2)
	}
	say := func(v any) {
		line, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s\n", line)
	}
	type object = map[string]any
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				SessionID string
				Cwd       string
				Prompt    []struct{ Text string }
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			panic(err)
		}
		var result any
		switch m.Method {
		case "initialize":
			result = object{"protocolVersion": 1, "agentInfo": object{"name": "dsh", "version": "0.0-peer"}}
		case "session/list":
			result = object{"sessions": peerSessions(m.Params.Cwd)}
		case "session/resume":
			result = object{"configOptions": []any{}}
		case "session/prompt":
			say(object{"jsonrpc": "2.0", "method": "session/update", "params": object{"sessionId": m.Params.SessionID,
				"update": object{"sessionUpdate": "agent_message_chunk", "content": object{"type": "text", "text": "heard: " + m.Params.Prompt[0].Text}}}})
			result = object{"stopReason": "end_turn"}
		case "session/close":
			result = object{}
		}
		say(object{"jsonrpc": "2.0", "id": m.ID, "result": result})
	}
}

// peerSessions are the sessions of a folder.
func peerSessions(cwd string) (list []any) {
	list = []any{}
	dir := filepath.Join(os.Getenv("DSH_HOME"), "sessions")
	root, err := confine.OpenRoot(dir)
	if err != nil {
		return list
	}
	defer root.Close()
	for row, err := range dsh.Audit(dsh.Root{FS: root, Path: dir}) {
		if err == nil && row.Cwd == cwd {
			list = append(list, map[string]any{"sessionId": row.ID, "cwd": row.Cwd})
		}
	}
	return list
}
