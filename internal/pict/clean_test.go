package pict

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/color/palette"
	"image/gif"
	"image/jpeg"
	"image/png"
	"math/rand/v2"
	"testing"
)

func pngOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func jpegOf(t testing.TB, img image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gifOf(t testing.TB, frames ...image.Rectangle) []byte {
	t.Helper()
	g := &gif.GIF{Config: image.Config{Width: 8, Height: 6, ColorModel: color.Palette(palette.WebSafe)}}
	for _, r := range frames {
		g.Image = append(g.Image, image.NewPaletted(r, palette.WebSafe))
		g.Delay = append(g.Delay, 1)
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// noise is a photograph, for what an encoder makes of it.
func noise(width, height int) *image.NRGBA {
	r := rand.New(rand.NewPCG(1, 2))
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = byte(r.Uint32())
		if i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	return img
}

// corners is an opaque image whose four corners differ.
func corners(width, height int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.NRGBA{A: 255}
			if x < width/2 {
				c.R = 255
			}
			if y < height/2 {
				c.G = 255
			}
			img.SetNRGBA(x, y, c)
		}
	}
	return img
}

// withChunk puts a chunk behind the first one of a PNG.
func withChunk(file []byte, kind string, body []byte) []byte {
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	chunk = append(append(chunk, kind...), body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	at := 8 + 25
	return append(append(bytes.Clone(file[:at]), chunk...), file[at:]...)
}

// withSegment puts a segment behind the start of a JPEG.
func withSegment(file []byte, marker byte, body []byte) []byte {
	head := []byte{0xff, 0xd8, 0xff, marker}
	head = binary.BigEndian.AppendUint16(head, uint16(len(body)+2))
	return append(append(head, body...), file[2:]...)
}

func riff(chunks ...string) []byte {
	var body []byte
	for i := 0; i < len(chunks); i += 2 {
		body = append(body, chunks[i]...)
		body = binary.LittleEndian.AppendUint32(body, uint32(len(chunks[i+1])))
		body = append(body, chunks[i+1]...)
		if len(chunks[i+1])%2 == 1 {
			body = append(body, 0)
		}
	}
	head := append([]byte("RIFF"), binary.LittleEndian.AppendUint32(nil, uint32(len(body)+4))...)
	return append(append(head, "WEBP"...), body...)
}

func exif(orientation byte) []byte {
	return append([]byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00"), orientation, 0, 0)
}

func TestPlain(t *testing.T) {
	colours, photo := pngOf(t, corners(8, 6)), jpegOf(t, corners(8, 6))
	deep := image.NewNRGBA64(image.Rect(0, 0, 4, 4))
	for _, c := range []struct {
		name string
		file []byte
		want bool
	}{
		{"PNG", colours, true},
		{"PNG with a palette", pngOf(t, image.NewPaletted(image.Rect(0, 0, 4, 4), palette.Plan9)), true},
		{"PNG with physical size", withChunk(colours, "pHYs", make([]byte, 9)), true},
		{"grey PNG", pngOf(t, image.NewGray(image.Rect(0, 0, 4, 4))), false},
		{"deep PNG", pngOf(t, deep), false},
		{"PNG with EXIF", withChunk(colours, "eXIf", []byte("MM")), false},
		{"PNG with a profile", withChunk(colours, "iCCP", []byte("x")), false},
		{"PNG with text", withChunk(colours, "tEXt", []byte("a\x00b")), false},
		{"animated PNG", withChunk(colours, "acTL", make([]byte, 8)), false},
		{"cut PNG", colours[:len(colours)-1], false},
		{"PNG with a tail", append(bytes.Clone(colours), 0), false},
		{"JPEG without JFIF", photo, true},
		{"JPEG", withSegment(photo, 0xe0, []byte("JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")), true},
		{"grey JPEG", jpegOf(t, image.NewGray(image.Rect(0, 0, 4, 4))), false},
		{"JPEG with EXIF", withSegment(photo, 0xe1, exif(6)), false},
		{"JPEG with a profile", withSegment(photo, 0xe2, []byte("ICC_PROFILE\x00")), false},
		{"JPEG with a comment", withSegment(photo, 0xfe, []byte("hello")), false},
		{"JPEG of Adobe", withSegment(photo, 0xee, []byte("Adobe\x00d\x00\x00\x00\x00\x00")), false},
		{"cut JPEG", photo[:len(photo)-1], false},
		{"GIF", gifOf(t, image.Rect(0, 0, 8, 6)), false},
		{"WebP", riff("VP8L", "\x2f\x00\x00\x00\x00\x00"), true},
		{"WebP with alpha", riff("VP8X", "\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00", "ALPH", "x", "VP8 ", "yyyyyyyyyy"), true},
		{"WebP with EXIF", riff("VP8X", "\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00", "VP8 ", "yy", "EXIF", "z"), false},
		{"animated WebP", riff("VP8X", "\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00", "ANIM", "zzzzzz"), false},
		{"SVG", []byte("<svg/>"), false},
		{"nothing", nil, false},
	} {
		if got := Plain(c.file); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// TestClean is that whatever goes in, what comes out is plain, upright and
// within the limits.
func TestClean(t *testing.T) {
	transparent := noise(60, 40)
	transparent.Pix[3] = 0
	for _, c := range []struct {
		name          string
		file          []byte
		side, size    int
		media         string
		width, height int // 0: smaller than it was
	}{
		{"few colours", pngOf(t, corners(8, 6)), 100, 1 << 20, "image/png", 8, 6},
		{"a photograph", pngOf(t, noise(60, 40)), 100, 1 << 20, "image/jpeg", 60, 40},
		{"transparent", pngOf(t, transparent), 100, 1 << 20, "image/png", 60, 40},
		{"16 bits", pngOf(t, image.NewNRGBA64(image.Rect(0, 0, 4, 4))), 100, 1 << 20, "image/png", 4, 4},
		{"grey", jpegOf(t, image.NewGray(image.Rect(0, 0, 4, 4))), 100, 1 << 20, "image/png", 4, 4},
		{"a GIF with a small frame", gifOf(t, image.Rect(2, 2, 4, 4), image.Rect(0, 0, 8, 6)), 100, 1 << 20, "image/png", 8, 6},
		{"too wide", pngOf(t, corners(40, 20)), 10, 1 << 20, "image/png", 10, 5},
		{"a line", pngOf(t, corners(400, 1)), 10, 1 << 20, "image/png", 10, 1},
		{"too many bytes", pngOf(t, noise(60, 40)), 100, 1500, "image/jpeg", 0, 0},
		{"too many bytes, transparent", pngOf(t, transparent), 100, 3000, "image/png", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, facts, err := Clean(c.file, c.side, c.size)
			if err != nil {
				t.Fatal(err)
			}
			read, err := Read(out)
			if err != nil || read != facts || !Plain(out) || !Whole(out) || len(out) > c.size {
				t.Errorf("%+v, read as %+v %v; plain %v, %d bytes", facts, read, err, Plain(out), len(out))
			}
			if facts.MediaType != c.media || c.width > 0 && (facts.Width != c.width || facts.Height != c.height) {
				t.Errorf("%+v", facts)
			}
		})
	}
	if _, _, err := Clean(pngOf(t, noise(60, 40)), 100, 10); err == nil {
		t.Error("ten bytes were enough")
	}
}

// TestOrientation turns an image of four colours in each of the eight ways.
func TestOrientation(t *testing.T) {
	// The top left corner of what is shown lies there in what is stored.
	stored := map[byte][2]bool{1: {false, false}, 2: {true, false}, 3: {true, true}, 4: {false, true},
		5: {false, false}, 6: {false, true}, 7: {true, true}, 8: {true, false}}
	for turn, at := range stored {
		file := withSegment(jpegOf(t, corners(64, 32)), 0xe1, exif(turn))
		if got := orientation(file); got != int(turn) {
			t.Fatalf("orientation %d read as %d", turn, got)
		}
		out, facts, err := Clean(file, 100, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if tall := facts.Height > facts.Width; tall != (turn >= 5) {
			t.Errorf("orientation %d: %+v", turn, facts)
		}
		img, _, err := image.Decode(bytes.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		r, g, _, _ := img.At(2, 2).RGBA()
		if right, low := r < 0x8000, g < 0x8000; right != at[0] || low != at[1] {
			t.Errorf("orientation %d: the corner is of right %v, low %v", turn, right, low)
		}
	}
	for _, b := range [][]byte{nil, []byte("II"), []byte("MM\x00*\xff\xff\xff\xff"), []byte("MM\x00*\x00\x00\x00\x08\xff\xff")} {
		if exifOrientation(b) != 1 {
			t.Errorf("%q turns", b)
		}
	}
}

// TestFrameOfAnotherSize is that pixels which the header does not count are not
// decoded.
func TestFrameOfAnotherSize(t *testing.T) {
	file := riff("VP8X", "\x10\x00\x00\x00\x03\x00\x00\x03\x00\x00", "VP8L", "\x2f\xff\x3f\xff\x0f\x00")
	if _, _, err := Clean(file, 100, 1<<20); err == nil || Whole(file) {
		t.Error("decoded")
	}
}

func FuzzClean(f *testing.F) {
	f.Add(pngOf(f, corners(8, 6)))
	f.Add(withSegment(jpegOf(f, corners(8, 6)), 0xe1, exif(5)))
	f.Add(gifOf(f, image.Rect(0, 0, 2, 2)))
	f.Add(riff("VP8L", "\x2f\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		facts, err := Read(file)
		plain := Plain(file)
		if err != nil || facts.Width*facts.Height > 1<<16 {
			return
		}
		if plain && !Whole(file) {
			return
		}
		out, now, err := Clean(file, 64, 1<<20)
		if err != nil {
			return
		}
		if read, err := Read(out); err != nil || read != now || !Plain(out) || max(now.Width, now.Height) > 64 {
			t.Fatalf("%+v, read as %+v %v", now, read, err)
		}
	})
}

// TestCut is that a file which ends early is never taken for whole.
func TestCut(t *testing.T) {
	for _, file := range [][]byte{pngOf(t, corners(8, 6)), jpegOf(t, corners(8, 6))} {
		for n := range len(file) {
			if Plain(file[:n]) {
				t.Fatalf("%d bytes of %d are plain", n, len(file))
			}
			_, _, _ = Clean(file[:n], 64, 1<<20)
		}
	}
}
