#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow report and csflow annotate: instructions of functions, threads and CPUs are those of the
# log of executed code, cycles those of the trace; loops go round as often as in the source; lines
# of disassembly are the code that ran; names that do harm to terminals and pages; and messages
# about missing parts.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh
# Leaks of LLVM are not ours.
export LSAN_OPTIONS=suppressions=$tmp/leaks
echo leak:libLLVM > "$tmp/leaks"

# Functions by symbols; inlined_test.sh has the others.
report()
{
	"$CSFLOW" report --no-inline "$@" 2> "$tmp/why"
}

# executed < TEXT: from the output of annotate: address, and how often, of each instruction that ran
executed()
{
	awk '$1 ~ /%$/ { for (i = 3; i < 6; i++) if ($i ~ /^[0-9a-f]+:$/) { sub(":", "", $i); print $i, $2; break } }'
}

annotate()
{
	"$CSFLOW" annotate "$@" 2> "$tmp/why"
}

# says WORDS NAME: the last command failed, and printed WORDS.
says()
{
	[ $? = 1 ] && grep -q "$1" "$tmp/why"
	ok $? "$2"
}

for tool in qemu-aarch64 aarch64-linux-gnu-gcc aarch64-linux-gnu-nm python3; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done

# ---------------------------------------------------------------- recordings

# record NAME THRESHOLD of cycle counts [OPTIONS]
record()
{
	local name=$1

	"$CSFLOW_FAST" record -q --truth="$tmp/$name.truth" -o "$tmp/$name.data" \
		-u "ete=1.1,rs,cid,cc=$2" "${@:3}" -- "$tmp/$name" 1 > /dev/null 2> "$tmp/why"
	ok $? "record $name"
	{ aarch64-linux-gnu-nm -S "$tmp/$name"; python3 lib/plt_stubs.py "$tmp/$name"; } > "$tmp/$name.nm"
	python3 lib/truth_count.py "$tmp/$name.truth" who > "$tmp/$name.times"
}

# truth NAME BY > FILE; ours NAME KEYS COLUMN OPTIONS... > FILE: sums of functions
truth()
{
	python3 lib/function_sums.py "$tmp/$1.nm" "$2" < "$tmp/$1.times"
}

ours()
{
	local name=$1 keys=$2 column=$3

	shift 3
	report "$@" | python3 lib/function_sums.py "$tmp/$name.nm" report "$keys" "$column"
}

cat > "$tmp/other.c" << 'END'
__attribute__((noipa)) static void twin(void) { asm volatile("nop"); }
__attribute__((constructor)) void other(void) { twin(); }
END
for name in loops threads trips; do
	more=$([ $name != trips ] || echo "$tmp/other.c")
	aarch64-linux-gnu-gcc -O2 -g -static -pthread -o "$tmp/$name" "programs/$name.c" $more \
		2> "$tmp/why"
	ok $? "$name is built"
	record $name "$([ $name = trips ] && echo 40 || echo 1)"
	truth $name none > "$tmp/theirs"
	ours $name 0 1 -s symbol "$tmp/$name.data" > "$tmp/ours"
	same "$tmp/theirs" "$tmp/ours" "$name: instructions of each of $(wc -l < "$tmp/theirs") functions"
done

truth threads tid > "$tmp/theirs"
ours threads 1 1 --by=thread -s tid,symbol "$tmp/threads.data" > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "by thread"
truth threads cpu > "$tmp/theirs"
ours threads 1 1 --by=cpu -s cpu,symbol "$tmp/threads.data" > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "by CPU"

# A count for one block; and one for several, which share it.
for name in loops trips; do
	"$CSFLOW" dump "$tmp/$name.data" | python3 lib/function_sums.py "$tmp/$name.nm" cycles \
		> "$tmp/theirs"
	ours $name 0 2 -s symbol "$tmp/$name.data" > "$tmp/ours"
	same "$tmp/theirs" "$tmp/ours" "$name: cycles of each of $(wc -l < "$tmp/theirs") functions"
