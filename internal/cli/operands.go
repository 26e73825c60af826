package cli

import (
	"strings"

	"github.com/spf13/cobra"
)

// operands checks the arguments of a command against the names it shows for
// them: "FILE" must be there, "[FILE]" may be, and a last "PATH..." or
// "[PATH...]" may be repeated.
func operands(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		for i, name := range names {
			if i >= len(args) && !strings.HasPrefix(name, "[") {
				return usageErrorf("%s is missing", strings.TrimSuffix(name, "..."))
			}
		}
		if len(args) > len(names) && !repeats(names) {
			return usageErrorf("unexpected argument %q", args[len(names)])
		}
		return nil
	}
}

func repeats(names []string) bool {
	return len(names) > 0 && strings.Contains(names[len(names)-1], "...")
}
