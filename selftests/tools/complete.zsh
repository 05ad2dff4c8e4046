# SPDX-License-Identifier: GPL-2.0-only
# complete.zsh FOLDER FILE: as complete.bash, with the scripts in FOLDER; FILE is for its own use.
# zsh completes only what is typed at a terminal, so there is one, with a shell that writes to FILE
# what it would add.

zmodload zsh/zpty || exit 1
zmodload zsh/datetime
out=$2

inner="
zmodload zsh/datetime
fpath=($1 \$fpath)
autoload -Uz compinit
compinit -u -D
unsetopt auto_list list_beep
zstyle ':completion:*' completer _complete
PS1=
compadd()
{
	local -a got
	if [[ ! \"\$*\" == *' -'[OAD]* && \$1 != -[OAD]* ]]; then
		builtin compadd -O got \"\$@\"
		print -rl -- \$got >> $out
	fi
	builtin compadd \"\$@\"
}
record()
{
	local begin=\$EPOCHREALTIME
	_main_complete
	print \"took \$(( int((EPOCHREALTIME - begin) * 1000) ))\" >> $out
	compstate[insert]=
	compstate[list]=
}
zmodload zsh/mathfunc
zle -C record complete-word record
bindkey '^I' record
print ready >> $out
"

# ask LINE: types it until there is an answer, as a shell that is not ready yet loses what is typed
ask()
{
	local try

	for (( try = 0; try < 8; try++ )); do
		: > $out
		# ^U: what the line before has left
		zpty -w -n z $'\C-u'"$1"$'\t'
		wait_for '^took' && return
	done
	return 1
}

# wait_for PATTERN: until FILE has such a line
wait_for()
{
	local i

	for (( i = 0; i < 500; i++ )); do
		grep -q "$1" $out && return
		sleep 0.01
	done
	return 1
}

print -r -- $inner > $out.rc
: > $out
zpty z zsh -f -i
zpty -w z ". $out.rc"
wait_for '^ready' || exit 1
while IFS= read -r line; do
	ask "$line" || { print -u2 "no answer to: $line"; exit 1 }
	grep '^took' $out >&2
	print -r -- "line $line"
	sed -n '/^took/q; s/[=/]$//; p' $out
done
zpty -d z
