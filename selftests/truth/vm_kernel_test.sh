#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow vm: the kernel of Linux itself, a module and a program under the trace units of a virtual machine.  What csflow
# decodes is what the emulator logged, instruction by instruction, and so are the counts of its profiles.
#
# CSFLOW_LONG: more than 10^7 instructions of the kernel; a module that is loaded during the recording; vmlinux with its
# debug information, which is fetched.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
for tool in qemu-system-aarch64 aarch64-linux-gnu-gcc cpio python3 xz; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$O/vm-cache" || exit 1
cache=$(realpath "$O/vm-cache")
lib=$(realpath lib)
rounds=2 least=1000000
[ -z "$CSFLOW_LONG" ] || rounds=200 least=10000000

. lib/tap.sh

aarch64-linux-gnu-gcc -O1 -g -static -no-pie -o "$tmp/syscalls" programs/syscalls.c || exit 1
cd "$tmp" || exit 1

# vm OPTION... [-- COMMAND]; programs by build-id go to $tmp/ids
vm()
{
	local status

	"$csflow" vm --cache="$cache" --buildid-dir=ids "$@" > out 2> why
	status=$?
	[ $status = 0 ] || sed "s/^/# csflow vm: status $status: /" out why
	return $status
}

# The modules of the kernel are there as soon as csflow vm ran once.
vm -q -- uname -r
version=$(cat out)
if ! [ "$version" ] && grep -q 'cannot be fetched' why; then
	echo "1..0 # SKIP $(head -n 1 why)"
	exit 0
fi
for module in brd dummy; do
	xz -dc "$cache"/kernel-6.12/lib/modules/"$version"/kernel/drivers/*/$module.ko.xz > $module.ko || exit 1
done

# ---------------------------------------------------------------- all that ran

cat > all << END
insmod $tmp/brd.ko rd_size=1024 rd_nr=1
perf record -q --proc-map-timeout=60000 -m ,16M --kcore -a -e cs_etm// -o all.data -- sh -c '$tmp/syscalls $rounds
	dd if=/dev/ram0 of=/dev/null bs=64k count=$rounds 2> /dev/null'
END
vm --truth=all.truth -f syscalls -f brd.ko -s all
[ -s all.data/data ] && [ -s all.data/kcore_dir/kcore ]
ok $? "perf record --kcore -a"

"$csflow" match --buildid-dir=ids all.truth all.data > got 2> why
status=$?
[ $status = 0 ] || { head -n 40 got; cat why; } | sed 's/^/# /'
equal=$(sed -n 's/^\([0-9]*\) instructions equal.*/\1/p' got)
[ $status = 0 ] && grep -q '^equal$' got && [ "$equal" -gt $least ]
ok $? "$equal instructions of kernel, module and programs"

# Each CPU has an idle task, and each thread its own, whatever CPU it is on.
"$csflow" match --by=thread --buildid-dir=ids all.truth all.data > got 2> why
status=$?
[ $status = 0 ] || { head -n 40 got; cat why; } | sed 's/^/# /'
[ $status = 0 ] && grep -q "^$equal instructions equal" got
ok $? "and each is the same thread's"

# counts FILE WHERE: address and times of each instruction of that file in a table as JSON
cat > counts.py << 'END'
import collections, json, sys

data, names = sys.argv[1], sys.argv[2:]
modules = {line.split()[0]: int(line.split()[5], 16) for line in open(data + "/kcore_dir/modules")}
n = collections.Counter()
for f in json.load(sys.stdin)["files"]:
    kind, name = f["kind"], f["name"].strip("[]")
    if kind == "module":
        base = modules[name]
    elif kind == "kernel":
        base = 0
    elif f["name"].endswith("/syscalls"):
        base, kind = 0x400000, "program"
    else:
        continue
    for b in f["blocks"]:
        for i in range(b["instructions"]):
            n[kind, base + b["start"] + 4 * i] += b["taken"] + b["passed"]
print(*sorted("%x %d" % (at, times) for (kind, at), times in n.items() if kind in names), sep="\n")
END

# executed FIRST LAST: the same from the log
executed()
{
	python3 "$lib/truth_count.py" all.truth who |
		awk '{ n[$3] += $4 } END { for (a in n) print a, n[a] }' | perl -ne 'no warnings "portable";
			BEGIN { ($from, $to) = map { hex } splice @ARGV, 0, 2 }
			my ($at, $n) = split; printf "%x %d\n", hex $at, $n if hex $at >= $from && hex $at <= $to' "$@" | sort
}

