#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow agent with recordings that are played back: its configuration, its spool, its signals, and what it does when there is
# no room, when the clock is set, and when it is killed.
#
# CSFLOW_LONG: 1,000 kills, and an hour of trace at 10 MB/s ($CSFLOW_AGENT_SECONDS: shorter), whose CPU time, memory and spool are
# measured while the disk is full for a while, the clock is set, and the agent is started again.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C TZ=UTC
ulimit -c 0

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST") careful=$(realpath "$CSFLOW")
demo=$(realpath data/demo) programs=$(realpath programs)
tmp=$(mktemp -d) || exit 1
pid=''
trap '[ -z "$pid" ] || kill -KILL "$pid" 2> /dev/null; rm -rf "$tmp"' EXIT

. lib/tap.sh
cd "$tmp" || exit 1

# The program is found by its build-id, as everywhere.
export PERF_BUILDID_DIR=$tmp/ids
id=4649f3ca713739cacd31f00735bede98845403f2
mkdir -p "ids/.build-id/${id:0:2}/${id:2}" && cp "$demo/demo-sort" "ids/.build-id/${id:0:2}/${id:2}/elf"

# config ["[SECTION] KEY = VALUE"...]: the configuration; the last value of a key counts
config()
{
	{
		printf '%s\n' "[record] source = replay" "[record] replay = $demo/perf.data" "[record] period = 20ms" \
			"[record] duration = 10ms" "[spool] folder = $tmp/spool" "[limits] cpu = 100%"
		printf '%s\n' "$@"
	} | awk '
	{ key = $1 " " $2; if (!(key in value)) order[n++] = key; value[key] = $0 }
	END {
		for (i = 0; i < n; i++) {
			split(order[i], word)
			for (k = i; k < n && !done[word[1]]; k++)
				if (index(order[k], word[1]) == 1)
					text[word[1]] = text[word[1]] substr(value[order[k]], length(word[1]) + 2) "\n"
			if (!done[word[1]]++)
				printf "%s\n%s", word[1], text[word[1]]
		}
	}' > agent.ini
}

# begin [WORD...]: an agent; says goes to the file log
begin()
{
	"$@" "$csflow" agent agent.ini < /dev/null 2> >(cat > log) &
	pid=$!
}

# up_to SECONDS COMMAND...: true as soon as the command is
up_to()
{
	local i

	for ((i = 0; i < 50 * $1; i++)); do
		"${@:2}" && return
		sleep 0.02
	done
	return 1
}

# end SIGNAL: the status of the agent
end()
{
	local status

	kill -"$1" $pid
	wait $pid
	status=$?
	pid=''
	return $status
}

# has N [KIND]: the spool has as many files
has()		{ [ "$(find spool -name "[^.]*.${2:-counts}" 2> /dev/null | wc -l)" -ge "$1" ]; }
says()		{ grep -q "$1" log; }

# ---------------------------------------------------------------- configuration

config
"$careful" agent --check agent.ini > out 2> why && grep -q '^agent.ini: valid$' out
ok $? "a valid configuration"
cat > bad.ini << 'END'
[record]
period = 1x
perid = 3
cpus = 3-
duration = 2m
source = both
[spol]
folder = x
[limits]
cpu = 5
memory = 1M
cpu = 9%
buffer
[count]
counts = quick
[exclude]
user = nobody
END
cat > want << 'END'
csflow: bad.ini:13: neither [section] nor key=value
csflow: bad.ini:12: 'cpu' is repeated in [limits]: this one is used, not that of line 10
csflow: bad.ini:2: period = 1x: not a time, such as 500ms, 10s, 5m or 1h
csflow: bad.ini:3: [record] has no key 'perid'
csflow: bad.ini:4: cpus = 3-: not a list of CPUs, such as 0,4-7
csflow: bad.ini:6: source = both: neither live nor replay
csflow: bad.ini:7: [spol]: an unknown section
csflow: bad.ini:10: cpu = 5: not a share of one CPU, such as 5% or 0.5%
csflow: bad.ini:11: memory = 1M: it is too small
csflow: bad.ini: [spool] has no folder
csflow: bad.ini:5: duration is longer than period
csflow: bad.ini:15: counts = quick: processes cannot be left out, because atom runs have no threads
END
"$careful" agent --check bad.ini 2> got > out
[ $? = 1 ] && same want got "each wrong line is named"
"$careful" agent 2> got > out
[ $? = 2 ] && "$careful" agent --check nothing.ini 2>> got
[ $? = 1 ] && grep -q 'nothing.ini: No such file' got
ok $? "no configuration"
config "[record] replay = $tmp/nothing.data"
"$careful" agent --check agent.ini 2> got > out
[ $? = 1 ] && grep -q '^csflow: agent.ini:[0-9]*: replay = .*/nothing.data: No such file or directory$' got
ok $? "a recording that is not there"

