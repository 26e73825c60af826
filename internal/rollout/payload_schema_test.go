package rollout

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rollbook/internal/corpustest"
)

// schemaVersions are the versions whose app-server schemas are held against
// the tables; docs/format/rollout.md names them.
var schemaVersions = []string{"0.156.1", "0.171.0"}

// A schema is as much of a JSON schema as the test looks at.
type schema struct {
	Ref        string           `json:"$ref"`
	Type       any              `json:"type"`
	Enum       []any            `json:"enum"`
	OneOf      []*schema        `json:"oneOf"`
	AnyOf      []*schema        `json:"anyOf"`
	AllOf      []*schema        `json:"allOf"`
	Properties map[string]anyOf `json:"properties"`
	Items      anyOf            `json:"items"`
}

// anyOf is a schema that may also be true or false.
type anyOf struct{ *schema }

func (a *anyOf) UnmarshalJSON(b []byte) error {
	a.schema = new(schema)
	if string(b) == "true" || string(b) == "false" {
		return nil
	}
	return json.Unmarshal(b, a.schema)
}

// definitions gives the definitions of a schema file, by their short names.
func definitions(t *testing.T, path string) map[string]*schema {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Definitions map[string]json.RawMessage `json:"definitions"`
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	all := file.Definitions
	if v2 := all["v2"]; v2 != nil { // the whole protocol: version 2 lies one level down
		if err := json.Unmarshal(v2, &all); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	defs := make(map[string]*schema, len(all))
	for name, raw := range all {
		s := new(schema)
		if err := json.Unmarshal(raw, s); err != nil {
			t.Fatalf("%s: %s: %v", path, name, err)
		}
		defs[name] = s
	}
	return defs
}

// variants gives the variants of a definition by the names of their types.
func variants(t *testing.T, defs map[string]*schema, name string) map[string]*schema {
	t.Helper()
	if defs[name] == nil {
		t.Fatalf("no definition of %s", name)
	}
	all := map[string]*schema{}
	for _, v := range slices.Concat(defs[name].OneOf, defs[name].AnyOf) {
		for _, typ := range v.Properties["type"].schema.Enum {
			all[typ.(string)] = v
		}
	}
	if len(all) == 0 {
		t.Fatalf("%s has no variants", name)
	}
	return all
}

// example makes a value that the schema allows, with every property set.
func example(t *testing.T, defs map[string]*schema, s *schema, depth int) any {
	t.Helper()
	if s == nil || depth > 12 {
		return "x"
	}
	if s.Ref != "" {
		to := defs[s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]]
		if to == nil {
			t.Fatalf("no definition of %s", s.Ref)
		}
		return example(t, defs, to, depth+1)
	}
	if len(s.AllOf) > 0 {
		return example(t, defs, s.AllOf[0], depth+1)
	}
	if len(s.Enum) > 0 {
		return s.Enum[0]
	}
	if s.Properties == nil && len(s.OneOf)+len(s.AnyOf) > 0 {
		return example(t, defs, slices.Concat(s.OneOf, s.AnyOf)[0], depth+1)
	}
	typ, ok := s.Type.(string)
	if list, is := s.Type.([]any); is {
		typ, ok = list[0].(string)
	}
	switch {
	case s.Properties != nil:
		m := map[string]any{}
		for name, p := range s.Properties {
			m[name] = example(t, defs, p.schema, depth+1)
		}
		for _, alt := range s.AnyOf { // one of these properties is there
			for name, p := range alt.Properties {
				m[name] = example(t, defs, p.schema, depth+1)
			}
		}
		return m
	case typ == "array":
		all := []any{}
		item := s.Items.schema
		if item == nil {
			return all
		}
		if item.Ref != "" {
			item = defs[item.Ref[strings.LastIndexByte(item.Ref, '/')+1:]]
		}
		if len(item.OneOf) == 0 {
			return append(all, example(t, defs, item, depth+1))
		}
		for _, v := range item.OneOf {
			all = append(all, example(t, defs, v, depth+1))
		}
		return all
	case typ == "integer" || typ == "number":
		return 1
	case typ == "boolean":
		return true
	case typ == "object":
		return map[string]any{}
	case !ok:
		return "x"
	}
	return "x"
}

