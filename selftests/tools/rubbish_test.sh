#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Readers: parts that a reader does not understand are counted, and reported with their first place;
# the other parts of the file are read.  Tarmac has its own in tarmac_cmd_test.sh, recordings in
# perf_hostile_test.sh.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}"
demo=$PWD/data/demo
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
# Leaks of LLVM are not ours.
export LSAN_OPTIONS=suppressions=$tmp/leaks
echo leak:libLLVM > "$tmp/leaks"
. "$OLDPWD/lib/tap.sh"

echo "TAP version 13"

# told NAME STATUS WORDS COMMAND...: it ends with that status, and prints that
told()
{
	local name=$1 status=$2 words=$3 got

	shift 3
	"$CSFLOW" "$@" > out 2> why
	got=$?
	[ $got = "$status" ] && { [ -z "$words" ] || grep -q -e "$words" why; }
	ok $? "$name"
	[ $got = "$status" ] || echo "# status $got"
}

profile()
{
	"$CSFLOW" profile --symfs="$demo" "$@" 2> why
}

# ---------------------------------------------------------------- AutoFDO's text

profile -o good.text "$demo/perf.data"
profile -o good.again good.text
lines=$(wc -l < good.text)
(cat good.text; echo "rubbish"; echo; echo "//"; echo "// comment"; echo "more") > bad.text
told "AutoFDO: lines behind it" 1 "^csflow: bad.text:$((lines + 1)): neither a text nor a comment, passed over: 2 such lines$" \
	profile --symfs="$demo" bad.text
same good.again out "and the profile is there"
(cat good.text; printf '\0\0') > bad.text
told "zero bytes behind it" 1 "^csflow: bad.text:$((lines + 1)): neither" profile --symfs="$demo" bad.text
sed 's/^\/\/ build_id: 0x..../&zz/' good.text > bad.text
told "a build-id of other digits" 1 "^csflow: bad.text:$(grep -n build_id good.text | cut -d: -f1): neither" \
	profile --symfs="$demo" bad.text
told "merge refuses it" 1 "^csflow: bad.text:" merge --symfs="$demo" -o merged bad.text
[ ! -s merged ]
ok $? "and writes nothing"
sed 2s/:/:-/ good.text > bad.text
told "a number that is none" 1 "^csflow: bad.text:2: no range, address or branch$" profile --symfs="$demo" bad.text
head -n 5 good.text > bad.text
told "cut off" 1 "^csflow: bad.text:6: it is cut off$" profile --symfs="$demo" bad.text

# ---------------------------------------------------------------- branch lists

profile --for=branch-list -o good.list "$demo/perf.data"
profile -o good.out good.list
size=$(stat -c %s good.list)
at=$(printf %x "$size")
# field 9 is a number, and the list's magic is not a file
(cat good.list; printf '\x48\x01\x48\x02') > bad.list
told "branch list: fields that nobody knows" 1 "^csflow: bad.list: offset 0x$at: an unknown field, passed over: 2 such fields$" \
	profile --symfs="$demo" bad.list
same good.out out "and the profile is there"
# { path: "a" type: 7 build_id: "xy" }
(cat good.list; printf '\x12\x09\x0a\x01a\x20\x07\x12\x02xy') > bad.list
told "a kind of file, and a build-id" 1 "offset 0x$(printf %x $((size + 5))): an unknown kind of file, passed over: 2 such" \
	profile --symfs="$demo" bad.list
(cat good.list; printf '\0\0\0\0') > bad.list
told "zero bytes behind it" 1 "^csflow: bad.list: offset 0x$at: a branch list that is damaged$" profile --symfs="$demo" bad.list
same good.out out "and what came before them counts"
head -c $((size - 1)) good.list > bad.list
told "cut off" 1 "^csflow: bad.list: offset 0x[0-9a-f]*: a branch list that is damaged$" profile --symfs="$demo" bad.list
profile --for=branch-list-v1 -o good.list "$demo/perf.data"
(cat good.list; printf 'xy') > bad.list
told "version 1: bytes behind it" 1 "^csflow: bad.list: offset 0x$(printf %x "$(stat -c %s good.list)"): a branch list that ends early$" \
	profile --symfs="$demo" bad.list

# ---------------------------------------------------------------- counts, strings, indexes

profile --for=counts -o good.counts "$demo/perf.data"
"$CSFLOW" quick -o good.quick --symfs="$demo" "$demo/perf.data" 2> why
for kind in counts quick; do
	(cat good.$kind; echo rubbish) > bad.$kind
	told "$kind: bytes behind it" 1 "^csflow: bad.$kind: offset 0x[0-9a-f]*: " profile --symfs="$demo" bad.$kind
	head -c 100 good.$kind > bad.$kind
	told "$kind: cut off" 1 "^csflow: bad.$kind: offset 0x[0-9a-f]*: " profile --symfs="$demo" bad.$kind
done
cp "$demo/perf.data" .
"$CSFLOW" index -o good.tix perf.data > why 2>&1
cp good.tix perf.data.tix
told "an index that is whole" 0 "" index --check perf.data
(cat good.tix; echo rubbish) > perf.data.tix
told "bytes behind it" 1 "^csflow index: perf.data.tix: is damaged: offset 0x$(printf %x "$(stat -c %s good.tix)"): there is data after its end$" \
	index --check perf.data
