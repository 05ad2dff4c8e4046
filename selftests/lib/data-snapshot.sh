# SPDX-License-Identifier: GPL-2.0-only
# data_snapshot DIR: a snapshot of an ETMv3 with data trace.  ETMCR, if given, is ETMCR.

data_snapshot()
{
	mkdir -p "$1" || return
	# ldr r0, [r0]; str r0, [r0]; ldm r0, {r1-r3}; ldrb r1, [r0]; mrc p15, 0, r0, c1, c0, 0;
	# strex r2, r0, [r1]
	printf '\0\0\x90\xe5\0\0\x80\xe5\x0e\0\x90\xe8\0\x10\xd0\xe5\x10\x0f\x11\xee\x90\x2f\x81\xe1' \
		> "$1/code.bin"
	"$CSFLOW" asm --protocol=etmv3 --etmcr=${ETMCR:-0xe} -o "$1/trace.bin" << 'END'
async
isync 0x8000 a32 on s
atom E
data.place 1 at=0x20001000/32
atom E
data 0x22/1 at=0x4/7
atom E
data 0x1/1 at=0x10/7
data 0x2/1
data.late 1 0x44332211/4
data.lost
atom E
data.untraced at=0x10/7
atom E
data 0x7/1
atom E
data 0x9/1 at=0x18/7
data.failed
END
	printf '%s\n' '[snapshot]' version=1.0 '[device_list]' d0=cpu.ini d1=etm.ini '[trace]' \
		metadata=trace.ini > "$1/snapshot.ini"
	printf '%s\n' '[device]' name=cpu_0 class=core type=Cortex-R4 '[dump1]' file=code.bin \
		address=0x8000 > "$1/cpu.ini"
	printf '%s\n' '[device]' name=ETM_0 class=trace_source type=ETM3.3 '[regs]' \
		ETMCR=${ETMCR:-0xe} ETMCCER=0 ETMIDR=0x4104f230 ETMTRACEIDR=2 > "$1/etm.ini"
	printf '%s\n' '[trace_buffers]' buffers=b0 '[b0]' name=B file=trace.bin \
		format=source_data '[source_buffers]' ETM_0=B '[core_trace_sources]' cpu_0=ETM_0 > "$1/trace.ini"
}
