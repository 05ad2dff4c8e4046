# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Results of a test written in bash, as TAP; to be sourced.  $n counts them.
n=0

# Why the last check failed; a test may have words of its own.
why()
{
	[ -s "$tmp/why" ] && head -20 "$tmp/why"
}

# ok STATUS NAME
ok()
{
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n $2"
	else
		why | sed 's/^/# /'
		echo "not ok $n $2"
	fi
}

# skip NAME WHY
skip()
{
	n=$((n + 1))
	echo "ok $n $1 # SKIP $2"
}

# same FILE FILE NAME
same()
{
	diff "$1" "$2" > "$tmp/why" 2>&1
	ok $? "$3"
}

# holds BENCH NAME TEXT: with CSFLOW_LONG, what TEXT says is so if that bench says it; NAME is for a skip
holds()
{
	local status

	if [ -z "$CSFLOW_LONG" ]; then
		skip "$2" "it takes minutes: CSFLOW_LONG=1"
		return
	fi
	"$1" > "$tmp/why" 2>&1
	status=$?
	sed 's/^/# /' "$tmp/why"
	if [ $status = 4 ]; then
		skip "$2" "$(tail -n 1 "$tmp/why")"
	else
		: > "$tmp/why"
		ok $status "$3"
	fi
}
