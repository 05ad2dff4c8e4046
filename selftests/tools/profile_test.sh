#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow profile and csflow merge: a profile that simpleperf made of the same recording; counts that
# add up to what the virtual trace unit logged; merging in any order; files that are damaged; and
# the tools of others that read the output.
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

merge()
{
	"$CSFLOW" merge "$@" 2> "$tmp/why"
}

# The same except for the comments after the counts, and a target of an indirect branch inside the
# file.
if [ -n "$CSFLOW_CORPUS" ]; then
	dir=$CSFLOW_CORPUS/simpleperf
	profile --symfs="$dir" "$dir/perf_etm.data" > "$tmp/ours"
	sed 's,^1088->0:,1088->10a4:,; /^$/d; /^.. build_id/s/0*$//' "$dir/perf_inject.data" > "$tmp/theirs"
	same "$tmp/theirs" "$tmp/ours" "AutoFDO text as simpleperf's"
	[ "$(profile -q --for=json --symfs="$dir" "$dir/perf_etm.data" |
		grep -cE '"from": (4272|4332), "file": 1, "to": 297[67]56, "count": 1')" = 2 ]
	ok $? "branches to libc, of which nothing was traced, have their targets"
	mkdir "$tmp/empty"
	profile --symfs="$tmp/empty" "$dir/perf_etm.data" > "$tmp/ours"
	[ $? = 1 ] && grep -q 'csflow doctor' "$tmp/why"
	ok $? "a program that is missing is named"
else
	skip "AutoFDO text as simpleperf's" "CSFLOW_CORPUS is not set"
	skip "branches to libc" "CSFLOW_CORPUS is not set"
	skip "a program that is missing is named" "CSFLOW_CORPUS is not set"
fi

demo=data/demo
profile --for=counts --symfs=$demo -o "$tmp/demo" $demo/perf.data
ok $? "counts of the demo"
cp "$tmp/demo" "$tmp/set.0"

for tool in qemu-aarch64 aarch64-linux-gnu-gcc python3; do
	command -v $tool > /dev/null && continue
	skip "profiles of recordings" "no $tool"
	echo "1..$n"
	exit 0
done

# Instructions of all ranges of an AutoFDO text.
sum_up()
{
	perl -ne 'if (/^([0-9a-f]+)-([0-9a-f]+):(\d+)$/) { $s += ((hex($2) - hex $1) / 4 + 1) * $3 }
		  END { print "$s\n" }'
}


i=1
for name in loops plain; do
	aarch64-linux-gnu-gcc -O2 -g -static -pthread -Wl,--emit-relocs -o "$tmp/$name" \
		"programs/$name.c" 2> "$tmp/why"
	ok $? "$name is built"
	"$CSFLOW_FAST" record -q --truth="$tmp/truth" -o "$tmp/$name.data" -u ete=1.1,rs,cid \
		-- "$tmp/$name" 1 > /dev/null 2> "$tmp/why"
	ok $? "record $name"
	python3 lib/truth_count.py "$tmp/truth" | cut -d' ' -f1 > "$tmp/theirs"
	profile "$tmp/$name.data" > "$tmp/text"
	sum_up < "$tmp/text" > "$tmp/ours"
	same "$tmp/theirs" "$tmp/ours" "$name: instructions of all ranges: $(cat "$tmp/theirs")"
	profile --for=counts -o "$tmp/set.$i" "$tmp/$name.data"
	profile "$tmp/set.$i" > "$tmp/again"
	same "$tmp/text" "$tmp/again" "$name: the same from the count table"
	i=$((i + 1))
done

# ---------------------------------------------------------------- which program

# Most of what it executes is libc's.
cat > "$tmp/calls.c" << 'END'
#include <stdio.h>
#include <string.h>
int main(void)
{
	char text[64];

	for (int i = 0; i < 20; i++)
		snprintf(text, sizeof(text), "%d %s %f", i, "text", i * 1.5);
	return strlen(text) == 0;
}
END
aarch64-linux-gnu-gcc -O2 -o "$tmp/calls" "$tmp/calls.c" 2> "$tmp/why" &&
	QEMU_LD_PREFIX=/usr/aarch64-linux-gnu "$CSFLOW_FAST" record -q -o "$tmp/calls.data" -u ete=1.1,cid -- "$tmp/calls" 2> "$tmp/why"
