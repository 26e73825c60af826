#!/bin/sh
# Shows rollbook at work on the sample home. Nothing is installed or written
# outside bin/, but a database, pages and sessions in a temporary folder, which is
# removed again.
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

step export $home --format html --cwd /home/ada/shop-api --redact -o pages
bin/rollbook export $home --format html --cwd /home/ada/shop-api --redact -o "$store/pages" 2>/dev/null || [ $? = 2 ]
ls "$store/pages" | head -4

step dsh convert --codex-root $home --project /home/ada/shop-api --since-hours 876000 --dsh-home dsh --out dsh/sessions
bin/rollbook dsh convert --codex-root $home --project /home/ada/shop-api --since-hours 876000 --dsh-home "$store/dsh" --out "$store/dsh/sessions" 2>/dev/null || [ $? = 2 ]
step dsh verify dsh/sessions
bin/rollbook dsh verify "$store/dsh/sessions" | tail -n 1

step import $home
bin/rollbook import $home --db "$store/rollbook.db" || [ $? = 2 ]

step search "'cart -role:tool'" --limit 5
bin/rollbook search 'cart -role:tool' --limit 5 --db "$store/rollbook.db"

cat <<'TEXT'

That was the sample home. On your own history:

    bin/rollbook threads ~/.codex
    bin/rollbook show ID --home ~/.codex
    bin/rollbook import ~/.codex && bin/rollbook search WORDS
    bin/rollbook export ID --home ~/.codex --format html --redact -o thread.html
    bin/rollbook dsh sync --codex-root ~/.codex --dry-run
TEXT
