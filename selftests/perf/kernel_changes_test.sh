#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Code that the kernel changed while it was recorded: a recording in a directory has its memory twice.  What differs is not
# shown, csflow says so, and csflow doctor names the function.  The recording is made around a log of a kernel of a page, see
# lib/kernel.sh.

cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
: "${O:=../build}" "${CSFLOW:=$O/check/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export LC_ALL=C HOME=$tmp
csflow=$(realpath "$CSFLOW")

. lib/tap.sh
. lib/kernel.sh
for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-objcopy perl; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
programs 2> "$tmp/why"
ok $? "a kernel of a page"
execute load=$moved:"$tmp/vmlinux.bin" load=0x400000:"$tmp/user.bin" pc=0x400000 vbar_el1="$(at vectors)" \
	contextidr_el1=42 irq=7 || { echo "1..$n"; exit; }
{ kernel_line vmlinux $moved; process_lines user; } | recording
mkdir "$tmp/r"
kcore "$tmp/r/kcore_dir" $moved:"$tmp/vmlinux.bin"
kallsyms vmlinux $((moved - text)) > "$tmp/r/kcore_dir/kallsyms"
: > "$tmp/r/kcore_dir/modules"
mv "$tmp/data" "$tmp/r/data"
awk '$4 == "IT" { sub(/^0*/, "", $6); print $6 }' "$tmp/log" > "$tmp/all"
early=$(at early)
early=${early#0x}
# It has three instructions, of which only the first one changed: after that one, nothing is known up to the next address.
grep -v -E "^$(printf '%s|%x|%x' "$early" $((0x$early + 4)) $((0x$early + 8)))\$" "$tmp/all" > "$tmp/known"
ran=$(grep -c "^$early\$" "$tmp/all")
[ "$ran" -gt 0 ]
ok $? "\"early\" runs: $ran times"

# shown NAME LIST OPTIONS...: the instructions are those of the list
shown()
{
	local name=$1 list=$2

	shift 2
	"$csflow" script --itrace=i1i -F ip "$@" "$tmp/r" 2> "$tmp/said" | sed 's/^ *//; s/ *$//' > "$tmp/shown"
	same "$list" "$tmp/shown" "$name"
}

# says WORDS, and not: does csflow say them?
says()
{
	cp "$tmp/said" "$tmp/why"
	grep -q "$1" "$tmp/said"
}

shown "one copy of the memory: all is shown" "$tmp/all"
! says 'changed'
ok $? "nothing is said of changes"

kcore "$tmp/r/kcore_dir__2nd" $moved:"$tmp/vmlinux.bin"
shown "two copies that are the same: all is shown" "$tmp/all"
! says 'changed'
ok $? "nothing is said of changes"

kcore_later "$tmp/r/kcore_dir__2nd"
shown "a word differs: what ran from there up to the next address is not shown" "$tmp/known"
says 'the kernel changed code while it was recorded'
ok $? "csflow says so"
"$csflow" doctor "$tmp/r" > "$tmp/why" 2>&1
grep -q -E "^ +[0-9.]+% +0 +$ran  changed  +\[kernel code that changed\]$" "$tmp/why"
ok $? "csflow doctor: $ran atoms are lost"
grep -q "^ *in early ($ran)$" "$tmp/why"
ok $? "csflow doctor names the function"
shown "the first copy, if it is asked for: all is shown" "$tmp/all" --kcore="$tmp/r/kcore_dir/kcore"
! says 'changed'
ok $? "nothing is said of changes"

# After another boot, the kernel is elsewhere.
kcore "$tmp/r/kcore_dir__2nd" $text:"$tmp/later.bin"
shown "the memory of another boot: all is shown" "$tmp/all"
says 'kcore_dir__2nd/kcore: not the memory of the kernel that was recorded'
ok $? "csflow says that it is another one"

echo "1..$n"
