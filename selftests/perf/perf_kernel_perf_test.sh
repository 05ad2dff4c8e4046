#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Code of the kernel, of its modules and of guests, in perf with csflow inside: kernels of a page,
# programs/kernel/, are executed by walk-a64.pl, which writes a log; csflow encode makes trace of
# it, and mkkernel a recording around that.  Ours shows each instruction that was executed, and so
# does stock where it is right.  Where it is wrong, Documentation/user/differences.rst has a line.
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
. lib/kernel.sh
for tool in aarch64-linux-gnu-gcc aarch64-linux-gnu-objcopy perl; do
	command -v $tool > /dev/null || give_up "no $tool"
done
find_perfs

# The vDSO as perf buildid-cache keeps it
cache_vdso()
{
	local id dir

	id=$(build_id vdso)
	dir="$HOME/.debug/[vdso]/$id"
	mkdir -p "$dir" "$HOME/.debug/.build-id/${id:0:2}"
	cp "$tmp/vdso" "$dir/vdso"
	ln -sfn "../../[vdso]/$id" "$HOME/.debug/.build-id/${id:0:2}/${id:2}"
}

# ---------------------------------------------------------------- what is shown

# Address and opcode of each instruction that was executed, by those whom the pattern names
truth()
{
	awk '$4 == "IT"' "$tmp/log" | grep "${1:-.}" | sed 's/.* 0*\([0-9a-f]*\) \([0-9a-f]*\) O .*/\1 \2/' \
		> "$tmp/truth.list"
}

# instructions PERF OPTIONS: the same from the output of perf
instructions()
{
	local perf=$1

	shift
	script "$perf" --itrace=i1i -F ip,insn "$@" |
		sed -n 's/^ *0*\([0-9a-f]*\) insn: \(..\) \(..\) \(..\) \(..\) *$/\1 \5\4\3\2/p'
}

# shown NAME OPTIONS: ours is the truth
shown()
{
	local name=$1

	shift
	instructions "$ours" "$@" > "$tmp/ours"
	cp "$tmp/said" "$tmp/said.ours"
	[ -s "$tmp/truth.list" ] || echo "nothing" > "$tmp/truth.list"
	same "$tmp/truth.list" "$tmp/ours" "$name: ours shows what was executed"
}

# not_shown_at ADDR N: the truth is not known of these instructions
not_shown_at()
{
	local i

	for i in $(seq 0 $(($2 - 1))); do
		sed -i "/^$(printf %x $(($1 + 4 * i))) /d" "$tmp/truth.list"
	done
}

# not_shown NAME OPTIONS: stock is not
not_shown()
{
	local name=$1

	shift
	instructions "$stock" "$@" > "$tmp/stock"
	! cmp -s "$tmp/truth.list" "$tmp/stock"
	ok $? "$name: stock does not"
}

# alike NAME OPTIONS: stock is right; branches are the same, too, but for the last one
alike()
{
	local name=$1

	shift
	shown "$name" "$@"
	for perf in "$stock" "$ours"; do
		script "$perf" --itrace=b -F comm,tid,cpu,event,ip,sym,addr,flags,insn "$@" | samples |
			sed 's/ hw int \(.* => .*480 \)/ int \1/' > "$tmp/$([ "$perf" = "$stock" ] && echo one || echo two)"
	done
	sed -i '$d' "$tmp/two"
	[ -s "$tmp/one" ] || echo "nothing" > "$tmp/one"
	same "$tmp/one" "$tmp/two" "$name: stock and ours show the same branches"
}

echo "TAP version 13"
programs 2> "$tmp/why" || {
	ok 1 "programs/kernel"
	echo "1..$n"
	exit
}
clock=$(sum $vdso + "$(offset vdso)")

# ---------------------------------------------------------------- a kernel that was moved

