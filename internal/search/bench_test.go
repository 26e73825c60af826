package search

import (
	"context"
	"os"
	"testing"
	"time"

	"rollbook/internal/query"
	"rollbook/internal/store"
)

// storeVariable names a store for the benchmark; without it there is none.
const storeVariable = "ROLLBOOK_BENCH_STORE"

// BenchmarkSearch asks a large store, which is made once by hand: `rollgen
// --messages 1000000`, then an import. It gives the time of the first page.
func BenchmarkSearch(b *testing.B) {
	db := os.Getenv(storeVariable)
	if db == "" {
		b.Skip("no store is named in " + storeVariable)
	}
	for _, q := range []struct {
		name, text string
		ranked     bool
	}{
		{"rare", "needle003000", false},
		{"common", "the", false},
		{"common_ranked", "the", true},
		{"two", "request response", false},
		{"two_ranked", "request response", true},
		{"phrase", `"request response"`, false},
		{"prefix", "requ*", false},
		{"cjk", "日本", false},
		{"role", "request role:user", false},
		{"tool", "request tool:*shell*", false},
		{"project", "request project:shop-api", false},
		{"days", "request since:2026-01-01 until:2026-01-31", false},
		{"not", "request -response", false},
		{"filters_alone", "role:user natural:yes", false},
		{"outputs", "kind:output error", false},
	} {
		b.Run(q.name, func(b *testing.B) {
			r, err := store.OpenReader(context.Background(), db)
			if err != nil {
				b.Fatal(err)
			}
			defer r.Close()
			day := func(s string) (time.Time, error) { return time.Parse(time.DateOnly, s) }
			parsed, err := query.Parse(q.text, query.ParseOptions{Since: day, Until: day})
			if err != nil {
				b.Fatal(err)
			}
			total := 0
			for b.Loop() {
				res, err := Run(context.Background(), r, parsed, Options{Ranked: q.ranked})
				if err != nil {
					b.Fatal(err)
				}
				total = res.Total
			}
			b.ReportMetric(float64(total), "hits")
		})
	}
}
