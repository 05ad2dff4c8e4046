#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Builds that the other tests do not use: other flags, compilers, machines and folders; and the
# files that are installed, moved, and removed again.  CSFLOW_LONG: all of each; else the parts that
# take a few seconds.

cd "$(dirname "$0")/../.." || exit 1
O=$(realpath "${O:-build}")
LINUX=$(realpath "${LINUX:-$O/linux}")
tmp=$(mktemp -d -p "$O") || exit 1
trap 'rm -rf "$tmp"' EXIT
. selftests/lib/tap.sh
cc=$CC
unset MAKEFLAGS MFLAGS MAKELEVEL CC

# The end of make's output tells more than its beginning.
why()
{
	[ -s "$tmp/why" ] && tail -n 20 "$tmp/why" | cut -c 1-300
}

# build SOURCE WORDS...: fails also if anything is printed, because that is a warning
build()
{
	local source=$1

	shift
	"${MAKE:-make}" -s -C "$source" -j"$(nproc)" KSRC="$LINUX" "$@" > "$tmp/why" 2>&1 && [ ! -s "$tmp/why" ]
}

# what DIR: the goals to build there: all, or those that take seconds
what()
{
	[ -n "$CSFLOW_LONG" ] && echo all || echo "$1/libcsflow.a"
}

cat > "$tmp/use.c" << 'END'
#include <csflow.h>
#include <stdio.h>

int main(void)
{
	struct csf_image *image;

	if (csf_image_new(&image) < 0)
		return 1;
	csf_image_free(image);
	puts(csf_version());
	return 0;
}
END
level=${CSFLOW_LONG:+-O2}
level=${level:--O0}
version=$("$CSFLOW_FAST" --version | awk '{ print $2 }')

# works DIR COMPILER [EMULATOR...]: the library in DIR shows its own names alone, and a program that is linked
# with it runs; the command, if it was built, writes a report, whose page the assembler has put into it
works()
{
	local dir=$1 compiler=$2

	shift 2
	nm -g --defined-only "$dir/libcsflow.a" | awk 'NF == 3 && $3 !~ /^csf_/' > "$tmp/why" 2>&1
	[ ! -s "$tmp/why" ] &&
		$compiler -o "$dir/use" "$tmp/use.c" -Idecoder "$dir/libcsflow.a" -pthread > "$tmp/why" 2>&1 &&
		"$@" "$dir/use" > "$tmp/said" 2> "$tmp/why" && grep -qx "$version" "$tmp/said" || return 1
	[ -x "$dir/csflow" ] || return 0
	"$@" "$dir/csflow" report --html -o "$tmp/page" --symfs selftests/data/demo \
		selftests/data/demo/perf.data > "$tmp/why" 2>&1 && grep -q '</html>' "$tmp/page"
}

# ---------------------------------------------------------------- flags

build . O="$tmp/lto" CFLAGS="$level -flto=auto" WERROR=1 $(what "$tmp/lto") && works "$tmp/lto" gcc
ok $? "link-time optimisation"

# As many parts as possible, joined to an object that keeps all.
build . O="$tmp/parts" CFLAGS='-O1 -flto=auto' "$tmp/parts/tools/report/report-html.o" &&
	gcc -r -nostdlib -flto=auto -flinker-output=nolto-rel -flto-partition=max -o "$tmp/parts/page" \
		"$tmp/parts/tools/report/report-html.o" > "$tmp/why" 2>&1 &&
	nm "$tmp/parts/page" > "$tmp/said" && grep -q ' R report_page' "$tmp/said" &&
	! grep ' U report_page' "$tmp/said" > "$tmp/why"
ok $? "link-time optimisation, in as many parts as can be: the page of a report is found"

# ---------------------------------------------------------------- another machine

cross=aarch64-linux-gnu-
if ! command -v ${cross}gcc > /dev/null || ! command -v qemu-aarch64 > /dev/null; then
	skip "for AArch64" "no ${cross}gcc or no qemu-aarch64"
elif [ -n "$CSFLOW_LONG" ] && ! root=$(selftests/programs/arm64-root.sh "$O" libraries 2> "$tmp/why"); then
	skip "for AArch64" "no arm64 libraries: $(tail -n 1 "$tmp/why")"
