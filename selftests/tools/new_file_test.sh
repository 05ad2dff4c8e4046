#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A file that a command writes gets its name when it is complete, and not before: a command that is
# stopped by a signal, or has no room on the disk, leaves the file that was there, and no other.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0
unset QEMU_LD_PREFIX
umask 022

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
CSFLOW=$(realpath "$CSFLOW")
fast=$(realpath "$CSFLOW_FAST")
tmp=$(mktemp -d) || exit 1
trap 'umount "$tmp/disk" 2> /dev/null; rm -rf "$tmp"' EXIT
export PERF_BUILDID_DIR=$tmp/cache
. lib/tap.sh

${CC:-cc} -O2 -shared -fPIC -o "$tmp/stop.so" programs/stop-close.c -ldl 2> "$tmp/why"
ok $? "what stops a command when it closes a file"

demo=$tmp/demo
cp -r data/demo "$tmp"
here=$tmp/here
mkdir "$here"
echo async > "$tmp/words"
printf '\0\0\0\0\0\x80\x01\x48\xc0\x05\x01\x49' > "$tmp/itm"
"$fast" tarmac -o "$tmp/log" --symfs "$demo" "$demo/perf.data" 2> /dev/null
"$fast" profile -q --for=counts -o "$tmp/counts" --symfs "$demo" "$demo/perf.data" 2> /dev/null
"$fast" encode --format=snapshot -o "$tmp/encoded" "$tmp/log" 2> "$tmp/why"
ok $? "what is written of"

# begin [FILE]: it is there, and nothing else
begin()
{
	find "$here" -mindepth 1 -delete
	echo "what was there" > "$here/${1:-out}"
}

# is_left [FILE]: that is still so
is_left()
{
	[ "$(cat "$here/${1:-out}")" = "what was there" ] && [ "$(ls -A "$here")" = "${1:-out}" ] && return
	{
		echo "left:"
		ls -lA "$here"
	} >> "$tmp/why"
	return 1
}

# stopped NAME FILE WORDS...: by each signal, when it has written and not yet closed
stopped()
{
	local name=$1 file=$2 signo status

	shift 2
	for signo in 1 2 15; do
		begin "$file"
		(cd "$here" && exec env --default-signal=INT,HUP LD_PRELOAD="$tmp/stop.so" STOP_IN="$here/" STOP_SIGNAL=$signo \
			"$fast" "$@") > "$tmp/out" 2> "$tmp/why" < /dev/null &
		wait $! 2> /dev/null
		status=$?
		echo "status $status" >> "$tmp/why"
		[ $status = $((128 + signo)) ] && is_left "$file"
		ok $? "$name: signal $signo"
	done
}

# full NAME FILE WORDS...: no byte can be written
full()
{
	local name=$1 file=$2 status

	shift 2
	begin "$file"
	# Its messages must find room.
	(cd "$here" && ulimit -f 0 && exec "$CSFLOW" "$@") 2>&1 > /dev/null < /dev/null | cat > "$tmp/why"
	status=${PIPESTATUS[0]}
	echo "status $status" >> "$tmp/why"
	[ "$status" = 1 ] && grep -q "$file: File too large" "$tmp/why" && is_left "$file"
	ok $? "$name: no room"
}

# both NAME FILE WORDS...
both()
{
	stopped "$@"
	full "$@"
}

of="--symfs $demo $demo/perf.data"
# shellcheck disable=SC2086 # words
{
	both asm out asm -o out "$tmp/words"
	both "profile of a program" out profile -q -o out $of
	both "a count table" out profile -q --for=counts -o out $of
	both "--quality" out profile -q -o /dev/null --quality=out $of
	both merge out merge -o out "$tmp/counts"
	both quick out quick -o out $of
	both report out report --html -o out $of
	both tarmac out tarmac -o out $of
	both timeline out timeline -o out $of
	both index out index -o out "$tmp/encoded"
	both messages out messages -o out "$tmp/itm"
	stopped "messages, ctf" out messages --format=ctf -o folder "$tmp/itm"
	both "bytes of a port" out messages --binary=0=out "$tmp/itm"
	stopped snapshot out snapshot -o folder $of
	both "log of script" csflow.log script --itrace=bd $of
}
stopped "encode, perf.data" out encode -o out "$tmp/log"
stopped "encode, raw" out encode --format=raw --formatted -o out "$tmp/log"

# Of several files all are new, or none, whichever of them is being closed when the signal comes.
head -n 300 "$tmp/log" > "$tmp/log-older"

# encoded FORMAT LOG [VARIABLES...]: there; its status
encoded()
{
	(cd "$here" && exec env --default-signal=INT "${@:3}" "$fast" encode --format=$1 -o result "$tmp/$2") > "$tmp/out" 2> "$tmp/why"
}