done

"$CSFLOW" profile --for=counts -o "$tmp/counts" "$tmp/loops.data" 2> "$tmp/why"
truth loops none > "$tmp/theirs"
ours loops 0 1 -s symbol "$tmp/counts" > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "the same of a count table"
ours loops 0 1 -s symbol "$tmp/counts" "$tmp/loops.data" > "$tmp/ours"
awk '{ $NF = 2 * $NF; print }' "$tmp/theirs" > "$tmp/twice"
same "$tmp/twice" "$tmp/ours" "both: twice of it"
# Straight through code without a name, and through a function within a function.
cat > "$tmp/through.S" << 'END'
	.globl _start
	.type _start, %function
_start:
	b	1f
	.size _start, . - _start
1:	nop
	nop
	.type outer, %function
outer:
	nop
	.type inner, %function
inner:
	nop
	nop
	.size inner, . - inner
	mov	x8, #93
	mov	x0, #0
	svc	#0
	.size outer, . - outer
END
aarch64-linux-gnu-gcc -nostdlib -static -o "$tmp/through" "$tmp/through.S"
record through 4
"$CSFLOW" script -i "$tmp/through.data" --itrace=i1i -F ip,sym 2> "$tmp/why" |
	awk '{ n[$2]++ } END { for (i in n) print n[i], i }' > "$tmp/theirs"
report -s symbol "$tmp/through.data" | awk '/^ / { print $2, $NF }' | sort -k2 > "$tmp/ours"
sort -k2 "$tmp/theirs" | diff - "$tmp/ours" > "$tmp/why" && grep -q '^2 inner$' "$tmp/ours" && grep -q '^2 through+0x' "$tmp/ours"
ok $? "a block that begins in no function, and one with another function in it"

report --by=thread "$tmp/counts" > "$tmp/ours"
says 'do not have callers' "threads of a count table"
report -e cycles "$tmp/counts" > "$tmp/ours"
says 'no cycle counts' "cycles of a count table"

# ---------------------------------------------------------------- tables

report --percent-limit=10 "$tmp/loops.data" | grep -v '^#' > "$tmp/ours"
awk '$1 + 0 < 10 && NF' "$tmp/ours" > "$tmp/why"
[ -s "$tmp/ours" ] && [ ! -s "$tmp/why" ]
ok $? "--percent-limit"
report -S fib,main -d loops -c loops "$tmp/loops.data" | sed -n 's/.*\[\.\] //p' | sort > "$tmp/ours"
printf 'fib\nmain\n' > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "-S, -d, -c"
report -c nobody "$tmp/loops.data" | grep -v '^#' | grep . > "$tmp/ours"
[ ! -s "$tmp/ours" ]
ok $? "-c of another command: nothing"

# Executions times instructions, of all blocks; and branches taken, of all edges: as the profile has
# them.
report --show=blocks --percent-limit=0 "$tmp/loops.data" | grep -v '^#' |
	awk 'NF { s += $2 * $3 } END { print s }' > "$tmp/ours"
python3 lib/truth_count.py "$tmp/loops.truth" | cut -d' ' -f1 > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "instructions of all blocks"
report --show=edges --percent-limit=0 "$tmp/loops.data" |
	awk '$3 == "call" { c += $2 } $3 == "return" { r += $2 } END { print c, r }' > "$tmp/ours"
python3 lib/truth_count.py "$tmp/loops.truth" | cut -d' ' -f2,3 > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "calls and returns of all edges"

# Loops of programs/trips.c: the text there after "loop:" is entries, trips, least, most, cut,
# depth.
trips()
{
	report --show=loops --percent-limit=0 "$@" | awk -v only="$only" \
		'$NF ~ only { print $3, $4, $5, $7, $8, $9 }' | sort -u
}

