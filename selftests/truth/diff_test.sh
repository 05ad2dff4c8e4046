#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow diff: two runs must part where their truth logs part, and code must have run more often by
# as much as in the logs; lost trace is not taken for a difference.
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
command -v python3 > /dev/null || give_up "no python3"
cflags=-g
build_programs calls threads
mkdir "$tmp/O1" && aarch64-linux-gnu-gcc -O1 -fno-inline -g -static -pthread -o "$tmp/O1/calls" programs/calls.c \
	2> "$tmp/why"

# recorded NAME OPTIONS -- PROGRAM ...: $tmp/NAME.data and NAME.truth; what it had for code that is in
# no file stays beside it
recorded()
{
	local name=$1

	shift
	"$csflow" record -q -o "$tmp/$name.data" --truth "$tmp/$name.truth" "$@" > /dev/null 2> "$tmp/why" \
		< /dev/null
	ok $? "record $name"
}

# differ STATUS NAME OPTIONS A B: exit status; $tmp/out has what it prints
differ()
{
	local want=$1 name=$2 status

	shift 2
	"$CSFLOW" diff "$@" > "$tmp/out" 2> "$tmp/why"
	status=$?
	[ $status = "$want" ]
	ok $? "$name: status $status"
}

# The places where they part, by the truth logs
parted()
{
	sed -n 's/^@@ \(after .*\) @@.*/\1/p' "$tmp/out" > "$tmp/ours"
	python3 lib/truth_diff.py paths "$tmp/$1.truth" "$tmp/$2.truth" > "$tmp/theirs" 2> "$tmp/why"
	same "$tmp/theirs" "$tmp/ours" "$1, $2: $(wc -l < "$tmp/theirs") pairs part where the truth does"
}

# ---------------------------------------------------------------- paths

recorded plain -u ete=1.1,rs,cid,ts=1000 -- "$tmp/calls" 9
recorded other -u etm4=4.3,cid,bb,cc=16 --raw -- "$tmp/calls" 9
recorded early -u ete=1.1,rs,cid,ts=1000 -- "$tmp/calls" 1
recorded late -u ete=1.1,cid -- "$tmp/calls" 4

differ 0 "another trace unit, the same path" "$tmp/plain.data" "$tmp/other.data"
[ ! -s "$tmp/out" ]
ok $? "and nothing is printed"
for b in early late; do
	differ 1 "one call more, $b" "$tmp/plain.data" "$tmp/$b.data"
	parted plain $b
	[ -s "$tmp/ours" ]
	ok $? "and they do part"
	sed -n '/^@@/,$p' "$tmp/out" | grep -q '^+fib+0x0 (.*/calls) .*calls.c:' &&
		[ "$(grep -c '^ ' "$tmp/out")" = 5 ] && grep -q '^-first+0x0 ' "$tmp/out"
	ok $? "and it is the call of fib()"
done
"$CSFLOW" diff -j 1 "$tmp/plain.data" "$tmp/late.data" > "$tmp/again" 2> "$tmp/why"
same "$tmp/out" "$tmp/again" "the same with one thread"
differ 1 "-U" -U 2 "$tmp/plain.data" "$tmp/late.data"
[ "$(grep -c '^ ' "$tmp/out")" = 2 ] && [ "$(grep -c '^-[^-]' "$tmp/out")" = 3 ]
ok $? "so many around the place"

for i in 1 2; do
	recorded threads$i -u ete=1.1,cid,ts=1000 --cpus=16 -- "$tmp/threads" 1
done
"$CSFLOW" diff "$tmp/threads1.data" "$tmp/threads2.data" > "$tmp/out" 2> "$tmp/why"
# trace that a thread lost when its CPU was taken away does not matter
if python3 lib/truth_diff.py paths "$tmp/threads1.truth" "$tmp/threads2.truth" > /dev/null 2>&1; then
	parted threads1 threads2
else
	grep -q 'then trace is lost' "$tmp/out"
	ok $? "threads: lost"
fi
differ 1 "another program" "$tmp/plain.data" "$tmp/threads1.data"
[ "$(grep -c '@@ only B has this thread @@' "$tmp/out")" = 8 ]
ok $? "and threads that only one has"
# diff ends early, while threads still do work that is no longer needed.
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	"$CSFLOW" diff -j4 "$tmp/plain.data" "$tmp/threads1.data" > /dev/null 2> "$tmp/why"
	[ $? = 1 ] && ! grep -q Sanitizer "$tmp/why" || echo "round $i"
done > "$tmp/bad"
[ ! -s "$tmp/bad" ]
ok $? "left early, with threads"
recorded lost -u ete=1.1,rs,cid,ts=1000,overflow=500 -- "$tmp/calls"
differ 2 "lost trace is no difference" "$tmp/plain.data" "$tmp/lost.data"
grep -q '^@@ the same for [1-9][0-9]* branches; then trace is lost: B: ' "$tmp/out"
ok $? "and it says so"