for format in snapshot perf; do
	for which in -older ""; do
		find "$here" -mindepth 1 -delete
		encoded $format log$which && cp -r "$here" "$tmp/$format$which" && [ "$(find "$here" -type f | wc -l)" -gt 1 ]
		ok $? "encode, $format: files$which"
	done
	mkdir "$tmp/$format-none"
	for was in older none; do
		for ((i = 1; i < 20; i++)); do
			find "$here" -mindepth 1 -delete
			cp -r "$tmp/$format-$was/." "$here"
			encoded $format log LD_PRELOAD="$tmp/stop.so" STOP_IN="$here/" STOP_SIGNAL=2 STOP_AT=$i
			status=$?
			[ $status != 0 ] || break
			diff -r "$tmp/$format-$was" "$here" >> "$tmp/why" 2>&1 && [ $status = 130 ]
			ok $? "encode, $format, there was $was: signal 2 at file $i"
		done
		[ $status = 0 ] && [ $i -gt 2 ] && diff -r "$tmp/$format" "$here" > "$tmp/why" 2>&1
		ok $? "and without a signal all are new"
	done
done

# A snapshot that is there stays, or is the new one.
find "$here" -mindepth 1 -delete
"$fast" encode --format=snapshot -o "$here/folder" "$tmp/log-older" > "$tmp/out" 2> "$tmp/why"
cp -r "$here/folder" "$tmp/folder"
for ((i = 1; i < 20; i++)); do
	# shellcheck disable=SC2086 # words
	(cd "$here" && exec env --default-signal=INT LD_PRELOAD="$tmp/stop.so" STOP_IN="$here/" STOP_SIGNAL=2 STOP_AT=$i \
		"$fast" snapshot -o folder $of) > "$tmp/out" 2> "$tmp/why"
	status=$?
	[ $status != 0 ] || break
	diff -r "$tmp/folder" "$here/folder" >> "$tmp/why" 2>&1 && [ $status = 130 ] && [ "$(ls -A "$here")" = folder ]
	ok $? "snapshot: signal 2 at file $i"
done
[ $status = 0 ] && [ $i -gt 5 ] && ! diff -r "$tmp/folder" "$here/folder" > "$tmp/out" 2>&1
ok $? "and without a signal it is the new one"

# ---------------------------------------------------------------- a disk

