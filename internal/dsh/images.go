package dsh

import (
	"errors"
	"strings"

	"rollbook/internal/transcript"
)

// imageUnavailable stands for an image that the log does not hold, or not as
// one.
const imageUnavailable = "[Codex import: image omitted; invalid, unsupported, or unavailable image data]"

// imageOmitted stands for an image that was not attached.
func imageOmitted(sum string) string {
	return "[Codex import: image omitted; attachment sha256:" + sum + "]"
}

// Limits of the harness for the images of one message.
const (
	maxImages     = 20
	maxImagesSize = 200 << 20
)

// admitted is what became of an image: a reference, or why there is none.
type admitted struct {
	image  Image
	reason string
}

// withImages gives the content of a message: its text, then its images. A text
// that is empty is left out where there are images.
func (c *converter) withImages(text string, images []transcript.Image) ([]Block, error) {
	var content []Block
	if text != "" || len(images) == 0 {
		content = append(content, Text{text})
	}
	attached, size := 0, int64(0)
	for i := range images {
		img := &images[i]
		got, err := c.image(img, attached, size)
		switch {
		case err != nil:
			return nil, err
		case got.reason == "":
			attached++
			size += got.image.Bytes
			c.report.Images++
			content = append(content, got.image)
		case img.SHA256 == "" || got.reason == notAnImage:
			c.report.refused(got.reason)
			content = append(content, Text{imageUnavailable})
		default:
			c.report.refused(got.reason)
			content = append(content, Text{imageOmitted(img.SHA256)})
		}
	}
	return content, nil
}

// Why images are refused before a store is asked.
const (
	notThere   = "the log does not hold its data"
	notAnImage = "not recorded as an image"
	noStore    = "there is no attachment store"
	tooMany    = "more than 20 images or 200 MiB in one message"
)

// image gives the reference to an image. Each is admitted once, and known again
// by the digest of its bytes.
func (c *converter) image(img *transcript.Image, attached int, size int64) (admitted, error) {
	switch {
	case img.SHA256 == "" || img.Open == nil:
		return admitted{reason: notThere}, nil
	case !strings.HasPrefix(strings.ToLower(img.MediaType), "image/"):
		return admitted{reason: notAnImage}, nil
	case c.opt.Images == nil:
		return admitted{reason: noStore}, nil
	case attached >= maxImages:
		return admitted{reason: tooMany}, nil
	}
	got, known := c.images[img.SHA256]
	if !known {
		var err error
		var refusal *Refusal
		if got.image, err = c.opt.Images.Admit(c.ctx, img); errors.As(err, &refusal) {
			got = admitted{reason: refusal.Reason}
		} else if err != nil {
			return got, err
		}
		c.images[img.SHA256] = got
	}
	if got.reason == "" && size+got.image.Bytes > maxImagesSize {
		return admitted{reason: tooMany}, nil
	}
	return got, nil
}
