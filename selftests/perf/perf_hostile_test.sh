#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# perf with csflow in it, over recordings that are damaged, or that no recorder would write: it does
# not crash, it ends, it reports the damage, and it shows each instruction that csflow script shows.
#
# $SEEDS variants of each of some recordings, made by mkperf's dice: 30.  CSFLOW_LONG: 1000, and perf
# is built with sanitizers.
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
mkperf=$O/selftests/make/mkperf
build_programs loops
[ -z "$CSFLOW_LONG" ] || : "${PERF:=$O/check/perf}"
find_perfs
: "${SEEDS:=$([ -n "$CSFLOW_LONG" ] && echo 1000 || echo 30)}"
# perf itself keeps its memory until it ends.
export ASAN_OPTIONS=detect_leaks=0:exitcode=199 UBSAN_OPTIONS=halt_on_error=1:exitcode=199

# Does the damaged file say that its trace is of another kind?  Then perf's code for that kind reads it.
another_kind()
{
	timeout -k 1 100 "$ours" script -i "$tmp/data" --no-itrace -D 2> /dev/null < /dev/null |
		grep -a 'PERF_RECORD_AUXTRACE_INFO type: ' | grep -qv 'type: 3$'
}

# survives OPTIONS: perf with them ends by itself, and soon
survives()
{
	local status

	(timeout -k 1 100 "$ours" "$@" < /dev/null > "$tmp/out" 2> "$tmp/said"; exit $?) 2> /dev/null
	status=$?
	cat "$tmp/said" >> "$tmp/all-said"
	# It may end by -errno: a timeout, a signal, a sanitizer.
	case $status in
	124 | 129 | 13? | 14? | 15? | 199) another_kind && return 0 ;;
	*) return 0 ;;
	esac
	echo "perf $*: status $status" >> "$tmp/why"
	head -n 20 "$tmp/said" >> "$tmp/why"
	return 1
}

# Whether perf's own reader, with no trace decoded at all, gets through the records.  It does not if
# it dies, or ends without a message, or finds a record of size 0.
readable()
{
	local status

	(timeout -k 1 100 "$ours" script -i "$tmp/data" --no-itrace < /dev/null > /dev/null \
		2> "$tmp/reader"; exit $?) 2> /dev/null
	status=$?
	case $status in
	0)					return 0 ;;
	124 | 129 | 13? | 14? | 15?)		return 1 ;;
	# A sanitizer's report about perf's work before any of ours.
	199)	! grep -q '#0 .* in evlist__parse_sample_timestamp' "$tmp/reader"; return ;;
	esac
	[ -s "$tmp/reader" ] && ! grep -q '\[0\]: \(failed to process type\|processing failed\)' "$tmp/reader"
}

# All that perf does with a recording; its instructions come last, in $tmp/out.  Crashes of its own
# reader are not ours: by records that reach beyond the end of the file, by an AUXTRACE_INFO of size
# 0.
unharmed()
{
	: > "$tmp/why"
	: > "$tmp/all-said"
	: > "$tmp/out"
	: > "$tmp/said"
	readable=yes
	readable || readable=
	[ "$readable" ] || {
		cp "$tmp/reader" "$tmp/all-said"
		return 0
	}
	survives script -i "$tmp/data" -D &&
		survives report -i "$tmp/data" --stdio &&
		survives inject -i "$tmp/data" -o "$tmp/injected" --itrace=i100il16 &&
		survives script -i "$tmp/data" --itrace=bei10il -F cpu,time,ip,addr,flags,insn,brstack &&
		survives script -i "$tmp/data" --itrace=i1i -F ip
}

# Numbers of a recording: where they are in the header
data_begin=40
data_size=48
# number FILE PLACE
number()
{
	od -An -t u8 -j "$2" -N 8 "$1" | tr -d ' '
}

# set_number FILE PLACE VALUE
set_number()
{
	perl -e 'open F, "+<", $ARGV[0] or die; seek F, $ARGV[1], 0; print F pack "Q<", $ARGV[2]' "$@"
}