only='^trips.c:' trips "$tmp/trips.data" > "$tmp/ours"
sed -n 's,.*loop: \([-0-9 ]*\) \*/.*,\1,p' programs/trips.c | sort -u > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "loops: entries, trips, least, most and depth as the source says"

# Without symbols the file is one piece; except for numbers loops are the same.
aarch64-linux-gnu-strip -o "$tmp/stripped" "$tmp/trips"
only='^[?][?]:0$' trips --binary="$tmp/stripped" "$tmp/trips.data" > "$tmp/ours"
comm -23 "$tmp/theirs" "$tmp/ours" > "$tmp/why"
[ ! -s "$tmp/why" ]
ok $? "loops of a program without symbols"

# Every loop of whole programs, by the log; with signals, threads, and calls that never come back.
# On one CPU: if a thread moves, which happens when the host is busy, it is unknown that it is the
# same visit.
for name in calls signals; do
	aarch64-linux-gnu-gcc -O2 -g -static -pthread -o "$tmp/$name" "programs/$name.c" 2> "$tmp/why"
	record $name 40 --cpus=1
done
cp "$tmp/threads" "$tmp/lone"
record lone 40 --cpus=1
for name in loops trips lone calls signals; do
	report --show=loops --percent-limit=0 "$tmp/$name.data" > "$tmp/text"
	python3 lib/truth_loops.py "$tmp/$name.truth" "$tmp/$name" "$tmp/text" > "$tmp/why" 2>&1
	ok $? "$name: rounds by the log: $(tail -n 1 "$tmp/why")"
done

# Where trace is lost a visit is cut, and never counts as a shorter one.
"$CSFLOW_FAST" record -q -o "$tmp/lost.data" -u ete=1.1,rs,cid,strobe=400:400 -- "$tmp/trips" 1 \
	> /dev/null 2> "$tmp/why"
report --show=loops --percent-limit=0 "$tmp/lost.data" | awk '
	/many\+.*trips.c:/ && $9 == 1 { least = $5; most = $7; cut = $8; all = $3 }
	END { print least, most, (cut > 10), (all > 100) }' > "$tmp/ours"
echo 13 13 1 1 > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "trace that is on and off: only visits that are whole tell how often"
report --show=loops "$tmp/counts" | awk '!/^#/ && NF { print $5 $7 $8, ($6 > 0) }' | sort -u > "$tmp/ours"
echo '--- 1' > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "of a count table only means are known"
report --show=loops - < <(cat "$tmp/trips.data") | awk '!/^#/ && NF { print $5 $7 $8, ($6 > 0) }' | sort -u > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "nor of a pipe"
mkfifo "$tmp/pipe"
timeout 60 sh -c 'cat "$0" > "$1"' "$tmp/trips.data" "$tmp/pipe" &
report --show=loops "$tmp/pipe" | awk '!/^#/ && NF { print $5 $7 $8, ($6 > 0) }' | sort -u > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "nor of one that has a name"
wait

# ---------------------------------------------------------------- calls

report --show=calls --percent-limit=0 "$tmp/loops.data" > "$tmp/text"
awk '!/^#/ && NF { s += $3 } END { print s }' "$tmp/text" > "$tmp/ours"
python3 lib/truth_count.py "$tmp/loops.truth" | cut -d' ' -f1 > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "calls: instructions of all functions"
awk '$5 == "by_size" { c += $4 } END { print c }' "$tmp/text" > "$tmp/ours"
report --show=edges --percent-limit=0 "$tmp/loops.data" |
	awk '$3 == "call" && $NF == "by_size" { c += $2 } END { print c }' > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "calls of a function: as often as edges lead to it"
sed -n 's/^ .*[0-9]  \( *\)\(_start\|main\|fib\)$/\1\2/p' "$tmp/text" | head -3 > "$tmp/ours"
printf '_start\n      main\n        fib\n' > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "who is below whom"
report --show=calls --by=thread "$tmp/threads.data" |
	sed -n 's,^.*[0-9]  threads [0-9]*/\([0-9]*\)$,\1,p' | sort > "$tmp/ours"
