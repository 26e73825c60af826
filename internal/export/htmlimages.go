package export

import (
	"encoding/base64"
	"io"
	"strconv"

	"rollbook/internal/pict"
	"rollbook/internal/transcript"
)

// maxPixels bounds what a browser has to unpack for one image.
const maxPixels = 40_000_000

// images writes the images of an event: those whose header says that they are
// what a browser shows are held by the page, others are named.
func (p *htmlPage) images(images []transcript.Image) {
	for i := range images {
		p.image(&images[i])
	}
}

func (p *htmlPage) image(img *transcript.Image) {
	data, facts, why := p.imageData(img)
	p.raw(`<figure>`)
	if data != nil {
		p.raw(`<img loading="lazy" decoding="async" alt="`)
		p.text(imageText(img))
		p.raw(`" width="`)
		p.text(strconv.Itoa(facts.Width))
		p.raw(`" height="`)
		p.text(strconv.Itoa(facts.Height))
		p.raw(`" src="data:`)
		p.text(facts.MediaType)
		p.raw(";base64,")
		p.base64(data)
		p.raw(`">`)
	}
	p.raw("<figcaption>")
	p.text(joinedBy(imageText(img), " · ", why))
	p.raw("</figcaption></figure>")
}

// imageData gives the bytes of an image that the page is to hold, else why not.
func (p *htmlPage) imageData(img *transcript.Image) (data []byte, facts pict.Facts, why string) {
	limit := min(p.o.Image, p.left)
	switch {
	case img.Open == nil:
		return nil, facts, "not in the log"
	case limit <= 0 || img.Bytes > limit:
		return nil, facts, "not in this page"
	}
	r, err := img.Open()
	if err != nil {
		return nil, facts, "could not be read"
	}
	defer r.Close()
	data, err = io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, facts, "could not be read"
	}
	if int64(len(data)) > limit {
		return nil, facts, "not in this page"
	}
	facts, err = pict.Read(data)
	switch {
	case err != nil:
		return nil, facts, "no picture that is known"
	case int64(facts.Width)*int64(facts.Height) > maxPixels:
		return nil, facts, "not in this page"
	}
	p.left -= int64(len(data))
	return data, facts, ""
}

// base64 writes bytes piece by piece.
func (p *htmlPage) base64(data []byte) {
	const piece = 3 * 8192
	var text [4 * 8192]byte
	for len(data) > 0 {
		n := min(len(data), piece)
		m := base64.StdEncoding.EncodedLen(n)
		base64.StdEncoding.Encode(text[:m], data[:n])
		p.add(string(text[:m]))
		data = data[n:]
	}
}
