#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perf with csflow in it beside perf of linux-source-6.12 as it is, with Debian's libopencsd, over
# recordings of the virtual trace unit in many configurations: the text of script, of report, and
# of script over what inject wrote.
#
# The texts are equal but for stock's defects, which a row names.  The function mend_DEFECT below
# undoes each in the texts, only in rows that name it; a defect that changes no text of its row
# fails, too.  Documentation/user/differences.rst describes the defects, and perf_defects_test.sh
# shows by the truth log which of the two is right.
#
# With csflow.compat set ours chooses as stock does where there is a choice: jobs compat_*.
#
# CSFLOW_LONG: all jobs in each row; and version, context IDs, timestamps, cycle counts, return stack,
# speculation, frames, and buffers of threads or CPUs, each two of them in every combination.
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
build_programs loops threads signals plain
find_perfs

# options of csflow record | program | defects of stock
rows='-u etm4=4.3,cid,ts=1000|loops|br tail
-u etm4=4.2,bb,cid|loops|br tail
--header=0 -u etm4=4.2,cid,ts=1000|loops|br tail wait
--header=1 -u etm4=4.6,cid,ts=1000|loops|br tail wait
--per-thread -u etm4=4.6,ts=1000|loops|br tail
--raw --per-thread --cpus=1 -u ete=1.0,cid|loops|br tail exception
-u ete=1.1,cid,ts=1000|loops|br tail exception
--raw -u ete=1.1,bb,cid,ts=1000|loops|br tail exception
--header=1 -u ete=1.2,cid,ts=4096|loops|br tail exception wait
-u ete=1.1,cid,cc=16,ts=1000|loops|br tail exception
-u ete=1.0,cid,ts=1000,source=10|loops|br tail exception source
-u ete=1.1,vmidopt,ts=1000,marker|loops|br tail exception
-u ete=1.1,cid,ts=1000,event=100,ignore=50|loops|br tail exception
-u ete=1.0,cid,ts=1000,strobe=500:500|loops|br tail exception wait
-u ete=1.0,cid,ts=1000,overflow=5000|loops|br tail exception
--raw -u ete=1.0,cid,ts=1000,discard=1000|loops|br tail exception
-u etm4=4.3,cid,ts=1000|signals|br target tail wait debug
-u ete=1.1,cid,ts=1000 --cpus=3 --quantum=5000 --migrate=3|threads 1|br target tail wait exception
-m 20000 -u etm4=4.2,cid,ts=1000|plain 1|br target tail wait
-u ete=1.1,cid,ts=1000|sqlite3|br tail wait exception'

# Any two columns of these rows have all four combinations, except for buffers of CPUs without
# context IDs, of which stock shows nothing (no-context). With a return stack there are few A-syncs,
# and an exception comes after the address of its target, because stock loses its way otherwise
# (return-at-sync, e10-with-return-stack). A buffer of a thread is of one CPU, because stock refuses
# raw ones of more (thread-moves).
rs=rs,targetfirst,sync=1000000
pairs="--raw --per-thread --cpus=1 -u ete=1.1,cid,ts=1000,cc=16,$rs,spec=4:5|loops|br tail exception
--per-thread --cpus=1 -u ete=1.1,ts=1000,spec=4:5|loops|br tail exception
--raw --per-thread --cpus=1 -u ete=1.1,cc=16|loops|br tail exception
--raw -u ete=1.1,cid,cc=16|loops|br tail exception
--raw -u etm4=4.2,cid,ts=1000|loops|br tail
--per-thread --cpus=1 -u etm4=4.2,cid,cc=16,$rs|loops|br tail
--per-thread --cpus=1 -u etm4=4.2,$rs,spec=4:5|loops|br tail
-u etm4=4.2,cid,$rs,spec=4:5|loops|br tail"

# ---------------------------------------------------------------- defects

# Each undoes a defect in $tmp/one, the output of stock, or takes its trace out of $tmp/two, ours.

# BR Xn is a branch, and no return.
mend_br()
{
	sed -i '/ return .*1f d6$/!b
		s/tr end return \(.*insn: .. .. 1f d6\)$/tr end \1/
		s/ return \(.*insn: .. .. 1f d6\)$/ jmp \1/' "$tmp/one"
}

# Exceptions on ETE have no flags.
mend_exception()
{
	sed -i 's/ tr end \(syscall\|hw int\|int\) / tr end /' "$tmp/two"
}

