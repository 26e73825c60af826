package dsh

// A wire holds what decides whether a provider takes the messages of the
// surface: which calls each makes or answers (D5). Calls go by number, in the
// order of their blocks.
type wire struct {
	nodes []wireNode // by seq
}

type wireNode struct {
	first int32 // call that it makes or answers
	calls int32 // that it makes
	kind  wireKind
}

type wireKind uint8

const (
	silent     wireKind = iota // the provider does not get it, or before all others
	speaks                     // a message of its own
	result                     // the answer to a call
	picture                    // an answer with an image, which providers refuse
	userResult                 // a request that claims to answer a call
)

func (w *wire) put(seq int64, n wireNode) {
	for int64(len(w.nodes)) <= seq {
		w.nodes = append(w.nodes, wireNode{})
	}
	w.nodes[seq] = n
}

// user notes a message of the role user.
func (w *wire) user(e logEvent) {
	kind := speaks
	for _, b := range e.data.get("content").list {
		if b.get("type").is("tool-result") {
			kind = userResult
		}
	}
	w.put(e.seq, wireNode{kind: kind})
}

// assistant notes an answer, whose calls have the numbers from first on.
func (w *wire) assistant(e logEvent, first int32) {
	content := e.data.get("message").get("content").list
	if len(content) == 0 {
		return
	}
	n := wireNode{kind: speaks, first: first}
	for _, b := range content {
		switch b.get("type").text {
		case "tool-call":
			n.calls++
		case "image":
			n.kind = picture
		}
	}
	w.put(e.seq, n)
}

// check goes over the surface as a provider gets it.
func (w *wire) check(s *surface) *Fault {
	open := make(map[int32]bool) // calls of the last message without a result
	for n := s.first(); n != 0; n = s.after[n] {
		seq := int64(n - 1)
		if seq >= int64(len(w.nodes)) {
			break // nothing from here on speaks
		}
		node := w.nodes[seq]
		switch node.kind {
		case silent:
			continue
		case result:
			if !open[node.first] {
				return faultf(CheckTools, "the result %d answers no call of the message before it", seq)
			}
			delete(open, node.first)
			continue
		case userResult:
			return faultf(CheckTools, "the user message %d holds a tool-result", seq)
		case picture:
			return faultf(CheckPayload, "the assistant message %d holds an image, which no provider takes", seq)
		}
		if len(open) > 0 {
			return faultf(CheckTools, "the message %d comes before the results of the calls before it", seq)
		}
		for i := range node.calls {
			open[node.first+i] = true
		}
	}
	if len(open) > 0 {
		return faultf(CheckTools, "the surface ends before the results of its calls")
	}
	return nil
}
