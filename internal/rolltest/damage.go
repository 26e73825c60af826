package rolltest

import "bytes"

// Raw writes a line as it stands and a line feed.
func (r *Rollout) Raw(line string) *Rollout {
	r.buf = append(append(r.buf, line...), '\n')
	return r
}

// Broken makes the last line lose its second half but not its line feed, as
// after a write that was torn.
func (r *Rollout) Broken() *Rollout {
	start, end := r.lastStart(), len(r.buf)-1
	r.buf = append(r.buf[:start+(end-start)/2], '\n')
	return r
}

// CutLine makes the last line lose its second half and its line feed, as while
// it is being written.
func (r *Rollout) CutLine() *Rollout {
	start, end := r.lastStart(), len(r.buf)-1
	r.buf = r.buf[:start+(end-start)/2]
	return r
}

func (r *Rollout) lastStart() int {
	return bytes.LastIndexByte(r.buf[:len(r.buf)-1], '\n') + 1
}
