package rolltest

import "fmt"

// A Finding is one remark of a review.
type Finding struct {
	Title, Body string
	File        string // below Cwd
	Line        int
}

// Review writes a review turn: the marks, the prompt and the result in this
// thread, and the review's own thread with one command and its answer (V101 on).
func (r *Rollout) Review(instructions, cmd, output, verdict string, findings ...Finding) *Rollout {
	r.need(V101, "Review")
	r.endResponse()
	r.flushTokens()
	r.turns = append(r.turns, r.mark())
	r.tick(5, 40)
	outer := turn{id: r.uuid7(), started: r.now, open: true}
	outer.root = outer.id
	r.turn = outer
	target := O{"type", "custom", "instructions", instructions}
	r.reviewMark("EnteredReviewMode", "entered_review_mode", "target", target, "user_facing_hint", instructions)
	result := r.reviewResult(verdict, findings)
	child := r.reviewThread(instructions, cmd, output, result.String())
	r.echoReview(child, instructions, cmd, output)
	r.turn = outer
	r.endReview(verdict, result, findings)
	return child
}

// reviewMark writes an event that is an item in paginated threads.
func (r *Rollout) reviewMark(item, event string, fields ...any) {
	if r.itemEvents {
		r.ItemCompleted(append(O{"type", item, "id", r.uuid7()}, fields...))
		return
	}
	r.Event(append(O{"type", event}, fields...))
}

func (r *Rollout) reviewResult(verdict string, findings []Finding) O {
	list := A{}
	for _, f := range findings {
		list = append(list, O{
			"title", f.Title,
			"body", f.Body,
			"confidence_score", 0.9,
			"priority", 1,
			"code_location", O{
				"absolute_file_path", r.Meta.Cwd + "/" + f.File,
				"line_range", O{"start", f.Line, "end", f.Line},
			},
		})
	}
	correct := "patch is correct"
	if len(findings) > 0 {
		correct = "patch is incorrect"
	}
	return O{"findings", list, "overall_correctness", correct, "overall_explanation", verdict, "overall_confidence_score", 0.8}
}

// reviewThread writes the review's own file.
func (r *Rollout) reviewThread(instructions, cmd, output, answer string) *Rollout {
	m := r.childMeta()
	m.parent, m.Source, m.multiAgent = r, O{"subagent", "review"}, "disabled"
	m.Legacy = m.Legacy || r.Version <= V156 // even beside a paginated thread
	child := newRollout(r.home, r.Version, m)
	child.Turn(instructions).Shell(cmd, output, 0).Assistant(answer).TurnComplete()
	return child
}

// echoReview writes what the thread sees of the review while it runs: events
// only, of the review's turn.
func (r *Rollout) echoReview(child *Rollout, instructions, cmd, output string) {
	inner := child.turn
	r.turn = turn{id: inner.id, root: inner.root, parent: inner.parent, started: inner.started}
	r.taskStarted("default")
	if !r.itemEvents {
		r.Event(r.userEvent(instructions, nil))
		r.Event(r.userEvent(instructions, nil))
	} else {
		now := r.now.UnixMilli()
		r.completed(child.ID, now, O{"type", "UserMessage", "id", r.uuid7(), "content", A{O{"type", "text", "text", instructions, "text_elements", A{}}}})
		if r.Version >= V152 {
			r.completed(child.ID, now, r.commandItem(r.id("call"), cmd, output, 0))
		}
	}
	r.now = later(r.now, child.now)
}

// endReview writes the result: told to the model as a user action, and shown.
// Here the assistant's item comes before its event.
func (r *Rollout) endReview(verdict string, result O, findings []Finding) {
	text := verdict
	for i, f := range findings {
		if i == 0 {
			text += "\n\nReview comment:\n"
		}
		text += fmt.Sprintf("\n- %s — %s/%s:%d-%d\n  %s", f.Title, r.Meta.Cwd, f.File, f.Line, f.Line, f.Body)
	}
	action := "<user_action>\n  <context>A review was asked for; this is its result.</context>\n  <action>review</action>\n  <results>\n" + text + "\n  </results>\n</user_action>"
	r.message(message{role: "user", content: A{O{"type", "input_text", "text", action}}, kinds: A{"unknown"}, meta: userMeta})
	r.reviewMark("ExitedReviewMode", "exited_review_mode", "review_output", result)
	id := r.message(message{role: "assistant", id: r.ownID("msg"), content: A{O{"type", "output_text", "text", text}}, kinds: A{"unknown"}, meta: assistantMeta})
	r.agentEvent(text, id, "")
	r.turn.last = nil
	r.TurnComplete()
}

// Guardian writes the thread in which a command was judged before it ran: its
// transcript stands as item and event both (V140 on). The shape of its source
// is known from real files, not line by line.
func (r *Rollout) Guardian(transcript, verdict string) *Rollout {
	r.need(V140, "Guardian")
	m := r.childMeta()
	m.parent, m.Source = r, O{"subagent", O{"other", "guardian"}}
	child := newRollout(r.home, r.Version, m)
	return child.Turn(transcript).Assistant(verdict).TurnComplete()
}
