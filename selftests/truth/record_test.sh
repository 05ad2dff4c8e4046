#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow record: programs run under the virtual trace unit.  The decoded code, and the code that the
# unit logged as lost on purpose, are together exactly the executed code, instruction by instruction
# and CPU by CPU, for each program in a row of a pairwise table of the settings of a trace unit; the
# same is true without a layer of the decoder, another one in each row.
#
# Each recording is compared and deleted before the next one is made.  CSFLOW_LONG: more rounds,
# until there are 2,000,000,000 instructions, and without each layer.

cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
ulimit -c 0

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
csflow=$(realpath "$CSFLOW_FAST")
for tool in qemu-aarch64 qemu-arm aarch64-linux-gnu-gcc arm-linux-gnueabihf-gcc; do
	command -v $tool > /dev/null && continue
	echo "1..0 # SKIP no $tool"
	exit 0
done
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
want=20000000
[ -z "$CSFLOW_LONG" ] || want=2000000000

. lib/tap.sh
. lib/pairwise.sh
CSFLOW=$csflow
. lib/without.sh

# ---------------------------------------------------------------- programs

# name, compiler and its options; then how it is run
build()
{
	local name=$1 source=$2

	shift 2
	"$@" -O2 -static -pthread -Wno-unused-result -o "$tmp/$name" "programs/$source.c" \
		2> "$tmp/why" || ok 1 "$name is built"
}

a64=aarch64-linux-gnu-gcc
arm=arm-linux-gnueabihf-gcc
build plain plain $a64
build threads threads $a64
build signals signals $a64
build maps maps $a64
build interwork interwork $arm programs/over-page.S
build ends ends $a64
build arm-signals signals $arm -marm
build arm-threads threads $arm -mthumb
build arm-high high $arm

# Programs of Debian, if there is a network or they were unpacked before.
root=$(programs/arm64-root.sh "$O" 2> "$tmp/no-root") || root=

i=0
while [ $i -lt 3000 ]; do
	echo "$i some words of text, $((i * i % 977)) and $((i * 7919 % 104729)) more"
	i=$((i + 1))
done > "$tmp/text"
cat > "$tmp/script.lua" << 'END'
local s, t = 0, {}
for round = 1, 20 do
	for i = 1, 1000 do t[i] = (i * round) % 97; s = s + t[i] end
	local f = load("return function(x) return x * " .. round .. " end")()
	for i = 1, 200 do s = s + f(i) end
end
print(s)
END

# A program a line: name, and how it is run; @ is the root of Debian's.
cat > "$tmp/programs" << END
plain	$tmp/plain 3
threads	$tmp/threads 1
signals	$tmp/signals
maps	$tmp/maps $tmp
interwork	$tmp/interwork 5
arm-signals	$tmp/arm-signals
arm-threads	$tmp/arm-threads 1
arm-high	$tmp/arm-high $tmp
END
[ -z "$root" ] || cat >> "$tmp/programs" << END
sqlite3	@/usr/bin/sqlite3 :memory: create_table_t(a);insert_into_t_values(1),(2);select_sum(a)_from_t;
zstd	@/usr/bin/zstd -c $tmp/text
gzip	@/bin/gzip -nc $tmp/text
lua	@/usr/bin/lua5.4 $tmp/script.lua
luajit	@/usr/bin/luajit $tmp/script.lua
perl	@/usr/bin/perl -e for(1..3000){\$s+=\$_**2%7;\$h{\$_%50}.=chr(65+\$_%26)}print\$s
python3	@/usr/bin/python3.11 -S -c print(sum(i*i%7_for_i_in_range(300)))
END

# Words of a command line into the array argv: _ is a space inside one.
argv_of()
{
	local word

	argv=()
	for word in $1; do
		word=${word/#@/$root}
		case $2 in
		sqlite3 | python3) [ -e "$word" ] || word=${word//_/ } ;;
		esac
		argv+=("$word")
	done
}

# ---------------------------------------------------------------- the table

# An axis a line; within an alternative _ separates options, words of --unit begin with a comma.
cat > "$tmp/axes" << 'END'
ete=1.0 ete=1.1 ete=1.3 etm4=4.0 etm4=4.2 etm4=4.6
- ,rs ,rs=3
- ,bb
- ,cc=4 ,cc=64
,ts=100 ,ts=3000 ,ts=500,marker -
,cid ,vmidopt ,cid,vmid
- ,sync=300 ,sync=100000
- ,q=30 ,source=10 ,spec=4:7 ,tm=20 ,event=10,ignore=20 ,ite=50
- ,overflow=500 ,truncate=500 ,discard=300 ,strobe=3000:1000 ,exclude=0x410000-0x420000
- --raw --per-thread --raw_--per-thread
--cpus=1 --cpus=2_--quantum=3000 --cpus=3_--quantum=7000_--migrate=3
- -m_20000
--header=2 --header=1 --header=0
END

# What excludes each other.
valid='!(row ~ /header=0/ && row ~ /ete=/ ||
	row ~ /etm4=/ && row ~ /source=|tm=20|ite=/ ||
	row ~ /ite=/ && row !~ /ete=1.3/ ||
	row ~ /etm4=4.[02]/ && row ~ /ignore=/ ||
	row ~ /etm4=4.0/ && row ~ /vmid/ ||
	row ~ /q=30/ && row ~ /bb/ ||
	row ~ /marker/ && row !~ /ete=1.[13]|etm4=4.6/)'

