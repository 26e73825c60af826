package sample

import (
	"time"

	"rollbook/internal/rolltest"
)

// healthEndpoint is a bare file of 0.20.
func healthEndpoint(home *rolltest.Home) {
	m := shop(at(time.January, 12, 10, 4))
	m.Agents = ""
	r := home.New(rolltest.V20, m)
	r.Turn("start a small Go web service here with a /healthz endpoint and a test")
	r.Assistant("I will look at what is there first.")
	r.Shell("ls -la && go version", "total 12\ndrwxr-xr-x 3 ada ada 4096 Jan 12 10:03 .\ndrwxr-x--- 9 ada ada 4096 Jan 12 10:01 ..\ndrwxr-xr-x 8 ada ada 4096 Jan 12 10:03 .git\ngo version go1.26.0 linux/amd64\n", 0)
	r.Reasoning("**Planning the layout**\n\nOne package is enough: main.go with a mux, health.go, a table test.")
	r.Patch("*** Begin Patch\n*** Add File: health.go\n+package main\n+\n+import \"net/http\"\n+\n+// healthz answers load balancers.\n+func healthz(w http.ResponseWriter, _ *http.Request) {\n+\tw.WriteHeader(http.StatusOK)\n+\tw.Write([]byte(\"ok\\n\"))\n+}\n*** End Patch")
	r.Shell("go mod init shop && go vet ./... && go test ./...", "go: creating new go.mod: module shop\nok  \tshop\t0.004s\n", 0)
	r.Assistant("There is a `/healthz` handler in `health.go` now, with a test. `go test ./...` passes.")
	r.Wait(3 * time.Minute).Turn("why WriteHeader before Write? isn't 200 the default")
	r.Assistant("Right, it is: the first `Write` sends 200 by itself. The line only says it out loud. I would drop it.")
}

// cartTotals is a legacy thread of 0.101: failing tests fixed, one turn rolled
// back, and a fork that tried another way.
func cartTotals(home *rolltest.Home) {
	r := home.New(rolltest.V101, shop(at(time.March, 17, 9, 31)))
	r.Turn("TestCartTotal fails since the discount change. find out why and fix it")
	r.Reasoning("**Running the test first**")
	r.Assistant("I'll run that test and read the cart code.")
	r.Shell("go test ./cart -run TestCartTotal", "--- FAIL: TestCartTotal (0.00s)\n    --- FAIL: TestCartTotal/ten_percent (0.00s)\n        cart_test.go:41: total = 1798, want 1799\nFAIL\nFAIL\tshop/cart\t0.003s\n", 1)
	r.Shell("sed -n 20,60p cart/cart.go", cartSource, 0)
	r.Assistant("The discount is taken per line and rounded down each time; three lines lose up to two cents. Rounding once, on the sum, is what the test wants.")
	r.Patch("*** Begin Patch\n*** Update File: cart/cart.go\n@@ func (c Cart) Total() Cents {\n-\tvar sum Cents\n-\tfor _, l := range c.Lines {\n-\t\tsum += l.Price * Cents(l.Count) * Cents(100-c.Discount) / 100\n-\t}\n-\treturn sum\n+\tvar sum Cents\n+\tfor _, l := range c.Lines {\n+\t\tsum += l.Price * Cents(l.Count)\n+\t}\n+\treturn (sum*Cents(100-c.Discount) + 50) / 100\n }\n*** End Patch")
	r.Shell("go test ./...", "ok  \tshop\t0.005s\nok  \tshop/cart\t0.003s\nok  \tshop/order\t0.011s\n", 0)
	r.Assistant("Fixed: the discount is applied once, to the sum, and rounded to the nearest cent. All tests pass.").TurnComplete()

	r.Wait(6 * time.Minute).Turn("now make it float64, the accountant sends fractions")
	r.Assistant("AGENTS.md says money is integer cents. I can do it, but sums will drift. Shall I?").TurnComplete()
	r.RolledBack(1)
	r.Wait(40 * time.Second).Turn("scratch that. add a test for a discount of 100 percent")
	r.Patch("*** Begin Patch\n*** Update File: cart/cart_test.go\n@@\n \t{\"ten percent\", 10, 1799},\n+\t{\"all of it\", 100, 0},\n }\n*** End Patch")
	r.Shell("go test ./cart", "ok  \tshop/cart\t0.003s\n", 0)
	r.Assistant("Added `all of it`: a discount of 100 gives 0. It passes.").TurnComplete()
	r.Name("Cart rounding")

	fork := r.Wait(26 * time.Hour).Fork(rolltest.All)
	fork.Turn("same code, but what if we round half to even?")
	fork.Assistant("Then 0.5 cent goes to the even neighbour: over many orders the error averages out. It needs a function of its own:")
	fork.Shell("git diff --stat", " cart/cart.go      | 8 ++++----\n cart/cart_test.go | 1 +\n 2 files changed, 5 insertions(+), 4 deletions(-)\n", 0)
	fork.Assistant("I left the code as it is. With a single rounding per order the gain is too small to pay for the surprise.").TurnComplete()
}

