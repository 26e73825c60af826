package store

import (
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// applicationID marks a database as ours: "roll" in ASCII.
const applicationID = 0x726f6c6c

// migrations bring a database from each version to the next; its version is how
// many were done. A step that was released is never changed.
var migrations = []string{schema1, schema2}

// schema1 is described in docs/format/store.md.
const schema1 = `
CREATE TABLE projects(id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);
CREATE TABLE tools(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE models(id INTEGER PRIMARY KEY, name TEXT NOT NULL, provider TEXT NOT NULL, UNIQUE(name, provider));

CREATE TABLE sources(
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, root TEXT NOT NULL, path TEXT NOT NULL,
  size INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL, device INTEGER NOT NULL, inode INTEGER NOT NULL,
  compressed INTEGER NOT NULL, archived INTEGER NOT NULL, text_size INTEGER NOT NULL, lines INTEGER NOT NULL,
  head INTEGER NOT NULL, tail INTEGER NOT NULL, whole INTEGER NOT NULL, adapter INTEGER NOT NULL, partial INTEGER NOT NULL,
  counts TEXT NOT NULL, resume BLOB, import INTEGER NOT NULL);

CREATE TABLE threads(
  id INTEGER PRIMARY KEY, thread TEXT NOT NULL UNIQUE, project INTEGER REFERENCES projects(id),
  title TEXT NOT NULL DEFAULT '', title_source TEXT NOT NULL DEFAULT '', created INTEGER, updated INTEGER,
  parent TEXT NOT NULL DEFAULT '', forked_from TEXT NOT NULL DEFAULT '', archived INTEGER NOT NULL DEFAULT 0,
  current TEXT NOT NULL DEFAULT '', sources TEXT NOT NULL DEFAULT '[]', gaps INTEGER NOT NULL DEFAULT 0,
  partial INTEGER NOT NULL DEFAULT 0, adapter INTEGER NOT NULL DEFAULT 0, meta TEXT NOT NULL DEFAULT '{}', resume BLOB);
CREATE INDEX threads_updated ON threads(updated);

CREATE TABLE streams(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE);
CREATE TABLE stream_threads(thread INTEGER NOT NULL, stream INTEGER NOT NULL, PRIMARY KEY(thread, stream)) WITHOUT ROWID;
CREATE INDEX stream_threads_stream ON stream_threads(stream);

CREATE TABLE events(
  id INTEGER PRIMARY KEY, thread INTEGER NOT NULL, stream INTEGER NOT NULL, seq INTEGER NOT NULL, source INTEGER,
  turn INTEGER NOT NULL, kind INTEGER NOT NULL, role INTEGER NOT NULL, channel INTEGER NOT NULL, flags INTEGER NOT NULL,
  line INTEGER NOT NULL, item INTEGER NOT NULL, offset INTEGER NOT NULL, tool INTEGER, model INTEGER, project INTEGER,
  chars INTEGER NOT NULL, hash INTEGER NOT NULL);
CREATE INDEX events_order ON events(thread, stream, seq);
CREATE TABLE bodies(id INTEGER PRIMARY KEY, body, extra);

CREATE TABLE calls(call INTEGER PRIMARY KEY, result INTEGER, exit_code INTEGER, failed INTEGER, duration INTEGER);
CREATE TABLE usage(
  id INTEGER PRIMARY KEY, thread INTEGER NOT NULL, kind INTEGER NOT NULL, response TEXT, input INTEGER, cached INTEGER,
  output INTEGER, reasoning INTEGER, total INTEGER);
CREATE INDEX usage_response ON usage(response) WHERE response IS NOT NULL;

CREATE TABLE slots(
  thread INTEGER NOT NULL, slot INTEGER NOT NULL, messages INTEGER NOT NULL, users INTEGER NOT NULL, prompts INTEGER NOT NULL,
  prompt_chars INTEGER NOT NULL, assistants INTEGER NOT NULL, calls INTEGER NOT NULL, failed INTEGER NOT NULL,
  requests INTEGER NOT NULL, input INTEGER NOT NULL, cached INTEGER NOT NULL, output INTEGER NOT NULL, reasoning INTEGER NOT NULL,
  total INTEGER NOT NULL, PRIMARY KEY(thread, slot)) WITHOUT ROWID;
CREATE INDEX slots_time ON slots(slot);

CREATE TABLE runs(
  id INTEGER PRIMARY KEY, started INTEGER NOT NULL, finished INTEGER, state TEXT NOT NULL, roots TEXT NOT NULL,
  counts TEXT NOT NULL DEFAULT '{}', version TEXT NOT NULL DEFAULT '');
CREATE TABLE diagnostics(
  id INTEGER PRIMARY KEY, run INTEGER NOT NULL, source TEXT NOT NULL, file TEXT NOT NULL, line INTEGER NOT NULL, item INTEGER NOT NULL,
  offset INTEGER NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL, count INTEGER NOT NULL);
CREATE INDEX diagnostics_run ON diagnostics(run);
CREATE INDEX diagnostics_source ON diagnostics(source);

CREATE TABLE todo(stream INTEGER PRIMARY KEY, seq INTEGER NOT NULL);

CREATE VIRTUAL TABLE words USING fts5(text, content='', contentless_delete=1, tokenize='ascii');
CREATE VIRTUAL TABLE outputs USING fts5(text, content='', contentless_delete=1, tokenize='ascii');
INSERT INTO words(words, rank) VALUES('hashsize', 8388608);
INSERT INTO outputs(outputs, rank) VALUES('hashsize', 8388608);
`

// schema2 notes the roots below which an import found nothing to do; whatever
// changes what is known of a source or a thread takes the notes back. Each search
// asks for the threads whose parents are missing.
const schema2 = `
CREATE TABLE roots(root TEXT PRIMARY KEY, mark BLOB NOT NULL) WITHOUT ROWID;
CREATE TRIGGER sources_added AFTER INSERT ON sources BEGIN DELETE FROM roots; END;
CREATE TRIGGER sources_changed AFTER UPDATE ON sources BEGIN DELETE FROM roots; END;
CREATE TRIGGER sources_gone AFTER DELETE ON sources BEGIN DELETE FROM roots; END;
CREATE TRIGGER threads_added AFTER INSERT ON threads BEGIN DELETE FROM roots; END;
CREATE TRIGGER threads_changed AFTER UPDATE ON threads BEGIN DELETE FROM roots; END;
CREATE TRIGGER threads_gone AFTER DELETE ON threads BEGIN DELETE FROM roots; END;
CREATE INDEX threads_parents ON threads(forked_from, parent) WHERE forked_from != '' OR parent != '';
`

// ErrForeign says that a file is a database of another program.
var ErrForeign = errors.New("is not a database of rollbook")

// ErrNewer says that a newer rollbook made the database.
var ErrNewer = errors.New("was made by a newer rollbook")

// version gives the version of a database: 0 for one without any content.
func version(c *sqlite.Conn) (int, error) {
	id, err := number(c, "PRAGMA application_id")
	if err != nil {
		return 0, err
	}
	v, err := number(c, "PRAGMA user_version")
	if err != nil {
		return 0, err
	}
	tables, err := number(c, "SELECT count(*) FROM sqlite_schema")
	switch {
	case err != nil:
		return 0, err
	case id == 0 && v == 0 && tables == 0:
		return 0, nil
	case id != applicationID:
		return 0, ErrForeign
	case v > int64(len(migrations)):
		return 0, fmt.Errorf("%w (schema %d, this one knows %d)", ErrNewer, v, len(migrations))
	}
	return int(v), nil
}

// migrate brings the database to the latest version, each step whole or not at
// all.
func migrate(c *sqlite.Conn) error {
	v, err := version(c)
	if err != nil {
		return err
	}
	for ; v < len(migrations); v++ {
		if err := step(c, v); err != nil {
			return fmt.Errorf("bring it to schema %d: %w", v+1, err)
		}
	}
	return nil
}

func step(c *sqlite.Conn, v int) (err error) {
	end, err := sqlitex.ImmediateTransaction(c)
	if err != nil {
		return err
	}
	defer end(&err)
	return sqlitex.ExecScript(c, migrations[v]+fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d;", applicationID, v+1))
}

// number runs a query for one number.
func number(c *sqlite.Conn, query string, args ...any) (n int64, err error) {
	err = sqlitex.ExecuteTransient(c, query, &sqlitex.ExecOptions{Args: args, ResultFunc: func(s *sqlite.Stmt) error {
		n = s.ColumnInt64(0)
		return nil
	}})
	return n, err
}
