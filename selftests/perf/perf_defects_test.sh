#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Defects of perf of linux-source-6.12 with CoreSight trace, which perf with csflow in it does not
# have.  For each, the test checks that stock has it with a recording of the virtual trace unit, and
# that the output of ours is that of the truth log.  Documentation/user/differences.rst has a line
# for each, by its name.
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
mkperf=$O/selftests/make/mkperf
build_programs loops threads signals maps plain
find_perfs

# ---------------------------------------------------------------- lists of instructions

# CPU, or with by=tid thread, address and opcode of each instruction, one stream after the other.
by=cpu
truth()
{
	executed "${by/tid/thread}" | awk '$4 ~ /^I[TS]$/ {
		c = $3; sub(/^[^0-9]*/, "", c); sub(/^0+/, "", $6); print c + 0, $6, $7 }' |
		sort -s -n -k1,1 > "$tmp/truth.list"
}

# instructions PERF OPTIONS: the same from the output of perf
instructions()
{
	local perf=$1

	shift
	script "$perf" --itrace=i1i -F $by,ip,insn "$@" |
		awk '$3 == "insn:" && NF == 7 { gsub(/[][]/, "", $1); print $1 + 0, $2, $7 $6 $5 $4 }' |
		sort -s -n -k1,1
}

# true_list NAME [OPTIONS]: ours is the truth, instruction by instruction
true_list()
{
	local name=$1

	shift
	truth
	instructions "$ours" "$@" > "$tmp/ours"
	same "$tmp/truth.list" "$tmp/ours" "$name: ours shows what was executed"
}

# false_list NAME LOST OPTIONS: stock does not; it has at least LOST instructions less
false_list()
{
	local name=$1 lost=$2

	shift 2
	truth
	instructions "$stock" "$@" > "$tmp/stock"
	echo "# stock shows $(wc -l < "$tmp/stock") of $(wc -l < "$tmp/truth.list")"
	! cmp -s "$tmp/truth.list" "$tmp/stock" &&
		[ $(($(wc -l < "$tmp/truth.list") - $(wc -l < "$tmp/stock"))) -ge "$lost" ]
	ok $? "$name: stock does not"
}

recorded()
{
	record "$@" && return
	ok 1 "csflow record $*"
	return 1
}

# edited EDIT...: $tmp/data as mkperf makes it
edited()
{
	"$mkperf" "$tmp/data" "$tmp/edited" "$@" && mv "$tmp/edited" "$tmp/data"
}

echo "TAP version 13"

# ---------------------------------------------------------------- what is lost

# In timed decode stock waits after each range.  If trace ends meanwhile it goes on with the next
# fragment, and the ranges that its decoder still holds are lost.
if recorded -m 20000 -u etm4=4.2,cid,ts=1000 -- "$tmp/plain" 1; then
	false_list fragment-end 1
	true_list fragment-end
fi

# One AUX record that is not whole frames: fatal for stock's decoder, and the rest is lost.
if recorded -m 20000 -u etm4=4.2,cid,ts=1000 -- "$tmp/plain" 1 && edited size=-8:1; then
	false_list after-error 100000
	truth
	instructions "$ours" > "$tmp/ours"
	diff "$tmp/truth.list" "$tmp/ours" > "$tmp/why"
	[ "$(grep -c '^[0-9]' "$tmp/why")" -le 1 ] && ! grep -q '^>' "$tmp/why" &&
		[ "$(grep -c '^<' "$tmp/why")" -lt 1000 ]
	ok $? "after-error: ours loses a frame at most"
fi

# A jump out of a handler: more returns than calls; the same.
if recorded -u etm4=4.3,rs,cid,ts=1000 -- "$tmp/signals" && jit_to_files; then
	false_list return-stack 10000
	true_list return-stack
fi

# Buffers of CPUs, without context IDs: stock knows no thread whose code that could be.
if recorded --cpus=1 -u etm4=4.2 -- "$tmp/loops"; then
	false_list no-context 100000
	true_list no-context
fi

# Version 0 of the metadata: stock does not read TRCIDR8, the depth of speculation.
if recorded --header=0 -u etm4=4.2,cid,ts=1000,spec=4:5 -- "$tmp/loops"; then
	false_list v0-registers -100000
	true_list v0-registers
