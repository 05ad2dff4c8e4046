#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# --log-level, --log-file, --log-format: each line that commands say is a record with the same fields, gaps are
# records with their place, repeated ones are counted, and without these options nothing changes.
cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
: "${CSFLOW:=build/check/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
. selftests/lib/tap.sh
unset CSFLOW_LOG_LEVEL CSFLOW_LOG_FILE CSFLOW_LOG_FORMAT
demo=$PWD/selftests/data/demo page=Documentation/user/errors.rst
mkdir "$tmp/none"
cp "$demo/perf.data" "$tmp/data"

# ---------------------------------------------------------------- the page

"$CSFLOW" help errors > "$tmp/codes"
sed '1,/^\.\. From here on/d' "$page" | tail -n +2 > "$tmp/page"
same "$tmp/codes" "$tmp/page" "errors.rst has what csflow help errors prints"
sed -n 's/^\*\*\([a-z-]*\)\*\* (.*/\1/p' "$tmp/codes" > "$tmp/names"
[ "$(wc -l < "$tmp/names")" -gt 40 ] && ! sort "$tmp/names" | uniq -d | grep . > "$tmp/why"
ok $? "no code is there twice"
# Each name of the sources has a row, and the other way round.
sed -n 's/^\tLOG_\([A-Z]*\),$/\1/p' tools/lib/log-codes.h | grep -vx CODES | sort > "$tmp/want"
sed -n 's/^\t\[LOG_\([A-Z]*\)\] = {$/\1/p' tools/lib/log-codes.c > "$tmp/rows"
echo MEMORY | sort - "$tmp/rows" > "$tmp/got"
same "$tmp/want" "$tmp/got" "each code of the commands has a row"
grep -rhoE 'LOG_[A-Z]+' tools --include=*.c | sort -u | sed 's/LOG_//' > "$tmp/used"
comm -13 "$tmp/used" "$tmp/want" > "$tmp/why"
[ -s "$tmp/used" ] && [ ! -s "$tmp/why" ]
ok $? "and is said somewhere"
! grep -rnE 'stderr|STDERR|perror' tools --include=*.c | grep -v '^tools/\(qemu\|vm\)/\|^tools/lib/\(log\|progress\|terminal\|tool\)\.c\|^tools/tui/screen\.c' > "$tmp/why"
ok $? "nothing is said but through the log"

# ---------------------------------------------------------------- without options, as ever

cd "$tmp" || exit 1
csflow=$(realpath "$OLDPWD/$CSFLOW" 2> /dev/null || realpath "$CSFLOW")
"$csflow" script --symfs none data > out 2> plain
printf '%s\n' 'csflow: data: gaps: image 87 (880 atoms lost, 0 bytes skipped); see '"'csflow doctor'" \
	"csflow: data: no samples: the code that ran is not here; see 'csflow doctor'" \
	"csflow: data: /demo-sort, build-id 4649f3ca713739cacd31f00735bede98845403f2: missing: what ran in it is not known; name a folder that has it with --symfs or --buildid-dir" > want
same want plain "without options: three lines"
"$csflow" --log-file=log script --symfs none data > out 2> err
same plain err "with a file: standard error is the same"
[ "$(grep -c '\[gap-image\]$' log)" = 19 ]
ok $? "and the file has the gaps"

# ---------------------------------------------------------------- levels, counts

levels()
{
	rm -f log
	"$csflow" --log-level="$1" --log-file=log script --symfs none data > /dev/null 2> err
	sed -n 's/^csflow: \([a-z]*\): .*/\1/p' log | sort | uniq -c | awk '{ printf "%s %s;", $2, $1 }' > got
	echo "$2" | tr -d '\n' > want
	same want got "level $1"
}
levels none ''
levels error 'error 1;help 1;'
levels warning 'error 1;help 4;warning 20;'
levels info 'error 1;help 4;info 5;warning 20;'

cat > want << 'END'
csflow: warning: data: trace ID 0x10, offset 0x4b9: code is missing: at 0x2011dc, 3 P0 elements lost [gap-image]
csflow: help: Give the code that ran there: the program, its libraries, the kernel; 'csflow doctor' names the files. [gap-image]
csflow: warning: data: trace ID 0x10, offset 0x4bd: code is missing: at 0x20126c, 3 P0 elements lost [gap-image]
END
grep gap-image log | head -n 3 > got
same want got "a gap has its place, and what to do is said once"
cat > want << 'END'
csflow: warning: data: trace ID 0x10: code is missing: 24 more [gap-image]
csflow: warning: data: trace ID 0x12: code is missing: 47 more [gap-image]
END
tail -n 2 log > got
same want got "eight of each trace ID are shown, the others are counted"
# 8 + 24 and 8 + 47 are the 87 of the summary.

# The place is that of dump: buffer 0 is at 0x490.
"$csflow" dump --symfs none data > list 2> err
grep -qF '      41 [10] atom ENE' list && [ $((0x4b9)) = $((0x490 + 41)) ]
ok $? "and the place is that of csflow dump"

# ---------------------------------------------------------------- JSON

cat > check.py << 'END'
import json, sys
keys = {"severity", "code", "file", "id", "index", "message", "mend"}
names = set(open(sys.argv[1]).read().split())
for line in sys.stdin:
    r = json.loads(line)
    assert keys <= set(r), line
    assert r["code"] in names, line
    assert r["severity"] in ("error", "warning", "info"), line
    assert r["mend"] and r["message"] and not r["message"].startswith("csflow"), line
    print(r["severity"], r["code"], r["file"], r["id"], r["index"], r.get("address"), r.get("lost"), r.get("times"),
          r.get("cpu"), r["message"])
