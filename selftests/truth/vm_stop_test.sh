#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow vm, and csflow record --kernel, that a signal or a full disk stops: what was recorded until then comes back and is
# decoded, files are old or new, and neither processes nor temporary files are left.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0
[ -n "$CSFLOW_LONG" ] || { echo "1..0 # SKIP it takes minutes: CSFLOW_LONG=1"; exit 0; }

: "${O:=../build}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
for tool in qemu-system-aarch64 aarch64-linux-gnu-gcc cpio; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'umount "$tmp/disk" 2> /dev/null; rm -rf "$tmp"' EXIT
mkdir -p "$O/vm-cache" "$tmp/cache/csflow" "$tmp/here" || exit 1
# csflow record --kernel has no option for the cache.
export PERF_BUILDID_DIR=$tmp/ids XDG_CACHE_HOME=$tmp/cache TMPDIR=$tmp/temporary
mkdir "$TMPDIR"
ln -s "$(realpath "$O/vm-cache")" "$XDG_CACHE_HOME/csflow/vm"
. lib/tap.sh

cat > "$tmp/ever.c" << 'END'
#include <stdio.h>

int main(void)
{
	volatile unsigned int x = 0;

	for (unsigned int i = 0;; i++) {
		x += x & i;
		if (i == 20000000)
			fprintf(stderr, "go\n");
	}
}
END
aarch64-linux-gnu-gcc -O1 -static -o "$tmp/ever" "$tmp/ever.c" || exit 1
cd "$tmp/here" || exit 1

# start COMMAND...: until it prints go; $pid, and its group
start()
{
	local i

	rm -f "$tmp/out" "$tmp/why"
	env --default-signal setsid "$csflow" "$@" > "$tmp/out" 2> "$tmp/why" < /dev/null &
	pid=$!
	for ((i = 0; i < 1200; i++)); do
		grep -qs '^go' "$tmp/out" "$tmp/why" && return
		sleep 0.1
	done
	echo "it did not begin" >> "$tmp/why"
	return 1
}

# ended STATUS: with that status, and nothing is left
ended()
{
	local status i

	wait $pid
	status=$?
	for ((i = 0; i < 50; i++)); do
		[ -n "$(pgrep -s $pid)$(ls "$TMPDIR")" ] || break
		sleep 0.1
	done
	echo "status $status" >> "$tmp/why"
	[ $status = "$1" ] && [ -z "$(pgrep -s $pid)$(ls "$TMPDIR")" ] && ! ls -d .csflow-* > /dev/null 2>&1 && return
	pgrep -as $pid >> "$tmp/why"
	ls -A "$TMPDIR" . >> "$tmp/why"
	return 1
}

# is_whole FILE
is_whole()
{
	"$csflow" doctor "$1" > "$tmp/doctor" 2>> "$tmp/why"
	grep '^verdict' "$tmp/doctor" >> "$tmp/why"
	grep -q '^verdict  *[0-9]\{6,\} instructions .* decoded' "$tmp/doctor"
}

# ---------------------------------------------------------------- signals

for stop in "INT one" "INT group" "TERM one" "HUP group" "QUIT one"; do
	signal=${stop% *}
	rm -rf perf.data
	start vm -- perf record -q -m,256K -e cs_etm//u "$tmp/ever"
	if [ "${stop#* }" = group ]; then kill -$signal -- -$pid; else kill -$signal $pid; fi
	ended $((128 + $(kill -l $signal))) && is_whole perf.data &&
		grep -q "^csflow vm: stopped by SIG$signal: what was made until then is here: perf.data" "$tmp/why"
	ok $? "csflow vm, SIG$signal to ${stop#* }: $(tail -n 1 "$tmp/why")"
done

rm -rf kernel.data*
start record --kernel -o kernel.data -- "$tmp/ever"
kill -INT $pid
ended 130 && is_whole kernel.data && grep -q 'stopped by SIGINT: .* kernel.data' "$tmp/why"
ok $? "csflow record --kernel: $(tail -n 1 "$tmp/why")"

start vm -q -- sh -c 'trap "" INT TERM; echo made > made; echo go; while :; do sleep 1; done'
kill -INT $pid
ended 130 && [ "$(cat made)" = made ]
ok $? "a command that does not heed it is killed, and its files come back"

start vm -q -- sh -c 'trap "" INT TERM; echo made > second; echo go; while :; do sleep 1; done'
kill -INT $pid
sleep 1
kill -INT $pid
ended 130 && [ ! -e second ]
ok $? "another signal ends it at once"

# ---------------------------------------------------------------- a disk that is full

mkdir "$tmp/disk"
if mount -t tmpfs -o size=1m none "$tmp/disk" 2> /dev/null; then
	cd "$tmp/disk" || exit 1
	echo "what was there" > large
	"$csflow" vm -q -- sh -c 'head -c 3000000 /dev/zero > large' > "$tmp/out" 2> "$tmp/why"
	[ $? = 1 ] && grep -q 'cannot write to' "$tmp/why" && [ "$(cat large)" = "what was there" ] && [ "$(ls -A)" = large ]
	ok $? "no room for a file: the old one stays"
	cd "$tmp/here" || exit 1
else
	skip "no room for a file" "no tmpfs can be mounted"
fi

echo "1..$n"