fi

# Trace that ends before anything is committed: with csflow.commit-tail all of it was executed.  A
# TRCIDR8 of 5 makes a decoder wait for commits that the trace unit never writes.
for options in '-m 8192 -u etm4=4.2,cid,ts=1000' '--raw -u etm4=4.2,cid'; do
	# shellcheck disable=SC2086 # words
	recorded $options --cpus=1 -- "$tmp/loops" && edited info=11:5 || continue
	truth
	instructions "$ours" > "$tmp/ours"
	[ "$(wc -l < "$tmp/ours")" -lt "$(wc -l < "$tmp/truth.list")" ]
	ok $? "commit-tail, $options: without it some are left out"
	printf '[csflow]\n\tcommit-tail = true\n' > "$tmp/config"
	true_list "commit-tail, $options"
	: > "$tmp/config"
done

# Raw trace and a CPU that has none
if recorded --raw --header=1 -u ete=1.0,cid,ts=1000 -- "$tmp/loops"; then
	false_list idle-cpu 100000
	true_list idle-cpu
fi

# A task that changes its CPU, in a raw buffer of its own
if recorded --raw --per-thread -u ete=1.0,cid,ts=1000 --cpus=3 --quantum=5000 --migrate=2 -- "$tmp/loops"; then
	by=tid
	false_list thread-moves 100000
	true_list thread-moves
	by=cpu
fi

# No index of the AUXTRACE records, or simpleperf's; and stock's -D is killed by a signal.
for edit in no-index bare-index; do
	recorded -u ete=1.1,cid,ts=1000 -- "$tmp/loops" && edited $edit || continue
	false_list $edit 100000
	true_list $edit
	script "$stock" -D > /dev/null
	[ $? -ge 128 ]
	ok $? "$edit: stock crashes when it dumps"
	script "$ours" -D > "$tmp/dump" && grep -q 'I_ASYNC' "$tmp/dump"
	ok $? "$edit: ours dumps"
done

# At the beginning of trace stock keeps decoded ranges until a timestamp comes, and has room for
# 1024.  If there are more, those are lost, and with them the thread that executes the others.
if recorded -u ete=1.1,cid,ts=4096 -- "$tmp/loops"; then
	false_list late-timestamp 3000
	true_list late-timestamp
fi

# A file that says it has timestamps, and has none
if recorded -u ete=1.1,cid -- "$tmp/loops" && edited config=0x10000000; then
	false_list no-timestamps 100000
	true_list no-timestamps
fi

# ---------------------------------------------------------------- what is wrong

# Code that changes, and other files at the same addresses: stock reads it as it was at the end.
if recorded -u ete=1.1,cid,ts=100 -- "$tmp/maps" "$tmp" && jit_to_files; then
	false_list last-map -100000
	true_list last-map
fi

# From a pipe as from the file: the trace of code that ran before a record comes after it.
if recorded -u ete=1.1,cid,ts=100 -- "$tmp/maps" "$tmp" && jit_to_files; then
	"$mkperf" "$tmp/data" "$tmp/pipe" pipe 2> "$tmp/why"
	for options in '--itrace=i1i -F comm,tid,cpu,time,ip,insn' \
		'--itrace=eb --show-mmap-events -F comm,tid,cpu,time,ip,addr'; do
		# shellcheck disable=SC2086 # words
		script "$ours" $options > "$tmp/want"
		# shellcheck disable=SC2086
		timeout 120 "$ours" script -i - $options < "$tmp/pipe" > "$tmp/ours" 2> "$tmp/said"
		[ -s "$tmp/want" ] || echo "nothing" > "$tmp/want"
		same "$tmp/want" "$tmp/ours" "pipe, $options: ours is as from the file"
	done
	script "$ours" -D | grep '	Idx:' > "$tmp/want"
	timeout 120 "$ours" script -i - -D < "$tmp/pipe" 2> "$tmp/said" | grep '	Idx:' > "$tmp/ours"
	grep -q I_ASYNC "$tmp/want" || echo "nothing" > "$tmp/want"
	same "$tmp/want" "$tmp/ours" "pipe, -D: ours has the packets"
fi

