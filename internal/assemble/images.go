package assemble

import (
	"rollbook/internal/rollout"
	"rollbook/internal/transcript"
)

// images gives the images of a list of blocks. Bytes that the log holds are
// named by their digest and can be read again; they are never kept.
func (e *emitter) images(blocks rollout.Blocks) []transcript.Image {
	var all []transcript.Image
	for _, b := range blocks.All() {
		if b.Kind != rollout.BlockImage {
			continue
		}
		switch {
		case b.Data.OK():
			all = append(all, e.image(b.MIME, b.Data))
		case b.URL.OK():
			all = append(all, e.imageURL(b.URL))
		default:
			all = append(all, transcript.Image{Name: orElse(b.Path, orElse(b.Name, b.File))})
		}
	}
	return all
}

// listed gives the images that a user_message event lists.
func (e *emitter) listed(p *rollout.UserMessageEvent) []transcript.Image {
	var all []transcript.Image
	for _, u := range p.Images.All() {
		if u.OK() {
			all = append(all, e.imageURL(u))
		}
	}
	for _, path := range p.LocalImages.Strings() {
		all = append(all, transcript.Image{Name: path})
	}
	return all
}

// generated gives the image that a model made.
func (e *emitter) generated(p *rollout.ImageGeneration) []transcript.Image {
	if p.Result.Empty() {
		return nil
	}
	img := e.image("image/png", p.Result)
	img.Name = p.SavedPath
	return []transcript.Image{img}
}