const cartSource = `type Line struct {
	SKU   string
	Price Cents
	Count int
}

type Cart struct {
	Lines    []Line
	Discount int // percent
}

// Total is what the customer pays.
func (c Cart) Total() Cents {
	var sum Cents
	for _, l := range c.Lines {
		sum += l.Price * Cents(l.Count) * Cents(100-c.Discount) / 100
	}
	return sum
}
`

// receipt has a picture in its prompt.
func receipt(home *rolltest.Home) {
	r := home.New(rolltest.V140, shop(at(time.May, 11, 14, 20)))
	r.Turn("the total on the printed receipt runs over the border, see the picture. where is that laid out?", rolltest.Image{Path: "/home/ada/shop-api/receipt.png", PNG: receiptPNG})
	r.Reasoning()
	r.Assistant("The red amount at the bottom sticks out to the right. I'll look for the template.", "commentary")
	r.Shell("rg -n 'padLeft|width' receipt/", "receipt/layout.go:18:const width = 28\nreceipt/layout.go:44:\treturn padLeft(total.String(), width-len(label)+2)\n", 0)
	r.Patch("*** Begin Patch\n*** Update File: receipt/layout.go\n@@ func totalLine(label string, total Cents) string {\n-\treturn padLeft(total.String(), width-len(label)+2)\n+\treturn padLeft(total.String(), width-len(label))\n }\n*** End Patch")
	r.Shell("go test ./receipt", "ok  \tshop/receipt\t0.004s\n", 0)
	r.Assistant("`totalLine` padded two columns too many; that was left from when the label had a colon and a space. Fixed in `receipt/layout.go`.", "final_answer").TurnComplete()
	r.Name("Receipt border")
}

// slogMigration is long enough to be compacted, asks an MCP server and was
// renamed.
func slogMigration(home *rolltest.Home) {
	r := home.New(rolltest.V140, shop(at(time.May, 28, 16, 45)))
	r.Turn("move all log.Printf calls to slog, package by package. keep the messages")
	r.Reasoning("**Counting the calls**\n\nA list by package tells how to split the work.")
	r.Shell("rg -c 'log\\.(Print|Fatal)' --sort path", "cmd/shop/main.go:4\ncart/cart.go:2\norder/order.go:11\norder/export.go:7\nstock/stock.go:5\n", 0)
	r.Call("update_plan", obj{"plan", arr{obj{"step", "cart and stock", "status", "in_progress"}, obj{"step", "order", "status", "pending"}, obj{"step", "main", "status", "pending"}}}).Output("Plan updated")
	r.Mcp("docs", "lookup", obj{"symbol", "log/slog.Logger.With"}, "func (l *Logger) With(args ...any) *Logger\n\nWith returns a Logger that includes the given attributes in each output operation.")
	r.Patch("*** Begin Patch\n*** Update File: stock/stock.go\n@@ func (s *Store) Take(sku string, n int) error {\n-\tlog.Printf(\"took %d of %s\", n, sku)\n+\tslog.Info(\"took from stock\", \"sku\", sku, \"count\", n)\n \treturn nil\n }\n*** End Patch")
	r.Shell("go build ./... && go test ./stock ./cart", "ok  \tshop/stock\t0.006s\nok  \tshop/cart\t0.003s\n", 0)
	r.Assistant("`cart` and `stock` are done: 7 calls. Next is `order`, with 18.").TurnComplete()
	r.Name("logging")
	r.Wait(4 * time.Minute).Turn("go on with order. level debug for the export chatter")
	r.Shell("sed -n 1,40p order/export.go", "package order\n\nimport (\n\t\"encoding/csv\"\n\t\"log\"\n\t\"os\"\n)\n\n// Export writes yesterday's orders.\nfunc Export(path string, orders []Order) error {\n\tlog.Printf(\"export: %d orders\", len(orders))\n", 0)
	r.Compacted("Ada wants log.Printf moved to log/slog, package by package, same messages. cart and stock are done and tested. order/order.go (11 calls) and order/export.go (7, level debug) are next, then cmd/shop/main.go (4).")
	r.Assistant("Going on with `order` where I was.", "commentary")
	r.Patch("*** Begin Patch\n*** Update File: order/export.go\n@@ func Export(path string, orders []Order) error {\n-\tlog.Printf(\"export: %d orders\", len(orders))\n+\tslog.Debug(\"export\", \"orders\", len(orders))\n*** End Patch")
	r.Shell("go vet ./... && go test ./...", "ok  \tshop\t0.005s\nok  \tshop/cart\t0.003s\nok  \tshop/order\t0.012s\nok  \tshop/receipt\t0.004s\nok  \tshop/stock\t0.006s\n", 0)
	r.Assistant("`order` is done too; the export's lines are debug. Left: the four `log.Fatal` in `main.go`, which should stay.", "final_answer").TurnComplete()
	r.Wait(time.Minute).Name("Move logging to slog")
}

