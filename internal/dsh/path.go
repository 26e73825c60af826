package dsh

import (
	"path"
	"path/filepath"
	"strings"
	"unicode/utf16"
)

// LogName is the name of a log of format 3 in its session's folder.
const LogName = "session.v3.jsonl.zstd"

// noProject is the folder of sessions without a working directory.
const noProject = "_no-cwd"

// maxProject is how many UTF-16 units of a project's name are kept.
const maxProject = 251

// SessionPath is where the log of the session lies below a sessions root, with
// slashes (docs/format/dsh.md, P1).
func SessionPath(h Header) string {
	return path.Join(SessionDir(h), LogName)
}

// SessionDir is the folder of SessionPath, <project>/<session>: the key under
// which what was published is recorded.
func SessionDir(h Header) string {
	project := noProject
	if h.Cwd != "" {
		project = ProjectKey(h.Cwd)
	}
	return path.Join(project, EncodeSegment(h.ID))
}

// ProjectKey is the folder for the sessions of a working directory
// (docs/format/dsh.md, P2).
func ProjectKey(cwd string) string {
	var b strings.Builder
	separated := false
	for _, unit := range utf16.Encode([]rune(cwd)) {
		separator := unit == '/' || unit == '\\' || unit == ':'
		switch {
		case !separator:
			appendUnit(&b, unit)
		case !separated:
			b.WriteByte('-')
		}
		separated = separator
	}
	key := strings.TrimLeft(b.String(), "-")
	if key == "" {
		key = "root"
	}
	return "--" + key[:min(len(key), maxProject)] + "--"
}

// EncodeSegment makes one name of a path of any text but the empty one
// (docs/format/dsh.md, P3).
func EncodeSegment(s string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(s)) {
		if s == "." || s == ".." {
			escapeUnit(&b, unit)
		} else {
			appendUnit(&b, unit)
		}
	}
	return b.String()
}

// appendUnit keeps letters, digits, dot, underscore and minus of ASCII and
// escapes every other UTF-16 unit.
func appendUnit(b *strings.Builder, unit uint16) {
	c := byte(unit)
	switch {
	case unit < 0x80 && ('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
		c == '.' || c == '_' || c == '-'):
		b.WriteByte(c)
	default:
		escapeUnit(b, unit)
	}
}

func escapeUnit(b *strings.Builder, unit uint16) {
	const digits = "0123456789ABCDEF"
	b.Write([]byte{'~', digits[unit>>12], digits[unit>>8&15], digits[unit>>4&15], digits[unit&15]})
}

// absolute reports whether the harness takes cwd as absolute: it starts at the
// root as the harness's own system has it.
func absolute(cwd string) bool { return strings.HasPrefix(cwd, "/") || filepath.IsAbs(cwd) }
