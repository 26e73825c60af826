package sample

import (
	"time"

	"rollbook/internal/rolltest"
)

// promptSpeed is a legacy thread of 0.36 with a turn that was stopped.
func promptSpeed(home *rolltest.Home) {
	r := home.New(rolltest.V36, project("dotfiles", at(time.February, 3, 22, 10)))
	r.Turn("my zsh takes a second to start. find what is slow")
	r.Reasoning("**Profiling the start**")
	r.Assistant("zprof will tell.")
	r.Shell("zsh -ic 'zmodload zsh/zprof; source ~/.zshrc; zprof' | head -6", "num  calls                time                       self            name\n-----------------------------------------------------------------------------------\n 1)    1         612.40   612.40   71.35%    612.40   612.40   71.35%  nvm_auto\n 2)    2          98.02    49.01   11.42%     98.02    49.01   11.42%  compinit\n 3)    1          31.77    31.77    3.70%     31.77    31.77    3.70%  compdump\n", 0)
	r.Assistant("nvm is 71 % of it. Load it on first use instead:\n\n```zsh\nnvm() { unfunction nvm; source ~/.nvm/nvm.sh; nvm \"$@\" }\n```").TurnComplete()
	r.Wait(3 * time.Minute).Turn("and rewrite the whole prompt in rust")
	r.Assistant("That is a larger job; I'd begin with").Aborted()
	r.Wait(20 * time.Second).Turn("no, stop. just cache compinit for a day")
	r.Shell("sed -i 's/^compinit$/[[ -n ~\\/.zcompdump(#qN.mh+24) ]] \\&\\& compinit || compinit -C/' .zshrc && zsh -ic exit && echo ok", "ok\n", 0)
	r.Assistant("`compinit` looks for new functions once a day now, otherwise it takes the cache.").TurnComplete()
}

// aliases is an archived thread in Portuguese.
func aliases(home *rolltest.Home) {
	r := home.New(rolltest.V140, project("dotfiles", at(time.June, 15, 23, 2)))
	r.Turn("podes arrumar os aliases do git? tenho três para a mesma coisa 😅")
	r.Shell("grep -n '^alias g' .aliases", "4:alias gs='git status'\n5:alias gst='git status'\n9:alias gits='git status -sb'\n", 0)
	r.Assistant("Ficava só com `gs`, que é o mais curto, e com `-sb`, que mostra o mesmo em menos linhas.", "commentary")
	r.Patch("*** Begin Patch\n*** Update File: .aliases\n@@\n-alias gs='git status'\n-alias gst='git status'\n+alias gs='git status -sb'\n@@\n-alias gits='git status -sb'\n*** End Patch")
	r.Assistant("Feito 🎉 — ficou um só: `gs`.", "final_answer").TurnComplete()
	r.Archived = true
}

// vimConfig lies there compressed.
func vimConfig(home *rolltest.Home) {
	r := home.New(rolltest.V152, project("dotfiles", at(time.September, 2, 8, 26)))
	r.Turn("gofmt on save in vim, without a plugin")
	r.Patch("*** Begin Patch\n*** Update File: .vimrc\n@@\n set ruler\n+autocmd BufWritePre *.go let b:view = winsaveview() | silent! %!gofmt\n+autocmd BufWritePost *.go call winrestview(b:view)\n*** End Patch")
	r.Assistant("Added to `.vimrc`. It keeps the cursor where it was.").TurnComplete()
	r.Wait(8 * time.Minute).Turn("if the file has a syntax error it is replaced by gofmt's message!")
	r.Shell("vim --version | head -1", "VIM - Vi IMproved 9.1 (2024 Jan 02, compiled Mar 01 2026)\n", 0)
	r.Assistant("Right: the filter's output replaces the text even when it fails. Undo in that case:", "commentary")
	r.Patch("*** Begin Patch\n*** Update File: .vimrc\n@@\n-autocmd BufWritePre *.go let b:view = winsaveview() | silent! %!gofmt\n+autocmd BufWritePre *.go let b:view = winsaveview() | silent! %!gofmt\n+autocmd BufWritePre *.go if v:shell_error | undo | endif\n*** End Patch")
	r.Assistant("It undoes the filter when `gofmt` fails, so your text stays.", "final_answer").TurnComplete()
	r.Compressed = true
}
