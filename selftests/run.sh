#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh [-f seconds] BUILD... -- TEST...   builds, runs the tests, prints one line for each and
#                                           at last: N passed, N failed, N skipped; -f 0: fuzzers read
#                                           their seeds only, in the build of the tests
# run.sh -t BUILD... -- TEST...             the same as TAP, in the manner of kselftest; without BUILD what
#                                           each test needs is built
# run.sh -1 TEST                            builds and runs one test; prints all it prints
# run.sh -p TEST...                         prints the path of each
# run.sh -c TEST...                         line coverage of decoder/ by these tests
#
# BUILD is build_gcc, build_clang, build_check, build_fuzz: each counts as a test.
# TEST is the name of a file in a room of this folder: packet_test.c, layers_test.sh, fuzz_flow.c; or coverage.
# run.sh --tally STATUS                     what a program that ended so, and printed what comes in,
#                                           has passed, failed and skipped
#
# Called by the Makefile, which gives MAKE, O, LINUX, KSRC and CC.
#
# Fails if a test fails, and if one skips that expected-skips does not name.

cd "$(dirname "$0")/.." || exit 1
top=$PWD
export LC_ALL=C
# Python must not leave files among the sources.
export PYTHONDONTWRITEBYTECODE=1

: "${MAKE:=make}" "${O:=build}" "${LINUX:=$O/linux}" "${CC:=gcc}"
unset MAKEFLAGS MFLAGS MAKELEVEL
case $O in /*) ;; *) O=$top/$O ;; esac
case $LINUX in /*) ;; *) LINUX=$top/$LINUX ;; esac
if [ -n "$CSFLOW_CORPUS" ]; then
	case $CSFLOW_CORPUS in /*) ;; *) CSFLOW_CORPUS=$top/$CSFLOW_CORPUS ;; esac
	export CSFLOW_CORPUS
fi
variant=${CSFLOW_VARIANT:-check}
log=$O/$variant/log
export MAKE O LINUX KSRC CC LINUX_SOURCE=$LINUX
export CSFLOW=$O/$variant/csflow CSFLOW_FAST=$O/csflow CSFLOW_VARIANT=$variant
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1:$ASAN_OPTIONS
export UBSAN_OPTIONS=print_stacktrace=1:$UBSAN_OPTIONS

# Several times what the longest test takes: a machine may have other work.
limit=${CSFLOW_LIMIT:-$([ -n "$CSFLOW_LONG" ] && echo 3600 || echo 1200)}

# ---------------------------------------------------------------- one test

make_in()
{
	"$MAKE" -k --no-print-directory O="$O" ${KSRC:+KSRC="$KSRC"} "$@"
}

fuzz()
{
	local name=$1 seeds=selftests/fuzz/seeds/${1#fuzz_} scratch=$O/fuzz/scratch/$1

	[ -d "$seeds" ] || seeds=selftests/fuzz/seeds/$name
	[ -d "$seeds" ] || seeds=
	rm -rf "$scratch" && mkdir -p "$scratch"
	timeout -k 5 $((FUZZ_SECONDS + 60)) "$O/fuzz/selftests/fuzz/$name" -seed=1 \
		-max_total_time="$FUZZ_SECONDS" -rss_limit_mb=2048 -timeout=20 -max_len=65536 \
		-artifact_prefix="$log/$name." "$scratch" $seeds
	local status=$?
	rm -rf "$scratch"
	[ $status = 0 ] && echo "ok 1 $FUZZ_SECONDS seconds" || echo "not ok 1 fuzzer exits with $status"
}

replay()
{
	local seeds=selftests/fuzz/seeds/${1#fuzz_}

	[ -d "$seeds" ] || seeds=selftests/fuzz/seeds/$1
	[ -d "$seeds" ] || seeds=
	"$O/$variant/selftests/fuzz/$1" $seeds && echo "ok 1 seeds"
}

# Each on all processors, so that none is idle while the longest goes on.
built()
{
	shift
	make_in -j"$(nproc)" "$@" && echo "ok 1 $*" || echo "not ok 1 $*"
}

# Long tests want perf with sanitizers, too; counting lines, and seeds alone, want fuzzers.
more_of_check()
{
	if [ "$variant" != check ] || [ "$FUZZ_SECONDS" = 0 ]; then
		echo fuzzers
	elif [ -n "$CSFLOW_LONG" ]; then
		echo perf
	fi
}

# Prints the path of the file of this name, in whichever room it is; no two rooms have the same.
path_of()
{
	local path

	for path in selftests/*/"$1"; do
		[ -f "$path" ] && echo "$path" && return
	done
	return 1
}

