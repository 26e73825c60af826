package dsh

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"rollbook/internal/fsx"
	"rollbook/internal/pict"
	"rollbook/internal/transcript"
)

// Limits of the harness's store (docs/format/dsh.md, "Attachments"): of what it
// takes, and of what it keeps.
const (
	maxInput  = 20 << 20 // bytes
	maxPixels = 64_000_000
	maxSide   = 8192
	keptSize  = 4 << 20
	keptSide  = 2048
)

// DefaultMaxImage is the usual Store.MaxBytes.
const DefaultMaxImage = 64 << 20

// A Store is an attachment store of the harness, <dsh-home>/attachments/v1. It
// takes images as the harness's own code would, without that code: what the
// harness would keep as it is is kept, other images are decoded and encoded
// anew.
type Store struct {
	FS       fsx.WriteFS
	Dir      string
	MaxBytes int64 // an image with more bytes is not read; 0: DefaultMaxImage
	DryRun   bool  // only the references are made
}

// Admit implements Admitter. An object is synced before its reference is given.
func (s *Store) Admit(ctx context.Context, img *transcript.Image) (Image, error) {
	if err := ctx.Err(); err != nil {
		return Image{}, err
	}
	if refused := s.refuse(img); refused != "" {
		return Image{}, &Refusal{refused}
	}
	file, err := readImage(img)
	if err != nil {
		return Image{}, err
	}
	ref, kept, err := normal(file)
	if err != nil {
		return Image{}, err
	}
	if s.DryRun {
		return ref, nil
	}
	return ref, s.publish(kept)
}

// refuse says why an image is not read at all.
func (s *Store) refuse(img *transcript.Image) string {
	most := s.MaxBytes
	if most <= 0 {
		most = DefaultMaxImage
	}
	switch {
	case img.Bytes > most:
		return fmt.Sprintf("larger than %d bytes", most)
	case img.Bytes > maxInput:
		return fmt.Sprintf("larger than the %d bytes that the store takes", maxInput)
	case img.Declared != "":
		return fmt.Sprintf("recorded as %.40q, but it is %s", img.Declared, img.MediaType)
	}
	return ""
}

func readImage(img *transcript.Image) ([]byte, error) {
	r, err := img.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	file, err := io.ReadAll(io.LimitReader(r, maxInput+1))
	if err == nil && int64(len(file)) != img.Bytes {
		err = fmt.Errorf("image of %d bytes has %d now", img.Bytes, len(file))
	}
	return file, err
}

// normal gives an image as the store keeps it, and the reference to it.
func normal(file []byte) (Image, []byte, error) {
	facts, err := pict.Read(file)
	switch {
	case err != nil:
		return Image{}, nil, &Refusal{"no PNG, JPEG, WebP or GIF"}
	case facts.Width < 1 || facts.Height < 1:
		return Image{}, nil, &Refusal{"no pixels"}
	case max(facts.Width, facts.Height) > maxSide:
		return Image{}, nil, &Refusal{fmt.Sprintf("a side longer than %d pixels", maxSide)}
	case facts.Width*facts.Height > maxPixels:
		return Image{}, nil, &Refusal{fmt.Sprintf("more than %d pixels", maxPixels)}
	}
	kept, now := file, facts
	if !pict.Plain(file) || len(file) > keptSize || max(facts.Width, facts.Height) > keptSide {
		if kept, now, err = pict.Clean(file, keptSide, keptSize); err != nil {
			return Image{}, nil, &Refusal{"it cannot be decoded"}
		}
	} else if !pict.Whole(file) {
		return Image{}, nil, &Refusal{"it cannot be decoded"}
	}
	sum := sha256.Sum256(kept)
	ref := Image{ID: "sha256:" + hex.EncodeToString(sum[:]), MediaType: now.MediaType, Width: now.Width, Height: now.Height, Bytes: int64(len(kept))}
	if max(facts.Width, facts.Height) > max(now.Width, now.Height) {
		ref.OriginalWidth, ref.OriginalHeight = facts.Width, facts.Height
		if (facts.Width > facts.Height) != (now.Width > now.Height) { // it was turned upright
			ref.OriginalWidth, ref.OriginalHeight = facts.Height, facts.Width
		}
	}
	return ref, kept, nil
}

// publish writes an object, unless it is there: whole, synced, and under the
// digest of its bytes.
func (s *Store) publish(file []byte) error {
	sum := sha256.Sum256(file)
	name := hex.EncodeToString(sum[:])
	if err := errors.Join(s.folders("objects", name[:2]), s.folders("tmp")); err != nil {
		return err
	}
	at := filepath.Join(s.Dir, "objects", name[:2], name)
	switch there, err := s.holds(at, file); {
	case err != nil:
		return err
	case there:
		return nil
	}
	return fsx.WriteFileVia(s.FS, filepath.Join(s.Dir, "tmp"), at, 0o600, func(w io.Writer) error {
		_, err := w.Write(file)
		return err
	})
}

// folders makes the folders of the store that are missing: attachments, v1, and
// those of the path below it. None of them may be a link.
func (s *Store) folders(below ...string) error {
	if err := fsx.MkdirAll(s.FS, filepath.Dir(filepath.Dir(s.Dir))); err != nil {
		return err
	}
	dir := s.Dir
	all := []string{filepath.Dir(dir), dir}
	for _, name := range below {
		dir = filepath.Join(dir, name)
		all = append(all, dir)
	}
	for _, dir := range all {
		switch info, err := s.FS.Lstat(dir); {
		case errors.Is(err, fs.ErrNotExist):
			if err := fsx.MkdirAll(s.FS, dir); err != nil {
				return err
			}
		case err != nil:
			return err
		case !info.IsDir():
			return fmt.Errorf("%s is no folder", dir)
		}
	}
	return nil
}

// holds reports whether the object is there. One with other bytes, as an
// accident leaves it, is written anew; what is no file is left alone.
func (s *Store) holds(name string, file []byte) (bool, error) {
	info, err := s.FS.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case !info.Mode().IsRegular():
		return false, fmt.Errorf("%s is no file", name)
	case info.Size() != int64(len(file)):
		return false, nil
	}
	f, err := s.FS.Open(name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	there, err := io.ReadAll(io.LimitReader(f, int64(len(file))+1))
	return bytes.Equal(there, file), err
}
