#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# screen.sh WORDS COMMAND KEY...: runs COMMAND in a terminal of 80 columns and 24 lines, types the keys, and prints the
# screen once it has WORDS in it.  A KEY is tmux's name of it; text:ABC is typed as it is.
words=$1 command=$2
shift 2
export LC_ALL=C.UTF-8
unset TMUX
tmux=(tmux -L "csflow-screen-$$" -f /dev/null)
trap '"${tmux[@]}" kill-server 2> /dev/null' EXIT

"${tmux[@]}" new-session -d -s it -x 80 -y 24 "TERM=screen-256color $command; sleep 100" || exit 1
for key; do
	case $key in
	text:*)	"${tmux[@]}" send-keys -t =it: -l "${key#text:}" ;;
	*)	"${tmux[@]}" send-keys -t =it: "$key" ;;
	esac
done
for _ in $(seq 600); do
	screen=$("${tmux[@]}" capture-pane -p -t =it:)
	if [[ $screen == *"$words"* ]]; then
		echo "$screen"
		exit
	fi
	sleep 0.1
done
echo "$screen"
echo "after a minute there is no '$words' on the screen" >&2
exit 1