# The process, and the kernel below it; with x21 also the vDSO, with x24 the module.
words=(load=$moved:"$tmp/vmlinux.bin" load=$module:"$tmp/mod.bin" load=0x400000:"$tmp/user.bin"
	load="$clock:$tmp/vdso.bin" pc=0x400000 vbar_el1="$(at vectors)" contextidr_el1=42 irq=7,59)
moved_lines()	{ kernel_line vmlinux $moved; process_lines user; }

module_line()	{ echo "mmap 0 kernel 0xffffffff $module 0x1000 0 $1"; }

if execute "${words[@]}"; then
	truth
	moved_lines | recording
	alike "vmlinux" -k "$tmp/vmlinux"

	# What perf record --kcore leaves is a directory.
	kcore "$tmp/dir/kcore_dir" $moved:"$tmp/vmlinux.bin"
	kallsyms vmlinux "$(sum $moved - $text)" > "$tmp/dir/kcore_dir/kallsyms"
	: > "$tmp/dir/kcore_dir/modules"
	alike "kcore and kallsyms" --kallsyms "$tmp/dir/kcore_dir/kallsyms"
	mv "$tmp/data" "$tmp/dir/data"
	ln -sfn dir "$tmp/data"
	alike "kcore_dir"

	# The memory from the end has another word: what ran from there up to the next address is not shown.  Stock takes the first.
	kcore_later "$tmp/dir/kcore_dir__2nd"
	not_shown_at "$(at early)" 3
	shown changed-code
	not_shown changed-code
	grep -q 'the kernel changed code while it was recorded' "$tmp/said.ours"
	ok $? "changed-code: ours says so"
	kcore "$tmp/dir/kcore_dir__2nd" $text:"$tmp/later.bin"
	truth
	shown "changed-code, of another boot"
	grep -q 'kcore_dir__2nd/kcore: not the memory of the kernel that was recorded' "$tmp/said.ours"
	ok $? "changed-code, of another boot: ours says so"
	rm -rf "$tmp/dir" "$tmp/data"
fi

unit=etm4=4.3,cid
if execute "${words[@]}"; then
	truth
	moved_lines | recording
	alike "vmlinux, without timestamps" -k "$tmp/vmlinux"
fi
unit=etm4=4.3,cid,ts=100

# Before .text, where stock assumes kernels to begin, all is user space to it, modules included.
if execute "${words[@]}" x23=1; then
	truth
	moved_lines | recording
	shown "below-text, .head.text" -k "$tmp/vmlinux"
	not_shown "below-text, .head.text" -k "$tmp/vmlinux"
fi

# names PERF OPTIONS: instructions without the name of a function
nameless()
{
	local perf=$1

	shift
	script "$perf" --itrace=i1i -F ip,sym "$@" | grep '\[unknown\]' > "$tmp/why"
}

# A module, with branches that are filled in when it is loaded
if execute "${words[@]}" x24=$module; then
	truth
	{ moved_lines; module_line "$tmp/mod.ko"; } | recording
	shown module-branches -k "$tmp/vmlinux"
	not_shown module-branches -k "$tmp/vmlinux"
	! nameless "$ours" -k "$tmp/vmlinux"
	ok $? "module-branches: ours has all names"

	# and as it was in memory
	{ moved_lines; module_line "[mod]"; } | recording
	kcore "$tmp/dir/kcore_dir" $moved:"$tmp/vmlinux.bin" $module:"$tmp/mod.bin"
	{
		kallsyms vmlinux "$(sum $moved - $text)"
		kallsyms mod 0 | sed 's/$/\t[mod]/'
	} > "$tmp/dir/kcore_dir/kallsyms"
	echo "mod 4096 0 - Live $module" > "$tmp/dir/kcore_dir/modules"
	mv "$tmp/data" "$tmp/dir/data"
	ln -sfn dir "$tmp/data"
	shown "below-text, module in kcore"
	not_shown "below-text, module in kcore"
	! nameless "$ours"
	ok $? "below-text, module in kcore: ours has all names"

	# A call chain from the module into the kernel
	script "$ours" --itrace=i1ig -F ip,sym > "$tmp/chains"
	grep -A1 'kernel_helper' "$tmp/chains" | grep -q 'module_call' && ! grep -q unknown "$tmp/chains"
	ok $? "below-text: chains through a module have names"
	rm -rf "$tmp/dir" "$tmp/data"
