package listing

import (
	"strings"
	"testing"
	"time"

	"rollbook/internal/discover"
	"rollbook/internal/transcript"
)

func TestFilter(t *testing.T) {
	make := func(id, project, source string, change func(*Thread)) *Thread {
		e := &entry{}
		m := &e.summary.Meta
		m.ID, m.Project, m.Source = id, project, source
		m.Created, m.Updated = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), time.Date(2026, 3, 4, 0, 0, 0, 0, time.UTC)
		m.Counts.UserMessages = 1
		thread := &Thread{Meta: m, Kind: kindOf(source)}
		if change != nil {
			change(thread)
		}
		return thread
	}
	l := &Listing{Threads: []*Thread{
		make("a", "/home/ada/shop", "cli", func(t *Thread) { t.Touched = []string{"/home/ada/shop/cart/cart.go", "/etc/hosts"} }),
		make("b", "/home/ada/shop/web", "vscode", func(t *Thread) { t.Touched = []string{"/home/ada/shop/web/a.go"} }),
		make("c", "/home/ada/shopping", "exec", func(t *Thread) { t.Updated = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC) }),
		make("d", `c:\Users\Ada\shop`, "cli", func(t *Thread) { t.Touched = []string{`c:\Users\Ada\shop\Cart.go`} }),
		make("e", "", "custom:atlas", func(t *Thread) { t.Touched = []string{"cart.go"} }),
		make("r", "/home/ada/shop", "subagent:review", nil),
		make("g", "/home/ada/shop", "subagent:other:guardian", func(t *Thread) { t.Counts.UserMessages = 0 }),
		make("s", "/home/ada/shop", "subagent:thread_spawn", nil),
		make("0", "/home/ada/shop", "cli", func(t *Thread) { t.Counts.UserMessages = 0 }),
		make("!", "/home/ada/shop", "cli", func(t *Thread) { t.Counts.UserMessages, t.State = 0, transcript.Damaged }),
	}}
	day := func(d int) time.Time { return time.Date(2026, 3, d, 0, 0, 0, 0, time.UTC) }
	in := func(folders ...string) Filter {
		var f Filter
		for _, dir := range folders {
			f.Projects = append(f.Projects, discover.PathKey(dir))
		}
		return f
	}
	touched := func(path, name string) Filter { return Filter{Touched: &Target{path, name}, All: true} }
	for _, tt := range []struct {
		name  string
		f     Filter
		found string
		more  int
	}{
		{"usual", Filter{}, "a b c d e !", 4},
		{"all", Filter{All: true}, "a b c d e r g s 0 !", 0},
		{"a folder and below", in("/home/ada/shop"), "a b !", 4},
		{"with a slash", in("/home/ada/shop/"), "a b !", 4},
		{"below", in("/home/ada/shop/web"), "b", 0},
		{"two folders", in("/home/ada/shop/web", "/home/ada/shopping"), "b c", 0},
		{"everything", in("/"), "a b c !", 4},
		{"windows, other case and slashes", in(`C:/users/ada`), "d", 0},
		{"a windows drive", in(`C:\`), "d", 0},
		{"nowhere", in("/srv"), "", 0},
		{"since", Filter{Since: day(5)}, "c", 0},
		{"since its last record", Filter{Since: day(4)}, "a b c d e !", 4},
		{"until is exclusive", Filter{Until: day(2)}, "", 0},
		{"within", Filter{Since: day(3), Until: day(3).Add(time.Hour)}, "a b c d e !", 4},
		{"source", Filter{Sources: []string{"exec", "vscode"}}, "b c", 0},
		{"source with a colon", Filter{Sources: []string{"custom"}}, "e", 0},
		{"no part of a word", Filter{Sources: []string{"cust", "cl"}}, "", 0},
		{"sub-agents by name are wanted", Filter{Sources: []string{"subagent"}}, "r s", 1},
		{"reviews", Filter{Sources: []string{"subagent:review"}}, "r", 0},
		{"empty ones of a source", Filter{Sources: []string{"cli"}}, "a d !", 1},
		{"touched, by its path", touched("/home/ada/shop/cart/cart.go", "/home/ada/shop/cart/cart.go"), "a", 0},
		{"touched, in the thread's folder", touched("/tmp/cart/cart.go", "cart/cart.go"), "a", 0},
		{"touched, not cleaned", touched("/tmp/a.go", "./x/../a.go"), "b", 0},
		{"touched, where no folder is known", touched("/tmp/cart.go", "cart.go"), "d e", 0},
		{"touched, another case on windows only", touched("/tmp/CART.GO", "CART.GO"), "d", 0},
		{"touched, a path of windows", touched(`C:\users\ADA\shop\cart.go`, `C:\users\ADA\shop\cart.go`), "d", 0},
		{"touched, not a folder", touched("/home/ada/shop/cart", "cart"), "", 0},
		{"together", Filter{Projects: []string{"/home/ada/shop"}, Sources: []string{"cli"}, All: true}, "a 0 !", 0},
	} {
		found, more := l.Select(tt.f)
		var ids []string
		for _, thread := range found {
			ids = append(ids, thread.ID)
		}
		if got := strings.Join(ids, " "); got != tt.found || more != tt.more {
			t.Errorf("%s: %q and %d more, want %q and %d", tt.name, got, more, tt.found, tt.more)
		}
	}
}
