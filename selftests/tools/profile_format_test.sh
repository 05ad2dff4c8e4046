#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow profile: its output for the tools of others, which read it here; and files that are
# missing, that are different, or that lack what a format needs.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

for tool in qemu-aarch64 aarch64-linux-gnu-gcc; do
	command -v $tool > /dev/null && continue
	skip "profiles of recordings" "no $tool"
echo "1..$n"
	exit 0
done

# profile FORMAT PROGRAM: to $tmp/PROGRAM.FORMAT
profile()
{
	"$CSFLOW" profile --for="$1" --binary="$tmp/$2" -o "$tmp/$2.$1" "$tmp/$2.counts" 2> "$tmp/why"
}

record()
{
	"$CSFLOW_FAST" record -q -o "$tmp/$1.data" -u ete=1.1,rs,cid -- "$tmp/$1" 1 > /dev/null 2> "$tmp/why" &&
		"$CSFLOW_FAST" profile --for=counts -o "$tmp/$1.counts" "$tmp/$1.data" 2>> "$tmp/why"
}

# The tool under its own name: as perf2bolt-19 it takes itself for llvm-bolt.
tool()
{
	local link

	link=$(command -v "$1-$2") && echo "$(dirname "$(readlink -f "$link")")/$1"
}

export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
# DWARF 4, for create_gcov, which knows no other version.
aarch64-linux-gnu-gcc -O2 -g -gdwarf-4 -Wl,--emit-relocs -o "$tmp/loops" programs/loops.c programs/twin.c 2> "$tmp/why" &&
	record loops
ok $? "record a PIE that calls into libraries, and is called from there"

# ---------------------------------------------------------------- BOLT

# perf2bolt VERSION FORMAT
perf2bolt()
{
	profile "$2" loops || return 1
	"$(tool perf2bolt "$1")" -pa -p "$tmp/loops.$2" -o "$tmp/fdata.$2.$1" "$tmp/loops" > "$tmp/why" 2>&1 &&
		grep -q 'mismatching disassembled function contents: 0 ' "$tmp/why" &&
		grep -qi 'out of range traces involving unknown regions: 0 ' "$tmp/why"
}

if command -v perf2bolt-19 > /dev/null; then
	perf2bolt 19 bolt
	ok $? "perf2bolt-19: no trace that it does not understand"
	grep -q '^1 main [0-9a-f]* 1 add/1 0 0 150$' "$tmp/fdata.bolt.19" &&
		grep -q '^1 .* 1 frame_dummy/[12] 0 0 7$' "$tmp/fdata.bolt.19"
	ok $? "perf2bolt-19: calls by pointer"
	grep -qx '0 \[unknown\] 0 1 main 0 0 1' "$tmp/fdata.bolt.19"
	ok $? "perf2bolt-19: main is called from the library"
	# It takes nothing from functions whose jumps it does not understand: sysconf() of a static
	# program.
	aarch64-linux-gnu-gcc -O2 -static -Wl,--emit-relocs -o "$tmp/static" programs/loops.c && record static &&
		profile bolt static &&
		"$(tool perf2bolt 19)" -v 1 -pa -p "$tmp/static.bolt" -o "$tmp/fdata" "$tmp/static" > "$tmp/log" 2>&1
	sed -n 's/.*mismatching disassembled function contents: \([0-9]*\) .*/\1/p' "$tmp/log" > "$tmp/theirs"
	nm -S --defined-only "$tmp/static" | grep "$(sed -n 's/.*failed to post-process indirect branches for \([a-z_0-9]*\).*/ \1$/p' "$tmp/log")" |
		perl -e 'my ($bolt, %size) = shift;
			while (<>) { my ($start, $size) = split; $size{hex $start} = hex $size }
			open(my $f, "<", $bolt); my $n = 0;
			while (<$f>) {
				my ($kind, $from, $to, $count) = split;
				$n += $count if lc($kind) eq "f" && grep { hex($from) >= $_ && hex($from) < $_ + $size{$_} } keys %size;
			}
			print "$n\n"' "$tmp/static.bolt" > "$tmp/ours"
	same "$tmp/theirs" "$tmp/ours" "perf2bolt-19: a static program: $(cat "$tmp/theirs") traces in functions that it gave up"
	# Branches for which BOLT has no edge: stubs of a PLT, returns from elsewhere, and code
	# after calls.
	profile fdata loops
	for file in loops.fdata fdata.bolt.19; do
		grep -v ' 0 \[unknown\] 0 0\|@PLT\|BOLT_PSEUDO\|__do_global_dtors_aux' "$tmp/$file" |
			grep -v '^0 .* [0-9a-f]*[1-9a-f][0-9a-f]* 0 [0-9]*$' | sort > "$tmp/$file.sorted"
	done
	same "$tmp/fdata.bolt.19.sorted" "$tmp/loops.fdata.sorted" "fdata as perf2bolt-19 makes it: $(wc -l < "$tmp/loops.fdata.sorted") lines"
	"$(tool merge-fdata 19)" "$tmp/loops.fdata" "$tmp/loops.fdata" 2> "$tmp/why" | grep -q '^1 main [0-9a-f]* 1 add/1 0 0 300$'
	ok $? "merge-fdata-19 adds it up"
	"$(tool llvm-bolt 19)" "$tmp/loops" -o "$tmp/bolted" -data="$tmp/loops.fdata" -reorder-blocks=ext-tsp \
		-dyno-stats > "$tmp/why" 2>&1 && grep -q 'modified layout of [1-9]' "$tmp/why" &&
		qemu-aarch64 "$tmp/loops" > "$tmp/theirs" && qemu-aarch64 "$tmp/bolted" > "$tmp/ours" &&
		cmp "$tmp/theirs" "$tmp/ours" >> "$tmp/why" 2>&1
	ok $? "llvm-bolt-19 makes a program of it that runs"
