package secret_test

import (
	"os"
	"strings"
	"testing"

	"rollbook/internal/corpustest"
	"rollbook/internal/ratio"
	"rollbook/internal/secret"
)

// rollouts is the corpus as one text, at most 16 MiB of it.
func rollouts(b *testing.B) []byte {
	var all []byte
	for _, path := range corpustest.Rollouts(b) {
		if strings.HasSuffix(path, ".zst") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		if all = append(all, text...); len(all) > 16<<20 {
			break
		}
	}
	return all
}

func benchFind(b *testing.B, text []byte, set secret.Set) {
	s := string(text)
	n := 0
	ratio.Compare(b, len(text), func() { n += len(secret.Find(s, set)) }, ratio.LineScan(text))
	b.ReportMetric(float64(n)/float64(b.N), "findings")
}

func BenchmarkContract(b *testing.B) { benchFind(b, rollouts(b), secret.Contract) }

// BenchmarkRedact goes over rollouts as they are written, all escaped.
func BenchmarkRedact(b *testing.B) { benchFind(b, rollouts(b), secret.Redact) }

// BenchmarkRedactProse goes over text without escapes.
func BenchmarkRedactProse(b *testing.B) {
	text := strings.Repeat("The quick brown fox jumps over the lazy dog, and says no.\nThen it goes home by the long way round: it has a key to the password store.\n", 40000)
	benchFind(b, []byte(text), secret.Redact)
}

func BenchmarkText(b *testing.B) {
	text := rollouts(b)
	lines := strings.SplitAfter(string(text), "\n")
	r := secret.NewRedactor(secret.Options{})
	ratio.Compare(b, len(text), func() {
		for _, l := range lines {
			r.Text(l)
		}
	}, ratio.LineScan(text))
}
