#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow for arm64 beside the perf that records, in a virtual machine: what it prints there must be what csflow prints here
# of the same recording, of trace that is played back and of live trace.  And tests that were installed for the kernel's
# runner run there.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C TZ=UTC
ulimit -c 0
[ -n "$CSFLOW_LONG" ] || { echo "1..0 # SKIP it takes a minute: CSFLOW_LONG=1"; exit 0; }

O=$(realpath "${O:-../build}")
: "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
for tool in qemu-system-aarch64 qemu-aarch64 aarch64-linux-gnu-gcc cpio; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$O/vm-cache" || exit 1

. lib/tap.sh
. lib/arm64.sh

tests='word_test leb128_test insn_skip_test tarmac_test'
arm64_build "$arm64/csflow"
ok $? "csflow for arm64 is built"
(
	unset MAKEFLAGS MFLAGS MAKELEVEL CC
	exec 8> "$O/.arm64.lock"
	flock 8
	"${MAKE:-make}" -s -C . ARCH=arm64 O="$O/arm64" KSRC="${LINUX:-$O/linux}" install INSTALL_PATH="$tmp/installed" T="$tests"
) > "$tmp/why" 2>&1
ok $? "tests for arm64 are installed"

aarch64-linux-gnu-gcc -O1 -g -static -no-pie -o "$tmp/naps" programs/naps.c || exit 1
cd "$tmp" || exit 1
unit=ete=1.1,sync=1024,targetfirst
"$csflow" record -q -u $unit --per-thread --truth=truth.log -o user.data -- ./naps > printed 2> why &&
	"$csflow" encode -u ete=1.1 --by=thread --format=raw -o trace.bin truth.log 2> why
ok $? "a trace of $(stat -c %s trace.bin) bytes"

# The commands, in both places.
commands()
{
	cat <<- END
	$1 script kernel.data > $2.script 2>&1
	$1 script -F ip --itrace=i1i kernel.data > $2.ip 2>&1
	$1 dump --elements kernel.data > $2.dump 2>&1
	$1 dump --stats kernel.data > $2.stats 2>&1
	$1 doctor kernel.data 2>&1 | sed 's/ here: .*/ here/' > $2.doctor
	$1 report --show=all kernel.data > $2.report 2>&1
	$1 profile --for=llvm kernel.data > $2.profile 2>&1
	$1 timeline --for=chrome kernel.data > $2.timeline 2>&1
	END
}
commands "$csflow" here > on-host
{
	echo 'busybox --install -s /bin'
	echo 'cat /sys/bus/event_source/devices/cs_etm/cpu0/cpu > cpu'
	echo 'perf record -q -N --per-thread -e cs_etm//u -o kernel.data ./naps'
	commands "$arm64/csflow" there
	echo "cd installed && ./run_kselftest.sh -c csflow > ../kselftest 2>&1"
	echo 'cat ../kselftest'
} > in-guest

files=$(find installed -type f | sed 's/^/-f /')
# shellcheck disable=SC2086 # words
"$csflow" vm -q --cache="$O/vm-cache" -c 1 -t 600 -r trace.bin:0 -f naps -f "$arm64/csflow" $files -s in-guest > out 2> why
status=$?
[ -s kernel.data ] && [ -s there.script ]
ok $? "it records and decodes in the machine: status $status"
[ "$(cat cpu)" = 0 ]
ok $? "a trace unit says which CPU it is of"
"$csflow" script -F ip --itrace=i1i user.data > want 2> why
same want there.ip "all $(wc -l < want) instructions that were executed"
sh on-host
for file in here.*; do
	[ "$(wc -l < "$file")" -ge 2 ] && same "$file" "there.${file#here.}" "csflow ${file#here.}: $(stat -c %s "$file") bytes"
done

grep -E '^(TAP|1\.\.|ok|not ok)' kselftest > got 2> why
cat > want << 'END'
TAP version 13
1..4
ok 1 selftests: csflow: word_test
ok 2 selftests: csflow: leb128_test
ok 3 selftests: csflow: insn_skip_test
ok 4 selftests: csflow: tarmac_test
END
cp kselftest why
same want got "tests that were installed, by the kernel's runner"

# The same with live trace, of which nothing is known but that both decode it alike, and all of main().
cat > in-guest << END
perf record -q -N --per-thread -e cs_etm//u -o live.data ./naps
$arm64/csflow script live.data > there.live 2>&1
$arm64/csflow dump --elements live.data > there.live-dump 2>&1
END
"$csflow" vm -q --cache="$O/vm-cache" -u ete=1.1 -c 1 -t 600 -f naps -f "$arm64/csflow" -s in-guest > out 2> why
[ -s live.data ]
ok $? "it records live trace in the machine"
"$csflow" script live.data > here.live 2>&1
"$csflow" dump --elements live.data > here.live-dump 2>&1
grep -q ' main+' here.live && same here.live there.live "csflow live: $(stat -c %s here.live) bytes"
same here.live-dump there.live-dump "csflow live-dump: $(stat -c %s here.live-dump) bytes"

# Two runs must not make the same files at the same time, even if they are quiet.
mkdir other
flock other/lock sleep 3 &
timeout 2 "$csflow" vm -q --cache=other -- true > why 2>&1
status=$?
ls other >> why
[ $status = 124 ] && [ "$(ls other)" = lock ]
ok $? "a quiet run waits for another one"
wait

# Debian's kernels have no KUnit, so its cases run in user space; but they are to be what KUnit takes.
{
	headers=$(echo "$O"/vm-cache/kernel-6.12/usr/src/linux-headers-*-cloud-arm64)
	rm -rf "$tmp/kunit" && cp -r "$O/vm/kernel-glue" "$tmp/kunit" &&
		make -s -C "$headers" M="$tmp/kunit" ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- \
			CC=aarch64-linux-gnu-gcc CONFIG_KUNIT=m KCFLAGS=-DCONFIG_KUNIT_MODULE csflow_ete_test.o
} > why 2>&1
status=$?
[ $status = 0 ] && [ ! -s why ] && nm "$tmp/kunit/csflow_ete_test.o" > symbols && grep -q __kunit_ symbols
ok $? "KUnit cases compile for a kernel that has KUnit"
echo "1..$n"