# ---------------------------------------------------------------- one recording

# without NAME: the next layer, or each, is left out
without()
{
	local layer some=("${layers[n % ${#layers[@]}]}")

	[ -z "$CSFLOW_LONG" ] || some=("${layers[@]}")
	for layer in "${some[@]}"; do
		CSFLOW_WITHOUT=$layer "$csflow" match "$tmp/truth" "$tmp/perf.data" > "$tmp/why" 2>&1
		ok $? "$1, without $layer"
	done
}

total=0
# one NAME COMMAND OPTIONS...: recorded and compared
one()
{
	local name=$1 command=$2 status

	shift 2
	argv_of "$command" "$name"
	rm -f "$tmp"/perf.data "$tmp"/truth "$tmp"/jit-*
	"$csflow" record -o "$tmp/perf.data" --truth "$tmp/truth" ${root:+-L "$root"} "$@" -- \
		"${argv[@]}" > "$tmp/out" 2> "$tmp/why" < /dev/null
	status=$?
	if [ $status = 0 ] && [ -s "$tmp/out" ]; then
		cp "$tmp/why" "$tmp/said"
		"$csflow" match "$tmp/truth" "$tmp/perf.data" > "$tmp/why" 2>&1
		status=$?
		total=$((total + $(sed -n 's/.*: \([0-9]*\) instructions,.*bytes of trace/\1/p' \
			"$tmp/said")))
	else
		echo "status $status" >> "$tmp/why"
		status=1
	fi
	ok $status "$name $*"
	[ $status != 0 ] || without "$name"
	[ $status = 0 ] || [ -z "$KEEP" ] || cp "$tmp"/perf.data "$tmp"/truth "$KEEP"/
	rm -f "$tmp"/perf.data "$tmp"/truth "$tmp"/jit-*
}

echo "TAP version 13"

# The output of a program is the same without us.
while IFS=$'\t' read -r name command; do
	argv_of "$command" "$name"
	case $name in
	arm-* | interwork) emulator=qemu-arm ;;
	*) emulator=qemu-aarch64 ;;
	esac
	$emulator ${root:+-L "$root"} "${argv[@]}" > "$tmp/alone" 2> /dev/null < /dev/null
	"$csflow" record -q -o "$tmp/perf.data" ${root:+-L "$root"} -- "${argv[@]}" \
		> "$tmp/out" 2> "$tmp/why" < /dev/null && cmp "$tmp/alone" "$tmp/out" > "$tmp/why"
	ok $? "$name prints the same"
done < "$tmp/programs"
[ -n "$root" ] || skip "programs of Debian" "no arm64 programs: $(tail -n 1 "$tmp/no-root")"

mapfile -t programs < "$tmp/programs"
seed=1
while :; do
	mapfile -t rows < <(pairwise $seed "$tmp/axes" "$valid")
	for i in "${!rows[@]}"; do
		IFS=$'\t' read -r name command <<< "${programs[(i + seed) % ${#programs[@]}]}"
		options_of "${rows[i]}"
		one "$name" "$command" "${options[@]}"
	done
	[ $total -lt $want ] || break
	seed=$((seed + 1))
	# In make check the rest after one round comes from one large program.
	[ -z "$CSFLOW_LONG" ] || continue
	one plain "$tmp/plain $(((want - total) / 270000 + 1))"
	break
done
echo "# $total instructions compared"
[ $total -ge $want ]
ok $? "at least $want instructions"

# ---------------------------------------------------------------- what goes wrong

# fails NAME TEXT COMMAND...: it does, and says so
fails()
{
	local name=$1 text=$2

	shift 2
	"$@" > "$tmp/out" 2> "$tmp/why" < /dev/null
	[ $? != 0 ] && grep -q -- "$text" "$tmp/why"
	ok $? "$name"
}

record()
{
	"$csflow" record -o "$tmp/perf.data" "$@"
}

