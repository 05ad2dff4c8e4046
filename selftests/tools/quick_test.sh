#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow quick: atom runs of packets, and profiles of them.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
CSFLOW=$(realpath "$CSFLOW")
mkperf=$O/selftests/make/mkperf
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

# What it says of each is kept.
quick()
{
	"$CSFLOW" quick "$@" 2> "$tmp/why"
}

profile()
{
	"$CSFLOW" profile -q "$@" 2> "$tmp/why"
}

# equal RECORDING NAME: the count table of its atom runs is that of the recording
equal()
{
	quick -o "$tmp/runs" "$1" && profile --for=counts -o "$tmp/ours" "$tmp/runs" &&
		profile --for=counts -o "$tmp/theirs" "$1" && cmp "$tmp/ours" "$tmp/theirs" 2> "$tmp/why"
	ok $? "$2"
}

# ---------------------------------------------------------------- damaged files

# Atom runs of which everything is known: a unit, a file, a section, a part, and what goes on after it.
cat > "$tmp/make.py" << 'END'
import random, struct, sys, zlib

def leb(v):
    out = b""
    while v > 127:
        out += bytes([v & 127 | 128])
        v >>= 7
    return out + bytes([v])

def table(**other):
    f = dict(stats=0, units=1, devarch=0x47704a13, kind=0, files=1, dso=0, size=0x1000, sections=1, runs=2,
             end=0, atoms=64, section=1, back=1, unit=0, count=7, more=b"", version=1, protocol=0, etmidr=0)
    f.update(other)
    n = leb
    body = n(f["stats"]) + n(0)
    body += n(f["units"]) + n(f["devarch"]) + n(0x28000ea1) + n(0x4100f400) + n(0x488) + n(0) + n(0)
    if f["version"] > 1:
        body += n(f["protocol"]) + n(f["etmidr"]) + n(0) + n(0)
    body += n(f["files"]) + n(f["kind"]) + n(0) + n(4) + b"prog"
    body += n(f["sections"]) + n(f["dso"]) + n(0) + n(f["size"]) + n(0) + n(0x400000) + n(0)
    body += n(f["runs"])
    body += n(0) + n(f["end"]) + n(f["unit"]) + n(f["atoms"]) + b"\xff" * 8 + n(f["section"]) + n(0x80)
    if f["end"] & 7 > 5:
        body += n(1) + n(0x20)
    body += n(f["back"]) + n(1) + n(0) + n(1) + b"\x01" + n(f["count"]) + n(0)
    return whole(body + f["more"], f["version"])

def whole(body, version=1):
    return b"CSFQUICK" + struct.pack("<II", version, zlib.crc32(body)) + body

where, what = sys.argv[1], sys.argv[2:]
if what[0] == "random":
    data = open(what[1], "rb").read()[16:]
    random.seed(3)
    for i in range(60):
        body = bytearray(data)
        for k in range(3):
            body[random.randrange(len(body))] = random.randrange(256)
        open("%s.%d" % (where, i), "wb").write(whole(bytes(body)))
else:
    fields = dict(w.split("=") for w in what if "=" in w)
    fields = {k: (v.encode() if k == "more" else int(v, 0)) for k, v in fields.items()}
    open(where, "wb").write(table(**fields))
END

# refused OFFSET REASON FIELD=VALUE...
refused()
{
	local offset=$1 reason=$2
	shift 2
	python3 "$tmp/make.py" "$tmp/bad" "$@"
	quick "$tmp/bad" > "$tmp/out"
	[ $? = 1 ] && grep -q "$tmp/bad: offset $offset: $reason" "$tmp/why" && [ ! -s "$tmp/out" ]
	ok $? "refused: $reason"
}

