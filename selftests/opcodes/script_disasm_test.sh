#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow script -F disasm against llvm-objdump: each instruction that ran in programs of A64, A32 and T32, whose IT blocks
# come through interrupts, through samples and without symbols, too.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

for objdump in llvm-objdump-{22,21,20,19,18,17,16,15,14} ""; do
	command -v "${objdump:-none}" > /dev/null && break
done
for tool in qemu-aarch64 qemu-arm aarch64-linux-gnu-gcc arm-linux-gnueabihf-gcc "${objdump:-llvm-objdump}"; do
	command -v "$tool" > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done

# script NAME OPTIONS...: addresses and texts, once each
script()
{
	"$CSFLOW_FAST" script "$tmp/$1.data" "${@:2}" 2> "$tmp/why" | sed 's/^ *\([0-9a-f]*\)\t\t/\1\t/' | sort -u
}

# The same of the program, without the names of addresses, and what LLVM says besides.
listing()
{
	"$objdump" -d --no-show-raw-insn --print-imm-hex "${@:2}" "$tmp/$1" |
		sed -n 's/ *<.*//; s/ *\(@\|\/\/\) .*//; s/^ *\([0-9a-f]*\): *\t\([^\t]*\)/\1\t\2/p' |
		tr -s '\t' '\t' | sed 's/\t/ /2; s/#//g; s/ *$//' | sort
}

# build NAME COMPILER OPTIONS: builds and records a program
build()
{
	"$2" -O2 -static "${@:3}" -o "$tmp/$1" programs/loops.c 2> "$tmp/why" &&
		"$CSFLOW_FAST" record -q -o "$tmp/$1.data" -- "$tmp/$1" 5 > /dev/null 2> "$tmp/why"
	ok $? "$1 is recorded"
	script "$1" --insn-trace=disasm -F ip,disasm > "$tmp/$1.ours"
}

build a64 aarch64-linux-gnu-gcc
build a32 arm-linux-gnueabihf-gcc -marm
build t32 arm-linux-gnueabihf-gcc -mthumb
for name in a64 a32 t32; do
	features=+all
	[ $name = a64 ] || features=+v8,+neon,+fp-armv8,+hwdiv,+hwdiv-arm,+mp,+virtualization,+trustzone
	listing $name --mattr=$features > "$tmp/theirs"
	sed 's/#//g' "$tmp/$name.ours" | join -t $'\t' - "$tmp/theirs" > "$tmp/both"
	awk -F '\t' '$2 != $3' "$tmp/both" > "$tmp/why"
	[ "$(wc -l < "$tmp/both")" -gt 1000 ] && ! [ -s "$tmp/why" ]
	ok $? "$name: as $objdump has it: $(wc -l < "$tmp/both") instructions"
done
grep -q '	it' "$tmp/t32.ours"
ok $? "t32: with IT blocks"
script t32 --itrace=i7i -F ip,disasm > "$tmp/some"
[ -s "$tmp/some" ] && comm -23 "$tmp/some" "$tmp/t32.ours" > "$tmp/why" && ! [ -s "$tmp/why" ]
ok $? "t32: the same text in any sample"
mkdir "$tmp/bare"
arm-linux-gnueabihf-strip -o "$tmp/bare/t32" "$tmp/t32"
mv "$tmp/t32" "$tmp/away"
script t32 --symfs="$tmp/bare" --insn-trace=disasm -F ip,disasm > "$tmp/ours"
same "$tmp/t32.ours" "$tmp/ours" "t32: the same text without symbols"

# ---------------------------------------------------------------- the line

"$CSFLOW" script --insn-trace=disasm "$tmp/a64.data" 2> "$tmp/why" > "$tmp/ours"
"$CSFLOW" script --itrace=i0nse -F +disasm,-event,-period --ns "$tmp/a64.data" > "$tmp/theirs" 2> "$tmp/why"
same "$tmp/theirs" "$tmp/ours" "--insn-trace=disasm"
[ "$(sed -n '1s/.*_start+0x0 ([^)]*)//p' "$tmp/ours")" = $'\t\tnop' ]
ok $? "two tabs before it"
for how in --insn-trace --insn-trace=raw; do
	"$CSFLOW" script $how "$tmp/a64.data" 2> "$tmp/why" | head -n 1 | grep -q ' insn: 1f 20 03 d5$'
	ok $? "$how"
done
"$CSFLOW" script -F ip,disasm "$tmp/a64.data" 2> "$tmp/why" | grep -q $'\t\tbl #0x'
ok $? "at branches"
"$CSFLOW" script --insn-trace=disarm "$tmp/a64.data" > "$tmp/ours" 2> "$tmp/why"
[ $? = 2 ] && grep -q "only raw, disasm; did you mean 'disasm'" "$tmp/why"
ok $? "another word"
# an opcode that A64 does not have
printf '\377\377\377\377' > "$tmp/undefined"
cp "$tmp/a64" "$tmp/bare/a64"
offset=$(aarch64-linux-gnu-readelf -lW "$tmp/a64" | awk '$1 == "LOAD" { print $2, $3; exit }')
at=$(awk '/_start\+0x4 / { print $5; exit }' "$tmp/ours" "$tmp/theirs")
dd if="$tmp/undefined" of="$tmp/bare/a64" bs=1 conv=notrunc status=none \
	seek=$((0x$at - ${offset#* } + ${offset% *}))
mv "$tmp/a64" "$tmp/away"
script a64 --symfs="$tmp/bare" --insn-trace=disasm -F ip,disasm | grep -q "^$at	ff ff ff ff$"
ok $? "bytes that are no instruction"
echo "1..$n"