# Likewise with threads that only switches name; and from a machine of the other byte order, whose
# CPU and thread numbers perf mixes up.
if recorded --migrate=2 --quantum=3000 -u ete=1.1,ts=1000 -- "$tmp/threads" 1; then
	options='--itrace=ei1i --show-task-events -F comm,pid,tid,cpu,time,ip,insn'
	# shellcheck disable=SC2086 # words
	script "$ours" $options > "$tmp/want"
	for form in pipe foreign-pipe; do
		"$mkperf" "$tmp/data" "$tmp/pipe" $form 2> "$tmp/why"
		# shellcheck disable=SC2086
		timeout 120 "$ours" script -i - $options < "$tmp/pipe" > "$tmp/ours" 2> "$tmp/said"
		[ "$(wc -l < "$tmp/want")" -gt 100000 ] || echo "nothing" > "$tmp/want"
		same "$tmp/want" "$tmp/ours" "$form, threads: ours is as from the file"
	done
fi

# BR Xn is called a return, and exceptions on ETE have no name.  In the truth log a system call is
# an exception after SVC, whose opcode is d4000001.
if recorded -u ete=1.1,cid,ts=1000 -- "$tmp/signals" && jit_to_files; then
	script "$stock" --itrace=b -F flags,ip,insn > "$tmp/stock"
	script "$ours" --itrace=b -F flags,ip,insn > "$tmp/ours"
	[ "$(grep -c 'return.* 1f d6' "$tmp/stock")" -gt 10 ]
	ok $? "br: stock calls it a return"
	! grep -q 'return.* 1f d6' "$tmp/ours" && [ "$(grep -c ' 1f d6' "$tmp/ours")" -gt 10 ]
	ok $? "br: ours does not"
	[ "$(grep -c ' d4 *$' "$tmp/stock")" -gt 10 ] && ! grep -q syscall "$tmp/stock"
	ok $? "syscall-of-ete: stock has none"
	executed cpu inst,event | awk '$4 ~ /^I[TS]$/ { svc = $7 == "d4000001" }
		$4 == "E" && svc { sub(/^0*/, "", $5); print $5 }' > "$tmp/truth.list"
	sed -n 's/.* syscall  *\([0-9a-f]*\) insn: .*/\1/p' "$tmp/ours" > "$tmp/ours.list"
	[ -s "$tmp/truth.list" ] || echo "none was executed" > "$tmp/truth.list"
	same "$tmp/truth.list" "$tmp/ours.list" "syscall-of-ete: ours are those that were executed"
fi

# The clock of recordings counts instructions, block by block: with one CPU, by the truth log, the Nth
# was at N, or as many less as its block has.  In ns:
times()
{
	script "$@" --ns -F time | tr -d ' .:' | sed 's/^0*//'
}

# Trace that is not of perf's clock: stock gives all samples the time of the last AUX record, ours
# the time of their own record, at which the buffer was emptied: after them and before the next
# samples.
if recorded --header=1 -m 20000 --cpus=1 -u etm4=4.3,cid,ts=1000 -- "$tmp/plain" 1; then
	[ "$(times "$stock" --itrace=i100i | sort -u | wc -l)" = 1 ]
	ok $? "one-time: stock has one for all samples"
	executed > "$tmp/truth.list"
	times "$ours" --itrace=i1i > "$tmp/ours"
	awk -v want="$(wc -l < "$tmp/truth.list")" '
		$1 != time { if (last >= NR + 64 || $1 < NR - 64) { print NR, $0; bad = 1 } n++ }
		$1 != time { last = time; time = $1 }
		END { print n " buffers, " NR " instructions of " want; exit bad || n < 10 || NR != want }' \
		"$tmp/ours" > "$tmp/why"
	ok $? "one-time: ours has that of each buffer"
	"$ours" script -i "$tmp/data" -D 2> /dev/null |
		sed -n 's/^[0-9]* \([0-9]*\) .* PERF_RECORD_AUX offset.*/\1/p' > "$tmp/want"
	uniq "$tmp/ours" > "$tmp/ours.list"
	same "$tmp/want" "$tmp/ours.list" "one-time: ours are those of the AUX records"
fi

