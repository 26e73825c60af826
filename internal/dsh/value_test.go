package dsh

import (
	"math"
	"strings"
	"testing"
)

// TestParse: lines are read as JSON.parse reads them.
func TestParse(t *testing.T) {
	var p parser
	v, err := p.parse([]byte(` {"a":1,"b":["x",null,true],"a":-0,"c":1e400,"d":9007199254740992,"e":1.0,"f":"\ud800","g":"` + "\xff" + `"} ` + "\r"))
	if err != nil {
		t.Fatal(err)
	}
	if a := v.get("a"); a.num != 0 || !math.Signbit(a.num) {
		t.Errorf("the later of two members counts: %v", a)
	}
	if b := v.get("b"); b.kind != '[' || len(b.list) != 3 || !b.list[0].is("x") || b.list[1].kind != 'n' || b.list[2].kind != 't' {
		t.Errorf("%+v", b)
	}
	for name, want := range map[string]bool{"a": false, "c": false, "d": false, "e": true, "f": false, "zz": false} {
		if _, ok := v.get(name).integer(); ok != want {
			t.Errorf("%s is a safe integer: %t", name, ok)
		}
	}
	if !v.get("f").is("�") || !v.get("g").is("�") {
		t.Errorf("%q %q", v.get("f").text, v.get("g").text)
	}
	for _, bad := range []string{"", " ", "{", "[1,]", "1 2", "{}x", "\ufeff{}", "'a'", "nul", `{"a"}`, "\"\x01\""} {
		if v, err := p.parse([]byte(bad)); err == nil {
			t.Errorf("%q: %+v", bad, v)
		}
	}
	many := "[" + strings.Repeat("1,", maxValues) + "1]"
	if _, err := p.parse([]byte(many)); err == nil || !strings.Contains(err.Error(), "values in one line") {
		t.Errorf("%v", err)
	}
}

// TestParseCut: no beginning of a line is a line.
func TestParseCut(t *testing.T) {
	var p parser
	for _, line := range strings.Split(exampleText, "\n") {
		for n := range len(line) {
			if _, err := p.parse([]byte(line[:n])); err == nil {
				t.Fatalf("%s", line[:n])
			}
		}
	}
}
