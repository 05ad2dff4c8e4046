#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow record that does not come to its end: stopped by a signal, by a disk that is full, or because
# the emulator or csflow itself is killed.  The rest is a valid recording, and no process runs on.
#
# The last part stops recordings at random.  STOP_RUNS says how many, STOP_SEED the first seed; each has
# a seed of its own, which is printed if it fails.  CSFLOW_LONG: 200 of them.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0
unset QEMU_LD_PREFIX

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
for tool in qemu-aarch64 aarch64-linux-gnu-gcc; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'umount "$tmp"/disk* 2> /dev/null; rm -rf "$tmp"' EXIT
. lib/tap.sh

for program in plain threads stubborn ends; do
	aarch64-linux-gnu-gcc -O2 -static -pthread -w -o "$tmp/$program" programs/$program.c 2> "$tmp/why" ||
		ok 1 "$program is built"
done
FOREVER=1000000

# until_runs PID: it is no longer a shell
until_runs()
{
	local i

	for ((i = 0; i < 1000 && $(readlink "/proc/$1/exe" | grep -c csflow) == 0; i++)); do
		sleep 0.01
	done
}

# A shell's background has SIGINT and SIGQUIT ignored; a terminal has not.
start()
{
	env --default-signal=HUP,INT,QUIT setsid "$csflow" "$@" > "$tmp/out" 2> "$tmp/why" < /dev/null &
	recorder=$!
	until_runs $recorder
}

# until FILE BYTES: it has that many
until_size()
{
	local i

	for ((i = 0; i < 600; i++)); do
		[ "$(stat -c %s "$1" 2> /dev/null || echo 0)" -ge "$2" ] && return
		sleep 0.05
	done
	return 1
}

# No process of this test is left that runs the emulator; one that ends may need a moment.
none_left()
{
	local i

	for ((i = 0; i < 40; i++)); do
		pgrep -f "^[^ ]*qemu-[a-z0-9]* .*$1" > /dev/null || return 0
		sleep 0.05
	done
	echo "left: $(pgrep -fa "^[^ ]*qemu-[a-z0-9]* .*$1")" >> "$tmp/why"
	return 1
}

# is_whole FILE: it decodes, and nothing is missing
is_whole()
{
	"$csflow" doctor "$1" > "$tmp/doctor" 2>&1 &&
		grep -q '^verdict  *[0-9]\{5,\} instructions .*; nothing is missing' "$tmp/doctor" && return
	cat "$tmp/doctor" >> "$tmp/why"
	return 1
}

# ---------------------------------------------------------------- signals