// stockReview is a review with its own thread.
func stockReview(home *rolltest.Home) {
	m := shop(at(time.June, 30, 11, 8))
	m.Source = "vscode"
	r := home.New(rolltest.V140, m)
	r.Turn("I added reservations to stock.go. anything wrong before I commit?")
	r.Assistant("I'll review the change against main.").TurnComplete()
	r.Review("Review the uncommitted change in stock/ for races and lost reservations.", "git diff stock/", stockDiff,
		"One race: two requests can reserve the last item.",
		rolltest.Finding{Title: "[P1] Check and reserve under one lock", Body: "free() unlocks before reserve() locks again; both callers may see one item left.", File: "stock/stock.go", Line: 57})
	r.Turn("good catch. hold the lock over both")
	r.Patch("*** Begin Patch\n*** Update File: stock/stock.go\n@@ func (s *Store) Reserve(sku string, n int) error {\n-\tif s.free(sku) < n {\n+\ts.mu.Lock()\n+\tdefer s.mu.Unlock()\n+\tif s.freeLocked(sku) < n {\n \t\treturn ErrSoldOut\n \t}\n*** End Patch")
	r.Shell("go test -race ./stock", "ok  \tshop/stock\t1.031s\n", 0)
	r.Assistant("`Reserve` holds the lock over check and change now. The race detector is quiet.").TurnComplete()
}

const stockDiff = `diff --git a/stock/stock.go b/stock/stock.go
index 3b1c0de..94af2c1 100644
--- a/stock/stock.go
+++ b/stock/stock.go
@@ -52,3 +52,12 @@ func (s *Store) free(sku string) int {
+// Reserve sets n items aside.
+func (s *Store) Reserve(sku string, n int) error {
+	if s.free(sku) < n {
+		return ErrSoldOut
+	}
+	s.mu.Lock()
+	defer s.mu.Unlock()
+	s.reserved[sku] += n
+	return nil
+}
`

// invoiceNumbers was killed while its last line was written.
func invoiceNumbers(home *rolltest.Home) {
	r := home.New(rolltest.V140, shop(at(time.July, 7, 18, 2)))
	r.Turn("invoice numbers must have no gaps. how do we make them today?")
	r.Shell("rg -n 'nextInvoice' -A6 order/", "order/invoice.go:12:func nextInvoice(ctx context.Context, tx *sql.Tx) (int64, error) {\norder/invoice.go-13-\tvar n int64\norder/invoice.go-14-\terr := tx.QueryRowContext(ctx, `SELECT nextval('invoice_seq')`).Scan(&n)\norder/invoice.go-15-\treturn n, err\norder/invoice.go-16-}\n", 0)
	r.Assistant("From a sequence. A sequence does not roll back, so a failed order leaves a gap. A counter row, updated in the same transaction, does not.").TurnComplete()
	r.Wait(2 * time.Minute).Turn("do that")
	r.Reasoning("**A counter row**\n\nUPDATE … RETURNING in the order's transaction serialises writers; fine at this size.")
	r.Patch("*** Begin Patch\n*** Update File: order/invoice.go\n@@ func nextInvoice(ctx context.Context, tx *sql.Tx) (int64, error) {\n-\terr := tx.QueryRowContext(ctx, `SELECT nextval('invoice_seq')`).Scan(&n)\n+\terr := tx.QueryRowContext(ctx, `UPDATE counters SET n = n + 1 WHERE name = 'invoice' RETURNING n`).Scan(&n)\n*** End Patch")
	r.Assistant("Changed. It still needs a migration that creates the row from the sequence's last value; I'll write that next.").CutLine()
}

