package cli

import (
	"io"

	"github.com/spf13/cobra"
)

var shells = []string{"bash", "fish", "powershell", "zsh"}

func newCompletionCommand(e *Env) *cobra.Command {
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "write a script that completes commands and flags in a shell",
		Long: `Writes a script that makes the shell complete rollbook's commands and flags.
SHELL is bash, fish, powershell or zsh. Load it in the start-up file of the
shell, or put it where the shell looks for completions.`,
		Example: `  source <(rollbook completion bash)
  rollbook completion zsh > "${fpath[1]}/_rollbook"
  rollbook completion fish > ~/.config/fish/completions/rollbook.fish
  rollbook completion powershell | Out-String | Invoke-Expression`,
		GroupID:     groupSelf,
		Args:        operands("SHELL"),
		ValidArgs:   shells,
		Annotations: exits("0 written", "64 no shell or an unknown one was named"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return writeCompletion(e.Stdout, cmd.Root(), args[0])
		},
	}
}

func writeCompletion(w io.Writer, root *cobra.Command, shell string) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(w, true)
	case "fish":
		return root.GenFishCompletion(w, true)
	case "powershell":
		return root.GenPowerShellCompletionWithDesc(w)
	case "zsh":
		return root.GenZshCompletion(w)
	}
	return withHint(usageErrorf("unknown shell %q", shell), "the shells are bash, fish, powershell and zsh")
}
