#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The parts that each part may include; decoder/ may only include libc.  An edge that is not listed
# is an error.

cd "$(dirname "$0")/../.." || exit 1

# The rooms of tools/, and which others each may include.  A line needs those above it only, so there are no circles.
rooms='lib:
completion:
contrib:
vm:
encoder:
truth:
qemu: encoder truth
code: lib
input: lib
tarmac: lib
index: input lib
record: encoder lib qemu
dump: code input lib
doctor: input lib
pgo: code lib
browse:
tui: lib
panes: browse code tui
source: code input lib tarmac truth
snapshot: input lib
match: lib source
encode: encoder input lib source tarmac truth
timeline: code index lib
messages: input lib
script: code dump index lib
count: code index input lib
context: count lib
coverage: code count lib
carry: code count lib
diff: count input lib
quick: count input lib
profile: code context count index input lib quick
merge: code count input lib profile quick
shard: count index input lib merge profile
report: code context count index input lib profile tui
fleet: count input lib profile
agent: count index input lib profile quick'

declare -A may
while IFS=: read -r room others; do
	may[$room]=$others
done <<< "$rooms"

# room_may FILE INCLUDED: both in tools/.  Commands, which are at the top, may include every room.
room_may()
{
	local from=${1#tools/} to=${2#tools/}

	[ "$from" != "${from#*/}" ] || return 0
	from=${from%%/*}
	[ "$to" != "${to#*/}" ] || return 1
	to=${to%%/*}
	[ "$from" != "$to" ] || return 0
	case " ${may[$from]} " in *" $to "*) return 0 ;; esac
	return 1
}

# $1: file, $2: what it includes
allowed()
{
	case "$1>$2" in
	*'>'kernel-glue/include/uapi/*)				return 0 ;;
	perf-plugin/shim/*'>'perf-plugin/shim/*)		return 0 ;;
	perf-plugin/opencsd/*'>'perf-plugin/opencsd/*)		return 0 ;;
	perf-plugin/shim/*'>'decoder/csflow*.h)			return 0 ;;
	# These have no name in them that is one of perf's.
	perf-plugin/shim/*'>'perf-plugin/plugin.h)		return 0 ;;
	perf-plugin/shim/*'>'perf-plugin/plugin-changes.h)	return 0 ;;
	perf-plugin/shim/*'>'perf-plugin/plugin-module.h)	return 0 ;;
	perf-plugin/shim/*'>'perf-plugin/perf-sample.h)		return 0 ;;
	perf-plugin/shim/*'>'perf-plugin/opencsd/packet.h)	return 0 ;;
	perf-plugin/opencsd/*'>'decoder/csflow*.h)		return 0 ;;
	# Conversions for text, inline; no state, no symbol.
	perf-plugin/opencsd/*'>'perf-plugin/out.h)		return 0 ;;
	perf-plugin/shim/*'>'perf-plugin/out.h)			return 0 ;;
	perf-plugin/dlfilter/*'>'perf-plugin/dlfilter/*)	return 0 ;;
	# How a file is written; it needs libc alone.
	perf-plugin/dlfilter/*'>'perf-plugin/new-file.h)	return 0 ;;
	perf-plugin/shim/* | perf-plugin/opencsd/* | perf-plugin/dlfilter/*)	return 1 ;;
	decoder/*'>'decoder/*)					return 0 ;;
	perf-plugin/*'>'perf-plugin/shim/*)			return 1 ;;
	perf-plugin/*'>'perf-plugin/opencsd/*)			return 1 ;;
	perf-plugin/*'>'perf-plugin/*)				return 0 ;;
	perf-plugin/*'>'decoder/csflow*.h)			return 0 ;;
	# Inline reads of little-endian fields; no state, no symbol.
	perf-plugin/*'>'decoder/bytes.h)			return 0 ;;
	tools/encoder/*'>'tools/encoder/*)			return 0 ;;
	tools/encoder/*'>'decoder/csflow*.h)			return 0 ;;
	# The code that writes the truth beside a trace shares no rule with the decoder.
	tools/encoder/*)					return 1 ;;
	tools/*'>'tools/*)					room_may "$1" "$2"; return ;;
	tools/*'>'perf-plugin/*)				return 0 ;;
	tools/*'>'decoder/csflow*.h)				return 0 ;;
	kernel-glue/*'>'kernel-glue/*)				return 0 ;;
	selftests/*'>'selftests/lib/*)				return 0 ;;
	selftests/*'>'selftests/*)				[ "${1%/*}" = "${2%/*}" ]; return ;;
	selftests/*)						return 0 ;;
	esac
	return 1
}

# The headers of the system that decoder/ may include: the C library, and intrinsics of the
# processor.
libc()
{
	case $1 in
	assert.h | errno.h | inttypes.h | limits.h | stdalign.h | stdarg.h | stdatomic.h)	return 0 ;;
	stdbool.h | stddef.h | stdint.h | stdio.h | stdlib.h | string.h)			return 0 ;;
	fcntl.h | pthread.h | sched.h | signal.h | sys/mman.h | sys/resource.h | sys/types.h | unistd.h)		return 0 ;;
	emmintrin.h | smmintrin.h | tmmintrin.h | immintrin.h | arm_neon.h)			return 0 ;;
	esac
	return 1
}

n=0
result()
{
	n=$((n + 1))
	if [ -z "$2" ]; then
		echo "ok $n $1"
	else
		printf '%s\n' "$2" | sed '/^$/d; s/^/# /'
		echo "not ok $n $1"
	fi
}

# Prints "file included" for each #include "..." in the files given, paths from the root.
edges()
{
	awk '
	/^[[:space:]]*#[[:space:]]*include[[:space:]]*"/ {
		split($0, word, "\"")
		to = FILENAME
		sub(/[^\/]*$/, word[2], to)
		while (sub(/[^\/.]+\/\.\.\//, "", to))
			;
		print FILENAME, to
	}' "$@" < /dev/null
}

echo "TAP version 13"
echo "1..11"

for folder in decoder perf-plugin tools selftests; do
	bad=$(edges $(find $folder -name '*.[ch]' 2> /dev/null | sort) | while read -r f to; do
		allowed "$f" "$to" || echo "$f includes $to"
	done)
	result "$folder/ includes only what it may" "$bad"
done

above=
bad=$(while IFS=: read -r room others; do
	for other in $others; do
		case " $above " in *" $other "*) ;; *) echo "$room needs $other, which is not above it" ;; esac
	done
	above="$above $room"
	[ -d "tools/$room" ] || echo "tools/$room is not there"
done <<< "$rooms"
for folder in tools/*/; do
	folder=${folder#tools/}
	grep -q "^${folder%/}:" <<< "$rooms" || echo "tools/$folder has no rule"
done)
result "the rooms of tools/ have a rule each, without circles" "$bad"

bad=$(grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*<' decoder/*.[ch] decoder/*/*.[ch] 2> /dev/null |
	sed 's/^\([^:]*\):[0-9]*:.*<\(.*\)>.*/\1 \2/' | while read -r f to; do
		libc "$to" || echo "$f includes <$to>"
	done)
result "decoder/ needs libc only" "$bad"

# A protocol's packets, versions and registers are named in its folder, and in the public headers.  CSF_PKT_BAD is no
# packet of any.
named='\<CSF_PKT_(B[^A]|[^B])|\<packet_(read|write|cut)\>|\<ETM4[0-9]|\<ETE1[0-9]|\<TRC[A-Z]+[0-9]*\>|\<trc[a-z]+[0-9]*\>|\<itmtcr\>|\<itm_[a-z]*(read|packet)'
result "decoder/ names packets of a protocol in its folder only" "$(grep -HnE "$named" decoder/*.[ch] | grep -v '^decoder/csflow')"

shopt -s extglob
# Rooms of selftests/: where files of a name are, and which kinds of file a room does not have.
misplaced()
{
	local path name room

	for path in selftests/*; do
		case ${path##*/} in
		Makefile | run.sh | parts.pl | setup.sh | install.sh | demo.sh | expected-skips)	continue ;;
		esac
		[ -d "$path" ] || echo "$path is in no room"
	done
	for path in selftests/*/*; do
		name=${path##*/} room=${path%/*} room=${room##*/}
		case $name in
		fuzz_*.c)				[ "$room" = fuzz ] ;;
		bench*.c | bench*.sh)			[ "$room" = bench ] ;;
		mk*.c)					[ "$room" = make ] ;;
		perf_*_test.*)				[ "$room" = perf ] ;;
		opencsd_*test.*)			[ "$room" = opencsd ] ;;
		*.case)					[ "$room" = cases ] ;;
		*.except)				[ "$room" = golden ] ;;
		*.mutants)				[ "$room" = mutants ] ;;
		esac || echo "$path: another room has files of such names"
		case $room/$name in
		@(lib|make|programs|data|fuzz)/*_test.*)	echo "$path: $room/ has no tests" ;;
		@(unit|cases)/*_test.sh)				echo "$path: tests of $room/ are in C" ;;
		@(tools|tree|mutants|opcodes|bench)/*_test.c)	echo "$path: tests of $room/ are scripts" ;;
		esac
	done
}
result "files of selftests/ are in the room of their kind" "$(misplaced)"

# The table of the document: a room, a blank, its rule.
page=Documentation/developer/testing.rst
result "the rooms of selftests/ have a rule each, in testing.rst" "$(diff \
	<(sed -n '/^\.\. rooms-begin/,/^\.\. rooms-end/s/^``\([a-z]*\)\/``  *[^ ].*/\1/p' "$page" | sort) \
	<(cd selftests && ls -d */ | tr -d / | sort))"

