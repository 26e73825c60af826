package pict

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"testing"
)

// samples are images of 7 by 5 pixels, but for the WebP, which is 1 by 1.
func samples(t testing.TB) map[string][]byte {
	img := image.NewGray(image.Rect(0, 0, 7, 5))
	all := make(map[string][]byte)
	for media, encode := range map[string]func(io.Writer) error{
		"image/png":  func(w io.Writer) error { return png.Encode(w, img) },
		"image/jpeg": func(w io.Writer) error { return jpeg.Encode(w, img, nil) },
		"image/gif":  func(w io.Writer) error { return gif.Encode(w, img, nil) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		all[media] = b.Bytes()
	}
	webp, err := base64.StdEncoding.DecodeString("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
	if err != nil {
		t.Fatal(err)
	}
	all["image/webp"] = webp
	return all
}

func TestRead(t *testing.T) {
	for media, data := range samples(t) {
		want := Facts{media, 7, 5}
		if media == "image/webp" {
			want = Facts{media, 1, 1}
		}
		if got, err := Read(data); err != nil || got != want {
			t.Errorf("%s: %+v, %v", media, got, err)
		}
		for n := range min(len(data), 24) {
			if got, err := Read(data[:n]); err == nil && got != want {
				t.Errorf("%s: the first %d bytes give %+v", media, n, got)
			}
		}
	}
	if _, err := Read([]byte("<svg/>")); err == nil {
		t.Error("an SVG has no header that is read")
	}
}

// FuzzRead checks that no bytes make it panic or give a size below zero.
func FuzzRead(f *testing.F) {
	for _, data := range samples(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if got, err := Read(data); err == nil && (got.Width < 0 || got.Height < 0) {
			t.Fatalf("%+v", got)
		}
	})
}
