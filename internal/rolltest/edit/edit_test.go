package edit_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"rollbook/internal/rolltest"
	"rollbook/internal/rolltest/edit"
)

// written puts a short rollout of a version on disk, as old as the times in it.
func written(t *testing.T, v rolltest.Version, legacy bool) string {
	t.Helper()
	home := rolltest.NewHome(1)
	r := home.New(v, rolltest.Meta{Legacy: legacy})
	r.Turn("first words").Shell("make", "ok\n", 0).Assistant("second words").TurnComplete()
	r.Turn("third words").Assistant("last words").TurnComplete()
	return filepath.Join(home.Temp(t), filepath.FromSlash(r.Path()))
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func modified(t *testing.T, name string) time.Time {
	t.Helper()
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

// line is what every dialect has.
type line struct {
	Timestamp string
	Ordinal   *int
	Type      string
	Payload   struct{ Type string }
}

func lines(t *testing.T, text []byte) (list []line) {
	t.Helper()
	for row := range bytes.Lines(text) {
		var l line
		if err := json.Unmarshal(row, &l); err != nil {
			t.Fatalf("%v: %s", err, row)
		}
		list = append(list, l)
	}
	return list
}

// TestAppendTurn: in each dialect the turn goes on as the file does.
func TestAppendTurn(t *testing.T) {
	for _, v := range rolltest.Versions {
		name := written(t, v, false)
		before := read(t, name)
		for n := range 2 {
			if err := edit.AppendTurn(name, n); err != nil {
				t.Fatal(err)
			}
		}
		after := read(t, name)
		if !bytes.HasPrefix(after, before) || !bytes.Contains(after, []byte("prompt 1,")) || bytes.Contains(after, []byte("prompt 2,")) {
			t.Errorf("%s: %s", v, after[min(len(before), len(after)):])
		}
		all := lines(t, after)
		last := lines(t, before)[len(lines(t, before))-1]
		for _, l := range all[len(lines(t, before)):] {
			switch {
			case (l.Ordinal == nil) != (last.Ordinal == nil), l.Ordinal != nil && *l.Ordinal != *last.Ordinal+1,
				(l.Timestamp == "") != (v == rolltest.V20), l.Timestamp < last.Timestamp:
				t.Errorf("%s: %+v after %+v", v, l, last)
			}
			last = l
		}
	}
}

// TestAppendTurnRefuses: a file whose last line is not whole is not gone on with.
func TestAppendTurnRefuses(t *testing.T) {
	name := written(t, rolltest.V140, false)
	text := read(t, name)
	if err := os.WriteFile(name, text[:len(text)-3], 0o600); err != nil {
		t.Fatal(err)
	}
	if err := edit.AppendTurn(name, 1); err == nil {
		t.Error("appended")
	}
	if got := read(t, name); !bytes.Equal(got, text[:len(text)-3]) {
		t.Error("and changed")
	}
}

// TestByte: one byte is another, at the place that was asked for, and neither
// size nor time tell.
func TestByte(t *testing.T) {
	for place, part := range map[edit.Place]float64{edit.Start: 0, edit.Middle: .5, edit.End: .8} {
		name := written(t, rolltest.V140, false)
		before, at := read(t, name), modified(t, name)
		if err := edit.Byte(name, place); err != nil {
			t.Fatal(err)
		}
		after := read(t, name)
		lines(t, after)
		var where []int
		for i := range min(len(before), len(after)) {
			if before[i] != after[i] {
				where = append(where, i)
			}
		}
		if len(after) != len(before) || len(where) != 1 || float64(where[0]) < part*float64(len(before)) || place == edit.Start && where[0] > len(before)/2 || !modified(t, name).Equal(at) {
			t.Errorf("%d: bytes %v of %d", place, where, len(before))
		}
	}
}

// TestMoves: compressing and archiving keep content and time, and leave nothing
// at the old place.
func TestMoves(t *testing.T) {
	name := written(t, rolltest.V171, false)
	text, at := read(t, name), modified(t, name)
	archived, err := edit.Archive(name)
	if err != nil {
		t.Fatal(err)
	}
	compressed, err := edit.Compress(archived)
	if err != nil {
		t.Fatal(err)
	}
	dec, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer dec.Close()
	got, err := dec.DecodeAll(read(t, compressed), nil)
	if err != nil || !bytes.Equal(got, text) || !modified(t, compressed).Equal(at) {
		t.Errorf("%v, or another content or time", err)
	}
	if filepath.Base(filepath.Dir(compressed)) != "archived_sessions" || !strings.HasSuffix(compressed, filepath.Base(name)+".zst") {
		t.Error(compressed)
	}
	for _, old := range []string{name, archived} {
		if _, err := os.Stat(old); !os.IsNotExist(err) {
			t.Errorf("%s: %v", old, err)
		}
	}
	if _, err := edit.Archive(compressed); err == nil {
		t.Error("archived twice")
	}
}

// TestMigrate: every line has its ordinal, and messages are items.
func TestMigrate(t *testing.T) {
	name := written(t, rolltest.V140, true)
	before, at := lines(t, read(t, name)), modified(t, name)
	if err := edit.Migrate(name); err != nil {
		t.Fatal(err)
	}
	after := lines(t, read(t, name))
	if len(after) != len(before) || !modified(t, name).Equal(at) || !bytes.Contains(read(t, name), []byte(`"history_mode":"paginated"`)) {
		t.Errorf("%d lines of %d", len(after), len(before))
	}
	items := 0
	for i, l := range after {
		if l.Ordinal == nil || *l.Ordinal != i || l.Payload.Type == "user_message" || l.Payload.Type == "agent_message" {
			t.Errorf("line %d: %+v", i+1, l)
		}
		if l.Payload.Type == "item_completed" {
			items++
		}
	}
	if items != 4 {
		t.Errorf("%d items", items)
	}
	if err := edit.Migrate(name); err == nil {
		t.Error("migrated twice")
	}
}
