#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perf with csflow in it prints the words that perf's own CoreSight tests look for in a dump of
# trace.  The words are taken from the tests of linux-source-6.12, and in check-long of the newest
# kernel source of sid.
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
build_programs threads
[ -r /usr/src/linux-source-6.12.tar.xz ] || give_up "no linux-source"
ours=$(realpath "${PERF:-$O/perf}") && [ -x "$ours" ] || {
	echo "Bail out! no perf with csflow in it: make perf"
	exit 1
}

# scripts TAR: perf's shell tests of CoreSight, to $tmp/scripts
scripts()
{
	rm -rf "$tmp/scripts" && mkdir "$tmp/scripts"
	tar xf "$1" -C "$tmp/scripts" --wildcards '*/tools/perf/tests/shell/coresight/*.sh' \
		'*/tools/perf/tests/shell/lib/coresight.sh' '*/tools/perf/tests/shell/*coresight*.sh' 2> "$tmp/why"
	find "$tmp/scripts" -name '*.sh' -exec cat {} + > "$tmp/tests"
}

# words VERSION: each word that a test looks for is in some dump
words()
{
	local word

	grep -o 'I_[A-Z][A-Z_]*\|CID=0x\|VMID=0x' "$tmp/tests" | sort -u > "$tmp/words"
	while read -r word; do
		echo "in no dump: $word" > "$tmp/why"
		grep -qF "$word" "$tmp/dump.cid" "$tmp/dump.vmid"
		ok $? "$1: $word"
	done < "$tmp/words"
}

# The last packet of a buffer is at its end, but for three frames: raw_dump_stress.sh of 7.2.
whole_buffers()
{
	awk 'function look() { if (last && (last + 1 - offset <= size - 48 || last + 1 - offset > size)) { print size, offset, last; bad = 1 } last = 0 }
		/PERF_RECORD_AUXTRACE / { look(); size = $7; offset = $9 }
		/Idx:/ { last = $1; gsub(/Idx:|;/, "", last) }
		END { look(); exit bad }' "$tmp/dump.cid" > "$tmp/why"
}

echo "TAP version 13"
for context in cid vmid; do
	[ $context = vmid ] && unit=vmidopt || unit=cid
	record -u ete=1.1,$unit,ts=1000 -- "$tmp/threads" 1 &&
		"$ours" report --dump-raw-trace -i "$tmp/data" > "$tmp/dump.$context" 2> "$tmp/why" < /dev/null
	ok $? "a dump with $unit"
done
whole_buffers
ok $? "a dump goes to the end of each buffer"
scripts /usr/src/linux-source-6.12.tar.xz
grep -q 'I_ATOM_F' "$tmp/tests"
ok $? "6.12 has tests that look for packets"
words 6.12

# In the way in which the tests look for threads: there is a context for each.
tids=$("$ours" script -i "$tmp/data" --show-task-events -F tid,event 2> /dev/null < /dev/null | grep -o 'EXIT([0-9]*:[0-9]*' | sed 's/.*://' | sort -u)
for tid in $tids; do
	grep -q "VMID=0x0*$(printf %x "$tid")\b" "$tmp/dump.vmid" || echo "no VMID=$(printf %#x "$tid")"
done > "$tmp/why"
[ ! -s "$tmp/why" ]
ok $? "each thread that ended is in the dump"

if [ -n "$CSFLOW_LONG" ]; then
	if line=$(lib/sid.sh "$O/sid" 'linux-source-[0-9]*' 2> "$tmp/why"); then
		scripts "$O/sid/usr/src/${line% *}.tar.xz"
		[ -s "$tmp/tests" ]
		ok $? "${line#* } has tests of CoreSight"
		words "${line#* }"
	else
		skip "the tests of sid's perf" "no network"
	fi
fi
echo "1..$n"
