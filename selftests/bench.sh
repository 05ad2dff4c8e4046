#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# bench.sh   what a block costs the encoder, and a sample the plugin; how fast csflow match is;
#            speed beside Debian's libopencsd, over real trace
#
# Called by make bench, which gives O.  Both sides are verified to be equal first; then only the
# ratio means something, and that more on a machine with nothing else to do.

cd "$(dirname "$0")/.." || exit 1
: "${O:=build}"
"$O/selftests/bench_encode" || exit 1
if [ -z "$CSFLOW_CORPUS" ]; then
	echo "bench: set CSFLOW_CORPUS to a folder with the traces to decode; nothing decoded" >&2
	exit 0
fi
set --
for s in snapshots/bugfix-exact-match snapshots/juno-ret-stck snapshots-ete/001-ack_test \
	 snapshots-ete/tme_test snapshots-ete/trace_file_vmid; do
	[ -d "$CSFLOW_CORPUS/$s" ] && set -- "$@" "$CSFLOW_CORPUS/$s"
done
[ $# -gt 0 ] || { echo "bench: no traces in $CSFLOW_CORPUS" >&2; exit 1; }
sed -n 's/^model name[[:space:]]*: /machine: /p' /proc/cpuinfo | head -n 1
"$O/selftests/bench_match" "$1" || exit 1
"$O/selftests/bench_samples" "$1" || exit 1
exec "$O/selftests/bench_decode" -r "${ROUNDS:-5}" "$@"