if command -v python3 > /dev/null; then
	python3 "$tmp/make.py" "$tmp/good" x
	quick "$tmp/good" > "$tmp/out" && grep -q '100.00%  *455  *7  *1  prog *0x40$' "$tmp/out" &&
		grep -q '455 atoms in 7 atom runs, 1 of them different' "$tmp/why"
	ok $? "what is in a file is printed"
	quick -o "$tmp/again" "$tmp/good" && quick -o "$tmp/third" "$tmp/again" && cmp "$tmp/again" "$tmp/third"
	ok $? "and written as it was"
	refused 0x15 "too many trace units" units=999999
	refused '0x[0-9a-f]*' "a register of more than 32 bits" devarch=0x100000000
	refused '0x[0-9a-f]*' "an unknown kind of file" kind=9
	refused '0x[0-9a-f]*' "too many files" files=0xffffffffff
	refused '0x[0-9a-f]*' "a section of a file that is not there" dso=1
	refused '0x[0-9a-f]*' "an impossible section" size=0
	refused '0x[0-9a-f]*' "a section is too long" size=0xffffffffffff
	refused '0x[0-9a-f]*' "more atom runs than fit" runs=0xffffffffffffffff
	refused '0x[0-9a-f]*' "an unknown form of an atom run" end=7
	refused '0x[0-9a-f]*' "an unknown form of an atom run" end=6
	refused '0x[0-9a-f]*' "an unknown form of an atom run" end=6 version=3
	refused '0x[0-9a-f]*' "an unknown form of an atom run" end=0x20 version=3 protocol=4 etmidr=0x4100f311 devarch=0
	refused '0x[0-9a-f]*' "an unknown form of an atom run" end=0x22 version=3 protocol=3 etmidr=0x4100f241 devarch=0
	refused '0x[0-9a-f]*' "an unknown trace unit" version=3 protocol=4 etmidr=0x4100f241
	refused '0x[0-9a-f]*' "an unknown trace unit" version=3 protocol=7
	refused 0x8 "it has another version" version=2
	python3 "$tmp/make.py" "$tmp/older" version=3 protocol=4 etmidr=0x4100f311 devarch=0 end=0x36
	quick -o "$tmp/again" "$tmp/older" && quick -o "$tmp/third" "$tmp/again" && cmp "$tmp/again" "$tmp/third" &&
		quick "$tmp/third" > "$tmp/out" && grep -q '100.00%  *455  *7  *1  prog *0x40$' "$tmp/out"
	ok $? "a file with a PTM"
	refused '0x[0-9a-f]*' "an atom run has more atoms than fit" atoms=65
	refused '0x[0-9a-f]*' "an atom run in a section that is not there" section=2
	refused '0x[0-9a-f]*' "an atom run of a trace unit that is not there" unit=1
	refused '0x[0-9a-f]*' "an atom run that continues none" back=2
	refused '0x[0-9a-f]*' "it ends too early" runs=3
	refused '0x[0-9a-f]*' "there is data after its end" more=x
	python3 "$tmp/make.py" "$tmp/huge" count=0xffffffffffffffff
	profile "$tmp/huge" > "$tmp/out"
	[ $? = 1 ] && grep -q "$tmp/huge: its counts are too large" "$tmp/why"
	ok $? "counts that no profile can hold are refused"
	for size in 15 16 40; do
		head -c $size "$tmp/good" > "$tmp/cut"
		quick "$tmp/cut" > "$tmp/out"
		[ $? = 1 ] && grep -q "$tmp/cut: " "$tmp/why"
		ok $? "cut to $size bytes it is refused"
	done
	profile "$tmp/cut" > "$tmp/out"
	[ $? = 1 ] && grep -q "$tmp/cut: offset 0xc: its checksum is wrong" "$tmp/why"
	ok $? "a profile of it is refused, too"
else
	skip "damaged files" "no python3"
fi

(cd "$tmp" && quick 2> "$tmp/why")
[ $? = 1 ] && grep -q '^csflow: perf.data: No such file' "$tmp/why" && { quick --mem=0 x; [ $? = 2 ]; }
ok $? "no recording, and no memory"

# ---------------------------------------------------------------- recordings

if [ -n "$CSFLOW_CORPUS" ]; then
	dir=$CSFLOW_CORPUS/simpleperf
	quick "$dir/perf_etm.data" > "$tmp/out"
	[ $? -le 1 ] && grep -q 'etm_test_loop' "$tmp/out"
	ok $? "simpleperf's recording, without its program"
else
	skip "simpleperf's own recording" "CSFLOW_CORPUS is not set"
fi

for tool in qemu-aarch64 aarch64-linux-gnu-gcc; do
	command -v $tool > /dev/null && continue
	skip "atom runs of recordings" "no $tool"
	echo "1..$n"
	exit 0
done

# Branches that never go the same way, calls by pointer, loops of many lengths.
cat > "$tmp/dice.c" << 'END'
#include <stdio.h>
#include <unistd.h>

static unsigned long state = 1, sum;

