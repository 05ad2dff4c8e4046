// SPDX-License-Identifier: GPL-2.0-only
/*
 * Floating point in the thread and in handlers, so that frames have floating-point registers, which
 * the processor stores late: when a handler uses the FPU, or never.
 */
#include "cortex-m.h"

static float value = 1.5f;
static float shared = 0.25f;
static uint32_t with, lacking, lazy;

/* LSPACT: the frame has room for registers that are not stored yet. */
#define FPCCR	0xe000ef34

__attribute__((noinline)) static float series(float x, uint32_t n)
{
	float v = 1;

	for (uint32_t i = n; i; i--)
		v = 1 + x * v / (float)i;
	return v;
}

static void systick(void)
{
	with++;
	shared = shared * 0.75f + series(0.5f, with & 3);
	if (with % 3 == 0)
		put(NVIC_ISPR, 1u << 2);
	if (with % 4 == 0)
		put(NVIC_ISPR, 1u << 9);
}

/* Interrupts the other one, and leaves the registers to it. */
static void no_float(void)
{
	lacking++;
	lazy += get(FPCCR) & 1;
	put(ICSR, ICSR_PENDSV);
}

static void with_float(void)
{
	with++;
	shared = series(shared, 2);
	if (with & 1)
		put(NVIC_ISPR, 1u << 2);
	shared = shared > 2 ? shared - 2 : shared;
}

static void pendsv(void)
{
	if (lacking & 1)
		shared += 0.125f;
}

static uint32_t whole(uint32_t n)
{
	uint32_t v = n;

	for (uint32_t i = 0; i < 25; i++)
		v = mix(v + i);
	return v;
}

static void program(uint32_t n)
{
	uint32_t v = 0;

	put(CPACR, get(CPACR) | 0xf << 20);
	asm volatile("dsb\n"
		     "isb" ::: "memory");
	put_byte(SHPR(14), 0xe0);
	put_byte(SHPR(15), 0x80);
	put_byte(NVIC_IPR(2), 0x40);
	put_byte(NVIC_IPR(9), 0xa0);
	put(NVIC_ISER, 1u << 2 | 1u << 9);
	tick_every(173);
	for (uint32_t i = 0; i < n; i++) {
		v += whole(i);
		if (i % 3)
			value = series(value * 0.25f, 4 + i % 5);
		/* No context of the FPU is active until it is used again. */
		if (i % 5 == 0) {
			uint32_t control;

			asm volatile("mrs %0, control" : "=r"(control));
			control &= ~4u;
			asm volatile("msr control, %0\n"
				     "isb" :: "r"(control));
		}
	}
	say("whole ", v);
	say("with ", with);
	say("without ", lacking);
	say("lazy ", lazy);
	say("value ", (uint32_t)(value * 65536));
}

VECTORS([14] = pendsv, [15] = systick, [16 + 2] = no_float, [16 + 9] = with_float);
