// Package sample is the sample home: what a person's Codex history of some months
// may look like, with every kind of file that the reader must cope with. The
// person, ada, her projects and all texts are made up.
//
// examples/home holds the files; the test of this package proves that they are
// what Home makes, and rewrites them with -update.
package sample

import (
	_ "embed"
	"time"

	"rollbook/internal/rolltest"
)

// Shorthands for this package's threads.
type (
	meta = rolltest.Meta
	obj  = rolltest.O
	arr  = rolltest.A
)

//go:embed receipt.png
var receiptPNG []byte

// Ada lives in Lisbon: file names carry her local time.
var (
	winter = time.FixedZone("Europe/Lisbon", 0)
	summer = time.FixedZone("Europe/Lisbon", 3600)
)

// at is a time of 2026 where ada lives.
func at(month time.Month, day, hour, minute int) time.Time {
	zone := summer
	if month < time.April || month > time.October {
		zone = winter
	}
	second := time.Duration(day*7919+minute*1013) * time.Millisecond % time.Minute
	return time.Date(2026, month, day, hour, minute, 0, 0, zone).Add(second)
}

// project is the Meta of a thread in one of ada's folders.
func project(name string, start time.Time) meta {
	return meta{Cwd: "/home/ada/" + name, Start: start, Zone: start.Location()}
}

var shopGit = &rolltest.Git{Commit: "8c1f2e07d4a94b6f9f0e7a55c9b2d1e6a3f4b870", Branch: "main", URL: "https://example.com/ada/shop-api.git"}

const shopAgents = "# shop-api\n\n- Money is integer cents, never float.\n- Run `go test ./...` before you say it works.\n- No new dependencies without asking."

func shop(start time.Time) meta {
	m := project("shop-api", start)
	m.Git, m.Agents = shopGit, shopAgents
	return m
}

// Home makes the sample home.
func Home() *rolltest.Home {
	home := rolltest.NewHome(2026)
	for _, thread := range []func(*rolltest.Home){
		healthEndpoint, promptSpeed, csvDates, cartTotals, weeklySummary, receipt,
		slogMigration, aliases, stockReview, invoiceNumbers, forecast, vimConfig,
		rateLimiter, csvLibraries, chartScript, nightlyExport, webhookRetry,
	} {
		thread(home)
	}
	return home
}