fi

# ---------------------------------------------------------------- files of other machines

if execute "${words[@]}" x21="$clock"; then
	truth
	vdso_line="mmap 2 user 42 $vdso 0x1000 0 [vdso] $(build_id vdso)"
	{ moved_lines; echo "$vdso_line"; } | recording
	cache_vdso
	# perf 7.2 drops the build-id that MMAP2 has of a vDSO, and so does not find it.
	[[ $("$ours" version) == 'perf version 7.'* ]] || alike "vDSO in the build-id cache" -k "$tmp/vmlinux"
	rm -rf "$HOME/.debug"

	# There is no such file: this machine's is another.
	not_shown other-vdso -k "$tmp/vmlinux"
	grep -v " ${vdso:2:8}\|^${vdso:2:8}" "$tmp/truth.list" > "$tmp/kept" && mv "$tmp/kept" "$tmp/truth.list"
	shown "other-vdso, without it" -k "$tmp/vmlinux"
	grep -q 'the code of .*vdso.* cannot be read' "$tmp/said"
	ok $? "other-vdso: ours says so"
fi

# The process is not here, but a program of this machine has its path.
if execute "${words[@]}"; then
	truth "EL1h"
	{ moved_lines; } | sed "s,$tmp/user ,$(realpath /bin/true) ,; s, [0-9a-f]*\$,," | recording
	shown "other-machine, without it" -k "$tmp/vmlinux"
	not_shown other-machine -k "$tmp/vmlinux"
fi

# ---------------------------------------------------------------- code that changes

