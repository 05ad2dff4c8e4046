#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Samples against what was really executed: csflow script over recordings of the virtual trace unit
# must have as many instructions, calls and returns as the unit's own log, whatever the period; and
# with timestamps an instruction must have the time at which the unit executed it: its clock runs
# 1 ns an instruction.  Without layers of the decoder it is the same, of one recording; CSFLOW_LONG: of each.
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
. lib/without.sh
command -v python3 > /dev/null || give_up "no python3"
build_programs loops threads

script()
{
	"$CSFLOW" script "$tmp/data" "$@" 2>> "$tmp/err"
}

# Lines of $1 that have this flag, also where trace ends.
flagged()
{
	script --itrace="$1" -F flags | grep -cE "^ *(tr end  )?$2 *$"
}

# count LAYER: instructions, calls and returns, without it
count()
{
	export CSFLOW_WITHOUT=$1
	echo "$(script --itrace=i1i -F ip | wc -l) $(flagged c call) $(flagged r return)" > "$tmp/ours"
	unset CSFLOW_WITHOUT
	same "$tmp/theirs" "$tmp/ours" "instructions, calls, returns${1:+, without $1}: $(cat "$tmp/theirs")"
}

# options of csflow record; program and its words
while IFS=$'\t' read -r options program; do
	# shellcheck disable=SC2086 # words
	record $options -- "$tmp/"$program
	ok $? "record $options $program"
	read -r insns calls returns <<< "$(python3 lib/truth_count.py "$tmp/truth")"
	echo "$insns $calls $returns" > "$tmp/theirs"
	count
	for layer in "${layers[@]}"; do
		[[ $options != *spec* && -z $CSFLOW_LONG ]] || count "$layer"
	done
	script --itrace=i777i -F tid,period | awk '{ n += $2 } END { print int(n / 777) }' > "$tmp/ours"
	[ "$(cat "$tmp/ours")" -gt $((insns / 777 - 16)) ] && [ "$(cat "$tmp/ours")" -le $((insns / 777)) ]
	ok $? "every 777th instruction"
done << 'END'
-u ete=1.1,rs,cid,ts=1000	loops
-u etm4=4.3,cid,ts=1000,cc=16	loops
-u ete=1.0,cid,ts=500 --raw -m 8192	loops
-u ete=1.1,cid,ts=1000 --cpus=3 --quantum=5000 --migrate=3	threads 1
-u ete=1.0,bb --per-thread	threads 1
-u ete=1.1,cid,spec=4:50	loops
END

# With one CPU and one thread the unit's clock is the number of the instruction.
errors()
{
	script --itrace="$1" -F time --ns | tr -d : | awk -v most="$2" '
	{ d = $1 * 1e9 - 100 * NR; if (d < 0) d = -d; sum += d; if (d > max) max = d }
	END { printf "mean %.1f ns, at most %d of %d\n", sum / NR, max, NR
	      exit !(NR > 1000 && sum / NR < most && max < 10 * most) }' > "$tmp/why"
}

for unit in ts=1000 ts=4000; do
	record -u ete=1.1,cid,$unit -- "$tmp/loops"
	errors i100i 20
	ok $? "$unit: time of every 100th instruction: $(cat "$tmp/why")"
done
script --itrace=i1us -F time,period --ns | tr -d : |
	awk 'NR > 1 { n++; d = $1 * 1e9 - last - 1000; if (d < -40 || d > 40) bad++ }
	     { last = $1 * 1e9 } END { print bad + 0, "of", n; exit !(n > 100 && bad < n / 20) }' > "$tmp/why"
ok $? "a sample each microsecond: $(cat "$tmp/why") are more than 40 ns off"

# The code that ran between the last branches, up to each sample, is the code before it in the log.
executed | awk '$4 ~ /^I[TS]$/ { sub(/^0*/, "", $6); print $6, $7 }' > "$tmp/log"
script --itrace=i1000il16 -F ip,sym,brstackinsn > "$tmp/blocks"
python3 - "$tmp/log" "$tmp/blocks" << 'END' > "$tmp/why" 2>&1
import sys
log = [line.split() for line in open(sys.argv[1])]
samples, heads = [], 0
for line in open(sys.argv[2]):
    w = line.split()
    if line[0] == " ":
        samples.append((w[0], []))
    elif "insn:" in w:
        samples[-1][1].append([w[0].lstrip("0"), "".join(reversed(w[2:6])), "#" in w])
    elif line.startswith("\t") and line.endswith(":\n"):
        heads += 1
    elif w:
        print("not understood:", line)
n = 0
for k, (ip, block) in enumerate(samples):
    end = 1000 * (k + 1)
    want = log[end - len(block):end]
    if [b[:2] for b in block] != want or (block and block[-1][0] != ip):
        print("sample", k, "at", ip, "differs")
    if any(int(a[0], 16) + 4 != int(b[0], 16) and not a[2] for a, b in zip(block, block[1:])):
        print("sample", k, "has a branch that is not marked")
    n += len(block)
if n < 1000 or heads < 20:
    print("only", n, "instructions and", heads, "names")
END
[ ! -s "$tmp/why" ]
ok $? "instructions between the last branches"
echo "1..$n"
