#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench-perf.sh	perf of linux-source-6.12, as it is with Debian's libopencsd, and with csflow in
#		it, over the same recordings: user time and memory of perf's usual jobs
# bench-perf.sh profile	profiles for compilers: perf inject and what must follow it, and csflow profile
#
# Called by make bench-perf, which gives O, and for the second with MODE=profile.  $MIB of trace
# (64) are recorded under the virtual trace unit, of one run of sqlite3 over tables that differ,
# once with timestamps and once without. Each side runs each job $ROUNDS times (3), in turn, and the
# best user time counts.  Only ratios mean something.  The recordings stay in $O/bench-perf, 64 MiB
# each, and are used again.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
: "${O:=../build}" "${ROUNDS:=3}" "${MIB:=64}"
. lib/perf.sh
. bench/bench-sql.sh

die()
{
	echo "bench-perf: $*" >&2
	exit 1
}

# A recording of a little more than $MIB: with it grow the tables of sqlite3.
recording()
{
	local name=$1 unit=$2 rows=$((1500 * MIB / 64)) size=0 file

	file=$O/bench-perf/$name-$MIB.data
	while [ ! -e "$file" ]; do
		"$csflow" record -q -o "$file.new" -L "$root" -u "$unit" -- "$root/usr/bin/sqlite3" \
			:memory: > /dev/null 2> "$tmp/why" < <(sql "$rows") || die "$(tail -n 1 "$tmp/why")"
		size=$(stat -c %s "$file.new")
		rows=$((rows * 5 / 4))
		[ "$size" -lt $((MIB << 20)) ] || mv "$file.new" "$file"
	done
	echo "$file"
}

# A recording of a little more than $MIB of a program with debug information, which stays beside it.
recording_of_plain()
{
	local file=$O/bench-perf/plain-$MIB.data rounds=$((480 * MIB / 64))

	if [ ! -e "$file" ]; then
		clang-19 --target=aarch64-linux-gnu -fuse-ld=lld -O2 -g -fdebug-info-for-profiling \
			-o "$O/bench-perf/plain" programs/plain.c 2> "$tmp/why" &&
			"$csflow" record -q -o "$file.new" --cpus=1 -u etm4=4.2,cid -L /usr/aarch64-linux-gnu -- \
				"$O/bench-perf/plain" $rounds > /dev/null 2> "$tmp/why" ||
			die "plain: $(tail -n 1 "$tmp/why")"
		mv "$file.new" "$file"
	fi
	echo "$file"
}

# Compiled as perf's makefile has it, for its speed
alone=1
root=$(programs/arm64-root.sh "$O" 2> "$tmp/why") || die "no arm64 programs: $(tail -n 1 "$tmp/why")"
mkdir -p "$O/bench-perf"
if [ "$1" = profile ]; then
	find_stock
else
	find_perfs
fi
timeless=$(recording timeless etm4=4.2,cid) || exit 1
timed=$(recording timed etm4=4.2,cid,ts=1000) || exit 1

# Least user time, and most memory, of what bench_run printed
best()
{
	sort -n "$1" | awk 'NR == 1 { user = $1; sys = $2 } $3 > peak { peak = $3 }
		END { print user, sys, peak }'
}

# compare GOAL NAME: a line from the figures in $tmp/stock and $tmp/ours
compare()
{
	echo "$(best "$tmp/stock") $(best "$tmp/ours") $1 $2" | awk '{
		name = $8; for (i = 9; i <= NF; i++) name = name " " $i
		printf "%-42s %8.2f %8.2f %7.1f %6s %8.0f %8.0f %s\n", name, $1, $4, $1 / ($4 + 0.0001), $7, $3, $6,
			($1 < $7 * $4 || $6 > $3) ? "  not reached" : "" }'
}