# The end of trace on each CPU is missing; and the sample that csflow.compat has there.
mend_tail()
{
	awk 'function drop(s) { return s ~ / => 0( |$)| tr end / || s ~ / 0 instructions:u:/ }
	     $3 != cpu { if (NR > 1 && !drop(line)) print line; cpu = $3; line = $0; next }
	     { print line; line = $0 }
	     END { if (NR && !drop(line)) print line }' "$tmp/two" > "$tmp/mending"
	mv "$tmp/mending" "$tmp/two"
}

# An exception at the target of a branch: the branch is shown as if it led to the exception.
mend_target()
{
	awk 'NR > 1 && $5 ~ /branches/ && match($0, / => [0-9a-f]+/) {
		at = split($0, word)
		for (i = 6; i < at && word[i] != "=>"; i++) { }
		if (word[i + 1] == "0" && at == i + 1 && word[i - 1] == target && / tr end /) {
			flags = $0
			sub(/.* tr end /, "tr end ", flags); sub(/ [0-9a-f]* => 0$/, "", flags)
			$0 = head " " flags " " from " => 0" insn
			line = $0; target = ""
			next
		}
	     }
	     NR > 1 { print line }
	     { line = $0; target = ""; n = split($0, word)
	       for (i = 6; i < n && word[i] != "=>"; i++) { }
	       if (word[i] == "=>") {
			target = word[i + 1]; from = word[i - 1]
			head = word[1]; for (k = 2; k <= 5; k++) head = head " " word[k]
			insn = ""; for (k = i + 2; k <= n; k++) insn = insn " " word[k]
	       } }
	     END { if (NR) print line }' "$tmp/two" > "$tmp/mending"
	mv "$tmp/mending" "$tmp/two"
}

# A breakpoint, an exception of the instruction itself, is an interrupt from outside.
mend_debug()
{
	paste -d'\n' "$tmp/one" "$tmp/two" | awk 'NR % 2 { one = $0; next }
		{ of = one; sub(/ hw int /, " int ", of); print of == $0 ? of : one }' > "$tmp/mending"
	[ "$(wc -l < "$tmp/one")" = "$(wc -l < "$tmp/two")" ] && mv "$tmp/mending" "$tmp/one"
}

# A source address begins a range: samples of instructions come before, or after, other branches.
mend_source()
{
	local file

	for file in "$tmp/one" "$tmp/two"; do
		sed 's/ instructions:u: [a-z ]* 0 / instructions:u: 0 /' "$file" | sort -s -k5,5 > "$tmp/mending"
		mv "$tmp/mending" "$file"
	done
}

# A range that fills the queue between stock's decoder and what makes samples is not counted, and
# all in that queue has an old time.  So where stock's time goes ahead and ours does not, the two are
# a little apart until trace breaks.
mend_full()
{
	paste -d'\n' "$tmp/one" "$tmp/two" | awk 'function apart(a, b) { return a > b ? a - b : b - a }
		NR % 2 { one = $0; split($0, word); cpu = word[3]; t = word[4] + 0; next }
		{ u = $4 + 0
		  if (cpu != was || one ~ / => 0$/ || one ~ / 0 => /) full = 0
		  else if (t - t_was > 2e-8 && u - u_was < 1e-8) full = 1
		  was = cpu; t_was = t; u_was = u
		  if (full && apart(t, u) < 2.5e-9) sub(/\] [0-9.]*:/, "] " word[4])
		  print }' > "$tmp/mending"
	[ "$(wc -l < "$tmp/one")" = "$(wc -l < "$tmp/two")" ] && mv "$tmp/mending" "$tmp/two"
}

# Between a break, or a context packet, and the next timestamp all is of one time: from the sample
# before it in a list to the sample after it.  If a break is before that timestamp, the time of ours
# stands still.
mend_hole()
{
	paste -d'\n' "$tmp/one" "$tmp/two" | awk 'function flush(  i, still) {
			still = ends
			for (i = 1; i < n; i++) if (at[i] != at[0]) still = 0
			for (i = 0; i < n; i++) { if (hole || still) sub(/\] [0-9.]*:/, "] " time, line[i]); print line[i] }
			n = 0; hole = 0 }
		NR % 2 { split($0, word)
			 ends = word[3] == cpu && / => 0$/
			 if (word[3] != cpu || word[4] != time) flush()
			 cpu = word[3]; time = word[4]
			 if (/ => 0$/ || / 0 => /) hole = 1
			 next }
		{ at[n] = $4; line[n++] = $0 }
		END { flush() }' > "$tmp/mending"
	[ "$(wc -l < "$tmp/one")" = "$(wc -l < "$tmp/two")" ] && mv "$tmp/mending" "$tmp/two"
}

