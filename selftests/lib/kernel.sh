# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # variables of those who source it
# Kernels of a page, programs/kernel/, and recordings of them; to be sourced after tap.sh and
# perf.sh. walk-a64.pl executes them and writes a log, csflow encode makes trace of that log, and
# mkkernel a recording around it.

# Where kernels were linked to be; where one is, and its module below it, as on arm64; the vDSO
text=0xffff800080000000 moved=0xffff8000ab000000 module=0xffff8000aa000000 vdso=0xffff7f000000
slot=0xffff800090000000
unit=etm4=4.3,cid,ts=100

# ---------------------------------------------------------------- programs

# link NAME ADDR [OPTIONS]: programs/kernel/NAME.S at ADDR, as $tmp/NAME, and its code
link()
{
	local name=$1 addr=$2

	shift 2
	aarch64-linux-gnu-gcc -nostdlib -Wl,--build-id=sha1 -Wl,-z,max-page-size=4096 -Wl,-e,0 \
		-Wl,-Ttext="$addr" "$@" -o "$tmp/$name" "programs/kernel/$name.S" &&
		aarch64-linux-gnu-objcopy -O binary -j '.*text' "$tmp/$name" "$tmp/$name.bin"
}

# sum A + B...: in hexadecimal
sum()
{
	printf '0x%x' $(($*))
}

# sym NAME SYMBOL: its address, as linked
sym()
{
	aarch64-linux-gnu-nm "$tmp/$1" | sed -n "s/^\([0-9a-f]*\) . $2\$/0x\1/p"
}

# at SYMBOL: of vmlinux, where that was moved to
at()
{
	sum "$(sym vmlinux "$1")" - $text + $moved
}

build_id()
{
	aarch64-linux-gnu-readelf -n "$tmp/$1" | sed -n 's/.*Build ID: //p'
}

# Where .text is in the file
offset()
{
	echo "0x$(aarch64-linux-gnu-readelf -SW "$tmp/$1" |
		sed -n 's/.* \.text  *PROGBITS  *[0-9a-f]* \([0-9a-f]*\) .*/\1/p')"
}

# programs [OPTIONS]: with these vmlinux is compiled
programs()
{
	local note=-Wl,--section-start=.note.gnu.build-id

	link vmlinux 0xffff800080010000 "$@" -static -Wl,--section-start=.head.text=$text \
		-Wl,--section-start=.init.text=0xffff800080012000 $note=0xffff800080013000 &&
		link user 0x400000 -static && link guest-user 0x400000 -static &&
		link own-guest 0x400000 -static && link vdso 0x200 -shared -Wl,-soname,linux-vdso.so.1 &&
		link host $text -static $note=0xffff800080013000 &&
		link guest $text -static $note=0xffff800080013000 &&
		link poke $text -static $note=0xffff800080013000 &&
		aarch64-linux-gnu-gcc -g -c -o "$tmp/mod.ko" programs/kernel/module.S &&
		aarch64-linux-gnu-ld -Ttext=$module -e 0 --defsym kernel_helper="$(at kernel_helper)" \
			-o "$tmp/mod" "$tmp/mod.ko" &&
		aarch64-linux-gnu-objcopy -O binary -j .text "$tmp/mod" "$tmp/mod.bin"
}

# The kernel's memory, as perf record --kcore keeps it: kcore DIR ADDR:FILE...
kcore()
{
	local dir=$1

	shift
	mkdir -p "$dir"
	perl - "$@" > "$dir/kcore" <<- 'END'
		no warnings 'portable';
		my ($headers, $bytes) = ('', '');
		for (@ARGV) {
			my ($addr, $path) = split /:/;
			open my $f, '<:raw', $path;
			local $/;
			my $code = <$f>;
			$code .= "\0" x (-length($code) % 4096);
			$headers .= pack 'VVQ<6', 1, 7, 4096 + length $bytes, hex $addr, 0,
				length $code, length $code, 4096;
			$bytes .= $code;
		}
		my $elf = "\x7fELF\2\1\1" . "\0" x 9 . pack 'vvVQ<3Vv6', 4, 183, 1, 0, 64, 0, 0, 64, 56,
			scalar @ARGV, 0, 0, 0;
		print pack('a4096', $elf . $headers) . $bytes;
	END
}

# kcore_later DIR: the same kernel with another word at "early", as the kernel's memory at the end of a recording
kcore_later()
{
	cp "$tmp/vmlinux.bin" "$tmp/later.bin"
	printf '\200\000\200\322' | dd of="$tmp/later.bin" bs=4 seek=$((($(at early) - moved) / 4)) conv=notrunc 2> /dev/null
	kcore "$1" $moved:"$tmp/later.bin"
}

# kallsyms NAME DISTANCE: lines of /proc/kallsyms
kallsyms()
{
	aarch64-linux-gnu-nm "$tmp/$1" | sed -n 's/^\([0-9a-f]*\) \([Tt]\) \([a-z_].*\)$/\1 \2 \3/p' |
		while read -r addr type name; do
			printf '%x %s %s\n' $((0x$addr + $2)) "$type" "$name"
		done
}

# ---------------------------------------------------------------- recordings

# execute WORD...: as walk-a64.pl has it; trace of it in $tmp/raw
execute()
{
	lib/walk-a64.pl stores="$tmp/stores" "$@" > "$tmp/log" 2> "$tmp/why" &&
		"$csflow" encode --format=raw --formatted --no-progress -u "$unit" -o "$tmp/raw" \
			"$tmp/log" 2> "$tmp/why" && [ ! -s "$tmp/why" ] && return
	ok 1 "execute $*"
	return 1
}

# A recording of it, as the lines that come in say, to $tmp/data
recording()
{
	{
		echo "unit $unit"
		cat
		echo "trace 100000 $tmp/raw"
	} | "$O/selftests/make/mkkernel" "$tmp/data" 2> "$tmp/why" || ok 1 "mkkernel"
}

kernel_line()		{ echo "mmap 0 kernel 0xffffffff $2 0x20000 $2 [kernel.kallsyms]_text $(build_id "$1")"; }
process_lines()
{
	echo "comm 1 42 user"
	echo "mmap 2 user 42 0x400000 0x1000 $(offset "$1") $tmp/$1 $(build_id "$1")"
}
