// Command rollgen writes large rollouts and homes for benchmarks, and the sample
// home.
//
//	rollgen --bytes 2GiB -o FILE        one large rollout
//	rollgen --threads 10000 -o NEWDIR   a home of many threads
//	rollgen --messages 1000000 -o NEWDIR  a home of that many messages
//	rollgen --sample -o NEWDIR          the sample home
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"

	"rollbook/internal/rolltest"
	"rollbook/internal/rolltest/sample"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "rollgen:", err)
		}
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := flag.NewFlagSet("rollgen", flag.ContinueOnError)
	size := flags.String("bytes", "", "write one rollout of this `size` (as 64MiB)")
	threads := flags.Int("threads", 0, "write a home of `n` threads")
	each := flags.String("each", "8000", "usual `size` of a rollout of the home")
	messages := flags.Int("messages", 0, "write a home of `n` messages: prompts, answers and tool calls")
	isSample := flags.Bool("sample", false, "write the sample home")
	seed := flags.Uint64("seed", 1, "the same seed gives the same bytes")
	version := flags.String("codex", "0.140.0", "Codex `version` of the rollout")
	out := flags.String("o", "", "a `file` or, for a home, a folder that is new or empty")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || *out == "" {
		return errors.New("want one of --bytes, --threads, --messages, --sample, and -o")
	}
	switch {
	case *isSample:
		return sample.Home().Write(*out)
	case *messages > 0:
		return generateMessages(*out, *messages, *seed)
	case *threads > 0:
		return generateHome(*out, *threads, *each, *seed)
	case *size != "":
		return generateFile(*out, *size, *version, *seed)
	default:
		return errors.New("want one of --bytes, --threads, --messages, --sample")
	}
}

func generateHome(dir string, threads int, each string, seed uint64) error {
	bytes, err := parseSize(each)
	if err != nil {
		return err
	}
	n, size, err := rolltest.GenerateHome(dir, rolltest.HomeOptions{Seed: seed, Threads: threads, Bytes: int(bytes)})
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "rollgen: %d rollouts, %d bytes in %s\n", n, size, dir)
	return nil
}

func generateMessages(dir string, messages int, seed uint64) error {
	g, err := rolltest.GenerateMessages(dir, rolltest.MessagesOptions{Seed: seed, Messages: messages})
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "rollgen: %d messages in %d rollouts, %d prompts in history.jsonl, %s to %s, %d bytes in %s\n",
		g.Messages, g.Rollouts, g.Prompts, rolltest.Needle(0), rolltest.Needle(g.Needles-1), g.Bytes, dir)
	return nil
}

func generateFile(name, size, version string, seed uint64) (err error) {
	bytes, err := parseSize(size)
	if err != nil {
		return err
	}
	v, err := parseVersion(version)
	if err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<20)
	n, err := rolltest.Generate(w, rolltest.GenOptions{Seed: seed, Bytes: bytes, Version: v})
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "rollgen: %d bytes in %s\n", n, name)
	return w.Flush()
}

func parseVersion(s string) (rolltest.Version, error) {
	var known []string
	for _, v := range rolltest.Versions {
		if v.String() == s {
			return v, nil
		}
		known = append(known, v.String())
	}
	return 0, fmt.Errorf("unknown version %q: want one of %s", s, strings.Join(known, ", "))
}

// parseSize reads a size as "64MiB" or a plain number of bytes.
func parseSize(s string) (int64, error) {
	shift := 0
	digits := s
	for suffix, bits := range map[string]int{"KiB": 10, "MiB": 20, "GiB": 30} {
		if rest, ok := strings.CutSuffix(s, suffix); ok {
			digits, shift = rest, bits
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n <= 0 || n > 1<<40>>shift {
		return 0, fmt.Errorf("size %q: want a number of bytes, as 64MiB, up to 1024GiB", s)
	}
	return n << shift, nil
}
