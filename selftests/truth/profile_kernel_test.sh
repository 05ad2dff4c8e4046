#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow profile: counts of a kernel that was moved, of its module and of a process below them.  Each
# instruction was executed as often as walk-a64.pl, which executed it, wrote.
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
. lib/kernel.sh
for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-objcopy perl python3; do
	command -v $tool > /dev/null || give_up "no $tool"
done

# Of each file, offset and count of each instruction: of the kernel, its address as linked; of a module
# the distance from its start; of the process the offset in its file.
executed()
{
	awk '$4 == "IT"' "$tmp/log" | sed 's/.* 0*\([0-9a-f]*\) [0-9a-f]* O .*/\1/' |
		perl -e 'no warnings "portable";
			my ($moved, $text, $module, $user) = map { hex } @ARGV;
			while (<STDIN>) {
				my $addr = hex;
				my ($file, $at) = $addr >= $moved ? ("kernel", $addr - $moved + $text) :
					$addr >= $module ? ("module", $addr - $module) :
					("file", $addr - 0x400000 + $user);
				$n{sprintf "%s %x", $file, $at}++;
			}
			print "$_ $n{$_}\n" for sort keys %n' $moved $text $module "$(offset user)"
}

# The same from the counts of csflow profile
counted()
{
	"$CSFLOW" profile --for=json --quality="$tmp/quality" "$@" "$tmp/data" > "$tmp/json" 2> "$tmp/why" &&
		python3 - "$tmp/json" 2> "$tmp/why" << 'END'
import collections, json, sys
n = collections.Counter()
for f in json.load(open(sys.argv[1]))["files"]:
    for b in f["blocks"]:
        for i in range(b["instructions"]):
            n["%s %x" % (f["kind"], b["start"] + 4 * i)] += b["taken"] + b["passed"]
print(*sorted("%s %d" % row for row in n.items()), sep="\n")
END
}

echo "TAP version 13"
programs -g 2> "$tmp/why"
ok $? "programs/kernel"
distance=$(sum $moved - $text)
words=(load=$moved:"$tmp/vmlinux.bin" load=$module:"$tmp/mod.bin" load=0x400000:"$tmp/user.bin"
	pc=0x400000 vbar_el1="$(at vectors)" contextidr_el1=42 irq=7,59 x24=$module)
execute "${words[@]}" && executed > "$tmp/theirs"
lines()
{
	kernel_line vmlinux $moved
	process_lines user
	echo "mmap 0 kernel 0xffffffff $module 0x1000 0 $1"
}

lines "$tmp/mod.ko" | recording
counted -k "$tmp/vmlinux" > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "kernel, module and process: $(wc -l < "$tmp/theirs") instructions"
[ "$(cut -d' ' -f1 "$tmp/theirs" | sort -u | xargs)" = "file kernel module" ]
ok $? "there are some of each"
# Lines of a module: addr2line counts from .text, at which the module begins.
"$CSFLOW" script -k "$tmp/vmlinux" --itrace=i1i -F ip,srcline "$tmp/data" 2> "$tmp/why" |
	perl -ne 'no warnings "portable"; BEGIN { $m = hex shift }
		if (/^ *([0-9a-f]+)$/) { $at = hex($1) - $m }
		elsif (/^ *(\S+:\d+)$/ && $at >= 0 && $at < 4096) { printf "%x %s\n", $at, $1 }' $module |
	sort -u > "$tmp/ours"
sed -n 's/^module \([0-9a-f]*\) .*/\1/p' "$tmp/theirs" | while read -r at; do
	echo "$at $(aarch64-linux-gnu-addr2line -s -e "$tmp/mod.ko" "0x$at")"
