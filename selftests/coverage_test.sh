#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow coverage: lines are those that gcov counts, which knows nothing of trace; lcov, genhtml and
# a reader of XML take what is written; files that are missing.
cd "$(dirname "$0")" || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. ./tap.sh

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

# Of lines that both know; the head of a function is another line to each.
cp programs/cover.c "$tmp/"
(cd "$tmp" && aarch64-linux-gnu-gcc -g -O0 --coverage -o probes cover.c && qemu-aarch64 ./probes 20 &&
	aarch64-linux-gnu-gcov -o . probes-cover) > "$tmp/why" 2>&1
sed -n 's/^ *\([0-9#]*\)\*\{0,1\}: *\([0-9]*\):.*/\2 \1/p' "$tmp/cover.c.gcov" | sed 's/#####/0/; / $/d' | sort > "$tmp/gcov"
lines "$tmp/info" | sort > "$tmp/ours"
join "$tmp/gcov" "$tmp/ours" | awk '$2 != $3 { print; bad = 1 } END { exit bad || NR < 22 }' > "$tmp/why"
ok $? "lines ran as often as gcov has it"
join -v 1 "$tmp/gcov" "$tmp/ours" > "$tmp/only"
# static int f(..), int main(..) and case: no instruction is theirs.
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
[ $? = 1 ] && ! [ -s "$tmp/ours" ] && grep -q 'it would be empty' "$tmp/why"
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
echo "1..$n"
