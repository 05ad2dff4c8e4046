#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The virtual trace unit in qemu-system-aarch64: a small system enables it by its registers, and has
# calls, faults, traps, debug exceptions, interrupts, other contexts and a user.  What was decoded, and
# what the unit logged as lost, is exactly what was executed; registers and interrupts do what
# kernel-glue/include/uapi/csf_channel.h says.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
plugin=$(realpath "$O/csflow-unit.so")
for tool in qemu-system-aarch64 aarch64-linux-gnu-gcc; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh

# Offsets in struct csf_channel; another channel follows after so many bytes, and its buffer.
trcdevarch=24 trcconfigr=32 full=116 written=120 lost=128 instructions=136 rings=312
stride=8388608 buffer=4194304

# build OPTIONS...: the system, which begins at $base
base=0x40200000
build()
{
	aarch64-linux-gnu-gcc -O2 -g -ffreestanding -fno-pic -fno-stack-protector -mgeneral-regs-only -nostdlib -static \
		-Wl,--build-id=none -Wl,-Ttext=$base "$@" -o "$tmp/system" programs/system.[cS] 2> "$tmp/why" &&
		aarch64-linux-gnu-objcopy -O binary "$tmp/system" "$tmp/code.bin"
}

# machine CPUS OPTIONS: runs it; options are the plugin's
machine()
{
	local device=(-device "ivshmem-doorbell,vectors=8,chardev=csflow")

	case $2 in
	*doorbell*)	;;
	*)	device=(-object "memory-backend-file,id=shm,share=on,mem-path=$tmp/shm,size=64M" -device "ivshmem-plain,memdev=shm") ;;
	esac
	rm -f "$tmp/shm" "$tmp/truth"
	truncate -s 64M "$tmp/shm"
	timeout 120 qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on -smp "$1" -m 128M -display none -monitor none \
		-serial none -no-reboot -nic none -kernel "$tmp/system" -plugin "$plugin,shm=$tmp/shm,truth=$tmp/truth$2" \
		"${device[@]}" > "$tmp/why" 2>&1 < /dev/null && [ ! -s "$tmp/why" ]
}

# get CPU OFFSET BYTES
get()
{
	od -An -tu"$3" -j $(($1 * stride + $2)) -N "$3" "$tmp/shm" | tr -d ' '
}

# unit CPU: the registers of its unit
unit()
{
	local at=$trcdevarch name=ETM4

	[ "$(get "$1" $at 4)" = 0 ] || name=ETE
	printf '[device]\nname=unit%d\nclass=trace_source\ntype=%s\n[regs]\n' "$1" $name
	printf 'TRCCONFIGR=0x%x\nTRCTRACEIDR=0x1%d\n' "$(get "$1" $trcconfigr 4)" "$1"
	printf 'TRCIDR0=0x%x\nTRCIDR1=0x%x\nTRCIDR2=0x%x\nTRCIDR8=0x%x\n' "$(get "$1" 8 4)" "$(get "$1" 12 4)" \
		"$(get "$1" 16 4)" "$(get "$1" 20 4)"
	[ $name = ETM4 ] || printf 'TRCDEVARCH=0x%x\n' "$(get "$1" $at 4)"
}

# snapshot CPUS: what their units wrote
snapshot()
{
	local dir=$tmp/snap cpu

	rm -rf "$dir"
	mkdir "$dir"
	cp "$tmp/code.bin" "$dir"
	printf '[snapshot]\nversion=1.0\n[device_list]\n' > "$dir/snapshot.ini"
	{
		printf '[trace_buffers]\nbuffers=buffer0%s\n' "$([ "$1" = 1 ] || echo ,buffer1)"
		for ((cpu = 0; cpu < $1; cpu++)); do
			printf '[buffer%d]\nname=buffer%d\nfile=trace%d.bin\nformat=source_data\n' $cpu $cpu $cpu
		done
		printf '[source_buffers]\n'
		for ((cpu = 0; cpu < $1; cpu++)); do
			printf 'unit%d=buffer%d\n' $cpu $cpu
		done
		printf '[core_trace_sources]\n'
		for ((cpu = 0; cpu < $1; cpu++)); do
			printf 'cpu_%d=unit%d\n' $cpu $cpu
		done
	} > "$dir/trace.ini"
	for ((cpu = 0; cpu < $1; cpu++)); do
		tail -c +$((cpu * stride + buffer + 1)) "$tmp/shm" | head -c "$(get $cpu $written 8)" > "$dir/trace$cpu.bin"
		printf 'device%d=cpu%d.ini\ndevice%d=unit%d.ini\n' $((2 * cpu)) $cpu $((2 * cpu + 1)) $cpu >> "$dir/snapshot.ini"
		printf '[device]\nname=cpu_%d\nclass=core\ntype=Cortex-A710\n[dump1]\nfile=code.bin\naddress=%s\nlength=%d\n' \
			$cpu $base "$(stat -c %s "$tmp/code.bin")" > "$dir/cpu$cpu.ini"
		unit $cpu > "$dir/unit$cpu.ini"
	done
	printf '[trace]\nmetadata=trace.ini\n' >> "$dir/snapshot.ini"
}

