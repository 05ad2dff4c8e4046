#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# sid.sh DIR PACKAGE...	unpacks the newest version of each PACKAGE of Debian sid below DIR, and prints a line
#			for each: package, version.  A name may be a pattern, in quotes, such as
#			'linux-source-[0-9]*': then the package with the largest number is taken.
#
# Nothing is installed: apt has lists, a cache and a status of its own in DIR/.sid.  A package is
# unpacked alone; name those that a program needs, too.  Packages that were unpacked before are used
# again without a look at the network: remove DIR for newer ones.
#
# Status 4: no network, which is said.  1: anything else that went wrong, such as no package of that name.

[ $# -ge 2 ] || { sed -n 's/^# \{0,1\}//; 4,6p' "$0" >&2; exit 2; }
mkdir -p "$1/.sid" || exit 1
dir=$(cd "$1" && pwd)
own=$dir/.sid
shift
export LC_ALL=C

# die STATUS TEXT
die()
{
	status=$1
	shift
	echo "csflow: $*" >&2
	exit "$status"
}

# Sid's current list; one of a mirror that is some weeks old is good enough, because its contents
# are signed all the same.
get_list()
{
	keys=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -r $keys ] || die 1 "$keys is missing: package debian-archive-keyring"
	mkdir -p "$own/lists/partial" "$own/cache/archives/partial" || exit 1
	: > "$own/status"
	echo "deb [signed-by=$keys] http://deb.debian.org/debian sid main" > "$own/sources.list"
	cat > "$own/conf" <<- END
	Dir::State "$own";
	Dir::State::status "$own/status";
	Dir::Cache "$own/cache";
	Dir::Etc::sourcelist "$own/sources.list";
	Dir::Etc::sourceparts "/dev/null";
	Dir::Etc::preferences "/dev/null";
	Dir::Etc::preferencesparts "/dev/null";
	APT::Sandbox::User "root";
	APT::Update::Error-Mode "any";
	Acquire::Check-Valid-Until "false";
	Acquire::Languages "none";
	Acquire::Retries "2";
	END
	export APT_CONFIG="$own/conf"
	apt-get -q update < /dev/null > "$own/log" 2>&1 && return
	tail -n 3 "$own/log" >&2
	grep -qE 'GPG error|is not signed|NO_PUBKEY' "$own/log" && die 1 "Debian sid's list is not signed by a key in $keys"
	die 4 "no network: Debian sid's list cannot be fetched"
}

# The package that a name or a pattern means.
newest()
{
	apt-cache pkgnames | while read -r name; do
		# shellcheck disable=SC2254 # it is a pattern
		case $name in
		$1) echo "$name" ;;
		esac
	done | sort -V | tail -n 1
}

# fetch NAME: unpacks what it means, and notes it in $own/done
fetch()
{
	[ -n "$listed" ] || get_list
	listed=1
	package=$(newest "$1")
	[ -n "$package" ] || die 1 "Debian sid has no package $1"
	rm -f "$own"/*.deb
	(cd "$own" && apt-get -q download "$package") < /dev/null > "$own/log" 2>&1 || {
		tail -n 3 "$own/log" >&2
		die 4 "no network: $package of Debian sid cannot be fetched"
	}
	version=$(dpkg-deb -f "$own"/*.deb Version) && dpkg-deb -x "$own"/*.deb "$dir" ||
		die 1 "$package cannot be unpacked in $dir"
	rm -f "$own"/*.deb
	echo "$package $version" > "$own/done/$1"
}

# Two tests may want it at the same time.
exec 9> "$own/lock"
flock 9
mkdir -p "$own/done"
listed=
for name in "$@"; do
	[ -s "$own/done/$name" ] || fetch "$name"
	cat "$own/done/$name"
done
