#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow shard on a Slurm of four nodes, which run here: recordings in parts have the bytes of one
# csflow profile of all, while tasks are killed, a node is drained and a slurmd is killed; and only
# lost parts are made again.  The same with GNU parallel and with processes, killed likewise.  All
# daemons listen on this machine, on ports of their own, and have their files in a folder of the test.
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
: "${O:=build}" "${CSFLOW_FAST:=$O/csflow}" "${RECORDINGS:=400}" "${PARTS:=64}"
give_up()
{
	echo "1..0 # SKIP $1"
	exit 0
}
[ -n "$CSFLOW_LONG" ] || give_up "it takes minutes: CSFLOW_LONG=1"
for tool in qemu-aarch64 aarch64-linux-gnu-gcc parallel slurmctld slurmd munged; do
	command -v $tool > /dev/null || [ -x "/usr/sbin/$tool" ] || give_up "no $tool"
done
[ "$(id -u)" = 0 ] || give_up "no root"
tmp=$(mktemp -d) || exit 1
PATH=$PATH:/usr/sbin
chmod 755 "$tmp"
daemons=() submit=
stop()
{
	scancel --user=root > /dev/null 2>&1
	# shellcheck disable=SC2086
	kill "${daemons[@]}" $submit 2> /dev/null
	wait 2> /dev/null
	rm -rf "$tmp"
}
trap stop EXIT
trap 'exit 1' HUP INT TERM
. selftests/lib/tap.sh
csflow=$(realpath "$CSFLOW_FAST") programs=$PWD/selftests/programs
export HOME=$tmp
cd "$tmp" || exit 1

echo "TAP version 13"
# ---------------------------------------------------------------- recordings

aarch64-linux-gnu-gcc -O2 -static -pthread -o plain "$programs/plain.c" 2> why &&
	aarch64-linux-gnu-gcc -O2 -static -pthread -o threads "$programs/threads.c" 2> why || exit 1
for i in 1 2 3 4 5 6 7; do
	"$csflow" record -q -o kind.$i -u ete=1.1,rs,cid,ts=500 -- ./plain $((i * 2)) > /dev/null 2> why
done
"$csflow" record -q -o kind.8 --cpus=2 -u ete=1.1,rs,cid,ts=500 -- ./threads 30 > /dev/null 2> why
for ((i = 0; i < RECORDINGS; i++)); do
	ln kind.$((i % 8 + 1)) "r$i.data"
	echo "r$i.data"
done > list
mapfile -t inputs < list
"$csflow" profile -q --for=counts -o want "${inputs[@]}" 2> why
[ -s want ]
ok $? "$RECORDINGS recordings, on one machine"
"$csflow" shard plan -n "$PARTS" -o plan list 2> why
ok $? "a plan of $PARTS parts"

# A recording that is cut: blocks and edges are the same.
"$csflow" index kind.8 > /dev/null 2> why
echo kind.8 | "$csflow" shard plan -n 7 -o cut.plan - 2> why && "$csflow" shard submit cut.plan 2> why
for what in kind.8 cut.plan.counts; do
	"$csflow" profile -q --for=json "$what" 2>> why | sed -n '/^ "files"/,$p' > $what.json
done
[ "$(grep -c '^piece' cut.plan)" = 7 ] && [ -s kind.8.json ]
ok $? "a recording is cut into 7 pieces through its index"
same kind.8.json cut.plan.counts.json "its blocks and edges are those of the whole"

# ---------------------------------------------------------------- Slurm

