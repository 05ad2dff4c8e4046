#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Recordings of the virtual trace unit, decoded by perf as Debian has it: 6.1, which reads header
# versions 0 and 1, and the one of linux-source-6.12, which reads all, each with Debian's
# libopencsd.  CPU by CPU, the instructions that perf shows must be those that csflow shows, all
# of them; where a row names a defect of perf, some may be missing, but none may be another.
#
# "jit" is code that is in no file: perf wants `perf inject --jit` before it knows it.
#
# The other defects have a line each in Documentation/differences.rst:
#	return-at-sync	a return that waits for its address when Trace Info comes: what follows is lost,
#			here less than 1 in 100
#	cut-frame	a buffer cut inside a frame: the rest of that CPU's trace is lost
cd "$(dirname "$0")" || exit 1
export LC_ALL=C

cross=aarch64-linux-gnu-gcc
: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
for tool in qemu-aarch64 $cross perf; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# perf, defect or -, options of csflow record, program: if none is named, loops
rows='6.1	-	--header=0 -u etm4=4.3,cid,ts=1000
6.1	-	--header=1 -u ete=1.0,cid,ts=1000
6.1	-	--header=1 --per-thread -u ete=1.0
6.1	return-at-sync	--header=0 -u etm4=4.3,rs,cid,ts=1000,sync=1024
6.12	-	-u ete=1.0,cid,ts=4096
6.12	return-at-sync	-u ete=1.1,rs,cid,ts=4096,sync=1024
6.12	-	--per-thread -u ete=1.0,ts=4096
6.12	-	-u ete=1.1,bb,cid,ts=1000
6.12	-	-u ete=1.1,cc=16,cid,ts=1000
6.12	-	-u etm4=4.2,cid,ts=1000,spec=4:5
6.12	-	-u ete=1.0,cid,ts=1000,source=10
6.12	-	-u ete=1.0,cid,ts=1000,q=50
6.12	-	-u ete=1.0,cid,ts=1000,wfx=1
6.12	-	-u ete=1.1,vmidopt,ts=1000,marker
6.12	-	-u ete=1.1,cid,ts=1000,event=100,ignore=50
6.12	-	-u ete=1.0,cid,ts=1000,tm=100
6.12	-	-u ete=1.0,cid,ts=1000,strobe=500:500
6.12	-	-u ete=1.0,cid,ts=1000,overflow=5000
6.12	-	-u ete=1.0,cid,ts=1000,discard=1000
6.12	cut-frame	-u ete=1.0,cid,ts=1000,truncate=1000
6.12	-	--raw -u ete=1.0,cid,ts=1000,truncate=1000
6.12	return-at-sync	--raw -u ete=1.2,rs,cid,ts=500,marker,sync=1024
6.1	-	--header=1 -u ete=1.1,cid,ts=1000	threads
6.12	-	--cpus=3 --quantum=5000 --migrate=3 -u ete=1.1,cid,ts=1000	threads
6.12	jit	-u ete=1.1,cid,ts=1000	signals
6.12	-	-u ete=1.1,cid,ts=1000	sqlite3'

# CPU and address of each instruction, CPU after CPU.
by_cpu()
{
	sed 's/^ *//; s/ *$//; s/  */ /g' | sort -s -k1,1
}

# Lines of $2 that cannot be found in $1 behind the line before; then how many $1 has more.
left_out()
{
	awk 'NR == FNR { ours[n++] = $0; next }
	     { j = i + 0; while (j < n && ours[j] != $0) j++
	       if (j == n) { alone = FNR ": " $0; exit }
	       i = j + 1; same++ }
	     END { print alone ? "perf alone has line " alone : n - same " left out" }' "$1" "$2"
}

echo "1..$(wc -l <<< "$rows")"
for name in loops threads signals; do
	$cross -O2 -static -pthread -o "$tmp/$name" "programs/$name.c" 2> "$tmp/why" && continue
	sed 's/^/# /' "$tmp/why"
	echo "Bail out! programs/$name.c cannot be compiled"
	exit 1
done
root=$(./arm64-root.sh "$O" 2> /dev/null)

# How a program is run, into the array run; for sqlite3 there must be Debian's.
run_of()
{
	run=("$tmp/$1")
	[ "$1" = threads ] && run+=(1)
	[ "$1" = sqlite3 ] || return 0
	run=("$root/usr/bin/sqlite3" :memory: 'select 1')
	options="$options -L $root"
	[ -n "$root" ]
}

stock=$(./stock-perf.sh "$O/stock-perf" 2> "$tmp/why") || {
	tail -n 5 "$tmp/why" | sed 's/^/# /'
	echo "Bail out! no perf of linux-source-6.12"
	exit 1
}

n=0
while IFS=$'\t' read -r version defect options program; do
	n=$((n + 1))
	if ! run_of "${program:-loops}"; then
		echo "ok $n perf $version: $options # SKIP no arm64 programs"
		continue
	fi
	[ "$version" = 6.1 ] && perf=perf || perf=$stock
	# shellcheck disable=SC2086 # the options are words
	if ! $CSFLOW_FAST record -q -o "$tmp/data" $options -- "${run[@]}" > /dev/null 2> "$tmp/why"; then
		sed 's/^/# /' "$tmp/why"
		echo "not ok $n csflow record $options"
		continue
	fi
	$CSFLOW script -i "$tmp/data" --itrace=i1i -F cpu,ip 2> /dev/null | by_cpu > "$tmp/ours"
	$perf script -i "$tmp/data" --itrace=Zi1i -F cpu,ip 2> /dev/null | by_cpu > "$tmp/stock"
	said=$(left_out "$tmp/ours" "$tmp/stock")
	missing=${said% left out}
	lines=$(wc -l < "$tmp/stock")
	echo "# perf $version shows $lines instructions, csflow $(wc -l < "$tmp/ours"); $said"
	if [ "$lines" -lt 1000 ] || [ "$missing" = "$said" ]; then	# perf shows something else
		word='not ok'
	elif [ "$defect" = - ]; then
		[ "$missing" = 0 ] && word=ok || word='not ok'
	elif [ "$defect" = return-at-sync ] || [ "$defect" = jit ]; then
		[ $((missing * 100)) -lt "$lines" ] && word=ok || word='not ok'
	else
		word=ok
	fi
	[ "$defect" = - ] && defect= || defect=" ($defect)"
	echo "$word $n perf $version: $options${program:+ $program}$defect"
done <<< "$rows"