else
	root=${root:-/usr/aarch64-linux-gnu}
	# A tool of this machine that is called all the same makes nothing of it.
	mkdir "$tmp/none"
	for tool in gcc cc g++ ld ar objcopy; do
		printf '#!/bin/sh\necho "%s of this machine is called"\nexit 1\n' $tool > "$tmp/none/$tool"
		chmod +x "$tmp/none/$tool"
	done
	PATH=$tmp/none:$PATH build . O="$tmp/cross" CROSS_COMPILE=$cross CFLAGS=$level WERROR=1 \
		${CSFLOW_LONG:+SYSROOT="$root"} $(what "$tmp/cross") &&
		works "$tmp/cross" ${cross}gcc qemu-aarch64 -L "$root"
	ok $? "for AArch64"
fi

# ---------------------------------------------------------------- another folder

# copy DIR: the source
copy()
{
	mkdir -p "$1/selftests" &&
		cp -a Makefile Documentation decoder perf-plugin tools kernel-glue "$1/" &&
		cp -a selftests/setup.sh selftests/expected-skips selftests/parts.pl "$1/selftests/"
}

# One builds below itself, the other elsewhere; with all warnings of -O3 if there is time.
flags=-g goal=dlfilter files=csflow-dlfilter.so
[ -z "$CSFLOW_LONG" ] || {
	flags='-O3 -g' goal=all
	files='libcsflow.so.0 csflow libopencsd_c_api.so.1 csflow-dlfilter.so csflow-unit.so'
}
copy "$tmp/one" && copy "$tmp/two/below/it"
build "$tmp/one" O=build CFLAGS="$flags" WERROR=1 $goal
status=$?
[ -z "$CSFLOW_LONG" ] || ok $status "-O3 -Werror"
build "$tmp/two/below/it" O="$tmp/three" CFLAGS="$flags" WERROR=1 $goal
for file in $files; do
	{ cmp "$tmp/one/build/$file" "$tmp/three/$file" &&
		! grep -lF "$tmp" "$tmp/one/build/$file" "$tmp/three/$file"; } > "$tmp/why" 2>&1
	ok $? "$file is the same from another folder, and names none"
done

cp -a "$tmp/one" "$tmp/four" && touch "$tmp/then" &&
	build "$tmp/four" O=build CFLAGS="$flags" $goal
find "$tmp/four" -name '*.o' -newer "$tmp/then" > "$tmp/why"
[ ! -s "$tmp/why" ] && [ -f "$tmp/four/build/csflow-dlfilter.so" ]
ok $? "what was copied with all that was built is not built anew"

# ---------------------------------------------------------------- another compiler

if [ -n "$CSFLOW_LONG" ]; then
	for flags in -O2 '-O2 -flto'; do
		name="clang-19 $flags"
		if ! command -v clang-19 > /dev/null || ! command -v ld.lld-19 > /dev/null; then
			skip "$name" "no clang-19 or no ld.lld-19"
			continue
		fi
		rm -rf "$tmp/clang"
		build . O="$tmp/clang" CC=clang-19 AR=llvm-ar-19 LDFLAGS=-fuse-ld=lld-19 CFLAGS="$flags" WERROR=1 all &&
			works "$tmp/clang" clang-19
		ok $? "$name"
	done
	if ! command -v musl-gcc > /dev/null; then
		skip "the library with musl" "no musl-gcc"
	else
		build . O="$tmp/musl" CC=musl-gcc WERROR=1 "$tmp/musl/libcsflow.a" "$tmp/musl/libcsflow.so.0" &&
			works "$tmp/musl" musl-gcc
		ok $? "the library with musl"
		rm -rf "$tmp/musl"
	fi
	for flags in -O0 -Os; do
		build . O="$tmp/gcc$flags" CFLAGS="$flags" WERROR=1 all
		ok $? "gcc $flags -Werror"
		rm -rf "$tmp/gcc$flags"
	done
fi

# ---------------------------------------------------------------- installed

