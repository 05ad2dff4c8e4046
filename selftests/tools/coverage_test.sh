#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow coverage: lines are those that gcov counts, which knows nothing of trace; lcov, genhtml and
# a reader of XML accept the output; missing files.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

for tool in qemu-aarch64 aarch64-linux-gnu-gcc aarch64-linux-gnu-gcov lcov; do
	command -v $tool > /dev/null && continue
	skip "coverage of recordings" "no $tool"
	echo "1..$n"
	exit 0
done
export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu

coverage()
{
	"$CSFLOW" coverage "$@" 2> "$tmp/why"
}

# lines TRACEFILE: line and count
lines()
{
	sed -n 's/^DA:\([0-9]*\),\([0-9]*\)/\1 \2/p' "$1"
}

aarch64-linux-gnu-gcc -g -O0 -o "$tmp/cover" programs/cover.c &&
	"$CSFLOW_FAST" record -q -o "$tmp/perf.data" -- "$tmp/cover" 20 > /dev/null 2> "$tmp/why" &&
	coverage "$tmp/perf.data" > "$tmp/info"
ok $? "a tracefile"
grep -q '^csflow: lines *[0-9.]*% ([0-9]* of [0-9]*)$' "$tmp/why" && grep -q 'left out: .*libc' "$tmp/why"
ok $? "and a summary"

# Lines that both know; each has its own idea of the head of a function.
cp programs/cover.c "$tmp/"
(cd "$tmp" && aarch64-linux-gnu-gcc -g -O0 --coverage -o probes cover.c && qemu-aarch64 ./probes 20 &&
	aarch64-linux-gnu-gcov -o . probes-cover) > "$tmp/why" 2>&1
sed -n 's/^ *\([0-9#]*\)\*\{0,1\}: *\([0-9]*\):.*/\2 \1/p' "$tmp/cover.c.gcov" | sed 's/#####/0/; / $/d' | sort > "$tmp/gcov"
lines "$tmp/info" | sort > "$tmp/ours"
join "$tmp/gcov" "$tmp/ours" | awk '$2 != $3 { print; bad = 1 } END { exit bad || NR < 22 }' > "$tmp/why"
ok $? "lines ran as often as gcov has it"
join -v 1 "$tmp/gcov" "$tmp/ours" > "$tmp/only"
# static int f(..), int main(..) and case: no instruction belongs to them.
awk 'NR == FNR { line[FNR] = $0; next } line[$1] !~ /^(static )?int |case|default/ { print line[$1]; bad = 1 } END { exit bad }' \
	programs/cover.c "$tmp/only" > "$tmp/why"
ok $? "none is missing"
grep -q '^FNDA:0,never$' "$tmp/info" && grep -q '^FNDA:13,sign$' "$tmp/info" && grep -q '^FNDA:1,main$' "$tmp/info"
ok $? "functions"
line=$(grep -n 'i % 3 == 1' programs/cover.c | cut -d: -f1)
[ "$(grep "^BRDA:$line," "$tmp/info" | cut -d, -f2-4 | sort | tr '\n' ' ')" = "0,0,13 0,1,7 " ]
ok $? "branches"
line=$(grep -n 'return x / 2' programs/cover.c | cut -d: -f1)
lines "$tmp/info" | grep -q "^$line 8$"
ok $? "what is inlined twice adds up"

# ---------------------------------------------------------------- tools

hit=$(lines "$tmp/info" | grep -vc ' 0$') all=$(lines "$tmp/info" | wc -l)
lcov --rc lcov_branch_coverage=1 --summary "$tmp/info" > "$tmp/why" 2>&1 && grep -q "lines.*($hit of $all lines)" "$tmp/why"
ok $? "lcov finds as many"
lcov -q -a "$tmp/info" -a "$tmp/info" -o "$tmp/twice" > "$tmp/why" 2>&1 &&
	lines "$tmp/info" | awk '{ print $1, 2 * $2 }' | diff - <(lines "$tmp/twice") > "$tmp/why"
ok $? "lcov adds up"
mkdir "$tmp/html" && genhtml -q --branch-coverage -o "$tmp/html" "$tmp/info" > "$tmp/why" 2>&1 &&
	grep -rq 'return x \* 3' "$tmp/html"
