package dsh

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rollbook/internal/fsx"
	"rollbook/internal/fsx/fsxtest"
	"rollbook/internal/pict"
	"rollbook/internal/transcript"
)

// recordedImage is an image as the reader of a thread gives it.
func recordedImage(file []byte) *transcript.Image {
	sum := sha256.Sum256(file)
	img := &transcript.Image{MediaType: "image/png", Bytes: int64(len(file)), SHA256: hex.EncodeToString(sum[:])}
	img.Open = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(file)), nil }
	return img
}

func encodedImage(t testing.TB, width, height int, photo bool) []byte {
	t.Helper()
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	var b bytes.Buffer
	var err error
	if photo {
		err = jpeg.Encode(&b, img, nil)
	} else {
		err = png.Encode(&b, img)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pixelFile(t testing.TB) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(pixel)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestAdmit is that an object is what its reference says, and where it must be.
func TestAdmit(t *testing.T) {
	huge := encodedImage(t, 3000, 1500, false)
	for _, c := range []struct {
		name          string
		file          []byte
		same          bool // the store keeps the bytes
		width, height int
		original      int
	}{
		{"passed through", encodedImage(t, 4, 3, false), true, 4, 3, 0},
		{"a photograph", encodedImage(t, 4, 3, true), true, 4, 3, 0},
		{"grey", pixelFile(t), false, 1, 1, 0},
		{"too wide", huge, false, 2048, 1024, 3000},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			store := &Store{FS: fsx.OS, Dir: storeAt(dir)}
			ref, err := store.Admit(context.Background(), recordedImage(c.file))
			if err != nil {
				t.Fatal(err)
			}
			sum := strings.TrimPrefix(ref.ID, "sha256:")
			name := filepath.Join(storeAt(dir), "objects", sum[:2], sum)
			kept := mustRead(t, name)
			facts, err := pict.Read(kept)
			if got := sha256.Sum256(kept); err != nil || hex.EncodeToString(got[:]) != sum || facts.MediaType != ref.MediaType ||
				facts.Width != ref.Width || facts.Height != ref.Height || int64(len(kept)) != ref.Bytes {
				t.Errorf("reference %+v, object %+v of %d bytes", ref, facts, len(kept))
			}
			if bytes.Equal(kept, c.file) != c.same || ref.Width != c.width || ref.Height != c.height || ref.OriginalWidth != c.original {
				t.Errorf("reference %+v", ref)
			}
			for at, want := range map[string]fs.FileMode{name: 0o600, filepath.Dir(name): 0o700, storeAt(dir): 0o700, filepath.Join(storeAt(dir), "tmp"): 0o700} {
				if info, err := os.Stat(at); err != nil || info.Mode().Perm() != want {
					t.Errorf("%s: %v %v", at, info.Mode(), err)
				}
			}
			if left, _ := os.ReadDir(filepath.Join(storeAt(dir), "tmp")); len(left) > 0 {
				t.Errorf("left in tmp: %v", left)
			}
			// Again it is the same object, and it is not written.
			before, _ := os.Stat(name)
			if again, err := store.Admit(context.Background(), recordedImage(c.file)); err != nil || again != ref {
				t.Errorf("again %+v %v", again, err)
			}
			if after, _ := os.Stat(name); !os.SameFile(before, after) {
				t.Error("the object was written again")
			}
			// A dry run makes the same reference, and no file.
			dry := t.TempDir()
			if got, err := (&Store{FS: fsx.OS, Dir: dry, DryRun: true}).Admit(context.Background(), recordedImage(c.file)); err != nil || got != ref {
				t.Errorf("dry run %+v %v", got, err)
			}
			if made, _ := os.ReadDir(dry); len(made) > 0 {
				t.Errorf("a dry run made %v", made)
			}
		})
	}
}

// claimed is a PNG that claims to have so many pixels.
func claimed(t testing.TB, width, height uint32) []byte {
	file := pixelFile(t)
	binary.BigEndian.PutUint32(file[16:], width)
	binary.BigEndian.PutUint32(file[20:], height)
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29]))
	return file
}

