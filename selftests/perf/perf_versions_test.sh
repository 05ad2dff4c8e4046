#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perf of other kernels with csflow in it: it must show the same as perf of linux-source-6.12 with
# csflow in it, and each instruction that was executed.  They are 6.1 and the newest that Debian sid
# has.  To build them takes minutes: with CSFLOW_LONG only.
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
[ -n "$CSFLOW_LONG" ] || give_up "perf of other kernels takes minutes to build: only with CSFLOW_LONG"
[ -r /usr/src/linux-source-6.1.tar.xz ] || give_up "no linux-source-6.1"
build_programs loops threads signals
ours=$(realpath "$O/perf") && [ -x "$ours" ] || {
	echo "Bail out! no perf with csflow in it: make perfs"
	exit 1
}

# Fields that both have, except symbols: a PLT has other names.  Time is there only if trace has it.
fields=comm,tid,cpu,event,ip,addr,flags,insn,insnlen,period
job_branches()	{ script "$1" --itrace=be -F "$fields$time"; }
job_every()	{ script "$1" --itrace=i1i -F "comm,tid,cpu,event,ip,insn,period$time"; }
job_stacks()	{ script "$1" --itrace=i1000igl16 -F "comm,tid,cpu,event,ip,sym,brstack,period$time"; }
job_dump()	{ script "$1" -D | grep -a '^	Idx:'; }
job_report()	{ timeout 120 "$1" report -i "$tmp/data" --stdio --itrace=i100i -s comm,dso,sym \
			2> "$tmp/said" < /dev/null; }
# By the program that wrote it.
job_inject()
{
	timeout 120 "$1" inject -i "$tmp/data" -o "$tmp/injected" --itrace=i1000il16 > "$tmp/said" 2>&1 < /dev/null
	"$1" script -i "$tmp/injected" -F comm,tid,cpu,event,ip,period,brstack 2>> "$tmp/said"
}

# These differ by version: the widths of columns, the tip at the end of a report, how addresses of
# call chains are counted, the name of code of a PLT, the number of empty fields of a branch of a
# stack, the words for a jump where trace begins or ends, and whether perf itself reads the
# instruction before which an interrupt came, which was not executed.
words()
{
	sed 's/^[[:space:]]*//; s/[[:space:]]*$//; s/[[:space:]][[:space:]]*/ /g; /^# (/d
		s/^[0-9a-f]* \([^ ]*\)$/\1/; s/^offset_0x[0-9a-f]*@plt$/_init/; s,/0//-,/0/,g
		s/ tr \(strt\|end\) jmp / tr \1 /; s/\( hw int .* ilen: \)4 insn: .*/\10/'
}

# compare NAME JOB...: of $tmp/data; a job that prints nothing has failed
compare()
{
	local name=$1 job

	shift
	for job in "$@"; do
		job_$job "$ours" | words > "$tmp/one"
		cp "$tmp/said" "$tmp/why"
		job_$job "$other" | words > "$tmp/two"
		[ -s "$tmp/one" ] && diff "$tmp/one" "$tmp/two" > "$tmp/why"
		ok $? "$name: $job: $version prints the same"
	done
}

# What was executed, CPU by CPU, or thread by thread: by csflow match, and csflow script.
true_list()
{
	"$csflow" match --no-progress "$tmp/truth" "$tmp/data" > "$tmp/why" 2>&1 || return
	script "$1" --itrace=i1i -F "$2,ip" | sed 's/[][]//g' | key=1 in_order > "$tmp/two"
	"$csflow" script -i "$tmp/data" --itrace=i1i -F "$2,ip" 2> /dev/null | sed 's/[][]//g' |
		key=1 in_order > "$tmp/one"
	[ -s "$tmp/one" ] && diff "$tmp/one" "$tmp/two" > "$tmp/why"
}

