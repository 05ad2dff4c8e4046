#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# setup.sh build|demo|perf|deb|html|check|bench installs the missing Debian packages that this needs;
#                              prints nothing if none is missing
# setup.sh demo-m33|demo-ptm   the same for make demo PROTOCOL=m33 or ptm
# setup.sh deb-perf            what make deb PERF=1 needs
# setup.sh -n build|...        only lists what is missing
# setup.sh fuzzcc              prints a clang that has libFuzzer
# setup.sh llvm-config         prints the newest llvm-config whose headers are there
#
# A word with bars, a|b|c: any of these packages will do, and the first is installed.

build='gcc libc6-dev make pkg-config|pkgconf libelf-dev libdw-dev zlib1g-dev libzstd-dev liblzma-dev libtraceevent-dev libexpat1-dev libiberty-dev libncurses-dev libsystemd-dev linux-source-6.12 xz-utils'
# perf itself, built by perf-plugin/shim/build-perf.sh.
perf_build="$build g++ flex bison"
# What Debian's perf has, by the words of WITHOUT.
perf_parts='babeltrace libbabeltrace-ctf-dev|libbabeltrace-dev
bpf
cap libcap-dev
capstone libcapstone-dev
debuginfod libdebuginfod-dev
jevents python3
numa libnuma-dev
perl libperl-dev
python python3-dev
slang libslang2-dev'
perf=$perf_build
case " $WITHOUT " in *' all '*) ;; *) perf="$perf $(echo "$perf_parts" | while read -r word package; do
	case " $WITHOUT " in *" $word "*) ;; *) echo "$package" ;; esac
done)" ;;
esac
html="$build python3-sphinx chromium qemu-user gcc-aarch64-linux-gnu libc6-dev-arm64-cross"
# debian/control names the same, but for build-essential, which Debian's policy takes for granted, and fakeroot, which
# dpkg-buildpackage runs as, unless it is root.
deb="build-essential debhelper dpkg-dev fakeroot python3-docutils"
check="$perf_build $deb $html lintian debootstrap musl-tools python3-dev git perl clang-14 clang-16 clang-19 libclang-rt-14-dev|libclang-rt-16-dev|libclang-rt-19-dev
	lld lld-19 xxd procps dwz dpkg-dev python3-sphinx valgrind parallel python3-yaml libopencsd-dev libopencsd-bin linux-perf bzip2 python3-docutils linux-source-6.1 llvm-19 bolt-19 autofdo
	protobuf-compiler babeltrace2 sigrok-cli libzip4|libzip4t64|libzip5 chromium lcov less zsh fish tmux libdebuginfod1|libdebuginfod1t64
	qemu-user qemu-system-arm cpio xz-utils bc faketime gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-linux-gnueabihf libc6-dev-armhf-cross"
bench="$build libopencsd-dev linux-perf valgrind qemu-user zstd"

installed()
{
	dpkg-query -W -f '${Status}\n' "$1" 2>/dev/null | grep -q '^install ok installed'
}

any_installed()
{
	for package in $(echo "$1" | tr '|' ' '); do
		installed "$package" && return 0
	done
	return 1
}

# The tests of opcodes want LLVM of 2024 or later: libraries that know the instructions of then.
any_llvm()
{
	for n in 18 19 20 21 22 23 24; do
		installed "llvm-$n-dev" && return 0
	done
	return 1
}

newest_llvm()
{
	apt-cache pkgnames llvm- 2>/dev/null | grep -E '^llvm-[0-9]+-dev$' | sort -V | tail -n 1
}

missing()
{
	for word in $1; do
		any_installed "$word" || echo "${word%%|*}"
	done
	if [ "$2" = check ] && ! any_llvm; then
		newest_llvm
	fi
}

fuzzcc()
{
	dir=$(mktemp -d) || exit 1
	echo 'int LLVMFuzzerTestOneInput(const char *p, unsigned long n) { return 0; }' > "$dir/f.c"
	for cc in clang clang-22 clang-19 clang-16 clang-14; do
		command -v $cc > /dev/null || continue
		$cc -fsanitize=fuzzer,address -o "$dir/f" "$dir/f.c" 2> /dev/null || continue
		echo $cc
		break
	done
	rm -rf "$dir"
}