cut -d' ' -f1 "$tmp/threads.times" | sort -u > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "calls of each thread"
report -g --percent-limit=1 "$tmp/loops.data" | grep '^# csflow' > "$tmp/ours"
printf '# csflow report: %s\n' functions 'calls: with what a function called, and itself' > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "-g"
report --children "$tmp/loops.data" | awk '$NF == "main" || $NF == "_start" { print $1, $3 }' \
	> "$tmp/ours"
grep -E ' (_start|main)$' "$tmp/text" | awk '{ print $1, $3 }' > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "--children"
report -g "$tmp/counts" > "$tmp/ours"
says 'do not have callers' "calls of a count table"

# T32: bit 0 of a symbol is no part of its address, and instructions have two sizes.
if command -v arm-linux-gnueabihf-gcc > /dev/null; then
	arm-linux-gnueabihf-gcc -O2 -g -static -mthumb -o "$tmp/t32" programs/loops.c 2> "$tmp/why" &&
		"$CSFLOW_FAST" record -q -o "$tmp/t32.data" -u ete=1.1,rs,cid -- "$tmp/t32" \
			> /dev/null 2> "$tmp/why"
	ok $? "record T32"
	report --show=calls --percent-limit=0 "$tmp/t32.data" |
		awk '$5 == "by_size" { c += $4; n += $3 } END { print c, n }' > "$tmp/ours"
	report -S by_size "$tmp/t32.data" | awk '$NF == "by_size" { print 3852, $2 }' > "$tmp/theirs"
	[ "$(cut -d' ' -f1 "$tmp/ours")" = 3852 ] && diff "$tmp/theirs" "$tmp/ours" > "$tmp/why"
	ok $? "T32: calls and instructions of a function"
	arm-linux-gnueabihf-objdump -d --no-show-raw-insn --disassemble=by_size "$tmp/t32" |
		sed -n 's/^ *\([0-9a-f]*\):.*/\1 3852/p' > "$tmp/theirs"
	annotate --no-source by_size "$tmp/t32.data" |
		executed > "$tmp/ours"
	same "$tmp/theirs" "$tmp/ours" "T32: each of $(wc -l < "$tmp/theirs") instructions"
else
	skip "T32" "no arm-linux-gnueabihf-gcc"
fi

# ---------------------------------------------------------------- a page

report --html -o "$tmp/page.html" "$tmp/loops.data"
python3 truth/page_data.py functions < "$tmp/page.html" 2> "$tmp/why" |
	python3 lib/function_sums.py "$tmp/loops.nm" report 0 1 > "$tmp/ours"
truth loops none > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "a page: instructions of functions"
python3 truth/page_data.py calls < "$tmp/page.html" > "$tmp/why" 2>&1 && [ ! -s "$tmp/why" ]
ok $? "a page: what calls add up to"
for by in tid cpu; do
	report --html "$tmp/threads.data" | python3 truth/page_data.py shares 2>&1 | sed -n "/^$by /p; /not/p" > "$tmp/ours"
	awk -v by=$by '{ n[by == "tid" ? $1 : $2] += $4 } END { for (i in n) print by, i, n[i] }' "$tmp/threads.times" |
		sort -k2n > "$tmp/theirs"
	same "$tmp/theirs" "$tmp/ours" "a page: instructions of each of $(wc -l < "$tmp/theirs") by $by"
done
# Loops, blocks and edges are those of the tables.
report --html --percent-limit=0 -o "$tmp/trips.html" "$tmp/trips.data"
page_table()
{
	python3 truth/page_data.py "$1" < "$tmp/$2.html" > "$tmp/ours" 2> "$tmp/why"
	same "$tmp/theirs" "$tmp/ours" "a page: $(wc -l < "$tmp/theirs") $1 of $2"
}
report --show=loops --percent-limit=0 "$tmp/trips.data" |
	awk '!/^#/ && NF { print $2, $3, $4, $5, $6, $7, $8, $9, $12, $13 }' > "$tmp/theirs"
