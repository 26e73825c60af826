package rollout

// ItemMeta is what every response item may carry beside its own fields.
type ItemMeta struct {
	ID     string
	TurnID string // from the item's metadata; missing before 0.142.5
	// Kinds names what each content block is ("user.text",
	// "generic.turn_aborted" …); from 0.150 (F16).
	Kinds Texts

	ClientAuthored   bool // a client put the item in
	CompactionOutput bool // the item is a compaction's summary
	Inherited        bool // the item was copied from a parent thread
}

// itemBase is the base of response items.
type itemBase struct {
	base
	ItemMeta
}

func (m *itemBase) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id":
		m.ID = d.str()
	case "internal_chat_message_metadata_passthrough", "metadata":
		d.object(m.setPassthrough)
	default:
		return false
	}
	return true
}

func (m *itemBase) setPassthrough(d *dec, key []byte) bool {
	switch string(key) {
	case "turn_id":
		m.TurnID = d.str()
	case "content_item_kinds":
		m.Kinds = Texts(d.of('['))
	default:
		return false
	}
	return true
}

// Meta gives what every response item may carry.
func (m *itemBase) Meta() *ItemMeta { return &m.ItemMeta }

// harness reads the metadata that stands beside the payload.
func (m *itemBase) harness(meta Raw) {
	if meta == nil {
		return
	}
	d := dec{b: meta}
	d.object(func(d *dec, key []byte) bool {
		switch string(key) {
		case "client_authored":
			m.ClientAuthored = d.bool().Value
		case "compaction_output":
			m.CompactionOutput = d.bool().Value
		case "inherited_user_message":
			m.Inherited = d.bool().Value
		default:
			return false
		}
		return true
	})
	for _, f := range d.odd[:min(len(d.odd), maxOdd-len(m.odd))] {
		m.odd = append(m.odd, join([]byte("metadata"), f))
	}
}

// A Message is a text of a person, of the model, or put in for the model to
// read: role alone does not tell (F16).
type Message struct {
	itemBase
	Role    string // user, assistant, developer, system
	Phase   string // commentary, partial_answer, final_answer, or "" where not known
	Status  string
	Content Blocks
}

func (m *Message) set(d *dec, key []byte) bool {
	switch string(key) {
	case "role":
		m.Role = d.str()
	case "content":
		m.Content = Blocks(d.of('['))
	case "phase":
		m.Phase = d.str()
	case "status":
		m.Status = d.str()
	default:
		return m.itemBase.set(d, key)
	}
	return true
}

// A Reasoning holds reasoning as far as it is open.
type Reasoning struct {
	itemBase
	Summary   Blocks
	Content   Blocks // raw reasoning text
	Encrypted bool   // there is encrypted content
}

func (r *Reasoning) set(d *dec, key []byte) bool {
	switch string(key) {
	case "summary":
		r.Summary = Blocks(d.of('['))
	case "content":
		r.Content = Blocks(d.of('['))
	case "encrypted_content":
		r.Encrypted = d.text().OK()
	default:
		return r.itemBase.set(d, key)
	}
	return true
}

// A ToolCall is a function_call, a custom_tool_call or a tool_search_call.
type ToolCall struct {
	itemBase
	CallID    string
	Name      string
	Namespace string // of an MCP tool or the like (F19)
	Status    string
	Arguments Raw // a string, but for tool_search_call, whose arguments are an object
}

// Input returns the arguments as text: the string, or the object as it stands
// in the line.
func (c *ToolCall) Input() string {
	if s, ok := c.Arguments.Text(); ok {
		return s
	}
	return string(c.Arguments)
}

func (c *ToolCall) set(d *dec, key []byte) bool {
	switch string(key) {
	case "call_id":
		c.CallID = d.str()
	case "name":
		c.Name = d.str()
	case "namespace":
		c.Namespace = d.str()
	case "status":
		c.Status = d.str()
	case "input":
		c.Arguments = d.of('"')
	case "arguments":
		if c.typ == ItemToolSearchCall {
			c.Arguments = d.raw()
		} else {
			c.Arguments = d.of('"')
		}
	default:
		return c.itemBase.set(d, key)
	}
	return true
}

