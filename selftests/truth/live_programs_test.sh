#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Programs and modes of perf under live trace units: each row is a recording of its own, made in csflow vm, whose instructions,
# contexts and threads are those that the emulator logged.  Half a minute for each row: with CSFLOW_LONG only.
#
# ROWS: only rows whose name has this regular expression.  KEEP: a folder for the files of each row.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0

: "${O:=../build}" "${CSFLOW_FAST:=$O/csflow}"
[ -n "$CSFLOW_LONG" ] || { echo "1..0 # SKIP it takes half an hour: CSFLOW_LONG=1"; exit 0; }
csflow=$(realpath "$CSFLOW_FAST")
for tool in qemu-system-aarch64 aarch64-linux-gnu-gcc cpio xz; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$O/vm-cache" || exit 1
cache=$(realpath "$O/vm-cache")
pieces=$(realpath truth/pieces.py)

. lib/tap.sh

root=$(programs/arm64-root.sh "$O" 2> "$tmp/why")
ok $? "sqlite3 for arm64"
for program in chores jit signals threads; do
	aarch64-linux-gnu-gcc -O1 -g -pthread -o "$tmp/$program" programs/$program.c || exit 1
done
for program in plain naps; do
	aarch64-linux-gnu-gcc -O1 -g -static -no-pie -o "$tmp/$program" programs/$program.c || exit 1
done
cp "$root/usr/bin/sqlite3" "$tmp/"
cd "$tmp" || exit 1
total=0 table='' status=0

# recorded NAME OPTIONS...: records x.data by the script that is the input.  Return: the row is wanted
recorded()
{
	local name=$1

	shift
	cat > script
	[[ $name =~ ${ROWS:-.} ]] || return
	rm -rf truth.log x.data jit-*.dump jitted-*.so
	"$csflow" vm -q --cache="$cache" --truth=truth.log --buildid-dir="$tmp/ids" --dmesg=dmesg -t 600 \
		-f chores -f jit -f signals -f threads -f plain -f naps -f sqlite3 -s script "$@" > out 2> errors
	status=$?
	[ $status = 0 ] && [ -s x.data ] || sed 's/^/# /' errors
}

# result NAME LEAST EQUAL WORDS: the row, with $status
result()
{
	[ "$status" = 0 ] && [ "${3:-0}" -ge "$2" ]
	status=$?
	ok $status "$1: ${3:-no} instructions equal$4"
	if [ -n "$KEEP" ]; then
		mkdir -p "$KEEP/$1"
		cp -r truth.log x.data script dmesg errors out why ids jit-*.dump "$KEEP/$1/" 2> /dev/null
	fi
	total=$((total + ${3:-0}))
	table+=$(printf '# %12s  %s' "${3:-0}" "$1")$'\n'
}

# row NAME LEAST OPTIONS...: at least so many instructions must be equal to the log, and what is lost must be logged
row()
{
	local name=$1 least=$2 equal lost

	shift 2
	recorded "$name" "$@" || return
	"$csflow" match --buildid-dir="$tmp/ids" -n 3 truth.log x.data > why 2>&1 || status=different
	equal=$(sed -n 's/^\([0-9]*\) instructions equal.*/\1/p' why)
	lost=$(sed -n 's/^\([0-9]* instructions\) lost and logged as \([a-z]*\), .*/, \1 \2/p' why | tr -d '\n')
	# Without timestamps nothing tells on which CPU a thread was first; and the shared sink gets much of one CPU at once, so
	# that its decoding has CPUs in order of time only in part.
	grep -q -e timestamp=0 -e @csflow_etr0 script ||
		"$csflow" match --by=thread --buildid-dir="$tmp/ids" -n 3 truth.log x.data >> why 2>&1 || status=different
	result "$name" "$least" "$equal" "$lost"
}

# partly NAME LEAST MOST GAPS OPTIONS...: not all code is in the recording.  At most so many records differ; if any does, there
# are so many gaps at least.
partly()
{
	local name=$1 least=$2 most=$3 told=$4 json number lost=0 gaps

	shift 4
	recorded "$name" "$@" || return
	"$csflow" match --buildid-dir="$tmp/ids" -n 0 --format=json truth.log x.data 2> why | tail -n 1 > json
	json=$(cat json)
	for number in $(grep -oE '"(changed|missing|extra|context)":[0-9]+' json | sed 's/.*://'); do
		lost=$((lost + number))
	done
	gaps=$(sed -n 's/.*"gap":\([0-9]*\).*/\1/p' json)
	[[ $json == *'"order":0,'*'"no-gap":0,"q":0,'*'"tail":0'* ]] && [ "$lost" -le "$most" ] &&
		{ [ "$lost" = 0 ] || [ "$gaps" -ge "$told" ]; } || status=different
	echo "$json" >> why
	result "$name" "$least" "$(sed -n 's/.*"insns":[^}]*"equal":\([0-9]*\)}.*/\1/p' json | head -n 1)" \
		", $lost other records, $gaps gaps"
}

