package harness

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
)

// A Reference is how a session names an image of the store.
type Reference struct {
	AttachmentID       string `json:"attachmentId"` // sha256:<hex>
	MediaType          string `json:"mediaType"`
	Bytes              int64  `json:"bytes"`
	Width              int    `json:"width"`
	Height             int    `json:"height"`
	Name               string `json:"name,omitzero"`
	OriginalDimensions *Size  `json:"originalDimensions,omitzero"` // where the store made it smaller
}

// A Size is in pixels.
type Size struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

// A RefusedError says why the store did not take an image.
type RefusedError struct{ Reason, Code string }

func (e *RefusedError) Error() string { return e.Reason }

// A Store is the harness's attachment store of one DSH home. It is used by one
// goroutine at a time; Close it after use.
type Store struct{ p *process }

// OpenStore starts the store's own code.
func (i Install) OpenStore(ctx context.Context, dshHome string) (*Store, error) {
	p, err := i.start(ctx, "images", dshHome)
	if err != nil {
		return nil, err
	}
	if err := p.greet(); err != nil {
		if err := p.finish(err); err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("harness: the image store did not start: %s", p.talk.words())
	}
	return &Store{p}, nil
}

// Save puts an image of size bytes into the store, which may change its form. What
// the store refuses is a RefusedError, and the next image may be saved; after any
// other error the Store is of no more use.
func (s *Store) Save(image io.Reader, size int64, mediaType string) (Reference, error) {
	request, err := json.Marshal(map[string]any{"bytes": size, "mediaType": mediaType})
	if err != nil {
		return Reference{}, err
	}
	if _, err = s.p.in.Write(append(request, '\n')); err == nil {
		_, err = io.CopyN(s.p.in, image, size)
	}
	if err != nil {
		return Reference{}, fmt.Errorf("harness: send an image: %w", err)
	}
	var answer struct {
		Reference *Reference `json:"reference"`
		Refused   string     `json:"refused"`
		Code      string     `json:"code"`
	}
	if err := s.p.answer(&answer); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.Join(io.ErrUnexpectedEOF, s.p.stop())
		}
		return Reference{}, fmt.Errorf("harness: save an image: %w", err)
	}
	if answer.Reference == nil {
		return Reference{}, &RefusedError{answer.Refused, answer.Code}
	}
	return *answer.Reference, nil
}

// Close ends the store's code.
func (s *Store) Close() error { return s.p.stop() }