// TestRefused are the images that are not taken, each with its reason.
func TestRefused(t *testing.T) {
	cut := encodedImage(t, 64, 64, false)
	broken := bytes.Clone(cut)
	copy(broken[45:], "broken data in the stream")
	large := recordedImage(pixelFile(t))
	large.Bytes = 100 << 20
	large.Open = func() (io.ReadCloser, error) { return nil, errors.New("it must not be read") }
	middle := recordedImage(pixelFile(t))
	middle.Bytes = 30 << 20
	middle.Open = large.Open
	wrong := recordedImage(encodedImage(t, 4, 4, false))
	wrong.Declared = "image/webp"
	for _, c := range []struct {
		name, reason string
		img          *transcript.Image
	}{
		{"SVG", "no PNG, JPEG, WebP or GIF", recordedImage([]byte(`<svg xmlns="http://www.w3.org/2000/svg"/>`))},
		{"BMP", "no PNG, JPEG, WebP or GIF", recordedImage([]byte("BM\x3a\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00"))},
		{"AVIF", "no PNG, JPEG, WebP or GIF", recordedImage([]byte("\x00\x00\x00\x1cftypavif\x00\x00\x00\x00"))},
		{"a long side", "a side longer than 8192 pixels", recordedImage(claimed(t, 30_000, 1))},
		{"many pixels", "more than 64000000 pixels", recordedImage(claimed(t, 8192, 8192))},
		{"no pixels", "no PNG, JPEG, WebP or GIF", recordedImage(claimed(t, 0, 1))},
		{"cut", "it cannot be decoded", recordedImage(cut[:len(cut)-20])},
		{"broken", "it cannot be decoded", recordedImage(broken)},
		{"100 MB", "larger than 67108864 bytes", large},
		{"30 MB", "larger than the 20971520 bytes that the store takes", middle},
		{"another type", `recorded as "image/webp", but it is image/png`, wrong},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			_, err := (&Store{FS: fsx.OS, Dir: dir}).Admit(context.Background(), c.img)
			var refusal *Refusal
			if !errors.As(err, &refusal) || refusal.Reason != c.reason {
				t.Errorf("%v, want %q", err, c.reason)
			}
			if made, _ := os.ReadDir(dir); len(made) > 0 {
				t.Errorf("made %v", made)
			}
		})
	}
}

// TestStoreLinks is that nothing is written through a link, and that what is
// no object is not replaced.
func TestStoreLinks(t *testing.T) {
	file := encodedImage(t, 4, 3, false)
	sum := sha256.Sum256(file)
	name := hex.EncodeToString(sum[:])
	for _, at := range []string{"", "objects", "tmp", filepath.Join("objects", name[:2]), filepath.Join("objects", name[:2], name)} {
		t.Run(at, func(t *testing.T) {
			dir, outside := filepath.Join(t.TempDir(), "v1"), t.TempDir()
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, at)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(outside, filepath.Join(dir, at)); err != nil {
				t.Skip("this system makes no links:", err)
			}
			_, err := (&Store{FS: fsx.OS, Dir: dir}).Admit(context.Background(), recordedImage(file))
			var refusal *Refusal
			if err == nil || errors.As(err, &refusal) {
				t.Errorf("%v", err)
			}
			if made, _ := os.ReadDir(outside); len(made) > 0 {
				t.Errorf("written through the link: %v", made)
			}
		})
	}
}

// TestStoreMends is that an object which an accident left with other bytes is
// written anew.
func TestStoreMends(t *testing.T) {
	dir := t.TempDir()
	file := encodedImage(t, 4, 3, false)
	store := &Store{FS: fsx.OS, Dir: dir}
	ref, err := store.Admit(context.Background(), recordedImage(file))
	if err != nil {
		t.Fatal(err)
	}
	sum := strings.TrimPrefix(ref.ID, "sha256:")
	name := filepath.Join(dir, "objects", sum[:2], sum)
	for _, other := range [][]byte{nil, bytes.Repeat([]byte{1}, len(file))} {
		put(t, name, other)
		if _, err := store.Admit(context.Background(), recordedImage(file)); err != nil || !bytes.Equal(mustRead(t, name), file) {
			t.Errorf("%v; the object has %d bytes", err, len(mustRead(t, name)))
		}
	}
}

// TestStoreFaults fails each call of the file system in turn: the object is
// whole or not there, and the error is told.
func TestStoreFaults(t *testing.T) {
	file := encodedImage(t, 4, 3, false)
	sum := sha256.Sum256(file)
	name := hex.EncodeToString(sum[:])
	for n := 1; ; n++ {
		dir := t.TempDir()
		faults := fsxtest.NewFailing(fsx.OS, n)
		_, err := (&Store{FS: faults, Dir: dir}).Admit(context.Background(), recordedImage(file))
		kept, there := os.ReadFile(filepath.Join(dir, "objects", name[:2], name))
		if there == nil && !bytes.Equal(kept, file) {
			t.Fatalf("call %d: the object has %d bytes", n, len(kept))
		}
		if _, failed := faults.Failed(); !failed {
			if err != nil {
				t.Fatal(err)
			}
			if n < 10 {
				t.Errorf("only %d calls", n)
			}
			return
		}
		var refusal *Refusal
		if errors.As(err, &refusal) {
			t.Errorf("call %d: %v", n, err)
		}
	}
}

