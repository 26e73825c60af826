package interchange

import (
	"iter"
	"time"

	"rollbook/internal/transcript"
)

func ref[T any](v T) *T { return &v }

// at gives a time of the sample, ms after its start.
func at(ms int) time.Time {
	return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC).Add(time.Duration(ms) * time.Millisecond)
}

func eventsOf(list []transcript.Event) iter.Seq2[*transcript.Event, error] {
	return func(yield func(*transcript.Event, error) bool) {
		for i := range list {
			if !yield(&list[i], nil) {
				return
			}
		}
	}
}

const sampleFile = "sessions/a.jsonl"

func place(line int, offset int64) transcript.Source {
	return transcript.Source{File: sampleFile, Line: line, Offset: offset}
}

// sampleEvents has an event of every kind; the format page shows it.
func sampleEvents() []transcript.Event {
	list := []transcript.Event{
		{Kind: transcript.TurnStart, Time: at(0), Model: "gpt-5", Source: place(2, 310)},
		{Kind: transcript.Context, Time: at(1), Role: "user", Text: "<environment_context>\n  <cwd>/home/ada/proj</cwd>\n</environment_context>", Source: place(3, 480)},
		{Kind: transcript.User, Time: at(2), Text: "# Context from my IDE setup:\n\n## Active file: a.go\n\n## My request for Codex:\nWhat is \"a.go\" for?\n", ItemID: "item-1", Source: place(5, 900),
			Images: []transcript.Image{
				{MediaType: "image/png", Bytes: 68, SHA256: "431ced6916a2a21a156e38701afe55bbd7f88969fbbfc56d7fe099d47f265460", Width: 1, Height: 1},
				{Name: "/home/ada/shot.png"},
			}},
		{Kind: transcript.Reasoning, Time: at(900), Text: "**Reading the file**", Source: place(6, 1200)},
		{Kind: transcript.ToolCall, Time: at(1000), Tool: "say", Namespace: "mcp__echo", CallID: "call_1", Arguments: `{"text":"tab\there"}`, Source: place(7, 1400)},
		{Kind: transcript.ToolResult, Time: at(1250), CallID: "call_1", Output: "tab\there", IsError: ref(false), ExitCode: ref(0), Duration: ref(250 * time.Millisecond), Source: place(8, 1600),
			Changes: []transcript.FileChange{{Path: "a.go", Kind: "update", Diff: "@@ -1 +1 @@\n-a\n+b\n"}}},
		{Kind: transcript.ToolCall, Time: at(1300), Tool: "shell", CallID: "call_2", Arguments: `{"command":["ls"]}`, Source: place(9, 1800)},
		{Kind: transcript.ToolResult, Time: at(1300), CallID: "call_2", Output: "no output was recorded", Origin: transcript.Synthetic},
		{Kind: transcript.Assistant, Time: at(2000), Text: "It says “hello”, then \u0000.", Phase: "final_answer", Origin: transcript.Recovered, Source: place(10, 2000)},
		{Kind: transcript.Usage, Time: at(2001), Model: "gpt-5", Usage: &transcript.TokenUsage{Input: 1200, CachedInput: 1000, Output: 40, ReasoningOutput: 16, Total: 1240}, Source: place(11, 2300)},
		{Kind: transcript.Compaction, Time: at(2100), Text: "the story so far", Source: place(12, 2500)},
		{Kind: transcript.Notice, Time: at(2200), Status: "abort", Text: "interrupted", Source: place(13, 2700)},
		{Kind: transcript.TurnEnd, Time: at(2300), Status: "aborted", Source: place(14, 2900)},
		{Kind: transcript.User, Text: "no time, inherited", Inherited: true, Source: place(15, 3100)},
	}
	for i := range list {
		list[i].Seq = i + 1
		if list[i].Kind != transcript.User || list[i].Time != (time.Time{}) {
			list[i].TurnID = "turn-1"
		}
	}
	return list
}

func sampleThread(list []transcript.Event) *transcript.Thread {
	return &transcript.Thread{
		Meta: transcript.Meta{
			ID: "t1", Title: "What a.go is for", TitleSource: "prompt", Project: "/home/ada/proj",
			Source: "cli", Originator: "codex_cli_rs", Provider: "openai",
			Models: []string{"gpt-5"}, Versions: []string{"0.140.0"},
			Created: at(0), Updated: at(2300), ForkedFrom: "t0", SessionID: "t1",
			Segments: []string{sampleFile}, Files: []string{sampleFile}, State: transcript.Complete,
			Counts: transcript.Counts{Turns: 1, UserMessages: 2, AssistantMessages: 1, ToolCalls: 2, Bytes: 3300, Files: 1},
		},
		Events: eventsOf(list),
	}
}

// emptyThread has nothing that a thread can lack.
func emptyThread() *transcript.Thread {
	return &transcript.Thread{Meta: transcript.Meta{ID: "t2"}, Events: eventsOf(nil)}
}
