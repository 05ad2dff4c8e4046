// SPDX-License-Identifier: GPL-2.0-only
/*
 * Four tasks with stacks of their own: PendSV switches between them, because SysTick says so or a
 * task asks for it by SVC.  So an exception returns to another place than it came from.
 */
#include "cortex-m.h"

#define TASKS	4

static uint32_t stack[TASKS][256] __attribute__((aligned(8)));
static uint32_t *task_sp[TASKS];
static uint32_t current, switches, yields, left, work[TASKS];

__attribute__((used)) static uint32_t *next_task(uint32_t *sp)
{
	task_sp[current] = sp;
	switches++;
	current = (current + 1 + (switches & 1)) % TASKS;
	return task_sp[current];
}

__attribute__((naked)) static void pendsv(void)
{
	asm("mrs r0, psp\n"
	    "stmdb r0!, {r4-r11, lr}\n"
	    "bl next_task\n"
	    "ldmia r0!, {r4-r11, lr}\n"
	    "msr psp, r0\n"
	    "bx lr\n");
}

static void systick(void)
{
	put(ICSR, ICSR_PENDSV);
}

static void svc(void)
{
	yields++;
	put(ICSR, ICSR_PENDSV);
}

__attribute__((noinline)) static uint32_t deep(uint32_t v, uint32_t n)
{
	if (!n) {
		if (v % 3 == 0)
			asm volatile("svc 0" ::: "memory");
		return v;
	}
	return mix(deep(v + n, n - 1)) + n;
}

static void end(void)
{
	put(SYST_CSR, 0);
	say("switches ", switches);
	say("yields ", yields);
	say("work ", work[0] ^ work[1] ^ work[2] ^ work[3]);
	leave(0);
}

static void task(uint32_t number)
{
	for (;;) {
		work[number] += deep(work[number], 3 + number);
		/* Only one of them counts down. */
		if (!number && !--left)
			end();
	}
}

/* As if the task had been interrupted before its first instruction. */
static void make(uint32_t number)
{
	uint32_t *sp = stack[number] + 256 - 8;

	sp[0] = number;
	sp[5] = 1;
	sp[6] = (uint32_t)(uintptr_t)task & ~1u;
	sp[7] = 1u << 24;
	sp -= 9;
	sp[8] = 0xfffffffd;
	task_sp[number] = sp;
}

static void program(uint32_t n)
{
	left = n * 4;
	for (uint32_t i = 1; i < TASKS; i++)
		make(i);
	put_byte(SHPR(11), 0x40);
	put_byte(SHPR(14), 0xe0);
	put_byte(SHPR(15), 0x80);
	tick_every(331);
	task(0);
}

VECTORS([11] = svc, [14] = pendsv, [15] = systick);