page_table loops trips
report --show=blocks --percent-limit=0 "$tmp/trips.data" |
	awk '!/^#/ && NF { print $2, $3, $7, $8 }' > "$tmp/theirs"
page_table blocks trips
report --show=edges --percent-limit=0 "$tmp/trips.data" |
	awk '!/^#/ && NF { print $2, $3, $6, $NF }' > "$tmp/theirs"
page_table edges trips
report --html "$tmp/counts" > "$tmp/counts.html"
report --show=loops "$tmp/counts" |
	awk '!/^#/ && NF { print $2, $3, $4, $5, $6, $7, $8, $9, $12, $13 }' > "$tmp/theirs"
page_table loops counts
truth loops none > "$tmp/theirs"
python3 truth/page_data.py functions < "$tmp/counts.html" 2> "$tmp/why" |
	python3 lib/function_sums.py "$tmp/loops.nm" report 0 1 > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "a page of a count table"

# Names that are more than names: of a symbol, a folder, and a source file with a script.
bad='</script><script>document.title="bad"</script><img/src=x onerror=document.title="bad">'
mkdir "$tmp/<b>&amp;"
source="$tmp/<b>&amp;/<i>.c"
{
	printf '/* <!-- <script> %s */\n' "$bad"
	sed 's/int main(void)/int main(void) \/* \xff\xe2\x80\xa8 <\/script> *\//' programs/loops.c
} > "$source"
aarch64-linux-gnu-gcc -O2 -g -static -o "$tmp/plain" "$source" 2> "$tmp/why"
printf 'fib %s\nby_size a\x1b[31m\xff"\\b\n' "$(echo "$bad" | tr ' ' '/')" > "$tmp/symbols"
aarch64-linux-gnu-objcopy --redefine-syms="$tmp/symbols" "$tmp/plain" "$tmp/<b>&amp;/<i>" 2> "$tmp/why"
fast=$(realpath "$CSFLOW_FAST")
(cd "$tmp" && "$fast" record -q -o hostile.data -u ete=1.1,rs,cid -- './<b>&amp;/<i>' 1) \
	> /dev/null 2> "$tmp/why"
ok $? "record a program with names that do harm"
report "$tmp/hostile.data" > "$tmp/text"
! grep -q $'\x1b' "$tmp/text" && grep -q 'a?\[31m' "$tmp/text"
ok $? "what moves the cursor is not printed"
report --html -o "$tmp/hostile.html" "$tmp/hostile.data"
python3 truth/page_data.py calls < "$tmp/hostile.html" > "$tmp/why" 2>&1 && [ ! -s "$tmp/why" ]
ok $? "a page with such names is whole"

grep -c '<script' "$tmp/hostile.html" > "$tmp/ours"
grep -c '<script' "$tmp/page.html" > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "and has no script that is not ours"

# ---------------------------------------------------------------- annotate

annotate main "$tmp/loops.data" > "$tmp/text"
[ $? = 0 ] && grep -q '^ \{60\}loops.c:52 .*op\[next() % 3\]' "$tmp/text" &&
	grep -q '^ .*  loops.c:52 .*op\[next() % 3\]' "$tmp/text"
ok $? "source beside it"
grep -q 'blr .*# -> sub 37.00%, mix 33.00%, add 30.00%' "$tmp/text"
ok $? "targets of an indirect call"
grep -q 'b\.ne .*# taken 99.80% -> main+0x' "$tmp/text"
ok $? "how often a branch is taken"
executed < "$tmp/text" | sort > "$tmp/ours"
main=$(sed -n 's/^0*\([0-9a-f]*\) \([0-9a-f]*\) T main$/\1 \2/p' "$tmp/loops.nm")
python3 - $main "$tmp/loops.times" << 'END' | sort > "$tmp/theirs"
import sys
start, size = (int(v, 16) for v in sys.argv[1:3])
for line in open(sys.argv[3]):
    tid, cpu, addr, n = line.split()
    if start <= int(addr, 16) < start + size:
        print(addr, n)
