package inspect

import (
	"bytes"

	"rollbook/internal/rollout"
)

// validTime reports whether a value is a string that spells an RFC 3339 time.
func validTime(v rollout.Raw) bool {
	if !v.IsString() {
		return false
	}
	var buf [64]byte
	return rfc3339(v.AppendText(buf[:0]))
}

// IsTime reports whether a text spells an RFC 3339 time, read as those of a
// rollout are.
func IsTime(s string) bool { return rfc3339([]byte(s)) }

// rfc3339 is the reading of RFC 3339 that the contract asks for, by hand since
// time.Parse draws its borders elsewhere (spec/inspect.md 2.5): T, t or a space
// between date and time; Z or z; second 60 at any minute; year 0000; any number
// of fraction digits; an offset up to 23:59, its minus also as U+2212.
func rfc3339(s []byte) bool {
	if len(s) < len("2006-01-02T15:04:05Z") || s[4] != '-' || s[7] != '-' || s[13] != ':' || s[16] != ':' {
		return false
	}
	if s[10] != 'T' && s[10] != 't' && s[10] != ' ' {
		return false
	}
	century, year := two(s[0:]), two(s[2:])
	if century < 0 || year < 0 {
		return false
	}
	month, day := two(s[5:]), two(s[8:])
	if month < 1 || month > 12 || day < 1 || day > monthDays(century*100+year, month) {
		return false
	}
	if !within(s[11:], 23) || !within(s[14:], 59) || !within(s[17:], 60) {
		return false
	}
	s = s[19:]
	if s[0] == '.' {
		n := 1
		for n < len(s) && '0' <= s[n] && s[n] <= '9' {
			n++
		}
		if n == 1 {
			return false
		}
		s = s[n:]
	}
	return offset(s)
}

// offset reads what ends a time.
func offset(s []byte) bool {
	if len(s) == 1 {
		return s[0] == 'Z' || s[0] == 'z'
	}
	for _, sign := range []string{"+", "-", "\u2212"} {
		if rest, ok := bytes.CutPrefix(s, []byte(sign)); ok {
			return len(rest) == len("00:00") && within(rest, 23) && rest[2] == ':' && within(rest[3:], 59)
		}
	}
	return false
}

// two gives the number that two digits spell, or -1.
func two(s []byte) int {
	a, b := s[0]-'0', s[1]-'0'
	if a > 9 || b > 9 {
		return -1
	}
	return int(a)*10 + int(b)
}

func within(s []byte, most int) bool {
	n := two(s)
	return 0 <= n && n <= most
}

func monthDays(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}
