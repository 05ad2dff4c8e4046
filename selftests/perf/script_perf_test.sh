#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Names of stubs of procedure linkage tables: word by word those that objdump prints, for programs
# of both linkers; and names, columns and choice of the text of csflow script beside perf script
# 6.12.
#
# Where perf has a name, ours is the same. Where it has another one, a row names the cause:
#	t32		perf takes all stubs for 12 bytes, but where T32 code enters they have 16; of functions
#			that are chosen when a file is loaded it takes the T32 bit for a part of the address
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
for tool in qemu-aarch64 qemu-arm aarch64-linux-gnu-gcc arm-linux-gnueabihf-gcc clang ld.lld \
	llvm-objdump; do
	command -v $tool > /dev/null || give_up "no $tool"
done
cat > "$tmp/program.c" << 'END'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int order(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

int main(int argc, char **argv)
{
	int number[20];
	char text[100];

	for (int i = 0; i < 20; i++)
		number[i] = rand();
	qsort(number, 20, sizeof(*number), order);
	for (int i = 0; i < 20; i++) {
		snprintf(text, sizeof(text), "%d %f", number[i], sin(number[i]));
		puts(text);
		if (strlen(text) > 50 || argc > 100)
			abort();
	}
	return 0;
}
END

# ---------------------------------------------------------------- against objdump

# NAME at each word that a disassembler shows; a table's head, and stubs without symbol, by one word
theirs()
{
	awk '/^[0-9a-f]+ <.*>:$/ { name = $2; gsub(/^<|>:$/, "", name) }
	     /^ *[0-9a-f]+:/ { at = $1; sub(":", "", at); print at, name }' | fewer
}

fewer()
{
	sed -E 's/ (\.plt|.*@plt-0x[0-9a-f]+)$/ HEAD/; s/ \.iplt$/ CHOSEN/; s/ (\*ABS\*\+|offset_)0x[0-9a-f]+@plt$/ CHOSEN/; s/^0*//'
}

# name, compiler, options, disassembler
rows='pie	gcc	-O2	objdump
no-pie	gcc	-O2 -no-pie	objdump
now	gcc	-O2 -Wl,-z,now	objdump
pac	gcc	-O2 -Wl,-z,pac-plt	objdump
bti	gcc	-O2 -no-pie -mbranch-protection=bti -Wl,-z,force-bti	objdump
bti-pac	gcc	-O2 -no-pie -mbranch-protection=standard -Wl,-z,force-bti,-z,pac-plt	objdump
static-pie	gcc	-O2 -static-pie	objdump
stripped	gcc	-O2 -s	objdump
lld	clang	-O2	llvm-objdump
lld-bti-pac	clang	-O2 -no-pie -Wl,-z,force-bti,-z,pac-plt	llvm-objdump
arm	arm	-O2	objdump
arm-a32	arm	-O2 -marm	objdump
arm-static	arm	-O2 -static	objdump
arm-lld	arm-clang	-O2	readelf'

while IFS=$'\t' read -r name compiler options tool; do
	triple=aarch64-linux-gnu
	[[ $compiler = arm* ]] && triple=arm-linux-gnueabihf
	[ "$tool" = objdump ] && tool=$triple-objdump
	case $compiler in
	*clang)	compile="clang --target=$triple -fuse-ld=lld" ;;
	*)	compile=$triple-gcc ;;
	esac
	# shellcheck disable=SC2086 # words
	$compile $options -o "$tmp/$name" "$tmp/program.c" -lm 2> "$tmp/why" || {
		ok 1 "$name: $compile"
		continue
	}
	[ "$tool" = readelf ] || "$tool" -d -j .plt -j .iplt "$tmp/$name" 2> "$tmp/why" | theirs > "$tmp/theirs"
	"$O/selftests/make/mkplt" "$tmp/$name" .plt .iplt 2> "$tmp/why" | fewer > "$tmp/all"
	if [ "$tool" = readelf ]; then
		# not named by any disassembler here: the symbols of relocations, in their order
		readelf -rW "$tmp/$name" | awk '/_JUMP_SLOT/ { sub("@.*", "", $5); print $5 "@plt" }' > "$tmp/theirs"
		cut -d' ' -f2 "$tmp/all" | grep -v HEAD | uniq > "$tmp/ours"
		same "$tmp/theirs" "$tmp/ours" "$name: names of stubs are those of $tool"
		continue
	fi
	# T32 instructions have an address each
	awk 'NR == FNR { name[$1] = $2; next } $1 in name { print $1, name[$1] }' \
		"$tmp/all" "$tmp/theirs" > "$tmp/ours"
	awk 'NR == FNR { has[$1] = 1; next } $1 in has' "$tmp/all" "$tmp/theirs" > "$tmp/expected"
	[ "$(wc -l < "$tmp/ours")" -ge 8 ] || echo "too little to compare" >> "$tmp/ours"
	same "$tmp/expected" "$tmp/ours" "$name: names of stubs are those of $tool"
