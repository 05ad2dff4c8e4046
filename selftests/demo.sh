#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# make demo: shows the branches of a recording, of ours or, with DATA and SYMFS, of yours.

: "${CSFLOW:=build/csflow}"
own=selftests/data/demo
lines=24

say()
{
	printf '\n== %s\n' "$*"
}

# Shows the command, and the beginning of what it prints.
show()
{
	printf '$ %s | head -n %d\n' "$*" $lines
	"$@" > "$out" 2> "$err"
	status=$?
	head -n $lines "$out"
	head -n 8 "$err" >&2
	more=$(($(wc -l < "$out") - lines))
	[ $more -le 0 ] || echo "... and $more lines more"
	return $status
}

has()
{
	"$CSFLOW" help 2> /dev/null | grep -q "^  $1 "
}

out=$(mktemp) && err=$(mktemp) && dir=$(mktemp -d) || exit 1
trap 'rm -rf "$out" "$err" "$dir"' EXIT

# A program of AArch64, on an emulator with a trace unit, if there is one.
record()
{
	has record && command -v qemu-aarch64 > /dev/null || {
		say "There is no qemu-aarch64 here (package qemu-user), so nothing is recorded:" \
			"what follows is a recording that is part of the source."
		return 1
	}
	if "$CSFLOW" record -o "$dir/perf.data" -- $own/demo-sort > "$out" 2> "$err"; then
		say "Recorded now: a small program of AArch64 that sorts, on an emulator with a trace unit;" \
			"$(wc -c < "$dir/perf.data") bytes."
		echo "\$ $CSFLOW record -- $own/demo-sort"
		cat "$out" "$err"
		return 0
	fi
	cat "$err" >&2
	say "Nothing could be recorded: what follows is a recording that is part of the source."
	return 1
}

if [ -n "$DATA" ]; then
	data=$DATA
	symfs=$SYMFS
	[ -r "$data" ] || { echo "csflow: cannot read $data" >&2; exit 1; }
elif record; then
	data=$dir/perf.data
	symfs=
else
	data=$own/perf.data
	symfs=${SYMFS:-$own}
	[ -r "$data" ] || { echo "csflow: $data is missing from this source tree" >&2; exit 1; }
	say "The recording: what perf record -e cs_etm//u writes for a small program on two CPUs," \
		"made from the log of an emulator; $(wc -c < "$data") bytes."
fi

bad=0
if has doctor; then
	say "Is it sound, and is the code there that ran?"
	show "$CSFLOW" doctor ${symfs:+--symfs "$symfs"} "$data" || bad=1
fi

say "The branches that were taken, oldest first: from, and to."
show "$CSFLOW" script ${symfs:+--symfs "$symfs"} "$data" || bad=1

if [ -z "$DATA" ]; then
	say "The trace that this came from, packet by packet."
	lines=12
	show "$CSFLOW" dump --packets "$data" || bad=1
fi

say "Next"
cat << END
  make demo DATA=perf.data SYMFS=dir   a recording of yours: perf record -e cs_etm//u -- program;
                                       SYMFS is the root that its programs lie under, if not /
  $CSFLOW help                    the other commands; 'csflow help script' tells of one
  make check                           the tests
END
exit $bad
