package inspect

import (
	"bytes"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"rollbook/internal/rollout"
)

// A logbook writes down what a handler is given of one part.
type logbook struct {
	part  part
	lines []string
}

func (l *logbook) Record(r *Record) error {
	if l.part == records {
		l.lines = append(l.lines, fmt.Sprintf("%d %q %q %q %q %q", r.Line, r.Type, r.ItemType, r.ID, r.Session, r.Turn))
	}
	return nil
}

func (l *logbook) Event(e *Event) error {
	if l.part == events {
		r := e.Record
		l.lines = append(l.lines, fmt.Sprintf("%d/%d %v %v %q %q %q %q %q %q, %q %q %q %q %q", e.Line, e.Block, e.Role, e.Kind, e.Text,
			e.Timestamp, e.Phase, e.ToolID, e.ToolName, e.ToolNamespace, r.Type, r.ItemType, r.ID, r.Session, r.Turn))
	}
	return nil
}

func (l *logbook) Diagnostic(d *Diagnostic) error {
	if l.part == diagnostics {
		l.lines = append(l.lines, fmt.Sprintf("%d/%d %s", d.Line, d.Block, d.Code))
	}
	return nil
}

// A tape gives back what it was given, part by part, whatever crosses the
// borders of its chunks.
func TestTape(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var tp tape
		books := []*logbook{{part: records}, {part: events}, {part: diagnostics}}
		all := tee{&tp, books[0], books[1], books[2]}
		give := func(what string) rollout.Raw {
			switch rapid.IntRange(0, 49).Draw(t, what) {
			case 0, 1, 2, 4, 5, 6, 7, 8:
				return nil
			case 3:
				return bytes.Repeat([]byte{byte('a' + rapid.IntRange(0, 25).Draw(t, "letter"))}, rapid.IntRange(1, chunkSize+chunkSize/2).Draw(t, "long"))
			}
			return rollout.Raw(rapid.SampledFrom([]string{`""`, `"a"`, `"b"`, `"some text"`}).Draw(t, "short"))
		}
		line := 0
		for range rapid.IntRange(0, 12).Draw(t, "lines") {
			line += rapid.IntRange(1, 300).Draw(t, "apart")
			place := Place{Line: line}
			if rapid.Bool().Draw(t, "record") {
				r := Record{Place: place, Type: rollout.Raw(`"t"`), ItemType: give("item"), ID: give("id"), Session: give("session"), Turn: give("turn")}
				all.Record(&r)
				for range rapid.IntRange(0, 3).Draw(t, "events") {
					all.Event(&Event{Record: &r, Block: rapid.IntRange(0, 1000).Draw(t, "block"), Role: Role(rapid.IntRange(0, int(Tool)).Draw(t, "role")),
						Kind: Kind(rapid.IntRange(0, int(Checkpoint)).Draw(t, "kind")), Text: append(rollout.Raw(`"`), append(give("text"), '"')...),
						Timestamp: give("time"), Phase: give("phase"), ToolID: give("call"), ToolName: give("name"), ToolNamespace: give("namespace")})
				}
			}
			for range rapid.IntRange(0, 4).Draw(t, "diagnostics") {
				d := Diagnostic{Place: place, Code: rapid.SampledFrom(codes[:]).Draw(t, "code"), Block: rapid.IntRange(0, 3).Draw(t, "block")}
				if rapid.IntRange(0, 9).Draw(t, "of the file") == 0 {
					d.Line, d.Block = 0, 0
				}
				all.Diagnostic(&d)
			}
		}
		for _, book := range books {
			got := logbook{part: book.part}
			if err := tp.replay(book.part, &got); err != nil {
				t.Fatal(err)
			}
			if len(got.lines) != len(book.lines) {
				t.Fatalf("part %d: %d entries, want %d", book.part, len(got.lines), len(book.lines))
			}
			for i := range got.lines {
				if got.lines[i] != book.lines[i] {
					t.Fatalf("part %d, entry %d:\n%.200s, want\n%.200s", book.part, i, got.lines[i], book.lines[i])
				}
			}
		}
	})
}

// A byte of the file costs no more than about a byte of tape, for the files
// that are made to cost most.
func TestTapeIsSmall(t *testing.T) {
	const size = 1 << 20
	fill := func(head, unit, tail string) string {
		n := (size - len(head) - len(tail)) / len(unit)
		return head + string(bytes.Repeat([]byte(unit), n)) + tail
	}
	content := `{"timestamp":"` + rowTime + `","type":"response_item","payload":{"type":"message","role":"user","name":"n","content":[`
	for name, log := range map[string]string{
		"lines that are no JSON": fill("", "x\n", ""),
		"minimal records":        fill("", `{"type":"","payload":{}}`+"\n", ""),
		"omitted blocks":         fill(content, "0,", `0]}}`),
		"empty events":           fill(content, `{"type":"input_text","text":""},`, `0]}}`),
		"omitted between events": fill(content, `{"type":"input_text","text":""},0,`, `0]}}`),
		"one text":               fill(content+`{"type":"input_text","text":"`, "a", `"}]}}`),
		"changing turns":         fill("", row("turn_context", `{"turn_id":"a"}`)+"\n"+row("turn_context", `{"turn_id":"b"}`)+"\n", ""),
	} {
		t.Run(name, func(t *testing.T) {
			var j JSON
			src := must(OpenStream(bytes.NewReader([]byte(log)), "-", DefaultLimits))
			if _, err := Run(t.Context(), src, &j); err != nil {
				t.Fatal(err)
			}
			if n := len(j.chunks) * chunkSize; n > size+size/4+chunkSize {
				t.Errorf("%d bytes of tape for %d bytes", n, len(log))
			}
		})
	}
}
