package term

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

var errTime = errors.New("want a time such as 2026-09-01, 2026-09-01T14:00:00Z, 7d, 12h, today or yesterday")

// ParseSince reads the start of a span: a day means its first moment. See
// ParseUntil for the forms.
func ParseSince(s string, now time.Time) (time.Time, error) {
	start, _, err := parseSpan(s, now)
	return start, err
}

// ParseUntil reads the end of a span. The end is exclusive, and a day means the
// first moment of the next one, so that a span until 2026-09-01 has all of that
// day. Forms: 2026-09-01, today and yesterday are days in the zone of now; 7d
// and 12h lie that many calendar days or hours before now; 2026-09-01T14:00 with
// or without seconds is in the zone of now; RFC 3339 carries its own zone.
func ParseUntil(s string, now time.Time) (time.Time, error) {
	_, end, err := parseSpan(s, now)
	return end, err
}

// parseSpan gives the first moment and the end of what s names. They are equal
// where s names a moment.
func parseSpan(s string, now time.Time) (start, end time.Time, err error) {
	switch s {
	case "today":
		return daySpan(now)
	case "yesterday":
		return daySpan(now.AddDate(0, 0, -1))
	}
	if t, err := time.Parse(time.DateOnly, s); err == nil {
		y, m, d := t.Date()
		return daySpan(time.Date(y, m, d, 12, 0, 0, 0, now.Location()))
	}
	if t, ok := parseMoment(s, now.Location()); ok {
		return t, t, nil
	}
	if t, ok := parseAgo(s, now); ok {
		return t, t, nil
	}
	return time.Time{}, time.Time{}, errTime
}

// daySpan gives the day of t, in t's zone.
func daySpan(t time.Time) (start, end time.Time, err error) {
	y, m, d := t.Date()
	return dayStart(y, m, d, t.Location()), dayStart(y, m, d+1, t.Location()), nil
}

// dayStart is the first moment of a day. Where the clock skips midnight,
// time.Date may answer with an hour of the day before; then the day starts
// where the zone changes.
func dayStart(y int, m time.Month, d int, zone *time.Location) time.Time {
	t := time.Date(y, m, d, 0, 0, 0, 0, zone)
	if t.Hour() < 12 {
		return t
	}
	_, change := t.ZoneBounds()
	return change
}

func parseMoment(s string, zone *time.Location) (time.Time, bool) {
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return t, true
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(layout, s, zone); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// parseAgo reads 7d and 12h. More than six digits are refused: nobody means
// them, and they would leave the range of years.
func parseAgo(s string, now time.Time) (time.Time, bool) {
	digits := strings.TrimRight(s, "dh")
	if len(digits) != len(s)-1 || len(digits) > 6 || strings.Trim(digits, "0123456789") != "" {
		return time.Time{}, false
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return time.Time{}, false
	}
	if s[len(s)-1] == 'h' {
		return now.Add(-time.Duration(n) * time.Hour), true
	}
	return now.AddDate(0, 0, -n), true
}

// FormatTime writes a time for people, to the minute, in the zone: 2026-09-01
// 14:03. The zero time is empty.
func FormatTime(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return ""
	}
	return t.In(zone).Format("2006-01-02 15:04")
}

// FormatDuration writes a duration for people in at most two units: 350ms,
// 3.4s, 12s, 3m 05s, 2h 05m, 3d 4h.
func FormatDuration(d time.Duration) string {
	switch {
	case d < 0:
		return "-" + FormatDuration(-max(d, -math.MaxInt64))
	case d < time.Second:
		return fmt.Sprintf("%dms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("%dm %02ds", d/time.Minute, d%time.Minute/time.Second)
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh %02dm", d/time.Hour, d%time.Hour/time.Minute)
	default:
		return fmt.Sprintf("%dd %dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
	}
}
