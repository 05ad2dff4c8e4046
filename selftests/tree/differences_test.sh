#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Every difference in Documentation/user/differences.rst has a test that exists.

cd "$(dirname "$0")/.." || exit 1
page=${PAGE:-../Documentation/user/differences.rst}

# The bullets between two comments of the page, a line each.
bullets()
{
	sed -n "/^\.\. $1-begin/,/^\.\. $1-end/p" "$page" |
		awk '/^\* / { if (b) print b; b = substr($0, 3); next }
		     b && /^  / { sub(/^ */, ""); b = b " " $0; next }
		     b { print b; b = "" } END { if (b) print b }'
}

# The names in the parentheses at its end, a line each.
names()
{
	sed -n 's/.*(\([^()]*\))\.$/\1/p' <<< "$1" | grep -o '``[^`]*``\|"[^"]*"' | tr -d '`"'
}

# Prints why not.
decode_names()
{
	local file=sheet-a10.case name

	while read -r name; do
		case $name in
		*.case)	file=$name
			[ -f "cases/$file" ] || echo "no file cases/$file" ;;
		opencsd_older_test.c)
			file=$name ;;
		*_test.*)
			compgen -G "*/$name" > /dev/null || echo "no test $name" ;;
		*)	[ $file != opencsd_older_test.c ] || {
				grep -qF "{ \"$name\"" opencsd/$file || echo "no case $name in $file"
				continue
			}
			grep -qsx "case $name" "cases/$file" || echo "no case $name in $file" ;;
		esac
	done
}

samples_names()
{
	while read -r name; do
		grep -qF -e "$name" tools/script_test.sh perf/{stock,script_perf}_test.sh truth/script_truth_test.sh \
			opcodes/script_disasm_test.sh ||
			grep -q "^TEST.*[( ]$name)" unit/{sample,sample_time,demangle}_test.c perf/map_over_time_test.c ||
			echo "no test $name"
	done
}

opencsd_names()
{
	while read -r name; do
		grep -qF -e "$name" opencsd/opencsd_{perf_test.sh,client_test.c,release_test.sh,message_test.c} ||
			grep -q "^TEST($name)" opencsd/opencsd{,_packet,_older_calls,_message_calls}_test.c || echo "no test $name"
	done
}

# A name of a defect in a row, or in the words of a test.
plugin_names()
{
	while read -r name; do
		grep -qE -e "(^|[ \"|])${name//./\\.}([ :,\";|=]|\$)" perf/perf_{defects,shim,kernel_perf}_test.sh ||
			grep -q "^TEST.*[( ]$name)" perf/perf_kernel_test.c || echo "no test $name"
	done
}

n=0
for part in decode opencsd samples plugin; do
	while read -r bullet; do
		n=$((n + 1))
		wrong=$(names "$bullet" | ${part}_names)
		[ -n "$(names "$bullet")" ] || wrong="it names no test at its end"
		if [ -z "$wrong" ]; then
			echo "ok $n ${bullet:0:60}"
		else
			sed 's/^/# /' <<< "$wrong"
			echo "not ok $n ${bullet:0:60}"
		fi
	done < <(bullets $part)
done
echo "1..$n"
[ $n -gt 25 ]
