package rollout

import "testing"

// TestBrokenEscapes: Head validates nothing, so what it finds may hold escapes
// that Scan would refuse. They must do no harm.
func TestBrokenEscapes(t *testing.T) {
	for _, line := range []string{
		`{"aaaaaaaaaaaa\u1":1,"payload":{}}`,
		`{"aaaaaaaaaaaa\ud800":1,"payload":{}}`,
		`{"aaaaaaaaaaaa\ud800\u12":1,"payload":{}}`,
		`{"timestamp":"\uzzzz","type":"session_metaaa\u","payload":{}}`,
		`{"type":"session_metaaa\ud8","payload":{"type":"messageeeee\u1"}}`,
	} {
		var env Envelope
		Head([]byte(line), &env)
		env.Type.Is("session_meta")
		env.PayloadType.Is("message")
		env.Timestamp.Text()
	}
}