# All of stock's have the time of the last AUX record; of ours only those in that record.
mend_one-time()
{
	local last

	last=$(awk '{ print $4 }' "$tmp/two" | sort | tail -n 1)
	grep -F " $last " "$tmp/two" > "$tmp/mending"
	mv "$tmp/mending" "$tmp/two"
	tail -n "$(wc -l < "$tmp/two")" "$tmp/one" > "$tmp/mending"
	mv "$tmp/mending" "$tmp/one"
}

# The ends of buffers except the last are missing: only the last is looked at, or at least its end.
mend_ends()
{
	local file

	for file in "$tmp/one" "$tmp/two"; do
		tail -n 15000 "$file" > "$tmp/mending"
		mv "$tmp/mending" "$file"
	done
}

# With timestamps stock waits for the next one with what it has: after the last one some branches are
# missing.  A timestamp comes each microsecond.
mend_late()
{
	awk 'NR == FNR { n[$3]++; last[$3] = $4 + 0; next }
	     ++seen[$3] > n[$3] && $4 + 0 >= last[$3] && $4 - last[$3] < 1.1e-6 { next }
	     { print }' "$tmp/one" "$tmp/two" > "$tmp/mending"
	mv "$tmp/mending" "$tmp/two"
}

# With timestamps the end of trace of each fragment is missing, too: stock does not have it.
mend_wait()
{
	:
}

# ---------------------------------------------------------------- jobs

fields=comm,tid,cpu,event,ip,addr,flags,insn,period

# A job prints the text to compare, from $tmp/data, by the perf $1; $z is Z if stock needs it.
job_branches()		{ script "$1" --itrace=$z'b' -F $fields | samples; }
job_default()		{ script "$1" ${z:+--itrace=Zb} -F comm,tid,cpu,event,ip,sym,addr,period | samples; }
job_every()		{ script "$1" --itrace=$z'i1i' -F comm,tid,cpu,event,ip,insn,period | samples; }
job_thousandth()	{ script "$1" --itrace=$z'i1000i' -F comm,tid,cpu,event,ip,insn,period | samples; }
job_time()		{ script "$1" --itrace=$T'b' --ns -F comm,tid,cpu,time,event,ip,addr | samples; }
job_compat_time()	{ job_time "$1"; }
job_compat_both()	{ script "$1" --itrace=$z'bi1000i' -F $fields | samples; }
job_compat_calls()	{ script "$1" --itrace=$z'cr' -F $fields | samples; }
job_compat_stacks()	{ script "$1" --itrace=$z'i100il16' -F comm,tid,cpu,event,ip,brstack,period | samples; }

# Stock prints all buffers of the same reference, which simpleperf leaves 0, with each.
job_dump()		{ script "$1" -D | grep -a '^	Idx:' | sort -u; }

# Samples by symbol; the share of each depends on all, and one at the end of trace is missing (tail).
job_report()
{
	timeout 120 "$1" report -i "$tmp/data" --stdio --no-children -n --itrace=$z'b' -s comm,dso,sym \
		2> "$tmp/said" < /dev/null | sed -n 's/^ *[0-9.]*% */ /p' | in_order | sort
}

job_profile()
{
	timeout 120 "$1" report -i "$tmp/data" --stdio --itrace=$z'i100i' -s comm,dso,sym \
		2> "$tmp/said" < /dev/null
}

# Samples of the file that inject makes.  The same perf reads it, whichever wrote it; but stock
# cannot read a file of 7.2, whose attributes are larger.
injected()
{
	local perf=$1 more=$2 reader=$stock

	shift 2
	[ -z "$other_version" ] || reader=$perf
	rm -f "$tmp/injected"
	timeout 120 "$perf" inject -i "$tmp/data" -o "$tmp/injected" "$@" > "$tmp/said" 2>&1 < /dev/null
	"$reader" script -i "$tmp/injected" -F hw:comm,tid,cpu,event,ip,period,$more 2>> "$tmp/said" | samples
}

job_inject()		{ injected "$1" addr --itrace=$z'b'; }
job_compat_inject()	{ injected "$1" brstack --itrace=$z'i1000il64' --strip; }

