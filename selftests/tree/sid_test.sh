#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# sid.sh: packages of Debian sid, unpacked and not installed.
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

# No server listens there.
offline()
{
	http_proxy=http://127.0.0.1:9 lib/sid.sh "$@" > "$tmp/out" 2> "$tmp/why"
}

echo "TAP version 13"
offline "$tmp/sid" hello
[ $? = 4 ] && [ ! -s "$tmp/out" ] && grep -q '^csflow: no network: ' "$tmp/why"
ok $? "without network it says so, with status 4"

lib/sid.sh "$tmp/sid" 'hell[o]' > "$tmp/first" 2> "$tmp/why"
if [ $? = 4 ]; then
	skip "packages of sid" "no network"
	echo "1..$n"
	exit 0
fi
grep -qxE 'hello [0-9.]+-[^ ]+' "$tmp/first" && "$tmp/sid/usr/bin/hello" > "$tmp/why" &&
	! ls "$tmp"/sid/.sid/*.deb > /dev/null 2>&1
ok $? "a pattern: the package is unpacked, and its version printed"
offline "$tmp/sid" 'hell[o]' && diff "$tmp/first" "$tmp/out" > "$tmp/why"
ok $? "the second time nothing is fetched"
lib/sid.sh "$tmp/sid" no-such-package > "$tmp/out" 2> "$tmp/why"
[ $? = 1 ] && [ ! -s "$tmp/out" ] && grep -qx 'csflow: Debian sid has no package no-such-package' "$tmp/why"
ok $? "a package that sid has not: status 1"
echo "1..$n"
