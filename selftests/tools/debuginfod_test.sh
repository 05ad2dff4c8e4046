#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow profile --debuginfod: a program, and its debug file, that only a server has.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C

: "${O:=../build}" "${CSFLOW:=$O/check/csflow}" "${CSFLOW_FAST:=$O/csflow}"
tmp=$(mktemp -d) || exit 1
server=
trap '[ -n "$server" ] && kill $server; rm -rf "$tmp"' EXIT
. lib/tap.sh

for tool in qemu-aarch64 aarch64-linux-gnu-gcc python3; do
	command -v $tool > /dev/null && continue
	skip "files from a server" "no $tool"
	echo "1..$n"
	exit 0
done
if ! python3 -c 'import ctypes; ctypes.CDLL("libdebuginfod.so.1")' 2> "$tmp/why"; then
	skip "files from a server" "no libdebuginfod"
	echo "1..$n"
	exit 0
fi

profile()
{
	"$CSFLOW" profile "$@" 2> "$tmp/why"
}

unset DEBUGINFOD_URLS
export DEBUGINFOD_CACHE_PATH=$tmp/cache HOME=$tmp
objcopy=aarch64-linux-gnu-objcopy
aarch64-linux-gnu-gcc -O2 -g -static -Wl,--build-id -o "$tmp/plain" programs/plain.c 2> "$tmp/why" &&
	"$CSFLOW_FAST" record -q -o "$tmp/data" -u ete=1.1,rs,cid -- "$tmp/plain" 1 > /dev/null 2> "$tmp/why"
ok $? "record"
profile --for=llvm "$tmp/data" > "$tmp/theirs"
ok $? "a profile of a program that is here"
id=$(readelf -n "$tmp/plain" | sed -n 's/.*Build ID: //p')
mkdir -p "$tmp/www/buildid/$id"
$objcopy --only-keep-debug "$tmp/plain" "$tmp/www/buildid/$id/debuginfo"
$objcopy --strip-all "$tmp/plain" "$tmp/www/buildid/$id/executable"
mv "$tmp/plain" "$tmp/keep"
profile --for=llvm "$tmp/data" > "$tmp/ours"
[ $? = 1 ] && grep -q "for want of $tmp/plain, build-id $id" "$tmp/why"
ok $? "it is gone"
# Under another name, somewhere below the folder; beside it a debug file and a link in a circle.
mkdir -p "$tmp/builds/a/b" && ln -s .. "$tmp/builds/a/up" && cp "$tmp/www/buildid/$id/debuginfo" "$tmp/builds/a/0" &&
	cp "$tmp/www/buildid/$id/executable" "$tmp/builds/a/1" && cp "$tmp/keep" "$tmp/builds/a/b/release-7"
profile --for=llvm --symfs="$tmp/builds" "$tmp/data" > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "a program of another name in a folder of builds, that with symbols"
rm "$tmp/builds/a/b/release-7"
profile --for=autofdo --symfs="$tmp/builds" "$tmp/data" > "$tmp/ours"
[ $? = 0 ] && [ "$(wc -l < "$tmp/ours")" -gt 100 ]
ok $? "and one without"
rm -r "$tmp/builds"
mkdir -p "$tmp/cache.links/.build-id/${id:0:2}" && ln -s "$tmp/keep" "$tmp/cache.links/.build-id/${id:0:2}/${id:2}"
profile --for=llvm --buildid-dir="$tmp/cache.links" "$tmp/data" > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "a cache of links to files"
profile --for=llvm --debuginfod "$tmp/data" > "$tmp/ours"
[ $? = 2 ] && grep -q 'DEBUGINFOD_URLS names no server' "$tmp/why"
ok $? "without a server none can be asked"

# loaded WORD...: does csflow load the library that asks servers?
loaded()
{
	rm -f "$tmp"/ld.*
	LD_DEBUG=files LD_DEBUG_OUTPUT=$tmp/ld "$CSFLOW_FAST" profile "$@" "$tmp/data" > "$tmp/ours" 2> "$tmp/why"
	grep -q 'file=libdebuginfod' "$tmp"/ld.*
}
cp "$tmp/www/buildid/$id/executable" "$tmp/plain"
! loaded --for=llvm && [ -s "$(ls "$tmp"/ld.* | head -1)" ] && grep -q 'no debug information' "$tmp/why" &&
	! loaded --for=autofdo
