#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The output of every command, for comparison with another build: a change that only moves code must
# not change it.
#
#	outputs.sh inputs DIR		recordings of programs in 30 configurations, each whole, damaged and cut
#	outputs.sh print DIR OUT	what $CSFLOW prints of them, and of $CSFLOW_CORPUS; and $PERF, if it is set
#	outputs.sh compare OUT OUT	status 1: they differ; each file that does is named
#
# The build before the change prints to one folder, the build after it to another, both of the same
# inputs.  A file of the folder is one call: its command, its output, its messages, its status.  It
# is compressed by gzip.
#
#	ONLY=PATTERN			only inputs whose name it matches
self=$(realpath "$0")
set -- "$1" "${2:+$(realpath -m "$2")}" "${3:+$(realpath -m "$3")}"
: "${CSFLOW:=${self%/*}/../../build/csflow}"
CSFLOW=$(realpath "$CSFLOW")
cd "${self%/*}/.." || exit 1
export LC_ALL=C TZ=UTC PERF_PAGER=cat
ulimit -c 0

# options of csflow record | program
recordings='-u etm4=4.0|loops
-u etm4=4.3,cid,ts=1000|loops
-u etm4=4.2,bb,cid|loops
-u etm4=4.2,cid,cc=16,rs|loops
-u etm4=4.6,cid,rs,targetfirst,sync=100000|threads 1
--header=0 -u etm4=4.2,cid,ts=1000|loops
--header=1 -u etm4=4.6,cid,ts=1000|loops
--per-thread -u etm4=4.6,ts=1000|loops
--raw --per-thread --cpus=1 -u ete=1.0,cid|loops
-u ete=1.1,cid,ts=1000|loops
--raw -u ete=1.1,bb,cid,ts=1000|loops
--header=1 -u ete=1.2,cid,ts=4096|loops
-u ete=1.1,cid,cc=16,ts=1000|loops
-u ete=1.0,cid,ts=1000,source=10|loops
-u ete=1.1,vmidopt,ts=1000,marker|loops
-u ete=1.1,cid,ts=1000,event=100,ignore=50|loops
-u ete=1.0,cid,ts=1000,strobe=500:500|loops
-u ete=1.0,cid,ts=1000,overflow=5000|loops
--raw -u ete=1.0,cid,ts=1000,discard=1000|loops
-u etm4=4.3,cid,ts=1000|signals
-u ete=1.1,cid,ts=1000 --cpus=3 --quantum=5000 --migrate=3|threads 1
-m 20000 -u etm4=4.2,cid,ts=1000|plain 1
-u ete=1.1,cid,rs,q=100|calls
-u ete=1.1,cid,rs,ts=1000,cc=4|stacks
--raw --per-thread --cpus=1 -u ete=1.1,cid,ts=1000,cc=16,rs,spec=4:5|loops
--per-thread --cpus=1 -u etm4=4.2,rs,spec=4:5|loops
-u etm4=4.2,cid,bb,rs,spec=3:7|calls
-u etm4=4.3,cid,rs|branches
-u ete=1.2,cid,rs,ts=500|trips
-u etm4=4.2,cid,rs,bb|interwork'

die()
{
	echo "outputs.sh: $*" >&2
	exit 1
}

# ---------------------------------------------------------------- inputs

build()
{
	local name gcc more

	cut -d'|' -f2 <<< "$recordings" | cut -d' ' -f1 | sort -u | while read -r name; do
		gcc=aarch64-linux-gnu-gcc more=
		[ "$name" != interwork ] || gcc=arm-linux-gnueabihf-gcc more=programs/over-page.S
		# shellcheck disable=SC2086 # nothing, or a file
		$gcc -g -O2 -static -pthread -o "$1/$name" "programs/$name.c" $more || exit 1
	done
}

# Every 4,099th byte from 4096 on, of which each third is changed in one bit; and without the last third.
damage()
{
	perl -0777 -pe 'for ($i = 4096, $n = 0; $i < length; $i += 4099) {
			substr($_, $i, 1) ^= chr(1 << $n % 8) if ++$n % 3 == 0 }' "$1" > "$1-damaged"
	head -c $(($(stat -c %s "$1") * 2 / 3)) "$1" > "$1-cut"
}