# both JOB DEFECT...: what stock and ours print, without these defects, to $tmp/one and $tmp/two
both()
{
	local job=$1 defect z=

	shift
	[[ " $* " == *' wait '* ]] && z=Z
	job_$job "$stock" > "$tmp/one"
	cp "$tmp/said" "$tmp/said.stock"
	z=
	[[ $job == compat_* ]] && printf '[csflow]\n\tcompat = true\n' > "$tmp/config"
	job_$job "$ours" > "$tmp/two"
	: > "$tmp/config"
	for defect in "$@"; do
		[ "$defect:${job%%_*}" = br:compat ] && continue
		cat "$tmp/one" "$tmp/two" > "$tmp/before"
		mend_$defect
		cat "$tmp/one" "$tmp/two" | cmp -s "$tmp/before" || seen+=" $defect"
	done
}

# ---------------------------------------------------------------- rows

# Time of each branch, if stock has times; perf_defects_test.sh shows which of the two is right.  In
# a range from a source address stock counts instructions differently (source); it loses the ends of
# small buffers (wait), and with rare timestamps the trace before the first one (late-timestamp).
# Where speculation is taken back there is a context packet, which is a hole that a list of branches
# does not show.
times()
{
	local name=$1 options=$2 seen= T= late=

	[[ " $defects " == *" wait "* ]] && late=late
	case $options in
	*source=* | *spec=* | -m*)
		return ;;
	*ete=*--header=1* | *--header=1*ete=*)
		[[ $options == *ts=* ]] || return
		both time
		[ "$(awk '{ print $4 }' "$tmp/one" | sort -u | wc -l)" = 1 ] &&
			[ "$(awk '{ print $4 }' "$tmp/two" | sort -u | wc -l)" -gt 100 ]
		ok $? "$name: ete-time: stock has one time, ours has those of the trace"
		return ;;
	*ts=*--header=[01]* | *--header=[01]*ts=*)
		both time tail one-time
		[ "$(wc -l < "$tmp/two")" -gt 10000 ] && cmp -s "$tmp/one" "$tmp/two"
		ok $? "$name: times of the last AUX record"
		[[ " $seen " == *" one-time "* ]]
		ok $? "$name: stock has the defect one-time"
		[[ $options == *ts=4096* ]] && return
		T=T ;;&
	*ts=*)
		both compat_time tail ${T:+ends} $late full hole
		[ -s "$tmp/one" ] || echo "stock prints nothing" > "$tmp/one"
		same "$tmp/one" "$tmp/two" "$name: ${T:+trusted }times with csflow.compat"
		[[ " $seen " == *" hole "* ]]
		ok $? "$name: stock has the defect hole" ;;
	esac
}

# CPU and address of each instruction, by csflow, which csflow match compares with the truth log,
# and by perf.
list()
{
	"$@" --itrace=i1i -F cpu,ip 2> "$tmp/said" | grep -v error | key=1 in_order
}

# A part of a report, without the last branch of each CPU: mend_tail of it.
without_ends()
{
	script "$ours" --itrace=b -F cpu,ip,sym,addr |
		awk '{ end[$1] = / => +0 / ? $3 : "" } END { for (cpu in end) print end[cpu] }' > "$tmp/ends"
	awk 'NR == FNR { ends[$1]++; next } { $1 -= ends[$NF] } $1' "$tmp/ends" "$tmp/two" |
		sort > "$tmp/mending"
	mv "$tmp/mending" "$tmp/two"
	sort -o "$tmp/one" "$tmp/one"
}

