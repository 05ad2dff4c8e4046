#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# csflow browse on a recording of $MIB MiB (1500): the first screen, the end, and one call back take less than a second of the
# processor, and less than 100 MiB of memory; so do jumps to the middle.  A search for what ran only once, at the other end, is
# reported, in MB of trace a second; Ctrl-C stops one.  In make check-long: 64 MiB otherwise.
cd "$(dirname "$0")/.." || exit 1
: "${O:=../build}"
O=$(realpath "$O")
tools=$O/selftests
tmp=$(mktemp -d) || exit 1
tmux="tmux -L csflow-size-$$ -f /dev/null"
trap '$tmux kill-server 2> /dev/null; rm -rf "$tmp"' EXIT
. lib/tap.sh
. lib/perf.sh
command -v tmux > /dev/null || give_up "no tmux"
[ -n "$CSFLOW_LONG" ] || : "${MIB:=64}"
: "${MIB:=1500}"
export LC_ALL=C.UTF-8
# A server without a session ends.
$tmux new-session -d -s base -x 80 -y 24 "sleep 10000"
build_programs plain
echo "TAP version 13"
record -u etm4=4.2,cid -- "$tmp/plain" 30 && "$tools/make/mkperf" "$tmp/data" "$tmp/piped" pipe 2> "$tmp/why" &&
	"$tools/make/mkstream" "$tmp/piped" "$MIB" > "$tmp/big" 2> "$tmp/why"
ok $? "a recording of $MIB MiB"

# walk KEYS...: sets ms and kib, what it took of the processor and of memory
walk()
{
	rm -f "$tmp/use"
	$tmux new-session -d -s "walk" -x 80 -y 24 \
		"TERM=screen '$tools/bench/bench_rusage' '$tmp/use' '$csflow' browse '$tmp/big'; sleep 100"
	for _ in $(seq 600); do
		$tmux capture-pane -t walk: -p 2> /dev/null | grep -q '_start+0x0' && break
		sleep 0.1
	done
	for key in "$@"; do
		case $key in
		wait)	sleep 0.5 ;;
		text:*)	$tmux send-keys -t walk: -l "${key#text:}" ;;
		*)	$tmux send-keys -t walk: "$key" ;;
		esac
	done
	for _ in $(seq $((MIB < 1000 ? 100 : 1000))); do
		$tmux capture-pane -t walk: -p > "$tmp/screen" 2> /dev/null
		grep -q "$wanted" "$tmp/screen" && break
		sleep 0.1
	done
	$tmux send-keys -t walk: q
	for _ in $(seq 100); do
		[ -s "$tmp/use" ] && break
		sleep 0.1
	done
	$tmux kill-session -t walk 2> /dev/null
	read -r ms kib < "$tmp/use" || ms=999999 kib=999999
	sed 's/^/# /' "$tmp/screen" > "$tmp/why"
	echo "# $ms ms, $kib KiB: $*"
}

# It begins at _start, and ends in exit_group, which _exit called.
wanted='#0  __run_exit_handlers+'
walk G F
grep -q "$wanted" "$tmp/screen" && [ "$ms" -lt 1000 ]
ok $? "the first screen, the end, and one call back: less than a second"
[ "$kib" -lt $((100 << 10)) ]
ok $? "with less than 100 MiB"

wanted=' 7[45]\.[0-9]% *$'
walk : text:75% Enter : text:25% Enter : text:75% Enter
grep -q "$wanted" "$tmp/screen" && [ "$ms" -lt 1500 ] && [ "$kib" -lt $((100 << 10)) ]
ok $? "three jumps: less than a second and a half, with less than 100 MiB"

wanted='It does not run after this'
walk / text:nothing_of_this_name Enter
grep -q "$wanted" "$tmp/screen" && [ "$kib" -lt $((100 << 10)) ]
ok $? "a search in all of it, with less than 100 MiB: $((MIB * 1000 / (ms + 1))) MiB of trace a second of the processor"

# Alone in its terminal: Ctrl-C would end what runs it.
# screen_has TEXT: waits for it
screen_has()
{
	for _ in $(seq 100); do
		$tmux capture-pane -t stop: -p > "$tmp/screen" 2> /dev/null
		grep -q "$1" "$tmp/screen" && return
		sleep 0.1
	done
	return 1
}

if [ "$MIB" -ge 1000 ]; then
	$tmux new-session -d -s stop -x 80 -y 24 "TERM=screen exec '$csflow' browse '$tmp/big'"
	screen_has _start+0x0 && $tmux send-keys -t stop: -l /nothing_of_this_name && $tmux send-keys -t stop: Enter &&
		screen_has 'searching: ' && $tmux send-keys -t stop: C-c && screen_has 'Stopped before it was found'
	ok $? "Ctrl-C stops a search"
fi
echo "1..$n"
