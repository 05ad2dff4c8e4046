#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Raw trace whose unit --raw describes, in commands that read recordings: as the snapshot that it comes from.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
: "${CSFLOW:=../build/check/csflow}" "${CSFLOW_FAST:=$CSFLOW}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh
demo=$PWD/data/demo

# run ARGUMENTS: csflow; its output, what it says, its status
run()
{
	"$CSFLOW" "$@" > "$tmp/out" 2> "$tmp/said" < /dev/null
	status=$?
	cat "$tmp/out" "$tmp/said" > "$tmp/why"
}

# shot NAME PROGRAM WORDS...: records it, as $tmp/NAME, and finds $unit and $trace
shot()
{
	local name=$1 program=$2

	shift 2
	"$CSFLOW_FAST" record -q --snapshot --raw --cpus=1 -o "$tmp/$name" "$@" -- "$program" > /dev/null 2> "$tmp/why"
	trace=$tmp/$name/trace.bin
	unit=$("$CSFLOW" dump --packets "$tmp/$name" 2>> "$tmp/why" | sed -n '1s/^# \[..\] //p')
	unit=${unit//--/}
	unit=${unit// /,}
}

# alike COMMAND OPTIONS: prints the same of the snapshot and of its raw trace, and something
alike()
{
	local what=$1

	run "$@" --elf="$program" "$tmp/$name"
	grep -av "^# File:" "$tmp/out" > "$tmp/want"
	run "$@" --elf="$program" --raw="$unit" "$trace"
	grep -av "^# File:" "$tmp/out" > "$tmp/got"
	[ $status = 0 ] && [ -s "$tmp/got" ] && same "$tmp/want" "$tmp/got" "$name: $what" && return
	ok 1 "$name: $what"
}

for row in "ete demo-sort ete=1.1,rs,ts=1000" "etm4 demo-sort etm4=4.3,cc=16" "ptm demo-sort-arm ptm=1.1,rs" \
	   "etm3 demo-sort-arm etm3=3.5"; do
	read -r name program words <<< "$row"
	program=$demo/$program
	shot "$name" "$program" -u "$words"
	alike report
	alike profile --for=counts
	alike timeline
	alike script --itrace=i1i -F ip,sym
done
run coverage --elf="$program" --raw="$unit" "$trace"
grep -q "no source line is known" "$tmp/said"
ok $? "coverage: reads it, too"

# ---------------------------------------------------------------- an MTB, and frames

# The first branches of a program in T32, as an MTB has them; then the last of them over the first one.
program=$demo/demo-sort-arm
branches() { run script --itrace=b -F ip,addr --elf="$program" "$@"; }
branches "$tmp/ptm"
awk '{ print $1, $NF }' "$tmp/out" | grep -v '^0 ' | head -n 21 > "$tmp/want"
awk '{ print "branch 0x" $1, "0x" $2 (NR == 1 ? " start" : "") }' "$tmp/want" > "$tmp/text"
"$CSFLOW" asm --protocol=mtb -o "$tmp/mtb" "$tmp/text" 2> "$tmp/why"
{ tail -c 8 "$tmp/mtb"; tail -c +9 "$tmp/mtb" | head -c 152; } > "$tmp/memory"
branches --raw=protocol=mtb,mtb-position=0xc "$tmp/memory"
awk '{ print $1, $NF }' "$tmp/out" | grep -vE '^0 | 0$' > "$tmp/got"
sed 1,2d "$tmp/want" > "$tmp/rest"
same "$tmp/rest" "$tmp/got" "an MTB that has wrapped: from the end of its oldest packet on"
program=$demo/demo-sort
"$CSFLOW_FAST" record -q --snapshot --cpus=1 -u ete=1.1 -o "$tmp/frames" -- "$program" > /dev/null 2> "$tmp/why"
unit=$("$CSFLOW" dump --packets "$tmp/frames" | sed -n '1s/^# \[..\] //p')
name=frames trace=$tmp/frames/trace.bin
unit="$unit framing=frames"
run report --raw="$unit" "$trace"
[ $status = 1 ] && grep -q "frames need id=ID" "$tmp/said"
ok $? "frames without an ID"
unit="$unit id=0x10"
alike report

# The first frame names the trace unit, and no other does.
tail -c +17 "$trace" > "$tmp/nameless"
run script --itrace=b --elf="$program" --raw="$unit" "$tmp/nameless"
grep -q ' bytes of trace not decoded: of frames before the first trace ID$' "$tmp/said"
ok $? "frames without a trace ID: $(sed -n 's/.*: \([0-9]* bytes of trace not.*\)/\1/p' "$tmp/said")"

# ---------------------------------------------------------------- mistakes

# wrong WORDS FILE MESSAGE
wrong()
{
	run report --raw="$1" "$2"
	[ $status = 1 ] && grep -qF -- "csflow: $2: $3" "$tmp/said" && [ ! -s "$tmp/out" ]
	ok $? "--raw=$1: $3"
}

: > "$tmp/empty"
wrong protocol=ptn "$trace" "--raw: 'protocol=ptn' is not a word of it"
wrong trcidr0=1,trcidr9 "$trace" "--raw: 'trcidr9' is not a word of it"
wrong etmcr=zero "$trace" "--raw: 'etmcr=zero' is not a word of it"
wrong id=0x80 "$trace" "--raw: 'id=0x80' is not a word of it"
wrong protocol=stm "$trace" "--raw: an ITM or STM tells nothing"
wrong protocol=ptm,etmidr=0x4100ff01 "$trace" "--raw: no ETMv4, ETE, ETMv3, PTM or MTB"
wrong protocol=mtb,mtb-position=0x1000 "$tmp/memory" "--raw: mtb-position is not in the file"
wrong protocol=ete "$tmp/empty" "the file is empty"
wrong protocol=ete "$tmp/none" "No such file"
run report "$trace"
[ $status = 1 ] && grep -q -- "if it is raw trace, --raw=UNIT" "$tmp/said"
ok $? "without --raw, a word how to read it"
echo "1..$n"