// A ToolOutput is the result of a tool call; also the turn item of that name.
type ToolOutput struct {
	itemBase
	CallID    string // "" where the output answers no call
	Name      string
	Namespace string
	Status    string
	Output    Text   // of the string form
	Blocks    Blocks // of the array form
	Tools     Raw    // of tool_search_output
}

// Text returns the readable text of the output, whatever its form.
func (o *ToolOutput) Text() string {
	if o.Output.OK() {
		return o.Output.String()
	}
	return o.Blocks.Text()
}

func (o *ToolOutput) set(d *dec, key []byte) bool {
	switch string(key) {
	case "call_id":
		o.CallID = d.str()
	case "name":
		o.Name = d.str()
	case "namespace":
		o.Namespace = d.str()
	case "status":
		o.Status = d.str()
	case "output":
		o.Output, o.Blocks = nil, nil
		if d.b[d.i] == '[' {
			o.Blocks = Blocks(d.raw())
		} else {
			o.Output = d.text()
		}
	case "tools":
		o.Tools = d.of('[')
	default:
		return o.itemBase.set(d, key)
	}
	return true
}

// A LocalShellCall is a command that the model asked for by the provider's own
// shell tool.
type LocalShellCall struct {
	itemBase
	CallID string // "" where only ID is set
	Status string
	Action ShellAction
}

// A ShellAction is a command to run.
type ShellAction struct {
	Command          Texts
	WorkingDirectory string
	TimeoutMS        Opt[int64]
}

func (c *LocalShellCall) set(d *dec, key []byte) bool {
	switch string(key) {
	case "call_id":
		c.CallID = d.str()
	case "status":
		c.Status = d.str()
	case "action":
		into(d, &c.Action)
	default:
		return c.itemBase.set(d, key)
	}
	return true
}

func (a *ShellAction) set(d *dec, key []byte) bool {
	switch string(key) {
	case "command":
		a.Command = Texts(d.of('['))
	case "working_directory":
		a.WorkingDirectory = d.str()
	case "timeout_ms":
		a.TimeoutMS = d.int()
	default:
		return false
	}
	return true
}

// An AgentMessage is what one agent of a thread's tree wrote to another (F8).
type AgentMessage struct {
	itemBase
	Author, Recipient string
	Content           Blocks
}

func (m *AgentMessage) set(d *dec, key []byte) bool {
	switch string(key) {
	case "author":
		m.Author = d.str()
	case "recipient":
		m.Recipient = d.str()
	case "content":
		m.Content = Blocks(d.of('['))
	default:
		return m.itemBase.set(d, key)
	}
	return true
}

// A GhostSnapshot names a commit that undo goes back to; 0.58 to 0.77.
type GhostSnapshot struct {
	itemBase
	Commit string
}

func (g *GhostSnapshot) set(d *dec, key []byte) bool {
	if string(key) != "ghost_commit" {
		return g.itemBase.set(d, key)
	}
	g.Commit = d.textIn("id").String()
	return true
}

// A Compaction stands for history that the model sees in encrypted form only.
type Compaction struct {
	itemBase
	Encrypted bool // there is encrypted content
}

func (c *Compaction) set(d *dec, key []byte) bool {
	if string(key) != "encrypted_content" {
		return c.itemBase.set(d, key)
	}
	c.Encrypted = d.text().OK()
	return true
}

// An AdditionalTools item offers tools to the model.
type AdditionalTools struct {
	itemBase
	Role  string
	Tools Raw // a list
}

func (a *AdditionalTools) set(d *dec, key []byte) bool {
	switch string(key) {
	case "role":
		a.Role = d.str()
	case "tools":
		a.Tools = d.of('[')
	default:
		return a.itemBase.set(d, key)
	}
	return true
}

// A ConfigurationUpdate changes the effort in the middle of a conversation.
type ConfigurationUpdate struct {
	itemBase
	Effort string
}

func (c *ConfigurationUpdate) set(d *dec, key []byte) bool {
	if string(key) != "reasoning" {
		return c.itemBase.set(d, key)
	}
	c.Effort = d.textIn("effort").String()
	return true
}

// An OtherItem is what Codex wrote for an item that it did not know.
type OtherItem struct{ itemBase }
