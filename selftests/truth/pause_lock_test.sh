#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow vm: an event is paused while its CPU handles the interrupt of its trace unit and has the lock of the shared sink.  A
# kprobe there does it; an NMI may do it anywhere.  Linux 7.2 does not hang.  It takes a minute, and fetches that kernel: with
# CSFLOW_LONG only.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0
: "${O:=../build}" "${CSFLOW_FAST:=$O/csflow}"
[ -n "$CSFLOW_LONG" ] || { echo "1..0 # SKIP it takes minutes: CSFLOW_LONG=1"; exit 0; }
csflow=$(realpath "$CSFLOW_FAST")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$O/vm-cache" || exit 1
cache=$(realpath "$O/vm-cache")
. lib/tap.sh
for program in fifo plain; do
	aarch64-linux-gnu-gcc -O1 -g -static -no-pie -o "$tmp/$program" programs/$program.c || exit 1
done
cd "$tmp" || exit 1

vm()
{
	"$csflow" vm -q --cache="$cache" --buildid-dir="$tmp/ids" -k 7.2 -c 1 -t 1800 "$@"
}

# The instruction after the one that takes the lock.
vm -- true > out 2> why || { sed 's/^/# /' why; echo "Bail out! no machine"; exit 1; }
offset=$(aarch64-linux-gnu-objdump -dr "$cache"/csflow_ete-7.2*.ko |
	awk '/^[0-9a-f]+ <etr_interrupt>:/ { base = $1; on = 1 }
		on && found { sub(":", "", $1); print base, $1; exit }
		on && /R_AARCH64_CALL26.*_raw_spin_lock$/ { found = 1 }
		/^$/ { on = 0 }' | { read -r base at; echo $((0x$at - 0x$base)); })
[ "$offset" -gt 0 ]
ok $? "the lock of the shared sink is taken before etr_interrupt+$offset"

# The interrupt comes after four megabytes, which a program makes if no other one runs.
cat > script << END
echo -1 > /proc/sys/kernel/sched_rt_runtime_us
echo 'p:locked csflow_ete:etr_interrupt+$offset' > /sys/kernel/tracing/kprobe_events
perf record -q -m,16M -e cs_etm/@csflow_etr0,branch_broadcast/u -e kprobes:locked/aux-action=pause/ \
	-e syscalls:sys_enter_write/aux-action=resume/ -o p.data ./fifo ./plain 60 > /dev/null
echo "perf record: \$?"
awk '{ print \$1, (\$2 > 0 ? "hit" : "not hit"), \$3 }' /sys/kernel/tracing/kprobe_profile
END
printf 'perf record: 0\nlocked hit 0\n' > want
vm -f fifo -f plain -s script > out 2> why
diff want out >> why
ok $? "a pause with the lock held"
echo "1..$n"
