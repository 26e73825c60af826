package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"rollbook/internal/dsh"
	"rollbook/internal/fsx"
	"rollbook/internal/harness"
	"rollbook/internal/transcript"
)

// Values of --images.
const (
	imagesAuto    = "auto"
	imagesHarness = "harness"
	imagesOwn     = "own"
)

// harnessInstall finds the harness: the folder or the program that the variables
// name, else dsh on the PATH. What is not found is left empty, and said by who
// needs it.
func (e *Env) harnessInstall() harness.Install {
	var in harness.Install
	if node, err := exec.LookPath("node"); err == nil {
		in.Node, _ = filepath.Abs(node)
	}
	for _, root := range filepath.SplitList(e.getenv("DSH_CODEX_IMPORT_DSH_ROOT")) {
		in.Roots = append(in.Roots, e.path(root))
	}
	if bin := e.harnessProgram(); bin != "" {
		if real, err := filepath.EvalSymlinks(bin); err == nil {
			in.Roots = append(in.Roots, filepath.Dir(real), filepath.Dir(filepath.Dir(real)))
		}
	}
	return in
}

// harnessProgram gives the program dsh; empty where there is none.
func (e *Env) harnessProgram() string {
	if bin := e.getenv("DSH_CODEX_IMPORT_DSH_BIN"); bin != "" {
		return e.path(bin)
	}
	for _, root := range filepath.SplitList(e.getenv("DSH_CODEX_IMPORT_DSH_ROOT")) {
		for _, name := range []string{filepath.Join(root, "lib", "bin.js"), filepath.Join(root, "node_modules", ".bin", "dsh")} {
			if info, err := os.Stat(e.path(name)); err == nil && info.Mode().IsRegular() {
				return e.path(name)
			}
		}
	}
	bin, err := exec.LookPath("dsh")
	if err != nil {
		return ""
	}
	return bin
}

// An imageStore takes the images of conversions. Close it after use.
type imageStore interface {
	dsh.Admitter
	Close() error
}

// openImages opens the store of a home; nil where no images are to be attached.
// A rehearsal gives the references that the real thing would, and leaves nothing.
func (e *Env) openImages(ctx context.Context, o *dshOptions, home string, rehearsal bool) (imageStore, error) {
	if o.noImages || home == "" {
		return nil, nil
	}
	if o.images != imagesOwn {
		store, err := e.openHarnessImages(ctx, o, home, rehearsal)
		if _, missing := errors.AsType[*harness.MissingError](err); !missing || o.images == imagesHarness {
			return store, err
		}
	}
	return &ownImages{dsh.Store{FS: fsx.OS, Dir: filepath.Join(home, "attachments", "v1"), MaxBytes: o.maxImage, DryRun: rehearsal}}, nil
}

type ownImages struct{ dsh.Store }

func (*ownImages) Close() error { return nil }

// harnessImages go through the harness's own code.
type harnessImages struct {
	store    *harness.Store
	maxBytes int64
	scratch  string // of a rehearsal, which is a store of its own that is thrown away
}

func (e *Env) openHarnessImages(ctx context.Context, o *dshOptions, home string, rehearsal bool) (imageStore, error) {
	h := &harnessImages{maxBytes: o.maxImage}
	if rehearsal {
		dir, err := e.scratchDir()
		if err == nil {
			h.scratch, err = os.MkdirTemp(dir, "rollbook-")
		}
		if err != nil {
			return nil, err
		}
		home = h.scratch
	}
	var err error
	if h.store, err = e.harnessInstall().OpenStore(ctx, home); err != nil {
		if h.scratch != "" {
			err = errors.Join(err, os.RemoveAll(h.scratch))
		}
		return nil, err
	}
	return h, nil
}

// Admit implements dsh.Admitter.
func (h *harnessImages) Admit(ctx context.Context, img *transcript.Image) (dsh.Image, error) {
	if err := ctx.Err(); err != nil {
		return dsh.Image{}, err
	}
	if img.Bytes > h.maxBytes {
		return dsh.Image{}, &dsh.Refusal{Reason: fmt.Sprintf("larger than %d bytes", h.maxBytes)}
	}
	mediaType := img.MediaType
	if img.Declared != "" {
		mediaType = strings.ToLower(img.Declared) // the harness compares it with the bytes
	}
	r, err := img.Open()
	if err != nil {
		return dsh.Image{}, err
	}
	defer r.Close()
	ref, err := h.store.Save(io.LimitReader(r, img.Bytes), img.Bytes, mediaType)
	if refused, ok := errors.AsType[*harness.RefusedError](err); ok {
		return dsh.Image{}, &dsh.Refusal{Reason: "the harness: " + refused.Reason}
	}
	if err != nil {
		return dsh.Image{}, err
	}
	image := dsh.Image{ID: ref.AttachmentID, MediaType: ref.MediaType, Width: ref.Width, Height: ref.Height, Bytes: ref.Bytes, Name: ref.Name}
	if ref.OriginalDimensions != nil {
		image.OriginalWidth, image.OriginalHeight = ref.OriginalDimensions.Width, ref.OriginalDimensions.Height
	}
	return image, nil
}

func (h *harnessImages) Close() error {
	err := h.store.Close()
	if h.scratch != "" {
		err = errors.Join(err, os.RemoveAll(h.scratch))
	}
	return err
}
