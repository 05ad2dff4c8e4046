#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# pictures.sh DIR: makes the pictures of tutorial.rst in DIR, from its own program; $CSFLOW is the command.
set -e
to=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
source=$PWD/Documentation/examples/stock.c
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

aarch64-linux-gnu-gcc -Og -g -static -o stock "$source"
printf '%s\n' +pear +pear +fig '?pear' -fig '?fig' > orders
"$CSFLOW" record -- ./stock < orders > log 2>&1 &&
	"$CSFLOW" report --html -o stock.html >> log 2>&1 || { cat log >&2; exit 1; }

# A browser that root runs has no sandbox, and one without a home has no place for its settings.
HOME=$tmp timeout 60 chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1100,700 \
	--virtual-time-budget=2000 --screenshot="$to/tutorial-report.png" "file://$tmp/stock.html" > log 2>&1 &&
	[ -s "$to/tutorial-report.png" ] || { cat log >&2; exit 1; }
