package rolltest

import (
	"encoding/base64"
	"fmt"
)

// metaKind says which metadata Codex puts beside an item (V171; outputs also V156).
type metaKind int

const (
	plainMeta metaKind = iota
	developerMeta
	contextMeta
	userMeta
	assistantMeta
	callMeta
	outputMeta
	summaryMeta
)

// message is one message item.
type message struct {
	role       string
	id         string // default: one of Codex's own
	content    A
	phase      string
	kinds      A // content_item_kinds, one per content part
	provenance A
	meta       metaKind
}

// message writes a message item and gives its id.
func (r *Rollout) message(m message) string {
	id := m.id
	if id == "" {
		id = r.ownID("msg")
	}
	shown := any(absent{})
	switch {
	case r.Version == V20 && m.role != "assistant":
		shown = nil
	case r.Version == V20 || r.Version >= V147:
		shown = id
	}
	r.item(O{
		"type", "message",
		"status", If(r.Version >= V171 && m.meta == assistantMeta, "completed"),
		"id", shown,
		"role", m.role,
		"content", m.content,
		"phase", If(m.phase != "", m.phase),
		"internal_chat_message_metadata_passthrough", r.passthrough(m.role != "assistant", m.kinds, m.provenance),
	}, r.metadata(m.meta, id, m.role))
	return id
}

// passthrough says to which turn an item belongs and what its parts are.
func (r *Rollout) passthrough(created bool, kinds, provenance A) any {
	v := r.Version
	if v < V147 {
		return absent{}
	}
	return O{
		"turn_id", r.turn.id,
		"create_time", If(v >= V152 && created, float64(r.now.UnixMicro())/1e6),
		"content_item_kinds", If(v >= V152 && kinds != nil, kinds),
		"content_item_metadata", If(v >= V171 && provenance != nil, provenance),
	}
}

// metadata is the object beside the payload of an item. It numbers the items of
// a thread and tells how far the model had read when this one was made.
func (r *Rollout) metadata(kind metaKind, id, role string) any {
	switch {
	case r.Version == V156 && kind == outputMeta:
		return O{"client_authored", false, "fallback_token_limit_override", 12000}
	case r.Version < V171:
		return absent{}
	}
	r.count.sequence++
	said := kind == userMeta || kind == assistantMeta
	counted := said || kind == callMeta
	source := O{
		"id", O{"message_id", id, "turn_id", r.turn.id, "role", role},
		"revision", If(said, r.ownID("retained")),
		"complete", true,
	}
	o := O{
		"history_sequence", r.count.sequence,
		"sampled_through_sequence", r.count.sampled,
		"retained_source", If(said, source),
		"client_authored", false,
		"user_input_order", If(counted, r.count.inputs),
		"fallback_token_limit_override", If(kind == outputMeta, 12000),
		"mcp_attribution", If(kind == userMeta || kind == developerMeta, O{"status", "none"}),
		"compaction_output", If(kind == summaryMeta, true),
		"model_search_state", "unused",
	}
	if counted {
		r.count.inputs++
	}
	return o
}

// An Image is a picture that a person sends. Without a path it was pasted.
type Image struct {
	Path string
	PNG  []byte
}

func (i Image) dataURL() string {
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(i.PNG)
}

// User writes what a person sends: the item, then its event. Within a turn that
// runs it is a steering message.
func (r *Rollout) User(text string, images ...Image) *Rollout {
	r.endResponse()
	r.flushTokens()
	r.stateLines(1)
	r.tick(1, 9)
	content, kinds, provenance := r.userContent(text, images)
	r.message(message{role: "user", content: content, kinds: kinds, provenance: provenance, meta: userMeta})
	if r.itemEvents {
		r.ItemCompleted(r.userItem(text, images))
	} else {
		r.Event(r.userEvent(text, images))
	}
	r.remember(text)
	return r
}

func (r *Rollout) userContent(text string, images []Image) (content, kinds, provenance A) {
	add := func(part O, kind string) {
		content = append(content, part)
		kinds = append(kinds, kind)
		provenance = append(provenance, O{"provenance", O{"type", "user"}})
	}
	detail := any(absent{})
	switch {
	case r.Version >= V171:
		detail = "original"
	case r.Version >= V140:
		detail = "high"
	}
	for n, image := range images {
		picture := O{"type", "input_image", "image_url", image.dataURL(), "detail", detail}
		if r.Version <= V63 {
			add(picture, "user.image")
			continue
		}
		name := fmt.Sprintf("<image name=[Image #%d]", n+1)
		if r.Version >= V140 && image.Path != "" {
			name += fmt.Sprintf(" path=%q", image.Path)
		}
		add(O{"type", "input_text", "text", name + ">"}, "user.text")
		add(picture, "user.image")
		add(O{"type", "input_text", "text", "</image>"}, "user.text")
	}
	if text != "" || len(images) == 0 {
		add(O{"type", "input_text", "text", text}, "user.text")
	}
	return content, kinds, provenance
}

// userEvent is the user_message event of legacy threads.
func (r *Rollout) userEvent(text string, images []Image) O {
	v := r.Version
	pasted, local := A{}, A{}
	for _, image := range images {
		if v >= V101 && image.Path != "" {
			local = append(local, image.Path)
		} else {
			pasted = append(pasted, image.dataURL())
		}
	}
	if v == V36 {
		return O{"type", "user_message", "message", text, "kind", If(len(images) == 0, "plain"), "images", If(len(images) > 0, pasted)}
	}
	return O{
		"type", "user_message",
		"message", text,
		"images", pasted,
		"local_images", If(v >= V101, local),
		"audio", If(v >= V147, A{}),
		"local_audio", If(v >= V147, A{}),
		"text_elements", If(v >= V101, A{}),
	}
}

