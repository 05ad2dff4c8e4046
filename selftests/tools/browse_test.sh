#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# csflow browse and csflow report in a terminal: each file of browse/ is a session.  Its first lines say what it shows, the
# command if it is not browse, the recording, the size of the screen and the keys; the rest is the screen after them.  After
# "has:" it is only some of its lines, for a program that the compiler of this machine makes.  KEEP=1 writes the screens
# anew; read them before you keep them.
#
# All sessions run at the same time, in one tmux.  A session has passed as soon as its screen is there.

cd "$(dirname "$0")/../.." || exit 1
: "${O:=build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
O=$(realpath "$O")
here=selftests/tools/browse
tmp=$(mktemp -d) || exit 1
tmux="tmux -L csflow-$$ -f /dev/null"
trap '$tmux kill-server 2> /dev/null; rm -rf "$tmp"' EXIT
. selftests/lib/tap.sh
# The longest time for all sessions, in tenths of a second: only a session that fails takes it.
patience=100

command -v tmux > /dev/null || {
	echo "1..0 # SKIP no tmux"
	exit 0
}
csflow=$(realpath "$CSFLOW")
# No settings of the user.
export HOME=$tmp LC_ALL=C.UTF-8
unset NO_COLOR TMUX

# ---------------------------------------------------------------- recordings

demo=$PWD/selftests/data/demo
mkperf=$O/selftests/make/mkperf
ln -s "$demo/perf.data" "$tmp/demo"
"$mkperf" "$demo/perf.data" "$tmp/noise" noise=2 && "$mkperf" "$demo/perf.data" "$tmp/full" flags=1 ||
	echo "# no mkperf"
# A call of a kernel, as a log has it
cat > "$tmp/levels" << 'END'
Tarmac Text Rev 3t
0 clk IT (0) 00400000 d503201f O EL0t_n : NOP
1 clk IT (1) 00400004 d503201f O EL0t_n : NOP
2 clk IT (2) 00400008 d4000001 O EL0t_n : SVC      #0
2 clk E 0040000c 00000008 CoreEvent_CURRENT_SPx_SYNC
3 clk IT (3) ffff800080010400 d503201f O EL1h_n : NOP
4 clk IT (4) ffff800080010404 d503201f O EL1h_n : NOP
5 clk IT (5) ffff800080010408 d69f03e0 O EL1h_n : ERET
6 clk IT (6) 0040000c d503201f O EL0t_n : NOP
7 clk IT (7) 00400010 14000001 O EL0t_n : B        {pc}+4
8 clk IT (8) 00400014 d503201f O EL0t_n : NOP
9 clk IT (9) 00400018 14000001 O EL0t_n : B        {pc}+4
END
programs=
if command -v aarch64-linux-gnu-gcc > /dev/null && command -v qemu-aarch64 > /dev/null; then
	programs=1
	mkdir "$tmp/src" && cp selftests/programs/culprit.c "$tmp/src/"
	fast=$(realpath "$CSFLOW_FAST")
	(cd "$tmp" && aarch64-linux-gnu-gcc -O1 -g -static -o culprit src/culprit.c &&
		"$fast" record -o culprit.data -- ./culprit) > "$tmp/why" 2>&1
	[ -s "$tmp/culprit.data" ] || why | sed 's/^/# /'
fi

# ---------------------------------------------------------------- sessions

# field NAME FILE
field()
{
	sed -n "/^----$/q; /^has:$/q; s/^$1: *//p" "$2"
}

