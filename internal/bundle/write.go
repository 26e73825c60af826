package bundle

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"rollbook/internal/fsx"
	"rollbook/internal/inspect"
	"rollbook/internal/secret"
)

// ErrFindings says that a bundle was not written because of possible secrets.
var ErrFindings = errors.New("possible secrets")

// Write writes the bundle to a new folder of that name: whole or not at all, the
// manifest last (B1, B2). Nothing is written where there are findings. With a
// redaction what was written is looked through once more, and an error that wraps
// a *secret.ResidueError leaves nothing behind.
func (p *Prepared) Write(ctx context.Context, fsys fsx.WriteFS, dir string) error {
	if !p.Clean() {
		return ErrFindings
	}
	return fsx.CreateFolder(fsys, filepath.Clean(dir), func(tmp string) error {
		put := func(name string, write func(io.Writer) error) error {
			return fsx.WriteFile(fsys, filepath.Join(tmp, filepath.FromSlash(name)), 0o600, p.checked(write))
		}
		if err := put(HandoffName, bytesOf(p.Handoff)); err != nil {
			return err
		}
		if err := put(HistoryName, func(w io.Writer) error { return p.history(ctx, w) }); err != nil {
			return err
		}
		if err := p.writeCode(fsys, tmp); err != nil {
			return err
		}
		return put(ManifestName, bytesOf(p.manifest))
	})
}

// writeCode writes the selected code. It is never redacted, because its hashes
// are those of the files; a finding in it blocks writing.
func (p *Prepared) writeCode(fsys fsx.WriteFS, dir string) error {
	if p.Code == nil {
		return nil
	}
	if len(p.Code.Patch) > 0 {
		if err := fsx.WriteFile(fsys, filepath.Join(dir, PatchName), 0o600, bytesOf(p.Code.Patch)); err != nil {
			return err
		}
	}
	if len(p.Code.NewFiles) == 0 {
		return nil
	}
	folder := filepath.Join(dir, FilesName)
	if err := fsys.Mkdir(folder, 0o700); err != nil {
		return err
	}
	for _, f := range p.Code.NewFiles {
		if err := fsx.WriteFile(fsys, filepath.Join(dir, filepath.FromSlash(f.Path)), 0o600, bytesOf([]byte(f.Content))); err != nil {
			return err
		}
	}
	return fsys.SyncDir(folder)
}

func bytesOf(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// checked looks for what a redaction left in what is written.
func (p *Prepared) checked(write func(io.Writer) error) func(io.Writer) error {
	if p.options.Redact == nil {
		return write
	}
	return func(w io.Writer) error {
		residue := secret.NewRedactor(*p.options.Redact).Residue(secret.Plain)
		if err := write(io.MultiWriter(w, residue)); err != nil {
			return err
		}
		return residue.Close()
	}
}

// WriteJSON writes what Write would write, as one JSON object, and the findings
// (spec/bundle.md 5.2).
func (p *Prepared) WriteJSON(ctx context.Context, w io.Writer) error {
	j := jsonWriter{w: w}
	j.raw("{\n  \"manifest\": ", indented(p.manifest), ",\n  \"handoff\": ")
	j.text(string(p.Handoff))
	j.raw(",\n  \"history\": \"")
	if j.err == nil {
		j.err = p.history(ctx, &escaper{w: w})
	}
	j.raw("\",\n  \"findings\": ")
	j.findings(p.Findings, "  ")
	j.raw(fmt.Sprintf(",\n  \"partial\": %t", p.Partial))
	if p.Code != nil {
		j.raw(",\n  \"code\": {\n    \"patch\": ")
		j.text(string(p.Code.Patch))
		j.raw(",\n    \"new_files\": ")
		j.list(len(p.Code.NewFiles), "    ", func(i int) []byte { return marshal(p.Code.NewFiles[i]) })
		j.raw("\n  }")
	}
	j.raw("\n}\n")
	return j.err
}

// WriteFindings writes what is said instead of writing the bundle.
func (p *Prepared) WriteFindings(w io.Writer) error {
	j := jsonWriter{w: w}
	j.raw("{\n  \"findings\": ")
	j.findings(p.Findings, "  ")
	j.raw(",\n  \"written\": false\n}\n")
	return j.err
}

// indented gives an indented JSON value two spaces further in.
func indented(data []byte) string {
	v := jsontext.Value(data).Clone()
	v.Indent(jsontext.WithIndent("  "), jsontext.WithIndentPrefix("  "), jsontext.AllowDuplicateNames(true))
	return string(v)
}

// An escaper writes the inside of a JSON string, one line of text after another.
type escaper struct {
	w   io.Writer
	buf []byte
}

func (e *escaper) Write(p []byte) (int, error) {
	for piece := range slices.Chunk(p, 32<<10) {
		e.buf = inspect.AppendQuoted(e.buf[:0], string(piece))
		if _, err := e.w.Write(e.buf[1 : len(e.buf)-1]); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}
