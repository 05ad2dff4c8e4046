#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# dump --format=opencsd of ETMv3 against the listings of trc_pkt_lister
#
# The Idx: records of each trace ID that is of ETMv3 must be those of the listing, byte for byte and in order.
#
#	TC2		three Cortex-A7 (ETMv3.5, cycle accurate, timestamps)
#	stm32f105	a Cortex-M3 (ETMv3.4, branches broadcast, trigger)
#	zephyr		a Cortex-R5F (ETMv3.3), up to the place where OpenCSD gives up, at a data packet in a damaged
#			trace
#	threadx		another: packets only.  Its image does not fit everywhere, and OpenCSD takes some of the data that it
#			reads there for branches: protocol-classic.md section 11

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

corpus=$CSFLOW_CORPUS
if [ -z "$corpus" ] || [ ! -d "$corpus/classic" ]; then
	echo "1..0 # SKIP CSFLOW_CORPUS names no corpus with listings of ETMv3"
	exit 0
fi
if ! command -v xz > /dev/null; then
	echo "1..0 # SKIP no command xz"
	exit 0
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

: "${CSFLOW:=../build/check/csflow}"

# Records glued to error texts, which have no line end, are split off.
records()
{
	sed 's/\(.\)Idx:/\1\nIdx:/' | grep -a '^Idx:'
}

of_etm3()
{
	local ids

	ids=$(xz -dc "$1" | sed -n '/^Idx:/q; s/.*printer ETMV3 on Trace ID 0x//p' | paste -s -d '|')
	xz -dc "$1" | records | grep -aE "; ID:($ids);"
}

# ours RELEASE SNAPSHOT LISTING [OPTION...]
ours()
{
	local release=$1 snapshot=$2 ids

	ids=$(xz -dc "$3" | sed -n '/^Idx:/q; s/.*printer ETMV3 on Trace ID 0x//p' | paste -s -d '|')
	shift 3
	"$CSFLOW" dump --format=opencsd --release="$release" --bytes --snapshot="$snapshot" "$@" 2> "$tmp/stderr" |
		records | grep -aE "; ID:($ids);"
}

test=0
failed=0
# compare NAME WANTED: $tmp/want and $tmp/got, with that many records
compare()
{
	local n

	test=$((test + 1))
	n=$(wc -l < "$tmp/want")
	if [ "$n" = "$2" ] && cmp -s "$tmp/want" "$tmp/got"; then
		echo "ok $test $1: $n records"
		return
	fi
	echo "not ok $test $1: $n records, not $2, or other ones"
	diff -a "$tmp/want" "$tmp/got" | head -20 | sed 's/^/# /'
	failed=1
}

listing=$corpus/golden/TC2.ppl.xz
of_etm3 "$listing" > "$tmp/want"
ours 1.5.5 "$corpus/snapshots/TC2" "$listing" > "$tmp/got"
compare TC2 46282

dir=$corpus/classic/sigrok-dumps/stm32f105
listing=$dir/opencsd-1.8.0.ppl.xz
of_etm3 "$listing" > "$tmp/want"
ours 1.8.0 "$dir" "$listing" > "$tmp/got"
compare stm32f105 1890

dir=$corpus/classic/am243x-r5f/zephyr
listing=$dir/opencsd-1.8.0.ppl.xz
of_etm3 "$listing" | sed '/^Idx:28612;/,$d' > "$tmp/want"
ours 1.8.0 "$dir" "$listing" | sed '/^Idx:28612;/,$d' > "$tmp/got"
compare zephyr 43842

dir=$corpus/classic/am243x-r5f/threadx
listing=$dir/opencsd-1.8.0.ppl.xz
of_etm3 "$listing" | grep -av OCSD_GEN > "$tmp/want"
ours 1.8.0 "$dir" "$listing" --packets > "$tmp/got"
compare "threadx, packets" 51410

echo "1..$test"
exit $failed
