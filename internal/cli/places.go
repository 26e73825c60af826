package cli

import (
	"errors"
	"path/filepath"
	"runtime"
	"time"
)

func (e *Env) getenv(name string) string {
	if e.Getenv == nil {
		return ""
	}
	return e.Getenv(name)
}

func (e *Env) now() time.Time {
	if e.Now == nil {
		return time.Now()
	}
	return e.Now()
}

// path gives the name under which a file named on the command line is opened.
func (e *Env) path(name string) string {
	if e.Dir == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.Dir, name)
}

// absPath is path made absolute and lexically clean. Links are not followed.
func (e *Env) absPath(name string) (string, error) {
	return filepath.Abs(e.path(name))
}

// codexHome gives the Codex home that a command may read: the value of its
// --home, else CODEX_HOME. Nothing is ever looked for anywhere else, so the
// answer may be no.
func (e *Env) codexHome(flag string) (dir string, ok bool) {
	if flag == "" {
		flag = e.getenv("CODEX_HOME")
	}
	return e.path(flag), flag != ""
}

// dataDir gives the folder of our own data: ROLLBOOK_DATA, else rollbook in
// XDG_DATA_HOME (absolute, as the XDG base directory specification wants), else
// the usual place of the system. It need not exist.
func (e *Env) dataDir() (string, error) {
	if dir := e.getenv("ROLLBOOK_DATA"); dir != "" {
		return e.absPath(dir)
	}
	if dir := e.getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "rollbook"), nil
	}
	if dir := e.getenv("LocalAppData"); runtime.GOOS == "windows" && filepath.IsAbs(dir) {
		return filepath.Join(dir, "rollbook"), nil
	}
	if home := e.getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".local", "share", "rollbook"), nil
	}
	return "", withHint(errors.New("no place for rollbook's data: HOME is not set"), "set ROLLBOOK_DATA to a folder")
}
