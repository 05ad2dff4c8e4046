# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # variables of vm.sh
#
# The guest's initramfs: one archive that all runs share, and one for this run.  Linux unpacks them one after the other.
# To be sourced by vm.sh.

# What a run may want of busybox.
applets="sh mount umount cat ls echo insmod rmmod poweroff dmesg sleep grep find head tail mkdir ln cp mv rm uname date
	dd sync cut tr wc seq true false env tar setsid sed awk kill ps taskset time test printf sort touch chmod stat
	usleep timeout xargs md5sum mktemp less vi stty tty top free df du diff cmp id clear reset nproc od hexdump dirname basename"

needed()
{
	aarch64-linux-gnu-readelf -d "$1" 2> /dev/null | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'
}

find_library()
{
	local dir

	for dir in "$root"/usr/lib/aarch64-linux-gnu "$root"/lib/aarch64-linux-gnu /usr/aarch64-linux-gnu/lib; do
		[ -e "$dir/$1" ] && echo "$dir/$1" && return
	done
}

# libraries DIR FILE...: copies what the programs need, and what that needs, to DIR/usr/lib
libraries()
{
	local to=$1/usr/lib/aarch64-linux-gnu name from queue

	shift
	mkdir -p "$to"
	queue=("$@")
	while [ ${#queue[@]} -gt 0 ]; do
		for name in $(needed "${queue[0]}"); do
			[ -e "$to/$name" ] && continue
			from=$(find_library "$name")
			[ -n "$from" ] || continue
			cp -L "$from" "$to/"
			queue+=("$from")
		done
		queue=("${queue[@]:1}")
	done
}

# archive DIR FILE
archive()
(
	set -o pipefail
	cd "$1" && find . | LC_ALL=C sort | cpio -o -H newc --quiet -R 0:0 --reproducible | gzip -1 > "$2"
)

kernel_module()
{
	[ -z "$tree" ] || { tree_modules | grep "/$1\.ko$"; return; }
	find "$kernel" -path '*/lib/modules/*' -name "$1.ko*" | head -n 1
}

unpack_module()
{
	local from

	from=$(kernel_module "$1")
	case $from in
	*.xz)	xz -dc "$from" > "$2/$1.ko" ;;
	?*)	cp "$from" "$2/$1.ko" ;;
	esac
}

# older PATTERN FILE: removes what other releases of csflow have made in place of FILE
older()
{
	local file

	for file in $1; do
		[ "$file" = "$2" ] || rm -f "$file"
	done
}

# base_image: $base, which has busybox, perf and the kernel's modules
base_image()
{
	local dir name

	base=$cache/base-$version-$({ cat "$here/init" "$here/perf" "$here/kcore" "$here/hear.S" "$here/image.sh"; tree_state; } | md5sum | cut -c 1-12).cpio.gz
	[ -s "$base" ] && return
	step "making the guest's file system"
	dir=$(mktemp -d "$cache/base.XXXXXX") || exit
	mkdir -p "$dir"/{bin,proc,sys,dev,tmp,root,run,lib,modules,usr/bin,usr/lib/aarch64-linux-gnu}
	cp "$root/bin/busybox" "$dir/bin/" 2> /dev/null || cp "$root/usr/bin/busybox" "$dir/bin/"
	for name in $applets; do
		ln -s busybox "$dir/bin/$name"
	done
	cp "$root/usr/bin/perf" "$dir/usr/bin/"
	cp -L "$(find_library ld-linux-aarch64.so.1)" "$dir/lib/"
	libraries "$dir" "$root/usr/bin/perf"
	for name in configfs coresight virtio_ring virtio virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci virtio_console virtio_blk; do
		unpack_module "$name" "$dir/modules"
	done
	cp "$here/init" "$dir/init"
	cp "$here/perf" "$here/kcore" "$dir/bin/"
	aarch64-linux-gnu-gcc -static -nostdlib -o "$dir/bin/hear" "$here/hear.S" || {
		rm -rf "$dir"
		die "hear.S cannot be compiled"
	}
	chmod 755 "$dir/init" "$dir"/bin/{perf,kcore}
	archive "$dir" "$base.new" && mv "$base.new" "$base" || {
		rm -rf "$dir" "$base.new"
		die "cannot write $base"
	}
	rm -rf "$dir"
	older "$cache/base-$version-*.cpio.gz" "$base"
}

# add FILE: a file of the host, at the same place in the guest, with the libraries that it needs
add()
{
	local to=$run$1

	mkdir -p "$(dirname "$to")" && cp -L "$1" "$to" || die "cannot copy $1"
	libraries "$run" "$1"
}

# For programs that draw on the terminal.
terminal()
{
	local dir

	for dir in /etc/terminfo /lib/terminfo /usr/share/terminfo; do
		[ -e "$dir/${TERM:0:1}/$TERM" ] || continue
		mkdir -p "$run/lib/terminfo/${TERM:0:1}"
		cp -L "$dir/${TERM:0:1}/$TERM" "$run/lib/terminfo/${TERM:0:1}/"
		return
	done
}

# lines WORD...: as a shell reads them
lines()
{
	printf 'printf "%%s\\n"'
	printf ' %q' "$@"
}

# What the guest's init wants to know, in words for its shell.
run_words()
{
	printf 'directory=%q\nparameters=%q\n' "$PWD" "${parameters[*]}"
	[ -n "$quiet" ] || [ ! -t 2 ] || printf "erase='\\r\\033[K'\n"
	[ -z "$shell" ] || printf 'terminal=%q\nsize=%q\n' "$TERM" "$(stty size)"
	printf 'outputs() { true'
	[ ${#outputs[@]} = 0 ] || { printf '; ' && lines "${outputs[@]}"; }
	printf '; }\n'
	printf 'command() {'
	printf ' %q' "${command[@]}"
	printf '; }\n'
}

# run_image: $own, which has the command, its files and the trace unit
run_image()
{
	local file

	run=$work/root own=$work/run.cpio.gz
	mkdir -p "$run/csflow" "$run$PWD" && cat /dev/fd/7 > "$run/csflow/csflow_ete.ko" || die "no room in $work: see \$TMPDIR"
	for file in "${files[@]}"; do
		add "$file"
	done
	for file in "${replay[@]}"; do
		cp "${file%:*}" "$run/csflow/trace.${file##*:}" || exit
	done
	for file in "${outputs[@]}"; do
		mkdir -p "$run${file%/*}"
	done
	[ -z "$shell" ] || terminal
	run_words > "$run/csflow/run"
	[ -z "$script" ] || cp "$script" "$run/csflow/script" || exit
	archive "$run" "$own" || die "no room in $work: see \$TMPDIR"
}