# ---------------------------------------------------------------- counts

# Change, instructions and name of each line; a baseline may be missing
rows()
{
	sed -n '/^#/d; s/.*% *\([0-9]*\) *\([-+][0-9]*\) .*\[.\] \(.*\)/\2 \1 \3/p' "$tmp/out"
}

# Of several names of a function, the first, as truth_diff.py has it
counted()
{
	local a=$1 program_a=$2 b=$3 program_b=$4

	python3 lib/truth_diff.py counts "$tmp/$a.truth" "$program_a" "$tmp/$b.truth" "$program_b" |
		sort > "$tmp/theirs" 2> "$tmp/why"
	rows | PYTHONPATH=lib python3 -c '
import sys
paths, sys.argv = sys.argv[1:], ["truth_calls.py"]
from truth_calls import Symbols
first = {n: min(s) for p in paths for s in Symbols(p).names.values() for n in s}
for line in sys.stdin:
    change, n, name = line.split()
    print(change, n, first.get(name, name))' "$program_a" "$program_b" 2> "$tmp/why" | sort > "$tmp/ours"
	same "$tmp/theirs" "$tmp/ours" "$a, $b: $(wc -l < "$tmp/theirs") functions as the truth has them"
}

differ 1 "counts" --counts "$tmp/plain.data" "$tmp/late.data"
counted plain "$tmp/calls" late "$tmp/calls"
rows | awk '{ n = $1 < 0 ? -$1 : $1; if (NR > 1 && n > last) exit 1; last = n }'
ok $? "the most first"
change=$(rows | awk '{ n += $1 } END { print n }')
for by in line offset; do
	differ 1 "by $by" --by=$by "$tmp/plain.data" "$tmp/late.data"
	[ "$(rows | awk '{ n += $1 } END { print n }')" = "$change" ] &&
		[ "$change" -gt 0 ]
	ok $? "by $by: as much in all: $change"
done
grep -qE '\[\.\] fib\+0x' "$tmp/out"
ok $? "blocks of fib()"
differ 1 "-n" -n 2 --by=line "$tmp/plain.data" "$tmp/late.data"
[ "$(grep -vc '^#' "$tmp/out")" = 2 ] && grep -q 'fib  calls.c:[0-9]' "$tmp/out"
ok $? "two lines of calls.c"
differ 0 "counts, another trace unit" -c "$tmp/plain.data" "$tmp/other.data"
"$CSFLOW" profile --for=counts -o "$tmp/plain.counts" "$tmp/plain.data" 2> "$tmp/why"
"$CSFLOW" diff -c "$tmp/plain.data" "$tmp/late.data" 2> "$tmp/why" | grep -v '^# [AB]:' > "$tmp/theirs"
differ 1 "a count table and a recording" "$tmp/plain.counts" "$tmp/late.data"
grep -v '^# [AB]:' "$tmp/out" > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "the same"

recorded build -u ete=1.1,rs,cid -- "$tmp/O1/calls"
differ 1 "another build" "$tmp/plain.data" "$tmp/build.data"
grep -q 'different builds: --counts' "$tmp/why"
ok $? "it says what to do"
differ 1 "another build, counts" -c "$tmp/plain.data" "$tmp/build.data"
counted plain "$tmp/calls" build "$tmp/O1/calls"

# ---------------------------------------------------------------- what is not there

mv "$tmp/O1/calls" "$tmp/O1/gone"
differ 2 "a program that is gone" -c "$tmp/plain.data" "$tmp/build.data"
grep -q "O1/calls, build-id $(readelf -n "$tmp/O1/gone" | sed -n 's/.*Build ID: //p'): missing" "$tmp/why"
ok $? "is named"
differ 2 "its path" "$tmp/plain.data" "$tmp/build.data"
differ 2 "no file" "$tmp/plain.data" "$tmp/nothing"
differ 2 "one file" "$tmp/plain.data"
differ 2 "a word" --by=word "$tmp/plain.data" "$tmp/late.data"
if [ -w /dev/full ]; then
	for how in --context=5 --counts; do
		"$CSFLOW" diff $how "$tmp/plain.data" "$tmp/late.data" > /dev/full 2> "$tmp/why"
		[ $? = 2 ] && grep -q 'No space left' "$tmp/why"
		ok $? "a full disk is trouble, not a difference: $how"
	done
fi
bad=0
for seed in 1 2 3; do
	"$O/selftests/make/mkperf" "$tmp/late.data" "$tmp/bad.data" noise=20 random=$seed 2> /dev/null
	for how in --kernel --counts; do
		timeout 60 "$CSFLOW" diff $how "$tmp/plain.data" "$tmp/bad.data" > /dev/null 2> "$tmp/why"
		[ $? -le 2 ] || bad=1
	done
done
ok $bad "damaged recordings do no harm"
echo "1..$n"
