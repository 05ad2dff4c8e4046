// SPDX-License-Identifier: GPL-2.0-only
/*
 * A system for qemu-system-aarch64 -M virt, without Linux: it enables the trace unit of each CPU
 * itself, and has what changes the flow of a system: calls between levels, faults, traps, debug
 * exceptions, interrupts, other contexts.  Its memory is not translated.
 */
#include "../../kernel-glue/include/uapi/csf_channel.h"
#include "system.h"

#define u32	__u32
#define u64	__u64

#ifndef LEVELS
#define LEVELS		3
#endif
#ifndef CONFIG
#define CONFIG		0x841		/* context IDs, timestamps */
#endif
#ifndef ROUNDS
#define ROUNDS		20
#endif
#ifndef LIMIT
#define LIMIT		CSF_CHANNEL_BYTES
#endif
#ifndef FLAGS
#define FLAGS		0
#endif
#ifndef CPUS
#define CPUS		1
#endif

#define ECAM		0x4010000000ul
#define BAR		0x10000000ul
#define IVSHMEM		0x11101af4u
#define MSIX		0x18000000ul	/* BAR 1 */
#define GIC		0x08000000ul
#define GIC_CPU		0x08010000ul
#define GIC_MSI		0x08020040ul	/* a number written here is an interrupt */
#define TIMER		27		/* interrupt of the virtual timer */
#define BELL		80		/* of the trace unit of CPU 0, and so on */
#define NOTHING		0x30000000ul	/* an address at which no device is */

#define PSCI_OFF	0x84000008u
#define PSCI_ON		0xc4000003u
#define PSCI_VERSION	0x84000000u

