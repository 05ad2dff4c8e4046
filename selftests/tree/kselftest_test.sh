#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests as the kernel's own are run: by make run_tests, and by the kernel's run_kselftest.sh where they were installed.

cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
O=$(realpath "${O:-build}")
LINUX=$(realpath "${LINUX:-$O/linux}")
tmp=$(mktemp -d -p "$O") || exit 1
trap 'rm -rf "$tmp"' EXIT
. selftests/lib/tap.sh
unset MAKEFLAGS MFLAGS MAKELEVEL CC CSFLOW_CORPUS
[ -n "$CSFLOW_LONG" ] || { echo "1..0 # SKIP it takes a minute: CSFLOW_LONG=1"; exit 0; }

ksft()
{
	CSFLOW_VARIANT=plain "${MAKE:-make}" -s -C selftests O="$O" KSRC="$LINUX" "$@" > "$tmp/out" 2> "$tmp/why"
}

# results FILE NAME: the lines that a program reads who sums tests up
results()
{
	grep -E '^(TAP|1\.\.|ok|not ok)' "$tmp/out" > "$tmp/got"
	same "$1" "$tmp/got" "$2"
}

# ---------------------------------------------------------------- make run_tests

ksft run_tests T='word_test leb128_test.c runner_test'
status=$?
cat > "$tmp/want" << 'END'
TAP version 13
1..3
ok 1 selftests: csflow: word_test
ok 2 selftests: csflow: leb128_test
ok 3 selftests: csflow: runner_test
END
results "$tmp/want" "run_tests: a line for each test"
[ $status = 0 ]
ok $? "run_tests: status $status"
grep -q '^# ok 1 ' "$tmp/out"
ok $? "run_tests: what each test prints, as comments"

CSFLOW_LIMIT=0.01 ksft run_tests T='case_test frame_test'
status=$?
printf '%s\n' 'TAP version 13' 1..2 'not ok 1 selftests: csflow: case_test' 'not ok 2 selftests: csflow: frame_test' > "$tmp/want"
results "$tmp/want" "run_tests: tests that fail"
[ $status = 2 ]
ok $? "run_tests: its status is then $status"

ksft run_tests T=no_such_test
status=$?
[ $status = 2 ] && grep -q 'no test of the name no_such_test' "$tmp/why"
ok $? "run_tests: a test that is none"

# ---------------------------------------------------------------- make install

ksft install
status=$?
[ $status = 2 ] && grep -q 'INSTALL_PATH=dir' "$tmp/why"
ok $? "install: where to is asked"

# Other tests are there already.
mkdir -p "$tmp/root/other"
printf '#!/bin/sh\n' > "$tmp/root/other/one"
chmod +x "$tmp/root/other/one"
printf 'other:one\ncsflow:former\n' > "$tmp/root/kselftest-list.txt"
tests='word_test tarmac_test vector_test doctor_test'
ksft install INSTALL_PATH="$tmp/root" T="$tests"
ok $? "install"
# shellcheck disable=SC2086 # words
printf '%s\n' other:one $(printf 'csflow:%s ' $tests) > "$tmp/want"
same "$tmp/want" "$tmp/root/kselftest-list.txt" "install: the list"

# It is moved, and a tool is missing that a test wants.
mv "$tmp/root" "$tmp/moved"
mkdir "$tmp/bin"
ln -s /usr/bin/* /bin/* "$tmp/bin/" 2> "$tmp/why"
rm -f "$tmp/bin/qemu-aarch64"

# run OPTIONS: the kernel's runner; elsewhere
run()
{
	(cd / && PATH=$tmp/bin timeout 600 "$tmp/moved/run_kselftest.sh" "$@") > "$tmp/out" 2> "$tmp/why" < /dev/null
}

run -c csflow
cat > "$tmp/want" << 'END'
TAP version 13
1..4
ok 1 selftests: csflow: word_test
ok 2 selftests: csflow: tarmac_test
ok 3 selftests: csflow: vector_test
ok 4 selftests: csflow: doctor_test # SKIP
END
results "$tmp/want" "run_kselftest.sh: passed and skipped"
grep -q '^# timeout set to 1200' "$tmp/out"
ok $? "run_kselftest.sh: the time that a test may take"

rm "$tmp/moved/csflow/tree/selftests/data/tarmac/examples.txt"
sed -i 's/vector$/&; "$CSFLOW" no-such-command || echo "not ok 1 it fails"/' "$tmp/moved/csflow/tree/selftests/golden/vector_test.sh"
run -t csflow:tarmac_test -t csflow:vector_test
cat > "$tmp/want" << 'END'
TAP version 13
1..2
not ok 1 selftests: csflow: tarmac_test # exit=1
not ok 2 selftests: csflow: vector_test # exit=1
END
results "$tmp/want" "run_kselftest.sh: tests that fail"
run
grep -q '^ok 1 selftests: other: one' "$tmp/out" && grep -q '^ok 1 selftests: csflow: word_test' "$tmp/out"
ok $? "run_kselftest.sh: beside tests of others"
echo "1..$n"
