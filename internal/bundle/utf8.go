package bundle

import (
	"errors"
	"unicode/utf8"
)

var errUTF8 = errors.New("is not UTF-8")

// A utf8Checker refuses what is not UTF-8, wherever the writes cut it.
type utf8Checker struct{ rest []byte }

func (c *utf8Checker) Write(p []byte) (int, error) {
	n := len(p)
	for len(c.rest) > 0 && len(p) > 0 && !utf8.FullRune(c.rest) {
		c.rest, p = append(c.rest, p[0]), p[1:]
	}
	if len(c.rest) > 0 && utf8.FullRune(c.rest) {
		if !utf8.Valid(c.rest) {
			return 0, errUTF8
		}
		c.rest = c.rest[:0]
	}
	if len(p) == 0 {
		return n, nil
	}
	end := len(p)
	for i := 1; i <= min(utf8.UTFMax-1, len(p)); i++ {
		if utf8.RuneStart(p[len(p)-i]) {
			if !utf8.FullRune(p[len(p)-i:]) {
				end = len(p) - i
			}
			break
		}
	}
	if !utf8.Valid(p[:end]) {
		return 0, errUTF8
	}
	c.rest = append(c.rest, p[end:]...)
	return n, nil
}

// close refuses a character that was cut.
func (c *utf8Checker) close() error {
	if len(c.rest) > 0 {
		return errUTF8
	}
	return nil
}