# The part of $tmp/data that perf read, as $tmp/read: perf stops at a record with an impossible
# size, and says where that is; csflow looks for the next record.
part_that_was_read()
{
	local end

	end=$(sed -n 's/.*whole ones end at \(0x[0-9a-f]*\).*/\1/p' "$tmp/said" | head -n 1)
	cp "$tmp/data" "$tmp/read"
	[ -z "$end" ] ||
		set_number "$tmp/read" $data_size $((end - $(number "$tmp/read" $data_begin)))
}

# Damaged files, and those of which enough was left to compare; likewise those where perf stopped.
damaged=0
some=0
stopped=0
stopped_some=0

# instructions FILE: those that csflow shows
instructions()
{
	"$csflow" script -i "$1" --itrace=i1i -F ip 2> /dev/null | tr -d ' ' | sort
}

# Of each instruction that csflow shows of that part there must be as many; but csflow in perf knows
# all of the file, so code that the rest of it makes uncertain does not count. At a record that perf
# itself cannot read, it stops, and does not even call csflow.
complete()
{
	damaged=$((damaged + 1))
	[ "$readable" ] || return 0
	grep 'failed to process type\|processing failed for event' "$tmp/said" | grep -qv 'type: 70 \|(70)' && return
	part_that_was_read
	tr -d ' ' < "$tmp/out" | grep '^[0-9a-f]*$' | sort > "$tmp/perf"
	instructions "$tmp/read" > "$tmp/csflow"
	if ! cmp -s "$tmp/data" "$tmp/read"; then
		instructions "$tmp/data" | comm -12 "$tmp/csflow" - > "$tmp/both"
		mv "$tmp/both" "$tmp/csflow"
		stopped=$((stopped + 1))
		[ -s "$tmp/csflow" ] && stopped_some=$((stopped_some + 1))
	fi
	[ -s "$tmp/csflow" ] && some=$((some + 1))
	comm -13 "$tmp/perf" "$tmp/csflow" > "$tmp/missing"
	[ -s "$tmp/missing" ] || return 0
	echo "perf shows $(wc -l < "$tmp/perf") instructions, csflow $(wc -l < "$tmp/csflow")" >> "$tmp/why"
	tail -n 3 "$tmp/said" >> "$tmp/why"
	return 1
}

# bad NAME TEXT EDIT...: TEXT is in what is said
bad()
{
	local name=$1 text=$2

	shift 2
	"$mkperf" "$tmp/good" "$tmp/data" "$@" 2> "$tmp/why" && unharmed && complete
	ok $? "$name: unharmed, and all there is"
	[ "$text" = - ] && return
	cp "$tmp/all-said" "$tmp/why"
	grep -q "$text" "$tmp/all-said"
	ok $? "$name: says so"
}

# variants NAME: of $tmp/good
variants()
{
	local seed bad=0 less=0

	for seed in $(seq "$SEEDS"); do
		"$mkperf" "$tmp/good" "$tmp/data" random="$seed" || continue
		unharmed || {
			bad=$((bad + 1))
			sed "s/^/# random=$seed: /" "$tmp/why" | head -n 10
			continue
		}
		complete && continue
		less=$((less + 1))
		sed "s/^/# random=$seed: /" "$tmp/why" | head -n 10
	done
	: > "$tmp/why"
	[ $bad = 0 ]
	ok $? "$1: $SEEDS variants, $bad harm perf"
	[ $less = 0 ]
	ok $? "$1: $SEEDS variants, of $less is shown less than there is"
}

# ---------------------------------------------------------------- files whose end is missing

# shortened NAME TEXT: perf with $tmp/data ends, shows what precedes the end, and prints TEXT
shortened()
{
	: > "$tmp/why"
	: > "$tmp/all-said"
	survives script -i "$tmp/data" -D &&
		survives report -i "$tmp/data" --stdio &&
		survives inject -i "$tmp/data" -o "$tmp/injected" --itrace=i100il16 &&
		survives script -i "$tmp/data" --itrace=i1i -F ip
	ok $? "$1: perf ends, and by itself"
	"$csflow" script -i "$tmp/data" --itrace=i1i -F ip 2> "$tmp/why" | wc -l > "$tmp/csflow"
	echo "perf shows $(wc -l < "$tmp/out") instructions, csflow $(cat "$tmp/csflow")" >> "$tmp/why"
	[ "$(wc -l < "$tmp/out")" -gt 1000 ]
	ok $? "$1: what comes before is shown"
	cp "$tmp/all-said" "$tmp/why"
	grep -q "$2" "$tmp/all-said"
	ok $? "$1: says so"
}