static unsigned long roll(void)
{
	state = state * 6364136223846793005ul + 1442695040888963407ul;
	return state >> 33;
}

static __attribute__((noinline)) void odd(unsigned long v)
{
	for (int i = 0; i < 16; i++)
		if (v >> i & 1)
			__asm__ volatile ("add %0, %0, #1" : "+r" (sum));
}

static __attribute__((noinline)) void many(unsigned long v)
{
	for (unsigned long i = 0; i < v % 500; i++)
		__asm__ volatile ("" ::: "memory");
}

int main(void)
{
	static void (*const f[])(unsigned long v) = { odd, many, odd };

	for (int i = 0; i < 8000; i++) {
		f[roll() % 3](roll());
		if (roll() % 4)
			getppid();
	}
	printf("%lu\n", sum);
	return 0;
}
END
# record UNIT FILE
record()
{
	"$CSFLOW_FAST" record -q -u "$1" -o "$2" -- "$tmp/dice" > /dev/null 2> "$tmp/why"
}

aarch64-linux-gnu-gcc -O2 -static -o "$tmp/dice" "$tmp/dice.c" 2> "$tmp/why" && record etm4=4.2,cid "$tmp/one.data"
ok $? "record dice"
equal "$tmp/one.data" "the count table is that of the recording, ETMv4"
cp "$tmp/runs" "$tmp/one"
record ete=1.1,cid,ts=1000 "$tmp/two.data"
equal "$tmp/two.data" "ETE, with timestamps"
cp "$tmp/runs" "$tmp/two"
record etm4=4.2,cid,bb,cc=256 "$tmp/three.data"
equal "$tmp/three.data" "all branches with addresses, and cycles"
cp "$tmp/runs" "$tmp/three"

# What was cancelled did not happen: without code, too, only what is sure counts.
for unit in etm4=4.2,cid,spec=4:50 etm4=4.2,cid,spec=24:5 etm4=4.4,cid,spec=1:20,bb etm4=4.2,cid,spec=8:30,cc=16,ts=100,sync=1024; do
	record $unit "$tmp/spec.data"
	equal "$tmp/spec.data" "what may be cancelled waits: $unit"
	# where time tells halves apart, damage may move what was in between
	[[ $unit = *ts=* ]] && continue
	"$mkperf" "$tmp/spec.data" "$tmp/broken.data" holes=20 2> "$tmp/why"
	equal "$tmp/broken.data" "with damage: $unit"
done

# A packet that cannot be right, and takes nothing away: execution goes on behind it, and is followed on.
# Cycle counts of two bytes, which are most of these, become Cancels of nothing; every seventh, and some are behind an
# exception.  And the first where the second half of the trace begins: what is of which half is the same.
for unit in etm4=4.2,cid,cc=8 etm4=4.2,cid,cc=8,spec=8:30 ; do
	"$CSFLOW_FAST" record -q --raw -u $unit -o "$tmp/raw.data" -- "$tmp/dice" > /dev/null 2> "$tmp/why"
	"$CSFLOW_FAST" dump "$tmp/raw.data" 2> /dev/null | perl -e '
		open F, "+<", $ARGV[0] or die;
		while (<STDIN>) {
			if (/^# buffer .* (\d+) bytes at offset 0x([0-9a-f]+), raw/) {
				$buffer = $all;
				$base = hex $2;
				$all += $1;
			}
			push @at, [$base + $1, $buffer + $1] if /^ +(\d+) \[..\] cc2 /;
		}
		for (@at) {
			$half++ if $$_[1] >= $all / 2;
			next if $n++ % 7 && $half != 1;
			seek F, $$_[0], 0;
			print F "\x2e\0";
		}
		exit !$half' "$tmp/raw.data"
	ok $? "Cancels of nothing: $unit"
	equal "$tmp/raw.data" "they break nothing: $unit"
done