# stamps ID: the timestamps of a trace ID, as the clock of the virtual unit has them: ns
stamps()
{
	"$CSFLOW" dump "$tmp/data" 2> "$tmp/why" | ID=$1 perl -ne '
		$id = $1 if /^ +\d+ \[(..)\]/;
		print hex($1), "\n" if $id eq $ENV{ID} && /^ +time 0x([0-9a-f]+)/' | sort -n
}

# apart FILE LEAST MOST: times never decrease, and that of instruction N is LEAST to MOST from N
apart()
{
	awk -v least="$2" -v most="$3" '
		{ d = $1 - NR; if (d < min) min = d; if (d > max) max = d }
		$1 < time { print "time goes back in line " NR; bad = 1 }
		{ time = $1 }
		END { print min, max, NR; exit bad || NR < 100000 || min < least || max > most }' "$1" > "$tmp/why"
}

# between STAMPS FILE: the same; no timestamp lies between the time of instruction N and N, give or take a
# block, and all but one in a hundred are less than 200 apart
between()
{
	awk 'NR == FNR { stamp[n++] = $1; next }
		$1 < time { print "time goes back in line " FNR; bad = 1 }
		{ time = $1; from = $1 < FNR ? $1 : FNR; to = $1 < FNR ? FNR : $1
		  while (i < n && stamp[i] <= from + 64) i++
		  if (i < n && stamp[i] < to - 64) { print FNR ": " $1 ", timestamp " stamp[i]; bad = 1 }
		  far += to - from > 200 }
		END { print far + 0 " of " FNR; exit bad || FNR < 100000 || far > FNR / 100 }' "$1" "$2" > "$tmp/why"
}

# Between two timestamps.  The unit's clock counts instructions.  Its cycles are as many, and up to three more
# for each block, by its address: so time by cycles is wrong where blocks of another kind come.
for unit in ete=1.1,cid,ts=1000 ete=1.1,cid,cc=16,ts=1000 etm4=4.3,cid,ts=3000 ete=1.1,cid,ts=500,marker; do
	recorded -u $unit --cpus=1 -- "$tmp/loops" || continue
	times "$stock" --itrace=i1i > "$tmp/stock"
	[ "$(wc -l < "$tmp/stock")" -gt 100000 ] && ! apart "$tmp/stock" -400 400
	ok $? "estimated-time, $unit: stock guesses"
	times "$ours" --itrace=i1i > "$tmp/ours"
	case $unit in
	*cc=*)	stamps 10 > "$tmp/stamps"
		[ "$(wc -l < "$tmp/stamps")" -gt 100 ] && between "$tmp/stamps" "$tmp/ours" ;;
	*)	apart "$tmp/ours" -100 100 ;;
	esac
	ok $? "estimated-time, $unit: ours is that of the truth log, in order"
done

# ---------------------------------------------------------------- what is ignored

if recorded -u ete=1.1,cid,ts=1000 -- "$tmp/loops"; then
	truth
	want=$(wc -l < "$tmp/truth.list")
	[ "$(script "$stock" --insn-trace -F ip | head -n $((5 * want)) | wc -l)" = $((5 * want)) ]
	ok $? "insn-trace: stock does not end"
	[ "$(script "$ours" --insn-trace -F ip | head -n $((5 * want)) | wc -l)" = "$want" ]
	ok $? "insn-trace: ours shows each instruction once"

	script "$ours" --itrace=b -F flags,ip,addr > "$tmp/branches"
	for letter in c r cr; do
		case $letter in
		c) words='  call  \|  syscall  \|tr end' ;;
		r) words='  return  \|tr strt' ;;
		*) words='  call  \|  syscall  \|  return  \|tr ' ;;
		esac
		[ "$(script "$stock" --itrace=$letter -F flags,ip,addr | wc -l)" -gt 20000 ]
		ok $? "filters, itrace=$letter: stock shows all branches"
		grep "$words" "$tmp/branches" > "$tmp/want"
		script "$ours" --itrace=$letter -F flags,ip,addr > "$tmp/ours"
		same "$tmp/want" "$tmp/ours" "filters, itrace=$letter: ours shows these, and no others"
	done

	script "$stock" --itrace=i1000ig -F ip > "$tmp/stock"
	! grep -q '^$' "$tmp/stock"
	ok $? "itrace=g: stock has no call chains"
	# All addresses of a chain except the first are return addresses.
	script "$ours" --itrace=c -F ip | perl -lane 'printf "%x\n", hex($F[0]) + 4' | sort -u > "$tmp/calls"
	script "$ours" --itrace=i1000ig -F ip | awk '!NF { n = 0; next } n++ { print $1 }' |
		sort -u > "$tmp/callers"
	comm -13 "$tmp/calls" "$tmp/callers" > "$tmp/why"
	[ -s "$tmp/callers" ] && [ ! -s "$tmp/why" ]
	ok $? "itrace=g: ours are chains of calls"