if [ ! -e /sys/bus/event_source/devices/cs_etm ]; then
	printf '[spool]\nfolder = %s\n' "$tmp/spool" > agent.ini
	"$careful" agent --once agent.ini 2> got > out
	[ $? = 1 ] && grep -q 'no trace units here' got && [ ! -e spool ]
	ok $? "a machine without trace units"
fi

# ---------------------------------------------------------------- counts

"$csflow" profile --for=counts -q -o want.counts "$demo/perf.data" 2> why
"$csflow" quick -o want.atoms "$demo/perf.data" 2> why

# one LINE...: a round; its file is $file
one()
{
	rm -rf spool
	config "$@"
	"$careful" agent --once agent.ini 2> why
	status=$?
	file=$(echo spool/*)
}
one "[count] names = yes"
cmp want.counts "$file" > why 2>&1
ok $? "a round's counts are those of csflow profile: $(stat -c %s want.counts) bytes"
[[ $file =~ ^spool/20[0-9]{6}T[0-9]{6}Z-[0-9a-f]{8}-00000000.counts$ ]]
ok $? "its name: $file"
one "[count] names = yes" "[count] counts = quick"
cmp want.atoms "$file" > why 2>&1
ok $? "a round's atom runs are those of csflow quick"

json()		{ "$csflow" profile --for=json -q "$1" 2> /dev/null | sed 's/"name": *"[^"]*"/"name":""/g'; }
one
json want.counts > want
json "$file" > got
[ "$(wc -c < want)" -gt 1000 ] && same want got "without names the counts are the same"

# Names in a recording: paths, threads, a command line.
sed 's/demo-sort/geheimnis/g' "$demo/perf.data" > secret.data
one "[count] names = yes" "[record] replay = $tmp/secret.data"
grep -q geheimnis "$file"
ok $? "names stay if they are wanted"
for kind in full quick; do
	one "[count] counts = $kind" "[record] replay = $tmp/secret.data"
	[ -s "$file" ] && ! grep -rqE 'geheimnis|demo|sort' spool why
	ok $? "no name is in the $kind counts, nor in what is said"
	# Where programs are missing, csflow profile would name them.
	CSFLOW_LOG_FILE=$tmp/said CSFLOW_LOG_LEVEL=info PERF_BUILDID_DIR=$tmp one "[count] counts = $kind" "[record] replay = $tmp/secret.data"
	grep -q 'branches are lost\|bytes of trace' said && grep -q 'bytes of trace' why && ! grep -qE 'geheimnis|demo|sort' said why
	ok $? "nor in a file of the log, where programs are missing ($kind)"
	rm said
done
CSFLOW_LOG_FILE=$tmp/said PERF_BUILDID_DIR=$tmp one "[count] names = yes" "[record] replay = $tmp/secret.data"
grep -q geheimnis said && grep -q geheimnis why
ok $? "with names they are named there"
for kind in full quick; do
	one "[count] counts = $kind" "[record] replay = $demo/../../run.sh"
	[ $status = 1 ] && [ -z "$(find spool -type f)" ] && grep -q 'not written: the recording cannot be read' why
	ok $? "a file that is no recording ($kind)"
done
one "[exclude] process = demo-sort"
[ -s "$file" ] && json "$file" | grep -q . && [ "$(stat -c %s "$file")" -lt $(($(stat -c %s want.counts) / 2)) ]
ok $? "a process that is left out"

# ---------------------------------------------------------------- signals

# A recording of $size bytes that takes ten minutes.
config "[count] names = yes" "[record] rate = $(($(stat -c %s "$demo/perf.data") / 600))" "[record] period = 1h"
rm -rf spool
begin
up_to 10 [ -d spool ]
sleep 0.1
end TERM
status=$?
[ $status = 0 ] && cmp want.counts spool/*.counts > why 2>&1
ok $? "SIGTERM: the round is counted, and the status is 0"

config "[count] names = yes" "[record] keep-trace = on-demand"
rm -rf spool
begin
up_to 5 has 2
kill -USR1 $pid
up_to 5 has 1 perf.data && cmp "$demo/perf.data" spool/*.perf.data > why 2>&1
ok $? "SIGUSR1: the trace of a round is kept"
echo "[spool" >> agent.ini
kill -HUP $pid
up_to 5 says 'the configuration from before stays'
ok $? "SIGHUP: a configuration that is not valid"
stays()		{ [ "$(grep -c 'the configuration from before stays' log)" = "$1" ]; }
config "[spool] folder = /proc/nothing"
kill -HUP $pid
up_to 5 stays 2 && says '/proc/nothing: No such file'
ok $? "SIGHUP: a spool that cannot be used"
if [ ! -e /sys/bus/event_source/devices/cs_etm ]; then
	printf '[spool]\nfolder = %s\n' "$tmp/spool" > agent.ini
	kill -HUP $pid
	up_to 5 stays 3 && says 'no trace units here'
	ok $? "SIGHUP: trace units that are not here"
fi
config "[count] names = yes" "[count] counts = quick"
kill -HUP $pid
up_to 5 has 2 atoms && cmp want.atoms "$(find spool -name '[^.]*.atoms' | head -n 1)" > why 2>&1
ok $? "SIGHUP: another configuration"
"$careful" agent --once agent.ini 2> why
[ $? = 1 ] && grep -q 'spool: another agent has this spool' why
ok $? "one agent has a spool"
end TERM
ok $? "SIGTERM between rounds"

# What a service says of itself.
cat > listen.py << 'END'
import socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("socket")
print("listening", flush=True)
while True:
    print(s.recv(4096).decode(), flush=True)
END
if ldd "$csflow" | grep -q libsystemd && command -v python3 > /dev/null; then
	python3 listen.py > heard &
	listener=$!
	up_to 5 grep -q listening heard
	config "[count] names = yes"
	rm -rf spool
	begin env NOTIFY_SOCKET="$tmp/socket"
	up_to 5 has 1
	kill -HUP $pid
	up_to 5 grep -q RELOADING heard
	end TERM
	up_to 5 grep -q STOPPING heard
	kill $listener
	grep -oE '^(READY|RELOADING|STOPPING)=1' heard | uniq > got
	printf '%s=1\n' READY RELOADING READY STOPPING > want
	same want got "systemd hears when it is ready, reloads and stops"
else
	skip "systemd hears when it is ready, reloads and stops" "no libsystemd or no python3"
fi

# ---------------------------------------------------------------- the spool

size=$(stat -c %s want.counts)
config "[count] names = yes" "[spool] size = $((4 * size > 4096 ? 4 * size : 4096))"
rm -rf spool
begin
up_to 10 says -- '-00000019: '
end TERM
newest=$(find spool -name '*.counts' | sed 's/.*-//' | sort | tail -n 1)
[ "$(cat spool/* | wc -c)" -le $((4 * size > 4096 ? 4 * size : 4096)) ] && has 2 &&
	[ "$((10#${newest%.counts}))" -ge 19 ] && [ -z "$(find spool -name "*-00000000.counts")" ] && says '00000000.counts: removed: the oldest, [0-9]* bytes'
ok $? "the oldest files go when the spool is full"

config "[count] names = yes"
rm -rf spool
begin
up_to 5 has 1
prlimit --pid $pid --fsize=0:unlimited
up_to 5 says 'paused, until there is room' && files=$(find spool -type f | wc -l) && sleep 0.2 && ! has $((files + 1))
ok $? "no room: it pauses, and says so"
prlimit --pid $pid --fsize=unlimited:unlimited
up_to 5 says 'goes on after [0-9]* ms; [1-9][0-9]* rounds were left out' && up_to 5 has $((files + 2))
ok $? "room again: it goes on, and says how many rounds were left out"
prlimit --pid $pid --fsize=0:unlimited
paused()	{ [ "$(grep -c 'paused, until there is room' log)" = "$1" ]; }
up_to 5 paused 2
end TERM
status=$?
up_to 5 says 'ends after [0-9]* ms; [1-9][0-9]* rounds were left out' && [ $status = 0 ]
ok $? "SIGTERM while there is no room: it says how many rounds were left out"
[ -z "$(find spool -name '.*' -type f)" ] && "$csflow" merge -o merged spool/*.counts 2> why
ok $? "all files are whole"

# ---------------------------------------------------------------- the clock

if faketime=$(find /usr/lib -name libfaketime.so.1 2> /dev/null | head -n 1) && [ -n "$faketime" ]; then
	echo '@2031-05-05 12:00:00' > now
	config "[count] names = yes"
	rm -rf spool
	begin env LD_PRELOAD="$faketime" FAKETIME_TIMESTAMP_FILE="$tmp/now" FAKETIME_NO_CACHE=1 DONT_FAKE_MONOTONIC=1
	up_to 5 has 3
	echo '@2021-05-05 12:00:00' > now
	first=$(find spool -name '*.counts' | wc -l)
	up_to 5 has $((first + 3))
	back=$?
	echo '@2041-05-05 12:00:00' > now
	up_to 5 has $((first + 6)) && [ $back = 0 ]
	ok $? "rounds go on when the clock is set, back and forth"
	end TERM
	find spool -name '20[234]1*' | sed 's,spool/\(....\).*,\1,' | sort -u | paste -sd' ' > got
	grep -q '^2021 2031 2041$' got && [ "$(find spool -name '*.counts' | sed 's/.*-//' | sort | uniq -d)" = '' ]
	ok $? "names have the time of the clock, and numbers grow: $(cat got)"
else
	skip "rounds go on when the clock is set" "no libfaketime"
fi

# ---------------------------------------------------------------- killed

# killed TIMES: whatever is in the spool then is whole, and each agent goes on where the last one was killed.  That a file has its
# name only when it is whole is tested by count_spool_test.
killed()
{
	local i wrong=0

	config "[count] names = yes" "[record] period = 10ms" "[limits] cpu = 1000%" "[spool] size = 1G"
	rm -rf spool
	for ((i = 0; i < $1; i++)); do
		begin
		# on a slow machine, too, some come as far as this
		[ $((i % 10)) != 0 ] || up_to 10 has $((i / 10 + 1)) || wrong=$((wrong + 1))
		sleep 0.0$((RANDOM % 10))$((RANDOM % 10))
		kill -KILL $pid 2> why
		wait $pid 2> /dev/null
		pid=''
	done
	# the last process that counted may still be ending
	all=(spool/*.counts)
	for file in "${all[@]}"; do
		cmp -s want.counts "$file" || wrong=$((wrong + 1))
	done
	[ $wrong = 0 ] && [ -z "$(printf '%s\n' "${all[@]##*-}" | sort | uniq -d)" ]
}
times=20
[ -z "$CSFLOW_LONG" ] || times=1000
killed $times
ok $? "killed again and again: ${#all[@]} files are whole, and have numbers of their own"
touch spool/.half-20261128T171443Z-00000000-00000000.counts
"$csflow" agent --once agent.ini 2> why
[ -z "$(find spool -name '.*' -type f)" ] && grep -q '/.half-20261128T171443Z-00000000-00000000.counts: removed: half a file' why
ok $? "half files are removed"
[ -n "$CSFLOW_LONG" ] || { echo "1..$n"; exit 0; }

# ---------------------------------------------------------------- an hour

for tool in qemu-aarch64 aarch64-linux-gnu-gcc; do
	command -v $tool > /dev/null && continue
	skip "an hour of trace at 10 MB/s" "no $tool"
	echo "1..$n"
	exit 0
done
# It computes more, and does not sleep.
sed 's/usleep(.*;//; s/fib(8/fib(16/' "$programs/naps.c" |
	aarch64-linux-gnu-gcc -O1 -static -no-pie -Wl,--build-id -o busy -x c - 2> why &&
	"$csflow" record -q -o long.data -- ./busy 3000 2> why > out && "$csflow" profile --for=counts -q -o long.counts long.data 2> why
ok $? "a recording of $(stat -c %s long.data) bytes"

most=$(($(stat -c %s long.data) + (1 << 20)))
length=${CSFLOW_AGENT_SECONDS:-3600}
# hour CPU: the configuration with that share of one
hour()
{
	config "[count] names = yes" "[record] replay = $tmp/long.data" "[record] rate = 10M" "[record] period = 1300ms" \
		"[record] keep-trace = on-demand" "[limits] cpu = $1" "[limits] memory = 128M" "[spool] size = $most"
}

# used: processor time of the agent and of all that counted for it, in hundredths of a second
used()		{ awk '{ print $14 + $15 + $16 + $17 }' "/proc/$pid/stat"; }

# measure PART: until so many twelfths of the time have passed.  samples: KiB of the agent, and of the process that counts;
# sizes: bytes in the spool
measure()
{
	while [ $((12 * (SECONDS - from))) -lt $(($1 * length)) ] && [ -r /proc/$pid/stat ]; do
		sleep 2
		# shellcheck disable=SC2046 # words
		cat /proc/$pid/status $(sed 's,\([0-9]*\) ,/proc/\1/status ,g' /proc/$pid/task/$pid/children) 2> /dev/null |
			sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' | paste -sd+ | bc >> samples
		find spool -name '[^.]*.*' -not -name filler -printf '%s\n' | paste -sd+ | bc >> sizes
	done
}

# settled: each number up to the last is that of a round that was counted; its counts are a whole file, or removed, or not written, and a
# line says so
settled()
{
	sed -nE 's/.*-([0-9]{8}): ([0-9]+) bytes of trace.*/\1 \2/p' log.first log > rounds
	sort -n rounds | awk '$1 != NR - 1 { exit 1 }' && [ "$(cut -d' ' -f2 rounds | sort -u | wc -l)" = 1 ] &&
		[ "$(wc -l < rounds)" -ge 2 ] || return
	{
		for file in spool/*.counts; do
			cmp long.counts "$file" && echo "$file"
		done
		cat log.first log
	} 2> why | sed -nE '/spool.*\.counts$|removed: the oldest|not written/s/.*-([0-9]{8})\.counts.*/\1/p' | sort > found
	cut -d' ' -f1 rounds | sort | diff - found > why
}

rm -rf spool
mkdir spool
if ! faketime=$(find /usr/lib -name libfaketime.so.1 | grep .) || ! mount -t tmpfs -o size=$((2 * most)) agent spool 2> why; then
	skip "an hour of trace at 10 MB/s" "no libfaketime, or no root"
	echo "1..$n"
	exit 0
fi
trap '[ -z "$pid" ] || kill -KILL "$pid" 2> /dev/null; sleep 1; umount "$tmp/spool"; rm -rf "$tmp"' EXIT
date '+@%F %T' > now
hour 50%
fake=(env LD_PRELOAD="$faketime" FAKETIME_TIMESTAMP_FILE="$tmp/now" FAKETIME_NO_CACHE=1 DONT_FAKE_MONOTONIC=1)
begin "${fake[@]}"
from=$SECONDS
: > samples
: > sizes
measure 1
kill -USR1 $pid
up_to 60 has 1 perf.data && cmp long.data spool/*.perf.data > why 2>&1
ok $? "SIGUSR1: the trace of a round is kept"
measure 2
echo '@2041-05-05 12:00:00' > now
measure 3
echo '@2021-05-05 12:00:00' > now
measure 4
cat /dev/zero > spool/filler 2> /dev/null
measure 5
rm spool/filler
measure 10
used=$(used)
passed=$((SECONDS - from))
end TERM
ok $? "$passed seconds of trace at 10 MB/s"
mv log log.first
hour 20%
begin "${fake[@]}"
start=$SECONDS
mv samples samples.first
measure 12
late=$(used)
end TERM
ok $? "a restart, and $((SECONDS - start)) seconds"

[ "$used" -le $((passed * 50 + 200)) ] && [ "$late" -le $(((SECONDS - start) * 20 + 200)) ]
ok $? "CPU time: $used hundredths of a second, of which 50 % were allowed, and then $late, of which 20 % were"
half=$(($(wc -l < samples.first) / 2))
early=$(head -n $half samples.first | sort -n | tail -n 1) late=$(tail -n +$((half + 1)) samples.first | sort -n | tail -n 1)
[ "$late" -lt $((early + 2048)) ] && [ "$late" -lt $((128 * 1024)) ]
ok $? "memory is flat: $early KiB at most in the first half, $late KiB in the second"
[ "$(sort -n sizes | tail -n 1)" -le $most ]
ok $? "the spool has $(sort -n sizes | tail -n 1) bytes at most, of $most"
sed -n 's/.*goes on after \([0-9]*\) ms; \([1-9][0-9]*\) rounds were left out/\1 ms, \2 rounds/p' log.first > got
grep -q 'paused, until there is room' log.first && [ "$(wc -l < got)" = 1 ]
ok $? "the disk was full: $(cat got)"
sed -nE 's/.*csflow: (20[0-9]{2})[0-9]{4}T.*bytes of trace.*/\1/p' log.first log | sort -u | paste -sd' ' > got
grep -q '^2021 20.. 2041$' got
ok $? "the clock was set, back and forth: $(cat got)"
up_to 10 settled
ok $? "nothing is lost without a line: of $(wc -l < rounds) rounds $(find spool -name '*.counts' | wc -l) are there, $(grep -c 'removed: the oldest' log.first) and $(grep -c 'removed: the oldest' log) were removed"
echo "1..$n"
