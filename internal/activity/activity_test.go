package activity

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rollbook/internal/discover"
)

var now = time.Date(2026, 3, 9, 12, 0, 0, 0, time.UTC)

// ref makes a file named as Codex does, that was begun and last written to some
// hours ago, and is as old as that says.
func ref(id string, begun, last int, edit ...func(*discover.Ref)) discover.Ref {
	at := now.Add(-time.Duration(begun) * time.Hour)
	base := "rollout-" + at.Format("2006-01-02T15-04-05-") + id + ".jsonl"
	r := discover.Ref{Path: "sessions/2026/03/09/" + base, Name: discover.ParseName(base), ID: id, Cwd: "/srv/shop", First: at, Created: at,
		Last: now.Add(-time.Duration(last) * time.Hour), ModTime: now.Add(-time.Duration(last) * time.Hour)}
	for _, e := range edit {
		e(&r)
	}
	return r
}

const (
	idA   = "019c0000-0000-7000-8000-00000000000a"
	idB   = "019c0000-0000-7000-8000-00000000000b"
	idC   = "019c0000-0000-7000-8000-00000000000c"
	page  = "019c0000-0000-7000-8000-0000000000aa"
	other = "019c0000-0000-7000-8000-0000000000bb"
)

func choose(o Options, threads map[string][]discover.Ref) string {
	var ids []string
	for id := range threads {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var got []string
	for _, t := range Choose(ids, func(id string) []discover.Ref { return threads[id] }, o) {
		got = append(got, t.ID[len(t.ID)-1:]+t.Refused)
	}
	return strings.Join(got, " ")
}

func TestChoose(t *testing.T) {
	touched := func(r *discover.Ref) { r.ModTime = now }
	packed := func(r *discover.Ref) { r.Compressed, r.Last = true, now }
	day := Options{Since: now.Add(-24 * time.Hour)}
	newest := func(id string) []discover.Ref { return []discover.Ref{ref(id, 2, 1)} }
	pages := []discover.Ref{ref(idA, 80, 70), ref(idA, 79, 1, func(r *discover.Ref) {
		r.SegmentID = page
		r.Path = strings.Replace(r.Path, idA, idA+"_"+page, 1)
	})}
	for name, tt := range map[string]struct {
		o       Options
		threads map[string][]discover.Ref
		want    string
	}{
		"newest first":                  {Options{}, map[string][]discover.Ref{idA: {ref(idA, 9, 8)}, idB: newest(idB), idC: {ref(idC, 90, 70)}}, "b a c"},
		"begun in the window":           {day, map[string][]discover.Ref{idA: {ref(idA, 23, 23)}, idB: {ref(idB, 25, 25)}}, "a"},
		"still written to":              {day, map[string][]discover.Ref{idA: {ref(idA, 72, 1)}}, "a"},
		"rewritten, but cold":           {day, map[string][]discover.Ref{idA: {ref(idA, 72, 48, touched)}}, ""},
		"compressed, old":               {day, map[string][]discover.Ref{idA: {ref(idA, 72, 72, touched, packed)}}, ""},
		"compressed, recent":            {day, map[string][]discover.Ref{idA: {ref(idA, 5, 5, packed)}}, "a"},
		"a live page takes all along":   {day, map[string][]discover.Ref{idA: pages}, "a"},
		"by page, whatever the window":  {Options{Since: now, Names: []string{page}}, map[string][]discover.Ref{idA: pages, idB: newest(idB)}, "a"},
		"by id in capitals":             {Options{Names: []string{strings.ToUpper(idB)}}, map[string][]discover.Ref{idA: pages, idB: newest(idB)}, "b"},
		"as the harness names it":       {Options{Names: []string{"session-" + idB}}, map[string][]discover.Ref{idA: pages, idB: newest(idB)}, "b"},
		"by root":                       {Options{Names: []string{other}}, map[string][]discover.Ref{idA: {ref(idA, 2, 1, func(r *discover.Ref) { r.SessionID = other })}, idB: newest(idB)}, "a"},
		"by a part of the name":         {Options{Names: []string{"xyz"}}, map[string][]discover.Ref{idA: {ref(idA, 2, 1, func(r *discover.Ref) { r.Path = "sessions/rollout-2026-03-09T10-00-00-abc_xyz.jsonl" })}}, "a"},
		"by the beginning":              {Options{Names: []string{idA[:35]}}, map[string][]discover.Ref{idA: pages, idB: newest(idB)}, "b a"},
		"no beginning if it is an id":   {Options{Names: []string{idA[:35]}}, map[string][]discover.Ref{idA: pages, idA[:35]: newest(idA[:35])}, "0"},
		"no short beginning":            {Options{Names: []string{idA[:7]}}, map[string][]discover.Ref{idA: pages}, ""},
		"unknown":                       {Options{Names: []string{other}}, map[string][]discover.Ref{idA: pages}, ""},
		"limit":                         {Options{Limit: 1}, map[string][]discover.Ref{idA: {ref(idA, 9, 8)}, idB: newest(idB)}, "b"},
		"limit after the project":       {Options{Limit: 1, Projects: []string{"/srv/shop"}}, map[string][]discover.Ref{idA: {ref(idA, 9, 8)}, idB: {ref(idB, 2, 1, func(r *discover.Ref) { r.Cwd = "/srv/shop-other" })}}, "a"},
		"below the project":             {Options{Projects: []string{"/srv"}}, map[string][]discover.Ref{idA: newest(idA)}, "a"},
		"every project":                 {Options{Projects: []string{"/"}}, map[string][]discover.Ref{idA: newest(idA)}, "a"},
		"a project of Windows":          {Options{Projects: []string{discover.PathKey(`C:\Src`)}}, map[string][]discover.Ref{idA: {ref(idA, 2, 1, func(r *discover.Ref) { r.Cwd = `c:/src\shop` })}}, "a"},
		"no project":                    {Options{Projects: []string{"/srv"}}, map[string][]discover.Ref{idA: {ref(idA, 2, 1, func(r *discover.Ref) { r.Cwd = "" })}}, ""},
		"sub-agent":                     {Options{}, map[string][]discover.Ref{idA: {ref(idA, 2, 1, func(r *discover.Ref) { r.Source = "subagent:review" })}}, ""},
		"sub-agent by its thread":       {Options{Names: []string{idA}}, map[string][]discover.Ref{idA: {ref(idA, 2, 1, func(r *discover.Ref) { r.ThreadSource = "subagent" })}}, ""},
		"named by its file only":        {day, map[string][]discover.Ref{idA: {ref(idA, 2, 1, func(r *discover.Ref) { r.Unsaid = true })}, idB: newest(idB)}, "b a" + NoRecordedID},
		"its root is recorded":          {day, map[string][]discover.Ref{idA: {ref(idA, 2, 1, func(r *discover.Ref) { r.Unsaid, r.SessionID = true, other })}}, "a"},
		"another name than Codex gives": {day, map[string][]discover.Ref{idA: {ref(idA, 2, 1, func(r *discover.Ref) { r.Path, r.Name = "a.jsonl", discover.Name{} })}}, "a"},
		"nothing":                       {Options{}, nil, ""},
	} {
		if got := choose(tt.o, tt.threads); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// The clock in a file's name is that of the machine that wrote it.
func TestLocation(t *testing.T) {
	zone := time.FixedZone("", -8*60*60)
	r := ref(idA, 20, 20) // its name says 16:00 the day before; with this zone, that was eight hours later
	o := Options{Since: now.Add(-15 * time.Hour), Location: zone}
	if got := choose(o, map[string][]discover.Ref{idA: {r}}); got != "a" {
		t.Errorf("%q", got)
	}
	o.Location = time.UTC
	if got := choose(o, map[string][]discover.Ref{idA: {r}}); got != "" {
		t.Errorf("%q in UTC", got)
	}
}

func TestThread(t *testing.T) {
	list := Choose([]string{idA}, func(string) []discover.Ref {
		return []discover.Ref{ref(idA, 9, 8), ref(idA, 7, 0, func(r *discover.Ref) { r.First, r.Created, r.Last = time.Time{}, time.Time{}, time.Time{} })}
	}, Options{})
	if len(list) != 1 || len(list[0].Files) != 2 || !list[0].Begun.Equal(now.Add(-9*time.Hour)) || !list[0].Last.Equal(now.Add(-8*time.Hour)) {
		t.Errorf("%+v", list)
	}
}