END
same "$tmp/theirs" "$tmp/ours" "each of $(wc -l < "$tmp/theirs") instructions of main"
# Cycles of a block stand at its first instruction: the sums of all counts of the trace in it.
"$CSFLOW" dump "$tmp/loops.data" | python3 lib/function_sums.py "$tmp/loops.nm" times > "$tmp/cycles"
awk '$3 ~ /^[0-9a-f]+:$/ { print $3, "-", "-" } $5 ~ /^[0-9a-f]+:$/ { print $5, $3, $4 }' "$tmp/text" |
	tr -d : > "$tmp/blocks"
awk '$2 != "-"' "$tmp/blocks" > "$tmp/ours"
awk 'NR == FNR { times[$1] = $2; cycles[$1] = $3; next }
	$2 != "-" { if (at) print at, c, n; at = $1; c = n = 0 }
	{ n += times[$1]; c += cycles[$1] }
	END { print at, c, n }' "$tmp/cycles" "$tmp/blocks" |
	awk '{ ipc = int(($3 * 100 + int($2 / 2)) / $2); printf "%s %d %d.%02d\n", $1, $2, ipc / 100, ipc % 100 }' \
	> "$tmp/theirs"
[ "$(wc -l < "$tmp/theirs")" -gt 5 ] || echo none > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "cycles of each of $(wc -l < "$tmp/theirs") blocks of main"
report -S main -s symbol "$tmp/loops.data" | awk '$NF == "main" { print $3, $4 }' > "$tmp/theirs"
sed -n 's/^# Cycles: \([0-9]*\), .*IPC \([0-9.]*\)$/\1 \2/p' "$tmp/text" > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "cycles of main"
awk '$NF == "main" { print $3 }' <(report -S main -s symbol "$tmp/loops.data") > "$tmp/theirs"
awk '/^# .*Line$/ { lines = 1 } /^# .*Instruction$/ { lines = 0 }
	lines && !/^#/ { sum += $4 } END { print sum }' "$tmp/text" > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "and of its lines"
# How often branches are taken, in some functions, by the log.
python3 lib/truth_branches.py "$tmp/loops.truth" | sort > "$tmp/branches"
for name in main fib by_size msort_with_tmp.part.0 __vfprintf_internal _IO_file_xsputn; do
	annotate --no-source $name "$tmp/loops.data"
done | sed -n 's/^.* \([0-9a-f]*\):  .*# taken \([0-9.]*%\).*/\1 \2/p' | sort > "$tmp/ours"
join -o 1.1,1.2 "$tmp/branches" "$tmp/ours" > "$tmp/theirs"
[ "$(wc -l < "$tmp/theirs")" -gt 20 ] || echo none > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "how often each of $(wc -l < "$tmp/theirs") branches was taken"
annotate --no-source main "$tmp/loops.data" > "$tmp/text"
! grep -q 'loops.c' "$tmp/text" && grep -q 'blr' "$tmp/text"
ok $? "--no-source"
annotate main "$tmp/counts" > "$tmp/ours"
executed < "$tmp/ours" > "$tmp/theirs"
annotate main "$tmp/loops.data" | executed | diff "$tmp/theirs" - > "$tmp/why" && ! grep -q Cycles "$tmp/ours"
ok $? "the same of a count table"

