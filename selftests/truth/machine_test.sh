#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow record --machine: programs without a system on a Cortex-M, under the virtual trace unit, with
# interrupts that come in between, in chains, and in each other.  What was decoded, and what the unit
# logged as lost on purpose, is exactly what was executed; and so it is without a layer of the decoder,
# another one in each row.  What the commands say of the snapshot is what the log says.
#
# CSFLOW_LONG: more rounds of the programs, and without each layer.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
for tool in qemu-system-arm arm-linux-gnueabihf-gcc; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
rounds=120
[ -z "$CSFLOW_LONG" ] || rounds=20000

. lib/tap.sh
CSFLOW=$csflow
. lib/without.sh

# build NAME PROCESSOR BASE OPTIONS...
build()
{
	local name=$1 cpu=$2 base=$3

	shift 3
	arm-linux-gnueabihf-gcc -mthumb -mcpu="$cpu" -mfloat-abi=soft -O2 -g -ffreestanding -fno-pic \
		-nostdlib -static -Wl,--build-id=none -Wl,--defsym=BASE="$base" -T programs/cortex-m.ld \
		"$@" -o "$tmp/$name" 2> "$tmp/why"
	[ $? = 0 ] || ok 1 "$name is built"
}

build m3 cortex-m3 0 programs/cortex-m.c
build m7 cortex-m7 0 programs/cortex-m.c
build m33 cortex-m33 0x10000000 programs/cortex-m.c
build two cortex-m33 0x10000000 -DTWO programs/cortex-m.c
build m55 cortex-m55 0x10000000 -DLOOPS programs/cortex-m.c
build secure cortex-m33 0x10000000 -Wl,--defsym=NONSECURE=0x200000 programs/cortex-m-secure.c

# A machine a line: name, program, how many instructions it has to run.
cat > "$tmp/machines" << 'END'
mps2-an385	m3
mps2-an500	m7
mps2-an505	m33
mps2-an521	two
mps2-an505	secure
mps3-an547	m55
END

# A trace unit a line; "-": what is usual for the machine.
cat > "$tmp/units" << 'END'
-
etm4=4.0
etm4=4.2,rs=3,cc=4,ts=300
etm4=4.3,bb,ts=100
etm4=4.5,rs,sync=200
etm4=4.2,spec=4:7,rs,sync=300
etm4=4.6,q=30,rs
etm4=4.4,overflow=500,lose=9
etm4=4.2,truncate=700,rs,cc=64
etm4=4.0,discard=500,spec=8
etm4=4.3,strobe=3000:1000,rs,wfx=0
etm4=4.6,event=10,ignore=20,marker,ts=500
END

echo "TAP version 13"

# ---------------------------------------------------------------- recordings

# record MACHINE PROGRAM OPTIONS...
record()
{
	local machine=$1 program=$2

	shift 2
	rm -rf "$tmp/snap" "$tmp/truth"
	"$csflow" record --machine="$machine" -o "$tmp/snap" --truth "$tmp/truth" "$@" -- \
		"$tmp/$program" $rounds > "$tmp/out" 2> "$tmp/why" < /dev/null
}

match()
{
	"$csflow" match "$tmp/truth" "$tmp/snap" > "$tmp/why" 2>&1
}

# How many instructions the log has, by the words of match.
executed()
{
	sed -n 's,.*/truth: \([0-9]*\) instructions.*,\1,p' "$tmp/why"
}

without()
{
	local layer some=("${layers[n % ${#layers[@]}]}")

	[ -z "$CSFLOW_LONG" ] || some=("${layers[@]}")
	for layer in "${some[@]}"; do
		CSFLOW_WITHOUT=$layer match
		ok $? "$1, without $layer"
	done
}

# What a program prints, and when its interrupts come, is as without us.
while read -r machine program; do
	qemu-system-arm -M "$machine" -accel tcg,thread=single -icount shift=4,align=off,sleep=off \
		-display none -monitor none -serial none -kernel "$tmp/$program" \
		-semihosting-config "enable=on,target=native,arg=x,arg=$rounds" > "$tmp/alone" 2>&1 < /dev/null
	record "$machine" "$program" -q && grep -q '^calls 0' "$tmp/out"
	ok $? "$machine, $program prints its counts"
	same "$tmp/alone" "$tmp/out" "$machine, $program prints the same"
done < "$tmp/machines"

total=0
while read -r machine program; do
	while read -r unit; do
		options=()
		[ "$unit" = - ] || options=(-u "$unit,seed=$n")
		name="$machine, $program, unit $unit"
		record "$machine" "$program" "${options[@]}" && match
		ok $? "$name"
		insns=$(executed)
		total=$((total + ${insns:-0}))
		without "$name"
	done < "$tmp/units"
done < "$tmp/machines"
echo "# $total instructions compared"
[ $total -ge 5000000 ]
ok $? "at least 5000000 instructions"

# ---------------------------------------------------------------- one of them

record mps2-an505 m33 -u etm4=4.2,rs --raw && match
ok $? "raw trace"
cp "$tmp/snap/trace.bin" "$tmp/first"
record mps2-an505 m33 -u etm4=4.2,rs --raw
cmp "$tmp/first" "$tmp/snap/trace.bin" > "$tmp/why" 2>&1
ok $? "a second recording is the same"
match
insns=$(executed)

