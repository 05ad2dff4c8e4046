#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# arm64-root.sh DIR		unpacks a few of Debian's programs for arm64 below DIR, for record_test.sh,
#				and prints their root, DIR/arm64-root
# arm64-root.sh DIR libraries	the libraries that csflow is linked with, and their headers:
#				DIR/arm64-libraries, a SYSROOT for make CROSS_COMPILE=aarch64-linux-gnu-
# arm64-root.sh DIR rust	the library of Rust: DIR/arm64-rust, for rustc --sysroot
#
# The system's own list of architectures stays as it is: apt has lists and a status of its own here.
# What was unpacked before is used again, unless other packages are wanted.

[ -n "$1" ] || { sed -n 's/^# \{0,1\}//; 4,9p' "$0" >&2; exit 2; }
mkdir -p "$1" || exit 1
dir=$(cd "$1" && pwd)
root=$dir/arm64-${2:-root}
apt=$root.apt
packages='sqlite3 zstd gzip xz-utils lua5.4 luajit perl-base python3-minimal libc6'
# Python finds no encodings without this one.
packages="$packages libpython3.11-minimal"
[ "$2" != libraries ] ||
	packages='libc6-dev libelf-dev libdw-dev zlib1g-dev libzstd-dev liblzma-dev libtraceevent-dev libexpat1-dev libiberty-dev libncurses-dev libopencsd-dev'
[ "$2" != rust ] || packages=libstd-rust-dev

# Two tests may want it at the same time.
exec 9> "$dir/.${root##*/}.lock"
flock 9
if [ "$(cat "$root/.done" 2> /dev/null)" = "$packages" ]; then
	echo "$root"
	exit 0
fi
rm -rf "$root" "$apt"
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" || exit 1
: > "$apt/status"
cat > "$apt/conf" << END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
Dir::State "$apt";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
END
export APT_CONFIG="$apt/conf"
if ! { apt-get -q update && apt-get -qy -d --no-install-recommends install $packages; } \
	< /dev/null > "$apt/log" 2>&1; then
	tail -n 3 "$apt/log" >&2
	exit 1
fi
for deb in "$apt"/cache/archives/*.deb; do
	dpkg-deb -x "$deb" "$root" || exit 1
done
rm -rf "$apt"
# Links to /lib mean the /lib of that root.
find "$root" -type l -lname '/*' -printf '%p\t%l\n' | while IFS="$(printf '\t')" read -r link to; do
	[ ! -e "$root$to" ] || ln -sfnr "$root$to" "$link" || exit 1
done || exit 1
echo "$packages" > "$root/.done"
echo "$root"
