# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # variables of vm.sh
#
# Builds the virtual trace unit for the guest's kernel.  To be sourced by vm.sh.

# The headers of Debian's kernel are not where their Makefile expects them.
headers()
{
	headers=${tree:-$kernel/usr/src/linux-headers-$version}
	[ -z "$tree" ] || return 0
	[ -e "$headers/Makefile.debian" ] || cp "$headers/Makefile" "$headers/Makefile.debian" || exit
	sed "s,\([= ]\)/usr/src/,\1$kernel/usr/src/,g" "$headers/Makefile.debian" > "$headers/Makefile"
}

# What the compiler of a newer kernel has, and an older one does not; and the description of types, for which pahole may be too old.
newer_options()
{
	local word

	without=()
	[ -z "$tree" ] || return 0
	without=(CONFIG_DEBUG_INFO_BTF_MODULES= CC=aarch64-linux-gnu-gcc)
	[ "$(suites "$release")" = sid ] || return 0
	for word in MIN_FUNCTION_ALIGNMENT COUNTED_BY COUNTED_BY_PTR; do
		without+=("CONFIG_CC_HAS_$word=")
	done
	without+=(KCFLAGS=-Wno-attributes)
}

# module: $module, built from $glue, unless it is there
module()
{
	local hash without

	hash=$({ cd "$glue" && cat Kbuild ./*.[ch] include/uapi/*.h; tree_state; } | md5sum | cut -c 1-12)
	module=$cache/csflow_ete-$version-$hash.ko
	[ -s "$module" ] && return
	step "building the trace unit for Linux $version"
	headers
	newer_options
	rm -rf "$cache/build"
	cp -r "$glue" "$cache/build" || die "cannot copy $glue"
	make -s -C "$headers" M="$cache/build" ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- \
		"${without[@]}" modules > "$cache/build.log" 2>&1 || {
		last_words "$cache/build.log" 20
		die "the trace unit cannot be built for Linux $version"
	}
	aarch64-linux-gnu-strip -g "$cache/build/csflow_ete.ko" -o "$module.new" && mv "$module.new" "$module" ||
		die "cannot write $module"
	older "$cache/csflow_ete-$version-*.ko" "$module"
}
