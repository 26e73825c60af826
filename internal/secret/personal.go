package secret

import (
	"slices"
	"strings"
)

// HomePath and Email are the codes of what is personal.
const (
	HomePath = "home_path"
	Email    = "email"
)

// emails gives the addresses of a text. What git calls git@host is none.
func emails(s string) []match {
	var list []match
	for at := 0; ; {
		n, next := atSign(s, at)
		if n < 0 {
			return list
		}
		at = next
		start, stop := mailBytes.back(s, n, 64), dotted.run(s, next)
		for start < n && s[start] == '.' {
			start++
		}
		host := strings.TrimRight(s[next:stop], ".-_")
		if start == n || s[start:n] == "git" || !mailHost(host) {
			continue
		}
		stop = next + len(host)
		if start > 0 && s[start-1] == '\\' { // of an escape
			start++
		}
		if start >= n || len(list) > 0 && start < list[len(list)-1].end {
			continue
		}
		value := strings.ToLower(s[start:n] + "@" + host)
		list = append(list, match{code: Email, from: start, start: start, end: stop, value: value})
		at = stop
	}
}

// atSign gives where the next @ stands, as it is or with a percent sign.
func atSign(s string, at int) (n, end int) {
	n = strings.IndexByte(s[at:], '@')
	limit := len(s)
	if n >= 0 {
		n += at
		limit = n
	}
	if m := strings.Index(s[at:limit], "%40"); m >= 0 {
		return at + m, at + m + 3
	}
	return n, n + 1
}

var mailBytes = newClass("A-Za-z0-9_.+-")

// mailHost reports whether a name has a dot and ends with letters.
func mailHost(host string) bool {
	dot := strings.LastIndexByte(host, '.')
	if dot < 1 || len(host)-dot < 3 || !alnum[host[0]] {
		return false
	}
	for _, b := range []byte(host[dot+1:]) {
		if l := lower(b); l < 'a' || l > 'z' {
			return false
		}
	}
	return true
}

// homes are the spellings of a home folder, longest first.
type homes []string

func newHomes(home string) homes {
	home = strings.TrimRight(home, `/\`)
	if home == "" || home == AnyHome {
		return nil
	}
	list := homes{
		home,
		strings.ReplaceAll(home, "/", `\/`),
		strings.ReplaceAll(home, "/", "%2F"),
		strings.ReplaceAll(home, `\`, `\\`),
		strings.ReplaceAll(home, `\`, `\\\\`),
		strings.ReplaceAll(home, `\`, "/"),
	}
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return slices.Compact(list)
}

// userFolders are what folders of users lie in, in the spellings of escapes.
var userFolders = []string{"/home/", "/Users/", `\/home\/`, `\/Users\/`, "%2Fhome%2F", "%2FUsers%2F", `\Users\`, `\\Users\\`, `\\\\Users\\\\`}

// tildes writes home folders as ~.
func (r *Redactor) tildes(s string) string {
	for _, home := range r.homes {
		s = r.tilde(s, home, func(s string, _, end int) (int, int) {
			if tokens[byteAt(s, end)] {
				return 0, 0 // of a longer name
			}
			return 0, end
		})
	}
	for _, folder := range userFolders {
		s = r.tilde(s, folder, userFolder)
	}
	return s
}

// userFolder takes a name of a user behind a folder of users, and the drive
// before it.
func userFolder(s string, at, end int) (back, stop int) {
	stop = end
	for stop < len(s) && (mailBytes[s[stop]] || s[stop] >= 0x80) {
		stop++
	}
	for stop > end && s[stop-1] == '.' {
		stop--
	}
	name := s[end:stop]
	if name == "" || name == "Shared" || name == "Public" {
		return 0, 0
	}
	switch b := byteAt(s, at-1); {
	case b == ':' && at >= 2 && alnum[s[at-2]]:
		return 2, stop
	case mailBytes[b] && !escapeBefore(s, at):
		return 0, 0 // deeper in a path, or an address
	}
	return 0, stop
}

// escapeBefore reports whether an escape ends at a place that stands for what is in
// no path: \n, \u0022, %20.
func escapeBefore(s string, at int) bool {
	for _, width := range []int{2, 3, 6} {
		var out [8]byte
		if at < width {
			break
		}
		if b := s[at-width]; b != '\\' && b != '%' {
			continue
		}
		if n, _ := unescape(s[at-width:at], &out); n == width && !mailBytes[out[0]] {
			return true
		}
	}
	return false
}

// tilde replaces a folder wherever it stands and grow gives an end for it.
func (r *Redactor) tilde(s, folder string, grow func(s string, at, end int) (back, stop int)) string {
	var b strings.Builder
	done := 0
	for at := 0; ; {
		n := strings.Index(s[at:], folder)
		if n < 0 {
			break
		}
		n += at
		at = n + len(folder)
		back, stop := grow(s, n, at)
		if stop == 0 || n-back < done {
			continue
		}
		b.WriteString(s[done : n-back])
		b.WriteByte('~')
		done, at = stop, stop
		r.count(HomePath, 1, 0)
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}