done | sort -u > "$tmp/executed"
same "$tmp/executed" "$tmp/ours" "lines of the module: $(wc -l < "$tmp/executed")"
grep -q '"flow": 1.000' "$tmp/quality"
ok $? "what leads to places adds up"
"$CSFLOW" quick -o "$tmp/runs" "$tmp/data" 2> "$tmp/why" &&
	"$CSFLOW" profile -q --for=counts -k "$tmp/vmlinux" -o "$tmp/replayed" "$tmp/runs" 2> "$tmp/why" &&
	"$CSFLOW" profile -q --for=counts -k "$tmp/vmlinux" -o "$tmp/decoded" "$tmp/data" 2> "$tmp/why" &&
	cmp "$tmp/replayed" "$tmp/decoded" > "$tmp/why" 2>&1
ok $? "atom runs that csflow quick saved make the same counts"
"$CSFLOW" quick -k "$tmp/vmlinux" "$tmp/data" > "$tmp/replayed" 2> "$tmp/why" && grep -q 'kernel.kallsyms.  *[a-z]' "$tmp/replayed"
ok $? "and functions of the kernel have names"

# A kernel changes its code when it boots: what ran is in its memory, which perf record --kcore keeps.  In vmlinux a
# branch of each system call is still a nop.
cp "$tmp/vmlinux" "$tmp/linked"
printf '\037\040\003\325' | dd of="$tmp/linked" bs=1 conv=notrunc status=none \
	seek=$(($(offset vmlinux) + $(sym vmlinux kernel_helper) - $text - 0x10000))
kcore "$tmp/dir/kcore_dir" $moved:"$tmp/vmlinux.bin" $module:"$tmp/mod.bin"
cp "$tmp/data" "$tmp/dir/data"
mv "$tmp/data" "$tmp/alone"
ln -s dir "$tmp/data"
counted -k "$tmp/linked" > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "vmlinux of before: counts of what ran, at its addresses"
# Without any file of the kernel, what was recorded has names and code.
{
	kallsyms vmlinux "$distance"
	kallsyms mod 0 | sed 's/$/\t[mod]/'
} > "$tmp/dir/kcore_dir/kallsyms"
echo "mod 4096 0 - Live $module" > "$tmp/dir/kcore_dir/modules"
{ kernel_line vmlinux $moved; process_lines user; echo "mmap 0 kernel 0xffffffff $module 0x1000 0 [mod]"; } | {
	rm "$tmp/data"
	recording
}
mv "$tmp/data" "$tmp/dir/data"
"$CSFLOW" report -s symbol "$tmp/dir" 2> "$tmp/why" | sed -n 's/.* \([0-9]*\)  \[.\] \([a-z_]*\)$/\2 \1/p' | sort > "$tmp/ours"
grep -v '^file' "$tmp/theirs" | while read -r kind at count; do
	file=$([ "$kind" = kernel ] && echo vmlinux || echo mod.ko)
	aarch64-linux-gnu-addr2line -f -e "$tmp/$file" "0x$at" | sed -n "1s/\$/ $count/p"
done | awk '{ n[$1] += $2 } END { for (i in n) print i, n[i] }' | sort > "$tmp/executed"
grep -vxFf "$tmp/ours" "$tmp/executed" > "$tmp/why"
[ $? = 1 ] && [ "$(wc -l < "$tmp/executed")" -gt 5 ]
ok $? "report: $(wc -l < "$tmp/executed") functions of a kernel and a module by their names in memory"
mv "$tmp/alone" "$tmp/data"
counted -k "$tmp/linked" > "$tmp/ours"
! cmp -s "$tmp/theirs" "$tmp/ours"
ok $? "without its memory they are others"
"$CSFLOW" doctor "$tmp/dir" > "$tmp/why" 2>&1
grep -q 'in kcore  *\[mod\]' "$tmp/why"
ok $? "doctor: the module is there"
{ kernel_line vmlinux $moved; process_lines user; } | recording
kcore "$tmp/later/kcore_dir" $moved:"$tmp/vmlinux.bin"
mv "$tmp/data" "$tmp/later/data"
"$CSFLOW" doctor "$tmp/later" > "$tmp/why" 2>&1
grep -q 'the kernel.s own: no record tells of a module that is loaded during a recording: load it before' "$tmp/why"
ok $? "doctor: a module that came later"
lines "$tmp/mod.ko" | recording

