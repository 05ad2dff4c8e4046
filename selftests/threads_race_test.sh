#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# threads_test with the sanitizer for threads: nothing is read while another thread writes it.

cd "$(dirname "$0")/.." || exit 1
O=${O:-build}
test=$O/tsan/selftests/threads_test

echo "TAP version 13"
if ! echo 'int main(void) { return 0; }' |
	${CC:-gcc} -fsanitize=thread -x c -o /dev/null - 2> /dev/null; then
	echo "1..0 # SKIP no sanitizer for threads"
	exit 0
fi
echo "1..2"
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT

if ${MAKE:-make} --no-print-directory O="$O" VARIANT=tsan "$test" > "$log" 2>&1; then
	echo "ok 1 built"
else
	sed 's/^/# /' "$log"
	echo "not ok 1 built"
fi

# Each race is told at once; here is time for a twelfth of what the test does by itself.
CSFLOW_BLOCKS=1000 TSAN_OPTIONS=halt_on_error=1 "$test" > "$log" 2>&1
status=$?
if [ $status = 0 ] && ! grep -q 'WARNING: ThreadSanitizer' "$log"; then
	echo "ok 2 no race"
else
	grep -A 30 'WARNING: ThreadSanitizer' "$log" | head -n 60 | sed 's/^/# /'
	tail -n 20 "$log" | sed 's/^/# /'
	echo "not ok 2 no race"
fi
