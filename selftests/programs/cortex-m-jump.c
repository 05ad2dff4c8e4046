// SPDX-License-Identifier: GPL-2.0-only
/*
 * Jumps of all kinds: setjmp and longjmp out of deep calls and to callers, recursion deeper than a
 * return stack, tables of bytes and of halfwords, IT blocks with branches of each kind, returns by
 * POP, LDR, LDM, MOV and BX.  Functions begin at any even address.
 */
#include "cortex-m.h"

static uint32_t ticks, jumps;

struct place {
	uint32_t word[10];
};

/* Naked functions take their parameters from registers. */
#define UNUSED	__attribute__((unused))

__attribute__((naked, noinline, returns_twice)) static uint32_t set_jump(UNUSED struct place *p)
{
	asm("mov r2, sp\n"
	    "stmia r0!, {r2, r4-r11, lr}\n"
	    "movs r0, #0\n"
	    "bx lr\n");
}

__attribute__((naked, noinline, noreturn))
static void long_jump(UNUSED struct place *p, UNUSED uint32_t v)
{
	asm("mov r3, r1\n"
	    "ldmia r0!, {r2, r4-r11, lr}\n"
	    "mov sp, r2\n"
	    "mov r0, r3\n"
	    "mov pc, lr\n");
}

static void systick(void)
{
	ticks++;
}

__attribute__((noinline)) static uint32_t down(struct place *p, uint32_t n, uint32_t out)
{
	if (n == out)
		long_jump(p, n + 1);
	return n ? down(p, n - 1, out) + 1 : 0;
}

__attribute__((noinline)) static uint32_t caught(uint32_t depth, uint32_t out)
{
	struct place p;
	const uint32_t how = set_jump(&p);

	if (how) {
		jumps++;
		return how;
	}
	return down(&p, depth, out);
}

__attribute__((noinline)) static uint32_t ackermann(uint32_t m, uint32_t n)
{
	if (!m)
		return n + 1;
	return ackermann(m - 1, n ? ackermann(m, n - 1) : 1);
}

/* Two bytes further than a word: so are the functions after it. */
__attribute__((naked, noinline)) static uint32_t bytes(UNUSED uint32_t v)
{
	asm(".balign 4\n"
	    "nop\n"
	    ".global odd_place\n"
	    "odd_place:\n"
	    "and r0, #3\n"
	    "tbb [pc, r0]\n"
	    "1: .byte (2f - 1b) / 2, (3f - 1b) / 2, (4f - 1b) / 2, (5f - 1b) / 2\n"
	    "2: movs r0, #1\n"
	    "bx lr\n"
	    "3: movs r0, #3\n"
	    "mov pc, lr\n"
	    "4: push {r4, lr}\n"
	    "movs r0, #5\n"
	    "ldmia sp!, {r4, pc}\n"
	    "5: push {lr}\n"
	    "movs r0, #8\n"
	    "ldr pc, [sp], #4\n");
}

__attribute__((naked, noinline)) static uint32_t halves(UNUSED uint32_t v)
{
	asm("and r0, #3\n"
	    "tbh [pc, r0, lsl #1]\n"
	    "1: .hword (2f - 1b) / 2, (3f - 1b) / 2, (4f - 1b) / 2, (3f - 1b) / 2\n"
	    "2: movs r0, #11\n"
	    "bx lr\n"
	    "3: adr r1, 5f\n"
	    "ldr r1, [r1]\n"
	    "bx r1\n"
	    "4: adr r1, 5f\n"
	    "ldr pc, [r1]\n"
	    ".balign 4\n"
	    "5: .word 2b + 1\n");
}

/* A branch at the end of an IT block, of each kind, taken and not. */
__attribute__((naked, noinline)) static uint32_t conditional(UNUSED uint32_t v)
{
	asm("push {r4, r5, lr}\n"
	    "mov r4, r0\n"
	    "movs r5, #0\n"
	    "lsls r1, r4, #31\n"
	    "itt mi\n"
	    "addmi r5, #1\n"
	    "bmi 1f\n"
	    "adds r5, #2\n"
	    "1: lsls r1, r4, #30\n"
	    "ittt mi\n"
	    "addmi r5, #4\n"
	    "movmi r0, r5\n"
	    "blmi leaf\n"
	    "ldr r2, =leaf\n"
	    "lsls r1, r4, #29\n"
	    "it mi\n"
	    "blxmi r2\n"
	    "lsls r1, r4, #28\n"
	    "itee mi\n"
	    "addmi r5, #8\n"
	    "addpl r5, #16\n"
	    "movpl r0, r5\n"
	    "lsls r1, r4, #27\n"
	    "itt mi\n"
	    "movmi r0, r5\n"
	    "popmi {r4, r5, pc}\n"
	    "cbz r5, 2f\n"
	    "adds r0, r5, #1\n"
	    "2: isb\n"
	    "pop {r4, r5, pc}\n"
	    ".ltorg\n");
}

__attribute__((used, noinline)) static uint32_t leaf(uint32_t v)
{
	return v * 3;
}

static void program(uint32_t n)
{
	uint32_t v = 0;

	put_byte(SHPR(15), 0x80);
	tick_every(449);
	for (uint32_t i = 0; i < n; i++) {
		v += caught(i % 23, i % 29) + ackermann(2, i % 5);
		v += bytes(v) + halves(v) + conditional(v);
	}
	say("result ", v);
	say("jumps ", jumps);
	say("ticks ", ticks);
}

VECTORS([15] = systick);
