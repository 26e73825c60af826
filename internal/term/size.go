package term

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// sizeUnits are the units of ParseSize. K, M, G and T are powers of 1024, as
// KiB, MiB, GiB and TiB are; KB and MB are refused, because people read them
// both ways.
var sizeUnits = map[string]int64{
	"": 1, "b": 1,
	"k": 1 << 10, "kib": 1 << 10,
	"m": 1 << 20, "mib": 1 << 20,
	"g": 1 << 30, "gib": 1 << 30,
	"t": 1 << 40, "tib": 1 << 40,
}

// ParseSize reads a number of bytes as people write it: 4096, 8MiB, 1.5 GiB,
// 64K. Case does not matter. A fraction of a byte is dropped. Negative sizes
// and sizes over math.MaxInt64 are errors.
func ParseSize(s string) (int64, error) {
	text := strings.TrimSpace(s)
	end := len(text) - len(strings.TrimLeft(text, "0123456789."))
	number, name := text[:end], strings.ToLower(strings.TrimSpace(text[end:]))
	unit, ok := sizeUnits[name]
	if number == "" || !ok {
		return 0, errors.New("want a size such as 4096, 8MiB or 1.5GiB")
	}
	if strings.Contains(number, ".") {
		return fractionOf(number, unit)
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || n > math.MaxInt64/unit {
		return 0, errors.New("size is too large")
	}
	return n * unit, nil
}

func fractionOf(number string, unit int64) (int64, error) {
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || unit == 1 {
		return 0, errors.New("want a size such as 4096, 8MiB or 1.5GiB")
	}
	if f *= float64(unit); f >= math.MaxInt64 {
		return 0, errors.New("size is too large")
	}
	return int64(f), nil
}

var sizeNames = [...]string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// FormatSize writes a size so that ParseSize gives the same number: 8MiB, and
// 1000001 where no unit divides it.
func FormatSize(n int64) string {
	unit := 0
	for n != 0 && n%1024 == 0 && unit < 4 {
		n /= 1024
		unit++
	}
	if unit == 0 {
		return strconv.FormatInt(n, 10)
	}
	return strconv.FormatInt(n, 10) + sizeNames[unit]
}

// HumanSize writes a size for people, rounded: 812 B, 1.5 GiB.
func HumanSize(n int64) string {
	f, unit := float64(n), 0
	for (f >= 1023.95 || f <= -1023.95) && unit < len(sizeNames)-1 {
		f /= 1024
		unit++
	}
	if unit == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", f, sizeNames[unit])
}

// FormatCount writes a count with commas between thousands: 1,234,567.
func FormatCount(n int64) string {
	s := strconv.FormatInt(n, 10)
	start := 0
	if n < 0 {
		start = 1
	}
	for i := len(s) - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
