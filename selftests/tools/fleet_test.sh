#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow report --by=version|week|machine: count tables of many machines, compared in groups.  What
# two groups have in common is worked out here a second time, from the tables as JSON.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C TZ=UTC

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

for tool in qemu-aarch64 aarch64-linux-gnu-gcc python3; do
	command -v $tool > /dev/null && continue
	skip "count tables of a fleet" "no $tool"
	echo "1..$n"
	exit 0
done
export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu

build()
{
	mkdir -p "$tmp/$1" && aarch64-linux-gnu-gcc -g -Wl,--build-id -o "$tmp/$1/json" "${@:2}" 2> "$tmp/why"
}

# record BUILD TABLE < INPUT
record()
{
	"$CSFLOW_FAST" record -q -o "$tmp/data" -- "$tmp/$1/json" > "$tmp/out" 2> "$tmp/why" &&
		"$CSFLOW_FAST" profile -q --for=counts -o "$tmp/$2" "$tmp/data" 2> "$tmp/why"
}

# report ARGUMENT...: to $tmp/ours
report()
{
	(cd "$tmp" && "$here/$CSFLOW" report "$@") > "$tmp/ours" 2> "$tmp/why"
}
here=
[ "${CSFLOW#/}" != "$CSFLOW" ] || here=$PWD

# cell LABEL COLUMN: of the first table
cell()
{
	awk -v label="$1" -v column="$2" '$1 == label { print $column; exit }' "$tmp/ours"
}

many=$(printf '{"a": [%d, "b\\n", null], "price": -1.5e3}\n' $(seq 60))
build old -O2 programs/json.c && sed 's/skip_space/skip_blanks/g' programs/json.c > "$tmp/json.c" && build new -O1 "$tmp/json.c" &&
	record old 1.counts <<< "$many" && record old 2.counts <<< '["\u00e9", true, {"x": "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"}]' &&
	record new 3.counts <<< "$many" && cp "$tmp/1.counts" "$tmp/4 .counts"
ok $? "counts of two builds and three inputs"

# ---------------------------------------------------------------- groups

printf '# a list\n1.counts v9 2026-W01 n1\n\n2.counts v10 - n2\r\n3.counts   v10 2026-W02\n4 .counts\tv9\t-\tn1\n' > "$tmp/list"
report --by=version --list=list && [ "$(awk '/^  v/ { print $1, $2 }' "$tmp/ours" | xargs)" = "v9 2 v10 2" ]
ok $? "by version, in the order of its numbers"
"$CSFLOW_FAST" merge -o "$tmp/sum" "$tmp/2.counts" "$tmp/3.counts" 2> "$tmp/why" &&
	"$CSFLOW_FAST" report --stdio "$tmp/sum" 2> "$tmp/why" | grep -qx "# Instructions: $(cell v10 3)"
ok $? "a group has the sum of its tables"
report --by=machine --list=list && [ "$(awk '/^  (-|n)/ { print $1, $2 }' "$tmp/ours" | xargs)" = "- 1 n1 2 n2 1" ]
ok $? "by machine; one without is a group of its own"
printf '1.counts\t\t\tn3\r\n2.counts\t\t2026-W05\n' > "$tmp/tabs"
report --by=machine --list=tabs && [ "$(awk '/^  (-|n)/ { print $1, $2 }' "$tmp/ours" | xargs)" = "- 1 n3 1" ]
ok $? "nothing between two tabs is no label"
touch -d 2024-12-29 "$tmp/2.counts" && touch -d 2024-12-30 "$tmp/4 .counts" && report --by=week --list=list &&
	[ "$(awk '/^  2/ { print $1, $2 }' "$tmp/ours" | xargs)" = "2024-W52 1 2025-W01 1 2026-W01 1 2026-W02 1" ] &&
	[ "$(cell 2026-W01 6)" = 100.0 ] && [ "$(cell 2026-W01 7)" = 100.0 ] && [ "$(cell 2026-W02 6)" != 100.0 ]
ok $? "by week, that of the file if there is no other; the same counts have all in common"
report --by=version 1.counts 3.counts && id=$(readelf -n "$tmp/old/json" | sed -n 's/.*Build ID: \(.\{12\}\).*/\1/p') &&
	[ "$(cell "$id" 2)" = 1 ]
