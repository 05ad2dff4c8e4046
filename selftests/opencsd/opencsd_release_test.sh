#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# libopencsd_c_api.so.1 for clients that were compiled with the headers of OpenCSD 1.3.3 (Debian's), 1.5.5
# and 1.8.0 (ours, opencsd/clients/opencsd.h; in check-long also 1.5.5's own, of Debian sid), each with
# CSFLOW_OPENCSD unset and set; and dump --format=opencsd as each release prints it.

cd "$(dirname "$0")/.." || exit 1
. lib/tap.sh
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
: "${CSFLOW:=../build/check/csflow}" "${CSFLOW_FAST:=$CSFLOW}"
lib=$(cd "$(dirname "${CSFLOW_FAST:-../build/csflow}")" && pwd)

# A loop of 900 rounds.
awk 'function it(a, w, what) { t++; printf "%d clk cpu0 %s (%d) %08x %s O EL1h_n : X\n", t, what, t, a, w }
BEGIN { for (i = 1; i <= 900; i++) {
		it(4096, "d503201f", "IT"); it(4100, "d503201f", "IT")
		it(4104, "b5ffffc0", i < 900 ? "IT" : "IS")
	}
	it(4108, "d503201f", "IT") }' > "$tmp/log"

# ---------------------------------------------------------------- the library

"$CSFLOW" encode --format=snapshot -u ete=1.3,ite=200,cid -o "$tmp/ite" "$tmp/log"
"$CSFLOW" dump --snapshot="$tmp/ite" --elements | sed -n 's/^.* \(ite el[0-9] 0x[0-9a-f]*\)$/\1/p' > "$tmp/ites"
[ "$(wc -l < "$tmp/ites")" -gt 3 ]
ok $? "a trace with instrumentation"

# client NAME CFLAGS...
client()
{
	local name=$1

	shift
	${CC:-gcc} -std=gnu11 -O1 "$@" -o "$tmp/$name" opencsd/clients/client.c \
		-L"$tmp" -l:libopencsd_c_api.so.1 2> "$tmp/why"
}
ln -s "$lib/libopencsd_c_api.so.1" "$tmp/libopencsd_c_api.so.1"
trace=$tmp/ite/trace0.bin

# said NAME RELEASE LINES: what the client sees; RELEASE: of CSFLOW_OPENCSD; LINES: except ranges
# and ITE
said()
{
	local name=$1 release=$2 want=$3

	LD_LIBRARY_PATH=$tmp CSFLOW_OPENCSD=$release "$tmp/$name" "$trace" > "$tmp/out" 2>&1
	echo "status $?" >> "$tmp/out"
	grep -v '^range\|^ite' "$tmp/out" > "$tmp/got"
	same <(printf '%s\n' "$want" "status 0") "$tmp/got" "$name, CSFLOW_OPENCSD=$release: what it is told"
	grep '^ite' "$tmp/out" > "$tmp/got"
	if [ "$name" = 1.3.3 ]; then
		[ ! -s "$tmp/got" ]
		ok $? "$name: none it cannot know"
	else
		same "$tmp/ites" "$tmp/got" "$name: all of ITE"
	fi
	[ "$(grep -c '^range of 3$' "$tmp/out")" = 900 ]
	ok $? "$name: 900 ranges"
}

memtrans='type 16: OCSD_GEN_TRC_ELEM_MEMTRANS(Init)'
if [ -e /usr/include/opencsd/c_api/opencsd_c_api.h ] && client 1.3.3; then
	said 1.3.3 1.3.3 "library 0x10303 1.3.3
end
$memtrans
type 17: OCSD_GEN_TRC_ELEM_CUSTOM()"
else
	skip "1.3.3" "no libopencsd-dev"
fi
client 1.5.5 -DOWN -DRELEASE=0x010505
said 1.5.5 1.5.5 "library 0x10505 1.5.5
end
$memtrans
type 18: OCSD_GEN_TRC_ELEM_CUSTOM()"
client 1.8.0 -DOWN
for release in '' 1.8.0; do
	said 1.8.0 "$release" "library 0x10800 1.8.0
end
$memtrans
type 19: OCSD_GEN_TRC_ELEM_CUSTOM()"
done

# Software trace: an STM in every release, an ITM in 1.8.0.
printf '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x0f\x0f\x30\xa1\x31\x24\xd4\xf8\x14\x14\x0c\xef' > "$tmp/stm"
printf '\x00\x00\x00\x00\x00\x80\x01\x48\x70\xc0\x05\x0e\x0f\x10' > "$tmp/itm"
# software NAME RELEASE PROTOCOL: what the client sees of it
software() { LD_LIBRARY_PATH=$tmp CSFLOW_OPENCSD=$2 "$tmp/$1" "$tmp/${3,,}" "$3" > "$tmp/got" 2>&1; }
cat > "$tmp/want" << 'END'
swt a1:42 bits 8 value 0xd8 time 0
swt a1:42 bits 8 value 0x14 time 0xc
swt a1:42 bits 0 value 0 time 0
end
END
for release in 1.3.3 1.5.5 1.8.0; do
	[ -x "$tmp/$release" ] || continue
	software "$release" "$release" STM
	sed -i 1d "$tmp/got"
	same "$tmp/want" "$tmp/got" "$release: an STM"
