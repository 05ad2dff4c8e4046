#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# AUX trace that is paused and resumed, as newer kernels can: one AUX record has many short runs of
# a trace unit.  The test makes such a recording from a thread's buffer: each of its runs has an AUX
# record of its own; only the first record stays, and gets them all. csflow, and perf with csflow in
# it, must show the same instructions and branches as for the original recording, which are the
# executed ones.
#
# At a pause the kernel reads out a sink that cannot tell when it is full, such as an ETR, and the
# next AUX record begins anew.  If the first one ends inside a frame or a packet, the contents of
# these are missing, which is reported; all else is there.
#
# CSFLOW_LONG: two more trace units.
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
build_programs loops threads
find_ours

# The edits of mkperf for all AUX records of a thread but the first, and for the first.  After the
# fields of AUX, the first word names the thread that wrote the record.
cat > "$tmp/join.pl" << 'END'
open F, "<", shift or die;
while (<STDIN>) {
	my ($at, $size) = /(0x\S+) \[\S+: PERF_RECORD_AUX offset: \S+ size: (\S+) / or next;
	seek F, hex($at) + 36, 0;
	read F, $_, 4;
	my $tid = unpack "L<";
	if (defined $first{$tid}) {
		$more{$tid} += hex $size;
		push @edits, "size=-$size:$n";
	} else {
		$first{$tid} = $n + 0;
	}
	$n++;
}
push @edits, map { "size=$more{$_}:$first{$_}" } keys %more;
print "@edits\n";
END

# joined OPTIONS... -- PROGRAM...: $tmp/data as it was recorded, and $tmp/joined, whose edits are in $tmp/edits.  On
# a busy machine the threads may run one after the other, with fewer runs than are wanted: then once more.
joined()
{
	local try

	for try in 1 2 3 4 5; do
		record "$@" || return
		"$ours" script -i "$tmp/data" -D 2> /dev/null < /dev/null | grep -a 'PERF_RECORD_AUX ' |
			perl "$tmp/join.pl" "$tmp/data" > "$tmp/edits"
		[ "$(wc -w < "$tmp/edits")" -lt 6 ] || break
		echo "# recording $try: $(wc -w < "$tmp/edits") records"
	done
	# shellcheck disable=SC2046 # words
	"$O/selftests/make/mkperf" "$tmp/data" "$tmp/joined" $(cat "$tmp/edits") 2> "$tmp/why"
}

# list PROGRAM FILE ITRACE FIELDS: thread by thread and CPU by CPU
list()
{
	"$1" script -i "$2" --itrace="$3" -F "tid,cpu,$4" 2> "$tmp/said" < /dev/null | key=1 in_order | sort -s -k2,2
}

# same PROGRAM ITRACE FIELDS NAME LEAST: of both recordings, with as many lines at least
same()
{
	list "$1" "$tmp/data" "$2" "$3" > "$tmp/one"
	list "$1" "$tmp/joined" "$2" "$3" > "$tmp/two"
	[ "$(wc -l < "$tmp/one")" -gt "$5" ] && diff "$tmp/one" "$tmp/two" > "$tmp/why" && ! grep . "$tmp/said" > "$tmp/why"
	ok $? "$4"
}

# cut N NAME SCRIPT DOCTOR PERF: the fourth AUX record has N bytes less, fewer than 8, so that they count as padding.
# A whole record has 1,000 instructions or more, which is the quantum: with 400 missing more would be lost than its end.
cut()
{
	local shown

	"$O/selftests/make/mkperf" "$tmp/data" "$tmp/cut" size=-$1:3 2> "$tmp/why"
	list "$csflow" "$tmp/data" i1i ip > "$tmp/one"
	list "$csflow" "$tmp/cut" i1i ip > "$tmp/two"
	cp "$tmp/said" "$tmp/of-script"
	diff "$tmp/one" "$tmp/two" > "$tmp/why"
	shown=$(wc -l < "$tmp/two")
	[ "$(grep -c '^<' "$tmp/why")" -ge 1 ] && [ "$(grep -c '^<' "$tmp/why")" -lt 400 ] &&
		! grep -q '^>' "$tmp/why" && [ "$(grep -c '^[0-9]' "$tmp/why")" = 1 ]
	ok $? "$2: only what is not there is missing"
	grep "$3" "$tmp/of-script" > "$tmp/why" || cat "$tmp/of-script" > "$tmp/why"
	grep -q "$3" "$tmp/why"
	ok $? "$2: script says so"
	"$csflow" doctor "$tmp/cut" > "$tmp/why" 2>&1 && grep -q "$4" "$tmp/why" && ! grep -q 'nothing is missing' "$tmp/why"
	ok $? "$2: and doctor"
	list "$ours" "$tmp/cut" i1i ip | diff "$tmp/two" - > "$tmp/why"
	ok $? "$2: $(basename "$ours") shows the same"
	grep -q "$5" "$tmp/said"
	ok $? "$2: and says so"
	"$csflow" report "$tmp/cut" > "$tmp/why" 2>&1 && grep -qx "# Instructions: $shown" "$tmp/why"
	ok $? "$2: report has all of it"
	"$csflow" profile -q --for=json "$tmp/cut" > "$tmp/why" 2>&1 && grep -q "\"instructions\": *$shown," "$tmp/why"
	ok $? "$2: profile, too"
}

row()
{
	local unit=$1 program=$2 name which by

	shift 2
	name="$program $* -u $unit"
	run_of "$program"
	joined "$@" -u "$unit" -- "${run[@]}" && [ "$(wc -w < "$tmp/edits")" -ge 6 ]
	ok $? "$name: one record of many runs"
	# The order of two CPUs in one record is not known, and no kernel makes such a record.
	if [[ $name == *--cpus=1* ]]; then
		"$csflow" match "$tmp/truth" "$tmp/joined" > "$tmp/why" 2>&1 && grep -qx equal "$tmp/why"
		ok $? "$name: that is what was executed"
	fi
	for which in "$csflow" "$ours"; do
		by=$(basename "$which")
		same "$which" i1i ip "$name: $by shows the same instructions" 100000
		same "$which" be ip,addr,flags "$name: and branches, which end with a run" 10000
	done
}

echo "TAP version 13"
units='ete=1.1,ts=1000 etm4=4.2,spec=4:5'
[ -z "$CSFLOW_LONG" ] || units+=' etm4=4.3,cc=4,ts=1000 ete=1.1,rs'
for unit in $units; do
	row $unit "threads 1" --raw --per-thread --cpus=1 --quantum=1000
	row $unit loops --per-thread --cpus=2 --quantum=3000 --migrate=2
done
cut 5 "an AUX record that ends in a frame" '11 bytes of trace not decoded: of frames whose end is missing$' \
	'11 bytes are of frames whose end is missing' '11 bytes of trace are of frames whose end is missing'
# If it ends between two packets, the trace does not tell that there were more.
record --raw --per-thread --cpus=1 --quantum=1000 -u ete=1.1,bb -- "$tmp/threads" 1
cut 1 "an AUX record that ends in a packet" 'gaps: cut 1 ' '^  cut  *1 ' 'has 1 gap'
echo "1..$n"
