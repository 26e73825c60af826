package bundle

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"unicode/utf8"
)

// codeOf joins the changes of a manifest with their texts and holds them to their
// hashes (B14 to B16).
func codeOf(m *Manifest, payloads map[string][]byte) ([]contents, error) {
	edits, err := DecodePatch(payloads[PatchName])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", PatchName, err)
	}
	code := make([]contents, len(m.Changes))
	var again []byte
	total := 0
	for i, c := range m.Changes {
		if c.Kind == Add {
			code[i] = contents{known: true, result: payloads[c.Payload]}
		} else {
			if len(edits) == 0 || edits[0].Path != c.Path || edits[0].Kind != c.Kind {
				return nil, fmt.Errorf("%s: does not have the changes of the manifest in their order", PatchName)
			}
			e := edits[0]
			edits = edits[1:]
			code[i] = contents{e.Texts, e.Base, e.ResultText}
			again = appendEdit(again, editOf(&c, &code[i]))
		}
		if err := c.checkTexts(&code[i]); err != nil {
			return nil, fmt.Errorf("the change of %q: %w", c.Path, err)
		}
		total += len(code[i].base) + len(code[i].result)
	}
	switch {
	case len(edits) > 0 || !bytes.Equal(again, payloads[PatchName]):
		return nil, fmt.Errorf("%s: does not have the changes of the manifest in their one spelling", PatchName)
	case total > maxCode:
		return nil, fmt.Errorf("the versions of the changed files hold more than %d bytes", maxCode)
	}
	return code, nil
}

// editOf gives a change as it stands in a patch.
func editOf(c *Change, t *contents) *Edit {
	e := &Edit{Path: c.Path, Kind: c.Kind, BaseMode: *c.BaseMode, Texts: t.known, Base: t.base, ResultText: t.result}
	if c.ResultMode != nil {
		e.ResultMode = *c.ResultMode
	}
	return e
}

// checkTexts holds the versions of a file to what the manifest says of them.
func (c *Change) checkTexts(t *contents) error {
	if !t.known {
		if *c.BaseSHA256 != *c.ResultSHA256 {
			return errors.New("the patch does not have its texts")
		}
		return nil
	}
	for _, v := range []struct {
		sum  *string
		text []byte
	}{{c.BaseSHA256, t.base}, {c.ResultSHA256, t.result}} {
		switch {
		case v.sum == nil:
		case len(v.text) > maxVersion:
			return fmt.Errorf("a version holds more than %d bytes", maxVersion)
		case hashOf(v.text) != *v.sum:
			return errors.New("a version does not have the hash that the manifest gives")
		case !utf8.Valid(v.text) || bytes.IndexByte(v.text, 0) >= 0:
			return errors.New("a version is no text")
		}
	}
	return nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
