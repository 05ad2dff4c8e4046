#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A span of time: csflow script --time prints what a decode of everything has there, byte for byte,
# with an index, without one, and with a useless one, for trace of all forms and with damage in it;
# and it does not begin at the beginning.
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
build_programs threads plain

script()
{
	"$csflow" script -i "$tmp/data" --ns -F tid,cpu,time,ip,addr,flags "$@" 2> "$tmp/said"
}

# Samples with times from $1 to $2, of all of them.
cut_out()
{
	awk -v from="$1" -v to="$2" '$3 + 0 >= from - 1e-10 && $3 + 0 <= to + 1e-10' "$tmp/all"
}

# The time of the sample that N thousandths of them are before: there are some from there on, even
# if the host had other work in between.
at()
{
	awk -v n="$1" -v lines="$(wc -l < "$tmp/all")" \
		'NR == 1 + int((lines - 1) * n / 1000) { printf "%.9f", $3 + 0; exit }' "$tmp/all"
}

# check NAME FROM...: some spans of $tmp/data; sets $begun to how often decode began in the middle
check()
{
	local how from to bad=0 name=$1

	shift
	begun=0
	# stacks need all that ran before
	script --itrace=bl1 > "$tmp/all"
	: > "$tmp/why"
	for from; do
		to=$(at $((from + 7)))
		from=$(at $from)
		# with two CPUs times go back, see TIME in csflow-script(1)
		[[ $from > $to ]] && from=$to
		cut_out "$from" "$to" > "$tmp/want"
		for how in none full sparse; do
			rm -f "$tmp/data.tix"
			[ $how = full ] && "$csflow" index "$tmp/data" > /dev/null
			[ $how = sparse ] && "$csflow" index --sparse "$tmp/data" > /dev/null
			script -v --time "$from,$to" > "$tmp/got"
			begun=$((begun + $(grep -c 'decode begins here' "$tmp/said")))
			cmp "$tmp/want" "$tmp/got" >> "$tmp/why" 2>&1 && [ -s "$tmp/want" ] && continue
			bad=1
			echo "$how: $from,$to" >> "$tmp/why"
		done
	done
	ok $bad "$name"
}

# not if one of the two has nothing to report for long, because the host had other work: then it
# begins before; nor in all of a recording in which that was always so
for try in 1 2 3; do
	record -m $((64 << 20)) --cpus=2 -u ete=1.1,rs,cid,ts=500 -- "$tmp/threads" 60
	for place in 905 800 700 600 500; do
		check "frames, return stack: two trace units in one buffer, recording $try" $place
		[ $begun = 3 ] && break 2
	done
done
[ $begun = 3 ]
ok $? "decode begins in the middle"

# not the end, whose times are estimated without the trace that follows
script --range "0,$(($(stat -c %s "$tmp/data") / 2))" > "$tmp/part"
head -n $(($(wc -l < "$tmp/part") * 9 / 10)) "$tmp/part" > "$tmp/got"
head -n "$(wc -l < "$tmp/got")" "$tmp/all" | cmp - "$tmp/got" > "$tmp/why" && [ -s "$tmp/got" ]
ok $? "--range has what lies in these bytes"

"$csflow" script -i "$tmp/data" -F ip,sym,symoff,addr --around __pthread_mutex_lock,1 > "$tmp/got" 2> "$tmp/said"
executed=$(sed -n 's/.* executed \([0-9]*\) times.*/\1/p' "$tmp/said")
there=$(grep -c '__pthread_mutex_lock+0x0$' "$tmp/got")
lines=$(wc -l < "$tmp/got")
echo "executed $executed times; $there ways there of $lines" > "$tmp/why"
[ "$executed" -gt 100000 ] && [ "$there" = "$executed" ] && [ "$lines" = $((2 * executed)) ]
ok $? "--around has the way to it and the way out, $executed times"

# the index, and those that are of no use
from=$(at 905)
cut_out "$from" 1e9 > "$tmp/want"
"$csflow" index "$tmp/data" > /dev/null
script -v --time "$from," > "$tmp/got" && grep -q 'decode begins here: index' "$tmp/said" &&
	cmp "$tmp/want" "$tmp/got" > "$tmp/why"
