#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# debug-kernel.sh DIR	builds a small Linux for arm64 in DIR, with KASAN, lockdep, kmemleak and KUnit, from Debian's package
#			linux-source-6.12, and prints the folder for csflow vm --kernel; the next time it is there
#
# KSRC=tar: another source.  It is made anew when the source or the configuration changes.

here=$(cd "$(dirname "$0")" && pwd) || exit 1
export LC_ALL=C
[ $# = 1 ] || { echo "usage: debug-kernel.sh DIR" >&2; exit 2; }
tar=${KSRC:-/usr/src/linux-source-6.12.tar.xz}
configs="$here/../../tools/vm/kernel.config $here/debug-kernel.config"

die()
{
	echo "debug-kernel: $*" >&2
	exit 1
}

# make_kernel TARGET...: in words that no variable of a caller changes
make_kernel()
{
	env -u MAKEFLAGS -u MFLAGS -u CC make -s -C linux ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- -j"$(nproc)" \
		KBUILD_BUILD_USER=csflow KBUILD_BUILD_HOST=csflow KBUILD_BUILD_TIMESTAMP='2024-11-17' "$@" > log 2>&1 ||
		{ tail -n 20 log >&2; die "the kernel cannot be built: see $PWD/log"; }
}

# software_node_notify() of Linux 6.12 takes no reference if a link cannot be made, and software_node_notify_remove() gives one
# back.  With allocations that fail KASAN reports that, and then nothing else.
mend_kernel()
{
	sed -i '/^void software_node_notify(/,/^}/ {
		/kobject_get(/d
		s/^\tret = sysfs_create_link(&dev->kobj/\tkobject_get(\&swnode->kobj);\n&/
	}' linux/drivers/base/swnode.c &&
		grep -A 1 'kobject_get(&swnode->kobj);' linux/drivers/base/swnode.c | grep -q 'sysfs_create_link(&dev->kobj'
}

# lacks: prints the options that were asked for and that the source does not have
lacks()
{
	# shellcheck disable=SC2086 # words
	sed -n 's/^# \(CONFIG_[A-Z0-9_]*\) is not set$/\1 n/p; s/^\(CONFIG_[A-Z0-9_]*\)=/\1 /p' $configs |
		while read -r name value; do
			[ "$value" = n ] && ! grep -q "^$name=" linux/.config && continue
			grep -q -x "$name=$value" linux/.config || echo "$name=$value"
		done
}

[ -r "$tar" ] || die "$tar is missing: apt-get install linux-source-6.12"
mkdir -p "$1" && cd "$1" || exit 1
exec 9> lock && flock 9 || exit 1
# shellcheck disable=SC2086 # words
stamp=$({ stat -L -c '%s %Y' "$tar"; aarch64-linux-gnu-gcc --version; cat $configs "$here/debug-kernel.sh"; } | md5sum)
if [ "$(cat built 2> /dev/null)" != "$stamp" ]; then
	echo "building a kernel with KASAN and lockdep in $1, which takes a quarter of an hour" >&2
	rm -rf linux built && mkdir linux || exit 1
	tar -x -f "$tar" -C linux --strip-components=1 || die "$tar cannot be unpacked"
	mend_kernel || die "drivers/base/swnode.c is not as expected"
	# shellcheck disable=SC2086 # words
	cat $configs > linux/all.config
	make_kernel KCONFIG_ALLCONFIG=all.config allnoconfig
	[ -z "$(lacks)" ] || die "no such options: $(lacks | xargs)"
	make_kernel Image modules
	echo "$stamp" > built
fi
echo "$PWD/linux"
