package inspect

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rollbook/internal/rollout"
)

var times = map[string]bool{
	"2026-09-24T12:00:00Z":                                   true,
	"2026-09-24t12:00:00z":                                   true,
	"2026-09-24 12:00:00Z":                                   true,
	"2026-09-24 12:00:00z":                                   true,
	"2026-09-24T12:00:00.1Z":                                 true,
	"2026-09-24T12:00:00.123456789012345678901234567Z":       true,
	"2026-09-24T12:00:00." + strings.Repeat("0", 5000) + "Z": true,
	"2026-09-24T12:00:00+00:00":                              true,
	"2026-09-24T12:00:00-00:00":                              true,
	"2026-09-24T12:00:00+23:59":                              true,
	"2026-09-24T12:00:00-23:59":                              true,
	"2026-09-24T12:00:00\u221202:30":                         true,
	"2026-09-24T12:00:00.5\u221202:30":                       true,
	"2026-09-24T12:00:60Z":                                   true,
	"2026-09-24T12:34:60Z":                                   true,
	"2026-09-24T23:59:60.999Z":                               true,
	"0000-01-01T00:00:00Z":                                   true,
	"0000-02-29T00:00:00Z":                                   true, // a leap year
	"2000-02-29T00:00:00Z":                                   true,
	"2024-02-29T00:00:00Z":                                   true,
	"9999-12-31T23:59:59Z":                                   true,

	"":                               false,
	"2026-09-24":                     false,
	"2026-09-24T12:00:00":            false,
	"2026-09-24T12:00Z":              false,
	"2026-09-24T12:00:00+0000":       false,
	"2026-09-24T12:00:00+00":         false,
	"2026-09-24T12:00:00+00:0":       false,
	"2026-09-24T12:00:00+00:000":     false,
	"2026-09-24T12:00:00+24:00":      false,
	"2026-09-24T12:00:00+00:60":      false,
	"2026-09-24T12:00:00+0a:00":      false,
	"2026-09-24T12:00:00\u2212":      false,
	"2026-09-24T12:00:00\u221224:00": false,
	"2026-09-24T12:00:00\u201302:00": false, // an en dash
	"2026-09-24T24:00:00Z":           false,
	"2026-09-24T12:60:00Z":           false,
	"2026-09-24T12:00:61Z":           false,
	"2026-09-24T12:00:00,5Z":         false,
	"2026-09-24T12:00:00.Z":          false,
	"2026-09-24T12:00:00.5":          false,
	"2026-09-24T12:00:00.5.5Z":       false,
	"2026-09-24T12:00:00.":           false,
	"2026-02-30T00:00:00Z":           false,
	"2025-02-29T00:00:00Z":           false,
	"1900-02-29T00:00:00Z":           false,
	"2026-04-31T00:00:00Z":           false,
	"2026-00-10T00:00:00Z":           false,
	"2026-13-10T00:00:00Z":           false,
	"2026-01-00T00:00:00Z":           false,
	"2026-01-32T00:00:00Z":           false,
	" 2026-09-24T12:00:00Z":          false,
	"2026-09-24T12:00:00Z ":          false,
	"2026-09-24T12:00:00 Z":          false,
	"2026-09-24  12:00:00Z":          false,
	"2026-09-24_12:00:00Z":           false,
	"+2026-09-24T12:00:00Z":          false,
	"-2026-09-24T12:00:00Z":          false,
	"12026-09-24T12:00:00Z":          false,
	"2026-9-24T12:00:00Z":            false,
	"2026/09/24T12:00:00Z":           false,
	"2026-09-24T12-00-00Z":           false,
	"2026-09-24T12:00:00ZZ":          false,
	"2026-09-24T12:00:00UTC":         false,
	"２026-09-24T12:00:00Z":           false,
}

func TestRFC3339(t *testing.T) {
	for s, want := range times {
		if got := rfc3339([]byte(s)); got != want {
			t.Errorf("rfc3339(%.60q) = %v", s, got)
		}
		for n := range min(len(s), 40) {
			if want && rfc3339([]byte(s[:n])) {
				t.Errorf("rfc3339(%q) = true", s[:n])
			}
		}
	}
}

// The days of every month, against package time.
func TestMonthDays(t *testing.T) {
	for year := range 2401 {
		for month := 1; month <= 12; month++ {
			want := time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
			if got := monthDays(year, month); got != want {
				t.Fatalf("%d-%02d has %d days, want %d", year, month, got, want)
			}
		}
	}
}

func TestTimestampSpelled(t *testing.T) {
	for value, want := range map[string]string{
		`"2026-09-24t12:00:00.5+01:00"`:    `"2026-09-24t12:00:00.5+01:00"`, // as it stands, never normalised
		`"2026-09-24T12:00:00\u005a"`:      `"2026-09-24T12:00:00Z"`,
		`"2026-09-24T12:00:00\u221202:00"`: "\"2026-09-24T12:00:00\u221202:00\"",
		`"24 September"`:                   "null",
		`1790000000`:                       "null",
		`null`:                             "null",
		`{"at":"2026-09-24T12:00:00Z"}`:    "null",
	} {
		log := fmt.Sprintf(`%s`+"\n"+`{"timestamp":%s,"type":"compacted","payload":{"message":"m"}}`+"\n", meta("s"), value)
		rep := inspectString(t, log)
		if got := show(rep.Events[0].Timestamp); got != want {
			t.Errorf("timestamp %s gives %s, want %s", value, got, want)
		}
		codes := []string{"compaction@2"}
		if want == "null" {
			codes = []string{"invalid_timestamp@2", "compaction@2"}
		}
		wantCodes(t, rep, codes...)
	}
	rep := inspectString(t, meta("s")+"\n"+`{"type":"compacted","payload":{"message":"m"}}`+"\n")
	wantCodes(t, rep, "invalid_timestamp@2", "compaction@2")
}

// FuzzRFC3339 holds it to package time: what is accepted in the form that both
// know, and has no leap second, is parsed there too. (The other way round
// time.Parse is laxer: it takes +24:00 and T1:00:00.)
func FuzzRFC3339(f *testing.F) {
	for s := range times {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := rfc3339([]byte(s))
		if got && s[10] == 'T' && s[17:19] != "60" && !strings.HasSuffix(s, "z") && !strings.Contains(s, "\u2212") {
			if _, err := time.Parse(time.RFC3339, s); err != nil {
				t.Errorf("accepted %q: %v", s, err)
			}
		}
		if v := rollout.Raw(`"` + s + `"`); !strings.Contains(s, `\`) && rollout.Scan(v, new(rollout.Envelope)) == rollout.NoFault && validTime(v) != got {
			t.Errorf("%q is %v as a value", s, !got)
		}
	})
}