ok $? "record a program that lets its library work"
profile --addresses=file "$tmp/calls.data" > "$tmp/text" && tail -n 1 "$tmp/text" | grep -q "/calls\$" &&
	grep -q "^csflow: this is the profile of $tmp/calls, the program that was run: [0-9].[0-9] % of the instructions; --binary has others: .*libc.so.6 [0-9.]* %" "$tmp/why"
ok $? "the program that was run, not the library of which most ran; the others are named"
profile --for=counts -o "$tmp/calls.counts" "$tmp/calls.data" && merge -o "$tmp/calls.twice" "$tmp/calls.counts" 3:"$tmp/calls.counts" &&
	profile --addresses=file "$tmp/calls.twice" > "$tmp/ours" && grep -q "the program that was run: [0-9].[0-9] %" "$tmp/why" &&
	[ "$(tail -n 1 "$tmp/ours")" = "$(tail -n 1 "$tmp/text")" ]
ok $? "and of count tables that were merged"
"$CSFLOW" quick -o "$tmp/calls.runs" "$tmp/calls.data" 2> "$tmp/why" && profile --addresses=file "$tmp/calls.runs" > "$tmp/ours" &&
	cmp "$tmp/text" "$tmp/ours" > "$tmp/why" 2>&1
ok $? "and of atom runs"
profile "$tmp/plain.data" > "$tmp/ours" && ! grep -q 'this is the profile of' "$tmp/why"
ok $? "where there is nothing to choose nothing is said"

# ---------------------------------------------------------------- merge

merge -o "$tmp/all" "$tmp"/set.0 2:"$tmp"/set.1 "$tmp"/set.2
ok $? "merge"
merge -o "$tmp/part" "$tmp"/set.1 "$tmp"/set.2
merge -o "$tmp/part2" "$tmp"/set.1 "$tmp"/set.0
merge -o "$tmp/all2" "$tmp"/part "$tmp"/part2
cmp "$tmp/all" "$tmp/all2" > "$tmp/why" 2>&1
ok $? "any order, any grouping: the same bytes"
merge -o "$tmp/twice" 2:"$tmp/set.1"
profile "$tmp/twice" | sum_up > "$tmp/ours"
profile "$tmp/set.1" | sum_up | awk '{ print 2 * $1 }' > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "weight 2: twice the counts"

size=$(stat -c %s "$tmp/demo")
bad=0
for cut in 0 15 16 $((size / 2)) $((size - 1)); do
	head -c "$cut" "$tmp/demo" > "$tmp/cut"
	merge -o "$tmp/out" "$tmp/cut"
	[ $? = 1 ] || bad=1
done
ok $bad "a count table that is cut short is refused"
grep -q "csflow: $tmp/cut: offset 0x[0-9a-f]*: it" "$tmp/why"
ok $? "and it is said where"

# With a checksum that is right, whatever the other bytes are.
python3 - "$tmp/demo" "$tmp/bad" << 'END'
import random, struct, sys, zlib
data = open(sys.argv[1], "rb").read()
random.seed(1)
for i in range(100):
    body = bytearray(data[16:])
    for k in range(3):
        body[random.randrange(len(body) if k else 200)] = random.randrange(256)
    with open("%s.%d" % (sys.argv[2], i), "wb") as f:
        f.write(data[:12] + struct.pack("<I", zlib.crc32(body)) + body)
END
bad=0
for file in "$tmp"/bad.*; do
	timeout 100 "$CSFLOW" merge -o "$tmp/out" "$file" > /dev/null 2> "$tmp/why"
	[ $? -le 1 ] || bad=1
	timeout 100 "$CSFLOW" profile --quality -o "$tmp/out" "$file" > /dev/null 2> "$tmp/why"
	[ $? -le 1 ] || bad=1
	rm -f "$file"
done
ok $bad "damaged count tables do no harm"

# ---------------------------------------------------------------- AutoFDO's text, read back

for name in loops plain calls; do
	for which in load file; do
		profile -q --addresses=$which -o "$tmp/text" "$tmp/$name.data" &&
			profile -q --addresses=$which "$tmp/text" | sort > "$tmp/ours" && sort "$tmp/text" > "$tmp/theirs"
		same "$tmp/theirs" "$tmp/ours" "AutoFDO text of $name, $which: what is written is read again"
	done
