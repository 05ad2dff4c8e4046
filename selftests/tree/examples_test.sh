#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The examples of the documentation: each is run unchanged, and must print what the page shows.
#
# An example is a literal block that begins with csflow, with "$ csflow" or with perf record, or
# that is below EXAMPLES in a man page, or that begins with "$ " in tutorial.rst or cortex-m.rst.  Bash runs it in a folder with the files that are made here,
# anew for each page; all commands must succeed, and it must print or write something.  The lines
# after "$ COMMAND" are the output of the command: these lines in this order, perhaps not all of
# them, and "..." for any number of lines.  Comments of reStructuredText give directions:
#
#	.. run: COMMAND		the next literal block is what COMMAND prints
#	.. vary			other numbers are fine in the next literal block
#
# examples.py does it, and lists what cannot be run.

cd "$(dirname "$0")/../.." || exit 1
export LC_ALL=C
demo=$PWD/selftests/data/demo
: "${CSFLOW:=build/check/csflow}" "${CSFLOW_FAST:=build/csflow}"
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# Leaks of LLVM are not ours.
export LSAN_OPTIONS=suppressions=$tmp/leaks
echo leak:libLLVM > "$tmp/leaks"

# The command; the emulator's plugin lies beside the optimised one.
mkdir -p "$tmp/bin" "$tmp/in"
cat > "$tmp/bin/csflow" << END
#!/bin/sh
case \$1 in
record | pgo) exec "$(realpath "$CSFLOW_FAST")" "\$@" ;;
esac
exec "$(realpath "$CSFLOW")" "\$@"
END
chmod +x "$tmp/bin/csflow"
ln -s "$PWD/selftests/tree/screen.sh" "$tmp/bin/screen"
export PATH=$tmp/bin:$PATH

# The demo's program is in a build-id cache, as well as in a folder.
id=$(readelf -n "$demo/demo-sort" | sed -n 's/.*Build ID: //p')
export PERF_BUILDID_DIR=$tmp/cache
cache=$PERF_BUILDID_DIR/.build-id/${id:0:2}/${id:2}
mkdir -p "$cache" && cp "$demo/demo-sort" "$cache/elf"

# ---------------------------------------------------------------- what examples name

cd "$tmp/in" || exit 1
ln -s "$CSFLOW_CORPUS/snapshots" "$CSFLOW_CORPUS/snapshots-ete" "$CSFLOW_CORPUS/simpleperf" .
cp "$demo/perf.data" .
cp perf.data other.data
mkdir rootfs && cp "$demo/demo-sort" rootfs/
cp "$demo/demo-sort" program
# The same with debug information, if there is a compiler.
aarch64-linux-gnu-gcc -g -O1 -static -nostdlib -ffreestanding -o prog "$demo/demo-sort.c" 2> /dev/null
mkdir new && aarch64-linux-gnu-gcc -g -O2 -static -nostdlib -ffreestanding -o new/prog "$demo/demo-sort.c" 2> /dev/null
qemu-aarch64 --version > /dev/null 2>&1 && "$CSFLOW_FAST" record -q -o prog.data -- ./prog > /dev/null 2>&1
mkdir uploads && "$CSFLOW" profile -q --for=counts --symfs=rootfs -o uploads/one.counts perf.data 2> /dev/null
mkdir builds && cp program builds/ && printf '%s\t%s\t%s\t%s\n' uploads/one.counts v1 2026-W44 big uploads/one.counts v2 2026-W45 big > fleet
printf '%s\n' perf.data other.data > recordings
printf '%s\n' '[record]' 'source = replay' 'replay = perf.data' '[spool]' 'folder = spool' > agent.ini
cp "$demo/../../../Documentation/"fleet.{py,ini} .
cp "$demo/../../../Documentation/examples/stock.c" "$demo/../../programs/culprit.c" .
cp program sort
cp "$demo/demo-sort-arm" sort-arm
seq 10 -1 1 > numbers

# A program for a Cortex-M, if there is a compiler
arm-linux-gnueabihf-gcc -mthumb -mcpu=cortex-m33 -mfloat-abi=soft -O2 -g -ffreestanding -fno-pic -nostdlib \
	-static -Wl,--defsym=BASE=0x10000000 -T "$demo/../../programs/cortex-m.ld" -o image.elf \
	"$demo/../../programs/cortex-m.c" 2> /dev/null

# What a serial wire of a Cortex-M3 and of a Cortex-M7 carried, a capture of the first and its program
classic=$CSFLOW_CORPUS/classic
cp "$classic/sigrok-dumps/stm32f105/id01.itm.bin" swo.m3 2> /dev/null
cp "$classic/sigrok-dumps/stm32f105/trace_example.elf" program.axf 2> /dev/null
cp "$classic/sigrok-dumps/stm32f105/trace_example.sr" . 2> /dev/null
cp trace_example.sr capture.sr 2> /dev/null
cp "$classic/open-cmsis-devtools/Blinky+Arm/Blinky+Arm.SWO.raw" swo.m7 2> /dev/null

# bytes HEX...: to standard output
bytes()
{
	# shellcheck disable=SC2059 # the format is the bytes
	printf "$(printf '\\x%s' "$@")"
}

# A plain buffer of an ETE, and its code: NOP; B.EQ +8, eight times
printf 'async\ninfo\non\naddr32.ctx 0x1000 el1 ns 64\natom ENN\nraw 05\n' > WORDS
csflow asm --protocol=ete --trcidr2=0xd0001088 WORDS > trace.bin || exit 1
for i in 1 2 3 4 5 6 7 8; do printf '\x1f\x20\x03\xd5\x40\0\0\x54'; done > code.bin
cp trace.bin FILE

# A plain buffer of an ITM, the same in frames, one of an STM, and the memory of an MTB with its program
printf 'async\nstimulus 0 0x41/1\n' | csflow asm --protocol=itm -o swo.bin - || exit 1
# A Cortex-M: what it printed, an exception, a watched variable, and a loss
bytes 01 48 c0 05 0e 0f 10 47 aa b8 00 08 8d 17 c0 07 70 17 aa b8 00 08 > itm.bin
printf '\3\0\0\0\0\0\0\x80\1\x41\1\0\0\0\0\0' > etb.bin
printf '\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x0f\xf0\x00\x3c\x03\x41\x05' > stm.bin
printf 'branch 0x100 0x1000 start\nbranch 0x1006 0x1000\n%.0s' 1 2 3 4 > MTB
csflow asm --protocol=mtb -o mtb.bin MTB || exit 1
cp program program.elf

# The demo as logs of a model, and a snapshot that begins five instructions later
csflow tarmac perf.data > model.log || exit 1
cp model.log model.tarmac
cp model.log rtl.tarmac
sed 1,6d model.log > late.log
csflow encode --format=snapshot --formatted -o snapshot late.log || exit 1
cp -r snapshot DIR

cd "$OLDPWD" || exit 1
python3 selftests/tree/examples.py "$tmp/in" README.md Documentation/*.rst Documentation/*/*.rst
