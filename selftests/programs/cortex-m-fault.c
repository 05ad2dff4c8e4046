// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults: UsageFault by an undefined instruction, a division by 0 and an unaligned access;
 * BusFault; MemManage, by data and, where code may not be executed, at the target of a call;
 * HardFault, to which others escalate; NMI.  The handlers skip the instruction, or return to the
 * caller.
 */
#include "cortex-m.h"

#define CCR_UNALIGN	(1u << 3)
#define CCR_DIV_0	(1u << 4)

static uint32_t usage, bus, memory, hard, nmis, sum;

/* The size of the instruction that faulted. */
static uint32_t size_at(uint32_t pc)
{
	return *(const uint16_t *)(uintptr_t)pc >> 11 >= 0x1d ? 4 : 2;
}

__attribute__((used)) static void skip_usage(uint32_t *frame)
{
	usage++;
	frame[6] += size_at(frame[6]);
	if (usage % 8 == 0)
		put(ICSR, ICSR_NMI);
}

__attribute__((used)) static void skip_bus(uint32_t *frame)
{
	bus++;
	frame[6] += size_at(frame[6]);
}

/* Code that must not be executed has nothing to skip: its caller goes on. */
__attribute__((used)) static void skip_memory(uint32_t *frame)
{
	memory++;
	frame[6] = frame[6] >> 28 == 4 ? frame[5] & ~1u : frame[6] + size_at(frame[6]);
}

__attribute__((used)) static void skip_hard(uint32_t *frame)
{
	hard++;
	frame[6] += size_at(frame[6]);
}

FRAME_HANDLER(usage_fault, skip_usage)
FRAME_HANDLER(bus_fault, skip_bus)
FRAME_HANDLER(memory_fault, skip_memory)
FRAME_HANDLER(hard_fault, skip_hard)

static void nmi(void)
{
	nmis++;
	sum = mix(sum);
}

static void systick(void)
{
	sum = mix(sum + 1);
	/* No fault of this priority can be handled inside: it escalates. */
	if (sum & 1)
		asm volatile("udf #2" ::: "memory");
}

__attribute__((noinline)) static uint32_t divide(uint32_t a, uint32_t b)
{
	uint32_t v;

	asm volatile("udiv %0, %1, %2" : "=r"(v) : "r"(a), "r"(b));
	return v;
}

__attribute__((noinline)) static uint32_t load(uint32_t addr)
{
	uint32_t v = 0;

	asm volatile("ldr %0, [%1]" : "+r"(v) : "r"(addr) : "memory");
	return v;
}

static void once(uint32_t i)
{
	void (*const nowhere)(void) = (void (*)(void))(uintptr_t)0x40000101;

	sum += divide(100 + i, i % 3);
	sum += load((uint32_t)(uintptr_t)&sum + i % 2);
	if (i % 4 == 0)
		load(0xf0000000);
	if (i % 5 == 0)
		asm volatile("udf #1" ::: "memory");
	if (i % 6 == 0)
		asm volatile("udf.w #1" ::: "memory");
	if (i % 7 == 0)
		nowhere();
	if (i % 9 == 0) {
		put(SHCSR, 0);
		asm volatile("udf #3" ::: "memory");
		put(SHCSR, SHCSR_FAULTS);
	}
	for (uint32_t k = 0; k < 30; k++)
		sum = mix(sum + k);
}

static void program(uint32_t n)
{
	put(SHCSR, SHCSR_FAULTS);
	put(CCR, get(CCR) | CCR_UNALIGN | CCR_DIV_0);
	put_byte(SHPR(4), 0x80);
	put_byte(SHPR(5), 0x80);
	put_byte(SHPR(6), 0x80);
	put_byte(SHPR(15), 0x80);
	tick_every(509);
	for (uint32_t i = 0; i < n; i++)
		once(i);
	say("usage ", usage);
	say("bus ", bus);
	say("memory ", memory);
	say("hard ", hard);
	say("nmi ", nmis);
	say("sum ", sum);
}

VECTORS([2] = nmi, [3] = hard_fault, [4] = memory_fault, [5] = bus_fault, [6] = usage_fault,
	[15] = systick);
