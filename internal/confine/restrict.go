package confine

// Rules say what a process may still open once Restrict was called. Paths that
// do not exist, and links, are left out: what comes there later is refused.
type Rules struct {
	List  []string // folders whose names may be listed, and nothing in them opened
	Read  []string // files, and folders with all below them
	Write []string // folders in which anything may be read, made and changed
}

// A Report says what is in force.
type Report struct {
	Active bool
	Words  string // for a person: what the kernel refuses from now on, or why it does not
}