for size in 20 100 300; do
	head -c $size good.tix > perf.data.tix
	told "cut off at $size" 1 "^csflow index: perf.data.tix: is damaged: offset 0x[0-9a-f]*: \(it ends in \|a section that is incomplete\)" \
		index --check perf.data
done
for at in 0:"it does not begin as an index" 30:"the checksum of its header is wrong" 400:"a section whose checksum is wrong"; do
	cp good.tix perf.data.tix
	printf '\377' | dd of=perf.data.tix bs=1 seek="${at%%:*}" conv=notrunc status=none
	told "byte ${at%%:*} is another" 1 "^csflow index: perf.data.tix: is damaged: offset 0x[0-9a-f]*: ${at#*:}$" index --check perf.data
done

# ---------------------------------------------------------------- words of dump

"$CSFLOW" dump --packets --id=0x10 "$demo/perf.data" > good.words 2> why
told "asm: words that dump wrote" 0 "" asm -o bytes good.words
lines=$(wc -l < good.words)
(cat good.words; printf 'async\0 rubbish\n') > bad.words
told "a zero byte" 1 "^csflow asm: bad.words:$((lines + 1)): a zero byte" asm -o bytes bad.words
for id in '[zz]' '[10' '[]' '[100]'; do
	(cat good.words; echo "1 $id async") > bad.words
	told "trace ID $id" 1 "^csflow asm: bad.words:$((lines + 1)): not a trace ID: '\\$id" asm -o bytes bad.words
done
told "an ID that there cannot be" 2 "^csflow asm: --id: a trace ID has 7 bits$" asm --id=300 -o bytes good.words
told "nor in dump" 2 "^csflow dump: --id: a trace ID has 7 bits$" dump --id=300 perf.data

# ---------------------------------------------------------------- snapshots

echo '1 clk cpu0 IT (1) 00400000 d503201f O EL0t_n : NOP' > log
"$CSFLOW" encode -o good --format=snapshot --formatted log > why 2>&1
for file in snapshot trace cpu_0; do
	rm -rf bad && cp -r good bad
	[ -f "good/$file.ini" ] || file=$(basename "$(grep -l 'class=core' good/*.ini)" .ini)
	printf '[rubbish]\nkey=1\nwords\n' >> "bad/$file.ini"
	told "$file.ini: a section that nobody knows" 0 \
		"$file.ini:$(($(wc -l < "good/$file.ini") + 1)): \[rubbish\]: .*ignored$" dump --snapshot=bad
	grep -q "$file.ini:$(($(wc -l < "good/$file.ini") + 3)): neither \[section\] nor key=value" why
	ok $? "and a line"
done
told "a snapshot that is whole" 0 "" dump --snapshot=good
[ ! -s why ]
ok $? "of which nothing is said"

# ---------------------------------------------------------------- rules

printf 'ignore kind=R\nrubbish\n' > rules
told "rules of match" 2 "rules:2: a rule is " match --rules=rules log log

# ---------------------------------------------------------------- lines that end with two bytes

# twice FILE: the same, with such lines
twice()
{
	sed 's/$/\r/' "$1"
}

rm -f perf.data.tix
twice good.text > crlf.text
profile -o out crlf.text
same good.again out "AutoFDO: lines that end with two bytes"
"$CSFLOW" merge --symfs="$demo" -o one good.text 2> why && "$CSFLOW" merge --symfs="$demo" -o two crlf.text 2> why
same one two "merge takes them"
(twice good.text; printf 'rubbish\r\n') > bad.text
told "and a line behind them has its number" 1 "^csflow: bad.text:$(($(wc -l < good.text) + 1)): neither a text" \
	profile --symfs="$demo" bad.text
twice good.words > crlf.words
"$CSFLOW" asm -o one good.words 2> why && "$CSFLOW" asm -o two crlf.words 2> why
same one two "words of dump"
printf '1 clk cpu0 IT (1) 00400000 d503201f O EL0t_n : NOP\n2 clk cpu0 R X0 %016x\n' 1 > one.log
sed 's/1$/2/' one.log > two.log
twice one.log > crlf.log
"$CSFLOW" tarmac one.log > one 2> why && "$CSFLOW" tarmac crlf.log > two 2> why
same one two "Tarmac"
echo "ignore kind=R name=X0" > rules
told "rules of match: two logs differ" 1 "" match one.log two.log
twice rules > crlf.rules
told "but not by these rules" 0 "" match --rules=rules one.log two.log
told "nor by these" 0 "" match --rules=crlf.rules one.log two.log
rm -rf bad && cp -r good bad
for file in good/*.ini; do
	twice "$file" > "bad/${file##*/}"
done
"$CSFLOW" dump --snapshot=good > one 2> why && "$CSFLOW" dump --snapshot=bad > two 2> why
[ -s one ] && cmp one two && [ ! -s why ]
ok $? "a snapshot"

echo "1..$n"
