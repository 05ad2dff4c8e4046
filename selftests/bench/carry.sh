#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# carry.sh: counts of an old release of sqlite3 carried to a new one, and what the profile is worth that they make:
# branches that the new release takes when clang has it, next to those with a profile of its own.
# Ends with 1 if less than 80 % of the counts are carried, or if less than LEAST % of the gain is there; with 4 if
# something that it needs is not here.  Debian 12 and 13 have releases twenty months apart, so LEAST is 75.  Of 3.40.0
# and 3.40.1, six weeks apart, 99.99 % and 100 % were seen.
#
# The sources come from Debian, once: OLD and NEW are suites.  All that is made is in $O/carry.  With OLD_SOURCE and
# NEW_SOURCE, folders with sqlite3.c and shell.c, nothing is asked for.
cd "$(dirname "$0")/.." || exit 1
. bench/bench-sql.sh
. bench/bench-gain.sh
export LC_ALL=C QEMU_LD_PREFIX=/usr/aarch64-linux-gnu
: "${O:=../build}" "${OLD:=bookworm}" "${NEW:=trixie}" "${LEAST:=75}"
csflow=$(realpath "${CSFLOW_FAST:-$O/csflow}")
mkdir -p "$O/carry" && cd "$O/carry" || exit 1
dir=$PWD

# source_of SUITE: sqlite3.c and shell.c of that release, in a folder of this name
source_of()
{
	local state=$dir/apt.$1

	[ -s "$1/shell.c" ] && return
	mkdir -p "$state" "$1"
	echo "deb-src http://deb.debian.org/debian $1 main" > "$state/sources.list"
	: > log
	(cd "$state" && rm -f sqlite3_* && apt_in "$state" "$dir/log" update &&
		apt_in "$state" "$dir/log" source --download-only sqlite3) || exit
	tar -xf "$(ls "$state"/sqlite3_*.orig.tar.*)" -C "$1" --strip-components=1 || die "no source of sqlite3 in $state"
	sqlite_source "$1" "$dir/log"
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

need clang-19 ld.lld-19 aarch64-linux-gnu-gcc qemu-aarch64 tclsh python3
old=$OLD_SOURCE new=$NEW_SOURCE
[ -n "$old" ] || { source_of "$OLD" && old=$OLD; } || exit
[ -n "$new" ] || { source_of "$NEW" && new=$NEW; } || exit
sql 375 > input
build old/sqlite3 -g
build new/sqlite3 -g
counts old/sqlite3
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
printf '%s\n' "carried $share" "old $(taken old/sqlite3)" "none $(taken new/sqlite3)" "true $(taken true/sqlite3)" "carried $(taken carried/sqlite3)" > numbers
awk -v least="$LEAST" 'NR == 1 { share = $2; next } { taken[$1] = $2 }
	END {
		gain = 100 * (taken["none"] - taken["true"]) / taken["none"]
		ours = 100 * (taken["none"] - taken["carried"]) / taken["none"]
		printf "counts carried:                         %8.2f %%\n", share
		printf "branches taken, without a profile:    %10d\n", taken["none"]
		printf "with a profile of its own:            %10d  %5.1f %% fewer\n", taken["true"], gain
		printf "with that of the old release:         %10d  %5.1f %% fewer, %.1f %% of the gain\n", taken["carried"], ours, 100 * ours / gain
		exit !(share >= 80 && gain > 0 && ours >= least / 100 * gain)
	}' numbers
