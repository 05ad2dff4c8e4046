# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # variables of those who source it
#
# Recordings of 32-bit programs by an older trace unit, for tests that source this file: sets $tmp, $csflow and $want,
# builds the programs that all have, and counts in $total and $others.

export LC_ALL=C
ulimit -c 0

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
for tool in qemu-arm arm-linux-gnueabihf-gcc; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
want=10000000
[ -z "$CSFLOW_LONG" ] || want=100000000

. lib/tap.sh
. lib/pairwise.sh

# build NAME SOURCE OPTIONS...
build()
{
	local name=$1 source=$2

	shift 2
	arm-linux-gnueabihf-gcc -O2 -g -pthread -Wno-unused-result -o "$tmp/$name" \
		"programs/$source.c" "$@" 2> "$tmp/why" || ok 1 "$name is built"
}

build a32 plain -marm -static
build t32 plain -mthumb -static
build a32-shared plain -marm
build t32-shared plain -mthumb
build both interwork -static programs/over-page.S
build a32-signals signals -marm -static
build t32-signals signals -mthumb -static
build a32-threads threads -marm -static
build t32-threads threads -mthumb -static

# packets DATA: counts of each kind, added to $tmp/packets
packets()
{
	local how=("$1")

	[ ! -d "$1" ] || how=(--snapshot="$1")
	"$csflow" dump --packets --no-progress "${how[@]}" 2> /dev/null |
		awk '$2 ~ /^\[[0-9a-f]+\]$/ { kind[$3]++ } END { for (k in kind) print kind[k], k }' >> "$tmp/packets"
}

# seen KIND...: more than ten packets of each
seen()
{
	local kind n_seen

	for kind in "$@"; do
		n_seen=$(awk -v kind="$kind" '$2 == kind { n += $1 } END { print n + 0 }' "$tmp/packets")
		echo "# $kind $n_seen"
		[ "$n_seen" -gt 10 ]
		ok $? "packets: $kind"
	done
}

total=0
others=0
# one PROGRAM ARGUMENT OPTIONS...: recorded and compared
one()
{
	local name=$1 arg=$2 counts

	shift 2
	rm -rf "$tmp/data" "$tmp/truth"
	"$csflow" record -q -o "$tmp/data" --truth "$tmp/truth" -L /usr/arm-linux-gnueabihf "$@" \
		-- "$tmp/$name" "$arg" > "$tmp/out" 2> "$tmp/why" < /dev/null &&
		"$csflow" match "$tmp/truth" "$tmp/data" > "$tmp/why" 2>&1
	ok $? "$name $arg, $*"
	counts=$(sed -n 's,.*/truth: \([0-9]*\) instructions\(\, \([0-9]*\) other\)*.*,\1 \3,p' "$tmp/why")
	total=$((total + ${counts%% *} + 0))
	counts=${counts#* }
	others=$((others + ${counts:-0}))
}

# compare_rows PROGRAMS AXES VALID [NOT]: the programs of one file with the options of each row of a pairwise table, until
# $want instructions were compared; rows whose options have the words of the pattern NOT are left out
compare_rows()
{
	local programs rows name arg seed=1 i

	mapfile -t programs < "$1"
	while :; do
		mapfile -t rows < <(pairwise $seed "$2" "$3")
		for i in "${!rows[@]}"; do
			read -r name arg <<< "${programs[i % ${#programs[@]}]}"
			options_of "${rows[i]}"
			[[ -n $4 && "${options[*]}" =~ $4 ]] && continue
			one "$name" "$arg" "${options[@]}"
			[ $((i % 5)) != 0 ] || [ $seed != 1 ] || packets "$tmp/data"
		done
		[ $total -lt $want ] || break
		seed=$((seed + 1))
	done
}
