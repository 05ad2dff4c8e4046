#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# STP: vectors of two other projects, Zephyr and stm-rs, from classic/vectors of the corpus.
cd "$(dirname "$0")/.." || exit 1
: "${CSFLOW:=../build/check/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

for file in stp-zephyr stp-stm-rs; do
	if [ -z "$CSFLOW_CORPUS" ]; then
		skip "$file" "CSFLOW_CORPUS is not set"
		continue
	fi
	python3 golden/stp_vectors.py "$CSFLOW" "$CSFLOW_CORPUS/classic/vectors/$file.json" > "$tmp/got" 2>&1
	case $file in stp-zephyr) wanted=10 ;; *) wanted=18 ;; esac
	yes ok | head -n "$wanted" > "$tmp/want"
	same "$tmp/want" "$tmp/got" "$file: $wanted vectors"
done
echo "1..$n"
