#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Recordings that others have reported: what is right of each is known.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export PERF_BUILDID_DIR=$tmp/cache
. lib/tap.sh

demo=data/demo

# As perf 6.12.0 left them, or as if none were written: a recording of the demo without build-ids.
"$O/selftests/make/mkperf" $demo/perf.data "$tmp/no-id" no-build-ids 2> "$tmp/why"
ok $? "a recording without build-ids"
says='csflow: not checked: data/demo/demo-sort (no build-id was recorded)'
for command in script report "profile -o $tmp/out" "coverage" "annotate main" "timeline -o $tmp/out" \
	"doctor" "dump --elements" "diff $tmp/no-id"; do
	"$CSFLOW" $command --symfs=$demo "$tmp/no-id" > /dev/null 2> "$tmp/why"
	[ "$(grep -c "not checked" "$tmp/why")" = 1 ] && grep -qxF "$says" "$tmp/why"
	ok $? "${command%% *}: a file that cannot be checked is named, once"
done
"$CSFLOW" script --symfs=$demo $demo/perf.data > /dev/null 2> "$tmp/why"
! grep "not checked" "$tmp/why"
ok $? "one that was checked is not"

if [ -z "$CSFLOW_CORPUS" ]; then
	skip "reports" "CSFLOW_CORPUS is not set"
	echo "1..$n"
	exit 0
fi
dir=$CSFLOW_CORPUS/reports

# The entry of the program is the second of three.
data=$dir/perf-6.12.0-buildid.data
mkdir -p "$tmp/symfs/usr/local/bin" "$tmp/symfs/vendor/lib/modules"
cp $demo/demo-sort "$tmp/symfs/usr/local/bin/srt"
"$CSFLOW" doctor --symfs="$tmp/symfs" "$data" > "$tmp/out" 2> "$tmp/why"
grep -q 'different  */usr/local/bin/srt' "$tmp/out" &&
	grep -q '^ *423623a681723b5d72b92e77469ac792f5fac34f  here: ' "$tmp/out" && [ ! -s "$tmp/why" ]
ok $? "build-ids of perf 6.12.0: another program is different"
"$CSFLOW" doctor -v --symfs="$tmp/symfs" "$data" 2>&1 > "$tmp/out" |
	grep -q '108 zero bytes between its entries, as perf 6.12.0 writes them'
ok $? "zeros between them are mentioned on demand"

# All modules have the build-id of the first.
data=$dir/stale-module-buildid.data
cp "$CSFLOW_CORPUS/simpleperf/rq_stats.ko" "$tmp/symfs/vendor/lib/modules/"
"$CSFLOW" doctor --symfs="$tmp/symfs" "$data" > "$tmp/out" 2> "$tmp/why"
grep -q 'unchecked  */vendor/lib/modules/rq_stats.ko' "$tmp/out" &&
	[ "$(grep -c 'have the same build-id' "$tmp/why")" = 1 ] &&
	grep -q '328 kernel modules have the same build-id: it is ignored' "$tmp/why"
ok $? "modules with one build-id: taken by path and name, and that is said"
"$CSFLOW" script --symfs="$tmp/symfs" "$data" > "$tmp/ours" 2> "$tmp/why"
"$CSFLOW" script --symfs="$tmp/symfs" "$CSFLOW_CORPUS/simpleperf/perf_kernel.data" > "$tmp/theirs" 2> "$tmp/why"
[ -s "$tmp/ours" ]
ok $? "its code is executed"
same "$tmp/theirs" "$tmp/ours" "it is decoded as with its own build-id"
echo "1..$n"