# A port that is free, and the four after it.
port=$(python3 -c '
import random, socket
while True:
    port, free = random.randrange(20000, 60000), []
    try:
        for i in range(6):
            free.append(socket.socket())
            free[-1].bind(("127.0.0.1", port + i))
        print(port)
        break
    except OSError:
        pass')
mkdir state
head -c 1024 /dev/urandom > munge.key && chmod 400 munge.key
export SLURM_CONF=$tmp/slurm.conf
cat > slurm.conf << END
ClusterName=csflow
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$tmp/munge.socket
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$tmp/state
SlurmdSpoolDir=$tmp/spool.%n
SlurmctldPidFile=$tmp/slurmctld.pid
SlurmdPidFile=$tmp/slurmd.%n.pid
SlurmctldLogFile=$tmp/slurmctld.log
SlurmdLogFile=$tmp/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,sched_min_interval=0
ReturnToService=2
SlurmdTimeout=15
KillWait=2
MailProg=/bin/true
SlurmdParameters=config_overrides
NodeName=node[1-4] NodeAddr=127.0.0.1 NodeHostname=$(hostname) Port=[$((port + 1))-$((port + 4))] CPUs=2 RealMemory=1000
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
# daemon COMMAND...: in the background, ended with the test; sets $pid
daemon()
{
	"$@" > daemon.log 2>&1 &
	pid=$!
	daemons+=("$pid")
}
daemon munged --foreground --force --key-file=munge.key --socket="$tmp/munge.socket" --pid-file="$tmp/munge.pid" \
	--log-file="$tmp/munge.log" --seed-file="$tmp/munge.seed"
for ((i = 0; i < 100; i++)); do
	[ -S munge.socket ] && break
	sleep 0.1
done
# wait_for_nodes N: until so many can take a task
wait_for_nodes()
{
	for ((i = 0; i < 600; i++)); do
		[ "$(sinfo -h -N -o %T 2> why | grep -c idle)" -ge "$1" ] && break
		sleep 0.1
	done
}

daemon slurmctld -D -f "$tmp/slurm.conf"
slurmctld=$pid
for i in 1 2 3 4; do
	mkdir spool.node$i
	daemon slurmd -D -N node$i -f "$tmp/slurm.conf"
	slurmd[i]=$pid
done
wait_for_nodes 4
sinfo -N > why 2>&1
[ "$(sinfo -h -N -o %T | grep -c idle)" = 4 ]
ok $? "a Slurm of four nodes"

# there: the number of parts
there()
{
	find plan.parts -name '*.counts' 2> /dev/null | wc -l
}

# wait_for N: until so many parts are there, or it has ended
wait_for()
{
	while [ "$(there)" -lt "$1" ] && kill -0 "$submit" 2> /dev/null; do
		sleep 0.05
	done
}

# kill_some: each second task that runs now
kill_some()
{
	local pid i=0

	for pid in $(pgrep -f "^$csflow shard run .*$tmp/plan"); do
		((i++ % 2)) || kill -KILL "$pid" 2> /dev/null
	done
}

# check NAME: what was joined is what one machine has
check()
{
	wait "$submit" && cmp want plan.counts > why 2>&1
	status=$?
	cat said >> why
	ok $status "$1: $((SECONDS - began)) s"
}

# begin ENGINE: in the background, anew
begin()
{
	rm -rf plan.parts plan.counts
	began=$SECONDS
	"$csflow" shard submit --engine="$1" "${@:2}" plan > said 2>&1 &
	submit=$!
}

begin slurm --progress
check "Slurm"
cp said why
grep -qE '^making parts, [0-9]+ running, [1-9][0-9]* waiting: ' said
ok $? "progress tells how many tasks run and wait"
begin slurm
wait_for $((PARTS / 8))
kill_some
# whatever of these was killed too late: two that have not begun are lost for sure
squeue -h -r -t PD -n csflow-shard -o %i | tail -n 2 | xargs -r scancel
wait_for $((PARTS / 4))
scontrol update nodename=node2 state=drain reason=test
kill_some
wait_for $((PARTS / 3))
kill -KILL "${slurmd[3]}"
pkill -KILL -P "${slurmd[3]}" 2> /dev/null
find plan.parts -name '*.counts' -printf '%f %T@\n' | sort > early
kill_some
check "Slurm: tasks are killed and cancelled, node2 is drained, the slurmd of node3 is killed"
find plan.parts -name '*.counts' -printf '%f %T@\n' | sort > late
comm -23 early late > why
[ -s early ] && [ ! -s why ]
ok $? "parts that were there were not made again: $(wc -l < early) of $PARTS"
grep -c 'missing parts, made again' said > again
ok $? "lost parts were submitted again, $(cat again) times"

# More parts than tasks of an array have numbers.
for ((i = 0; i < 1100; i++)); do
	ln kind.1 "s$i.data"
	echo "s$i.data"
done > many
"$csflow" profile -q --for=counts -o kind.counts kind.1 2> why
"$csflow" merge -o many.want 1100:kind.counts 2> why
began=$SECONDS
"$csflow" shard plan -n 1100 -o many.plan many 2> why && "$csflow" shard submit --engine=slurm many.plan > said 2>&1
status=$?
cat said >> why
[ $status = 0 ] && cmp many.want many.plan.counts >> why 2>&1 && [ "$(find many.plan.parts -name 'part-*_1.log' | wc -l)" = 2 ]
ok $? "1,100 parts in two arrays: $((SECONDS - began)) s"

odd="two  words %j %%a \$HOME 'q' \"dq\" , : ; & * #"
mkdir "$odd" && cp plan "$odd/"
"$csflow" shard submit --engine=slurm "$odd/plan" > said 2>&1
status=$?
{ cat said; ls "$odd" "$odd/plan.parts"; } > why
[ $status = 0 ] && cmp want "$odd/plan.counts" >> why 2>&1 && [ "$(find "$odd/plan.parts" -name 'part-*_*.log' | wc -l)" = "$PARTS" ] &&
	[ "$(find "$odd/plan.parts" -name 'join-*.log' | wc -l)" = 1 ]
ok $? "a folder with blanks and all that shells and Slurm take for more than itself"

echo MaxArraySize=20 >> slurm.conf
kill "$slurmctld" && wait "$slurmctld" 2> why
daemon slurmctld -D -f "$tmp/slurm.conf"
wait_for_nodes 3
begin slurm
check "arrays of 19 parts at most"
[ "$(find plan.parts -name 'part-*_1.log' | wc -l)" = $(((PARTS + 18) / 19)) ]
ok $? "they are $(((PARTS + 18) / 19)) arrays"

# ---------------------------------------------------------------- this machine

for engine in parallel local; do
	begin $engine -j 3
	wait_for $((PARTS / 8))
	kill_some
	wait_for $((PARTS / 2))
	kill_some
	check "$engine: tasks are killed"
	begin $engine -j 3
	wait_for $((PARTS / 4))
	kill -KILL $submit
	wait $submit 2> /dev/null
	n_there=$(there)
	find plan.parts -name '*.counts' -printf '%f %T@\n' | sort > early
	"$csflow" shard submit --engine=$engine plan > said 2>&1 &
	submit=$!
	check "$engine: csflow itself is killed after $n_there parts, and begun again"
	find plan.parts -name '*.counts' -printf '%f %T@\n' | sort | comm -23 early - > why
	[ ! -s why ]
	ok $? "$engine: those parts were not made again"
done
echo "1..$n"
