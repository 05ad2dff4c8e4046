// SPDX-License-Identifier: GPL-2.0-only
/*
 * Both security states of a Cortex-M: calls from one to the other, with their returns, and
 * interrupts of either state in both.  For mps2-an505, whose code memory is Non-secure from
 * 0x200000 on here; the memory before it is Secure, and is seen at 0x10000000.
 */
#define MAIN_STACK
#include "cortex-m.h"

#define NS	__attribute__((section(".nonsecure.text"), noinline))
#define NS_DATA	__attribute__((section(".nonsecure.data")))

#define NVIC_ISPR_NS	0xe002e200
#define NVIC_ITNS	0xe000e380
#define VTOR_NS		0xe002ed08
#define SAU_CTRL	0xe000edd0
#define SAU_RNR		0xe000edd8
#define SAU_RBAR	0xe000eddc
#define SAU_RLAR	0xe000ede0
#define SAU_NSC		2
/* The machine: what may be callable, and the memory's blocks that are Non-secure. */
#define NSCCFG		0x50080014
#define MPC_BLK_MAX	0x58007010
#define MPC_BLK_IDX	0x58007018
#define MPC_BLK_LUT	0x5800701c

#define ROUNDS		600

static uint32_t secure_ticks, secure_calls;
static NS_DATA uint32_t other_ticks = 1, other_calls = 1;

/* ---------------------------------------------------------------- Secure state */

__attribute__((used)) static uint32_t mix_often(uint32_t v)
{
	secure_calls++;
	for (int i = 0; i < 4; i++)
		v = mix(v);
	return v;
}

/* Both may be called from Non-secure state; the linker script aligns the section. */
__attribute__((naked, section(".text.callable"), aligned(32))) static uint32_t gate(uint32_t v)
{
	asm("sg\n"
	    "push {r4, lr}\n"
	    "bl mix_often\n"
	    "pop {r4, lr}\n"
	    "bxns lr\n"
	    ".balign 32\n" :: "r"(v));
}

/* A function of Non-secure state; its registers are of no interest. */
__attribute__((naked, noinline)) static uint32_t call_other(uint32_t a, uint32_t f)
{
	asm("push {r3-r11, lr}\n"
	    "bic r1, #1\n"
	    "blxns r1\n"
	    "pop {r3-r11, pc}\n" :: "r"(a), "r"(f));
}

static void systick(void)
{
	secure_ticks++;
	if (secure_ticks % 3 == 0)
		put(NVIC_ISPR, 1u << 5);
}

/* ---------------------------------------------------------------- Non-secure state */

static NS uint32_t other_leaf(uint32_t v)
{
	return v & 2 ? v * 5 + 1 : v - 3;
}

static NS uint32_t other_work(uint32_t v)
{
	uint32_t (*const call)(uint32_t v) = gate;

	for (int i = 0; i < 6; i++) {
		v += other_leaf(v + i);
		if (i % 2)
			v ^= call(v);
	}
	other_calls++;
	return v;
}

static NS void other_irq(void)
{
	other_ticks++;
}

/* It calls Secure code, from a handler. */
static NS void other_irq_that_calls(void)
{
	uint32_t (*const call)(uint32_t v) = gate;

	other_ticks += call(other_ticks) & 3;
	__atomic_store_n((uint32_t *)(uintptr_t)NVIC_ISPR, 1u << 6, __ATOMIC_SEQ_CST);
}

static NS_DATA uint32_t other_stack[512] __attribute__((aligned(8))) = { 1 };

__attribute__((section(".nonsecure.vectors"))) void *const other_vectors[16 + 8] = {
	[0] = other_stack + 512, [16 + 5] = other_irq_that_calls, [16 + 6] = other_irq,
};

/* ---------------------------------------------------------------- begin */

static void region(uint32_t n, uint32_t from, uint32_t last, uint32_t flags)
{
	put(SAU_RNR, n);
	put(SAU_RBAR, from & ~31u);
	put(SAU_RLAR, (last & ~31u) | flags | 1);
}

static void divide(void)
{
	const uint32_t last = get(MPC_BLK_MAX);

	for (uint32_t i = (last + 1) / 2; i <= last; i++) {
		put(MPC_BLK_IDX, i);
		put(MPC_BLK_LUT, 0xffffffff);
	}
	put(NSCCFG, 1);
	region(0, 0x00200000, 0x003fffff, 0);
	region(1, (uint32_t)(uintptr_t)gate, (uint32_t)(uintptr_t)gate + 31, SAU_NSC);
	put(SAU_CTRL, 1);
	put(NVIC_ITNS, 1u << 5 | 1u << 6);
	put(NVIC_ISER, 1u << 5 | 1u << 6);
	put(VTOR_NS, (uint32_t)(uintptr_t)other_vectors);
	asm volatile("msr msp_ns, %0\n"
		     "dsb\n"
		     "isb\n" :: "r"(other_vectors[0]) : "memory");
}

static void program(uint32_t n)
{
	uint32_t v = 1;

	divide();
	put(SHCSR, 7u << 16 | 1u << 19);
	tick_every(332);
	for (int i = 0; i < ROUNDS; i++)
		v = mix_often(call_other(v, (uint32_t)(uintptr_t)other_work));
	put(SYST_CSR, 0);
	say("result ", v);
	say("Secure ticks ", secure_ticks);
	say("Secure calls ", secure_calls);
	say("ticks ", other_ticks);
	say("calls ", other_calls);
}

VECTORS([15] = systick);