// userItem is the UserMessage item of paginated threads.
func (r *Rollout) userItem(text string, images []Image) O {
	var content A
	for _, image := range images {
		if image.Path != "" {
			content = append(content, O{"type", "local_image", "path", image.Path})
		} else {
			content = append(content, O{"type", "image", "image_url", image.dataURL()})
		}
	}
	if text != "" || len(images) == 0 {
		content = append(content, O{"type", "text", "text", text, "text_elements", A{}})
	}
	return O{
		"type", "UserMessage",
		"id", r.uuid7(),
		"client_id", If(r.Version >= V156 && r.Meta.Source == "cli", r.uuid4()),
		"content", content,
	}
}

// Assistant writes what the model says: the event, then the item. The phase is
// "commentary", "final_answer" or left out.
func (r *Rollout) Assistant(text string, phase ...string) *Rollout {
	m := message{
		role: "assistant", id: r.id("msg"), meta: assistantMeta, kinds: A{"unknown"},
		content: A{O{"type", "output_text", "text", text, "annotations", If(r.Version >= V171, A{})}},
	}
	if len(phase) > 0 {
		m.phase = phase[0]
	}
	r.respond(len(text))
	r.tick(200, 4000)
	r.agentEvent(text, m.id, m.phase)
	r.hold(func() { r.message(m) })
	r.turn.last = text
	return r
}

func (r *Rollout) agentEvent(text, id, phase string) {
	if r.itemEvents {
		r.ItemCompleted(O{
			"type", "AgentMessage",
			"id", id,
			"content", A{O{"type", "Text", "text", text}},
			"phase", If(phase != "", phase),
		})
		return
	}
	r.Event(O{
		"type", "agent_message",
		"message", text,
		"phase", If(r.Version >= V140, orNull(phase)),
		"memory_citation", If(r.Version >= V140, nil),
	})
}

// ItemCompleted writes an item_completed event of the current turn.
func (r *Rollout) ItemCompleted(item O) *Rollout {
	started := r.now.UnixMilli()
	r.tick(0, 8)
	return r.completed(r.ID, started, item)
}

// completed writes the event of an item that a thread started at that time.
func (r *Rollout) completed(thread string, started int64, item O) *Rollout {
	return r.Event(O{
		"type", "item_completed",
		"thread_id", thread,
		"turn_id", r.turn.id,
		"item", item,
		"started_at_ms", If(r.Version >= V147, started),
		"completed_at_ms", If(r.Version >= V140, r.now.UnixMilli()),
	})
}

// Reasoning writes what the model lets be seen of its thoughts, one part each;
// with none, an item whose content is encrypted only.
func (r *Rollout) Reasoning(parts ...string) *Rollout {
	r.respond(400)
	r.tick(300, 3000)
	id := r.id("rs")
	summary, texts := A{}, A{}
	for _, part := range parts {
		summary = append(summary, O{"type", "summary_text", "text", part})
		texts = append(texts, part)
		if !r.itemEvents {
			r.Event(O{"type", "agent_reasoning", "text", part})
		}
	}
	if r.itemEvents {
		r.ItemCompleted(O{"type", "Reasoning", "id", id, "summary_text", texts, "raw_content", A{}})
	}
	secret := r.encrypted(r.secret)
	r.hold(func() {
		r.item(O{
			"type", "reasoning",
			"id", If(r.Version == V20 || r.Version >= V147, id),
			"summary", summary,
			"content", If(r.Version > V20, nil),
			"encrypted_content", secret,
			"internal_chat_message_metadata_passthrough", r.passthrough(false, nil, nil),
		}, r.metadata(plainMeta, id, ""))
	})
	return r
}

// Plan writes the answer of plan mode: an item in <proposed_plan> tags, a Plan
// event, and no agent message (V101 on).
func (r *Rollout) Plan(text string) *Rollout {
	r.need(V101, "Plan")
	r.respond(len(text))
	r.tick(500, 5000)
	id := r.turn.id + "-plan"
	if r.itemEvents {
		id = r.uuid7()
	}
	r.ItemCompleted(O{"type", "Plan", "id", id, "text", text})
	r.message(message{
		role: "assistant", id: r.id("msg"), meta: assistantMeta, kinds: A{"unknown"},
		content: A{O{"type", "output_text", "text", "<proposed_plan>\n" + text + "</proposed_plan>", "annotations", If(r.Version >= V171, A{})}},
	})
	return r
}

// Inject writes a message that a client put into the history: an item without
// an event, which Codex does not show.
func (r *Rollout) Inject(role, text string) *Rollout {
	r.flushTokens()
	part := "input_text"
	if role == "assistant" {
		part = "output_text"
	}
	return r.Item(O{"type", "message", "id", If(r.Version >= V147, r.ownID("msg")), "role", role, "content", A{O{"type", part, "text", text}}})
}

// hold writes an item at once, or up to V63 when the response has ended.
func (r *Rollout) hold(write func()) {
	if r.Version == V36 || r.Version == V63 {
		r.held = append(r.held, write)
		return
	}
	write()
}