# The code that the kernel changed, as it reports it; where there was none, it reports two words at
# once.
poke_lines()
{
	awk -v slot=0x${slot#0x} '$3 != "00000000" { print "poke", $1, "0x" $2, $3, $4; next }
		{ bytes = bytes $4 }
		++n == 2 {
			print "ksymbol", $1, slot, 4096, 2, 0, "insn_slot"
			print "poke", $1, slot, "-", bytes
		}' "$tmp/stores"
	echo "ksymbol 90000 $slot 4096 2 1 insn_slot"
}

# In memory "other" is a branch from the start, but not in the file.
printf '\002\000\000\024' > "$tmp/branch.bin"
if execute load=$text:"$tmp/poke.bin" load="$(sym poke other):$tmp/branch.bin" pc=$text el=1 \
	contextidr_el1=42 x1=0x14000002 x3=0xd503201f x6=$slot x7=0xd65f03c0 x8=0xd2800029; then
	truth
	{ kernel_line poke $text; echo "comm 1 42 user"; poke_lines; } | recording
	shown text-poke -k "$tmp/poke"
	not_shown text-poke -k "$tmp/poke"
	"$O/selftests/make/mkperf" "$tmp/data" "$tmp/pipe" pipe 2> "$tmp/why"
	# shellcheck disable=SC2002 # a pipe is what it must be
	cat "$tmp/pipe" | "$ours" script -i - --itrace=i1i -F ip,insn -k "$tmp/poke" 2> "$tmp/said" |
		sed -n 's/^ *0*\([0-9a-f]*\) insn: \(..\) \(..\) \(..\) \(..\) *$/\1 \5\4\3\2/p' > "$tmp/ours"
	same "$tmp/truth.list" "$tmp/ours" "text-poke, from a pipe: ours shows what was executed"
fi

# ---------------------------------------------------------------- guests

# attribute BIT: set in the first one's flags: 19 exclude_host, 20 exclude_guest
attribute()
{
	perl -e 'open F, "+<", $ARGV[0] or die;
		seek F, 24, 0;
		read F, $_, 8;
		my $at = 40 + unpack "Q<";
		seek F, $at, 0;
		read F, $_, 8;
		my $flags = (unpack "Q<") | 1 << $ARGV[1];
		seek F, $at, 0;
		print F pack "Q<", $flags' "$tmp/data" "$1"
}

# A host at EL2 that runs a guest whose kernel and processes are at the addresses of its own: the
# guest is interrupted here and there.
unit=etm4=4.3,cid,vmid,vmidopt,ts=100
guest_words=(load=$text:"$tmp/host.bin" load=0x400000:"$tmp/user.bin" guest=$text:"$tmp/guest.bin"
	guest=0x400000:"$tmp/guest-user.bin" pc=0x400000 hcr_el2=0x8000000 vbar_el2=$text
	vbar_el1=$text x10="$(sym guest guest_boot)" x11=5 x12=0x400000 contextidr_el2=42
	contextidr_el1=7 irq=7,40,75,110,150,160,190,200,300)
host_lines()	{ kernel_line host $text; process_lines user; }
guest_line()	{ echo "mmap 0 guest-kernel ${1:-0} $text 0x20000 $text [guest.kernel.kallsyms$2]_text $(build_id guest)"; }
if execute "${guest_words[@]}"; then
	grep -v 'EL0t_n : guest' "$tmp/log" > "$tmp/log.known"
	mv "$tmp/log" "$tmp/log.all"

	# The kernel of the guest is there, but not its process.
	mv "$tmp/log.known" "$tmp/log"
	truth
	{ host_lines; guest_line; } | recording
	shown guest-process -k "$tmp/host" --guestvmlinux "$tmp/guest"
	not_shown guest-process -k "$tmp/host" --guestvmlinux "$tmp/guest"
	! script "$ours" --itrace=b -F ip,sym -k "$tmp/host" --guestvmlinux "$tmp/guest" |
		grep -v ' 0 \[unknown\]' | grep unknown > "$tmp/why"
	ok $? "guest-process: ours has all names"

	# Parts that a kernel was asked to leave out are not in the trace; the others are shown.
	attribute 19
	shown "guest-process, exclude_host" -k "$tmp/host" --guestvmlinux "$tmp/guest"

	# By the process that runs it
	mkdir -p "$tmp/guests/42/proc"
	kcore "$tmp/guests/42/proc" $text:"$tmp/guest.bin"
	kallsyms guest 0 > "$tmp/guests/42/proc/kallsyms"
	: > "$tmp/guests/42/proc/modules"
	{
		host_lines
		echo "build-id guest-kernel 42 [guest.kernel.kallsyms.42] $(build_id guest)"
		guest_line 42 .42
	} | recording
	shown guest-of-pid -k "$tmp/host" --guestmount "$tmp/guests"
	not_shown guest-of-pid -k "$tmp/host" --guestmount "$tmp/guests"

	# Nothing is known of the guest: the code that the host has there is another's.
	truth ": host"
	host_lines | recording
	shown "guest-unknown, nobody asked" -k "$tmp/host"
	not_shown "guest-unknown, nobody asked" -k "$tmp/host"
	mkdir "$tmp/none"
	shown "guest-unknown" -k "$tmp/host" --guestmount "$tmp/none"
fi

# The guest is in the program that runs it.
if execute load=$text:"$tmp/host.bin" load=0x400000:"$tmp/own-guest.bin" guest=0x400000:"$tmp/own-guest.bin" \
	pc=0x400000 hcr_el2=0x8000000 vbar_el2=$text x10="$(sym own-guest guest_main)" x11=5 \
	contextidr_el2=42; then
	truth
	{ kernel_line host $text; process_lines own-guest; } | recording
	shown guest-code -k "$tmp/host" --guest-code
	not_shown guest-code -k "$tmp/host" --guest-code
fi

echo "1..$n"
