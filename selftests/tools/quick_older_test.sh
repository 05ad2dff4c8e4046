#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow quick with PTM and ETMv3: the count table of atom runs is that of full decode, byte by byte, for programs of A32,
# T32 and both, in the rows of a pairwise table of the settings of the unit and of the recording.
cd "$(dirname "$0")/.." || exit 1
. lib/programs-32.sh
CSFLOW=$(realpath "$CSFLOW")
mkperf=$O/selftests/make/mkperf

echo "TAP version 13"

# equal RECORDING NAME: the count table of its atom runs is that of the recording
equal()
{
	"$CSFLOW" quick -o "$tmp/runs" "$1" 2> "$tmp/why" && profile "$tmp/runs" "$tmp/ours" && profile "$1" "$tmp/theirs" &&
		[ "$(atoms "$tmp/runs")" -gt 0 ] && cmp "$tmp/ours" "$tmp/theirs" 2>> "$tmp/why"
	ok $? "$2"
}

# profile INPUT OUTPUT
profile()
{
	"$CSFLOW" profile -q --for=counts -o "$2" "$1" 2>> "$tmp/why"
}

# atoms FILE: how many its atom runs have
atoms()
{
	"$CSFLOW" quick "$1" 2>&1 > /dev/null | sed -n 's/.* \([0-9]*\) atoms in .*/\1/p'
}

# record UNIT PROGRAM OPTION...
record()
{
	local unit=$1 name=$2

	shift 2
	rm -rf "$tmp/data"
	"$csflow" record -q -o "$tmp/data" -L /usr/arm-linux-gnueabihf -u "$unit" "$@" -- "$tmp/$name" 1 \
		> "$tmp/out" 2> "$tmp/why" < /dev/null
}

programs=(a32 t32-signals both a32-threads t32 a32-shared t32-threads a32-signals t32-shared)

