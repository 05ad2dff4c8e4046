# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Functions that tests of recordings and of perf share, to be sourced after tap.sh: they record
# programs, find both perfs, $stock and $ours, and print their output in a form that can be
# compared.  $tmp is the test's own directory.
: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST" 2> /dev/null)

# No settings and no build-ids of the user.
mkdir -p "$tmp/home"
export HOME=$tmp/home PERF_CONFIG=$tmp/config PERF_PAGER=cat LC_ALL=C
: > "$tmp/config"

# give_up WHY: skips this file of tests
give_up()
{
	echo "1..0 # SKIP $1"
	exit 0
}

# Sets $stock: perf of linux-source-6.12 as it is, built once; unless $alone is set with the objects, flags and parts of
# ours that the tests have built, which takes seconds.
find_stock()
{
	local base

	[ -r /usr/src/linux-source-6.12.tar.xz ] || give_up "no linux-source"
	[ -n "$alone" ] || [ ! -e "$O/perf-tree-less/with" ] || base=$O/perf-tree-less
	stock=$(lib/stock-perf.sh "$O/stock-perf${base:+-less}" $base 2> "$tmp/why") && return
	tail -n 20 "$tmp/why" | sed 's/^/# /'
	echo "Bail out! no perf of linux-source-6.12"
	exit 1
}

# Sets $ours: what make perf has built; $PERF may be another one of ours.
find_ours()
{
	ours=$(realpath "${PERF:-$O/perf}") && [ -x "$ours" ] || {
		echo "Bail out! no perf with csflow in it: make perf"
		exit 1
	}
	other_version=
	[[ $("$ours" version) == 'perf version 6.12'* ]] || other_version=1
}

find_perfs()
{
	find_stock
	find_ours
}

# build_programs NAME...: programs/NAME.c for AArch64, as $tmp/NAME; with $cflags
build_programs()
{
	local name

	for name in qemu-aarch64 aarch64-linux-gnu-gcc; do
		command -v $name > /dev/null || give_up "no $name"
	done
	for name in "$@"; do
		# shellcheck disable=SC2086 # words
		aarch64-linux-gnu-gcc -O2 -static -pthread -Wno-unused-result $cflags -o "$tmp/$name" \
			"programs/$name.c" 2> "$tmp/why" && continue
		sed 's/^/# /' "$tmp/why"
		echo "Bail out! programs/$name.c cannot be compiled"
		exit 1
	done
}

# run_of "PROGRAM [ARGS]": how that is run, into the array run, with more options for record in
# extra; for sqlite3 there must be Debian's, below $root.
run_of()
{
	extra=
	# shellcheck disable=SC2206 # words
	run=($1)
	run[0]=$tmp/${run[0]}
	[ "$1" = sqlite3 ] || return 0
	root=${root-$(programs/arm64-root.sh "$O" 2> /dev/null)}
	run=("$root/usr/bin/sqlite3" :memory: 'select 1')
	# shellcheck disable=SC2034 # for those who source this
	extra="-L $root"
	[ -n "$root" ]
}

# record OPTIONS -- PROGRAM ...: to $tmp/data, with $tmp/truth beside it.  It is done again if the
# emulator held up a thread, which happens now and then: the code of that thread is in the truth log
# and not in the trace.
record()
{
	local try

	for try in 1 2 3; do
		rm -f "$tmp/data" "$tmp/truth" "$tmp"/jit-*
		"$csflow" record -q -o "$tmp/data" --truth "$tmp/truth" "$@" \
			> /dev/null 2> "$tmp/why" < /dev/null || return
		grep -q 'held up a thread' "$tmp/why" || return 0
		echo "# recording $try: $(cat "$tmp/why")"
	done
}

# Code that is in no file becomes files beside $tmp/data, which perf then knows.
jit_to_files()
{
	"$O/selftests/make/mkperf" "$tmp/data" "$tmp/clocked" clock=1 2> "$tmp/why" &&
		(cd "$tmp" && "$stock" inject --jit -i clocked -o data) > "$tmp/why" 2>&1 < /dev/null
}

# Lines of samples: a space between words; CPU by CPU, or thread by thread, as $key says.
key=3
in_order()
{
	awk '{ $1 = $1; print }' | sort -s -k$key,$key
}

# Samples alone: stock prints messages of its decoder between them, ours errors.  Where trace begins
# or ends perf 7.2 prints the kind of branch, too.
samples()
{
	awk -v other="$other_version" '
		/^[ \t]*(DCD_|OCSD_|PKTP_)|^ *instruction trace error/ { next }
		{ $1 = $1 }
		other && / tr (strt|end) jmp / { sub(/ jmp /, " ") }
		{ print }' | sort -s -k$key,$key
}

# script PERF OPTIONS: the samples of $tmp/data; what it says goes to $tmp/said.  Programs are below
# $symfs, if that is set.
script()
{
	local perf=$1

	shift
	# In a shell of its own, which says so there if it ends by a signal.
	(timeout 120 "$perf" script -i "$tmp/data" ${symfs:+--symfs "$symfs"} "$@" < /dev/null; exit $?) 2> "$tmp/said"
}

# executed [cpu|thread [RECORDS]]: what the truth log says was executed, as Tarmac
executed()
{
	"$csflow" tarmac --style=fm --records="${2:-inst}" --no-disasm --no-progress --by="${1:-cpu}" \
		"$tmp/truth" 2> "$tmp/said"
}
