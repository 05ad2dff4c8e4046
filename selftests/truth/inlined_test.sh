#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Inlined functions in the output of commands: what ran is known from the log of executed code, and
# which function each address belongs to from llvm-symbolizer.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

for tool in qemu-aarch64 aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ clang-19 ld.lld-19 llvm-symbolizer-19 c++filt python3; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done

# build NAME ARGUMENT COMPILER...: builds and records a program, and lists the functions of what ran
build()
{
	local name=$1

	"${@:3}" -g -static -o "$tmp/$name" > "$tmp/why" 2>&1 &&
		"$CSFLOW_FAST" record -q --truth="$tmp/$name.truth" -o "$tmp/$name.data" -- "$tmp/$name" "$2" \
			> /dev/null 2> "$tmp/why" &&
		python3 lib/truth_count.py "$tmp/$name.truth" who | cut -d' ' -f3- > "$tmp/times" &&
		cut -d' ' -f1 "$tmp/times" | sed 's/^\(0x\)*/0x/' | llvm-symbolizer-19 -e "$tmp/$name" --no-demangle --inlines |
		c++filt | python3 truth/inlined_sums.py "$tmp/times" > "$tmp/$name.sums"
	ok $? "$name is recorded"
}

report()
{
	"$CSFLOW" report "$@" 2> "$tmp/why"
}

# self table|tree < TEXT: instructions and name of each function
self()
{
	python3 truth/inlined_sums.py "$1"
}

cat > "$tmp/deep.c" << 'END'
#include <stdio.h>
#include <stdlib.h>

static int steps(unsigned int n)
{
	int i = 0;

	for (; n != 1; i++)
		n = n & 1 ? 3 * n + 1 : n / 2;
	return i;
}

__attribute__((noinline)) static int leaf(int x)
{
	return x ^ 5;
}

static int both(int x)
{
	return leaf(x) + steps(x + 1);
}

__attribute__((noinline)) static int sum(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += both(i);
	return s;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 3;

	return printf("%d\n", sum(n) + steps(n)) < 0;
}
END

build deep 20 aarch64-linux-gnu-gcc -O2 "$tmp/deep.c"
build clang 20 clang-19 --target=aarch64-linux-gnu -fuse-ld=lld -O2 "$tmp/deep.c"
build shapes 20 aarch64-linux-gnu-g++ -std=c++17 -O2 programs/shapes.cpp
for name in deep clang shapes; do
	report -s symbol "$tmp/$name.data" | self table > "$tmp/ours"
	same "$tmp/$name.sums" "$tmp/ours" "$name: instructions of $(wc -l < "$tmp/ours") functions"
	report --show=calls --percent-limit=0 "$tmp/$name.data" | self tree > "$tmp/ours"
	same "$tmp/$name.sums" "$tmp/ours" "$name: the same in calls"
	"$CSFLOW" profile -q --for=folded "$tmp/$name.data" 2> "$tmp/why" | python3 truth/inlined_sums.py folded > "$tmp/ours"
	same "$tmp/$name.sums" "$tmp/ours" "$name: the same in stacks"
done
"$CSFLOW" profile -q --for=folded "$tmp/deep.data" 2> "$tmp/why" | grep -o 'sum;[^0-9]* ' | sort -u > "$tmp/ours"
printf '%s\n' 'sum;both (inlined) ' 'sum;both (inlined);leaf ' 'sum;both (inlined);steps (inlined) ' > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "stacks of functions below their callers"
"$CSFLOW" profile -q --for=folded --no-inline "$tmp/deep.data" > "$tmp/ours" 2> "$tmp/why"
grep -q ';sum;leaf ' "$tmp/ours" && ! grep inlined "$tmp/ours" > "$tmp/why"
ok $? "stacks with --no-inline"
report --sort=dso "$tmp/deep.data" | awk '/^ / { print $2 }' > "$tmp/ours"
report --no-inline "$tmp/deep.data" | sed -n 's/^# Instructions: //p' > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "all of it is one file's"

report --show=calls --percent-limit=0 "$tmp/deep.data" | sed -n 's/^ *[0-9.]*% *[0-9.]*% *[0-9]* *[0-9]*  //p' |
	awk '{ depth = match($0, /[^ ]/) } depth <= sum { exit } sum { $1 = (depth - sum) / 2 " " $1; print } $1 == "sum" { sum = depth }' |
	sort > "$tmp/ours"