fails "no emulator" "package qemu-user" record --qemu=qemu-none -- "$tmp/plain"
fails "no unit" "csflow-unit.so" record --plugin="$tmp/none.so" -- "$tmp/plain"
fails "no plugin" "did not load" record --plugin="$tmp/text" -- "$tmp/plain"
fails "no program" "No such file" record -- "$tmp/none"
fails "another processor" "not for AArch64 or Arm" record -- /bin/true
fails "a script" "interpreter" record -- "$tmp/text"
fails "a bad word" "ete=9.9" record -u ete=9.9 -- "$tmp/plain"
fails "version 0 of ETE" "older than ETE" record --header=0 -- "$tmp/plain"
fails "a disk that is full at once" "No space left" record -o /dev/full -- "$tmp/plain"

# A disk of its own, that fills up; only root can have one.
mkdir "$tmp/disk"
if mount -t tmpfs -o size=600k none "$tmp/disk" 2> /dev/null; then
	trap 'umount "$tmp/disk"; rm -rf "$tmp"' EXIT
	fails "a disk that fills up" "No space left" record -o "$tmp/disk/perf.data" \
		-u ete=1.1,cid,cc=4,ts=100 -- "$tmp/plain" 30
	"$csflow" doctor "$tmp/disk/perf.data" > "$tmp/why" 2>&1
	grep -q '^verdict  *[0-9]\{6,\} instructions .* decoded' "$tmp/why"
	ok $? "and what was recorded until then is readable"
	umount "$tmp/disk"
	trap 'rm -rf "$tmp"' EXIT
else
	skip "a disk that fills up" "cannot mount"
	skip "and what was recorded until then is readable" "cannot mount"
fi

# ends HOW STATUS: the program ends so; all that it executed before is there, and equal
ends()
{
	"$csflow" record -q -o "$tmp/perf.data" --truth "$tmp/truth" -- "$tmp/ends" $1 \
		> "$tmp/out" 2> "$tmp/said" < /dev/null
	[ $? = $2 ] && grep -q 'did not end by itself' "$tmp/said"
	ok $? "a program that ends by $1"
	"$csflow" match "$tmp/truth" "$tmp/perf.data" > "$tmp/why" 2>&1
	grep -q '^[0-9]\{5,\} instructions equal' "$tmp/why" && grep -q '^equal' "$tmp/why"
	ok $? "and what it executed until then is in the recording"
}

# Trace that the unit has not sent is a loss, even if no atom is known to be lost.
for unit in overflow=200 discard=200 truncate=200 q=20; do
	"$csflow" record -q -o "$tmp/perf.data" -u ete=1.1,cid,$unit -- "$tmp/plain" > /dev/null 2> "$tmp/why" &&
		"$CSFLOW" doctor "$tmp/perf.data" > "$tmp/why" 2>&1
	grep -q '^verdict  *[0-9]\{6,\} instructions .* decoded; ' "$tmp/why" && ! grep -q 'nothing is missing' "$tmp/why"
	ok $? "doctor says that something is missing, $unit"
done

"$csflow" record -q -o "$tmp/perf.data" --truth "$tmp/truth" -u ete=1.1,cid -- "$tmp/plain" > /dev/null 2> "$tmp/why" &&
	"$CSFLOW" match -w 3 "$tmp/truth" "$tmp/perf.data" > "$tmp/why" 2>&1
ok $? "match with a window: trace says its context wherever it begins again"
"$csflow" record -q -o "$tmp/perf.data" -u ete=1.1,cid -- "$tmp/plain" 8 > /dev/null 2> "$tmp/why"
for job in doctor "dump --stats"; do
	# shellcheck disable=SC2086 # words
	"$CSFLOW" $job "$tmp/perf.data" > "$tmp/paths" 2> "$tmp/why" &&
		CSFLOW_WITHOUT=paths "$CSFLOW" $job "$tmp/perf.data" 2> "$tmp/why" | diff "$tmp/paths" - > "$tmp/why"
	ok $? "$job: the same without paths"
done

ends abort 134
ends fault 139
ends trap 133
ends exec 0

# Some time after its first buffer
rm "$tmp/perf.data"
"$csflow" record -o "$tmp/perf.data" -q -m 200000 -- "$tmp/plain" 10000 > /dev/null 2> "$tmp/why" &
recorder=$!
while kill -0 $recorder && ! [ "$(stat -c %s "$tmp/perf.data")" -gt 200000 ]; do
	sleep 0.1
done 2> /dev/null
pkill -KILL -P $recorder
wait $recorder
grep -q 'did not end by itself' "$tmp/why"
ok $? "a program that is killed"
"$csflow" doctor "$tmp/perf.data" > "$tmp/why" 2>&1
grep -q '^verdict  *[0-9]\{6,\} instructions .* nothing is missing' "$tmp/why"
ok $? "and what was recorded until then is readable"

echo "1..$n"
