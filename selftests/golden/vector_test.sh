#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Small traces with a list of the elements that they mean, from classic/ of the corpus.
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh

vector=$CSFLOW_CORPUS/classic/opencsd-1.8.3/v7m_svc_vector

# The ranges, exceptions and returns of the list, in the words of csflow dump.
wanted()
{
	sed -n -E 's/^INSTR_RANGE ([0-9a-f]+):\[([0-9a-f]+)\] ([0-9]+) .*/range 0x\1-0x\2 \3/p
		s/^EXCEPTION pref ret addr ([0-9a-f]+), number 0?([0-9a-f]+) .*/exception 0x\2 at 0x\1/p
		s/^EXCEPTION_RET$/exception return/p' "$1"
}

if [ -z "$CSFLOW_CORPUS" ]; then
	skip "an exception and its return on a Cortex-M7" "CSFLOW_CORPUS is not set"
else
	wanted "$vector/expected.txt" > "$tmp/want"
	"$CSFLOW" dump --elements "$vector" 2> "$tmp/why" |
		sed -n -E 's/^ *[0-9]+ \[06\] (range [^ ]+ [0-9]+|exception.*)( .*)?/\1/p' > "$tmp/got"
	[ "$(wc -l < "$tmp/want")" = 5 ]
	ok $? "five elements are wanted"
	same "$tmp/want" "$tmp/got" "an exception and its return on a Cortex-M7"
fi
echo "1..$n"
