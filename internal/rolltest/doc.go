// Package rolltest builds Codex homes for tests, samples and benchmarks: rollouts
// of every dialect, line by line as Codex writes them, with texts of our own.
//
// A Home collects rollouts; a Rollout is one file that is being written:
//
//	home := rolltest.NewHome(1)
//	r := home.New(rolltest.V140, rolltest.Meta{Cwd: "/home/ada/shop-api"})
//	r.Turn("why does the build fail?").
//		Shell("go build ./...", "undefined: Cart\n", 1).
//		Assistant("Cart was renamed to Basket.").
//		TurnComplete()
//	fork := r.Fork(rolltest.All)
//	fork.Turn("rename it back").Assistant("Done.").TurnComplete()
//	err := home.Write(dir)
//
// The version decides the shape: key order, ids, ordinals, which mirrors of a
// message are written and in which order (docs/format/rollout.md). Everything is
// deterministic: the clock starts at Meta.Start and moves by seeded steps, ids are
// seeded. What no method covers is written with Item, Event, Record or Raw.
//
// Misuse (a fork of a bare file, an object with an odd number of values) panics:
// the package is for tests and tools of this repository only.
package rolltest
