#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# CPUs whose numbers have gaps, because some are off line or hot-plugged: csflow, and perf with
# csflow in it, show the same for a recording of CPUs 0, 5 and 130 as for the original of CPUs 0, 1
# and 2, except for these numbers.
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
build_programs threads
find_ours

sparse=0:5:130

# A job prints the text to compare, from the recording $1; $2 and $3 are the second and the third
# CPU.
job_csflow()		{ "$csflow" script -i "$1" --itrace=bei100il -F comm,tid,cpu,time,event,ip,sym,addr,flags,brstack; }
job_csflow_every()	{ "$csflow" script -i "$1" --itrace=i1i -F cpu,tid,ip; }
job_csflow_some()	{ "$csflow" script -i "$1" -C "$2,$3" --itrace=b -F tid,cpu,time,ip,addr; }
job_csflow_report()	{ "$csflow" report "$1" | sed '/^# File: /d'; }
job_csflow_profile()	{ "$csflow" profile --for=counts "$1"; }
job_perf()		{ "$ours" script -i "$1" --itrace=bei100il -F comm,tid,cpu,time,event,ip,sym,addr,flags,brstack; }
job_perf_every()	{ "$ours" script -i "$1" --itrace=i1i -F cpu,tid,ip; }
job_perf_some()		{ "$ours" script -i "$1" -C "$2,$3" --itrace=b -F tid,cpu,time,ip,addr; }
job_perf_chains()	{ "$ours" script -i "$1" --itrace=i1000ig -F tid,cpu,time,ip,sym; }
job_perf_dump()		{ "$ours" script -i "$1" -D | grep -a '^	Idx:'; }
job_perf_report()	{ "$ours" report -i "$1" --stdio --itrace=b -s cpu,comm,sym | sed '/^#/d'; }
job_perf_inject()
{
	"$ours" inject -i "$1" -o "$tmp/injected" --itrace=i1000il16 &&
		"$ours" script -i "$tmp/injected" -F comm,tid,cpu,event,ip,period,brstack
}

# The second CPU is 5, the third 130, in columns of perf's script and in those of its report.
called()
{
	sed 's/\[001\]/[005]/; s/\[002\]/[130]/; s/^\( *[0-9.]*% *\)00\([12]\)/\1CPU \2/; s/CPU 1/005/; s/CPU 2/130/'
}

# row OPTIONS JOB...
row()
{
	local options=$1 job

	shift
	# shellcheck disable=SC2086 # words
	record --cpus=3 --quantum=5000 --migrate=3 $options -- "$tmp/threads" 1 &&
		"$O/selftests/make/mkperf" "$tmp/data" "$tmp/sparse" cpus=$sparse 2> "$tmp/why"
	ok $? "a recording with $options"
	for job in "$@"; do
		job_$job "$tmp/data" 1 2 2> "$tmp/said" < /dev/null | called > "$tmp/one"
		job_$job "$tmp/sparse" 5 130 2> "$tmp/said2" < /dev/null > "$tmp/two"
		[ -s "$tmp/one" ] && diff "$tmp/one" "$tmp/two" > "$tmp/why" && diff "$tmp/said" "$tmp/said2" > "$tmp/why"
		ok $? "$options: $job"
	done
}

echo "TAP version 13"
all='csflow csflow_every csflow_some csflow_report csflow_profile perf perf_every perf_some perf_chains perf_dump perf_report perf_inject'
# shellcheck disable=SC2086 # words
row "-u ete=1.1,cid,ts=1000" $all
# shellcheck disable=SC2086 # words
row "--raw --header=1 -u ete=1.1,cid,ts=1000" $all
row "-u etm4=4.3,cid" csflow_every perf_every
row "--per-thread -u ete=1.1,ts=1000" csflow_every perf_every
row "--raw --per-thread -u ete=1.1,cid" csflow_every perf_every
echo "1..$n"