printf '%s\n' '1 both (inlined)' '2 leaf' '2 steps (inlined)' > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "functions below their callers"
[ "$(report --show=calls --percent-limit=0 "$tmp/deep.data" | awk '$NF == "leaf" { print $4 }')" = 20 ]
ok $? "a call by an inlined function"
report -S steps "$tmp/deep.data" | grep -q 'steps (inlined)$'
ok $? "-S with the name"
report --no-inline "$tmp/deep.data" > "$tmp/ours" && ! grep -q inlined "$tmp/ours"
ok $? "--no-inline"
report --children "$tmp/deep.data" | awk '$NF == "(inlined)" && $(NF - 1) == "both" { both = $1 + 0 } $NF == "leaf" { leaf = $1 + 0 }
	END { exit !(both > leaf && leaf > 0) }'
ok $? "--children"

# Call chains: of each address in one, the inlined functions, and offsets in the function around them
# symbolized: the same of the addresses in these lines, by llvm-symbolizer
symbolized()
{
	cut -d' ' -f1 "$tmp/ours" | sed 's/^/0x/' | llvm-symbolizer-19 -e "$tmp/$name" --inlines |
		awk 'BEGIN { RS = ""; FS = "\n" } { for (i = 1; i < NF - 2; i += 2) printf " %s", $i; print "" }' |
		paste -d '' <(cut -d' ' -f1 "$tmp/ours") -
}

for name in deep clang; do
	"$CSFLOW" script --itrace=i1ig16 -F ip,sym "$tmp/$name.data" 2> "$tmp/why" |
		awk '/\(inlined\)$/ { chain = chain " " $2; next } NF > 1 { print $1 chain; chain = "" }' | sort -u > "$tmp/ours"
	symbolized > "$tmp/theirs"
	grep -q ' steps both$' "$tmp/theirs" && diff "$tmp/theirs" "$tmp/ours" > "$tmp/why"
	ok $? "$name: call chains of $(wc -l < "$tmp/ours") addresses"
done
"$CSFLOW" script --itrace=i1ig16 -F ip,sym,symoff "$tmp/deep.data" 2> "$tmp/why" |
	awk '/\(inlined\)$/ { split($2, a, "+"); next } a[2] { split($2, b, "+"); if (a[2] != b[2]) print; a[2] = ""; n++ } END { exit !n }' \
	> "$tmp/why" && ! [ -s "$tmp/why" ]
ok $? "offsets are those of the function around them"
"$CSFLOW" script --no-inline --itrace=i1ig16 -F ip,sym "$tmp/deep.data" > "$tmp/ours" 2> "$tmp/why" && ! grep -q inlined "$tmp/ours"
ok $? "script --no-inline"

name=deep
# annotate: of each instruction, the functions that the line with -- before it names
"$CSFLOW" annotate sum --no-source "$tmp/deep.data" 2> "$tmp/why" | awk '
	$1 == "--" { chain = ""; for (i = 2; i <= NF; i++) if ($i ~ /^\(inlined\)/) chain = chain " " $(i - 1); next }
	$3 ~ /^[0-9a-f]+:$/ { sub(":", "", $3); print $3 chain }' > "$tmp/ours"
symbolized > "$tmp/theirs"
grep -q ' steps both$' "$tmp/theirs" && diff "$tmp/theirs" "$tmp/ours" > "$tmp/why"
ok $? "annotate: functions of $(wc -l < "$tmp/ours") instructions"
line=$(sed -n '/steps(x + 1)/=' "$tmp/deep.c")
"$CSFLOW" annotate sum "$tmp/deep.data" 2> "$tmp/why" | grep -q " -- steps (inlined), called at deep.c:$line by both (inlined), called at deep.c:[0-9]* by sum$"
ok $? "and where they are called"
"$CSFLOW" annotate --no-inline sum "$tmp/deep.data" > "$tmp/ours" 2> "$tmp/why" && ! grep -q ' -- ' "$tmp/ours"
ok $? "annotate --no-inline"

