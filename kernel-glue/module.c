// SPDX-License-Identifier: GPL-2.0-only
/*
 * A virtual trace unit and trace buffer for each CPU, so that perf record -e cs_etm// works on a
 * machine without them.
 *
 * The CoreSight core wants the driver of a device's parent: so there is a platform device, with a
 * driver that is bound to it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/module.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>

#include "channel.h"
#include "etr.h"
#include "unit.h"

#define NAME	"csflow_ete"

static DEFINE_PER_CPU(struct unit, units);
static struct platform_device *device;
static struct device *parent;		/* of all units */
static enum cpuhp_state online;		/* add() is called in it */

struct unit *unit_here(void)
{
	return this_cpu_ptr(&units);
}

static void remove_all(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct unit *unit = per_cpu_ptr(&units, cpu);

		source_unregister(unit);
		sink_unregister(unit);
	}
}

/*
 * A CPU comes online.  Its unit stays when it goes offline, as those of real drivers do.  Without a
 * unit the module is not loaded; later on the CPU comes online all the same.
 */
static int add(unsigned int cpu)
{
	struct unit *unit = per_cpu_ptr(&units, cpu);
	int err;

	if (unit->source) {
		sink_online(unit);
		return 0;
	}
	unit->cpu = cpu;
	raw_spin_lock_init(&unit->lock);
	unit->channel = channel_of(cpu);
	sink_online(unit);
	err = sink_register(unit, parent);
	if (!err)
		err = source_register(unit, parent);
	if (!err)
		return 0;
	dev_err(parent, "no trace unit for CPU %u: error %d\n", cpu, err);
	sink_unregister(unit);
	return online ? 0 : err;
}

static int probe(struct platform_device *pdev)
{
	int err;

	parent = &pdev->dev;
	channel_open();
	err = etr_register();
	if (err)
		dev_warn(parent, "no sink that all CPUs share: error %d\n", err);
	pm_runtime_set_active(parent);
	pm_runtime_enable(parent);
	err = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "csflow/ete:online", add, NULL);
	if (err < 0) {
		remove_all();
		etr_unregister();
		channel_close();
		pm_runtime_disable(parent);
		return err;
	}
	online = err;
	return 0;
}

static struct platform_driver driver = {
	.probe = probe,
	.driver = {
		.name = NAME,
		.suppress_bind_attrs = true,
	},
};

static int __init csflow_ete_init(void)
{
	int err = platform_driver_register(&driver);

	if (err)
		return err;
	device = platform_device_register_simple(NAME, PLATFORM_DEVID_NONE, NULL, 0);
	/* What probe() says is kept from the caller. */
	if (!IS_ERR(device) && !device->dev.driver) {
		platform_device_unregister(device);
		device = ERR_PTR(-ENODEV);
	}
	if (IS_ERR(device)) {
		platform_driver_unregister(&driver);
		return PTR_ERR(device);
	}
	return 0;
}

static void __exit csflow_ete_exit(void)
{
	cpuhp_remove_state_nocalls(online);
	remove_all();
	etr_unregister();
	channel_close();
	pm_runtime_disable(parent);
	platform_device_unregister(device);
	platform_driver_unregister(&driver);
}

module_init(csflow_ete_init);
module_exit(csflow_ete_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Virtual CoreSight trace units: ETE or ETMv4, with trace buffers like a TRBE");