# job GOAL NAME FILE ARGS...
job()
{
	local goal=$1 name=$2 round side perf

	shift 2
	rm -f "$tmp/stock" "$tmp/ours"
	for round in $(seq "$ROUNDS"); do
		for side in stock ours; do
			perf=${!side}
			"$O/selftests/bench/bench_run" "$perf" "$@" >> "$tmp/$side" 2> "$tmp/why" ||
				die "$perf $*: $(tail -n 1 "$tmp/why")"
		done
	done
	compare "$goal" "$name"
}

# measure COMMAND...: its time and memory
measure()
{
	"$O/selftests/bench/bench_run" "$@" 2> "$tmp/why" || die "$*: $(tail -n 1 "$tmp/why")"
}

# theirs FILE [PROGRAM]: perf's file for AutoFDO, and for a program llvm-profgen's profile of that
theirs()
{
	measure "$stock" inject -i "$1" -o "$tmp/injected" --itrace=i1000il64
	[ -n "$2" ] || return 0
	# shellcheck disable=SC2016 # the other shell's
	measure sh -c 'exec "$0" script --show-mmap-events -F ip,brstack -i "$1" > "$2"' "$stock" \
		"$tmp/injected" "$tmp/script"
	measure llvm-profgen-19 --binary="$2" --perfscript="$tmp/script" --format=text -o "$tmp/theirs"
}

# profile NAME FORMAT FILE [PROGRAM]
profile()
{
	local round

	rm -f "$tmp/stock" "$tmp/ours"
	for round in $(seq "$ROUNDS"); do
		theirs "$3" "$4" > "$tmp/steps" || exit 1
		awk '{ u += $1; s += $2; if ($3 > m) m = $3 } END { print u, s, m }' "$tmp/steps" >> "$tmp/stock"
		measure "$csflow" profile -q -j1 --for="$2" -o "$tmp/profile" "$3" ${4:+"--binary=$4"} >> "$tmp/ours"
	done
	compare 50 "$1"
}

sed -n 's/^model name[[:space:]]*: /machine: /p' /proc/cpuinfo | head -n 1
echo "stock: $("$stock" version), libopencsd $(dpkg-query -W -f '${Version}' libopencsd1 2> /dev/null)"
for file in "$timeless" "$timed"; do
	echo "$(basename "$file"): $(stat -c %s "$file") bytes, $("$csflow" doctor "$file" 2> /dev/null |
		sed -n 's/^verdict *//p' | head -n 1)"
done
printf '%-42s %8s %8s %7s %6s %8s %8s\n' 'job' 'stock s' 'csflow s' ratio goal 'stock M' 'csflow M'
if [ "$1" = profile ]; then
	profile 'AutoFDO text, timeless' autofdo "$timeless"
	profile 'AutoFDO text, timed' autofdo "$timed"
	command -v llvm-profgen-19 > /dev/null || exit 0
	plain=$(recording_of_plain) || exit 1
	profile 'LLVM profile, plain' llvm "$plain" "$O/bench-perf/plain"
	exit
fi
job 20 'script, i1000000i, timeless' script -i "$timeless" --itrace=i1000000i
job 15 'script, i1000000i, timed' script -i "$timed" --itrace=i1000000i
job 8 'report, i1000i, timeless' report -i "$timeless" --stdio --itrace=i1000i
job 8 'report, i1000i, timed' report -i "$timed" --stdio --itrace=i1000i
job 5 'inject, i1000il64, timeless' inject -i "$timeless" -o "$tmp/injected" --itrace=i1000il64
job 5 'inject, i1000il64, timed' inject -i "$timed" -o "$tmp/injected" --itrace=i1000il64
job 1.4 'script, b, -F ip,addr, timeless' script -i "$timeless" --itrace=b -F ip,addr
job 1.4 'script, b, -F ip,addr, timed' script -i "$timed" --itrace=b -F ip,addr
# the command has perf's options
ours=$csflow
job 20 'csflow script, b, -F ip,addr' script -i "$timeless" --itrace=b -F ip,addr
job 20 'csflow script, b, -F ip,sym,addr' script -i "$timeless" --itrace=b -F ip,sym,addr
job 20 'csflow script, b, timed' script -i "$timed" --itrace=b