for stop in "1 HUP" "2 INT" "3 QUIT" "15 TERM"; do
	for whom in recorder group; do
		rm -f "$tmp"/perf.data "$tmp"/truth
		start record -m 200000 -o "$tmp/perf.data" --truth="$tmp/truth" -- "$tmp/plain" $FOREVER
		until_size "$tmp/perf.data" 200000
		if [ $whom = group ]; then kill -${stop#* } -- -$recorder; else kill -${stop#* } $recorder; fi
		wait $recorder 2> /dev/null
		status=$?
		[ $status = $((128 + ${stop% *})) ] && grep -q "stopped by SIG${stop#* }: what was recorded until then is in it: [0-9]* instr" "$tmp/why" &&
			is_whole "$tmp/perf.data" && none_left "$tmp/plain"
		ok $? "SIG${stop#* } to the $whom: status $status"
		"$csflow" match "$tmp/truth" "$tmp/perf.data" > "$tmp/matched" 2>&1
		insns=$(sed -n 's/.*in it: \([0-9]*\) instructions.*/\1/p' "$tmp/why")
		# The log of a program that crashed has no end, but all before it.
		grep -q '^equal' "$tmp/matched" && grep -q "perf.data: $insns instructions" "$tmp/matched"
		status=$?
		cat "$tmp/matched" >> "$tmp/why"
		ok $status "and all that was executed is in it"
	done
done

timeout --preserve-status 1 "$csflow" record -o "$tmp/perf.data" -- "$tmp/threads" $FOREVER > /dev/null 2> "$tmp/why"
[ $? = 143 ] && is_whole "$tmp/perf.data" && none_left "$tmp/threads"
ok $? "timeout, and several threads"

rm -rf "$tmp/snapshot"
start record --snapshot -u ete=1.1 -o "$tmp/snapshot" -- "$tmp/plain" $FOREVER
sleep 1
kill -INT $recorder
wait $recorder 2> /dev/null
[ $? = 130 ] && is_whole "$tmp/snapshot" && none_left "$tmp/plain"
ok $? "a snapshot"

# ready HOW: a program that does not end by a signal runs
ready()
{
	start record -o "$tmp/perf.data" -- "$tmp/stubborn" $1
	until_size "$tmp/out" 6
}

for how in ignore block go-on; do
	ready $how && kill -INT $recorder && wait $recorder 2> /dev/null
	[ $? = 130 ] && "$csflow" doctor "$tmp/perf.data" > "$tmp/doctor" 2>&1 && none_left "$tmp/stubborn"
	ok $? "a program that does not heed it: $how"
done
ready handle && kill -TERM $recorder && wait $recorder 2> /dev/null
[ $? = 143 ] && grep -q '^signal 15, cleaned up' "$tmp/out" && none_left "$tmp/stubborn"
ok $? "a program that ends by itself then has the time"
ready ignore && for ((i = 0; i < 20; i++)); do kill -INT $recorder; done && wait $recorder 2> /dev/null
[ $? = 130 ] && "$csflow" dump --stats "$tmp/perf.data" > /dev/null 2>> "$tmp/why" && none_left "$tmp/stubborn"
ok $? "twenty signals"
start record -o "$tmp/perf.data" -- "$tmp/stubborn" block
kill -TERM $recorder
wait $recorder 2> /dev/null
[ $? = 143 ] && none_left "$tmp/stubborn"
ok $? "a signal at once"

# ends HOW STATUS: by a signal of its own; all that it executed is there, though other threads run
"$csflow" record -o "$tmp/perf.data" --truth="$tmp/truth" -- "$tmp/ends" abort > /dev/null 2> "$tmp/why" < /dev/null
[ $? = 134 ] && grep -q 'did not end by itself, but by SIGABRT: what was recorded until then is in it: [0-9]* instr' "$tmp/why" &&
	{ "$csflow" match "$tmp/truth" "$tmp/perf.data" >> "$tmp/why" 2>&1; grep -q '^equal' "$tmp/why" && ! grep -q 'may be missing' "$tmp/why"; }
ok $? "abort: nothing of it is missing"

# ---------------------------------------------------------------- who is killed

start record -m 200000 -o "$tmp/perf.data" -- "$tmp/plain" $FOREVER
until_size "$tmp/perf.data" 400000
pkill -KILL -P $recorder
wait $recorder
[ $? = 137 ] && grep -q 'but by SIGKILL: what was recorded until then is in it' "$tmp/why" && is_whole "$tmp/perf.data"
ok $? "the emulator is killed"
start record -m 200000 -o "$tmp/perf.data" -- "$tmp/plain" $FOREVER
until_size "$tmp/perf.data" 400000
kill -KILL $recorder
wait $recorder 2> /dev/null
none_left "$tmp/plain"
left=$?
"$csflow" doctor "$tmp/perf.data" > "$tmp/why" 2>&1
[ $left = 0 ] && grep -q '^verdict  *[0-9]\{5,\} instructions .* decoded' "$tmp/why"
ok $? "csflow itself is killed: the file says that it was not finished"

# ---------------------------------------------------------------- a disk that is full

# Files of 12 or 30 KiB may be full before the first trace is sent, 50 ms after the start or later: switches fill them.
is_tiny()
{
	[ $1 -le 30 ] && "$csflow" doctor "$tmp/perf.data" 2> /dev/null | tee "$tmp/doctor" |
		grep -q 'or the recording ended before any trace was written'
}

# decodes FILE: by all commands
decodes()
{
	"$csflow" doctor "$1" > "$tmp/doctor" 2>> "$tmp/why"
	grep '^verdict' "$tmp/doctor" >> "$tmp/why"
	grep -q '^verdict  *[0-9]* instructions .* decoded' "$tmp/doctor" &&
		"$csflow" dump --stats "$1" > /dev/null 2>> "$tmp/why" && "$csflow" profile --for=fdata -o /dev/null "$1" 2> "$tmp/profile"
}

# Switches of many threads would fill the smaller ones before a buffer is half full.
for kib in 12 30 300 3000; do
	for form in --cpus=2 --raw --per-thread; do
		rm -f "$tmp/perf.data"
		(ulimit -f $kib && "$csflow" record -o "$tmp/perf.data" $form -u ete=1.1,cid,cc=4,ts=100 -- "$tmp/threads" $FOREVER) \
			> /dev/null 2> "$tmp/why" < /dev/null
		[ $? = 1 ] && grep -q "perf.data: File too large: what was recorded until then is in it: [0-9]* bytes" "$tmp/why" &&
			{ is_tiny $kib || decodes "$tmp/perf.data"; } && none_left "$tmp/threads" &&
			! grep -q 'larger buffers' "$tmp/doctor"
		ok $? "a file of $kib KiB at most, $form"
	done
done
(ulimit -f 1 && "$csflow" record -o "$tmp/perf.data" -- "$tmp/plain") > /dev/null 2> "$tmp/why"
[ $? = 1 ] && grep -q 'File too large' "$tmp/why"
ok $? "a file of 1 KiB at most"

# ---------------------------------------------------------------- pgo

if aarch64-linux-gnu-gcc -O2 -g -static -pthread -w -o "$tmp/hot" programs/plain.c 2> "$tmp/why"; then
	rm -f "$tmp/perf.data"
	start pgo --for=gcc -o "$tmp/hot.afdo" --keep="$tmp/perf.data" -- "$tmp/hot" $FOREVER
	until_size "$tmp/perf.data" 100 && sleep 0.5
	kill -INT -- -$recorder
	wait $recorder 2> /dev/null
	[ $? = 0 ] && [ -s "$tmp/hot.afdo" ] && grep -q 'stopped by SIGINT' "$tmp/why" && none_left "$tmp/hot" && ! ls -d "$tmp"/hot.afdo.* > /dev/null 2>&1
	ok $? "pgo goes on with what was recorded"
fi

# ---------------------------------------------------------------- at random

# The run, from a seed alone: kind, program, options, when
choose()
{
	local forms=("" "--raw" "--per-thread" "--cpus=3 --quantum=7000 --migrate=3")
	local programs=(plain threads) kinds=(int term hup kill full) rooms=(-m_200000 -m_4194304)

	RANDOM=$1
	kind=${kinds[RANDOM % 5]}
	program=${programs[RANDOM % 2]}
	form="${forms[RANDOM % 4]} ${rooms[RANDOM % 2]/_/ }"
	ms=$((50 + RANDOM % 950))
	whom=$((RANDOM % 2))
	twice=$((RANDOM % 4))
	kib=$((330 + RANDOM % 4000))
}

# stop PID: in the chosen way
stop_it()
{
	local sig=${kind^^} i

	sleep $((ms / 1000)).$(printf %03d $((ms % 1000)))
	if [ $kind = kill ]; then
		for ((i = 0; i < 200; i++)); do
			pkill -KILL -P $1 && return
			sleep 0.01
		done
		return
	fi
	if [ $whom = 1 ]; then kill -$sig -- -$1; else kill -$sig $1; fi
	[ $twice != 0 ] || kill -$sig $1 2> /dev/null
}

# all_aux DIR: all bytes that AUX records name are in the file, perhaps with some after them, and are decoded
all_aux()
{
	command -v python3 > /dev/null || return 0
	python3 - "$1/perf.data" > "$1.aux" 2>> "$1.why" << 'END'
import struct, sys

data = open(sys.argv[1], 'rb').read()
at = struct.unpack_from('<Q', data, 40)[0]
end = at + (struct.unpack_from('<Q', data, 48)[0] or len(data) - at)
aux = trace = 0
while at + 8 <= end:
    kind, _, size = struct.unpack_from('<IHH', data, at)
    if kind == 11:
        aux += struct.unpack_from('<Q', data, at + 16)[0]
    if kind == 71:
        n = struct.unpack_from('<Q', data, at + 8)[0]
        trace += n
        size += n
    if not size:
        break
    at += size
print(aux, trace)
END
	read -r aux trace < "$1.aux" && [ "$aux" -gt 0 ] && [ "$aux" -le "$trace" ] &&
		[ "$(sed -n 's/^frames: \([0-9]*\) bytes, .*/f \1/p; s/.* \[[0-9a-f]*\]: \([0-9]*\) bytes, .*/r \1/p' "$1.stats" |
			awk '{ n[$1] += $2 } END { print n["f"] ? n["f"] : n["r"] }')" = "$aux" ]
}

# Recorded in folder $2, stopped, and looked at.  Prints: seed, kind, status, bytes, what is wrong.
random_run()
{
	local seed=$1 dir=$2 wrong= status want bytes pid
	local kind program form ms whom twice kib aux trace

	choose $seed
	find "$dir" -mindepth 1 -delete
	want=$(case $kind in int) echo 130 ;; term) echo 143 ;; hup) echo 129 ;; kill) echo 137 ;; full) echo 1 ;; esac)
	(
		[ $kind != full ] || [ -n "$disks" ] || ulimit -f $kib
		[ $kind != full ] || [ -z "$disks" ] || mount -o remount,size=${kib}k "$dir"
		# shellcheck disable=SC2086 # words
		exec env --default-signal=HUP,INT,QUIT setsid "$csflow" record --header=1 $form -o "$dir/perf.data" \
			-u ete=1.1,rs,cid,ts=4096,cc=$((4 + seed % 60)) -- "$tmp/$program" $FOREVER
	) > /dev/null 2> "$dir.why" < /dev/null &
	pid=$!
	until_runs $pid
	[ $kind = full ] || stop_it $pid 2> /dev/null
	wait $pid 2> /dev/null
	status=$?
	bytes=$(stat -c %s "$dir/perf.data")
	[ $status = $want ] || wrong="$wrong status-$status"
	[ "$(ls "$dir")" = perf.data ] || wrong="$wrong files"
	pgrep -f "qemu-aarch64 .*$tmp/$program.*" -s $pid > /dev/null && sleep 1 && pgrep -s $pid > /dev/null && wrong="$wrong left"
	"$csflow" doctor "$dir/perf.data" > "$dir.doctor" 2>> "$dir.why" || wrong="$wrong doctor"
	if grep -qE 'in it:( 0 instructions,|.* 0 bytes of trace)' "$dir.why"; then
		status=$status-empty
	else
		"$csflow" dump --stats "$dir/perf.data" > "$dir.stats" 2>> "$dir.why" || wrong="$wrong dump"
		"$csflow" profile --for=fdata -o /dev/null "$dir/perf.data" 2> "$dir.profile" || wrong="$wrong profile"
		grep -q '^verdict  *[0-9]* instructions .* decoded' "$dir.doctor" || wrong="$wrong verdict"
		case $kind in
		int | term | hup)	grep -q '^verdict .*; nothing is missing' "$dir.doctor" || wrong="$wrong missing" ;;
		esac
		all_aux "$dir" || wrong="$wrong aux"
		[ $((seed % 20)) != 0 ] || ! command -v perf > /dev/null || perf report -D -i "$dir/perf.data" > /dev/null 2> "$dir.perf" ||
			wrong="$wrong perf"
		[ ! -e "$dir.perf" ] || ! grep -q 'out of order' "$dir.perf" || wrong="$wrong order"
	fi
	[ -z "$wrong" ] || sed "s/^/seed $seed: /" "$dir.why"
	echo "run $seed $kind $status $bytes$wrong"
}

