#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow profile: simpleperf's branch lists, written and read.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

profile()
{
	"$CSFLOW" profile "$@" 2> "$tmp/why"
}

# In the form of simpleperf's documentation and files.
cat > "$tmp/list.proto" << 'END'
syntax = "proto3";
message Branch { bytes branch = 1; uint32 branch_size = 2; uint64 count = 3; }
message Addr { uint64 addr = 1; repeated Branch branches = 2; }
message Kernel { uint64 kernel_start_addr = 1; }
message Binary {
	string path = 1; string build_id = 2; repeated Addr addrs = 3;
	enum Type { ELF_FILE = 0; KERNEL = 1; KERNEL_MODULE = 2; }
	Type type = 4; Kernel kernel_info = 5;
}
message BranchList { string magic = 1; repeated Binary etm_data = 2; }
END

if ! command -v protoc > /dev/null || ! command -v python3 > /dev/null; then
	skip "branch lists" "no protoc, or no python3"
	echo "1..$n"
	exit 0
fi

if [ -n "$CSFLOW_CORPUS" ]; then
	dir=$CSFLOW_CORPUS/simpleperf
	profile --for=branch-list --symfs="$dir" -o "$tmp/list" "$dir/perf_etm.data" &&
		protoc -I"$tmp" --decode=BranchList "$tmp/list.proto" < "$tmp/list" > "$tmp/text" 2> "$tmp/why" &&
		[ "$(grep -c branch_size "$tmp/text")" = 11 ] && ! grep -q '^ *[0-9]' "$tmp/text" &&
		grep -q 'build_id: "[0-9a-f]*"' "$tmp/text" && grep -q 'magic: "simpleperf:EtmBranchList"' "$tmp/text"
	ok $? "protoc knows all of it"
	profile --symfs="$dir" "$tmp/list" > "$tmp/ours"
	sed '/^.. build_id/s/0*$//; /^$/d' "$dir/perf_inject.data" > "$tmp/theirs"
	same "$tmp/theirs" "$tmp/ours" "read again it is simpleperf's own profile of that recording"
	mkdir "$tmp/empty"
	profile --symfs="$tmp/empty" "$tmp/list" > "$tmp/ours"
	[ $? = 1 ] && grep -q 'for want of .*etm_test_loop, build-id 0c9a20bf9c009d0e4e8bbf9fad0300ae: [1-9]' "$tmp/why"
	ok $? "a program that is missing is named, and how many atoms are lost"
	printf 'magic: "simpleperf:EtmBranchList" etm_data { path: "etm_test_loop" addrs { addr: 4228
		branches { branch: "\\003" branch_size: 2 count: 7 } } }' > "$tmp/long.words"
	protoc -I"$tmp" --encode=BranchList "$tmp/list.proto" < "$tmp/long.words" > "$tmp/long"
	profile --symfs="$dir" "$tmp/long" > "$tmp/ours"
	printf '1\n1084-1088:7\n0\n1\n1088->0:7\n// etm_test_loop\n' > "$tmp/theirs"
	grep -q 'lost: 7 atoms' "$tmp/why" || echo "nothing is lost" >> "$tmp/ours"
	same "$tmp/theirs" "$tmp/ours" "behind a branch to nobody knows where atoms are lost"
	sed 's/size: 2/size: 16/' "$tmp/long.words" | protoc -I"$tmp" --encode=BranchList "$tmp/list.proto" > "$tmp/short"
	profile --symfs="$dir" "$tmp/short" > "$tmp/ours"
	[ $? = 1 ] && grep -q 'a branch list that is damaged' "$tmp/why"
	ok $? "so many atoms as it has bytes for"
	head -c 100 "$tmp/list" > "$tmp/cut"
	profile --symfs="$dir" "$tmp/cut" > "$tmp/ours"
	[ $? = 1 ] && grep -q 'a branch list that is damaged' "$tmp/why"
	ok $? "one that is cut short is refused"
	bad=0
	python3 - "$tmp/list" "$tmp/bad" << 'END'
import random, sys
data = open(sys.argv[1], "rb").read()
random.seed(1)
for i in range(60):
    body = bytearray(data)
    for k in range(3):
        body[random.randrange(26, len(body))] = random.randrange(256)
    open("%s.%d" % (sys.argv[2], i), "wb").write(body)
END
	for file in "$tmp"/bad.*; do
		timeout 100 "$CSFLOW" profile --symfs="$dir" "$file" > "$tmp/ours" 2> "$tmp/why"
		[ $? -le 1 ] || bad=1
	done
	ok $bad "damaged ones do no harm"
else
	skip "simpleperf's own recording" "CSFLOW_CORPUS is not set"
fi

for tool in qemu-aarch64 aarch64-linux-gnu-gcc; do
	command -v $tool > /dev/null && continue
	skip "branch lists of recordings" "no $tool"
	echo "1..$n"
	exit 0
done

