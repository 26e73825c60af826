package interchange

import (
	"math"
	"time"

	"rollbook/internal/transcript"
)

// pointer gives a pointer to the value, or nil where there is none.
func pointer[T any](v T, ok bool) *T {
	if !ok {
		return nil
	}
	return &v
}

func (d *decoder) origin() transcript.Origin {
	o, ok := parseOrigin(d.str())
	if !ok {
		d.blame()
	}
	return o
}

func parseOrigin(name string) (transcript.Origin, bool) {
	for _, o := range []transcript.Origin{transcript.Recorded, transcript.Recovered, transcript.Synthetic} {
		if name == o.String() {
			return o, true
		}
	}
	return 0, false
}

func (d *decoder) view() transcript.View {
	v, ok := transcript.ParseView(d.str())
	if !ok {
		d.blame()
	}
	return v
}

func (d *decoder) duration() *time.Duration {
	ms, ok := number[int64](d)
	if ms < 0 || ms > math.MaxInt64/int64(time.Millisecond) {
		d.blame()
		return nil
	}
	return pointer(time.Duration(ms)*time.Millisecond, ok)
}

func (d *decoder) source() (s transcript.Source) {
	if d.null() {
		return s
	}
	d.object(func(key []byte) bool {
		switch string(key) {
		case "file":
			s.File = d.str()
		case "line":
			s.Line = size[int](d)
		case "offset":
			s.Offset = size[int64](d)
		default:
			return false
		}
		return true
	})
	return s
}

func (d *decoder) counts() (c transcript.Counts) {
	if d.null() {
		return c
	}
	d.object(func(key []byte) bool {
		switch string(key) {
		case "turns":
			c.Turns = size[int](d)
		case "user_messages":
			c.UserMessages = size[int](d)
		case "assistant_messages":
			c.AssistantMessages = size[int](d)
		case "tool_calls":
			c.ToolCalls = size[int](d)
		case "bytes":
			c.Bytes = size[int64](d)
		case "files":
			c.Files = size[int](d)
		default:
			return false
		}
		return true
	})
	return c
}

func (d *decoder) usage() *transcript.TokenUsage {
	if d.null() {
		return nil
	}
	u := new(transcript.TokenUsage)
	d.object(func(key []byte) bool {
		switch string(key) {
		case "input":
			u.Input = size[int64](d)
		case "cached_input":
			u.CachedInput = size[int64](d)
		case "output":
			u.Output = size[int64](d)
		case "reasoning_output":
			u.ReasoningOutput = size[int64](d)
		case "total":
			u.Total = size[int64](d)
		default:
			return false
		}
		return true
	})
	return u
}

func (d *decoder) images() (list []transcript.Image) {
	d.list(func() {
		var img transcript.Image
		d.object(func(key []byte) bool {
			switch string(key) {
			case "media_type":
				img.MediaType = d.str()
			case "bytes":
				img.Bytes = size[int64](d)
			case "sha256":
				img.SHA256 = d.str()
			case "width":
				img.Width = size[int](d)
			case "height":
				img.Height = size[int](d)
			case "name":
				img.Name = d.str()
			default:
				return false
			}
			return true
		})
		list = append(list, img)
	})
	return list
}

func (d *decoder) changes() (list []transcript.FileChange) {
	d.list(func() {
		var c transcript.FileChange
		d.object(func(key []byte) bool {
			switch string(key) {
			case "path":
				c.Path = d.str()
			case "kind":
				c.Kind = d.str()
			case "moved":
				c.Moved = d.str()
			case "diff":
				c.Diff = d.str()
			default:
				return false
			}
			return true
		})
		list = append(list, c)
	})
	return list
}