# worker FIRST LAST: these seeds
worker()
{
	local dir=$tmp/disk$1 seed disks=

	mkdir "$dir"
	mount -t tmpfs -o size=1g none "$dir" 2> /dev/null && disks=1
	for ((seed = $1; seed <= $2; seed++)); do
		[ -z "$disks" ] || mount -o remount,size=1g "$dir"
		random_run $seed "$dir"
	done
	[ -z "$disks" ] || umount "$dir"
}

runs=${STOP_RUNS:-12}
[ -z "$CSFLOW_LONG" ] || runs=${STOP_RUNS:-200}
first=${STOP_SEED:-1778}
workers=2
for ((w = 0; w < workers; w++)); do
	worker $((first + w * runs / workers)) $((first + (w + 1) * runs / workers - 1)) > "$tmp/runs$w" 2>&1 &
done
wait
cat "$tmp"/runs[0-9]* > "$tmp/runs"
echo "# kind, status: runs, bytes at least, at most"
awk '$1 == "run" { k = $3 " " $4; n[k]++; if (!(k in lo) || $5 < lo[k]) lo[k] = $5; if ($5 > hi[k]) hi[k] = $5 }
	END { for (k in n) print "# " k ": " n[k] ", " lo[k] ", " hi[k] }' "$tmp/runs" | sort
grep -v '^run [0-9]* [a-z]* [0-9a-z-]* [0-9]*$' "$tmp/runs" > "$tmp/why"
[ ! -s "$tmp/why" ] && [ "$(grep -c '^run ' "$tmp/runs")" = $runs ] && none_left "$tmp"
ok $? "$runs recordings stopped at random, seeds from $first"

echo "1..$n"
