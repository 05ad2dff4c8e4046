#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The virtual trace unit without the CoreSight core: the PMU cs_etm by itself.  It is built for x86-64, and for the kernel
# of csflow vm, where perf record plays back the trace of a program through it.  It takes a minute: with CSFLOW_LONG only.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
[ -n "$CSFLOW_LONG" ] || { echo "1..0 # SKIP it takes a minute: CSFLOW_LONG=1"; exit 0; }
csflow=$(realpath "$CSFLOW_FAST")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$O/vm-cache" || exit 1
cache=$(realpath "$O/vm-cache")
tools=$(realpath ../tools/vm) glue=$(realpath ../kernel-glue)
. lib/tap.sh

# build NAME HEADERS OPTIONS...: $tmp/NAME/csflow_ete.ko
build()
{
	local name=$1 headers=$2

	shift 2
	cp -r "$glue" "$tmp/$name"
	make -s -C "$headers" M="$tmp/$name" CONFIG_DEBUG_INFO_BTF_MODULES= CSFLOW_ALONE=1 "$@" modules > "$tmp/why" 2>&1 &&
		! grep -E 'warning|WARNING' "$tmp/why"
	ok $? "it builds for $name, without a warning"
}

# x86: prints the folder with the headers of a kernel for it
x86()
{
	local release=6.1 quiet=1 version dir

	. "$tools/say.sh"
	. "$tools/packages.sh"
	apt_open amd64
	version=$(apt-cache pkgnames linux-headers-6.1. | sed -n 's/^linux-headers-\(.*-cloud-amd64\)$/\1/p' | sort -V | tail -n 1)
	dir=$cache/headers-$version
	if [ ! -e "$dir/done" ]; then
		unpack "linux-headers-$version" "$dir"
		unpack "linux-headers-${version%-cloud-amd64}-common" "$dir"
		unpack linux-kbuild-6.1 "$dir"
		sed -i "s,\([= ]\)/usr/src/,\1$dir/usr/src/,g" "$dir/usr/src/linux-headers-$version/Makefile" && : > "$dir/done"
	fi
	echo "$dir/usr/src/linux-headers-$version"
}

headers=$(x86 2> "$tmp/why")
ok $? "headers of Linux for x86-64"
[ "$(uname -m)" = x86_64 ] && build x86-64 "$headers" ARCH=x86_64

# The trace of a program, and the machine that is to record it.
aarch64-linux-gnu-gcc -O1 -g -static -no-pie -o "$tmp/naps" programs/naps.c || exit 1
cd "$tmp" || exit 1
unit=ete=1.1,sync=1024,targetfirst
"$csflow" record -q -u $unit --per-thread --truth=truth.log -o user.data -- ./naps > printed 2> why || exit 1
"$csflow" encode -u $unit --format=raw --by=thread -o trace.bin truth.log 2> why || exit 1
"$csflow" script -F ip --itrace=i1i user.data > want 2> why
"$csflow" vm -q --cache="$cache" -r trace.bin:0 -- true > why 2>&1
ok $? "the machine"
version=$(cat "$cache/kernel-6.12/version")
build arm64 "$cache/kernel-6.12/usr/src/linux-headers-$version" ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-
aarch64-linux-gnu-strip -g arm64/csflow_ete.ko -o alone.ko

cat > run << END
pmu=/sys/bus/event_source/devices/cs_etm
perf="perf record -q --per-thread -e cs_etm/contextid=0,timestamp=0/u"
rmmod csflow_ete && rmmod coresight && insmod "$tmp/alone.ko" || exit 9
cat "$tmp/trace.bin" > \$pmu/cpu0/replay/trace || exit 8
\$perf -o kernel.data "$tmp/naps" || exit 7
before=\$(cat \$pmu/cpu0/replay/started)
\$perf -o p.data sleep 2 &
for i in \$(seq 100); do
	[ "\$(cat \$pmu/cpu0/replay/started)" = "\$before" ] || break
	sleep 0.1
done
rmmod csflow_ete 2> /dev/null && echo "unloaded while perf records"
wait
for i in \$(seq 100); do
	rmmod csflow_ete && insmod "$tmp/alone.ko" || exit 6
done
perf record -q -a -e cs_etm//u -o p.data sleep 0.1 && rmmod csflow_ete
END
"$csflow" vm -q --cache="$cache" -c 1 --dmesg=dmesg -r trace.bin:0 -f naps -f alone.ko -f trace.bin -s run -t 200 > out 2> why
status=$?
[ $status = 0 ] && cmp -s out printed
ok $? "it records, is busy meanwhile, and is loaded a hundred times: status $status"
"$csflow" script -F ip --itrace=i1i kernel.data > got 2> why
same want got "what perf recorded: $(wc -l < got) instructions"
grep -E 'WARNING|BUG|Oops|Call trace|refcount|leak' dmesg > why
[ $? = 1 ]
ok $? "the kernel has nothing to say of it"
echo "1..$n"
