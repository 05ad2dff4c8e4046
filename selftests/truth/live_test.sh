#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Live trace units: Debian's kernel and Debian's perf record what the CPUs of a virtual machine execute.  The emulator logs
# the instructions; what is decoded from perf.data is compared with that.
#
# CSFLOW_LONG: with Linux 6.1 and 7.2, too.  RELEASES: with these instead of 6.12.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0

: "${O:=../build}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
for tool in qemu-system-aarch64 aarch64-linux-gnu-gcc cpio; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$O/vm-cache" || exit 1
cache=$(realpath "$O/vm-cache")
releases=${RELEASES:-6.12}
[ -z "$CSFLOW_LONG" ] || releases="6.1 6.12 7.2"

. lib/tap.sh

for program in plain naps threads; do
	aarch64-linux-gnu-gcc -O1 -g -static -no-pie -pthread -o "$tmp/$program" programs/$program.c || exit 1
done
cd "$tmp" || exit 1

# What all scripts know: the sums of the CPUs' files, and the interrupts so far.
cat > common << 'END'
cd /sys/bus/event_source/devices/cs_etm || exit
sum() { cat cpu*/$1 | awk '{ n += $1 } END { print n }'; }
irqs() { grep csflow_ete /proc/interrupts | awk '{ for (i = 2; $i ~ /^[0-9]+$/; i++) n += $i } END { print n + 0 }'; }
record() { (cd "$OLDPWD" && perf record -q "$@"); }
END

# vm OPTIONS...: a machine that runs the file script
vm()
{
	cat common script > both
	"$csflow" vm -q --cache="$cache" -k "$release" --dmesg=dmesg --buildid-dir="$tmp/ids" -f plain -f naps -f threads -s both "$@" \
		> out 2> errors || sed 's/^/# /' errors
	! grep -E 'WARNING|BUG|Oops|Call trace|refcount|leak' dmesg > why
	ok $? "Linux $release, $*: no fault of the kernel's"
}

# said NAME: what the script printed of it
said()
{
	sed -n "s/^$1 //p" out
}

# whole FILE NAME [OTHERWISE]: all of its trace can be decoded
whole()
{
	"$csflow" doctor "$1" > why 2>&1
	grep -q "^verdict .* decoded; \(nothing is missing\|${3:-nothing is missing}\)" why
	ok $? "$2: $(sed -n 's/^verdict *//p' why)"
}

# traced FILE: how many instructions are in it
traced()
{
	"$csflow" doctor "$1" 2> /dev/null | sed -n 's/^verdict *\([0-9]*\) instructions.*/\1/p'
}

