package rolltest

// A Version is a Codex version whose files are known line by line. Versions in
// between wrote the shape of one of their neighbours.
type Version int

// The known versions, in order. V20 is bare lines without an envelope; V36 to
// V140 are legacy; the others write paginated threads unless Meta.Legacy is set.
const (
	V20  Version = 20  // 0.20.0
	V36  Version = 36  // 0.36.0
	V63  Version = 63  // 0.63.0
	V101 Version = 101 // 0.101.0
	V140 Version = 140 // 0.140.0
	V147 Version = 147 // 0.147.0
	V152 Version = 152 // 0.152.1
	V156 Version = 156 // 0.156.1
	V171 Version = 171 // 0.171.0
)

// Versions lists the known versions, oldest first.
var Versions = []Version{V20, V36, V63, V101, V140, V147, V152, V156, V171}

var versionFacts = map[Version]struct{ name, model string }{
	V20:  {"0.20.0", "gpt-5"},
	V36:  {"0.36.0", "gpt-5-codex"},
	V63:  {"0.63.0", "gpt-5-codex"},
	V101: {"0.101.0", "gpt-5.2-codex"},
	V140: {"0.140.0", "gpt-5.4"},
	V147: {"0.147.0", "gpt-5.4"},
	V152: {"0.152.1", "gpt-5.5"},
	V156: {"0.156.1", "gpt-5.5"},
	V171: {"0.171.0", "gpt-5.5"},
}

// String gives the version as cli_version spells it.
func (v Version) String() string { return versionFacts[v].name }

// Paginated reports whether the version writes paginated threads by itself.
func (v Version) Paginated() bool { return v >= V147 }
