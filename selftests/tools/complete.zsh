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

# wait_for PATTERN: until FILE has such a line.  What the shell prints is read, or its terminal fills,
# and the shell waits for ever.
wait_for()
{
	local i shown

	for (( i = 0; i < 1000; i++ )); do
		while zpty -rt z shown; do :; done
		grep -q "$1" $out && return
		sleep 0.01
	done
	return 1
}

print -r -- $inner > $out.rc
: > $out
zpty -b z zsh -f -i
zpty -w z ". $out.rc"
wait_for '^ready' || exit 1
while IFS= read -r line; do
	: > $out
	# ^U: what the line before has left
	zpty -w -n z $'\C-u'"$line"$'\t'
	wait_for '^took' || { print -u2 "no answer to: $line"; exit 1 }
	grep '^took' $out >&2
	print -r -- "line $line"
	sed -n '/^took/q; s/[=/]$//; p' $out
done
zpty -d z