fi

# near_to STAMPS TIMES TIMES: the same branches; no timestamp lies between the two times of one
near_to()
{
	paste -d' ' "$2" "$3" | perl -e '
		open STAMPS, "<", shift or die;
		chomp(@stamp = <STAMPS>);
		while (<STDIN>) {
			($a, $from, $to, $b, $from2, $to2) = /^\S+ +([0-9.]+): +(\S+) => +(\S+) +\S+ +([0-9.]+): +(\S+) => +(\S+)$/;
			($a, $b) = sort { $a <=> $b } map { sprintf "%.0f", 1e9 * $_ } $a, $b;
			shift @stamp while @stamp && $stamp[0] < $a;
			next if "$from $to" eq "$from2 $to2" && $b <= (@stamp ? $stamp[0] : $a + 1000);
			print;
			$bad = 1;
		}
		exit $bad || $. < 1000' "$1"
}

# A window of the time, and a CPU; in small buffers, of which those outside are left out.
for size in 4194304 20000; do
	recorded -m $size -u ete=1.1,cid,ts=1000 --cpus=2 --quantum=5000 --migrate=3 -- "$tmp/threads" 1 || continue
	# For perf a time of 0, at which the clock begins, is no time, which is in any window.
	script "$ours" --itrace=b --ns -F cpu,time,ip,addr | grep -v ' 0\.000000000:' > "$tmp/all"
	# A run ends where it is another CPU's turn.  Up to its end time is not known from both sides there: it goes
	# on as fast as before, or, if that is not known, is that of the timestamp; which the CPU alone does not have.
	grep '\[001\]' "$tmp/all" > "$tmp/want"
	stamps 11 > "$tmp/stamps"
	script "$ours" --itrace=b --ns -F cpu,time,ip,addr -C 1 | grep -v ' 0\.000000000:' > "$tmp/ours"
	[ "$(wc -l < "$tmp/stamps")" -gt 100 ] && [ "$(wc -l < "$tmp/want")" = "$(wc -l < "$tmp/ours")" ] &&
		near_to "$tmp/stamps" "$tmp/want" "$tmp/ours" > "$tmp/why"
	ok $? "-C 1, buffers of $size: what there is of that CPU"
	for window in 0.0001,0.0003 0,0.0002 0.00025,0.00031 0.0003,; do
		awk -v window=$window '
			function ns(s) { sub(/:/, "", s); return sprintf("%.0f", s * 1e9) + 0 }
			BEGIN { split(window, edge, ",") }
			ns($2) >= ns(edge[1]) && (edge[2] == "" || ns($2) <= ns(edge[2]))' "$tmp/all" > "$tmp/want"
		script "$ours" --itrace=b --ns -F cpu,time,ip,addr --time $window |
			grep -v ' 0\.000000000:' > "$tmp/ours"
		[ -s "$tmp/want" ] || echo "nothing is in that window" > "$tmp/want"
		same "$tmp/want" "$tmp/ours" "--time $window, buffers of $size: what there is of that time"
	done
done

