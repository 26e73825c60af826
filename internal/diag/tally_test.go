package diag

import "testing"

// TestTallyMore: what is counted without a place counts, and has no example.
func TestTallyMore(t *testing.T) {
	var tally Tally
	tally.More("a", 0)
	tally.More("b", 3)
	tally.More("b", -1)
	tally.Add(Diagnostic{Code: "b"})
	tally.Add(Diagnostic{Code: "c"})
	if tally.Count("a") != 0 || tally.Count("b") != 4 || len(tally.Examples("b")) != 1 || tally.Total() != 5 || len(tally.Codes()) != 2 {
		t.Errorf("%v, total %d", tally.Codes(), tally.Total())
	}
}
