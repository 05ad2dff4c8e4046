# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # variables of vm.sh
#
# Debian packages of another architecture, unpacked into the cache.  Nothing is installed on the host: apt has lists, a
# cache and a status of its own.  To be sourced by vm.sh.

keys=/usr/share/keyrings/debian-archive-keyring.gpg

# suites RELEASE: the suites that have its kernel and its perf
suites()
{
	case $1 in
	6.1 | 6.12)	echo "bookworm bookworm-updates bookworm-backports" ;;
	*)		echo "sid" ;;
	esac
}

apt_sources()
{
	local suite

	for suite in $(suites "$release"); do
		echo "deb [signed-by=$keys] http://deb.debian.org/debian $suite main"
	done
	case $release in
	6.1 | 6.12)	echo "deb [signed-by=$keys] http://deb.debian.org/debian-security bookworm-security main" ;;
	esac
}

# apt_open ARCHITECTURE: makes apt look at its packages of this release only
apt_open()
{
	apt=$cache/apt-$release-$1
	mkdir -p "$apt/lists/partial" "$apt/archives/partial" || die "cannot make $apt"
	[ -r $keys ] || die "$keys is missing: install debian-archive-keyring"
	: > "$apt/status"
	apt_sources > "$apt/sources.list"
	cat > "$apt/conf" <<- END
	APT::Architecture "$1";
	APT::Architectures { "$1"; };
	APT::Install-Recommends "false";
	APT::Sandbox::User "root";
	APT::Update::Error-Mode "any";
	Acquire::Languages "none";
	Acquire::Retries "2";
	Acquire::http::Timeout "20";
	Dir::State "$apt";
	Dir::State::status "$apt/status";
	Dir::Cache "$apt";
	Dir::Etc::sourcelist "$apt/sources.list";
	Dir::Etc::sourceparts "/dev/null";
	Dir::Etc::preferences "/dev/null";
	Dir::Etc::preferencesparts "/dev/null";
	END
	export APT_CONFIG=$apt/conf
	apt_run "fetching Debian's lists of packages" update || apt_failed "Debian's lists of packages cannot be fetched"
}

# apt_run WHAT WORD...: apt-get; on a terminal, how far it is
apt_run()
{
	local what=$1 kind percent

	shift
	if [ -n "$quiet" ] || [ ! -t 2 ]; then
		apt-get -q "$@" < /dev/null > "$apt/log" 2>&1
		return
	fi
	apt-get -q -o APT::Status-Fd=8 "$@" < /dev/null 8>&1 > "$apt/log" 2>&1 |
		while IFS=: read -r kind _ percent _; do
			[ "$kind" != dlstatus ] || step "$what: ${percent%.*} %"
		done
	return "${PIPESTATUS[0]}"
}

apt_failed()
{
	last_words "$apt/log"
	grep -q -E 'Temporary failure|Could not (resolve|connect)|Connection (failed|timed out|refused)|unreachable' "$apt/log" &&
		die "$1: there is no network, which the first run for a release of Linux wants"
	die "$1"
}

# unpack PACKAGE DIR: one package alone
unpack()
{
	mkdir -p "$2" || exit
	rm -f "$apt"/*.deb
	(cd "$apt" && apt_run "fetching $1" download "$1") || apt_failed "$1 cannot be fetched"
	dpkg-deb -x "$apt"/*.deb "$2" || die "$1 cannot be unpacked in $2"
	rm -f "$apt"/*.deb
}

# unpack_all DIR PACKAGE...: with all that they need
unpack_all()
{
	local dir=$1 from=() deb

	shift
	mkdir -p "$dir" || exit
	[ "$release" = 6.12 ] && from=(-t bookworm-backports)
	apt_run "fetching $*" -y "${from[@]}" --download-only install "$@" ||
		apt_failed "$* cannot be fetched"
	for deb in "$apt"/archives/*.deb; do
		dpkg-deb -x "$deb" "$dir" || die "$deb cannot be unpacked in $dir"
	done
	apt-get clean
}

# The newest kernel of this release, as uname -r says it.
newest_kernel()
{
	apt-cache pkgnames "linux-image-$release." | sed -n 's/^linux-image-\(.*-cloud-arm64\)$/\1/p' | sort -V | tail -n 1
}

# kbuild VERSION: the package of the programs that build a module for it
kbuild()
{
	[ "$release" = 6.1 ] && echo linux-kbuild-6.1 || echo "linux-kbuild-${1%-cloud-arm64}"
}

# The newest images have their parts in packages of their own.
unpack_parts()
{
	unpack "linux-binary-$version" "$kernel"
	unpack "linux-modules-$version" "$kernel"
}

# Programs of sid want its C library: each becomes a script that runs the program with that.
newer_libc()
{
	local libc=$kernel/libc program

	unpack libc6 "$libc"
	libc=$(dirname "$(find "$libc" -name 'ld-linux*.so.*' -path '*gnu*' | head -n 1)")
	for program in "$kernel"/usr/lib/linux-kbuild-*/scripts/mod/modpost.real-* \
		       "$kernel"/usr/lib/linux-kbuild-*/scripts/basic/fixdep; do
		mv "$program" "$program.elf"
		printf '#!/bin/sh\nexec %s --library-path %s %s "$@"\n' "$libc"/ld-linux*.so.* "$libc" "$program.elf" \
			> "$program"
		chmod 755 "$program"
	done
}

# fetch: the kernel, its headers, and what the guest has, as $kernel, $headers and $root; once
fetch()
{
	local version

	kernel=$cache/kernel-$release root=$cache/root-$release
	[ -s "$kernel/version" ] && [ -e "$root/done" ] && return
	step "fetching Linux $release and perf for arm64, about 100 MB, into $cache"
	room 500 "$cache" --cache
	apt_open arm64
	version=$(newest_kernel)
	[ -n "$version" ] || die "Debian has no kernel linux-image-$release.*-cloud-arm64"
	rm -rf "$kernel" "$root"
	unpack "linux-image-$version" "$kernel"
	[ -e "$kernel/boot/vmlinuz-$version" ] || unpack_parts
	unpack "linux-headers-$version" "$kernel"
	unpack "linux-headers-${version%-cloud-arm64}-common" "$kernel"
	unpack_all "$root" linux-perf busybox-static
	: > "$root/done"
	# The programs that build a module run here.
	apt_open "$(dpkg --print-architecture)"
	unpack "$(kbuild "$version")" "$kernel"
	[ "$(suites "$release")" != sid ] || newer_libc
	echo "$version" > "$kernel/version"
}