# overwrite UNIT PACKET N BYTES: hurt.data, where BYTES, in hexadecimal, stand where the N-th packet of that kind is, from
# 0; N:I: from its byte I on
overwrite()
{
	local skip=${3%:*} at=0
	[[ $3 = *:* ]] && at=${3#*:}
	[ -f "$tmp/whole.$1" ] || "$CSFLOW_FAST" record -q --raw -u "$1" -o "$tmp/whole.$1" -- "$tmp/dice" > /dev/null 2>&1
	cp "$tmp/whole.$1" "$tmp/hurt.data"
	"$CSFLOW_FAST" dump "$tmp/hurt.data" 2> /dev/null | perl -e '
		($file, $packet, $skip, $at, $bytes) = @ARGV;
		open F, "+<", $file or die;
		while (<STDIN>) {
			$base = hex $1 if /^# buffer .* bytes at offset 0x([0-9a-f]+), raw/;
			next if !/^ +(\d+) \[..\] \Q$packet\E / || $n++ != $skip;
			seek F, $base + $1 + $at, 0;
			print F pack "H*", $bytes;
			exit 0;
		}
		exit 1' "$tmp/hurt.data" "$2" "$skip" "$at" "$4"
}

# hurt UNIT PACKET N BYTES WHAT: atom runs of it make the same profile
hurt()
{
	overwrite "$1" "$2" "$3" "$4"
	ok $? "$1: $4 for $2 $3"
	quick -o "$tmp/runs" "$tmp/hurt.data"
	[ $? -le 1 ] && profile --for=counts -o "$tmp/ours" "$tmp/runs" &&
		profile --for=counts -o "$tmp/theirs" "$tmp/hurt.data" && cmp "$tmp/ours" "$tmp/theirs" 2> "$tmp/why"
	ok $? "$5"
}

# Is there one source address, and no way to it?
no_way()
{
	"$CSFLOW_FAST" dump "$tmp/hurt.data" 2> /dev/null | grep -A 1 ' src\.' > "$tmp/src"
	[ "$(wc -l < "$tmp/src")" = 2 ] && grep -q 'gap walk' "$tmp/src"
}

# Damage that says something else, and is followed where it leads.
hurt etm4=4.2,cid addr.ctx 1:5 36 "behind code that nobody has, execution is followed anew"
hurt etm4=4.2,cid addr.s 700 9601 "where no instruction of A64 can be, none is"
hurt etm4=4.2,cid exception 300:2 9df0f0f0f0f0f0f0f0 "an exception to which nothing leads"
hurt etm4=4.2,cid addr.s 700:3 0605950000 "one that is behind what was executed"
hurt etm4=4.2,cid atom 1000 af "a Q without an address is none"
hurt ete=1.1,cid atom 1000 b9f0f0f0f0f0f0f0f0 "a source address where no code is"
# What is executed before main(), and where, depends on the environment: atom runs have no ways but by atoms.
for place in $(seq 1000 40 2000); do
	overwrite ete=1.1,cid atom "$place" b41012 && no_way && break
done
hurt ete=1.1,cid atom "$place" b41012 "one to which no way leads"
hurt etm4=4.4,cid,bb atom 7000 81b0f0f0f0f0 "another thread in the midst of an atom run: its code is another"
# Where the code is contradicted twice, with nothing executed between, the table has a break more: that address did not run.
overwrite etm4=4.4,cid,bb ctx 3:1 26
quick -o "$tmp/runs" "$tmp/hurt.data"
breaks=()
for file in runs hurt.data; do
	profile --for=json "$tmp/$file" > "$tmp/json"
	breaks+=("$(sed -n 's/.*"breaks": \([0-9]*\),/\1/p' "$tmp/json")")
	grep -v '"breaks"' "$tmp/json" > "$tmp/json.$file"
done
twice=$("$CSFLOW_FAST" dump --elements "$tmp/hurt.data" 2> /dev/null |
	awk '/ gap walk/ { n += last ~ / gap walk/ } { last = $0 } END { print n + 0 }')
[ $((breaks[0] - breaks[1])) = "$twice" ] && [ "$(wc -l < "$tmp/json.runs")" -gt 1000 ] &&
	cmp "$tmp/json.runs" "$tmp/json.hurt.data" 2> "$tmp/why"
ok $? "atom runs of AArch32 are not those of AArch64 at the same addresses"

quick "$tmp/one.data" > "$tmp/out" && grep -q '  dice  *many' "$tmp/out" && grep -q '  dice$' "$tmp/out"
ok $? "hot addresses have names, and threads"
mv "$tmp/dice" "$tmp/away" && quick --limit=0 "$tmp/one.data" > "$tmp/out" && grep -q '  dice  *0x[0-9a-f]*$' "$tmp/out" &&
	quick -o "$tmp/same" "$tmp/one.data" && cmp "$tmp/same" "$tmp/one" 2> "$tmp/why"
ok $? "atom runs are the same without the program"
"$CSFLOW" profile --for=counts -o "$tmp/ours" "$tmp/one" 2> "$tmp/why"
grep -q 'for want of .*/dice' "$tmp/why"
ok $? "a profile says that it is missing"
mkdir "$tmp/else" && mv "$tmp/away" "$tmp/else/other"
for f in bolt autofdo json; do
	profile --for=$f --binary="$tmp/else/other" "$tmp/one" > "$tmp/ours.$f"
	profile --for=$f --binary="$tmp/else/other" "$tmp/one.data" > "$tmp/theirs.$f"
	[ -s "$tmp/ours.$f" ] && cmp "$tmp/ours.$f" "$tmp/theirs.$f" 2> "$tmp/why"
	ok $? "--for=$f --binary is that of the recording"
done
profile --for=folded "$tmp/one" > "$tmp/out"
[ $? = 1 ] && grep -q 'counts have no callers' "$tmp/why"
ok $? "who called whom is not known"
mv "$tmp/else/other" "$tmp/dice"

# ---------------------------------------------------------------- merging

bad=0
quick -o "$tmp/all" "$tmp/one.data" "$tmp/two.data" "$tmp/three.data" || bad=1
for i in 1 2 3 4; do
	readarray -t list < <(printf '%s\n' one two.data three one.data | shuf --random-source=<(yes $i))
	(cd "$tmp" && quick -o first "${list[@]:0:2}" && quick -o merged.$i first "${list[@]:2:2}") || bad=1
	cmp "$tmp/merged.1" "$tmp/merged.$i" || bad=1
done > "$tmp/why" 2>&1
ok $bad "merged in any order, by any number of steps, the bytes are the same"
(cd "$tmp" && quick -o ab one two && quick -o abc ab three && quick -o bc two three && quick -o cba bc one) &&
	cmp "$tmp/abc" "$tmp/cba" && cmp "$tmp/abc" "$tmp/all"
ok $? "and those of the recordings together"
profile --for=bolt "$tmp/all" > "$tmp/ours"
for i in one two three; do
	profile --for=counts -o "$tmp/$i.counts" "$tmp/$i.data"
done
profile --for=bolt "$tmp/one.counts" "$tmp/two.counts" "$tmp/three.counts" > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "the profile is that of all of them"

# ---------------------------------------------------------------- what cannot be told

"$CSFLOW" quick --mem=1 -o "$tmp/small" "$tmp"/{one,two,three}.data 2> "$tmp/why"
[ $? = 1 ] && grep -q '[1-9][0-9]* more atoms are lost: there was no room' "$tmp/why" &&
	all=$("$CSFLOW" quick "$tmp/all" 2>&1 > /dev/null | sed -n 's/.* \([0-9]*\) atoms in .*/\1/p') &&
	kept=$(sed -n 's/.* \([0-9]*\) atoms in .*/\1/p' "$tmp/why") &&
	lost=$(sed -n 's/.* \([0-9]*\) more atoms.*/\1/p' "$tmp/why") && [ $((kept + lost)) = "$all" ]
ok $? "what does not fit in memory is lost, and counted"

record etm4=4.2,cid,rs "$tmp/rs.data" && quick -o "$tmp/rs" "$tmp/rs.data" && grep -q 'a return stack was on.*use csflow profile, or record without it: perf without retstack, csflow record -u ' "$tmp/why" &&
	profile --for=json "$tmp/rs" | grep -q '"stack": [1-9]'
ok $? "with a return stack what is lost is said"
"$mkperf" "$tmp/one.data" "$tmp/noise.data" holes=20 && quick -o "$tmp/noise" "$tmp/noise.data"
[ $? -le 1 ] && grep -q 'lost: [0-9]* atoms, [1-9][0-9]* bytes' "$tmp/why" && profile "$tmp/noise" > "$tmp/out" && [ -s "$tmp/out" ]
ok $? "damaged trace: what was skipped is counted, the rest is there"
bad=0
if command -v python3 > /dev/null; then
	python3 "$tmp/make.py" "$tmp/bad" random "$tmp/two"
	for file in "$tmp"/bad.*; do
		timeout 60 "$CSFLOW" profile -q "$file" > "$tmp/out" 2> "$tmp/why"
		[ $? -le 1 ] || bad=1
	done
	ok $bad "damaged files do no harm"
else
	skip "damaged files of a recording" "no python3"
fi
echo "1..$n"
