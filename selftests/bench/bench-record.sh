#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench-record.sh DIR MIB NAME...  records real programs under the virtual trace unit, and makes of each
#				a snapshot DIR/NAME-MIB of at least MIB of trace, beside the
#				recording itself, DIR/NAME-MIB.data; prints the folders
# bench-record.sh -l		the names: PROGRAM.UNIT
#
# Called by bench.sh.  Recordings from before are used again.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
: "${O:=../build}"
csflow=${CSFLOW:-$O/csflow}
. bench/bench-sql.sh

programs='sqlite3 zstd lua gzip python3'
declare -A unit=(
	[etm4]=etm4=4.2,cid			# as perf has it
	[rs]=etm4=4.2,cid,rs
	[ts]=etm4=4.2,cid,ts=1000
	[cc]=etm4=4.2,cid,cc=256,ts=1000
	[bb]=etm4=4.2,cid,bb
	[spec]=etm4=4.2,cid,spec=4:50
	[spec-rs]=etm4=4.2,cid,rs,spec=4:50
	[spec-ts]=etm4=4.2,cid,ts=1000,spec=4:50
	[spec-cc]=etm4=4.2,cid,cc=256,ts=1000,spec=4:50
	[spec-bb]=etm4=4.2,cid,bb,spec=4:50
	[spec-raw]=etm4=4.2,cid,spec=4:50
	[likely]=etm4=4.2,cid,spec=4:50,likely
	[likely-ts]=etm4=4.2,cid,ts=1000,spec=4:50,likely
	[likely-cc]=etm4=4.2,cid,cc=256,ts=1000,spec=4:50,likely
	[likely-bb]=etm4=4.2,cid,bb,spec=4:50,likely
	[likely-raw]=etm4=4.2,cid,spec=4:50,likely
	[likely-rs]=etm4=4.2,cid,rs,spec=4:50,likely,sync=0
	[likely-rs-bb]=etm4=4.2,cid,rs,bb,spec=4:50,likely,sync=0
	[likely-full]=ete=1.1,rs,cid,cc=256,ts=1000,spec=4:50,likely,sync=0
	[spec-full]=ete=1.1,rs,cid,cc=256,ts=1000,spec=4:50
	[ete]=ete=1.1,cid
	[full]=ete=1.1,rs,cid,cc=256,ts=1000
	[raw]=ete=1.1,rs,cid,ts=4096
	[ptm]=ptm=1.1,rs
	[ptm-cc]=ptm=1.1,rs,cc
	# The peer loses the instruction set after an N unless branches are broadcast, and gives up at
	# more zeros than five before an A-sync.
	[etm3]=etm3=3.4,bb,sync=0
)

if [ "$1" = -l ]; then
	for program in $programs; do
		echo "$program.etm4"
	done
	# With spec-rs and spec-full the peer ends by a segmentation fault.  With a Trace Info where
	# elements are not committed it forgets the return stack too early: hence sync=0.
	for u in rs ts cc bb likely likely-rs likely-ts likely-cc likely-bb likely-rs-bb \
		 likely-full likely-raw spec spec-ts spec-cc spec-bb spec-raw ete full raw; do
		echo "sqlite3.$u"
	done
	# a program of 32 bits: there are no others of that kind here
	command -v qemu-arm > /dev/null && command -v arm-linux-gnueabihf-gcc > /dev/null &&
		printf '%s\n' plain.ptm plain.ptm-cc plain.etm3
	exit 0
