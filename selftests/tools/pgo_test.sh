#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow pgo: from a program to the profile and the command that uses it, which is run here as it is
# printed; with a perf in place of the virtual trace unit; and everything that may be missing.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
unset QEMU_LD_PREFIX

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

for tool in qemu-aarch64 aarch64-linux-gnu-gcc; do
	command -v $tool > /dev/null && continue
	skip "profiles of programs" "no $tool"
	echo "1..$n"
	exit 0
done

# The command finds the trace unit beside itself.
mkdir "$tmp/bin" "$tmp/in" || exit 1
cp "$CSFLOW" "$tmp/bin/csflow" && cp "$(dirname "$CSFLOW_FAST")/csflow-unit.so" "$tmp/bin/" || exit 1
fast=$(realpath "$CSFLOW_FAST")
cp programs/loops.c programs/twin.c "$tmp/in/"
cd "$tmp/in" || exit 1
csflow=$tmp/bin/csflow

# pgo WORDS...: standard error is what a failure shows
pgo()
{
	"$csflow" pgo "$@" > out 2> "$tmp/why"
}

# The command that is printed last, with these words after it, makes a program that does the same.
use()
{
	local line

	line=$(tail -n 1 "$tmp/why") && grep -q -e "$1" <<< "$line" && shift &&
		eval "$line" "$@" > said 2>&1 && cat said >> "$tmp/why" &&
		qemu-aarch64 -L /usr/aarch64-linux-gnu ./now > out.now 2>> "$tmp/why" && cmp out out.now >> "$tmp/why"
}

gcc="aarch64-linux-gnu-gcc -O2"
$gcc -g -Wl,--emit-relocs -o loops loops.c twin.c && qemu-aarch64 -L /usr/aarch64-linux-gnu ./loops > theirs 2> "$tmp/why"
ok $? "a program of gcc is built"

# ---------------------------------------------------------------- each of those who take profiles

pgo --for=gcc -- ./loops && cmp out theirs >> "$tmp/why"
ok $? "gcc: the program does what it does"
[ "$(ls -A | tr '\n' ' ')" = "loops loops.afdo loops.c out theirs twin.c " ]
ok $? "nothing is left but the profile"
grep -q 'loops.afdo: .*aarch64-linux-gnu-gcc takes it' "$tmp/why"
ok $? "gcc takes it"
use '^aarch64-linux-gnu-gcc -O2 -g -fauto-profile=/.*/in/loops.afdo$' -fdump-ipa-afdo -o now loops.c twin.c && [ ! -s said ]
ok $? "and compiles with it as is printed"

if command -v llvm-bolt-19 > /dev/null; then
	pgo --for=bolt -o "it's one" -- ./loops && grep -q "it's one: .*merge-fdata-[0-9]* takes it" "$tmp/why"
	ok $? "bolt: merge-fdata takes it"
	use '-reorder-functions' '&& mv loops.bolt now' && grep -q 'modified layout of [1-9]' said
	ok $? "and llvm-bolt, as is printed, with a quote in the name"
	$gcc -g -o plain loops.c twin.c && pgo --for=bolt -- ./plain && grep -q 'plain: linked without -Wl,--emit-relocs' "$tmp/why" &&
		use '-reorder-blocks=ext-tsp -split' '&& mv plain.bolt now'
	ok $? "bolt: without relocations, too, which it says"
else
	skip "bolt" "no llvm-bolt-19"
fi

