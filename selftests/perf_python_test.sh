#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Scripts in Python, of perf script -s, in perf with csflow in it: a handler of our own gets every sample, and
# perf's own arm-cs-trace-disasm.py lists the instructions that were executed.
cd "$(dirname "$0")" || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. ./tap.sh
. ./perf.sh
build_programs loops
command -v aarch64-linux-gnu-objdump > /dev/null || give_up "no aarch64-linux-gnu-objdump"
ours=$(realpath "${PERF:-$O/perf}") && [ -x "$ours" ] || {
	echo "Bail out! no perf with csflow in it: make perf"
	exit 1
}
core=$("$ours" --exec-path)

echo "TAP version 13"
for file in perf-archive scripts/python/arm-cs-trace-disasm.py; do
	[ -s "$core/$file" ] || echo "$core has no $file" > "$tmp/why"
	[ -s "$core/$file" ]
	ok $? "where perf looks for it there is $file"
done

record -u ete=1.1,cid,ts=1000,strobe=100:5000 --cpus=1 -- "$tmp/loops"
ok $? "a recording"
cat > "$tmp/handler.py" << 'END'
def process_event(p):
    s = p["sample"]
    print("%d %x %x" % (s["tid"], s["ip"], s["addr"]))
END
script "$ours" --itrace=b -s "$tmp/handler.py" > "$tmp/two"
cp "$tmp/said" "$tmp/why"
script "$ours" --itrace=b -F tid,ip,addr | sed 's/=>//; s/^ *//; s/  */ /g; s/ *$//' > "$tmp/one"
[ -s "$tmp/one" ] && diff "$tmp/one" "$tmp/two" >> "$tmp/why"
ok $? "a handler gets every branch"

# It takes programs from perf's cache.
"$ours" buildid-cache --add "$tmp/loops" 2> "$tmp/why" < /dev/null
ok $? "perf buildid-cache"
script "$ours" --itrace=b -s "$core/scripts/python/arm-cs-trace-disasm.py" -- -d aarch64-linux-gnu-objdump > "$tmp/list"
cp "$tmp/said" "$tmp/why"
sed -n 's/^[[:space:]]*\([0-9a-f][0-9a-f]*\):[[:space:]]\([0-9a-f]\{8\}\)[[:space:]].*/\1 \2/p' "$tmp/list" | sort -u > "$tmp/two"
executed | sed -n 's/.* \([0-9a-f]\{8,16\}\) \([0-9a-f]\{8\}\) O .*/\1 \2/p' | sed 's/^0*//' | sort -u > "$tmp/true"
[ "$(wc -l < "$tmp/two")" -gt 20 ] && comm -23 "$tmp/two" "$tmp/true" > "$tmp/why" && [ ! -s "$tmp/why" ]
ok $? "arm-cs-trace-disasm.py lists only what was executed"
echo "1..$n"
