#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow vm: CPUs go and come a hundred times while perf records them, and the module is loaded, recorded from and unloaded a
# thousand times, and leaves no memory behind.  The kernel has nothing to say of it, and what is recorded afterwards is what was executed.  It takes
# minutes: with CSFLOW_LONG only.  EVENTS, CYCLES: how many, for a try.
#
# What perf records meanwhile cannot be compared: it opens its events for the CPUs that are there, so it never hears of
# programs that start on a CPU that went and came back.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0
: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}" "${EVENTS:=100}" "${CYCLES:=1000}"
[ -n "$CSFLOW_LONG" ] || { echo "1..0 # SKIP it takes minutes: CSFLOW_LONG=1"; exit 0; }
csflow=$(realpath "$CSFLOW_FAST")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$O/vm-cache" || exit 1
cache=$(realpath "$O/vm-cache")
. lib/tap.sh
for program in naps aux-once; do
	aarch64-linux-gnu-gcc -O1 -g -static -no-pie -o "$tmp/$program" programs/$program.c || exit 1
done
cd "$tmp" || exit 1

# run SCRIPT OPTIONS...: it prints what $tmp/want has, and the kernel has nothing to say
run()
{
	local script=$1

	shift
	"$csflow" vm -q --cache="$cache" --buildid-dir="$tmp/ids" -f naps -f aux-once -s "$script" --dmesg=dmesg -t 3600 "$@" > out 2> why
	diff want out >> why
	ok $? "$name"
	grep -E 'WARNING|BUG|Oops|Call trace|refcount|leak|does not stop|beyond its limit' dmesg > why
	[ $? = 1 ]
	ok $? "$name: the kernel has nothing to say of it"
}

cat > hotplug << END
seed=1
random() { seed=\$(((seed * 1103515245 + 12345) % 2147483648)); r=\$((seed / 65536 % \$1)); }
for i in 1 2 3; do
	while :; do ./naps > /dev/null; done &
done
works=\$(jobs -p)
perf record -q -a -e cs_etm//u -o during.data sleep 100000 &
perf=\$!
while [ ! -s during.data ]; do sleep 0.1; done
sleep 2
for i in \$(seq $EVENTS); do
	random 3
	cpu=/sys/devices/system/cpu/cpu\$((r + 1))/online
	echo \$((1 - \$(cat \$cpu))) > \$cpu || echo "event \$i"
	random 5
	sleep 0.\$r
done
kill -INT \$perf
wait \$perf
[ "\$(stat -c %s during.data)" -gt 100000 ] && echo "much is recorded"
kill \$works
for cpu in 1 2 3; do
	[ "\$(cat /sys/devices/system/cpu/cpu\$cpu/online)" = 1 ] || echo 1 > /sys/devices/system/cpu/cpu\$cpu/online
done
rm during.data
traced() { cat /sys/bus/event_source/devices/cs_etm/cpu*/live/instructions | awk '{ n += \$1 } END { print n }'; }
before=\$(traced)
perf record -q -a -e cs_etm//u -o after.data ./naps > /dev/null
echo "after: \$?"
echo \$((\$(traced) - before)) > traced
rmmod csflow_ete && echo unloaded
END
printf 'much is recorded\nafter: 0\nunloaded\n' > want
name="$EVENTS CPUs go and come"
run hotplug -c 4
"$csflow" report --buildid-dir="$tmp/ids" after.data 2> why | sed -n 's/^# Instructions: //p' > got
[ "$(cat traced)" -gt 50000 ] && same traced got "afterwards: $(cat got) instructions, as many as the units have traced"

cat > cycles << END
# memory NAME: what the kernel itself uses now, in KiB
memory()
{
	echo 3 > /proc/sys/vm/drop_caches
	sleep 1
	awk '/^(SUnreclaim|KernelStack|PageTables|VmallocUsed|Percpu):/ { print \$1, \$2 }' /proc/meminfo > \$1
}
# The core frees what an event had a moment after the event.
unload()
{
	for try in \$(seq 100); do
		rmmod csflow_ete 2> /dev/null && return
		sleep 0.1
	done
	false
}
for i in \$(seq $CYCLES); do
	if [ \$((i % 50)) = 1 ]; then
		recorder="perf record -q -B -N -e cs_etm//u -o p.data true"
	else
		recorder=./aux-once
	fi
	unload && insmod /csflow/csflow_ete.ko && \$recorder || echo "cycle \$i"
	rm -f p.data
	[ \$i != 10 ] || memory early
done
memory late
echo done
END
echo done > want
name="loaded, recorded from and unloaded $CYCLES times"
run cycles -c 2 -u ete=1.1
# One object of 512 bytes for each cycle would be 500 KiB; what else the kernel does makes some 30 KiB.
grown=$(awk 'NR == FNR { n -= $2; next } { n += $2 } END { print n }' early late)
paste early late > why
[ -s late ] && [ "$grown" -lt 256 ]
ok $? "memory of the kernel has grown by $grown KiB since cycle 10"
echo "1..$n"
