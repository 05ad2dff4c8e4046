#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# AUX trace that is paused and resumed, as newer kernels can: many short runs of a trace unit lie in what is one AUX
# record.  A thread's buffer is made into that: of its runs, each with an AUX record of its own, only the first
# record stays, and has them all.  csflow, and perf with csflow in it, show the instructions that they show of it as
# it was recorded.
cd "$(dirname "$0")" || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. ./tap.sh
. ./perf.sh
build_programs loops threads
find_ours

# What mkperf is to do to all AUX records of a thread but the first, and to that.  Who wrote a record is behind what
# AUX says, first.
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

# joined OPTIONS... -- PROGRAM...: $tmp/data as it was recorded, and $tmp/joined, whose edits are in $tmp/edits
joined()
{
	record "$@" || return
	"$ours" script -i "$tmp/data" -D 2> /dev/null < /dev/null | grep -a 'PERF_RECORD_AUX ' |
		perl "$tmp/join.pl" "$tmp/data" > "$tmp/edits"
	# shellcheck disable=SC2046 # words
	"$O/selftests/mkperf" "$tmp/data" "$tmp/joined" $(cat "$tmp/edits") 2> "$tmp/why"
}

# list PROGRAM FILE: each instruction, thread by thread and CPU by CPU
list()
{
	"$1" script -i "$2" --itrace=i1i -F tid,cpu,ip 2> "$tmp/said" < /dev/null | key=1 in_order | key=2 in_order
}

row()
{
	local unit=$1 program=$2 name which

	shift 2
	name="$program $* -u $unit"
	run_of "$program"
	joined "$@" -u "$unit" -- "${run[@]}" && [ "$(wc -w < "$tmp/edits")" -ge 6 ]
	ok $? "$name: one record of many runs"
	for which in "$csflow" "$ours"; do
		list "$which" "$tmp/data" > "$tmp/one"
		list "$which" "$tmp/joined" > "$tmp/two"
		[ "$(wc -l < "$tmp/one")" -gt 100000 ] && diff "$tmp/one" "$tmp/two" > "$tmp/why" &&
			! grep . "$tmp/said" > "$tmp/why"
		ok $? "$name: $(basename "$which") shows the same"
	done
}

echo "TAP version 13"
for unit in ete=1.1,ts=1000 etm4=4.3,cc=4,ts=1000 etm4=4.2,spec=4:5 ete=1.1,rs,bb; do
	row $unit loops --per-thread --cpus=2 --quantum=3000 --migrate=2
	row $unit "threads 1" --raw --per-thread --cpus=1 --quantum=1000
done
echo "1..$n"
