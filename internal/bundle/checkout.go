package bundle

import "rollbook/internal/gitro"

// A checkout is what git said of the project.
type checkout struct{ *gitro.Observation }

// warnings gives the warnings of the manifest about the checkout.
func (c *checkout) warnings() []string {
	if c == nil {
		return nil
	}
	var out []string
	for _, code := range c.Codes {
		out = append(out, code+": "+gitWords[code])
	}
	if c.Dirty != nil && *c.Dirty {
		out = append(out, "dirty: the checkout had changes since the base commit")
	}
	return out
}

// gitWords says what each code means.
var gitWords = map[string]string{
	gitro.Unavailable:         "git could not be asked, or the folder is no checkout",
	gitro.DetachedHead:        "no branch is checked out",
	gitro.BranchUnavailable:   "the branch could not be read",
	gitro.HeadUnavailable:     "there is no commit, or it could not be read",
	gitro.StatusUnavailable:   "whether the checkout has changes could not be read",
	gitro.SubmodulesUnknown:   "the checkout has submodules, which nobody looked into",
	gitro.RemoteAbsent:        "there is no remote of the name origin",
	gitro.RemoteOmitted:       "the address of origin is not one that is given away",
	gitro.RemoteUnavailable:   "the address of origin could not be read",
	gitro.ChangedWhileLooking: "the checkout changed while it was looked at, so nothing of it is given",
}

// checkout writes what is known of the code.
func (h *handoff) checkout() {
	h.printf("\n## The code\n\n")
	if h.git == nil {
		h.printf("No checkout was looked at: which repository, branch and commit this was about is\nnot known here.\n")
		return
	}
	p := h.m.Project
	h.printf("What git said of the checkout when this was made:\n\n| | |\n|---|---|\n")
	h.printf("| remote (origin) | %s |\n", codeOr(p.Remote, "not given"))
	h.printf("| branch | %s |\n", codeOr(p.Branch, "not known, or none"))
	h.printf("| base commit | %s |\n", codeOr(p.BaseCommit, "not known"))
	dirty := "not known whether it had changes"
	if p.Dirty != nil {
		dirty = map[bool]string{true: "had changes since the base commit", false: "clean"}[*p.Dirty]
	}
	h.printf("| state | %s |\n", dirty)
}
