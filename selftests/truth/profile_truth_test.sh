#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Counts of csflow profile against what was really executed: of programs in C and C++, PIE and not,
# with threads, signals, exceptions and libraries that come and go, each block (taken, not taken, cut)
# and each edge (direct, indirect, from file to file) was executed as often as the virtual trace unit
# logged it.  truth_blocks.py counts the log, and knows nothing of our code.  And the branches to
# each place add up to its executions. Some programs are decoded without layers of the decoder, too:
# without each, and without all.
#
# CSFLOW_LONG: the programs have ten times as much to do, and each is decoded without layers.
cd "$(dirname "$0")/.." || exit 1
shopt -s nullglob
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
. lib/without.sh
for tool in qemu-aarch64 aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ python3; do
	command -v $tool > /dev/null || give_up "no $tool"
done
more=${CSFLOW_LONG:+0}

# build OUT COMPILER OPTIONS...
build()
{
	local out=$1

	shift
	"aarch64-linux-gnu-$1" -O2 -o "$tmp/$out" "${@:2}" 2> "$tmp/why"
	ok $? "$out is built"
}

build fixed gcc -no-pie programs/loops.c programs/twin.c
build static gcc -static -pthread programs/signals.c
build threads gcc -pie -fPIE -pthread programs/threads.c
build shapes g++ -std=c++17 -no-pie programs/shapes.cpp
build libshapes.so g++ -std=c++17 -shared -fPIC -DLIBRARY programs/shapes.cpp
build loads g++ -pie -fPIE programs/loads.cpp -ldl

i=0
while [ $i -lt $((100${more}0)) ]; do
	echo "$i some words of text, $((i * i % 977)) and $((i * 7919 % 104729)) more"
	i=$((i + 1))
done > "$tmp/text"
cat > "$tmp/lua" << END
local s, t = 0, {}
for i = 1, 200$more do
	t[i] = string.format("%x-%s", i * 7919 % 1007, ("abc"):rep(i % 5))
	s = s + #t[i]
end
table.sort(t)
for round = 1, 5 do
	local f = load("return function(x) return x * " .. round .. " end")()
	for w in table.concat(t, " "):gmatch("%w+%-(%a*)") do s = s + f(#w) end
end
print(s, t[7])
END
cat > "$tmp/sql" << END
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 30$more)
insert into t select i, printf('%x-%d', i * 7919 % 10007, i), i * 0.37 from n;
create index tb on t(b);
select substr(b, 1, 1), count(*), avg(c) from t where b like '%9%' group by 1 order by 2, 1;
select count(*) from t a join t b on a.a = b.a * 3;
END

# count NAME LAYER: counts what was recorded, without that layer, twice, and compares
count()
{
	CSFLOW_WITHOUT=$2 "$CSFLOW" profile --for=json --quality="$tmp/quality" -o "$tmp/json" "$tmp/data" \
		2> "$tmp/why" &&
		grep -q '"trace": 1.000' "$tmp/quality" && grep -q '"flow": 1.000' "$tmp/quality" &&
		python3 lib/truth_blocks.py "$tmp/truth" "$tmp/json" "$tmp"/jit-* > "$tmp/why" 2>&1
	ok $? "$1${2:+, without $2}: $(tail -n 1 "$tmp/why")"
}

# check ROOT NAME OPTIONS... -- PROGRAM...: records it, and counts it; if $each, without layers, too
check()
{
	local root=$1 name=$2 layer

	shift 2
	rm -f "$tmp"/jit-*
	"$csflow" record -q -o "$tmp/data" --truth "$tmp/truth" -m $((64 << 20)) -L "$root" "$@" \
		> /dev/null 2> "$tmp/why" < "${input:-/dev/null}"
	ok $? "$name is recorded"
	count "$name"
	[ -n "$each$CSFLOW_LONG" ] || return
	for layer in "${layers[@]}"; do
		count "$name" "$layer"
	done
}

lib=/usr/aarch64-linux-gnu
check $lib "C, not PIE" -u ete=1.1,rs,cid -- "$tmp/fixed"
each=1 check $lib "C, not PIE, no return stack" -u etm4=4.2,cid,sync=300 -- "$tmp/fixed"
each=1 check $lib "C, not PIE, speculation" -u ete=1.3,cid,spec=4:50 -- "$tmp/fixed"
check $lib "C, static, signals and faults" -u etm4=4.2,cid,bb -- "$tmp/static"
check $lib "C, PIE, threads" -u ete=1.0,cid,ts=500 --cpus=3 --quantum=5000 --migrate=3 -- "$tmp/threads" "1$more"
check $lib "C++, not PIE, exceptions" -u etm4=4.5,cid,rs,cc=64 -- "$tmp/shapes"
check $lib "C++, PIE, a library that comes and goes" -u ete=1.1,rs,cid --cpus=1 -- "$tmp/loads" "$tmp/libshapes.so"

root=$(programs/arm64-root.sh "$O" 2> "$tmp/no-root") || root=
if [ -n "$root" ]; then
	input=$tmp/sql check "$root" sqlite3 -u etm4=4.2,cid -- "$root/usr/bin/sqlite3" :memory:
	check "$root" zstd -u ete=1.1,rs,cid -- "$root/usr/bin/zstd" -c "$tmp/text"
	check "$root" lua -u ete=1.3,cid,spec=4:50 -- "$root/usr/bin/lua5.4" "$tmp/lua"
	check "$root" gzip -u etm4=4.2,cid,rs --raw -- "$root/bin/gzip" -nc "$tmp/text"
else
	skip "programs of Debian" "no arm64 programs: $(tail -n 1 "$tmp/no-root")"
fi
echo "1..$n"
