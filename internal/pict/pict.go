// Package pict reads what an image says of itself in its first bytes.
package pict

import (
	"bytes"
	"fmt"
	"image"

	// The formats that a rollout may hold.
	_ "image/gif"
	_ "image/jpeg"
	_ "image/png"

	_ "golang.org/x/image/webp"
)

// Facts are what an image's header says.
type Facts struct {
	MediaType     string
	Width, Height int // pixels
}

// Read reads the header of an image in PNG, JPEG, GIF or WebP. The first 64 KiB
// of a file are enough for all but a JPEG with very long metadata.
func Read(head []byte) (Facts, error) {
	c, format, err := image.DecodeConfig(bytes.NewReader(head))
	if err != nil {
		return Facts{}, fmt.Errorf("image header: %w", err)
	}
	return Facts{"image/" + format, c.Width, c.Height}, nil
}
