#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csf_insn() agrees with objdump of Debian sid, whose binutils know the newest architecture, except
# where insn-objdump gives the reason: in check-long, for a million words of the parts of each
# processor's opcodes, and more. Otherwise the test only checks that a missing branch is noticed, in
# texts as objdump writes them.
cd "$(dirname "$0")/.." || exit 1
. lib/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
: "${O:=../build}"

echo "TAP version 13"
# TEXIT, NOP, TCHANGEB; BX, LDR pc, and words that objdump does not know
printf '   0:\td6ff03e0 \ttexit\n   4:\td503201f \tnop\n   8:\td594033c \ttchangeb\tx28, #25\n' > "$tmp/a64.txt"
printf '   0:\te12fff1e \tbx\tlr\n   4:\te59ff000 \tldr\tpc, [pc]\n   8:\te7f000f0 \tudf\t#0\n' > "$tmp/a32.txt"
grep -v '[0-9a-f]\{8\}  #' opcodes/insn-objdump > "$tmp/names"
# try NAME ISA KINDS STATUS WORDS
try()
{
	printf '%s' "$3" > "$tmp/kind"
	opcodes/insn-objdump.pl "$tmp/names" "$2" "$tmp/kind" < "$tmp/$2.txt" > "$tmp/why" 2>&1
	[ $? = "$4" ] && grep -q -e "$5" "$tmp/why"
	ok $? "$1"
}
try "the same" a64 Ioo 0 ' 0 differ'
try "a return that is missing" a64 ooo 1 ' 1 csf_insn() o, objdump I: texit'
try "a branch that is none" a64 IoB 1 ' 1 csf_insn() B, objdump o: tchangeb'
try "A32" a32 IIo 0 ' 0 differ'
try "A32: a load of pc that is missing" a32 Ioo 1 ' 1 csf_insn() o, objdump I: ldr'
sed -i '/tchange/d' "$tmp/names"
try "an instruction that nobody has named" a64 Ioo 1 ' 1 csf_insn() o, objdump no line: tchangeb'

[ "$CSFLOW_LONG" ] || { echo "1..$n"; exit 0; }
if [ ! -x "$O/selftests/opcodes/insn_llvm" ]; then
	skip "words" "no headers of LLVM 18 or later"
	echo "1..$n"
	exit 0
fi
arm=arm-linux-gnueabihf a64=aarch64-linux-gnu
lib/sid.sh "$O/sid" binutils-$a64 binutils-$arm libc6 zlib1g libzstd1 'libsframe[0-9]' > "$tmp/versions" 2> "$tmp/why"
case $? in
0)	sed 's/^/# /' "$tmp/versions" ;;
4)	skip "words" "no network"; echo "1..$n"; exit 0 ;;
*)	ok 1 "binutils of sid"; echo "1..$n"; exit 0 ;;
esac
lib=$O/sid/usr/lib/x86_64-linux-gnu
"$O/selftests/opcodes/insn_llvm" -w "$tmp" -n 500000 -p 1000000
# against ISA OF OBJDUMP OPTIONS: the words of ISA
against()
{
	local isa=$1 of=$2 objdump=$3

	shift 3
	"$lib/ld-linux-x86-64.so.2" --library-path "$lib" "$O/sid/usr/bin/$objdump-objdump" -D -b binary "$@" \
		"$tmp/$of.bin" | opcodes/insn-objdump.pl opcodes/insn-objdump "$isa" "$tmp/$of.kind" > "$tmp/why" 2>&1
	ok $? "objdump of sid: $(head -n 1 "$tmp/why")"
}
against a64 a64 $a64 -m aarch64
against a32 a32 $arm -m arm
against a32v7 a32v7 $arm -m arm
against t32a t32 $arm -m arm -M force-thumb
against t32m t32m $arm -m armv8.1-m.main -M force-thumb
echo "1..$n"