# A kernel with alternatives is one that does so.
aarch64-linux-gnu-objcopy --add-section .altinstructions="$tmp/raw" --set-section-flags .altinstructions=alloc,readonly \
	"$tmp/linked" "$tmp/patched" 2> "$tmp/why"
for command in "profile -q -o $tmp/out" "doctor" "script -F ip" "report"; do
	# shellcheck disable=SC2086 # words
	"$CSFLOW" $command -k "$tmp/patched" "$tmp/data" > "$tmp/ours" 2> "$tmp/why"
	grep -q "the kernel's code is that of $tmp/patched, .* record with perf record --kcore" "$tmp/why"
	ok $? "$command: reports that"
	# shellcheck disable=SC2086 # words
	! "$CSFLOW" $command -k "$tmp/patched" "$tmp/dir" 2>&1 > "$tmp/ours" | grep "the kernel's code is that of" > "$tmp/why"
	ok $? "but not if its memory is there"
done

# vmlinux by its build-id, beside another one
"$CSFLOW" profile --for=counts -k "$tmp/vmlinux" -o "$tmp/counts" "$tmp/data" 2> "$tmp/why"
for file in vmlinux mod.ko; do
	"$CSFLOW" profile --binary="$tmp/$file" -o "$tmp/$file.autofdo" "$tmp/counts" 2> "$tmp/why"
	ok $? "AutoFDO text of $file"
done
perl -ne 'no warnings "portable";
	next unless /^([0-9a-f]+)-([0-9a-f]+):(\d+)$/;
	for ($i = hex $1; $i <= hex $2; $i += 4) { $n{sprintf "module %x", $i} += $3 }
	END { print "$_ $n{$_}\n" for sort keys %n }' "$tmp/mod.ko.autofdo" > "$tmp/ours"
