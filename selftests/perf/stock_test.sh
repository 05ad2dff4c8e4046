#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Recordings of the virtual trace unit, decoded by perf as Debian has it: 6.1, which reads header
# versions 0 and 1, and the one of linux-source-6.12, which reads all, each with Debian's
# libopencsd.  CPU by CPU, perf must show all the instructions that csflow shows, and no others; if
# a row names a defect of perf, some may be missing, but none may be different.
#
# "jit" is code that is in no file: perf wants `perf inject --jit` before it knows it.
#
# The other defects have a line each in Documentation/user/differences.rst:
#	return-at-sync	a return that waits for its address when Trace Info comes: what follows is lost,
#			here less than 1 in 100
#	fragment-end	perf stops reading when its decoder says "wait", and asks it for the rest.  At the end
#			of a buffer it does not ask: a wait in the last frame of 16 bytes loses what comes after
#			it in that frame.  OpenCSD waits at the first timestamp of a buffer, and whenever perf's
#			queue has its 1,023 ranges, so it is chance where that is.  Nothing else may be missing:
#			all that csflow shows without the last frame of each buffer
#	cut-frame	a buffer cut inside a frame: the rest of that CPU's trace is lost
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
command -v perf > /dev/null || give_up "no perf"
build_programs loops threads signals
find_stock

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
6.1	fragment-end	--header=1 -u ete=1.1,cid,ts=1000	threads 1
6.1	fragment-end	--header=1 -m 5000 -u ete=1.1,cid,ts=100
6.12	fragment-end	-m 5000 -u ete=1.1,cid,ts=100
6.12	fragment-end	--cpus=3 --quantum=5000 --migrate=3 -u ete=1.1,cid,ts=1000	threads 1
6.12	jit	-u ete=1.1,cid,ts=1000	signals
6.12	-	-u ete=1.1,cid,ts=1000	sqlite3'

# shown FILE: the instructions that csflow shows of it
shown()
{
	"$CSFLOW" script -i "$1" --itrace=i1i -F cpu,ip 2> /dev/null | in_order
}

# Whether stock shows all if each AUX record of $tmp/data is a frame shorter
but_for_last_frames()
{
	"$O/selftests/make/mkperf" "$tmp/data" "$tmp/less" size=-16 2> "$tmp/why" || return
	shown "$tmp/less" > "$tmp/sure"
	left_out "$tmp/stock" "$tmp/sure" > "$tmp/sure-out"
	grep -q ' left out$' "$tmp/sure-out" &&
		[ $(($(wc -l < "$tmp/sure") * 100)) -ge $(($(wc -l < "$tmp/ours") * 99)) ] && return
	sed 's/^perf/without last frames csflow/' "$tmp/sure-out" >> "$tmp/why"
	return 1
}

# Lines of $2 that are not in $1 after the line before; then the number of other lines in $1.
left_out()
{
	awk 'NR == FNR { ours[n++] = $0; next }
	     { j = i + 0; while (j < n && ours[j] != $0) j++
	       if (j == n) { alone = FNR ": " $0; exit }
	       i = j + 1; same++ }
	     END { print alone ? "perf alone has line " alone : n - same " left out" }' "$1" "$2"
}

key=1		# CPU after CPU
while IFS=$'\t' read -r version defect options program; do
	name="perf $version: $options${program:+ $program}"
	[ "$defect" = - ] || name="$name ($defect)"
	run_of "${program:-loops}" || {
		skip "$name" "no arm64 programs"
		continue
	}
	[ "$version" = 6.1 ] && perf=perf || perf=$stock
	# shellcheck disable=SC2086 # the options are words
	record $options $extra -- "${run[@]}" || {
		ok 1 "csflow record $options"
		continue
	}
	shown "$tmp/data" > "$tmp/ours"
	script "$perf" --itrace=Zi1i -F cpu,ip | in_order > "$tmp/stock"
	left_out "$tmp/ours" "$tmp/stock" > "$tmp/why"
	missing=$(sed -n 's/ left out$//p' "$tmp/why")
	lines=$(wc -l < "$tmp/stock")
	echo "# perf $version shows $lines instructions, csflow $(wc -l < "$tmp/ours"); $(cat "$tmp/why")"
	case $defect in
	-)	  most=0 ;;
	cut-frame) most=$missing ;;
	fragment-end) but_for_last_frames && most=$missing || most=0 ;;
	*)	  most=$(((lines - 1) / 100)) ;;
	esac
	[ "$lines" -ge 1000 ] && [ -n "$missing" ] && [ "$missing" -le "$most" ]
	ok $? "$name"
done <<< "$rows"
echo "1..$n"
