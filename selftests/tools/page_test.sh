#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The pages of csflow report --html and csflow diff --html in a browser: what a person sees and does
# there, by pointer and by keys.  Pictures are in $O/check/pages.
#
# CSFLOW_LONG: windows of three sizes, light and dark; and a recording of 1.5 GB, whose page has at
# most 5 MB and opens within two seconds.
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
for tool in chromium python3 qemu-aarch64 aarch64-linux-gnu-gcc; do
	command -v $tool > /dev/null || give_up "no $tool"
done

pictures=$O/check/pages
mkdir -p "$pictures"

# page NAME COMMAND...: makes $tmp/NAME.html
page()
{
	"$CSFLOW" "${@:2}" --html -o "$tmp/$1.html" 2> "$tmp/why"
}

# visit NAME WHAT...: does what a person does, each of which is a test
visit()
{
	local line

	timeout 300 python3 tools/page_visit.py "$tmp/$1.html" "$pictures/$1" "$tmp/browser" "${@:2}" > "$tmp/said" 2> "$tmp/why" ||
		echo "not ok: $(tail -n 1 "$tmp/why")" >> "$tmp/said"
	while read -r line; do
		echo "$line" > "$tmp/why"
		[ "${line%%:*}" = ok ]
		ok $? "$1: ${line#*: }"
	done < "$tmp/said"
}

echo "TAP version 13"
# Threads that wait for each other, so they run at the same time, on several CPUs; names of a function
# and of a program that are more than names.
bad='</script><script>document.title="bad"</script><img/src=x onerror=document.title="bad">'
sed 's/^static void .work(/static _Atomic int here;\n\n&/; s/^.*(unsigned long)arg;/&\n\n\tfor (here++; here % THREADS; )\n\t\t;/' \
	programs/threads.c > "$tmp/threads.c"
aarch64-linux-gnu-gcc -O2 -g -static -pthread -o "$tmp/threads" "$tmp/threads.c" 2> "$tmp/why"
printf 'work %s\n_IO_new_file_xsputn a\x1b[31m\xff"\\b\xe2\x80\xa8\n' "$(tr ' ' '/' <<< "$bad")" > "$tmp/symbols"
aarch64-linux-gnu-objcopy --redefine-syms="$tmp/symbols" "$tmp/threads" "$tmp/<script>x<b>-and-a-long-name-of-a-program" 2> "$tmp/why"
(cd "$tmp" && "$csflow" record -q -o data -u ete=1.1,rs,cid,ts=2000,cc=4 --cpus=4 --quantum=500 -- './<script>x<b>-and-a-long-name-of-a-program' 1) > /dev/null 2> "$tmp/why"
ok $? "record threads"
page report report --percent-limit=0.05 "$tmp/data"
ok $? "its page"
visit report look phone graph search choose time code tables keys

# Two builds: one more call of fib(), fewer of all else; and a function that only one has.
mkdir "$tmp/b"
sed 's/fib(12)/fib(15) + new(sum)/; s/i < 500; i++)$/i < 400; i++)/; s/^int main/__attribute__((noipa)) static int new(int n) { return n \/ 3; }\n&/' \
	programs/loops.c > "$tmp/loops.c"
build_programs loops && mv "$tmp/data" "$tmp/threads.data" && record -u ete=1.1,rs,cid -- "$tmp/loops" && mv "$tmp/data" "$tmp/a.data" &&
	aarch64-linux-gnu-gcc -O2 -static -o "$tmp/b/loops" "$tmp/loops.c" &&
	record -u ete=1.1,rs,cid -- "$tmp/b/loops" && mv "$tmp/data" "$tmp/b.data"
ok $? "record two builds"
"$CSFLOW" diff --html -o "$tmp/diff.html" "$tmp/a.data" "$tmp/b.data" 2> "$tmp/why"
[ $? = 1 ]
ok $? "their page; they are different"
"$CSFLOW" diff --counts "$tmp/a.data" "$tmp/b.data" 2> "$tmp/why" |
	awk '/^ / { n = $1 ~ /%$/ && $2 ~ /%$/; print $(2 + n), $(3 + n), $(4 + n), $(6 + n) }' | sort > "$tmp/theirs"
