package zstdio

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"
)

// FuzzReader: no bytes panic or give anything but data, then the end or damage;
// how they arrive does not matter; and the library's other decoder, which works
// in memory, agrees.
func FuzzReader(f *testing.F) {
	seed(f)
	whole, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(MaxWindow), zstd.WithDecoderMaxMemory(MaxWindow))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		text, err := decodeBounded(t, in)
		if err != nil && err != errBound && !errors.As(err, new(*DamageError)) {
			t.Fatalf("error %v", err)
		}
		if err == errBound {
			return
		}
		again, err2 := decode(t, iotest.OneByteReader(bytes.NewReader(in)))
		if again != text || (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
			t.Fatalf("%d bytes, %v; bytewise %d bytes, %v", len(text), err, len(again), err2)
		}
		cut, err2 := decode(t, io.MultiReader(bytes.NewReader(in), iotest.ErrReader(errDisk)))
		if cut != text || err2 != errDisk && err == nil {
			t.Fatalf("%d bytes, %v; failing source %d bytes, %v", len(text), err, len(cut), err2)
		}
		all, err2 := whole.DecodeAll(in, nil)
		switch {
		case err == nil && (err2 != nil || string(all) != text):
			t.Fatalf("%d bytes; in memory %d bytes, %v", len(text), len(all), err2)
		case err != nil && err2 == nil && !strings.Contains(err.Error(), "limit"):
			t.Fatalf("%v; in memory %d bytes", err, len(all))
		}
	})
}
