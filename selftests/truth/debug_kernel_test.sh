#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow vm: the module in a kernel that has KASAN, UBSAN, lockdep, kmemleak, KUnit and allocations that fail (debug-kernel.sh).
# It is loaded, recorded from in every way and unloaded while CPUs come and go, and each allocation of its loading fails once.
# The kernel has nothing to say of it.  The kernel is built once, in a quarter of an hour: with CSFLOW_LONG only.
# CYCLES, EVENTS: how many; PARTS: which of its parts, for a try.
#
# Where a sink is named, kmemleak is not asked: etm_setup_aux() of Linux 6.12 gets the sink with a reference, which it never
# gives back, so the sink's device stays in memory when the module is unloaded.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0
: "${O:=../build}" "${CSFLOW_FAST:=$O/csflow}" "${CYCLES:=20}" "${EVENTS:=20}" "${PARTS:=kunit ways shared hotplug away faults}"
[ -n "$CSFLOW_LONG" ] || { echo "1..0 # SKIP it takes minutes: CSFLOW_LONG=1"; exit 0; }
[ -r "${KSRC:-/usr/src/linux-source-6.12.tar.xz}" ] || { echo "1..0 # SKIP no linux-source"; exit 0; }
csflow=$(realpath "$CSFLOW_FAST")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$O/vm-cache" || exit 1
cache=$(realpath "$O/vm-cache")
. lib/tap.sh
kernel=$(programs/debug-kernel.sh "$O/debug-kernel") || exit 1
for program in naps plain fail-nth; do
	aarch64-linux-gnu-gcc -O1 -g -static -no-pie -o "$tmp/$program" programs/$program.c || exit 1
done
cp -r ../kernel-glue "$tmp/glue" && cp -r ../kernel-glue "$tmp/idle" || exit 1
cd "$tmp" || exit 1

# modules DIR OPTIONS...: what is built says nothing
modules()
{
	local dir=$1

	shift
	make -s -C "$kernel" M="$tmp/$dir" ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- "$@" modules > why 2>&1 && ! [ -s why ]
}

modules glue W=1
ok $? "the module and its tests are built with W=1"
# The same, but it does nothing when it is loaded: what the kernel's loader allocates is counted with it.
sed -i '/^static .* csflow_ete_init/,/^}/s/^{/{ return 0;/; /^static .* csflow_ete_exit/,/^}/s/^{/{ return;/' idle/module.c
modules idle && mv idle/csflow_ete.ko idle.ko
ok $? "the module without a beginning is built"

# What each script begins with; the end of a line that it prints is a status.
cat > words << 'END'
mount -t debugfs debug /sys/kernel/debug
kernel=/sys/kernel/debug
pmu=/sys/bus/event_source/devices/cs_etm
# What is slow because the machine has other work is no fault.
echo 1200 > /proc/sys/kernel/hung_task_timeout_secs
echo 60 > /proc/sys/kernel/watchdog_thresh
echo 300 > /sys/module/rcupdate/parameters/rcu_cpu_stall_timeout
echo 600 > /sys/module/workqueue/parameters/watchdog_thresh
say() { echo "$*"; }
load() { insmod /csflow/csflow_ete.ko "$@" || say "cannot load: $*"; }
# The core frees what an event had a moment after the event; and the kernel delays the release of a driver, with its name, so
# that the module could not be loaded again.
unload()
{
	for try in $(seq 100); do
		rmmod csflow_ete 2> /dev/null && break
		sleep 0.1
	done
	[ ! -e /sys/module/csflow_ete ] || say "cannot unload"
	for try in $(seq 100); do
		ls -d /sys/bus/platform/drivers/csflow_et* > /dev/null 2>&1 || return
		sleep 0.1
	done
	say "a driver is left"
}
# record OPTIONS...: it makes a recording, which is removed
record()
{
	perf record -q -o p.data "$@" > /dev/null 2> said || { say "perf record $*: $?"; cat said; }
	[ -s p.data ] || say "perf record $*: no file"
	rm -rf p.data*
}
# begin OPTIONS...: perf records, as $perf, until it is told to end
begin()
{
	perf record -q -o long.data "$@" sleep 100000 2> said &
	perf=$!
	for i in $(seq 600); do
		[ -s long.data ] && break
		sleep 0.1
	done
	sleep 1
}
# end SIGNAL
end()
{
	kill -$1 $perf || cat said
	wait $perf
	rm -f long.data*
}
# toggle N: so many times a CPU goes or comes; then all are there
toggle()
{
	seed=1
	for event in $(seq $1); do
		seed=$(((seed * 1103515245 + 12345) % 2147483648))
		cpu=/sys/devices/system/cpu/cpu$((seed / 65536 % 3 + 1))/online
		echo $((1 - $(cat $cpu))) > $cpu || say "event $event"
	done
	for cpu in 1 2 3; do
		[ "$(cat /sys/devices/system/cpu/cpu$cpu/online)" = 1 ] || echo 1 > /sys/devices/system/cpu/cpu$cpu/online
	done
}
# leaks: memory that nothing points to, which kmemleak looks for twice, because it needs some age
leaks()
{
	for i in 1 2; do
		sleep 6
		echo scan > $kernel/kmemleak
	done
	cat $kernel/kmemleak
}
END

