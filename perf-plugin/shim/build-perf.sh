#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# build-perf.sh [-s SOURCE] [-f FLAGS] [-w WORDS] DIR		stock perf, with Debian's libopencsd, to compare with
# build-perf.sh -b BASE [-s SOURCE] DIR				stock perf, with the flags and parts of BASE
# build-perf.sh [-s SOURCE] [-f FLAGS] [-w WORDS] [-x EXEC] -l LIB DIR	perf with csflow instead
#
# Builds perf in DIR and prints the path of the program.  SOURCE is a kernel tree or a tar of one;
# by default, that of Debian's linux-source-6.12.  Only the files in tools/perf/MANIFEST are used,
# and unpacked once, beside DIR.  FLAGS are for the compiler.  LIB is a library with perf-plugin/
# and decoder/ in it.
#
# All features of Debian's perf are built in if their packages are installed, except WORDS: babeltrace, bpf,
# cap, capstone, debuginfod, jevents (names of events), numa, perl, python and slang (the terminal interface);
# or all.  libunwind complains about each thread of another machine, so libdw unwinds instead.
# BASE is a DIR in which this script built perf with csflow of the same source: objects that are the same in both are
# taken from there, which is most of them.
# perf finds its scripts and perf archive in DIR/perf-core; EXEC is the folder that it will have once it is installed.
#
# There is no patch: util/cs-etm.c of the tree is replaced by ours, util/cs-etm-decoder/ by our other
# files, util/cs-etm-base.c, if there is one, by nothing, as it trusts the metadata; and the OpenCSD
# header that util/cs-etm.h includes by one line of our own.
#
# Nothing is built again if the contents of its inputs are the same.  When only LIB changed, perf is
# only linked again.  The log is DIR/log.
set -e
export LC_ALL=C
unset MAKEFLAGS MFLAGS MAKELEVEL

shim=$(cd "$(dirname "$0")" && pwd)
source=/usr/src/linux-source-6.12.tar.xz
lib=
flags=
without=
exec=
base=
while getopts b:s:l:f:w:x: option; do
	case $option in
	b)	base=$(realpath "$OPTARG") ;;
	s)	source=$OPTARG ;;
	l)	lib=$(realpath "$OPTARG") ;;
	f)	flags=$OPTARG ;;
	w)	without=$OPTARG ;;
	x)	exec=$OPTARG ;;
	*)	sed -n 's/^# \{0,1\}//; 4,18p' "$0" >&2; exit 2 ;;
	esac
done
shift $((OPTIND - 1))
mkdir -p "${1:?a directory to build in}"
dir=$(cd "$1" && pwd)

die()
{
	echo "csflow: $*" >&2
	exit 1
}

# ---------------------------------------------------------------- the source

# Files that perf needs besides MANIFEST, if this version has them.
also='scripts/syscall.tbl scripts/syscalltbl.sh arch/*/entry/syscalls arch/*/kernel/syscalls
	arch/*/tools/syscall*.tbl include/uapi/asm-generic'

# Identifies the content of $source: a tar by its package, or by size and time.
source_key()
{
	local package

	if [ -d "$source" ]; then
		(cd "$source/tools" && find perf lib include arch build scripts -type f -printf '%P %s %T@\n' | sort | cksum)
		return
	fi
	package=$(basename "$source" | sed 's/\.tar\..*//')
	dpkg-query -W -f '${Package} ${Version}' "$package" 2> /dev/null ||
		stat -L -c '%s %Y' "$source"
}

unpack_tree()
{
	local to=$1 list

	list=$(cat "$source/tools/perf/MANIFEST")
	(
		cd "$source"
		# shellcheck disable=SC2086 # these are patterns
		ls -d $list $also 2> /dev/null | tar cf - -T -
	) | tar x -C "$to"
}

# What MANIFEST has had in all versions so far; a newer one may have more.
likely='tools arch/arm64/tools arch/*/include/uapi/asm/bpf_perf_event.h scripts/bpf_doc.py kernel/bpf/disasm.*'

unpack_tar()
{
	local to=$1 top list

	top=$(tar tf "$source" 2> /dev/null | head -n 1 | cut -d/ -f1)
	# take PATTERN...: those files; all of the tar is read
	take()
	{
		tar xf "$source" -C "$to" --strip-components=1 --wildcards --exclude "$top/tools/testing" \
			$(printf "$top/%s " "$@") 2> /dev/null || true
	}
	# shellcheck disable=SC2086 # words
	set -f
	take $likely $also
	list=$(cat "$to/tools/perf/MANIFEST")
	# shellcheck disable=SC2086 # patterns
	(cd "$to" && set +f && ls -d $list > /dev/null 2>&1) || take $list
	set +f
}

