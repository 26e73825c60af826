package interchange

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// A stamp is a time as a line has it.
type stamp struct {
	time  time.Time
	given bool // neither absent nor null
	valid bool
}

// stamp takes a time: a number or a string.
func (d *decoder) stamp() stamp {
	switch d.kind() {
	case 'n':
		d.token()
		return stamp{}
	case '"':
		tok := d.token()
		if d.err != nil {
			return stamp{}
		}
		return newStamp(parseTime(tok.String()))
	case '0':
		return newStamp(parseEpoch(string(d.value())))
	}
	d.value()
	return stamp{given: true}
}

func newStamp(t time.Time, ok bool) stamp { return stamp{t, true, ok} }

// layouts are the forms of ISO 8601 that are read, the zone as Z or an offset.
// A fraction may follow the seconds in all of them.
var layouts = [...]string{
	time.RFC3339,
	"2006-01-02T15:04:05",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05Z07",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04",
	"2006-01-02",
	"20060102T150405Z0700",
	"20060102T150405",
}

// parseTime reads a time as docs/format/interchange.md gives it under "Times":
// a number of seconds or milliseconds, or ISO 8601, where no zone means UTC.
func parseTime(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	if strings.Trim(s, "0123456789.eE+-") == "" {
		if t, ok := parseEpoch(s); ok {
			return t, true
		}
	}
	if len(s) > 10 && (s[10] == ' ' || s[10] == 't') {
		s = s[:10] + "T" + s[11:]
	}
	if date, ok := strings.CutSuffix(s, "z"); ok {
		s = date + "Z"
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, s); err == nil {
			return inRange(t)
		}
	}
	return time.Time{}, false
}

// parseEpoch reads seconds since 1970, or milliseconds where the number is
// above 1e11.
func parseEpoch(s string) (time.Time, bool) {
	sec, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return time.Time{}, false
	}
	if sec > 1e11 {
		sec /= 1000
	}
	if sec < 0 || sec > 1e10 {
		return time.Time{}, false
	}
	return inRange(time.UnixMicro(int64(math.Round(sec * 1e6))))
}

// inRange gives the time in UTC, cut to milliseconds, if a log can have it.
func inRange(t time.Time) (time.Time, bool) {
	t = t.UTC().Truncate(time.Millisecond)
	return t, 1970 <= t.Year() && t.Year() <= 2100
}
