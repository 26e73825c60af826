package store

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/klauspost/compress/zstd"

	"rollbook/internal/transcript"
)

// packFrom is the size from which a text is compressed.
const packFrom = 512

// maxBody bounds what a compressed body may come to.
const maxBody = 1 << 30

var (
	packer   = must(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2), zstd.WithWindowSize(128<<10)))
	unpacker = must(zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(maxBody)))
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err) // the options are constants
	}
	return v
}

// pack gives what is stored of a text: itself, or a zstd frame.
func pack(s string) any {
	if len(s) < packFrom {
		return s
	}
	b := packer.EncodeAll([]byte(s), make([]byte, 0, len(s)/3))
	if len(b) >= len(s) {
		return s
	}
	return b
}

func unpack(b []byte) (string, error) {
	text, err := unpacker.DecodeAll(b, nil)
	if err != nil {
		return "", fmt.Errorf("body: %w", err)
	}
	return string(text), nil
}

// An extra is what is kept of an event besides its text and the columns.
type extra struct {
	TurnID    string                  `json:"turn,omitempty"`
	CallID    string                  `json:"call,omitempty"`
	Phase     string                  `json:"phase,omitempty"`
	ItemID    string                  `json:"item,omitempty"`
	Namespace string                  `json:"ns,omitempty"`
	Role      string                  `json:"role,omitempty"` // of a context event
	Status    string                  `json:"status,omitempty"`
	ExitCode  *int                    `json:"exit,omitempty"`
	IsError   *bool                   `json:"error,omitempty"`
	Duration  *time.Duration          `json:"ns_taken,omitempty"`
	Images    []image                 `json:"images,omitempty"`
	Changes   []transcript.FileChange `json:"changes,omitempty"`
}

// An image is what is kept of one: never its bytes.
type image struct {
	MediaType string `json:"type,omitempty"`
	Bytes     int64  `json:"bytes,omitempty"`
	SHA256    string `json:"sha256,omitempty"`
	Width     int    `json:"w,omitempty"`
	Height    int    `json:"h,omitempty"`
	Name      string `json:"name,omitempty"`
}

// extraText gives what is kept of an event besides its text, as JSON; empty for
// nothing.
func extraText(ev *transcript.Event, limit int) string {
	x := extra{TurnID: ev.TurnID, CallID: ev.CallID, Phase: ev.Phase, ItemID: ev.ItemID, Namespace: ev.Namespace, Status: ev.Status,
		ExitCode: ev.ExitCode, IsError: ev.IsError, Duration: ev.Duration}
	if ev.Kind == transcript.Context {
		x.Role = ev.Role
	}
	for _, i := range ev.Images {
		x.Images = append(x.Images, image{i.MediaType, i.Bytes, i.SHA256, i.Width, i.Height, withoutData(i.Name)})
	}
	for _, c := range ev.Changes {
		c.Diff, _ = clip(withoutData(c.Diff), limit)
		x.Changes = append(x.Changes, c)
	}
	b, err := json.Marshal(&x)
	if err != nil || len(b) == 2 {
		return "" // strings and numbers alone: it cannot fail
	}
	return string(b)
}

// apply sets what an extra holds of an event.
func (x *extra) apply(ev *transcript.Event) {
	ev.TurnID, ev.CallID, ev.Phase, ev.ItemID, ev.Namespace, ev.Status = x.TurnID, x.CallID, x.Phase, x.ItemID, x.Namespace, x.Status
	ev.ExitCode, ev.IsError, ev.Duration, ev.Changes = x.ExitCode, x.IsError, x.Duration, x.Changes
	if ev.Kind == transcript.Context {
		ev.Role = x.Role
	}
	for _, i := range x.Images {
		ev.Images = append(ev.Images, transcript.Image{MediaType: i.MediaType, Bytes: i.Bytes, SHA256: i.SHA256, Width: i.Width, Height: i.Height, Name: i.Name})
	}
}

func decodeExtra(text string) (x extra, err error) {
	if text == "" {
		return x, nil
	}
	if err := json.Unmarshal([]byte(text), &x); err != nil {
		return extra{}, fmt.Errorf("extra: %w", err)
	}
	return x, nil
}
