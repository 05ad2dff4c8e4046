#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow profile --for=folded: the callers of functions, from trace, and as the virtual trace unit
# logged them.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

for tool in qemu-aarch64 aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ python3; do
	command -v $tool > /dev/null && continue
	skip "stacks of recordings" "no $tool"
	echo "1..$n"
	exit 0
done

# folded RECORDING ARG...: to $tmp/RECORDING.folded; the truth log has no inlined functions
folded()
{
	"$CSFLOW" profile --for=folded --no-inline "${@:2}" -o "$tmp/$1.folded" "$tmp/$1.data" 2> "$tmp/why"
}

# record NAME SOURCE ARG...
record()
{
	local cc=gcc

	[ "${2##*.}" = cc ] && cc=g++
	aarch64-linux-gnu-$cc -O1 -foptimize-sibling-calls -g -static -o "$tmp/$1" "programs/$2" 2> "$tmp/why" &&
		"$CSFLOW_FAST" record -q --truth="$tmp/$1.truth" -o "$tmp/$1.data" "${@:3}" -- "$tmp/$1" \
			> /dev/null 2> "$tmp/why"
}

for name in stacks signals; do
	record $name $name.c -u ete=1.1,rs,cid && folded $name
	ok $? "record $name"
	python3 lib/truth_stacks.py "$tmp/$name.truth" "$tmp/$name" > "$tmp/theirs" 2> "$tmp/why" &&
		python3 lib/truth_stacks.py "$tmp/$name.truth" "$tmp/$name" "$tmp/$name.folded" > "$tmp/ours" 2>> "$tmp/why"
	ok $? "$name: stacks of its truth log"
	same "$tmp/theirs" "$tmp/ours" "$name: instructions of $(wc -l < "$tmp/theirs") stacks"
done

# In case the truth log is misunderstood in the same way: facts known from the source.
while read -r stack; do
	grep -q ";main;$stack [0-9]" "$tmp/stacks.folded" || echo "no stack main;$stack"
done > "$tmp/why" << 'END'
fib;fib;fib;fib;fib;fib;fib;fib;fib;fib;leaf
even;odd;even;odd;even;odd;even;odd;even;odd;leaf
jump;jump;jump;jump;jump;deep;deep;deep;deep;deep;deep;__libc_siglongjmp
jump;jump;jump;leaf
leaf
END
[ ! -s "$tmp/why" ] && ! grep -v ';main\|^_start\|__libc_start' "$tmp/stacks.folded" >> "$tmp/why" &&
	grep -q ';main;.*;on_other;raise;.*;on_signal;leaf ' "$tmp/stacks.folded" &&
	grep -q ';qsort.*;compare \|;__qsort.*;compare ' "$tmp/stacks.folded"
ok $? "recursion, jumps in place of calls, longjmp(), signals, calls from libraries"
ours=$(grep -c ';main;[^ ]*leaf;' "$tmp/stacks.folded")
[ "$ours" = 0 ]
ok $? "a function that calls nothing is above nothing"

# Libraries are missing, but the functions that they call are there.
mkdir -p "$tmp/only$tmp"
QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
export QEMU_LD_PREFIX
aarch64-linux-gnu-gcc -O1 -g -o "$tmp/apart" programs/stacks.c 2> "$tmp/why" &&
	"$CSFLOW_FAST" record -q -o "$tmp/apart.data" -u ete=1.1,cid -- "$tmp/apart" > /dev/null 2> "$tmp/why" &&
	folded apart && mv "$tmp/apart.folded" "$tmp/whole" && mv "$tmp/apart" "$tmp/only$tmp/" &&
	{ folded apart --symfs="$tmp/only" --buildid-dir=/nowhere || true; }
for file in whole apart.folded; do
	# the caller, and which of ours did it, with the libraries in between left out
	sed -n 's/^.*;main;/main;/p' "$tmp/$file" | awk '{
		n = split($1, name, ";")
		if (name[n] !~ /^(compare|on_|leaf|tail|fib|odd|even|jump|deep)/)
			next
		path = ""
		for (i = 1; i <= n; i++)
			if (name[i] ~ /^(main|compare|on_|leaf|tail|fib|odd|even|jump|deep)/)
				path = path ";" name[i]
		sum[path] += $2
	}
	END { for (p in sum) print p, sum[p] }' | sort > "$tmp/$file.ours"
done
grep -q '^;main;compare ' "$tmp/whole.ours" && ! grep -q '^compare\|^on_' "$tmp/apart.folded"
ok $? "record stacks, without its libraries"
same "$tmp/whole.ours" "$tmp/apart.folded.ours" "libraries that are missing: $(wc -l < "$tmp/whole.ours") stacks stay"

record throws throws.cc -u ete=1.1,rs,cid && folded throws
ok $? "record throws"
sed -n 's/.*;main;\(.*\(cleaned\|caught\)[^ ]*\) [0-9]*$/\1/p' "$tmp/throws.folded" | sort > "$tmp/ours"
sort > "$tmp/theirs" << 'END'
tries(int);again(int);again(int);again(int);again(int);cleaned(int)
tries(int);again(int);again(int);again(int);cleaned(int)
tries(int);again(int);again(int);cleaned(int)
tries(int);again(int);cleaned(int)
tries(int);caught()
END
same "$tmp/theirs" "$tmp/ours" "exceptions of C++ go back to where they are caught"

# Where damage leads anywhere, the innermost function is still the one that runs.  Blocks that run
# over into the next function belong to the first.
record threads threads.c --raw --cpus=2 -u etm4=4.3,cid
ok $? "record threads"
mv "$tmp/threads.data" "$tmp/whole.data"
for seed in 1 2 3 4 5 6; do
	# one byte in 2048
	perl -e 'srand shift; local $/; my $d = <STDIN>; for (1 .. length($d) >> 11) { substr($d, 8192 + rand(length($d) - 10240), 1) = chr rand 256 } print $d' \
		$seed < "$tmp/whole.data" > "$tmp/threads.data"
	folded threads
	sed 's/.*;//' "$tmp/threads.folded"
	"$CSFLOW_FAST" script -i "$tmp/threads.data" --itrace=i1i -F ip,sym 2> /dev/null | awk 'NF == 2 { n[$2]++ } END { for (s in n) print s, -n[s] }'
done | awk '
	$2 < 0	{ all -= $2 }
		{ n[$1] += $2 }
	END {
		for (s in n)
			differ += n[s] < 0 ? -n[s] : n[s]
		print differ, "of", all
	}' > "$tmp/sums"
awk '{ exit !($3 > 500000 && $1 < $3 / 3000) }' "$tmp/sums"
ok $? "damaged trace: functions have what their addresses have, but for $(cat "$tmp/sums")"
echo "1..$n"
