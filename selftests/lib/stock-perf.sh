#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# stock-perf.sh DIR	builds the perf of Debian's linux-source-6.12, as it is, with Debian's
#			libopencsd, in DIR; prints the path of the program.  To compare with.
exec "$(dirname "$0")/../../perf-plugin/shim/build-perf.sh" -w all "${1:?a directory to build in}"
