/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For programs without a system on a Cortex-M, each in one file: registers, semihosting, a start on
 * the process stack, and a vector table, in which stray() is what the program does not name.
 */
#ifndef CORTEX_M_H
#define CORTEX_M_H

#include <stdint.h>

/* Registers of words. */
#define SYST_CSR	0xe000e010
#define SYST_RVR	0xe000e014
#define SYST_CVR	0xe000e018
#define NVIC_ISER	0xe000e100
#define NVIC_ISPR	0xe000e200
#define ICSR		0xe000ed04
#define SCR		0xe000ed10
#define CCR		0xe000ed14
#define SHCSR		0xe000ed24
#define CPACR		0xe000ed88
#define MPU_CTRL	0xe000ed94
#define MPU_RNR		0xe000ed98
#define MPU_RBAR	0xe000ed9c
#define MPU_RASR	0xe000eda0
/* Registers of bytes: priorities of interrupts, and of exceptions 4.. */
#define NVIC_IPR(n)	(0xe000e400 + (n))
#define SHPR(n)		(0xe000ed18 + (n) - 4)

#define ICSR_NMI	(1u << 31)
#define ICSR_PENDSV	(1u << 28)
#define SHCSR_FAULTS	(7u << 16)

#define SYS_WRITE0	0x04
#define SYS_GET_CMDLINE	0x15
#define SYS_EXIT_EXTENDED	0x20
#define STOPPED		0x20026

static inline void put(uint32_t addr, uint32_t v)
{
	__atomic_store_n((uint32_t *)(uintptr_t)addr, v, __ATOMIC_SEQ_CST);
}

static inline void put_byte(uint32_t addr, uint8_t v)
{
	__atomic_store_n((uint8_t *)(uintptr_t)addr, v, __ATOMIC_SEQ_CST);
}

static inline uint32_t get(uint32_t addr)
{
	return __atomic_load_n((uint32_t *)(uintptr_t)addr, __ATOMIC_SEQ_CST);
}

static uint32_t semihost(uint32_t what, const void *arg)
{
	register uint32_t r0 asm("r0") = what;
	register const void *r1 asm("r1") = arg;

	asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
	return r0;
}

static void leave(uint32_t status)
{
	const uint32_t how[] = { STOPPED, status };

	semihost(SYS_EXIT_EXTENDED, how);
}

static void stray(void)
{
	semihost(SYS_WRITE0, "an exception that must not come\n");
	leave(99);
}

static void say(const char *what, uint32_t v)
{
	char text[12], *p = text + sizeof(text);

	*--p = 0;
	*--p = '\n';
	for (int i = 0; i < 8; i++, v >>= 4)
		*--p = "0123456789abcdef"[v & 15];
	semihost(SYS_WRITE0, what);
	semihost(SYS_WRITE0, p);
}

/* The argument of the program. */
static uint32_t rounds(void)
{
	static char text[80];
	struct { char *text; uint32_t size; } line = { text, sizeof(text) };
	uint32_t n = 0;
	char *p = text;

	semihost(SYS_GET_CMDLINE, &line);
	while (*p && *p != ' ')
		p++;
	while (*p == ' ')
		p++;
	for (; *p >= '0' && *p <= '9'; p++)
		n = 10 * n + (*p - '0');
	return n ? n : 20;
}

static inline void tick_every(uint32_t cycles)
{
	put(SYST_RVR, cycles - 1);
	put(SYST_CVR, 0);
	put(SYST_CSR, 7);
}

static inline uint32_t mix(uint32_t v)
{
	return v & 1 ? v >> 1 ^ 0xedb88320 : v >> 1;
}

/* What the file defines: the program, after which it ends with status 0. */
static void program(uint32_t n);

__attribute__((used)) static void begin(void)
{
	program(rounds());
	put(SYST_CSR, 0);
	leave(0);
}

/* Before this file, MAIN_STACK: the program stays on the main stack. */
#ifdef MAIN_STACK
static void start(void)
{
	begin();
}
#else
static uint32_t process_stack[1024] __attribute__((aligned(8)));

__attribute__((naked)) static void start(void)
{
	asm volatile("msr psp, %0\n"
		     "movs r0, #2\n"
		     "msr control, r0\n"
		     "isb\n"
		     "b begin\n" :: "r"(process_stack + 1024));
}
#endif

extern uint32_t stack_end[];

#define VECTORS(...) \
	__attribute__((section(".vectors"))) void *const vectors[16 + 16] = { \
		[0] = stack_end, [1] = start, [2 ... 7] = stray, [11 ... 12] = stray, \
		[14 ... 31] = stray, __VA_ARGS__ \
	}

/* A handler that calls @function with the frame of the exception. */
#define FRAME_HANDLER(name, function) \
	__attribute__((naked)) static void name(void) \
	{ \
		asm("tst lr, #4\n" \
		    "ite eq\n" \
		    "mrseq r0, msp\n" \
		    "mrsne r0, psp\n" \
		    "b " #function "\n"); \
	}

#endif /* CORTEX_M_H */