ok $? "without a list, the version is a build-id"
grep -qE '^ +[0-9.]+ +[0-9.]+  json +skip_blanks$' "$tmp/ours" || grep -qE '^ +[0-9.]+ +[0-9.]+  json +read_value$' "$tmp/ours"
ok $? "functions have their share in each group"

# ---------------------------------------------------------------- how much is in common

printf '1.counts a\n2.counts b\n' > "$tmp/list"
report --by=version --list=list --format=json && cp "$tmp/ours" "$tmp/json" && for i in 1 2; do
	"$CSFLOW_FAST" profile -q --for=json -o "$tmp/$i.json" "$tmp/$i.counts" 2> "$tmp/why" || break
done && python3 - "$tmp/json" "$tmp/1.json" "$tmp/2.json" 2> "$tmp/why" << 'END'
import json, sys
def steps(path):
    n = {}
    for f in json.load(open(path))["files"]:
        for b in f["blocks"]:
            for way in "taken", "passed":
                key = f["name"].split("/")[-1], b["start"], b["size"], way
                n[key] = n.get(key, 0) + b[way] * b["instructions"]
    return n
a, b = map(steps, sys.argv[2:])
groups = json.load(open(sys.argv[1]))["groups"]
assert groups[0]["overlap_blocks"] is None and groups[0]["instructions"] == sum(a.values())
common = sum(min(a[k] / sum(a.values()), b.get(k, 0) / sum(b.values())) for k in a)
assert abs(common - groups[1]["overlap_blocks"]) < 2e-6, (common, groups[1])
assert groups[1]["overlap_first"] == groups[1]["overlap_blocks"] < groups[1]["overlap_functions"] < 1
shares = [f["shares"] for f in json.load(open(sys.argv[1]))["functions"]]
assert all(abs(sum(s[i] for s in shares) - 1) < 1e-4 for i in (0, 1))
END
ok $? "blocks in common are those of another calculation"
report --by=version --list=list --format=csv && python3 - "$tmp/json" "$tmp/ours" 2> "$tmp/why" << 'END'
import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[2])))
groups = json.load(open(sys.argv[1]))["groups"]
assert len(rows) == len(groups) == 2
for r, g in zip(rows, groups):
    assert set(r) == set(g)
    for k in r:
        assert r[k] == "" and g[k] is None or r[k] == g[k] or float(r[k]) == g[k], (k, r, g)
END
ok $? "CSV has the same numbers as JSON"
sed "s,^,$tmp/," "$tmp/list" | "$CSFLOW_FAST" report --by=version --html --list=- -o "$tmp/page" 2> "$tmp/why"
"$CSFLOW_FAST" diff --html "$tmp/1.counts" "$tmp/2.counts" -o "$tmp/theirs" 2>> "$tmp/why"
same "$tmp/theirs" "$tmp/page" "the page is that of diff, of the first group and the last one"

# ---------------------------------------------------------------- what is wrong

report --by=version --html 1.counts 2.counts
[ $? = 1 ] && grep -q 'all tables are in one' "$tmp/why" && [ ! -s "$tmp/ours" ]
ok $? "one group has no page"

printf '1.counts v1\nnowhere v2\n' > "$tmp/list"
report --by=version --list=list
[ $? = 1 ] && grep -q 'nowhere: No such file' "$tmp/why" && [ "$(cell v1 2)" = 1 ]
ok $? "a missing table is reported, and the others are shown"
printf '1.counts\0v1\n' > "$tmp/list"
report --by=version --list=list
[ $? = 1 ] && grep -q 'list: offset 0x8: a zero byte' "$tmp/why"
ok $? "what is no list is reported"
echo '# no line' > "$tmp/list"
report --by=version --list=list
[ $? = 1 ] && grep -q 'no count table is in the list' "$tmp/why"
ok $? "a list of nothing is reported"
! report --list=list 1.counts && grep -q 'only with --by' "$tmp/why" && ! report --by=week --show=blocks 1.counts && grep -q 'not with other tables' "$tmp/why"
ok $? "options that do not go together"
echo "1..$n"
