package dsh

// contextTokens is what the harness counts an event of ours for
// (docs/format/dsh.md, "Price"). Ours only append to the surface.
func contextTokens(d Data) int64 {
	switch d := d.(type) {
	case UserMessage:
		return blockTokens(d.Content) + 4
	case AssistantMessage:
		if len(d.Content) == 0 {
			return 0
		}
		return blockTokens(d.Content) + 4
	case ToolResult:
		return blockTokens(d.Content) + 4 + 4
	}
	return 0
}

func blockTokens(blocks []Block) (n int64) {
	for _, b := range blocks {
		switch b := b.(type) {
		case Text:
			n += quarter(units(b.Text)) + 4
		case Reasoning:
			n += quarter(units(b.Text)) + 4
		case Call:
			n += quarter(units(b.Name)) + quarter(units(b.Arguments)) + 4
		default:
			var e encoder
			b.encode(&e)
			n += 4 + quarter(units(string(e.buf)))
		}
	}
	return n
}

func quarter(n int) int64 { return int64(n+3) / 4 }