# Prints the file of a test that may be named without its ending.
file_of()
{
	local test try

	test=$(basename "$1")
	for try in "$test" "$test.c" "$test.sh"; do
		path_of "$try" > /dev/null && echo "$try" && return
	done
	echo "no test of the name $1 in a room of selftests/" >&2
	return 1
}

# build_for FILE: what this test alone needs
build_for()
{
	local path

	path=$(path_of "$1")
	case $1 in
	fuzz_*)	make_in VARIANT=fuzz "$O/fuzz/${path%.c}" ;;
	*.c)	make_in VARIANT="$variant" "$O/$variant/${path%.c}" ;;
	perf_*)	make_in VARIANT="$variant" "$O/$variant/csflow" $(more_of_check) && make_in all opinions perfs ;;
	*)	make_in VARIANT="$variant" "$O/$variant/csflow" && make_in all opinions ;;
	esac
}

# Prints the output of the test, and makes it TAP if it is not.
run_one()
{
	local name=${1%.*} path

	path=$(path_of "$1")

	case $1 in
	build_gcc)	built "$1" CC="$CC" WERROR=1 all benches opinions "perf${CSFLOW_LONG:+s}" ;;
	build_clang)	built "$1" VARIANT=clang WERROR=1 all ;;
	build_check)	built "$1" CC="$CC" VARIANT="$variant" WERROR=1 tests $(more_of_check) ;;
	build_fuzz)	built "$1" VARIANT=fuzz WERROR=1 fuzzers ;;
	coverage|mutants) make_in "$1" ;;
	fuzz_*)		[ "$variant" = check ] && [ "$FUZZ_SECONDS" != 0 ] && fuzz "$name" || replay "$name" ;;
	*.sh)		timeout -k 5 "$limit" "$path" ;;
	*)		timeout -k 5 "$limit" "$O/$variant/${path%.*}" ;;
	esac
}

