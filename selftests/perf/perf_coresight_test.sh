#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perf's own tests of CoreSight, as Debian's linux-perf for arm64 has them, in a virtual machine with live trace units: with
# Debian's libopencsd, and with csflow in its place.  They record and read, with that kernel's perf.
#
# RELEASES='7.2', DECODERS='csflow', TESTS='NAME.sh ...': these alone.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C TZ=UTC
ulimit -c 0

if [ -z "$CSFLOW_LONG" ]; then
	echo "1..0 # SKIP it takes an hour"
	exit 0
fi
for tool in qemu-system-aarch64 aarch64-linux-gnu-gcc cpio; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
O=$(realpath "${O:-../build}")
: "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
here=$(realpath ..)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$O/vm-cache" || exit 1

. lib/tap.sh
. lib/arm64.sh

# A test of perf passes, or is known not to: RELEASE:DECODER:TEST, a fact that must hold, what the test says, and why.
known='
7.2:*:concurrent_threads.sh	stripped	thread1.missing		perf is stripped: its workloads have no names
7.2:*:context_switch_thread.sh	stripped	No.samples.found	perf is stripped: its workloads have no names
7.2:*:deterministic.sh		stripped	do.?n.t.match		perf is stripped: its workloads have no lines
*:*:test_arm_coresight*.sh	crashed		FAIL|fault		perf crashes: no AUX record is whole in its snapshot'

# If the kernel wrote more into the buffer of a snapshot than its size, perf copies only what comes after the last multiple of
# that.  If no AUX record lies wholly in there, perf makes no decoder, and then uses it, with -D, too.  The kernel says that
# perf crashed, and that it was in perf's own code, not in a decoder; nothing but the snapshot may have failed.
crashed()
{
	grep -q 'perf\[[0-9]*\]: unhandled .* in perf\[' all && ! grep FAIL all | grep -q -v 'snapshot testing'
}

# Has Debian's perf no names of what it runs itself?  They may be in a package that is not on all servers.
stripped()
{
	tar -xOf "$root" ./usr/bin/perf > perf && aarch64-linux-gnu-nm perf 2>&1 | grep -q 'no symbols'
}

# What perf's tests call.  Debian's own programs, because the tests look for the names of these in samples.
packages='libc6 linux-perf bash coreutils util-linux grep sed mawk findutils diffutils binutils python3-minimal tar'

# debian RELEASE: $root, an archive of a small Debian of that release; made once
debian()
{
	local dir=$O/vm-cache/debian-$1 name

	root=$dir.tar
	[ -s "$root" ] && return
	rm -rf "$dir"
	(
		# shellcheck disable=SC2034 # variables of packages.sh
		release=$1 cache=$O/vm-cache/debian quiet=1
		mkdir -p "$cache" && exec 9> "$cache/lock" && flock 9 || exit
		. "$here/tools/vm/say.sh"
		. "$here/tools/vm/packages.sh"
		apt_open arm64
		# shellcheck disable=SC2086 # words
		unpack_all "$dir" $packages
	) > "$tmp/why" 2>&1 || return
	# As an installation has them.
	for name in bin sbin lib; do
		[ ! -d "$dir/$name" ] || [ -L "$dir/$name" ] || {
			cp -a "$dir/$name/." "$dir/usr/$name/" && rm -r "${dir:?}/$name" && ln -s usr/$name "$dir/$name" || return
		}
	done
	ln -sf mawk "$dir/usr/bin/awk"
	ln -sf bash "$dir/usr/bin/sh"
	[ -e "$dir/usr/bin/python3" ] || ln -s python3.11 "$dir/usr/bin/python3"
	(cd "$dir" && rm -rf usr/share/{doc,man,locale,info,lintian,zoneinfo,perl*} var/cache &&
		mkdir -p proc sys dev tmp out root csflow) || return
	tar -C "$dir" -cf "$root.new" . && mv "$root.new" "$root" && rm -rf "$dir"
}

arm64_build "$arm64/libopencsd_c_api.so.1"
ok $? "csflow in place of libopencsd, for arm64"
cd "$tmp" || exit 1

