package rollout

import "bytes"

// Head reads the members of a line up to its payload and no further, and
// validates nothing. It is for finding one's way in a large file: what it says
// of a line is what Scan says, if the line is valid, has no key twice, and has
// no timestamp, type or ordinal behind its payload (Codex has always written
// the payload last). The payload's type is looked for in response_item and
// event_msg records, the only ones that have one. Payload runs on to the end of
// the line, Extra may lack what stands there. Head reports false where the line
// is not an object or its first members cannot be told apart.
func Head(line []byte, env *Envelope) bool {
	if headUsual(line, env) {
		return true
	}
	*env = Envelope{}
	i := 0
	for i < len(line) && isSpace(line[i]) {
		i++
	}
	if i >= len(line) || line[i] != '{' {
		return false
	}
	env.Object = true
	for i++; ; {
		start := skipSeparators(line, i)
		if start >= len(line) {
			return false
		}
		if line[start] == '}' {
			return true
		}
		if line[start] != '"' {
			return false
		}
		i = headString(line, start)
		key := Raw(line[start:min(i, len(line))])
		if i = skipSeparators(line, i); i >= len(line) {
			return false
		}
		if line[i] == '{' && key.is("payload") {
			env.Payload = Raw(line[i:])
			if tagged := env.Type.Is("response_item") || env.Type.Is("event_msg"); tagged || env.Type == nil {
				env.PayloadType = headPayloadType(line, i)
			}
			if env.Type != nil {
				return true
			}
		}
		start = i
		if line[i] == '"' {
			i = headString(line, i)
		} else {
			i = skipValue(line, i)
		}
		if i > len(line) || i == start {
			return false
		}
		kept := env.PayloadType
		env.member(topLevel, key, Raw(line[start:i]))
		env.PayloadType = kept
	}
}

// headUsual reads the head of a line as Codex spells it since 0.36: timestamp,
// ordinal in paginated files, type, payload, without a space. It reports false,
// having promised nothing, where the line is spelt another way.
func headUsual(line []byte, env *Envelope) bool {
	var ok bool
	*env = Envelope{Object: true}
	rest := line
	if env.Timestamp, rest, ok = headMember(rest, `{"timestamp":`); !ok {
		return false
	}
	if digits, found := bytes.CutPrefix(rest, []byte(`,"ordinal":`)); found {
		n := 0
		for n < len(digits) && isDigit(digits[n]) {
			n++
		}
		env.Ordinal, env.Extra, rest = Raw(digits[:n]), true, digits[n:]
	}
	if env.Type, rest, ok = headMember(rest, `,"type":`); !ok {
		return false
	}
	if rest, ok = bytes.CutPrefix(rest, []byte(`,"payload":`)); !ok || len(rest) == 0 || rest[0] != '{' {
		return false
	}
	env.Payload = Raw(rest)
	if !env.Type.Is("response_item") && !env.Type.Is("event_msg") {
		return true
	}
	if env.PayloadType, _, ok = headMember(rest, `{"type":`); !ok {
		env.PayloadType = headPayloadType(rest, 0)
	}
	return true
}

// Usual reports whether a line that Scan accepted, and filled env from, is spelt
// as Codex spells it: Head finds the same members, and the payload ends one byte
// before the line does. A second reading may then leave the scan out
// (Options.Known).
func (env *Envelope) Usual(line []byte) bool {
	var head Envelope
	n := len(env.Payload)
	if n == 0 || !headUsual(line, &head) || len(head.Payload) != n+1 || line[len(line)-1] != '}' ||
		&head.Payload[0] != &env.Payload[0] || head.Extra != env.Extra {
		return false
	}
	return same(head.Timestamp, env.Timestamp) && same(head.Ordinal, env.Ordinal) && same(head.Type, env.Type) &&
		same(head.PayloadType, env.PayloadType)
}

// same reports whether two values are the same place of a line.
func same(a, b Raw) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// known fills env from a line that was found Usual before.
func (env *Envelope) known(line []byte) {
	headUsual(line, env)
	env.Payload = env.Payload[:len(env.Payload)-1]
}

// headMember takes a key, spelt with what stands round it, and a string value
// without escapes off the front of b.
func headMember(b []byte, key string) (val Raw, rest []byte, ok bool) {
	n := len(key)
	if len(b) <= n || string(b[:n]) != key || b[n] != '"' {
		return nil, b, false
	}
	end := bytes.IndexByte(b[n+1:], '"')
	if end < 0 || bytes.IndexByte(b[n+1:n+1+end], '\\') >= 0 {
		return nil, b, false
	}
	end += n + 2
	return Raw(b[n:end]), b[end:], true
}

func skipSeparators(b []byte, i int) int {
	for i < len(b) && (b[i] == ',' || b[i] == ':' || isSpace(b[i])) {
		i++
	}
	return i
}

// headString is skipString for the short strings that open a line.
func headString(b []byte, i int) int {
	end := bytes.IndexByte(b[i+1:], '"')
	if end < 0 {
		return len(b) + 1
	}
	if bytes.IndexByte(b[i+1:i+1+end], '\\') >= 0 {
		return skipString(b, i)
	}
	return i + 1 + end + 1
}

// headPayloadType gives the payload's type, which Codex writes first; where it
// does not stand first, the members are walked until it is found.
func headPayloadType(b []byte, open int) Raw {
	for i := open + 1; ; {
		start := skipSeparators(b, i)
		if start >= len(b) || b[start] != '"' {
			return nil
		}
		i = headString(b, start)
		key := Raw(b[start:min(i, len(b))])
		if i = skipSeparators(b, i); i >= len(b) {
			return nil
		}
		start = i
		if i = skipValue(b, i); i > len(b) || i == start {
			return nil
		}
		if key.is("type") {
			return Raw(b[start:i])
		}
	}
}