ok $? "it is found by the index"
printf xyz | dd of="$tmp/data.tix" bs=1 seek=3000 conv=notrunc status=none
script -v --time "$from," > "$tmp/got" && grep -q 'data.tix: is damaged: offset 0x[0-9a-f]*: .*: not used' "$tmp/said" &&
	grep -q 'decode begins here: search' "$tmp/said" && cmp "$tmp/want" "$tmp/got" > "$tmp/why"
ok $? "a damaged index is said to be that, and not used"
"$csflow" index "$tmp/data" > /dev/null
printf '\0\0\0\0\0\0\0\0' >> "$tmp/data"
script --time "$from," > "$tmp/got"
grep -q 'data.tix: does not belong to this trace as it is now: not used' "$tmp/said" && cmp "$tmp/want" "$tmp/got" > "$tmp/why"
ok $? "so is one of a file that has changed"

# around NAME [STEP]: some places of $tmp/data were executed as often as the listing of all
# instructions has them
around()
{
	local times addr executed bad=0 total=0

	"$csflow" script -i "$tmp/data" --itrace=i1i -F cpu,ip 2> "$tmp/said" > "$tmp/list"
	awk '{ print $2 }' "$tmp/list" | sort | uniq -c > "$tmp/all"
	# some of those that ran often, some of the others, and the last ones of each CPU, after
	# which there may be no branch
	for cpu in 000 001; do
		grep "\[$cpu\]" "$tmp/list" | tail -n 8 | awk '{ print $2 }'
	done | sort -u > "$tmp/last"
	: > "$tmp/why"
	while read -r times addr; do
		"$csflow" script -i "$tmp/data" -F ip,addr --around "0x$addr,1" > "$tmp/got" 2> "$tmp/said"
		executed=$(sed -n 's/.* executed \([0-9]*\) times.*/\1/p' "$tmp/said")
		total=$((total + 1))
		[ "$executed" = "$times" ] && continue
		bad=1
		echo "$addr: $executed of $times times" >> "$tmp/why"
	done < <(sort -rn "$tmp/all" | awk -v step="${2:-1}" 'NR <= 300 && NR % (10 * step) == 0 || NR % (150 * step) == 0'
		awk 'NR == FNR { last[$1] = 1; next } last[$2]' "$tmp/last" "$tmp/all")
	[ $bad = 0 ] && [ $total -gt 8 ]
	ok $? "--around counts what was executed: $1, $total places"
}

record -m $((64 << 20)) --cpus=2 --quantum=66 -u ete=1.1,rs,cid,ts=500 -- "$tmp/threads" 2
around "threads that are stopped often"
# one byte in 1024
perl -e 'srand 4; local $/; my $d = <STDIN>; for (1 .. length($d) >> 10) { substr($d, 8192 + rand(length($d) - 10240), 1) = chr rand 256 } print $d' \
	< "$tmp/data" > "$tmp/hurt" && mv "$tmp/hurt" "$tmp/data"
around "trace with damage"
[ -z "$CSFLOW_LONG" ] || {
	record -m $((64 << 20)) --cpus=2 --quantum=200 -u etm4=4.3,rs,cid -- "$tmp/threads" 1
	around "no timestamps" 8
}
record -m $((64 << 20)) --cpus=2 --quantum=1000 -u ete=1.1,rs,cid,ts=500,overflow=100 -- "$tmp/threads" 1
around "trace that is lost" 8

record -m $((64 << 20)) --raw --cpus=2 --migrate=3 -u etm4=4.3,cid,ts=500,cc=64 -- "$tmp/threads" 60
check "raw, a buffer for each CPU, cycle counts, threads that move" 620 960
[ $begun -ge 6 ]
ok $? "decode begins in the middle: $begun of 12"

