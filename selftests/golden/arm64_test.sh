#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow for arm64, built here and run by qemu-user: tests of what has code of its own for that processor (frames have),
# and commands, whose output must be that of the native build, byte for byte.  Without CSFLOW_LONG csflow is not optimised,
# because that takes half a minute to build and not two, and reads one recording only.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C TZ=UTC
ulimit -c 0

O=$(realpath "${O:-../build}")
export O
: "${CSFLOW_FAST:=$O/csflow}"
for tool in qemu-aarch64 aarch64-linux-gnu-gcc; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/arm64.sh

# CSFLOW_LONG: all tests of packets and instructions, and the text cases; snapshots.
tests='unit/frame_test unit/word_test unit/insn_skip_test'
[ -z "$CSFLOW_LONG" ] ||
	tests="$tests unit/insn_test unit/path_test unit/block_map_test unit/leb128_test
	unit/ptm_packet_test unit/etm3_packet_test unit/itm_packet_test unit/stm_message_test cases/case_test"

# shellcheck disable=SC2046,SC2086 # words
arm64_build ${CSFLOW_LONG:+"$arm64/csflow"} $(printf "$arm64/selftests/%s " $tests)
ok $? "built, without a warning"

# ---------------------------------------------------------------- tests in C

# ran NAME: a test said that it passed, and something was tested
ran()
{
	grep -q '^ok ' "$tmp/said" && ! grep '^not ok' "$tmp/said" > "$tmp/why"
	ok $? "$1: $(grep -c '^ok ' "$tmp/said") passed"
}

for test in $tests; do
	[ $test != cases/case_test ] || continue
	arm64_run "$arm64/selftests/$test" > "$tmp/said" 2>&1 || echo "not ok: status $?" >> "$tmp/said"
	ran "$test"
done
# One file each time, because qemu-user keeps what it notes.
[ -z "$CSFLOW_LONG" ] || {
	for file in cases/*.case; do
		(cd .. && arm64_run "$arm64/selftests/cases/case_test" "selftests/$file") || echo "not ok: status $?"
	done > "$tmp/said" 2>&1
	ran cases/case_test
}

# ---------------------------------------------------------------- commands

if [ -n "$CSFLOW_LONG" ]; then
	there=$arm64/csflow
else
	there=$arm64_quick
	arm64_build_quick
	ok $? "csflow built, without a warning"
fi
[ -x "$there" ] || { echo "1..$n"; exit 1; }

# Both builds name themselves alike.
printed()
{
	timeout -k 5 300 "$CSFLOW_FAST" "$@" > "$tmp/want" 2>&1 < /dev/null
	echo "status $?" >> "$tmp/want"
	arm64_run "$there" "$@" > "$tmp/got" 2>&1 < /dev/null
	echo "status $?" >> "$tmp/got"
	[ -z "$differs" ] || return
	cmp "$tmp/want" "$tmp/got" > "$tmp/why" 2>&1 || {
		differs=1
		{ echo "csflow $*"; diff "$tmp/want" "$tmp/got" | head -n 5 | cut -c 1-200; } >> "$tmp/why"
	}
	bytes=$((bytes + $(stat -c %s "$tmp/got")))
}

# printed_all NAME LEAST: what was printed is the same, and at least so many bytes
printed_all()
{
	[ -z "$differs" ] && [ "$bytes" -ge "$2" ]
	ok $? "$1: the same $bytes bytes"
	differs='' bytes=0
}

# commands FILE OPTIONS: of one recording
commands()
{
	local file=$1 options

	shift
	for options in '' -j2 --itrace=i1i --itrace=i100il16 --itrace=cr; do
		# shellcheck disable=SC2086 # nothing, or a word
		printed script -i "$file" $options "$@"
	done
	for options in --packets --elements --frames --stats; do
		printed dump $options "$file"
	done
	for options in autofdo llvm gcov bolt json counts; do
		printed profile --for=$options "$@" "$file"
	done
	printed report -i "$file" --show=all "$@"
	printed timeline --for=chrome -i "$file" "$@"
}

differs='' bytes=0
commands data/demo/perf.data --symfs data/demo
printed_all "the recording of the demo" 100000
[ -n "$CSFLOW_LONG" ] || {
	skip "recordings and snapshots" "they take minutes: only with CSFLOW_LONG"
	echo "1..$n"
	exit 0
}

# With and without frames, 64-bit and 32-bit, with timestamps and cycle counts.
while read -r name gcc options; do
	$gcc -g -O2 -static -pthread -o "$tmp/$name" programs/$name.c > "$tmp/why" 2>&1 &&
		# shellcheck disable=SC2086 # words
		"$CSFLOW_FAST" record -q -o "$tmp/data" $options -- "$tmp/$name" > "$tmp/why" 2>&1 < /dev/null
	ok $? "a recording of $name, $options"
	for options in '' -j2 --itrace=cr; do
		# shellcheck disable=SC2086 # nothing, or a word
		printed script -i "$tmp/data" $options
	done
	printed dump --elements "$tmp/data"
	printed profile --for=llvm "$tmp/data"
	printed report -i "$tmp/data" --show=all
	printed_all "the recording of $name" 100000
done << 'END'
loops aarch64-linux-gnu-gcc -u etm4=4.2,cid,cc=16,ts=1000
calls aarch64-linux-gnu-gcc --raw --per-thread -u ete=1.1,rs,bb
END

if [ -z "$CSFLOW_CORPUS" ]; then
	skip "recordings of hardware" "CSFLOW_CORPUS is not set"
	skip "snapshots" "CSFLOW_CORPUS is not set"
else
	for file in "$CSFLOW_CORPUS"/{simpleperf,reports}/*.data; do
		for words in 'script -i' dump 'profile --for=counts' 'timeline --for=chrome -i'; do
			# shellcheck disable=SC2086 # words
			printed $words "$file"
		done
	done
	printed_all "recordings of hardware" 1000000
	for dir in "$CSFLOW_CORPUS"/{snapshots,snapshots-ete}/*/; do
		printed dump --snapshot="$dir"
	done
	printed_all "snapshots" 100000000
fi
echo "1..$n"
