package assemble

import (
	"testing"

	"rollbook/internal/transcript"
)

// Usage carries the id of its response where the log has it; a store is given no
// counters that cannot be right.
func TestUsageEvents(t *testing.T) {
	used := func(id, n string) string {
		return line("token_usage_record", `"response_id":"`+id+`","usage":{"input_tokens":`+n+`,"output_tokens":2,"total_tokens":3}`)
	}
	counted := func(total, last string) string {
		return event(`"type":"token_count","info":{"total_token_usage":{"input_tokens":` + total + `,"output_tokens":2,"total_tokens":3},"last_token_usage":{"input_tokens":` + last + `,"output_tokens":2,"total_tokens":3}}`)
	}
	l, id := lines(t, meta(""), started("t"), userEvent("hi"), used("r1", "10"), counted("10", "10"), counted("25", "15"), used("", "7"), counted("32", "7"),
		used("r2", "-1"), counted("40", "-8"), counted("50", "10"), answerEvent("a"), completed("t"))
	_, all, _ := reading(t, l, id, ReadOptions{})
	var got []string
	var sums []int64
	for _, ev := range only(all, transcript.Usage) {
		got = append(got, ev.ItemID)
		sums = append(sums, ev.Usage.Input)
	}
	equal(t, "response ids", got, []string{"r1", "", "", ""})
	if _, all := events(t, l, id, transcript.Active); len(only(all, transcript.Usage)) != 6 {
		t.Errorf("%d without a store", len(only(all, transcript.Usage)))
	}
	if len(sums) != 4 || sums[0] != 10 || sums[1] != 15 || sums[2] != 7 || sums[3] != 10 {
		t.Errorf("input %v", sums)
	}
}
