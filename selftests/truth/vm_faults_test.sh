#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow vm: what goes wrong while perf records.  Each fault is said: by perf or csflow vm, in the recording, and by csflow
# doctor; the kernel survives it, and the next recording is whole.  It takes minutes: with CSFLOW_LONG only.
#
# RELEASES: with these releases of Linux.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0
[ -n "$CSFLOW_LONG" ] || { echo "1..0 # SKIP it takes minutes: CSFLOW_LONG=1"; exit 0; }

: "${O:=../build}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
for tool in qemu-system-aarch64 aarch64-linux-gnu-gcc cpio; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'umount -l "$tmp/small" 2> /dev/null; rm -rf "$tmp"' EXIT
mkdir -p "$O/vm-cache" || exit 1
cache=$(realpath "$O/vm-cache")

. lib/tap.sh

for program in plain naps; do
	aarch64-linux-gnu-gcc -O1 -g -static -no-pie -o "$tmp/$program" programs/$program.c || exit 1
done
cd "$tmp" || exit 1

# In the machine: started, how often perf has started a unit; traces COMMAND..., in the background, until it traces
cat > faults << 'END'
started() { cat /sys/bus/event_source/devices/cs_etm/cpu*/replay/started | awk '{ n += $1 } END { print n }'; }
traces()
{
	before=$(started)
	"$@" > /dev/null 2>> words &
	while [ "$(started)" = "$before" ]; do sleep 0.1; done
}
perf record -q --aux-sample -e '{cs_etm//u,cpu-clock/aux-sample-size=4096/}' -o sample.data ./naps 2> sample.words > /dev/null
echo "sample $?"

traces perf record -q -m,64K -e cs_etm//u -o killed.data ./plain 100000
while [ "$(stat -c %s killed.data)" -lt 200000 ]; do sleep 0.1; done
kill -9 $!
wait $!
echo "killed $?"

perf record -q -m,4K -e cs_etm//u -o tiny.data ./naps > /dev/null
echo "tiny $?"

# On one CPU they would take turns.
traces perf record -q -e cs_etm/@csflow_etr0/u -o first.data taskset 1 ./plain 100000
first=$!
perf record -q -e cs_etm/@csflow_etr0/u -o second.data taskset 2 ./naps > /dev/null
echo "second $?"
kill -INT $first
wait $first

perf record -q -e cs_etm/@csflow_etr0/u -o after.data ./naps > /dev/null
echo "after $?"

# The machine sleeps, and its clock wakes it up.
sum() { cat /sys/bus/event_source/devices/cs_etm/cpu*/live/$1 | awk '{ n += $1 } END { print n }'; }
was=$(sum instructions)
traces perf record -q -m,4M -e cs_etm//u -o asleep.data ./naps 2000
echo +4 > /sys/class/rtc/rtc0/wakealarm && echo mem > /sys/power/state
echo "slept $? $(cat /sys/power/suspend_stats/success 2> /dev/null)"
wait
echo "traced $(($(sum instructions) - was)) lost $(sum not_traced)"
rmmod csflow_ete && echo unloaded
END

# doctor NAME FILE WORDS: it says so
doctor()
{
	"$csflow" doctor --buildid-dir=ids "$2" > why 2>&1
	grep -q -E "$3" why
	ok $? "$1: $(grep -m 1 -o -E "$3" why)"
}

for release in ${RELEASES:-6.12 7.2}; do
	rm -rf ./*.data ./*.words
	"$csflow" vm -q --cache="$cache" -k $release -t 1200 --buildid-dir=ids --dmesg=dmesg -f plain -f naps -s faults > out 2> why ||
		sed 's/^/# /' out why

	# perf 6.12 gives up, and names a wrong reason; 7.2 records without the samples.
	cp sample.words why
	grep -q -i 'invalid \(event\|argument\)' sample.words && { [ $release != 6.12 ] || grep -q '^sample [1-9]' out; }
	ok $? "Linux $release: samples with trace are refused: $(grep -m 1 -i invalid sample.words)"

	grep -q '^killed 137' out
	ok $? "Linux $release: perf is killed"
	doctor "what it had written" killed.data '^verdict +[1-9][0-9]{4,} instructions'
	"$csflow" report --buildid-dir=ids killed.data > got 2> why
	grep -q 'recording was not finished' why
	ok $? "$(grep -m 1 -o 'recording was not finished' why)"
	doctor "a buffer of a page" tiny.data 'every AUX record is empty and truncated: the buffer was full'
	doctor "a second session on the shared sink" second.data 'lost while recording: [1-9][0-9]* buffers truncated'
	# The oldest frames may be overwritten, and soon after the cut a frame names the ID.
	"$csflow" doctor --buildid-dir=ids first.data > why 2>&1
	cut=$(sed -n 's/.*lost while recording: \([0-9]*\) buffers truncated.*/\1/p' why)
	before=$(sed -n 's/.* \([0-9]*\) bytes are of frames before the first trace ID.*/\1/p' why)
	grep -q '^verdict  *[1-9][0-9]* instructions' why && [ "${before:-0}" -le $((128 * ${cut:-0})) ]
	ok $? "the first session: ${cut:-0} buffers truncated, ${before:-0} bytes without trace ID"
	doctor "the session after it" after.data '^verdict .* nothing is missing'
	grep -q '^slept 0' out
	ok $? "the machine slept while perf recorded"
	doctor "all of it is there" asleep.data '^verdict .* nothing is missing'
	"$csflow" report --buildid-dir=ids asleep.data 2> why | sed -n 's/^# Instructions: //p' > got
	sed -n 's/^traced \([0-9]*\) .*/\1/p' out > want
	same want got "$(cat got) instructions, as many as the units have traced"
	grep -q '^unloaded' out
	ok $? "Linux $release: the module can be unloaded"
	grep -E 'WARNING|BUG|Oops|Call trace|refcount|leak|does not stop|beyond its limit' dmesg > why
	[ $? = 1 ]
	ok $? "Linux $release: the kernel has nothing to say of it"
done

# ---------------------------------------------------------------- the machine that runs csflow vm

# The log of truth is not complete.
"$csflow" vm -q --cache="$cache" --truth=/dev/full --buildid-dir=ids -- perf record -q -e cs_etm//u -o full.data ./naps > out 2> why
status=$?
[ $status = 1 ] && grep -q 'log of truth: No space left on device' why && [ -s full.data ]
ok $? "no room for the log of truth: status $status: $(tail -n 1 why)"

if mkdir small && mount -t tmpfs -o size=1M none small 2> /dev/null; then
	cp naps small/
	(cd small && "$csflow" vm -q --cache="$cache" --buildid-dir=../ids -- sh -c 'head -c 2000k /dev/zero > big') > out 2> why
	status=$?
	[ $status = 1 ] && grep -q 'cannot write to .*/small' why
	ok $? "no room for what comes back: status $status: $(tail -n 1 why)"
else
	skip "no room for what comes back" "no tmpfs can be mounted"
fi
echo "1..$n"
