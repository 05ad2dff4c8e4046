#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Is the decoder still as fast as it was?  Host instructions for each byte of trace, by callgrind,
# because time is of no use on a machine that others use, too. selftests/bench/speed-limits has the
# figures that were seen.
#
# speed_test.sh renew	writes that file anew
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
# Only those forms of memcpy() and the like that every x86 processor has: the C library chooses
# others on some.
export GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX2_Usable,-AVX_Fast_Unaligned_Load,-ERMS,-FSRM
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. lib/tap.sh

# As users have it: sanitizers would be counted, too.
fast=$(dirname "${CSFLOW_FAST:-../build/csflow}")/selftests
seen=$(mktemp -p "$tmp")

# Real trace, by name: the folder of it in the corpus.
declare -A real=(
	[bugfix-exact-match]=snapshots/bugfix-exact-match
	[tc2-ptm-rstk-t32]=snapshots/tc2-ptm-rstk-t32
	[zephyr]=classic/am243x-r5f/zephyr
	[itm-only]=classic/arm_coresight_decoder
)

folder_of()
{
	[ -n "${real[$1]}" ] && echo "$CSFLOW_CORPUS/${real[$1]}" || echo "$tmp/$1"
}

# measure INPUT JOB OPTIONS...: the words of a line of speed-limits
measure()
{
	local input=$1 job=$2 from

	shift 2
	from=$(folder_of "$input")
	printf '%-28s%-16s%s\n' "$input" "$job" "$(bench/ir.sh "$fast/bench/bench_pass" "$@" "$from" "${job%-warm}" \
		2> "$tmp/why")" >> "$seen"
}

# The messages of a file that mkitm writes, or of a real one: messages INPUT FILE
messages()
{
	printf '%-28s%-16s%s\n' "$1" messages "$(bench/ir.sh "$fast/bench/bench_itm" -n 256 itm "$2" 2> "$tmp/why")" \
		>> "$seen"
}

# Five jobs over one input: a pass of each, and the second pass of those that remember.
jobs_of()
{
	[ "$1" = bugfix-exact-match ] && measure "$1" frames -n 256
	measure "$1" packets -n 256
	measure "$1" runs -n 256
	measure "$1" runs-warm -w -n 256
	measure "$1" counts-warm -w -n 256
}

# All of the trace of an older protocol, or its first KIB: classic INPUT KIB
classic()
{
	measure "$1" packets -n "$2"
	measure "$1" runs -n "$2"
	measure "$1" runs-warm -w -n "$2"
	measure "$1" counts-warm -w -n "$2"
}

limit_of()
{
	awk -v input="$1" -v job="$2" '$1 == input && $2 == job { print $3 }' bench/speed-limits
}

if ! command -v valgrind > /dev/null; then
	skip "host instructions for each byte" "no valgrind"
	echo "1..$n"
	exit 0
fi

# Some blocks are executed often, as in any program; and there are more than a cache can hold.
"$fast/make/mkblocks" "$tmp/small" 500 120000 > "$tmp/why" 2>&1 && jobs_of small
"$fast/make/mkblocks" "$tmp/large" 20000 120000 1000 > "$tmp/why" 2>&1 && jobs_of large
"$fast/make/mkitm" "$tmp/itm" 50000 > "$tmp/why" 2>&1 && messages itm "$tmp/itm"
# PTM; and ETMv3, up to where the peer gives up.
if [ -n "$CSFLOW_CORPUS" ]; then
	jobs_of bugfix-exact-match
	messages itm-only "$CSFLOW_CORPUS/classic/arm_coresight_decoder/itm_only.bin"
	classic tc2-ptm-rstk-t32 0
	classic zephyr 27
fi
# The decoder has a loop of its own for each of these units.
for unit in rs bb spec=4:50 spec=4:50,bb spec=4:50,cc=256,ts=1000 spec=4:50,rs,likely; do
	"$fast/make/mkblocks" "$tmp/$unit" 500 120000 500 "etm4=4.2,$unit" > "$tmp/why" 2>&1 &&
		measure "$unit" counts-warm -w -n 256
done

if [ "$1" = renew ]; then
	[ -n "$CSFLOW_CORPUS" ] || { echo "speed_test.sh: renew wants CSFLOW_CORPUS" >&2; exit 1; }
	grep '^#' bench/speed-limits > "$tmp/limits" && cat "$seen" >> "$tmp/limits" &&
		cp "$tmp/limits" bench/speed-limits
	exit
fi

[ -s "$seen" ]
ok $? "there is something to measure"
while read -r input job is; do
	limit=$(limit_of "$input" "$job")
	echo "# $input, $job: ${is:-not measured}, was ${limit:-not measured}"
	echo "${is:-nothing} host instructions a byte, ${limit:-nothing} in selftests/bench/speed-limits: if that must be," \
		"selftests/bench/speed_test.sh renew" > "$tmp/why"
	awk -v is="$is" -v limit="$limit" 'BEGIN { exit !(is > 0 && limit > 0 && is <= limit * 1.05) }'
	ok $? "$input, $job: not more than before"
done < "$seen"
awk -v real="$CSFLOW_CORPUS" -v names="${!real[*]}" 'BEGIN { split(names, of); for (i in of) needs[of[i]] = 1 }
	FNR == NR { is[$1, $2] = 1; next }
	!/^#/ && !is[$1, $2] && (real || !needs[$1]) { print "nothing of", $1, $2 }' \
	"$seen" bench/speed-limits > "$tmp/why"
[ ! -s "$tmp/why" ]
ok $? "all was measured that was before"

# times INPUT JOB KIB GOAL: the peer needs so many times as many instructions for each byte
times()
{
	local peer

	peer=$(bench/ir.sh "$fast/bench/bench_pass" -p -n "$3" "$(folder_of "$1")" "$2" 2> "$tmp/why")
	awk -v peer="${peer:-0}" -v goal="$4" -v input="$1" -v job="$2" '
	$1 == input && $2 == job { is = $3 }
	END {
		printf "the peer %s, csflow %s: %.1f times as many\n", peer, is, is ? peer / is : 0
		exit !(is && peer / is >= goal)
	}' "$seen" > "$tmp/why"
	ok $? "$1, $2: $4 times as few as the peer, or fewer"
	sed 's/^/# /' "$tmp/why"
}

if [ -n "$CSFLOW_CORPUS" ]; then
	times tc2-ptm-rstk-t32 packets 0 6
	times tc2-ptm-rstk-t32 runs 0 25
	times zephyr packets 27 6
	times zephyr runs 27 6
fi
[ -n "$CSFLOW_CORPUS" ] || skip "real trace" "CSFLOW_CORPUS is not set"
echo "1..$n"