row()
{
	local options=$1 program=$2 defects=$3 job seen= defect

	# mend_target finds by the code, which ours leaves out, which instruction was not executed;
	# perf 7.2 itself reads it.
	if [[ $other_version && $defects == *target* ]]; then
		jobs=${jobs/branches/}
		defects=${defects/br target/}
	fi
	run_of "$program" || {
		skip "$options $program" "no arm64 programs"
		return
	}
	# shellcheck disable=SC2086 # words
	record $options $extra -- "${run[@]}" || {
		ok 1 "csflow record $options -- $program"
		return
	}
	"$csflow" match --no-progress "$tmp/truth" "$tmp/data" > "$tmp/why" 2>&1 &&
		list "$csflow" script -i "$tmp/data" > "$tmp/one" &&
		{ [ "$program" != signals ] || jit_to_files; } &&
		list "$ours" script -i "$tmp/data" > "$tmp/two" && [ -s "$tmp/one" ] &&
		diff "$tmp/one" "$tmp/two" > "$tmp/why"
	ok $? "$program $options: ours is what was executed"
	for job in $jobs; do
		# shellcheck disable=SC2086 # words
		both $job $defects
		[[ $job = report && " $defects " == *" tail "* ]] && without_ends
		# perf shows by time what inject has written, and stock's times are tested
		# elsewhere.
		[[ $job == *inject ]] && sort -o "$tmp/one" "$tmp/one" && sort -o "$tmp/two" "$tmp/two"
		if [ -s "$tmp/one" ]; then
			same "$tmp/one" "$tmp/two" "$program $options: $job"
		else
			cp "$tmp/said.stock" "$tmp/why"
			ok 1 "$program $options: $job: stock prints something"
		fi
	done
	for defect in $defects; do
		[[ " $seen wait " == *" $defect "* ]]
		ok $? "$program $options: stock has the defect $defect"
	done
	times "$program $options" "$options"
}

# In make check two jobs in each row, and one of the others, each of which is in one row at least.
always='branches compat_both'
others=(compat_stacks dump default every thousandth report profile inject compat_calls compat_inject)
i=0
echo "TAP version 13"
while IFS='|' read -r options program defects; do
	jobs="$always ${others[i % 10]}"
	[ -z "$CSFLOW_LONG" ] || jobs="$always ${others[*]}"
	# Without flags that one cannot be distinguished from a branch.
	[[ $defects == *target* ]] && jobs="$always ${CSFLOW_LONG:+compat_stacks dump every }thousandth compat_calls"
	i=$((i + 1))
	row "$options" "$program" "$defects"
done <<< "${ROWS:-$rows}"

jobs='branches compat_both'
[ -z "$CSFLOW_LONG" ] || while IFS='|' read -r options program defects; do
	row "$options" "$program" "$defects"
done <<< "${PAIRS:-$pairs}"

# Trace by csflow encode from the truth log: of a program that runs on one CPU of two, and of one
# that runs on both.
encoded()
{
	local program=$1 options=$2 defects=$3 job seen=

	shift 3
	run_of "$program"
	# shellcheck disable=SC2086 # words
	record -u ete=1.1,cid --quantum=5000 -- "${run[@]}" &&
		"$csflow" encode --no-progress $options -o "$tmp/data" "$tmp/truth" 2> "$tmp/why"
	ok $? "$program: csflow encode $options"
	for job in "$@"; do
		# shellcheck disable=SC2086 # words
		both $job $defects
		[ -s "$tmp/one" ] || echo "stock prints nothing" > "$tmp/one"
		same "$tmp/one" "$tmp/two" "$program: csflow encode $options: $job"
	done
}
if [ -z "$ROWS" ]; then
	encoded loops "--formatted -u etm4=4.2,cid" "br tail" branches compat_both
	encoded loops "-u etm4=4.2,cid" "br tail" branches compat_both
	encoded "threads 1" "-u ete=1.1,cid" "br target tail exception" compat_both
fi

# A telephone, recorded by simpleperf: its index is mended, for stock cannot read it (bare-index).
# Of the kernel there is no code, but packets, which stock's decoder prints.
telephone()
{
	local name=$1 defects=$2 job seen= defect

	shift 2
	"$O/selftests/make/mkperf" "$CSFLOW_CORPUS/simpleperf/$name" "$tmp/data" count-index 2> "$tmp/why"
	ok $? "$name: index"
	for job in "$@"; do
		# shellcheck disable=SC2086 # words
		both $job $defects
		[ -s "$tmp/one" ] || echo "stock prints nothing" > "$tmp/one"
		same "$tmp/one" "$tmp/two" "$name: $job"
	done
	for defect in $defects; do
		[[ " $seen " == *" $defect "* ]]
		ok $? "$name: stock has the defect $defect"
	done
}

if [ -z "$CSFLOW_CORPUS" ]; then
	skip "recordings of a telephone" "CSFLOW_CORPUS is not set"
elif [ -z "$ROWS" ]; then
	mkdir -p "$tmp/fs/data/local/tmp"
	cp "$CSFLOW_CORPUS/simpleperf/etm_test_loop" "$tmp/fs/data/local/tmp/"
	symfs=$tmp/fs
	telephone perf_etm.data "br tail" branches every compat_both compat_stacks compat_calls dump
	telephone perf_kernel.data "" dump
fi
echo "1..$n"
