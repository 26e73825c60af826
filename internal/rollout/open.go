package rollout

import (
	"bufio"
	"bytes"
	"io"
	"strings"

	"rollbook/internal/zstdio"
)

// A Stream is the text of a rollout, decompressed where it was compressed.
type Stream struct {
	io.Reader
	Compressed bool
	close      func() error
}

// Close gives buffers back; the source stays open.
func (s *Stream) Close() error { return s.close() }

// Plain gives a text that is not compressed.
func Plain(src io.Reader) *Stream {
	return &Stream{Reader: src, close: func() error { return nil }}
}

// Decompress gives the text of the rollout that src holds. Its first bytes
// decide whether it is compressed; a file whose name ends in ".zst" is read as
// compressed too, unless a JSON text stands there in the open, so that a
// broken frame header is reported as what it is.
func Decompress(src io.Reader, name string) (*Stream, error) {
	in := bufio.NewReaderSize(src, 4<<10)
	head, err := in.Peek(len(zstdio.Magic))
	if err != nil && err != io.EOF {
		return nil, err
	}
	named := strings.HasSuffix(name, ".zst") && len(head) > 0 && !bytes.HasPrefix(head, []byte("{"))
	if !zstdio.IsFrame(head) && !named {
		return Plain(in), nil
	}
	z, err := zstdio.NewReader(in)
	if err != nil {
		return nil, err
	}
	return &Stream{Reader: z, Compressed: true, close: z.Close}, nil
}