done
profile -q --for=llvm --binary="$tmp/loops" "$tmp/loops.data" > "$tmp/theirs"
profile -q -o "$tmp/loops.text" "$tmp/loops.data"
profile -q --for=llvm "$tmp/loops.text" > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "and makes the same profile by line"
merge -o "$tmp/all" 2:"$tmp/loops.text" "$tmp/set.1" && profile "$tmp/all" | sum_up > "$tmp/ours" &&
	sum_up < "$tmp/loops.text" | awk '{ print 3 * $1 }' > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "merge adds it to a count table of the same program"
grep -v '^//' "$tmp/loops.text" > "$tmp/bare"
profile -q "$tmp/bare" > "$tmp/ours"
[ $? = 1 ] && grep -q 'bare: it does not name its file: name it with --binary' "$tmp/why"
ok $? "a text that does not say which file it is of"
profile -q --binary="$tmp/loops" "$tmp/bare" > "$tmp/ours" && cmp "$tmp/loops.text" "$tmp/ours" > "$tmp/why"
ok $? "who reads it says so"
profile -q -o "$tmp/calls.text" "$tmp/calls.data" && cat "$tmp/loops.text" "$tmp/calls.text" > "$tmp/both" &&
	profile -q --binary="$tmp/calls" "$tmp/both" | sort > "$tmp/ours" && sort "$tmp/calls.text" > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "one text of two files"
# A range over a branch that was not taken, as last-branch records have it.
python3 - "$tmp/loops.text" > "$tmp/long" << 'END'
import sys
lines = open(sys.argv[1]).read().split("\n")
n = int(lines[0])
rows = [(int(a, 16), int(b, 16), int(c)) for a, b, c in (l.replace("-", ":").split(":") for l in lines[1:n + 1])]
for (a, b, c), (d, e, f) in zip(rows, rows[1:]):
    if d == b + 4 and f >= c and not any(l.startswith("%x->" % b) for l in lines):
        print("1\n%x-%x:%d\n0\n0" % (a, e, c))
        break
print("\n".join(l for l in lines if l.startswith("//")))
END
profile -q "$tmp/long" > "$tmp/ours" && [ "$(head -n 1 "$tmp/ours")" = 2 ] && [ "$(sum_up < "$tmp/ours")" = "$(sum_up < "$tmp/long")" ]
ok $? "a range over a branch is two blocks"
mv "$tmp/loops" "$tmp/away"
profile -q --for=json --buildid-dir=/nowhere "$tmp/loops.text" > "$tmp/ours"
ran=$(sed -n 's/^[0-9a-f]*-[0-9a-f]*:\([0-9]*\)$/\1/p' "$tmp/loops.text" | awk '{ n += $1 } END { print n }')
python3 -c 'import json, sys
assert json.load(open(sys.argv[1]))["files"][0]["lost"] == int(sys.argv[2])' "$tmp/ours" "$ran" 2> "$tmp/why"
ok $? "without the file ranges are lost, which is counted: $ran"
mv "$tmp/away" "$tmp/loops"
head -n 9 "$tmp/loops.text" > "$tmp/short"
merge -o "$tmp/out" "$tmp/short"
[ $? = 1 ] && grep -q "^csflow: $tmp/short:10: it is cut off" "$tmp/why"
ok $? "one that is cut off, and where"
sed '5s/-/+/' "$tmp/loops.text" > "$tmp/odd"
merge -o "$tmp/out" "$tmp/odd"
[ $? = 1 ] && grep -q "^csflow: $tmp/odd:5: no range, address or branch" "$tmp/why"
ok $? "a line that is none"
bad=0
for i in 1 2 3 4 5 6 7 8; do
	perl -e 'srand shift; local $/; $text = <STDIN>; $n = length($text) - 20;
		for (1 .. 20) { substr($text, 20 + int(rand($n)), 1) = substr("0123456789abcdef-:>\n", int(rand(20)), 1) }
		print $text' \
		$i < "$tmp/loops.text" > "$tmp/odd"
	timeout 100 "$CSFLOW" merge -o "$tmp/out" "$tmp/odd" > /dev/null 2> "$tmp/why"
	[ $? -le 1 ] || bad=1