done
cat > "$tmp/want" << 'END'
library 0x10800 1.8.0
itm port 0 value 0x48/1 time 0
itm local 0 value 0x5/1 time 0x5 overflow
itm dwt 1 value 0x100f/2 time 0
end
END
software 1.8.0 '' ITM
same "$tmp/want" "$tmp/got" "1.8.0: an ITM"
software 1.8.0 1.5.5 ITM
[ $? = 1 ] && [ "$(wc -l < "$tmp/got")" = 1 ]
ok $? "CSFLOW_OPENCSD=1.5.5: no ITM"

# Without the variable all that an older client needs is there, too.
LD_LIBRARY_PATH=$tmp "$tmp/1.5.5" "$trace" | grep '^ite' > "$tmp/got"
same "$tmp/ites" "$tmp/got" "1.5.5, CSFLOW_OPENCSD unset: all of ITE"

if [ "$CSFLOW_LONG" ]; then
	lib/sid.sh "$O/sid" libopencsd-dev > "$tmp/sid" 2>&1
	case $? in
	0)
		sed 's/^/# /' "$tmp/sid"
		client sid -isystem "$O/sid/usr/include"
		said sid 1.5.5 "library 0x10505 1.5.5
end
$memtrans
type 18: OCSD_GEN_TRC_ELEM_CUSTOM()" ;;
	4)	skip "1.5.5 of sid" "no network" ;;
	*)	sed 's/^/# /' "$tmp/sid"; ok 1 "1.5.5 of sid" ;;
	esac
fi

# ---------------------------------------------------------------- the listing

"$CSFLOW" encode --format=snapshot -u etm4=4.6,cc=4,commopt=0,spec=8 -o "$tmp/cc" "$tmp/log"
# ranges RELEASE...: of the ranges of the loop and the two after it
ranges() { "$CSFLOW" dump --format=opencsd "$@" --snapshot="$tmp/cc" > "$tmp/out"; grep -c INSTR_RANGE "$tmp/out"; }
[ "$(ranges)" = 901 ] && grep -q '^\*\* Library Version : 1.8.0$' "$tmp/out"
ok $? "dump: 1.8.0 is the default, and says so: cycle counts commit"
[ "$(ranges --release=1.8.0)" = 901 ]
ok $? "dump --release=1.8.0"
[ "$(ranges --release=1.5.5)" -lt 901 ] && grep -q '^\*\* Library Version : 1.5.5$' "$tmp/out"
ok $? "dump --release=1.5.5: what only cycle counts commit is not there at the end"
"$CSFLOW" dump --snapshot="$tmp/cc" --elements | grep -c range | grep -qx 901
ok $? "dump: by the architecture there are all"
for release in 1.8.0 1.5.5 1.3.3; do
	"$CSFLOW" dump --format=opencsd --release=$release --snapshot="$tmp/ite" | grep -c 'INSTRUMENTATION(EL'
done > "$tmp/got"
same <(n=$(wc -l < "$tmp/ites"); printf '%s\n' "$n" "$n" 0) "$tmp/got" "dump --release=1.3.3: no ITE"
"$CSFLOW" asm --protocol=etmv4 --trcidr0=0x28000ea1 --trcidr1=0x4100f422 --trcidr2=0x20001088 -o "$tmp/nacc" << 'END'
async
info
addr32.ctx 0x2000 el1 ns 64
atom E
END
for release in 1.8.0 1.3.3; do
	"$CSFLOW" dump --protocol=etmv4 --trcidr0=0x28000ea1 --trcidr1=0x4100f422 --trcidr2=0x20001088 \
		--format=opencsd --release=$release "$tmp/nacc" | sed -n 's/.*ADDR_NACC//p'
done > "$tmp/got"
same <(printf '%s\n' '( 0x2000; Memspace [0x2:EL1N] )' '( 0x2000 )') "$tmp/got" \
	"dump --release=1.3.3: no memory space of missing code"
"$CSFLOW" dump --format=opencsd --release=1.4 --snapshot="$tmp/cc" > "$tmp/out" 2>&1
[ $? = 2 ] && grep -q "does not know '1.4'" "$tmp/out"
ok $? "dump: another release is refused"

echo "1..$n"
