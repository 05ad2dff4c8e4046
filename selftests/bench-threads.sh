#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench-threads.sh [JOB...]	what -j$N (2) does beside $N processes of -j1 that run at once;
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
#
# The clock means something only where $N processors have nothing else to do.  Where they have, threads
# wait for one that is not running and do its part: then look at what is more, and at host instructions:
#
#	valgrind --tool=callgrind --separate-threads=yes --fair-sched=try csflow JOB -j2 FILE
cd "$(dirname "$0")" || exit 1
export LC_ALL=C
: "${O:=../build}" "${ROUNDS:=10}" "${MIB:=64}" "${N:=2}"
O=$(realpath "$O")
: "${BENCH_DIR:=$O/bench-record}" "${CSFLOW:=$O/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

if [ -z "$FILE" ]; then
	O=$O CSFLOW=$CSFLOW ./bench-record.sh "$BENCH_DIR" "$MIB" sqlite3.etm4 > "$tmp/snapshot" || exit 1
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

# measure SIDE PROCESSES THREADS: a line of milliseconds: by the clock, of all threads, of the busiest
measure()
{
	"$O/selftests/bench_threads" "$2" "$CSFLOW" "${args[@]}" "-j$3" "$FILE" >> "$tmp/$1" 2> "$tmp/why" || {
		cat "$tmp/why" >&2
		exit 1
	}
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
	FNR == 1 { side++ }
	{ for (i = 1; i <= 3; i++) if (FNR == 1 || $i < best[side, i]) best[side, i] = $i }
	END {
		alone = best[1, 2] / n
		printf "%-10s %10.0f %10.0f %6.2f %6.2f %6.2f\n", job, n * bytes / 1e3 / best[1, 1],
			bytes / 1e3 / best[2, 1], best[1, 1] / n / best[2, 1], alone / n / best[2, 3],
			best[2, 2] / alone
	}' "$tmp/processes" "$tmp/threads"
}

sed -n 's/^model name[[:space:]]*: /machine: /p' /proc/cpuinfo | head -n 1
echo "$(basename "$FILE"): $(stat -c %s "$FILE") bytes; $N at once, $ROUNDS rounds"
printf '%-10s %10s %10s %6s %6s %6s\n' job processes threads ratio share more
for name in "${@:-dump profile report script}"; do
	for one in $name; do
		job "$one"
	done
done