# One address may be the program's and that of another one: only the kernel has all of its own.
executed ffff000000000000 ffffffffffffffff > want
"$csflow" profile -q --for=json --buildid-dir=ids all.data 2> why | python3 counts.py all.data kernel module > got
same want got "profile: counts of $(wc -l < want) instructions of the kernel and its modules"
"$csflow" profile -q --for=json --buildid-dir=ids all.data 2> why | python3 counts.py all.data module > got
[ "$(wc -l < got)" -gt 100 ]
ok $? "$(wc -l < got) of them are of modules"

"$csflow" report --show=calls --percent-limit=0 --buildid-dir=ids all.data > got 2> why
awk '/ main$/ { depth = index($0, "main"); next }
	depth && /el0t_64_sync$/ && index($0, "el0t_64_sync") > depth { below = 1 }
	below && / ksys_read$/ && index($0, "ksys_read") > depth { found = 1 }
	END { exit !found }' got
ok $? "report: system calls are below the functions that make them"

# Without the kernel's memory, and without vmlinux, nothing of the kernel is shown, and it is said why.
cp all.data/data alone.data
mkdir -p none
"$csflow" script --symfs=none --buildid-dir=none -F ip --itrace=i1i alone.data 2> why | grep -c ' ffff' > got
"$csflow" doctor --symfs=none --buildid-dir=none alone.data > why 2>&1
[ "$(cat got)" = 0 ] && grep -q 'missing  *\[kernel.kallsyms\]' why
ok $? "without its code: nothing of the kernel, and what is missing"

if [ -z "$CSFLOW_LONG" ]; then
	echo "1..$n"
	exit
fi

# ---------------------------------------------------------------- a module that is loaded later

cat > later << END
perf record -q --proc-map-timeout=60000 -m ,16M --kcore -a -e cs_etm//k -o later.data -- sh -c 'insmod $tmp/dummy.ko; rmmod dummy'
END
vm --truth=later.truth -f dummy.ko -s later
"$csflow" match --buildid-dir=ids later.truth later.data > got 2> why
grep -q '^[0-9]* gap$' got && ! grep -E '^[0-9]+ (changed|extra|tail|q|context)' got > why
ok $? "a module that is loaded during the recording: $(grep -E '^[0-9]+ (missing|gap)' got | xargs), nothing wrong"
"$csflow" doctor --buildid-dir=ids later.data > why 2>&1
grep -q 'no record tells of a module that is loaded during a recording' why
ok $? "and it is said why"

# ---------------------------------------------------------------- vmlinux

vm -q --kernel-symbols -- true
vmlinux=$(find ids/ -path '*/vmlinux')
[ -e "$vmlinux" ]
ok $? "--kernel-symbols"
first=$(sed -n 's/ T _text$//p' all.data/kcore_dir/kallsyms)
executed "$first" ffffffffffffffff > want
"$csflow" profile -q --binary="$vmlinux" --buildid-dir=ids -o autofdo all.data 2> why
perl -ne 'no warnings "portable"; BEGIN { $first = hex shift }
	next unless /^([0-9a-f]+)-([0-9a-f]+):(\d+)$/;
	for ($i = hex $1; $i <= hex $2; $i += 4) { $n{$i} += $3 }
	END { printf "%x %d\n", $first + $_, $n{$_} for keys %n }' "$first" autofdo | sort > got
same want got "AutoFDO text of vmlinux: counts of $(wc -l < want) instructions"

"$csflow" profile -q --for=extbinary --binary="$vmlinux" --buildid-dir=ids -o prof all.data 2> why
llvm-profdata-19 show --sample prof > got 2> why
for name in vfs_read ksys_read el0_svc; do
	grep -q "^Function: $name: [1-9]" got || { echo "$name"; false; }
done > why
ok $? "LLVM reads its profile: $(grep -c '^Function' got) functions"

# Without its memory the code is not what ran, and that is said.
"$csflow" match --buildid-dir=ids all.truth alone.data > got 2> why
[ $? = 1 ]
ok $? "vmlinux without the memory: $(grep -E '^[0-9]+ (extra|gap)' got | xargs)"
"$csflow" report --buildid-dir=ids alone.data > got 2> why
grep -q "the kernel's code is that of .*/vmlinux, but a kernel changes its code when it boots" why
ok $? "and it is said"

echo "1..$n"
