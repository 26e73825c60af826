package rolltest

import (
	"encoding/base64"
	"encoding/hex"
)

func (r *Rollout) randomBytes(n int) []byte {
	b := make([]byte, n)
	for i := 0; i < n; i += 8 {
		x := r.rng.Uint64()
		for j := i; j < min(i+8, n); j++ {
			b[j] = byte(x)
			x >>= 8
		}
	}
	return b
}

func (r *Rollout) hex(n int) string { return hex.EncodeToString(r.randomBytes(n)) }

// uuid7 is a seeded UUID that holds the clock's time, as Codex's ids do.
func (r *Rollout) uuid7() string {
	b := r.randomBytes(16)
	ms := r.now.UnixMilli()
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	return formatUUID(b, 7)
}

func (r *Rollout) uuid4() string { return formatUUID(r.randomBytes(16), 4) }

func formatUUID(b []byte, version byte) string {
	b[6] = b[6]&0x0f | version<<4
	b[8] = b[8]&0x3f | 0x80
	out := make([]byte, 0, 36)
	for i, c := range b {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			out = append(out, '-')
		}
		out = hex.AppendEncode(out, []byte{c})
	}
	return string(out)
}

// threadID is a v4 id up to V36 and v7 after.
func (r *Rollout) threadID() string {
	if r.Version <= V36 {
		return r.uuid4()
	}
	return r.uuid7()
}

// id gives an id like "msg_…", as the model's service makes them.
func (r *Rollout) id(prefix string) string { return prefix + "_" + r.hex(12) }

// ownID gives an id like "msg_…", as Codex itself makes them.
func (r *Rollout) ownID(prefix string) string { return prefix + "_" + r.uuid7() }

// encrypted stands for content that only the model's service can read.
func (r *Rollout) encrypted(n int) string {
	return "gAAAAAB" + base64.StdEncoding.EncodeToString(r.randomBytes(n))
}
