package pict

import (
	"bytes"
	"encoding/binary"
)

// Plain reports whether a file is nothing but one image of eight bits a channel
// in the colours of the web: one frame, no profile, no EXIF, XMP, IPTC or
// comments. It reads the structure of the file, not its pixels, and takes what
// it does not know for something that is not plain. A GIF never is.
func Plain(file []byte) bool {
	switch {
	case bytes.HasPrefix(file, []byte(pngSignature)):
		return plainPNG(file)
	case bytes.HasPrefix(file, []byte{0xff, 0xd8}):
		return plainJPEG(file)
	case len(file) > 12 && string(file[:4]) == "RIFF" && string(file[8:12]) == "WEBP":
		return plainWebP(file)
	}
	return false
}

const pngSignature = "\x89PNG\r\n\x1a\n"

// plainPNG wants colour or a palette, and no chunk that says more of the image
// than its pixels.
func plainPNG(file []byte) bool {
	b := file[len(pngSignature):]
	data := false
	for n := 0; len(b) >= 12; n++ {
		size := binary.BigEndian.Uint32(b)
		kind := string(b[4:8])
		if uint64(size)+12 > uint64(len(b)) || (n == 0) != (kind == "IHDR") {
			return false
		}
		body := b[8 : 8+size]
		b = b[12+size:]
		switch kind {
		case "IHDR": // depth, then colour type: colour, palette, colour with alpha
			if size != 13 || body[8] != 8 || body[9] != 2 && body[9] != 3 && body[9] != 6 {
				return false
			}
		case "IDAT":
			data = true
		case "PLTE", "tRNS", "sRGB", "gAMA", "cHRM", "pHYs", "bKGD", "sBIT":
		case "IEND":
			return data && len(b) == 0
		default:
			return false
		}
	}
	return false
}

// plainJPEG wants three components of eight bits behind a JFIF header.
func plainJPEG(file []byte) bool {
	b := file[2:]
	frame := false
	for len(b) >= 4 && b[0] == 0xff {
		kind := b[1]
		size := int(binary.BigEndian.Uint16(b[2:]))
		if size < 2 || size+2 > len(b) {
			return false
		}
		body := b[4 : 2+size]
		switch {
		case kind == 0xe0:
			if !bytes.HasPrefix(body, []byte("JFIF\x00")) {
				return false
			}
		case kind >= 0xc0 && kind <= 0xc2: // baseline, extended, progressive
			if len(body) < 6 || body[0] != 8 || body[5] != 3 {
				return false
			}
			frame = true
		case kind == 0xc4, kind == 0xdb, kind == 0xdd:
		case kind == 0xda: // the pixels
			return frame && bytes.HasSuffix(file, []byte{0xff, 0xd9})
		default:
			return false
		}
		b = b[2+size:]
	}
	return false
}

// webpFrame gives the size of the first frame of a WebP, which its canvas need
// not have; false where there is none.
func webpFrame(file []byte) (width, height int, ok bool) {
	for b := file[min(12, len(file)):]; len(b) >= 8; {
		n := uint64(binary.LittleEndian.Uint32(b[4:]))
		n += n & 1
		if n+8 > uint64(len(b)) {
			return 0, 0, false
		}
		body := b[8 : 8+n]
		switch {
		case string(b[:4]) == "VP8 " && len(body) >= 10:
			return int(binary.LittleEndian.Uint16(body[6:]) & 0x3fff), int(binary.LittleEndian.Uint16(body[8:]) & 0x3fff), true
		case string(b[:4]) == "VP8L" && len(body) >= 5:
			bits := binary.LittleEndian.Uint32(body[1:])
			return int(bits&0x3fff) + 1, int(bits>>14&0x3fff) + 1, true
		}
		b = b[8+n:]
	}
	return 0, 0, false
}

// plainWebP wants one image, with alpha or without.
func plainWebP(file []byte) bool {
	size := uint64(binary.LittleEndian.Uint32(file[4:]))
	if size+8 != uint64(len(file)) {
		return false
	}
	pixels := false
	for b := file[12:]; len(b) > 0; {
		if len(b) < 8 {
			return false
		}
		n := uint64(binary.LittleEndian.Uint32(b[4:]))
		n += n & 1
		if n+8 > uint64(len(b)) {
			return false
		}
		switch string(b[:4]) {
		case "VP8 ", "VP8L":
			if pixels {
				return false
			}
			pixels = true
		case "VP8X":
			if n < 10 || b[8]&^0x10 != 0 { // only alpha may be there
				return false
			}
		case "ALPH":
		default:
			return false
		}
		b = b[8+n:]
	}
	return pixels
}
