#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Names of code in stripped programs: in the report, its page and the timeline at most 1 % of what ran
# has none. Names that are made of addresses are those of functions, by the symbols that the program
# had before; names of Go are those symbols. Two recordings of one program have the same names.
# In make check C and C++; Go and Rust where there are compilers, with CSFLOW_LONG.
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
for tool in qemu-aarch64 aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ python3; do
	command -v $tool > /dev/null || give_up "no $tool"
done
library=/usr/aarch64-linux-gnu

# NUMBER of ALL: at most 1 %, and there is something
few()
{
	[ -n "$1" ] && [ -n "$2" ] && [ "$2" -gt 10000 ] && [ $((100 * $1)) -le "$2" ] ||
		{ echo "$1 of $2 have no name" > "$tmp/why"; false; }
}

# < TIMELINE: ns without a name, and all, by the innermost function of each thread
timeline_share()
{
	python3 -c '
import collections, json, sys

stack, last = collections.defaultdict(list), {}
sums = [0, 0]
for e in json.load(sys.stdin)["traceEvents"]:
    if e["ph"] not in "BE" or not e["pid"]:
        continue
    key = e["pid"], e["tid"]
    if stack[key]:
        ns = round((e["ts"] - last[key]) * 1000)
        sums[1] += ns
        if stack[key][-1].startswith("["):
            sums[0] += ns
    last[key] = e["ts"]
    if e["ph"] == "B":
        stack[key].append(e["name"])
    else:
        stack[key].pop()
print(*sums)'
}

# names FILE: the names of functions in the program, each once
names()
{
	awk -v dso="$1" '$4 == dso { sub(".*\\[[.k]\\] ", ""); print }' "$tmp/report" | sort -u
}

