package discover

import (
	"io/fs"

	"rollbook/internal/diag"
)

// A Memory keeps what looking into files gave, so that List opens only those
// that are new or have changed. Several goroutines use it at once.
type Memory interface {
	// Recall gives what Keep was told of a file, where info, as the folder
	// lists the file now, says that it is still the same.
	Recall(path string, info fs.FileInfo) (Look, bool)
	// Keep is told of each file that was looked into and could be read. info
	// is of the open file, from before it was read.
	Keep(path string, info fs.FileInfo, look Look)
}

// A Look is what looking into a file gave. It is not changed once it is made.
type Look struct {
	Ref   *Ref // nil where the file is no rollout
	Diags []diag.Diagnostic
}

// give turns a look into what a probe answers with.
func (l Look) give(c *candidate) (*Ref, *Other, []diag.Diagnostic) {
	if l.Ref == nil {
		return nil, &Other{c.path, c.info.Size(), c.info.ModTime(), StampOf(c.info)}, l.Diags
	}
	ref := *l.Ref // a look is shared with the memory
	ref.Stamp = StampOf(c.info)
	return &ref, nil, l.Diags
}

func (p *prober) recall(c *candidate) (Look, bool) {
	if p.memory == nil || c.info == nil {
		return Look{}, false
	}
	return p.memory.Recall(c.path, c.info)
}

func (p *prober) keep(path string, info fs.FileInfo, l Look) {
	if p.memory != nil {
		p.memory.Keep(path, info, l)
	}
}
