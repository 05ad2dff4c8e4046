#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# A log of execution in place of a recording: what commands show of a Tarmac log is what they show of
# the recording that it was made from.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
: "${CSFLOW:=../build/check/csflow}"
csflow=$(realpath "$CSFLOW")
demo=$PWD/data/demo
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
export PERF_BUILDID_DIR=$tmp/cache
. lib/tap.sh
cd "$tmp" || exit 1
cp "$demo/perf.data" data
cp "$demo/demo-sort" demo-sort
"$csflow" tarmac --no-progress --timestamps --symfs "$demo" -o log data 2> why || cat why

# likewise NAME WORDS...: the command's output for the recording and for the log, without their names
likewise()
{
	local name=$1

	shift
	"$csflow" "$@" --symfs "$demo" data 2> why | sed 's/\<data\>/FILE/g; s#^// .*/#// #; s/  *$//; s/\.\.\.*/../g' > want
	"$csflow" "$@" --elf demo-sort log 2>> why | sed 's/\<log\>/FILE/g; s#^// .*/#// #; s/  *$//; s/\.\.\.*/../g' > got
	[ -s want ] && same want got "$name"
}

rows()
{
	grep -v '^#' | sed 's/  *$//'
}

# rows_of NAME WORDS...: only rows of tables
rows_of()
{
	local name=$1

	shift
	"$csflow" "$@" --symfs "$demo" data 2> why | rows > want
	"$csflow" "$@" --elf demo-sort log 2>> why | rows > got
	[ -s want ] && same want got "$name"
}

rows_of "report: functions" report -s symbol
rows_of "report: blocks, edges" report --show=blocks,edges
rows_of "annotate" annotate sort
likewise "profile" profile -q --addresses=file
likewise "profile: counts of BOLT" profile -q --for=bolt
for what in b i1i; do
	for file in "--symfs $demo data" "--elf demo-sort log"; do
		# shellcheck disable=SC2086 # options and a file
		"$csflow" script --itrace=$what -F cpu,ip,sym,symoff,addr,flags,insn $file 2> why | sort -s -k 1,1 > "got.${file##* }"
	done
	[ -s got.data ] && same got.data got.log "script: --itrace=$what on each CPU"
done
for file in "--symfs $demo data" "--elf demo-sort log"; do
	# shellcheck disable=SC2086 # likewise
	"$csflow" timeline -C 0 --for=chrome $file 2> why | grep '"cat":"function"' | sed 's/.*"name"/"name"/' | sort > "got.${file##* }"
done
[ -s got.data ] && same got.data got.log "timeline: functions of a CPU"
"$csflow" doctor log > got 2> why
grep -qx 'log        log' got && grep -q '^verdict .*; nothing is missing$' got
ok $? "doctor: nothing is missing"
"$csflow" diff --elf demo-sort log log > got 2> why
[ $? = 0 ] && [ ! -s got ]
ok $? "diff: a log is like itself"

# ---------------------------------------------------------------- ways in

"$csflow" report -s symbol --elf demo-sort log 2> why | rows > want
for how in "cat log | \$csflow report -s symbol --elf demo-sort -" \
	"\$csflow report -s symbol --elf demo-sort - < log" \
	"\$csflow report -s symbol --elf demo-sort -i log" \
	"\$csflow report -s symbol --elf demo-sort@0 <(cat log)"; do
	csflow=$csflow bash -c "$how" 2> why | rows > got
	same want got "$how"
done
mkfifo pipe
cat log > pipe &
timeout 60 "$csflow" report -s symbol --elf demo-sort pipe 2> why | rows > got
wait
same want got "a pipe with a name"
"$csflow" report log > got 2> why && grep -q '  log  *\[\.\] log+0x' got && ! grep -q ' sort$' got
ok $? "without a program there are no names"

# ---------------------------------------------------------------- programs

awk '$4 ~ "^I[TS]$" { $7 = "--------" } 1' log > no-opcodes
"$csflow" report -s symbol --elf demo-sort no-opcodes 2> why | rows > got
same want got "what has no opcodes in the log is in the program"
"$csflow" report no-opcodes > got 2> why
grep -q '^csflow: [0-9]* instructions have no opcode in the log' why
ok $? "without a program they are counted"

python3 -c '
import re, sys
for line in open("log"):
    sys.stdout.write(re.sub(r"(I[TS] \(\d+\) )([0-9a-f]{8})", lambda m: m[1] + "%08x" % (int(m[2], 16) + 0x1000), line))
' > moved
"$csflow" report -s symbol --elf demo-sort@0x1000 moved 2> why | rows > got
same want got "a program that was moved"
"$csflow" report -s dso --elf demo-sort moved > got 2> why
grep -q '^   100.00%  *3902  moved$' got && grep -q 'demo-sort: the log executed nothing of it, or other code at its addresses: its names are not used$' why
ok $? "at other addresses its names are not used"

# The second instruction, a NOP, was another one then.
sed 's/ 002011e0 d503201f / 002011e0 d503203f /' log > patched
"$csflow" report -s dso --elf demo-sort patched > got 2> why
nops=$(grep -c " 002011e0 " patched)
grep -q "  $((3902 - nops))  demo-sort$" got && grep -q "  $nops  patched$" got
ok $? "code that differs is the log's"

# ---------------------------------------------------------------- what is wrong

sed '200s/.*/7 clk cpu0 IT (x) 00/' log > wrong
"$csflow" report wrong > got 2> why
[ $? = 1 ] && grep -q '^csflow: wrong:200:' why && grep -q '\[\.\] wrong+0x' got
ok $? "a wrong line: the rest is shown"
"$csflow" report --elf log log > got 2> why
[ $? = 1 ] && grep -qx 'csflow: log: not an ELF file of an Arm program' why && [ ! -s got ]
ok $? "a program that is none"
printf 'a text\nthat is\nno log of anything\n' > text
"$csflow" report text > got 2> why
[ $? = 1 ] && grep -qx 'csflow: text: offset 0x0: this is not a perf.data' why
ok $? "a text that is no log"

echo "1..$n"
