package bundle

import "fmt"

// A capture is the selected code of a checkout.
type capture struct {
	selected []string // sorted
	changes  []Change
	code     []contents // of each change
	omitted  []string
}

func (c *capture) omissions() []string {
	if c == nil {
		return nil
	}
	return c.omitted
}

// selected writes which code goes along.
func (h *handoff) selected() {
	if h.code == nil {
		return
	}
	h.printf("\n## Selected code\n\n")
	h.printf("%s selected, by whoever made this; %s.\n", plural(len(h.m.SelectedPaths), "path"), plural(len(h.m.Changes), "change"))
	if len(h.m.Changes) == 0 {
		h.printf("None of them differs from the base commit in a way that can be carried.\n")
		return
	}
	h.printf("\n| path | change | in |\n|---|---|---|\n")
	for _, c := range h.m.Changes {
		h.printf("| %s | %s | [%s](%s) |\n", cell(inline(c.Path)), c.kindText(), c.Payload, c.Payload)
	}
	h.printf("\n`rollbook apply DIR --project CHECKOUT --check` says whether they fit a checkout.\n")
}

// kindText says what happened to a file, its mode included.
func (c *Change) kindText() string {
	if c.Kind == Modify && *c.BaseMode != *c.ResultMode {
		return fmt.Sprintf("%s, mode %s to %s", c.Kind, *c.BaseMode, *c.ResultMode)
	}
	return string(c.Kind)
}
