#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# csflow timeline: slices begin and end where functions were called and returned, by the truth log;
# both formats have the same; and every slice that begins ends, whatever the trace lacks.
cd "$(dirname "$0")/.." || exit 1
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

. lib/tap.sh
. lib/perf.sh
command -v python3 > /dev/null || give_up "no python3"
build_programs calls signals threads

# timeline NAME OPTIONS: $tmp/NAME of $tmp/data
timeline()
{
	local name=$1

	shift
	timeout 60 "$CSFLOW" timeline --for=chrome -o "$tmp/$name" "$tmp/data" "$@" 2> "$tmp/why"
}

# check NAME WHAT WORDS...: timeline_check.py is content; its output comes after NAME
check()
{
	local name=$1 said

	shift
	said=$(python3 truth/timeline_check.py "$@" 2> "$tmp/why")
	ok $? "$name: $said"
}

# ---------------------------------------------------------------- the truth

# options of csflow record; program and its words
while IFS=$'\t' read -r options program; do
	status=1
	# a thread that is sent away at a bad moment may lose a branch: then again
	for try in 1 2 3 4 5; do
		# shellcheck disable=SC2086 # words
		record $options -- "$tmp/"$program && timeline all.json || break
		said=$(python3 lib/truth_calls.py "$tmp/truth" "$tmp/${program%% *}" "$tmp/all.json" 2> "$tmp/why")
		status=$?
		[ $status = 3 ] || break
	done
	ok $status "$options $program: what begins and ends is the truth: $said"
	check "slices, tracks, counters" schema "$tmp/all.json"
done << 'END_OF_LIST'
-u ete=1.1,rs,cid,ts=1000	calls
-u etm4=4.3,cid,ts=1000,cc=16	signals
-u ete=1.0,cid	calls
-u ete=1.0,bb --per-thread	calls
-u ete=1.1,cid,ts=1000 --cpus=3 --quantum=5000	threads 1
END_OF_LIST

# ---------------------------------------------------------------- formats

# Perfetto's messages, as far as they are used here; another field would be shown by its number.
cat > "$tmp/trace.proto" << 'END'
syntax = "proto2";
message ProcessDescriptor { optional int32 pid = 1; optional string process_name = 6; }
message ThreadDescriptor {
	optional int32 pid = 1; optional int32 tid = 2; optional string thread_name = 5;
}
message CounterDescriptor { optional string unit_name = 6; }
message TrackDescriptor {
	optional uint64 uuid = 1; optional string name = 2; optional ProcessDescriptor process = 3;
	optional ThreadDescriptor thread = 4; optional uint64 parent_uuid = 5;
	optional CounterDescriptor counter = 8;
}
message DebugAnnotation { optional uint64 uint_value = 3; optional string name = 10; }
message TrackEvent {
	repeated uint64 category_iids = 3; repeated DebugAnnotation debug_annotations = 4;
	optional int32 type = 9; optional uint64 name_iid = 10; optional uint64 track_uuid = 11;
	optional double double_counter_value = 44;
}
message Interned { optional uint64 iid = 1; optional string name = 2; }
message InternedData { repeated Interned event_categories = 1; repeated Interned event_names = 2; }
message TracePacket {
	optional uint64 timestamp = 8; optional uint32 trusted_packet_sequence_id = 10;
	optional TrackEvent track_event = 11; optional InternedData interned_data = 12;
	optional uint32 sequence_flags = 13; optional TrackDescriptor track_descriptor = 60;
}
message Trace { repeated TracePacket packet = 1; }
END

# Cycles, losses and several threads
record -u ete=1.1,cid,ts=1000,cc=16,overflow=2000 --cpus=2 --quantum=5000 -- "$tmp/threads" 1
for by in thread cpu; do
	timeline all.json --by=$by
	check "by $by: slices, tracks, counters" schema "$tmp/all.json"
	if command -v protoc > /dev/null; then
		"$CSFLOW" timeline --by=$by --for=perfetto "$tmp/data" 2> "$tmp/why" |
			protoc -I"$tmp" --decode=Trace "$tmp/trace.proto" > "$tmp/text" 2> "$tmp/why"
		check "by $by: Perfetto's are the same" perfetto "$tmp/all.json" "$tmp/text"
	else
		skip "by $by: Perfetto's are the same" "no protoc"
	fi
done

# Counters add up to what csflow script has.
timeline all.json --interval=0
python3 - "$tmp/all.json" > "$tmp/ours" << 'END'
import json, sys
last = {}
for e in json.load(open(sys.argv[1]))["traceEvents"]:
    if e["ph"] == "C" and "cycles" in e["args"]:
        last[e["name"]] = e["args"]["cycles"]
print(sum(last.values()))
END
"$CSFLOW" script --itrace=b -F ipc "$tmp/data" 2> "$tmp/why" |
	sed -n 's/.*IPC:.*(\(.*\)\/\(.*\)).*/\2/p' | awk '{ n += $1 } END { print n }' > "$tmp/theirs"
same "$tmp/theirs" "$tmp/ours" "cycles are those of csflow script: $(cat "$tmp/theirs")"

