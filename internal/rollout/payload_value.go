package rollout

import (
	"bytes"
	"iter"
)

// Long values are not copied out of the line: a Text, and every list below,
// points into the line that was decoded and is good for as long as the line
// is. Short values (ids, names, paths) are strings of their own.

// Opt is a value that may be absent. OK is false where the key is absent, null
// or of another kind.
type Opt[T any] struct {
	Value T
	OK    bool
}

// A Text is a string as it stands in the line, or nothing where it is absent,
// null or of another kind.
type Text Raw

// OK reports whether there is a string at all.
func (t Text) OK() bool { return t != nil }

// Empty reports whether there is no string or an empty one.
func (t Text) Empty() bool { return len(t) <= 2 }

// String returns the string, exactly as it was.
func (t Text) String() string {
	s, _ := Raw(t).Text()
	return s
}

// Append appends the string to dst.
func (t Text) Append(dst []byte) []byte { return Raw(t).AppendText(dst) }

// Equal reports whether both spell the same string. Nothing equals "".
func (t Text) Equal(u Text) bool {
	if bytes.Equal(t, u) {
		return true
	}
	if bytes.IndexByte(t, '\\') < 0 && bytes.IndexByte(u, '\\') < 0 {
		return t.Empty() && u.Empty()
	}
	return t.String() == u.String()
}

// Texts is a list of strings.
type Texts Raw

// OK reports whether there is a list at all, be it empty.
func (l Texts) OK() bool { return l != nil }

// All gives the strings in order; an element of another kind gives nothing in
// its place.
func (l Texts) All() iter.Seq2[int, Text] {
	return func(yield func(int, Text) bool) {
		for i, v := range elements(Raw(l)) {
			if !v.IsString() {
				v = nil
			}
			if !yield(i, Text(v)) {
				return
			}
		}
	}
}

// Strings returns the strings.
func (l Texts) Strings() []string {
	var all []string
	for _, t := range l.All() {
		all = append(all, t.String())
	}
	return all
}

// elements gives the elements of an array.
func elements(list Raw) iter.Seq2[int, Raw] {
	return func(yield func(int, Raw) bool) {
		w := list.Array()
		for i := 0; ; i++ {
			_, v, ok := w.Next()
			if !ok || !yield(i, v) {
				return
			}
		}
	}
}

// A BlockKind says what a content block holds.
type BlockKind uint8

const (
	BlockUnknown BlockKind = iota
	BlockText
	BlockImage
	BlockAudio
	BlockEncrypted
	BlockMention
	BlockResource
)

// A blockRow is one name of a content block, wherever it may stand.
// docs/format/rollout.md shows the same table.
type blockRow struct {
	name  string
	kind  BlockKind
	treat string
}

var blockRows = []blockRow{
	{"input_text", BlockText, "text"},
	{"output_text", BlockText, "text"},
	{"text", BlockText, "text"},
	{"Text", BlockText, "text"},
	{"inputText", BlockText, "text"},
	{"summary_text", BlockText, "text of a reasoning summary"},
	{"reasoning_text", BlockText, "raw reasoning text"},
	{"input_image", BlockImage, "image: a data URL, another URL or a file id"},
	{"inputImage", BlockImage, "image: a data URL or another URL"},
	{"image", BlockImage, "image: a URL, or base64 data with a media type"},
	{"local_image", BlockImage, "image: a path"},
	{"input_audio", BlockAudio, "sound: a URL or a file id; named, not kept"},
	{"inputAudio", BlockAudio, "sound: a URL; named, not kept"},
	{"audio", BlockAudio, "sound: a URL or base64 data; named, not kept"},
	{"local_audio", BlockAudio, "sound: a path; named, not kept"},
	{"encrypted_content", BlockEncrypted, "stays closed: its place is kept, its bytes are not read"},
	{"mention", BlockMention, "name and path of a thing that the person mentioned"},
	{"skill", BlockMention, "name and path of a skill that the person chose"},
	{"resource", BlockResource, "an MCP resource: kept raw"},
	{"resource_link", BlockResource, "a link to an MCP resource: kept raw"},
}

// A formRow is one form that a value may take which is not told by a block's
// or an item's type. docs/format/rollout.md shows the same table.
type formRow struct {
	where, form, treat string
}

var formRows = []formRow{
	{"output of a tool", "string", "text; in old versions itself JSON of output and metadata (F19)"},
	{"output of a tool", "array", "content blocks, in order"},
	{"action of local_shell_call", "exec", "command, folder and time limit"},
	{"action of a web search", "search", "query and queries"},
	{"action of a web search", "open_page", "address"},
	{"action of a web search", "find_in_page", "address and pattern"},
	{"action of a web search", "other", "name only"},
}

var blockByName = func() map[string]*blockRow {
	m := make(map[string]*blockRow, len(blockRows))
	for i := range blockRows {
		m[blockRows[i].name] = &blockRows[i]
	}
	return m
}()

// A Block is one content block.
type Block struct {
	Kind BlockKind
	Type string // as recorded; "" where there is none
	Text Text   // of BlockText
	URL  Text   // of an image or sound: data URL or another address
	Data Text   // of an image or sound of an MCP result: base64
	MIME string // of Data
	File string // id of an uploaded file
	Path string // of a local file, or of what was mentioned
	Name string // of what was mentioned
	Odd  bool   // a field is of another kind than known, or the block is no object
	Raw  Raw    // the whole block
}

// Blocks is a list of content blocks.
type Blocks Raw

// OK reports whether there is a list at all, be it empty.
func (l Blocks) OK() bool { return l != nil }

// All gives the blocks in order.
func (l Blocks) All() iter.Seq2[int, Block] {
	return func(yield func(int, Block) bool) {
		if l == nil {
			return
		}
		d := dec{b: l, i: 1}
		for i := 0; d.more(); i++ {
			if !yield(i, d.block()) {
				return
			}
		}
	}
}

// Text returns the text of all text blocks, joined with nothing, as Codex
// joins them.
func (l Blocks) Text() string {
	var one Text
	var all []byte
	n := 0
	for _, b := range l.All() {
		if b.Kind != BlockText {
			continue
		}
		if n++; n == 1 {
			one = b.Text
			continue
		}
		if n == 2 {
			all = one.Append(nil)
		}
		all = b.Text.Append(all)
	}
	if n < 2 {
		return one.String()
	}
	return string(all)
}

// block takes the block at i.
func (d *dec) block() (b Block) {
	start, odd := d.i, len(d.odd)
	d.object(b.set)
	b.Raw = Raw(d.b[start:d.i:d.i])
	b.Odd = len(d.odd) > odd || b.Raw[0] != '{'
	d.odd = d.odd[:odd]
	return b
}

func (b *Block) set(d *dec, key []byte) bool {
	switch string(key) {
	case "type":
		b.setType(d.of('"'))
	case "text":
		b.Text = d.text()
	case "image_url", "audio_url", "imageUrl", "audioUrl", "url":
		b.URL = d.text()
	case "data":
		b.Data = d.text()
	case "mimeType":
		b.MIME = d.str()
	case "file_id":
		b.File = d.str()
	case "path":
		b.Path = d.str()
	case "name":
		b.Name = d.str()
	default:
		return false
	}
	return true
}

func (b *Block) setType(v Raw) {
	b.Kind, b.Type = BlockUnknown, ""
	if v == nil {
		return
	}
	r := blockByName[string(v[1:len(v)-1])]
	if r == nil {
		s, _ := v.Text()
		if r = blockByName[s]; r == nil {
			b.Type = s
			return
		}
	}
	b.Kind, b.Type = r.kind, r.name
}
