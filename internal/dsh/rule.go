package dsh

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A rule says what is wrong with a value of the event seq, or nil. Rules are
// put together like the shapes that they describe; an error begins with the
// place in the value.
type rule func(v value, seq int64) error

// members are the rules of an object by name.
type members map[string]rule

// object is an object with exactly these members; those whose name ends in a
// question mark may be missing.
func object(m members) rule {
	all := make(members, len(m))
	var required []string
	for name, r := range m {
		plain, optional := strings.CutSuffix(name, "?")
		all[plain] = r
		if !optional {
			required = append(required, plain)
		}
	}
	slices.Sort(required)
	return func(v value, seq int64) error {
		if err := closed(v, required, func(name string) bool { return all[name] != nil }); err != nil {
			return err
		}
		for i, name := range v.names {
			if err := all[name](v.list[i], seq); err != nil {
				return within(name, err)
			}
		}
		return nil
	}
}

// closed checks that v is an object with the required members and none that is
// not known.
func closed(v value, required []string, known func(name string) bool) error {
	if v.kind != '{' {
		return errors.New("must be an object")
	}
	for _, name := range required {
		if !v.get(name).exists() {
			return fmt.Errorf("lacks the member %s", name)
		}
	}
	for _, name := range v.names {
		if !known(name) {
			return fmt.Errorf("has the member %.100q, which the format does not know", name)
		}
	}
	return nil
}

// A placed error is one within a member or an item.
type placed struct {
	place string
	err   error
}

func (p placed) Error() string { return p.place + " " + p.err.Error() }
func (p placed) Unwrap() error { return p.err }

// within puts a place before an error: a.b[2] must be ...
func within(name string, err error) error {
	p, ok := err.(placed)
	switch {
	case !ok:
		return placed{name, err}
	case strings.HasPrefix(p.place, "["):
		return placed{name + p.place, p.err}
	}
	return placed{name + "." + p.place, p.err}
}

// anything is a member that nobody looks into.
func anything(value, int64) error { return nil }

func text(v value, _ int64) error {
	if v.kind != '"' {
		return errors.New("must be a string")
	}
	return nil
}

func nonEmpty(v value, _ int64) error {
	if v.kind != '"' || v.text == "" {
		return errors.New("must be a string that is not empty")
	}
	return nil
}

func boolean(v value, _ int64) error {
	if v.kind != 't' && v.kind != 'f' {
		return errors.New("must be true or false")
	}
	return nil
}

// yes is a member that is true where it is there.
func yes(v value, _ int64) error {
	if v.kind != 't' {
		return errors.New("must be true")
	}
	return nil
}

func record(v value, _ int64) error {
	if v.kind != '{' {
		return errors.New("must be an object")
	}
	return nil
}

func integer(v value, _ int64) error {
	if _, ok := v.integer(); !ok {
		return errors.New("must be a safe integer")
	}
	return nil
}

func count(v value, _ int64) error {
	if _, ok := v.count(); !ok {
		return errors.New("must be a safe integer from 0")
	}
	return nil
}

func positive(v value, _ int64) error {
	if n, ok := v.count(); !ok || n == 0 {
		return errors.New("must be a safe integer from 1")
	}
	return nil
}

// earlier is the seq of an event before this one.
func earlier(v value, seq int64) error {
	if n, ok := v.count(); !ok || n >= seq {
		return errors.New("must name an earlier event")
	}
	return nil
}

func finite(v value, _ int64) error {
	if v.kind != '0' || math.IsInf(v.num, 0) || v.num == 0 && math.Signbit(v.num) {
		return errors.New("must be a finite number")
	}
	return nil
}

// between is a finite number within the bounds.
func between(low, high float64) rule {
	return func(v value, seq int64) error {
		if err := finite(v, seq); err != nil {
			return err
		}
		if v.num < low || v.num > high {
			return fmt.Errorf("must be %g to %g", low, high)
		}
		return nil
	}
}

func oneOf(words ...string) rule {
	return func(v value, _ int64) error {
		if v.kind != '"' || !slices.Contains(words, v.text) {
			return fmt.Errorf("must be %s", strings.Join(words, " or "))
		}
		return nil
	}
}

// exactly is that number.
func exactly(n int64) rule {
	return func(v value, _ int64) error {
		if got, ok := v.integer(); !ok || got != n {
			return fmt.Errorf("must be %d", n)
		}
		return nil
	}
}

func orNull(r rule) rule {
	return func(v value, seq int64) error {
		if v.kind == 'n' {
			return nil
		}
		return r(v, seq)
	}
}

func both(rules ...rule) rule {
	return func(v value, seq int64) error {
		for _, r := range rules {
			if err := r(v, seq); err != nil {
				return err
			}
		}
		return nil
	}
}

func list(r rule) rule {
	return func(v value, seq int64) error {
		if v.kind != '[' {
			return errors.New("must be an array")
		}
		for i, item := range v.list {
			if err := r(item, seq); err != nil {
				return within(fmt.Sprintf("[%d]", i), err)
			}
		}
		return nil
	}
}

// filled is an array that is not empty, one with exactly one item.
func filled(v value, _ int64) error {
	if len(v.list) == 0 {
		return errors.New("must not be empty")
	}
	return nil
}

func single(r rule) rule {
	return both(list(r), func(v value, _ int64) error {
		if len(v.list) != 1 {
			return errors.New("must have exactly one item")
		}
		return nil
	})
}

// distinct is an array in which no two items have the same key.
func distinct(key func(v value) string) rule {
	return func(v value, _ int64) error {
		seen := make(map[string]bool, len(v.list))
		for _, item := range v.list {
			if k := key(item); seen[k] {
				return fmt.Errorf("repeats %.100q", k)
			} else {
				seen[k] = true
			}
		}
		return nil
	}
}

// choice picks the rule by a member: other is for words that are not named, nil
// refuses them.
func choice(by string, rules map[string]rule, other rule) rule {
	return func(v value, seq int64) error {
		if v.kind != '{' {
			return errors.New("must be an object")
		}
		word := v.get(by)
		if word.kind == '"' {
			if r := rules[word.text]; r != nil {
				return r(v, seq)
			}
		}
		if other == nil {
			return fmt.Errorf("has the unknown %s %.100q", by, word.text)
		}
		return other(v, seq)
	}
}

// named is an object with a word that is not empty in that member.
func named(by string) rule {
	return func(v value, seq int64) error {
		if err := nonEmpty(v.get(by), seq); err != nil {
			return within(by, err)
		}
		return nil
	}
}