# A tenth, and ten of them; bytes of the file.
script --time '10%/3' > "$tmp/tenth" && script --time '20%-30%' | cmp - "$tmp/tenth" > "$tmp/why" && [ -s "$tmp/tenth" ]
ok $? "10%/3 is 20%-30%"
script > "$tmp/all"
script --time '0%-100%' | cmp - "$tmp/all" > "$tmp/why"
ok $? "0%-100% is all, whatever its times are"
for i in 1 2 3 4; do script --time "25%/$i"; done | sort > "$tmp/got"
sort "$tmp/all" | cmp - "$tmp/got" > "$tmp/why"
ok $? "and so are four quarters"
insns()
{
	"$csflow" profile --for=json "$@" "$tmp/data" 2>&1 > /dev/null | awk '{ for (i = 2; i <= NF; i++) if ($i == "instructions") print $(i - 1) }'
}
for i in 1 2 3 4; do insns --time "25%/$i"; done | awk '{ n += $1 } END { print n }' > "$tmp/quarters"
insns > "$tmp/why" && cmp "$tmp/why" "$tmp/quarters"
ok $? "profiles of four quarters add up"
# The branch at the end of a span has its target, which is in the next one.
for i in {1..10}; do "$csflow" profile -q --for=counts -o "$tmp/part.$i" --time "10%/$i" "$tmp/data"; done
"$csflow" merge -o "$tmp/merged" "$tmp"/part.* 2> "$tmp/why"
for what in merged data; do
	"$csflow" profile -q --for=json "$tmp/$what" 2> /dev/null | sed -n '/^ "files"/,$p' > "$tmp/$what.json"
done
rm -f "$tmp"/part.*
[ -s "$tmp/data.json" ] && same "$tmp/data.json" "$tmp/merged.json" "counts of ten tenths add up to those of all"
# Callers are known in a span, whose calls began before it.
for i in {1..4}; do "$csflow" profile -q --for=folded --time "25%/$i" "$tmp/data"; done 2> "$tmp/why" |
	awk '{ n = $NF; sub(/ [0-9]*$/, ""); sum[$0] += n } END { for (s in sum) print s, sum[s] }' | sort > "$tmp/ours"
"$csflow" profile -q --for=folded "$tmp/data" 2> "$tmp/why" | sort > "$tmp/theirs"
[ "$(grep -c ';.*;' "$tmp/theirs")" -gt 20 ] || echo none > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "stacks of four quarters add up to those of all: $(wc -l < "$tmp/theirs")"
"$csflow" profile -q --for=folded --time 10%/5 "$tmp/data" 2> "$tmp/why" | awk '{ n += $NF } END { print n }' > "$tmp/ours"
insns --time 10%/5 > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "a tenth has as many instructions with callers as without"
# calls [TIME...]: of each function below its callers, instructions and calls, of all times together
calls()
{
	local time

	for time in "${@:-,}"; do
		"$csflow" report --show=calls --percent-limit=0 --time "$time" "$tmp/data" 2> "$tmp/why"
	done | awk 'match($0, /^ *[0-9.]+% +[0-9.]+% +[0-9]+ +[0-9]+  /) {
			name = substr($0, RLENGTH + 1); depth = match(name, /[^ ]/)
			path[depth] = substr(name, depth)
			all = ""
			for (i = 1; i <= depth; i += 2) all = all ";" path[i]
			insns[all] += $3; calls[all] += $4
		}
		END { for (all in insns) if (insns[all] + calls[all]) print all, insns[all], calls[all] }' | sort
}
calls > "$tmp/theirs"
calls 25%/1 25%/2 25%/3 25%/4 > "$tmp/ours"
[ "$(grep -c ';.*;' "$tmp/theirs")" -gt 20 ] || echo none > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "calls of four quarters add up to those of all: $(wc -l < "$tmp/theirs")"
for what in "report --show=calls" "profile -q --for=hybrid"; do
	# shellcheck disable=SC2086 # words
	"$csflow" $what "$tmp/data" > "$tmp/theirs" 2> "$tmp/why"
	# shellcheck disable=SC2086 # words
	"$csflow" $what --time 0%-100% "$tmp/data" > "$tmp/ours" 2> "$tmp/why"
	[ -s "$tmp/theirs" ] || echo none > "$tmp/theirs"
	same "$tmp/theirs" "$tmp/ours" "$what: all of the time is everything"
