#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The rules of Documentation/developer/style.rst that a machine can check.

cd "$(dirname "$0")/../.." || exit 1
linux=${LINUX:-build/linux}
dir=$(mktemp -d -p "${O:-build}") || exit 1
trap 'rm -rf "$dir"' EXIT

if git rev-parse --git-dir > /dev/null 2>&1; then
	git ls-files -co --exclude-standard
else
	find . -type f -printf '%P\n' | grep -vE '^build|\.[od]$'
fi | while read -r f; do [ -f "$f" ] && echo "$f"; done | sort > "$dir/files"
grep '\.[ch]$' "$dir/files" > "$dir/c"

n=0
result()
{
	n=$((n + 1))
	if [ -f "$2" ] && [ ! -s "$2" ] && [ -s "$dir/c" ]; then
		echo "ok $n $1"
	else
		head -n 60 "$2" 2>&1 | sed 's/^/# /'
		echo "not ok $n $1"
	fi
}

echo "TAP version 13"
echo "1..9"

# checkpatch reads .checkpatch.conf: style.rst lists the types that are ignored there, each with its
# reason.  It takes its time, so clean files are remembered by their content, and only files that the last twenty commits
# changed are read.  CSFLOW_LONG, or no history: all.  One file asks which kernel it is built for, as a module outside the
# kernel must.
if [ -z "$CSFLOW_LONG" ] && git rev-parse -q --verify HEAD~20 > /dev/null 2>&1 &&
	git diff --name-only HEAD~20 -- .checkpatch.conf | wc -l | grep -qx 0; then
	{ git diff --name-only HEAD~20; git ls-files -o --exclude-standard; } | sort -u | comm -12 - "$dir/c" > "$dir/read"
else
	cp "$dir/c" "$dir/read"
fi
clean=${O:-build}/checkpatch-clean
cat "$linux/scripts/checkpatch.pl" .checkpatch.conf 2> /dev/null | sha1sum > "$dir/conf"
[ -f "$clean" ] && head -n 1 "$clean" | cmp -s - "$dir/conf" || cp "$dir/conf" "$clean"
if [ -f "$linux/scripts/checkpatch.pl" ]; then
	xargs -r sha1sum < "$dir/read" | grep -vxFf "$clean" > "$dir/sums"
	sed 's/^[0-9a-f]* *//' "$dir/sums" | xargs -r -P "$(nproc)" -n 24 \
		perl "$linux/scripts/checkpatch.pl" --terse --no-summary -f 2>&1 |
		grep -v '^kernel-glue/compat\.h:.*\(LINUX_VERSION_CODE\|CONSTANT_COMPARISON\):' | sort > "$dir/out"
	cut -d: -f1 "$dir/out" | sort -u | sed 's/^/  /' > "$dir/dirty"
	grep -vFf "$dir/dirty" "$dir/sums" >> "$clean"
	rm -f .checkpatch-camelcase.*
	result "checkpatch --strict has nothing to say" "$dir/out"
else
	n=$((n + 1))
	echo "not ok $n no checkpatch.pl in $linux/scripts"
fi

sed -n 's/^--ignore //p' .checkpatch.conf | while read -r type; do
	grep -qw "$type" Documentation/developer/style.rst || echo "$type"
done > "$dir/out"
result "what checkpatch ignores is explained in style.rst" "$dir/out"

# Files that cannot carry a licence line are named by a pattern in REUSE.toml.
sed -n 's/^path = \[\(.*\)\]/\1/p' REUSE.toml | tr -d '" ' | tr , '\n' > "$dir/patterns"
without_spdx()
{
	while read -r f; do
		case $f in LICENSES/* | .gitattributes) continue ;; esac
		head -n 6 "$f" | grep -qa 'SPDX-License-Identifier: ' && continue
		while read -r p; do
			p=${p//\*\*/*}
			[[ $f == $p ]] && continue 2
		done < "$dir/patterns"
		echo "$f"
	done < "$dir/files"
}
without_spdx > "$dir/out"
result "every file has its licence line, or is in REUSE.toml" "$dir/out"

grep '^decoder/' "$dir/c" | xargs grep -L 'SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause' > "$dir/out"
result "decoder/ is GPL-2.0-only OR BSD-2-Clause" "$dir/out"

xargs awk 'FNR == 701 { print FILENAME ": more than 700 lines" }' < "$dir/c" > "$dir/out"
result "no file of C has more than 700 lines" "$dir/out"

# A function is from a line that is "{" to the next that is "}".  A flat switch or a hot loop may
# be longer: the comment above then says why it is long.
xargs awk '
FNR == 1	{ begin = 0; why = 0 }
!begin && /^(\/\*| \*|\/\/).*[Ll]ong/	{ why = 1 }
/^{$/		{ begin = FNR }
/^}/ {
	if (begin && !why && FNR - begin - 1 > 60)
		print FILENAME ":" begin ": a function of " FNR - begin - 1 " lines"
	begin = 0; why = 0
}' < "$dir/c" > "$dir/out"
result "no function has more than 60 lines without saying why" "$dir/out"

# Marks of unfinished work, and paths of a single machine.
marks='TO''DO|FIX''ME|XX''X|not imple''mented|unimple''mented|for n''ow'
places='(^|[^$A-Za-z}])/(wo''rk|fa''rm|ho''me)/|sub''agent'
xargs -d '\n' grep -nIE "\b($marks)\b|($places)" < "$dir/files" |
	grep -vE '^(LICENSES/|selftests/(golden|data)/)' | cut -c 1-200 > "$dir/out"
result "nothing unfinished, nothing of one machine" "$dir/out"

# The name of a test without its ending is that of its log.
grep -oE '^selftests/[a-z]+/[a-z0-9_]+_test\.(c|sh)$' "$dir/files" | sed 's/.*\///; s/\.[a-z]*$//' | sort | uniq -d > "$dir/out"
result "no two tests have one name" "$dir/out"

# The runner runs a script by its name.
grep -E '^selftests/[a-z]+/[a-z0-9_]+_test\.sh$' "$dir/files" | while IFS= read -r file; do
	[ -x "$file" ] || echo "$file"
done > "$dir/out"
result "every test that is a script can be run" "$dir/out"