if command -v clang-19 > /dev/null && command -v llvm-profdata-19 > /dev/null && command -v ld.lld-19 > /dev/null; then
	clang="clang-19 --target=aarch64-linux-gnu -O2 -fuse-ld=lld -Wl,--build-id"
	$clang -g -fdebug-info-for-profiling -o lines loops.c twin.c 2> "$tmp/why"
	# A newer clang cannot have made the program.
	mkdir newer && ln -s /bin/false newer/clang-40
	PATH=$PWD/newer:$PATH pgo --for=clang -- ./lines && grep -q 'lines: these are counts by line; built with -fps' "$tmp/why"
	ok $? "clang: by lines, which it says"
	grep -q 'lines.prof: [1-9][0-9]* functions, says .*llvm-profdata-19' "$tmp/why"
	ok $? "clang: llvm-profdata reads it"
	use "^clang-19 --target=aarch64-linux-gnu -O2 -g -fdebug-info-for-profiling -fprofile-sample-use=$PWD/lines.prof" \
		-fuse-ld=lld -o now loops.c twin.c && [ ! -s said ]
	ok $? "clang: and compiles with it as is printed"
	$clang -g -fpseudo-probe-for-profiling -funique-internal-linkage-names -o probes loops.c twin.c 2> "$tmp/why" && pgo -- ./probes
	ok $? "clang: by probes, and for clang unless it is said"
	use '-O2 -fpseudo-probe-for-profiling -funique-internal-linkage-names -fprof' -fuse-ld=lld -o now loops.c twin.c && [ ! -s said ]
	ok $? "clang: and compiles with it as is printed"
	llvm-profdata-19 show --sample probes.prof 2> "$tmp/why" | grep -q '^Function: main: CFG checksum [1-9]'
	ok $? "clang: main ran"
	$clang -fbasic-block-sections=labels -o blocks loops.c twin.c 2> "$tmp/why" && pgo --for=propeller -- ./blocks && [ -s blocks.propeller ] &&
		grep -q "^generate_propeller_profiles --profile_type=FREQUENCIES_PROTO --binary=$PWD/blocks --profile=$PWD/blocks.propeller" "$tmp/why" &&
		tail -n 1 "$tmp/why" | grep -q "^clang-19 .*-fbasic-block-sections=list=$PWD/blocks.propeller.cc "
	ok $? "propeller"
	: > blocks.propeller.cc; : > blocks.propeller.ld
	use . -o now loops.c twin.c && [ ! -s said ]
	ok $? "propeller: clang knows the words that are printed"
	mkdir without && for t in qemu-aarch64 clang-19; do ln -s "$(command -v $t)" without/; done
	PATH=$PWD/without pgo -o alone -- ./probes && cmp alone probes.prof >> "$tmp/why"
	ok $? "clang: by probes, without any tool of LLVM's but clang"
	rm -f alone
	PATH=$PWD/without pgo -- ./lines && grep -q 'lines.prof: the tool that reads it is not here: the profile is not checked' "$tmp/why"
	ok $? "clang: a profile that nobody can check is one"
else
	skip "clang" "no clang-19"
fi

# ---------------------------------------------------------------- recordings

pgo --for=gcc --keep=kept.data -- ./loops && "$csflow" doctor kept.data > "$tmp/why" 2>&1 && grep -q '^verdict .* nothing is missing' "$tmp/why"
ok $? "--keep: the recording"
mkdir perf && cat > perf/perf << END
#!/bin/sh
echo "\$*" > "$tmp/perf.args"
[ "\$1 \$2 \$3 \$4" = "record -e cs_etm//u -o" ] || exit 129
shift 4
out=\$1
shift 2
exec "$fast" record -q -o "\$out" -- "\$@"
END
chmod +x perf/perf
pgo --for=gcc -o own -- ./loops 500 2
PATH=$PWD/perf:$PATH pgo --for=gcc --with=perf -o by.perf -- ./loops 500 2 && cmp out theirs >> "$tmp/why" && cmp by.perf own >> "$tmp/why" &&
	grep -q ' -- ./loops 500 2$' "$tmp/perf.args"
ok $? "--with=perf: the same profile from a recording by perf"
printf '#!/bin/sh\necho no trace unit >&2\nexit 3\n' > perf/perf
PATH=$PWD/perf:$PATH pgo --for=gcc --with=perf -o no.perf -- ./loops
[ $? = 1 ] && grep -q '^no trace unit$' "$tmp/why" && grep -q 'perf/perf: it left no recording' "$tmp/why" && [ ! -e no.perf ]
ok $? "--with=perf: where it cannot record"
rm perf/perf
PATH=$PWD/perf pgo --for=gcc --with=perf -o no.perf -- ./loops
[ $? = 1 ] && grep -q 'there is no perf: Debian has it in package linux-perf' "$tmp/why"
ok $? "--with=perf: without perf"

