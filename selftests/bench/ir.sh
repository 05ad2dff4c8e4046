#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# ir.sh PROGRAM ARGS...	runs a bench_pass under callgrind and prints host instructions for each byte
#			of trace in the pass that it measures: a figure that does not depend on
#			other work of the machine

[ $# -gt 0 ] || { sed -n 's/^# \{0,1\}//; 4,6p' "$0" >&2; exit 2; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
if ! valgrind -q --tool=callgrind --toggle-collect=measured --callgrind-out-file="$tmp/out" "$@" \
	> "$tmp/said" 2> "$tmp/why"; then
	tail -n 3 "$tmp/why" >&2
	exit 1
fi
sum=$(sed -n 's/^\(summary\|totals\): *//p' "$tmp/out" | head -n 1)
read -r bytes rest < "$tmp/said"
[ -n "$sum" ] && [ "${bytes:-0}" -gt 0 ] || exit 1
awk "BEGIN { printf \"%.2f\n\", $sum / $bytes }"