# The files that are built already, with folders of its own for those that are not: perf's place is
# taken by a file.
mkdir -p "$O/man" "$tmp/stage"
ln -s "$O"/* "$tmp/stage/" && cp -a "$O/.flags" "$tmp/stage/"
rm -f "$tmp/stage/csflow.pc" "$tmp/stage/perf"
printf '%s\n' '#!/bin/sh' 'ls "$PERF_EXEC_PATH/perf-archive" && echo "$@"' > "$tmp/stage/perf"

# made WORDS...: in the root of this test, with the folders in $dirs
made()
{
	# shellcheck disable=SC2086 # words
	"${MAKE:-make}" -s -o perf ${cc:+CC="$cc"} ${KSRC:+KSRC="$KSRC"} O="$tmp/stage" DESTDIR="$tmp/root" \
		$dirs "$@" > "$tmp/why" 2>&1
}

# moved WORDS...: a program that is built with the flags from pkg-config WORDS runs
moved()
{
	local flags

	# shellcheck disable=SC2046,SC2086 # words
	flags=$(pkg-config "$@" --cflags --libs csflow 2> "$tmp/why") &&
		gcc -o "$tmp/use" "$tmp/use.c" $flags > "$tmp/why" 2>&1 &&
		LD_LIBRARY_PATH=$(pkg-config "$@" --variable=libdir csflow) "$tmp/use" > "$tmp/said" 2> "$tmp/why" &&
		grep -qx "$version" "$tmp/said"
}

for dirs in 'PREFIX=/usr LIBDIR=/usr/lib/x86_64-linux-gnu OCSD_LIBDIR=/opt/lib' 'PREFIX=/opt/csflow'; do
	# Files of others are there before, one of them in a folder that is ours.
	rm -rf "$tmp/root" "$tmp/elsewhere"
	mkdir -p "$tmp/root/opt/csflow/lib/csflow" "$tmp/root/usr/bin"
	touch "$tmp/root/opt/csflow/lib/csflow/stranger" "$tmp/root/usr/bin/stranger"
	(cd "$tmp/root" && find . | sort) > "$tmp/before"

	made install install-opencsd install-perf &&
		find "$tmp/root" -name perf-csflow -o -name csflow.1 -o -name libopencsd_c_api.so.1 | wc -l | grep -qx 3
	ok $? "installed: $dirs"
	(cd "$tmp/root/${dirs#PREFIX=/}" 2> /dev/null || cd "$tmp/root/usr" || exit
	 cmp share/bash-completion/completions/csflow "$OLDPWD/tools/completion/csflow.bash" &&
	 cmp share/fish/vendor_completions.d/csflow.fish "$OLDPWD/tools/completion/csflow.fish" &&
	 cmp share/zsh/*/_csflow "$OLDPWD/tools/completion/_csflow") > "$tmp/why" 2>&1
	ok $? "installed, what completes it in shells: $dirs"
	cp -a "$tmp/root" "$tmp/elsewhere"
	made uninstall
	(cd "$tmp/root" && find . | sort) > "$tmp/after"
	same "$tmp/before" "$tmp/after" "uninstalled: all that was installed, and nothing else: $dirs"

	export PKG_CONFIG_PATH=$tmp/elsewhere/usr/lib/x86_64-linux-gnu/pkgconfig:$tmp/elsewhere/opt/csflow/lib/pkgconfig
	moved
	ok $? "moved, and pkg-config finds it: $dirs"
	moved --define-prefix
	ok $? "moved, and pkg-config --define-prefix finds it: $dirs"
	ln -sf "$(find "$tmp/elsewhere" -name perf-csflow)" "$tmp/link"
	"$tmp/link" 'a b' > "$tmp/why" 2>&1 && grep -q "^$tmp/elsewhere/.*/perf-archive\$" "$tmp/why" &&
		grep -qx 'a b' "$tmp/why"
	ok $? "moved, and perf-csflow finds its perf, by way of a link, too: $dirs"
done

made uninstall
ok $? "uninstalled where nothing is"

# ---------------------------------------------------------------- parts of perf

# refused COMMAND...: at once; it says which word is wrong, and which there are
refused()
{
	timeout 10 "$@" > "$tmp/why" 2>&1
	[ $? != 0 ] && grep -q 'WITHOUT: pyton is none of babeltrace bpf .* slang all$' "$tmp/why"
}

mkdir -p "$tmp/build" && printf '#!/bin/sh\n' > "$tmp/build/perf" && chmod +x "$tmp/build/perf"
WITHOUT='slang pyton' refused selftests/setup.sh -n perf
ok $? "WITHOUT: a word that is none is refused before packages are installed"
refused perf-plugin/shim/build-perf.sh -w 'slang pyton' "$tmp" && [ -x "$tmp/build/perf" ]
ok $? "WITHOUT: a word that is none is refused, and the perf that was built stays"
# Where a package is missing, it would be named.
mkdir "$tmp/bare" && ln -s "$(type -P false)" "$tmp/bare/dpkg-query"
without_all()
{
	PATH=$tmp/bare:$PATH WITHOUT=$1 selftests/setup.sh -n perf
}
without_all all > "$tmp/all" 2>&1
without_all 'slang all' > "$tmp/all-too" 2>&1
[ -s "$tmp/all" ] && same "$tmp/all" "$tmp/all-too" "WITHOUT: all means all beside another word, too"
echo "1..$n"