done
# If code is missing, the code that ran after it has the time of the timestamp before, as all has: a
# profile lacks nothing that script shows up to a moment.
aarch64-linux-gnu-gcc -O2 -o "$tmp/moved" programs/plain.c 2> "$tmp/why"
record -m $((64 << 20)) -L /usr/aarch64-linux-gnu -u ete=1.1,cid,ts=20000 -- "$tmp/moved" 3
mkdir -p "$tmp/sym$tmp" && cp "$tmp/moved" "$tmp/sym$tmp"
script --symfs="$tmp/sym" --itrace=i1i -F time > "$tmp/all"
grep -q 'gaps: image' "$tmp/said"
bad=$?
for i in 2 4 6 8 10 12 14 16 18; do
	until=$(awk -v n="$(wc -l < "$tmp/all")" -v i=$i 'NR == int(n * i / 20) { print $1 + 0; exit }' OFMT=%.9f "$tmp/all")
	shown=$(awk -v until="$until" '$1 + 0 <= until + 1e-10' "$tmp/all" | wc -l)
	counted=$(insns --symfs="$tmp/sym" --time ",$until")
	echo "until $until: $counted of $shown and more" >> "$tmp/why"
	[ "$shown" -gt 10000 ] && [ "$counted" -ge "$shown" ] || bad=1
done
ok $bad "where code is missing a profile has what ran until then, as script has"

record -u ete=1.1,rs,cid,ts=500,overflow=500 -- "$tmp/plain" 4
rm -f "$tmp/data.tix"
holes()
{
	"$csflow" profile -q --for=json "$@" "$tmp/data" | tr ',' '\n' | sed -n 's/.*"holes": *//p'
}
holes > "$tmp/all"
for i in 1 2 3 4; do holes --time "25%/$i"; done | awk '{ n += $1 } END { print n }' > "$tmp/quarters"
[ "$(cat "$tmp/all")" -gt 10 ] && cmp "$tmp/all" "$tmp/quarters" > "$tmp/why"
ok $? "and so does how often a trace unit overflowed: $(cat "$tmp/all")"

# CSFLOW_LONG: more forms of trace.
[ -n "$CSFLOW_LONG" ] || { echo "1..$n"; exit 0; }

record -m $((64 << 20)) --cpus=2 -u ete=1.1,cid,ts=500,marker -- "$tmp/threads" 60
check "timestamp markers: two trace units in one buffer" 520 905
[ $begun -ge 3 ]
ok $? "decode begins in the middle: $begun of 6"

record --per-thread -m $((64 << 20)) -u ete=1.0,cid,ts=300 -- "$tmp/threads" 40
check "a buffer for each thread" 520 905
record --per-thread --cpus=2 --migrate=40 -m $((64 << 20)) -u ete=1.0,cid,ts=300 -- "$tmp/plain" 20
check "a buffer of a thread that moves" 320 670

record --per-thread --cpus=1 --raw -m $((64 << 20)) -u ete=1.0,cid,ts=300 -- "$tmp/plain" 20
check "a buffer of a thread that stays" 520 905
[ $begun = 6 ]
ok $? "decode begins in the middle: $begun of 6"

# said NAME WORDS OPTION...: it takes long, or lacks something, and the reason is printed once
said()
{
	local name=$1 words=$2

	shift 2
	script --time "90%-91%" "$@" > "$tmp/got"
	[ "$(grep -c -- '--time: ' "$tmp/said")" = 1 ] && grep -q -- "--time: .*$words" "$tmp/said"
	ok $? "$name: it is said that $words"
}

said "instructions with a period" "a period is counted" --itrace=i100i
said "cycles" "a period is counted" --itrace=y100
said "the choice of perf with OpenCSD" "the time of --compat is counted" --compat
said "samples that are skipped" "what is skipped is counted" --itrace=bs9
(cd "$tmp" && script --time "90%-91%" --itrace=bd > got && grep -q -- '--time: .*the log has everything' said)
ok $? "a log: it is said that the log has everything"
said "no timestamps" "the trace has no timestamps" --itrace=bZ
said "stacks" "call stacks begin shortly before it" --itrace=i1ig
said "last branches" "call stacks begin shortly before it" --itrace=i1il
script --time "90%-91%" > "$tmp/got"
! grep -q -- '--time: ' "$tmp/said"
ok $? "branches: nothing is said"

