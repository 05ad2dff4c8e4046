# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# csflow and its tests for arm64, built and run on another machine; to be sourced.

arm64=$O/arm64/plain
# csflow as it is compiled fastest: not optimised
arm64_quick=$O/arm64/csflow

# arm64_make WORD...: a build that prints anything has failed, because that is a warning.  What it says is in $tmp/why.
arm64_make()
{
	(
		cd "$(dirname "${BASH_SOURCE[0]}")/../.." && mkdir -p "$O/arm64" || exit
		unset MAKEFLAGS MFLAGS MAKELEVEL CC
		# Two tests may want it at the same time.
		flock 8
		"${MAKE:-make}" -s -k -j"$(nproc)" ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- O="$O/arm64" \
			KSRC="${LINUX:-$O/linux}" WERROR=1 "$@"
	) > "$tmp/why" 2>&1 8> "$O/.arm64.lock" && [ ! -s "$tmp/why" ]
}

# arm64_build GOAL...: programs below $arm64, with asserts and without sanitizers, which qemu-user does not run.
arm64_build()
{
	arm64_make VARIANT=plain "$@"
}

# arm64_build_quick: $arm64_quick, in a quarter of the time, without asserts
arm64_build_quick()
{
	arm64_make VARIANT= CFLAGS='-O0 -g0' "$arm64_quick"
}

# arm64_run PROGRAM...: in qemu-user, which keeps notes of each page of address space: so that is limited, and csflow
# reserves less of it.
arm64_run()
{
	(
		ulimit -v 4000000
		exec timeout -k 5 300 qemu-aarch64 -L "$O/arm64/arm64-libraries" "$@"
	)
}
