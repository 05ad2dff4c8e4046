#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The library exports what csflow.h declares, and decoder/csflow.map names: no more, no less.

cd "$(dirname "$0")/../.." || exit 1
dir=$(mktemp -d -p "${O:-build}") || exit 1
trap 'rm -rf "$dir"' EXIT
dir=$(realpath "$dir")
built=$(dirname "${CSFLOW_FAST:-build/csflow}")

n=0
same()
{
	n=$((n + 1))
	if diff "$2" "$3" > "$dir/diff"; then
		echo "ok $n $1"
	else
		sed -n 's/^[<>]/#&/p' "$dir/diff"
		echo "not ok $n $1"
	fi
}

# Functions of the header: a declaration begins with CSF_API and ends at the semicolon.
perl -0ne 's{/\*.*?\*/}{}gs; print "$1\n" while /CSF_API\s[^;]*?\b(csf_\w+)\s*\(/g' decoder/csflow*.h |
	sort > "$dir/header"
sed -n 's/^[[:space:]]*\(csf_[a-z0-9_]*\);$/\1/p' decoder/csflow.map | sort > "$dir/map"
nm -D --defined-only "$built/libcsflow.so.0" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' |
	sort > "$dir/so"
nm -g --defined-only "$built/libcsflow.a" | awk 'NF == 3 { print $3 }' | sort > "$dir/a"
nm -D --undefined-only "$built/libcsflow.so.0" | awk '{ print $NF }' | grep -v '@GLIBC\|@GCC' |
	grep -vE '^(_ITM_|__gmon_start__|__cxa_finalize|__asan_|__ubsan_|__gcov)' > "$dir/others"
: > "$dir/none"

echo "TAP version 13"
echo "1..6"
same "csflow.map has the functions of csflow.h" "$dir/header" "$dir/map"
same "libcsflow.so.0 exports them" "$dir/map" "$dir/so"
same "libcsflow.a shows them and nothing else" "$dir/map" "$dir/a"
same "libcsflow.so.0 needs nothing but libc" "$dir/none" "$dir/others"

# The view that a program has of an installed library: header and pkg-config file, in C and in C++.
cat > "$dir/use.c" << 'END'
#include <csflow.h>
#include <string.h>

int main(void)
{
	struct csf_image *image;

	if (!strlen(csf_version()) || csf_image_new(&image) < 0)
		return 1;
	csf_image_free(image);
	return 0;
}
END
if "${MAKE:-make}" -s O="${O:-build}" ${KSRC:+KSRC="$KSRC"} install DESTDIR="$dir/root" PREFIX=/usr \
	> "$dir/install" 2>&1 &&
   export PKG_CONFIG_SYSROOT_DIR=$dir/root PKG_CONFIG_PATH=$dir/root/usr/lib/pkgconfig \
	PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 &&
   "${CC:-gcc}" -Wall -Wextra -Werror -std=c99 -pedantic -o "$dir/use" "$dir/use.c" \
	$(pkg-config --cflags --libs csflow) &&
   LD_LIBRARY_PATH=$dir/root/usr/lib "$dir/use" &&
   { ! command -v g++ > /dev/null || g++ -Wall -fsyntax-only -x c++ \
	$(pkg-config --cflags csflow) "$dir/use.c"; }; then
	echo "ok 5 a program uses the installed library"
else
	sed 's/^/# /' "$dir/install"
	echo "not ok 5 a program uses the installed library"
fi

# The example that reads a protocol of its own has nothing of the source tree but its own files.
mkdir "$dir/alone"
cp Documentation/examples/custom-protocol.c Documentation/examples/example.h "$dir/alone"
printf '\x13\x78\x56\x34\x12' > "$dir/trace"
if "${CC:-gcc}" -Wall -Wextra -Werror -std=gnu11 -o "$dir/alone/custom-protocol" "$dir/alone/custom-protocol.c" \
	$(pkg-config --cflags --libs csflow) 2> "$dir/why" &&
   [ "$(LD_LIBRARY_PATH=$dir/root/usr/lib "$dir/alone/custom-protocol" "$dir/trace")" = "0 data 3 0x12345678" ]; then
	echo "ok 6 a program reads a protocol of its own"
else
	sed 's/^/# /' "$dir/why"
	echo "not ok 6 a program reads a protocol of its own"
fi