fi
[ $# -ge 3 ] || { sed -n 's/^# \{0,1\}//; 4,7p' "$0" >&2; exit 2; }
mkdir -p "$1" && dir=$(cd "$1" && pwd) || exit 1
mib=$2
shift 2

die()
{
	echo "bench-record: $*" >&2
	exit 1
}

# Words with their numbers, sorted, joined and found again.
lua_script()
{
	cat <<- END
	local seen, list, n = {}, {}, $((400 * $1))
	for i = 1, n do
		local w = string.format("%x-%s", i * 7919 % 10007, ("abc"):rep(i % 5))
		if not seen[w] then seen[w] = 0; list[#list + 1] = w end
		seen[w] = seen[w] + i
	end
	table.sort(list)
	local text = table.concat(list, " ")
	local sum = 0
	for w in text:gmatch("%w+%-(%a*)") do sum = sum + #w end
	for i = 1, n do sum = (sum * 31 + (seen[list[i % #list + 1]] or 0)) % 1000003 end
	print(sum, #list)
	END
}

python_script()
{
	cat <<- END
	class Node:
	    def __init__(self, key):
	        self.key, self.left, self.right = key, None, None
	def insert(root, key):
	    while root.key != key:
	        side = 'left' if key < root.key else 'right'
	        if getattr(root, side) is None:
	            setattr(root, side, Node(key))
	        root = getattr(root, side)
	root, words, x = Node(500009), {}, 1
	for i in range(330 * $1):
	    x = (x * 48271) % 1000003
	    insert(root, x)
	    word = '%x' % (x % 4093)
	    words[word] = words.get(word, 0) + len(word)
	print(sum(words.values()), sorted(words)[:5], ' '.join(words).count('a'))
	END
}

# plain OUT FACTOR UNIT: programs/plain.c in T32, as run() does
plain()
{
	arm-linux-gnueabihf-gcc -O2 -mthumb -static -o "$dir/plain" programs/plain.c 2> "$dir/why" &&
		"$csflow" record -q -o "$1" --cpus=1 -m $((256 << 20)) -u "$3" -- "$dir/plain" \
			$((10 * $2)) > /dev/null 2> "$dir/why" || die "plain: $(tail -n 1 "$dir/why")"
	rm -f "$dir/why"
}

# Programs and libraries, one after the other: something to compress.
input()
{
	find "$root" -type f \( -path '*/bin/*' -o -name '*.so*' \) -print0 | sort -z |
		xargs -0 cat 2> /dev/null | head -c "$1"
}

# run PROGRAM FACTOR OUT UNIT: runs it so long that there is about FACTOR MiB of trace
run()
{
	local bin=$root/usr/bin/$1 args=() in=/dev/null

	in=$dir/$1.in
	: > "$in"
	case $1 in
	sqlite3)	sql $((23 * $2)) > "$in"; args=(:memory:) ;;
	zstd)		input $((160000 * $2)) > "$in"; args=(-c --single-thread) ;;
	gzip)		bin=$root/bin/gzip; input $((120000 * $2)) > "$in"; args=(-c) ;;
	lua)		bin=$root/usr/bin/lua5.4; lua_script "$2" > "$in"; args=(-) ;;
	python3)	bin=$root/usr/bin/python3.11; python_script "$2" > "$in"; args=(-S -) ;;
	esac
	"$csflow" record -q -o "$3" --cpus=1 -m $((256 << 20)) ${5:+"$5"} -L "$root" -u "$4" -- \
		"$bin" "${args[@]}" < "$in" > /dev/null 2> "$dir/why" || die "$1: $(tail -n 1 "$dir/why")"
	rm -f "$in" "$dir/why"
}

record()
{
	local program=${1%%.*} words=${unit[${1#*.}]} raw= factor=$mib size=0
	local out=$dir/$1-$mib

	[ -n "$words" ] || die "$1: there is no such unit"
	[[ $1 == *raw ]] && raw=--raw
	[ -e "$out/trace.ini" ] || [ "$program" = plain ] || root=$(programs/arm64-root.sh "$O" 2> "$dir/why") ||
		die "no arm64 programs: $(tail -n 1 "$dir/why")"
	while [ ! -e "$out/trace.ini" ]; do
		if [ "$program" = plain ]; then
			plain "$out.data" "$factor" "$words"
		else
			run "$program" "$factor" "$out.data" "$words" $raw
		fi
		size=$(stat -c %s "$out.data")
		if [ "$size" -ge $((mib << 20)) ]; then
			"$O/selftests/make/mksnap" "$out.data" "$out" || die "no snapshot of $out.data"
		else
			factor=$((factor * (mib << 20) / size * 11 / 10 + 1))
		fi
	done
	echo "$out"
}

for name; do
	record "$name"
done