# A library that the program loads is to become faster.
printf 'int twice(int n)\n{\n\tint s = 0;\n\twhile (n--)\n\t\ts += 2;\n\treturn s;\n}\n' > lib.c
printf 'int twice(int n);\nint main(void)\n{\n\treturn twice(21);\n}\n' > user.c
$gcc -g -shared -fPIC -o libtwice.so lib.c && $gcc -o user user.c -L. -ltwice -Wl,-rpath,"$PWD" 2> "$tmp/why" &&
	pgo --for=gcc --binary=libtwice.so -- ./user && [ -s libtwice.so.afdo ] && grep -q 'user ended with status 42' "$tmp/why"
ok $? "--binary: a library; and a status that is not 0 is told"

# ---------------------------------------------------------------- what may be missing

# refused WORDS -- PROGRAM...: fails, says that, and leaves nothing
refused()
{
	local what=$1 before

	shift
	before=$(ls -A)
	pgo -o nothing "$@"
	[ $? = 1 ] && grep -q "$what" "$tmp/why" && [ "$(ls -A)" = "$before" ]
	ok $? "$what"
}

aarch64-linux-gnu-strip -o stripped loops
$gcc -o bare loops.c twin.c
refused 'stripped: no debug information: compile with -g' --for=gcc -- ./stripped
refused 'bare: no debug information: compile with -g' -- ./bare
refused 'stripped: no symbols: it was stripped' --for=bolt -- ./stripped
refused 'loops: no map of its blocks.*-fbasic-block-sections=labels' --for=propeller -- ./loops
refused '/sh: not for an Arm processor' --for=gcc -- /bin/sh
refused 'loops.c: not an ELF file' --for=gcc -- ./loops.c
refused 'absent: No such file' --for=gcc -- ./absent
refused 'libtwice.so, build-id .*nothing of it ran' --for=gcc --binary=libtwice.so -- ./loops
if command -v arm-linux-gnueabihf-gcc > /dev/null; then
	arm-linux-gnueabihf-gcc -O2 -g -Wl,--emit-relocs -o arm loops.c twin.c
	refused 'arm: BOLT does not support AArch32' --for=bolt -- ./arm
	pgo --for=gcc -- ./arm && use '^arm-linux-gnueabihf-gcc ' '-o /dev/null loops.c twin.c && cp loops now'
	ok $? "a program for AArch32"
else
	skip "AArch32" "no arm-linux-gnueabihf-gcc"
fi
mkdir -p none
path=$PATH
PATH=$PWD/none
pgo --for=gcc -o nothing -- ./loops
status=$?
PATH=$path
[ $status = 1 ] && grep -q 'there is no qemu-aarch64: Debian 12 has it in package qemu-user' "$tmp/why" && [ ! -e nothing ]
ok $? "there is no qemu-aarch64"
ln -s "$(command -v qemu-aarch64)" none/
PATH=$PWD/none
pgo --for=gcc -o lonely -- ./loops
status=$?
PATH=$path
[ $status = 0 ] && grep -q 'lonely: the tool that reads it is not here' "$tmp/why" &&
	grep -q 'there is no aarch64-linux-gnu-gcc here: Debian has it in package gcc-aarch64-linux-gnu' "$tmp/why" && cmp -s lonely loops.afdo
ok $? "there is no compiler: the profile is written"
printf '#!/bin/sh\necho bad profile\nexit 1\n' > none/merge-fdata-40 && chmod +x none/merge-fdata-40
PATH=$PWD/none:$PATH pgo --for=bolt -- ./loops
[ $? = 1 ] && tail -n 1 "$tmp/why" | grep -q 'loops.fdata: .*/merge-fdata-40 does not take it: bad profile'
ok $? "a profile that its reader refuses"
pgo --for=gcc -o nowhere/profile -- ./loops
[ $? = 1 ] && [ "$(cat "$tmp/why")" = "csflow: nowhere/profile: No such file or directory" ]
ok $? "a folder that is not there is told before the program runs"
pgo --for=gcc
[ $? = 2 ] && grep -q 'give a program' "$tmp/why"
ok $? "no program"

echo "1..$n"