# By time: after the first sample, the first instruction that is that much later, or in a grid of
# that much.  With one CPU: runs end where it is the turn of another one, so an earlier choice
# matters.
if recorded -u ete=1.1,cid,ts=1000 --cpus=1 -- "$tmp/loops"; then
	script "$ours" --itrace=i10us --ns -F cpu,time,ip,period | awk '{ print $1, $2, $4, $3 }' |
		key=1 in_order > "$tmp/ours"
	script "$ours" --itrace=i1i --ns -F cpu,time,ip | key=1 in_order |
		awk 'function ns(s) { gsub(/[.:]/, "", s); return s + 0 }
		     NR == FNR { if (!($1 in first)) first[$1] = ns($2) " " $3; next }
		     { t = ns($2); n[$1]++ }
		     !($1 in due) && t " " $3 == first[$1] || $1 in due && t >= due[$1] {
			print $0, n[$1]; n[$1] = 0; due[$1] += 10000
			if (due[$1] <= t) due[$1] = t + 10000 }' "$tmp/ours" - > "$tmp/want"
	[ "$(wc -l < "$tmp/want")" -gt 12 ] || echo "too few" > "$tmp/want"
	same "$tmp/want" "$tmp/ours" "itrace=i10us: ours counts time"
fi

# Windows of 500 instructions: stock ends each with a sample, and begins to count anew.
if recorded -u ete=1.0,cid,ts=1000,strobe=500:500 -- "$tmp/loops"; then
	[ "$(script "$stock" --itrace=i1000il64 -F period | grep -vc '^ *1000 *$')" -gt 50 ]
	ok $? "flush-samples: stock makes some"
	script "$ours" --itrace=i1000il64 -F period > "$tmp/ours"
	! grep -v '^ *1000 *$' "$tmp/ours" > "$tmp/why" && [ "$(wc -l < "$tmp/ours")" -gt 50 ]
	ok $? "flush-samples: ours is each thousandth instruction"
fi

# ---------------------------------------------------------------- what is not said

# Raw: in frames noise may hit a trace ID, and the bytes after it belong to an unknown unit.
if recorded --raw -u ete=1.1,cid,ts=1000,sync=1024 -- "$tmp/loops" && edited noise=20; then
	truth
	! script "$stock" --itrace=ei1i -F ip | grep -q 'instruction trace error'
	ok $? "errors: stock shows none"
	script "$ours" --itrace=ei1i -F ip > "$tmp/ours"
	[ "$(grep -c 'instruction trace error' "$tmp/ours")" -ge 1 ]
	ok $? "errors: ours shows some"
fi

# A thread that no record names: its maps are unknown, but the number of branches is in its trace.
# Conditional ones or not, each is a P0 element; exceptions are not counted here.  There is one CPU,
# so each thread comes by a switch; and the order of two CPUs does not matter, which switches tell,
# and here they name another thread than the trace does.
of_unknown='instruction trace error .* pid -1 tid'
if recorded --cpus=1 -u ete=1.1,cid,ts=1000 -- "$tmp/threads" 1; then
	by=tid
	truth
	tid=$(tail -n 1 "$tmp/truth.list" | cut -d' ' -f1)
	cp "$tmp/data" "$tmp/whole"
	edited "tid=$tid:$((tid + 1000000))"
	awk -v tid="$tid" '$1 == tid && $3 ~ /^([39b][4-7]|1[4-7]|54|d6)/ { n++ } END { print n + 0 }' \
		"$tmp/truth.list" > "$tmp/want"
	script "$stock" --itrace=ei1i -F tid,ip > "$tmp/stock"
	[ -s "$tmp/stock" ] && ! grep -q "instruction trace error\|^ *$tid " "$tmp/stock"
	ok $? "unknown-thread: stock has nothing of it, and does not say so"
	script "$ours" --itrace=eb -F tid,ip > "$tmp/ours"
	sed -n "s/^ *$of_unknown $tid .* no code, lost \([0-9]*\):.*/\1/p" "$tmp/ours" |
		awk '{ n += $1 } END { print n + 0 }' > "$tmp/lost"
	same "$tmp/want" "$tmp/lost" "unknown-thread: ours says each branch of it that is lost"
	[ "$(grep -c 'instruction trace error' "$tmp/ours")" = "$(grep -c "$of_unknown $tid " "$tmp/ours")" ]
	ok $? "unknown-thread: ours has no other errors"
	sed -i "/^$tid /d" "$tmp/truth.list"
	instructions "$ours" > "$tmp/ours"
	same "$tmp/truth.list" "$tmp/ours" "unknown-thread: ours shows what the others executed"
	printf '[csflow]\n\tcompat = true\n' > "$tmp/config"
	script "$ours" --itrace=eb -F tid,ip > "$tmp/ours"
	grep -q 'trace error .* pid 0 tid 0 ' "$tmp/ours" && ! grep -q "tid $tid " "$tmp/ours"
	ok $? "unknown-thread: with csflow.compat it is swapper"
	: > "$tmp/config"
	truth
	mv "$tmp/whole" "$tmp/data"
	edited "told=$tid:$((tid + 1000000))"
	instructions "$ours" > "$tmp/ours"
	same "$tmp/truth.list" "$tmp/ours" "unknown-thread: a switch names its process"
	by=cpu
