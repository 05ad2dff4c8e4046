#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The runner counts honestly: no test that crashes, or prints too little, has passed.

cd "$(dirname "$0")/../.." || exit 1
n=0

# $1: rule, $2: exit status of the program, $3: what it prints, $4: what that counts as
counts()
{
	n=$((n + 1))
	got=$(printf "$3" | selftests/run.sh --tally "$2" | cut -d' ' -f1 | sort | uniq -c |
		sed 's/^ *//' | paste -sd,)
	if [ "$got" = "$4" ]; then
		echo "ok $n $1"
	else
		echo "# '$got', not '$4'"
		echo "not ok $n $1"
	fi
}

echo "TAP version 13"
echo "1..12"
counts "passes are counted" 0 '1..2\nok 1 a\nok 2 - b\n' '2 pass'
counts "failures are counted" 1 '1..2\nok 1 a\nnot ok 2 b\n' '1 fail,1 pass'
counts "a skip is no pass" 0 '1..1\nok 1 a # SKIP why\n' '1 skip'
counts "nor is an expected failure" 0 '1..1\nok 1 a # XFAIL why\n' '1 skip'
counts "a program that skips all" 4 '1..0 # SKIP why\n' '1 skip'
counts "or does so by its status" 4 '' '1 skip'
counts "a bad end is a failure, whatever was printed" 1 '1..1\nok 1 a\n' '1 fail,1 pass'
counts "so is a signal" 139 'TAP version 13\n1..1\n' '1 fail'
counts "so is silence" 0 'TAP version 13\n' '1 fail'
counts "so is less than was planned" 0 '1..3\nok 1 a\nok 2 b\n' '1 fail,2 pass'
counts "so is not ending" 124 '1..2\nok 1 a\n' '1 fail,1 pass'
counts "so is giving up" 0 'ok 1 a\nBail out! no\n' '1 fail,1 pass'