# wanted PART
wanted()
{
	[[ " $PARTS " == *" $1 "* ]]
}

# machine NAME OPTIONS...: runs script $NAME in a folder of its own
machine()
{
	local name=$1

	shift
	mkdir "in-$name" && cp -r naps plain fail-nth glue idle.ko "in-$name/" && cat words "$name" > "in-$name/script" &&
		cd "in-$name" || return
	"$csflow" vm -q --cache="$cache" --buildid-dir="$tmp/ids" -k "$kernel" -m 2G -t 3000 -f naps -f plain -f fail-nth \
		-f idle.ko -f glue/csflow_ete_test.ko -s script --dmesg=dmesg "$@" > out 2> why
}

# judge NAME: it printed what want-$NAME has, and the kernel says nothing that it says of faults only
judge()
{
	local name=$1

	cp "in-$name/why" why
	diff "want-$name" "in-$name/out" >> why
	ok $? "$name"
	grep -v ': kobject_release,' "in-$name/dmesg" |
		grep -E -A 30 'WARNING|BUG|Oops|Call trace|KASAN|UBSAN|INFO: |suspicious|refcount|leak.*see|does not stop|beyond its limit' > why
	[ -s "in-$name/dmesg" ] && ! [ -s why ]
	ok $? "$name: the kernel has nothing to say of it"
}

# run NAME OPTIONS...
run()
{
	wanted "$1" || return
	(machine "$@")
	judge "$1"
}

cat > kunit << 'END'
insmod $PWD/glue/csflow_ete_test.ko
tail -n 2 $kernel/kunit/csflow-replay/results
rmmod csflow_ete_test
END
cases=$(grep -c 'KUNIT_CASE(' glue/replay_kunit.c)
printf '# Totals: pass:%d fail:0 skip:0 total:%d\nok 1 csflow-replay\n' "$cases" "$cases" > want-kunit
run kunit -c 1

cat > ways << END
record --per-thread -e cs_etm//u ./naps 5
record -a -e cs_etm// ./naps 5
record -e cs_etm//u --filter 'filter main @ ./naps' ./naps 5
record -e cs_etm/autofdo,preset=3/u ./plain 1
record -S -Se -m,1M -e cs_etm//u ./plain 2
record -S -Se -m,16M -e cs_etm//u ./plain 2
record -m,64K -e cs_etm/cycacc,timestamp/u ./plain 2
say recorded
begin -a -e cs_etm//u
perf record -q -a -e cs_etm//u -o p.data true 2> said && say "a source has two sessions"
for i in 1 2 3 4 5; do
	cat \$pmu/cpu*/live/* \$pmu/cpu*/mgmt/* \$pmu/cpu*/trcidr/* \$pmu/cpu*/replay/started > /dev/null