# shortened_files NAME: of the perf that $ours is
shortened_files()
{
	local begin size

	record -m 8192 -u ete=1.1,cid,ts=1000 -- "$tmp/loops" && mv "$tmp/data" "$tmp/whole" || {
		ok 1 "$1a recording of many buffers"
		return
	}
	cp "$tmp/whole" "$tmp/data"
	begin=$(number "$tmp/data" $data_begin)
	size=$(number "$tmp/data" $data_size)
	truncate -s $((begin + size * 6 / 10)) "$tmp/data"
	shortened "$1cut inside trace" "whole ones end at"
	cp "$tmp/whole" "$tmp/data"
	set_number "$tmp/data" $data_size $((size - 1))
	shortened "$1the data is a byte less" "whole ones end at"
	cp "$tmp/whole" "$tmp/data"
	set_number "$tmp/data" $data_size 0
	truncate -s $((begin + size)) "$tmp/data"
	shortened "$1a recording that was not finished" "was not finished"
	truncate -s $((begin + size * 6 / 10)) "$tmp/data"
	shortened "$1not finished, and cut" "was not finished"
}

# ---------------------------------------------------------------- all of it

# Some 14,000 instructions in two buffers or more, so that damage to one leaves others.
small='strobe=100:1000'
good()
{
	record "$@" -- "$tmp/loops" && mv "$tmp/data" "$tmp/good" && return
	ok 1 "csflow record $*"
	return 1
}

echo "TAP version 13"
if good -m 4096 -u ete=1.1,cid,ts=1000,$small; then
	bad "AUX that is no whole frame" - size=-8:0
	bad "trace with noise" - noise=50
	bad "the end of the file is missing" "whole ones end at" cut=100
	for size in 0 4 0xfff8; do
		bad "a record of $size bytes after the first buffer" "whole ones end at" record=$size:1
	done
	bad "AUX of another CPU" "in no AUXTRACE record" cpu=7
	bad "a version to come" "version" info=0:9
	bad "10,000 CPUs" "CPU" info=1:0x800002710
	bad "no CPU" - info=1:0x800000000
	bad "a HW_ID of a version to come" "HW_ID" hw-id=0x1000000000000010
	bad "two CPUs with one trace ID" "ID" hw-id=0x0100000000000010
	bad "an AUX record that goes on for ever" "AUX" size=0x7fffffffffffff00:0
	bad "a trace unit that is none" "unit\|magic\|metadata" info=3:0x1234
	variants "frames, a CPU each"
	# The last size or place of trace that was changed at random is taken by noise.
	bad=0
	for seed in $(seq 200); do
		"$mkperf" "$tmp/good" "$tmp/data" random="$seed" noise=50 holes=5 2> /dev/null
		[ $? -lt 2 ] || bad=$((bad + 1))
	done 2> "$tmp/why"
	[ $bad = 0 ]
	ok $? "mkperf: noise in 200 variants, of which it dies of $bad"
fi
shortened_files
# Parts of perf are linked otherwise there.
if [ -z "$other_version" ] && old=$(realpath "$O/perf-6.1" 2> /dev/null) && [ -x "$old" ]; then
	ours=$old shortened_files "6.1: "
fi
good -m 4096 --raw --per-thread -u etm4=4.4,ts=1000,$small && variants "raw, a thread each"
good -m 4096 --header=0 -u etm4=4.2,cid,spec=4:5,$small && variants "version 0"
good -m 4096 --header=1 --raw -u ete=1.2,cid,ts=500,rs,$small && variants "version 1, raw"
good -m 4096 -u ete=1.1,cid,cc=4,ts=500,tm=20,$small --cpus=64 && variants "64 CPUs"

# A comparison with nothing proves nothing.
: > "$tmp/why"
[ $((some * 2)) -ge $damaged ]
ok $? "of $damaged damaged files $some have instructions to compare"
[ $stopped -ge 8 ] && [ $((stopped_some * 2)) -ge $stopped ]
ok $? "of $stopped that perf stops to read $stopped_some have instructions to compare"

echo "1..$n"
