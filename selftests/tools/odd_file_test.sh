#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Operands that are no regular files: for a device, a directory, a socket, a pipe, a missing file
# and an unreadable one each command says in words which file it is, and what is wrong with it.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}"
CSFLOW=$(realpath "$CSFLOW")
demo=$PWD/data/demo
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh
cd "$tmp" || exit 1
# Leaks of LLVM are not ours.
export LSAN_OPTIONS=suppressions=$tmp/leaks
echo leak:libLLVM > leaks

echo "TAP version 13"

commands=(annotate asm coverage diff doctor dump encode index match merge messages pgo profile quick
	record report script snapshot tarmac timeline)

# words_of COMMAND FILE: its arguments, in $words
words_of()
{
	case $1 in
	annotate)	words=(annotate main "$2") ;;
	diff | match)	words=("$1" "$2" "$2") ;;
	encode)		words=(encode -o made "$2") ;;
	pgo)		words=(pgo -- "$2") ;;
	snapshot)	words=(snapshot -o made "$2") ;;
	record)		words=(record -o made -- "$2") ;;
	*)		words=("$1" "$2") ;;
	esac
}

# told NAME STATUS WORDS COMMAND...: it ends with that status, one line has exactly these words, no
# line has only an errno, and there is no usage
told()
{
	local name=$1 status=$2 text=$3 got

	shift 3
	timeout 60 "${user[@]}" "$CSFLOW" "$@" > out 2> why < /dev/null
	got=$?
	[ $got = "$status" ] && grep -qxE -- "$text" why &&
		! grep -qE "Invalid argument|No such device|usage:" why
	ok $? "$name"
	[ $got = "$status" ] || echo "# status $got"
}

# all FILE WORDS [COMMAND...]: each command except these
all()
{
	local file=$1 text=$2 command status

	shift 2
	for command in "${commands[@]}"; do
		[[ " $* " = *" $command "* ]] && continue
		words_of "$command" "$file"
		[[ $command = diff || $command = match ]] && status=2 || status=1
		told "$command: $file" $status "csflow( $command)?: $file(/snapshot\.ini)?: ($text)" "${words[@]}"
	done
}

user=()
mkdir folder
mkfifo pipe
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")' 2> why
ok $? "a socket"
all nothing "No such file or directory"
all folder "a directory, not a file|Is a directory|No such file or directory|not a recording: .*|no inputs in it|a folder without snapshot.ini, as a snapshot has it, and without data, as a recording has it"
all socket "a socket, not a file"
# a device is read as a pipe is, if pipes are allowed; no word of a trace is an error
all /dev/null "a device, not a file|(offset 0x0: )?the file is empty|.*no line of it is Tarmac(; .*)?" asm
: > secret
chmod 000 secret
chmod 755 .
if [ "$(id -u)" != 0 ] || user=(setpriv --reuid=65534 --clear-groups) && "${user[@]}" [ -x "$CSFLOW" ] 2> why; then
	all secret "Permission denied"
else
	skip "a file that may not be read" "no setpriv, or nobody else may come here"
fi
user=()

# ---------------------------------------------------------------- pipes by name

profile()
{
	"$CSFLOW" profile -q --symfs="$demo" "$@" 2> why
}

profile --for=counts -o counts "$demo/perf.data"
"$CSFLOW" quick -o atom-runs "$demo/perf.data" 2> why

pipe="csflow( [a-z]*)?: pipe: a pipe, not a file: if standard input can be read, give it as -"
for command in dump profile quick index merge messages; do
	told "$command: a pipe by name" 1 "$pipe" $command pipe
done
told "record: a pipe by name" 1 "$pipe" record -o made -- pipe

# flows NAME FILE COMMAND...: the output from a pipe is that from the file
flows()
{
	local name=$1 file=$2

	shift 2
	"$CSFLOW" "$@" "$file" > one 2> why
	timeout 60 "$CSFLOW" "$@" pipe > two 2>> why &
	timeout 60 cat "$file" > pipe
	wait $!
	sed -i "s#$file#pipe#" one	# its name is in a report
	[ -s one ] && diff one two >> why 2>&1
	ok $? "$name: a pipe by name is read"
}

for command in report script tarmac; do
	flows $command "$demo/perf.data" $command --symfs="$demo"
done

# standard COMMAND FILE: the same from standard input, be it a file or a pipe
standard()
{
	"$CSFLOW" "$1" "$2" > one 2> why
	"$CSFLOW" "$1" - < "$2" > two 2>> why
	[ -s one ] && cmp one two >> why 2>&1
	ok $? "$1: $(basename "$2") as standard input"
	# shellcheck disable=SC2002 # it is to be a pipe
	cat "$2" | "$CSFLOW" "$1" - > two 2>> why
	cmp one two >> why 2>&1
	ok $? "$1: $(basename "$2") through a pipe"
}

standard quick "$demo/perf.data"
standard quick atom-runs
standard merge counts

# ---------------------------------------------------------------- files that options name

head -c 64 /dev/zero > raw
for odd in folder socket pipe /dev/null; do
	case $odd in
	folder)		is="a directory, not a file|Is a directory" ;;
	socket)		is="a socket, not a file" ;;
	pipe)		is="a pipe, not a file.*" ;;
	*)		is="a device, not a file" ;;
	esac
	for option in vmlinux kcore kallsyms; do
		"$CSFLOW" script --$option=$odd "$demo/perf.data" > out 2> why
		[ $? = 2 ] && grep -qxE "csflow script: --$option: $odd: ($is)" why
		ok $? "--$option=$odd"
	done
	[ $odd = folder ] || {
		"$CSFLOW" script --symfs=$odd "$demo/perf.data" > out 2> why
		[ $? = 2 ] && grep -qx "csflow script: --symfs: $odd: no directory" why
		ok $? "--symfs=$odd"
	}
	timeout 20 "$CSFLOW" report --symfs="$demo" --binary=$odd "$demo/perf.data" > out 2> why
	[ $? = 2 ] && grep -qxE "csflow report: --binary: $odd: ($is)" why
	ok $? "report --binary=$odd"
	told "profile --binary=$odd" 1 "csflow: $odd: ($is)" profile --symfs="$demo" --binary=$odd "$demo/perf.data"
	told "encode --elf=$odd" 1 "csflow encode: $odd: ($is)" encode --elf=$odd -o made "$demo/perf.data"
	told "dump --code=$odd@0" 1 "csflow dump: $odd: ($is)" dump --protocol=ete --code=$odd@0 raw
	told "index --check -o $odd" 1 "csflow index: $odd: ($is)" index --check -o $odd "$demo/perf.data"
done
gzip -c "$demo/demo-sort" | head -c 200 > packed
told "a program that is packed, and cut off" 1 "csflow encode: packed: it is packed, and damaged" \
	encode --elf=packed -o made "$demo/perf.data"
: > empty
told "an empty program" 1 "csflow encode: empty: not an ELF file" encode --elf=empty -o made "$demo/perf.data"

# ---------------------------------------------------------------- where to

for command in "profile -q" "report --html" timeline "index" tarmac encode "quick"; do
	symfs=(--symfs="$demo")
	[ "$command" = index ] && symfs=()
	# shellcheck disable=SC2086 # words of a command
	told "$command -o socket" 1 "csflow( [a-z]*)?: socket: a socket, not a file" \
		$command "${symfs[@]}" -o socket "$demo/perf.data"
done

echo "1..$n"
