package dsh

// maxNamed bounds the repairs and refusals that a report names; more are only
// counted.
const maxNamed = 100

// A Report says what became of a thread (docs/format/dsh.md, "Report").
type Report struct {
	Header Header
	Digest Digest
	Thread string // its id

	Segments, Turns, Records int // files that it was read from; turns and events of the session
	Prompts, Reasoning       int
	Tools, Synthesized       int // calls; assistant messages made only to hold calls
	Failed                   int // results that Codex recorded as failed
	ContextTokens            int64

	Repaired int      // calls without an output, outputs without a call
	Repairs  []Repair // the first of them

	Recovered  int // messages that only a compaction's snapshot has
	Skipped    int // other entries of such snapshots
	Windowed   int // turns before the last compaction, left out
	RolledBack int // turns that were taken back, left out
	Injected   int // texts under the user's name that nobody typed, left out
	Encrypted  int // messages between agents of which nothing is readable, left out

	Clamped   int // texts over Options.MaxTextChars
	Truncated int // outputs over Options.MaxToolOutput

	Images        int // attached
	ImagesSkipped int // replaced by a placeholder
	Refused       []Refused
}

// A Repair is a call or an output that had to be given its other half.
type Repair struct {
	File string // that holds the half that is there
	Line int
	What string
}

// Refused says why images were not attached, and how many for that reason.
type Refused struct {
	Reason string
	Count  int
}

func (r *Report) repaired(file string, line int, what string) {
	r.Repaired++
	if len(r.Repairs) < maxNamed {
		r.Repairs = append(r.Repairs, Repair{file, line, what})
	}
}

func (r *Report) refused(reason string) {
	r.ImagesSkipped++
	for i := range r.Refused {
		if r.Refused[i].Reason == reason {
			r.Refused[i].Count++
			return
		}
	}
	if len(r.Refused) < maxNamed {
		r.Refused = append(r.Refused, Refused{reason, 1})
	}
}

// Lossy reports whether something of the thread is not in the session that
// should be: what was repaired, and images.
func (r *Report) Lossy() bool { return r.Repaired > 0 || r.ImagesSkipped > 0 }