# ---------------------------------------------------------------- what is left out

record -u ete=1.1,rs,cid,ts=1000 -- "$tmp/signals"
timeline all.json
timeline part.json --min=500
check "--min: what lasts as long" min "$tmp/all.json" "$tmp/part.json" 500
# from where one slice ends to where another one begins; the host decides how many there are
slices=$(grep -c '"ph":"B"' "$tmp/all.json")
start=$(grep '"ph":"E"' "$tmp/all.json" | sed -n "$((slices / 25))"'s/.*"ts":\([0-9]*\)\.\([0-9]*\).*/\1\2/p')
stop=$(grep '"ph":"B"' "$tmp/all.json" | sed -n "$((slices / 8))"'s/.*"ts":\([0-9]*\)\.\([0-9]*\).*/\1\2/p')
timeline part.json --time="$(printf 0.%09d,0.%09d "$((10#$start))" "$((10#$stop))")"
check "--time: what is then" window "$tmp/all.json" "$tmp/part.json" "$start" "$stop"
record -u ete=1.1,cid,ts=1000 --cpus=2 --quantum=5000 -- "$tmp/threads" 1
timeline all.json
tid=$(sed -n 's/.*"tid":\([0-9]*\),"name":"thread_name".*/\1/p' "$tmp/all.json" | sort -n | tail -1)
timeline part.json --tid="$tid"
check "--tid: one thread" tracks "$tmp/all.json" "$tmp/part.json" "$tid"
# the last slices in which code ran
cpu=$(sed -n 's/.*"args":{"name":"CPU \([0-9]*\)"}.*/\1/p' "$tmp/all.json" | sort -n | tail -1)
timeline part.json --cpu="$cpu"
check "--cpu" schema "$tmp/part.json"
[ "$(grep -c '"args":{"name":"CPU [0-9]*"}' "$tmp/part.json")" = 1 ] &&
	grep -q "\"args\":{\"name\":\"CPU $cpu\"}" "$tmp/part.json"
ok $? "--cpu: one CPU"

# ---------------------------------------------------------------- what is missing

# How many losses csflow script has
losses()
{
	"$CSFLOW" script --itrace=e "$tmp/data" 2> /dev/null | grep -c 'instruction trace error'
}

while IFS=$'\t' read -r options program; do
	# shellcheck disable=SC2086 # words
	record -u ete=1.1,rs,cid,ts=1000,$options -- "$tmp/"$program
	for by in thread cpu; do
		timeline all.json --by=$by
		python3 truth/timeline_check.py schema "$tmp/all.json" > /dev/null 2> "$tmp/why" || break
		grep -c '"pid":0,.*"cat":"lost"' "$tmp/all.json" > "$tmp/ours"
		losses > "$tmp/theirs"
		diff "$tmp/theirs" "$tmp/ours" > "$tmp/why" || break
	done
	[ ! -s "$tmp/why" ]
	ok $? "$options: what begins ends; losses: $(cat "$tmp/ours")"
done << 'END'
overflow=200	calls
strobe=3000:2000	calls
q=50	calls
tm=100,spec=3:20	calls
truncate=3000	calls
discard=300,spec=4:10	calls
END
record -u ete=1.1,cid,ts=100 --cpus=3 --quantum=5000 --migrate=3 -- "$tmp/calls"
timeline all.json --by=cpu
check "migration" schema "$tmp/all.json"

cp "$tmp/data" "$tmp/good"
for seed in 1 2 3 4 5 6; do
	"$O/selftests/make/mkperf" "$tmp/good" "$tmp/data" noise=20 random=$seed 2> /dev/null
	timeline all.json --by=cpu
	[ $? -le 1 ] && python3 truth/timeline_check.py schema "$tmp/all.json" > /dev/null 2> "$tmp/why" || break
	: > "$tmp/why"
done
[ ! -s "$tmp/why" ] && [ $seed = 6 ]
ok $? "damaged recordings: what begins ends"

# ---------------------------------------------------------------- a kernel

link()
{
	local name=$1 addr=$2

	shift 2
	aarch64-linux-gnu-gcc -nostdlib -static -Wl,--build-id=sha1 -Wl,-z,max-page-size=4096 -Wl,-e,0 \
		-Wl,-Ttext="$addr" "$@" -o "$tmp/$name" "programs/kernel/$name.S" &&
		aarch64-linux-gnu-objcopy -O binary -j '.*text' "$tmp/$name" "$tmp/$name.bin"
}

sym()
{
	aarch64-linux-gnu-nm "$tmp/$1" | sed -n "s/^\([0-9a-f]*\) . $2\$/0x\1/p"
}

build_id()
{
	aarch64-linux-gnu-readelf -n "$tmp/$1" | sed -n 's/.*Build ID: //p'
}

text=0xffff800080000000
unit=etm4=4.3,cid,ts=100
link vmlinux 0xffff800080010000 -Wl,--section-start=.head.text=$text \
	-Wl,--section-start=.init.text=0xffff800080012000 \
	-Wl,--section-start=.note.gnu.build-id=0xffff800080013000 && link user 0x400000
offset=0x$(aarch64-linux-gnu-readelf -SW "$tmp/user" |
	sed -n 's/.* \.text  *PROGBITS  *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')
lib/walk-a64.pl load=$text:"$tmp/vmlinux.bin" load=0x400000:"$tmp/user.bin" pc="$(sym user _start)" \
	vbar_el1="$(sym vmlinux _stext)" contextidr_el1=42 irq=9 > "$tmp/log" &&
	"$csflow" encode --format=raw --formatted --no-progress -u $unit -o "$tmp/raw" "$tmp/log"
"$O/selftests/make/mkkernel" "$tmp/data" << END
unit $unit
mmap 0 kernel 0xffffffff $text 0x20000 $text [kernel.kallsyms]_text $(build_id vmlinux)
comm 1 42 user
mmap 2 user 42 0x400000 0x1000 $offset $tmp/user $(build_id user)
trace 100000 $tmp/raw
END
timeline all.json -k "$tmp/vmlinux"
check "kernel: slices, tracks, counters" schema "$tmp/all.json"
system_call()
{
	cat << 'END'
  syscall
    _stext
    entry
      syscall
        kernel_helper
        early
END
}
{
	printf '%s\n' _start '  work' '    interrupt' '      _stext' '      irq'
	system_call
	for i in 2 3 4 5 6 7 8 9 10 11 12; do
		echo '  work'
		system_call
	done
	# the last instruction, HLT
	echo '  interrupt'
} > "$tmp/theirs"
python3 truth/timeline_check.py names "$tmp/all.json" 42 > "$tmp/ours" 2> "$tmp/why"
same "$tmp/theirs" "$tmp/ours" "an interrupt, twelve system calls, and tail calls in the kernel"

# ---------------------------------------------------------------- memory, words

# Ten times the trace in no more memory
peak()
{
	python3 - "$CSFLOW_FAST" timeline -j 1 -o /dev/null "$tmp/data" 2> "$tmp/why" << 'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
END
}
for rounds in 2 20; do
	record -u ete=1.1,rs,cid,ts=1000 -- "$tmp/threads" $rounds
	peak > "$tmp/peak.$rounds"
done
[ "$(cat "$tmp/peak.20")" -lt $(($(cat "$tmp/peak.2") * 11 / 10)) ]
ok $? "memory, KiB, and with ten times the trace: $(cat "$tmp/peak.2" "$tmp/peak.20" | tr '\n' ' ')"

# A million calls: what is said early of the size is about right; of a small one nothing is said.
cat > "$tmp/many.c" << 'END'
__attribute__((noipa)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { return fib(29) & 1; }
END
aarch64-linux-gnu-gcc -O1 -static -o "$tmp/many" "$tmp/many.c" 2> "$tmp/why" &&
	"$csflow" record -q -o "$tmp/data" -u ete=1.1,rs,cid,ts=1000 -- "$tmp/many" > /dev/null 2> "$tmp/why"
[ -s "$tmp/data" ]
ok $? "record many calls"
"$CSFLOW_FAST" timeline --for=chrome "$tmp/data" 2> "$tmp/why" | wc -c > "$tmp/size"
guess=$(sed -n 's/.*will have about \([0-9]*\) MB; .*--time.*/\1/p' "$tmp/why") size=$(($(cat "$tmp/size") / 1000000))
[ "$size" -gt 100 ] && [ "${guess:-0}" -gt $((size / 2)) ] && [ "$guess" -lt $((size * 3 / 2)) ] && [ "$(wc -l < "$tmp/why")" = 1 ]
ok $? "a timeline of $size MB: $guess is said, once"
"$CSFLOW_FAST" timeline --for=chrome "$tmp/data" 2> "$tmp/why" | head -c 40000000 > "$tmp/begin"
grep -q 'will have about' "$tmp/why"
ok $? "long before all is written"
"$CSFLOW_FAST" timeline --for=chrome --time=0%-10% "$tmp/data" 2> "$tmp/why" > "$tmp/begin"
[ ! -s "$tmp/why" ]
ok $? "nothing is said of a tenth"

refused()
{
	"$CSFLOW" timeline "$@" > /dev/null 2> "$tmp/why"
	[ $? = 2 ] && [ -s "$tmp/why" ]
	ok $? "$1 is refused"
}
refused --min=3x "$tmp/data"
refused --time=3 "$tmp/data"
refused --time=36893488147419103232, "$tmp/data"
refused --tid=a "$tmp/data"
refused --for=text "$tmp/data"
record -u ete=1.1,rs,cid -- "$tmp/calls"
"$CSFLOW" timeline --time=1,2 "$tmp/data" > /dev/null 2> "$tmp/why"
[ $? = 1 ] && grep -q 'wants timestamps' "$tmp/why"
ok $? "--time without timestamps"
"$CSFLOW" timeline -o /dev/full "$tmp/data" 2> "$tmp/why"
[ $? = 1 ]
ok $? "a full disk is a failure"
echo "1..$n"
