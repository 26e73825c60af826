"use strict";
(() => {
  const root = document.documentElement;
  const one = (q, from = document) => from.querySelector(q);
  const all = (q, from = document) => from.querySelectorAll(q);
  root.classList.add("js");

  // Light or dark: as the system, unless it was chosen here.
  const themes = ["", "light", "dark"];
  const stored = { get: () => { try { return localStorage.getItem("rollbook-theme") || "" } catch { return "" } },
    set: (v) => { try { localStorage.setItem("rollbook-theme", v) } catch { /* nowhere to keep it */ } } };
  const paint = (theme) => { if (theme) root.dataset.theme = theme; else delete root.dataset.theme };
  if (themes.includes(stored.get())) paint(stored.get());
  const nextTheme = () => {
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const order = dark ? ["", "light", "dark"] : ["", "dark", "light"];
    const theme = order[(order.indexOf(root.dataset.theme || "") + 1) % 3];
    paint(theme); stored.set(theme);
  };

  // Work that may be long is cut into slices, so that the page stays at hand.
  let slicing = 0;
  const slices = (step, done) => {
    const id = ++slicing;
    const go = () => {
      if (id !== slicing) return;
      const end = performance.now() + 12;
      while (performance.now() < end) if (!step()) { done && done(); return }
      setTimeout(go);
    };
    go();
  };

  // Events: the one at hand is marked and has the focus.
  let now = null;
  const bar = () => one(".bar").offsetHeight + 8;
  const openUp = (el) => { for (let d = el && el.closest("details"); d; d = d.parentElement.closest("details")) d.open = true };
  const select = (ev, block = "start") => {
    if (!ev) return;
    if (now) now.classList.remove("now");
    now = ev; ev.classList.add("now");
    ev.tabIndex = -1; ev.focus({ preventScroll: true });
    ev.scrollIntoView({ block });
  };
  const inView = (el) => { const r = el.getBoundingClientRect(); return r.bottom > bar() && r.top < innerHeight };
  const atTop = () => {
    const x = one("main").getBoundingClientRect().left + 40;
    for (let y = bar() + 4; y < innerHeight; y += 24) {
      const el = document.elementFromPoint(x, y), ev = el && el.closest(".ev, .threads tbody tr");
      if (ev) return ev;
    }
    return null;
  };
  const neighbour = (el, forward, what) => {
    const walker = document.createTreeWalker(one("main"), NodeFilter.SHOW_ELEMENT,
      (n) => n.matches(what) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP);
    walker.currentNode = el;
    return forward ? walker.nextNode() : walker.previousNode();
  };
  const move = (forward) => {
    const what = ".ev, .threads tbody tr";
    if (now && inView(now)) { select(neighbour(now, forward, what)); return }
    select(atTop() || neighbour(one("main"), true, what));
  };
  const moveTurn = (forward) => {
    const at = (now && inView(now) ? now : atTop()) || one("main");
    let turn = at.closest(".turn");
    turn = turn ? neighbour(turn, forward, ".turn") : neighbour(at, forward, ".turn");
    if (turn) { turn.scrollIntoView(); const ev = one(".ev", turn); if (ev) { select(ev, "nearest"); turn.scrollIntoView() } }
  };
  const fold = () => {
    const at = now && inView(now) ? now : atTop();
    const d = at && one("details", at);
    if (d) d.open = !d.open;
    const link = at && !d && at.matches("tr") && one("a", at);
    if (link) link.click();
  };
  let unfolded = false;
  const foldAll = () => {
    unfolded = !unfolded;
    const list = all(".tool > details"), first = atTop();
    let i = 0;
    slices(() => { if (i >= list.length) return false; list[i++].open = unfolded; return true });
    if (first) requestAnimationFrame(() => first.scrollIntoView({ block: "start" }));
  };

  // The table of turns, with the turn that is being read.
  const sheet = () => one("#turns");
  const showTurns = (open) => {
    const nav = sheet(); if (!nav) return;
    nav.classList.toggle("open", open);
    for (const b of all('[data-do="turns"]')) b.setAttribute("aria-expanded", String(nav.classList.contains("open")));
    if (nav.classList.contains("open")) here(true);
  };
  let marked = null;
  const here = (scroll) => {
    const nav = sheet(), ev = atTop(), turn = ev && ev.closest(".turn[id]");
    if (!nav || !turn) return;
    const link = one(`a[href="#${CSS.escape(turn.id)}"]`, nav);
    if (link === marked) return;
    if (marked) { marked.classList.remove("here"); marked.removeAttribute("aria-current") }
    marked = link;
    if (!link) return;
    link.classList.add("here"); link.setAttribute("aria-current", "true");
    if (scroll || getComputedStyle(nav).display !== "none") {
      const r = link.getBoundingClientRect();
      if (r.top < bar() || r.bottom > innerHeight) nav.scrollTop += r.top - innerHeight / 2;
    }
  };
  let due = 0;
  addEventListener("scroll", () => { clearTimeout(due); due = setTimeout(() => here(false), 200) }, { passive: true });

  // Finding: every event's text is looked through, in slices; the hits are
  // painted over the text and never put into it.
  const maxHits = 9999;
  let hits = [], at = -1, query = "", searching = false;
  const say = () => {
    const text = !query ? "" : !hits.length ? (searching ? "…" : "no hit") : `${at + 1} / ${hits.length}${hits.length >= maxHits || searching ? "+" : ""}`;
    one(".bar output").textContent = text;
  };
  const pattern = () => new RegExp(query.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"), "giu");
  const ranges = (el) => {
    const nodes = [], found = [];
    const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
    let text = "";
    while (walker.nextNode()) { nodes.push([text.length, walker.currentNode]); text += walker.currentNode.data }
    const place = (offset) => {
      let lo = 0, hi = nodes.length - 1;
      while (lo < hi) { const mid = (lo + hi + 1) >> 1; if (nodes[mid][0] <= offset) lo = mid; else hi = mid - 1 }
      return [nodes[lo][1], offset - nodes[lo][0]];
    };
    for (const m of text.matchAll(pattern())) {
      const r = document.createRange(), [a, i] = place(m.index), [b, j] = place(m.index + m[0].length - 1);
      r.setStart(a, i); r.setEnd(b, j + 1);
      if (found.push(r) >= 2000) break;
    }
    return found;
  };
  const show = () => {
    say();
    if (!globalThis.CSS?.highlights) { if (at >= 0) select(hits[at][0], "center"); return }
    CSS.highlights.clear();
    if (at < 0) return;
    const [el, nth] = hits[at], list = ranges(el), r = list[Math.min(nth, list.length - 1)];
    if (!r) return;
    openUp(r.startContainer.parentElement);
    const others = new Highlight(...list.filter((x) => x !== r));
    CSS.highlights.set("hits", others);
    CSS.highlights.set("hit", new Highlight(r));
    el.scrollIntoView({ block: "nearest" });
    requestAnimationFrame(() => { r.startContainer.parentElement.scrollIntoView({ block: "nearest" });
      const box = r.getBoundingClientRect(); if (box.height && (box.top < bar() || box.bottom > innerHeight)) scrollBy(0, box.top - innerHeight / 3) });
  };
  const find = () => {
    hits = []; at = -1;
    if (globalThis.CSS?.highlights) CSS.highlights.clear();
    if (!query) { searching = false; slicing++; say(); return }
    const list = all(".ev, .threads tbody tr"), re = pattern(), top = atTop();
    let i = 0, first = -1;
    searching = true;
    slices(() => {
      if (i >= list.length || hits.length >= maxHits) return false;
      const el = list[i++];
      let nth = 0;
      for (const m of el.textContent.matchAll(re)) {
        if (!m[0] || hits.push([el, nth++]) >= maxHits || nth >= 2000) break;
      }
      if (first < 0 && hits.length && (!top || top === el || top.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING) && nth) {
        first = hits.length - nth; at = first; show();
      }
      return true;
    }, () => { searching = false; if (at < 0 && hits.length) { at = 0; show() } say() });
    say();
  };
  const step = (by) => { if (hits.length) { at = (at + by + hits.length) % hits.length; show() } };

  const help = () => { const d = one("#help"); if (d.open) d.close(); else d.showModal() };
  const actions = { theme: nextTheme, help, fold: foldAll, turns: () => showTurns(), prev: () => step(-1), next: () => step(1) };

  document.addEventListener("click", (e) => {
    const b = e.target.closest("[data-do]");
    if (b) { actions[b.dataset.do](); return }
    const link = e.target.closest("#turns a");
    if (link && matchMedia("(max-width: 75rem)").matches) showTurns(false);
  });
  document.addEventListener("submit", (e) => { if (e.target.matches(".find")) { e.preventDefault(); step(1) } });
  let typing = 0;
  document.addEventListener("input", (e) => {
    if (!e.target.matches(".find input")) return;
    clearTimeout(typing);
    typing = setTimeout(() => { query = e.target.value; find() }, 120);
  });
  const keys = { j: () => move(true), k: () => move(false), J: () => moveTurn(true), K: () => moveTurn(false), o: fold, e: foldAll, t: nextTheme,
    c: () => showTurns(), n: () => step(1), N: () => step(-1), "?": help, "/": () => { one(".find input").focus(); one(".find input").select() } };
  document.addEventListener("keydown", (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const input = e.target.matches?.("input");
    if (e.key === "Escape") {
      if (input) { e.target.value = ""; query = ""; find(); e.target.blur() }
      showTurns(false);
      return;
    }
    if (input) { if (e.key === "Enter" && e.shiftKey) { e.preventDefault(); step(-1) } return }
    if (!keys[e.key] || one("#help").open && e.key !== "?") return;
    e.preventDefault();
    keys[e.key]();
  });

  // A link to an event opens what hides it.
  const follow = () => {
    const id = location.hash.slice(1), el = id && document.getElementById(id);
    if (!el) return;
    openUp(el);
    const ev = el.closest(".ev");
    if (ev) select(ev);
  };
  addEventListener("hashchange", follow);
  addEventListener("DOMContentLoaded", () => { follow(); here(false) });
})();
