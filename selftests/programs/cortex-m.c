// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program without a system for a Cortex-M: calls, recursion, a switch, IT blocks, and interrupts
 * at any place of them.  SysTick raises IRQ 3, of a higher priority, and IRQ 12, of a lower one.
 * Handlers raise PendSV, and each other, so that some interrupt others and some follow in a tail
 * chain.  SVC calls a table of services.  An undefined instruction raises a UsageFault, whose
 * handler skips it.
 *
 *	gcc -mthumb -mcpu=cortex-m33 -ffreestanding -nostdlib -T cortex-m.ld cortex-m.c
 *
 * An argument is the number of rounds.
 */
#include "cortex-m.h"

static uint32_t ticks, high, low, switches, calls, faults;
static uint32_t sum;

/* ---------------------------------------------------------------- handlers */

__attribute__((noinline)) static uint32_t mix_thrice(uint32_t v)
{
	for (int i = 0; i < 3; i++)
		v = mix(v);
	return v;
}

static void systick(void)
{
	ticks++;
	sum = mix_thrice(sum);
	if (ticks % 3 == 0)
		put(NVIC_ISPR, 1u << 3);
	if (ticks % 5 == 0)
		put(NVIC_ISPR, 1u << 12);
	if (ticks % 7 == 0)
		put(ICSR, ICSR_PENDSV);
	sum += ticks;
}

static void irq3(void)
{
	high++;
	sum = mix_thrice(sum);
	put(ICSR, ICSR_PENDSV);
}

static void irq12(void)
{
	low++;
	/* IRQ 3 interrupts this one, which comes once more, after itself. */
	if (low % 2)
		put(NVIC_ISPR, 1u << 3);
	if (low % 4 == 1)
		put(NVIC_ISPR, 1u << 12);
	sum = mix_thrice(sum + 1);
}

static void pendsv(void)
{
	switches++;
}

static uint32_t service_add(uint32_t a, uint32_t b)
{
	return a + b;
}

static uint32_t service_mix(uint32_t a, uint32_t b)
{
	return mix_thrice(a ^ b);
}

static uint32_t service_pend(uint32_t a, uint32_t b)
{
	put(NVIC_ISPR, 1u << 12);
	return a - b;
}

__attribute__((used)) static void serve(uint32_t *frame)
{
	static uint32_t (*const service[])(uint32_t a, uint32_t b) = {
		service_add, service_mix, service_pend,
	};
	const uint8_t *svc = (const uint8_t *)(uintptr_t)frame[6] - 2;

	calls++;
	frame[0] = service[*svc % 3](frame[0], frame[1]);
}

FRAME_HANDLER(svc, serve)

__attribute__((used)) static void skip(uint32_t *frame)
{
	faults++;
	frame[6] += 2;
	if (faults % 2)
		put(NVIC_ISPR, 1u << 3);
}

FRAME_HANDLER(usage_fault, skip)

/* ---------------------------------------------------------------- the program */

