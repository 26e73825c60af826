package publish

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path"
	"regexp"
	"strings"
	"time"

	"rollbook/internal/dsh"
)

// What a sync keeps lies beside the sessions root (docs/sync.md, "Files").
const (
	stateName    = "codex-import-state.json"
	latestName   = "codex-import-manifest.json"
	listName     = "codex-import-manifest.txt"
	archiveDir   = "codex-import-manifests"
	backupDir    = "codex-import-backups"
	resultDir    = "codex-import-rollback-results"
	lockName     = "codex-import.lock"
	sessionLock  = "session.lock" // the harness's own, in a session's folder
	tmpPrefix    = ".rollbook-"
	tmpSuffix    = ".tmp"
	metadataKey  = "<metadata>"
	ownedFrames  = 2 // of a log that nobody went on with
	maxName      = 255
	maxMetadata  = 32 << 20
	timeFormat   = "2006-01-02T15:04:05.000Z"
	digitsFormat = "20060102150405"
)

// checkKey tells what is wrong with a key, <project>/<session>: it becomes two
// names below the sessions root.
func checkKey(key string) error {
	parts := strings.Split(key, "/")
	if len(parts) != 2 {
		return fmt.Errorf("%q is not a project and a session", key)
	}
	for _, p := range parts {
		if !segment.MatchString(p) || p == "." || p == ".." || len(p) > maxName || temporary(p) {
			return fmt.Errorf("%q is not a name that the harness gives", p)
		}
	}
	return nil
}

var segment = regexp.MustCompile(`^[A-Za-z0-9._~-]+$`)

// temporary reports whether a name is one of ours for what is not whole yet.
func temporary(name string) bool {
	return strings.HasPrefix(name, tmpPrefix) && strings.HasSuffix(name, tmpSuffix)
}

func temporaryName() string { return tmpPrefix + rand.Text() + tmpSuffix }

// newRunID names a run: 17 digits of its time, the process, 8 hex digits.
func newRunID(now time.Time) string {
	now = now.UTC()
	var salt [4]byte
	rand.Read(salt[:])
	return fmt.Sprintf("%s%03d-%d-%s", now.Format(digitsFormat), now.Nanosecond()/1e6, os.Getpid(), hex.EncodeToString(salt[:]))
}

// runID is what a manifest may have as its own: it becomes a file name.
var runID = regexp.MustCompile(`^[0-9]{17}-[0-9]{1,20}-[0-9a-f]{8}$`)

func stamp(now time.Time) string { return now.UTC().Format(timeFormat) }

// A session's files, relative to the folder that holds the sessions root.
func (t *tree) dir(key string) string     { return path.Join(t.base, key) }
func (t *tree) log(key string) string     { return path.Join(t.base, key, dsh.LogName) }
func (t *tree) project(key string) string { return path.Dir(t.dir(key)) }

func archiveName(run string) string     { return path.Join(archiveDir, run+".json") }
func resultName(run string) string      { return path.Join(resultDir, run+".json") }
func backupName(run, key string) string { return path.Join(backupDir, run, key, dsh.LogName) }
