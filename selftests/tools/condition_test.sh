#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Conditional instruction trace of ETMv4: csflow dump finds each instruction in the code.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
: "${CSFLOW:=../build/check/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

# 0x1000, A32: moveq r0, r0; nop; ldrne r1, [r0]; strge r1, [r0]; b 0x1000
# 0x1014, T32: ite hi; mov.w r0, r0; ldr r1, [r0]; nop; itt cs; mov r8, r8; str r1, [r0]; b .
{
	printf '\x00\x00\xa0\x01\x00\xf0\x20\xe3\x00\x10\x90\x15\x00\x10\x80\xa5\xfa\xff\xff\xea'
	printf '\x8c\xbf\x4f\xea\x00\x00\x01\x68\x00\xbf\x24\xbf\xc0\x46\x01\x60\xfe\xe7'
} > "$tmp/code"

# list TRCCONFIGR TRCIDR0: the elements of the packets on standard input, from the first context on
list()
{
	local unit=(--trcconfigr="$1" --trcidr0="$2" --trcidr1=0x4100f403 --trcidr2=0x488
		    --trcidr12=8 --profile=r)

	{
		printf 'async\ninfo\n'
		cat
	} > "$tmp/text"
	"$CSFLOW" asm "${unit[@]}" -o "$tmp/trace" "$tmp/text" &&
		"$CSFLOW" dump "${unit[@]}" --protocol=etmv4 --elements --code="$tmp/code@0x1000" "$tmp/trace" |
		sed 's/^ *[0-9]* \[..\] //; /^context/d; /^end of trace/d; s/^range \([^ ]*\) .*/range \1/' \
		> "$tmp/out"
}

# expect NAME: the list is the text on standard input
expect()
{
	cat > "$tmp/want"
	same "$tmp/want" "$tmp/out" "$1"
}

# TRCIDR0: COND, and CONDTYPE 0 or 1
passes=0x28000ec1
flags=0x28001ec1

list 0x701 $passes <<- END
addr32.ctx 0x1000 el1 ns 32
cond.r2 1
cond.i2 0
cond.r2 4
atom E
cond.r1 1:0x2
END
expect "A32: all conditional instructions, passed and failed" <<- END
cond 0x1000 passed
cond 0x100c failed
range 0x1000-0x1014
cond 0x1008 passed
END

list 0x101 $passes <<- END
addr32.ctx 0x1000 el1 ns 32
cond.r2 1
atom E
END
expect "A32: only loads" <<- END
cond 0x1008 passed
range 0x1000-0x1014
END

list 0x201 $passes <<- END
addr32.ctx 0x1000 el1 ns 32
cond.r2 0
cond.r2 1
atom E
END
expect "A32: only stores; there is no second one" <<- END
cond 0x100c failed
cond number 1 from 0x1000 passed
range 0x1000-0x1014
END

list 0x701 $flags <<- END
addr32.ctx 0x1000 el1 ns 32
cond.r1 ci0 4:0x1
cond.r1 ci0 4:0x2
cond.r1 ci0 9:0x3
atom E
cond.i2 0
cond.r4 0
END
expect "A32: flags, and what the condition makes of them" <<- END
cond 0x1000 nZcv passed
cond 0x1008 nZcv failed
cond 0x100c NzcV passed
range 0x1000-0x1014
cond without instruction, key 2 nzCv
cond 0x1000 no result
END

list 0x701 $flags <<- END
addr32.ctx.is1 0x1014 el1 ns 32
cond.r2 0
cond.r2 1
cond.r2 2
cond.r2 2
atom E
END
expect "T32: the conditions are those of IT" <<- END
cond 0x1016 nzCv passed
cond 0x101a Nzcv passed
cond 0x1020 nZCv passed
cond 0x1022 nZCv passed
range 0x1014-0x1026
END

list 0x301 $passes <<- END
addr32.ctx.is1 0x1014 el1 ns 32
cond.i3 2
cond.r3 0xff9
atom E
END
expect "T32: loads and stores; a result that is not known" <<- END
cond 0x101a passed
cond 0x1022 unknown
range 0x1014-0x1026
END

echo "1..$n"
