# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Completion of csflow in bash: csflow itself lists its commands and its options.

# Sets $arg, $kind and $words to those of option $1.
_csflow_row()
{
	local name short

	while IFS=$'\t' read -r name short arg kind words _; do
		[ "$1" != - ] && [[ $1 == "$name" || $1 == "$short" ]] && return
	done <<< "$rows"
	return 1
}

_csflow_values()
{
	[ "$kind" = maybe ] && [ "$words" != - ] && kind=word
	case $kind in
	word | verb)
		mapfile -t COMPREPLY < <(compgen -W "${words//,/ }" -P "$before" -- "$cur") ;;
	words)
		[[ $cur == *,* ]] && before+=${cur%,*},
		mapfile -t COMPREPLY < <(compgen -W "${words//,/ }" -P "$before" -- "${cur##*,}")
		compopt -o nospace 2> /dev/null ;;
	dir)
		compopt -o filenames 2> /dev/null
		mapfile -t COMPREPLY < <(compgen -d -P "$before" -- "$cur") ;;
	file | maybe)
		compopt -o filenames 2> /dev/null
		mapfile -t COMPREPLY < <(compgen -f -P "$before" -- "$cur") ;;
	esac
}

_csflow_names()
{
	local name

	while IFS=$'\t' read -r name _ _ kind _; do
		case $kind in
		verb)		continue ;;
		none | maybe)	;;
		*)		name+== ;;
		esac
		[[ $name == "$cur"* ]] && COMPREPLY+=("$name")
	done <<< "$rows"
	[[ ${#COMPREPLY[@]} == 1 && $COMPREPLY == *= ]] && compopt -o nospace 2> /dev/null
}

# Offers the verbs, if the command has any and none is typed.
_csflow_verb()
{
	local word

	IFS=$'\t' read -r _ _ _ kind words _ <<< "$rows"
	[ "$kind" = verb ] || return
	for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
		[[ ,$words, == *,$word,* ]] && return 1
	done
	_csflow_values
}

_csflow()
{
	local csflow=${COMP_WORDS[0]/#\~/$HOME} cur=${COMP_WORDS[COMP_CWORD]} before='' option i
	local arg kind words rows

	COMPREPLY=()
	if [[ $COMP_CWORD == 1 || ($COMP_CWORD == 2 && ${COMP_WORDS[1]} == help) ]]; then
		words=$("$csflow" --list-cmds 2> /dev/null | cut -f1)
		[ "$COMP_CWORD" = 2 ] || words+=" --help --version $("$csflow" --list-opts 2> /dev/null | cut -f1)"
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
		return
	fi
	rows=$("$csflow" "${COMP_WORDS[1]}" --list-opts 2> /dev/null && "$csflow" --list-opts)
	# "=" is a word of its own, unless the user has told bash otherwise
	option=${COMP_WORDS[COMP_CWORD - 1]}
	if [[ $cur == = ]]; then
		cur=
	elif [[ $option == = ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	elif [[ $cur == --*=* ]]; then
		option=${cur%%=*}
		before=$option=
		cur=${cur#*=}
	else
		i=next
	fi
	# after -- there are operands only, and a value that may be missing comes after "="
	if [[ " ${COMP_WORDS[*]:2:COMP_CWORD-2} " == *' -- '* ]]; then
		kind=file
		_csflow_values
	elif _csflow_row "$option" && [[ $kind != none && $kind$i != maybenext ]]; then
		_csflow_values
	elif [[ $cur == -* ]]; then
		_csflow_names
	elif ! _csflow_verb; then
		kind=file
		_csflow_values
	fi
}

complete -F _csflow csflow
