#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow shard: recordings decoded in parts, on each engine that is here, give the bytes of one csflow
# profile of all; parts that are missing, damaged, foreign or twice there are named and not counted.
# CSFLOW_LONG: 10000 hostile plans and parts, where else it is 100; and 50,001 parts.
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
: "${O:=build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. selftests/lib/tap.sh
csflow=$(realpath "$CSFLOW_FAST") checked=$(realpath "$CSFLOW")
demo=$PWD/selftests/data/demo mkperf=$(realpath "$O/selftests/make/mkperf")
hostile=$PWD/selftests/tools/shard_hostile.py contrib=$PWD/tools/contrib
unset SLURM_ARRAY_TASK_ID SGE_TASK_ID JOB_COMPLETION_INDEX PARALLEL_SEQ PERF_BUILDID_DIR
export HOME=$tmp

echo "TAP version 13"
if [ ! -x "$mkperf" ]; then
	echo "Bail out! no mkperf: make opinions"
	exit 1
fi
cd "$tmp" || exit 1
mkdir root && cp "$demo/demo-sort" root/

# says STATUS WORDS COMMAND...: it ends with this status, and says these words
says()
{
	local want=$1 words=$2 got

	shift 2
	"$@" > out 2> said
	got=$?
	echo "status $got, wanted $want and '$words':" | cat - said > why
	[ $got = "$want" ] && { [ -z "$words" ] || grep -q -e "$words" said; }
}

# Whole recordings, some of them with holes, and counts; a name with a blank and a percent sign.
for i in {1..11}; do
	"$mkperf" "$demo/perf.data" "r $i%.data" noise=$((i % 4)) $( ((i % 3)) || echo pipe) 2> why
	echo "r $i%.data"
done > list
"$csflow" profile -q --for=counts --symfs=root -o c.counts "$demo/perf.data"
echo c.counts >> list
mapfile -t inputs < list
"$csflow" profile -q --for=counts --symfs=root -o want "${inputs[@]}" 2> why
"$csflow" shard plan -n 5 --symfs=root -o plan list 2> why
ok $? "a plan"
"$csflow" shard plan -n 5 --symfs=root list 2> why | cmp - plan > why
ok $? "it is the same each time"
awk '$1 == "part" { n++ } $1 == "piece" { size[n] += $5 } END {
	for (i in size) { if (size[i] > most) most = size[i]; if (!least || size[i] < least) least = size[i] }
	print n, least, most; exit n != 5 || most > 2 * least }' plan > why
ok $? "its parts are balanced"

says 0 '' "$csflow" shard submit -j 2 plan && cmp want plan.counts > why 2>&1
ok $? "made in five processes and joined: the same bytes"
rm -rf plan.parts plan.counts
if command -v parallel > /dev/null; then
	says 0 '' "$csflow" shard submit --engine=parallel -j 2 plan && cmp want plan.counts > why 2>&1
	ok $? "with GNU parallel: the same bytes"
else
	skip "with GNU parallel: the same bytes" "no parallel"
	"$csflow" shard submit plan 2> why
fi
says 0 '' "$checked" shard join -o joined plan && cmp want joined > why 2>&1
ok $? "joined once more"

# ---------------------------------------------------------------- parts that are missing, and others