# What make would compile for a test that includes headers of decoder/ alone.
tmp=$(mktemp -d) && trap 'rm -rf "$tmp"' EXIT
test=selftests/unit/times_test
others=$("${MAKE:-make}" -n O="$tmp" ${LINUX:+KSRC="$LINUX"} VARIANT=plain "$tmp/plain/$test" |
	sed -n 's/.* -c -o [^ ]* //p' | sort | grep -v "^decoder/")
result "a test is built with the parts of the source that it includes" "${others#"$test.c"}"

# Which noun of decoder/ calls functions of which other; a protocol's folder is one noun.  Others call a protocol
# through pointers, so the table of protocols is the one file above and below it.
objects=$(printf '%s\n' decoder/{,*/}*.c | sed "s#\(.*\)\.c\$#${O:-build}/${CSFLOW_VARIANT:-check}/\1.o#")
# shellcheck disable=SC2086 # several files
circles=$(nm -Ag $objects | awk '
{
	noun = $1; sub(/:.*/, "", noun); sub(/.*\/decoder\//, "", noun); sub(/s?[-.\/].*/, "", noun)
	if ($2 == "U")
		calls[noun " " $3]
	else
		of[$3] = noun
}
END {
	for (call in calls) {
		split(call, word)
		if (word[2] in of && of[word[2]] != word[1])
			print word[1], of[word[2]]
	}
	if (!length(of))
		print "nothing is built\nbuilt nothing"
}' | grep -v "^protocol " | tsort 2>&1 > /dev/null)
result "no two nouns of decoder/ call each other" "$circles"
