#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The documentation as a site: it is built without a warning, its index leads to every page, and no link is broken.

cd "$(dirname "$0")/../.." || exit 1
O=$(realpath "${O:-build}")
tmp=$(mktemp -d -p "$O") || exit 1
trap 'rm -rf "$tmp"' EXIT
. selftests/lib/tap.sh

if ! command -v sphinx-build > /dev/null; then
	echo "1..0 # SKIP no sphinx-build: install python3-sphinx"
	exit 4
fi

echo "TAP version 13"
"${MAKE:-make}" -s O="$O" HTML="$tmp/html" ${CC:+CC="$CC"} ${KSRC:+KSRC="$KSRC"} html > "$tmp/why" 2>&1
ok $? "make html"

(cd Documentation && ls ./*/*.rst) | sed 's/^\.\///; s/\.rst$/.html/' | sort > "$tmp/pages"
python3 selftests/tree/links.py "$tmp/html" > "$tmp/reached" 2> "$tmp/broken"
[ -s "$tmp/reached" ] && ! grep . "$tmp/broken" > "$tmp/why"
ok $? "each link of each page leads to a file that is there"
comm -23 "$tmp/pages" "$tmp/reached" > "$tmp/why"
[ ! -s "$tmp/why" ]
ok $? "links lead from the index to every page"
grep -q "<strong>csflow-pgo</strong></a>(1)" "$tmp/html/user/pgo.html" 2> "$tmp/why" &&
	grep -q ">format/snapshot.rst</a>" "$tmp/html/user/cortex-m.html" 2> "$tmp/why"
ok $? "the name of a page in a text is a link to it"
echo "1..$n"