fi

# Code whose place in its file is no multiple of 4 away from its address, as what perf inject --jit
# writes of T32
if recorded -u ete=1.1,cid,ts=1000 -- "$tmp/loops" && edited pgoff=2:0; then
	mv "$tmp/loops" "$tmp/kept"
	(printf '\0\0' && cat "$tmp/kept") > "$tmp/loops"
	true_list odd-place
	mv "$tmp/kept" "$tmp/loops"
fi

# Frames of units that name no thread, of a program that has one process
if recorded --header=1 --cpus=2 -u etm4=4.0 -- "$tmp/threads" 1; then
	false_list nobody 100000
	true_list nobody
	script "$ours" --itrace=i1000i -F pid,tid,ip,sym > "$tmp/page"
	! grep -q 'unknown' "$tmp/page" && grep -qw 'main\|work' "$tmp/page"
	ok $? "nobody: ours names its functions"
	edited forked=1000000:0
	script "$ours" --itrace=i1000i -F pid,tid,ip,sym > "$tmp/page"
	grep -q 'several processes, and nothing tells which of them ran' "$tmp/said"
	ok $? "nobody: ours says that there are several"
fi

# logged PERF LETTERS: its log is $tmp/log/csflow.log, its output $tmp/printed
logged()
{
	rm -rf "$tmp/log" && mkdir "$tmp/log"
	(cd "$tmp/log" && script "$1" --itrace="$2") > "$tmp/printed"
}

# Packets in a log, in order of the AUX ring: -D prints each ring for itself.
packets()
{
	sed -n 's/^\tIdx:\([0-9]*; ID:[^;]*;\)\tI_/\1 I_/p' | sort
}

