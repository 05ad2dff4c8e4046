# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # variables of vm.sh
#
# What the guest sends back: an archive on its disk.  To be sourced by vm.sh.

# unpack_results: to $work/out; its last file says that it is complete
unpack_results()
{
	local why

	mkdir -p "$work/out"
	tar -x -C "$work/out" --no-same-owner -f "$work/results" 2> "$work/tar.log"
	[ -e "$work/out/end" ] && [ -s "$work/out/status" ] && return
	[ -z "$asked" ] || stopped "the machine sent no results"
	why=$(why_ended)
	[ -n "$why" ] || [ "$(df --output=avail -k "$work" | tail -n 1)" -gt 64 ] || why="no room in $work: see \$TMPDIR"
	[ -n "$why" ] || last_words "$work/console" 20
	die "the machine sent no results${why:+: $why}"
}

# aside PATH: like perf record, keeps what is there as PATH.old
aside()
{
	[ -e "$1" ] || return 0
	rm -rf "$1.old"
	mv -T "$1" "$1.old"
}

# place FROM TO: a file or a folder, under its name only when it is complete
place()
{
	half=$(mktemp -u "$(dirname "$2")/.csflow-XXXXXXXX")
	cp -r -T "$1" "$half" && mv -T "$half" "$2" || {
		rm -rf "$half"
		return 1
	}
	half=''
}

# put FROM TO: a file or a folder.  A recording with kcore is a folder, of which the old one must not be left.
put()
{
	local file

	if [ -d "$1" ] && [ -d "$2" ] && [ ! -d "$1/kcore_dir" ]; then
		for file in "$1"/* "$1"/.[!.]*; do
			[ ! -e "$file" ] || put "$file" "$2/${file##*/}" || return
		done
		return
	fi
	if [ -d "$1/kcore_dir" ] || { [ -d "$1" ] && [ -e "$2" ]; } || { [ ! -d "$1" ] && [ -d "$2" ]; }; then
		aside "$2" || return
	fi
	place "$1" "$(readlink -m "$2")"
}

# put_files: those of the directory, and those that were asked for
put_files()
{
	local file

	made=$(cd "$work/out/files$PWD" 2> /dev/null && find . -type f | sed 's,^\./,,' | sort | tr '\n' ' ')
	[ -z "$made" ] || say "made: ${made% }"
	for file in "$work/out/files$PWD"/* "$work/out/files$PWD"/.[!.]*; do
		[ ! -e "$file" ] || put "$file" "$PWD/${file##*/}" || die "cannot write to $PWD"
	done
	for file in "${outputs[@]}"; do
		case $file in
		"$PWD"/*)	continue ;;
		esac
		[ -e "$work/out/files$file" ] || { warn "$file was not made" && continue; }
		put "$work/out/files$file" "$file" || die "cannot write $file"
		say "made: $file"
	done
}

# keep_program LINK: a program of the guest's build-id cache to that of this machine.  Another run may do the same.
keep_program()
{
	local link=$1 to

	to=$(readlink "$work/out/debug/$link")
	to=${to#../../}
	mkdir -p "$ids/${link%/*}" "$ids/${to%/*}" || return
	if [ ! -e "$ids/$to" ]; then
		cp -r "$work/out/debug/$to" "$ids/$to.$$" || { rm -rf "$ids/$to.$$"; return 1; }
		mv -T "$ids/$to.$$" "$ids/$to" 2> /dev/null || rm -rf "$ids/$to.$$"
	fi
	ln -s "../../$to" "$ids/$link" 2> /dev/null || [ -e "$ids/$link" ]
}

# keep_programs: what perf record put into the guest's build-id cache, so that csflow and perf find it
keep_programs()
{
	local link

	[ -n "$ids" ] && [ -d "$work/out/debug/.build-id" ] || return
	for link in "$work"/out/debug/.build-id/*/*; do
		link=${link#"$work"/out/debug/}
		[ -e "$ids/$link" ] || keep_program "$link" || {
			warn "the programs that were recorded cannot be kept in $ids: see --buildid-dir"
			return
		}
	done
	[ "$ids" = "${PERF_BUILDID_DIR:-$HOME/.debug}" ] ||
		say "the programs that were recorded are in $ids: csflow script --buildid-dir=$(printf %q "$ids")"
}

# keep_vdso: perf of Linux 7.2 has no build-id of it; csflow finds it by the kernel's release
keep_vdso()
{
	local dir="$ids/[vdso]/$version"

	[ -n "$ids" ] && [ -s "$work/out/vdso" ] && [ ! -e "$dir/vdso" ] || return
	mkdir -p "$dir" && cp "$work/out/vdso" "$dir/vdso.$$" && mv "$dir/vdso.$$" "$dir/vdso" ||
		warn "the vDSO cannot be kept in $ids: see --buildid-dir"
}

# stopped WORDS: by a signal; the status is that of it
stopped()
{
	warn "stopped by SIG$asked: $*"
	exit $((128 + $(kill -l "$asked")))
}

# results: the files of the guest.  Its status is the last one.
results()
{
	unpack_results
	# The guest has removed the line, and printed since.
	shown=''
	[ -z "$dmesg" ] || cp "$work/out/dmesg" "$dmesg" || die "cannot write $dmesg"
	put_files
	keep_programs
	keep_vdso
	[ -z "$symbols" ] || keep_symbols
	[ -z "$log_lost" ] || die "the log of truth is not complete"
	[ -z "$asked" ] || stopped "what was made until then is here${made:+: ${made% }}"
	return "$(cat "$work/out/status")"
}
