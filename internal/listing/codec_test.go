package listing

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"rollbook/internal/discover"
)

// fill sets every field of a struct, at any depth, to a value of its own.
func fill(t *testing.T, v reflect.Value, n *int) {
	t.Helper()
	*n++
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 1, 1, 0, 0, *n, 5*(*n), time.UTC)))
			return
		}
		for i := range v.NumField() {
			if f := v.Field(i); f.CanSet() {
				fill(t, f, n)
			}
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(t, v.Index(i), n)
		}
	case reflect.String:
		v.SetString(fmt.Sprintf("text %d", *n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint64:
		v.SetUint(uint64(*n))
	default:
		t.Fatalf("no value for a %s", v.Type())
	}
}

var unexported = cmp.AllowUnexported(file{}, stamp{}, entry{}, touched{})

// filled gives a file and a thread of which every field is set, but for what is
// known anew each time.
func filled(t *testing.T) (*file, *entry) {
	n := 0
	f := &file{path: "a.jsonl", stamp: stamp{1, -2, 3, math.MaxUint64}, rollout: true}
	fill(t, reflect.ValueOf(&f.ref).Elem(), &n)
	f.ref.Stamp = discover.FileStamp{}
	fill(t, reflect.ValueOf(&f.diags).Elem(), &n)
	f.ref.ModTime = f.ref.ModTime.Local()
	e := &entry{id: "id", sources: []string{"a.jsonl", "b"}, touched: touched{[]string{"/x", "/y"}, true}}
	fill(t, reflect.ValueOf(&e.summary).Elem(), &n)
	fill(t, reflect.ValueOf(&e.findings).Elem(), &n)
	e.summary.Title, e.summary.TitleSource = "", ""
	return f, e
}

// TestFields: what is kept comes back whole. A field that a type gets later must
// be added to the codec.
func TestFields(t *testing.T) {
	f, e := filled(t)
	for _, tt := range []struct {
		files   []*file
		threads []*entry
	}{
		{[]*file{f}, []*entry{e}},
		{[]*file{f, {path: "other.jsonl"}, f}, []*entry{{id: "empty"}, e}},
		{nil, nil},
	} {
		c := &cache{program: "p", home: "/h"}
		text := c.encode(tt.files, tt.threads)
		k := newReader(string(text[len(format) : len(text)-4]))
		files, threads := k.all("p", "/h", nil, nil)
		if k.err != nil || k.at != len(k.in) {
			t.Fatalf("%v after %d of %d bytes", k.err, k.at, len(k.in))
		}
		if d := cmp.Diff(values(tt.files), files, unexported, cmpopts.EquateEmpty()); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(values(tt.threads), threads, unexported, cmpopts.EquateEmpty()); d != "" {
			t.Error(d)
		}
	}
}

// TestCut: every beginning of what is kept is refused, and so is anything behind
// it.
func TestCut(t *testing.T) {
	f, e := filled(t)
	c := &cache{program: "p", home: "/h"}
	text := c.encode([]*file{f}, []*entry{e})
	body := string(text[len(format) : len(text)-4])
	for n := range body {
		if fresh := (&cache{program: "p", home: "/h"}); fresh.decode(body[:n]) || fresh.files != nil {
			t.Errorf("the first %d of %d bytes are taken for all", n, len(body))
		}
	}
	if (&cache{program: "p", home: "/h"}).decode(body + "\x00") {
		t.Error("a byte too many is taken")
	}
	if !(&cache{program: "p", home: "/h"}).decode(body) {
		t.Error("the whole is refused")
	}
}

// TestNumbers: any number and any string comes back.
func TestNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		numbers := rapid.SliceOf(rapid.Int64()).Draw(t, "numbers")
		inode := rapid.Uint64().Draw(t, "inode")
		words := rapid.SliceOf(rapid.String()).Draw(t, "words")
		at := time.Unix(rapid.Int64Range(-1<<40, 1<<40).Draw(t, "seconds"), rapid.Int64Range(0, 1e9-1).Draw(t, "nanoseconds")).UTC()
		code := func(c *codec, numbers *[]int64, inode *uint64, words *[]string, at *time.Time) {
			list(c, numbers, num[int64])
			num(c, inode)
			texts(c, words)
			c.time(at, false)
		}
		w := newWriter()
		code(w, &numbers, &inode, &words, &at)
		var n []int64
		var i uint64
		var s []string
		var then time.Time
		r := newReader(string(w.out))
		code(r, &n, &i, &s, &then)
		if r.err != nil || i != inode || !then.Equal(at) || fmt.Sprint(n) != fmt.Sprint(numbers) || strings.Join(s, "\x00") != strings.Join(words, "\x00") {
			t.Fatalf("%v %v %v %q %v", r.err, n, i, s, then)
		}
	})
}

func pointers[T any](list []T) []*T {
	var all []*T
	for i := range list {
		all = append(all, &list[i])
	}
	return all
}

// FuzzDecode: no bytes make the decoder fail or take much memory, and what it
// takes comes back the same.
func FuzzDecode(f *testing.F) {
	c := &cache{program: "p", home: "/h"}
	for _, files := range [][]*file{nil, {{path: "a", rollout: true, ref: discover.Ref{ID: "x", Base: &discover.Base{EndByte: -1}}}}} {
		text := c.encode(files, []*entry{{id: "t", sources: []string{"a"}}})
		f.Add(text[len(format) : len(text)-4])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		k := newReader(string(body))
		files, threads := k.all("p", "/h", nil, nil)
		if k.err != nil || k.at < len(body) {
			return
		}
		text := c.encode(pointers(files), pointers(threads))
		k = newReader(string(text[len(format) : len(text)-4]))
		files2, threads2 := k.all("p", "/h", nil, nil)
		if d := cmp.Diff(files, files2, unexported) + cmp.Diff(threads, threads2, unexported); d != "" || k.err != nil {
			t.Error(k.err, d)
		}
	})
}