# recordings: of the virtual trace unit
recordings()
{
	local by options program

	while IFS='|' read -r by options program; do
		run_of "$program"
		# shellcheck disable=SC2086 # words
		record $options -- "${run[@]}" || {
			ok 1 "csflow record $options -- $program"
			continue
		}
		time=,time
		[[ $options == *ts=* ]] || time=
		compare "$program $options" branches stacks $([ "$by" = cpu ] && echo dump || echo inject report)
		true_list "$other" "$by"
		ok $? "$program $options: $version shows what was executed"
	done <<< 'cpu|-u ete=1.1,cid,ts=1000 --cpus=3 --quantum=5000 --migrate=3|threads 1
cpu|--header=0 -u etm4=4.3,cid|loops
cpu|--raw -m 20000 --header=1 -u ete=1.1,cid,ts=1000,cc=4|loops'
}

telephone()
{
	if [ -z "$CSFLOW_CORPUS" ]; then
		skip "recordings of a telephone: $version" "CSFLOW_CORPUS is not set"
		return
	fi
	mkdir -p "$tmp/fs/data/local/tmp"
	cp "$CSFLOW_CORPUS/simpleperf/etm_test_loop" "$tmp/fs/data/local/tmp/"
	cp "$CSFLOW_CORPUS/simpleperf/perf_etm.data" "$tmp/data"
	symfs=$tmp/fs
	time=
	compare "user space of a telephone" branches every dump
	cp "$CSFLOW_CORPUS/simpleperf/perf_kernel.data" "$tmp/data"
	compare "kernel of a telephone" dump
	symfs=
}

# whole_test NAME WHAT: the contents and places of WHAT differ by version; so that test is run with
# this perf, in its short form.
whole_test()
{
	local rows

	SECONDS=0
	PERF=$other CSFLOW_LONG='' "perf/$1" > "$tmp/whole" 2>&1
	rows=$(grep -c '^ok' "$tmp/whole")
	echo "# $1 with $version: $rows rows in $SECONDS s"
	grep -v '^ok' "$tmp/whole" > "$tmp/why"
	[ "$(tail -n 1 "$tmp/whole")" = "1..$rows" ]
	ok $? "$2: $version"
}

echo "TAP version 13"
version=6.1
if other=$(realpath "$O/perf-6.1") && [ -x "$other" ]; then
	recordings
	telephone
	whole_test perf_kernel_perf_test.sh "kernels and guests"
	whole_test perf_cpus_test.sh "numbers of CPUs"
else
	ok 1 "no perf of 6.1 with csflow in it: make perfs"
fi

# Builds perf of the newest kernel source that sid has, once: sets version and other.
build_newest()
{
	local line

	line=$(lib/sid.sh "$O/sid" 'linux-source-[0-9]*' 2> "$tmp/why") || return
	version=${line#* }
	other=$(../perf-plugin/shim/build-perf.sh -w all -l "$O/perf-csflow.o" -f -O1 \
		-s "$O/sid/usr/src/${line% *}.tar.xz" "$O/perf-tree-sid" 2> "$tmp/why")
}

# All tests that run with 6.12, except perf_python_test.sh and perf_test_test.sh: this perf is built
# without Python, and the results of its own tests without csflow are unknown, because stock is
# 6.12.
whole_tests()
{
	whole_test perf_shim_test.sh "what stock prints"
	whole_test perf_defects_test.sh "what stock does wrong"
	whole_test perf_hostile_test.sh "damaged files"
	whole_test perf_words_test.sh "words of dumps"
	whole_test perf_kernel_perf_test.sh "kernels and guests"
	whole_test perf_threads_test.sh "threads"
	whole_test perf_space_test.sh "address space"
	whole_test perf_cpus_test.sh "numbers of CPUs"
	whole_test perf_pause_test.sh "AUX that is paused"
}

if [ -n "$CSFLOW_LONG" ]; then
	version=sid
	build_newest
	case $? in
	0)
		echo "# perf $version"
		ok 0 "perf of sid is built"
		recordings
		telephone
		whole_tests ;;
	4)
		skip "perf of sid" "no network" ;;
	*)
		ok 1 "perf of sid is built" ;;
	esac
fi
echo "1..$n"
