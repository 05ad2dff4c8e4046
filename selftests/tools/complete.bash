# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# complete.bash SCRIPT: completes each line of its input as bash does, and prints it after "line ",
# then what completes it.  Standard error has the time of each.

. "$1"

# Words as bash has them: "=" and blanks separate, and "=" is a word.
split()
{
	local text=${1//=/ = }

	# shellcheck disable=SC2206 # words
	COMP_WORDS=($text)
	[[ $1 == *' ' ]] && COMP_WORDS+=('')
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
}

while IFS= read -r line; do
	split "$line"
	begin=${EPOCHREALTIME/./}
	_csflow
	echo "took $(((${EPOCHREALTIME/./} - begin) / 1000))" >&2
	echo "line $line"
	for word in "${COMPREPLY[@]}"; do
		word=${word%=}
		echo "${word##*,}"
	done
done