# sure NAME LEAST OPTIONS...: the kernel changes its code.  Of one CPU, if no option says otherwise: all that is shown was
# executed, what is not shown is in a gap, and csflow says why.
sure()
{
	local name=$1 least=$2 json equal shown lost

	shift 2
	recorded "$name" -c 1 "$@" || return
	json=$("$csflow" match --buildid-dir="$tmp/ids" -n 0 --format=json truth.log x.data 2> why | tail -n 1)
	echo "$json" >> why
	"$csflow" doctor --buildid-dir="$tmp/ids" x.data > page 2>> why
	cat page >> why
	equal=$(sed -n 's/.*"insns":[^}]*"equal":\([0-9]*\)}.*/\1/p' <<< "$json")
	shown=$(sed -n 's/.*"insns":[^}]*"b":\([0-9]*\),.*/\1/p' <<< "$json")
	lost=$(sed -n 's/.*%  *0  *\([0-9]*\)  changed .*/\1/p' page)
	[ -n "$equal" ] && [ "$equal" = "$shown" ] && [ "${lost:-0}" -gt 0 ] &&
		[[ $json == *'"changed":0,'*'"extra":0,"order":0,'*'"no-gap":0,"q":0,"context":0,"tail":0'* ]] &&
		grep -q 'the kernel changed code while it was recorded' why || status=different
	result "$name" "$least" "$equal" ", all that are shown, $lost atoms lost"
}

# snapshot NAME LEAST OPTIONS...: of one CPU; the log has more, but what is between two gaps is in it
snapshot()
{
	local name=$1 least=$2

	shift 2
	recorded "$name" -c 1 "$@" || return
	for file in truth.log x.data; do
		"$csflow" tarmac --records=inst,gap --no-disasm -C 0 --buildid-dir="$tmp/ids" $file > $file.txt 2> why ||
			status=unreadable
	done
	"$pieces" truth.log.txt x.data.txt > equal 2> why || status=different
	result "$name" "$least" "$(cat equal)"
}

# ---------------------------------------------------------------- programs

row "a static program" 10000000 -c 1 << 'END'
perf record -q --per-thread -e cs_etm//u -o x.data ./plain 15
END
row "a PIE with shared libraries" 100000 << 'END'
perf record -q -e cs_etm//u -o x.data ./chores faults 100
END
row "four threads on two CPUs" 10000000 << 'END'
perf record -q -m,4M -e cs_etm//u -o x.data ./threads 30
END
row "processes that fork and execute" 500000 << 'END'
perf record -q -m,4M -e cs_etm//u -o x.data ./chores fork 5
END
row "page faults, user and kernel" 1000000 << 'END'
perf record -q --kcore -m,16M -e cs_etm// -o x.data ./chores faults 10
END
row "signals" 100000 << 'END'
perf record -q -m,4M -e cs_etm//u -o x.data ./signals
END
row "signals, user and kernel" 1000000 << 'END'
perf record -q --kcore -m,16M -e cs_etm// -o x.data ./signals
END
row "code that is made" 200000 -c 1 << 'END'
perf record -q -m,4M -e cs_etm//u -o x.data ./jit 40
END
row "code that is made, and files of it by perf inject" 200000 -c 1 << 'END'
perf record -q -m,4M -e cs_etm//u -o raw.data ./jit 40
perf inject --jit -i raw.data -o x.data
rm raw.data jit-*.dump
END
row "pipes of a shell" 1000000 << 'END'
perf record -q -m,4M -e cs_etm//u -o x.data sh -c 'seq 5000 | sort -r | tail -n 2000 | sed s/1/2/ | md5sum'
END
row "a data base" 3000000 << 'END'
cat > words.sql << 'SQL'
create table t(a, b);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 3000) insert into t select x, x * 7 % 1000 from c;
select b, count(*), sum(a) from t group by b order by b desc limit 5;
SQL
perf record -q -m,4M -e cs_etm//u -o x.data sh -c './sqlite3 :memory: < words.sql'
END

# ---------------------------------------------------------------- the kernel changes

# Linux for arm64 does not tell perf that it loads a module or changes code.  perf copies the code at the start, and csflow vm
# once more at the end.