# start FILE: begins the session, and types its keys
start()
{
	local name=${1##*/} size options command

	name=${name%.session}
	size=$(field size "$1")
	command=$(field command "$1")
	options=$(field recording "$1")
	[[ $options == *culprit* ]] || options="--symfs '$demo' $options"
	$tmux new-session -d -s "$name" -x "${size%x*}" -y "${size#*x}" \
		"cd '$tmp' && TERM=screen '$csflow' ${command:-browse} $options; echo \"status \$?\"; sleep 600" || return
}

# type_keys FILE: as soon as the screen is there, for what is typed earlier has other codes
type_keys()
{
	local name=${1##*/} key keys all=()

	name=${name%.session}
	for ((i = 0; i < patience; i++)); do
		$tmux capture-pane -t "=$name:" -p | grep -qE '^ |status' && break
		sleep 0.05
	done
	eval "keys=($(field keys "$1"))"
	for key in "${keys[@]}"; do
		case $key in
		text:*)	all+=(send-keys -t "=$name:" -l "${key#text:}" ';') ;;
		size:*)	key=${key#size:}
			all+=(resize-window -t "=$name:" -x "${key%x*}" -y "${key#*x}" ';') ;;
		signal:*)	# after the keys before it
			[ ${#all[@]} = 0 ] || $tmux "${all[@]}"
			all=()
			send_signal "$name" "${key#signal:}" ;;
		*)	all+=(send-keys -t "=$name:" "$key" ';') ;;
		esac
	done
	[ ${#all[@]} = 0 ] || $tmux "${all[@]}"
}

# send_signal SESSION SIGNAL: to csflow, a child of the session's shell
send_signal()
{
	local shell pid

	shell=$($tmux list-panes -t "=$1:" -F '#{pane_pid}')
	pid=$(ps -o pid= --ppid "$shell" | head -n 1)
	kill -s "$2" $pid
}

# screen SESSION: what it shows, without blanks at the ends of lines, and without empty lines at the end
screen()
{
	$tmux capture-pane -t "=$1:" -p 2> /dev/null | sed 's/ *$//' | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
}

# is_there FILE: is the screen that the file wants there?
is_there()
{
	local name=${1##*/} line

	name=${name%.session}
	screen "$name" > "$tmp/screen.$name"
	if grep -q '^has:$' "$1"; then
		grep -q . "$tmp/screen.$name" && sed '1,/^has:$/d' "$1" | while IFS= read -r line; do
			grep -qF -- "$line" "$tmp/screen.$name" || exit 1
		done
	else
		sed '1,/^----$/d' "$1" | cmp -s - "$tmp/screen.$name"
	fi
}

# keep FILE: writes the screen into it
keep()
{
	local name=${1##*/}

	grep -q '^has:$' "$1" && return
	{ sed '/^----$/q' "$1"; cat "$tmp/screen.${name%.session}"; } > "$tmp/new" && cp "$tmp/new" "$1"
}

sessions=() skipped=()
for file in "$here"/*.session; do
	case $(field recording "$file") in
	*culprit*)	[ -n "$programs" ] || { skipped+=("$file"); continue; } ;;
	esac
	[ -z "$ONLY" ] || [[ $file == *$ONLY* ]] || continue
	sessions+=("$file")
done
echo "TAP version 13"
for file in "${skipped[@]}"; do
	skip "$(field shows "$file")" "no qemu-aarch64 or no aarch64-linux-gnu-gcc"
done
for file in "${sessions[@]}"; do
	start "$file"
done
for file in "${sessions[@]}"; do
	type_keys "$file"
done
[ -z "$KEEP" ] || { sleep 3; patience=1; }
left=("${sessions[@]}")
for ((time = 0; time < patience && ${#left[@]}; time++)); do
	still=()
	for file in "${left[@]}"; do
		is_there "$file" || still+=("$file")
	done
	left=("${still[@]}")
	[ ${#left[@]} = 0 ] || sleep 0.1
done
for file in "${sessions[@]}"; do
	name=${file##*/}
	if [ -n "$KEEP" ]; then
		keep "$file"
	fi
	if [[ " ${left[*]} " == *" $file "* ]]; then
		diff <(sed '1,/^\(----\|has:\)$/d' "$file") "$tmp/screen.${name%.session}" > "$tmp/why"
		ok 1 "$(field shows "$file")"
	else
		ok 0 "$(field shows "$file")"
	fi
done

# ---------------------------------------------------------------- without a screen

"$csflow" browse selftests/data/demo/perf.data --symfs "$demo" < /dev/null > "$tmp/out" 2> "$tmp/why"
status=$?
grep -q 'standard input and output must be a terminal' "$tmp/why" && [ $status = 1 ]
ok $? "without a terminal it says so"
"$csflow" browse selftests/data/demo/perf.data < /dev/null > "$tmp/out" 2> "$tmp/why"
status=$?
grep -q 'no instruction can be decoded: csflow doctor says why' "$tmp/why" && [ $status = 1 ]
ok $? "a recording without its program is reported"
echo "1..$n"
