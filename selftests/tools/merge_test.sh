#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow merge: every format; any order, any grouping, any number of threads; lists of names; weights;
# and damaged inputs, of which each is named and none is counted.
#
# CSFLOW_LONG: 10,000 damaged inputs instead of 200, and memory with ten times as many inputs.  CSFLOW_LISTS, CSFLOW_ORDERS: how many
# branch lists, and in how many orders they are merged: with 300,000 each order takes a minute.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export PERF_BUILDID_DIR=$tmp/cache
. lib/tap.sh

demo=data/demo
lists=200
damaged=200
[ -z "$CSFLOW_LONG" ] || { lists=2000; damaged=10000; }
lists=${CSFLOW_LISTS:-$lists}

# merge OUT OPTIONS...
merge()
{
	local out=$1

	shift
	"$CSFLOW" merge --symfs="$PWD/$demo" -o "$out" "$@" 2> "$tmp/why"
}

# ---------------------------------------------------------------- formats

for form in counts branch-list branch-list-v1 branch-list-zstd autofdo; do
	"$CSFLOW_FAST" profile -q --for=$form --symfs=$demo -o "$tmp/demo.$form" $demo/perf.data 2> "$tmp/why"
done
"$CSFLOW_FAST" quick -o "$tmp/demo.quick" $demo/perf.data 2> "$tmp/why"
"$O/selftests/make/mkphone" $demo/perf.data "$tmp/demo.data" "branch-list=$tmp/demo.branch-list-zstd"
for form in counts branch-list branch-list-v1 branch-list-zstd autofdo quick data; do
	"$CSFLOW_FAST" profile -q --for=counts --symfs=$demo -o "$tmp/theirs" "$tmp/demo.$form" 2> "$tmp/why"
	merge "$tmp/ours" "$tmp/demo.$form"
	[ -s "$tmp/theirs" ] && cmp "$tmp/theirs" "$tmp/ours" >> "$tmp/why"
	ok $? "$form: the counts that csflow profile makes of it"
done
merge "$tmp/ours" $demo/perf.data
[ $? = 1 ] && [ ! -e "$tmp/ours.new" ] && grep -q 'perf.data: a recording with trace: csflow profile --for=counts makes counts of it$' "$tmp/why"
ok $? "a recording is refused, and it is said what reads it"

# ---------------------------------------------------------------- order

"$O/selftests/make/mklists" "$tmp/demo.branch-list" "$tmp/lists" "$lists" 300 1 > "$tmp/why" 2>&1
ok $? "lists: $(cat "$tmp/why")"
merge "$tmp/ours" "$tmp/lists" && "$CSFLOW_FAST" profile --for=json --symfs=$demo -o "$tmp/json" "$tmp/ours" 2> "$tmp/why" &&
	grep -q ', [1-9][0-9]* instructions in [1-9][0-9]* blocks; lost: 0 atoms' "$tmp/why"
ok $? "their atoms are followed through the program: $(sed -nE 's/^csflow: .*, ([0-9]+ instructions in .*)/\1/p' "$tmp/why")"
mkdir "$tmp/in" && mv "$tmp/lists" "$tmp/in/" && cp "$tmp"/demo.* "$tmp/in/"
find "$tmp/in" -type f > "$tmp/names"
merge "$tmp/all" -j1 "$tmp/in"
[ $? = 0 ] && [ -s "$tmp/all" ]
ok $? "a folder: $(wc -l < "$tmp/names") inputs"
# order SEED GROUPS: a random order, and groups of it which are merged; none: without these
order()
{
	local part

	perl -MList::Util=shuffle -e 'srand(shift @ARGV); print shuffle(<STDIN>)' "$1" < "$tmp/names" > "$tmp/some"
	rm -rf "$tmp/parts"
	if [ "$2" = 0 ]; then
		merge "$tmp/ours" -j$(($1 % 4 + 1)) @"$tmp/some"
	else
		mkdir "$tmp/parts"
		split -a 3 -n r/"$2" "$tmp/some" "$tmp/parts/part."
		for part in "$tmp/parts"/part.*; do
			merge "$part.sum" -j$(($1 % 4 + 1)) @- < "$part" && rm "$part" || return
		done
		merge "$tmp/ours" "$tmp/parts"
	fi && cmp "$tmp/all" "$tmp/ours" 2>> "$tmp/why"
}
orders=${CSFLOW_ORDERS:-12} bad=''
for ((i = 1; i <= orders; i++)); do
	order $i $((i % 3 * i)) || bad="$bad $i"
done
[ -z "$bad" ]
ok $? "any order, any groups, any number of threads: the same bytes, $orders times$bad"
merge "$tmp/ours" "$tmp/all" && cmp "$tmp/all" "$tmp/ours" 2>> "$tmp/why"
ok $? "a merge of one merge is the same"

# ---------------------------------------------------------------- weights

# Sums of a table: instructions, and recordings.
sums()
{
	"$CSFLOW_FAST" profile --for=json --symfs=$demo "$1" 2> "$tmp/why" |
		sed -n 's/^  "\(recordings\|blocks\|instructions\)": \([0-9]*\),*$/\2/p' | tr '\n' ' '
}

