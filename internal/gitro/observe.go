package gitro

import (
	"context"
	"strings"
)

// Codes of what an observation could not tell, or what is to be minded.
const (
	Unavailable         = "git_unavailable"
	DetachedHead        = "git_detached_head" // nothing is missing: there is no branch
	BranchUnavailable   = "git_branch_unavailable"
	HeadUnavailable     = "git_head_unavailable"
	StatusUnavailable   = "git_status_unavailable"
	SubmodulesUnknown   = "git_submodules_unverified"
	RemoteAbsent        = "git_remote_absent" // nothing is missing either
	RemoteOmitted       = "git_remote_omitted"
	RemoteUnavailable   = "git_remote_unavailable"
	ChangedWhileLooking = "git_changed_during_read"
)

// An Observation is what git says of a checkout (spec/bundle.md 5.8). What is not
// known is nil.
type Observation struct {
	Repo               *Repo // nil where git knows no checkout there
	Remote             *string
	Branch, BaseCommit *string
	Dirty              *bool
	Codes              []string
	Partial            bool // something is missing that there is
}

// Observe looks at the checkout that a folder belongs to. It always gives an
// answer: what git does not tell is a code.
func Observe(ctx context.Context, git Git, dir string) *Observation {
	o := new(Observation)
	var err error
	if o.Repo, err = Open(ctx, git, dir); err != nil {
		o.lost(Unavailable)
		return o
	}
	branch, head := o.where(ctx)
	o.status(ctx)
	o.remote(ctx)
	if branch2, _ := o.Repo.Branch(ctx); branch2 != branch {
		return o.changed()
	}
	if head2, _ := o.Repo.Head(ctx); head2 != head {
		return o.changed()
	}
	return o
}

func (o *Observation) lost(code string) {
	o.Codes = append(o.Codes, code)
	o.Partial = true
}

func (o *Observation) changed() *Observation {
	c := &Observation{Repo: o.Repo}
	c.lost(ChangedWhileLooking)
	return c
}

// where notes branch and commit.
func (o *Observation) where(ctx context.Context) (branch, head string) {
	branch, err := o.Repo.Branch(ctx)
	switch {
	case err != nil:
		o.lost(BranchUnavailable)
	case branch == "":
		o.Codes = append(o.Codes, DetachedHead)
	default:
		o.Branch = &branch
	}
	if head, err = o.Repo.Head(ctx); err != nil {
		o.lost(HeadUnavailable)
		return branch, ""
	}
	o.BaseCommit = &head
	return branch, head
}

func (o *Observation) status(ctx context.Context) {
	dirty, err := o.Repo.Dirty(ctx)
	if err != nil {
		o.lost(StatusUnavailable)
		return
	}
	modules, err := o.Repo.Submodules(ctx)
	if err != nil {
		o.lost(StatusUnavailable)
		return
	}
	if modules {
		o.lost(SubmodulesUnknown)
	}
	if dirty || !modules {
		o.Dirty = &dirty
	}
}

func (o *Observation) remote(ctx context.Context) {
	url, err := o.Repo.Remote(ctx)
	switch {
	case err != nil:
		o.lost(RemoteUnavailable)
	case url == "":
		o.Codes = append(o.Codes, RemoteAbsent)
	default:
		if public := Public(url); public != "" {
			o.Remote = &public
		} else {
			o.lost(RemoteOmitted)
		}
	}
}

// Public gives the address of a remote in a form that may be given away, or "":
// https and ssh alone, of plain characters, without a user, a password, a query or
// an escape. The user git of ssh is left out.
func Public(url string) string {
	rest, ok := strings.CutPrefix(url, "https://")
	scheme := "https://"
	if !ok {
		scheme = "ssh://"
		if rest, ok = strings.CutPrefix(url, scheme); ok {
			rest = strings.TrimPrefix(rest, "git@")
		} else if rest, ok = strings.CutPrefix(url, "git@"); ok {
			host, path, isPath := strings.Cut(rest, ":")
			if ok = isPath && path != "" && !strings.Contains(host, "/"); ok {
				rest = host + "/" + strings.TrimPrefix(path, "/")
			}
		}
	}
	host, path, isPath := strings.Cut(rest, "/")
	if !ok || host == "" || !isPath || path == "" || host[0] == ':' || host[0] == '-' {
		return ""
	}
	for i := range len(rest) {
		c := rest[i]
		plain := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte(".-_/:", c) >= 0
		if !plain {
			return ""
		}
	}
	return scheme + rest
}
