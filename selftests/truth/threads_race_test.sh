#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# threads_test with the sanitizer for threads: no memory is read while another thread writes it.
# And the command, over a recording of two CPUs.  With CSFLOW_LONG only.

cd "$(dirname "$0")/../.." || exit 1
O=${O:-build}
test=$O/tsan/selftests/truth/threads_test

[ -n "$CSFLOW_LONG" ] || { echo "1..0 # SKIP it takes a minute: CSFLOW_LONG=1"; exit 0; }
echo "TAP version 13"
if ! echo 'int main(void) { return 0; }' |
	${CC:-gcc} -fsanitize=thread -x c -o /dev/null - 2> /dev/null; then
	echo "1..0 # SKIP no sanitizer for threads"
	exit 0
fi
echo "1..5"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
csflow=$O/tsan/csflow

if ${MAKE:-make} --no-print-directory O="$O" VARIANT=tsan "$test" "$csflow" > "$log" 2>&1; then
	echo "ok 1 built"
else
	sed 's/^/# /' "$log"
	echo "not ok 1 built"
fi

# no_race NUMBER NAME COMMAND...
no_race()
{
	local number=$1 name=$2 status

	shift 2
	TSAN_OPTIONS=halt_on_error=1 "$@" > "$log" 2>&1
	status=$?
	if [ $status = 0 ] && ! grep -q 'WARNING: ThreadSanitizer' "$log"; then
		echo "ok $number $name"
		return
	fi
	grep -A 30 'WARNING: ThreadSanitizer' "$log" | head -n 60 | sed 's/^/# /'
	tail -n 20 "$log" | sed 's/^/# /'
	echo "not ok $number $name"
}

# Each race is reported at once; there is time for a twelfth of the whole test.
CSFLOW_BLOCKS=1000 no_race 2 "no race" "$test"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$log" "$tmp"' EXIT
# Enough pieces for all threads, and two CPUs that share their knowledge of addresses.
aarch64-linux-gnu-gcc -O2 -static -pthread -Wno-unused-result -o "$tmp/threads" selftests/programs/threads.c &&
	"${CSFLOW_FAST:-$O/csflow}" record -q -o "$tmp/data" -m $((64 << 20)) --cpus=2 --migrate=3 \
		-u ete=1.1,cid,ts=500 -- "$tmp/threads" 20 > "$log" 2>&1 ||
	{ sed 's/^/# /' "$log"; echo "Bail out! no recording"; exit 1; }
no_race 3 "no race in the command" "$csflow" script -j4 -F +srcline -i "$tmp/data"
no_race 4 "nor where counting is done by threads" \
	"$csflow" profile -j4 -q --for=counts -o /dev/null "$tmp/data"
no_race 5 "and by the caller, too" "$csflow" report -j4 "$tmp/data"
