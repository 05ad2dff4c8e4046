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

out=$(mktemp) && err=$(mktemp) || exit 1
trap 'rm -f "$out" "$err"' EXIT

if [ -n "$DATA" ]; then
	data=$DATA
	symfs=$SYMFS
	[ -r "$data" ] || { echo "csflow: cannot read $data" >&2; exit 1; }
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
