package ingest

import (
	"context"
	"errors"
	"fmt"

	"rollbook/internal/assemble"
	"rollbook/internal/diag"
)

// takeThread brings one thread into the store, as far as that is needed.
func (r *run) takeThread(ctx context.Context, rt *root, t *threadJob) (verdict, error) {
	v, err := r.judgeThread(rt, t)
	if err != nil {
		return r.lost(ctx, t, err)
	}
	switch v.action {
	case Skip:
		r.refuse(v, t.last().Path, t.key())
		return v, r.flushDiags(ctx)
	case Unchanged, Relocate:
		return v, r.refresh(ctx, rt, t, v)
	}
	left := r.left
	rd, err := r.read(ctx, rt, t, v)
	if err != nil {
		r.left = left
	}
	switch {
	case ctx.Err() != nil:
		return v, context.Cause(ctx)
	case err != nil:
		return r.lost(ctx, t, err)
	}
	return rd.v, nil
}

// judgeThread decides about a thread, the limit for files included.
func (r *run) judgeThread(rt *root, t *threadJob) (verdict, error) {
	v, err := r.decideThread(rt, t)
	if err != nil || v.action == Unchanged || v.action == Relocate {
		return v, err
	}
	if big := r.tooLarge(t); big != nil {
		return *big, nil
	}
	return v, nil
}

// lost notes that a thread could not be read now. What the store holds stays.
func (r *run) lost(ctx context.Context, t *threadJob, err error) (verdict, error) {
	v := verdict{action: Skip, code: FileUnread, why: err.Error()}
	switch {
	case errors.Is(err, assemble.ErrChanged):
		v.code = Changed
	case errors.Is(err, errTooLarge):
		v.code = FileLimit
	case errors.Is(err, errShorter):
		v.code = RecordLimit
	}
	r.refuse(v, t.last().Path, t.key())
	return v, r.flushDiags(ctx)
}

// refuse notes why something is not taken.
func (r *run) refuse(v verdict, file, key string) {
	if v.code != OtherCopy {
		r.summary.Partial = true
	}
	r.note(diag.Diagnostic{Position: diag.Position{File: file}, Code: v.code, Message: v.why}, key, 0)
}

// tooLarge refuses a thread one of whose files is over the limit.
func (r *run) tooLarge(t *threadJob) *verdict {
	for _, ref := range t.files() {
		if ref.Size > r.opt.MaxFile {
			return &verdict{action: Skip, code: FileLimit,
				why: fmt.Sprintf("%s has %d bytes, more than the limit of %d (--max-file)", ref.Path, ref.Size, r.opt.MaxFile)}
		}
	}
	return nil
}
