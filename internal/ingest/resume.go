package ingest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/cespare/xxhash/v2"

	"rollbook/internal/ledger"
	"rollbook/internal/transcript"
)

// A resume is what an import keeps of a thread or a document for the next one.
type resume struct {
	Seq   int    `json:"seq"`   // of the last event that was read into the store
	Print uint64 `json:"print"` // of the events up to there: whether a later reading gives the same

	// Of what may grow: where reading goes on.
	Mark   []byte                   `json:"mark,omitempty"`
	AtMark uint64                   `json:"at_mark,omitempty"` // print at the mark
	Digest []byte                   `json:"digest,omitempty"`  // state behind the last whole line
	Counts map[string]ledger.Counts `json:"counts,omitempty"`  // of events up to the mark, by source key

	// Bases has, of each base, the run that read it whole last: a base that was
	// read again since is another one.
	Bases map[string]int64 `json:"bases,omitempty"`
}

// maxResume bounds what is read back.
const maxResume = 1 << 20

func (s *resume) encode() ([]byte, error) { return json.Marshal(s) }

func decodeResume(text []byte) (s resume, err error) {
	if len(text) > maxResume {
		return s, fmt.Errorf("resume: %d bytes", len(text))
	}
	if err = json.Unmarshal(text, &s); err != nil {
		return resume{}, fmt.Errorf("resume: %w", err)
	}
	return s, nil
}

// A print is a running digest of the events of a stream.
type print uint64

func (p *print) add(ev *transcript.Event, source string) {
	var b [64]byte
	buf := binary.LittleEndian.AppendUint64(b[:0], uint64(*p))
	for _, n := range []int64{int64(ev.Kind), int64(ev.Seq), ev.Time.UnixMilli(), ev.Source.Offset, int64(len(ev.Text)), int64(len(ev.Arguments)), int64(len(ev.Output))} {
		buf = binary.AppendVarint(buf, n)
	}
	*p = print(xxhash.Sum64(append(buf, source...)))
}
