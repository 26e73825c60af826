package sessions

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestProject(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names with drives are cleaned by the library alone")
	}
	for _, tt := range []struct{ dir, name, want string }{
		{"/some/here", "/p", "/p"},
		{"/some/here", "/a/../p/./q//r/", "/p/q/r"},
		{"/some/here", "/../..", "/"},
		{"/some/here", "./x", "/some/here/x"},
		{"/some/here", "x/", "/some/here/x"},
		{"/some/here", ".", "/some/here"},
		{"/some/here", "", "/some/here"},
		{"/some/here", "..", "/some"},
		{"/some/here", "../../../x", "/x"},
		{"/some/here", "a b\n\\é", "/some/here/a b\n\\é"},
		{"/so\xffme", "/p", "/p"},
		{"/so\xffme", "p", ""},
		{"/some", "/p\xff", ""},
		{"/some", "/p\xff/../q", ""},
		{"some", "p", ""},
		{"", "", ""},
	} {
		got, err := Project(tt.dir, tt.name)
		if got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("Project(%q, %q) = %q, %v, want %q", tt.dir, tt.name, got, err, tt.want)
		}
	}
}

func FuzzProject(f *testing.F) {
	for _, name := range []string{"", ".", "..", "/", "//a/../b/.", "./x", "a\x00b", "/p\xff", `C:\x\..\y`, "…/é"} {
		f.Add("/some/here", name)
		f.Add("relative", name)
	}
	f.Fuzz(func(t *testing.T, dir, name string) {
		p, err := Project(dir, name)
		if err != nil {
			if p != "" {
				t.Fatalf("%q with error %v", p, err)
			}
			return
		}
		if !filepath.IsAbs(p) || !utf8.ValidString(p) || filepath.Clean(p) != p {
			t.Fatalf("%q", p)
		}
		for part := range strings.SplitSeq(filepath.ToSlash(p), "/") {
			if part == "." || part == ".." {
				t.Fatalf("%q", p)
			}
		}
		if again, err := Project("", p); again != p || err != nil {
			t.Fatalf("%q, then %q, %v", p, again, err)
		}
		if again, _ := Project(filepath.Join(dir, "other"), p); again != p {
			t.Fatalf("%q, elsewhere %q", p, again)
		}
	})
}