match()
{
	snapshot 1 && "$csflow" match "$tmp/truth" "$tmp/snap" > "$tmp/why" 2>&1
}

# lost REASON: instructions that were lost so, by the words of match
lost()
{
	sed -n "s,^\([0-9]*\) instructions lost and logged as $1.*,\1,p" "$tmp/why"
}

# The instructions that the register counts are those that were decoded.
counted()
{
	local n

	n=$(sed -n 's,^.*snap: \([0-9]*\) instructions.*,\1,p' "$tmp/why")
	[ "${n:-0}" -gt 10000 ] && [ "$n" = "$(get 0 $instructions 8)" ]
}

echo "TAP version 13"

# Options of the system, those of the plugin.
while IFS=: read -r options unit; do
	# shellcheck disable=SC2086 # words
	build $options && machine 1 "$unit" && match && counted
	ok $? "system $options, plugin $unit"
done << 'END'
:
-DLEVELS=1:
-DLEVELS=2:,unit=ete=1.2
-DCONFIG=0x1:,unit=ete=1.0
-DCONFIG=0x9:,doorbell=on
-DCONFIG=0x1001:
-DCONFIG=0x1879:,unit=ete=1.1,,marker,,rs=3,,ts=100
-DCONFIG=0x80c1 -DLEVELS=1:
-DCONFIG=0x51:,unit=etm4=4.3
-DCONFIG=0x1841 -DLEVELS=2:,unit=etm4=4.6,,wfx=0
-DCONFIG=0x851 -DRANGE:
-DSTROBE:
-DSTARTS:
-DUSER32:
-DUSER32 -DLEVELS=1 -DCONFIG=0x1009:,unit=etm4=4.3
-DCONFIG=0x841 -DFLAGS=CSF_CHANNEL_WRAP -DLIMIT=0:
END

# ---------------------------------------------------------------- levels, filters

build -DLEVELS=1 && machine 1 && match && [ "$(lost off)" -gt 10000 ]
ok $? "the kernel is not traced, but logged"
build -DRANGE && machine 1 && match && [ "$(lost filter)" -gt 1000 ]
ok $? "a range is not traced"
build -DSTARTS && machine 1 && match && [ "$(lost filter)" -gt 1000 ] && counted
ok $? "a start and a stop address"
build -DSTROBE && machine 1 && match && [ "$(lost strobe)" -gt 1000 ]
ok $? "strobing"

# ---------------------------------------------------------------- no room, and interrupts

build -DLIMIT=8192 && machine 1 ,doorbell=on && match
ok $? "a buffer that is full"
{
	[ "$(get 0 $full 4)" = 1 ] && [ "$(get 0 $written 8)" -le 16384 ] && [ "$(lost truncated)" -gt 10000 ] &&
		[ "$(lost truncated)" = "$(get 0 $lost 8)" ] && [ "$(get 0 $rings 8)" = 0 ]
}
ok $? "the driver is told, but not by an interrupt that it did not want"

build -DLIMIT=16384 -DRINGS -DROUNDS=100 && machine 1 ,doorbell=on && match && counted
ok $? "a buffer that is emptied when the unit rings"
echo "# $(get 0 $rings 8) rings, $(get 0 $written 8) bytes, $(get 0 $lost 8) instructions lost"
[ "$(get 0 $rings 8)" -ge 10 ] && [ "$(get 0 $written 8)" -gt 163840 ]
ok $? "it rings often"
build -DLIMIT=8192 -DRINGS -DRESTARTS -DLEVELS=1 -DROUNDS=100 && machine 1 ,doorbell=on && match && counted
ok $? "of a user, by a driver that stops the unit meanwhile"
build -DLIMIT=2048 -DRINGS && machine 1 ,doorbell=on && match && [ "$(get 0 $rings 8)" -ge 2 ] &&
	[ "$(get 0 $written 8)" -gt 6144 ] && [ "$(lost truncated)" -gt 0 ] && [ "$(lost truncated)" = "$(get 0 $lost 8)" ]
ok $? "trace goes on after a loss"

# ---------------------------------------------------------------- two CPUs

# alone CPU: all that differs is what the other one executed
alone()
{
	snapshot 2
	"$csflow" match --buffer="buffer$1" "$tmp/truth" "$tmp/snap" > "$tmp/why" 2>&1
	[ "$(get "$1" $instructions 8)" -gt 100000 ] && grep -q "^$(get "$1" $instructions 8) instructions equal" "$tmp/why" &&
		grep -q '^different, in 1 place$' "$tmp/why" &&
		! grep -qE '^[0-9]+ (changed|missing|extra|order|gap|context)' "$tmp/why"
}

build -DCPUS=2 && machine 2 ,doorbell=on
ok $? "two CPUs"
alone 0
ok $? "the first is as logged"
alone 1
ok $? "so is the second"

# ---------------------------------------------------------------- what is wrong

# refuses WORDS WHY
refuses()
{
	machine 1 "$1"
	grep -q "$2" "$tmp/why"
}

refuses ,unit=ete=9.9 'ete=9.9: want 1.0 to 1.3'
ok $? "a unit that there is not"
refuses ",truth=$tmp/none/log" 'No such file'
ok $? "a log that cannot be written"

echo "1..$n"