[ -d "$cache/kernel-6.12" ] || "$csflow" vm -q --cache="$cache" -- true
find "$cache"/kernel-6.12 -name 'lru_cache.ko.xz' -exec xz -dc {} \; > lru_cache.ko
find "$cache"/kernel-6.12 -name 'ts_kmp.ko.xz' -exec xz -dc {} \; > ts_kmp.ko
partly "a module is loaded" 1000000 1000 1 -f ts_kmp.ko -f lru_cache.ko << 'END'
perf record -q --proc-map-timeout=60000 -a --kcore -m,16M -e cs_etm// -o x.data \
	sh -c 'insmod ts_kmp.ko; insmod lru_cache.ko; rmmod ts_kmp'
END
row "static keys were switched" 1000000 << 'END'
echo 1 > /proc/sys/kernel/sched_schedstats
perf record -q --proc-map-timeout=60000 -a --kcore -m,16M -e cs_etm// -o x.data ./threads
END
sure "static keys are switched" 1000000 << 'END'
perf record -q --kcore -m,16M -e cs_etm// -o x.data \
	sh -c './chores fork 2; echo 1 > /proc/sys/kernel/sched_schedstats; ./chores fork 2; ./chores faults 2'
END
sure "static keys are switched, and perf is in the background until a signal" 1000000 << 'END'
perf record -q --proc-map-timeout=60000 -a --kcore -m,32M -e cs_etm// -o x.data &
until [ "$(cat /sys/bus/event_source/devices/cs_etm/cpu0/replay/started)" != 0 ]; do
	sleep 0.1
done
./chores fork 1
echo 1 > /proc/sys/kernel/sched_schedstats
./chores fork 1
kill -INT $!
wait $! || [ $? = 130 ]
END
# Code that is not shown may be in a loop that waits for the other CPU.
sure "static keys are switched, on two CPUs" 1000000 -c 2 << 'END'
perf record -q --proc-map-timeout=60000 -a --kcore -m,16M -e cs_etm// -o x.data sh -c './chores fork 2 &
	echo 1 > /proc/sys/kernel/sched_schedstats; ./chores fork 2; wait; ./chores faults 2'
END
# At the end all is as before: nothing tells of it but what contradicts the code.
partly "static keys are switched on and off" 1000000 300000 1 -c 1 << 'END'
perf record -q --kcore -m,16M -e cs_etm// -o x.data sh -c './chores fork 2; echo 1 > /proc/sys/kernel/sched_schedstats
	./chores fork 2; echo 0 > /proc/sys/kernel/sched_schedstats'
END
row "functions were patched" 1000000 << 'END'
cd /sys/kernel/tracing && echo 'vfs_*' > set_ftrace_filter && echo function > current_tracer
cd - > /dev/null
perf record -q --proc-map-timeout=60000 -a --kcore -m,16M -e cs_etm// -o x.data ./chores faults 3
END
sure "functions are patched" 1000000 << 'END'
cd /sys/kernel/tracing && echo 'vfs_*' > set_ftrace_filter
cd - > /dev/null
perf record -q --kcore -m,16M -e cs_etm// -o x.data \
	sh -c './chores faults 2; echo function > /sys/kernel/tracing/current_tracer; ./chores fork 1; ./chores faults 2'
END

# ---------------------------------------------------------------- modes

row "per thread, from CPU to CPU" 5000000 << 'END'
perf record -q --per-thread -m,4M -e cs_etm//u -o x.data ./chores move 50
END
row "all CPUs" 5000000 << 'END'
perf record -q --proc-map-timeout=60000 -a --kcore -m,16M -e cs_etm// -o x.data sh -c './threads 3 & ./chores fork 3; wait'
END
row "many switches, user and kernel" 10000000 -c 4 << 'END'
perf record -q --proc-map-timeout=60000 -a --kcore -m,64M -e cs_etm// -o x.data \
	sh -c './threads & ./chores move 5 & ./naps 200 & seq 2000 | sort -r | sed s/1/2/ | md5sum & ./chores fork 3; wait'
END
row "a small buffer" 1000000 << 'END'
perf record -q -m,64K -e cs_etm//u -o x.data ./threads 10
END
row "a small buffer, user and kernel" 300000 << 'END'
perf record -q --kcore -m,64K -e cs_etm// -o x.data ./threads
END
snapshot "a snapshot at each signal, and at the end" 100000 << 'END'
started=/sys/bus/event_source/devices/cs_etm/cpu0/replay/started
perf record -q -S -Se -m,128K -e cs_etm//u -o x.data ./naps 400 &
while [ "$(cat $started)" = 0 ]; do
	sleep 0.1