// Each response item, content block and form of a tool's output that the
// schemas of the app-server know is in the tables with a treatment, and an
// example of it decodes without an odd field.
func TestSchemas(t *testing.T) {
	for _, version := range schemaVersions {
		files, err := filepath.Glob(filepath.Join(corpustest.Schemas(t), version, "*.json"))
		if err != nil || len(files) != 2 {
			t.Fatalf("%s: %d schema files, %v", version, len(files), err)
		}
		for _, path := range files {
			t.Run(version+"/"+filepath.Base(path), func(t *testing.T) { checkSchema(t, definitions(t, path)) })
		}
	}
}

func checkSchema(t *testing.T, defs map[string]*schema) {
	items := variants(t, defs, "ResponseItem")
	for _, name := range slices.Sorted(maps.Keys(items)) {
		line, err := json.Marshal(example(t, defs, items[name], 0))
		if err != nil {
			t.Fatal(err)
		}
		p := DecodeItem(Raw(line))
		if p.Type().String() != name || row[p.Type()] == nil || row[p.Type()].treat == "" {
			t.Errorf("item %s: decoded as %v", name, p.Type())
		}
		if p.Odd() != nil {
			t.Errorf("item %s: %v is odd in %s", name, p.Odd(), line)
		}
		checkBlocks(t, name, p)
	}
	for _, list := range []string{"ContentItem", "FunctionCallOutputContentItem", "AgentMessageInputContent", "ReasoningItemContent", "ReasoningItemReasoningSummary"} {
		for name := range variants(t, defs, list) {
			if r := blockByName[name]; r == nil || r.kind == BlockUnknown || r.treat == "" {
				t.Errorf("block %s of %s is not in the table", name, list)
			}
		}
	}
	known := map[string]bool{}
	for _, r := range formRows {
		if r.treat == "" {
			t.Errorf("%s %s has no treatment", r.where, r.form)
		}
		known[r.where+" "+r.form] = true
	}
	for def, where := range map[string]string{"LocalShellAction": "action of local_shell_call", "ResponsesApiWebSearchAction": "action of a web search"} {
		for name := range variants(t, defs, def) {
			if !known[where+" "+name] {
				t.Errorf("%s: %s is not in the table", where, name)
			}
		}
	}
	for _, form := range defs["FunctionCallOutputBody"].AnyOf {
		if typ, _ := form.Type.(string); !known["output of a tool "+typ] {
			t.Errorf("output of a tool: %v is not in the table", form.Type)
		}
	}
	for _, name := range []string{"function_call_output", "custom_tool_call_output"} {
		if ref := items[name].Properties["output"].Ref; !strings.HasSuffix(ref, "/FunctionCallOutputBody") {
			t.Errorf("the output of %s is %q", name, ref)
		}
	}
	// The turn items of a file have the names of the app-server's, but for case.
	for name := range variants(t, defs, "ThreadItem") {
		name = strings.ToUpper(name[:1]) + name[1:]
		if turnItemFamily.find(Raw(`"`+name+`"`)) == TurnItemUnknown {
			t.Errorf("turn item %s is not in the table", name)
		}
	}
}

// checkBlocks holds that every block of an example is known and as it should be.
func checkBlocks(t *testing.T, name string, p Payload) {
	var lists []Blocks
	switch p := p.(type) {
	case *Message:
		lists = []Blocks{p.Content}
	case *AgentMessage:
		lists = []Blocks{p.Content}
	case *Reasoning:
		lists = []Blocks{p.Summary, p.Content}
	default:
		return
	}
	n := 0
	for _, l := range lists {
		for i, b := range l.All() {
			n++
			if b.Odd || b.Kind == BlockUnknown {
				t.Errorf("item %s: block %d: %s", name, i, b.Raw)
			}
		}
	}
	if n < 2 {
		t.Errorf("item %s: %d blocks in the example", name, n)
	}
}