done <<< "$rows"

# ---------------------------------------------------------------- against perf script

# ADDRESS NAME+OFFSET (FILE), each once; addresses without a file are left out
names()
{
	awk '{ sub(/^[ =>]+/, ""); sub(/ +$/, "") }
		!/\(\[unknown\]\)$/ && !seen[$1]++ { sub(/ /, "\t"); print }' | sort -t"$tab" -k1,1
}
tab=$'\t'

[ -r /usr/src/linux-source-6.12.tar.xz ] || {
	skip "names of perf script" "no linux-source"
	echo "1..$n"
	exit
}
find_stock
aarch64-linux-gnu-g++ -O2 -pthread -o "$tmp/cxx" programs/names.cpp 2> "$tmp/why"
ok $? "a program in C++"
# Without timestamps: with them stock loses the end of each buffer (perf_shim_test.sh: wait), and how
# many buffers there are depends on the time that the program takes.
while IFS=$'\t' read -r program library cause; do
	record -u etm4=4.4,cid -L "$library" -- "$tmp/$program" && cp "$tmp/data" "$tmp/$program.data" || {
		ok 1 "$program: csflow record"
		continue
	}
	for field in ip addr; do
		"$CSFLOW" script -i "$tmp/data" -F $field,sym,symoff,dso 2> "$tmp/said"
	done | names > "$tmp/ours"
	for field in ip addr; do
		script "$stock" -F $field,sym,symoff,dso
	done | names > "$tmp/theirs"
	case $cause in
	t32)	sed -i '/@plt/d; /	\.plt/d; /	mem\(chr\|cpy\)+/d' "$tmp/ours" ;;
	esac
	sed -i '/	\[unknown\]/d' "$tmp/theirs"
	# an address, and the names that both have there
	join -t"$tab" "$tmp/ours" "$tmp/theirs" > "$tmp/both"
	awk -F'\t' '$2 != $3' "$tmp/both" > "$tmp/why"
	[ "$(grep -c @plt "$tmp/both")" -ge 3 ] || [ "$cause" = t32 ] ||
		echo "too little to compare" >> "$tmp/why"
	[ ! -s "$tmp/why" ] && [ "$(wc -l < "$tmp/both")" -ge 200 ]
	ok $? "$program: names are those of perf script${cause:+ ($cause)}"
done << END
pie	/usr/aarch64-linux-gnu
no-pie	/usr/aarch64-linux-gnu
now	/usr/aarch64-linux-gnu
static-pie	/usr/aarch64-linux-gnu
lld	/usr/aarch64-linux-gnu
stripped	/usr/aarch64-linux-gnu
cxx	/usr/aarch64-linux-gnu
arm	/usr/arm-linux-gnueabihf	t32
END
# ---------------------------------------------------------------- columns, and what is listed

# there OPTIONS: each line of perf's without [unknown] is one of ours. perf mostly does not know
# which thread ran; its BR is a return, so there are no flags here.
there()
{
	"$CSFLOW" script -i "$tmp/data" "$@" > "$tmp/all" 2> "$tmp/said"
	sort -u "$tmp/all" > "$tmp/ours"
	script "$stock" "$@" | grep -v '\[unknown\]\|:-1 ' | sort -u > "$tmp/theirs"
	comm -13 "$tmp/ours" "$tmp/theirs" > "$tmp/why"
	[ -s "$tmp/theirs" ] && [ ! -s "$tmp/why" ]
	ok $? "as perf script 6.12: $*"
}

