#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The recording that is part of the source: csflow and perf find the branches that the emulator logged.
# make demo PROTOCOL=m33: what it shows of a Cortex-M that it records.

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
echo "1..12"

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

# ---------------------------------------------------------------- PROTOCOL=m33

demo()
{
	(cd .. && CSFLOW=$(realpath "${CSFLOW_FAST:-build/csflow}") PROTOCOL=$1 selftests/demo.sh) > "$tmp/demo" 2>&1
}

# wants NAME PATTERN...: the demo printed each
wants()
{
	local name=$1 pattern

	shift
	for pattern; do
		grep -q -- "$pattern" "$tmp/demo" || { result "$name" "no $pattern in: $(cat "$tmp/demo")"; return; }
	done
	result "$name" ""
}

demo none
result "PROTOCOL: a word that there is not" "$([ $? = 2 ] && grep -q 'PROTOCOL=none is none of m33 ptm' "$tmp/demo" || cat "$tmp/demo")"
if command -v qemu-system-arm > /dev/null; then
	demo m33
	result "PROTOCOL=m33 ends well" "$([ $? = 0 ] || cat "$tmp/demo")"
	wants "it records, and nothing is missing" '^csflow: .*: [0-9]* instructions, ' 'nothing is missing$'
	wants "branches, an exception and its return" ' begin+0x[0-9a-f]* => ' \
		' exception 0x[0-9a-f]* at 0x100' ' exception return$'
	wants "and the way on" 'Documentation/user/cortex-m.rst' 'csflow report'
else
	for name in "ends well" "records" "branches" "way on"; do
		test=$((test + 1))
		echo "ok $test PROTOCOL=m33: $name # SKIP no qemu-system-arm"
	done
fi

# ---------------------------------------------------------------- PROTOCOL=ptm

if command -v qemu-arm > /dev/null; then
	demo ptm
	result "PROTOCOL=ptm ends well" "$([ $? = 0 ] || cat "$tmp/demo")"
	wants "it records, and nothing is missing" 'PTM1.1 .* 0 ' '^csflow: .*: [0-9]* instructions, ' 'nothing is missing$'
	wants "branches and packets" ' do_op+0x[0-9a-f]* => ' '\[10\] isync 0x[0-9a-f]* t32 on ns' '\[10\] branch 0x'
else
	for name in "ends well" "records" "branches"; do
		test=$((test + 1))
		echo "ok $test PROTOCOL=ptm: $name # SKIP no qemu-arm"
	done
fi