if recorded --cpus=2 -m 20000 -u ete=1.1,rs,cid,ts=1000,sync=1024 -- "$tmp/threads" 1 && edited holes=8; then
	logged "$stock" d
	[ ! -e "$tmp/log/csflow.log" ]
	ok $? "log: stock writes none"
	logged "$ours" d
	[ ! -s "$tmp/printed" ] && [ -s "$tmp/log/csflow.log" ]
	ok $? "log: ours does, and prints no samples"
	script "$ours" -D | packets > "$tmp/text"
	packets < "$tmp/log/csflow.log" > "$tmp/text2"
	[ -s "$tmp/text" ] && same "$tmp/text" "$tmp/text2" "log: packets as -D has them"
	script "$ours" --itrace=e | sed -n 's/^ *instruction trace error.* tid \([0-9]*\) ip \(0x\)*\([0-9a-f]*\) code [0-9]*: \([^,]*\),.*/\1 \3 \4/p' |
		sort > "$tmp/text"
	sed -n 's/^.*\terror: \([^,]*\),.*: at \(0x\)*\([0-9a-f]*\), .* tid \([0-9]*\), .*/\4 \3 \1/p' "$tmp/log/csflow.log" |
		sort > "$tmp/text2"
	[ -s "$tmp/text" ] && same "$tmp/text" "$tmp/text2" "log: errors as --itrace=e has them"
	# Each error but the last of a ring has an end, at an address that is executed.
	truth
	awk '/\terror: / { e++ } /decoding goes on at/ { print substr($NF, 3) }' "$tmp/log/csflow.log" |
		sort -u > "$tmp/text"
	cut -d' ' -f2 "$tmp/truth.list" | sort -u | comm -13 - "$tmp/text" > "$tmp/why"
	[ -s "$tmp/text" ] && [ ! -s "$tmp/why" ]
	ok $? "log: decoding goes on where something was executed"

	cp "$tmp/log/csflow.log" "$tmp/whole"
	logged "$ours" d+o
	[ ! -e "$tmp/log/csflow.log" ] && same "$tmp/whole" "$tmp/printed" "log: d+o is the same on stdout"
	logged "$ours" d+a
	grep '^perf event COMM: cpu [0-9]*, pid [0-9]*, tid [0-9]*' "$tmp/log/csflow.log" > "$tmp/text" &&
		grep -v '^perf event ' "$tmp/log/csflow.log" > "$tmp/text2"
	same "$tmp/whole" "$tmp/text2" "log: d+a is the same with perf's records"
	printf '[itrace]\n\tdebug-log-buffer-size = 300\n' > "$tmp/config"
	logged "$ours" d+e
	: > "$tmp/config"
	# The text between two errors is not longer than allowed, and it is the same in the whole
	# log.
	awk '/error: |same error: |goes on at/ { n = 0; next } { n += length($0) + 1; if (n > 300) exit 1 }' \
		"$tmp/log/csflow.log" &&
		[ "$(grep -c '\terror: ' "$tmp/log/csflow.log")" = "$(grep -c '\terror: ' "$tmp/whole")" ] &&
		[ "$(grep -c 'I_' "$tmp/log/csflow.log")" -gt 3 ]
	ok $? "log: d+e is what comes before errors"
	# For each CPU: the order of two CPUs at one time does not matter, nor whether decoding goes
	# on before or after packets without code.
	for id in 10 11; do
		grep "ID:$id;" "$tmp/log/csflow.log" > "$tmp/text"
		grep "ID:$id;" "$tmp/whole" > "$tmp/text2"
		diff <(grep -v 'goes on' "$tmp/text") <(grep -v 'goes on' "$tmp/text2") | grep '^<'
		diff <(grep 'goes on' "$tmp/text") <(grep 'goes on' "$tmp/text2")
	done > "$tmp/why"
	[ ! -s "$tmp/why" ]
	ok $? "log: d+e leaves out, and adds nothing"
	mkdir -p "$tmp/log" && rm -f "$tmp/log/csflow.log" && mkdir "$tmp/log/csflow.log"
	(cd "$tmp/log" && script "$ours" --itrace=bd) > "$tmp/printed"
	[ -s "$tmp/printed" ] && grep -q 'csflow.log cannot be written' "$tmp/said"
	ok $? "log: a file that cannot be written is no end"
fi

if recorded -u ete=1.1,cid,cc=4,ts=1000 -- "$tmp/loops"; then
	! script "$stock" --itrace=b -F ip,ipc | grep -q 'IPC'
	ok $? "ipc: stock has none"
	[ "$(script "$ours" --itrace=b -F ip,ipc | grep -c 'IPC: [0-9.]* ([0-9]*/[0-9]*)')" -gt 1000 ]
	ok $? "ipc: ours has it"
fi

# Samples come among other records of that time: threads come and go between them.
if recorded -u ete=1.1,cid,ts=1000 -- "$tmp/threads" 1; then
	for perf in "$stock" "$ours"; do
		script "$perf" --itrace=i1000i --show-task-events |
			awk '/PERF_RECORD_FORK/ { if (n != last) groups++; last = n } !/PERF_RECORD/ { n++ }
			     END { print groups + 0 }'
	done > "$tmp/why"
	{ read -r groups; read -r groups2; } < "$tmp/why"
	[ "$groups" = 0 ]
	ok $? "order: stock shows all samples behind all else"
	[ "$groups2" -ge 1 ]
	ok $? "order: ours shows them between"
fi

# Many small buffers: stock searches all of them for each.
if recorded -m 4096 -u ete=1.1,cid,ts=1000 -- "$tmp/plain" 30; then
	# CPU time, which is sometimes more on a busy machine: the least of each.
	for _ in 1 2 3 4 5; do
		for perf in "$stock" "$ours"; do
			( TIMEFORMAT='%U %S'; time script "$perf" --itrace=i1000000i > /dev/null ) 2>&1
		done >> "$tmp/times"
		awk '{ t = $1 + $2; i = NR % 2; if (NR < 3 || t < least[i]) least[i] = t }
			END { print least[1] " s, " least[0] " s"; exit !(least[1] > 4 * least[0]) }' \
			"$tmp/times" > "$tmp/why" && break
	done
	ok $? "quadratic: ours is not"
fi

echo "1..$n"