func userWithImages(text string, urls ...string) string {
	var list []string
	for _, u := range urls {
		list = append(list, jsonQuote(u))
	}
	return eventLine(`"type":"user_message","message":` + jsonQuote(text) + `,"images":[` + strings.Join(list, ",") + `]`)
}

// TestImagesOfMessages is what a message's images become, with a store and
// without: one refusal costs one image.
func TestImagesOfMessages(t *testing.T) {
	good := "data:image/png;base64," + base64.StdEncoding.EncodeToString(encodedImage(t, 4, 3, false))
	l := ofLines(t, metaLine(""), userWithImages("look", good, "data:image/png;base64,@@", good), userWithImages("", good),
		userWithImages("", "data:image/svg+xml;base64,PHN2Zy8+"))
	s := sessionOf(t, l, full, Options{Images: &Store{FS: fsx.OS, Dir: t.TempDir()}})
	const svg = "[Codex import: image omitted; attachment sha256:"
	said := s.said()
	if got, want := strings.Join(said[:5], "\n"), "u: look\ni: image/png\nu: "+imageUnavailable+"\ni: image/png\ni: image/png"; got != want || !strings.HasPrefix(said[5], "u: "+svg) {
		t.Errorf("%q", said)
	}
	if s.Images != 3 || s.ImagesSkipped != 2 || len(s.Refused) != 2 {
		t.Errorf("report %+v", s.Report)
	}
	s = sessionOf(t, l, full, Options{})
	if s.Images != 0 || s.ImagesSkipped != 5 || strings.Contains(string(s.log), `"image"`) {
		t.Errorf("report %+v", s.Report)
	}
}

// TestImageURLs are spellings of data URLs.
func TestImageURLs(t *testing.T) {
	for url, attached := range map[string]int{
		"data:image/png;base64," + pixel:                                    1,
		"data:IMAGE/PNG;base64," + pixel[:20] + "\n " + pixel[20:] + "\r\n": 1,
		"data:image/png;base64,@@":                                          0,
		"data:image/png;base64,abcd=":                                       0,
		"data:image/jpeg;base64," + pixel:                                   0, // another type
		"data:text/plain;base64," + pixel:                                   0,
		"data:image/png," + pixel:                                           0,
		"https://example.com/a.png":                                         0,
	} {
		s := sessionOf(t, ofLines(t, metaLine(""), userWithImages("", url)), full, Options{Images: &Store{FS: fsx.OS, Dir: t.TempDir()}})
		if s.Images != attached || s.ImagesSkipped != 1-attached {
			t.Errorf("%s: %d attached, %v", url, s.Images, s.Refused)
		}
	}
}

// counting counts how often each image is asked for.
type counting struct{ asked map[string]int }

func (c counting) Admit(_ context.Context, img *transcript.Image) (Image, error) {
	c.asked[img.SHA256]++
	return Image{ID: "sha256:" + img.SHA256, MediaType: "image/png", Width: 1, Height: 1, Bytes: 1}, nil
}

func TestImagesOnce(t *testing.T) {
	url := "data:image/png;base64," + pixel
	var many []string
	for range 25 {
		many = append(many, url)
	}
	th, err := ofLines(t, metaLine(""), userWithImages("a", many...), userWithImages("b", url)).Session(context.Background(), lineThread, full)
	if err != nil {
		t.Fatal(err)
	}
	c := counting{make(map[string]int)}
	report, err := Convert(context.Background(), th, Options{Images: c}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.asked) != 1 || report.Images != 21 || fmt.Sprint(report.Refused) != "[{more than 20 images or 200 MiB in one message 5}]" {
		t.Errorf("asked %v; report %+v", c.asked, report)
	}
	for _, n := range c.asked {
		if n != 1 {
			t.Errorf("asked %d times", n)
		}
	}
}

// TestGeneratedImage is that an image that the model made is a result.
func TestGeneratedImage(t *testing.T) {
	s := sessionOf(t, ofLines(t, metaLine(""), promptLine("draw"), itemLine(`"type":"image_generation_call","id":"ig_1","status":"completed","revised_prompt":"a dot","result":"`+pixel+`"`)),
		full, Options{Images: &Store{FS: fsx.OS, Dir: t.TempDir()}})
	expectSaid(t, s, "u: draw", `c: image_generation {"prompt":"a dot"}`, "r: [image generated]", "i: image/png")
}
