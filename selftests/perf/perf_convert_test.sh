#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perf data convert of perf with csflow in it: JSON has each sample that perf script prints by
# itself, also for a recording that does not describe its machine.
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
find_ours
build_programs loops

# converted PERF DATA: to $tmp/json; its addresses, and the name of the machine, to $tmp/two
converted()
{
	rm -f "$tmp/json"
	(timeout 60 "$1" data convert --to-json "$tmp/json" -i "$2" < /dev/null > "$tmp/why" 2>&1; exit $?) \
		2>> "$tmp/why" && python3 - "$tmp/json" > "$tmp/two" 2>> "$tmp/why" << 'END'
import json, sys
whole = json.load(open(sys.argv[1]))
print("machine", repr(whole["headers"]["hostname"]))
for sample in whole["samples"]:
    print("%x" % int(sample["callchain"][0]["ip"], 16))
END
}

# expect PERF DATA HOSTNAME: the expected samples, to $tmp/one; as without --itrace in perf report
expect()
{
	echo "machine '$3'"
	"$1" script -i "$2" --itrace=bi100us -F ip < /dev/null 2> "$tmp/said" | tr -d ' '
}

# convert NAME PERF DATA HOSTNAME
convert()
{
	expect "$2" "$3" "$4" > "$tmp/one"
	[ "$(wc -l < "$tmp/one")" -gt 100 ] && converted "$2" "$3" &&
		diff "$tmp/one" "$tmp/two" > "$tmp/why"
	ok $? "$1: every sample is in JSON"
}

each()
{
	convert "$1, a recording that names its machine" "$2" "$tmp/data" "$(uname -n)"
	convert "$1, a recording that names no machine" "$2" "$tmp/bare" ""
}

echo "TAP version 13"
record -u ete=1.1,cid,ts=1000,strobe=100:5000 -- "$tmp/loops" && cp "$tmp/data" "$tmp/bare" &&
	perl -e 'open F, "+<", $ARGV[0] or die; seek F, 72, 0; print F "\0" x 32' "$tmp/bare"
ok $? "a recording, and the same without features"
each "$("$ours" version)" "$ours"
[ -n "$PERF" ] || ! other=$(realpath "$O/perf-6.1" 2> /dev/null) || [ ! -x "$other" ] ||
	each "$("$other" version)" "$other"
echo "1..$n"