ok $? "genhtml draws it"
coverage -q --for=cobertura -o "$tmp/xml" "$tmp/perf.data" && ! [ -s "$tmp/why" ] &&
	python3 - "$tmp/xml" > "$tmp/theirs" 2> "$tmp/why" << 'END'
import sys
import xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
for c in root.iter("class"):
    for line in c.find("lines"):
        print(line.get("number"), line.get("hits"))
covered = sum(line.get("hits") != "0" for c in root.iter("class") for line in c.find("lines"))
assert int(root.get("lines-covered")) == covered
assert any("(1/2)" in line.get("condition-coverage", "") for line in root.iter("line"))
END
diff "$tmp/theirs" <(lines "$tmp/info") > "$tmp/why"
ok $? "Cobertura's XML says the same"

# ---------------------------------------------------------------- inputs

"$CSFLOW_FAST" profile --for=counts -q -o "$tmp/counts" "$tmp/perf.data" 2> "$tmp/why" &&
	coverage -q "$tmp/counts" | diff "$tmp/info" - > "$tmp/why"
ok $? "of a count table the same"
aarch64-linux-gnu-gcc -g -O0 -static -o "$tmp/alone" programs/cover.c &&
	"$CSFLOW_FAST" record -q -u ete=1.0,cid,cc=100 -o "$tmp/cycles" -- "$tmp/alone" 20 > /dev/null 2> "$tmp/why" &&
	coverage -q --source="$(pwd)/programs" --source=programs "$tmp/cycles" > "$tmp/counted" &&
	diff <(lines "$tmp/info") <(lines "$tmp/counted") > "$tmp/why"
ok $? "of trace with cycle counts the same"
coverage -q -t twice "$tmp/counts" "$tmp/counts" > "$tmp/ours" && grep -q '^TN:twice$' "$tmp/ours" &&
	diff <(lines "$tmp/twice") <(lines "$tmp/ours") > "$tmp/why"
ok $? "recordings add up"
coverage -q --source=/nowhere "$tmp/counts" > "$tmp/ours"
[ $? = 1 ] && ! [ -s "$tmp/ours" ] && grep -q 'the result would be empty' "$tmp/why"
ok $? "no line of these sources"
coverage -q --source="$(pwd)/programs" --source=programs "$tmp/counts" | diff "$tmp/info" - > "$tmp/why"
ok $? "--source"
coverage -q -d libc.so.6,cover "$tmp/counts" > "$tmp/ours"
[ $? = 1 ] && grep -q 'libc.so.6, build-id [0-9a-f]*: .*build with -g' "$tmp/why" && diff "$tmp/info" "$tmp/ours" > "$tmp/why"
ok $? "what was asked for by name is missed, and all else written"
mv "$tmp/cover" "$tmp/away"
coverage "$tmp/counts" > "$tmp/ours"
[ $? = 1 ] && grep -q 'cover, build-id [0-9a-f]*: ' "$tmp/why" && ! [ -s "$tmp/ours" ]
ok $? "no program"
coverage -q --binary="$tmp/away" "$tmp/counts" | diff "$tmp/info" - > "$tmp/why"
ok $? "--binary"
coverage "$tmp/nothing" > "$tmp/ours"
[ $? = 1 ] && grep -q nothing "$tmp/why"
ok $? "no recording"
coverage -q -o - --binary="$tmp/away" "$tmp/counts" | diff "$tmp/info" - > "$tmp/why" && [ ! -e - ]
ok $? "-o -: standard output"
coverage -t $'a\nb' "$tmp/counts" > "$tmp/ours"
[ $? = 2 ] && grep -q 'a name is one line' "$tmp/why"
ok $? "a name of two lines"
# ---------------------------------------------------------------- inlined functions

# called < GCOV: name, line, and how often it was called, of each function
called()
{
	sed -n 's/^function \([a-z]*\) called \([0-9]*\) .*/\1 \2/p; s/^ *[0-9#-]*\*\{0,1\}: *\([0-9]*\):.*/\1/p' |
		awk 'NF == 2 { name = $1; n = $2; next } name { print name, $1, n; name = "" }' | sort
}

