package cli

import (
	"errors"
	"strconv"

	"github.com/spf13/pflag"
)

// countVar declares a flag for a number of things that must be positive; the
// word "none" gives noLimit.
func countVar(set *pflag.FlagSet, p *int64, name string, def int64, usage string) {
	*p = def
	set.Var(&count{p}, name, usage)
}

type count struct{ p *int64 }

func (c *count) Type() string { return "N" }

func (c *count) String() string {
	if *c.p == noLimit {
		return "none"
	}
	return strconv.FormatInt(*c.p, 10)
}

func (c *count) Set(s string) error {
	if s == "none" {
		*c.p = noLimit
		return nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 {
		return errors.New("want a number above 0, or none")
	}
	*c.p = n
	return nil
}
