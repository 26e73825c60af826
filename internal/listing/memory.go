package listing

import "rollbook/internal/discover"

// A Memory keeps in a file what looking into the files of one root gave, so that
// the next time only those that have changed are opened. It is the cache of a
// listing without the threads.
type Memory struct{ cache *cache }

// OpenMemory makes a Memory for a home and reads the file, which need not be
// there; name "" keeps nothing. The file must not lie in the home. program is
// as in Options.
func OpenMemory(name, program string, home *discover.Home) *Memory {
	if home.Kind == discover.KindFile {
		name = "" // its path is that of its folder
	}
	m := &Memory{newCache(Options{Cache: name, Program: program}, home.Path())}
	m.cache.load()
	home.Memory = m.cache
	return m
}

// Save writes the file, if it would be another. What the home's listing did not
// find is not kept.
func (m *Memory) Save() error { return m.cache.save(nil) }
