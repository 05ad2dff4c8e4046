#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Recordings as simpleperf of today writes them say the same as the plain one.
#
# mkphone makes them of the recording of the demo, and of one of a telephone.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export PERF_BUILDID_DIR=$tmp/cache
. lib/tap.sh

mk()
{
	"$O/selftests/make/mkphone" "$@" 2> "$tmp/why"
}

# profile FILE: as for AutoFDO, and all counts of blocks
profile()
{
	"$CSFLOW" profile --symfs="$symfs" "$1" 2> "$tmp/why"
}

script()
{
	"$CSFLOW" script --itrace=i1i --symfs="$symfs" "$1" 2> "$tmp/why"
}

# whole FILE: the part that a list can tell: blocks except those that an exception cut, and how they
# ended
whole()
{
	"$CSFLOW" profile --for=json --symfs="$symfs" -o "$tmp/json" "$1" 2> "$tmp/why" &&
		python3 - "$tmp/json" << 'END'
import json, sys
for file in json.load(open(sys.argv[1]))["files"]:
    for b in file["blocks"]:
        if not b.get("cut"):
            print(file["name"], b["start"], b["size"], b["instructions"], b["kind"], b["taken"], b["passed"])
END
}

# forms FILE NAME: of each form of it
forms()
{
	local form list plain=$1

	profile "$plain" > "$tmp/profile"
	script "$plain" > "$tmp/script"
	whole "$plain" > "$tmp/whole"
	[ -s "$tmp/whole" ] && [ -s "$tmp/profile" ] && [ -s "$tmp/script" ]
	ok $? "$2: plain"
	for form in aux-zstd records-zstd init-map "aux-zstd records-zstd" \
		    "aux-zstd records-zstd init-map"; do
		# shellcheck disable=SC2086
		mk "$plain" "$tmp/data" $form && profile "$tmp/data" > "$tmp/ours" &&
			cmp "$tmp/profile" "$tmp/ours" > "$tmp/why"
		ok $? "$2: $form: the same profile"
		script "$tmp/data" > "$tmp/ours" && cmp "$tmp/script" "$tmp/ours" > "$tmp/why"
		ok $? "$2: $form: the same instructions"
	done
	for list in branch-list branch-list-v1 branch-list-zstd; do
		"$CSFLOW" profile --for=$list --symfs="$symfs" -o "$tmp/list" "$plain" 2> "$tmp/why" &&
			whole "$tmp/list" > "$tmp/ours" && cmp "$tmp/whole" "$tmp/ours" > "$tmp/why"
		ok $? "$2: $list in a file: the same profile"
		mk "$plain" "$tmp/data" "branch-list=$tmp/list" && whole "$tmp/data" > "$tmp/ours" &&
			cmp "$tmp/whole" "$tmp/ours" > "$tmp/why"
		ok $? "$2: $list in a section: the same profile"
	done
}

symfs=data/demo
if ! command -v python3 > /dev/null; then
	skip "forms of recordings" "no python3"
	echo "1..$n"
	exit 0
fi
forms data/demo/perf.data demo
cp "$tmp/list" "$tmp/zstd"
plain=data/demo/perf.data

mk $plain "$tmp/data" aux-zstd cut-frame && profile "$tmp/data" > "$tmp/ours"
[ $? = 1 ] && [ -s "$tmp/ours" ] && ! cmp -s "$tmp/profile" "$tmp/ours" &&
	grep -q 'offset 0x.*: compressed trace of an AUXTRACE record is not all unpacked: its end is missing' "$tmp/why"
ok $? "compressed trace that is cut: what there is, and a reason"
head -c 28 "$tmp/zstd" > "$tmp/bad" && profile "$tmp/bad" > "$tmp/ours"
[ $? = 1 ] && grep -q 'cut off in its header' "$tmp/why"
ok $? "a list that is cut in its header"
head -c -10 "$tmp/zstd" > "$tmp/bad" && profile "$tmp/bad" > "$tmp/ours"
[ $? = 1 ] && grep -q 'a branch list that ends early' "$tmp/why"
ok $? "a compressed list that ends early"
(head -c 24 "$tmp/zstd"; printf '\2\0\0\0\0') > "$tmp/bad" && profile "$tmp/bad" > "$tmp/ours"
[ $? = 1 ] && grep -q 'of an unknown version: 0 and 1 are known' "$tmp/why"
ok $? "a list of another version"
"$CSFLOW" merge --symfs=$symfs -o "$tmp/merged" 2:"$tmp/zstd" 2> "$tmp/why" && whole "$tmp/merged" > "$tmp/ours"
awk '{ $6 *= 2; $7 *= 2; print }' "$tmp/whole" > "$tmp/twice"
same "$tmp/twice" "$tmp/ours" "lists are merged, by their weight"
for kind in v1 zstd; do
	"$CSFLOW" profile --for=branch-list-$kind --symfs=$symfs -o "$tmp/list" $plain 2> "$tmp/why"
	python3 - "$tmp/list" "$tmp/bad" << 'END'
import random, sys
data = open(sys.argv[1], "rb").read()
random.seed(1)
for i in range(20):
    body = bytearray(data)
    for k in range(3):
        body[random.randrange(24, len(body))] = random.randrange(256)
    open("%s.%d" % (sys.argv[2], i), "wb").write(body[:random.randrange(24, 2 * len(body))])
END
	bad=0
	for file in "$tmp"/bad.*; do
		timeout 100 "$CSFLOW" profile --symfs=$symfs "$file" > "$tmp/ours" 2> "$tmp/why"
		[ $? -le 1 ] || bad=1
	done
	ok $bad "damaged lists do no harm: $kind"
done
mk $plain "$tmp/data" "branch-list=$tmp/zstd"
"$CSFLOW" script --symfs=$symfs "$tmp/data" > "$tmp/ours" 2> "$tmp/why"
[ $? = 1 ] && grep -q 'has a branch list and no trace: csflow profile reads it' "$tmp/why"
ok $? "script of a recording with a list: says what reads it"

if [ -z "$CSFLOW_CORPUS" ]; then
	skip "recordings of a telephone" "CSFLOW_CORPUS is not set"
	echo "1..$n"
	exit 0
fi
symfs=$CSFLOW_CORPUS/simpleperf
plain=$symfs/perf_etm.data
forms "$plain" telephone
script "$CSFLOW_CORPUS/reports/simpleperf-aux-zstd.data" > "$tmp/ours"
same "$tmp/script" "$tmp/ours" "trace compressed by another: 944 instructions"
for v in 0 1; do
	"$CSFLOW" profile --for=json "$CSFLOW_CORPUS/reports/branch-list-v$v.bl" > "$tmp/list-$v" 2> "$tmp/why"
done
[ -s "$tmp/list-0" ] && same "$tmp/list-0" "$tmp/list-1" "lists made by another: version 1 as version 0"
mk "$plain" "$tmp/data" no-aux
"$CSFLOW" doctor --symfs="$symfs" "$tmp/data" > "$tmp/ours" 2> "$tmp/why"
grep '^verdict' "$tmp/ours" > "$tmp/why"
grep -q 'not saved' "$tmp/why" && ! grep -q 'nothing ran' "$tmp/why"
ok $? "doctor: trace that was written and is not in the file was not saved"
echo "1..$n"
