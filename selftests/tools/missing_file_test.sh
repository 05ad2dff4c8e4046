#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The program that was recorded is not here: each command names it, with its build-id, in the same words, and says
# which options name its folder.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${CSFLOW:=../build/check/csflow}" "${O:=../build}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export PERF_BUILDID_DIR=$tmp/cache
cp data/demo/perf.data "$tmp/data"
cp data/demo/perf.data "$tmp/other"
mkdir "$tmp/empty" "$tmp/another"
cp "$(type -P true)" "$tmp/another/demo-sort"

. lib/tap.sh

name=$("$CSFLOW" doctor --symfs="$tmp/empty" "$tmp/data" | sed -n 's/.* missing  *//p')
id=$("$CSFLOW" doctor --symfs="$tmp/empty" "$tmp/data" | sed -n '/ missing /{n; s/^ *//p}')
[ "${name##*/}" = demo-sort ]
ok $? "csflow doctor names it"

# sentence FILE STATE
sentence()
{
	echo "csflow: $1: $name, build-id ${id/#no build-id/unknown}: $2: what ran in it is not known;" \
		"name a folder that has it with --symfs or --buildid-dir"
}

# said NAME DIR FILE...: the command has written to $tmp/all
said()
{
	local what=$1 dir=$2 f

	shift 2
	for f; do
		if [ "$dir" = empty ]; then
			sentence "$f" missing
		else
			sentence "$f" "not for Arm ($tmp/another/demo-sort)"
		fi
	done > "$tmp/want"
	grep 'is not known' "$tmp/all" | diff "$tmp/want" - > "$tmp/why" 2>&1
	ok $? "$what"
}

for command in 'report --stdio' 'report --html' 'annotate main' coverage 'profile -q' timeline script tarmac browse; do
	# shellcheck disable=SC2086 # words
	timeout 60 "$CSFLOW" $command --symfs="$tmp/empty" "$tmp/data" < /dev/null 2> "$tmp/all" > /dev/null
	said "$command" empty "$tmp/data"
done
for command in diff 'diff --counts' 'diff --html'; do
	# shellcheck disable=SC2086 # words
	"$CSFLOW" $command --symfs="$tmp/empty" "$tmp/data" "$tmp/other" 2> "$tmp/all" > /dev/null
	said "$command: of both" empty "$tmp/data" "$tmp/other"
done
"$CSFLOW" script --symfs="$tmp/another" "$tmp/data" 2> "$tmp/all" > /dev/null
said "another file of that name" another "$tmp/data"
"$CSFLOW" script --symfs=data/demo "$tmp/data" 2> "$tmp/all" > /dev/null
said "it is here" empty
echo "1..$n"
