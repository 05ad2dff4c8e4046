#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow vm: Debian's kernel and Debian's perf record from a virtual trace unit, in a virtual machine.  The unit plays back
# trace of a program that the emulator of user programs has run; from perf.data that program must come out, instruction by
# instruction, however the trace was cut on its way through the kernel.
#
# CSFLOW_LONG: with Linux 6.1 and 7.2, too, more cycles of loading, files, terminals, and what goes wrong.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
for tool in qemu-system-aarch64 qemu-aarch64 aarch64-linux-gnu-gcc cpio; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# Programs and temporary files of the runs.
export PERF_BUILDID_DIR=$tmp/ids TMPDIR=$tmp/temporary
mkdir "$TMPDIR"
mkdir -p "$O/vm-cache" || exit 1
cache=$(realpath "$O/vm-cache")
cycles=10
releases=6.12
[ -z "$CSFLOW_LONG" ] || { cycles=1000; releases="6.1 6.12 7.2"; }

. lib/tap.sh

aarch64-linux-gnu-gcc -O1 -g -static -no-pie -o "$tmp/naps" programs/naps.c || exit 1
cd "$tmp" || exit 1

# The trace, and the instructions that it is of.  Its registers are those that the snapshot of such a unit has.
unit=ete=1.1,sync=1024,targetfirst
"$csflow" record -q -u $unit --per-thread --truth=truth.log -o user.data -- ./naps > printed 2> why || exit 1
"$csflow" encode -u $unit --format=snapshot -o registers truth.log 2> why &&
	"$csflow" encode -u $unit --format=raw --by=thread -o trace.bin truth.log 2> why || { cat why >&2; exit 1; }
