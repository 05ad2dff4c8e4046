#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Snapshots of each core that a snapshot may name: protocol, profile and instruction set, in dump, and in the recording
# that script makes of them.  A LE instruction in the code is a branch on M profile only.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
: "${CSFLOW:=../build/check/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh
s=$tmp/snap
mkdir "$s"

# Code at 0x1000.  t32: NOP, LE lr, 0x1000, B 0x1000; a32, a64: NOP, B 0x1000.
printf '\0\xbf\x0f\xf0\x03\xc8\xfb\xe7' > "$s/t32.bin"
printf '\0\xf0\x20\xe3\xfd\xff\xff\xea' > "$s/a32.bin"
printf '\x1f\x20\x03\xd5\xff\xff\xff\x17' > "$s/a64.bin"

# The unit of each protocol: type, and registers in words of snapshots and of csflow asm.
type_etmv4=ETM4.0 regs_etmv4="TRCIDR1=0x4100f423 TRCIDR2=0x10000004 TRCCONFIGR=1 TRCTRACEIDR=0x10"
type_ete=ETE regs_ete="TRCDEVARCH=0x47705a13 TRCIDR2=0x488 TRCCONFIGR=1 TRCTRACEIDR=0x10"
type_ptm=PTM1.1 regs_ptm="ETMIDR=0x411cf312 ETMTRACEIDR=0x10"
type_etmv3=ETM3.5 regs_etmv3="ETMIDR=0x4114f240 ETMTRACEIDR=0x10"
type_mtb=MTB regs_mtb="POSITION=0x18 MASTER=0x80000001"

# The trace of NOP and the branch: once round the loop, and it begins again.  $1: protocol, $2: ISA, $3: address of the branch
trace()
{
	case $1 in
	mtb)	printf 'branch 0x100 0x1000 start\nbranch %s 0x1000\nbranch %s 0x1000\n' "$3" "$3" ;;
	ptm)	printf 'async\nisync 0x1000 %s on s\natom E\natom E\n' "$2" ;;
	# An atom for each instruction.
	etmv3)	printf 'async\nisync 0x1000 %s on s\natom E\natom E\n' "$2"
		[ "$3" != 0x1006 ] || echo 'atom E' ;;
	*)	echo async
		echo info
		case $2 in
		a64)	echo addr.ctx 0x1000 el0 ns 64 ;;
		a32)	echo addr32.ctx 0x1000 el0 ns 32 ;;
		t32)	echo addr32.ctx.is1 0x1000 el0 ns 32 ;;
		esac
		printf 'atom E\natom E\n' ;;
	esac
}

# core NAME PROFILE PROTOCOL ISA
core()
{
	local type=type_$3 regs=regs_$3 branch=0x1004 end=1008 options want= isa=" $4"

	case $4$2 in
	t32m)	branch=0x1002 end=1006 ;;
	t32*)	branch=0x1006 ;;
	a64*)	isa= ;;
	esac
	[ "$2" = a ] || want=" --profile=$2"
	printf '[snapshot]\nversion=1.0\n[device_list]\na=cpu.ini\nb=unit.ini\n[trace]\nmetadata=trace.ini\n' > "$s/snapshot.ini"
	printf '[device]\nname=cpu_0\nclass=core\ntype=%s\n[dump]\nfile=%s.bin\naddress=0x1000\n' "$1" "$4" > "$s/cpu.ini"
	printf '[device]\nname=unit\nclass=trace_source\ntype=%s\n[regs]\n' "${!type}" > "$s/unit.ini"
	tr ' ' '\n' <<< "${!regs}" >> "$s/unit.ini"
	printf '[trace_buffers]\nbuffers=b\n[b]\nname=b\nfile=trace.bin\nformat=source_data\n[core_trace_sources]\ncpu_0=unit\n' \
		> "$s/trace.ini"
	options=$(tr 'A-Z ' 'a-z\n' <<< "${!regs}" | sed '/traceidr/d; /^position/d; /^master/d; s/^/--/')
	# shellcheck disable=SC2086 # several options
	trace "$3" "$4" $branch | "$CSFLOW" asm --protocol="$3" --profile="$2" $options -o "$s/trace.bin" - 2> "$tmp/why"
	"$CSFLOW" dump --packets "$s" > "$tmp/packets" 2> "$tmp/said"
	"$CSFLOW" dump --elements "$s" > "$tmp/elements" 2>> "$tmp/said"
	"$CSFLOW" script -F ip,addr "$s" > "$tmp/script" 2> "$tmp/said.script"
	cat "$tmp/packets" "$tmp/elements" "$tmp/script" "$tmp/said" "$tmp/said.script" >> "$tmp/why"
	grep -q "^# .*--protocol=$3$want\\( --[^p]\\|\$\\)" "$tmp/packets" && [ ! -s "$tmp/said" ] &&
		grep -q "range 0x[0-9a-f]*-0x$end .* E branch.*$isa\$" "$tmp/elements" &&
		grep -q " ${branch#0x}  *=> *1000\$" "$tmp/script"
	ok $? "$1: $3, profile $2, $4"
}

