package rolltest_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"rollbook/internal/corpustest"
	"rollbook/internal/rollout"
	"rollbook/internal/rolltest"
)

// corpusRollouts gives the texts of every rollout of a version.
func corpusRollouts(t *testing.T, v rolltest.Version) (texts [][]byte) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(corpustest.Dir(t), v.String()), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(d.Name(), "rollout-") {
			return err
		}
		text, err := readRollout(path)
		texts = append(texts, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func readRollout(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil || !strings.HasSuffix(path, ".zst") {
		return text, err
	}
	dec, err := zstd.NewReader(nil)
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	return dec.DecodeAll(text, nil)
}

// shapes knows which keys stand at each place of a record, and which before which.
type shapes map[string]map[string]map[string]bool // place, key, keys seen after it

// open names objects whose keys are data.
var open = []string{".changes", ".agents_states", ".arguments", ".structuredContent", ".state.", ".tools", ".replacement_history_metadata"}

func isOpen(place string) bool {
	for _, o := range open {
		if strings.Contains(place, o) {
			return true
		}
	}
	return false
}

// walk calls f with every object of a line: its place and its keys in order.
func walk(t *testing.T, line []byte, f func(place string, keys []string)) {
	t.Helper()
	var env rollout.Envelope
	if fault := rollout.Scan(line, &env); fault != rollout.NoFault {
		t.Fatalf("%v: %s", fault, line)
	}
	text := func(v rollout.Raw) string { s, _ := v.Text(); return s }
	root := text(env.Type) + "/" + text(env.PayloadType) + "/" + text(env.Payload.Get("item").Get("type"))
	walkValue(rollout.Raw(line[:len(bytes.TrimRight(line, "\n"))]), strings.Trim(root, "/"), f)
}

func walkValue(v rollout.Raw, place string, f func(string, []string)) {
	var keys []string
	for w := v.Object(); ; {
		key, val, ok := w.Next()
		if !ok {
			break
		}
		name, _ := key.Text()
		keys = append(keys, name)
		if val.IsObject() || val.IsArray() {
			walkValue(val, place+"."+name, f)
		}
	}
	if v.IsObject() && !isOpen(place) {
		f(place, keys)
	}
	for w := v.Array(); ; {
		_, val, ok := w.Next()
		if !ok {
			break
		}
		walkValue(val, place+"[]", f)
	}
}

func (s shapes) learn(place string, keys []string) {
	if s[place] == nil {
		s[place] = map[string]map[string]bool{}
	}
	for i, key := range keys {
		if s[place][key] == nil {
			s[place][key] = map[string]bool{}
		}
		for _, after := range keys[i+1:] {
			s[place][key][after] = true
		}
	}
}

// judge says what is wrong with the keys at a place, or nothing.
func (s shapes) judge(place string, keys []string) string {
	known := s[place]
	if known == nil && len(keys) > 0 {
		return fmt.Sprintf("%s: Codex never writes such an object: %v", place, keys)
	}
	for i, key := range keys {
		if known[key] == nil {
			return fmt.Sprintf("%s: Codex never writes %q there", place, key)
		}
		for _, after := range keys[i+1:] {
			if known[after][key] && !known[key][after] {
				return fmt.Sprintf("%s: Codex writes %q before %q", place, after, key)
			}
		}
	}
	return ""
}

// unseen are shapes that the corpus does not hold; what they are modelled on
// stands beside the method that writes them.
var unseen = []string{
	"guardian",                       // Guardian
	"subagent_history_start_ordinal", // SpawnWithHistory
	"fork_turns",
}

// neighbours lends versions of which the corpus holds few scenarios what the
// versions beside them wrote.
var neighbours = map[rolltest.Version][]rolltest.Version{
	rolltest.V147: {rolltest.V140, rolltest.V152, rolltest.V156},
	rolltest.V152: {rolltest.V147, rolltest.V156},
}

// TestShapes holds every kind of line that the builder writes against the lines
// that the same version of Codex wrote: no key that Codex does not write there,
// and none in another order. A kind that the version's rollouts do not hold is
// held against those of all versions.
func TestShapes(t *testing.T) {
	all, each := shapes{}, map[rolltest.Version]shapes{}
	for _, v := range rolltest.Versions {
		each[v] = shapes{}
	}
	for _, v := range rolltest.Versions {
		learn := []shapes{all}
		for _, u := range rolltest.Versions {
			if u == v || slices.Contains(neighbours[u], v) {
				learn = append(learn, each[u])
			}
		}
		for _, text := range corpusRollouts(t, v) {
			for line := range bytes.Lines(text) {
				walk(t, line, func(place string, keys []string) {
					for _, s := range learn {
						s.learn(place, keys)
					}
				})
			}
		}
	}
	for _, v := range rolltest.Versions {
		t.Run(v.String(), func(t *testing.T) {
			for _, w := range wrongShapes(t, everything(v), each[v], all) {
				t.Error(w)
			}
		})
	}
}

func wrongShapes(t *testing.T, home *rolltest.Home, own, all shapes) (wrong []string) {
	for _, r := range home.Rollouts() {
		for line := range bytes.Lines(r.Bytes()) {
			if slices.ContainsFunc(unseen, func(s string) bool { return bytes.Contains(line, []byte(s)) }) {
				continue
			}
			walk(t, line, func(place string, keys []string) {
				known := own
				if root, _, _ := strings.Cut(place, "."); own[root] == nil {
					known = all
				}
				if w := known.judge(place, keys); w != "" && !slices.Contains(wrong, w) {
					wrong = append(wrong, w)
				}
			})
		}
	}
	return wrong
}
