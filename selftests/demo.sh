#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# make demo: shows the branches of a recording, of ours or, with DATA and SYMFS, of yours.
# PROTOCOL=m33: of a program without a system on a Cortex-M33.  PROTOCOL=ptm: of a program of 32
# bits, with a PTM.

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

# ---------------------------------------------------------------- PROTOCOL=...

# A demo a function; each needs packages of its own, which setup.sh demo-NAME installs.
protocols="m33 ptm"

build_m33()
{
	for cc in arm-none-eabi-gcc arm-linux-gnueabihf-gcc; do
		command -v $cc > /dev/null || continue
		$cc -mthumb -mcpu=cortex-m33 -mfloat-abi=soft -O2 -g -ffreestanding -fno-pic -nostdlib -static \
			-Wl,--build-id=none -Wl,--defsym=BASE=0x10000000 -T selftests/programs/cortex-m.ld \
			selftests/programs/cortex-m.c -o "$dir/image.elf" && return 0
		return 1
	done
	echo "csflow: there is no arm-none-eabi-gcc (package gcc-arm-none-eabi)" >&2
	return 1
}

demo_m33()
{
	snapshot=$dir/snapshot

	build_m33 || return 1
	say "Recorded now: a program without a system on a Cortex-M33, on an emulator with a trace unit."
	show "$CSFLOW" record --machine=mps2-an505 -o "$snapshot" -- "$dir/image.elf" 2 || return 1

	say "Is it sound, and is the code there that ran?"
	show "$CSFLOW" doctor "$snapshot" || return 1

	lines=12
	say "The branches that were taken, oldest first: from, and to."
	show "$CSFLOW" script -F ip,sym,symoff,addr "$snapshot" || return 1

	say "The first exception (0xf is SysTick), the code of its handler, and its return."
	echo "\$ $CSFLOW dump --elements $snapshot | grep -m 1 -B 2 -A 16 exception"
	"$CSFLOW" dump --elements "$snapshot" > "$out" && grep -m 1 -B 2 -A 16 exception "$out" || return 1

	say "The functions, by what they executed."
	show "$CSFLOW" report "$snapshot" || return 1

	say "Next"
	cat << END
  $CSFLOW record --machine=mps2-an505 -- image.elf      a program of yours; the result is the folder snapshot
  $CSFLOW report snapshot                               also script, profile, coverage, timeline
  Documentation/user/cortex-m.rst                            machines, a debugger's snapshots, MTB
END
}

demo_ptm()
{
	data=$dir/perf.data

	say "Recorded now: a small program of T32 that sorts, on an emulator with a PTM."
	show "$CSFLOW" record -u ptm=1.1,rs,cid,ts=1000 -o "$data" -- $own/demo-sort-arm || return 1
	cat "$err"

	say "Is it sound, and is the code there that ran?"
	show "$CSFLOW" doctor "$data" || return 1

	lines=12
	say "The branches that were taken, oldest first: from, and to."
	show "$CSFLOW" script -F ip,sym,symoff,addr "$data" || return 1

	say "The trace that this came from, packet by packet."
	show "$CSFLOW" dump --packets "$data" || return 1

	say "Next"
	cat << END
  $CSFLOW record -u ptm=1.1,rs,cid,ts=1000 -- program   a program of yours, of A32 or T32
  $CSFLOW dump --elements perf.data                     what each packet means
  Documentation/format/ptm.rst                               packets, registers, and what is unknown
END
}

if [ -n "$PROTOCOL" ]; then
	case " $protocols " in
	*" $PROTOCOL "*) "demo_$PROTOCOL"; exit ;;
	esac
	echo "csflow: PROTOCOL=$PROTOCOL is none of $protocols" >&2
	exit 2
fi

# ----------------------------------------------------------------

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