while read -r profile protocol isa cores; do
	for name in $cores; do
		core "$name" "$profile" "$protocol" "$isa"
	done
done << 'END'
a ptm t32 Cortex-A5 Cortex-A7 Cortex-A8 Cortex-A9 Cortex-A12 Cortex-A15 Cortex-A17 ARMv7-A
a ptm a32 Cortex-A9 ARMv7-A
a etmv3 a32 Cortex-A5 Cortex-A7 Cortex-A8
a etmv4 a32 Cortex-A32
a etmv4 t32 Cortex-A32
a etmv4 a64 Cortex-A34 Cortex-A35 Cortex-A53 Cortex-A55 Cortex-A57 Cortex-A65 Cortex-A65AE Cortex-A72 Cortex-A73 Cortex-A75
a etmv4 a64 Cortex-A76 Cortex-A76AE Cortex-A77 Cortex-A78 Cortex-A78AE Cortex-A78C Cortex-X1 Cortex-X1C
a etmv4 a64 Neoverse-N1 Neoverse-E1 Neoverse-V1 ARMv8-A ARMv8.0-A ARMv8.1-A ARMv8.2-A ARMv8.3-A ARMv8.4-A ARM-AA64 ARM-aa64
a ete a64 Cortex-A510 Cortex-A520 Cortex-A710 Cortex-A715 Cortex-A720 Cortex-A725 Cortex-X2 Cortex-X3 Cortex-X4 Cortex-X925
a ete a64 Neoverse-N2 Neoverse-N3 Neoverse-V2 Neoverse-V3 C1-Ultra ARMv9-A ARMv9.2-A
r etmv3 a32 Cortex-R4 Cortex-R5 ARMv7-R
r etmv3 t32 Cortex-R4F Cortex-R5F
r etmv4 t32 Cortex-R7 Cortex-R8 Cortex-R52 Cortex-R52+ ARMv8-R
r etmv4 a64 Cortex-R82 ARM-AA64-R ARMv8.4-R
m etmv3 t32 Cortex-M3 Cortex-M4 Cortex-M4F Cortex-M23 SC300 ARMv7-M ARMv7E-M
m etmv4 t32 Cortex-M7 Cortex-M33 Cortex-M35P Cortex-M52 Cortex-M55 Cortex-M85 STAR-MC1 STAR-MC2
m etmv4 t32 ARMv8-M ARMv8.1-M ARMv8-M.main ARMv8.1-M.main ARM-AA64-M cortex_m33
m mtb t32 Cortex-M0 Cortex-M0+ Cortex-M1 Cortex-M23 Cortex-M33 SC000 ARMv6-M ARMv8-M.base
END

# A dump may begin at any even address: the NOP before the loop is in none.
core Cortex-M33 m etmv4 t32
tail -c +3 "$s/t32.bin" > "$s/odd.bin"
sed -i 's/^file=.*/file=odd.bin/; s/^address=.*/address=0x1002/' "$s/cpu.ini"
printf 'async\ninfo\naddr32.ctx.is1 0x1002 el0 s 32\natom N\natom E\n' |
	"$CSFLOW" asm --protocol=etmv4 --profile=m --trcidr1=0x4100f423 --trcidr2=0x10000004 --trcconfigr=1 -o "$s/trace.bin" - 2> "$tmp/why"
"$CSFLOW" dump --elements "$s" > "$tmp/elements" 2>> "$tmp/why"
grep -q 'range 0x1002-0x1006 1 N branch cond t32$' "$tmp/elements" && grep -q 'range 0x1006-0x1008 1 E branch t32$' "$tmp/elements"
ok $? "a dump at 0x1002: dump"
"$CSFLOW" script -F ip,addr "$s" 2>> "$tmp/why" | grep -q ' 1006  *=> *1000$'
ok $? "a dump at 0x1002: script"
"$CSFLOW" tarmac --no-progress --records=inst "$s" 2>> "$tmp/why" | awk '{ print $6, $7 }' | tr '\n' ';' > "$tmp/got"
[ "$(cat "$tmp/got")" = "00001002 f00fc803;00001006 e7fb;" ]
ok $? "a dump at 0x1002: tarmac"
"$CSFLOW" profile --for=counts -o "$tmp/counts" "$s" > "$tmp/why" 2>&1 && grep -q ", 2 instructions in " "$tmp/why"
ok $? "a dump at 0x1002: profile"

# A core that there is not, or that is new: said, and taken for A profile.
sed -i 's/^type=.*/type=Z80/' "$s/cpu.ini"
"$CSFLOW" dump --packets "$s" > "$tmp/why" 2>&1
grep -q "cpu.ini:4: core type 'Z80' is not known: taken for A profile" "$tmp/why"
ok $? "an unknown core is said"
sed -i '/^type=/d' "$s/cpu.ini"
"$CSFLOW" dump --packets "$s" > "$tmp/why" 2>&1
! grep -q "core type" "$tmp/why"
ok $? "a core without a type is not"
echo "1..$n"