# The version in a tree, or in a tar of one.
kernel_version()
{
	if [ -d "$source" ]; then
		make -s -C "$source" kernelversion 2> /dev/null
		return
	fi
	tar xOf "$source" --occurrence=1 "$(tar tf "$source" 2> /dev/null | head -n 1 | cut -d/ -f1)/Makefile" |
		sed -n 's/^\(VERSION\|PATCHLEVEL\|SUBLEVEL\) = //p' | head -n 3 | paste -sd.
}

# Sets tree: the unmodified source, shared by all builds from it.
unpack()
{
	local key version

	[ -r "$source" ] || die "$source is missing: selftests/setup.sh perf installs it"
	key=$(source_key)
	tree=$(dirname "$dir")/perf-source/$(cksum <<< "$key" | cut -d' ' -f1)
	mkdir -p "$(dirname "$tree")"
	exec 9> "$tree.lock"
	flock 9
	if [ ! -e "$tree/.unpacked" ]; then
		rm -rf "$tree" && mkdir "$tree"
		if [ -d "$source" ]; then unpack_tree "$tree"; else unpack_tar "$tree"; fi
		[ -f "$tree/tools/perf/Makefile.perf" ] || die "$source holds no tools/perf"
		# Debian's own version, if the package is installed.
		version=${key##* }
		[[ $key == linux-source-* ]] || version=$(kernel_version)
		echo "#define PERF_VERSION \"$version\"" > "$tree/PERF-VERSION-FILE"
		touch "$tree/.unpacked"
	fi
	exec 9>&-
}

# ---------------------------------------------------------------- our files over it

# Writes standard input to $1, unless the contents are the same.
write()
{
	cat > "$1.new"
	cmp -s "$1.new" "$1" && rm "$1.new" || mv "$1.new" "$1"
}

# In perf's tree, each of our files is a file of one line.
overlay()
{
	local over=$1 util=$1/tools/perf/util prefix=perf-util- file name

	grep -q '^perf-util-' "$tree/tools/perf/util/Build" || prefix=perf-
	if [ "$(cat "$over/.of" 2> /dev/null)" != "$tree" ]; then
		rm -rf "$over"
		cp -al "$tree" "$over"
		rm -r "$util"/cs-etm.c "$util"/cs-etm-decoder/*
		echo "$tree" > "$over/.of"
	fi
	mkdir -p "$over/csflow/opencsd"
	echo 'typedef int ocsd_ex_level;' | write "$over/csflow/opencsd/ocsd_if_types.h"
	"$shim/probe.sh" "$over" | write "$over/csflow/shim-probes.h"
	for file in "$shim"/*.c; do
		name=cs-etm-decoder/$(basename "$file")
		[ "${name##*/}" = cs-etm.c ] && name=cs-etm.c
		echo "#include \"$file\"" | write "$util/$name"
	done
	[ ! -f "$util/cs-etm-base.c" ] || echo '/* see cs-etm.c */' | write "$util/cs-etm-base.c"
	for file in "$util"/cs-etm-decoder/*.c; do
		[ -f "$shim/$(basename "$file")" ] || rm -f "$file"
	done
	(cd "$util/cs-etm-decoder" && ls ./*.c) |
		sed "s,^\./\(.*\)\.c,${prefix}\$(CONFIG_AUXTRACE) += \1.o," | write "$util/cs-etm-decoder/Build"
	# Functions of reader.c are called in place of perf's own.  The linker's --wrap does not work inside one
	# object, which in 6.1 is all of perf; so perf's own functions, or the calls to them, are renamed.
	cat "$tree/tools/perf/util/Build" - << 'END' | write "$util/Build"

CFLAGS_header.o += -Dauxtrace_index__process=csflow_read_index
CFLAGS_session.o += -Dperf_session__read_header=csflow_read_header -Dperf_session__process_events=csflow_process_events
CFLAGS_data-convert-json.o += -Dsymbol__init=csflow_json_init
END
	# A perf without the word CONFIG_AUXTRACE always has the feature.
	grep -q 'CONFIG_AUXTRACE' "$util/Build" ||
		sed -i 's/\$(CONFIG_AUXTRACE)/y/' "$util/cs-etm-decoder/Build"
}

# ---------------------------------------------------------------- building

# A word, and its name in perf's Makefile
parts='babeltrace NO_LIBBABELTRACE
bpf NO_LIBBPF
cap NO_LIBCAP
capstone NO_CAPSTONE
debuginfod NO_LIBDEBUGINFOD
jevents NO_JEVENTS
numa NO_LIBNUMA
perl NO_LIBPERL
python NO_LIBPYTHON
slang NO_SLANG'

# The variables of all features that are left out.
left_out()
{
	local word

	[[ " $without " != *' all '* ]] || without=$(cut -d' ' -f1 <<< "$parts")
	for word in $without; do
		grep "^$word " <<< "$parts" | sed 's/.* \(.*\)/\1=1/' | grep . ||
			die "WITHOUT: $word is none of" $(cut -d' ' -f1 <<< "$parts") all
	done
}

# Takes the objects of $base, as if they had been built here; perf's make compiles again those whose commands or headers
# are others.  The objects of our replacements are left out: their commands are the same, and their sources are others.
take_objects()
{
	[ ! -e "$dir/build/perf-in.o" ] || return 0
	rm -rf "$dir/build" && cp -a "$base/build" "$dir/build"
	find "$dir/build" \( -name '*.cmd' -o -name '*.d' \) \
		-exec sed -i "s,$base/source/,$tree/,g; s,$base/,$dir/,g" {} +
	rm -rf "$dir"/build/perf "$dir"/build/util/{cs-etm*,.cs-etm*} "$dir"/build/feature/test-libopencsd*
}

# Installs scripts, perf archive and a filter of perf script where perf looks for them.
exec_path()
{
	local core=$dir/perf-core perf=$1/tools/perf script

	rm -rf "$core" && mkdir -p "$core/scripts" "$core/dlfilters"
	install -m 755 "$dir/$filter" "$core/dlfilters/"
	for script in "$perf"/perf-archive.sh "$perf"/perf-iostat.sh; do
		[ ! -f "$script" ] || install -m 755 "$script" "$core/$(basename "$script" .sh)"
	done
	cp -rL "$perf"/scripts/p* "$core/scripts/"
	ln -sfn "$dir/build/perf" "$core/perf"
}

# perf's filter that sums up cycles; its other filters are for its own tests.
filter=build/dlfilters/dlfilter-show-cycles.so

# perf's -O3 comes after EXTRA_CFLAGS, and before what OpenCSD needs.
# With prefix=/usr the system settings are in the same place as for Debian's perf: /etc/perfconfig.
build()
{
	local over=$1
	shift

	# shellcheck disable=SC2086 # words
	make -f Makefile.perf -C "$over/tools/perf" -j"$(nproc)" O="$dir/build" CORESIGHT=1 WERROR=0 \
		DEBUG=0 $no BUILD_BPF_SKEL= NO_LIBUNWIND=1 NO_GTK2=1 NO_JVMTI=1 NO_LIBCRYPTO=1 NO_LIBLLVM=1 \
		NO_LIBPFM4=1 NO_SDT=1 NO_RUST=1 NO_SHELLCHECK=1 prefix=/usr perfexecdir="${exec:-$dir/perf-core}" \
		EXTRA_CFLAGS="$flags" LIBOPENCSD_CFLAGS="-I$over/csflow $flags" "$@" perf "$dir/$filter" < /dev/null > "$dir/log" 2>&1 || {
		grep -iE 'error|undefined' "$dir/log" | head -n 20 >&2
		die "perf could not be built: see $dir/log"
	}
	exec_path "$over"
}

# What BASE was built with: two lines.
if [ -n "$base" ]; then
	exec 8< "$base/lock"
	flock 8
	{ read -r flags; read -r without; } < "$base/with" || die "$base: no perf with csflow is built there"
fi
no=$(left_out) || exit 1
unpack
key=$(
	cksum < "$0"
	echo "$tree $flags $without${exec:+ $exec} $("${CC:-gcc}" -dumpfullversion)"
	if [ -n "$lib" ]; then
		cat "$shim"/*.[ch] "$shim/probe.sh" "$shim"/../*.h "$shim"/../opencsd/*.h "$shim"/../../decoder/csflow*.h
	else
		dpkg-query -W -f '${Version}' libopencsd-dev
	fi | cksum
)
built=$dir/.built-$(cksum <<< "$key" | cut -d' ' -f1)
linked=$dir/.linked-$(cksum < "${lib:-/dev/null}" | cut -d' ' -f1)

# perf's Makefile does not notice that flags or parts of an object have changed.
parts=$dir/.parts-$(echo "$tree $flags $without${exec:+ $exec} $("${CC:-gcc}" -dumpfullversion)" | cksum | cut -d' ' -f1)

exec 9> "$dir/lock"
flock 9
[ -e "$parts" ] || rm -rf "$dir/build" "$dir"/.built-* "$dir"/.parts-*
mkdir -p "$dir/build" && touch "$parts" && printf '%s\n' "$flags" "$without" > "$dir/with"
if [ ! -e "$built" ] || [ ! -e "$linked" ] || [ ! -x "$dir/build/perf" ]; then
	ls "$dir"/.built-* > /dev/null 2>&1 ||
		echo "building perf of $source, once: two minutes on two idle cores" >&2
	rm -f "$dir"/.built-* "$dir"/.linked-* "$dir/build/perf"
	if [ -n "$lib" ]; then
		overlay "$dir/source"
		build "$dir/source" feature-libopencsd=1 OPENCSDLIBS="$lib -liberty"
	else
		[ -z "$base" ] || take_objects
		build "$tree"
	fi
	touch "$built" "$linked"
fi
echo "$dir/build/perf"
