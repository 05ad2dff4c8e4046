#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow vm calls this; its options have been checked.
#
# vm.sh -k KERNEL -c CPUS -m MEMORY -t SECONDS -C CACHE [-b BUILDIDS] [-f FILE]... [-o FILE]... [-r TRACE:CPU]...
#	[-p NAME=VALUE]... [-P PLUGIN] [-u UNIT] [-T TRUTH] [-s SCRIPT] [-d DMESG] [-K] [-S] [-V] [-q] [--] [COMMAND...]
#
# Runs COMMAND, a SCRIPT or a shell (-S) in a virtual machine whose CPUs have trace units.  The machine is qemu-system-aarch64
# with Debian's kernel or, if KERNEL is a path, one that was built there, and its file system is in memory; the trace units are PLUGIN, and the kernel module of kernel-glue.
# What it needs is fetched, built and kept in CACHE.

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd) || exit 1
export LC_ALL=C

quiet='' script='' dmesg='' shell='' vhe='' ids='' plugin='' unit='' truth='' symbols=''
files=() outputs=() replay=() parameters=()
while getopts 'k:c:m:t:C:b:f:o:r:p:P:u:T:s:d:KSVq' option; do
	case $option in
	k)	wanted=$OPTARG ;;
	c)	cpus=$OPTARG ;;
	m)	memory=$OPTARG ;;
	t)	limit=$OPTARG ;;
	C)	cache=$OPTARG ;;
	b)	ids=$OPTARG ;;
	f)	files+=("$(readlink -f "$OPTARG")") ;;
	o)	outputs+=("$(realpath -m -s "$OPTARG")") ;;
	r)	replay+=("$OPTARG") ;;
	p)	parameters+=("$OPTARG") ;;
	P)	plugin=$OPTARG ;;
	u)	unit=$OPTARG ;;
	T)	truth=$OPTARG ;;
	s)	script=$OPTARG ;;
	d)	dmesg=$OPTARG ;;
	K)	symbols=1 ;;
	S)	shell=1 ;;
	V)	vhe=1 ;;
	q)	quiet=1 ;;
	*)	exit 2 ;;
	esac
done
shift $((OPTIND - 1))
command=("$@")

. "$here/say.sh"
. "$here/packages.sh"
. "$here/symbols.sh"
. "$here/tree.sh"
. "$here/module.sh"
. "$here/image.sh"
. "$here/machine.sh"
. "$here/results.sh"

# However csflow vm ends, its programs end, too, and nothing of it is left.
finish()
{
	local child

	for child in $(cat "/proc/$$/task/$$/children" 2> /dev/null); do
		kill "$child" 2> /dev/null
	done
	[ -z "$qemu" ] || wait "$qemu"
	[ -z "$tty" ] || stty "$tty"
	rm -rf "$work" ${half:+"$half"}
}

# Even SIGKILL closes the pipe to this process, which then removes the files.
janitor()
{
	exec 6> >(trap '' HUP INT QUIT TERM; exec > /dev/null 2>&1; cat; rm -rf "$work")
}

# Files of this machine that the command names, but no programs of its own.
named_files()
{
	local word file

	for word in "${command[@]}"; do
		[ -f "$word" ] && [ -r "$word" ] || continue
		file=$(readlink -f "$word")
		case $file in
		/bin/* | /sbin/* | /usr/*)	continue ;;
		esac
		files+=("$file")
	done
}

# install_host PACKAGE...: packages of this machine
install_host()
{
	[ "$(id -u)" = 0 ] && [ -z "$APT_CONFIG" ] || die "as root: apt-get install $*"
	step "installing $*"
	{ apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -qy --no-install-recommends install "$@"; } \
		< /dev/null > "$cache/install.log" 2>&1 && return
	last_words "$cache/install.log"
	die "cannot install $*"
}

need()
{
	local missing=() pair

	command -v apt-get > /dev/null && command -v dpkg-deb > /dev/null ||
		die "apt-get and dpkg-deb are missing: the machine is made of Debian's packages"
	for pair in qemu-system-aarch64:qemu-system-arm aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu make:make cpio:cpio \
		xz:xz-utils; do
		command -v "${pair%:*}" > /dev/null || missing+=("${pair#*:}")
	done
	[ ${#missing[@]} = 0 ] || install_host "${missing[@]}"
}

# choose_kernel: $release, whose perf the machine has, and $tree, if the kernel is not Debian's
choose_kernel()
{
	tree=''
	case $wanted in
	6.1 | 6.12 | 7.2)
		release=$wanted ;;
	*)	release=6.12
		look_at_tree "$wanted" ;;
	esac
}

# name_kernel: $version, as uname -r says it, and $image
name_kernel()
{
	if [ -n "$tree" ]; then
		version=$(cat "$tree/include/config/kernel.release")
		image=$tree/arch/arm64/boot/Image
	else
		version=$(cat "$kernel/version")
		image=$(find "$kernel" -name 'vmlinuz*' | head -n 1)
	fi
}

# Everything that all runs share.  Another run may replace it, so it stays open: the module as 7, the file system as 8.
prepare()
{
	{
		flock -n 9 || { step "waiting for another csflow vm that uses $cache"; flock 9; }
		need
		choose_kernel
		fetch
		name_kernel
		[ -z "$symbols" ] || fetch_symbols
		unset APT_CONFIG
		module
		base_image
		exec 7< "$module" 8< "$base"
	} 9> "$cache/lock" || die "cannot write to $cache"
}

qemu='' tty='' log_lost='' asked='' half=''
glue=$here/kernel-glue
named_files
mkdir -p "$cache" || die "cannot make $cache: see --cache"
cache=$(cd "$cache" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/csflow-vm.XXXXXX") || die "cannot make a folder for temporary files: see \$TMPDIR"
trap finish EXIT
janitor
prepare
run_image
start_machine
results
