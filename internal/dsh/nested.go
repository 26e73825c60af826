package dsh

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// retry checks the next of a chain of retries.
func (r *refState) retry(t turnState, data value) *Fault {
	turn, _ := data.get("turn").integer()
	step, _ := data.get("step").integer()
	current := t.step
	if current == 0 {
		current = t.nextStep - 1
	}
	switch {
	case t.open == 0 || turn != t.open || step != current:
		return faultf(CheckTurns, "llm/retry is not in the current turn and step")
	case !data.get("provider").is(t.provider):
		return faultf(CheckRefs, "llm/retry names another provider than the last request/header")
	}
	number, _ := data.get("retry").integer()
	id := data.get("retryId").text
	key := hashOf(fmt.Sprint(turn, step), data.get("provider").text, data.get("policyKey").text)
	before, found := r.chains[key]
	switch {
	case number != before.retry+1:
		return faultf(CheckRefs, "llm/retry %d where %d is to be next", number, before.retry+1)
	case found && before.id != id, !found && r.retryIDs.has(id):
		return faultf(CheckRefs, "llm/retry has the id of another chain, or another than its own")
	}
	if r.chains == nil {
		r.chains, r.planned = make(map[[16]byte]chain), make(map[[16]byte][2]int64)
	}
	r.chains[key] = chain{number, id}
	r.retryIDs.add(id)
	if key := hashOf(id, fmt.Sprint(number)); r.planned[key] == [2]int64{} {
		r.planned[key] = [2]int64{turn, step}
	}
	return nil
}

// retried checks that a retry was planned, where it is, and is made once.
func (r *refState) retried(data value) *Fault {
	turn, _ := data.get("turn").integer()
	step, _ := data.get("step").integer()
	number, _ := data.get("retry").integer()
	id := data.get("retryId").text
	planned, ok := r.planned[hashOf(id, fmt.Sprint(number))]
	switch {
	case !ok:
		return faultf(CheckRefs, "llm/retry-started without its llm/retry")
	case planned != [2]int64{turn, step}:
		return faultf(CheckTurns, "llm/retry-started in another turn or step than its llm/retry")
	case !r.began.add(id, fmt.Sprint(number)):
		return faultf(CheckRefs, "llm/retry-started comes twice")
	}
	return nil
}

// dispatch checks a nested call: its root is that of its parent, and its end
// repeats its start.
func (r *refState) dispatch(ends bool, data value) *Fault {
	root, parent, child := data.get("rootCallId"), data.get("parentCallId"), data.get("subCallId")
	rootKey, parentKey, childKey := print(root), print(parent), print(child)
	known, found := r.roots[childKey]
	above, nested := r.roots[parentKey]
	switch {
	case found && known != rootKey:
		return faultf(CheckTools, "the nested call %.100q changes its root", child.text)
	case parentKey != rootKey && (!nested || above != rootKey):
		return faultf(CheckTools, "the nested call %.100q has a parent of another root", child.text)
	}
	same := hashOf(string(rootKey[:]), string(parentKey[:]), canonical(data.get("name")), canonical(data.get("arguments")))
	start := r.nested[childKey]
	switch {
	case !ends && start != nil:
		return faultf(CheckTools, "the nested call %.100q starts twice", child.text)
	case ends && (start == nil || start.settled || start.print != same):
		return faultf(CheckTools, "the nested call %.100q ends without its start, or as another", child.text)
	}
	if r.roots == nil {
		r.roots, r.nested = make(map[[16]byte][16]byte), make(map[[16]byte]*nestedCall)
	}
	if ends {
		start.settled = true
	} else {
		r.nested[childKey] = &nestedCall{print: same}
	}
	r.roots[childKey] = rootKey
	return nil
}

func print(v value) [16]byte { return hashOf(canonical(v)) }

// canonical is the same text for values with the same JSON.
func canonical(v value) string {
	var b strings.Builder
	writeCanonical(&b, v)
	return b.String()
}

func writeCanonical(b *strings.Builder, v value) {
	switch v.kind {
	case '"':
		b.WriteString(strconv.Quote(v.text))
	case '0':
		b.WriteString(strconv.FormatFloat(v.num+0, 'g', -1, 64))
	case '[':
		b.WriteByte('[')
		for _, item := range v.list {
			writeCanonical(b, item)
			b.WriteByte(',')
		}
		b.WriteByte(']')
	case '{':
		order := make([]int, len(v.names))
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(i, j int) int { return strings.Compare(v.names[i], v.names[j]) })
		b.WriteByte('{')
		for _, i := range order {
			b.WriteString(strconv.Quote(v.names[i]))
			b.WriteByte(':')
			writeCanonical(b, v.list[i])
			b.WriteByte(',')
		}
		b.WriteByte('}')
	default:
		b.WriteByte(byte(v.kind))
	}
}
