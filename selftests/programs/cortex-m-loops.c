// SPDX-License-Identifier: GPL-2.0-only
/*
 * The loops of v8.1-M: DLS, WLS, LE with and without a count, one in another, exceptions inside;
 * with tail predication DLSTP, WLSTP and LETP, on vectors.  Branch futures, of each kind: a
 * processor may do the branch early, or take BF for a NOP.
 */
#include "cortex-m.h"

static uint32_t ticks, sum;

static void systick(void)
{
	ticks++;
	/* A loop in a handler, in which LR has another value. */
	asm volatile("push {r4, lr}\n"
		     "movs r4, #3\n"
		     "dls lr, r4\n"
		     "1: adds %0, #1\n"
		     "le lr, 1b\n"
		     "pop {r4, lr}\n" : "+r"(sum) :: "cc", "memory");
	if (ticks % 3 == 0)
		put(ICSR, ICSR_PENDSV);
}

static void pendsv(void)
{
	sum ^= ticks;
}

__attribute__((noinline)) static uint32_t counted(uint32_t n)
{
	uint32_t v = 0;

	asm volatile("wls lr, %1, 2f\n"
		     "1: adds %0, #3\n"
		     "tst %0, #4\n"
		     "it ne\n"
		     "addne %0, #1\n"
		     "le lr, 1b\n"
		     "2: adds %0, #1\n" : "+r"(v) : "r"(n) : "lr", "cc");
	return v;
}

/* The inner loop has the count in LR, the outer one a branch. */
__attribute__((noinline)) static uint32_t nested(uint32_t n)
{
	uint32_t v = 0, outer = n;

	asm volatile("1: and r3, %1, #3\n"
		     "wls lr, r3, 3f\n"
		     "2: adds %0, %0, lr\n"
		     "le lr, 2b\n"
		     "3: subs %1, #1\n"
		     "bne 1b\n" : "+r"(v), "+r"(outer) :: "r3", "lr", "cc");
	return v;
}

/* LE without a count goes on until another branch leaves the loop. */
__attribute__((noinline)) static uint32_t endless(uint32_t n)
{
	uint32_t v = 0;

	asm volatile("1: adds %0, #5\n"
		     "subs %1, #1\n"
		     "bmi 2f\n"
		     "le 1b\n"
		     "2:\n" : "+r"(v), "+r"(n) :: "cc");
	return v;
}

static uint8_t from[96], to[96];

__attribute__((noinline)) static void copy(uint8_t *out, const uint8_t *in, uint32_t n)
{
	asm volatile("wlstp.8 lr, %2, 2f\n"
		     "1: vldrb.u8 q0, [%1], #16\n"
		     "vadd.i8 q0, q0, q0\n"
		     "vstrb.8 q0, [%0], #16\n"
		     "letp lr, 1b\n"
		     "2:\n" : "+r"(out), "+r"(in) : "r"(n) : "lr", "memory", "q0");
}

__attribute__((noinline)) static uint32_t total(const uint8_t *in, uint32_t words)
{
	uint32_t v = 0;

	asm volatile("dlstp.32 lr, %2\n"
		     "1: vldrw.u32 q0, [%1], #16\n"
		     "vaddva.u32 %0, q0\n"
		     "letp lr, 1b\n" : "+Te"(v), "+r"(in) : "r"(words) : "lr", "memory", "q0");
	return v;
}

/* The same by hand, with VCTP and a VPT block. */
__attribute__((noinline)) static uint32_t by_hand(const uint8_t *in, uint32_t n)
{
	uint32_t v = 0;

	asm volatile("1: vctp.16 %2\n"
		     "vpst\n"
		     "vldrht.u16 q0, [%1], #16\n"
		     "vpst\n"
		     "vaddvat.u16 %0, q0\n"
		     "subs %2, #8\n"
		     "bgt 1b\n" : "+Te"(v), "+r"(in), "+r"(n) :: "cc", "memory", "q0");
	return v;
}

__attribute__((naked, noinline)) static uint32_t future(uint32_t v __attribute__((unused)))
{
	asm("push {r4, lr}\n"
	    "movs r4, r0\n"
	    "bf 1f, 2f\n"
	    "adds r4, #1\n"
	    "1: b 2f\n"
	    "adds r4, #7\n"
	    "2: adr r3, 4f\n"
	    "adds r3, #1\n"
	    "bfx 3f, r3\n"
	    "adds r4, #2\n"
	    "3: bx r3\n"
	    "adds r4, #9\n"
	    ".balign 4\n"
	    "4: lsls r0, r4, #31\n"
	    "bfcsel 5f, 7f, 6f, mi\n"
	    "adds r4, #4\n"
	    "5: bmi 7f\n"
	    "6: adds r4, #2\n"
	    "7: bfl 8f, mix_it\n"
	    "mov r0, r4\n"
	    "8: bl mix_it\n"
	    "pop {r4, pc}\n");
}

__attribute__((used, noinline)) static uint32_t mix_it(uint32_t v)
{
	return mix(v);
}

static void program(uint32_t n)
{
	put(CPACR, get(CPACR) | 0xf << 20);
	asm volatile("dsb\n"
		     "isb" ::: "memory");
	put_byte(SHPR(14), 0xe0);
	put_byte(SHPR(15), 0x80);
	for (uint32_t i = 0; i < sizeof(from); i++)
		from[i] = i * 7;
	tick_every(197);
	for (uint32_t i = 0; i < n; i++) {
		sum += counted(i % 11) + nested(1 + i % 6) + endless(i % 7);
		copy(to, from, i % 70);
		sum += total(to, 1 + i % 20) + by_hand(from, 1 + i % 40);
		sum += future(sum & 0xff);
	}
	put(SYST_CSR, 0);
	say("sum ", sum);
	say("ticks ", ticks);
}

VECTORS([14] = pendsv, [15] = systick);
