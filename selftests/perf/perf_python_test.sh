#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Scripts in Python, of perf script -s, in perf with csflow in it: a handler of our own gets every sample, and
# perf's own arm-cs-trace-disasm.py lists the instructions that were executed.  Also the other
# programs that perf runs: handlers in Perl, its filter of cycles, perf archive; all of these where
# they are installed.
cd "$(dirname "$0")/.." || exit 1
ulimit -c 0
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
build_programs loops
command -v aarch64-linux-gnu-objdump > /dev/null || give_up "no aarch64-linux-gnu-objdump"
ours=$(realpath "${PERF:-$O/perf}") && [ -x "$ours" ] || {
	echo "Bail out! no perf with csflow in it: make perf"
	exit 1
}
core=$("$ours" --exec-path)

echo "TAP version 13"
for file in perf-archive scripts/python/arm-cs-trace-disasm.py dlfilters/dlfilter-show-cycles.so; do
	[ -s "$core/$file" ] || echo "$core has no $file" > "$tmp/why"
	[ -s "$core/$file" ]
	ok $? "where perf looks for it there is $file"
done

record -u ete=1.1,cid,ts=1000,strobe=100:5000 --cpus=1 -- "$tmp/loops"
ok $? "a recording"
cat > "$tmp/handler.py" << 'END'
def process_event(p):
    s = p["sample"]
    print("%d %x %x" % (s["tid"], s["ip"], s["addr"]))
END
script "$ours" --itrace=b -s "$tmp/handler.py" > "$tmp/two"
cp "$tmp/said" "$tmp/why"
script "$ours" --itrace=b -F tid,ip,addr | sed 's/=>//; s/^ *//; s/  */ /g; s/ *$//' > "$tmp/one"
[ -s "$tmp/one" ] && diff "$tmp/one" "$tmp/two" >> "$tmp/why"
ok $? "a handler gets every branch"

# It takes programs from perf's cache.
"$ours" buildid-cache --add "$tmp/loops" 2> "$tmp/why" < /dev/null
ok $? "perf buildid-cache"
script "$ours" --itrace=b -s "$core/scripts/python/arm-cs-trace-disasm.py" -- -d aarch64-linux-gnu-objdump > "$tmp/list"
cp "$tmp/said" "$tmp/why"
sed -n 's/^[[:space:]]*\([0-9a-f][0-9a-f]*\):[[:space:]]\([0-9a-f]\{8\}\)[[:space:]].*/\1 \2/p' "$tmp/list" | sort -u > "$tmp/two"
executed | sed -n 's/.* \([0-9a-f]\{8,16\}\) \([0-9a-f]\{8\}\) O .*/\1 \2/p' | sed 's/^0*//' | sort -u > "$tmp/true"
[ "$(wc -l < "$tmp/two")" -gt 20 ] && comm -23 "$tmp/two" "$tmp/true" > "$tmp/why" && [ ! -s "$tmp/why" ]
ok $? "arm-cs-trace-disasm.py lists only what was executed"

# ---------------------------------------------------------------- installed

# In a folder of which perf was not told.
(unset MAKEFLAGS MFLAGS MAKELEVEL
	"${MAKE:-make}" -s -C .. -o perf O="$(realpath "$O")" DESTDIR="$tmp/root" PREFIX=/usr install-perf) > "$tmp/why" 2>&1
installed=$tmp/root/usr/bin/perf-csflow
[ -x "$installed" ] && [ "$("$installed" --exec-path 2> "$tmp/why")" = "$tmp/root/usr/lib/csflow/perf-core" ]
ok $? "installed: perf knows where its scripts are"
script "$installed" --itrace=b -s "$tmp/handler.py" > "$tmp/two"
cp "$tmp/said" "$tmp/why"
script "$installed" --itrace=b -F tid,ip,addr | sed 's/=>//; s/^ *//; s/  */ /g; s/ *$//' > "$tmp/one"
[ -s "$tmp/one" ] && diff "$tmp/one" "$tmp/two" >> "$tmp/why"
ok $? "installed: a handler in Python gets every branch"

cat > "$tmp/handler.pl" << 'END'
my $n = 0;
sub process_event { $n++; }
sub trace_end { print "$n\n"; }
END
if "$installed" version --build-options 2> /dev/null | grep -q ' libperl: \[ on '; then
	script "$installed" --itrace=b -s "$tmp/handler.pl" > "$tmp/two"
	cp "$tmp/said" "$tmp/why"
	[ -s "$tmp/one" ] && wc -l < "$tmp/one" | diff - "$tmp/two" >> "$tmp/why"
	ok $? "a handler in Perl gets every branch, installed"
else
	skip "a handler in Perl gets every branch, installed" "it is built without Perl"
fi

"$installed" script --list-dlfilters > "$tmp/why" 2>&1 < /dev/null && grep -q '^ *dlfilter-show-cycles.so ' "$tmp/why"
ok $? "installed: perf script lists its filter of cycles"
# It puts a column of cycles in front.
script "$installed" --itrace=b -F tid,ip,addr --dlfilter dlfilter-show-cycles.so |
	sed 's/^ *[0-9][0-9]* *//; s/=>//; s/  */ /g; s/ *$//' > "$tmp/two"
cp "$tmp/said" "$tmp/why"
[ -s "$tmp/one" ] && diff "$tmp/one" "$tmp/two" >> "$tmp/why"
ok $? "installed: perf script runs it"

id=$("$ours" buildid-list -i "$tmp/data" 2> /dev/null < /dev/null |
	sed -n 's/^\([0-9a-f]\{2\}\)\([0-9a-f]*\) .*loops$/\1.\2/p')
(cd "$tmp" && "$installed" archive data) > "$tmp/why" 2>&1 < /dev/null
[ -n "$id" ] && tar tf "$tmp/data.tar.bz2" 2>> "$tmp/why" | grep -q "$id"
ok $? "installed: perf archive packs the program"

grep -aqF '/etc/perfconfig' "$tmp/root/usr/lib/csflow/perf-core/perf"
ok $? "installed: the settings of the system are in /etc/perfconfig"
echo "1..$n"