exact()
{
	local cpus=2

	# More than the channel, and than the AUX buffer.
	cat > script <<- 'END'
	(cd "$OLDPWD" && taskset 1 perf record -q --per-thread -m,2M -e cs_etm//u -o user.data ./plain 40)
	echo written $(sum live/written)
	echo instructions $(sum live/instructions)
	echo lost $(sum live/not_traced)
	echo irqs $(irqs)
	END
	# With perf 6.1, bytes that have no ID can only be of one CPU.
	[ "$release" != 6.1 ] || cpus=1
	vm -c $cpus --truth=truth.log
	[ "$(said written)" -gt 4194304 ] && [ "$(said irqs)" -gt 1 ] && [ "$(said lost)" = 0 ]
	ok $? "$(said written) bytes, $(said irqs) interrupts, no loss"
	"$csflow" match truth.log user.data > why 2>&1 && grep -q "^$(said instructions) instructions equal" why &&
		! grep -q 'lost and logged as truncated' why
	ok $? "$(said instructions) instructions are as the emulator logged them"
}

several()
{
	cat > script <<- 'END'
	record -e cs_etm/@csflow_etr0/u -o frames.data ./threads 3
	for runs in 20 21 22 23; do
		record -S -Se -m,1M -e cs_etm//u -o small.data ./plain $runs
		[ $(wc -c < small.data) -gt 131072 ] && break
	done
	record -S -Se -m,16M -e cs_etm//u -o large.data ./plain 40
	record -e cs_etm//u -o one.data ./naps 100 & record -e cs_etm//u -o two.data ./naps 100
	wait
	record -e cs_etm/autofdo,preset=3/u -o strobe.data ./plain 3
	record -e cs_etm//u --filter 'filter main @ ./naps' -o filter.data ./naps 30
	record -e cs_etm//u -o all.data ./naps 30
	before=$(sum live/not_traced)
	record -a -m,16K -e cs_etm//k -o full.data ./naps 300
	echo full $(($(sum live/not_traced) - before))
	END
	vm -c 2
	whole frames.data "two CPUs in frames"
	grep -q 'fragments* (frames)' why && grep -qE '^ +0 +10 ' why && grep -qE '^ +1 +12 ' why
	ok $? "each has its ID"
	# perf saves the newest bytes, but not all: their number modulo the size of the buffer.  They begin anywhere, and
	# fewer than lie between two A-syncs cannot be read: 2,051 were seen.
	whole small.data "a snapshot" '[0-9.]* [KM]iB of trace was written and is not in the file\|1 other gaps'
	[ "$(traced small.data)" -gt 0 ]
	ok $? "the newest instructions: $(traced small.data)"
	whole large.data "a snapshot that is larger than the channel"
	whole one.data "one session"
	whole two.data "and another"
	[ "$(traced one.data)" -gt 100000 ] && [ "$(traced two.data)" -gt 100000 ]
	ok $? "each has its own"
	[ "$(traced strobe.data)" -gt 1000 ] && [ "$(traced strobe.data)" -lt $(($(traced large.data) / 40)) ]
	ok $? "an eighth of the time: $(traced strobe.data) instructions"
	[ "$(traced filter.data)" -gt 100 ] && [ "$(traced filter.data)" -lt $(($(traced all.data) / 2)) ]
	ok $? "a range: $(traced filter.data) of $(traced all.data)"
	"$csflow" doctor full.data > why 2>&1
	# What perf has no buffer for is not begun, and what is begun may have no room.
	[ -n "$(said full)" ] && grep -qE 'lost while recording: [1-9][0-9]* buffers truncated' why
	ok $? "a buffer that is full: $(said full) instructions lost, and $(sed -n 's/^ *lost while recording: //p' why)"
}

come_and_go()
{
	cat > script <<- 'END'
	before=$(sum replay/started)
	record -a -e cs_etm// -o p.data sleep 4 &
	for i in $(seq 200); do
		[ "$(sum replay/started)" = "$before" ] || break
		sleep 0.1
	done
	rmmod csflow_ete 2> /dev/null && echo unload allowed || echo unload refused
	echo 0 > /sys/devices/system/cpu/cpu1/online
	sleep 0.5
	echo 1 > /sys/devices/system/cpu/cpu1/online
	wait
	cd - > /dev/null
	rmmod csflow_ete && insmod /csflow/csflow_ete.ko && echo again loaded
	cd - > /dev/null
	before=$(irqs)
	(cd "$OLDPWD" && taskset 2 perf record -q -m,1M -e cs_etm//u -o again.data ./plain 20)
	echo irqs $(($(irqs) - before))
	END
	vm -c 2
	[ "$(said unload)" = refused ] && [ "$(said again)" = loaded ]
	ok $? "not unloaded while it traces, and a CPU comes and goes"
	[ "$(said irqs)" -gt 0 ]
	ok $? "that CPU has its interrupt again: $(said irqs)"
	whole again.data "and its trace"
}

# Events pause and resume the trace (Linux 7), and the kernel runs at EL2.
paused()
{
	cat > script <<- 'END'
	enter=syscalls:sys_enter_clock_nanosleep/aux-action=pause/
	leave=syscalls:sys_exit_clock_nanosleep/aux-action=resume/
	record -e cs_etm/aux-action=start-paused/u -e $enter -e $leave -o pause.data ./naps 30
	record -e cs_etm/@csflow_etr0,aux-action=start-paused/u -e $enter -e $leave -o frames.data ./naps 30
	record --per-thread -e cs_etm//k -o kernel.data ./naps 30
	END
	vm --vhe
	whole pause.data "pauses"
	whole frames.data "pauses, and frames"
	[ "$(traced pause.data)" -gt 50000 ] && [ "$(traced pause.data)" -lt "$(traced all.data)" ]
	ok $? "while the program sleeps and until it has: $(traced pause.data) of $(traced all.data) instructions"
	"$csflow" dump --packets kernel.data 2> why | grep -q ' el2 '
	ok $? "a kernel at EL2"
}

for release in $releases; do
	exact
	several
	come_and_go
	[ "$release" != 7.2 ] || paused
done

echo "1..$n"
