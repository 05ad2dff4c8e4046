#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The progress of commands: on a terminal, or with --progress; never with --no-progress; and never in the output.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
CSFLOW=$(realpath "$CSFLOW_FAST")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh
# LLVM is not ours to mend.
export LSAN_OPTIONS=suppressions=$tmp/leaks
echo leak:libLLVM > "$tmp/leaks"

demo=$tmp/demo
cp -r data/demo "$tmp"
cd "$tmp" || exit 1
of="--symfs=$demo demo/perf.data"
"$CSFLOW_FAST" profile -q --for=counts -o counts $of 2> why &&
	"$CSFLOW_FAST" encode --format=snapshot --formatted -o snap <("$CSFLOW_FAST" tarmac $of 2> /dev/null) 2> why ||
	ok 1 "what is read"

"$CSFLOW" tarmac -o log $of 2> why
line='^[^:]*: [0-9.]* MB, [0-9.]* MB/s, [0-9]* %, [0-9]*:[0-9][0-9] left$'

# shows COMMAND WORDS...: with --progress as lines, otherwise nothing; standard output is the same
shows()
{
	"$CSFLOW" "$@" > out 2> why < /dev/null
	grep -q 'MB/s' why && ok 1 "$1: nothing without a terminal" && return
	"$CSFLOW" "$1" --progress "${@:2}" > again 2> why < /dev/null
	grep -q "$line" why && cmp out again 2>> why
	ok $? "$1: --progress"
	"$CSFLOW" "$1" --progress --no-progress "${@:2}" > again 2> why < /dev/null
	! grep -q 'MB/s' why && cmp out again 2>> why
	ok $? "$1: --no-progress"
}

# shellcheck disable=SC2086 # words
{
	shows annotate --symfs=$demo print demo/perf.data
	shows coverage $of
	shows diff --counts $of demo/perf.data
	shows diff $of demo/perf.data
	shows doctor $of
	shows dump $of
	shows dump --stats snap
	shows encode -o encoded $of
	shows index -o made.tix demo/perf.data
	shows index -o made.tix snap
	shows match $of demo/perf.data
	shows merge -o merged counts counts
	shows profile -q -o profile $of
	shows quick -o quick $of
	shows report $of
	shows script $of
	shows snapshot -o snapshot $of
	shows tarmac $of
	shows tarmac log
	shows timeline -o timeline $of
}

# A command without the option has a reason.
for command in $("$CSFLOW" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
	"$CSFLOW" "$command" --list-opts 2> /dev/null | grep -q 'progress' && continue
	case $command in
	agent)		;;	# it runs until a signal ends it
	asm)		;;	# its input is what a person writes, or a listing
	browse)		;;	# it shows its own
	record)		;;	# it runs as long as the program does, which has the terminal
	vm)		;;	# it names each step
	*)	echo "$command" ;;
	esac
done > why
[ ! -s why ]
ok $? "each command has it, or a reason"

# On a terminal the line is written over, and removed; a job of less than a second has none.
cat > terminal.py << 'END'
# terminal.py PIECES COMMAND...: standard error is a terminal, standard input brings zeros, a piece each 0.3 s
import os, pty, subprocess, sys, threading, time

ours, its = pty.openpty()
child = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=its)
os.close(its)


def feed():
    for i in range(int(sys.argv[1])):
        child.stdin.write(bytes(100000))
        child.stdin.flush()
        time.sleep(0.3)
    child.stdin.close()


threading.Thread(target=feed).start()
said = b''
try:
    while part := os.read(ours, 4096):
        said += part
except OSError:
    pass
child.wait()
print(repr(said))
END
if command -v python3 > /dev/null; then
	# shellcheck disable=SC2086 # words
	timeout 60 python3 terminal.py 0 "$(realpath "$CSFLOW_FAST")" report $of > why 2>&1
	[ $? = 0 ] && ! grep -q 'MB' why
	ok $? "a short job on a terminal shows nothing"
	timeout 60 python3 terminal.py 5 "$(realpath "$CSFLOW_FAST")" index -o made.tix --protocol=ete --trcidr2=0x1088 - > why 2>&1
	[ $? = 0 ] && grep -q '^b.\(\\r-: [0-9.]* MB, [0-9.]* MB/s\\x1b\[K\)\+\\r\\x1b\[K' why
	ok $? "a longer one shows a line, and removes it"
else
	skip "a job on a terminal" "no python3"
fi

echo "1..$n"
