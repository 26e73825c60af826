package statedb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// The bounds of what is kept of a database.
const (
	maxThreads = 1 << 20
	maxText    = 4 << 10 // bytes of a text; SQL cuts at as many characters before
	maxRow     = 64 << 20
)

// columns are what is read, in the order of thread's arguments: the SQL of each
// and the column that it needs. No column but id is in every version.
var columns = []struct{ expr, needs string }{
	{"id", "id"},
	{"rollout_path", "rollout_path"},
	{"title", "title"},
	{"name", "name"},
	{"first_user_message", "first_user_message"},
	{"cwd", "cwd"},
	{"source", "source"},
	{"model_provider", "model_provider"},
	{"cli_version", "cli_version"},
	{"model", "model"},
	{"history_mode", "history_mode"},
	{"originator", "originator"},
	{"title = first_user_message", "title first_user_message"},
	{"name = first_user_message", "name first_user_message"},
	{"archived", "archived"},
	{"created_at", "created_at"},
	{"created_at_ms", "created_at_ms"},
	{"updated_at", "updated_at"},
	{"updated_at_ms", "updated_at_ms"},
}

// texts is how many of the columns, from the first, are texts.
const texts = 12

// query opens a database and reads its threads.
func query(ctx context.Context, uri string) (*State, error) {
	uri += "&_pragma=query_only(1)&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)&_pragma=temp_store(2)&_pragma=mmap_size(0)"
	db, err := sql.Open("sqlite", uri)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	state := &State{Threads: make(map[string]Thread)}
	err = state.fill(ctx, db)
	if closed := db.Close(); err == nil && closed != nil {
		err = closed
	}
	p := (*problem)(nil)
	switch {
	case err == nil:
		return state, nil
	case !errors.As(err, &p):
		err = &problem{Damaged, err}
	case p.code == Unknown:
		return nil, err
	}
	state.Partial = true
	if len(state.Threads) == 0 {
		state = nil
	}
	return state, err
}

func (s *State) fill(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_LENGTH, maxRow); err != nil {
		return err
	}
	list, err := selection(ctx, conn)
	if err != nil {
		return err
	}
	rows, err := conn.QueryContext(ctx, fmt.Sprintf("SELECT %s FROM threads LIMIT %d", list, maxThreads+1))
	if err != nil {
		return err
	}
	defer rows.Close()
	values, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		into[i] = &values[i]
	}
	for n := 0; rows.Next(); n++ {
		if err := rows.Scan(into...); err != nil {
			return err
		}
		if n == maxThreads {
			return &problem{TooLarge, fmt.Errorf("more than %d threads", maxThreads)}
		}
		if t := thread(values); t.ID != "" {
			s.Threads[t.ID] = t
		}
	}
	return rows.Err()
}

// selection asks the schema which columns there are, and gives the list of
// expressions: NULL for what this version does not have.
func selection(ctx context.Context, conn *sql.Conn) (string, error) {
	var table int
	// A view or a virtual table of that name has no pages of its own.
	err := conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE name = 'threads' AND type = 'table' AND rootpage > 0").Scan(&table)
	if err != nil {
		return "", err
	}
	rows, err := conn.QueryContext(ctx, "SELECT lower(name) FROM pragma_table_info('threads')")
	if err != nil {
		return "", err
	}
	defer rows.Close()
	has := make(map[string]bool)
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return "", err
		}
		has[name] = true
	}
	if err := rows.Err(); err != nil {
		return "", err
	}
	if table != 1 || !has["id"] {
		return "", &problem{Unknown, errors.New("no table threads with a column id")}
	}
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.expr
		if i < texts {
			list[i] = fmt.Sprintf("substr(%s, 1, %d)", c.expr, maxText)
		}
		for _, need := range strings.Fields(c.needs) {
			if !has[need] {
				list[i] = "NULL"
			}
		}
	}
	return strings.Join(list, ", "), nil
}

// thread makes a row of the values of columns.
func thread(v []any) Thread {
	return Thread{
		ID:            text(v[0]),
		RolloutPath:   text(v[1]),
		Title:         text(v[2]),
		Name:          text(v[3]),
		FirstMessage:  text(v[4]),
		Cwd:           text(v[5]),
		Source:        text(v[6]),
		Provider:      text(v[7]),
		Version:       text(v[8]),
		Model:         text(v[9]),
		HistoryMode:   text(v[10]),
		Originator:    text(v[11]),
		TitleIsPrompt: integer(v[12]) != 0 && text(v[2]) != "",
		NameIsPrompt:  integer(v[13]) != 0 && text(v[3]) != "",
		Archived:      integer(v[14]) != 0,
		Created:       moment(v[15], v[16]),
		Updated:       moment(v[17], v[18]),
	}
}

// text takes a text, or a blob that holds one; it is UTF-8 and has no NUL.
func text(v any) string {
	s, ok := v.(string)
	if b, isBlob := v.([]byte); isBlob {
		s, ok = string(b), true
	}
	if !ok {
		return ""
	}
	s = strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "")
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "")
	}
	return s
}

func integer(v any) int64 {
	n, _ := v.(int64)
	return n
}

// moment takes a time from its columns of seconds and of milliseconds, the
// finer one where it is there.
func moment(seconds, millis any) time.Time {
	ms := integer(millis)
	if ms == 0 {
		if s := integer(seconds); s < math.MaxInt64/1000 {
			ms = s * 1000
		}
	}
	if ms <= 0 || ms > 253402300799999 { // the end of 9999
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
