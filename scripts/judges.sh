#!/bin/sh
# Runs the checks that lie beside the checkout, where they do. CI has them, and
# there their absence is a failure.
set -eu
shared=../shared
if [ ! -d "$shared/judge" ]; then
	if [ "${CI:-}" = true ]; then
		echo "no $shared in CI" >&2
		exit 1
	fi
	echo "skipped: no $shared/judge here; the same comparison is part of go test"
	# There, the harness's runtime goes on with one way of converting only.
	ROLLBOOK_LIVE_ALL=1 go test -timeout 30m -run '^TestCorpus$' ./internal/harness
	exit 0
fi
python3 "$shared/judge/corpus/check" --rollbook bin/rollbook
scripts/judge_dsh.sh "$shared"
