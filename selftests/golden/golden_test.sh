#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# golden_test.sh [NAME...]   dump --format=opencsd --release=1.5.5 against the listings of trc_pkt_lister 1.5.5
#
# The Idx: records of each listing of ETMv4, ETE or PTM in $CSFLOW_CORPUS/golden must be those of ours,
# byte for byte and in order; those of other protocols in the same buffer do not count.  golden/NAME.except may exempt records:
#
#	row: where the reason stands, and the reason
#	- a record that only the listing has
#	+ a record that only we have
#
# Each entry must occur, and no more than 2 % of a listing may be exempted.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

corpus=$CSFLOW_CORPUS
if [ -z "$corpus" ] || [ ! -d "$corpus/golden" ]; then
	echo "1..0 # SKIP CSFLOW_CORPUS names no corpus with listings"
	exit 0
fi
if ! command -v xz > /dev/null; then
	echo "1..0 # SKIP no command xz"
	exit 0
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

: "${CSFLOW:=../build/check/csflow}" "${CSFLOW_FAST:=$CSFLOW}"
# Listings too long for a build with sanitizers.
big=bugfix-exact-match

# Records glued to error texts, which have no line end, are split off.  $others: see read_command.
records()
{
	sed 's/\(.\)Idx:/\1\nIdx:/' | grep -a '^Idx:' | grep -a -v "$others"
}

# The command line in the listing, as our options; sets dir and options, and others: what records of
# IDs of other protocols match.
read_command()
{
	local word decode= monitor=

	dir= options=()
	set -- $(xz -dc "$1" 2> /dev/null | sed -n '/^Test Command Line/{n;p;q}')
	while [ $# -gt 0 ]; do
		word=$1
		shift
		case $word in
		-ss_dir)	dir=$1; shift ;;
		-src_name)	options+=("--source=$1"); shift ;;
		-decode)	decode=1 ;;
		-pkt_mon)	monitor=1 ;;
		-multi_session)	options+=(--multi-session) ;;
		-src_addr_n)	options+=(--split-source) ;;
		-dstream_format) options+=(--framing=dstream) ;;
		esac
	done
	others=$(xz -dc "$listing" 2> /dev/null | head -n 100 |
		sed -n '/Protocol printer \(ETMV4I\|ETE\|PTM\)/d; s/.*Protocol printer .* on Trace ID 0x\(.*\)/; ID:\1;/p')
	others=${others:-no record}
	[ -n "$decode" ] || options+=(--packets)
	[ -z "$monitor" ] || options+=(--bytes)
}

ours()
{
	local csflow=$CSFLOW

	[ "$1" = $big ] && csflow=$CSFLOW_FAST
	"$csflow" dump --format=opencsd --release=1.5.5 --snapshot="$corpus/$dir" "${options[@]}" \
		2> "$tmp/stderr" || echo "Idx: csflow dump exits with $?"
}

# Compares the differences with the exemptions: prints which were met, and which are wrong.
exempted()
{
	awk -v limit="$2" '
	FILENAME == ARGV[1] && /^row: / { row = substr($0, 6); next }
	FILENAME == ARGV[1] && /^[-+] / { if (row == "") bad = bad "\n# an entry without a row"
				want[$0]++; why[$0] = row; next }
	FILENAME == ARGV[1] { next }
	{
		line = (substr($0, 1, 1) == "<" ? "- " : "+ ") substr($0, 3)
		if (want[line]-- > 0) {
			n++; print "# exempted: " line; print "#   by: " why[line]
		} else if (++wrong <= 10)
			bad = bad "\n# " line
	}
	END {
		for (line in want)
			if (want[line] > 0)
				bad = bad "\n# exempted, but not met: " line
		if (n > limit)
			bad = bad "\n# " n " records exempted, over 2 %"
		if (wrong > 10)
			bad = bad "\n# ... and " wrong - 10 " more"
		if (bad != "")
			print substr(bad, 2)
		exit bad != ""
	}' "$1" "$tmp/diff"
}

# Return: the listing is the same except for exempted records.
compare()
{
	local except=golden/$1.except n

	if cmp -s <(xz -dc "$2" | records) <(ours "$1" | records); then
		[ ! -e "$except" ] || { echo "# $except is not needed"; return 1; }
		return 0
	fi
	diff -a <(xz -dc "$2" | records) <(ours "$1" | records) | grep -a '^[<>]' > "$tmp/diff"
	n=$(xz -dc "$2" | records | wc -l)
	[ -e "$except" ] || except=/dev/null
	exempted "$except" $((n / 50))
}

# The known contents of the largest listing.
count()
{
	ours $big | awk -F'num_i[(]' '/INSTR_RANGE/ { r++; n += $2 } END { print r, n }'
}

shopt -s nullglob
test=0
failed=0
report()
{
	test=$((test + 1))
	[ "$1" = 0 ] && echo "ok $test $2" || { echo "not ok $test $2"; failed=1; }
}

listings=("$corpus"/golden/*.ppl.xz)
[ $# -gt 0 ] && listings=("${@/#/$corpus/golden/}") && listings=("${listings[@]/%/.ppl.xz}")
for listing in "${listings[@]}"; do
	name=$(basename "$listing" .ppl.xz)
	# Made with options, or with a broken opcode check, that we do not have.
	case $name in *_badopcode* | *_rangelimit) continue ;; esac
	# Other protocols only.
	xz -dc "$listing" 2> /dev/null | head -n 100 |
		grep -q 'Protocol printer \(ETMV4I\|ETE\|PTM\)' || continue
	read_command "$listing"
	compare "$name" "$listing"
	report $? "$name"
	if [ "$name" = $big ]; then
		[ "$(count)" = "1740344 7581461" ]
		report $? "$name: 1,740,344 ranges, 7,581,461 instructions"
	fi
done
[ $test -gt 0 ] || report 1 "no listing found"
echo "1..$test"
exit $failed