"$csflow" script -F ip --itrace=i1i user.data > want 2> why
size=$(stat -c %s trace.bin)
registers=$(sed -n -E 's/^(TRCIDR[0128]|TRCDEVARCH)(\([^)]*\))?=(0x[0-9A-Fa-f]+).*/-p \L\1=\3/p' registers/*.ini)

vm()
{
	local status

	# shellcheck disable=SC2086 # words
	"$csflow" vm --cache="$cache" $registers "$@" > out 2> why
	status=$?
	[ $status = 0 ] || sed "s/^/# csflow vm: status $status: /" out why
	return $status
}

# decoded FILE NAME: it has all instructions
decoded()
{
	"$csflow" script -F ip --itrace=i1i "$1" > got 2> why
	same want got "$2: $(wc -l < got) instructions"
}

[ "$(wc -l < want)" -gt 10000 ] && [ "$size" -gt 4096 ]
ok $? "a trace of $size bytes, of $(wc -l < want) instructions"

vm -q -- sh -c 'uname -r; exit 7'
status=$?
if ! grep -q '^6\.12\.' out && grep -q 'cannot be fetched' why; then
	echo "1..$n # $(head -n 1 why)"
	exit 1
fi
[ $status = 7 ] && grep -q '^6\.12\.' out
ok $? "a command, its output and its status: $(cat out)"

per_thread='perf record -q --per-thread -e cs_etm/contextid=0,timestamp=0/u'

for release in $releases; do
	vm -k $release -c 1 -r trace.bin:0 -- $per_thread -o kernel.data ./naps
	cmp -s out printed && [ -s kernel.data ]
	ok $? "Linux $release: perf record"
	decoded kernel.data "Linux $release"
done

# A unit that nothing is said of is the one that csflow encode has, and an ETMv4 likewise.
for kind in ${CSFLOW_LONG:+ete=1.1} etm4=4.3; do
	parameter=
	[ $kind = ete=1.1 ] || parameter='-p etm4=1'
	"$csflow" encode -u $kind --by=thread --format=raw -o own.bin truth.log 2> why
	# shellcheck disable=SC2086 # words
	"$csflow" vm -q --cache="$cache" -c 1 $parameter -r own.bin:0 -- perf record -q --per-thread -e cs_etm//u -o own.data \
		./naps > out 2> why
	decoded own.data "$kind by default"
	"$csflow" doctor own.data 2> why | grep -q "  00  $([ $kind = ete=1.1 ] && echo ETE1.1 || echo ETMv4.3) "
	ok $? "it is $kind"
done

# Whenever the kernel takes the program off its CPU, the buffer is emptied: a piece each.
vm -c 1 -p chunk=1500 -r trace.bin:0 -- $per_thread -o pieces.data ./naps
[ "$("$csflow" doctor pieces.data 2> why | sed -n 's/^trace .* in \([0-9]*\) fragments.*/\1/p')" -gt 3 ]
ok $? "the trace comes in pieces"
decoded pieces.data "pieces"

# The sink that all CPUs share has frames.
vm -c 1 -r trace.bin:0 -- perf record -q --per-thread -e cs_etm/@csflow_etr0,contextid=0,timestamp=0/u -o frames.data ./naps
"$csflow" doctor frames.data 2> why | grep -q 'fragments* (frames)'
ok $? "the trace comes in frames"
decoded frames.data "frames"

# Pieces that end in the middle of a packet: what is lost is said.
vm -c 1 -p chunk=1501 -p anywhere=1 -r trace.bin:0 -- $per_thread -o cut.data ./naps
"$csflow" script -F ip --itrace=i1i cut.data > got 2> why
[ "$(wc -l < got)" -gt $(($(wc -l < want) / 2)) ] && "$csflow" doctor cut.data 2> why | grep -qE '^  (cut|start) '
ok $? "pieces of packets: $(wc -l < got) instructions, and a gap for the others"

# The unit, its module and its CPUs come and go.
cat > cycles << END
say() { echo "\$1: \$2"; }
pmu=/sys/bus/event_source/devices/cs_etm
for i in \$(seq $cycles); do
	rmmod csflow_ete && insmod /csflow/csflow_ete.ko || say "cycle \$i" failed
done
say cycles done
perf record -q --per-thread -e cs_etm//u -o p.data sleep 3 &
for i in \$(seq 100); do
	[ "\$(cat \$pmu/cpu?/replay/started | grep -v '^0')" ] && break
	sleep 0.1
done
rmmod csflow_ete 2> /dev/null && say unload allowed || say unload refused
wait
echo 0 > /sys/devices/system/cpu/cpu1/online
perf record -q -a -e cs_etm//u -o p.data sleep 0.1 && say "one CPU" recorded
echo 1 > /sys/devices/system/cpu/cpu1/online
perf record -q -a -e cs_etm//u -o p.data sleep 0.1 && say "two CPUs" recorded
echo 0 > /sys/devices/system/cpu/cpu1/online
rmmod csflow_ete && say "one CPU" unloaded
echo 1 > /sys/devices/system/cpu/cpu1/online
insmod /csflow/csflow_ete.ko && ls -d \$pmu/cpu?
END
cat > want-cycles << END
cycles: done
unload: refused
one CPU: recorded
two CPUs: recorded
one CPU: unloaded
/sys/bus/event_source/devices/cs_etm/cpu0
/sys/bus/event_source/devices/cs_etm/cpu1
END
vm -c 2 --dmesg=dmesg -s cycles -t 600
same want-cycles out "$cycles times unloaded and loaded, a CPU comes and goes"
grep -E 'WARNING|BUG|Oops|Call trace|refcount|leak' dmesg > why
[ $? = 1 ]
ok $? "the kernel has nothing to say of it"

# What a user gets wrong.
for words in '-c 9 -- true' '-r nothing.bin:0 -- true' '-r trace.bin -- true' '-r trace.bin:2 -- true' \
	'-p etm4 -- true' '-k 5.10 -- true' '' '-m 100M -- true' '-m 1 -- true' '-u nonsense -- true' '-u ptm=1.1 -- true' \
	'-r trace.bin:0 -u ete=1.2 -- true' '--shell -- true'; do
	# shellcheck disable=SC2086 # words
	"$csflow" vm --cache="$cache" $words > out 2> why
	status=$?
	[ $status = 2 ] && [ -s why ] && ! [ -s out ]
	ok $? "csflow vm $words: $(head -n 1 why)"
done

# A folder in which no kernel was built, one that has the image alone, and kernels that lack something: bare/ has all files.
mkdir -p bare/arch/arm64/boot bare/include/config tree
for file in arch/arm64/boot/Image Module.symvers modules.order include/config/kernel.release; do
	echo 6.12.0 > bare/$file
done
cp -r bare image && rm image/modules.order && touch image/.config
sed 's/^CONFIG_VIRTIO_BLK=y/# CONFIG_VIRTIO_BLK is not set/' "$(dirname "$csflow")/vm/kernel.config" > bare/.config
# refused PATH WORDS
refused()
{
	"$csflow" vm --cache="$cache" -k "$1" -- true > out 2> why
	[ $? = 1 ] && grep -q "^csflow vm: $2" why && ! [ -s out ]
	ok $? "csflow vm -k $1: $(head -n 1 why)"
}
refused tree "no kernel for arm64 was built in tree: make ARCH=arm64"
refused image "$tmp/image has no modules.order, so no module can be built for it"
refused bare "the kernel in $tmp/bare cannot be used without CONFIG_VIRTIO_BLK: see .*/kernel.config$"
refused bare/arch/arm64/boot/Image "the kernel in $tmp/bare cannot be used without CONFIG_VIRTIO_BLK: see .*/kernel.config$"
# csflow without its parts.
mkdir alone && cp "$csflow" alone/
for part in vm csflow-unit.so; do
	alone/csflow vm --cache="$cache" -- true > out 2> why
	status=$?
	[ $status = 1 ] && grep -q "$part.* is not beside csflow" why && ! [ -s out ]
	ok $? "without $part: $(head -n 1 why)"
	ln -s "$(dirname "$csflow")/$part" alone/
done

# A machine for each of what follows: it takes a minute and a half.
[ -n "$CSFLOW_LONG" ] || { echo "1..$n"; exit 0; }

# Files come back from where they were asked for, and a recording that is a folder replaces one that is a file.
mkdir -p "$tmp/away" sub
cat > files << END
mkdir -p sub "$tmp/away"
echo new > "sub/a file"
echo away > "$tmp/away/file"
perf record -q -o "$tmp/away/p.data" -e cpu-clock true
cp -r "$tmp/away/p.data" p.data
perf record -q --kcore -o q.data -e cpu-clock true
dmesg | grep -c 'started at EL2'
END
echo old > q.data
vm -q --vhe --memory=512M -o "$tmp/away/file" -o "$tmp/away/p.data" -s files
[ "$(cat "sub/a file" "$tmp/away/file" q.data.old)" = "$(printf 'new\naway\nold')" ] && cmp "$tmp/away/p.data" p.data > why 2>&1
ok $? "files come back to this directory, and with --output to others"
[ -s q.data/kcore_dir/kcore ] && [ -s q.data/data ] && [ "$(cat out)" = 1 ]
ok $? "perf record --kcore, and a kernel at EL2"
readelf -n naps | grep 'Build ID' > id
read -r _ _ id < id
[ -s "$PERF_BUILDID_DIR/.build-id/${id:0:2}/${id:2}/elf" ] && ! [ -e "$PERF_BUILDID_DIR/usr/bin/busybox" ]
ok $? "programs that were recorded come to perf's cache"

# Two at once, which both want to build the trace unit.
rm -f "$cache"/csflow_ete-6.12*.ko
for i in 1 2; do
	mkdir -p "two/$i"
	cp naps trace.bin "two/$i/"
	# shellcheck disable=SC2086 # words
	(cd "two/$i" && "$csflow" vm --cache="$cache" $registers -c 1 -r trace.bin:0 -- $per_thread -o two.data ./naps) \
		> "out$i" 2> "why$i" &
	pids[i]=$!
done
wait "${pids[1]}" && wait "${pids[2]}" && cmp out1 printed && cmp out2 printed && [ "$(cat why1 why2 | grep -c building)" = 1 ] &&
	grep -q 'waiting for another' why1 why2
status=$?
cat why1 why2 > why
ok $status "two at once"
for i in 1 2; do
	decoded two/$i/two.data "two at once"
done

# On a terminal.  What goes on is one line, which is gone before the command prints.
if command -v script > /dev/null; then
	script -qec "'$csflow' vm --cache='$cache' -- sh -c 'echo printed; exit 6'" typescript > /dev/null < /dev/null
	[ $? = 6 ] && grep -q 'starting Linux' typescript && tr '\r' '\n' < typescript | grep -q "^$(printf '\033')\[Kprinted"
	ok $? "on a terminal"
	# type WORDS: when there is a prompt
	type_in()
	{
		for _ in $(seq 300); do
			grep -q ' # $' typescript && break
			sleep 0.1
		done
		printf '%s\n' "$@"
		sleep 1
	}
	: > typescript
	cat > session << END
stty rows 33 cols 99
stty -g > before
"$csflow" vm --cache="$cache" -f naps --shell
echo \$? > status
stty -g > after
END
	type_in 'stty size > size; tty >> size; ls /sys/bus/event_source/devices | grep cs_etm >> size; ls naps >> size; exit 9' |
		script -qefc 'sh session' typescript > /dev/null
	printf '33 99\n/dev/hvc0\ncs_etm\nnaps\n' > want-size
	same want-size size "--shell is a terminal of that size"
	[ "$(cat status)" = 9 ] && cmp before after
	ok $? "--shell ends with its status, and the terminal is as it was"
else
	skip "on a terminal" "no script"
fi
"$csflow" vm --cache="$cache" --shell < /dev/null > out 2> why
[ $? = 2 ] && grep -q 'wants a terminal' why
ok $? "--shell without a terminal: $(cat why)"

# The command goes on when nothing reads what it prints.
"$csflow" vm -q --cache="$cache" -t 60 -- sh -c 'seq 100000; echo the end >&2; exit 5' 2> why | head -n 1 > out
[ "${PIPESTATUS[0]}" = 5 ] && [ "$(cat out why)" = "$(printf '1\nthe end')" ]
ok $? "standard output that is closed"

# left: is anything left of a run?
left()
{
	for _ in $(seq 50); do
		[ -z "$(ls -A "$TMPDIR")" ] && ! pgrep -f "initrd $TMPDIR" > /dev/null && return 1
		sleep 0.1
	done
	ls -A "$TMPDIR" > why
}

# fails NAME WORDS OPTIONS...: csflow vm fails with these words, and nothing is left
fails()
{
	local name=$1 words=$2 status

	shift 2
	timeout 100 "$csflow" vm "$@" > out 2> why
	status=$?
	[ $status = 1 ] && grep -q "$words" why && ! [ -s out ] && ! left
	ok $? "$name: $(tail -n 1 why)"
}

export CSFLOW_QEMU='-initrd /dev/null'
fails "a kernel that does not start" "the kernel panicked: " --cache="$cache" -- true
export CSFLOW_QEMU=-nonsense
fails "QEMU does not start" "QEMU could not run the machine" --cache="$cache" -- true
unset CSFLOW_QEMU
head -c 300M /dev/zero > big
fails "too little memory" "256M is too little: see --memory" --cache="$cache" -m 256M -f big -- true
rm big
fails "no place for the log" "QEMU could not run the machine" --cache="$cache" --truth=nowhere/log -- true
fails "no end" "did not end within 5 s: see --timeout" --cache="$cache" -t 5 -- sleep 100
if unshare -n true 2> /dev/null; then
	# shellcheck disable=SC2016 # for the shell
	timeout 100 unshare -n "$csflow" vm --cache="$tmp/empty" -- true > out 2> why
	[ $? = 1 ] && grep -q 'there is no network' why && ! left
	ok $? "no network: $(tail -n 1 why)"
else
	skip "no network" "no network namespace"
fi
if mkdir small && mount -t tmpfs -o size=40M none small 2> /dev/null; then
	fails "no room for the cache" "room for 40 MB, and 500 MB are wanted: see --cache" --cache=small/cache -- true
	mkdir small/t
	TMPDIR=$tmp/small/t fails "no room for results" "no room in .*: see .TMPDIR" --cache="$cache" -- \
		sh -c 'head -c 50000000 /dev/zero > big'
	head -c 30M /dev/zero > small/full
	TMPDIR=$tmp/small/t fails "no room for the machine" "no room in .*: see .TMPDIR" --cache="$cache" -- true
	umount small
else
	skip "no room" "no tmpfs can be mounted"
fi

# A signal ends the machine, too.
for signal in TERM INT HUP KILL; do
	env --default-signal "$csflow" vm -q --cache="$cache" -- sh -c 'echo up; sleep 100' > out 2> why &
	pid=$!
	for _ in $(seq 300); do
		grep -q up out && break
		sleep 0.1
	done
	kill -$signal $pid
	wait $pid
	status=$?
	[ $status = $((128 + $(kill -l $signal))) ] && ! left
	ok $? "SIG$signal ends it with $status, and nothing is left"
done

echo "1..$n"
