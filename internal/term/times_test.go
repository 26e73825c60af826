package term

import (
	"math"
	"testing"
	"time"
	_ "time/tzdata" // zones with odd midnights, on any machine
)

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestParseSinceUntil(t *testing.T) {
	berlin := zone(t, "Europe/Berlin")
	now := time.Date(2026, 9, 15, 10, 30, 0, 0, berlin)
	tests := []struct{ in, since, until string }{
		{"2026-09-01", "2026-09-01T00:00:00+02:00", "2026-09-02T00:00:00+02:00"},
		{"2026-12-31", "2026-12-31T00:00:00+01:00", "2027-01-01T00:00:00+01:00"},
		{"2026-10-25", "2026-10-25T00:00:00+02:00", "2026-10-26T00:00:00+01:00"},
		{"today", "2026-09-15T00:00:00+02:00", "2026-09-16T00:00:00+02:00"},
		{"yesterday", "2026-09-14T00:00:00+02:00", "2026-09-15T00:00:00+02:00"},
		{"7d", "2026-09-08T10:30:00+02:00", ""},
		{"0d", "2026-09-15T10:30:00+02:00", ""},
		{"12h", "2026-09-14T22:30:00+02:00", ""},
		{"2026-09-01T14:00:00Z", "2026-09-01T14:00:00Z", ""},
		{"2026-09-01T14:00:00.5+09:00", "2026-09-01T14:00:00.5+09:00", ""},
		{"2026-09-01T14:00", "2026-09-01T14:00:00+02:00", ""},
		{"2026-09-01 14:00:30", "2026-09-01T14:00:30+02:00", ""},
	}
	for _, tt := range tests {
		if tt.until == "" {
			tt.until = tt.since
		}
		since, err := ParseSince(tt.in, now)
		if got := since.Format(time.RFC3339Nano); got != tt.since || err != nil {
			t.Errorf("ParseSince(%q) = %s, %v, want %s", tt.in, got, err, tt.since)
		}
		until, err := ParseUntil(tt.in, now)
		if got := until.Format(time.RFC3339Nano); got != tt.until || err != nil {
			t.Errorf("ParseUntil(%q) = %s, %v, want %s", tt.in, got, err, tt.until)
		}
	}
}

func TestParseSinceRefuses(t *testing.T) {
	for _, in := range []string{"", "d", "7", "7x", "-7d", "+7d", "7dd", "7 d", "1.5d", "7D", "1000000d", "٣d",
		"2026-02-30", "2026-9-1", "2026-09", "20260901", "2026-09-01T25:00:00Z", "Today", " today", "tomorrow"} {
		if got, err := ParseSince(in, time.Unix(0, 0)); err == nil {
			t.Errorf("ParseSince(%q) = %v, want an error", in, got)
		}
	}
}

// In Sao Paulo the clock went from midnight to one on 2018-11-04.
func TestParseSinceMidnightSkipped(t *testing.T) {
	now := time.Date(2018, 11, 10, 0, 0, 0, 0, zone(t, "America/Sao_Paulo"))
	since, err := ParseSince("2018-11-04", now)
	if got, want := since.Format(time.RFC3339), "2018-11-04T01:00:00-02:00"; got != want || err != nil {
		t.Errorf("since %s, %v, want %s", got, err, want)
	}
	until, err := ParseUntil("2018-11-03", now)
	if !until.Equal(since) || err != nil {
		t.Errorf("the day before ends at %s, %v, want %s", until, err, since)
	}
}

func FuzzParseSince(f *testing.F) {
	for _, s := range []string{"2026-09-01", "7d", "12h", "today", "2026-09-01T14:00:00Z", "999999d"} {
		f.Add(s, int64(1_790_000_000))
	}
	f.Fuzz(func(t *testing.T, s string, unix int64) {
		now := time.Unix(unix%1e11, 0).UTC()
		since, err := ParseSince(s, now)
		until, err2 := ParseUntil(s, now)
		if (err == nil) != (err2 == nil) || until.Before(since) {
			t.Errorf("%q: since %v %v, until %v %v", s, since, err, until, err2)
		}
	})
}

func TestFormatDuration(t *testing.T) {
	tests := []struct {
		d    time.Duration
		want string
	}{
		{0, "0ms"}, {350 * time.Millisecond, "350ms"}, {3400 * time.Millisecond, "3.4s"}, {9960 * time.Millisecond, "10.0s"},
		{12 * time.Second, "12s"}, {time.Minute, "1m 00s"}, {185 * time.Second, "3m 05s"}, {125 * time.Minute, "2h 05m"},
		{76 * time.Hour, "3d 4h"}, {-2 * time.Second, "-2.0s"}, {math.MinInt64, "-106751d 23h"},
	}
	for _, tt := range tests {
		if got := FormatDuration(tt.d); got != tt.want {
			t.Errorf("FormatDuration(%v) = %q, want %q", tt.d, got, tt.want)
		}
	}
}

func TestFormatTime(t *testing.T) {
	at := time.Date(2026, 9, 1, 23, 5, 59, 0, time.UTC)
	if got := FormatTime(at, zone(t, "Asia/Shanghai")); got != "2026-09-02 07:05" {
		t.Errorf("got %q", got)
	}
	if got := FormatTime(time.Time{}, time.UTC); got != "" {
		t.Errorf("zero time: got %q", got)
	}
}
