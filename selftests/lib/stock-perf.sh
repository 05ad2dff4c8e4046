#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# stock-perf.sh DIR [BASE]	builds the perf of Debian's linux-source-6.12, as it is, with Debian's libopencsd, in
#				DIR; prints the path of the program.  To compare with.  BASE: see build-perf.sh.
build=$(dirname "$0")/../../perf-plugin/shim/build-perf.sh
if [ -n "$2" ]; then
	exec "$build" -b "$2" "$1"
fi
exec "$build" -w all "${1:?a directory to build in}"
