package harness

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
)

// A Verdict is what the harness's own code says of one log.
type Verdict struct {
	Path   string `json:"path"`
	ID     string `json:"id"`     // empty where the header cannot be read
	Frames int    `json:"frames"` // 0 where they cannot be read
	Events int    `json:"events"`
	Images int    `json:"images"` // references in it; each object was read by the store
	// Faults are the checks that failed, each with the words of the code that
	// refused: frames, place, restore, members, settlement, calls, continuation,
	// images. Checks that need an earlier one are left out where that failed.
	Faults map[string]string `json:"faults"`
}

// Verify has every log below a sessions root judged, in the order of their paths.
// The images are looked for in the attachments of dshHome. Nothing is written.
func (i Install) Verify(ctx context.Context, sessionsRoot, dshHome string) iter.Seq2[Verdict, error] {
	return func(yield func(Verdict, error) bool) {
		p, err := i.start(ctx, "verify", sessionsRoot, dshHome)
		if err != nil {
			yield(Verdict{}, err)
			return
		}
		err = p.greet()
		for err == nil {
			var v Verdict
			if err = p.answer(&v); err != nil {
				break
			}
			if !yield(v, nil) {
				p.kill()
				return
			}
		}
		if stopErr := p.finish(err); stopErr != nil {
			yield(Verdict{}, stopErr)
		}
	}
}

// finish ends a script after its last answer or an error.
func (p *process) finish(err error) error {
	if _, missing := errors.AsType[*MissingError](err); missing {
		p.kill()
		return err
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		p.kill()
		return fmt.Errorf("harness: %w", err)
	}
	return p.stop()
}
