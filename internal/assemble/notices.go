package assemble

import (
	"fmt"
	"strings"

	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// noticeOf sends what is neither said nor done, but worth knowing.
func (e *emitter) noticeOf(p rollout.Payload) {
	switch p := p.(type) {
	case *rollout.ErrorEvent:
		e.notice("error", p.Message.String(), transcript.Recorded)
	case *rollout.ThreadRolledBack:
		e.notice("rollback", rollbackText(p.Turns.Value), transcript.Recorded)
	case *rollout.EnteredReview:
		e.notice("review", reviewTarget(p), transcript.Recorded)
	case *rollout.ExitedReview:
		e.notice("review", reviewResult(p), transcript.Recorded)
	case *rollout.Plan:
		e.notice("plan", p.Text.String(), transcript.Recorded)
	case *rollout.ThreadName:
		e.notice("name", p.Name.String(), transcript.Recorded)
	case *rollout.ThreadGoal:
		e.notice("goal", p.Objective.String(), transcript.Recorded)
	case *rollout.AgentMessage:
		text := agentMessage(p)
		if e.sv.session {
			text = p.Content.Text()
		}
		e.notice("agent_message", text, transcript.Recorded)
	case *rollout.SubAgentActivity:
		e.notice("sub_agent", strings.TrimSpace(orElse(p.AgentPath, p.AgentThreadID)+" "+p.What), transcript.Recorded)
	case *rollout.GuardianAssessment:
		e.notice("guardian", strings.TrimSpace(p.Status+" "+p.Rationale.String()), transcript.Recorded)
	case *rollout.HookPrompt:
		e.context("user", p.Fragments.Text())
	}
}

func rollbackText(turns int64) string {
	if turns == 1 {
		return "the last user turn before this was taken back"
	}
	return fmt.Sprintf("the last %d user turns before this were taken back", turns)
}

func reviewTarget(p *rollout.EnteredReview) string {
	t := p.Target
	what := orElse(p.Hint.String(), t.Instructions.String())
	if what == "" {
		what = strings.TrimSpace(t.Type + " " + t.Branch + t.SHA)
	}
	return "review: " + what
}

func reviewResult(p *rollout.ExitedReview) string {
	if !p.Output.OK {
		return "the review ended without a result"
	}
	lines := []string{p.Output.Explanation.String()}
	for _, f := range p.Output.Findings.All() {
		lines = append(lines, "- "+f.Title.String())
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// agentMessage is what one agent wrote to another, as far as it is readable
// (F8).
func agentMessage(p *rollout.AgentMessage) string {
	text := p.Content.Text()
	for _, b := range p.Content.All() {
		if b.Kind == rollout.BlockEncrypted {
			text = strings.TrimSpace(text + "\n(a part of this is encrypted)")
			break
		}
	}
	return fmt.Sprintf("%s to %s: %s", p.Author, p.Recipient, text)
}
