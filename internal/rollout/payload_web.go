package rollout

// A WebSearch is a search that the provider made: the response item, the event
// or the turn item.
type WebSearch struct {
	itemBase // ID alone, but for the response item
	Status   string
	Query    Text
	Action   WebAction
}

// A WebAction says what was done on the web.
type WebAction struct {
	Type         string // search, open_page, find_in_page, other
	Query        Text
	Queries      Texts
	URL, Pattern Text
}

func (s *WebSearch) set(d *dec, key []byte) bool {
	switch string(key) {
	case "call_id":
		s.ID = d.str()
	case "status":
		s.Status = d.str()
	case "query":
		s.Query = d.text()
	case "action":
		into(d, &s.Action)
	default:
		return s.itemBase.set(d, key)
	}
	return true
}

func (a *WebAction) set(d *dec, key []byte) bool {
	switch string(key) {
	case "type":
		a.Type = d.str()
	case "query":
		a.Query = d.text()
	case "queries":
		a.Queries = Texts(d.of('['))
	case "url":
		a.URL = d.text()
	case "pattern":
		a.Pattern = d.text()
	default:
		return false
	}
	return true
}

// An ImageView is an image that the model looked at.
type ImageView struct {
	base
	ID   string
	Path string // a file: URL in the turn item (F24)
}

func (v *ImageView) set(d *dec, key []byte) bool {
	switch string(key) {
	case "id", "call_id":
		v.ID = d.str()
	case "path":
		v.Path = d.str()
	default:
		return false
	}
	return true
}

// An ImageGeneration is an image that the provider made: the response item,
// the event or the turn item.
type ImageGeneration struct {
	itemBase  // ID alone, but for the response item
	Status    string
	Prompt    Text // revised_prompt
	Result    Text // base64
	SavedPath string
}

func (g *ImageGeneration) set(d *dec, key []byte) bool {
	switch string(key) {
	case "call_id":
		g.ID = d.str()
	case "status":
		g.Status = d.str()
	case "revised_prompt":
		g.Prompt = d.text()
	case "result":
		g.Result = d.text()
	case "saved_path":
		g.SavedPath = d.str()
	default:
		return g.itemBase.set(d, key)
	}
	return true
}