# check NAME: $tmp/NAME is stripped, $tmp/NAME.full is not
check()
{
	local name=$1 unknown all

	# shellcheck disable=SC2086 # words
	record $unit -L "$library" -- "$tmp/$name"
	ok $? "$name: csflow record"
	mv "$tmp/data" "$tmp/$name.data"
	"$CSFLOW" report -i "$tmp/$name.data" > "$tmp/report" 2> "$tmp/why"
	read -r unknown all < <(awk '/^# Instructions:/ { all = $3 } /\[unknown\]$/ { n += $2 }
		END { print n + 0, all }' "$tmp/report")
	few "$unknown" "$all"
	ok $? "$name: names in the report"
	read -r unknown all < <("$CSFLOW" report --html -i "$tmp/$name.data" 2> "$tmp/why" |
		python3 truth/page_data.py functions | awk '{ all += $2 } /\[unknown\]$/ { n += $2 }
		END { print n + 0, all }')
	few "$unknown" "$all"
	ok $? "$name: names in its page"
	read -r unknown all < <("$CSFLOW" timeline --for=chrome -i "$tmp/$name.data" 2> "$tmp/why" |
		timeline_share)
	few "$unknown" "$all"
	ok $? "$name: names in the timeline"
	names "$name" > "$tmp/$name.names"
	${tools-aarch64-linux-gnu-}nm "$tmp/$name.full" > "$tmp/nm"
}

# Names that are made are of addresses where a function begins.
starts()
{
	local name=$1

	sed -n "s/^$name+0x//p" "$tmp/$name.names" | sort > "$tmp/made"
	sed -n 's/^0*\([0-9a-f]*\) [tTwWu] .*/\1/p' "$tmp/nm" | sort -u > "$tmp/begin"
	comm -23 "$tmp/made" "$tmp/begin" > "$tmp/why"
	[ "$(wc -l < "$tmp/made")" -ge "$2" ] || echo "only $(wc -l < "$tmp/made") of them" >> "$tmp/why"
	[ ! -s "$tmp/why" ]
	ok $? "$name: names that are made are of beginnings of functions"
}

# strip_to NAME: makes the stripped one
strip_to()
{
	${tools-aarch64-linux-gnu-}strip -o "$tmp/$1" "$tmp/$1.full"
}

aarch64-linux-gnu-gcc -O2 -fPIE -pie -pthread -o "$tmp/plain.full" programs/threads.c 2> "$tmp/why" && strip_to plain
ok $? "a program in C"
check plain
starts plain 3

aarch64-linux-gnu-g++ -O2 -fPIE -pie -pthread -o "$tmp/cxx.full" programs/names.cpp 2> "$tmp/why" && strip_to cxx
ok $? "a program in C++"
check cxx
starts cxx 8
cp "$tmp/cxx.names" "$tmp/before"
check cxx
same "$tmp/before" "$tmp/cxx.names" "cxx: the names of another recording"

# A static program has its table of stubs without a dynamic section, and the C library in it.
aarch64-linux-gnu-gcc -O2 -static-pie -pthread -o "$tmp/static.full" programs/threads.c 2> "$tmp/why" && strip_to static
ok $? "a static program in C"
check static
starts static 20

# Of 32-bit programs another table says where functions begin.
if command -v qemu-arm arm-linux-gnueabihf-gcc > /dev/null; then
	tools=arm-linux-gnueabihf- unit='-u etm4=4.4,cid'
	${tools}gcc -O2 -static -pthread -o "$tmp/arm.full" programs/threads.c 2> "$tmp/why" && strip_to arm
	ok $? "a program in C for 32-bit Arm"
	check arm
	starts arm 20
	unset tools unit
else
	skip "a program for 32-bit Arm" "no qemu-arm"
fi

if [ -z "$CSFLOW_LONG" ]; then
	skip "programs in Go and Rust" "it takes half a minute"
	echo "1..$n"
	exit
fi

# go_names: at each address that was executed, the name is that of the symbol there
go_names()
{
	"$CSFLOW" script -i "$tmp/go.data" -F ip,sym --itrace=i1i 2> "$tmp/said" | sort -u |
		python3 -c '
import bisect, sys

rows = sorted((int(f[0], 16), f[-1]) for f in (l.split() for l in open(sys.argv[1])) if len(f) == 3 and f[1] in "tT")
starts = [r[0] for r in rows]
n = 0
for line in sys.stdin:
    f = line.split()
    addr = int(f[0], 16)
    i = bisect.bisect_right(starts, addr)
    if f[1] == "[unknown]" or addr >= 0x5500000000 or not i:
        continue
    same = {r[1].removesuffix(".abi0") for r in rows[bisect.bisect_left(starts, starts[i - 1]):i]}
    n += 1
    if f[1] not in same:
        print(f[0], f[1], same)
if n < 1000:
    print("only", n)' "$tmp/nm" > "$tmp/why"
	[ ! -s "$tmp/why" ]
	ok $? "$1: the name at each address that ran is that of its symbol"
}

if command -v go > /dev/null; then
	for mode in exe pie; do
		GOOS=linux GOARCH=arm64 CGO_ENABLED=0 GOCACHE=$tmp/gocache GOFLAGS=-mod=mod GO111MODULE=off \
			go build -buildmode=$mode -o "$tmp/go.full" programs/names.go > "$tmp/why" 2>&1 &&
			strip_to go
		ok $? "a program in Go: $mode"
		check go
		[ $mode = pie ] || go_names "go $mode"
		sed 's/^[0-9a-f ]* . //; s/\.abi0$//' "$tmp/nm" | sort -u > "$tmp/symbols"
		comm -23 "$tmp/go.names" "$tmp/symbols" > "$tmp/why"
		[ "$(wc -l < "$tmp/go.names")" -ge 100 ] || echo "too few" >> "$tmp/why"
		[ ! -s "$tmp/why" ]
		ok $? "go $mode: all names are symbols of the program"
	done
else
	skip "a program in Go" "no go"
fi

# Debian's compiler has Debian's library for arm64.
rust=$([ -x /usr/bin/rustc ] && programs/arm64-root.sh "$O" rust 2> "$tmp/why")
if [ -n "$rust" ]; then
	for mangling in '' '-C symbol-mangling-version=v0'; do
		# shellcheck disable=SC2086 # words
		/usr/bin/rustc --sysroot "$rust/usr" --target aarch64-unknown-linux-gnu -C opt-level=2 \
			-C linker=aarch64-linux-gnu-gcc $mangling -o "$tmp/rust.full" \
			programs/names.rs 2> "$tmp/why" &&
			strip_to rust
		ok $? "a program in Rust $mangling"
		check rust
		starts rust 30
		cp "$tmp/rust.full" "$tmp/rust"
		check rust
		grep -c '<names::Square as names::Shape>::area\|<.*Circle.* as .*Shape>::area\|::sum' "$tmp/rust.names" > "$tmp/why"
		! grep -q '_ZN\|_R[A-Z]\|::h[0-9a-f]\{16\}' "$tmp/rust.names" && [ "$(cat "$tmp/why")" -ge 2 ]
		ok $? "rust: names of the program that is not stripped are those of the source"
	done
else
	skip "a program in Rust" "no rustc of Debian"
fi
echo "1..$n"
