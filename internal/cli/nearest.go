package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

const (
	maxNearest  = 3
	maxMistakes = 2
	maxNameLen  = 40 // nobody mistypes a command into something longer
)

// nearest names the commands that were probably meant: the one that differs in
// case only, else those that begin with what was typed, else those with the
// fewest mistakes, two at most.
func nearest(typed string, commands []*cobra.Command) []string {
	if typed == "" || len(typed) > maxNameLen {
		return nil
	}
	typed = strings.ToLower(typed)
	var near, longer []string
	fewest := maxMistakes
	for _, c := range commands {
		if c.Hidden {
			continue
		}
		for _, name := range append([]string{c.Name()}, c.Aliases...) {
			switch n := mistakes(typed, name); {
			case n < fewest:
				fewest, near = n, []string{name}
			case n == fewest:
				near = append(near, name)
			}
			if strings.HasPrefix(name, typed) {
				longer = append(longer, name)
			}
		}
	}
	if longer != nil && fewest > 0 {
		near = longer
	}
	return near[:min(len(near), maxNearest)]
}

// mistakes counts the bytes to insert, delete or replace to get from a to b
// (Levenshtein's distance).
func mistakes(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
