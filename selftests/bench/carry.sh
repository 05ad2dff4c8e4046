#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# carry.sh: counts of an old release of sqlite3 carried to newer ones, and what the profiles are worth that they make:
# branches that a new release takes when clang has it, next to those with a profile of its own.
# Ends with 1 if less than 80 % of the counts are carried, or if too little of the gain is there: 90 % after eight weeks,
# 75 % after twenty months.  Ends with 4 if something that it needs is not here.
#
# The sources come from Debian, once: 3.40.1 and 3.46.1 are its sqlite3, and its fossil has 3.41.0 inside.  All that is made is
# in $O/carry.
cd "$(dirname "$0")/.." || exit 1
. bench/bench-sql.sh
. bench/bench-gain.sh
export LC_ALL=C QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
: "${O:=../build}"
csflow=$(realpath "${CSFLOW_FAST:-$O/csflow}")
mkdir -p "$O/carry" && cd "$O/carry" || exit 1
dir=$PWD

# source_of SUITE/PACKAGE: sqlite3.c and shell.c of that release, in a folder of this name
source_of()
{
	local suite=${1%/*} package=${1#*/} state=$dir/apt.${1//\//.}

	[ -s "$1/shell.c" ] && return
	rm -rf "$1" && mkdir -p "$state" "$1"
	echo "deb-src http://deb.debian.org/debian $suite main" > "$state/sources.list"
	: > log
	(cd "$state" && rm -f "$package"_* && apt_in "$state" "$dir/log" update &&
		apt_in "$state" "$dir/log" source --download-only "$package") || exit
	tar -xf "$(ls "$state/$package"_*.orig.tar.*)" -C "$1" --strip-components=1 || die "no source of $package in $state"
	if [ -d "$1/extsrc" ]; then
		mv "$1"/extsrc/* "$1"
	else
		sqlite_source "$1" "$dir/log"
	fi
}

# build OUT WORDS...: the release that OUT begins with
build()
{
	local out=$1 from=$1

	shift
	case $from in
	old*) from=$old ;;
	*) from=$new ;;
	esac
	mkdir -p "${out%/*}" && clang-19 --target=aarch64-linux-gnu -fuse-ld=lld -O2 -Wl,--build-id -fpseudo-probe-for-profiling \
		-funique-internal-linkage-names -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION "$@" -o "$out" \
		"$from/sqlite3.c" "$from/shell.c" -lm > "$out.log" 2>&1 || die "$out is not built: $(tail -n 1 "$out.log")"
}

# counts BUILD: of one run
counts()
{
	"$csflow" record -q -o "$1.data" -- "./$1" :memory: < input > "$1.out" 2> "$1.log" &&
		"$csflow" profile -q --for=counts -o "$1.counts" "$1.data" 2>> "$1.log" || die "$1: $(tail -n 1 "$1.log")"
	rm -f "$1".data*
}

# taken BUILD: branches that it takes
taken()
{
	"$csflow" profile -q --for=json "$1.counts" > "$1.json" && branches_taken "$1.json" "$1" && rm "$1.json"
}

# carry NEW LEAST: the counts of the old release to that one; at least LEAST % of the gain
carry()
{
	local which share

	new=$1
	build new/sqlite3 -g
	counts new/sqlite3
	"$csflow" profile --for=llvm --quality --binary=new/sqlite3 --carry-from=old/sqlite3 -o carried.prof old/sqlite3.counts 2> carried.log ||
		die "$(tail -n 1 carried.log)"
	"$csflow" profile -q --for=llvm --binary=new/sqlite3 -o true.prof new/sqlite3.counts || die "no profile of the new release"
	for which in true carried; do
		build $which/sqlite3 -fprofile-sample-use=$which.prof
		counts $which/sqlite3
		cmp -s new/sqlite3.out $which/sqlite3.out || die "$which/sqlite3 prints something else than new/sqlite3"
	done
	share=$(sed -n 's/^csflow: old.* \([0-9.]*\) % of .* carried to .*/\1/p' carried.log)
	printf '%s\n' "carried $share" "none $(taken new/sqlite3)" "true $(taken true/sqlite3)" "carried $(taken carried/sqlite3)" > numbers
	echo "$old to $new"
	awk -v least="$2" 'NR == 1 { share = $2; next } { taken[$1] = $2 }
	END {
		gain = 100 * (taken["none"] - taken["true"]) / taken["none"]
		ours = 100 * (taken["none"] - taken["carried"]) / taken["none"]
		printf "counts carried:                         %8.2f %%\n", share
		printf "branches taken, without a profile:    %10d\n", taken["none"]
		printf "with a profile of its own:            %10d  %5.1f %% fewer\n", taken["true"], gain
		printf "with that of the old release:         %10d  %5.1f %% fewer, %.1f %% of the gain\n", taken["carried"], ours, 100 * ours / gain
		exit !(share >= 80 && gain > 0 && ours >= least / 100 * gain)
	}' numbers
}

need clang-19 ld.lld-19 aarch64-linux-gnu-gcc qemu-aarch64 tclsh python3
old=bookworm/sqlite3
for release in $old bookworm/fossil trixie/sqlite3; do
	source_of "$release"
done
sql 375 > input
build old/sqlite3 -g
counts old/sqlite3
failed=0
carry bookworm/fossil 90 || failed=1
carry trixie/sqlite3 75 || failed=1
exit $failed
