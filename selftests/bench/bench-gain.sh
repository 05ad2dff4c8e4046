# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# For benches that build programs of Debian with profiles and count the branches that are taken then; to
# be sourced.  A bench ends with 1 if it fails, with 4 if something that it needs is not here.

die()
{
	echo "$(basename "$0" .sh): $*" >&2
	exit 1
}

lack()
{
	echo "$(basename "$0" .sh): not here: $*" >&2
	exit 4
}

# need TOOL...
need()
{
	local tool

	for tool; do
		command -v "$tool" > /dev/null || lack "no $tool"
	done
}

# The system's lists stay unchanged: apt has its own, for AArch64, in FOLDER, where the caller has put
# sources.list.  apt_in FOLDER LOG COMMAND...
apt_in()
{
	local state=$1 log=$2

	shift 2
	mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
	: > "$state/status"
	cat > "$state/conf" << END
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
Dir::State "$state";
Dir::State::lists "$state/lists";
Dir::State::status "$state/status";
Dir::Cache "$state/cache";
Dir::Etc::SourceList "$state/sources.list";
Dir::Etc::SourceParts "/dev/null";
APT::Sandbox::User "root";
Acquire::Languages "none";
END
	APT_CONFIG=$state/conf apt-get -q "$@" < /dev/null >> "$log" 2>&1 || lack "apt-get: $(tail -n 1 "$log")"
}

# sqlite_source FOLDER LOG: makes sqlite3.c and shell.c of the source in FOLDER
sqlite_source()
{
	(cd "$1" && ./configure --disable-tcl && make sqlite3.c shell.c) >> "$2" 2>&1 || die "sqlite3.c cannot be made, see $2"
}

# branches_taken JSON FILE: by the program FILE, calls and returns included; exact
branches_taken()
{
	python3 -c '
import json, sys
files = [f for f in json.load(open(sys.argv[1]))["files"] if f["name"].endswith("/" + sys.argv[2])]
print(sum(b["taken"] for f in files for b in f["blocks"]))' "$1" "$2"
}
