// Package rollbook holds the rules of the repository as tests.
package rollbook

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "rollbook/internal/"

type layer struct {
	level string
	may   []string
}

// layerTable reads the table of docs/architecture.md.
func layerTable(t *testing.T) map[string]layer {
	t.Helper()
	f, err := os.Open("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows := make(map[string]layer)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		cells := strings.Split(lines.Text(), "|")
		if len(cells) != 6 {
			continue
		}
		level, name := strings.TrimSpace(cells[1]), strings.TrimSpace(cells[2])
		if level != "test" && (len(level) != 1 || level[0] < '0' || level[0] > '9') {
			continue
		}
		var may []string
		for _, p := range strings.Split(cells[4], ",") {
			if p = strings.TrimSpace(p); p != "" {
				may = append(may, p)
			}
		}
		rows[name] = layer{level, may}
	}
	if len(rows) < 5 {
		t.Fatalf("docs/architecture.md: only %d rows found", len(rows))
	}
	return rows
}

type goPackage struct {
	ImportPath string
	Name       string
	Imports    []string
}

func listPackages(t *testing.T, patterns ...string) []goPackage {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-json=ImportPath,Name,Imports"}, patterns...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// TestLayers holds the imports of every package to the table.
func TestLayers(t *testing.T) {
	rows := layerTable(t)
	seen := map[string]bool{}
	for _, p := range listPackages(t, "./internal/...") {
		name := strings.TrimPrefix(p.ImportPath, module)
		if p.Name == "main" {
			continue // a command for the house's own use, below a test package
		}
		seen[name] = true
		row, ok := rows[name]
		if !ok {
			t.Errorf("%s has no row in docs/architecture.md", name)
			continue
		}
		for _, path := range p.Imports {
			dep, ours := strings.CutPrefix(path, module)
			if !ours {
				continue
			}
			if !slices.Contains(row.may, dep) {
				t.Errorf("%s imports %s, which its row does not list", name, dep)
			}
			if to := rows[dep]; row.level != "test" && (to.level == "test" || to.level > row.level || to.level == row.level && row.level != "0") {
				t.Errorf("%s (level %s) imports %s (level %s)", name, row.level, dep, to.level)
			}
		}
	}
	for name := range rows {
		if !seen[name] {
			t.Errorf("docs/architecture.md has a row for %s, which does not exist", name)
		}
	}
}

// TestNoTestPackageInBinary keeps test builders out of what users run.
func TestNoTestPackageInBinary(t *testing.T) {
	rows := layerTable(t)
	out, err := exec.Command("go", "list", "-deps", "./cmd/rollbook").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		if rows[strings.TrimPrefix(path, module)].level == "test" || path == "net/http" {
			t.Errorf("the binary holds %s", path)
		}
	}
}

// TestOnlyCLIReadsEnvironment keeps ambient state out of the engines.
func TestOnlyCLIReadsEnvironment(t *testing.T) {
	files, err := exec.Command("git", "ls-files", "internal/*.go").Output()
	if err != nil {
		t.Skip("not a git checkout")
	}
	for _, name := range strings.Fields(string(files)) {
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "internal/cli/") ||
			strings.HasPrefix(name, "internal/corpustest/") || strings.HasPrefix(name, "internal/browsertest/") || strings.HasPrefix(name, "internal/harness/harnesstest/") || strings.HasPrefix(name, "internal/rolltest/cmd/") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, word := range []string{"os.Getenv", "os.LookupEnv", "os.Environ", "os.Exit", "os.Stdout", "os.Stderr", "os.Args"} {
			if strings.Contains(string(text), word) {
				t.Errorf("%s uses %s", name, word)
			}
		}
	}
}
