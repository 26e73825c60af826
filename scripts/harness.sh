#!/bin/sh
# Installs what the check against the real DeepSeek Harness runs: its codec and
# validators of format 3, its runtime, and a Node that reads zstd; the versions
# are those of the lock files in scripts/harness. It prints the folder.
#   ROLLBOOK_HARNESS  where to (default: rollbook-harness in the user's cache)
set -eu
from=$(cd "$(dirname "$0")/harness" && pwd)
to=${ROLLBOOK_HARNESS:-${XDG_CACHE_HOME:-$HOME/.cache}/rollbook-harness}
node=22.23.3
if ! command -v npm >/dev/null 2>&1; then
	echo "tests against the DeepSeek Harness will be skipped; install: npm" >&2
	exit 0
fi
mkdir -p "$to"
PATH="$to/node/node_modules/.bin:$PATH"
export PATH

# install FOLDER [ARG...]: npm's install there, with its words where it fails. It
# keeps to the lock file; "npm ci" would want packages of systems for which the
# registry has none.
install() {
	folder=$1
	shift
	npm install --no-audit --no-fund --prefix "$to/$folder" "$@" >"$to/$folder.log" 2>&1 || {
		cat "$to/$folder.log" >&2
		exit 1
	}
}

# The package of Node fetches the program in a script of its own.
node -e 'require("node:zlib").zstdDecompressSync.length' 2>/dev/null || install node "node@$node"
for part in format runtime; do
	done=$to/$part/.installed
	cmp -s "$from/$part/package-lock.json" "$done" && continue
	rm -rf "${to:?}/$part"
	cp -R "$from/$part" "$to/$part"
	# The peers of about 200 packages are named in package.json: resolving them
	# takes npm longer than anybody waits.
	install "$part" --ignore-scripts --legacy-peer-deps
	cp "$from/$part/package-lock.json" "$done"
done
echo "$to"
