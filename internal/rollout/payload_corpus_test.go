package rollout

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rollbook/internal/corpustest"
)

// corpusRecords calls f with each record of each rollout of the corpus.
func corpusRecords(t testing.TB, f func(at string, rec *Record)) {
	t.Helper()
	for _, path := range corpustest.Rollouts(t) {
		src, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		text, err := Decompress(src, filepath.Base(path))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		r := NewReader(text, Options{Limits: Limits{Line: 64 << 20}})
		for rec, err := range r.Records() {
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			if rec.Kind == Item {
				f(fmt.Sprintf("%s:%d", path, rec.Line), rec)
			} else {
				t.Errorf("%s:%d: %s %s", path, rec.Line, rec.Code, rec.Message)
			}
		}
		text.Close()
		src.Close()
	}
}

// Every record of the corpus is of a known type and has no odd field, and its
// typed fields hold what a generic decoding of the line holds
// (docs/format/rollout.md R5, R9).
func TestCorpusPayloads(t *testing.T) {
	c := &comparer{seen: map[string]int{}}
	types := map[RecordType]int{}
	records := 0
	corpusRecords(t, func(at string, rec *Record) {
		if t.Failed() {
			return
		}
		records++
		p := Decode(&rec.Envelope, rec.Text)
		types[p.Type()]++
		if p.Type() != rec.Envelope.RecordType() {
			t.Errorf("%s: decoded as %v, envelope says %v", at, p.Type(), rec.Envelope.RecordType())
		}
		var line map[string]any
		if err := json.Unmarshal(rec.Text, &line); err != nil {
			t.Errorf("%s: %v", at, err)
		}
		payload := line
		if !rec.Envelope.Bare() {
			payload = line["payload"].(map[string]any)
		}
		c.payload(p, payload)
		if meta, ok := line["metadata"].(map[string]any); ok {
			m := p.(interface{ Meta() *ItemMeta }).Meta()
			for key, got := range map[string]bool{
				"client_authored": m.ClientAuthored, "compaction_output": m.CompactionOutput, "inherited_user_message": m.Inherited,
			} {
				if want, _ := meta[key].(bool); got != want {
					c.fail("metadata.%s: %v, want %v", key, got, want)
				}
			}
		}
		if ic, ok := p.(*ItemCompleted); ok {
			types[ic.Item.Type()]++
		}
		for _, e := range c.errs {
			t.Errorf("%s: %v: %s", at, p.Type(), e)
		}
	})
	if records < 10000 {
		t.Errorf("only %d records", records)
	}
	for _, typ := range slices.Sorted(maps.Keys(types)) {
		t.Logf("%6d %v", types[typ], typ)
	}
}