text=$(aarch64-linux-gnu-readelf -SW "$tmp/mod.ko" | sed -n 's/^.* \.text  *PROGBITS  *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
grep '^module' "$tmp/theirs" | perl -ane 'BEGIN { $text = hex shift } printf "module %x %d\n", hex($F[1]) + $text, $F[2]' "$text" |
	sort > "$tmp/module"
sort -o "$tmp/ours" "$tmp/ours"
same "$tmp/module" "$tmp/ours" "AutoFDO text of a module: offsets in the file of .text, 0x$text"
for file in vmlinux mod.ko; do
	for which in load file; do
		"$CSFLOW" profile --addresses=$which --binary="$tmp/$file" -o "$tmp/$file.$which" "$tmp/counts" 2> "$tmp/why"
	done
done
cmp "$tmp/mod.ko.load" "$tmp/mod.ko.file" 2> "$tmp/why" && ! cmp -s "$tmp/vmlinux.load" "$tmp/vmlinux.file"
ok $? "a module has the same for all tools, a kernel has not"
aarch64-linux-gnu-readelf -lW "$tmp/vmlinux" | awk '/^ *LOAD/ { print $2, $3, $5 }' > "$tmp/loads"
paste "$tmp/vmlinux.load" "$tmp/vmlinux.file" | perl -ne 'no warnings "portable";
	BEGIN { open F, shift; @loads = map { [ map { hex } split ] } <F> }
	next unless /^([0-9a-f]+)-\S+\t([0-9a-f]+)-/;
	($load, $file) = (hex $1, hex $2);
	($s) = grep { $file >= $_->[0] && $file < $_->[0] + $_->[2] } @loads;
	$n++;
	$bad++ if !$s || $loads[0][1] + $load != $s->[1] + $file - $s->[0];
	END { exit($bad || !$n) }' "$tmp/loads"
ok $? "of a kernel: from its first segment on, and in the file"
"$CSFLOW" profile --for=bolt --binary="$tmp/vmlinux" "$tmp/counts" 2> "$tmp/why" |
	perl -ne 'no warnings "portable"; $n{$2} += $3 if /^([Ff]) \S+ (\S+) (\d+)$/; END { exit !%n }'
ok $? "BOLT's lines of vmlinux"
"$CSFLOW" profile --for=fdata --binary="$tmp/vmlinux" "$tmp/counts" > "$tmp/fdata" 2> "$tmp/why"
grep -q ' kernel_helper ' "$tmp/fdata"
ok $? "fdata names the kernel's functions"

# ---------------------------------------------------------------- profiles of a kernel by line and by context

profile()
{
	"$CSFLOW" profile -q --for="$1" --binary="$tmp/$2" -k "$tmp/vmlinux" -o "$tmp/$2.$1" "${3:-$tmp/data}" 2> "$tmp/why"
}

# Function, line, count: each instruction has a line of its own, and functions have none, so lines are the file's.
sed -n 's/^kernel //p' "$tmp/theirs" | while read -r addr count; do
	aarch64-linux-gnu-addr2line -f -e "$tmp/vmlinux" "0x$addr" | xargs | sed "s/ .*:\([0-9]*\).*/ \1 $count/"
done | sort > "$tmp/executed"
lines_of()
{
	awk '/^[^ ]/ { sub(/^\[/, ""); sub(/\]?:[0-9]*:[0-9]*$/, ""); sub(/.* @ /, ""); f = $0 }
		/^ / && $2 > 0 { sub(/:/, "", $1); n[f " " $1] += $2 }
		END { for (i in n) print i, n[i] }' "$1" | sort
}

for format in llvm llvm-cs; do
	profile $format vmlinux && lines_of "$tmp/vmlinux.$format" > "$tmp/ours"
	same "$tmp/executed" "$tmp/ours" "$format of vmlinux: $(wc -l < "$tmp/executed") lines, as often as they were executed"
done
grep -q '^\[entry:[0-9]* @ syscall:[0-9]* @ kernel_helper\]:' "$tmp/vmlinux.llvm-cs"
ok $? "llvm-cs: who called whom in the kernel"
if command -v llvm-profdata-19 > /dev/null; then
	for format in llvm llvm-cs; do
		profile ${format/llvm/extbinary} vmlinux
		for file in $format ${format/llvm/extbinary}; do
			llvm-profdata-19 merge --sample --text -o "$tmp/$file.text" "$tmp/vmlinux.$file" 2> "$tmp/why"
		done
		same "$tmp/$format.text" "$tmp/${format/llvm/extbinary}.text" "${format/llvm/extbinary} of vmlinux: all of it is there"
	done
else
	skip "extbinary of vmlinux" "no llvm-profdata-19"
	skip "extbinary-cs of vmlinux" "no llvm-profdata-19"
fi

# ---------------------------------------------------------------- a kernel's branch list

# The blocks that take an atom: whole blocks of the kernel, a few of which were interrupted.
whole()
{
	"$CSFLOW" profile -q --for=json -k "$tmp/vmlinux" "$@" > "$tmp/json" 2> "$tmp/why" && python3 - "$tmp/json" 2>> "$tmp/why" << 'END'
import json, sys
for f in json.load(open(sys.argv[1]))["files"]:
    if f["kind"] == "kernel":
        print(f["build_id"], f["lost"])
        for b in f["blocks"]:
            if not b.get("cut"):
                print(*["%s=%s" % row for row in sorted(b.items())])
END
}

whole "$tmp/data" > "$tmp/kernel"
# A branch into another section is direct in the file; in the image, where sections may move, it is
# not.
profile branch-list vmlinux && whole "$tmp/vmlinux.branch-list" |
	sed "s/ target=$(printf %u "$(sym vmlinux early)")\$//" > "$tmp/ours"
same "$tmp/kernel" "$tmp/ours" "branch list of vmlinux: what is written is read again: $(wc -l < "$tmp/kernel") blocks"
# Field 5, kernel_info, of the one binary in it: 4 bytes more, where a message of two bytes of length stands.
python3 - "$tmp/vmlinux.branch-list" "$tmp/moved.list" 2> "$tmp/why" << 'END'
import sys
data = open(sys.argv[1], "rb").read()
head, body = data[:27], data[29:]
n = data[27] & 127 | data[28] << 7
assert data[26] == 0x12 and len(body) == n
n += 4
open(sys.argv[2], "wb").write(head + bytes([n & 127 | 128, n >> 7]) + body + b"\x2a\x02\x08\x01")
END
"$CSFLOW" profile -k "$tmp/vmlinux" "$tmp/moved.list" > "$tmp/ours" 2> "$tmp/why"
[ $? = 1 ] && grep -q "for want of .*kernel.*, build-id $(build_id vmlinux): [1-9][0-9]* atoms lost" "$tmp/why"
ok $? "branch list of a kernel where it ran: its atoms are lost, which is said"

# ---------------------------------------------------------------- modules

bad=0
for format in profgen perfscript hybrid llvm llvm-cs extbinary extbinary-cs gcov bolt bolt-traces fdata propeller branch-list; do
	profile $format mod.ko
	[ $? = 1 ] && [ ! -e "$tmp/mod.ko.$format" ] &&
		grep -q 'mod.ko, build-id .*: a kernel module: it can be written only as autofdo, folded, json and counts' "$tmp/why" ||
		{ echo "# $format"; bad=1; }
done
ok $bad "formats for tools that read no modules refuse them"

# Without vmlinux the kernel's code is missing, and the rest is there; this machine may have one.
mkdir -p "$tmp/root$tmp"
cp "$tmp/user" "$tmp/mod.ko" "$tmp/root$tmp/"
counted --symfs="$tmp/root" > "$tmp/all"
grep '^file' "$tmp/theirs" > "$tmp/file"
grep '^file' "$tmp/all" > "$tmp/ours"
same "$tmp/file" "$tmp/ours" "without vmlinux: the process"
"$CSFLOW" profile --symfs="$tmp/root" -o "$tmp/out" "$tmp/data" 2> "$tmp/why"
[ -s "$tmp/out" ] && ! grep -q '^kernel' "$tmp/all" &&
	grep -q "for want of .*kernel.*, build-id $(build_id vmlinux): [0-9]* atoms lost" "$tmp/why"
ok $? "without vmlinux: it is named by its build-id"

# ---------------------------------------------------------------- names of a kernel that is not here

kcore "$tmp/memory" $moved:"$tmp/vmlinux.bin"
kallsyms vmlinux "$distance" > "$tmp/names"

# named NAMES: functions that ran, by these names
named()
{
	"$CSFLOW" script --symfs="$tmp/root" --kcore="$tmp/memory/kcore" --kallsyms="$1" -F ip,sym \
		--itrace=i1i "$tmp/data" 2> "$tmp/why"
}

named "$tmp/names" > "$tmp/good"
grep -qwFf <(cut -d" " -f3 "$tmp/names") "$tmp/good"
ok $? "functions in an image of the kernel's memory have names"
sed 's/$/\r/' "$tmp/names" > "$tmp/crlf"
named "$tmp/crlf" > "$tmp/ours"
same "$tmp/good" "$tmp/ours" "also if lines end with two bytes"
sed '2s/.*/rubbish/' "$tmp/names" > "$tmp/bad"
named "$tmp/bad" > "$tmp/ours"
grep -qx "csflow: $tmp/bad:2: not an address, a letter and a name: names of the kernel's functions are not taken from it" "$tmp/why"
ok $? "a line that is none is named"
sed 's/^[0-9a-f]*/0/' "$tmp/names" > "$tmp/bare"
named "$tmp/bare" > "$tmp/ours"
grep -q "^csflow: $tmp/bare: no function has an address" "$tmp/why"
ok $? "so is a table without addresses"
echo "1..$n"