# functions < TRACEFILE: the same
functions()
{
	sed -n 's/^FN[DA]*:\([0-9]*\),\([a-z]*\)$/\1 \2/p' | awk '!($2 in line) { line[$2] = $1; next } { print $2, line[$2], $1 }' | sort
}

hit()
{
	awk '{ print $1, $2, ($3 > 0) }'
}

cp programs/inlined.c "$tmp/"
(cd "$tmp" && aarch64-linux-gnu-gcc -O0 --coverage -o probes inlined.c && qemu-aarch64 ./probes 20 &&
	aarch64-linux-gnu-gcov -b -o . probes-inlined) > "$tmp/why" 2>&1
called < "$tmp/inlined.c.gcov" > "$tmp/gcov"

# optimised COMPILER...: functions of that program
optimised()
{
	"$@" -g -o "$tmp/inlined" programs/inlined.c > "$tmp/why" 2>&1 &&
		"$CSFLOW_FAST" record -q -o "$tmp/inlined.data" -- "$tmp/inlined" 20 > /dev/null 2> "$tmp/why" &&
		coverage -q -d inlined --source="$(pwd)/programs" --source=programs "$tmp/inlined.data" | functions
}

optimised aarch64-linux-gnu-gcc -O1 > "$tmp/ours"
[ "$(wc -l < "$tmp/gcov")" = 9 ] && diff "$tmp/gcov" "$tmp/ours" > "$tmp/why"
ok $? "inlined functions were called as often as gcov has it"
optimised aarch64-linux-gnu-gcc -O2 | hit > "$tmp/ours"
hit < "$tmp/gcov" | diff - "$tmp/ours" > "$tmp/why"
ok $? "with -O2 the same ones ran"
if command -v clang ld.lld > /dev/null; then
	optimised clang --target=aarch64-linux-gnu -fuse-ld=lld -O2 | hit > "$tmp/ours"
	hit < "$tmp/gcov" | diff - "$tmp/ours" > "$tmp/why"
	ok $? "and with clang"
else
	skip "and with clang" "no clang or ld.lld"
fi

# ---------------------------------------------------------------- branches

# Whichever instruction has the condition: B.cond, CBZ, TBZ; in A32 BXLE lr and POPNE {pc}, too, and
# in T32 an instruction after IT.

# both LINE COUNT...: of each line of if both counts, the smaller one first.
both()
{
	awk 'NR == FNR { want[FNR] = /\tif \(/; next } $2 != "executed" && $2 != "-" && want[$1] { of[$1] = of[$1] " " $2 }
		END { for (i in of) { n = split(of[i], c); if (n == 2 && c[1] + 0 > c[2] + 0) of[i] = " " c[2] " " c[1]
			print i of[i] } }' programs/branches.c "$1" | sort -n
}

# probed GCC ROOT: gcov's figures for them
probed()
{
	mkdir -p "$tmp/$1" && cp programs/branches.c "$tmp/$1/" &&
		(cd "$tmp/$1" && "$1-gcc" -static -g -O0 --coverage -o probes branches.c && "$2" ./probes 20 &&
			"$1-gcov" -b -c -o . probes-branches) > "$tmp/why" 2>&1 &&
		awk '/^ *[0-9#*=-]+: *[0-9]+:/ { split($0, a, ":"); line = a[2] + 0 } /^branch/ { print line, $4 }' \
			"$tmp/$1/branches.c.gcov" > "$tmp/gcov" && both "$tmp/gcov"
}

# branches NAME GCC FLAGS...: lines with counts of those of a program
branches()
{
	local name=$1 gcc=$2
	shift 2
	"$gcc" -g "$@" -o "$tmp/$name" > "$tmp/why" 2>&1 &&
		"$CSFLOW_FAST" record -q -o "$tmp/$name.data" -- "$tmp/$name" 20 > /dev/null 2> "$tmp/why" &&
		coverage -q -d "$name" "$tmp/$name.data" > "$tmp/$name.info" &&
		sed -n 's/^BRDA:\([0-9]*\),.*,/\1 /p' "$tmp/$name.info" > "$tmp/ours" && both "$tmp/ours"
}

