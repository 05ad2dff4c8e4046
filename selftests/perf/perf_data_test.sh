#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The report of csflow doctor on how a recording was written.  Recordings by Debian's perf on this
# machine, without trace, are read to the last record: as many as perf itself counts, and the only
# problem is that there is no trace.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0

# The recordings: options of perf record, and words that csflow doctor must print.
rows='-e dummy:u	records;
-e cpu-clock -z	compressed
-e cpu-clock -g -z --switch-events --namespaces -a	compressed
-e cpu-clock -c 100000 --switch-events -a	records;
-e sched:sched_switch -c 1 -a	records;
-e sched:sched_switch -c 1 -g -z -a	compressed
-e cpu-clock --threads -a	a directory
-e cpu-clock --threads -z -a	a directory, compressed'

result()
{
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n $1"
	else
		printf '%s\n' "$2" | sed 's/^/# /'
		echo "not ok $n $1"
	fi
}

# What is wrong with how $1 is read; $2: records that perf counts; $3: what doctor must print.
wrong()
{
	$CSFLOW doctor "$1" > "$tmp/page" 2> "$tmp/problems"
	grep -q "recording.*, $2 records[,;]" "$tmp/page" || echo "perf counts $2 records"
	grep -q "recording.*$3" "$tmp/page" || echo "the page does not say: $3"
	[ "$(wc -l < "$tmp/problems")" = 1 ] && grep -q "no AUXTRACE_INFO" "$tmp/problems" ||
		cat "$tmp/problems"
}

# Every record that perf reads of $1
count()
{
	perf report --stats -i "$1" 2> /dev/null | sed -n 's/.*TOTAL events: *//p'
}

# $1: a recording that a fuzzer begins with; $2: what the page must say
says()
{
	$CSFLOW doctor "fuzz-seeds/perf/$1" > "$tmp/page" 2> /dev/null
	result "$1: $2" "$(grep -q "$2" "$tmp/page" || cat "$tmp/page")"
}

says foreign-v1 'recording.* records, big-endian; of Linux 6.12 aarch64'
says foreign-v1 'trace  *512 B in 8 fragments'
says foreign-pipe 'records, from a pipe, big-endian;'
says compressed2 'records, compressed;'
says symbols-and-pokes 'kernel  *made code at run time: 1 symbol; changed code 1 time$'

if ! perf record -q -e dummy -o "$tmp/try" true > /dev/null 2>&1; then
	echo "1..$n # perf cannot record here"
	exit 0
fi
while IFS=$'\t' read -r options says; do
	rm -rf "$tmp/data"
	# shellcheck disable=SC2086 # the options are words
	if ! perf record -q $options -o "$tmp/data" sh -c 'ls -R /usr/include > /dev/null; true' \
		> /dev/null 2>&1; then
		n=$((n + 1))
		echo "ok $n perf record $options # SKIP it cannot be recorded here"
		continue
	fi
	why=$(wrong "$tmp/data" "$(count "$tmp/data")" "$says")
	[ -z "$why" ] || sed 's/^/# /' "$tmp/page"
	result "perf record $options" "$why"
done <<< "$rows"

# Through a pipe a file has other records: perf counts those that it has read from the pipe.
for options in '-e dummy:u' '-e cpu-clock --switch-events'; do
	# shellcheck disable=SC2086
	perf record -q $options -o - true > "$tmp/pipe" 2> /dev/null
	told=$(perf report --stats -i - < "$tmp/pipe" 2> /dev/null |
		sed -n 's/.*TOTAL events: *//p')
	$CSFLOW doctor - < "$tmp/pipe" > "$tmp/page" 2> /dev/null
	result "perf record $options -o -" "$(grep -q 'from a pipe' "$tmp/page" &&
		grep -q ", $told records" "$tmp/page" || { echo "perf: $told"; head -n 2 "$tmp/page"; })"
done
echo "1..$n"
