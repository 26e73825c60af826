package rollout

import "bytes"

// Head reads the members of a line up to its payload's type and no further,
// and validates nothing. It is for finding one's way in a large file: what it
// says of a line is what Scan says, if the line is valid, has no key twice,
// and has no timestamp, type or ordinal behind its payload (Codex has always
// written the payload last). It reports false where the line is not an object
// or its first members cannot be told apart.
func Head(line []byte, env *Envelope) bool {
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
			env.PayloadType = headPayloadType(line, i)
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