# whole OPTION...: with --from-start all that there is depends on what ran before.  How wide the column
# of an indented name is depends on the lines before.
from=$(at 905)
to=$(at 912)
whole()
{
	script "$@" | sed 's/ *$//' > "$tmp/all"
	cut_out "$from" "$to" > "$tmp/want"
	script --time "$from,$to" --from-start "$@" | sed 's/ *$//' > "$tmp/got"
	[ -s "$tmp/want" ] && cmp "$tmp/want" "$tmp/got" > "$tmp/why" && ! grep -q -- '--time: ' "$tmp/said"
	ok $? "--from-start: $*"
}

whole --itrace=i100i
whole --compat
whole --itrace=cr -F tid,cpu,time,callindent
whole --itrace=bs5000
script --itrace=cr -F tid,cpu,time,callindent,flags > "$tmp/all"
cut_out "$from" "$to" > "$tmp/want"
script -v --itrace=cr -F tid,cpu,time,callindent,flags --time "$from,$to" > "$tmp/got"
grep -q 'decode begins here' "$tmp/said" && [ "$(wc -l < "$tmp/want")" = "$(wc -l < "$tmp/got")" ] &&
	[ "$(awk '{ print $3, $5 }' "$tmp/want" | sort | uniq -c)" = "$(awk '{ print $3, $5 }' "$tmp/got" | sort | uniq -c)" ]
ok $? "call traces lack nothing but what is outside"

# The kernel at EL2 is traced, too; 0x88c1 is TRCCONFIGR with VMID and VMIDOPT.
perl -0777 -i -pe 'my ($at, $n) = unpack("Q2", substr($_, 24, 16)); my $size = unpack("Q", substr($_, 16, 8));
	for (; $n; $n -= $size, $at += $size) { substr($_, $at + 40, 1) &= "\xdf" }' "$tmp/data"
"$O/selftests/make/mkperf" "$tmp/data" "$tmp/el2" info=6:0x88c1 2> "$tmp/why" && mv "$tmp/el2" "$tmp/data"
"$csflow" doctor "$tmp/data" 2> "$tmp/why" | grep -q 'from CONTEXTIDR_EL2'
ok $? "a kernel at EL2"
check "no guests" 905
[ $begun = 3 ]
ok $? "decode begins in the middle"
# the first context after an A-sync is at EL1
perl -0777 -i -pe 's/(\x00{11}\x80.{1,40}?\x85.{8})\xb0/$1\xb1/s or die' "$tmp/data"
check "a guest" 905
[ $begun = 0 ] && [ "$(grep -c -- '--time: .*guests ran' "$tmp/said")" = 1 ]
ok $? "decode begins at the beginning, and it is said why"

# Most buffers have no timestamp.  Others tell their time, and how far back they are is not a matter
# of bytes.
record --per-thread -m 20000 -u etm4=4.2,cid,ts=100000,cc=4 -- "$tmp/plain" 2
check "buffers without timestamps" 205 405 605

record -m $((64 << 20)) -u ete=1.1,cid,ts=1000,spec=4:50,rs,overflow=30000,discard=50000 -- "$tmp/threads" 30
check "speculation, overflows" 905
[ $begun = 3 ]
ok $? "decode begins in the middle"

# If damage has put timestamps out of order, an index that knows this is right to begin at the
# start, and so is a search that finds it.  Not each damage leaves a place to begin at, but most do.
size=$(stat -c %s "$tmp/data")
mv "$tmp/data" "$tmp/whole"
for first in 100000 120000 140000 160000 180000; do
	cp "$tmp/whole" "$tmp/data"
	for ((at = first; at < size - 20000; at += 100000)); do
		dd if=/dev/zero of="$tmp/data" bs=1 count=64 seek=$at conv=notrunc status=none
	done
	check "damage every 100,000 bytes, from $first" 870
	[ $begun -ge 1 ] && break
done
[ $begun -ge 1 ]
ok $? "decode begins in the middle: $begun of 3"
echo "1..$n"
