#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Debian's packages: debian/ fits the source.  CSFLOW_LONG: they are built twice, in two folders, and are the same;
# lintian has nothing to say; installed in a bare Debian 12 they work, by their own tests; removed, they leave nothing.

cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
O=$(realpath "${O:-build}")
tmp=$(mktemp -d -p "$O") || exit 1
unset MAKEFLAGS MFLAGS MAKELEVEL CC
: "${CSFLOW_FAST:=$O/csflow}"
. selftests/lib/tap.sh

# Nothing of the bare system may be in use when it is removed.
root=$tmp/root
clean()
{
	mountpoint -q "$root/proc" && umount "$root/proc"
	rm -rf --one-file-system "$tmp"
}
trap clean EXIT

# The end of a log tells more than its beginning.
why()
{
	[ -s "$tmp/why" ] && tail -n 20 "$tmp/why" | cut -c 1-300
}

if ! command -v dpkg-parsechangelog > /dev/null; then
	echo "1..0 # SKIP no dpkg-parsechangelog: install dpkg-dev"
	exit 4
fi
echo "TAP version 13"

# ---------------------------------------------------------------- debian/ and the source

[ "$(dpkg-parsechangelog -S Version)" = "$("$CSFLOW_FAST" --version | awk '{ print $2 }')" ]
ok $? "the version of the packages is that of csflow"

sed -n 's/^ \(csf_[a-z0-9_]*\)@CSFLOW_[0-9.]* .*/\1/p' debian/libcsflow0.symbols > "$tmp/symbols"
sed -n 's/^[[:space:]]*\(csf_[a-z0-9_]*\);$/\1/p' decoder/csflow.map > "$tmp/map"
same "$tmp/symbols" "$tmp/map" "libcsflow0.symbols has the functions of csflow.map"

# setup.sh names what is missing where nothing is installed.  Build-Depends does not name build-essential and what comes
# with it, which Debian's policy takes for granted, nor fakeroot.
mkdir "$tmp/bare" && ln -s "$(type -P false)" "$tmp/bare/dpkg-query"
needs()
{
	WITHOUT= PATH=$tmp/bare:$PATH selftests/setup.sh -n "$1" | tr ' ' '\n' |
		grep -vxE 'build-essential|gcc|g\+\+|libc6-dev|make|dpkg-dev|fakeroot' | sort -u
}
# has PROFILES: what Build-Depends names, the first of each choice
has()
{
	perl -MDpkg::Control::Info -MDpkg::Deps -e '
		my $field = Dpkg::Control::Info->new("debian/control")->get_source->{"Build-Depends"};
		my $all = deps_parse($field, reduce_profiles => 1, build_profiles => [@ARGV], build_dep => 1);
		for my $dep ($all->get_deps) {
			my ($first) = $dep->isa("Dpkg::Deps::OR") ? $dep->get_deps : $dep;
			print $first->{package} =~ s/-compat$//r, "\n";
		}' "$@" 2> "$tmp/why" | sort -u
}
needs deb > "$tmp/needs" && has > "$tmp/has"
same "$tmp/needs" "$tmp/has" "Build-Depends has what setup.sh deb installs"
needs deb-perf > "$tmp/needs" && has pkg.csflow.perf > "$tmp/has"
same "$tmp/needs" "$tmp/has" "with the profile of perf, what setup.sh deb-perf installs"

ln -s "$(type -P false)" "$tmp/bare/apt-get" && printf '#!/bin/sh\necho 0\n' > "$tmp/bare/id" && chmod +x "$tmp/bare/id"
PATH=$tmp/bare:$PATH selftests/setup.sh deb 2> "$tmp/why"
[ $? = 1 ] && grep -q '^deb http://deb.debian.org/debian-security [a-z]*-security main$' "$tmp/why"
ok $? "without security updates, setup.sh names their line"

sed -n 's/^Tests: //p' debian/tests/control | tr ' ' '\n' | sort > "$tmp/tests"
(cd debian/tests && find . -type f -perm -100 -printf '%P\n') | sort > "$tmp/files"
same "$tmp/tests" "$tmp/files" "debian/tests/control has the tests that are there"

printf 'settings:\n\t@env\n' |
	CCACHE_BASEDIR=/somewhere CCACHE_NOHASHDIR=1 make -s -f debian/rules -f - settings 2> "$tmp/why" |
	grep '^CCACHE_\(BASEDIR\|NOHASHDIR\)=\|^O=' | sort > "$tmp/said"
printf 'CCACHE_BASEDIR=\nO=build\n' > "$tmp/want"
same "$tmp/want" "$tmp/said" "settings of ccache do not reach the packages"

# Else make perf would compile all objects with other flags, and make install once more.
printf 'flags:\n\t@echo "$$CFLAGS"\n' | CFLAGS=-Og make -s -f Makefile -f - flags > "$tmp/said" 2> "$tmp/why"
echo -Og > "$tmp/want"
same "$tmp/want" "$tmp/said" "flags of the environment reach a make below make as they are"

if [ -z "$CSFLOW_LONG" ]; then
	skip "the packages" "it takes minutes: CSFLOW_LONG=1"
	echo "1..$n"
	exit