ok $? "what asks servers is not even loaded"
mkdir "$tmp/.debug"
$objcopy --add-gnu-debuglink="$tmp/www/buildid/$id/debuginfo" "$tmp/plain" 2> "$tmp/why"
cp "$tmp/www/buildid/$id/debuginfo" "$tmp/.debug/debuginfo"
profile --for=llvm "$tmp/data" > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "a debug file in .debug"
rm "$tmp/.debug/debuginfo"
cp "$tmp/www/buildid/$id/debuginfo" "$tmp/.debug/plain.debug"
$objcopy --remove-section=.gnu_debuglink "$tmp/plain"
profile --for=llvm "$tmp/data" > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "one that is named as its program"
rm "$tmp/plain" "$tmp/.debug/plain.debug"

# Any port that is free; the server prints which.
python3 -u - "$tmp/www" > "$tmp/port" 2> "$tmp/log" << 'END' &
import functools, http.server, sys
handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=sys.argv[1])
server = http.server.HTTPServer(("127.0.0.1", 0), handler)
print(server.server_port)
server.serve_forever()
END
server=$!
while [ ! -s "$tmp/port" ] && kill -0 $server 2> "$tmp/why"; do
	sleep 0.1
done
DEBUGINFOD_URLS=http://127.0.0.1:$(cat "$tmp/port")/
export DEBUGINFOD_URLS
profile --for=llvm "$tmp/data" > "$tmp/ours"
[ $? = 1 ] && [ ! -s "$tmp/log" ] && cp "$tmp/www/buildid/$id/executable" "$tmp/plain" &&
	! profile --for=llvm "$tmp/data" > "$tmp/ours" && grep -q 'no debug information' "$tmp/why" && [ ! -s "$tmp/log" ]
ok $? "nobody is asked, unless that is wanted"
# unasked COMMAND...: does it work, or say what it lacks, without asking a server?
unasked()
{
	local status

	"$CSFLOW" "$@" > "$tmp/ours" 2> "$tmp/why"
	status=$?
	[ $status -lt 2 ] && [ ! -s "$tmp/log" ] && return
	echo "# $*: $status $(cat "$tmp/log")"
	return 1
}
profile --for=counts -o "$tmp/counts" "$tmp/data" &&
	unasked report -i "$tmp/data" && unasked report --show=all -i "$tmp/data" && unasked annotate main "$tmp/data" &&
	unasked coverage "$tmp/data" && unasked diff "$tmp/counts" "$tmp/counts" && unasked doctor "$tmp/data" &&
	unasked script --itrace=b -F ip,sym,srcline -i "$tmp/data" && unasked timeline -i "$tmp/data" -o "$tmp/timeline" &&
	unasked quick "$tmp/data" && CSFLOW=$CSFLOW_FAST unasked pgo -o "$tmp/profile" "$tmp/plain" 1
ok $? "nor by any other command"
rm -f "$tmp/plain"
profile --for=llvm --debuginfod "$tmp/data" > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "the program and its debug file come from there"
loaded --for=llvm --debuginfod
ok $? "that was loaded"
grep -q "GET /buildid/$id/executable .* 200" "$tmp/log" && grep -q "GET /buildid/$id/debuginfo .* 200" "$tmp/log"
ok $? "each was asked for by its build-id"
"$CSFLOW" report --debuginfod -i "$tmp/data" > "$tmp/ours" 2> "$tmp/why" && grep -q '\] main$\| main$' "$tmp/ours"
ok $? "a report has names from there"
cp "$tmp/www/buildid/$id/executable" "$tmp/plain"
DEBUGINFOD_CACHE_PATH=$tmp/cache2 "$CSFLOW_FAST" pgo --for=gcc --debuginfod -o "$tmp/asked" -- "$tmp/plain" 1 > "$tmp/ours" 2> "$tmp/why" && [ -s "$tmp/asked" ]
ok $? "pgo makes a profile of a stripped program, whose debug file comes from there"
DEBUGINFOD_URLS='' "$CSFLOW_FAST" pgo --for=gcc --debuginfod -o "$tmp/asked" -- "$tmp/plain" 1 > "$tmp/ours" 2> "$tmp/why"
[ $? = 2 ] && grep -q 'DEBUGINFOD_URLS names no server' "$tmp/why"
ok $? "pgo says before it records that there is no server"
rm -f "$tmp/plain"
kill $server
server=
profile --for=llvm --debuginfod "$tmp/data" > "$tmp/ours"
same "$tmp/theirs" "$tmp/ours" "and once only"
echo "1..$n"