__attribute__((noinline)) static uint32_t fib(uint32_t n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__attribute__((noinline)) static uint32_t pick(uint32_t v)
{
	switch (v & 7) {
	case 0: return v + 11;
	case 1: return v * 3;
	case 2: return v ^ 0x55;
	case 3: return v >> 1;
	case 4: return v - 7;
	case 5: return ~v;
	case 6: return v << 2;
	default: return v | 0x100;
	}
}

/* Returns out of IT blocks, and calls in them. */
__attribute__((naked, noinline)) static uint32_t conditional(uint32_t v __attribute__((unused)))
{
	asm("push {r4, lr}\n"
	    "movs r4, r0\n"
	    "tst r4, #3\n"
	    "itte ne\n"
	    "addne r4, #5\n"
	    "eorne r4, r4, #9\n"
	    "addeq r4, #1\n"
	    "lsls r1, r4, #31\n"
	    "itt mi\n"
	    "movmi r0, r4\n"
	    "popmi {r4, pc}\n"
	    "cmp r4, #40\n"
	    "it gt\n"
	    "blgt pick_it\n"
	    "mov r0, r4\n"
	    "pop {r4, pc}\n");
}

__attribute__((used, noinline)) static uint32_t pick_it(uint32_t v)
{
	return pick(v);
}

static uint32_t call(uint32_t a, uint32_t b)
{
	register uint32_t r0 asm("r0") = a;
	register uint32_t r1 asm("r1") = b;

	if (a % 3 == 0)
		asm volatile("svc 0" : "+r"(r0) : "r"(r1) : "memory");
	else if (a % 3 == 1)
		asm volatile("svc 1" : "+r"(r0) : "r"(r1) : "memory");
	else
		asm volatile("svc 2" : "+r"(r0) : "r"(r1) : "memory");
	return r0;
}

#ifdef LOOPS
/* Low-overhead loops of v8.1-M: one that may not begin at all, one that counts, one without end. */
__attribute__((noinline)) static uint32_t loops(uint32_t n)
{
	uint32_t v = 0;

	asm volatile("wls lr, %1, 2f\n"
		     "1: adds %0, #3\n"
		     "tst %0, #4\n"
		     "it ne\n"
		     "addne %0, #1\n"
		     "le lr, 1b\n"
		     "2:\n"
		     "mov r3, #5\n"
		     "dls lr, r3\n"
		     "3: eors %0, %0, lr\n"
		     "le lr, 3b\n"
		     : "+r"(v) : "r"(n) : "r3", "lr", "cc");
	return v;
}
#else
static uint32_t loops(uint32_t n)
{
	return n;
}
#endif

__attribute__((noinline)) static uint32_t once(uint32_t i)
{
	static uint32_t (*const way[])(uint32_t v) = { pick, conditional, fib };
	uint32_t v = i;

	for (uint32_t k = 0; k < 24; k++)
		v += way[k % 3](k % 3 == 2 ? k / 3 : v + k);
	v = call(v, i) + loops(i % 9);
	if (i % 5 == 0)
		put(NVIC_ISPR, 1u << 12);
	if (i % 7 == 0)
		put(ICSR, ICSR_PENDSV);
	if (i % 4 == 0)
		asm volatile("udf #1" ::: "memory");
	if (i % 16 == 0)
		asm volatile("wfi" ::: "memory");
	return v;
}

#ifdef TWO
/* The second processor of mps2-an521: it works without end, and has a SysTick of its own. */
#define INITSVTOR1	0x50021114
#define CPUWAIT		0x50021118

static uint32_t second_ticks, second_sum, second_stack[512] __attribute__((aligned(8)));

static void second_systick(void)
{
	second_ticks++;
	if (second_ticks % 3 == 0)
		put(ICSR, ICSR_PENDSV);
}

static void second_pendsv(void)
{
	second_sum = mix_thrice(second_sum + 1);
}

static void second(void)
{
	uint32_t v = 0;

	tick_every(512);
	for (uint32_t i = 0;; i++)
		second_sum = v += pick(i) + conditional(v) + fib(i % 7);
}

static void *const second_vectors[16] __attribute__((aligned(512))) = {
	[0] = second_stack + 512, [1] = second, [2] = stray, [3] = stray, [4] = stray, [5] = stray,
	[6] = stray, [7] = stray, [14] = second_pendsv, [15] = second_systick,
};

static void start_second(void)
{
	put(INITSVTOR1, (uint32_t)(uintptr_t)second_vectors);
	put(CPUWAIT, 0);
}
#else
static void start_second(void)
{
}
#endif

static void program(uint32_t n)
{
	uint32_t v = 0;

	start_second();
	put(SHCSR, SHCSR_FAULTS);
	put_byte(SHPR(6), 0x20);		/* UsageFault */
	put_byte(SHPR(11), 0x60);	/* SVC */
	put_byte(SHPR(14), 0xe0);	/* PendSV */
	put_byte(SHPR(15), 0x80);	/* SysTick */
	put_byte(NVIC_IPR(3), 0x40);
	put_byte(NVIC_IPR(12), 0xa0);
	put(NVIC_ISER, 1u << 3 | 1u << 12);
	tick_every(398);
	for (uint32_t i = 0; i < n; i++)
		v += once(i);
	put(SYST_CSR, 0);
	say("result ", v);
	say("ticks ", ticks);
	say("high ", high);
	say("low ", low);
	say("switches ", switches);
	say("calls ", calls);
	say("faults ", faults);
}

VECTORS([6] = usage_fault, [11] = svc, [14] = pendsv, [15] = systick,
	[16 + 3] = irq3, [16 + 12] = irq12);
