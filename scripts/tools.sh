#!/bin/sh
# Installs what the tests use besides Go: strace shows what the program opens,
# zstd and python3 serve the checks that compare with the real Codex, npm gets the
# real DeepSeek Harness (scripts/harness.sh), chromium shows the pages of export.
set -eu
missing=
for tool in strace zstd python3 npm chromium; do
	command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"
done
[ -n "$missing" ] || exit 0
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" = 0 ]; then
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq
	# shellcheck disable=SC2086
	apt-get install -qq -y --no-install-recommends $missing >/dev/null
else
	echo "tests that need them will be skipped; install:$missing" >&2
fi
