package rollbook

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// cases are the ways in which readers of these files are known to go wrong. Each
// has a test that cites it as a word of its own.
var cases = []string{
	"C01 an answer that only an item holds",
	"C02 commentary taken for the answer",
	"C03 turn items in place of events",
	"C04 every kind of turn item",
	"C05 threads without a user event have no title",
	"C06 formats told apart by names",
	"C07 injected blocks in one item with the prompt",
	"C08 titles that are AGENTS.md",
	"C09 titles that are lists of plugins",
	"C10 titles used as identities",
	"C11 names that a person gave are not used",
	"C12 copied history counted as new",
	"C13 a fork filed under its parent",
	"C14 chains of copies",
	"C15 copied history told by times alone",
	"C16 token counts of the copied history",
	"C17 copies of which no event marks the end",
	"C18 lineage looked for under wrong names",
	"C19 a second header or a compaction stops the import",
	"C20 the two records of one compaction",
	"C21 compactions repeat the context",
	"C22 a rollback deletes nothing",
	"C23 rollbacks after others, and in forks",
	"C24 an edited prompt shown beside the old one",
	"C25 what a rollback counts",
	"C26 outputs that are lists",
	"C27 outputs of custom tools that are lists",
	"C28 patches by a custom tool",
	"C29 the real work of code mode",
	"C30 a call now, its output at the next reading",
	"C31 half a record at the end",
	"C32 a thread that is archived",
	"C33 the same file in both folders",
	"C34 threads that are archived only",
	"C35 compressed rollouts not found",
	"C36 compressed rollouts left out in silence",
	"C37 compressed bytes under a plain name",
	"C38 one bad byte hides a thread",
	"C39 a first line that cannot be read",
	"C40 files of the bare era",
	"C41 one file that cannot be opened stops all",
	"C42 lines longer than a buffer",
	"C43 huge records; forks taken for sub-agents",
	"C44 a file held as one string",
	"C45 outputs of tens of megabytes rendered whole",
	"C46 pictures repeated through the history",
	"C47 totals that are sent again",
	"C48 totals that are sent again with a new time",
	"C49 totals of which only some parts are there",
	"C50 names with a segment's id",
	"C51 a thread of several files",
	"C52 a generation that is damaged",
	"C53 ordinals twice or missing",
	"C54 what stands behind a duplicate ordinal",
	"C55 sub-agents listed beside their parents",
	"C56 internal threads listed",
	"C57 the transcript of a guardian shown as a prompt",
	"C58 sub-agents not told apart",
	"C59 calls made up for a review",
	"C60 a failed turn shown as a good one",
	"C61 rollouts by other programs",
	"C62 messages without their ids",
	"C63 threads named by the start of the file's name",
	"C64 one folder in two spellings",
	"C65 threads without a project, one folder a day",
	"C66 a folder spelt differently later on",
	"C67 Markdown changed on its way",
}

// elsewhere are the cases of a command that is still to come, with its area.
var elsewhere = map[string]string{
	"C45": "web: what is rendered of an output is cut there; that it is read whole and can be found again is held by C43",
}

// facts are those of docs/format/rollout.md.
const facts = 25

// TestCasesAndFacts holds that each case and each fact is cited by a test.
func TestCasesAndFacts(t *testing.T) {
	cited := citations(t)
	for i, line := range cases {
		id, what, _ := strings.Cut(line, " ")
		if id != fmt.Sprintf("C%02d", i+1) || what == "" {
			t.Errorf("case %d is %q", i+1, line)
		}
		if _, later := elsewhere[id]; cited[id] == later {
			t.Errorf("%s (%s): cited by a test: %v, listed as of another command: %v", id, what, cited[id], later)
		}
	}
	page, err := os.ReadFile("docs/format/rollout.md")
	if err != nil {
		t.Fatal(err)
	}
	for i := range facts {
		id := fmt.Sprintf("F%d", i+1)
		if !cited[id] {
			t.Errorf("fact %s is cited by no test", id)
		}
		if !strings.Contains(string(page), "**"+id+"**") {
			t.Errorf("docs/format/rollout.md has no fact %s", id)
		}
	}
	for id := range cited {
		if n := 0; id[0] == 'F' {
			if fmt.Sscanf(id, "F%d", &n); n < 1 || n > facts {
				t.Errorf("a test cites %s, which is no fact", id)
			}
		} else if fmt.Sscanf(id, "C%d", &n); n < 1 || n > len(cases) {
			t.Errorf("a test cites %s, which is no case", id)
		}
	}
}

// citations gives the ids that the test files hold, but for this one.
func citations(t *testing.T) map[string]bool {
	word := regexp.MustCompile(`\b(C\d\d|F[1-9]\d?)\b`)
	cited := make(map[string]bool)
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") || path == "cases_coverage_test.go" {
			return err
		}
		text, err := os.ReadFile(path)
		for _, id := range word.FindAllString(string(text), -1) {
			cited[id] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return cited
}