done
ok $bad "texts that are damaged do no harm"

# ---------------------------------------------------------------- quality

# quality STATUS OPTIONS...: its messages are in $tmp/why
quality()
{
	local status=$1

	shift
	profile -o "$tmp/out" "$@"
	[ $? = "$status" ] && [ -s "$tmp/out" ]
}

record()
{
	"$CSFLOW_FAST" record -q -o "$tmp/data" --cpus=1 -u "$1" -- "$tmp/plain" "$2" > /dev/null 2> "$tmp/why"
}

record ete=1.1,rs,cid 8 && quality 0 --min-quality=90 "$tmp/data" &&
	grep -q '^csflow: quality: trace 100.0 %, files 100.0 %, flow 100.0 %, saturation 9[0-9].[0-9] %; [0-9]* of [0-9]* functions of plain ran$' "$tmp/why"
ok $? "eight times the same: $(grep -o 'saturation [0-9.]* %' "$tmp/why")"
profile --for=counts -o "$tmp/part" "$tmp/data" && cp "$tmp/why" "$tmp/theirs" &&
	profile -o "$tmp/out" "$tmp/part" && cp "$tmp/why" "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "the same of the count table"
merge -o "$tmp/five" 5:"$tmp/part" && profile -o "$tmp/out" "$tmp/five" && grep 'csflow: quality' "$tmp/why" > "$tmp/ours"
grep 'csflow: quality' "$tmp/theirs" > "$tmp/once"
same "$tmp/once" "$tmp/ours" "and of five times that"
merge -o "$tmp/many" 9223372036854775807:"$tmp/part"
[ $? = 1 ] && [ "$(cat "$tmp/why")" = "csflow merge: counts were too large to be added up, and stand at the largest number, 2^64-1" ]
ok $? "so often that numbers are too small for it"
profile -q -o "$tmp/out" "$tmp/many" && [ -s "$tmp/out" ] && grep -q "many: counts are so large that sums of them stand at the largest number" "$tmp/why"
ok $? "which can be read all the same"
quality 3 --min-quality=90 "$tmp/plain.data" && grep -q '^csflow: quality: saturation is .*, less than 90 %: record' "$tmp/why" &&
	[ "$(grep -c 'less than' "$tmp/why")" = 1 ]
ok $? "once is not enough: $(grep -o 'saturation is [0-9.]* %' "$tmp/why")"
quality 0 -q "$tmp/plain.data" && [ ! -s "$tmp/why" ]
ok $? "--quiet says nothing"
quality 0 --quality "$tmp/plain.data" && grep -q '^csflow:   .*/plain, build-id [0-9a-f]*: 100.0 % of instructions$' "$tmp/why"
ok $? "--quality says more"
# Two CPUs write into one buffer, and the unit of one of them is unknown.
"$CSFLOW_FAST" record -q -o "$tmp/two" --cpus=2 --migrate=2 --quantum=5000 -u ete=1.1,cid -- "$tmp/plain" 8 > /dev/null \
	2> "$tmp/why" && "$O/selftests/make/mkperf" "$tmp/two" "$tmp/data" hw-id=0x40:1 2> "$tmp/why" &&
	quality 3 -q --min-quality=99 "$tmp/data" && grep -q 'quality: trace is' "$tmp/why"
ok $? "trace that nobody decodes is missing: $(grep -o 'trace is [0-9.]* %' "$tmp/why")"
unknown=$(sed -n 's/.*: \([0-9]*\) bytes of trace not decoded.*/\1/p' "$tmp/why")
"$CSFLOW" quick -o "$tmp/runs" "$tmp/data" 2> "$tmp/why"
profile -q --for=json "$tmp/runs" | grep -q "\"no_unit\": ${unknown:-none},"
ok $? "of atom runs, too: $unknown bytes"
record ete=1.1,rs,cid,overflow=100,discard=300 8 && quality 3 -q --min-quality=100 --quality="$tmp/json" "$tmp/data" &&
	grep -q 'quality: trace is' "$tmp/why" && ! grep -q 'quality: flow\|quality: files' "$tmp/why"
