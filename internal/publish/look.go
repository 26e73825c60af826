package publish

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"rollbook/internal/confine"
	"rollbook/internal/dsh"
)

// presence is what is at the place of a session.
type presence int

const (
	absent presence = iota // nothing
	hollow                 // a folder that holds nothing, or what a cut run left
	there                  // a log that can be read
)

// A sight is what was seen of a session's place.
type sight struct {
	presence presence
	info     dsh.Info
	locked   bool   // the harness has the session open
	newer    string // a log of a newer format beside the log
}

// whole reports whether nobody went on with the log.
func (s sight) whole() bool {
	return s.presence == there && s.info.Frames == ownedFrames && s.newer == ""
}

// continued says how far the harness went on with a log.
func (s sight) continued() string {
	switch {
	case s.newer != "":
		return fmt.Sprintf("continued in DSH (%s lies beside it)", s.newer)
	case s.info.Frames != ownedFrames:
		return fmt.Sprintf("continued in DSH (%d frames, %s)", s.info.Frames, count(s.info.Turns, "turn"))
	}
	return ""
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// errPlace says that a session's place is not as it should be, or could not be
// looked at: what is there is left alone.
var errPlace = errors.New("left alone")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errPlace, fmt.Errorf(format, args...))
}

// why is what refuse was given.
func why(err error) string {
	return strings.TrimPrefix(err.Error(), errPlace.Error()+": ")
}

// look tells what is at the place of a session. Links, and what is no folder or
// log, are refused.
func (t *tree) look(key string) (sight, error) {
	for _, dir := range []string{t.base, t.project(key), t.dir(key)} {
		info, err := t.fsys.Lstat(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return sight{}, nil
		case err != nil:
			return sight{}, refuse("unreadable: %w", err)
		case info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0:
			return sight{}, refuse("%s is a symbolic link", t.absolute(dir))
		case !info.IsDir():
			return sight{}, refuse("%s is not a folder", t.absolute(dir))
		}
	}
	return t.lookInto(key)
}

func (t *tree) lookInto(key string) (sight, error) {
	s, other, err := t.beside(key)
	if err != nil {
		return s, refuse("unreadable: %w", err)
	}
	info, err := t.fsys.Lstat(t.log(key))
	switch {
	case errors.Is(err, fs.ErrNotExist) && other == "":
		s.presence = hollow
		return s, nil
	case errors.Is(err, fs.ErrNotExist):
		return s, refuse("the folder has no %s, but %s", dsh.LogName, other)
	case err != nil:
		return s, refuse("unreadable: %w", err)
	case !info.Mode().IsRegular():
		return s, refuse("the log is %s", kind(info))
	}
	f, info, err := openRegular(t.fsys, t.log(key))
	if errors.Is(err, confine.ErrLink) {
		return s, refuse("the log is a symbolic link")
	}
	if err != nil {
		return s, refuse("unreadable: %w", err)
	}
	defer f.Close()
	s.info, err = dsh.Probe(f, info.Size())
	if err != nil {
		return s, refuse("unreadable: %w", err)
	}
	s.presence = there
	return s, nil
}

// beside looks at what else is in a session's folder: the harness's lock, a log
// of a newer format, anything that is not ours and no log of this one.
func (t *tree) beside(key string) (s sight, other string, err error) {
	d, err := t.fsys.OpenDir(t.dir(key))
	if err != nil {
		return s, "", err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	if err != nil {
		return s, "", err
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case name == sessionLock:
			s.locked = true
		case newerLog(name):
			s.newer = name
		}
		if name != dsh.LogName && !(temporary(name) && e.Type().IsRegular()) {
			other = name
		}
	}
	return s, other, nil
}

// newerLog reports whether a name is that of a log of a format after 3, which
// the harness writes beside the log that it came from.
func newerLog(name string) bool {
	generation, ok := strings.CutPrefix(name, "session.v")
	if !ok {
		return false
	}
	generation, ok = strings.CutSuffix(generation, ".jsonl.zstd")
	if !ok || generation == "" || strings.Trim(generation, "0123456789") != "" {
		return false
	}
	generation = strings.TrimLeft(generation, "0")
	return len(generation) > 1 || generation > "3"
}

// elsewhere gives the project in which the same session lies besides its own:
// the harness refuses a root with one session twice.
func (t *tree) elsewhere(key string, projects []string) (string, error) {
	own, session := path.Split(key)
	for _, p := range projects {
		if p == strings.TrimSuffix(own, "/") {
			continue
		}
		_, err := t.fsys.Lstat(path.Join(t.base, p, session, dsh.LogName))
		if err == nil {
			return p, nil
		}
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, confine.ErrLink) {
			return "", err
		}
	}
	return "", nil
}

// projects lists the folders of the sessions root.
func (t *tree) projects() ([]string, error) {
	d, err := t.fsys.OpenDir(t.base)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.Close()
	entries, err := d.ReadDir(-1)
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names, err
}
