package harness_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rollbook/internal/harness"
	"rollbook/internal/harness/harnesstest"
)

// Without a harness the answer says so: never that a log is sound.
func TestNotInstalled(t *testing.T) {
	installed := harnesstest.Install(t)
	for name, in := range map[string]harness.Install{
		"no node":     {Roots: installed.Roots},
		"no folder":   {Node: installed.Node},
		"no packages": {Node: installed.Node, Roots: []string{t.TempDir()}},
		"some":        {Node: installed.Node, Roots: installed.Roots[:1]},
	} {
		n := 0
		for v, err := range in.Verify(t.Context(), t.TempDir(), t.TempDir()) {
			if _, ok := errors.AsType[*harness.MissingError](err); !ok {
				t.Errorf("%s: verify gives %+v, %v", name, v, err)
			}
			n++
		}
		if n != 1 {
			t.Errorf("%s: %d answers, want one error", name, n)
		}
	}
	in := harness.Install{Node: installed.Node, Roots: []string{t.TempDir()}}
	if _, err := in.OpenStore(t.Context(), t.TempDir()); err == nil {
		t.Error("a store without packages")
	}
	in.Roots = installed.Roots[:1] // the codec, but no image store
	if _, err := in.OpenStore(t.Context(), t.TempDir()); err == nil {
		t.Error("a store without its package")
	}
}

func TestStore(t *testing.T) {
	home := filepath.Join(t.TempDir(), "home")
	store, err := harnesstest.Install(t).OpenStore(t.Context(), home)
	if err != nil {
		t.Fatal(err)
	}
	save := func(data []byte, mediaType string) (harness.Reference, error) {
		return store.Save(bytes.NewReader(data), int64(len(data)), mediaType)
	}
	want := harness.Reference{AttachmentID: "sha256:" + onePixelSHA256, MediaType: "image/png", Bytes: int64(len(onePixel)), Width: 1, Height: 1}
	for range 2 { // the second time it is there already
		got, err := save(onePixel, "image/png")
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("one pixel: %v, %s", err, diff)
		}
	}
	for name, bad := range map[string]struct {
		data      []byte
		mediaType string
		code      string
	}{
		"another type": {onePixel, "image/jpeg", "IMAGE_TYPE_MISMATCH"},
		"no image":     {[]byte("x\ny"), "image/gif", "INVALID_IMAGE"},
		"empty":        {nil, "image/png", "INVALID_IMAGE"},
		"cut":          {onePixel[:50], "image/png", "INVALID_IMAGE"},
		"vector":       {[]byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), "image/svg+xml", "UNSUPPORTED_IMAGE_TYPE"},
		"too large":    {bytes.Repeat([]byte{7}, 4<<20), "image/png", "IMAGE_TOO_LARGE"},
	} {
		_, err := save(bad.data, bad.mediaType)
		refused, ok := errors.AsType[*harness.RefusedError](err)
		if !ok || refused.Code != bad.code {
			t.Errorf("%s: %v, want %s", name, err, bad.code)
		}
	}
	if _, err := save(onePixel, "image/png"); err != nil {
		t.Errorf("after refusals: %v", err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	if data, err := os.ReadFile(filepath.Join(home, "attachments", "v1", "objects", onePixelSHA256[:2], onePixelSHA256)); err != nil || !bytes.Equal(data, onePixel) {
		t.Errorf("the object: %v", err)
	}
	if _, err := save(onePixel, "image/png"); err == nil {
		t.Error("saved after Close")
	}
}

// Each broken log is refused by the check that is meant, and the sound one passes.
func TestVerify(t *testing.T) {
	in := harnesstest.Install(t)
	home := t.TempDir()
	want := writeSamples(t, home)
	root := filepath.Join(home, "sessions")
	got := map[string]string{}
	for v, err := range in.Verify(t.Context(), root, home) {
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(filepath.Dir(v.Path))
		var faults []string
		for fault := range v.Faults {
			faults = append(faults, fault)
		}
		slices.Sort(faults)
		got[name] = ""
		if len(faults) > 0 {
			got[name] = faults[0]
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for range in.Verify(t.Context(), root, home) {
		break // stopping early leaves no process behind
	}
}

// The runtime goes on with the sound log, and with no log that a provider or
// the runtime itself cannot take.
func TestLive(t *testing.T) {
	in := harnesstest.Install(t)
	home := t.TempDir()
	writeSamples(t, home)
	// One log in a wrong place, and the runtime lists none at all.
	if err := os.RemoveAll(filepath.Join(home, "sessions", "--srv-shop--", "another")); err != nil {
		t.Fatal(err)
	}
	cannot := map[string]bool{"extra-member": true, "no-block": true, "no-result": true, "no-id": true, "no-surface": true, "other-image": true}
	n := 0
	for _, s := range harnesstest.Live(t, in, filepath.Join(home, "sessions"), home) {
		switch {
		case s.ID == "sound" && (s.Problem != "" || !slices.Contains(s.Steps, "continued") || len(s.Messages) < 6):
			t.Errorf("sound: %+v", s)
		case cannot[s.ID] && s.Problem == "":
			t.Errorf("%s was continued", s.ID)
		}
		if s.ID == "sound" || cannot[s.ID] {
			n++
		}
	}
	if n != 1+len(cannot) {
		t.Errorf("%d sessions, want %d", n, 1+len(cannot))
	}
}