counts=$tmp/demo.counts
printf '%s\t2\n%s\t\t2026-01-01\n' "$counts" "$counts" > "$tmp/list"
merge "$tmp/ours" @"$tmp/list" && merge "$tmp/theirs" 3:"$counts" && cmp "$tmp/ours" "$tmp/theirs" 2>> "$tmp/why"
ok $? "a weight of a list, a weight of an operand"
printf '%s\t1\t2026-01-31\n%s\t1\t1769904000\n%s\t\t2026-01-01\n%s\t9\t2000-01-01\n' "$counts" "$counts" "$counts" "$counts" > "$tmp/list"
merge "$tmp/ours" --half-life=31 --date=2026-02-01 @"$tmp/list" && grep -q '^csflow merge: inputs too old to count: 1$' "$tmp/why" &&
	merge "$tmp/theirs" $((1001 + 1024 + 512)):"$counts" && cmp "$tmp/ours" "$tmp/theirs" 2>> "$tmp/why"
ok $? "weights by age"
touch -d 2026-01-01 "$counts"
merge "$tmp/ours" --half-life=31 --date=2026-02-01 "$counts" && merge "$tmp/theirs" 512:"$counts" && cmp "$tmp/ours" "$tmp/theirs" 2>> "$tmp/why"
ok $? "an age is that of the file if the list has none"
"$CSFLOW" merge --half-life=0 -o "$tmp/ours" "$counts" 2> "$tmp/why"
[ $? = 2 ] && grep -q 'half-life: 1 to' "$tmp/why"
ok $? "no half-life of 0 days"
merge "$tmp/five" 5:"$counts" && merge "$tmp/ours" --equal "$tmp/five" && sums "$tmp/ours" > "$tmp/why" &&
	merge "$tmp/theirs" --equal "$counts" && [ "$(sums "$tmp/ours" | cut -d' ' -f2-)" = "$(sums "$tmp/theirs" | cut -d' ' -f2-)" ] &&
	[ "$(sums "$tmp/ours" | cut -d' ' -f2)" = $((1 << 40)) ]
ok $? "equal inputs: five times as long is no more, 2^40 blocks"
merge "$tmp/ours" --equal "$tmp/demo.branch-list" && [ "$(sums "$tmp/ours" | cut -d' ' -f2)" -ge $((1 << 39)) ]
ok $? "lists, too"
bad=0
for line in 'x\t0' 'x\t-1' 'x\tmany' 'x\t1\tyesterday' 'no\0name' "$(head -c 5000 /dev/zero | tr '\0' n)"; do
	printf "$line\n%s\n" "$counts" > "$tmp/list"
	merge "$tmp/ours" @"$tmp/list"
	[ $? = 1 ] && cmp -s "$counts" "$tmp/ours" && grep -q "^csflow: $tmp/list:1: " "$tmp/why" || bad=1
done
ok $bad "a line that is wrong is named, and the others are merged"
printf '%s\n%s/none\n' "$counts" "$tmp" > "$tmp/list"
merge "$tmp/ours" @"$tmp/list" "$tmp/none.list" @"$tmp/no.list"
[ $? = 1 ] && cmp "$counts" "$tmp/ours" && [ "$(grep -c ': No such file or directory$' "$tmp/why")" = 3 ] &&
	grep -q '^csflow merge: inputs left out: 3 of 4$' "$tmp/why"
ok $? "and so is one that is not there"

# ---------------------------------------------------------------- damage

if ! command -v python3 > /dev/null; then
	skip "damaged inputs" "no python3"
	echo "1..$n"
	exit 0
fi
python3 make/damage.py "$tmp/bad" $damaged 1 "$counts" "$tmp/demo.quick" "$tmp/demo.branch-list" "$tmp/demo.data" 2> "$tmp/why"
ok $? "$(find "$tmp/bad" -type f | wc -l) damaged inputs"
merge "$tmp/ours" -j2 "$tmp/in" "$tmp/bad"
[ $? = 1 ] && cmp "$tmp/all" "$tmp/ours" >> "$tmp/why"
ok $? "are left out: the same bytes as without them"
# the name, and for all but files of other kinds the offset or the line
sed -n "s,^csflow: $tmp/bad/\([^:]*\):.*,\1,p" "$tmp/why" | sort > "$tmp/told"
(cd "$tmp/bad" && ls) | sort > "$tmp/want"
same "$tmp/want" "$tmp/told" "each is named, once"
merge "$tmp/ours" "$tmp/bad"
[ $? = 1 ] && cmp -s "$tmp/all" "$tmp/ours"
ok $? "of damaged inputs alone nothing is written"
cp "$tmp/why" "$tmp/once"
merge "$tmp/ours" -j1 "$tmp/bad"
cp "$tmp/why" "$tmp/again"
same "$tmp/once" "$tmp/again" "messages are in the order of inputs, with any number of threads"

# ---------------------------------------------------------------- memory

if [ -z "$CSFLOW_LONG" ]; then
	echo "1..$n"
	exit 0
fi
peak()
{
	rm -f "$tmp/usage"
	"$O/selftests/bench/bench_rusage" "$tmp/usage" "$CSFLOW_FAST" merge -j2 --symfs="$PWD/$demo" -o "$tmp/ours" @"$1" 2> "$tmp/why"
	cut -d' ' -f2 "$tmp/usage"
}
find "$tmp/in/lists" -type f > "$tmp/names"
for i in 1 2 3 4 5 6 7 8 9 10; do cat "$tmp/names"; done > "$tmp/some"
few=$(peak "$tmp/names") many=$(peak "$tmp/some")
echo "$few KiB, $many KiB" > "$tmp/why"
[ "$few" -gt 0 ] && [ "$many" -lt $((few + few / 4)) ]
ok $? "memory does not grow with inputs: $few KiB of $lists, $many KiB of ten times as many"
echo "1..$n"