python3 truth/page_data.py changes < "$tmp/diff.html" 2> "$tmp/why" | sort > "$tmp/ours"
[ "$(wc -l < "$tmp/theirs")" -gt 10 ] || echo none > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "changes of each of $(wc -l < "$tmp/theirs") functions are those of --counts"
"$CSFLOW" diff --html -o "$tmp/same.html" "$tmp/a.data" "$tmp/a.data" 2> "$tmp/why"
ok $? "a recording and itself are equal"
visit diff look compare
"$O/selftests/make/mkperf" "$tmp/b.data" "$tmp/holes.data" holes=1 2> "$tmp/why"
"$CSFLOW" diff --html -o "$tmp/losses.html" "$tmp/a.data" "$tmp/holes.data" 2> "$tmp/why"
visit losses losses

# Two builds of known instructions, see page_visit.py
cat > "$tmp/both.S" << 'END'
	.globl	_start
	.type	_start, %function
_start:	mov	x19, #COUNT
1:	bl	work
	subs	x19, x19, #1
	b.ne	1b
	mov	x0, #0
	mov	x8, #93
	svc	#0
	.size	_start, . - _start
	.type	work, %function
work:	add	x1, x1, #1
	tbz	x19, #0, 2f
#if COUNT == 3
	eor	x2, x2, x1
#else
	mul	x2, x2, x1
	nop
#endif
2:	ret
	.size	work, . - work
END
for count in 3 5; do
	mkdir "$tmp/$count"
	aarch64-linux-gnu-gcc -g -nostdlib -static -Wl,-Ttext=0x400000 -DCOUNT=$count -o "$tmp/$count/prog" "$tmp/both.S" 2> "$tmp/why" &&
		"$csflow" record -q -o "$tmp/$count.data" -- "$tmp/$count/prog" 2> "$tmp/why"
done
"$CSFLOW" diff --html -o "$tmp/both.html" "$tmp/3.data" "$tmp/5.data" 2> "$tmp/why"
visit both both

# 88,573 different calls, of 31 functions: more than a page has room for
python3 - > "$tmp/wide.c" << 'END'
print("static volatile int sum;")
for layer in range(10, 0, -1):
    for i in range(3):
        calls = "".join(f" f{layer + 1}_{k}(n + {i});" for k in range(3)) if layer < 10 else ""
        print(f"__attribute__((noipa)) static void f{layer}_{i}(int n) {{ sum += n;{calls} sum ^= {i}; }}")
print("int main(void) { f1_0(1); f1_1(2); f1_2(3); return 0; }")
END
aarch64-linux-gnu-gcc -O1 -static -o "$tmp/wide" "$tmp/wide.c" 2> "$tmp/why" && record -u ete=1.1,rs,cid,ts=2000 -- "$tmp/wide"
ok $? "record many different calls"
page wide report -j1 "$tmp/data"
ok $? "their page"
for what in calls shares; do
	python3 truth/page_data.py $what < "$tmp/wide.html" > "$tmp/said" 2>&1
	grep -v '^\(tid\|cpu\) ' "$tmp/said" > "$tmp/why"
	[ ! -s "$tmp/why" ]
	ok $? "what is left out of $what is in the rest of a caller"
done
[ "$(stat -c %s "$tmp/wide.html")" -lt 5000000 ]
ok $? "the page has $(($(stat -c %s "$tmp/wide.html") / 1000)) kB"
"$CSFLOW" report --html -j3 "$tmp/data" 2> "$tmp/why" | cmp - "$tmp/wide.html" > "$tmp/why"
ok $? "three threads make the same page"
visit wide left_out

[ -n "$CSFLOW_LONG" ] || { echo "1..$n"; exit 0; }

visit report sizes
visit diff sizes
# Without timestamps, and through a pipe, for mkstream; several threads would not make it larger.
record -u etm4=4.2,cid -- "$tmp/wide" && "$O/selftests/make/mkperf" "$tmp/data" "$tmp/piped" pipe 2> "$tmp/why" &&
	"$O/selftests/make/mkstream" "$tmp/piped" 1536 | "$CSFLOW_FAST" report --html -o "$tmp/large.html" - 2> "$tmp/why"
ok $? "the page of 1.5 GB"
[ "$(stat -c %s "$tmp/large.html")" -lt 5000000 ]
ok $? "it has $(($(stat -c %s "$tmp/large.html") / 1000)) kB"
visit large large left_out
echo "1..$n"
