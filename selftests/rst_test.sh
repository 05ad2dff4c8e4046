#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every page of the documentation is sound reStructuredText, and every man page a man page.

cd "$(dirname "$0")/.." || exit 1
man_dir=${PAGES:-Documentation}/man
pages=("${PAGES:-Documentation}"/*.rst "$man_dir"/*.rst)
err=$(mktemp) || exit 1
trap 'rm -f "$err"' EXIT

# Debian's names, and those of docutils itself.
tool()
{
	command -v "$1" || command -v "$1.py"
}

. selftests/tap.sh

why()
{
	head -n 5 "$err"
}

html=$(tool rst2html) man=$(tool rst2man)
if [ -z "$html" ] || [ -z "$man" ]; then
	echo "1..0 # SKIP no rst2html, rst2man: install python3-docutils"
	exit 4
fi
for page in "${pages[@]}"; do
	"$html" --halt=2 --quiet "$page" > /dev/null 2> "$err"
	ok $? "rst2html $page"
done
for page in "$man_dir"/*.rst; do
	{ "$man" --halt=2 --quiet "$page" 2> "$err" | grep -q '^\.TH'; } && [ ! -s "$err" ]
	ok $? "rst2man $page"
done
echo "1..$n"
