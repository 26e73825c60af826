#!/bin/sh
# Has the judge of DSH sessions that lies beside the checkout judge every session
# of the corpus, in each way of converting.
#   scripts/judge_dsh.sh SHARED [WAY...]
set -eu
shared=$1
shift
[ $# -gt 0 ] || set -- window full reverted outputs texts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/corpus"
zstd -dcq "$shared/corpus/corpus.tar.zst" | tar -x -C "$work/corpus"
"$shared/judge/dsh/setup.sh" >/dev/null
per=40 # homes for one run of the judge, which gives up on too many sessions

flags() {
	case $1 in
	window) ;;
	full) echo --full-history ;;
	reverted) echo --keep-rolled-back ;;
	outputs) echo --max-tool-output 200 ;;
	texts) echo --max-text-chars 2000 ;;
	*) echo "no way of converting: $1" >&2 && exit 64 ;;
	esac
}

for way; do
	options=$(flags "$way")
	n=0
	find "$work/corpus" -type d -name home | sort >"$work/homes"
	while read -r home; do
		to=$work/$way/$((n / per))
		n=$((n + 1))
		# shellcheck disable=SC2086
		bin/rollbook dsh convert --codex-root "$home" --archived --since-hours 900000 --images own \
			--out "$to/sessions" --dsh-home "$to" $options >"$work/out" 2>&1 </dev/null || [ $? = 2 ] || {
			cat "$work/out" >&2
			exit 1
		}
	done <"$work/homes"
	# shellcheck disable=SC2016
	printf '%s\n' "$work/$way"/* | xargs -P 2 -n 1 sh -c '
		"$0" "$2/sessions" >"$2/out" 2>&1 || {
			grep -v "^PASS" "$2/out" >&2
			exit 255
		}
		tail -n 1 "$2/out" | sed "s|.*\"sessions\"|ok  	dsh judge, $1: \"sessions\"|"
	' "$shared/judge/dsh/judge" "$way"
	rm -rf "${work:?}/$way"
done
