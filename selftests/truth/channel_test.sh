#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The channel between the kernel module and a trace unit in the emulator: what the module does when there is memory, but
# no unit that can use it, and with a unit that has no interrupts.  Each file is the memory of an ivshmem device.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0
[ -n "$CSFLOW_LONG" ] || { echo "1..0 # SKIP it takes a minute: CSFLOW_LONG=1"; exit 0; }

: "${O:=../build}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
plugin=$(realpath "$O/csflow-unit.so")
for tool in qemu-system-aarch64 aarch64-linux-gnu-gcc cpio; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$O/vm-cache" || exit 1
cache=$(realpath "$O/vm-cache")

. lib/tap.sh

aarch64-linux-gnu-gcc -O1 -g -static -no-pie -o "$tmp/plain" programs/plain.c || exit 1
cd "$tmp" || exit 1
unit='' files=()

stride=$((0x800000))

# word FILE CPU INDEX VALUE: a register, 32 bits
word()
{
	local v=$4

	printf '%b' "$(printf '\\x%02x' $((v & 255)) $((v >> 8 & 255)) $((v >> 16 & 255)) $((v >> 24)))" |
		dd of="$1" bs=4 seek=$(($2 * stride / 4 + $3)) conv=notrunc 2> /dev/null
}

# answer FILE CPU VERSION: what a unit writes before the guest starts
answer()
{
	local i=0 value

	for value in 0x43465343 "$3" 0x28000ea1 0x4100fff1 0x20001088 0x00000007 0x47705a13 0x000000cd; do
		word "$1" "$2" $i $value
		i=$((i + 1))
	done
}

# vm FILE SIZE CPUS COMMAND...: a machine with that memory, with options of QEMU in $unit and own ones in files
vm()
{
	local file=$1 size=$2 cpus=$3

	shift 3
	truncate -s "$size" "$file"
	CSFLOW_QEMU="-object memory-backend-file,id=own,share=on,mem-path=$file,size=$size -device ivshmem-plain,memdev=own $unit" \
		"$csflow" vm -q --cache="$cache" -c "$cpus" --dmesg=dmesg "${files[@]}" -- sh -c "$*" > out 2> errors ||
		sed 's/^/# /' out errors
	sed -n 's/^\[[ .0-9]*\] csflow_ete[^:]*: //p; s/^\[[ .0-9]*\] ivshmem[^:]*: //p' dmesg > said
}

# clean: the kernel itself found no fault
clean()
{
	! grep -E 'WARNING|BUG|Oops|Call trace|refcount|leak' dmesg > why
	ok $? "$1: no fault of the kernel's"
}

pmu=/sys/bus/event_source/devices/cs_etm
record='perf record -q -e cs_etm//u -o p.data true'

vm zeros 64M 1 "cat $pmu/cpu0/trcidr/trcidr0; ls -d $pmu/cpu0/live; $record"
grep -q 'magic 0x00000000, want 0x43465343' said && [ "$(sed -n 1p out)" = 0x2801cea1 ]
ok $? "memory without a unit: $(grep -m 1 magic said)"

truncate -s 64M newer
answer newer 0 2
vm newer 64M 1 "$record"
grep -q 'version 2, want 1' said
ok $? "a unit of another version: $(grep -m 1 version said)"

# The second CPU has no channel in 8 MB, and the unit of the first never answers.
truncate -s 8M small
answer small 0 1
vm small 8M 2 "cd $pmu; cat cpu0/trcidr/* cpu0/mgmt/* cpu1/trcidr/trcidr0; ls -d cpu*/live; cd - > /dev/null; \
	for i in 1 2 3; do taskset 1 $record; done; taskset 2 $record; echo done; echo x > $pmu/cpu0/replay/trace"
printf '%s\n' 0x28000ea1 0x4100fff1 0x20001088 0x7 0xcd 0x47705a13 0x2801cea1 cpu0/live done > want
same want out "registers of the unit, or of the module"
[ "$(grep -c 'does not stop' said)" = 1 ] && grep -q 'CPU 1 has no live trace unit: the device has 1' said
ok $? "a unit that does not answer: $(grep -m 1 'does not stop' said)"
grep -q 'Device or resource busy\|Resource busy' errors
ok $? "a recording for a live unit is refused"
clean "no answer"

# A unit without interrupts: a record is no larger than the channel, and a larger snapshot has the newest bytes.
unit="-plugin $plugin,shm=live" files=(-f plain)
vm live 64M 1 "perf record -q -a -m,16M -e cs_etm//u -o record.data ./plain 60; cat $pmu/cpu0/live/not_traced
	perf record -q -a -S -Se -m,16M -e cs_etm//u -o snap.data ./plain 60; cat $pmu/cpu0/live/not_traced"
grep -q 'for up to 1 CPUs, 0 with interrupts' said
ok $? "$(grep 'with interrupts' said)"
"$csflow" doctor record.data > why 2>&1
[ "$(sed -n 2p out)" -gt 0 ] && grep -q 'lost while recording: 0 buffers truncated, 0 partial, [1-9][0-9]* collision' why
ok $? "a channel that is full: $(sed -n 's/^ *lost while recording: //p' why)"
"$csflow" doctor snap.data > why 2>&1
[ "$(sed -n 2p out)" = "$(sed -n 4p out)" ] && grep -qE '^trace  *16.0 MiB' why && grep -q '^verdict *[0-9]* instructions' why
ok $? "a snapshot: $(sed -n 's/^verdict *//p' why)"
clean "no interrupts"

echo "1..$n"
