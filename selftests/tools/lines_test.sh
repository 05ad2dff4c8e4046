#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Source lines of programs, beside those of llvm-symbolizer.  Each row: options of clang.  For units
# with probes libdw refuses the lines, and for others it leaves paths relative: we read those
# ourselves.
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
for name in clang-19 ld.lld-19 llvm-symbolizer-19 qemu-aarch64; do
	command -v $name > /dev/null || give_up "no $name"
done

rows="-gdwarf-5
-gdwarf-4 -fpseudo-probe-for-profiling
-gdwarf-5 -fpseudo-probe-for-profiling
-gdwarf-5 -gdwarf64 -fpseudo-probe-for-profiling
-gdwarf-5 -fpseudo-probe-for-profiling -fdebug-compilation-dir=/nowhere
-gdwarf-4 -fpseudo-probe-for-profiling -fdebug-compilation-dir=/nowhere"

mkdir -p "$tmp/in/src" "$tmp/in/inc"
cat > "$tmp/in/src/prog.c" << 'END'
#include <stdio.h>
#include "../inc/step.h"

int main(void)
{
	unsigned int sum = 0;

	for (unsigned int i = 1; i < 50; i++)
		sum += steps(i);
	return printf("%u\n", sum) < 0;
}
END
cat > "$tmp/in/inc/step.h" << 'END'
static __attribute__((noinline)) unsigned int steps(unsigned int n)
{
	unsigned int i = 0;

	for (; n != 1; i++)
		n = n & 1 ? 3 * n + 1 : n / 2;
	return i;
}
END

# Addresses that were executed, and their lines, in our words and in theirs.
lines()
{
	"$CSFLOW" script -F ip,srcline --full-source-path --itrace=i1i "$tmp/data" 2> "$tmp/why" |
		awk '/(prog.c|step.h):/ { print addr, $1 } { addr = $1 }' | sort -u > "$tmp/ours"
	cut -d ' ' -f 1 "$tmp/ours" | sed 's/^/0x/' |
		llvm-symbolizer-19 -e "$tmp/prog" --no-inlines --functions=none |
		sed -n 's/:[0-9]*$//p' | paste -d ' ' <(cut -d ' ' -f 1 "$tmp/ours") - > "$tmp/theirs"
}

while read -r options; do
	# shellcheck disable=SC2086 # words
	(cd "$tmp/in" && clang-19 --target=aarch64-linux-gnu -O2 -static $options -fuse-ld=lld -o ../prog src/prog.c) \
		2> "$tmp/why" && record -u ete=1.1 -- "$tmp/prog" && lines &&
		grep -q 'prog.c:9$' "$tmp/ours" && grep -q 'step.h:6$' "$tmp/ours" &&
		diff "$tmp/theirs" "$tmp/ours" > "$tmp/why"
	ok $? "$options"
done <<< "$rows"
echo "1..$n"