# ISB takes an atom, too, and goes on.
sed 's|^\treturn 0;$|\t__asm__ volatile ("isb");\n&|' programs/loops.c > "$tmp/loops.c"
aarch64-linux-gnu-gcc -O2 -g -static -o "$tmp/loops" "$tmp/loops.c" 2> "$tmp/why" &&
	"$CSFLOW_FAST" record -q --truth="$tmp/truth" -o "$tmp/loops.data" -u ete=1.1,rs,cid -- "$tmp/loops" 1 > /dev/null 2> "$tmp/why"
ok $? "record loops"

# A list as simpleperf makes it, of long atom runs, from the truth log, in words for protoc.
PYTHONPATH=lib python3 - "$tmp/truth" "$tmp/loops" > "$tmp/words" 2> "$tmp/why" << 'END'
import collections, struct, sys
from truth_log import Reader, chunks

runs, blocks = collections.Counter(), {}
start, bits, last, pending = None, "", None, None

def end():
    global start, bits, pending
    if bits:
        runs[start, bits] += 1
    start, bits, pending = None, "", None

def run(addr, words):
    global start, bits, last, pending
    for w in words:
        if pending:
            taken = pending == "always" or addr != last + 4
            bits += "1" if taken else "0"
            if pending == "indirect":
                end()
        elif start is not None and addr != last + 4:
            end()
        pending = None
        if start is None:
            start = addr
        if w & 0x7c000000 == 0x14000000 or w & 0xfffff0ff == 0xd50330df:
            pending = "always"
        elif w >> 25 == 0b1101011:
            pending = "always"
            if w & 0xfe000000 == 0xd6000000:
                bits += "1"
                end()
        elif w & 0xff000010 == 0x54000000 or w & 0x7c000000 == 0x34000000:
            pending = "conditional"
        last = addr
        addr += 4

for _, content in chunks(open(sys.argv[1], "rb").read()):
    r = Reader(content)
    while r.more():
        n = r.number()
        if n:
            run(*blocks[n])
            continue
        kind, size = r.number(), r.number()
        p = Reader(r.data[r.at:r.at + size])
        r.at += size
        if kind == 1:
            number, addr, isa, n = p.number(), p.number(), p.number(), p.number()
            blocks[number] = addr, struct.unpack_from("<%dI" % n, p.data, p.at)
        elif kind == 2:
            block, first, n = p.number(), p.number(), p.number()
            run(blocks[block][0] + 4 * first, blocks[block][1][first:first + n])
        elif kind == 5:
            p.number()
            if pending:
                bits += "1" if pending == "always" or p.number() != last + 4 else "0"
            end()
end()
print('magic: "simpleperf:EtmBranchList" etm_data { path: "%s"' % sys.argv[2])
for (addr, bits), count in sorted(runs.items()):
    raw = "".join("\\%03o" % int(bits[i:i + 8][::-1], 2) for i in range(0, len(bits), 8))
    print('addrs { addr: %d branches { branch: "%s" branch_size: %d count: %d } }' % (addr, raw, len(bits), count))
print("}")
print(max(len(b) for a, b in runs), file=sys.stderr)
END
[ "$(cat "$tmp/why")" -ge 64 ] && protoc -I"$tmp" --encode=BranchList "$tmp/list.proto" < "$tmp/words" > "$tmp/runs" 2> "$tmp/why"
ok $? "atom runs from the truth log"
# Whole blocks with their counts; cut blocks have no atom, and no place in a list.
whole()
{
	profile --for=json "$1" > "$tmp/json" && python3 - "$tmp/json" "$tmp/loops" 2>> "$tmp/why" << 'END'
import json, sys
file = [f for f in json.load(open(sys.argv[1]))["files"] if f["name"] == sys.argv[2]][0]
for b in file["blocks"]:
    if not b.get("cut"):
        print(b["start"], b["size"], b["instructions"], b["kind"], b.get("target"), b["taken"], b["passed"])
END
}

whole "$tmp/loops.data" > "$tmp/theirs"
whole "$tmp/runs" > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "runs of many atoms: every block as the trace has it: $(wc -l < "$tmp/theirs")"
[ "$(wc -l < "$tmp/ours")" -gt 300 ]
ok $? "there are many"
profile --for=branch-list --binary="$tmp/loops" -o "$tmp/list" "$tmp/loops.data" && whole "$tmp/list" > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "what is written is read again"
profile --for=folded "$tmp/list" > "$tmp/ours"
[ $? = 1 ] && grep -q 'counts have no callers' "$tmp/why"
ok $? "a list does not tell who called whom, and that is said"
profile --for=counts -o "$tmp/counts" "$tmp/list" && "$CSFLOW" merge -o "$tmp/twice" 2:"$tmp/counts" 2> "$tmp/why"
whole "$tmp/twice" | awk '{ print $1, $6, $7 }' > "$tmp/ours"
awk '{ print $1, 2 * $6, 2 * $7 }' "$tmp/theirs" > "$tmp/doubled"
same "$tmp/doubled" "$tmp/ours" "a list becomes a count table, and that is merged"
echo "1..$n"
