#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The output of commands: "--output -" is standard output, and gets the same bytes as a file; a
# command whose output cannot go there says so, and makes no file.  For files that are not of its
# kind a command says so, in one line.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${CSFLOW:=../build/check/csflow}"
CSFLOW=$(realpath "$CSFLOW")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export PERF_BUILDID_DIR=$tmp/cache
. lib/tap.sh

cp -r data/demo "$tmp"
demo=$tmp/demo
mkdir "$tmp/here" && cd "$tmp/here" || exit 1

# nothing NAME: no file was made here
nothing()
{
	ls -A > "$tmp/why"
	[ ! -s "$tmp/why" ]
	ok $? "$1"
	rm -rf ./*
}

# to_both COMMAND WORDS...
to_both()
{
	"$CSFLOW" "$@" -o "$tmp/file" > "$tmp/out" 2> "$tmp/why" && [ -s "$tmp/file" ] && [ ! -s "$tmp/out" ]
	ok $? "$1 $2: to a file"
	"$CSFLOW" "$@" -o - > "$tmp/out" 2> "$tmp/why"
	cmp "$tmp/file" "$tmp/out" 2>> "$tmp/why"
	ok $? "$1 $2: -o - is the same to standard output"
	nothing "and no file is made"
}

# only_files COMMAND WORDS...: exit status 2, for - is none
only_files()
{
	"$CSFLOW" "$@" > "$tmp/out" 2> "$tmp/why" < /dev/null
	[ $? = 2 ] && [ ! -s "$tmp/out" ] && grep -q 'this does not go to standard output' "$tmp/why"
	ok $? "$1 $2: refused"
	nothing "and no file is made"
}

echo "async" > "$tmp/words"
to_both asm "$tmp/words"
to_both quick --symfs "$demo" "$demo/perf.data"
for format in autofdo folded json counts; do
	to_both profile --for=$format --symfs "$demo" "$demo/perf.data"
done
"$CSFLOW" profile --for=counts -o "$tmp/counts" --symfs "$demo" "$demo/perf.data" 2> /dev/null
to_both merge "$tmp/counts"
to_both report --html --symfs "$demo" "$demo/perf.data"
to_both tarmac --symfs "$demo" "$demo/perf.data"
to_both timeline --symfs "$demo" "$demo/perf.data"

"$CSFLOW" profile -q -o "$tmp/file" --quality=- --symfs "$demo" "$demo/perf.data" > "$tmp/out" 2> "$tmp/why" &&
	"$CSFLOW" profile -q -o "$tmp/file" --quality="$tmp/json" --symfs "$demo" "$demo/perf.data" 2> "$tmp/why" &&
	cmp "$tmp/out" "$tmp/json" 2> "$tmp/why"
ok $? "--quality=-: to standard output"
nothing "and no file is made"

only_files record -o - -- /bin/true
only_files record --truth=- -- /bin/true
only_files encode -o - "$tmp/words"
only_files index -o- "$demo/perf.data"
only_files pgo -o - -- /bin/true
only_files pgo --keep - -- /bin/true


# says LINE COMMAND WORDS...: exit status 1, and just that line, perhaps with how to read raw trace
says()
{
	local line=$1

	shift
	"$CSFLOW" "$@" > "$tmp/out" 2> "$tmp/why" < /dev/null
	[ $? = 1 ] && [ "$(grep -vc "if it is raw trace" "$tmp/why")" = 1 ] && grep -qx "csflow.*$line" "$tmp/why"
	ok $? "$1 ${2#"$tmp/"}: $line"
}

mkdir "$tmp/folder"
: > "$tmp/empty"
for command in quick profile coverage "annotate main"; do
	says "offset 0x0: the file is empty" $command "$tmp/empty"
	says "offset 0x0: this is not a perf.data" $command "$tmp/words"
	says "it is an ELF file, such as a program, and no recording.*" $command "$demo/demo-sort"
done
says "$tmp/none: No such file or directory" report "$tmp/none"
says "it is an ELF file, .*" dump "$demo/demo-sort"
for command in dump report script doctor tarmac; do
	says "$tmp/folder: a folder without snapshot.ini, .*, and without data, .*" $command "$tmp/folder"
done
says "offset 0x0: the file is empty" script "$tmp/empty"
for command in tarmac encode; do
	says "it is an ELF file, such as a program, and no recording or log" $command "$demo/demo-sort"
done
for file in empty words; do
	says "$tmp/$file: not an ELF file" pgo -- "$tmp/$file"
done
says "$tmp/folder: a directory, not a file" pgo -- "$tmp/folder"
echo "1..$n"