llvm_config()
{
	for n in 24 23 22 21 20 19 18; do
		config=/usr/lib/llvm-$n/bin/llvm-config
		[ -x $config ] || continue
		[ -f "$($config --includedir)/llvm-c/Disassembler.h" ] || continue
		echo $config
		break
	done
}

# It takes minutes, and prints nothing.
say_what_is_installed()
{
	size=$(LC_ALL=C apt-get --assume-no --no-install-recommends install $1 2> /dev/null |
		sed -n 's,^Need to get \([^/]* [kMG]*B\).*,\1,p')
	echo "installing Debian packages${size:+, $size to fetch}:" $1 >&3
}

install_missing()
{
	if [ "$(id -u)" != 0 ]; then
		echo "csflow: missing packages, and only root can install them:" $1 >&2
		echo "csflow: as root: apt-get install" $1 >&2
		exit 1
	fi
	log=$(mktemp) || exit 1
	if ! { apt-get -q update && say_what_is_installed "$1" && DEBIAN_FRONTEND=noninteractive \
	       apt-get -qy --no-install-recommends install $1; } \
	     3>&1 < /dev/null > "$log" 2>&1; then
		tail -n 5 "$log" >&2
		rm -f "$log"
		echo "csflow: apt-get could not install:" $1 >&2
		# debootstrap leaves them out, and linux-source-6.12 is there
		release=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
		echo "csflow: is there a network, and are security updates in /etc/apt/sources.list, as this line has them?" >&2
		echo "deb http://deb.debian.org/debian-security $release-security main" >&2
		exit 1
	fi
	rm -f "$log"
	echo "installed"
}

# Before anything is installed.
check_without()
{
	words=$(echo $(echo "$perf_parts" | cut -d' ' -f1) all)
	for word in $WITHOUT; do
		case " $words " in
		*" $word "*) ;;
		*)	echo "csflow: WITHOUT: $word is none of $words" >&2; exit 2 ;;
		esac
	done
}

only_list=
if [ "$1" = -n ]; then
	only_list=1
	shift
fi

case "$1" in
fuzzcc)		fuzzcc; exit ;;
llvm-config)	llvm_config; exit ;;
build | demo)	want=$build ;;
demo-m33)	want="$build gcc-arm-none-eabi qemu-system-arm" ;;
demo-ptm)	want="$build qemu-user" ;;
perf)		check_without; want=$perf ;;
check)		want=$check ;;
html)		want=$html ;;
deb)		want="$build $deb" ;;
deb-perf)	want="$perf $deb" ;;
bench)		want=$bench ;;
*)		sed -n 's/^# \{0,1\}//; 3,11p' "$0" >&2; exit 2 ;;
esac

if ! command -v dpkg-query > /dev/null; then
	echo "csflow: not a Debian system: packages are left to you; by Debian's names:" $want
	exit 0
fi

lack=$(missing "$want" "$1")
if [ -n "$only_list" ]; then
	[ -z "$lack" ] || echo $lack
elif [ -n "$lack" ]; then
	# Which LLVM is newest is known once there are lists of packages.
	if [ "$1" = check ] && ! any_llvm && [ -z "$(newest_llvm)" ] && [ "$(id -u)" = 0 ]; then
		apt-get -q update < /dev/null > /dev/null 2>&1
		lack=$(missing "$want" "$1")
	fi
	install_missing "$(echo $lack)"
fi

# The demo has something to show without an emulator, too.
if [ "$1" = demo ] && [ -z "$only_list" ] && [ -n "$(missing qemu-user)" ]; then
	if [ "$(id -u)" = 0 ]; then
		(install_missing qemu-user) || true
	else
		echo "csflow: the demo would record a program with qemu-user, which only root can install"
	fi
fi
exit 0