mkdir "$tmp/disk"
if mount -t tmpfs -o size=128k none "$tmp/disk" 2> /dev/null; then
	for format in perf raw; do
		echo "what was there" > "$tmp/disk/out"
		[ $format = perf ] || cat /dev/zero > "$tmp/disk/fill" 2> /dev/null
		[ $format = raw ] || head -c 120k /dev/zero > "$tmp/disk/fill"
		"$CSFLOW" encode --formatted --format=$format -o "$tmp/disk/out" "$tmp/log" > "$tmp/out" 2> "$tmp/why"
		[ $? = 1 ] && grep -q "disk/out.*: No space left on device" "$tmp/why" &&
			[ "$(cat "$tmp/disk/out")" = "what was there" ] && [ "$(ls -A "$tmp/disk" | tr '\n' ' ')" = "fill out " ]
		ok $? "encode, $format: the disk is full"
	done
	rm -f "$tmp"/disk/*
	cp -r "$tmp/snapshot-older/result" "$tmp/disk/snapshot"
	free=$(df --output=avail -B 1 "$tmp/disk" | tail -n 1)
	head -c $((free - 8192)) /dev/zero > "$tmp/disk/fill"
	"$CSFLOW" encode --format=snapshot -o "$tmp/disk/snapshot" "$tmp/log" > "$tmp/out" 2> "$tmp/why"
	[ $? = 1 ] && grep -q "disk/snapshot.*: No space left on device" "$tmp/why" && diff -r "$tmp/snapshot-older/result" "$tmp/disk/snapshot" >> "$tmp/why"
	ok $? "encode, a snapshot: the disk is full after some files"
	"$CSFLOW" encode --format=snapshot -o "$tmp/disk/new" "$tmp/log" > "$tmp/out" 2> "$tmp/why"
	[ $? = 1 ] && [ ! -e "$tmp/disk/new" ]
	ok $? "and of a new one nothing is left"
	umount "$tmp/disk"
else
	skip "encode: the disk is full" "no tmpfs can be mounted"
fi

# ---------------------------------------------------------------- while it waits

# waiting WORDS...: a command that writes out, and reads the pipe $tmp/pipe; $! is it
waiting()
{
	local i

	begin
	rm -f "$tmp/pipe"
	mkfifo "$tmp/pipe"
	exec 9<> "$tmp/pipe"
	(cd "$here" && exec env --default-signal=INT "$CSFLOW" "$@" "$tmp/pipe") > "$tmp/out" 2> "$tmp/why" < /dev/null 9>&- &
	head -500 "$tmp/log" >&9
	for ((i = 0; i < 600; i++)); do
		[ "$(ls -A "$here" | wc -l)" = 1 ] && [ -s "$here/out" ] || return
		sleep 0.05
	done
}

for signal in INT TERM HUP; do
	waiting tarmac -o out
	kill -$signal $!
	wait $! 2> /dev/null
	[ $? = $((128 + $(kill -l $signal))) ] && is_left
	ok $? "tarmac of a pipe: SIG$signal"
	exec 9>&-
done

# ---------------------------------------------------------------- programs of Arm

if command -v qemu-aarch64 > /dev/null && command -v aarch64-linux-gnu-gcc > /dev/null; then
	aarch64-linux-gnu-gcc -O2 -g -static -pthread -w -o "$tmp/plain" programs/plain.c 2> "$tmp/why" &&
		"$fast" record -o "$tmp/perf.data" -- "$tmp/plain" 100 > /dev/null 2> "$tmp/why"
	ok $? "a program with debug information"
	both coverage out coverage -q -o out "$tmp/perf.data"
	stopped pgo out pgo --for=gcc -o out -- "$tmp/plain" 100
else
	skip "programs of Arm" "no qemu-aarch64 or aarch64-linux-gnu-gcc"
fi

# ---------------------------------------------------------------- a filter of perf script

if command -v perf > /dev/null; then
	begin
	(trap '' XFSZ && ulimit -f 0 && exec perf script -i "$demo/perf.data" --symfs "$demo" --itrace=b \
		--dlfilter "$(realpath "$O/csflow-dlfilter.so")" --dlarg autofdo --dlarg out="$here/out") 2>&1 > /dev/null < /dev/null |
		cat > "$tmp/why"
	grep -q "$here/out: File too large" "$tmp/why" && is_left
	ok $? "filter of perf script: no room"
else
	skip "filter of perf script" "no perf"
fi

# ---------------------------------------------------------------- other files

# writes FILE [WORDS...]: the profile, with status 0
writes()
{
	local file=$1

	shift
	# shellcheck disable=SC2086 # words
	"$CSFLOW" profile -q -o "$file" $of "$@" 2> "$tmp/why"
}

begin
chmod 640 "$here/out"
writes "$tmp/right" && writes "$here/out" && cmp "$tmp/right" "$here/out" >> "$tmp/why" && [ "$(stat -c %a "$here/out")" = 640 ] &&
	[ "$(ls -A "$here")" = out ]
ok $? "a file that was there keeps its mode"
(umask 027 && writes "$here/new") && [ "$(stat -c %a "$here/new")" = 640 ]
ok $? "a new one has that of the umask"
begin
mkdir "$here/folder"
ln -s ../out "$here/folder/link"
writes "$here/folder/link" && [ -L "$here/folder/link" ] && cmp "$tmp/right" "$here/out" 2>> "$tmp/why"
ok $? "a link is followed"
ln -sf nowhere "$here/folder/link"
writes "$here/folder/link" && [ -L "$here/folder/link" ] && cmp "$tmp/right" "$here/folder/nowhere" 2>> "$tmp/why"
ok $? "a link to what is not there yet, too"
mkfifo "$here/pipe"
cat "$here/pipe" > "$tmp/got" &
writes "$here/pipe" && wait $! && [ -p "$here/pipe" ] && cmp "$tmp/right" "$tmp/got" 2>> "$tmp/why"
ok $? "a pipe stays one"
: > "$here/out"
exec 8> "$here/out"
writes /dev/fd/8 && [ "/proc/self/fd/8" -ef "$here/out" ] && cmp "$tmp/right" "$here/out" 2>> "$tmp/why"
ok $? "what a shell has open is that file"
exec 8>&-
writes /dev/null && [ -c /dev/null ]
ok $? "/dev/null"
writes /dev/full
[ $? = 1 ] && grep -q '/dev/full: No space left on device' "$tmp/why"
ok $? "/dev/full"
begin
writes "$here"
[ $? = 1 ] && grep -q "$here: Is a directory" "$tmp/why" && is_left
ok $? "a folder"
writes "$here/none/out"
[ $? = 1 ] && grep -q "$here/none/out: No such file or directory" "$tmp/why" && is_left
ok $? "a folder that is not there"
(
	trap '' HUP
	export LD_PRELOAD=$tmp/stop.so STOP_IN=$here/ STOP_SIGNAL=1
	# shellcheck disable=SC2086 # words
	"$fast" profile -q -o "$here/out" $of
) 2> "$tmp/why" && cmp "$tmp/right" "$here/out" 2>> "$tmp/why"
ok $? "nohup: it goes on"

echo "1..$n"
