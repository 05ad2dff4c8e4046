#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow profile: formats with the callers of functions, and the tools of others that read them.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

for tool in qemu-aarch64 aarch64-linux-gnu-gcc clang-19 llvm-profgen-19 python3; do
	command -v $tool > /dev/null && continue
	skip "profiles by context" "no $tool"
	echo "1..$n"
	exit 0
done

# profile FORMAT PROGRAM: to $tmp/PROGRAM.FORMAT
profile()
{
	"$CSFLOW" profile --for="$1" --binary="$tmp/$2" -o "$tmp/$2.$1" "$tmp/$2.data" 2> "$tmp/why"
}

export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
for sources in programs/contexts.c "programs/loops.c programs/twin.c"; do
	name=${sources%%.c*}
	name=${name##*/}
	# shellcheck disable=SC2086
	clang-19 --target=aarch64-linux-gnu -O2 -g -fdebug-info-for-profiling -fuse-ld=lld -o "$tmp/$name" \
		$sources 2> "$tmp/why" &&
		"$CSFLOW_FAST" record -q -o "$tmp/$name.data" -u ete=1.1,rs,cid -- "$tmp/$name" 1 > /dev/null 2> "$tmp/why"
	ok $? "record $name"
	for format in llvm llvm-cs hybrid; do
		profile $format $name || break
	done
	ok $? "$name: llvm, llvm-cs, hybrid"
done

# ---------------------------------------------------------------- by context

# A line for each context, without its total and what llvm-profgen would do with it.
by_context()
{
	grep -v '!Attributes' "$1" | sed 's/^\(\[.*\]\):[0-9]*:/\1:/' | sed ':a; N; s/\n / /; ta; P; D' | sort
}

profgen()
{
	llvm-profgen-19 --binary="$tmp/$1" --perfscript="$tmp/$1.hybrid" --format=text --gen-cs-nested-profile=0 \
		--csspgo-preinliner=0 --csprof-merge-cold-context=0 -o "$tmp/$1.theirs" > "$tmp/why" 2>&1
}

profgen contexts && grep -q '@ few:4 @ work' "$tmp/contexts.theirs"
ok $? "llvm-profgen-19 makes contexts of call chains"
by_context "$tmp/contexts.theirs" > "$tmp/theirs"
by_context "$tmp/contexts.llvm-cs" > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "llvm-cs: every context, line and call as there: $(wc -l < "$tmp/ours") contexts"
llvm-profdata-19 overlap --sample "$tmp/contexts.theirs" "$tmp/contexts.llvm-cs" > "$tmp/why" 2>&1 &&
	grep -q 'sample overlap: 100.000%' "$tmp/why"
ok $? "llvm-profdata-19: they overlap whole"
profgen loops
ok $? "llvm-profgen-19 takes functions that call themselves"

# All contexts of a function together are its counts: by function and line, except for inlined
# functions, of which contexts have calls.
python3 - "$tmp/loops.llvm" "$tmp/loops.llvm-cs" > "$tmp/why" 2>&1 << 'END'
import collections, re, sys

def add(count, function, at, rest):
    words = rest.split(" ")
    count[function, at] += int(words[0])
    for target in words[1:]:
        name, n = target.rsplit(":", 1)
        count[function, at, name] += int(n)

flat, stack, inlined = collections.Counter(), [], set()
for line in open(sys.argv[1]):
    depth = len(line) - len(line.lstrip(" "))
    del stack[depth:]
    if not depth:
        stack = [line.split(":")[0]]
        continue
    at, rest = line.strip().split(": ", 1)
    call = re.fullmatch(r"([^ :]+):(\d+)", rest)
    if call:
        inlined.add((stack[-1], at))
        stack.append(call[1])
    else:
        add(flat, stack[-1], at, rest)
apart, contexts = collections.Counter(), 0
for line in open(sys.argv[2]):
    if line[0] == "[":
        contexts += 1
        function = line[1:].split("]")[0].split(" @ ")[-1]
    else:
        add(apart, function, *line.strip().split(": ", 1))
bad = [(k, flat[k], apart[k]) for k in sorted(set(flat) | set(apart), key=str)
       if flat[k] != apart[k] and k[:2] not in inlined]
print(*bad, sep="\n")
sys.exit(bool(bad) or contexts < 8 or not any(len(k) == 3 for k in apart))
END
ok $? "llvm-cs: all contexts together are the profile without"
grep -q ' sub:185 mix:165 add:150$' "$tmp/loops.llvm-cs"
ok $? "llvm-cs: what was called most comes first"
for v in 14 16 19; do
	if ! command -v clang-$v > /dev/null; then
		skip "clang-$v takes contexts" "no clang-$v"
		continue
	fi
	clang-$v --target=aarch64-linux-gnu -O2 -g -S -emit-llvm -o "$tmp/use.ll" programs/contexts.c \
		-fprofile-sample-use="$tmp/contexts.llvm-cs" 2> "$tmp/why" &&
		[ "$(grep -c branch_weights "$tmp/use.ll")" -ge 3 ] &&
		grep -q function_entry_count "$tmp/use.ll" && [ ! -s "$tmp/why" ]
	ok $? "clang-$v takes contexts"
done
for format in llvm-cs extbinary-cs; do
	profile $format contexts &&
		llvm-profdata-19 merge --sample --text -o "$tmp/$format" "$tmp/contexts.$format" 2> "$tmp/why"
	ok $? "llvm-profdata-19 reads $format"
done
same "$tmp/llvm-cs" "$tmp/extbinary-cs" "extbinary-cs: all of it is there"
llvm-profdata-19 merge --sample --extbinary -o "$tmp/merged" "$tmp/contexts.llvm-cs"
for file in merged contexts.extbinary-cs; do
	llvm-profdata-19 show --sample --detailed-summary "$tmp/$file" > "$tmp/$file.shown" 2> "$tmp/why"
done
same "$tmp/merged.shown" "$tmp/contexts.extbinary-cs.shown" "extbinary-cs: its summary as llvm-profdata makes it"
clang-19 --target=aarch64-linux-gnu -O2 -g -S -emit-llvm -o "$tmp/theirs" programs/contexts.c \
	-fprofile-sample-use="$tmp/merged" 2> "$tmp/why" &&
	clang-19 --target=aarch64-linux-gnu -O2 -g -S -emit-llvm -o "$tmp/ours" programs/contexts.c \
		-fprofile-sample-use="$tmp/contexts.extbinary-cs" 2>> "$tmp/why" && [ ! -s "$tmp/why" ]
ok $? "clang-19 takes it"
same "$tmp/theirs" "$tmp/ours" "and makes of it what it makes of llvm-profdata's"
clang-19 --target=aarch64-linux-gnu -O2 -g -fdebug-info-for-profiling -funique-internal-linkage-names -fuse-ld=lld \
	-o "$tmp/unique" programs/contexts.c 2> "$tmp/why" &&
	"$CSFLOW_FAST" record -q -o "$tmp/unique.data" -u ete=1.1,rs,cid -- "$tmp/unique" 1 > /dev/null 2> "$tmp/why" &&
	for format in llvm-cs extbinary-cs; do
		profile $format unique &&
			clang-19 --target=aarch64-linux-gnu -O2 -g -S -emit-llvm -o "$tmp/$format" programs/contexts.c \
				-funique-internal-linkage-names -fprofile-sample-use="$tmp/unique.$format" 2> "$tmp/why" || break
	done && grep -q 'define .* @_ZL.*__uniq.*!prof' "$tmp/llvm-cs"
ok $? "functions with unique names: clang-19 finds them"
same "$tmp/llvm-cs" "$tmp/extbinary-cs" "extbinary-cs: and makes the same of them"
"$CSFLOW" profile --for=counts -o "$tmp/counts" "$tmp/contexts.data" 2> "$tmp/why" &&
	"$CSFLOW" profile --for=llvm-cs --binary="$tmp/contexts" "$tmp/counts" 2> "$tmp/why"
[ $? = 1 ] && grep -q 'counts have no callers' "$tmp/why"
ok $? "counts do not tell who called whom, and that is said"
# ---------------------------------------------------------------- stacks

# Instructions of each function, by their stacks and by their addresses; buffers are small, and a
# handler begins where a function that never returns would return to.
aarch64-linux-gnu-gcc -O2 -static -pthread -o "$tmp/calls" programs/calls.c 2> "$tmp/why" &&
	"$CSFLOW_FAST" record -q -o "$tmp/calls.data" -u ete=1.1,cid -m 8192 --raw --cpus=3 --quantum=7000 --migrate=3 -- \
		"$tmp/calls" > /dev/null 2> "$tmp/why"
ok $? "record calls"
"$CSFLOW" profile -q --for=folded "$tmp/calls.data" 2> "$tmp/why" |
	sed 's/.*;//; s/^\[.*\] /[unknown] /' | awk '{ n[$1] += $2 } END { for (f in n) print n[f], f }' | sort > "$tmp/ours"
"$CSFLOW" script -i "$tmp/calls.data" --itrace=i1i -F ip,sym 2> "$tmp/why" |
	awk '{ n[$2]++ } END { for (f in n) print n[f], f }' | sort > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "folded: what is innermost is what runs: $(wc -l < "$tmp/ours") functions"
echo "1..$n"