make_inputs()
{
	local options program i=0 dir

	mkdir -p "$1/programs" && dir=$1 && build "$dir/programs"
	while IFS='|' read -r options program; do
		i=$((i + 1))
		# shellcheck disable=SC2086 # words
		env -i PATH="$PATH" "$CSFLOW" record -q -o "$dir/r$i" --truth "$dir/t$i" $options \
			-- "$dir/programs/${program%% *}" ${program#"${program%% *}"} > "$dir/said" 2>&1 < /dev/null ||
			die "csflow record $options -- $program: $(cat "$dir/said")"
		echo "r$i $options $program"
		damage "$dir/r$i"
	done <<< "$recordings"
	rm -f "$dir/said"
}

# ---------------------------------------------------------------- print

# keep NAME COMMAND...: its output, in a file of that name
keep()
{
	local name=$1 status

	shift
	{
		echo "$ ${*##*/}"
		timeout 300 "$@" < /dev/null 2> "$tmp/said"
		status=$?
		echo "# status $status"
		sed "s,$tmp,TMP,g" "$tmp/said"
	} | gzip -n1 > "$out/$name.gz"
}

# The output of several threads and of one must be the same, and both are kept.
threads()
{
	local name=$1

	shift
	keep "$name.j1" "$CSFLOW" "$@" -j1
	keep "$name.j4" "$CSFLOW" "$@" -j4
}

scripts='
-F +flags,+insn
--itrace=be
--itrace=i1i
--itrace=i100ig16
--itrace=i1000il16 -F +brstack
--itrace=bi1000ie
--itrace=cr
--itrace=y
--itrace=Zb
--itrace=Tb --ns
--itrace=x
--insn-trace
--call-trace
--call-ret-trace
--time=10%-20%
--time=10%-20% --from-start --ns
--around=main
-C 0 -F comm,tid,cpu,time,ip,sym,symoff,dso,addr
--compat
--columns=6.1
-F +srcline,+ipc'

of_recording()
{
	local name=$1 file=$2 n=0 options format

	threads "$name.dump" dump "$file"
	for options in --packets --elements --frames --stats --split-source --buffer=0 \
		--format=opencsd "--format=opencsd --bytes" "--format=opencsd --release=1.5.5"; do
		# shellcheck disable=SC2086 # words
		keep "$name.dump${options// /}" "$CSFLOW" dump $options "$file"
	done
	while read -r options; do
		n=$((n + 1))
		# shellcheck disable=SC2086 # words
		threads "$name.script-$n" script -i "$file" $options
	done <<< "$scripts"
	threads "$name.report" report -i "$file" --show=all
	threads "$name.report-children" report -i "$file" --children -s dso,symbol
	for format in autofdo profgen perfscript hybrid llvm llvm-cs extbinary-cs extbinary gcov bolt bolt-traces \
		fdata propeller branch-list branch-list-v1 branch-list-zstd folded json counts; do
		threads "$name.profile-$format" profile --for=$format "$file"
	done
	threads "$name.doctor" doctor -i "$file"
	threads "$name.timeline" timeline --for=chrome -i "$file"
	threads "$name.coverage" coverage "$file"
	threads "$name.annotate" annotate main "$file"
	threads "$name.tarmac" tarmac "$file"
	keep "$name.tarmac-es" "$CSFLOW" tarmac --style=es "$file"
	keep "$name.index" "$CSFLOW" index -o "$tmp/index" "$file"
	keep "$name.index-list" "$CSFLOW" index --list -o "$tmp/index" "$file"
	keep "$name.quick" "$CSFLOW" quick --limit=0 "$file"
	[ -z "$PERF" ] && return
	keep "$name.perf-dump" "$PERF" script -i "$file" -D
	for options in be i1i cr i100il16; do
		keep "$name.perf-$options" "$PERF" script -i "$file" --itrace=$options \
			-F comm,tid,cpu,event,ip,sym,addr,flags,insn,period
	done
	keep "$name.perf-report" "$PERF" report -i "$file" --stdio --itrace=i100i -s comm,dso,sym
}

# A complete recording also has a log of executed code.
of_log()
{
	local name=$1 log=$2 file=$3

	threads "$name.match" match "$log" "$file"
	keep "$name.match-cut" "$CSFLOW" match -n 0 "$log" "$file-damaged"
	keep "$name.encode" "$CSFLOW" encode --format=raw --formatted -o "$tmp/encoded" "$log"
	keep "$name.encode-bytes" sha256sum "$tmp/encoded"
	keep "$name.tarmac-log" "$CSFLOW" tarmac "$log"
}

of_snapshot()
{
	local name=$1 dir=$2 options

	for options in "" --packets --elements --frames --stats --multi-session --format=opencsd \
		"--format=opencsd --bytes --multi-session" "--format=opencsd --release=1.3.3"; do
		# shellcheck disable=SC2086 # words
		keep "$name.dump${options// /}" "$CSFLOW" dump $options --snapshot="$dir"
	done
	keep "$name.dump-j4" "$CSFLOW" dump -j4 --snapshot="$dir"
	keep "$name.tarmac" "$CSFLOW" tarmac "$dir"
	keep "$name.index" "$CSFLOW" index -o "$tmp/index" "$dir"
}

wanted()
{
	[[ -z "$ONLY" || "$1" =~ $ONLY ]]
}

print_all()
{
	local dir file name

	dir=$1 out=$2
	mkdir -p "$out" && tmp=$(mktemp -d) || exit 1
	trap 'rm -rf "$tmp"' EXIT
	export HOME=$tmp PERF_CONFIG=/dev/null
	for file in "$dir"/r[0-9]*; do
		name=${file##*/}
		wanted "$name" || continue
		echo "$name"
		of_recording "$name" "$file"
		[ ! -e "$dir/t${name#r}" ] || of_log "$name" "$dir/t${name#r}" "$file"
	done
	[ -n "$CSFLOW_CORPUS" ] || return
	for file in "$CSFLOW_CORPUS"/{snapshots,snapshots-ete}/*; do
		name=${file##*/}
		wanted "$name" || continue
		echo "$name"
		of_snapshot "$name" "$file"
	done
	for file in "$CSFLOW_CORPUS"/{simpleperf,reports}/*.data; do
		name=${file##*/}
		wanted "$name" || continue
		echo "$name"
		of_recording "$name" "$file"
	done
}

case $1:${2:+1}:${3:+1} in
inputs:1:)	make_inputs "$2" ;;
print:1:1)	print_all "$2" "$3" ;;
compare:1:1)	diff -rq "$2" "$3" ;;
*)		sed -n '5,7s/^#\t//p; 12s/^#\t//p' "$self" >&2; exit 2 ;;
esac
