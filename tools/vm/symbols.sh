# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # variables of vm.sh
#
# The guest's kernel and its modules with symbols and debug information.  To be sourced by vm.sh, after packages.sh.

# symbol_files: those of the kernel
symbol_files()
{
	if [ -n "$tree" ]; then
		echo "$tree/vmlinux"
		tree_modules
	else
		find "$symbols" -name 'vmlinux-*' -o -name '*.ko'
	fi
}

# fetch_symbols: vmlinux, and the modules that the guest has, in $symbols; once
fetch_symbols()
{
	local package

	[ -z "$tree" ] || return 0
	package=linux-image-$version-dbg
	symbols=$cache/symbols-$version
	[ -e "$symbols/done" ] && return
	step "fetching the symbols of Linux $version, about 320 MB, into $cache"
	room 1000 "$cache" --cache
	apt_open arm64
	rm -rf "$symbols" "$apt"/*.deb
	mkdir -p "$symbols" || die "cannot make $symbols"
	(cd "$apt" && apt_run "fetching $package" download "$package") || apt_failed "$package cannot be fetched"
	dpkg-deb --fsys-tarfile "$apt"/*.deb | tar -x -C "$symbols" --wildcards './usr/lib/debug/boot/vmlinux-*' \
		'*/configfs.ko' '*/coresight.ko' '*/virtio*.ko' || die "$package cannot be unpacked in $symbols"
	rm -f "$apt"/*.deb
	: > "$symbols/done"
}

# keep_symbols: into $ids, by build-id, where csflow and perf look for them
keep_symbols()
{
	local file id dir name

	[ -n "$ids" ] || die "--kernel-symbols has no place: see --buildid-dir"
	while read -r file; do
		id=$(aarch64-linux-gnu-readelf -n "$file" 2> /dev/null | sed -n 's/.*Build ID: //p')
		dir=$ids/.build-id/${id:0:2}/${id:2}
		name=elf
		[ "${file##*.}" = ko ] || name=vmlinux
		mkdir -p "$dir" && ln -sfn "$file" "$dir/$name" || die "cannot write to $ids: see --buildid-dir"
	done < <(symbol_files)
}
