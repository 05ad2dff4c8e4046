// SPDX-License-Identifier: GPL-2.0-only
/*
 * Source: struct tmc_crash_metadata and its use in drivers/hwtracing/coresight of
 * Linux 7.2; Documentation/trace/coresight/panic.rst there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "crash-dump.h"

/* Offsets of registers: 32 bits up to TMC_FFSR, then 64. */
#define CRC_REGISTERS	0
#define CRC_TRACE	4
#define VERSION		8
#define VALID		12
#define RAM_SIZE	16	/* in words of 4 bytes */
#define TMC_STS		20
#define TMC_RRP		40
#define TMC_RWP		48
#define TMC_DBA		56

#define VERSION_MAJOR	1
#define STS_FULL	1

static uint32_t u32(const uint8_t *registers, size_t at)
{
	const uint8_t *p = registers + at;

	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t u64(const uint8_t *registers, size_t at)
{
	return u32(registers, at) | (uint64_t)u32(registers, at + 4) << 32;
}

size_t crash_dump_size(const uint8_t *registers, size_t n)
{
	if (n < CRASH_REGISTERS || u32(registers, VERSION) >> 16 != VERSION_MAJOR)
		return 0;
	return (size_t)u32(registers, RAM_SIZE) * 4;
}

/* The kernel's CRC begins with 0 and does not invert the result. */
static uint32_t crc(const uint8_t *bytes, size_t n)
{
	return ~crc32_z(0xffffffff, bytes, n);
}

static int refuse(const struct crash_dump *d)
{
	const uint32_t version = d->n_registers < CRASH_REGISTERS ? 0 : u32(d->registers, VERSION);

	problems_error(d->problems, d->name, 0,
		       "these are not the registers of a TMC of a crashed kernel: %zu bytes, version %u.%u; expected at least %d bytes of version %d, the region that the device tree calls metadata; /dev/crash_tmc_* has no registers, and is format=coresight",
		       d->n_registers, version >> 16, version & 0xffff, CRASH_REGISTERS,
		       VERSION_MAJOR);
	return -EBADMSG;
}

/* Reports doubtful, but readable data. */
static void check(const struct crash_dump *d, size_t size)
{
	if (!u32(d->registers, VALID))
		problems_warn(d->problems, d->name, 0,
			      "offset %d: the registers are marked as not valid: they may be of an earlier crash",
			      VALID);
	if (u32(d->registers, CRC_REGISTERS) !=
	    crc(d->registers + CRC_TRACE, CRASH_REGISTERS - CRC_TRACE))
		problems_warn(d->problems, d->name, 0,
			      "offset %d: the checksum of the registers is wrong: where trace begins and ends may be, too",
			      CRC_REGISTERS);
	if (d->n_ring < size)
		problems_warn(d->problems, d->name, 0,
			      "the trace buffer has 0x%zx bytes here, and had 0x%zx: the rest is missing",
			      d->n_ring, size);
	else if (u32(d->registers, CRC_TRACE) != crc(d->ring, size))
		problems_warn(d->problems, d->name, 0,
			      "offset %d: the checksum of the trace is wrong: some of it changed after the crash",
			      CRC_TRACE);
}

/* Takes @n bytes of the ring from @from on. */
static size_t take(const struct crash_dump *d, uint64_t from, uint64_t n, uint8_t *to)
{
	if (from >= d->n_ring)
		return 0;
	if (n > d->n_ring - from)
		n = d->n_ring - from;
	memcpy(to, d->ring + from, n);
	return n;
}

int crash_dump_read(const struct crash_dump *d, uint8_t **trace, size_t *n)
{
	const uint64_t size = crash_dump_size(d->registers, d->n_registers);
	uint64_t from, len, first;

	*trace = NULL;
	if (!size)
		return refuse(d);
	check(d, size);
	from = u64(d->registers, TMC_RRP) - u64(d->registers, TMC_DBA);
	len = u64(d->registers, TMC_RWP) - u64(d->registers, TMC_RRP);
	if (u32(d->registers, TMC_STS) & STS_FULL)
		len = size;
	if (from > size || len > size) {
		problems_warn(d->problems, d->name, 0,
			      "offset %d: trace begins 0x%llx into a buffer of 0x%llx bytes and has 0x%llx: all of the buffer is taken, as it lies there",
			      TMC_RRP, (unsigned long long)from, (unsigned long long)size,
			      (unsigned long long)len);
		from = 0;
		len = size;
	}
	*trace = malloc(d->n_ring + 1);
	if (!*trace)
		return -ENOMEM;
	first = len < size - from ? len : size - from;
	*n = take(d, from, first, *trace);
	*n += take(d, 0, len - first, *trace + *n);
	return 0;
}
