# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # variables of vm.sh
#
# Messages.  To be sourced by vm.sh.

shown=''

# Removes the line of step().
clear_line()
{
	[ -z "$shown" ] || printf '\r\033[K' >&2
	shown=''
}

die()
{
	clear_line
	echo "csflow vm: $*" >&2
	exit 1
}

warn()
{
	clear_line
	echo "csflow vm: $*" >&2
}

say()
{
	[ -n "$quiet" ] || warn "$@"
}

# step WORDS: what goes on now.  On a terminal it is one line, which the next message replaces.
step()
{
	local line="csflow vm: $*" size

	[ -z "$quiet" ] || return 0
	if [ ! -t 2 ]; then
		echo "$line" >&2
		return
	fi
	size=$(stty size <&2 2> /dev/null)
	size=${size#* }
	[ "${size:-0}" -gt 1 ] || size=80
	clear_line
	printf '%s' "${line:0:size-1}" >&2
	shown=1
}

# last_words FILE: why a program failed
last_words()
{
	clear_line
	tail -n "${2:-3}" "$1" >&2
}

# room MEGABYTES DIR OPTION: before it is needed, because apt-get may wait for ever on a full disk
room()
{
	local have

	have=$(df --output=avail -m "$2" | tail -n 1)
	[ "$have" -ge "$1" ] || die "$2 has room for $((have)) MB, and $1 MB are wanted: see $3"
}