# Only: the functions and files that are listed first in each line
only()
{
	local want=$1

	shift
	"$CSFLOW" script -i "$tmp/data" -F ip,sym,dso "$@" 2> "$tmp/said" |
		sed 's/^ *[0-9a-f]* //; s,(/.*/,(,' | sort -u > "$tmp/ours"
	printf '%s' "${want:+$want;}" | tr ';' '\n' | diff - "$tmp/ours" > "$tmp/why"
	ok $? "$*"
}

mv "$tmp/pie.data" "$tmp/data"
there -F comm,pid,tid,cpu,event,ip,sym,symoff,dso,addr,period
there -F tid,ip,dso,insn
there -F pid,ip,sym,dso,insnlen
there --itrace=i1i -F comm,tid,ip,sym,dso
there -F comm,tid,ip,sym,dso,addr --dsos pie
there -F comm,tid,ip,sym,dso,addr -S main,order
there --itrace=i1i -F ip,sym,dso --dsos pie,libm.so.6
there --itrace=i1il1 -F ip,dso,brstack --dsos pie
there --itrace=i1il1 -F ip,dso,brstacksym --dsos pie
only 'main (pie)' -S main
only 'main (pie);order (pie)' -S main,order --itrace=i1i
only '' -S main --dsos libc.so.6
only 'strlen@plt (pie)' -S strlen@plt
cp "$tmp/data" "$tmp/c.data"
cp "$tmp/cxx.data" "$tmp/data"
only 'work(double*) (cxx)' -S work
only 'shapes::circle::area(int) const (cxx)' -S 'shapes::circle::area(int) const'
cp "$tmp/c.data" "$tmp/data"
only 'main (pie)' -S "0x$("$CSFLOW" script -i "$tmp/data" -F ip,sym,symoff,addr 2> /dev/null |
	sed -n 's/.*=> *\([0-9a-f]*\) main+0x0$/\1/p' | tail -c 5 | sed 's/^0*//')"
"$CSFLOW" script -i "$tmp/data" --columns=6.1 --itrace=i50il1 -F pid,tid,ip,dso,brstack 2> /dev/null |
	grep -c '^ *[0-9]*/[0-9]*  *[0-9a-f]* (.*) 0x[0-9a-f]*(.*)/0x[0-9a-f]*(.*)/P/-/-/0/ $' > "$tmp/ours"
[ "$(cat "$tmp/ours")" -ge 1000 ]
ok $? "--columns=6.1"
for set in 6.1:6.1: 6.12:6.12: 6.1:6.12:--columns=6.12 7:6.12:; do
	IFS=: read -r key wanted option <<< "$set"
	printf '[script]\n\tkeep = 1\n[csflow]\n\tcolumns = %s\n' "$key" > "$tmp/columns"
	"$CSFLOW" script -i "$tmp/data" --columns=$wanted --itrace=i50i 2> /dev/null > "$tmp/theirs"
	# shellcheck disable=SC2086 # none or one
	PERF_CONFIG="$tmp/columns" "$CSFLOW" script -i "$tmp/data" $option --itrace=i50i 2> "$tmp/err" > "$tmp/ours"
	[ $key != 7 ] || grep -q "columns:4: csflow.columns: '7' is none of: 6.12 6.1" "$tmp/err" || echo unsaid >> "$tmp/ours"
	same "$tmp/theirs" "$tmp/ours" "csflow.columns=$key $option"
done
"$CSFLOW" script -i "$tmp/data" --itrace=i100ig --max-stack 2 -F ip,sym 2> /dev/null |
	awk '/^\t/ { n++; next } { if (n > most) most = n; n = 0 } END { print most }' > "$tmp/ours"
[ "$(cat "$tmp/ours")" = 2 ]
ok $? "--max-stack"
"$CSFLOW" script -i "$tmp/data" --around main -S main > /dev/null 2> "$tmp/why"
[ $? = 2 ] && grep -q 'not with --dsos or --symbols' "$tmp/why"
ok $? "--around: not with -S"
echo "1..$n"
