#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every page of the documentation is sound reStructuredText, and every man page a man page.

cd "$(dirname "$0")/../.." || exit 1
docs=${PAGES:-Documentation}
man_dir=$docs/man
# index.rst has directives of Sphinx: site_test.sh.
pages=("$docs"/README.rst "$docs"/*/*.rst)
err=$(mktemp) || exit 1
trap 'rm -f "$err" "$err.source"' EXIT

# Debian's names, and those of docutils itself.
tool()
{
	command -v "$1" || command -v "$1.py"
}

. selftests/lib/tap.sh

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

# Pages that no reader finds, and names that lead nowhere.
for page in "$docs"/*/*.rst; do
	page=${page#"$docs"/}
	case $page in man/*) continue ;; esac
	grep -q "^\`\`$page\`\`" "$docs/README.rst" || echo "$page"
done > "$err"
[ ! -s "$err" ]
ok $? "README.rst lists every page"
for page in "${pages[@]}"; do
	grep -oE '[a-zA-Z0-9/_.-]+\.rst\b' "$page" | sort -u | while read -r name; do
		case $name in Documentation/trace/*) continue ;; esac	# the kernel's own
		name=${name#Documentation/}
		[ -f "$docs/$name" ] || [ -f "${page%/*}/$name" ] || echo "$page: $name"
	done
done > "$err"
[ ! -s "$err" ]
ok $? "each page that a page names is there"
for page in "$docs"/README.rst "$docs"/*/*.rst; do
	grep -oE '\b(decoder|perf-plugin|tools|kernel-glue)/[a-z0-9/_-]+\.[ch]\b' "$page" | sort -u |
		while read -r name; do
			[ -f "$name" ] || echo "$page: $name"
		done
done > "$err"
[ ! -s "$err" ]
ok $? "each file of the source that a page names is there"

# A section without its line of "=" is a paragraph, about which no tool complains.
for page in "${pages[@]}"; do
	[ "$(grep -v '^\.\. \|^$\|^:' "$page" | head -n 1 | tr -d '=')" = "" ] || echo "$page: no title at the top"
done > "$err"
[ ! -s "$err" ]
ok $? "each page begins with a title"
# sections PAGE: their titles
sections()
{
	awk '/^(=+|-+)$/ && length($0) >= length(last) && last ~ /[^=-]/ { print last } { last = $0 }' "$1"
}
for page in "${pages[@]}"; do
	sections "$page" | sed -n 's/^\([0-9][0-9]*\)\. .*/\1/p' | awk -v page="$page" '$1 != NR { print page ": section " NR " is missing"; exit }'
done > "$err"
[ ! -s "$err" ]
ok $? "numbered sections are in order, and none is missing"
sections "$docs/user/tutorial.rst" | grep -c '^[0-9]' > "$err"
[ "$(cat "$err")" = 6 ]
ok $? "the tutorial has six parts"
for kind in user format developer; do
	diff <(sed -n "s,^\`\`\($kind/.*\)\.rst\`\` .*,\1,p" "$docs/README.rst") \
		<(sed -n "s,^   \($kind/.*\),\1,p" "$docs/index.rst")
done > "$err" 2>&1
[ ! -s "$err" ]
ok $? "index.rst has the pages of README.rst, in the same order"

# Functions of others, as strscpy(), have no underscore, or are called here.
grep -rhoE --include='*.[ch]' '\b[a-z0-9]+(_[a-z0-9]+)+\(' decoder perf-plugin tools kernel-glue \
	selftests | sort -u > "$err.source"
for page in "$docs"/README.rst "$docs"/*/*.rst; do
	grep -oE '``[a-z0-9]+(_[a-z0-9]+)+\(\)``' "$page" | tr -d '\`)' | sort -u |
		comm -23 - "$err.source" | sed "s|^|$page: |; s|\$|)|"
done > "$err"
[ ! -s "$err" ]
ok $? "each function that a page names is there"
echo "1..$n"
