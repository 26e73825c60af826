package pict

import (
	"bytes"
	"encoding/binary"
	"image"
)

// orientation gives how a JPEG is to be turned, 1 to 8 as EXIF counts; 1 where
// nothing is said.
func orientation(file []byte) int {
	for b := file[2:]; len(b) >= 4 && b[0] == 0xff && b[1] != 0xda; {
		size := int(binary.BigEndian.Uint16(b[2:]))
		if size < 2 || size+2 > len(b) {
			break
		}
		if exif, ok := bytes.CutPrefix(b[4:2+size], []byte("Exif\x00\x00")); ok && b[1] == 0xe1 {
			return exifOrientation(exif)
		}
		b = b[2+size:]
	}
	return 1
}

// exifOrientation reads the tag of the first directory.
func exifOrientation(b []byte) int {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case len(b) < 8:
		return 1
	case string(b[:2]) == "MM":
		order = binary.BigEndian
	}
	at := uint64(order.Uint32(b[4:]))
	if at+2 > uint64(len(b)) {
		return 1
	}
	entries := int(order.Uint16(b[at:]))
	for b = b[at+2:]; entries > 0 && len(b) >= 12; entries-- {
		if order.Uint16(b) == 0x0112 {
			if n := int(order.Uint16(b[8:])); n >= 1 && n <= 8 {
				return n
			}
		}
		b = b[12:]
	}
	return 1
}

// upright turns an image as its orientation asks for.
func upright(img *image.NRGBA, turn int) *image.NRGBA {
	if turn <= 1 {
		return img
	}
	w, h := img.Bounds().Dx(), img.Bounds().Dy()
	width, height := w, h
	if turn >= 5 {
		width, height = h, w
	}
	out := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			sx, sy := x, y
			switch turn {
			case 2:
				sx = w - 1 - x
			case 3:
				sx, sy = w-1-x, h-1-y
			case 4:
				sy = h - 1 - y
			case 5:
				sx, sy = y, x
			case 6:
				sx, sy = y, h-1-x
			case 7:
				sx, sy = w-1-y, h-1-x
			case 8:
				sx, sy = w-1-y, x
			}
			copy(out.Pix[out.PixOffset(x, y):][:4], img.Pix[img.PixOffset(sx, sy):][:4])
		}
	}
	return out
}