# A function that is only inlined: its lines, and the places
"$CSFLOW" annotate steps "$tmp/deep.data" 2> "$tmp/why" > "$tmp/text"
awk '/^ / { n += $2 } END { print n " steps" }' "$tmp/text" > "$tmp/ours"
awk '/^# +[0-9]+ +steps/ { n += $2 } END { print n " steps" }' "$tmp/text" >> "$tmp/ours"
{ grep ' steps$' "$tmp/deep.sums"; grep ' steps$' "$tmp/deep.sums"; } > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "annotate: lines and places of a function that is only inlined"
grep -q "^# *[0-9]*  steps (inlined), called at deep.c:$line by both (inlined), called at deep.c:[0-9]* by sum$" "$tmp/text" &&
	grep -q "^# *[0-9]*  steps (inlined), called at deep.c:[0-9]* by main$" "$tmp/text" && grep -q 'deep.c:.*n = n & 1 ?' "$tmp/text"
ok $? "annotate: where it is inlined"
# one place has fewer
"$CSFLOW" annotate both "$tmp/deep.data" 2> "$tmp/why" | awk '/n = n & 1/ { print $3 }' > "$tmp/ours"
[ -s "$tmp/ours" ] && [ "$(cat "$tmp/ours")" -lt "$(awk '/n = n & 1/ { print $3 }' "$tmp/text")" ]
ok $? "annotate: counts are sums of all places"
"$CSFLOW" annotate --no-inline steps "$tmp/deep.data" > "$tmp/ours" 2> "$tmp/why"
[ $? = 1 ] && grep -q "^csflow: no function 'steps' ran" "$tmp/why"
ok $? "annotate --no-inline: no such function"
# The compiler keeps code of its own for a function that another file may call.
sed 's/^static int steps/int steps/' "$tmp/deep.c" > "$tmp/kept.c"
build kept 20 aarch64-linux-gnu-gcc -O2 "$tmp/kept.c"
aarch64-linux-gnu-nm "$tmp/kept" | grep -q ' T steps$' && "$CSFLOW" annotate steps "$tmp/kept.data" 2> "$tmp/why" |
	awk '/^# +[0-9]+ +steps/ { n += $2 } END { print n " steps" }' > "$tmp/ours" && grep ' steps$' "$tmp/kept.sums" > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "annotate: a function of which only inlined copies ran"
"$CSFLOW" annotate --no-inline steps "$tmp/kept.data" > "$tmp/ours" 2> "$tmp/why"
[ $? = 1 ] && grep -q '^csflow: steps: nothing of it ran' "$tmp/why"
ok $? "annotate --no-inline: nothing of it ran"
mkdir "$tmp/bare"
aarch64-linux-gnu-strip -o "$tmp/bare/deep" "$tmp/deep"
mv "$tmp/deep" "$tmp/away"
for name in main steps; do
	"$CSFLOW" annotate --symfs="$tmp/bare" --buildid-dir=/nowhere $name "$tmp/deep.data" > "$tmp/ours" 2> "$tmp/why"
	[ $? = 1 ] && grep -q '/deep: no symbols: it was stripped; name it as it was linked with --binary' "$tmp/why" && ! grep -q 'no function' "$tmp/why"
	ok $? "annotate $name: a program without symbols"
done
"$CSFLOW" annotate --binary="$tmp/away" main "$tmp/deep.data" 2> "$tmp/why" | grep -q '^# csflow annotate: main'
ok $? "annotate --binary: with them"
mv "$tmp/away" "$tmp/deep"

# timeline: without the slices of inlined functions all others are as they were; each is in the
# function, or inlined function, that it is inlined in.
for name in deep shapes; do
	"$CSFLOW" timeline --for=chrome -o "$tmp/with" "$tmp/$name.data" 2> "$tmp/why" &&
		"$CSFLOW" timeline --for=chrome --no-inline -o "$tmp/without" "$tmp/$name.data" 2> "$tmp/why" &&
		report --show=calls --percent-limit=0 "$tmp/$name.data" > "$tmp/tree" &&
		python3 truth/inlined_slices.py "$tmp/with" "$tmp/without" "$tmp/tree" > "$tmp/$name.slices" 2> "$tmp/why"
	ok $? "$name: slices of functions are the same with inlined ones"
done
grep -v atoi "$tmp/deep.slices" > "$tmp/ours"
printf '%s\n' '1 main: steps (inlined)' '19 both (inlined): steps (inlined)' '20 both (inlined): leaf' '20 sum: both (inlined)' > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "and below their callers, as often as they have branches"
echo "1..$n"