# Reads TAP; prints lines "pass|fail|skip <what>".  A program that crashes, prints nothing, or
# prints less than it planned, has failed, whatever it printed.
tally()
{
	awk -v status="$1" '
	/^1\.\.[0-9]+/ {
		plan = substr($1, 4) + 0; planned = 1
		if (plan == 0 && toupper($0) ~ /# *SKIP/) {
			sub(/^[^#]*# *[Ss][Kk][Ii][Pp] */, ""); print "skip all: " $0; n++; skips++
		}
		next
	}
	/^(not )?ok( |$)/ {
		n++
		what = $0
		sub(/^(not )?ok *[0-9]* *(- *)?/, "", what)
		if (toupper($0) ~ /# *(SKIP|XFAIL)/) {
			name = why = what
			sub(/ *# *(SKIP|XFAIL|skip).*/, "", name)
			sub(/.*# *(SKIP|XFAIL|skip) */, "", why)
			print "skip " name ": " why; skips++
		} else if (/^not/) {
			print "fail " what; fails++
		} else {
			print "pass " what
		}
		next
	}
	/^Bail out!/ { print "fail " $0; n++; fails++ }
	END {
		if (status == 4 && !n)
			print "skip all: exit status 4"
		else if (status == 124 || status == 137)
			print "fail did not end in time"
		else if (status && !fails && !(status == 4 && skips))
			print "fail exit status " status
		else if (!n)
			print "fail said nothing"
		else if (planned && plan && plan != n)
			print "fail planned " plan " results, gave " n
	}'
}

one()
{
	local name=${1%.*} begin=$EPOCHREALTIME status

	run_one "$1" > "$log/$name.tap" 2>&1 < /dev/null
	status=$?
	tally $status < "$log/$name.tap" > "$log/$name.sum"
	local took=$(((${EPOCHREALTIME/./} - ${begin/./}) / 100000))
	local pass fail skip word=ok
	pass=$(grep -c ^pass "$log/$name.sum")
	fail=$(grep -c ^fail "$log/$name.sum")
	skip=$(grep -c ^skip "$log/$name.sum")
	[ "$fail" = 0 ] || word='NOT OK'
	# One write, so that lines of tests that run side by side stay whole.
	{
		printf '%-7s %-22s %5d passed' "$word" "$name" "$pass"
		[ "$fail" = 0 ] || printf ', %d failed' "$fail"
		[ "$skip" = 0 ] || printf ', %d skipped' "$skip"
		printf '  %d.%d s\n' $((took / 10)) $((took % 10))
		if [ "$fail" != 0 ]; then
			grep ^fail "$log/$name.sum" | head -n 10 | sed 's/^fail /        failed: /'
			echo "        the end of $log/$name.tap:"
			tail -n 15 "$log/$name.tap" | cut -c 1-300 | sed 's/^/        | /'
		fi
	} > "$log/$name.line"
	[ -n "$TAP" ] || cat "$log/$name.line"
}

# ---------------------------------------------------------------- many

condition()
{
	case $1 in
	always)		return 0 ;;
	no-corpus)	[ -z "$CSFLOW_CORPUS" ] ;;
	no-root)	[ "$(id -u)" != 0 ] ;;
	no-tool:*)	! command -v "${1#no-tool:}" > /dev/null ;;
	no-package:*)	! dpkg-query -W -f '${Status}' "${1#no-package:}" 2> /dev/null |
				grep -q '^install ok' ;;
	*)		return 1 ;;
	esac
}

# $1: program:test, $2: why it skipped
expected()
{
	local word name when why

	while read -r word name when why; do
		[ "$word" = skip ] || continue
		# A name may be that of the file, which without a test's name means all of its
		# tests.
		name=$(sed 's/\.\(c\|sh\)\(:\|$\)/\2/; /:\|^\*$/!s/$/:*/' <<< "$name")
		[[ $1 == $name && $2 == *$why* ]] && condition "$when" && return 0
	done < selftests/expected-skips
	return 1
}

