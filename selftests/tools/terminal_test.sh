#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A terminal as standard output: the pager, colours, and no binary data.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C TERM=xterm
: "${CSFLOW:=../build/check/csflow}"
csflow=$(realpath "$CSFLOW")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset PAGER CSFLOW_PAGER NO_COLOR LESS
. lib/tap.sh
cp data/demo/perf.data data/demo/demo-sort "$tmp"
cd "$tmp" || exit 1
cat > on_terminal.py << 'END'
# Runs a command on a terminal, prints what comes, and then its status.
import os, pty, signal, sys
shown = b''
pid, fd = pty.fork()
if not pid:
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    os.execvp(sys.argv[1], sys.argv[1:])
while True:
    try:
        got = os.read(fd, 65536)
    except OSError:
        break
    if not got:
        break
    shown += got
status = os.waitpid(pid, 0)[1]
sys.stdout.write(shown.decode(errors='replace').replace('\r\n', '\n'))
print('status', os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
END

# shows NAME COMMAND: on a terminal it shows what is in "want"
shows()
{
	timeout 60 python3 on_terminal.py bash -c "$2; exit" > got 2>&1
	same want got "$1"
}

command="\"$csflow\" report --stdio --symfs . perf.data"
"$csflow" report --symfs . perf.data > plain

# ---------------------------------------------------------------- the pager

{ sed 's/^/> /' plain; echo 'status 0'; } > want
shows "CSFLOW_PAGER gets the text" "CSFLOW_PAGER=\"sed 's/^/> /'\" $command --color=never"
shows "so does PAGER" "PAGER=\"sed 's/^/> /'\" NO_COLOR=1 $command"
shows "CSFLOW_PAGER comes first" "PAGER=false CSFLOW_PAGER=\"sed 's/^/> /'\" $command --no-color"
{ cat plain; echo 'status 0'; } > want
shows "--no-pager, after the command" "CSFLOW_PAGER=false $command --no-pager --color=never"
shows "and before it" "CSFLOW_PAGER=false \"$csflow\" --no-pager --color=never report --stdio --symfs . perf.data"
shows "an empty one, and cat, are none" "CSFLOW_PAGER= PAGER=cat $command --color=never"
printf '%s\n' "FRX" "status 0" > want
shows "less gets FRX" "CSFLOW_PAGER='echo \$LESS; cat > /dev/null' $command"
printf '%s\n' "S" "status 0" > want
shows "unless the user has chosen" "LESS=S CSFLOW_PAGER='echo \$LESS; cat > /dev/null' $command"
{ echo "csflow: CSFLOW_PAGER: there is no program 'nonsense': no pager"; cat plain; echo 'status 0'; } > want
shows "one that is not there" "CSFLOW_PAGER=nonsense $command --color=never"
{ echo 'csflow: nothing: No such file or directory'; echo 'status 1'; } > want
shows "errors go to it, and the status is the command's" "CSFLOW_PAGER=cat\ - \"$csflow\" report --stdio nothing"
echo 'status 141' > want
shows "a pager that ends first: SIGPIPE, as in a pipe" \
	"CSFLOW_PAGER=true \"$csflow\" script --itrace=i1i --symfs . perf.data"
if command -v less > /dev/null; then
	{ "$csflow" report --help; echo 'status 0'; } > want
	timeout 60 python3 on_terminal.py bash -c "stty rows 200; \"$csflow\" report --help" > got
	sed -i 's/\x1b\[[0-9;?]*[a-zA-Z]//g; s/\x1b[=>]//g; s/\r//g' got
	same want got "less ends if it is one screen"
else
	skip "less ends if it is one screen" "no less"
fi
CSFLOW_PAGER="sed 's/^/> /'" "$csflow" report --symfs . perf.data > got
same plain got "no pager for a file"
CSFLOW_PAGER="sed 's/^/> /'" "$csflow" report --symfs . perf.data | cat > got
same plain got "nor for a pipe"

# ---------------------------------------------------------------- colours

red=$'\e[31m' green=$'\e[32m' off=$'\e[0m'
sed -E "s/^( *)(([5-9]|[1-9][0-9]+)\.[0-9]+%)/\1$red\2$off/; s/^( *)((0\.[5-9][0-9]|[1-4]\.[0-9]+)%)/\1$green\2$off/" plain > want
"$csflow" report --color --symfs . perf.data > got
same want got "--color: shares of 5 % are red, of 0.5 % green"
grep -qF "$red" got && grep -qF "$green" got
ok $? "there are both"
cat got > coloured
{ cat coloured; echo 'status 0'; } > want
shows "auto: on a terminal" "$command --no-pager"
{ cat plain; echo 'status 0'; } > want
shows "not with NO_COLOR" "NO_COLOR=1 $command --no-pager"
shows "nor if TERM is dumb" "TERM=dumb $command --no-pager"
shows "nor with --color=never" "$command --no-pager --color=never"
"$csflow" report --symfs . perf.data > got
same plain got "auto: not in a file"
NO_COLOR=1 "$csflow" report --color=always --symfs . perf.data > got
same coloured got "always: even with NO_COLOR"
"$csflow" script --call-ret-trace --symfs . perf.data > plain 2> why
"$csflow" script --color=always --call-ret-trace --symfs . perf.data > got 2> why
# a colour for each depth
[ "$(grep -o $'\e\[3[0-9]m' got | sort -u | wc -l)" -ge 4 ]
ok $? "script: calls have the colour of their depth"
sed -i 's/\x1b\[[0-9]*m//g' got
same plain got "and the text is the same"
"$csflow" annotate --no-source --color=always --symfs . sort perf.data 2> why | grep -qF "$red"
ok $? "annotate: hot instructions"
"$csflow" report --color=blue > got 2> why
[ $? = 2 ] && grep -qx 'csflow report: --color=blue: not auto, always or never' why
ok $? "a wrong word"
"$csflow" --colour report > got 2> why
[ $? = 2 ] && grep -qx "csflow: there is no option --colour; did you mean '--color'?" why
ok $? "a near word"

# ---------------------------------------------------------------- binary data

printf '%s\n' 'csflow: refusing to write to a terminal: use --output' 'status 2' > want
"$csflow" profile -q --symfs . --for=counts -o counts perf.data
for words in "profile -q --symfs . --for=counts perf.data" "timeline --symfs . perf.data" "merge counts" \
	"quick -o - perf.data" "profile -q --symfs . --for=branch-list perf.data"; do
	timeout 60 python3 on_terminal.py bash -c "CSFLOW_PAGER= \"$csflow\" $words" > got 2>&1
	same want got "csflow $words"
done
"$csflow" profile -q --symfs . --for=counts perf.data > got
same counts got "not to a file"

echo "1..$n"
