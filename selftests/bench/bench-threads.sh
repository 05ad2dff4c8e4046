#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench-threads.sh [JOB...]	the work of -j$N (2) compared with $N processes of -j1 at once;
#				JOB: dump, profile, report, script; without one: all
#
# Called by make bench-threads, which gives O.  A recording of sqlite3 under the virtual trace unit, of
# $MIB (64), stays in $BENCH_DIR ($O/bench-record); or FILE, any recording.  Both are run in turn,
# $ROUNDS times (10), and the best of each counts:
#
#	processes, threads	MB of recording a second by the clock; and the ratio of the two
#	share			likewise by processor time: what a -j1 takes while the others run, for
#				each thread, divided by what the busiest thread of -j$N takes
#	more			processor time of all threads together, divided by that of a -j1
#	ns, n			what a line of the cache took from one processor to another (bench_cores)
#				before and after the -j$N, and how many rounds: where the host of a
#				virtual machine moves its processors apart there is a line for each
#
# The clock means something only where $N processors have nothing else to do.  If they have other
# work, threads wait for one that is not running and do its part: then look at "more", and at host
# instructions:
#
#	valgrind --tool=callgrind --separate-threads=yes --fair-sched=try csflow JOB -j2 FILE
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
: "${O:=../build}" "${ROUNDS:=10}" "${MIB:=64}" "${N:=2}"
O=$(realpath "$O")
: "${BENCH_DIR:=$O/bench-record}" "${CSFLOW:=$O/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

if [ -z "$FILE" ]; then
	O=$O CSFLOW=$CSFLOW bench/bench-record.sh "$BENCH_DIR" "$MIB" sqlite3.etm4 > "$tmp/snapshot" || exit 1
	FILE=$(cat "$tmp/snapshot").data
fi

# arguments JOB: sets args
arguments()
{
	case $1 in
	dump) args=(dump --stats) ;;
	profile) args=(profile -q --for=autofdo -o "$tmp/made") ;;
	report) args=(report) ;;
	script) args=(script --itrace=b -F "ip,addr") ;;
	*)
		echo "bench-threads: $1 is none of its jobs" >&2
		return 1
		;;
	esac
}

# measure SIDE PROCESSES THREADS: a line of milliseconds by the clock, of all threads and of the
# busiest thread; and how far apart the processors were
measure()
{
	local before

	before=$("$O/selftests/bench/bench_cores")
	"$O/selftests/bench/bench_threads" "$2" "$CSFLOW" "${args[@]}" "-j$3" "$FILE" > "$tmp/ms" 2> "$tmp/why" || {
		cat "$tmp/why" >&2
		exit 1
	}
	echo "$(cat "$tmp/ms") $before $("$O/selftests/bench/bench_cores")" >> "$tmp/$1"
}

job()
{
	arguments "$1" || exit 2
	rm -f "$tmp/processes" "$tmp/threads"
	for _ in $(seq "$ROUNDS"); do
		measure processes "$N" 1
		measure threads 1 "$N"
	done
	awk -v job="$1" -v n="$N" -v bytes="$(stat -c %s "$FILE")" '
	function less(side, group) {
		for (i = 1; i <= 3; i++)
			if (!((side, group, i) in best) || $i < best[side, group, i]) best[side, group, i] = $i
	}
	FNR == 1 { side++ }
	side == 1 { less(1, 0) }
	side == 2 { for (i = 1; i <= 5; i++) all[FNR, i] = $i; least = !least || $4 < least ? $4 : least }
	side == 2 { least = $5 < least ? $5 : least }
	END {
		alone = best[1, 0, 2] / n
		for (r = 1; r <= FNR; r++) {
			near = 2 * least > all[r, 4] && 2 * least > all[r, 5]
			group = near ? 1 : 2 * least > all[r, 4] || 2 * least > all[r, 5] ? 2 : 3
			for (i = 1; i <= 3; i++) $i = all[r, i]
			less(2, group)
			ns[group] += (all[r, 4] + all[r, 5]) / 2; rounds[group]++
		}
		for (group = 1; group <= 3; group++)
			if (rounds[group])
				printf "%-10s %10.0f %10.0f %6.2f %6.2f %6.2f %6.0f %4d\n", job,
					n * bytes / 1e3 / best[1, 0, 1], bytes / 1e3 / best[2, group, 1],
					best[1, 0, 1] / n / best[2, group, 1], alone / n / best[2, group, 3],
					best[2, group, 2] / alone, ns[group] / rounds[group], rounds[group]
	}' "$tmp/processes" "$tmp/threads"
}

sed -n 's/^model name[[:space:]]*: /machine: /p' /proc/cpuinfo | head -n 1
echo "$(basename "$FILE"): $(stat -c %s "$FILE") bytes; $N at once, $ROUNDS rounds"
printf '%-10s %10s %10s %6s %6s %6s %6s %4s\n' job processes threads ratio share more ns n
for name in "${@:-dump profile report script}"; do
	for one in $name; do
		job "$one"
	done
done
