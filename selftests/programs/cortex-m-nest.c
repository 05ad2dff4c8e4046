// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sixteen interrupts of eight priorities, each of which may pend others: exceptions in exceptions,
 * tail chains, and late arrivals, where a handler is interrupted before its first instruction.
 * Some are pended while PRIMASK or BASEPRI holds them back; the processor sleeps until others come.
 * Interrupt 8 is also that of a timer, so it comes between any two instructions; for mps2-an385.
 */
#include "cortex-m.h"

/* A timer of the machine: registers of words. */
#define TIMER_CTRL	0x40000000
#define TIMER_RELOAD	0x40000008
#define TIMER_CLEAR	0x4000000c
#define TIMER_ON	0x9	/* with interrupts */
#define TIMER_IRQ	8

static uint32_t sum = 1, budget, taken, ticks;

static void pend(uint32_t n)
{
	if (!budget)
		return;
	budget--;
	put(NVIC_ISPR, 1u << (n & 15));
}

static void irq(void)
{
	uint32_t n;

	asm volatile("mrs %0, ipsr" : "=r"(n));
	n -= 16;
	taken++;
	if (n == TIMER_IRQ)
		put(TIMER_CLEAR, 1);
	sum = mix(sum + n);
	if (sum & 1)
		pend(n + 3);
	if (sum & 2)
		pend(n - 5);
	if (sum & 4)
		pend(n);
	for (uint32_t i = 0; i < (sum >> 8 & 3); i++)
		sum = mix(sum);
}

static void systick(void)
{
	ticks++;
	sum = mix(sum);
	pend(sum >> 4);
}

static void pendsv(void)
{
	sum = mix(sum + 7);
	pend(sum >> 9);
}

__attribute__((noinline)) static uint32_t once_more(uint32_t v)
{
	return mix(v);
}

__attribute__((noinline)) static uint32_t twice_more(uint32_t v)
{
	return once_more(v + 1) + 1;
}

/* Interrupts often come where a return, or a call by a pointer, leads. */
static void once(uint32_t i)
{
	static uint32_t (*const more[])(uint32_t v) = { once_more, twice_more };

	budget = 12;
	asm volatile("cpsid i" ::: "memory");
	pend(sum);
	pend(sum >> 4);
	pend(sum >> 8);
	if (i % 3 == 0)
		put(ICSR, ICSR_PENDSV);
	asm volatile("cpsie i\n"
		     "isb" ::: "memory");
	asm volatile("msr basepri, %0" :: "r"(0x60) : "memory");
	pend(2);
	pend(9);
	pend(14);
	asm volatile("msr basepri, %0" :: "r"(0) : "memory");
	for (uint32_t k = 0; k < 20; k++) {
		if (sum >> k & 1)
			pend(k);
		sum = more[k & 1](sum + k);
	}
	if (i % 4 == 0)
		asm volatile("wfi" ::: "memory");
	if (i % 4 == 1)
		asm volatile("sev\n"
			     "wfe\n"
			     "wfe" ::: "memory");
}

static void program(uint32_t n)
{
	for (uint32_t i = 0; i < 16; i++)
		put_byte(NVIC_IPR(i), (i * 5 & 7) << 5);
	put_byte(SHPR(14), 0xe0);
	put_byte(SHPR(15), 0x40);
	put(NVIC_ISER, 0xffff);
	tick_every(211);
	put(TIMER_RELOAD, 172);
	put(TIMER_CTRL, TIMER_ON);
	for (uint32_t i = 0; i < n; i++)
		once(i);
	say("sum ", sum);
	say("interrupts ", taken);
	say("ticks ", ticks);
}

VECTORS([14] = pendsv, [15] = systick, [16 ... 31] = irq);
