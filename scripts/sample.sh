#!/bin/sh
# Shows rollbook at work on the sample home. Nothing is installed or written
# outside bin/, but a database in a temporary folder, which is removed again.
set -eu
home=examples/home
broken=$home/sessions/2026/10/02/$(ls $home/sessions/2026/10/02)
step() { printf '\n$ rollbook %s\n\n' "$*"; }

step threads $home
bin/rollbook threads $home --no-cache || [ $? = 2 ]

step show 01a0a41f --home $home
bin/rollbook show 01a0a41f --home $home --no-pager | head -60

step inspect --summary "$broken"
bin/rollbook inspect --summary "$broken" || [ $? = 2 ]

step export $home --format normalized '| head -3'
bin/rollbook export $home --format normalized 2>/dev/null | head -3

store=$(mktemp -d)
trap 'rm -rf "$store"' EXIT
step import $home
bin/rollbook import $home --db "$store/rollbook.db" || [ $? = 2 ]

step search "'cart -role:tool'" --limit 5
bin/rollbook search 'cart -role:tool' --limit 5 --db "$store/rollbook.db"

cat <<'TEXT'

That was the sample home. On your own history:

    bin/rollbook threads ~/.codex
    bin/rollbook show ID --home ~/.codex
    bin/rollbook import ~/.codex && bin/rollbook search WORDS
TEXT