else
	skip "perf2bolt-19" "no perf2bolt-19"
fi
if command -v perf2bolt-22 > /dev/null; then
	perf2bolt 22 bolt
	ok $? "perf2bolt-22: no trace that it does not understand"
	perf2bolt 22 bolt-traces
	ok $? "perf2bolt-22: nor in lines T and R"
	# After a return it need not guess how often execution came there from elsewhere.
	grep -v '^0 .* [0-9a-f]*[1-9a-f][0-9a-f]* 0 [0-9]*$' "$tmp/fdata.bolt.22" > "$tmp/theirs"
	same "$tmp/theirs" "$tmp/fdata.bolt-traces.22" "perf2bolt-22: the same counts from them"
else
	skip "perf2bolt-22" "no perf2bolt-22"
fi

# ---------------------------------------------------------------- LLVM

# The view of gdb and profilers of optimised code: C by clang, with DWARF 4 and with DWARF 5.
clang=
for cc in clang-19 clang-16 clang-14 clang; do
	[ -z "$clang" ] && command -v $cc > /dev/null && clang=$cc
done

# overlap PROGRAM FORMAT: with the profile that llvm-profgen-19 makes
overlap()
{
	llvm-profdata-19 overlap --sample "$tmp/$1.theirs" "$tmp/$1.$2" > "$tmp/why" 2>&1 &&
		awk '/Whole program sample overlap/ { if ($NF + 0 >= 99.9) good = 1 } END { exit !good }' "$tmp/why"
}

if [ -z "$clang" ]; then
	skip "LLVM's sample profile" "no clang"
elif ! command -v llvm-profgen-19 > /dev/null; then
	skip "LLVM's sample profile" "no llvm-profgen-19"
