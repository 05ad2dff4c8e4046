#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow vm calls this; its options have been checked.
#
# vm.sh -k RELEASE -c CPUS -t SECONDS -C CACHE [-f FILE]... [-r TRACE:CPU]... [-p NAME=VALUE]... [-s SCRIPT] [-d DMESG] [-q]
#	[--] [COMMAND...]
#
# Runs COMMAND in a virtual machine whose CPUs have trace units.  The machine is qemu-system-aarch64 with Debian's kernel,
# and its file system is in memory; the trace units are the kernel module of kernel-glue.  What it needs is fetched, built
# and kept in CACHE.

here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd) || exit 1
export LC_ALL=C

die()
{
	echo "csflow vm: $*" >&2
	exit 1
}

say()
{
	[ -n "$quiet" ] || echo "csflow vm: $*" >&2
}

quiet='' script='' dmesg=''
files=() replay=() parameters=()
while getopts 'k:c:t:C:f:r:p:s:d:q' option; do
	case $option in
	k)	release=$OPTARG ;;
	c)	cpus=$OPTARG ;;
	t)	limit=$OPTARG ;;
	C)	cache=$OPTARG ;;
	f)	files+=("$(readlink -f "$OPTARG")") ;;
	r)	replay+=("$OPTARG") ;;
	p)	parameters+=("$OPTARG") ;;
	s)	script=$OPTARG ;;
	d)	dmesg=$OPTARG ;;
	q)	quiet=1 ;;
	*)	exit 2 ;;
	esac
done
shift $((OPTIND - 1))
command=("$@")

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

. "$here/packages.sh"
. "$here/module.sh"
. "$here/image.sh"

# install_host PACKAGE...: packages of this machine
install_host()
{
	[ "$(id -u)" = 0 ] && [ -z "$APT_CONFIG" ] || die "as root: apt-get install $*"
	say "installing $*"
	{ apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -qy --no-install-recommends install "$@"; } \
		< /dev/null > "$cache/install.log" 2>&1
}

need()
{
	local missing=() pair

	for pair in qemu-system-aarch64:qemu-system-arm aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu make:make cpio:cpio \
		xz:xz-utils; do
		command -v "${pair%:*}" > /dev/null || missing+=("${pair#*:}")
	done
	[ ${#missing[@]} = 0 ] || install_host "${missing[@]}" || die "cannot install ${missing[*]}"
}

# machine: runs it to its end; a signal that ends csflow vm ends the machine, too.  CSFLOW_QEMU: further options of QEMU,
# for tests.
# shellcheck disable=SC2086 # words
machine()
{
	timeout -k 5 "$limit" qemu-system-aarch64 -M virt,gic-version=3 -cpu max,pauth-impdef=on \
		-smp "$cpus" -m 1G -accel tcg,thread=multi -display none -monitor none -no-reboot -nic none \
		-kernel "$(find "$kernel" -name "vmlinuz*" | head -n 1)" -initrd "$work/initrd" \
		-append "console=ttyAMA0 panic=-1 quiet" -serial "file:$work/console" \
		-device virtio-serial-pci \
		-add-fd fd=3,set=3 -chardev "file,id=printed,path=/dev/fdset/3,append=on" -device virtserialport,chardev=printed,name=printed,nr=1 \
		-drive "file=$work/results,if=none,id=results,format=raw" -device virtio-blk-pci,drive=results \
		-add-fd fd=4,set=4 -chardev "file,id=said,path=/dev/fdset/4,append=on" -device virtserialport,chardev=said,name=said,nr=2 \
		$CSFLOW_QEMU 3>&1 4>&2 < /dev/null &
	trap 'kill $!; wait; exit 130' INT
	trap 'kill $!; wait; exit 143' TERM
	trap 'kill $!; wait; exit 129' HUP
	wait $!
}

# results: the files of the guest, to this directory
results()
{
	local status

	mkdir -p "$work/out"
	tar -x -C "$work/out" -f "$work/results" 2> /dev/null && [ -s "$work/out/status" ] || {
		tail -n 20 "$work/console" >&2
		die "the machine sent no results"
	}
	status=$(cat "$work/out/status")
	[ -z "$dmesg" ] || cp "$work/out/dmesg" "$dmesg"
	if [ -n "$(ls -A "$work/out/files" 2> /dev/null)" ]; then
		say "made: $(cd "$work/out/files" && find . -type f | sed 's,^\./,,' | sort | tr '\n' ' ')"
		cp -r "$work/out/files/." . || die "cannot write to $PWD"
	fi
	return "$status"
}

named_files
mkdir -p "$cache" || die "cannot make $cache"
cache=$(cd "$cache" && pwd)
glue=$here/kernel-glue
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
{
	flock 9
	need
	fetch
	unset APT_CONFIG
	module
	base_image
} 9> "$cache/lock"
run_image
cat "$base" "$own" > "$work/initrd"
truncate -s 16G "$work/results" || die "cannot make $work/results"
say "starting Linux $version with $cpus CPUs"
machine
case $? in
124 | 137)
	tail -n 20 "$work/console" >&2
	die "the machine did not end within $limit s"
	;;
esac
results
