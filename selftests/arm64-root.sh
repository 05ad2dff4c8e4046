#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# arm64-root.sh DIR	unpacks a few of Debian's programs for arm64 below DIR, for record_test.sh,
#			and prints their root, DIR/arm64-root
#
# The system's own list of architectures stays as it is: apt has lists and a status of its own here.
# What was unpacked before is used again.

[ -n "$1" ] || { sed -n 's/^# \{0,1\}//; 4,5p' "$0" >&2; exit 2; }
mkdir -p "$1" || exit 1
dir=$(cd "$1" && pwd)
root=$dir/arm64-root
packages='sqlite3 zstd gzip xz-utils lua5.4 luajit perl-base python3-minimal libc6'
# Python finds no encodings without this one.
packages="$packages libpython3.11-minimal"

# Two tests may want it at the same time.
exec 9> "$dir/.arm64-root.lock"
flock 9
if [ -f "$root/.done" ]; then
	echo "$root"
	exit 0
fi
rm -rf "$root" "$dir/apt64"
mkdir -p "$dir/apt64/lists/partial" "$dir/apt64/cache/archives/partial" || exit 1
: > "$dir/apt64/status"
cat > "$dir/apt64/conf" << END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
Dir::State "$dir/apt64";
Dir::State::lists "$dir/apt64/lists";
Dir::State::status "$dir/apt64/status";
Dir::Cache "$dir/apt64/cache";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
END
export APT_CONFIG="$dir/apt64/conf"
if ! { apt-get -q update && apt-get -qy -d --no-install-recommends install $packages; } \
	< /dev/null > "$dir/apt64/log" 2>&1; then
	tail -n 3 "$dir/apt64/log" >&2
	exit 1
fi
for deb in "$dir"/apt64/cache/archives/*.deb; do
	dpkg-deb -x "$deb" "$root" || exit 1
done
rm -rf "$dir/apt64"
touch "$root/.done"
echo "$root"
