package export

import (
	"os"
	"path/filepath"
	"testing"

	"rollbook/internal/browsertest"
	"rollbook/internal/transcript"
)

// pageFile writes a thread's page into a file.
func pageFile(t testing.TB, o HTMLOptions, th *transcript.Thread) string {
	t.Helper()
	o.Zone = lisbon
	name := filepath.Join(t.TempDir(), "page.html")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := NewHTML(f, o).Write(th); err != nil {
		t.Fatal(err)
	}
	return name
}

var everything = HTMLOptions{Options: Options{Tools: Full, All: true, Diff: true, Places: true}}

// attacks are texts that would do something where they became part of a page.
var attacks = []string{
	`<script>alert(1)</script>`, `"><script>alert(1)</script>`, `</pre></details></article><script>alert(1)</script>`,
	`</title><script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `<svg onload=alert(1)>`, `' onmouseover='alert(1)`, `" autofocus onfocus="alert(1)`,
	`<iframe src="javascript:alert(1)"></iframe>`, `[x](javascript:alert(1))`, `[x](JaVaScRiPt&#58;alert(1))`, `[x](data:text/html,<script>alert(1)</script>)`,
	`![x](http://127.0.0.1:9/x.png)`, `<http://127.0.0.1:9/">`, `<javascript:alert(1)>`, "```html\n</pre><script>alert(1)</script>\n```", `&lt;script&gt;alert(1)&lt;/script&gt;`,
	`<style>*{background:url(http://127.0.0.1:9/)}</style>`, `<link rel=stylesheet href=http://127.0.0.1:9/>`, `<meta http-equiv=refresh content="0;url=http://127.0.0.1:9/">`,
	`<base href="http://127.0.0.1:9/">`, `<form action=javascript:alert(1)><input type=submit autofocus>`, "\x1b]8;;http://127.0.0.1:9/\x07x\x1b]8;;\x07", "\u202etxt.exe\u202c", "\x00\xff",
	`<!--`, `--><script>alert(1)</script>`, `<![CDATA[`, `<details open ontoggle=alert(1)>`, `{{constructor.constructor('alert(1)')()}}`, `<a href="http://127.0.0.1:9/" ping="http://127.0.0.1:9/">x</a>`,
	"[a]: javascript:alert(1)\n\n[a]", "| a |\n|---|\n| <script>alert(1)</script> |", `<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>`, `<template><script>alert(1)</script></template>`,
}

// TestHostilePage has every attack in every place that takes a text. The
// browser runs, asks for and says nothing, and shows each attack as text.
func TestHostilePage(t *testing.T) {
	var events []transcript.Event
	for _, text := range attacks {
		events = append(events, eventsWith(text)...)
	}
	for i := range events {
		events[i].Seq = i + 1
	}
	th := made(events...)
	th.Title, th.Project = attacks[1], attacks[7]
	file := pageFile(t, everything, th)
	tab := browsertest.Start(t).Open(t, file, browsertest.View{})
	type facts struct {
		Scripts, Styles, Frames, Images, Handlers, Elements int
		Links                                               []string
	}
	got := browsertest.Eval[facts](t, tab, `(() => {
		document.querySelectorAll("details").forEach((d) => { d.open = true });
		document.querySelectorAll(".ev a, .ev button").forEach((a) => a.dispatchEvent(new MouseEvent("mouseover", { bubbles: true })));
		const all = [...document.querySelectorAll("*")];
		return { Scripts: document.scripts.length, Styles: document.querySelectorAll("style, link[rel=stylesheet]").length, Frames: document.querySelectorAll("iframe, object, embed, frame, svg, math, base, template").length,
			Images: document.images.length, Handlers: all.filter((e) => [...e.attributes].some((a) => a.name.startsWith("on") || a.name === "style")).length, Elements: all.length,
			Links: [...document.links].map((a) => a.protocol).filter((p) => p !== "file:") };
	})()`)
	if got.Scripts != 1 || got.Styles != 1 || got.Frames != 0 || got.Images != 0 || got.Handlers != 0 || got.Elements < 1000 {
		t.Errorf("%+v", got)
	}
	for _, p := range got.Links {
		if p != "http:" && p != "https:" {
			t.Errorf("a link to %s", p)
		}
	}
	tab.Quiet(t)
}

// TestPolicy: what is put into a page of ours from outside does not run.
func TestPolicy(t *testing.T) {
	file := pageFile(t, everything, made(turnStart("a"), transcript.Event{Kind: transcript.User, Text: "hi", Seq: 2}))
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page = append(page, `<script>document.title = "ran"</script><p id="p" onclick="document.title='ran'" style="color:rgb(1, 2, 3)">x</p><img src="http://127.0.0.1:9/x.png"><iframe src="http://127.0.0.1:9/"></iframe>`...)
	if err := os.WriteFile(file, page, 0o600); err != nil {
		t.Fatal(err)
	}
	tab := browsertest.Start(t).Open(t, file, browsertest.View{})
	type facts struct{ Title, Color string }
	got := browsertest.Eval[facts](t, tab, `document.querySelector("#p").click(), { Title: document.title, Color: getComputedStyle(document.querySelector("#p")).color }`)
	if got.Title == "ran" || got.Color == "rgb(1, 2, 3)" {
		t.Errorf("%+v", got)
	}
	blocked := 0
	for range tab.Said() {
		blocked++
	}
	if blocked < 4 {
		t.Errorf("the browser should have said what it blocked: %q", tab.Said())
	}
}