done
for i in 1 2 3; do
	sleep 0.3
	kill -USR2 $!
done
wait
END
snapshot "a snapshot at the end" 100000 << 'END'
perf record -q -S -Se -m,1M -e cs_etm//u -o x.data ./plain 5
END
snapshot "a snapshot, user and kernel" 100000 << 'END'
perf record -q --kcore -S -Se -m,1M -e cs_etm// -o x.data ./signals
END
row "a range" 100000 -c 1 << 'END'
perf record -q -m,4M -e cs_etm//u --filter 'filter main @ ./plain' -o x.data ./plain 5
END
row "start and stop" 100000 -c 1 << 'END'
perf record -q -m,4M -e cs_etm//u --filter 'start compare @ ./plain, stop main @ ./plain' -o x.data ./plain 5
END
row "return stack" 3000000 << 'END'
perf record -q -m,4M -e cs_etm/retstack/u -o x.data ./threads 10
END
row "return stack, user and kernel" 1000000 << 'END'
perf record -q --kcore -m,16M -e cs_etm/retstack/ -o x.data ./signals
END
row "cycle counts" 3000000 << 'END'
perf record -q -m,8M -e cs_etm/cycacc/u -o x.data ./threads 10
END
row "broadcast of branches" 1000000 << 'END'
perf record -q -m,16M -e cs_etm/branch_broadcast/u -o x.data ./threads 3
END
row "without timestamps" 3000000 << 'END'
perf record -q -m,4M -e cs_etm/timestamp=0/u -o x.data ./threads 10
END
row "neither timestamps nor contexts" 1000000 -c 1 << 'END'
perf record -q --per-thread -m,4M -e cs_etm/timestamp=0,contextid=0/u -o x.data ./plain 3
END
row "strobing" 50000 << 'END'
perf record -q -m,4M -e cs_etm/autofdo,preset=3/u -o x.data ./plain 10
END
row "frames" 3000000 -p etr_size=0x4000000 << 'END'
perf record -q -m,32M -e cs_etm/@csflow_etr0/u -o x.data ./threads 10
END
row "frames, user and kernel" 500000 -p etr_size=0x4000000 << 'END'
perf record -q --kcore -m,64M -e cs_etm/@csflow_etr0/ -o x.data ./signals
END
row "ETMv4" 3000000 --unit=etm4=4.3 << 'END'
perf record -q -m,4M -e cs_etm//u -o x.data ./threads 10
END
row "ETMv4 without what may be absent" 3000000 --unit=etm4=4.0 << 'END'
perf record -q -m,4M -e cs_etm//u -o x.data ./threads 10
END
row "EL2" 1000000 --vhe << 'END'
perf record -q --proc-map-timeout=60000 -a --kcore -m,16M -e cs_etm// -o x.data ./signals
END
row "one CPU" 3000000 -c 1 << 'END'
perf record -q --proc-map-timeout=60000 -a --kcore -m,16M -e cs_etm// -o x.data ./threads 5
END
row "four CPUs" 10000000 -c 4 << 'END'
perf record -q -m,4M -e cs_etm//u -o x.data sh -c './threads 20 & ./chores move 50; wait'
END
row "Linux 6.1" 3000000 -k 6.1 << 'END'
perf record -q -m,4M -e cs_etm//u -o x.data ./threads 10
END
row "Linux 6.1, user and kernel" 1000000 -k 6.1 << 'END'
perf record -q --proc-map-timeout=60000 -a --kcore -m,16M -e cs_etm// -o x.data ./signals
END
# The loader calls the vDSO, and signal handlers return through it.  This perf has no build-id of it.
row "Linux 7.2" 3000000 -k 7.2 << 'END'
perf record -q -m,4M -e cs_etm//u -o x.data ./threads 10
END
row "Linux 7.2, user and kernel" 1000000 -k 7.2 << 'END'
perf record -q --proc-map-timeout=60000 -a --kcore -m,16M -e cs_etm// -o x.data ./signals
END
row "pauses" 10000 -k 7.2 << 'END'
perf record -q -m,4M -e cs_etm/aux-action=start-paused/u -e syscalls:sys_enter_mmap/aux-action=resume/ \
	-e syscalls:sys_enter_munmap/aux-action=pause/ -o x.data ./chores faults 50
END

printf '# instructions that are equal, and the recording\n%s# %12s  in all\n' "$table" $total
[ -n "$ROWS" ] || [ $total -ge 100000000 ]
ok $? "$total instructions"
echo "1..$n"
