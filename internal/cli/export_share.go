package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"rollbook/internal/secret"
	"rollbook/internal/term"
	"rollbook/internal/transcript"
)

// A share stands between threads and what is written of them: it redacts what
// goes in, where that was asked for, and looks through what comes out.
type share struct {
	redactor *secret.Redactor // nil: threads go in as they are
	found    []secret.Count   // in what was written as it was
}

func (e *Env) newShare(r redactFlags) *share {
	o := e.redactions(r)
	if o == nil {
		return &share{}
	}
	return &share{redactor: secret.NewRedactor(*o)}
}

// thread gives a thread as it is to be written.
func (s *share) thread(t *transcript.Thread) *transcript.Thread {
	if s.redactor == nil {
		return t
	}
	return s.redactor.Thread(t)
}

// text gives words about a thread as they are to be written or told.
func (s *share) text(text string) string {
	if s.redactor == nil {
		return text
	}
	return s.redactor.Text(text)
}

func (s *share) texts(list []string) []string {
	clean := make([]string, len(list))
	for i, text := range list {
		clean[i] = s.text(text)
	}
	return clean
}

// write writes, and looks through what was written. What was redacted must have
// nothing left: else it is an error, by which a file that was being written is
// not. What was not is remembered, to be told.
func (s *share) write(w io.Writer, form secret.Form, write func(io.Writer) error) error {
	residue := secret.NewResidue(secret.Redact, form)
	if s.redactor != nil {
		residue = s.redactor.Residue(form)
	}
	if err := write(io.MultiWriter(w, residue)); err != nil {
		return err
	}
	left, ok := errors.AsType[*secret.ResidueError](residue.Close())
	switch {
	case !ok:
		return nil
	case s.redactor != nil:
		return &exitError{exitFindings, left}
	}
	for _, c := range left.Counts {
		i := slices.IndexFunc(s.found, func(f secret.Count) bool { return f.Code == c.Code })
		if i < 0 {
			s.found = append(s.found, secret.Count{Code: c.Code})
			i = len(s.found) - 1
		}
		s.found[i].Count += c.Count
	}
	return nil
}

// staged writes to standard output only what was written whole and found clean.
func (e *Env) staged(w io.Writer, write func(io.Writer) error) error {
	f, err := os.CreateTemp("", "rollbook-export-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	buf := bufio.NewWriterSize(f, 64<<10)
	if err = write(buf); err == nil {
		err = buf.Flush()
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err == nil {
		_, err = io.Copy(w, f)
	}
	return err
}

// tellShare says what was redacted, or what should be, and gives errFindings for
// the latter.
func (e *Env) tellShare(s *share) error {
	if s.redactor != nil {
		if counts := s.redactor.Counts(); len(counts) > 0 {
			e.hintf("redacted: %s; look yourself before you share it", countsText(counts))
		}
		return nil
	}
	if len(s.found) == 0 {
		return nil
	}
	e.warnf("possible secrets in what was written: %s", countsText(s.found))
	e.hintf("--redact puts placeholders in their place")
	return errFindings
}

func countsText(counts []secret.Count) string {
	parts := make([]string, len(counts))
	for i, c := range counts {
		parts[i] = fmt.Sprintf("%s %s", c.Code, term.FormatCount(int64(c.Count)))
	}
	return strings.Join(parts, ", ")
}
