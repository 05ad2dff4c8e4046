#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# install.sh DIR LINUX BUILD TEST...	puts tests that are built in BUILD, and the runner of tests from the kernel source in
#					LINUX, where the kernel's kselftest_install.sh would: DIR/run_kselftest.sh runs them
#
# A test is DIR/csflow/NAME, which runs the program or script of that name in DIR/csflow/tree, a copy of what it reads.

dir=$1/csflow tree=$1/csflow/tree list=$1/kselftest-list.txt
source=$2/tools/testing/selftests build=$3
shift 3
cd "$(dirname "$0")/.." || exit 1

paths=$(selftests/run.sh -p "$@") || exit 1
rm -rf "$dir"
mkdir -p "$tree/selftests" "$tree/build/plain" || exit 1
cp -r "$source/kselftest" "$source/run_kselftest.sh" "$dir/../" || exit 1
chmod 755 "$dir/../run_kselftest.sh" "$dir"/../kselftest/*.sh "$dir"/../kselftest/*.pl

for room in cases data lib programs; do
	cp -r "selftests/$room" "$tree/selftests/" || exit 1
done
cp "$build/csflow" "$build/csflow-unit.so" "$tree/build/" || exit 1

# The list of other collections stays.
[ ! -f "$list" ] || sed -i '/^csflow:/d' "$list"
echo timeout=1200 > "$dir/settings"
for path in $paths; do
	name=$(basename "${path%.*}")
	case $path in
	*.c)	file=build/plain/${path%.c}
		mkdir -p "$tree/${file%/*}" && cp "$build/${path%.c}" "$tree/$file" || exit 1 ;;
	*)	file=$path
		mkdir -p "$tree/${file%/*}" && cp "$path" "$tree/$file" || exit 1 ;;
	esac
	sed "s|@FILE@|$file|" selftests/lib/installed.sh > "$dir/$name" && chmod 755 "$dir/$name" || exit 1
	echo "csflow:$name" >> "$list"
done