else
	for flags in "loops -O2 -gdwarf-5" "plain -O3 -gdwarf-4"; do
		name=${flags%% *}
		$clang --target=aarch64-linux-gnu -g -fdebug-info-for-profiling -fuse-ld=lld ${flags#* } \
			-o "$tmp/c$name" "programs/$name.c" programs/twin.c 2> "$tmp/why" && record "c$name"
		ok $? "record $flags"
		profile profgen "c$name" &&
			llvm-profgen-19 --binary="$tmp/c$name" --unsymbolized-profile="$tmp/c$name.profgen" \
				--format=text -o "$tmp/c$name.theirs" > "$tmp/why" 2>&1
		ok $? "llvm-profgen-19 reads counts without symbols"
		profile llvm "c$name" && overlap "c$name" llvm
		ok $? "llvm: at least 99.9 % of it is llvm-profgen's"
		same "$tmp/c$name.theirs" "$tmp/c$name.llvm" "llvm: line by line: $(wc -l < "$tmp/c$name.llvm")"
		profile perfscript "c$name" &&
			llvm-profgen-19 --binary="$tmp/c$name" --perfscript="$tmp/c$name.perfscript" \
				--format=text -o "$tmp/theirs" > "$tmp/why" 2>&1
		same "$tmp/c$name.llvm" "$tmp/theirs" "llvm-profgen-19 makes the same of perfscript"
		profile extbinary "c$name"
		bad=0
		for v in 14 16 19; do
			command -v llvm-profdata-$v > /dev/null || continue
			for format in llvm extbinary; do
				llvm-profdata-$v merge --sample --text -o "$tmp/$format" "$tmp/c$name.$format" 2>> "$tmp/why"
			done
			cmp "$tmp/llvm" "$tmp/extbinary" >> "$tmp/why" 2>&1 || bad=1
		done
		ok $bad "extbinary: the same to llvm-profdata 14, 16, 19"
		llvm-profdata-19 merge --sample --extbinary -o "$tmp/merged" "$tmp/c$name.llvm"
		llvm-profdata-19 show --sample --detailed-summary "$tmp/merged" > "$tmp/theirs"
		llvm-profdata-19 show --sample --detailed-summary "$tmp/c$name.extbinary" > "$tmp/ours"
		same "$tmp/theirs" "$tmp/ours" "extbinary: its summary as llvm-profdata makes it"
	done
	# Static functions of several files have names of their own, in either form of the profile.
	$clang --target=aarch64-linux-gnu -O2 -g -fdebug-info-for-profiling -funique-internal-linkage-names -fuse-ld=lld \
		-o "$tmp/unique" programs/loops.c programs/twin.c 2> "$tmp/why" && record unique &&
		for format in llvm extbinary; do
			profile $format unique &&
				$clang --target=aarch64-linux-gnu -O2 -g -S -emit-llvm -o "$tmp/unique.$format.ll" programs/loops.c \
					-funique-internal-linkage-names -fprofile-sample-use="$tmp/unique.$format" 2> "$tmp/why" || break
		done && grep -q 'define .* @_ZL3fibi.__uniq.*!prof' "$tmp/unique.llvm.ll"
	ok $? "llvm: $clang finds functions with unique names"
	same "$tmp/unique.llvm.ll" "$tmp/unique.extbinary.ll" "extbinary: it makes the same of them"
	objcopy=aarch64-linux-gnu-objcopy
	# Probes: json has functions that exist only inside others, and some whose callers are
	# unknown.
	for name in json loops; do
		$clang --target=aarch64-linux-gnu -O2 -g -fpseudo-probe-for-profiling -funique-internal-linkage-names \
			-fuse-ld=lld -o "$tmp/p$name" programs/$name.c 2> "$tmp/why"
		echo '{"a": [1, -2.5e3, "x\u00e9\\n", true, null], "a": {"b": "c"}}' > "$tmp/json"
		"$CSFLOW_FAST" record -q -o "$tmp/p$name.data" -- "$tmp/p$name" < "$tmp/json" > "$tmp/ours" 2>> "$tmp/why" &&
			"$CSFLOW_FAST" profile --for=counts -o "$tmp/p$name.counts" "$tmp/p$name.data" 2>> "$tmp/why" &&
			profile profgen p$name && profile llvm p$name && profile extbinary p$name &&
			llvm-profgen-19 --binary="$tmp/p$name" --unsymbolized-profile="$tmp/p$name.profgen" --format=text \
				-o "$tmp/p$name.theirs" > "$tmp/why" 2>&1
		ok $? "probes of $name"
		same "$tmp/p$name.theirs" "$tmp/p$name.llvm" "llvm: by probes line by line: $(wc -l < "$tmp/p$name.llvm")"
		for format in theirs extbinary; do
			llvm-profdata-19 merge --sample --text -o "$tmp/$format" "$tmp/p$name.$format" 2>> "$tmp/why"
			$clang --target=aarch64-linux-gnu -O2 -S -emit-llvm -o "$tmp/$format.ll" programs/$name.c -fpseudo-probe-for-profiling \
				-funique-internal-linkage-names -fprofile-sample-use="$tmp/p$name.$format" 2>> "$tmp/why"
		done
		same "$tmp/theirs" "$tmp/extbinary" "extbinary: by probes: all of it is there"
		same "$tmp/theirs.ll" "$tmp/extbinary.ll" "extbinary: by probes: $clang makes the same of it"
	done
	[ "$(grep -c 'prof !' "$tmp/theirs.ll")" -gt 10 ] && ! grep -qi mismatch "$tmp/why"
	ok $? "and takes it"
	# Older compilers record differently where probes are.
	for cc in clang-16 clang-14; do
		[ $clang = $cc ] && continue
		command -v $cc > /dev/null || { skip "probes of $cc" "no $cc"; continue; }
		$cc --target=aarch64-linux-gnu -O2 -g -fpseudo-probe-for-profiling -funique-internal-linkage-names -fuse-ld=lld \
			-o "$tmp/pold" programs/json.c 2> "$tmp/why"
		"$CSFLOW_FAST" record -q -o "$tmp/pold.data" -- "$tmp/pold" < "$tmp/json" > "$tmp/ours" 2>> "$tmp/why" &&
			"$CSFLOW_FAST" profile --for=counts -o "$tmp/pold.counts" "$tmp/pold.data" 2>> "$tmp/why" &&
			profile profgen pold && profile llvm pold &&
			llvm-profgen-19 --binary="$tmp/pold" --unsymbolized-profile="$tmp/pold.profgen" --format=text \
				-o "$tmp/theirs" > "$tmp/why" 2>&1
		same "$tmp/theirs" "$tmp/pold.llvm" "llvm: by probes of $cc line by line: $(wc -l < "$tmp/pold.llvm")"
	done
	# A function that did not run, with a probe in main: the compiler has lost its caller.
	$objcopy --dump-section .pseudo_probe="$tmp/section" --dump-section .pseudo_probe_desc="$tmp/desc" "$tmp/pjson" "$tmp/plost" 2> "$tmp/why"
	cp "$tmp/pjson" "$tmp/plost"
	echo 1 | "$CSFLOW_FAST" record -q -o "$tmp/plost.data" -- "$tmp/plost" > "$tmp/ours" 2> "$tmp/why"
	"$CSFLOW_FAST" profile -q --for=counts -o "$tmp/plost.counts" "$tmp/plost.data" && profile llvm plost && profile profgen plost
	python3 - "$tmp/desc" "$tmp/plost.llvm" "$tmp/section" <(nm "$tmp/plost") 2> "$tmp/why" << 'END'
import re, struct, sys
desc, names, at = open(sys.argv[1], "rb").read(), {}, 0
while at < len(desc):
    guid, n = struct.unpack_from("<Q", desc, at)[0], desc[at + 16]
    size = 1
    if n & 128:
        n, size = n & 127 | desc[at + 17] << 7, 2
    names[desc[at + 16 + size:at + 16 + size + n].decode()] = guid
    at += 16 + size + n
ran = re.findall(r"([\w.]+):\d", open(sys.argv[2]).read())
start = {f[2]: int(f[0], 16) for f in map(str.split, open(sys.argv[4])) if len(f) == 3}
lost = next(name for name in names if name in start and name not in ran)
delta, sleb = start["main"] - start[lost], b""
for i in range(4):
    sleb += bytes([delta >> 7 * i & 127 | (128 if i < 3 else 0)])
with open(sys.argv[3], "ab") as f:
    f.write(struct.pack("<QBBBB", names[lost], 1, 0, 1, 0x80) + sleb)
END
	[ $? = 0 ] && $objcopy --update-section .pseudo_probe="$tmp/section" "$tmp/plost" 2> "$tmp/why" && profile llvm plost &&
		llvm-profgen-19 --binary="$tmp/plost" --unsymbolized-profile="$tmp/plost.profgen" --format=text \
			-o "$tmp/plost.theirs" > "$tmp/why" 2>&1
	ok $? "a probe of a function that did not run, in one that did"
	same "$tmp/plost.theirs" "$tmp/plost.llvm" "llvm: llvm-profgen does not have it, either"
	# Damaged sections: what is left of them, and parts that were changed.
	bad=0
	for section in .pseudo_probe .pseudo_probe_desc; do
		$objcopy --dump-section $section="$tmp/whole" "$tmp/pjson" "$tmp/cut" 2> "$tmp/why"
		for damage in head noise; do
			if [ $damage = head ]; then
				head -c 700 "$tmp/whole" > "$tmp/section"
			else
				perl -e 'srand 7; local $/; $_ = <>; substr($_, rand length, 1) = chr rand 256 for 1 .. 300; print' \
					< "$tmp/whole" > "$tmp/section"
			fi
			cp "$tmp/pjson" "$tmp/cut"
			$objcopy --update-section $section="$tmp/section" "$tmp/cut" 2> "$tmp/why"
			timeout 20 "$CSFLOW" profile -q --for=llvm --binary="$tmp/cut" "$tmp/pjson.counts" > "$tmp/ours" 2> "$tmp/why"
			status=$?
			[ $status -le 1 ] || bad=1
			[ $damage = noise ] || grep -q 'cut, build-id .*: its probes are damaged' "$tmp/why" || bad=1
		done
	done
	ok $bad "probes that are damaged do no harm; of what is cut short there is no profile"
	# Discriminators of clang's code generator have up to 32 bits, more than libdw takes.
	$clang --target=aarch64-linux-gnu -O2 -g -fdebug-info-for-profiling -mllvm -enable-fs-discriminator -fuse-ld=lld \
		-o "$tmp/cfs" programs/loops.c programs/twin.c 2> "$tmp/why" && record cfs && profile profgen cfs && profile llvm cfs
	ok $? "record -enable-fs-discriminator"
	for format in text extbinary; do
		llvm-profgen-19 --binary="$tmp/cfs" --unsymbolized-profile="$tmp/cfs.profgen" --format=$format \
			-o "$tmp/cfs.theirs.$format" > "$tmp/why" 2>&1
	done
	grep -q '^ *[0-9]*\.[0-9]\{8,\}: ' "$tmp/cfs.llvm"
	ok $? "discriminators of more than 24 bits"
	same "$tmp/cfs.theirs.text" "$tmp/cfs.llvm" "llvm: by them line by line: $(wc -l < "$tmp/cfs.llvm")"
	profile extbinary cfs
	for file in cfs.theirs.extbinary cfs.extbinary; do
		llvm-profdata-19 show --sample --show-sec-info-only "$tmp/$file" 2> "$tmp/why" | grep -c 'fs-discriminator'
		$clang --target=aarch64-linux-gnu -O2 -g -mllvm -enable-fs-discriminator -S -o - programs/loops.c \
			-fprofile-sample-use="$tmp/$file" 2>> "$tmp/why" | grep -v '^[[:space:]]*\.[a-z]'
	done > "$tmp/both"
	lines=$(wc -l < "$tmp/both")
	head -n $((lines / 2)) "$tmp/both" > "$tmp/theirs"
	tail -n $((lines / 2)) "$tmp/both" > "$tmp/ours"
	[ "$lines" -gt 100 ] || echo none > "$tmp/theirs"
	same "$tmp/theirs" "$tmp/ours" "extbinary: it says so, and $clang makes the same of it as of llvm-profgen's"
	bad=0
	$objcopy --dump-section .debug_line="$tmp/whole" "$tmp/cfs" "$tmp/cut" 2> "$tmp/why"
	for seed in head 1 2 3 4 5 6 7 8; do
		perl -e 'local $/; my $s = <STDIN>; my $n = length $s;
			if ($ARGV[0] eq "head") { $s = substr($s, 0, $n / 2) }
			else { srand $ARGV[0]; substr($s, rand $n, 1) = chr rand 256 for 1 .. 9 }
			print $s' $seed < "$tmp/whole" > "$tmp/section"
		cp "$tmp/cfs" "$tmp/cut"
		$objcopy --update-section .debug_line="$tmp/section" "$tmp/cut" 2> "$tmp/why"
		timeout 20 "$CSFLOW" profile -q --for=llvm --binary="$tmp/cut" "$tmp/cfs.counts" > "$tmp/ours" 2> "$tmp/why"
		[ $? -le 1 ] || bad=1
	done
	ok $bad "lines that are damaged do no harm"
	mkdir "$tmp/apart"
	$objcopy --only-keep-debug "$tmp/cloops" "$tmp/apart/cloops.debug" &&
		$objcopy --strip-all --add-gnu-debuglink="$tmp/apart/cloops.debug" "$tmp/cloops" "$tmp/apart/cloops"
	"$CSFLOW" profile --for=llvm --binary="$tmp/apart/cloops" "$tmp/cloops.counts" > "$tmp/ours" 2> "$tmp/why"
	same "$tmp/cloops.llvm" "$tmp/ours" "llvm: debug information in a file beside it"
	grep -q '^main:[0-9]*:1$' "$tmp/cloops.llvm" && grep -q '^by_size:[0-9]*:[1-9]' "$tmp/cloops.llvm"
	ok $? "llvm: functions that libraries call have been called"
	# Most of the debug information is in a file of the compiler.
	(cd "$tmp" && $clang --target=aarch64-linux-gnu -g -fdebug-info-for-profiling -fuse-ld=lld -O2 -gdwarf-5 -gsplit-dwarf \
		-o csplit "$OLDPWD/programs/loops.c" "$OLDPWD/programs/twin.c") 2> "$tmp/why" && record csplit && profile llvm csplit
	same "$tmp/cloops.llvm" "$tmp/csplit.llvm" "llvm: split debug information: $(wc -l < "$tmp/csplit.llvm") lines"
	# More is inlined in each other than is read.
	{
		echo 'static int volatile sink;'
		for i in $(seq 70 -1 1); do
			echo "static inline __attribute__((always_inline)) int f$i(int x)"
			[ $i = 70 ] && echo '{ return sink + x; }' || echo "{ return f$((i + 1))(x) ^ $i; }"
		done
		echo 'int main(void) { return f1(1) == -1; }'
	} > "$tmp/deep.c"
	$clang --target=aarch64-linux-gnu -g -fdebug-info-for-profiling -fuse-ld=lld -O1 -o "$tmp/deep" "$tmp/deep.c" 2> "$tmp/why" &&
		record deep && profile llvm deep
	{ seq 2 63; echo 63:1; } | sed 's/^/f/' > "$tmp/theirs"
	sed -n 's/^ *1: f\([0-9]*\):.*/f\1/p; s/^ \{64\}1: 1$/f63:1/p' "$tmp/deep.llvm" > "$tmp/ours"
	same "$tmp/theirs" "$tmp/ours" "llvm: what is inlined too deeply counts as its call"
	for v in 14 16 19; do
		if ! command -v clang-$v > /dev/null; then
			skip "clang-$v takes it" "no clang-$v"
			continue
		fi
		for format in llvm extbinary; do
			clang-$v --target=aarch64-linux-gnu -O2 -g -S -emit-llvm -o "$tmp/use.ll" programs/loops.c \
				-fprofile-sample-use="$tmp/cloops.$format" 2> "$tmp/why" &&
				[ "$(grep -c branch_weights "$tmp/use.ll")" -ge 5 ] &&
				grep -q function_entry_count "$tmp/use.ll" && [ ! -s "$tmp/why" ]
			ok $? "clang-$v takes it: $format"
		done
	done
fi

# ---------------------------------------------------------------- GCC

# A part of step() is elsewhere, so it has no single range of addresses; a constructor has a name of its own.
cat > "$tmp/cold.cpp" << 'END'
#include <stdexcept>
struct base { virtual ~base() {} };
struct thing : virtual base { int value; __attribute__((noinline)) thing(int x); };
thing::thing(int x) : value(x)
{
	if (x < -5)
		throw std::runtime_error("it is too small");
}
__attribute__((noinline)) int step(int x)
{
	thing t(x);
	if (x < 0)
		throw std::runtime_error("it is negative");
	return t.value;
}
int main()
{
	int sum = 0;
	for (int i = 0; i < 30; i++)
		sum += step(i);
	return sum == 1;
}
END
aarch64-linux-gnu-g++ -O2 -g -static -freorder-blocks-and-partition -o "$tmp/cold" "$tmp/cold.cpp" 2> "$tmp/why" && record cold && profile llvm cold &&
	nm "$tmp/cold" | grep -q ' _Z4stepi\.cold$' && grep -q '^_Z4stepi:[0-9]*:30$' "$tmp/cold.llvm"
ok $? "llvm: a function with a part that is elsewhere"
grep -q '^_ZN5thingC1Ei:[0-9]*:30$' "$tmp/cold.llvm" && grep -q '^ 2: 30 _ZN5thingC1Ei:30$' "$tmp/cold.llvm"
ok $? "llvm: a constructor by the name of its symbol"

profile gcov loops
ok $? "gcov"
aarch64-linux-gnu-gcc -O2 -g -S -o "$tmp/use.s" -fauto-profile="$tmp/loops.gcov" -fdump-tree-optimized-blocks-details \
	-dumpdir "$tmp/use." programs/loops.c > "$tmp/why" 2>&1 && [ ! -s "$tmp/why" ] &&
	for count in 150 165 185 500 3852; do
		grep -q "count $count (auto FDO)" "$tmp"/use.*optimized || echo "no block that ran $count times"
	done > "$tmp/why" && [ ! -s "$tmp/why" ]
ok $? "gcc takes it"

# All places and functions called, with their counts: gcov FILE PADDED: create_gcov pads names.
gcov()
{
	python3 - "$@" << 'END'
import struct, sys
data, padded = open(sys.argv[1], "rb").read(), int(sys.argv[2])
at, names = 12, []
def word():
    global at
    at += 4
    return struct.unpack_from("<I", data, at - 4)[0]
def long():
    low = word()
    return low | word() << 32
def function(where):
    name, n, inlined = names[word()], word(), word()
    where += " " + name
    for i in range(n):
        place, targets, count = word(), word(), long()
        calls = []
        for k in range(targets):
            assert word() == 7
            calls.append("%s:%d" % (names[long()], long()))
        print(where, place >> 16, place & 0xffff, count, *sorted(calls))
    for i in range(inlined):
        function("%s %#x" % (where, word()))
assert data[:8] == b"adcg\x02\0\0\0" and word() == 0xaa000000 and word()
for i in range(word()):
    size = word() * (4 if padded else 1)
    names.append(data[at:at + size].rstrip(b"\0").decode())
    at += size
assert word() == 0xac000000 and word()
for i in range(word()):
    long()
    function("")
END
}

if command -v create_gcov > /dev/null; then
	profile autofdo loops
	create_gcov --profiler=text --binary="$tmp/loops" --profile="$tmp/loops.autofdo" --gcov="$tmp/create.gcov" \
		--gcov_version=2 > "$tmp/why" 2>&1
	gcov "$tmp/create.gcov" 1 2> "$tmp/why" | grep -v '^ _start ' | sort > "$tmp/theirs"
	gcov "$tmp/loops.gcov" 0 2>> "$tmp/why" | sort > "$tmp/ours"
	same "$tmp/theirs" "$tmp/ours" "gcov: every count as create_gcov has it: $(wc -l < "$tmp/ours")"
	[ -s "$tmp/ours" ]
	ok $? "gcov: there are some"
else
	skip "gcov as create_gcov makes it" "no create_gcov"
fi

# ---------------------------------------------------------------- numbers near the end of numbers

# The most frequent blocks ran 2^63 times and more.
most=$("$CSFLOW" profile -q --for=autofdo "$tmp/loops.counts" 2> "$tmp/why" | sed -n 's/^[0-9a-f]*-[0-9a-f]*:\([0-9]*\)$/\1/p' | sort -n | tail -n 1)
weight=$(python3 -c "print(2**63 * 5 // 4 // $most)")
cp "$tmp/loops" "$tmp/large"
python3 tools/count_scale.py "$tmp/loops.counts" "$tmp/large.counts" "$weight" 2> "$tmp/why"
ok $? "counts $weight times those of the recording"
large="large.counts: counts are so large that sums of them stand at the largest number, 2^64-1: shares of these are wrong"
for format in autofdo llvm; do
	"$CSFLOW" profile -q --for=$format --binary="$tmp/loops" -o "$tmp/one" "$tmp/loops.counts" 2> "$tmp/why"
	"$CSFLOW" profile -q --for=$format --binary="$tmp/loops" -o "$tmp/many" "$tmp/large.counts" 2> "$tmp/said"
	python3 tools/count_scale.py -c "$tmp/one" "$tmp/many" "$weight" > "$tmp/why" 2>&1 && grep -qF "$large" "$tmp/said"
	ok $? "$format: none is smaller than it should be, and it is said: $(tail -n 1 "$tmp/why")"
done
profile gcov large && gcov "$tmp/large.gcov" 0 > "$tmp/ours" 2> "$tmp/why" &&
	python3 -c 'import re, sys
assert 2**62 < max(int(n) for n in re.findall(r"(?<=[ :])[0-9]+\b", open(sys.argv[1]).read())) < 2**63' "$tmp/ours" 2> "$tmp/why"
ok $? "gcov: none is larger than a number with a sign"
for command in report "annotate main" coverage "diff -c $tmp/loops.counts"; do
	# shellcheck disable=SC2086
	"$CSFLOW" $command "$tmp/large.counts" > "$tmp/ours" 2> "$tmp/why"
	grep -qF "$large" "$tmp/why" && ! grep -q -- '-[0-9]\{4\}' "$tmp/ours"
	ok $? "${command%% *} says so, too"
done

# ---------------------------------------------------------------- Propeller, JSON

"$CSFLOW" profile --for=json -o "$tmp/json" "$tmp/loops.counts" 2> "$tmp/why"
ok $? "JSON"
profile propeller loops
ok $? "propeller"
if command -v protoc > /dev/null; then
	cat > "$tmp/frequencies.proto" << 'END'
syntax = "proto3";
message Taken { uint64 source = 1; uint64 dest = 2; int64 count = 3; }
message NotTaken { uint64 address = 1; int64 count = 2; }
message BranchFrequencies { repeated Taken taken = 1; repeated NotTaken not_taken = 2; }
END
	protoc -I"$tmp" --decode=BranchFrequencies "$tmp/frequencies.proto" < "$tmp/loops.propeller" \
		> "$tmp/decoded" 2> "$tmp/why"
	ok $? "protoc knows it"
	tr -d '\n' < "$tmp/decoded" | sed 's/}/}\n/g' | sort > "$tmp/ours"
else
	skip "protoc knows it" "no protoc"
fi
# The same numbers: a PIE of GNU ld has offsets for addresses.
if python3 - "$tmp/json" "$tmp/loops" > "$tmp/theirs" 2> "$tmp/why" << 'END'
import json, sys
table = json.load(open(sys.argv[1]))
number, file = [(i, f) for i, f in enumerate(table["files"]) if f["name"] == sys.argv[2]][0]
assert table["statistics"]["blocks"] == sum(b["taken"] + b["passed"] for f in table["files"] for b in f["blocks"])
assert table["statistics"]["recordings"] == 1 and not sum(table["statistics"]["lost"].values())
for e in file["edges"]:
    if e["file"] == number:
        print("taken {  source: %d  dest: %d  count: %d}" % (e["from"], e["to"], e["count"]))
not_taken = {}
for b in file["blocks"]:
    if b["kind"] in ("branch", "indirect") and not b.get("cut") and b["passed"]:
        print("not_taken {  address: %d  count: %d}" % (b["last"], b["passed"]))
END
then
	sort -o "$tmp/theirs" "$tmp/theirs"
	ok 0 "JSON adds up"
else
	ok 1 "JSON adds up"
fi
if [ -s "$tmp/ours" ] && command -v protoc > /dev/null; then
	same "$tmp/theirs" "$tmp/ours" "propeller has the branches that JSON has: $(wc -l < "$tmp/ours")"
else
	skip "propeller has the branches that JSON has" "no protoc"
fi
python3 - "$tmp/loops.counts" "$tmp/odd" << 'END'
import sys, zlib, struct
body = open(sys.argv[1], "rb").read()[16:].replace(b"/loops", b"/\xff\"\\\x01s", 1)
open(sys.argv[2], "wb").write(b"CSFCOUNT" + struct.pack("<II", 1, zlib.crc32(body)) + body)
END
"$CSFLOW" profile --for=json "$tmp/odd" 2> "$tmp/why" |
	python3 -c 'import json, sys; sys.exit(not any(f["name"].endswith("/\ufffd\"\\\x01s") for f in json.load(sys.stdin)["files"]))' 2>> "$tmp/why"
ok $? "JSON: a name that is no UTF-8"

# ---------------------------------------------------------------- files

libc=/usr/aarch64-linux-gnu/lib/libc.so.6
id=$(readelf -n "$tmp/loops" | sed -n 's/.*Build ID: //p')
"$CSFLOW" profile "$tmp/loops.data" --binary="$tmp/loops" > "$tmp/here" 2> "$tmp/why"
mkdir "$tmp/away"
mv "$tmp/loops" "$tmp/away/another.name"
"$CSFLOW" profile "$tmp/loops.data" --binary="$tmp/away/another.name" > "$tmp/away/text" 2> "$tmp/why"
same "$tmp/here" "$tmp/away/text" "--binary stands for a program that is gone from its place"
"$CSFLOW" profile --for=bolt -o "$tmp/out" "$tmp/loops.data" --binary=/bin/sh --binary="$tmp/away/another.name" \
	--binary="$tmp/nothing" --binary=$libc 2> "$tmp/why"
[ $? = 1 ] && [ -s "$tmp/out.another.name" ] && [ -s "$tmp/out.libc.so.6" ] && [ ! -e "$tmp/out.sh" ] &&
	grep -q '/bin/sh, build-id .*nothing of it ran' "$tmp/why" && grep -q '/nothing: No such file' "$tmp/why"
ok $? "several programs: those that are there have profiles, the others are named"
"$CSFLOW" profile --for=bolt --buildid-dir=/nowhere "$tmp/loops.counts" --binary=$libc > "$tmp/out.libc" 2> "$tmp/why"
same "$tmp/out.libc.so.6" "$tmp/out.libc" "the same from counts"
mkdir "$tmp/empty"
"$CSFLOW" profile --for=bolt --buildid-dir=/nowhere "$tmp/loops.data" -o "$tmp/out.gone" \
	--symfs="$tmp/empty" --binary=$libc --binary=/bin/sh 2> "$tmp/why"
[ $? = 1 ] && grep -q "for want of $tmp/loops, build-id $id: [0-9]* atoms lost" "$tmp/why"
ok $? "a program that is gone is named, by build-id"
aarch64-linux-gnu-strip -o "$tmp/stripped" "$tmp/away/another.name"
"$CSFLOW" profile --for=fdata "$tmp/loops.counts" -o "$tmp/out" --binary="$tmp/stripped" --binary=$libc 2> "$tmp/why"
[ $? = 1 ] && [ ! -e "$tmp/out.stripped" ] && [ -s "$tmp/out.libc.so.6" ] &&
	grep -q "stripped, build-id $id: no symbols: .*debug file" "$tmp/why"
ok $? "a file without symbols is named, by build-id, and the other is written"
"$CSFLOW" profile --for=llvm "$tmp/loops.counts" -o "$tmp/out" --binary="$tmp/stripped" 2> "$tmp/why"
[ $? = 1 ] && [ ! -e "$tmp/out" ] && grep -q "stripped, build-id $id: no debug information" "$tmp/why"
ok $? "so is one without debug information"
python3 - "$tmp/nothing.counts" << 'END'
import struct, sys, zlib
body = bytes([0, 0])
open(sys.argv[1], "wb").write(b"CSFCOUNT" + struct.pack("<II", 1, zlib.crc32(body)) + body)
END
"$CSFLOW" profile "$tmp/nothing.counts" > "$tmp/out" 2> "$tmp/why"
[ $? = 1 ] && [ ! -s "$tmp/out" ] && grep -q 'the profile would be empty; see csflow doctor' "$tmp/why"
ok $? "a profile of nothing is none"
python3 - "$tmp/library" "$tmp/module" << 'END'
import struct, sys, zlib
# A block that was cut short 3 times, and ran 7 times: 10 times branched to from 0x40.
blocks = bytes([2, 0, 8, 2, 64, 64, 0, 3, 0, 16, 4, 64, 0, 0, 7])
for path, kind, name in (sys.argv[1], 0, b"/x.so"), (sys.argv[2], 2, b"/x.ko"):
    body = bytes([0, 1, kind, 0, 5]) + name + bytes([0]) + blocks + bytes([1, 0x40, 1, 0x7f, 10])
    open(path, "wb").write(b"CSFCOUNT" + struct.pack("<II", 1, zlib.crc32(body)) + body)
END
aarch64-linux-gnu-gcc -g -O2 -c -o "$tmp/x.ko" programs/plain.c
aarch64-linux-gnu-gcc -O2 -shared -fPIC -Wl,--build-id=none -o "$tmp/x.so" programs/plain.c
"$CSFLOW" profile --for=fdata "$tmp/module" --binary="$tmp/x.ko" > "$tmp/out" 2> "$tmp/why"
[ $? = 1 ] && grep -q 'x.ko, build-id unknown: a kernel module' "$tmp/why" &&
	[ "$("$CSFLOW" profile "$tmp/module" --binary="$tmp/x.ko" 2> "$tmp/why" | sed -n 2p)" = 40-44:3 ]
ok $? "of a module there are offsets only, in the file of .text"
"$CSFLOW" profile --for=perfscript "$tmp/library" --binary="$tmp/x.so" 2> "$tmp/why" | grep -v ^PERF > "$tmp/ours"
printf '3\n 4 0x4/0x0/P/-/-/1 0x40/0x0/P/-/-/1\n7\n c 0xc/0x0/P/-/-/1 0x40/0x0/P/-/-/1\n' > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "perfscript: a branch to two blocks"
cp /bin/sh "$tmp/loops"
"$CSFLOW" profile --for=bolt --buildid-dir=/nowhere "$tmp/loops.counts" -o "$tmp/none" \
	--binary="$tmp/loops" 2> "$tmp/why"
[ $? = 1 ] && [ ! -e "$tmp/none" ] && grep -q "loops that was recorded has build-id $id; name that file" "$tmp/why"
ok $? "another of that name is none"
rm -f "$tmp"/out.*
"$CSFLOW" profile --for=bolt --buildid-dir=/nowhere "$tmp/loops.counts" -o "$tmp/out" --binary="$tmp/loops" \
	--binary=$libc 2> "$tmp/why"
[ $? = 1 ] && [ ! -e "$tmp/out.loops" ] && [ -s "$tmp/out.libc.so.6" ] && grep -q "recorded has build-id $id" "$tmp/why"
ok $? "and what can be written is"
mv "$tmp/away/another.name" "$tmp/loops"
"$CSFLOW" profile --for=bolt "$tmp/loops.counts" --binary="$tmp/loops" --binary=/bin/sh > "$tmp/none" 2> "$tmp/why"
[ $? = 2 ]
ok $? "several programs want --output"
# Tools differ in whether zeros at the end of a build-id count; a count table has none.
aarch64-linux-gnu-gcc -g -O2 -Wl,--build-id=0x0102030405060708090a0b0c0d0e0f1011120000 -o "$tmp/zeros" programs/plain.c &&
	record zeros && "$CSFLOW" profile --binary="$tmp/zeros" "$tmp/zeros.data" > "$tmp/theirs" 2> "$tmp/why" &&
	"$CSFLOW" profile --binary="$tmp/zeros" "$tmp/zeros.counts" > "$tmp/ours" 2>> "$tmp/why" && [ -s "$tmp/ours" ] &&
	diff "$tmp/theirs" "$tmp/ours" >> "$tmp/why"
ok $? "a build-id may end with 0"
rm -f "$tmp"/out.*
"$CSFLOW" merge -o "$tmp/both.counts" "$tmp/loops.counts" "$tmp/zeros.counts" 2> "$tmp/why"
"$CSFLOW" profile --for=llvm "$tmp/both.counts" -o "$tmp/out" --binary="$tmp/stripped" --binary="$tmp/zeros" 2> "$tmp/why"
[ $? = 1 ] && [ ! -e "$tmp/out.stripped" ] && [ -s "$tmp/out.zeros" ] &&
	grep -q "stripped, build-id $id: no debug information.*compile with -g" "$tmp/why"
ok $? "one of two has no debug information: the other is written"
echo "1..$n"
