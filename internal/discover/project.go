package discover

import (
	"regexp"
	"strings"
)

// noProject is the folder that the desktop application makes for a thread that
// was begun without one: a name below a date below Documents/Codex.
var noProject = regexp.MustCompile(`(?i)(^|[/\\])Documents[/\\]Codex[/\\]\d{4}-\d{2}-\d{2}([/\\][^/\\]+)?[/\\]*$`)

// ProjectKey gives the key by which folders are compared: two that Windows
// takes for the same have the same key, whatever their case and slashes. It is
// empty for a thread without a project: no folder, or one that the desktop
// application made for it. The key is for comparing only; what is shown is the
// first spelling.
func ProjectKey(cwd string) string {
	if noProject.MatchString(cwd) {
		return ""
	}
	return PathKey(cwd)
}

// PathKey is ProjectKey for any path: no folder is left out.
func PathKey(name string) string {
	if !WindowsPath(name) {
		return trimSlashes(name, "/")
	}
	key := strings.ToLower(strings.ReplaceAll(name, "/", `\`))
	if rest, ok := strings.CutPrefix(key, `\\?\`); ok {
		key = rest
		if share, ok := strings.CutPrefix(rest, `unc\`); ok {
			key = `\\` + share
		}
	}
	return trimSlashes(key, `\`)
}

// Below reports whether a key is that of the folder, which is a key too, or of
// something below it.
func Below(key, folder string) bool {
	slash := "/"
	if WindowsPath(folder) {
		slash = `\`
	}
	return key == folder || strings.HasPrefix(key, strings.TrimSuffix(folder, slash)+slash)
}

// WindowsPath reports whether a path has a drive or names a share.
func WindowsPath(p string) bool {
	if strings.HasPrefix(p, `\\`) {
		return true
	}
	return len(p) >= 2 && p[1] == ':' && (p[0]|0x20 >= 'a' && p[0]|0x20 <= 'z') && (len(p) == 2 || p[2] == '\\' || p[2] == '/')
}

// trimSlashes takes slashes off the end, but leaves a root as it is.
func trimSlashes(p, slash string) string {
	if t := strings.TrimRight(p, slash); t != "" || p == "" {
		return t
	}
	return slash
}