# The counts alone, of the lines before main(): clang puts a return that has a condition into the
# line of its brace.
pairs()
{
	local main
	main=$(grep -n '^int main' programs/branches.c | cut -d: -f1)
	sed -n 's/^BRDA:\([0-9]*\),.*,/\1 /p' | paste - - | awk -v main="$main" '$1 < main && $2 != "-" {
		print ($2 + 0 < $4 + 0 ? $2 " " $4 : $4 " " $2) }' | sort
}

probed aarch64-linux-gnu qemu-aarch64 > "$tmp/probed"
[ "$(wc -l < "$tmp/probed")" = 10 ] && branches a64 aarch64-linux-gnu-gcc -O2 programs/branches.c | diff "$tmp/probed" - > "$tmp/why"
ok $? "branches of A64 go as often each way as gcov has it"

if command -v arm-linux-gnueabihf-gcc qemu-arm clang > /dev/null; then
	export QEMU_LD_PREFIX=/usr/arm-linux-gnueabihf
	branches a32 arm-linux-gnueabihf-gcc -O2 -marm programs/branches.c | diff "$tmp/probed" - > "$tmp/why"
	ok $? "of A32, conditional returns among them"
	branches t32 arm-linux-gnueabihf-gcc -O2 -mthumb programs/branches.c | diff "$tmp/probed" - > "$tmp/why"
	ok $? "of T32"
	clang --target=arm-linux-gnueabihf -mthumb -mcpu=cortex-a9 -mfpu=vfpv3-d16 -O2 -g -c -o "$tmp/it.o" "$(pwd)/programs/branches.c" 2> "$tmp/why" &&
		branches it arm-linux-gnueabihf-gcc "$tmp/it.o" > "$tmp/why" && pairs < "$tmp/it.info" > "$tmp/ours" &&
		grep -v ' 0 1$' "$tmp/probed" | cut -d' ' -f2- | sort | diff - "$tmp/ours" > "$tmp/why"
	ok $? "of T32 with IT"
	line=$(grep -n 'x > 2)' programs/branches.c | cut -d: -f1)
	for name in a64 a32 t32 it; do
		grep -Eq "^BRDA:($line|$((line + 4))),0,0,-\$" "$tmp/$name.info" || echo "$name: none in line $line"
	done > "$tmp/why"
	[ ! -s "$tmp/why" ]
	ok $? "one that was never reached, whatever the function before it is"

	# always() leaves each time: IT has no atom for that, but the code shows it.
	"$CSFLOW" annotate always "$tmp/it.data" > "$tmp/why" 2>&1 && grep -q 'bxlt.*lr.*# taken 100.00%' "$tmp/why"
	ok $? "annotate: taken always"
	"$CSFLOW" annotate leave "$tmp/a32.data" > "$tmp/why" 2>&1 && grep -q 'bxle.*lr.*# taken 20.00%' "$tmp/why"
	ok $? "annotate: a conditional return"
	for name in a32 it; do
		"$CSFLOW" report --show=blocks --percent-limit=0 -d $name "$tmp/$name.data" 2> "$tmp/why" |
			awk -v name=$name '/(leave|always) / { print name, $4 }'
	done | sort > "$tmp/ours"
	printf '%s\n' 'a32 100.00%' 'a32 20.00%' 'it 100.00%' 'it 20.00%' | diff - "$tmp/ours" > "$tmp/why"
	ok $? "report: shares of both"
	"$CSFLOW" profile -q --for=json -o "$tmp/json" "$tmp/it.data" 2> "$tmp/why" &&
		python3 - "$tmp/json" > "$tmp/why" 2>&1 << 'END'
import json
import sys
file = next(f for f in json.load(open(sys.argv[1]))["files"] if f["name"].endswith("/it"))
both = [b for b in file["blocks"] if b["taken"] and b["passed"] and not b.get("conditional")]
assert not both, both
assert any(b.get("conditional") and b.get("return") for b in file["blocks"])
END
	ok $? "profile: what went both ways is conditional"
else
	skip "branches of A32 and T32" "no arm-linux-gnueabihf-gcc, qemu-arm or clang"
fi
echo "1..$n"