# rows NAME VALID NOT: a recording for each row of the table in $tmp/axes; rows with the words of NOT are left out
rows()
{
	local rows i name

	mapfile -t rows < <(pairwise 1 "$tmp/axes" "$2")
	for i in "${!rows[@]}"; do
		name=${programs[i % ${#programs[@]}]}
		options_of "${rows[i]}"
		[[ -n $3 && "${options[*]}" =~ $3 ]] && continue
		rm -rf "$tmp/data"
		"$csflow" record -q -o "$tmp/data" -L /usr/arm-linux-gnueabihf "${options[@]}" -- "$tmp/$name" 1 \
			> "$tmp/out" 2> "$tmp/why" < /dev/null
		equal "$tmp/data" "$1: $name, ${options[*]}"
	done
}

cat > "$tmp/axes" << 'END'
ptm=1.1 ptm=1.0
- ,bb
- ,cc
,ts=3000 ,ts=200 ,ts=500,gray
,cid ,cid,vmid
- ,barriers
- ,sync=300 ,sync=100000
- ,event=10,ignore=20
- ,overflow=500 ,truncate=500 ,strobe=3000:1000 ,exclude=0x10400-0x11000
- --raw --per-thread
--cpus=1 --cpus=2_--quantum=3000
END
rows PTM '!(row ~ /ptm=1.0/ && row ~ /gray|vmid/)'

cat > "$tmp/axes" << 'END'
etm3=3.5 etm3=3.4 etm3=3.3 etm3=3.0
- ,alt
- ,halves
- ,bb
- ,cc
,ts=3000 ,ts=200,gray
,cid ,cid,vmid
- ,data ,data=values,late=20
- ,sync=300 ,sync=100000
- ,overflow=2000 ,truncate=2000 ,strobe=3000:1000 ,exclude=0x10400-0x11000
- --raw --per-thread --snapshot
--cpus=1 --cpus=2_--quantum=3000
END
rows ETMv3 '!(row ~ /etm3=3.[0-4]/ && row ~ /vmid/) && !(row ~ /etm3=3.[0-3]/ && row ~ /alt/)' \
	'--raw.*--snapshot|--snapshot.*--(raw|per-thread)'

# table FILE [LOOSE]: a count table without what depends on where the second half begins: full decode may see damage
# elsewhere.  LOOSE: of edges only from where and how often; see alike
table()
{
	"$CSFLOW" profile -q --for=json "$1" 2>> "$tmp/why" | python3 -c '
import json, sys
table = json.load(sys.stdin)
for name in "halved", "alike", "second", "new":
    del table["statistics"][name]
for file in table["files"] if sys.argv[1:] else []:
    taken = {}
    for edge in file.pop("edges"):
        taken[edge["from"]] = taken.get(edge["from"], 0) + edge["count"]
    file["taken"] = taken
print(json.dumps(table, indent=1))' ${2:+loose}
}

# alike RECORDING NAME [LOSSES]: the same.  LOSSES: after a loss that leaves no sign, where nothing is executed between two
# contradictions, atom runs have a break more, at most so many in all, and know a target that the recording does not
alike()
{
	local more

	"$CSFLOW" quick -o "$tmp/runs" "$1" 2> "$tmp/why"
	[ $? -le 1 ] && profile "$tmp/runs" "$tmp/ours" && profile "$1" "$tmp/theirs"
	for f in ours theirs; do
		table "$tmp/$f" $3 > "$tmp/$f.json"
		[ -z "$3" ] || {
			sed -n 's/^ *"breaks": \([0-9]*\),$/\1/p' "$tmp/$f.json" > "$tmp/$f.breaks"
			sed -i '/^ *"breaks": /d' "$tmp/$f.json"
		}
	done
	[ -s "$tmp/ours.json" ] && diff "$tmp/ours.json" "$tmp/theirs.json" > "$tmp/why" && {
		[ -z "$3" ] || {
			more=$(($(< "$tmp/ours.breaks") - $(< "$tmp/theirs.breaks")))
			echo "breaks: $more more" > "$tmp/why"
			[ $more -ge 0 ] && [ $more -le "$3" ]
		}
	}
	ok $? "$2"
}

for unit in ptm=1.1,cid ptm=1.1,cid,cc,bb ptm=1.0,cid,ts=300,sync=300 etm3=3.5,cid,alt etm3=3.4,cid,cc,sync=300 \
	etm3=3.1,cid,halves,data; do
	record $unit both && "$mkperf" "$tmp/data" "$tmp/broken" holes=40 2> "$tmp/why"
	losses=40
	[[ $unit == ptm* ]] || losses=
	# shellcheck disable=SC2086 # nothing, or a number
	alike "$tmp/broken" "with damage: $unit" $losses
	! grep -q '"skipped": 0,' "$tmp/theirs.json"
	ok $? "there is damage: $unit"
done

# ---------------------------------------------------------------- snapshots

# Code and trace of the cases: states, exceptions and cancels that no program of Linux has.
cat > "$tmp/etm3.s" << 'END'
	.syntax unified
	.org 0x18
v:	nop
v1:	movs pc, lr
	.org 0x8000
m:	nop
m1:	nop
m2:	b f
	.org 0x8010
f:	nop
f1:	beq m
f2:	nop
f3:	bx lr
f4:	nop
	nop
	.org 0x9000
	.thumb
t:	nop
t1:	nop.w
t2:	cbz r0, t4
t3:	bl t
t4:	bx lr
t5:	nop
END
cat > "$tmp/ptm.s" << 'END'
	.syntax unified
	.org 0x8000
main:	nop
	bl g
r1:	isb
	nop
	beq g
	nop
	pop {pc}
	nop
g:	nop
	bx lr
END
for code in etm3 ptm; do
	arm-linux-gnueabihf-as -march=armv7-a -o "$tmp/$code.o" "$tmp/$code.s" &&
		arm-linux-gnueabihf-objcopy -O binary -j .text "$tmp/$code.o" "$tmp/$code.bin"
	arm-linux-gnueabihf-nm "$tmp/$code.o" | awk '$2 == "t" { sub(/^0*/, "0x", $1); print $3, $1 }' > "$tmp/$code.symbols"
done

# words CODE FILE...: the traces of all cases with the code and the unit of their file
words()
{
	local code=$1

	shift
	perl -e '
		sub done { print @out if !$own; @out = (); $own = 0 }
		open S, shift;
		while (<S>) { ($name, $at) = split; $addr{$name} = hex $at }
		while (<>) {
			$begun |= /^case /;
			done() if /^case /;
			$own = 1 if $begun && /^(config|code|image)/;
			$on = /^trace/ if /^[a-z]/;
			next if !$on || !s/^\t// || /^break/ || !$begun;
			s/^((?:isync|branch|waypoint) )([a-z]\w*)(\+\d+)?(?=\s)/exists $addr{$2} ?
				$1 . sprintf "0x%x", $addr{$2} + $3 : $&/e;
			push @out, $_;
			($own, $begun) = (0, 0), done() if eof;
		}' "$tmp/$code.symbols" "$@"
}

# shot CODE TYPE CORE CASES REGISTERS: a snapshot of their traces
shot()
{
	local cr ccer idr protocol=etmv3 profile=a

	read -r cr ccer idr <<< "$5"
	[[ $2 != PTM* ]] || protocol=ptm
	[[ $3 != *-M* ]] || profile=m
	rm -rf "$tmp/shot" && mkdir "$tmp/shot" && cp "$tmp/$1.bin" "$tmp/shot/code.bin"
	# M profile has other names of exceptions, and the alternative encoding of branches no older form
	# shellcheck disable=SC2086 # several files
	words "$1" $4 > "$tmp/words"
	[ $profile = a ] || sed -i -E 's/^(branch [^ ]+ (a32|t32) )[a-z]+[a-z.]* (n?s)/\114 \3/' "$tmp/words"
	(((idr >> 20 & 1) == 0)) || sed -i '/ old=/d' "$tmp/words"
	"$csflow" asm --protocol=$protocol --profile=$profile --etmcr="$cr" --etmccer="$ccer" --etmidr="$idr" \
		-o "$tmp/shot/trace.bin" "$tmp/words" 2> "$tmp/why" || return 1
	printf '[snapshot]\nversion=1.0\n[device_list]\ndevice0=cpu.ini\ndevice1=etm.ini\n[trace]\nmetadata=trace.ini\n' \
		> "$tmp/shot/snapshot.ini"
	printf '%s\n' '[trace_buffers]' buffers=b '[b]' name=B file=trace.bin format=source_data '[source_buffers]' ETM=B \
		'[core_trace_sources]' cpu=ETM > "$tmp/shot/trace.ini"
	printf '%s\n' '[device]' name=ETM class=trace_source "type=$2" '[regs]' "ETMCR=$cr" "ETMCCER=$ccer" "ETMIDR=$idr" \
		ETMTRACEIDR=0x10 > "$tmp/shot/etm.ini"
	printf '%s\n' '[device]' name=cpu class=core "type=$3" '[dump1]' file=code.bin address=0 > "$tmp/shot/cpu.ini"
}

while read -r code type core registers; do
	cases=cases/etm3.case
	[ $code = etm3 ] || cases="cases/ptm.case cases/ptm-sync.case"
	shot $code $type $core "$cases" "$registers"
	ok $? "$cases: a snapshot, $type, $core, $registers"
	alike "$tmp/shot" "$cases: the same, $type, $core, $registers"
done << 'END'
etm3 ETM3.3 Cortex-A7 0 0x34000000 0x4100f230
etm3 ETM3.5 Cortex-A7 0 0x34000000 0x4114f250
etm3 ETM3.4 Cortex-M3 0 0x34000000 0x4114f240
ptm PTM1.1 Cortex-A15 0 0x34000000 0x4100f311
ptm PTM1.0 Cortex-A9 0x100 0 0x4100f300
ptm PTM1.1 Cortex-A15 0x20000000 0x34800000 0x4100f311
END

for real in snapshots/TC2 classic/am243x-r5f/zephyr classic/sigrok-dumps/stm32f105; do
	if [ -d "$CSFLOW_CORPUS/$real" ]; then
		alike "$CSFLOW_CORPUS/$real" "$real"
	else
		skip "$real" "CSFLOW_CORPUS is not set"
	fi
done

# ---------------------------------------------------------------- files

record ptm=1.1,cid both && "$CSFLOW" quick -o "$tmp/one" "$tmp/data" 2> "$tmp/why" && cp "$tmp/data" "$tmp/one.data" &&
	record etm3=3.5,cid t32 && "$CSFLOW" quick -o "$tmp/two" "$tmp/data" 2> "$tmp/why" && cp "$tmp/data" "$tmp/two.data" &&
	record etm4=4.2,cid t32 && "$CSFLOW" quick -o "$tmp/three" "$tmp/data" 2> "$tmp/why" && cp "$tmp/data" "$tmp/three.data"
ok $? "recordings of three kinds of unit"
for i in one two three; do
	od -An -tu4 -j8 -N4 "$tmp/$i"
done > "$tmp/out"
[ "$(tr -s ' \n' ' ' < "$tmp/out")" = ' 3 3 1 ' ]
ok $? "files have the version that their units need"
(cd "$tmp" && "$CSFLOW" quick -o ab one two.data && "$CSFLOW" quick -o abc ab three && "$CSFLOW" quick -o bc three.data two &&
	"$CSFLOW" quick -o cba bc one && cmp abc cba) > "$tmp/why" 2>&1
ok $? "merged in any order, the bytes are the same"
for i in one two three; do
	profile "$tmp/$i.data" "$tmp/$i.counts"
done
"$CSFLOW" profile -q --for=bolt "$tmp/abc" > "$tmp/ours" 2> "$tmp/why"
"$CSFLOW" profile -q --for=bolt "$tmp/one.counts" "$tmp/two.counts" "$tmp/three.counts" > "$tmp/theirs" 2> "$tmp/why"
[ -s "$tmp/ours" ] && diff "$tmp/theirs" "$tmp/ours" >> "$tmp/why"
ok $? "the profile is that of all of them"
"$CSFLOW" quick "$tmp/one" > "$tmp/out" 2> "$tmp/why" && grep -q ' both  *[a-z_]*' "$tmp/out"
ok $? "hot addresses have names"

# With a return stack, what is lost and what is not are together what was executed.
real=$CSFLOW_CORPUS/snapshots/tc2-ptm-rstk-t32
if [ -d "$real" ]; then
	"$CSFLOW" quick -o "$tmp/runs" "$real" 2> "$tmp/why" && grep -q 'a return stack was on' "$tmp/why" &&
		"$CSFLOW" profile -q --for=json "$tmp/runs" > "$tmp/ours.json" 2> "$tmp/why" &&
		"$CSFLOW" profile -q --for=json "$real" > "$tmp/theirs.json" 2> "$tmp/why"
	blocks=$(sed -n 's/^ *"blocks": \([0-9]*\),$/\1/p' "$tmp/ours.json")
	lost=$(sed -n 's/.*"stack": \([0-9]*\),.*/\1/p' "$tmp/ours.json")
	[ "$lost" -gt 0 ] && [ $((blocks + lost)) = "$(sed -n 's/^ *"blocks": \([0-9]*\),$/\1/p' "$tmp/theirs.json")" ]
	ok $? "with a return stack what is lost is said: $blocks and $lost"
else
	skip "with a return stack what is lost is said" "CSFLOW_CORPUS is not set"
fi

echo "1..$n"
