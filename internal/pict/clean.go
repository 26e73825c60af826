package pict

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"

	"golang.org/x/image/draw"
)

// Clean decodes an image and encodes it anew: upright, its first frame alone,
// eight bits a channel, no metadata, no side longer than side pixels and no more
// than size bytes. It becomes a PNG where it has few colours or is transparent
// anywhere, else a JPEG. A colour profile is dropped, not applied.
//
// Whoever calls it has looked at the header first: it takes up to 16 bytes a
// pixel.
func Clean(file []byte, side, size int) ([]byte, Facts, error) {
	if err := frameFits(file); err != nil {
		return nil, Facts{}, err
	}
	src, format, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, Facts{}, fmt.Errorf("image: %w", err)
	}
	turn := 1
	if format == "jpeg" {
		turn = orientation(file)
	}
	img := upright(canvas(file, format, src), turn)
	img = within(img, side)
	for {
		out, facts, err := encode(img, size)
		if err != nil || out != nil {
			return out, facts, err
		}
		b := img.Bounds()
		if b.Dx() < 16 && b.Dy() < 16 {
			return nil, Facts{}, errors.New("image cannot be made small enough")
		}
		img = scale(img, b.Dx()*9/10, b.Dy()*9/10)
	}
}

// frameFits refuses a WebP whose frame is not as large as its header says: its
// pixels would not be as many as were counted.
func frameFits(file []byte) error {
	c, format, err := image.DecodeConfig(bytes.NewReader(file))
	if err != nil || format != "webp" {
		return err
	}
	if w, h, ok := webpFrame(file); !ok || w != c.Width || h != c.Height {
		return errors.New("image: an animation, or a frame of another size than the image")
	}
	return nil
}

// canvas gives the pixels of an image. The first frame of a GIF may be smaller
// than the image.
func canvas(file []byte, format string, src image.Image) *image.NRGBA {
	bounds := src.Bounds()
	if format == "gif" {
		if c, _, err := image.DecodeConfig(bytes.NewReader(file)); err == nil {
			bounds = image.Rect(0, 0, c.Width, c.Height)
		}
	}
	if img, ok := src.(*image.NRGBA); ok && bounds == src.Bounds() && bounds.Min == (image.Point{}) {
		return img
	}
	img := image.NewNRGBA(image.Rect(0, 0, bounds.Dx(), bounds.Dy()))
	draw.Draw(img, src.Bounds().Sub(bounds.Min), src, src.Bounds().Min, draw.Src)
	return img
}

// within makes an image smaller whose longer side is over the limit.
func within(img *image.NRGBA, side int) *image.NRGBA {
	b := img.Bounds()
	long := max(b.Dx(), b.Dy())
	if long <= side {
		return img
	}
	return scale(img, b.Dx()*side/long, b.Dy()*side/long)
}

func scale(img *image.NRGBA, width, height int) *image.NRGBA {
	small := image.NewNRGBA(image.Rect(0, 0, max(width, 1), max(height, 1)))
	draw.CatmullRom.Scale(small, small.Bounds(), img, img.Bounds(), draw.Src, nil)
	return small
}

// encode gives nothing where the image needs more than size bytes.
func encode(img *image.NRGBA, size int) ([]byte, Facts, error) {
	facts := Facts{Width: img.Bounds().Dx(), Height: img.Bounds().Dy()}
	opaque := img.Opaque()
	if few := fewColours(img); few || !opaque {
		facts.MediaType = "image/png"
		out, err := encoded(size, func(b *capWriter) error {
			return (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(b, rgb(img, opaque))
		})
		if out != nil || err != nil || !opaque {
			return out, facts, err
		}
	}
	facts.MediaType = "image/jpeg"
	for _, quality := range []int{85, 80, 75} {
		out, err := encoded(size, func(b *capWriter) error { return jpeg.Encode(b, img, &jpeg.Options{Quality: quality}) })
		if out != nil || err != nil {
			return out, facts, err
		}
	}
	return nil, facts, nil
}

// rgb lets the encoder leave out an alpha that says nothing.
func rgb(img *image.NRGBA, opaque bool) image.Image {
	if !opaque {
		return img
	}
	return &image.RGBA{Pix: img.Pix, Stride: img.Stride, Rect: img.Rect} // the same bytes where nothing is transparent
}

var errTooLarge = errors.New("too large")

// capWriter takes size bytes and no more.
type capWriter struct {
	bytes.Buffer
	size int
}

func (w *capWriter) Write(p []byte) (int, error) {
	if w.Len()+len(p) > w.size {
		return 0, errTooLarge
	}
	return w.Buffer.Write(p)
}

func encoded(size int, write func(*capWriter) error) ([]byte, error) {
	w := &capWriter{size: size}
	switch err := write(w); {
	case errors.Is(err, errTooLarge):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return w.Bytes(), nil
}

// fewColours reports whether a sample of the image, 128 pixels a side, has at
// most 256 colours of five bits a channel: drawings and screens, not photographs.
func fewColours(img *image.NRGBA) bool {
	const sample, most = 128, 256
	b := img.Bounds()
	seen := make(map[uint16]bool, most+1)
	for y := range min(sample, b.Dy()) {
		for x := range min(sample, b.Dx()) {
			c := img.NRGBAAt(x*b.Dx()/min(sample, b.Dx()), y*b.Dy()/min(sample, b.Dy()))
			seen[five(c)] = true
			if len(seen) > most {
				return false
			}
		}
	}
	return true
}

func five(c color.NRGBA) uint16 {
	return uint16(c.R>>3)<<10 | uint16(c.G>>3)<<5 | uint16(c.B>>3)
}

// Whole reports whether the pixels of an image can be decoded to the last.
func Whole(file []byte) bool {
	if frameFits(file) != nil {
		return false
	}
	_, _, err := image.Decode(bytes.NewReader(file))
	return err == nil
}
