package assemble

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"rollbook/internal/pict"
	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// imageURL reads an address: a data URL holds the image, any other names it.
func (e *emitter) imageURL(url rollout.Text) transcript.Image {
	raw := rollout.Raw(url)
	head, ok := bytes.CutPrefix(raw, []byte(`"data:`))
	if !ok {
		return transcript.Image{Name: url.String()}
	}
	media, _, ok := bytes.Cut(head, []byte(";base64,"))
	if !ok || len(media) > 100 {
		return transcript.Image{Name: "data URL"}
	}
	return e.image(string(media), url)
}

// image digests the base64 bytes at the end of a string of the record at hand.
// The string is the whole value or a data URL.
func (e *emitter) image(media string, value rollout.Text) transcript.Image {
	img := transcript.Image{MediaType: media}
	start := e.places.find(e.rec, value)
	data := imageData(value)
	hash := sha256.New()
	var head bytes.Buffer
	n, err := io.Copy(io.MultiWriter(hash, &capped{&head, 64 << 10}), base64.NewDecoder(base64.StdEncoding, strings.NewReader(data)))
	if err != nil {
		img.Name = "not base64"
		return img
	}
	img.Bytes, img.SHA256 = n, hex.EncodeToString(hash.Sum(nil))
	if facts, err := pict.Read(head.Bytes()); err == nil {
		img.MediaType, img.Width, img.Height = facts.MediaType, facts.Width, facts.Height
		if e.sv.session && !sameMedia(media, facts.MediaType) {
			img.Declared = media
		}
	}
	at := place{span: *e.rec.span, offset: e.rec.Offset, start: start, length: len(value)}
	img.Open = func() (io.ReadCloser, error) { return e.l.openImage(at) }
	return img
}

// sameMedia compares a recorded media type with what the data says. None is
// recorded where the type is ours, and jpg is an old spelling.
func sameMedia(recorded, found string) bool {
	recorded = strings.ToLower(strings.TrimSpace(recorded))
	return recorded == "" || recorded == found || recorded == "image/jpg" && found == "image/jpeg"
}

// places finds strings of a line that are asked for in their order.
type places struct {
	n    int32 // of the line's record
	from int   // where the string before ends
}

func (p *places) find(rec record, value []byte) int {
	if p.n != rec.n {
		*p = places{n: rec.n}
	}
	start := bytes.Index(rec.Text[p.from:], value)
	if start >= 0 {
		start += p.from
	} else {
		start = bytes.Index(rec.Text, value)
	}
	p.from = start + len(value)
	return start
}

// imageData is the base64 text of a value, with its escapes resolved.
func imageData(value rollout.Text) string {
	s := value.String()
	if _, data, ok := strings.Cut(s, ";base64,"); ok && strings.HasPrefix(s, "data:") {
		s = data
	}
	if strings.ContainsAny(s, " \t") { // line breaks are left out by the decoder
		s = strings.NewReplacer(" ", "", "\t", "").Replace(s)
	}
	return s
}

// capped keeps the first bytes of what is written to it.
type capped struct {
	to   *bytes.Buffer
	left int
}

func (c *capped) Write(p []byte) (int, error) {
	keep := p[:min(len(p), c.left)]
	c.left -= len(keep)
	c.to.Write(keep)
	return len(p), nil
}

// A place is where an image's string stands.
type place struct {
	span   span
	offset int64 // of the line
	start  int   // of the string within the line
	length int
}

var errMoved = errors.New("the record is not there any more")

// openImage reads an image again from the log.
func (l *Library) openImage(at place) (io.ReadCloser, error) {
	read := l.lineOf
	if at.span.compressed {
		read = l.compressedLine
	}
	found, err := read(at)
	if err == nil && found == nil {
		err = errMoved
	}
	if err != nil {
		return nil, fmt.Errorf("image in %s: %w", at.span.ref.Path, err)
	}
	return found, nil
}

// lineOf finds the image in its line of a plain file, which begins at the line.
func (l *Library) lineOf(at place) (io.ReadCloser, error) {
	f, err := l.opener.Open(*at.span.ref)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text := rollout.Plain(io.NewSectionReader(f, at.offset, math.MaxInt64-at.offset))
	defer text.Close()
	r := rollout.NewReader(text, rollout.Options{Limits: rollout.Limits{Line: l.limit(text)}, Repair: true, Line: 1, Offset: at.offset})
	defer r.Close()
	for rec, err := range r.Records() {
		if err != nil {
			return nil, err
		}
		return at.in(rec), nil
	}
	return nil, nil
}

// compressedLine reads a compressed file up to the line.
func (l *Library) compressedLine(at place) (io.ReadCloser, error) {
	s := at.span
	var n int32
	var found io.ReadCloser
	_, err := l.readSpan(context.Background(), &s, &n, nil, func(rec record, err error) bool {
		if rec.Offset < at.offset {
			return true
		}
		found = at.in(rec.Record)
		return false
	})
	return found, err
}

// in gives the image where it stands in its record; nil where it does not.
func (at place) in(rec *rollout.Record) io.ReadCloser {
	if rec.Offset != at.offset || rec.Kind != rollout.Item || at.start < 0 || at.start+at.length > len(rec.Text) {
		return nil
	}
	value := rollout.Text(rec.Text[at.start : at.start+at.length])
	if !rollout.Raw(value).IsString() || value[len(value)-1] != '"' {
		return nil
	}
	return io.NopCloser(base64.NewDecoder(base64.StdEncoding, strings.NewReader(imageData(value))))
}