# Each exception of the program is there: alone, in another, and after another.
"$csflow" dump --elements "$tmp/snap" > "$tmp/elements" 2> "$tmp/why"
for what in "0xb at" "0x6 at" "0xf at" "0x13 at" "0x13 tail-chain" "0x20c at" "0x20c tail-chain" \
	    "0xe at" "0xe tail-chain"; do
	grep -q "exception $what" "$tmp/elements"
	ok $? "there is an exception $what"
done
grep -q '^ *[0-9]* .*exception return' "$tmp/elements"
ok $? "and an exception return"

# Not all returns to Secure state are of exceptions.
record mps2-an505 secure && "$csflow" dump --elements "$tmp/snap" > "$tmp/secure" 2> "$tmp/why"
grep -q ' return$' "$tmp/secure" && grep -q 'context el3 nonsecure' "$tmp/secure" &&
	grep -q 'context el0 nonsecure' "$tmp/secure"
ok $? "function returns, and both states"

record mps2-an505 m33 -u etm4=4.2,rs --raw
"$csflow" tarmac --no-progress --records=inst "$tmp/truth" > "$tmp/want" 2> "$tmp/why"
"$csflow" tarmac --no-progress --records=inst "$tmp/snap" > "$tmp/got" 2> "$tmp/why"
[ "$(wc -l < "$tmp/want")" = "$insns" ]
ok $? "tarmac of the log has all instructions"
same "$tmp/want" "$tmp/got" "tarmac of the snapshot is the same"

# Commands that take the snapshot as a recording
"$csflow" report "$tmp/snap" > "$tmp/got" 2> "$tmp/why"
grep -q "^# Instructions: $insns\$" "$tmp/got" && grep -q '; lost: 0 atoms' "$tmp/got"
ok $? "report counts all instructions"
"$csflow" profile --for=counts -o "$tmp/counts" "$tmp/snap" > "$tmp/why" 2>&1
grep -q ", $insns instructions in .*; lost: 0 atoms" "$tmp/why"
ok $? "so does profile"
"$csflow" doctor "$tmp/snap" > "$tmp/got" 2> "$tmp/why"
grep -q "^verdict  *$insns instructions .* nothing is missing" "$tmp/got"
ok $? "doctor says that nothing is missing"
"$csflow" script --itrace=i1i -F ip "$tmp/snap" 2> "$tmp/why" | sed 's/^ *//' > "$tmp/got"
sed 's/.*) \([0-9a-f]*\) .*/\1/' "$tmp/want" > "$tmp/addresses"
sed 's/^0*//' "$tmp/addresses" | diff - "$tmp/got" > "$tmp/why" 2>&1
ok $? "script prints each instruction"

"$csflow" coverage -o "$tmp/got" "$tmp/snap" 2> "$tmp/why"
grep -q '^FNDA:[1-9][0-9]*,irq12$' "$tmp/got" && grep -q '^FNDA:0,stray$' "$tmp/got"
ok $? "coverage has its functions"

# ---------------------------------------------------------------- what goes wrong

# fails NAME TEXT OPTIONS...: it does, and says so
fails()
{
	local name=$1 text=$2

	shift 2
	"$csflow" record -o "$tmp/snap" "$@" > "$tmp/out" 2> "$tmp/why" < /dev/null
	[ $? != 0 ] && grep -q -- "$text" "$tmp/why"
	ok $? "$name"
}

fails "no such machine" "mps2-an505, " --machine=none -- "$tmp/m33"
fails "a program of this machine" "not for a Cortex-M" --machine=mps2-an505 -- /bin/true
fails "context IDs" "M profile has neither" --machine=mps2-an505 -u cid -- "$tmp/m33"
fails "ETE" "M profile has ETMv4" --machine=mps2-an505 -u ete=1.1 -- "$tmp/m33"
fails "two processors, raw" "this machine has two" --machine=mps2-an521 --raw -- "$tmp/m33"
fails "libraries" "not with --machine" --machine=mps2-an505 -L / -- "$tmp/m33"
fails "no emulator" "package qemu-system-arm" --machine=mps2-an505 --qemu=qemu-none -- "$tmp/m33"
fails "a snapshot that is a file" "Not a directory" --machine=mps2-an505 -o "$tmp/m33" -- "$tmp/m33"

# A program that never ends
cat > "$tmp/spin.c" << 'END'
extern unsigned int stack_end[];

static void start(void)
{
	for (;;)
		asm volatile("nop");
}

__attribute__((section(".vectors"))) void *const vectors[] = { stack_end, start };
END
build spin cortex-m33 0x10000000 "$tmp/spin.c"
timeout -s INT 1 "$csflow" record --machine=mps2-an505 -o "$tmp/snap" --truth "$tmp/truth" -- "$tmp/spin" \
	> "$tmp/out" 2> "$tmp/why"
grep -q 'stopped by SIGINT' "$tmp/why"
ok $? "a program that is stopped"
match && [ "$(executed)" -gt 10000 ]
ok $? "and what it executed until then is there"

echo "1..$n"
