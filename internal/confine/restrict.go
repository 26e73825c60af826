package confine

// Rules say what a process may still open once Restrict was called. Paths that
// do not exist are left out: what comes there later is refused.
type Rules struct {
	List  []string // folders whose names, and those of folders below, may be listed; nothing in them is opened
	Read  []string // files, and folders with all below them; a link is left out
	Write []string // folders in which anything may be read, made and changed
}

// A Report says what is in force.
type Report struct {
	Active bool
	// Words say it to a person: what the kernel refuses from now on, and what it
	// is too old for; or why it refuses nothing.
	Words string
}

// unavailable is the report where nothing is in force.
func unavailable(why string) Report {
	return Report{Words: "kernel confinement is not available here: " + why}
}
