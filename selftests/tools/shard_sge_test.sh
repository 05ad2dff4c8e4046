#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow shard on a Grid Engine of one host: the bytes are those of one csflow profile, while tasks and jobs are
# killed and deleted, a queue is disabled, a daemon is restarted, and limits are small; and only lost parts are made
# again.  Host name, network, processes and mounts are the test's own (unshare), so all daemons end with it.
# Debian's packages are unpacked in the build directory, not installed; GRIDENGINE=dir has them unpacked.
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
: "${O:=build}" "${CSFLOW_FAST:=$O/csflow}" "${PARTS:=20}"
give_up()
{
	echo "1..0 # SKIP $1"
	exit 0
}
bail_out()
{
	echo "Bail out! $1"
	exit 1
}

# ---------------------------------------------------------------- outside

fetch()
{
	local -r packages="gridengine-master gridengine-exec gridengine-client gridengine-common libjemalloc2"
	local deb

	GRIDENGINE=$O/gridengine
	[ ! -e "$GRIDENGINE/done" ] || return 0
	rm -rf "$GRIDENGINE"
	mkdir -p "$GRIDENGINE"
	# shellcheck disable=SC2086
	(cd "$GRIDENGINE" && apt-get -q -o APT::Sandbox::User=root download $packages) > "$GRIDENGINE/log" 2>&1 || return 1
	for deb in "$GRIDENGINE"/*.deb; do
		dpkg-deb -x "$deb" "$GRIDENGINE" || return 1
		rm "$deb"
	done
	touch "$GRIDENGINE/done"
}

if [ -z "$SGE_TEST_FOLDER" ]; then
	[ -n "$CSFLOW_LONG" ] || give_up "it takes minutes: CSFLOW_LONG=1"
	[ "$(id -u)" = 0 ] || give_up "no root"
	for tool in unshare ip apt-get; do
		command -v $tool > /dev/null || give_up "no $tool"
	done
	[ -x "$O/selftests/make/mkperf" ] || bail_out "no mkperf: make opinions"
	[ -n "$GRIDENGINE" ] || fetch || give_up "no network: $(tail -n 1 "$GRIDENGINE/log")"
	tmp=$(mktemp -d) || exit 1
	chmod 755 "$tmp"
	# unshare ignores SIGTERM
	trap 'kill -KILL $inside 2> /dev/null; wait; rm -rf "$tmp"' EXIT
	trap 'exit 1' HUP INT TERM
	O=$(realpath "$O") CSFLOW_FAST=$(realpath "$CSFLOW_FAST") GRIDENGINE=$(realpath "$GRIDENGINE") SGE_TEST_FOLDER=$tmp \
		unshare --mount --net --uts --ipc --pid --fork --kill-child --mount-proc bash "selftests/tools/${0##*/}" &
	inside=$!
	wait $inside
	exit
fi

# ---------------------------------------------------------------- a Grid Engine

tmp=$SGE_TEST_FOLDER csflow=$CSFLOW_FAST mkperf=$O/selftests/make/mkperf demo=$PWD/selftests/data/demo
. selftests/lib/tap.sh
export HOME=$tmp SGE_ROOT=$tmp/sge SGE_CELL=default SGE_QMASTER_PORT=6444 SGE_EXECD_PORT=6445
unset SLURM_ARRAY_TASK_ID SGE_TASK_ID JOB_COMPLETION_INDEX PARALLEL_SEQ PERF_BUILDID_DIR
cd "$tmp" || exit 1
# Its programs look for each other below /usr/lib/gridengine.
{
	mount -t overlay -o lowerdir="$GRIDENGINE/usr:/usr" overlay /usr && hostname grid && ip link set lo up && ip addr add 10.0.0.1/32 dev lo &&
		printf '127.0.0.1 localhost\n10.0.0.1 grid\n' > hosts && mount --bind hosts /etc/hosts
} 2> why || give_up "no namespaces: $(tail -n 1 why)"
PATH=/usr/lib/gridengine:$PATH
share=/usr/share/gridengine spool=$tmp/spool

