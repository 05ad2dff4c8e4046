#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The recording that is part of the source: csflow and perf find the branches that the emulator logged.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
: "${CSFLOW:=../build/check/csflow}"
demo=data/demo
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
test=0

# $2: what is wrong; empty: nothing
result()
{
	test=$((test + 1))
	if [ -z "$2" ]; then
		echo "ok $test $1"
	else
		printf '%s\n' "$2" | head -n 20 | sed 's/^/# /'
		echo "not ok $test $1"
	fi
}

# "FROM SYMBOL (DSO) => TO" to "FROM TO"; where tracing begins or ends one of them is 0.
ends()
{
	grep -oE '[0-9a-f]+ ([^ ]+ )?(\([^)]*\) )?=> +[0-9a-f]+' |
		awk '$1 != "0" && $NF != "0" { print $1, $NF }'
}

echo "TAP version 13"
echo "1..4"

"$CSFLOW" script --symfs $demo $demo/perf.data > "$tmp/script" 2> "$tmp/err"
status=$?
ends < "$tmp/script" > "$tmp/branches"
result "csflow finds each of $(wc -l < $demo/branches) branches, in order" \
	"$(diff "$tmp/branches" $demo/branches 2>&1)"
result "and has nothing to complain of" "$([ $status = 0 ] || echo "exits with $status"; cat "$tmp/err")"

# perf without times: it takes one CPU after the other, and ends the branches at system calls.
if command -v perf > /dev/null; then
	perf script -f --itrace=bZ -F ip,addr,flags --symfs $demo -i $demo/perf.data 2> /dev/null |
		ends | sort > "$tmp/perf"
	result "perf finds the same" "$(sort $demo/branches | diff "$tmp/perf" - 2>&1)"
else
	test=$((test + 1))
	echo "ok $test # SKIP no perf"
fi

size=$(cat $demo/demo-sort $demo/perf.data | wc -c)
result "program and recording are small" "$([ "$size" -lt 10240 ] || echo "$size bytes")"
