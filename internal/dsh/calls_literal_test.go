package dsh

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestJSArguments(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`tools.exec_command({cmd: "ls -l", yield_time_ms: 1000})`, `{"cmd":"ls -l","yield_time_ms":1000}`},
		{"  await tools.read({ 'a': [1, -2.5, .5, 5., 1e3,], b: {c: null, d: true, e: false,}, })  ;\n", `{"a":[1,-2.5,0.5,5,1e3],"b":{"c":null,"d":true,"e":false}}`},
		{`return f({})`, `{}`},
		{`f({"$x": 'it\'s', _y: "\u00e9\x41\u{1f600}\uD83D\uDE00\n\0"})`, `{"$x":"it's","_y":"éA😀😀\n\u0000"}`},
		{"f({a: `two\nlines`})", `{"a":"two\nlines"}`},
		{"f({a: 'one \\\nline'})", `{"a":"one line"}`},
		{`f({a: "\uD83D"})`, `{"a":"�"}`},
	} {
		if got, ok := jsArguments(c.text); !ok || got != c.want {
			t.Errorf("%s gives %s, %v; want %s", c.text, got, ok, c.want)
		}
	}
	for _, text := range []string{
		``, `f`, `f()`, `f("a")`, `f([1])`, `{a: 1}`, `({a: 1})`, `f({a: 1}, 2)`, `f({a: 1}); g()`, `const r = f({a: 1})`, `f({a})`, `f({a: b})`,
		`f({a: 1 + 2})`, `f({a: undefined})`, `f({a: NaN})`, `f({a: 0x10})`, `f({a: 010})`, `f({a: 1e999})`, `f({a: +1})`, `f({a: --1})`, `f({a: 1.2.3})`,
		`f({__proto__: {}})`, `f({"constructor": 1})`, `f({a: {prototype: 1}})`, `f({"__pro\u0074o__": 1})`, `f({a: 1, a: 2})`, `f({...x})`, `f({[a]: 1})`,
		"f({a: `${b}`})", `f({a: "open})`, "f({a: 'two\nlines'})", `f({a: '\1'})`, `f({a: '\01'})`, `f({a: '\xZZ'})`, `f({a: '\u{}'})`, `f({a: '\u{110000}'})`,
		`f({a: 1`, `f({a: 1}`, `f({,})`, `f({a: [,]})`, `f({a: -})`, `f({a: .})`,
		`f({a: ` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `})`,
	} {
		if got, ok := jsArguments(text); ok {
			t.Errorf("%s gives %s", text, got)
		}
	}
}

func FuzzJSArguments(f *testing.F) {
	for _, text := range []string{`tools.exec_command({cmd: "ls", n: [1, -2.5e3, {a: null}]});`, "await f({a: `x`, 'b': '\\u00e9\\x41\\\n'})", `f({__proto__: 1})`} {
		f.Add(text)
		for n := range len(text) {
			f.Add(text[:n])
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := jsArguments(text)
		if !ok {
			return
		}
		var args map[string]any
		if err := json.Unmarshal([]byte(got), &args); err != nil {
			t.Fatalf("%q gives %s: %v", text, got, err)
		}
		again, ok := jsArguments("f(" + got + ")")
		var same map[string]any
		if ok && json.Unmarshal([]byte(again), &same) == nil && len(same) != len(args) {
			t.Fatalf("%s read again gives %s", got, again)
		}
	})
}

func FuzzSaysFailed(f *testing.F) {
	f.Add(`{"output":"{\"status\":\"failed\"}","metadata":{"exit_code":1}}`)
	f.Add(`{"error":null,"success":true}`)
	f.Fuzz(func(t *testing.T, output string) {
		if saysFailed(output, maxFailedDepth) && !json.Valid([]byte(output)) {
			var v any // what Go calls invalid may still be read: bytes that are no UTF-8
			if err := json.Unmarshal([]byte(strings.ToValidUTF8(output, "?")), &v); err != nil {
				t.Fatalf("%q is no JSON, and says that it failed", output)
			}
		}
	})
}

func FuzzCleanTitle(f *testing.F) {
	f.Add("\x1b[31mred\x1b]0;t\x07 \u202e x")
	f.Fuzz(func(t *testing.T, text string) {
		got := cleanTitle(text)
		if utf16Len(got) > maxTitle || got != cleanTitle(got) || strings.ContainsAny(got, "\x1b\n\x07\u202e") {
			t.Fatalf("%q gives %q", text, got)
		}
	})
}
