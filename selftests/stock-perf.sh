#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# stock-perf.sh DIR	builds the perf of Debian's linux-source-6.12, as it is, with Debian's
#			libopencsd, in DIR; prints the path of the program.  To compare with.
#
# Built once for each version of the packages and of this file; the last lines of a build that
# fails are in DIR/log.
set -e

dir=${1:?a directory to build in}
version=$(dpkg-query -W -f '${Version}' linux-source-6.12)
peer=$(dpkg-query -W -f '${Version}' libopencsd-dev)
key=$(echo "$version $peer $(cksum < "$0")" | cksum | cut -d' ' -f1)
source=/usr/src/linux-source-6.12.tar.xz

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
if [ ! -e "$dir/.built-$key" ]; then
	echo "building perf of linux-source-6.12 $version, once: two minutes on two idle cores" >&2
	rm -rf "$dir/tree" "$dir/build" "$dir"/.built-*
	mkdir -p "$dir/tree" "$dir/build"
	xz -dc -T2 "$source" | tar x -C "$dir/tree" --strip-components=1 --wildcards \
		linux-source-6.12/tools linux-source-6.12/scripts linux-source-6.12/lib \
		'linux-source-6.12/arch/*/lib' 'linux-source-6.12/arch/*/include/uapi' \
		'linux-source-6.12/arch/*/tools' 'linux-source-6.12/arch/*/entry/syscalls' 'linux-source-6.12/arch/*/kernel/syscalls' \
		linux-source-6.12/include/uapi linux-source-6.12/include/linux/const.h
	echo "#define PERF_VERSION \"$version\"" > "$dir/tree/PERF-VERSION-FILE"
	{
		make -C "$dir/tree/tools/perf" -j"$(nproc)" O="$dir/build" CORESIGHT=1 WERROR=0 \
			DEBUG=0 NO_JEVENTS=1 NO_LIBPERL=1 NO_LIBPYTHON=1 NO_LIBBPF=1 BUILD_BPF_SKEL=0 \
			NO_GTK2=1 NO_JVMTI=1 NO_LIBUNWIND=1 NO_LIBCRYPTO=1 NO_SLANG=1 NO_LIBLLVM=1 \
			NO_LIBCAP=1 NO_LIBNUMA=1 NO_LIBBABELTRACE=1 NO_LIBPFM4=1 NO_SDT=1 \
			NO_LIBDEBUGINFOD=1 NO_CAPSTONE=1 NO_SHELLCHECK=1 perf
	} < /dev/null > "$dir/log" 2>&1 || {
		tail -n 20 "$dir/log" >&2
		echo "stock-perf: perf could not be built: see $dir/log" >&2
		exit 1
	}
	rm -rf "$dir/tree"
	touch "$dir/.built-$key"
fi
echo "$dir/build/perf"