annotate mian "$tmp/loops.data" > /dev/null
says 'have similar names: main' "a function that there is not: one that there is"
annotate abort "$tmp/loops.data" > /dev/null
says 'abort: nothing of it ran' "a function that did not run"
annotate twin "$tmp/trips.data" > "$tmp/text"
says "several functions are named 'twin'" "two functions of one name"
address=$(sed -n 's/^csflow:   \(0x[0-9a-f]*\) .*/\1/p' "$tmp/why" | head -1)
annotate "$address" "$tmp/trips.data" | grep -q '^# csflow annotate: twin'
ok $? "one of them by its address"
# One name in the program and in its library; more was executed of the library's.
mkdir "$tmp/named"
cat > "$tmp/named/lib.c" << 'END'
static __attribute__((noinline)) int work(int n)
{
	volatile int sum = 0;

	while (n--)
		sum += n;
	return sum;
}

int lib(int n)
{
	return work(n) + 1;
}
END
sed 's/^int lib(int n)/int lib(int n);\n\nint main(void)/; s/work(n) + 1/work(3) + lib(1000) == 0/' "$tmp/named/lib.c" \
	> "$tmp/named/named.c"
(cd "$tmp/named" && aarch64-linux-gnu-gcc -O1 -g -shared -fPIC -o libnamed.so lib.c &&
	aarch64-linux-gnu-gcc -O1 -g -o named named.c -L. -lnamed -Wl,-rpath,"$PWD" &&
	QEMU_LD_PREFIX=/usr/aarch64-linux-gnu "$CSFLOW_FAST" record -q -o data -u ete=1.1,rs,cid -- ./named) > "$tmp/why" 2>&1
annotate work "$tmp/named/data" > "$tmp/text"
[ $? = 0 ] && grep -q '^# .*: work' "$tmp/text" && grep -q 'named\.c:' "$tmp/text" && ! grep -q 'lib\.c:' "$tmp/text"
ok $? "one name in several files: that of the program that was run"
grep -q "several functions are named 'work'; shown is the one of named, the program that was run" "$tmp/why" &&
	grep -q 'in libnamed.so: [0-9]* instructions' "$tmp/why" && ! grep -q 'in named:' "$tmp/why"
ok $? "which is said, with the others"
annotate --dsos=libnamed.so work "$tmp/named/data" > "$tmp/text"
[ ! -s "$tmp/why" ] && grep -q 'lib\.c:' "$tmp/text"
ok $? "one of them by its file"
annotate > /dev/null
[ $? = 2 ]
ok $? "of which function?"
mkdir "$tmp/empty"
mv "$tmp/loops" "$tmp/elsewhere"
id=$(aarch64-linux-gnu-readelf -n "$tmp/elsewhere" | sed -n 's/.*Build ID: //p')
annotate --symfs="$tmp/empty" main "$tmp/counts" > /dev/null
says "build-id $id: missing: .* --symfs or --buildid-dir" "a program that is missing, by its build-id"
report "$tmp/counts" | grep -q 'loops *\[\.\] \[unknown\]'
ok $? "and its instructions, without names"
annotate --binary="$tmp/elsewhere" main "$tmp/counts" | diff "$tmp/ours" - | grep -c '^[<>]' > "$tmp/why"
[ "$(cat "$tmp/why")" = 2 ]
ok $? "it is named: the same, but for that name"

# Without LLVM: words of code
cat > "$tmp/no.c" << 'END'
#include <stddef.h>
void *dlopen(const char *name, int flags) { return NULL; }
END
gcc -shared -fPIC -o "$tmp/no.so" "$tmp/no.c"
LD_PRELOAD=$tmp/no.so "$CSFLOW_FAST" annotate --binary="$tmp/elsewhere" main "$tmp/counts" \
	> "$tmp/text" 2> "$tmp/why"
[ $? = 0 ] && grep -q 'no LLVM library' "$tmp/why" && grep -q '\.inst 0x' "$tmp/text"
ok $? "no disassembler: it says so, and prints words"

report "$tmp/nothing" > /dev/null
says 'No such file' "a file that is not there"
echo "1..$n"