ok $? "trace is missing: $(grep -o 'trace is [0-9.]* %' "$tmp/why")"
python3 - "$tmp/json" 2> "$tmp/why" << 'END'
import json, sys
q = json.load(open(sys.argv[1]))
assert q["quality"]["files"] == q["quality"]["flow"] == 1 and q["quality"]["trace"] < 1, q["quality"]
assert 0 < q["holes"] < q["breaks"], q
file = q["files"][0]
assert file["name"].endswith("/plain") and file["instructions"] == q["instructions"] > 0, file
assert 0 < file["functions_ran"] < file["functions"], file
END
ok $? "quality as JSON"
aarch64-linux-gnu-gcc -O2 -o "$tmp/parts" programs/loops.c &&
	QEMU_LD_PREFIX=/usr/aarch64-linux-gnu "$CSFLOW_FAST" record -q -o "$tmp/data" -u ete=1.1,rs,cid -- "$tmp/parts" \
	> /dev/null 2> "$tmp/why" && mv "$tmp/parts" "$tmp/gone" &&
	quality 3 --min-quality=99 --buildid-dir=/nowhere "$tmp/data" && grep -q '/parts, build-id' "$tmp/why" &&
	grep -q '^csflow: quality: files is .*, less than 99 %: .*--binary' "$tmp/why"
ok $? "a file is missing: $(grep -o ' files [0-9.]* %' "$tmp/why")"

# ---------------------------------------------------------------- the tools of others

# lld lays a program out so that its code is loaded at another place than in the file.
if command -v clang-19 > /dev/null && command -v ld.lld-19 > /dev/null && command -v create_llvm_prof > /dev/null; then
	clang-19 --target=aarch64-linux-gnu -O2 -gdwarf-4 -fuse-ld=lld -static -o "$tmp/lld" programs/loops.c 2> "$tmp/why" &&
		"$CSFLOW_FAST" record -q -o "$tmp/lld.data" -u ete=1.1,rs,cid -- "$tmp/lld" 1 > /dev/null 2> "$tmp/why"
	ok $? "record a program that lld linked"
	profile -o "$tmp/lld.text" "$tmp/lld.data" &&
		grep -q 'lld is not loaded at its file offsets: addresses are those for create_llvm_prof 0.19 (--addresses=load); for newer versions use --addresses=file' "$tmp/why"
	ok $? "it is said for whom the addresses are"
	create_llvm_prof --profiler=text --binary="$tmp/lld" --profile="$tmp/lld.text" --format=text --out="$tmp/prof" > "$tmp/why" 2>&1 &&
		grep -q '^main:[1-9]' "$tmp/prof"
	ok $? "create_llvm_prof knows main"
	profile --addresses=file -o "$tmp/lld.file" "$tmp/lld.data" && ! grep -q 'not loaded at' "$tmp/why"
	ok $? "who chooses is not warned"
	paste "$tmp/lld.text" "$tmp/lld.file" | perl -ne '
		$seen{hex($1) - hex $2}++ if /^([0-9a-f]+)-[0-9a-f]+:\d+\t([0-9a-f]+)-/;
		END { print join(" ", sort keys %seen), "\n" }' > "$tmp/ours"
	aarch64-linux-gnu-readelf -lW "$tmp/lld" | perl -ane 'next unless $F[0] eq "LOAD"; $first //= hex $F[2];
		print hex($F[2]) - $first - hex $F[1], "\n" if /R E/' > "$tmp/theirs"
	same "$tmp/theirs" "$tmp/ours" "the two differ by what the program header says"
else
	skip "profiles of a program that lld linked" "no clang-19, lld-19 or create_llvm_prof"
fi

if command -v llvm-profgen-19 > /dev/null; then
	profile --for=profgen --binary="$tmp/loops" -o "$tmp/unsym" "$tmp/loops.data"
	llvm-profgen-19 --binary="$tmp/loops" --unsymbolized-profile="$tmp/unsym" --format=text \
		-o "$tmp/prof" > "$tmp/why" 2>&1 && grep -q '^main:' "$tmp/prof"
	ok $? "llvm-profgen-19 knows main"
else
	skip "llvm-profgen-19 knows main" "no llvm-profgen-19"
fi
echo "1..$n"
