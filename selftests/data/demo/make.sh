#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Makes demo-sort, demo-sort-arm, perf.data and branches anew: make demo-data calls it.
# Needs Debian's clang, lld and qemu-user.  $MKREC: the built selftests/make/mkrec.c.
#
# perf.data is a recording as perf record -e cs_etm//u would have made it on a machine of two CPUs
# with ETMv4: its packets are made from the emulator's log of instructions, see mkrec.c.
# branches comes from that log, too: from and to of each branch taken, in order.

cd "$(dirname "$0")" || exit 1
: "${MKREC:?is not set: use make demo-data}"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
set -e

build()
{
	clang -O1 -ffreestanding -fno-stack-protector -fno-pic -static -nostdlib \
		-fomit-frame-pointer -fno-unwind-tables -fno-asynchronous-unwind-tables \
		-fuse-ld=lld -Wl,--build-id=sha1 -Wl,-z,max-page-size=4096 \
		-Wl,-z,noseparate-code "$@" demo-sort.c
}

build --target=aarch64-linux-gnu -o demo-sort
# T32, for units of 32 bits: nothing is recorded of it here.
build --target=arm-linux-gnueabihf -mcpu=cortex-a15 -mthumb -o demo-sort-arm
qemu-aarch64 -singlestep -d exec,nochain -D "$log" ./demo-sort > output
"$MKREC" "$log" demo-sort perf.data

# A branch is taken if execution goes on elsewhere, or if it is BR, which is always taken.
br=$(llvm-objdump -d demo-sort | sed -n 's/^ *\([0-9a-f]*\):.*[[:space:]]br[[:space:]].*/\1/p')
sed -n 's/^Trace.*\[[0-9a-f]*\/0*\([0-9a-f]*\)\/.*/\1/p' "$log" | while read -r pc; do
	if [ -n "$last" ] && { [ $((0x$last + 4)) != $((0x$pc)) ] || echo "$br" | grep -qx "$last"; }; then
		echo "$last $pc"
	fi
	last=$pc
done > branches
wc -c demo-sort perf.data
