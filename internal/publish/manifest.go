package publish

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"rollbook/internal/dsh"
)

// A manifest is what a run is about to do, written before the first log changes
// and never edited: an entry that was not carried out is known by the digest of
// its log.
type manifest struct {
	Version   int       `json:"version"`
	CreatedAt string    `json:"createdAt"`
	LiveRoot  string    `json:"liveRoot"`
	RunID     string    `json:"runId"`
	Remove    []removal `json:"remove"`  // what the run installs
	Restore   []restore `json:"restore"` // what it replaces

	// A rollback writes these behind the rest.
	RolledBackAt string          `json:"rolledBackAt,omitempty"`
	Result       *rollbackResult `json:"result,omitempty"`
}

type removal struct {
	Key           string `json:"key"`
	NewBodySha256 string `json:"newBodySha256"`
}

type restore struct {
	Key                string `json:"key"`
	BackupLog          string `json:"backupLog"`
	PreviousBodySha256 string `json:"previousBodySha256"`
	NewBodySha256      string `json:"newBodySha256"`
	// Forced is there where the log that was replaced was not ours: when it is
	// back it is still not ours.
	Forced bool `json:"forced,omitempty"`
}

type rollbackResult struct {
	Removed      []string         `json:"removed"`
	Restored     []string         `json:"restored"`
	Skipped      []skippedSession `json:"skipped"`
	NotInstalled []string         `json:"notInstalled"`
}

type skippedSession struct {
	Key    string `json:"key"`
	Reason string `json:"reason"`
}

const manifestVersion = 2

func newManifest(root, run string, now time.Time) *manifest {
	return &manifest{Version: manifestVersion, CreatedAt: stamp(now), LiveRoot: root, RunID: run, Remove: []removal{}, Restore: []restore{}}
}

// write writes the archive, the list of what is installed, and the latest
// manifest last: that is the one a rollback takes.
func (m *manifest) write(t *tree) error {
	if err := t.writeJSON(archiveName(m.RunID), m); err != nil {
		return err
	}
	var list strings.Builder
	for _, r := range m.Remove {
		fmt.Fprintln(&list, t.absolute(t.dir(r.Key)))
	}
	if err := t.writeSmall(listName, []byte(list.String())); err != nil {
		return err
	}
	return t.writeJSON(latestName, m)
}

// parseManifest reads a manifest of version 2. One bad entry makes it no
// manifest: what a damaged file asks for is not done by halves.
func parseManifest(text []byte) (*manifest, error) {
	m := &manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, err
	}
	if m.Version != manifestVersion {
		return nil, fmt.Errorf("version %d, not %d", m.Version, manifestVersion)
	}
	if !runID.MatchString(m.RunID) {
		return nil, fmt.Errorf("%q is not the id of a run", m.RunID)
	}
	if !filepath.IsAbs(m.LiveRoot) {
		return nil, errors.New("names no sessions root")
	}
	seen := make(map[string]bool)
	for _, r := range m.Remove {
		if err := checkEntry(seen, r.Key, r.NewBodySha256); err != nil {
			return nil, err
		}
	}
	for _, r := range m.Restore {
		if err := checkEntry(seen, r.Key, r.NewBodySha256, r.PreviousBodySha256); err != nil {
			return nil, err
		}
		if r.BackupLog == "" {
			return nil, fmt.Errorf("%s: no backup is named", r.Key)
		}
	}
	return m, nil
}

func checkEntry(seen map[string]bool, key string, digests ...string) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if seen[key] {
		return fmt.Errorf("%s: twice", key)
	}
	seen[key] = true
	for _, d := range digests {
		if _, ok := parseDigest(d); !ok {
			return fmt.Errorf("%s: %q is not a digest", key, d)
		}
	}
	return nil
}

// digest is one that parseManifest let through.
func digest(text string) dsh.Digest {
	d, _ := parseDigest(text)
	return d
}
