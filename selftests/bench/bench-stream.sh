#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench-stream.sh [COMMAND...]	whether time and memory grow with what comes through a pipe; COMMAND:
#				dump, doctor, index, profile, script; without one: all
#
# Called by make bench-stream, which gives O.  A recording of programs/plain.c is repeated (mkstream)
# up to each of $SIZES, in MiB (256 1024), a sixteenth of these for script, whose lines are many
# times its trace.  In each of $ROUNDS rounds (5) the largest is run once, and each other size as
# often as makes the same amount, half of the runs before the largest and half after it.  So other
# work of the machine hits all alike, and a short run finds no quiet moment that a long one cannot.
# Time is of the processor, for all of these, in the fastest round; memory is the most.  $OPTIONS go
# to each command.
#
# IR=1: host instructions instead, by callgrind, for each byte that a size has more than the one
# before; then $SIZES is 8 16 32, and a quarter of that for script.
cd "$(dirname "$0")/.." || exit 1
: "${O:=../build}"
O=$(realpath "$O")
[ -n "$IR" ] && : "${SIZES:=8 16 32}"
: "${SIZES:=256 1024}" "${ROUNDS:=5}"
tools=$O/selftests
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
build_programs plain
record -u etm4=4.2,cid -- "$tmp/plain" 30 && "$tools/make/mkperf" "$tmp/data" "$tmp/piped" pipe 2> "$tmp/why" || {
	cat "$tmp/why" >&2
	exit 1
}

# arguments COMMAND: sets args, and sizes
arguments()
{
	local less=1 size

	case $1 in
	dump) args=(dump --stats -j1) ;;
	doctor) args=(doctor -j1) ;;
	index) args=(index -o "$tmp/made") ;;
	profile) args=(profile -j1 -q --for=counts -o "$tmp/made") ;;
	script)
		args=(script -j1)
		less=${IR:+4}
		less=${less:-16}
		;;
	*)
		echo "bench-stream: $1 is none of its commands" >&2
		return 1
		;;
	esac
	# shellcheck disable=SC2206 # words
	args+=($OPTIONS)
	sizes=()
	for size in $SIZES; do
		sizes+=($((size / less)))
	done
	largest=${sizes[-1]}
}

# one MIB: adds milliseconds and KiB to $tmp/use.MIB, or instructions
one()
{
	local run=("$tools/bench/bench_rusage" "$tmp/use.$1")

	[ -z "$IR" ] || run=(valgrind -q --tool=callgrind --callgrind-out-file="$tmp/ir")
	"$tools/make/mkstream" "$tmp/piped" "$1" | "${run[@]}" "$csflow" "${args[@]}" - > /dev/null 2> "$tmp/why" || {
		cat "$tmp/why" >&2
		exit 1
	}
	[ -z "$IR" ] || sed -n 's/^\(summary\|totals\): *//p' "$tmp/ir" | head -n 1 > "$tmp/use.$1"
}

# some HALF: the runs of a round before the largest (0), or after it (1)
some()
{
	local size i

	for size in "${sizes[@]::${#sizes[@]}-1}"; do
		for ((i = $1; i < largest / size; i += 2)); do
			one "$size"
		done
	done
}

# used SIZE: milliseconds of all of that size in the fastest round, and the most KiB
used()
{
	awk -v n=$((largest / $1)) '
		{ sum += $1; if ($2 > most) most = $2 }
		NR % n == 0 { if (!least || sum < least) least = sum; sum = 0 }
		END { print least, most }' "$tmp/use.$1"
}

measure()
{
	local size i ms kib first=

	rm -f "$tmp"/use.*
	for ((i = 0; i < ROUNDS; i++)); do
		some 0
		one "$largest"
		some 1
	done
	printf '%-8s' "$1"
	for size in "${sizes[@]}"; do
		read -r ms kib <<< "$(used "$size")"
		printf '  %2d x %4d MiB %7d ms %7d KiB' $((largest / size)) "$size" "$ms" "$kib"
		first=${first:-$ms}
	done
	awk "BEGIN { printf \"  growth %.3f\\n\", $ms / $first }"
}

instructions()
{
	local size before=0 had ir=0

	printf '%-8s' "$1"
	for size in "${sizes[@]}"; do
		one "$size"
		had=$ir ir=$(cat "$tmp/use.$size")
		[ "$before" = 0 ] ||
			awk "BEGIN { printf \"  %4d to %4d MiB %9.3f\", $before, $size, ($ir - $had) / ($size - $before) / 1048576 }"
		before=$size
	done
	echo
}

sed -n 's/^model name[[:space:]]*: /machine: /p' /proc/cpuinfo | head -n 1
names=${*:-dump doctor index profile script}
for name in $names; do
	arguments "$name" || exit 2
	if [ -n "$IR" ]; then
		instructions "$name"
	else
		measure "$name"
	fi
done
