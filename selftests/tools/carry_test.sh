#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow profile --carry-from: counts of an old build in a new one, compared with those that the new
# one has when it runs with the same input.  With CSFLOW_LONG, also two releases of sqlite3, built by
# clang with each profile: bench/carry.sh.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

for tool in qemu-aarch64 aarch64-linux-gnu-gcc python3; do
	command -v $tool > /dev/null && continue
	skip "counts of old builds" "no $tool"
	echo "1..$n"
	exit 0
done
export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu

# build NAME SOURCE...: a program of this name in a folder of its own, as releases are
build()
{
	local out=$tmp/$1/json

	mkdir -p "$tmp/$1" && shift && aarch64-linux-gnu-gcc -O2 -g -Wl,--build-id -o "$out" "$@" 2> "$tmp/why"
}

record()
{
	"$CSFLOW_FAST" record -q -o "$tmp/$1.data" -- "$tmp/$1/json" < "$tmp/input" > "$tmp/$1.out" 2> "$tmp/why" &&
		"$CSFLOW_FAST" profile -q --for=counts -o "$tmp/$1.counts" "$tmp/$1.data" 2> "$tmp/why"
}

# carry OLD... NEW: its counts to $tmp/carried; what is said about them to $tmp/why
carry()
{
	"$CSFLOW" profile --for=counts --binary="$tmp/${*: -1}/json" -o "$tmp/carried" "${@:1:$#-1}" "$tmp/old.counts" 2> "$tmp/why"
}

# The percentage of what ran that two count tables have in common, of the program of that build: a step is a
# place and whether its branch was taken.
common()
{
	for table in "$tmp/carried" "$tmp/$1.counts"; do
		"$CSFLOW_FAST" profile -q --for=json -o "$table.json" "$table" || return 1
	done
	python3 - "$tmp/carried.json" "$tmp/$1.counts.json" << 'END'
import json, sys
def steps(path):
    n = {}
    for f in json.load(open(path))["files"]:
        for b in f["blocks"] if f["name"].endswith("/json") else []:
            for way in "taken", "passed":
                n[b["start"], b["last"], way] = n.get((b["start"], b["last"], way), 0) + b[way]
    return {k: v / sum(n.values()) for k, v in n.items()}
a, b = map(steps, sys.argv[1:])
print("%.1f" % (100 * sum(min(a[k], b.get(k, 0)) for k in a)))
END
}

# share NAME: the percentage that was carried of it, as reported
share()
{
	sed -n "s/^csflow:  *\(.*\/\)\?$1[:,].* \([0-9.]*\) % of .*/\2/p" "$tmp/why" | head -n 1
}

# at_least LIMIT VALUE
at_least()
{
	echo "# $2, at least $1"
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(b != "" && b + 0 >= a) }'
}

for i in $(seq 60); do
	printf '{"id": %d, "tags": ["a\\"b", "\\u00e9", ""], "price": %d.5e1, "sold": true, "size": {"w": -%d, "none": null}}\n' $i $((i * 7)) $((i % 9))
done > "$tmp/input"
build old programs/json.c && record old
ok $? "an old build runs"

# ---------------------------------------------------------------- code that moved

printf 'int unused_%d(int x) { return x * %d + (x > %d); }\n' $(seq 60) > "$tmp/more.c"
build moved "$tmp/more.c" programs/json.c && record moved && carry --carry-from="$tmp/old/json" moved &&
	[ "$(share json)" = 100.00 ] && at_least 99.9 "$(common moved)"
ok $? "a build whose code only moved gets all counts"
"$CSFLOW_FAST" profile -q --for=fdata --binary="$tmp/moved/json" --carry-from="$tmp/old/json" -o "$tmp/ours" "$tmp/old.counts" 2> "$tmp/why" &&
	"$CSFLOW_FAST" profile -q --for=fdata --binary="$tmp/moved/json" "$tmp/moved.counts" > "$tmp/theirs" 2> "$tmp/why"
same "$tmp/theirs" "$tmp/ours" "its profile for BOLT is the one of its own counts"

# ---------------------------------------------------------------- code that changed

