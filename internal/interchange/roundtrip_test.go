package interchange

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"rollbook/internal/transcript"
)

// texts are strings as logs have them: any Unicode, much of it awkward.
var texts = rapid.Custom(func(t *rapid.T) string {
	runes := rapid.OneOf(rapid.Rune(), rapid.SampledFrom([]rune("\x00\x07\b\f\n\r\t\x1b\x7f\"\\/<>&\u0085\u2028\u2029\ufeff\ufffd🙂日 a")))
	s := string(rapid.SliceOfN(runes, 0, 40).Draw(t, "text"))
	if rapid.IntRange(0, 200).Draw(t, "long") == 200 {
		s += strings.Repeat("x\n", flushAt)
	}
	return s
})

var names = rapid.OneOf(rapid.Just(""), rapid.StringMatching(`[a-z0-9_./-]{1,12}`), texts)

var ids = rapid.StringMatching(`[a-z0-9-]{1,12}`)

// moments are times that a log can have, and none.
var moments = rapid.Custom(func(t *rapid.T) time.Time {
	if rapid.Bool().Draw(t, "none") {
		return time.Time{}
	}
	last := time.Date(2100, 12, 31, 23, 59, 59, 999e6, time.UTC).UnixMilli()
	return time.UnixMilli(rapid.Int64Range(0, last).Draw(t, "ms")).UTC()
})

func maybe[T any](t *rapid.T, g *rapid.Generator[T], label string) *T {
	if rapid.Bool().Draw(t, label+" given") {
		v := g.Draw(t, label)
		return &v
	}
	return nil
}

func listOf[T any](t *rapid.T, g *rapid.Generator[T], label string) []T {
	list := rapid.SliceOfN(g, 0, 3).Draw(t, label)
	if len(list) == 0 {
		return nil
	}
	return list
}

var images = rapid.Custom(func(t *rapid.T) transcript.Image {
	return transcript.Image{
		MediaType: names.Draw(t, "media type"),
		Bytes:     rapid.Int64Range(0, 1<<62).Draw(t, "bytes"),
		SHA256:    names.Draw(t, "sha256"),
		Width:     rapid.IntRange(0, 1<<31-1).Draw(t, "width"),
		Height:    rapid.IntRange(0, 1<<31-1).Draw(t, "height"),
		Name:      names.Draw(t, "name"),
	}
})

var changes = rapid.Custom(func(t *rapid.T) transcript.FileChange {
	return transcript.FileChange{Path: texts.Draw(t, "path"), Kind: names.Draw(t, "kind"), Moved: names.Draw(t, "moved"), Diff: texts.Draw(t, "diff")}
})

var usages = rapid.Custom(func(t *rapid.T) transcript.TokenUsage {
	n := rapid.Int64Range(0, maxCounter)
	return transcript.TokenUsage{
		Input: n.Draw(t, "input"), CachedInput: n.Draw(t, "cached"), Output: n.Draw(t, "output"),
		ReasoningOutput: n.Draw(t, "reasoning"), Total: n.Draw(t, "total"),
	}
})

// drawEvent makes an event that has what its kind can have.
func drawEvent(t *rapid.T, view transcript.View, seq int) transcript.Event {
	ev := transcript.Event{
		Seq:       seq,
		Kind:      transcript.Kind(rapid.IntRange(int(transcript.TurnStart), int(transcript.Usage)).Draw(t, "kind")),
		Time:      moments.Draw(t, "time"),
		TurnID:    names.Draw(t, "turn"),
		Origin:    transcript.Origin(rapid.IntRange(0, 2).Draw(t, "origin")),
		Inherited: rapid.Bool().Draw(t, "inherited"),
		ItemID:    names.Draw(t, "item"),
		Model:     names.Draw(t, "model"),
		Changes:   listOf(t, changes, "changes"),
	}
	if rapid.Bool().Draw(t, "placed") {
		ev.Source = transcript.Source{File: texts.Draw(t, "file"), Line: rapid.IntRange(1, 1<<31-1).Draw(t, "line"), Offset: rapid.Int64Range(0, 1<<62).Draw(t, "offset")}
	}
	if view == transcript.Physical {
		ev.RolledBack = rapid.Bool().Draw(t, "rolled back")
	}
	if hasText(ev.Kind) {
		ev.Text, ev.Phase = texts.Draw(t, "text"), names.Draw(t, "phase")
	}
	switch ev.Kind {
	case transcript.TurnEnd, transcript.Notice:
		ev.Status = names.Draw(t, "status")
	case transcript.User, transcript.Assistant:
		ev.Images = listOf(t, images, "images")
	case transcript.Context:
		ev.Images, ev.Role = listOf(t, images, "images"), names.Draw(t, "role")
	case transcript.ToolCall:
		ev.Tool, ev.Namespace = names.Draw(t, "tool"), names.Draw(t, "namespace")
		ev.CallID, ev.Arguments = ids.Draw(t, "call"), texts.Draw(t, "arguments")
	case transcript.ToolResult:
		ev.CallID, ev.Output = ids.Draw(t, "call"), texts.Draw(t, "output")
		ev.IsError = maybe(t, rapid.Bool(), "error")
		ev.ExitCode = maybe(t, rapid.IntRange(-1<<31, 1<<31-1), "exit")
		if ms := maybe(t, rapid.Int64Range(0, 1<<40), "duration"); ms != nil {
			ev.Duration = ref(time.Duration(*ms) * time.Millisecond)
		}
		ev.Images = listOf(t, images, "images")
	case transcript.Usage:
		ev.Usage = maybe(t, usages, "usage")
	}
	return ev
}

