package cli

import (
	"errors"
	"io/fs"
	"time"

	"rollbook/internal/ledger"
	"rollbook/internal/store"
)

type dbInfoJSON struct {
	SchemaVersion int         `json:"schema_version"`
	Database      string      `json:"database"`
	Schema        int         `json:"schema"`
	Bytes         int64       `json:"bytes"`
	FreeBytes     int64       `json:"free_bytes"`
	Sources       int64       `json:"sources"`
	SourceBytes   int64       `json:"source_bytes"`
	Threads       int64       `json:"threads"`
	Messages      int64       `json:"messages"`
	Events        int64       `json:"events"`
	Waiting       int64       `json:"waiting"`
	Runs          []dbRunJSON `json:"runs"`
}

type dbRunJSON struct {
	ID       int64         `json:"id"`
	Roots    []string      `json:"roots"`
	State    string        `json:"state"`
	Started  time.Time     `json:"started"`
	Finished *time.Time    `json:"finished"`
	Counts   ledger.Counts `json:"counts"`
}

func infoJSON(info *store.Info, runs []store.Run) dbInfoJSON {
	v := dbInfoJSON{1, info.Path, info.Schema, info.Bytes, info.Free, info.Sources, info.SourceBytes, info.Threads, info.Messages, info.Events, info.Waiting, []dbRunJSON{}}
	for i := range runs {
		v.Runs = append(v.Runs, runJSON(&runs[i]))
	}
	return v
}

func runJSON(r *store.Run) dbRunJSON {
	return dbRunJSON{ID: r.ID, Roots: r.Roots, State: r.State, Started: r.Started, Finished: unlessZero(r.Finished), Counts: r.Counts}
}

// isNoStore reports whether an error says that nothing was imported yet.
func isNoStore(err error) bool { return errors.Is(err, fs.ErrNotExist) }
