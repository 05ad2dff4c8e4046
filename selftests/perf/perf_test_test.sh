#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The tests of `perf test` that pass with unchanged perf of linux-source-6.12 must pass with csflow
# in it.  It takes some eight minutes: with CSFLOW_LONG only.  Tests that pass with one and not with
# the other may depend on how busy the machine is, or on luck, so both run them again.
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
[ -n "$CSFLOW_LONG" ] || give_up "it takes minutes: CSFLOW_LONG=1"
# Its tests depend on its parts, such as Python and names of events: both have the same.
find_perfs

# Tests that are scripts call the perf that comes first in $PATH.
mkdir -p "$tmp/bin/stock" "$tmp/bin/ours"
ln -s "$stock" "$tmp/bin/stock/perf"
ln -s "$ours" "$tmp/bin/ours/perf"

# run stock|ours NUMBER: names of the tests and subtests of it that pass, one a line
run()
{
	PATH=$tmp/bin/$1:$PATH timeout -k 5 200 perf test "$2" < /dev/null 2>&1 |
		sed -n 's/^ *\([0-9.]*: .*[^ ]\) *: Ok$/\1/p' | sort -u
}

echo "TAP version 13"
last=$("$stock" test list 2>&1 | sed -n 's/^ *\([0-9]*\): .*/\1/p' | tail -n 1)
passed=0
for number in $(seq "${last:-0}"); do
	for attempt in 1 2 3 4 5; do
		run stock "$number" > "$tmp/stock"
		run ours "$number" > "$tmp/ours"
		comm -23 "$tmp/stock" "$tmp/ours" > "$tmp/why"
		[ -s "$tmp/why" ] || break
		echo "# $number: attempt $attempt: differs"
	done
	passed=$((passed + $(wc -l < "$tmp/stock")))
	[ ! -s "$tmp/why" ]
	ok $? "perf test $number: what passes there passes here"
done
echo "# $passed pass with stock"
[ "$passed" -gt 20 ]
ok $? "something passes at all"
echo "1..$n"