done
rmmod csflow_ete 2> /dev/null && say "unloaded while it records"
end INT
for i in 1 2 3; do
	perf record -q --per-thread -e cs_etm//u -o \$i.data ./naps > /dev/null 2> said.\$i || say "\$i: \$?" &
done
wait
rm -f ?.data*
for i in \$(seq $CYCLES); do
	unload
	load
	record -e cs_etm//u true
done
say cycles
unload
load live=0
for cpu in 0 1 2 3; do
	head -c 100000 /dev/urandom > \$pmu/cpu\$cpu/replay/trace
done
begin -a -e cs_etm//u
for i in 1 2 3; do
	for cpu in 0 1 2 3; do
		head -c 300000 /dev/urandom > \$pmu/cpu\$cpu/replay/trace
	done
done
end INT
unload
say played
leaks
END
printf 'recorded\ncycles\nplayed\n' > want-ways
run ways -c 4

cat > shared << END
record -a -e cs_etm/@csflow_etr0/ ./naps 5
record --per-thread -e cs_etm/@csflow_etr0/u ./naps 5
record -S -Se -e cs_etm/@csflow_etr0/u ./naps 5
begin -a -e cs_etm/@csflow_etr0/u
perf record -q -a -e cs_etm/@csflow_etr0/u -o p.data true 2> said && say "the sink has two sessions"
rmmod csflow_ete 2> /dev/null && say "unloaded while it records"
end INT
unload
load live=0
head -c 300000 /dev/urandom > \$pmu/cpu0/replay/trace
record -a -e cs_etm/@csflow_etr0/u ./naps 5
unload
say shared
END
echo shared > want-shared
run shared -c 4

# events SINK: CPUs go and come while it is used
events()
{
	cat << END
for signal in INT KILL; do
	begin -a -e cs_etm/$1/
	toggle $EVENTS
	end \$signal
	unload
	load
done 2> /dev/null
record -a -e cs_etm/$1/ ./naps 5
say hotplug
END
}

events > hotplug
echo leaks >> hotplug
events @csflow_etr0 > away
echo hotplug | tee want-away > want-hotplug
run hotplug -c 4
run away -c 4

# Without CPUs that come later.  A load and its end are a thousand million instructions and some seconds, because the kernel
# delays the release of each object.  So there are up to four machines, one for each processor, and with -icount they do not
# wait: if the CPU of one has nothing to do, it is the time of the next timer.  What is recorded last is not traced: with
# -icount QEMU 7.2 ends when a unit traces, and says "Bad icount read".
fault()
{
	cat << END
unload
for file in failslab fail_page_alloc; do
	echo 0 > \$kernel/\$file/verbose
	echo N > \$kernel/\$file/ignore-gfp-wait
done
./fail-nth /csflow/csflow_ete.ko csflow_ete idle.ko $1 $machines > failures || cat failures
load live=0
record -e cs_etm//u ./naps 5
leaks
say ended
END
}

machines=$(nproc)
# Of 2 GiB each.
[ "$machines" -le 4 ] || machines=4
! wanted faults || {
	for part in $(seq 0 $((machines - 1))); do
		fault "$part" > "faults-$part"
		echo ended > "want-faults-$part"
		CSFLOW_QEMU='-icount shift=0,sleep=off' machine "faults-$part" -c 1 -t 20000 &
	done
	wait
	for part in $(seq 0 $((machines - 1))); do
		judge "faults-$part"
	done
	cat in-faults-*/failures > why
	[ "$(awk '/^[0-9]/ { n += $1 } END { print n }' why)" -gt 100 ]
	ok $? "each allocation has failed: $(xargs -a why)"
}
echo "1..$n"
