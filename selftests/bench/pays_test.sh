#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Profiles of csflow pgo gain as much as those of instrumented builds, or nearly: pays.sh measures
# it, in a quarter of an hour, so with CSFLOW_LONG only.
cd "$(dirname "$0")/.." || exit 1
: "${O:=../build}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

if [ -z "$CSFLOW_LONG" ]; then
	skip "what profiles are worth" "it takes minutes: CSFLOW_LONG=1"
else
	bench/pays.sh > "$tmp/why" 2>&1
	status=$?
	sed 's/^/# /' "$tmp/why"
	if [ $status = 4 ]; then
		skip "what profiles are worth" "$(tail -n 1 "$tmp/why")"
	else
		: > "$tmp/why"
		ok $status "probes gain 70 % of what instruments gain, BOLT is within 2 % of its own"
	fi
fi
echo "1..$n"