func drawThread(t *rapid.T) (*transcript.Thread, []transcript.Event) {
	n := rapid.IntRange(0, 1<<31-1)
	th := &transcript.Thread{
		Meta: transcript.Meta{
			ID: ids.Draw(t, "id"), Title: names.Draw(t, "title"), TitleSource: names.Draw(t, "title source"),
			Project: names.Draw(t, "project"), Source: names.Draw(t, "source"), Originator: names.Draw(t, "originator"),
			Provider: names.Draw(t, "provider"), Models: listOf(t, names, "models"), Versions: listOf(t, names, "versions"),
			Created: moments.Draw(t, "created"), Updated: moments.Draw(t, "updated"), ParentID: names.Draw(t, "parent"),
			ForkedFrom: names.Draw(t, "fork"), SessionID: names.Draw(t, "session"), Archived: rapid.Bool().Draw(t, "archived"),
			Segments: listOf(t, names, "segments"), Files: listOf(t, names, "files"), State: transcript.State(names.Draw(t, "state")),
			Counts: transcript.Counts{
				Turns: n.Draw(t, "turns"), UserMessages: n.Draw(t, "users"), AssistantMessages: n.Draw(t, "assistants"),
				ToolCalls: n.Draw(t, "calls"), Bytes: rapid.Int64Range(0, 1<<62).Draw(t, "bytes"), Files: n.Draw(t, "count"),
			},
			Losses: n.Draw(t, "losses"),
		},
		View: transcript.View(rapid.IntRange(0, 2).Draw(t, "view")),
	}
	list := make([]transcript.Event, rapid.IntRange(0, 4).Draw(t, "events"))
	for i := range list {
		list[i] = drawEvent(t, th.View, i+1)
	}
	th.Events = eventsOf(list)
	return th, list
}

// TestEventsRoundTrip writes threads and reads them back equal (L3), and writes
// what was read to the same bytes (L1).
func TestEventsRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		th, want := drawThread(r)
		text := writeEvents(t, th, emptyThread())
		if n := strings.Count(text, "\n"); n != len(want)+2 {
			r.Fatalf("%d lines, want %d", n, len(want)+2)
		}
		list, found := readEvents(t, strings.NewReader(text), Options{})
		if len(found) > 0 || len(list) != len(want)+2 {
			r.Fatalf("%d lines read, %v", len(list), found)
		}
		th.Events = nil
		if diff := cmp.Diff(th, list[0].Thread); diff != "" {
			r.Fatalf("thread (-want +got):\n%s", diff)
		}
		got := make([]transcript.Event, 0, len(want))
		for _, l := range list[1 : len(list)-1] {
			if l.ThreadID != th.ID || l.Thread != nil {
				r.Fatalf("an event of %q: %v", l.ThreadID, l.Thread)
			}
			got = append(got, *l.Event)
		}
		if diff := cmp.Diff(want, got[:len(want):len(want)]); diff != "" && len(want) > 0 {
			r.Fatalf("events (-want +got):\n%s", diff)
		}
		again := list[0].Thread
		again.Events = eventsOf(got)
		if writeEvents(t, again, emptyThread()) != text {
			r.Fatal("what was read is written otherwise")
		}
	})
}

// normalizedOf is what the normalized format keeps of an event.
func normalizedOf(th *transcript.Thread, ev transcript.Event) (rec NormalizedRecord, ok bool) {
	rec = NormalizedRecord{ThreadID: th.ID, Project: th.Project, Event: transcript.Event{
		Kind: ev.Kind, Time: ev.Time, TurnID: ev.TurnID, Origin: ev.Origin, Inherited: ev.Inherited, Source: ev.Source, Text: ev.Text,
	}}
	switch ev.Kind {
	case transcript.User:
		rec.Judged = true
	case transcript.Context:
		rec.Judged, rec.Event.Role = true, "user"
		if ev.Role != "" && ev.Role != "user" {
			return rec, false
		}
	case transcript.Assistant:
	case transcript.ToolCall:
		rec.Event.Tool, rec.Event.Arguments = ev.Tool, ev.Arguments
		if ev.Namespace != "" {
			rec.Event.Tool = ev.Namespace + "." + ev.Tool
		}
	default:
		return rec, false
	}
	return rec, rec.Event.Text != "" || rec.Event.Tool != "" || rec.Event.Arguments != ""
}

// TestNormalizedRoundTrip writes threads and reads back what the format keeps
// of them (L3).
func TestNormalizedRoundTrip(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		th, events := drawThread(r)
		var want []NormalizedRecord
		for _, ev := range events {
			if rec, ok := normalizedOf(th, ev); ok {
				want = append(want, rec)
			}
		}
		list, found := readNormalized(t, strings.NewReader(writeNormalized(t, NormalizedOptions{All: true}, th)), Options{})
		for _, d := range found {
			if d.Code != Empty {
				r.Fatal(d)
			}
		}
		for i := range list {
			list[i].Position.Line, list[i].Position.Offset = 0, 0
		}
		if diff := cmp.Diff(want, list); diff != "" {
			r.Fatalf("(-want +got):\n%s", diff)
		}
	})
}
