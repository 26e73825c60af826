//go:build !unix

package discover

import "io/fs"

// system adds nothing: a size and a time must do.
func (s *FileStamp) system(fs.FileInfo) {}
