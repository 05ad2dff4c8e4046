#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow agent for arm64 in a virtual machine, with a genuine kernel and virtual trace units: what it counts of programs, on all
# CPUs and of a cgroup, is what the truth log says that they executed, instruction by instruction.  No name of what ran is in the spool.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C TZ=UTC
ulimit -c 0
[ -n "$CSFLOW_LONG" ] || { echo "1..0 # SKIP it takes a minute: CSFLOW_LONG=1"; exit 0; }

O=$(realpath "${O:-../build}")
: "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
for tool in qemu-system-aarch64 aarch64-linux-gnu-gcc cpio python3; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
lib=$PWD/lib
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$O/vm-cache" || exit 1

. lib/tap.sh
. lib/arm64.sh

arm64_build "$arm64/csflow"
ok $? "csflow for arm64 is built"

# Programs at addresses of their own, so that the truth log tells them apart.
declare -A base=([both]=1000000 [apart]=2000000 [inside]=3000000 [outside]=4000000 [geheimnis]=5000000 [quick]=6000000
	[of_user]=7000000 [of_unit]=8000000 [of_cgroup]=9000000 [child]=a000000)
for name in "${!base[@]}"; do
	aarch64-linux-gnu-gcc -O1 -g -static -no-pie -Wl,--build-id -Wl,-Ttext-segment=0x${base[$name]} -o "$tmp/$name" \
		programs/naps.c || exit 1
done
cd "$tmp" || exit 1
printf '#include <stdlib.h>\nint main(void) { return system("./child"); }\n' |
	aarch64-linux-gnu-gcc -static -o parent -x c - || exit 1
export PERF_BUILDID_DIR=$tmp/ids

# config NAME [LINE...]: sections begin with [
config()
{
	{
		printf '%s\n' '[spool]' "folder = spool.$1" '[count]' "${2:-names = yes}" '[record]' 'period = 1h' \
			'duration = 10m' "${@:3}"
	} > "$1.ini"
}
config cpus '' '[exclude]' 'process = apart parent' 'user = 4321' 'unit = excluded.service' 'cgroup = traced/excluded'
config cgroup '' 'cgroup = traced/inner'
config private 'names = no'
config quick 'counts = quick'

cat > in-guest << END
busybox --install -s /bin
mount -t cgroup2 none /sys/fs/cgroup 2> /dev/null
# A new hierarchy has no perf_event until some controller is on, as on any machine with systemd.
echo +pids > /sys/fs/cgroup/cgroup.subtree_control
mkdir -p /sys/fs/cgroup/traced/inner /sys/fs/cgroup/traced/excluded /sys/fs/cgroup/system.slice/excluded.service
echo +pids > /sys/fs/cgroup/traced/cgroup.subtree_control
agent=$arm64/csflow

# begin NAME: an agent that records
begin()
{
	\$agent agent --once \$1.ini 2> \$1.log &
	pid=\$!
	while kill -0 \$pid && ! grep -q perf_event /proc/\$pid/maps; do sleep 1; done
	sleep 2
}
end()
{
	kill -TERM \$pid
	wait \$pid
	echo "\$?" > \$1.status
}
# in_cgroup NAME PROGRAM
in_cgroup()
{
	sh -c "echo \\\$\\\$ > /sys/fs/cgroup/\$1/cgroup.procs; exec ./\$2"
}
chown 4321 of_user
chmod u+s of_user
begin cpus
./both & ./apart & ./both
wait \$!
# The agent must see them while they run.
./of_user 300
in_cgroup traced/excluded "of_cgroup 300"
in_cgroup system.slice/excluded.service "of_unit 300"
./parent
sleep 1
end cpus
begin cgroup
sh -c 'echo \$\$ > /sys/fs/cgroup/traced/inner/cgroup.procs; exec ./inside' &
./outside
wait \$! ; sleep 1
end cgroup
begin private
GEHEIM=geheimnis ./geheimnis 20 geheimnis
sleep 1
end private
begin quick
./quick
sleep 1
end quick
END
"$csflow" vm -q --cache="$O/vm-cache" -u ete=1.1 -c 2 -t 900 --truth=truth \
	$(printf -- '-f %s ' "${!base[@]}" parent ./*.ini) -f "$arm64/csflow" -s in-guest > out 2> why
status=$?
cat ./*.log >> why 2> /dev/null
[ $status = 0 ] && [ -s truth ] && [ "$(cat ./*.status | sort -u)" = 0 ]
ok $? "four agents record in the machine: status $status"
python3 "$lib/truth_count.py" truth who > times 2> why
[ -s times ]
ok $? "the truth log has $(wc -l < times) instructions"

# counted NAME PROGRAM [BUILD-ID]: as often as it was executed
counted()
{
	"$csflow" profile --for=json -q -o "$1.json" "spool.$1"/* 2> why
	python3 "$lib/truth_counts.py" times "$1.json" "${3:-$2}" "${base[$2]}" > got 2>> why
	head -n 5 got >> why
	cat "$1.log" >> why
	[ "$(wc -l < got)" = 1 ] && [ "$(cat got)" -gt 10000 ]
	ok $? "$1: each instruction of $2 was counted as often as it ran: $(tail -n 1 got)"
}
id_of()		{ aarch64-linux-gnu-readelf -n "$1" | sed -n 's/.*Build ID: //p'; }

counted cpus both
for name in apart of_user of_cgroup of_unit child; do
	ran=$(python3 "$lib/truth_counts.py" times cpus.json $name "${base[$name]}" 2>> why | tail -n 1)
	[ "$ran" -gt 10000 ] && ! grep -q "\"name\": *\"[^\"]*/$name\"" cpus.json && grep -q '/both"' cpus.json
	ok $? "cpus: nothing of a process that is left out: $name, of $ran instructions"
done
! grep -q '/parent"' cpus.json
ok $? "cpus: nothing of a process that is left out: parent"
counted cgroup inside
grep -q '/inside"' cgroup.json && ! grep -q '/outside"' cgroup.json
ok $? "cgroup: nothing of a process outside"
counted private geheimnis "$(id_of geheimnis)"
[ -n "$(ls spool.private)" ] && ! grep -rqi -e geheim -e "$tmp" -e root spool.private private.log
ok $? "private: no path, name, argument or variable is in the spool"
# What an interrupt cuts off is not in an atom run.
"$csflow" profile --for=counts -q -o quick.counts --binary=quick spool.quick/*.atoms 2> why
"$csflow" profile --for=json -q -o quick.json quick.counts 2>> why
python3 "$lib/truth_counts.py" times quick.json "$(id_of quick)" "${base[quick]}" > got 2>> why
ran=$(tail -n 1 got)
counted=$("$csflow" report quick.counts 2>> why | sed -n 's/^# Instructions: //p')
[ "$ran" -gt 10000 ] && [ "$counted" -le "$ran" ] && [ "$counted" -gt $((ran * 95 / 100)) ]
ok $? "quick: $counted of $ran instructions that ran"
for name in cpus cgroup private; do
	grep -q 'instructions$' $name.log && ! grep -q 'faults in the recording' $name.log
	ok $? "$name: its recording was whole"
done
echo "1..$n"
