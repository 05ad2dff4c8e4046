#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Address space, which ulimit -v and some containers limit: csflow, perf with csflow in it, and Debian's perf with
# ours in the place of OpenCSD's library give the same result with little of it as with all; and if
# it is too little, they say what it was for.
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
build_programs threads
ours=$(realpath "${PERF:-$O/perf}") && [ -x "$ours" ] || {
	echo "Bail out! no perf with csflow in it: make perf"
	exit 1
}

# within MIB COMMAND...: its output, with no more address space than that
within()
{
	(ulimit -v $(($1 << 10)) && shift && exec timeout 120 "$@" < /dev/null)
}

# enough NAME MIB COMMAND...: it prints the same
enough()
{
	local name=$1 mib=$2

	shift 2
	timeout 120 "$@" < /dev/null > "$tmp/one" 2> "$tmp/why"
	within "$mib" "$@" > "$tmp/two" 2>> "$tmp/why"
	[ -s "$tmp/one" ] && cmp "$tmp/one" "$tmp/two" >> "$tmp/why" 2>&1
	ok $? "$name: $mib MiB of address space are enough"
}

# short NAME MIB COMMAND...: it fails, and says what the space was for
short()
{
	local name=$1 mib=$2

	shift 2
	within "$mib" "$@" > "$tmp/out" 2> "$tmp/why"
	[ $? = 1 ] && grep -qE '^csflow: [0-9]+ KiB were wanted for (a table of the decoder|the recording|a program)' "$tmp/why"
	ok $? "$name: of $mib MiB it says what was wanted"
}

echo "TAP version 13"
record --header=1 -u ete=1.1,cid,ts=1000 --cpus=3 -- "$tmp/threads" 1
ok $? "a recording of three CPUs"
for words in report script "dump --stats" "profile --for=counts" doctor; do
	# shellcheck disable=SC2086 # words
	enough "csflow $words" 200 "$csflow" $words "$tmp/data"
done
enough "csflow report -j4" 400 "$csflow" report -j4 "$tmp/data"
short "csflow report" 19 "$csflow" report "$tmp/data"

enough "perf with csflow" 500 "$ours" script -i "$tmp/data" --itrace=b -F cpu,tid,ip,addr
printf "[csflow]\n\tthreads = 2\n" > "$tmp/two-threads"
enough "perf with csflow, its threads" 800 env PERF_CONFIG="$tmp/two-threads" "$ours" script -i "$tmp/data" --itrace=b -F cpu,tid,ip,addr

if command -v perf > /dev/null; then
	mkdir -p "$tmp/lib"
	ln -s "$(realpath "$O")/libopencsd_c_api.so.1" "$tmp/lib/"
	enough "libopencsd_c_api.so.1" 500 env LD_LIBRARY_PATH="$tmp/lib" perf script -i "$tmp/data" --itrace=Zb -F cpu,tid,ip,addr
else
	skip "libopencsd_c_api.so.1" "no perf"
fi
echo "1..$n"