# set_to FILE NAME VALUE...: lines of a configuration
set_to()
{
	local file=$1

	shift
	while [ $# -gt 0 ]; do
		sed -i "s|^$1 .*|$1 $2|" "$file"
		shift 2
	done
}

# global NAME VALUE...: changes the configuration of the whole
global()
{
	qconf -sconf > global && set_to global "$@" && qconf -Mconf global > why 2>&1
}

# nap SECONDS SECONDS: each part begins with a nap, and the job that joins, so that they can be killed
nap()
{
	echo "$1" > nap-csflow-shard
	echo "$2" > nap-csflow-join
}

begin_daemons()
{
	sge_qmaster && sge_execd
	for ((i = 0; i < 300; i++)); do
		qhost | grep -q '^grid .* [0-9.]*G' && return 0
		sleep 0.1
	done
	return 1
}

set_up()
{
	mkdir -p "$SGE_ROOT/default/common" "$SGE_ROOT/bin" "$SGE_ROOT/utilbin" "$spool"/{db,execd,qmaster/job_scripts} &&
		ln -s /usr/lib/gridengine "$SGE_ROOT/bin/$("$share/util/arch")" && ln -s /usr/lib/gridengine "$SGE_ROOT/utilbin/$("$share/util/arch")" &&
		ln -s $share/util "$SGE_ROOT/util" || return 1
	cp $share/default-bootstrap "$SGE_ROOT/default/common/bootstrap" && echo grid > "$SGE_ROOT/default/common/act_qmaster"
	set_to "$SGE_ROOT/default/common/bootstrap" admin_user none spooling_params "$spool/db" qmaster_spool_dir "$spool/qmaster" \
		binary_path "$SGE_ROOT/bin"
	cp $share/default-configuration global
	set_to global execd_spool_dir "$spool/execd" min_uid 0 min_gid 0 mailer /bin/true administrator_mail none
	spoolinit berkeleydb libspoolb "$spool/db" init && spooldefaults configuration global &&
		spooldefaults complexes $share/util/resources/centry && spooldefaults usersets $share/util/resources/usersets &&
		spooldefaults managers root && begin_daemons && qconf -as grid || return 1
	qconf -ssconf > scheduler && set_to scheduler schedule_interval 0:0:1 flush_submit_sec 1 flush_finish_sec 1
	printf '#!/bin/sh\nsleep "$(cat %s/nap-$JOB_NAME)"\nexec "$@"\n' "$tmp" > start && chmod +x start
	qconf -sq > queue && set_to queue qname all.q hostlist grid slots 4 load_thresholds NONE pe_list NONE starter_method "$tmp/start"
	qconf -Msconf scheduler && qconf -Aq queue
}

echo "TAP version 13"
set_up > why 2>&1 && qstat -f >> why && grep -q '^all.q@grid .*/4 ' why
status=$?
ok $status "a Grid Engine of one host"
[ $status = 0 ] || exit 1

# ---------------------------------------------------------------- recordings

mkdir root && cp "$demo/demo-sort" root/
for ((i = 0; i < 2 * PARTS; i++)); do
	"$mkperf" "$demo/perf.data" "r $i.data" noise=$((i % 4)) 2> why || bail_out "mkperf"
	echo "r $i.data"
done > list
mapfile -t inputs < list
"$csflow" profile -q --for=counts --symfs=root -o want "${inputs[@]}" 2> why &&
	"$csflow" shard plan -n "$PARTS" --symfs=root -o plan list 2>> why && [ -s want ]
ok $? "a plan of $PARTS parts"

# begin: submits in the background, anew; $submit
begin()
{
	rm -rf plan.parts plan.counts
	again
}

again()
{
	began=$SECONDS
	setsid timeout 100 "$csflow" shard submit --engine=sge plan > said 2>&1 &
	submit=$!
}

# ends STATUS: it has ended, with this one
ends()
{
	wait "$submit" 2> why
	status=$?
	{ echo "status $status, wanted $1"; cat said; qstat; } >> why 2>&1
	[ "$status" = "$1" ]
}

# check NAME: what was joined is what one machine has
check()
{
	ends 0 && cmp want plan.counts >> why 2>&1
	ok $? "$1: $((SECONDS - began)) s"
}

# until_so COMMAND: for half a minute at most
until_so()
{
	for ((i = 0; i < 300; i++)); do
		eval "$1" > /dev/null 2>&1 && return 0
		sleep 0.1
	done
	echo "# not so: $1"
	return 1
}

there()
{
	find plan.parts -name '*.counts' 2> /dev/null | wc -l
}

# jobs NAME: numbers of the jobs of this name
jobs_of()
{
	qstat -xml | sed -n "/JB_job_number/{s/[^0-9]//g; h}; /<JB_name>$1</{g; p}" | sort -u
}

# ---------------------------------------------------------------- tests

nap 2 0
begin
check "parts and join"
grep -qE '^csflow: submitted parts 1-'"$PARTS"', as jobs [0-9]+$' said && ! grep -q 'made again' said && [ "$(find plan.parts -name 'part-*_*.log' | wc -l)" = "$PARTS" ] &&
	[ "$(find plan.parts -name 'join-*.log' | wc -l)" = 1 ]
ok $? "it says the number of the job, each task has its log, and the join waited for all"

nap 0 0
odd="two  words, co:lon \$HOME \$TASK_ID 'q' \"dq\" back\\slash; & * #"
mkdir "$odd" && cp plan "$odd/"
"$csflow" shard submit --engine=sge "$odd/plan" > said 2>&1
status=$?
cp said why
[ $status = 0 ] && cmp want "$odd/plan.counts" >> why 2>&1 && [ "$(find "$odd/plan.parts" -name 'part-*_*.log' | wc -l)" = "$PARTS" ]
ok $? "a folder with blanks and all that shells and Grid Engine take for more than itself"

rm -rf plan.parts plan.counts
"$csflow" shard run plan 3 2> why && "$csflow" shard run plan 9 2>> why && qmod -d all.q > why
again
until_so '[ "$(qstat -s p | wc -l)" = 4 ]'
qdel "$(jobs_of csflow-shard)" -t 5 > why
qmod -e all.q > why
check "tasks wait for a queue that is disabled, and one of them is deleted"
grep -q '^csflow: submitted parts 1-2,4-8,10-' said && grep -q 'missing parts, made again: 5$' said && grep -q '^csflow: submitted parts 5, as' said
ok $? "only the deleted one is submitted again"

nap 3 0
begin
until_so '[ "$(there)" -ge 4 ]'
find plan.parts -name '*.counts' -printf '%f %T@\n' | sort > early
until_so '[ "$(pgrep -fc "^/bin/sh $tmp/start ")" -ge 2 ]'
pgrep -f "^/bin/sh $tmp/start " | head -n 2 > killed
xargs kill -KILL < killed
nap 0 0
check "tasks are killed"
find plan.parts -name '*.counts' -printf '%f %T@\n' | sort > late
comm -23 early late > why
[ -s early ] && [ ! -s why ] && [ -s killed ] && cp said why && grep -q 'missing parts, made again' said
ok $? "they were made again, and those that were there were not: $(wc -l < early) of $PARTS"

for when in waits runs; do
	[ $when = waits ] || nap 0 3
	begin
	[ $when = waits ] || until_so '[ "$(there)" = '"$PARTS"' ]'
	until_so '[ -n "$(jobs_of csflow-join)" ]'
	qdel "$(jobs_of csflow-join)" > why
	check "the job that joins is deleted while it $when"
done
nap 1 0

for signal in INT TERM KILL; do
	begin
	until_so '[ "$(there)" -ge 2 ]'
	kill -$signal -- "-$submit"
	wait "$submit" 2> why
	until_so '[ -e plan.counts ]'
	{ cat said; qstat; } > why
	cmp want plan.counts >> why 2>&1
	ok $? "csflow is killed by SIG$signal: the jobs go on, and join"
done

begin
until_so '[ "$(there)" -ge 2 ]'
qconf -kej grid > why 2>&1 && until_so '! pgrep -x sge_execd' && sge_execd
check "the execution daemon is restarted, and its tasks are killed"
nap 0 0

# ---------------------------------------------------------------- limits

global max_aj_tasks 8
begin
check "8 tasks of an array at most"
sed -n 's/^csflow: submitted parts .* jobs //p' said | tr ',' '\n' > why
[ "$(wc -l < why)" = $(((PARTS + 7) / 8)) ]
ok $? "$PARTS parts in $(((PARTS + 7) / 8)) arrays"
global max_aj_tasks 0
begin
ends 0 && cmp want plan.counts >> why 2>&1 && grep -qE 'submitted parts .*, as jobs [0-9]+$' said
ok $? "no limit: $PARTS parts in one array"
global max_aj_tasks 75000 max_u_jobs 1
qmod -d all.q > why
begin
ends 1 && grep -q 'only 1 jobs are allowed per user' said && grep -q "only parts 1 to $PARTS go on, as jobs [0-9]*: submit the plan again" said &&
	[ "$(jobs_of csflow-shard | wc -l)" = 1 ]
ok $? "no room for the job that joins: it says so, and submits nothing again"
again
ends 1 && grep -q 'only 1 jobs are allowed per user' said && ! grep -q 'go on' said && [ "$(jobs_of csflow-shard | wc -l)" = 1 ]
ok $? "no room for an array"
qmod -e all.q > why
until_so '[ "$(there)" = '"$PARTS"' ]'
global max_u_jobs 0
again
check "submitted again when they have ended"
qconf -km > why 2>&1 && until_so '! pgrep -x sge_qmaster'
rm -rf plan.parts
again
ends 1 && [ "$(there)" = 0 ]
ok $? "no master"
echo "1..$n"
