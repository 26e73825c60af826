package inspect

import (
	"bytes"

	"rollbook/internal/rollout"
)

// A key is a member of a payload or block that the contract knows.
type key uint8

const (
	keyType key = iota
	keyID
	keyCallID
	keyName
	keyNamespace
	keyPhase
	keyCwd
	keyCLIVersion
	keyTurnID
	keyRole
	keyContent
	keyMessage
	keyArguments
	keyInput
	keyOutput
	keyText
	keyOther // any other
)

// metadataKeys must hold a string or null where they stand in a payload, in
// the order in which they are reported (spec/inspect.md 2.3 gate 8).
var metadataKeys = [...]key{keyID, keyCallID, keyName, keyNamespace, keyPhase, keyCwd, keyCLIVersion, keyTurnID}

func keyOf(quoted rollout.Raw) key {
	name := []byte(quoted[1 : len(quoted)-1])
	if bytes.IndexByte(name, '\\') >= 0 {
		name = quoted.AppendText(nil)
	}
	switch string(name) {
	case "type":
		return keyType
	case "id":
		return keyID
	case "call_id":
		return keyCallID
	case "name":
		return keyName
	case "namespace":
		return keyNamespace
	case "phase":
		return keyPhase
	case "cwd":
		return keyCwd
	case "cli_version":
		return keyCLIVersion
	case "turn_id":
		return keyTurnID
	case "role":
		return keyRole
	case "content":
		return keyContent
	case "message":
		return keyMessage
	case "arguments":
		return keyArguments
	case "input":
		return keyInput
	case "output":
		return keyOutput
	case "text":
		return keyText
	}
	return keyOther
}

// keys is a set of keys.
type keys uint32

func keySet(ks ...key) (s keys) {
	for _, k := range ks {
		s |= 1 << k
	}
	return s
}

// fields are the members of one object, by key. Of duplicates the last counts.
type fields struct {
	val  [keyOther]rollout.Raw
	seen keys
}

// read takes the members of an object. They are good for as long as it is.
func (f *fields) read(object rollout.Raw) {
	*f = fields{}
	for w := object.Object(); ; {
		name, val, ok := w.Next()
		if !ok {
			return
		}
		k := keyOf(name)
		f.seen |= 1 << k
		if k != keyOther {
			f.val[k] = val
		}
	}
}

// text gives the member where it is a string.
func (f *fields) text(k key) rollout.Raw {
	if v := f.val[k]; v.IsString() {
		return v
	}
	return nil
}

// beyond reports whether there are keys that are not among the allowed.
func (f *fields) beyond(allowed keys) bool { return f.seen&^allowed != 0 }