fi

# ---------------------------------------------------------------- the packages

# PERF= leaves the package of perf out.
: "${PERF=1}"
# built DIR: builds from a source in DIR, into DIR/build/deb
built()
{
	mkdir -p "$1" && tar c --exclude-vcs --exclude='./build*' . | tar x -C "$1" &&
		"${MAKE:-make}" -s -C "$1" O=build PERF="$PERF" deb > "$tmp/why" 2>&1
}

# sums DIR: of what is in its packages, and of the packages
sums()
{
	(cd "$1/build/deb" && sha256sum ./*.deb)
}

# DEBS=dir: packages that are there already
debs=${DEBS:-$tmp/one/build/deb}
[ -n "$DEBS" ] || built "$tmp/one" || rm -rf "$debs"
[ "$(ls "$debs"/*.deb 2> /dev/null | grep -vc dbgsym)" = $((4 + ${PERF:-0})) ]
status=$?
ok $status "make deb"
if [ $status != 0 ]; then
	echo "1..$n"
	exit
fi
if [ -z "$DEBS" ]; then
	built "$tmp/two/below/it" && sums "$tmp/one" > "$tmp/first" && sums "$tmp/two/below/it" > "$tmp/second" &&
		diff "$tmp/first" "$tmp/second" > "$tmp/why"
	ok $? "packages from another folder are the same, byte for byte"
	rm -rf "$tmp/two"
fi

if command -v lintian > /dev/null; then
	lintian --allow-root --no-cfg --fail-on error,warning "$debs"/*.changes > "$tmp/why" 2>&1 && [ ! -s "$tmp/why" ]
	ok $? "lintian has nothing to say"
else
	skip "lintian" "no lintian"
fi

# ---------------------------------------------------------------- a bare Debian 12

if [ "$(id -u)" != 0 ] || ! command -v debootstrap > /dev/null; then
	skip "a bare Debian 12" "no root or no debootstrap"
	echo "1..$n"
	exit
fi

inside()
{
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive "$@"
}

# What is there, but for what apt and dpkg write about themselves.
list()
{
	(cd "$root" && find . -xdev \( -path ./proc -o -path ./debs -o -path ./source -o -path ./var/cache -o -path ./var/log \
		-o -path ./var/lib/apt -o -path './var/lib/dpkg/*-old' -o -path ./tmp \) -prune -o -print | sort)
}

# BARE=dir: a folder that debootstrap has filled, which is copied
if [ -n "$BARE" ]; then
	cp -a "$BARE" "$root"
else
	debootstrap --variant=minbase bookworm "$root" http://deb.debian.org/debian
fi > "$tmp/why" 2>&1 && mount -t proc proc "$root/proc" && mkdir "$root/debs" "$root/source" &&
	cp "$debs"/*.deb "$root/debs/" && rm -f "$root"/debs/*dbgsym* &&
	cp -a debian Documentation selftests "$root/source/" && inside apt-get -q update >> "$tmp/why" 2>&1
ok $? "a bare Debian 12"

# First the packages of Debian that these need, then these alone.
names=$(cd "$root/debs" && ls ./*.deb | sed 's/^\.\///; s/_.*//')
others=$(inside sh -c 'apt-get -s --no-install-recommends install /debs/*.deb qemu-user linux-perf gcc libc6-dev pkg-config' 2> "$tmp/why" |
	sed -n 's/^Inst \([^ ]*\).*/\1/p' | grep -vxF "$names")
# shellcheck disable=SC2086 # words
inside apt-get -qy --no-install-recommends install $others > "$tmp/why" 2>&1
list > "$tmp/before"
inside sh -c 'apt-get -qy install --no-install-recommends /debs/*.deb' > "$tmp/why" 2>&1
ok $? "installed: $(echo $names)"
list | comm -13 "$tmp/before" - | grep -q '/usr/bin/csflow$'
ok $? "csflow is there"

while read -r test; do
	inside sh -c 'mkdir -p /tmp/t && cd /source && AUTOPKGTEST_TMP=/tmp/t exec debian/tests/"$1"' sh "$test" \
		> "$tmp/why" 2>&1 < /dev/null
	ok $? "debian/tests/$test"
	rm -rf "$root/tmp/t"
done < "$tmp/tests"
if [ -n "$PERF" ]; then
	inside sh -c 'cd /source/selftests/data/demo && perf-csflow script --symfs . -i perf.data --itrace=b -F ip,sym' \
		2> "$tmp/why" | grep -c digits > "$tmp/said" && grep -q '^[1-9]' "$tmp/said"
	ok $? "perf-csflow decodes"
fi

# shellcheck disable=SC2086 # words
inside apt-get -qy --purge remove $names > "$tmp/why" 2>&1
ok $? "removed"
list > "$tmp/after"
same "$tmp/before" "$tmp/after" "nothing is left"
inside ldconfig -p > "$tmp/loader" 2>&1 && grep -q 'libc\.so' "$tmp/loader" && ! grep csflow "$tmp/loader" > "$tmp/why"
ok $? "the loader has forgotten it"
echo "1..$n"