# The machine is slow: where a test waits for perf to be up, it waits longer.  perf record is up soon after its program, dd,
# has begun.
cat > sleep << 'END'
#!/bin/sh
/usr/bin/sleep $(($1 * 10))
for try in 1 2 3 4 5 6 7 8 9 10; do
	grep -q -x perf /proc/[0-9]*/comm 2> /dev/null || exit 0
	grep -q -x dd /proc/[0-9]*/comm 2> /dev/null && break
	/usr/bin/sleep 3
done
exec /usr/bin/sleep 3
END
chmod +x sleep

cat > inner << 'END'
export PATH=/csflow/bin:/usr/sbin:/usr/bin HOME=/root LC_ALL=C TERM=dumb
[ "$1" != csflow ] || export LD_LIBRARY_PATH=/csflow
shift
cd /tmp
# A program that crashes is named in the kernel's log.
echo 1 > /proc/sys/debug/exception-trace
for test in $(cd /usr/lib/perf-core/tests/shell && ls test_arm_coresight*.sh coresight/*.sh); do
	name=${test##*/}
	[ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
	begin=$SECONDS
	for try in 1 2 3; do
		dmesg -C
		timeout -k 5 1800 /usr/lib/perf-core/tests/shell/$test > /out/$name 2>&1
		status=$?
		dmesg >> /out/$name
		# perf crashes with some snapshots: see crashed()
		[ $status != 0 ] && grep -q 'perf\[[0-9]*\]: unhandled .* in perf\[' /out/$name || break
	done
	sed "s/^/# $name: /" /out/$name
	echo "$name $status $((SECONDS - begin))"
done
END

# guest DECODER: the script for the machine
guest()
{
	cat <<- END
	mkdir -p /debian
	busybox tar -xf $tmp/root.tar -C /debian && rm $tmp/root.tar || exit 1
	mount -t proc proc /debian/proc
	mount -t sysfs sys /debian/sys
	mount -t devtmpfs dev /debian/dev
	ln -s /proc/self/fd /debian/dev/fd
	cp inner /debian/
	mkdir -p /debian/csflow/bin
	cp sleep /debian/csflow/bin/
	[ $1 != csflow ] || cp $tmp/libopencsd_c_api.so.1 /debian/csflow/
	busybox chroot /debian /usr/bin/bash /inner $1 $TESTS
	END
}

# judge RELEASE DECODER NAME STATUS SECONDS: passed, or named with its reason
judge()
{
	local what="Linux $1, $2: ${3%.sh}" which fact said reason

	sed -n "s/^# $3: //p" out > all
	grep FAIL all > why
	echo "exit status $4, and the last lines:" >> why
	tail -n 12 all >> why
	while read -r which fact said reason; do
		# shellcheck disable=SC2053 # a pattern
		[[ -n $which && $1:$2:$3 == $which ]] || continue
		if [ "$4" != 0 ] && grep -q -E "$said" all && $fact; then
			skip "$what" "$reason"
		else
			echo "expected of it: $reason" >> why
			[ "$4" = 0 ] && [ $fact = crashed ]
			ok $? "$what: $5 s"
		fi
		return
	done <<< "$known"
	ok "$4" "$what: $5 s"
}

cp "$arm64/libopencsd_c_api.so.1" .
for release in ${RELEASES:-6.12 7.2}; do
	debian $release
	status=$?
	ok $status "Debian's perf for Linux $release"
	[ $status = 0 ] || continue
	for decoder in ${DECODERS:-opencsd csflow}; do
		guest $decoder > script
		cp --remove-destination "$root" root.tar
		"$csflow" vm -q --cache="$O/vm-cache" -u ete=1.1 -k $release -c 2 -m 3G -t 7200 -f root.tar -f inner -f sleep \
			-f libopencsd_c_api.so.1 -s script > out 2> why
		status=$?
		grep -E '^[a-z_0-9]+\.sh [0-9]+ [0-9]+$' out > results
		[ $status = 0 ] && [ -s results ]
		ok $? "Linux $release, $decoder: $(wc -l < results) tests of perf ran"
		while read -r name status seconds; do
			judge $release $decoder "$name" "$status" "$seconds"
		done < results
	done
done
echo "1..$n"
