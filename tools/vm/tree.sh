# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # variables of vm.sh
#
# A kernel that the user built.  To be sourced by vm.sh.

# lacking FROM TO: the options of kernel.config between these lines that the kernel does not have
lacking()
{
	local name

	for name in $(sed -n "$1,$2s/^\(CONFIG_[A-Z0-9_]*\)=.*/\1/p" "$here/kernel.config"); do
		grep -q "^$name=[ym]" "$tree/.config" || printf ' %s' "$name"
	done
}

# look_at_tree PATH: $tree, the folder in which a kernel was built; PATH is that folder, or the Image in it
look_at_tree()
{
	local lacks

	tree=$(readlink -f "$1")
	tree=${tree%/arch/arm64/boot/Image}
	[ -s "$tree/arch/arm64/boot/Image" ] ||
		die "no kernel for arm64 was built in $1: make ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- Image modules"
	for file in .config Module.symvers modules.order include/config/kernel.release; do
		[ -e "$tree/$file" ] ||
			die "$tree has no $file, so no module can be built for it: make Image modules, and not the Image alone"
	done
	lacks=$(lacking 1 '/^# wishes/')
	[ -z "$lacks" ] || die "the kernel in $tree cannot be used without$lacks: see $here/kernel.config"
	lacks=$(lacking '/^# wishes/' '$')
	[ -z "$lacks" ] || say "the kernel in $tree has not$lacks, so perf records less: see $here/kernel.config"
}

# tree_modules: the files of its modules; older kernels name them differently
tree_modules()
{
	sed -E "s,^(kernel/)?(.*)\.k?o$,$tree/\2.ko," "$tree/modules.order"
}

# tree_state: what changes whenever the kernel is built anew
tree_state()
{
	[ -n "$tree" ] || return 0
	tree_modules | xargs -d '\n' stat -c '%n %s %y' "$tree"/{arch/arm64/boot/Image,Module.symvers,.config}
}