// rateLimiter is paginated: a turn was reverted, so the thread has two files,
// and it was forked later.
func rateLimiter(home *rolltest.Home) {
	r := home.New(rolltest.V156, shop(at(time.September, 15, 9, 12)))
	r.Turn("we need a rate limit on /checkout, per customer, 10 per minute. what is the simplest that works on one server?")
	r.Assistant("A token bucket per customer id in a map with a mutex, swept now and then. No dependency needed; about 40 lines.").TurnComplete()
	r.Name("Rate limiter")
	r.Wait(50 * time.Second).Turn("ok write it")
	r.Reasoning("**Bucket maths**\n\nRefill by elapsed time; cap at burst.")
	r.Patch("*** Begin Patch\n*** Add File: limit/limit.go\n+// Package limit bounds how often a customer may do something.\n+package limit\n+\n+import (\n+\t\"sync\"\n+\t\"time\"\n+)\n+\n+type bucket struct {\n+\ttokens float64\n+\tlast   time.Time\n+}\n+\n+// A Limiter holds one bucket per key.\n+type Limiter struct {\n+\tmu      sync.Mutex\n+\tbuckets map[string]*bucket\n+\trate    float64 // tokens per second\n+\tburst   float64\n+}\n*** End Patch")
	r.Shell("go test ./limit", "--- FAIL: TestBurst (0.00s)\n    limit_test.go:22: call 11 was allowed\nFAIL\nFAIL\tshop/limit\t0.002s\n", 1)
	r.Assistant("The bucket starts with burst+1 tokens; off by one in `New`.", "commentary")
	r.Patch("*** Begin Patch\n*** Update File: limit/limit.go\n@@ func (l *Limiter) bucket(key string) *bucket {\n-\t\tb = &bucket{tokens: l.burst + 1}\n+\t\tb = &bucket{tokens: l.burst}\n*** End Patch")
	r.Shell("go test ./limit", "ok  \tshop/limit\t0.002s\n", 0)
	r.Assistant("The limiter is in `limit/limit.go`; the tests pass.", "final_answer").TurnComplete()
	r.Wait(3 * time.Minute).Turn("use redis instead so that two servers share it")
	r.Assistant("That is a new dependency and a service to run. I can start with an interface so that the map stays the default.").TurnComplete()

	second := r.Wait(time.Minute).Revert(2)
	second.Turn("keep the map. hook it into the checkout handler and answer 429 with Retry-After")
	second.Shell("rg -n 'HandleFunc' cmd/shop/main.go", "cmd/shop/main.go:31:\tmux.HandleFunc(\"POST /checkout\", s.checkout)\n", 0)
	second.Patch("*** Begin Patch\n*** Update File: cmd/shop/main.go\n@@ func routes(s *server) *http.ServeMux {\n-\tmux.HandleFunc(\"POST /checkout\", s.checkout)\n+\tmux.Handle(\"POST /checkout\", s.limited(http.HandlerFunc(s.checkout)))\n*** End Patch")
	second.Shell("go test ./...", "ok  \tshop\t0.006s\nok  \tshop/limit\t0.002s\nok  \tshop/order\t0.012s\n", 0)
	second.Assistant("Checkout is limited: the eleventh call in a minute gets 429 with `Retry-After`.").TurnComplete()

	fork := second.Wait(22 * time.Hour).Fork(rolltest.All)
	fork.Turn("same limiter for login, but by IP address and 5 per minute. what about IPv6?")
	fork.Assistant("Use the /64 as the key for IPv6: one household often has the whole prefix. For IPv4 the address itself.").TurnComplete()
	fork.Name("Rate limit for login")
}

// nightlyExport has a line that was torn in the middle.
func nightlyExport(home *rolltest.Home) {
	m := shop(at(time.October, 2, 3, 0))
	m.Source = "exec"
	r := home.New(rolltest.V171, m)
	r.Turn("run the nightly export and tell me if the row count differs from the orders table")
	r.Shell("go run ./cmd/export -day yesterday", "wrote 412 rows to export/2026-10-01.csv\n", 0)
	r.Shell("psql -Atc \"select count(*) from orders where day = current_date - 1\"", "412\n", 0).Broken()
	r.Assistant("The export has 412 rows and so has the orders table.").TurnComplete()
}

// webhookRetry is being written: its turn has no end yet.
func webhookRetry(home *rolltest.Home) {
	r := home.New(rolltest.V171, shop(at(time.October, 6, 17, 40)))
	r.Turn("the payment webhook is retried for ever when our handler answers 500. add a dead letter table")
	r.Assistant("I'll look at the handler and the migrations.")
	r.Shell("ls migrations", "001_orders.sql\n002_stock.sql\n003_counters.sql\n", 0)
	r.ShellCall("go test ./webhook -count=1 -v")
}
