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

holds bench/pays.sh "what profiles are worth" "probes gain 70 % of what instruments gain, BOLT is within 2 % of its own"
echo "1..$n"
