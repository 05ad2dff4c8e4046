#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# ITM and DWT against sigrok's decoder: the same trace, of the encoder, whole and damaged.
#
# It reads samples, so the bytes become a wire.  Of damaged trace csflow keeps at least as many messages.
# CSFLOW_LONG: damage of six kinds, not two, with eight seeds, not one.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. ./lib/tap.sh

echo "TAP version 13"
if ! command -v sigrok-cli > /dev/null; then
	skip "ITM, against sigrok" "no sigrok-cli"
	echo "1..$n"
	exit 0
fi

# both FILE: what each says, to FILE.csflow and FILE.sigrok
both()
{
	tools/swo_samples.py uart 4 "$1" "$1.sr" &&
		sigrok-cli -i "$1.sr" -P uart:rx=SWO:baudrate=3000000,arm_itm -A arm_itm > "$1.sigrok" 2> "$tmp/why" &&
		"$CSFLOW" dump --protocol=itm --elements "$1" > "$1.csflow" 2> "$tmp/why"
}

# Made without sanitizers.
"$(dirname "${CSFLOW_FAST:-$O/csflow}")/selftests/make/mkitm" "$tmp/trace" 10000 plain > "$tmp/why" 2>&1 && both "$tmp/trace"
ok $? "there is a trace, and both read it"
truth/itm_peer.py same "$tmp/trace.csflow" "$tmp/trace.sigrok" > "$tmp/why" 2>&1
ok $? "every message is that of sigrok"
sed 's/^/# /' "$tmp/why"

for kind in bit burst ${CSFLOW_LONG:+byte dropped added zeros}; do
	for seed in 1 ${CSFLOW_LONG:+2 3 4 5 6 7 8}; do
		truth/itm_peer.py damage $kind "$seed" "$tmp/trace" "$tmp/damaged" && both "$tmp/damaged" &&
			truth/itm_peer.py kept "$tmp"/trace.{csflow,sigrok} "$tmp"/damaged.{csflow,sigrok}
	done | awk '{ ours += $1; peer += $2; n++ }
		END { printf "kept: csflow %.4f, sigrok %.4f\n", ours / n, peer / n; exit !(n && ours >= peer) }' > "$tmp/why"
	ok $? "damage, $kind: no fewer messages are kept than by sigrok"
	sed 's/^/# /' "$tmp/why"
done
echo "1..$n"