/* Registers of the CPU, and of devices. */
#define get(name)						\
({								\
	u64 got;						\
								\
	asm volatile("mrs %0, " #name : "=r"(got));		\
	got;							\
})
#define set(name, value)	asm volatile("msr " #name ", %0" :: "r"((u64)(value)) : "memory")
#define isb()			asm volatile("isb" ::: "memory")
#define read(at)		__atomic_load_n((u32 *)(u64)(at), __ATOMIC_RELAXED)
#define write(at, value)	__atomic_store_n((u32 *)(u64)(at), value, __ATOMIC_RELAXED)

/* What the unit or another CPU uses at the same time. */
#define look(what)		__atomic_load_n(&(what), __ATOMIC_ACQUIRE)
#define put(what, value)	__atomic_store_n(&(what), value, __ATOMIC_RELEASE)

u64 stack[CPUS][2][512];
static u32 done, ticks[CPUS];
static u64 sum;

static u64 fib(u64 n), plus(u64 v);

/* ---------------------------------------------------------------- the trace unit */

static struct csf_channel *channel(u64 cpu)
{
	return (struct csf_channel *)(BAR + cpu * CSF_CHANNEL_STRIDE);
}

/* The device at @at interrupts by messages, if it can. */
static void interrupts_on(u64 at)
{
	u64 cap = read(at + 0x34) & 0xff;

	while (cap && (read(at + cap) & 0xff) != 0x11)
		cap = read(at + cap) >> 8 & 0xff;
	if (!cap)
		return;
	write(at + 0x14, MSIX);
	write(at + 4, 6);
	for (u64 cpu = 0; cpu < CPUS; cpu++) {
		write(MSIX + 16 * cpu, GIC_MSI);
		write(MSIX + 16 * cpu + 4, 0);
		write(MSIX + 16 * cpu + 8, BELL + cpu);
		write(MSIX + 16 * cpu + 12, 0);
	}
	write(at + cap, read(at + cap) | 1u << 31);
}

static int find_device(void)
{
	for (u64 at = ECAM; at < ECAM + 0x100000; at += 0x8000) {
		if (read(at) != IVSHMEM)
			continue;
		write(at + 0x18, BAR);
		write(at + 0x1c, 0);
		interrupts_on(at);
		write(at + 4, 6);
		return look(channel(0)->magic) == CSF_CHANNEL_MAGIC;
	}
	return 0;
}

/* The unit may write more, and is to ring when half of it is there. */
static void more(struct csf_channel *c)
{
	put(c->limit, look(c->written) + LIMIT);
#ifdef RINGS
	put(c->signal, look(c->written) + LIMIT / 2);
#endif
	put(c->full, 0);
}

static void trace(u64 cpu)
{
	struct csf_channel *c = channel(cpu);

	c->trcconfigr = CONFIG;
	c->levels = LEVELS;
	c->trcsyncpr = 10;
	c->trcccctlr = 16;
	c->ts_period = 2000;
	c->flags = FLAGS;
	more(c);
#ifdef STROBE
	c->strobe_on = 3000;
	c->strobe_off = 7000;
#endif
#ifdef RANGE
	c->n_range = 1;
	c->range[0].from = (u64)user & ~0xffful;
	c->range[0].to = ((u64)user & ~0xffful) + 0x1000;
	c->range[0].kind = CSF_CHANNEL_EXCLUDE;
#endif
#ifdef STARTS
	c->n_range = 2;
	c->range[0].from = (u64)fib;
	c->range[0].kind = CSF_CHANNEL_START;
	c->range[1].from = (u64)plus;
	c->range[1].kind = CSF_CHANNEL_STOP;
#endif
	put(c->enable, 1);
}

static void stop(u64 cpu)
{
	struct csf_channel *c = channel(cpu);

	put(c->enable, 0);
	while (!look(c->idle))
		;
}

/* ---------------------------------------------------------------- exceptions */

u64 handle(u64 kind, u64 elr, u64 esr)
{
	const u64 class = esr >> 26 & 0x3f, cpu = get(mpidr_el1) & 0xff;
	u32 number;

	if (kind == 1) {
		number = read(GIC_CPU + 0xc);
		if (number == TIMER) {
			ticks[cpu]++;
			set(cntv_tval_el0, 20000 + ticks[cpu] * 977 % 5000);
		} else {
			/* A register that is not used otherwise counts. */
			channel(cpu)->range[7].from++;
#ifdef RESTARTS
			if (look(channel(cpu)->enable)) {
				stop(cpu);
				trace(cpu);
			}
#else
			more(channel(cpu));
#endif
		}
		write(GIC_CPU + 0x10, number);
		return elr;
	}
	if (class == 0x15 || class == 0x11)
		return elr;
	/* Past what faulted: the only instruction of T32 that does has two bytes. */
	return elr + (get(spsr_el1) >> 4 & 1 && get(spsr_el1) >> 5 & 1 ? 2 : 4);
}

static void timer_on(u64 cpu)
{
	const u64 edge = GIC + 0xc00 + BELL / 16 * 4;

	write(GIC + 0x100, 1u << TIMER);
	write(GIC + 0x100 + BELL / 32 * 4, 1u << (BELL + cpu) % 32);
	*(unsigned char *)(GIC + 0x800 + BELL + cpu) = 1u << cpu;
	write(edge, read(edge) | 2u << (BELL + cpu) % 16 * 2);
	write(GIC_CPU + 4, 0xff);
	write(GIC, 1);
	write(GIC_CPU, 1);
	set(cntv_tval_el0, 5000);
	set(cntv_ctl_el0, 1);
	asm volatile("msr daifclr, #2" ::: "memory");
}

/* ---------------------------------------------------------------- work */

static __attribute__((noinline)) u64 fib(u64 n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static __attribute__((noinline)) u64 twice(u64 v)
{
	return 2 * v;
}

static __attribute__((noinline)) u64 plus(u64 v)
{
	return v + 3;
}

static u64 (*table[])(u64 v) = { twice, plus, fib };

static __attribute__((noinline)) void work(u64 n)
{
	for (u64 i = 0; i < n; i++)
		sum += table[i % 3](i % 9) ^ fib(i & 7);
}

/* At EL0; comes back by a call. */
__attribute__((aligned(4096))) void user(void)
{
	for (u64 i = 0; i < 5; i++) {
		work(9);
		asm volatile("mov x0, #0\n svc #1" ::: "x0", "memory");
		asm volatile("udf #1" ::: "memory");
		asm volatile("ldr x0, [%0]" :: "r"(NOTHING) : "x0", "memory");
		asm volatile("mrs x0, sctlr_el1" ::: "x0");
	}
	asm volatile("mov x0, #1\n svc #0" ::: "x0", "memory");
	for (;;)
		;
}

static void kernel_work(u64 cpu, u64 i)
{
	work(5 + i % 4);
	asm volatile("svc #2" ::: "memory");
	asm volatile("brk #3" ::: "memory");
	asm volatile("udf #4" ::: "memory");
	asm volatile("1: ldr x0, [%0]\n cbz x0, 2f\n nop\n 2:" :: "r"(NOTHING) : "x0", "memory");
	asm volatile("ldr x0, [%0, #1]" :: "r"(stack) : "x0", "memory");
	set(contextidr_el1, 100 + 10 * cpu + i % 3);
	isb();
	if (i % 4 == 0)
		sum += psci(PSCI_VERSION, 0, 0, 0);
	if (i % 5 == 0)
		asm volatile("wfi" ::: "memory");
}

static void run(u64 cpu)
{
	set(vbar_el1, (u64)vectors);
	isb();
	timer_on(cpu);
	for (u64 session = 0; session < 2; session++) {
		trace(cpu);
		for (u64 i = 0; i < ROUNDS; i++) {
			kernel_work(cpu, i);
			enter_user((u64)user, (u64)stack[cpu][1] + sizeof(stack[cpu][1]), 0);
#ifdef USER32
			enter_user((u64)user32, 0, 16);
#endif
		}
		stop(cpu);
	}
	set(cntv_ctl_el0, 0);
}

void second(void)
{
	run(1);
	put(done, 1);
	for (;;)
		asm volatile("wfi");
}

void first(void)
{
	if (find_device()) {
		if (CPUS > 1)
			psci(PSCI_ON, 1, (u64)begin, 1);
		run(0);
		while (CPUS > 1 && !look(done))
			;
	}
	psci(PSCI_OFF, 0, 0, 0);
}
