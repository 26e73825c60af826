package assemble

import (
	"testing"

	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// What other programs did to a line costs its bad bytes, not the line: it is
// read, said, and no loss.
func TestRepairedLines(t *testing.T) {
	l, files := inMemory([]byte(text("\ufeff"+meta(""), started("t"), userItem("a\xffb"), userEvent("a\xffb"),
		callLine("c", "shell", "{}"), outputLine("c", "\"\xc3\x28\""), answerEvent(`half \ud83d of it`), answerItem(`half \ud83d of it`), "{\"bad\": \xff}", completed("t"))))
	tally := new(diagnostics)
	l = l.with(tally.add, nil)
	r, all, texts := reading(t, l, lineThread, ReadOptions{})
	equal(t, "said", said(all), []string{"u: a\ufffdb", "a: half \ufffd of it"})
	if out := only(all, transcript.ToolResult); len(out) != 1 || out[0].Output != "\ufffd(" {
		t.Errorf("results %+v", out)
	}
	a := r.Files[0]
	if a.Repaired != 6 || a.InvalidJSON != 1 || a.MirroredUsers != 1 || r.Thread.Losses != 1 || inPlaces(&a) != 10 || texts["rollout.jsonl"] != string(files.text["rollout.jsonl"]) {
		t.Errorf("account %+v, %d losses", a, r.Thread.Losses)
	}
	var lines []int
	for _, d := range tally.all {
		if (d.Code == rollout.RepairedText && d.Line < 7 || d.Code == rollout.RepairedEscape && d.Line > 6) && d.Message != "" {
			lines = append(lines, d.Line)
		} else if d.Code != rollout.InvalidUTF8 || d.Line != 9 {
			t.Errorf("reported: %v", d)
		}
	}
	if len(lines) != 6 || lines[0] != 1 || lines[5] != 8 {
		t.Errorf("repaired lines %v", lines)
	}
	if _, twice := events(t, l, lineThread, transcript.Active); len(twice) != len(all) {
		t.Errorf("%d events, then %d", len(all), len(twice))
	}
}
