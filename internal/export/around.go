package export

import (
	"fmt"
	"path"

	"rollbook/internal/transcript"
)

// around finds the turns around a line: the one that holds it, or where it
// lies between two turns, both. It reads the thread's events once.
func around(t *transcript.Thread, p Place) (Turns, string, error) {
	file, err := fileOf(&t.Meta, p.File)
	if err != nil {
		return Turns{}, "", err
	}
	below, above := edge{turn: -1}, edge{turn: -1}
	turns := newTracker()
	for ev, err := range t.Events {
		if err != nil {
			return Turns{}, "", err
		}
		turns.step(ev)
		switch line := ev.Source.Line; {
		case ev.Source.File != file:
		case line <= p.Line && line >= below.line:
			below = edge{line, turns.at.number}
		case line > p.Line && (above.turn < 0 || line < above.line):
			above = edge{line, turns.at.number}
		}
	}
	switch {
	case below.turn < 0 && above.turn < 0:
		return Turns{}, "", fmt.Errorf("nothing is shown of %s", file)
	case below.turn < 0:
		below = above
	case above.turn < 0 || below.line == p.Line:
		above = below
	}
	return TurnsBetween(min(below.turn, above.turn), max(below.turn, above.turn)), file, nil
}

// An edge is the event next to a line, by its own line and its turn.
type edge struct{ line, turn int }

// fileOf gives the file of a thread that a name means: the current one, or the
// one whose name ends so.
func fileOf(m *transcript.Meta, name string) (string, error) {
	if name == "" {
		if n := len(m.Segments); n > 0 {
			return m.Segments[n-1], nil
		}
		if n := len(m.Files); n > 0 {
			return m.Files[n-1], nil
		}
		return "", fmt.Errorf("its files are not known")
	}
	for _, list := range [][]string{m.Segments, m.Files} {
		for _, f := range list {
			if f == name || path.Base(f) == path.Base(name) {
				return f, nil
			}
		}
	}
	return "", fmt.Errorf("%s is none of its files", name)
}