summary()
{
	local pass=0 fail=0 skip=0 unexpected=0 name kind what test failed=()

	for test in "$@"; do
		name=${test%.*}
		while read -r kind what; do
			case $kind in
			pass)	pass=$((pass + 1)) ;;
			fail)	fail=$((fail + 1))
				failed+=("failed: $name: $what") ;;
			skip)	skip=$((skip + 1))
				expected "$name:${what%%: *}" "${what#*: }" && continue
				echo "skipped, and expected-skips does not say so: $name: $what"
				unexpected=$((unexpected + 1)) ;;
			esac
		done < "$log/$name.sum"
	done
	if [ -n "$CSFLOW_CORPUS" ] && [ ! -d "$CSFLOW_CORPUS" ]; then
		echo "CSFLOW_CORPUS is set and there is no such folder: $CSFLOW_CORPUS"
		fail=$((fail + 1))
	fi
	[ $skip = 0 ] || [ -n "$CSFLOW_CORPUS" ] ||
		echo "CSFLOW_CORPUS is not set: tests on traces of real hardware skip"
	# Once more at the end, where a reader who comes back to a long run looks first.
	[ ${#failed[@]} = 0 ] || printf '%s\n' "${failed[@]}"
	echo "$pass passed, $fail failed, $skip skipped"
	[ $fail = 0 ] && [ $unexpected = 0 ]
}

tap()
{
	local n=0 name test bad=0

	echo "TAP version 13"
	echo "1..$#"
	for test in "$@"; do
		n=$((n + 1))
		name=${test%.*}
		echo "# selftests: csflow: $name"
		sed 's/^/# /' "$log/$name.tap"
		if grep -q ^fail "$log/$name.sum"; then
			echo "not ok $n selftests: csflow: $name"
			bad=1
		elif grep -q ^pass "$log/$name.sum"; then
			echo "ok $n selftests: csflow: $name"
		else
			echo "ok $n selftests: csflow: $name # SKIP $(head -n 1 "$log/$name.sum")"
		fi
	done
	return $bad
}

# side_by_side MORE TEST...: as many as there are processors, and MORE
side_by_side()
{
	local jobs=$(($(nproc) + $1))

	shift
	[ $# = 0 ] || printf '%s\n' "$@" | xargs -P "${JOBS:-$jobs}" -n 1 "$0" --one
}

many()
{
	local builds=() files=() name file

	while [ $# != 0 ] && [ "$1" != -- ]; do
		builds+=("$1")
		shift
	done
	shift
	rm -rf "$log" && mkdir -p "$log"
	export FUZZ_SECONDS TAP
	side_by_side 0 "${builds[@]}"
	if [ ${#builds[@]} = 0 ]; then
		for name in "$@"; do
			file=$(file_of "$name") || exit 2
			build_for "$file" > "$log/build" 2>&1 || sed 's/^/# /' "$log/build"
			files+=("$file")
		done
		set -- "${files[@]}"
	fi
	# Some wait for a clock, or for a machine to start.
	side_by_side 1 "$@"
	if [ -n "$TAP" ]; then
		tap "${builds[@]}" "$@"
	else
		summary "${builds[@]}" "$@"
	fi
}

# ---------------------------------------------------------------- coverage

coverage()
{
	local test percent

	CSFLOW_VARIANT=cov selftests/run.sh build_check -- "$@" > "$O/cov.log" 2>&1
	sed 's/^/# /' "$O/cov.log" | grep -v '^# ok '
	mkdir -p "$O/cov"
	(cd "$top" && find "$O/cov/decoder" -name '*.gcda' -exec gcov -t {} + 2> /dev/null) |
	awk -F: '
	$2 + 0 == 0 && $3 == "Source"	{ file = $4; next }
	file !~ /^decoder\// || $1 ~ /^ *-$/	{ next }
	{
		key = file SUBSEP ($2 + 0)
		if (!(key in seen)) { seen[key] = 1; lines[file]++; n++ }
		if ($1 !~ /[#=]/ && !(key in hit)) { hit[key] = 1; ran[file]++; sum++ }
	}
	END {
		for (file in lines)
			printf "# %5.1f %%  %4d of %4d  %s\n", 100 * ran[file] / lines[file],
				ran[file], lines[file], file | "sort -k 5"
		close("sort -k 5")
		if (n)
			printf "total %.1f\n", 100 * sum / n
	}' | tee "$O/cov/decoder.lines" | grep '^#'
	percent=$(sed -n 's/^total //p' "$O/cov/decoder.lines")
	echo "# decoder/: ${percent:-no} % of lines run by tests"
	awk -v p="${percent:-0}" 'BEGIN { exit p < 90 }' &&
		echo "ok 1 at least 90 % of the lines of decoder/ run" ||
		{ echo "not ok 1 at least 90 % of the lines of decoder/ run"; return 1; }
}

# ---------------------------------------------------------------- command line

FUZZ_SECONDS=${FUZZ_SECONDS:-15}
# With --one it is that of the caller.
[ "$1" = --one ] || TAP=
case $1 in
--expected)
	expected "$2" "$3"
	;;
--one)
	one "$2"
	exit 0
	;;
--tally)
	tally "$2"
	;;
-1)
	file=$(file_of "$2") || exit 2
	mkdir -p "$log"
	build_for "$file" || exit 1
	export FUZZ_SECONDS
	run_one "$file"
	;;
-p)
	shift
	for name in "$@"; do
		file=$(file_of "$name") && path_of "$file" || exit 2
	done
	;;
-c)
	shift
	coverage "$@"
	;;
*)
	while :; do
		case $1 in
		-f)	FUZZ_SECONDS=$2; shift 2 ;;
		-t)	TAP=1; shift ;;
		*)	break ;;
		esac
	done
	many "$@"
	;;
esac
