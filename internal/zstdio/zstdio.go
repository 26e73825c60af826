// Package zstdio reads and writes zstd streams. Their writers are not trusted:
// memory is capped, and a stream that is cut or broken says how far it is good.
//
// The frame format is RFC 8878. Frames looks at headers and blocks only and
// never decompresses; Reader does, and verifies checksums.
package zstdio

import (
	"bytes"
	"errors"
	"fmt"
)

// Magic opens every zstd frame.
var Magic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// IsFrame reports whether head opens a zstd frame.
func IsFrame(head []byte) bool { return bytes.HasPrefix(head, Magic) }

// ErrCut is the cause of a DamageError where the stream ends inside a frame.
var ErrCut = errors.New("ends inside a frame")

// A DamageError says that a compressed stream is cut, broken or asks for more
// than a Reader grants: what follows cannot be had. A source that could not be
// read is no damage; its error is given as it is.
type DamageError struct {
	Offset int64 // how far the compressed stream was followed, in bytes
	Err    error // ErrCut, or what is wrong there
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("compressed stream: byte %d: %v", e.Offset, e.Err)
}

func (e *DamageError) Unwrap() error { return e.Err }