END
json()
{
	python3 check.py names 2> why
}
rm -f log
"$csflow" --log-format=json --log-file log --log-level info script --symfs none data > out 2> err
json < log > got
sed -n '2p;$p' got > two
cat > want << 'END'
warning gap-image data 16 1209 0x2011dc 3 None 0 code is missing: at 0x2011dc, 3 P0 elements lost
warning gap-image data 18 None None None 47 None code is missing: 47 more
END
same want two "JSON: fields of a gap, and of a count"
[ "$(wc -l < got)" = "$(wc -l < log)" ] && grep -q '^error empty data None None .*no samples' got
ok $? "JSON: each line is a record with all fields"
"$csflow" script --symfs none data --log-format=json > out 2> err
json < err > got2
grep -c . got2 > /dev/null && ! grep -v '^\(error\|warning\) ' got2 > why
ok $? "after the command, to standard error: all of it is JSON"
"$csflow" --log-format=json dump --id=x data 2>&1 | json > got
cat > want << 'END'
error usage None None None None None None None --id wants a number, not 'x'
END
same want got "a wrong option is a record; the usage is a note, below the level"
printf 'data\377\n"x"' > want && cp data "$(cat want)" 2> why
"$csflow" --log-format=json report $'no\377\n"such"\t' 2>&1 | json > got
grep -q '^error file no' got
ok $? "JSON: odd names are escaped"
head -c 500 data > cut
"$csflow" --log-format=json script cut 2>&1 > out | json > got
grep -q '^warning damage cut None [0-9]' got
ok $? "a damaged file: the file and the place"

# ---------------------------------------------------------------- where it goes

rm -f log
CSFLOW_LOG_FILE=log CSFLOW_LOG_LEVEL=info CSFLOW_LOG_FORMAT=json "$csflow" script --symfs none data > out 2> err
CSFLOW_LOG_FILE=log "$csflow" script --log-level=error --symfs none data > out 2> err
[ "$(grep -c '^{' log)" -gt 20 ] && [ "$(grep -c '^csflow: error' log)" = 1 ]
ok $? "variables count, options override them, and a file is added to"
"$csflow" --log-level=error --log-file=- script --symfs none data > out 2> err
grep -qx "csflow: error: data: no samples: the code that ran is not here; see 'csflow doctor' \[empty\]" err &&
	! grep -q warning err
ok $? "- is standard error"
"$csflow" --log-file=none script data > out 2> err
[ $? = 2 ] && grep -qx 'csflow: --log-file=none: Is a directory' err
ok $? "a file that cannot be written: status 2"
"$csflow" --log-file=/dev/full script --symfs none data > out 2> err
[ $? = 1 ] && grep -qx 'csflow: /dev/full: the log could not be written' err
ok $? "a full disk: status 1"
for words in '--log-level=loud' '--log-level' '--log-format=xml' 'script --log-level=loud data' 'script --log-format'; do
	# shellcheck disable=SC2086 # words
	"$csflow" $words > out 2> err
	[ $? = 2 ] && grep -q '^csflow.*: --log-.*: it ' err
	ok $? "refused: $words"
done
CSFLOW_LOG_LEVEL=loud "$csflow" script data > out 2> err
[ $? = 2 ] && grep -qx 'csflow: CSFLOW_LOG_LEVEL: loud: it is none of none, error, warning, info' err
ok $? "refused: a variable"
"$csflow" --log-levle=info > out 2> err
grep -q "did you mean '--log-level'" err
ok $? "a name that is near"

head -c 64 /dev/zero > zero
"$csflow" --log-format=json dump --protocol=etmv4 --framing=frames zero 2> err > out
json < err > got
grep -q '^error unknown-unit zero None ' got
ok $? "a file after the name of any command"
"$csflow" --log-format=json --log-level=error dump data 2> err > /dev/full
json < err > got
grep -q '^error file None .* standard output: No space left on device$' got && [ ! -s why ]
ok $? "standard output that is full is a record"
# The sanitizers have memory of their own, so this ends at once.
"$csflow" --log-format=json script --mem=32M --symfs none data 2> err > out
if [ -s err ] && grep -q 'than --mem allows' err; then
	json < err > got
	grep -q '^error memory None .*more memory is needed' got && [ ! -s why ]
	ok $? "the last words of a command without memory are a record"
else
	skip "the last words of a command without memory are a record" "it has enough"
fi

# ---------------------------------------------------------------- other commands

"$csflow" asm --protocol=itm -o itm - << 'END'
async
stimulus 0 0x41/1
overflow
stimulus 0 0x42/1
raw 04
END
"$csflow" --log-format=json dump --protocol=itm itm 2>&1 > out | json > got
cat > want << 'END'
warning message-overflow itm 0 8 None None None None the source lost packets
warning gap-packet itm 0 11 None None None None reserved or malformed packets: damaged trace, or wrong metadata: 1 byte skipped
END
same want got "messages of an ITM"
for command in doctor report profile timeline 'tarmac' diff; do
	# shellcheck disable=SC2086 # diff wants two
	"$csflow" --log-format=json $command --symfs none $([ $command = diff ] && echo data) data 2>&1 > out | json > got
	[ "$(grep -c '^warning gap-image data 16 [0-9]* 0x' got)" -ge 8 ] && [ ! -s why ]
	ok $? "$command: gaps are in the log"
done
echo "1..$n"
