// SPDX-License-Identifier: GPL-2.0-only
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/io.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "channel.h"

#define VENDOR		PCI_VENDOR_ID_REDHAT_QUMRANET
#define IVSHMEM		0x1110
#define BAR		2
#define WAIT_NS		(100 * NSEC_PER_MSEC)

static bool live = true;
module_param(live, bool, 0444);
MODULE_PARM_DESC(live, "Use the trace units of the emulator, if it has some");

/**
 * struct ivshmem - the device
 * @pci: NULL: not there
 * @base: its memory
 * @n: how many channels it has for CPUs that there may be
 * @n_vector: how many of them have an interrupt
 * @data: what the handler of each gets; NULL: it is not requested
 */
static struct ivshmem {
	struct pci_dev *pci;
	u8 *base;
	unsigned int n;
	unsigned int n_vector;
	void *data[CSF_CHANNEL_CPUS];
} ivshmem;

static struct csf_channel *channel_at(unsigned int cpu)
{
	return (struct csf_channel *)(ivshmem.base + cpu * CSF_CHANNEL_STRIDE);
}

struct csf_channel *channel_of(unsigned int cpu)
{
	const struct csf_channel *channel;

	if (!ivshmem.base)
		return NULL;
	if (cpu >= ivshmem.n) {
		pr_warn("CPU %u has no live trace unit: the device has %u\n", cpu, ivshmem.n);
		return NULL;
	}
	channel = channel_at(cpu);
	if (channel->magic != CSF_CHANNEL_MAGIC) {
		pr_warn("CPU %u has no live trace unit: magic 0x%08x, want 0x%08x\n", cpu,
			channel->magic, CSF_CHANNEL_MAGIC);
		return NULL;
	}
	if (channel->version != CSF_CHANNEL_VERSION) {
		pr_warn("CPU %u has no live trace unit: version %u, want %u\n", cpu,
			channel->version, CSF_CHANNEL_VERSION);
		return NULL;
	}
	return channel_at(cpu);
}

/* The parts that an error takes back. */
static int map(struct pci_dev *pci)
{
	u64 bytes;
	int n, err;

	err = pci_enable_device(pci);
	if (err)
		return err;
	err = pci_request_region(pci, BAR, KBUILD_MODNAME);
	if (err)
		goto disable;
	/* It is memory of the machine.  Only the channels of CPUs that there may be are mapped. */
	bytes = min_t(u64, pci_resource_len(pci, BAR), nr_cpu_ids * CSF_CHANNEL_STRIDE);
	ivshmem.base = memremap(pci_resource_start(pci, BAR), bytes, MEMREMAP_WB);
	if (!ivshmem.base) {
		err = -ENOMEM;
		goto release;
	}
	ivshmem.n = min_t(u64, bytes / CSF_CHANNEL_STRIDE, CSF_CHANNEL_CPUS);
	/* The device writes messages for its interrupts, if it has some. */
	pci_set_master(pci);
	n = pci_alloc_irq_vectors(pci, 1, ivshmem.n, PCI_IRQ_MSIX);
	ivshmem.n_vector = max(n, 0);
	return 0;

release:
	pci_release_region(pci, BAR);
disable:
	pci_disable_device(pci);
	return err;
}

void channel_open(void)
{
	struct pci_dev *pci = live ? pci_get_device(VENDOR, IVSHMEM, NULL) : NULL;
	int err;

	if (!pci)
		return;
	err = map(pci);
	if (err) {
		pr_warn("no live trace units: the memory of %s cannot be used: error %d\n",
			pci_name(pci), err);
		pci_dev_put(pci);
		return;
	}
	ivshmem.pci = pci;
	pr_info("live trace units in %s, for up to %u CPUs, %u with interrupts\n", pci_name(pci),
		ivshmem.n, min(ivshmem.n, ivshmem.n_vector));
}

void channel_close(void)
{
	struct pci_dev *pci = ivshmem.pci;

	if (!pci)
		return;
	for (unsigned int i = 0; i < ivshmem.n_vector; i++)
		if (ivshmem.data[i])
			free_irq(pci_irq_vector(pci, i), ivshmem.data[i]);
	if (ivshmem.n_vector)
		pci_free_irq_vectors(pci);
	pci_clear_master(pci);
	memunmap(ivshmem.base);
	pci_release_region(pci, BAR);
	pci_disable_device(pci);
	pci_dev_put(pci);
	memset(&ivshmem, 0, sizeof(ivshmem));
}

bool channel_irq(unsigned int cpu, irq_handler_t handler, void *data)
{
	int irq, err;

	if (cpu >= ivshmem.n_vector)
		return false;
	irq = pci_irq_vector(ivshmem.pci, cpu);
	if (!ivshmem.data[cpu]) {
		err = request_irq(irq, handler, IRQF_NOBALANCING | IRQF_NO_THREAD, KBUILD_MODNAME,
				  data);
		if (err) {
			pr_warn("no interrupt for CPU %u: error %d\n", cpu, err);
			return false;
		}
		ivshmem.data[cpu] = data;
	}
	err = irq_set_affinity(irq, cpumask_of(cpu));
	if (!err)
		return true;
	pr_warn("interrupt %d is not for CPU %u: error %d\n", irq, cpu, err);
	return false;
}

void channel_start(struct csf_channel *channel)
{
	WRITE_ONCE(channel->idle, 0);
	WRITE_ONCE(channel->enable, 1);
}

bool channel_stop(struct csf_channel *channel)
{
	static bool silent;	/* a unit did not answer: there is no sense in waiting again */
	const u64 start = ktime_get_mono_fast_ns();

	if (!READ_ONCE(channel->enable))
		return true;
	WRITE_ONCE(channel->enable, 0);
	while (!READ_ONCE(channel->idle)) {
		if (READ_ONCE(silent))
			return false;
		if (ktime_get_mono_fast_ns() - start > WAIT_NS) {
			WRITE_ONCE(silent, true);
			pr_err("the trace unit of CPU %u does not stop: is it there?\n",
			       smp_processor_id());
			return false;
		}
		cpu_relax();
	}
	return true;
}

const u8 *channel_bytes(const struct csf_channel *channel, u64 at, size_t *n)
{
	const size_t off = at % CSF_CHANNEL_BYTES;

	*n = min_t(size_t, *n, CSF_CHANNEL_BYTES - off);
	return (const u8 *)channel + CSF_CHANNEL_AT + off;
}