part()
{
	echo plan.parts/*-"$1"-*.counts
}
kept=$(part 3)
mv "$kept" kept
rm joined
says 1 '1 of 5 parts are missing: 3$' "$csflow" shard join -o joined plan && [ ! -e joined ]
ok $? "a missing part is named, and nothing is written"
says 3 'missing: 3$' "$csflow" shard join --partial -o joined plan && [ -s joined ] && ! cmp -s want joined
ok $? "the others are joined only when asked"
says 0 '' "$checked" shard run plan 3 && cmp kept "$kept" > why 2>&1
ok $? "it is made again, with the same bytes and name"
says 0 'part 3 is there already' "$csflow" shard run plan 3
ok $? "a part that is there is not made again"

# not_counted WORDS NAME: $bad is named with these words, and the rest is counted
not_counted()
{
	says 0 "$bad: .*$1.*: not counted" "$checked" shard join -o joined plan "${dirs[@]}" && cmp want joined > why 2>&1
	ok $? "$2"
	rm -rf "$bad"
}
dirs=()
bad=plan.parts/${kept##*/}x.counts && cp kept "$bad"
not_counted 'it has not the name of one' "a file of another name"
bad=$(part 2) && bad=${bad/-2-/-4-} && cp "$(part 2)" "$bad"
not_counted 'renamed' "part 2 called part 4"
bad=$(part 2) && bad=${bad/-2-/-6-} && cp "$(part 2)" "$bad"
not_counted 'no part of this number' "part 2 called part 6 of 5"
"$csflow" shard plan -n 4 --symfs=root -o other list 2> why && "$csflow" shard run -o other.parts other 1 2> why
cp other.parts/* plan.parts/ && bad=plan.parts/$(ls other.parts)
not_counted 'a part of another plan' "a part of another plan"
bad=$(part 2) && bad=${bad%?.counts}$([[ $bad == *0.counts ]] && echo 1 || echo 0).counts && head -c 100 "$(part 2)" > "$bad"
not_counted 'damaged' "a part that is cut off"
bad=plan.parts/0123456789abcdef-1-0123456789abcdef.counts && mkfifo "$bad"
not_counted 'another plan' "a pipe"
mkdir twice && cp "$(part 2)" twice/ && bad=twice/$(basename "$(part 2)") dirs=(-d plan.parts -d twice)
not_counted 'twice' "a part that is there twice"
dirs=()
cp "$(part 2)" kept2 && printf X | dd of="$(part 2)" bs=1 seek=40 conv=notrunc status=none
says 1 'damaged.*: not counted' "$csflow" shard join -o /dev/null plan && grep -q 'missing: 2$' said &&
	says 0 '' "$csflow" shard run plan 2 && cmp kept2 "$(part 2)" > why 2>&1
ok $? "a damaged part is missing, and is made again"

# The largest counts that fit: the sum of two does not.
for ((w = 63; w; w--)); do
	"$csflow" merge -o most.counts $((1 << w - 1)):c.counts 2> /dev/null && break
done
cp most.counts more.counts && printf '%s\n' most.counts more.counts > large.list
"$csflow" shard plan -n 2 -o large large.list 2> why && "$csflow" shard run large 1 2>> why && "$csflow" shard run large 2 2>> why &&
	says 1 'large.sum: its counts are too large to be added up$' "$checked" shard join -o large.sum large && [ ! -e large.sum ] &&
	says 1 'standard output: its counts are too large' "$csflow" shard join large && [ ! -s out ]
ok $? "sums that are too large: nothing is written"

# ---------------------------------------------------------------- the number, and the inputs

rm -rf plan.parts
SLURM_ARRAY_TASK_ID=1 "$csflow" shard run plan 2> why && SGE_TASK_ID=2 "$csflow" shard run plan 2> why &&
	JOB_COMPLETION_INDEX=2 SGE_TASK_ID=undefined "$csflow" shard run plan 2> why &&
	PARALLEL_SEQ=4 "$csflow" shard run plan 2> why &&
	SLURM_ARRAY_TASK_ID=5 JOB_COMPLETION_INDEX=4 "$csflow" shard run plan 2> why &&
	"$csflow" shard join plan 2> why | cmp - want > why 2>&1
ok $? "the engine's number of a task"
says 2 'SLURM_ARRAY_TASK_ID and PARALLEL_SEQ mean different parts' env SLURM_ARRAY_TASK_ID=1 PARALLEL_SEQ=2 "$csflow" shard run plan &&
	says 2 'JOB_COMPLETION_INDEX=5: the plan has parts 0 to 4' env JOB_COMPLETION_INDEX=5 "$csflow" shard run plan &&
	says 2 'SGE_TASK_ID=0: the plan has parts 1 to 5' env SGE_TASK_ID=0 "$csflow" shard run plan &&
	says 2 'part 6: ' "$csflow" shard run plan 6 && says 2 'it is no number' "$csflow" shard run plan -- -1 &&
	says 2 'which part' "$csflow" shard run plan
ok $? "no number, a wrong one, and two that disagree"
rm -rf plan.parts
k=$(awk -v path="$tmp/c.counts" '$1 == "input" { n++; if ($4 == path) in_ = n } $1 == "part" { part++ } $1 == "piece" && $2 == in_ { print part }' plan)
cp c.counts kept && printf x >> c.counts
says 1 'c.counts: it is not the file that was planned' "$csflow" shard run plan "$k" && [ -z "$(ls plan.parts)" ]
ok $? "an input that changed: no part"
rm c.counts
says 1 'c.counts: No such file' "$csflow" shard run plan "$k" && says 1 "missing: $k\$" "$csflow" shard submit --retries=1 plan &&
	says 1 '^making parts: 0.0 MB, 0.0 MB/s$' "$csflow" shard submit --retries=0 --progress plan &&
	mv kept c.counts && says 0 '^making parts: .*, 100 %, 0:00 left$' "$csflow" shard submit --progress plan && cmp plan.counts want > why 2>&1
ok $? "an input that is gone: what is missing is made later, and progress is counted in that"
echo gone >> list
says 1 'gone: No such file' "$csflow" shard plan list && [ ! -s out ]
ok $? "a plan of an input that is not there"
printf 'a.data\n\0\n' > binary
says 1 'binary:2: a zero byte' "$csflow" shard plan binary && [ ! -s out ]
ok $? "a list that is no text"
sed '1s/1$/2/' plan > later
says 1 'list:1: it is no plan' "$csflow" shard join list &&
	says 1 'later:1: a plan in a format that this csflow does not know' "$csflow" shard join later
ok $? "a file that is no plan, and a plan of a later format"
python3 - > other << 'END'
head, own, version, rest = open('plan').read().split('\n', 3)
body, hash = 'version 0.0.1\n' + rest, 0xcbf29ce484222325
for c in body.encode():
    hash = (hash ^ c) * 0x100000001b3 % 2**64
print(f'{head}\nhash {hash:016x}\n{body}', end='')
END
says 1 'other: made by csflow 0.0.1, this is .*: counts might differ; make the plan again' "$csflow" shard run other 1
ok $? "a plan of another csflow"
rm -rf plan.parts
for i in {1..4}; do "$csflow" shard run plan 2 2> /dev/null & done
wait
[ "$(ls plan.parts | wc -l)" = 1 ] && cmp kept2 "$(part 2)" > why 2>&1
ok $? "the same part, made four times at once"

# ---------------------------------------------------------------- engines

# Settings of an engine that may be on this machine.
mkdir bin
printf '#!/bin/sh\necho "MaxArraySize            = $SLURM_LIMIT"\n' > bin/scontrol
printf '#!/bin/sh\necho "max_aj_tasks                 $SGE_LIMIT"\n' > bin/qconf
chmod +x bin/*
export PATH="$tmp/bin:$PATH" SLURM_LIMIT=4001 SGE_LIMIT=0
"$csflow" shard submit --engine=slurm --dry-run plan > out 2> why && [ "$(wc -l < out)" = 2 ] &&
	grep -q -e "--array=1,3-5 .*--requeue.*'--wrap=.*csflow shard run --dir=$tmp/plan.parts $tmp/plan \$((0 + SLURM_ARRAY_TASK_ID))'$" out &&
	grep -q -e "--dependency=afterany:JOB .*csflow shard join " out
ok $? "commands for Slurm: an array of what is missing, and a job that joins after it"
"$csflow" shard submit --engine=slurm --dry-run -d 'a%j%' plan > out 2> why && grep -q -e "--output=$tmp/a%%j%%/part-%A_%a.log " out &&
	grep -q -e "--output=$tmp/a%%j%%/join-%j.log " out && grep -q -e "--dir=$tmp/a%j% " out
ok $? "a folder with percent signs, which Slurm would replace"
mkdir many
for ((i = 0; i < 2001; i++)); do
	echo many/$i
done | tee names | xargs touch
"$csflow" shard plan -n 2001 -o many.plan names 2> why && "$csflow" shard submit --engine=slurm --dry-run many.plan > out 2> why &&
	printf '%s\n' '0 1-1000' '1000 1-1000' '2000 1' > want.arrays &&
	sed -nE 's/.*--array=([-0-9,]*) .*many.plan \$\(\(([0-9]*) \+ SLURM_ARRAY_TASK_ID\)\).$/\2 \1/p' out | diff want.arrays - > why &&
	grep -q -e "--dependency=afterany:JOB:JOB:JOB .*csflow shard join " out
ok $? "2,001 parts: arrays of 1,000 at most, which Slurm takes, and one job that joins after all"
"$csflow" shard submit --engine=sge --dry-run plan > out 2> why && grep -q -e '-t 1-5 .*csflow shard run' out &&
	grep -q -e '-hold_jid JOB .*csflow shard join' out
ok $? "commands for SGE"
SLURM_LIMIT=3 "$csflow" shard submit --engine=slurm --dry-run plan 2> why | sed -nE 's/.*--array=([-0-9,]*) .*plan \$\(\(([0-9]*) \+ .*/\2 \1/p' > out
printf '%s\n' '0 1' '2 1-2' '4 1' | diff - out > why
ok $? "Slurm takes two tasks: no more in an array"
SGE_LIMIT=700 "$csflow" shard submit --engine=sge --dry-run many.plan 2> why | grep -oE -e '-t [-0-9]*|-hold_jid [^ ]*' > out
printf '%s\n' '-t 1-700' '-t 701-1400' '-t 1401-2001' '-hold_jid JOB,JOB,JOB' | diff - out > why
ok $? "SGE takes 700 tasks: no more in an array"
SGE_LIMIT=80000 "$csflow" shard submit --engine=sge --dry-run many.plan 2> why | grep -q -e '-t 1-2001 '
ok $? "and one array if it takes more"
"$csflow" shard submit --dry-run plan > out 2> why && [ "$(grep -c 'csflow shard run' out)" = 4 ] && [ "$(ls plan.parts | wc -l)" = 1 ]
ok $? "commands for this machine, and none is run"
# A queue of one machine in place of Slurm's: every second task is killed, unless $ALL is set.
cat > bin/sbatch << 'END'
#!/bin/bash
# The commands that csflow gives, one after the other.
for word; do
	case $word in
	--array=*)	list=${word#*=} ;;
	--wrap=*)	job=${word#*=} ;;
	esac
done
echo "$list" >> "$SUBMITTED"
echo "sbatch: warning: 1 thing to know" >&2
if [ -z "$list" ]; then
	[ "$JOIN" != late ] || sleep 1.5
	[ "$JOIN" != refused ] || { echo "sbatch: error: no room for this job" >&2; exit 1; }
	printf 'Connected again.18\n'
	[ "$JOIN" = deleted ] || bash -c "$job"
	exit
fi
[ "$(wc -l < "$SUBMITTED")" -le "${ARRAYS:-1000}" ] || { echo "sbatch: error: Slurm has no room for more jobs" >&2; exit 1; }
[ -z "$ARRAYS" ] || list=
for range in ${list//,/ }; do
	for ((k = ${range%-*}; k <= ${range#*-}; k++)); do
		[ -z "$ALL" ] && ((i++ % 2)) || SLURM_ARRAY_TASK_ID=$k bash -c "$job" 2> /dev/null
	done
done
echo 17
END
chmod +x bin/sbatch
rm -rf plan.parts plan.counts
says 0 'missing parts, made again: 2,4' env PATH="$tmp/bin:$PATH" SUBMITTED="$tmp/submitted" "$csflow" shard submit --engine=slurm plan &&
	cmp want plan.counts > why 2>&1 && grep -v '^$' submitted | tr '\n' ' ' > why && [ "$(cat why)" = '1-5 2,4 4 ' ]
ok $? "only what was lost is submitted again"
rm -rf plan.parts submitted
says 0 'submitted parts 1-5, as jobs 17$' env PATH="$tmp/bin:$PATH" SUBMITTED="$tmp/submitted" JOIN=deleted "$csflow" shard submit --engine=slurm plan &&
	cmp want plan.counts > why 2>&1 && [ "$(grep -c . submitted)" = 3 ] && grep -q '^sbatch: warning: 1 thing' said
ok $? "a job that joins is deleted, with status 0 and older counts there: joined all the same"
rm -rf plan.parts submitted
cat > bin/squeue << 'END'
#!/bin/bash
echo "$@" >> "$ASKED"
printf '%s\n' RUNNING PENDING 'squeue: a word' PENDING COMPLETING
[ -z "$DEAF" ]
END
chmod +x bin/squeue
says 0 '^making parts, 2 running, 2 waiting: ' env PATH="$tmp/bin:$PATH" SUBMITTED="$tmp/submitted" ASKED="$tmp/asked" ALL=1 JOIN=late \
	"$csflow" shard submit --engine=slurm --progress plan && [ "$(uniq asked)" = '--noheader --array --format=%T --jobs=17' ] &&
	tail -n 1 said | grep -q '^making parts: '
ok $? "progress tells what squeue says, until all has ended"
rm -rf plan.parts submitted asked
says 0 '^making parts: ' env PATH="$tmp/bin:$PATH" SUBMITTED="$tmp/submitted" ASKED="$tmp/asked" ALL=1 JOIN=late DEAF=1 \
	"$csflow" shard submit --engine=slurm --progress plan && [ -s asked ] && ! grep -q running said
ok $? "a squeue that fails"
rm -rf plan.parts submitted asked
says 0 'submitted parts' env PATH="$tmp/bin:$PATH" SUBMITTED="$tmp/submitted" ASKED="$tmp/asked" ALL=1 JOIN=late \
	"$csflow" shard submit --engine=slurm plan && [ ! -e asked ]
ok $? "squeue is not asked if no progress is shown"
rm -rf plan.parts submitted
says 1 'only parts 1 to 5 go on, as jobs 17: submit the plan again' env PATH="$tmp/bin:$PATH" SUBMITTED="$tmp/submitted" JOIN=refused \
	"$csflow" shard submit --engine=slurm plan && grep -q '^sbatch: error: no room for this job' said && [ "$(cat submitted)" = "1-5$(echo; echo)" ]
ok $? "a job that joins is refused: nothing is submitted again"
says 1 'there is no qsub on this machine' env PATH=/nowhere "$csflow" shard submit --engine=sge plan
ok $? "no qsub"
echo hello | tee bin/parallel > bin/qsub && chmod +x bin/parallel bin/qsub
says 1 'bin/parallel: Exec format error' env PATH="$tmp/bin:$PATH" "$csflow" shard submit --engine=parallel --retries=0 many.plan &&
	says 1 'bin/qsub: Exec format error' env PATH="$tmp/bin:$PATH" "$csflow" shard submit --engine=sge many.plan
ok $? "commands that cannot be run"
rm bin/parallel
if [ -n "$CSFLOW_LONG" ]; then
	seq 50001 | sed 's,^,many/,' | tee names | xargs touch
	"$csflow" shard plan -n 50001 -o more.plan names 2> why && "$csflow" shard submit --engine=parallel --dry-run more.plan > out 2> why &&
		[ "$(wc -l < out)" = 3 ] && sed -n 1p out | grep -q ' ::: 1 2 .* 49999 50000$' && sed -n 2p out | grep -q ' ::: 50001$'
	ok $? "50,001 parts: the words of a command are not more than Linux takes"
fi
printf '#!/bin/sh\necho hello\n' > bin/qsub && chmod +x bin/qsub
says 1 'qsub: it did not print the number of a job' env PATH="$tmp/bin:$PATH" "$csflow" shard submit --engine=sge many.plan
ok $? "a qsub that is none"
rm submitted
says 1 'sbatch: error: Slurm has no room for more jobs' env PATH="$tmp/bin:$PATH" SUBMITTED="$tmp/submitted" ARRAYS=1 \
	"$csflow" shard submit --engine=slurm many.plan && grep -q 'only parts 1 to 1000 go on, as jobs 17: submit the plan again' said
ok $? "arrays that Slurm does not take"

# ---------------------------------------------------------------- hostile plans and parts

python3 "$hostile" "$checked" "$csflow" plan "${CSFLOW_LONG:+10000}" > out 2> why
status=$?
cat out why | tail -n 5 > why2 && mv why2 why
ok $status "hostile plans and parts: $(tail -n 1 out)"

# ---------------------------------------------------------------- contrib

python3 - "$contrib/kubernetes-job.yaml" > why 2>&1 << 'END'
import sys, yaml
job, = yaml.safe_load_all(open(sys.argv[1]))
assert (job['apiVersion'], job['kind']) == ('batch/v1', 'Job')
spec = job['spec']
assert spec['completionMode'] == 'Indexed' and spec['completions'] >= spec['parallelism'] > 0
pod = spec['template']['spec']
assert pod['restartPolicy'] in ('OnFailure', 'Never')
container, = pod['containers']
assert container['command'][:3] == ['csflow', 'shard', 'run']
assert {m['name'] for m in container['volumeMounts']} == {v['name'] for v in pod['volumes']}
END
ok $? "the Job of Kubernetes is YAML, indexed, and runs csflow shard run"
if command -v snakemake > /dev/null; then
	rm -rf plan.parts plan.counts
	export XDG_CACHE_HOME=$tmp
	snakemake --snakefile "$contrib/Snakefile" --config "csflow=$csflow" plan=plan --cores 2 > why 2>&1 && cmp want plan.counts > why 2>&1
	ok $? "the rules of Snakemake: the same bytes"
else
	skip "the rules of Snakemake: the same bytes" "no snakemake"
fi
echo "1..$n"