# A field before all others, a function with another name, one more, a condition turned round, a check.
sed 's/^struct value {/&\n\tlong line;/
	s/skip_space/skip_blanks/g
	s/^static int hex(char c)$/static void __attribute__((noinline)) check(const char *s)\n{\n\tif (!*s)\n\t\tfail("empty");\n}\n\n&/
	s/^\tfail("no hexadecimal digit");/\tcheck(at);\n&/' programs/json.c > "$tmp/json.c"
! cmp -s "$tmp/json.c" programs/json.c && build new "$tmp/json.c" && record new && cmp "$tmp/old.out" "$tmp/new.out" > "$tmp/why" &&
	carry --carry-from="$tmp/old/json" new && at_least 90 "$(share json)" && at_least 90 "$(common new)"
ok $? "a new build gets 90 % of the counts, where they are when it runs"
aarch64-linux-gnu-gcc -O1 -g -o "$tmp/moved/json" "$tmp/json.c" && record moved &&
	carry --carry-from="$tmp/old/json" moved && at_least 60 "$(share json)" && at_least 50 "$(common moved)"
ok $? "even one with another optimisation gets 60 %"
carry --quality --carry-from="$tmp/old/json" new && grep -q '^csflow:   [a-z_]*: [0-9.]* % of [0-9]* instructions' "$tmp/why"
ok $? "--quality says it of each function"
carry --min-quality=100 --carry-from="$tmp/old/json" new
[ $? = 3 ] && grep -q 'quality: carried is .*, less than 100 %' "$tmp/why" && [ -s "$tmp/carried" ]
ok $? "--min-quality is for what is carried, too"

# ---------------------------------------------------------------- many builds

"$CSFLOW_FAST" merge -o "$tmp/all.counts" "$tmp/old.counts" "$tmp/moved.counts" "$tmp/new.counts" 2> "$tmp/why" &&
	"$CSFLOW_FAST" profile --for=counts --binary="$tmp/new/json" --carry-from="$tmp" -o "$tmp/ours" "$tmp/all.counts" 2> "$tmp/why" &&
	[ "$(grep -c 'build-id .* carried to' "$tmp/why")" = 2 ] && at_least 75 "$(share '2 builds')"
ok $? "all builds that a folder has are carried to the new one"
"$CSFLOW_FAST" profile -q --for=json "$tmp/ours" > "$tmp/json" && [ "$(grep -c '"name": "[^"]*/json"' "$tmp/json")" = 1 ]
ok $? "the other builds have no counts then"
"$CSFLOW" profile --for=counts --binary="$tmp/new/json" --carry-from="$tmp/old" -o "$tmp/ours" "$tmp/all.counts" 2> "$tmp/why"
[ $? = 1 ] && [ "$(grep -c 'its counts are not carried' "$tmp/why")" = 1 ] && [ -s "$tmp/ours" ]
ok $? "a build that is not there is reported, the others are carried"
"$CSFLOW" profile --for=counts --binary="$tmp/new/json" --carry-from="$tmp/old" --carry-from="$tmp/moved" -o "$tmp/ours" "$tmp/all.counts" 2> "$tmp/why" &&
	[ "$(grep -c 'build-id .* carried to' "$tmp/why")" = 2 ] && ! grep 'not carried' "$tmp/why"
ok $? "each folder has one of them"

# ---------------------------------------------------------------- what cannot be carried

aarch64-linux-gnu-strip -o "$tmp/stripped" "$tmp/old/json" && ! carry --carry-from="$tmp/stripped" new && grep -q 'no symbols' "$tmp/why"
ok $? "not from a build without symbols"
! carry --carry-from="$tmp/new/json" new && grep -q 'no counts to carry\|no other build' "$tmp/why"
ok $? "nothing from a build that did not run"
"$CSFLOW" profile --for=counts --carry-from="$tmp/old/json" "$tmp/old.counts" 2> "$tmp/why" > "$tmp/ours"
[ $? = 2 ] && grep -q 'needs one --binary' "$tmp/why"
ok $? "a new build has to be named"

holds bench/carry.sh "three releases of sqlite3" \
	"sqlite3: 80 % of counts are carried; of the gain, 90 % after eight weeks and 75 % after twenty months"
echo "1..$n"
