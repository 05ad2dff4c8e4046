// SPDX-License-Identifier: GPL-2.0-only
/*
 * The PMU cs_etm by itself, for a kernel without the CoreSight core: that of another architecture,
 * or one that has not configured it.  Recorded trace is played back, as with the core.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/device.h>
#include <linux/module.h>
#include <linux/perf_event.h>

#include "attributes.h"
#include "aux.h"
#include "compat.h"
#include "csf_abi.h"
#include "play.h"
#include "unit.h"

/**
 * struct seat - what a CPU has
 * @unit: its trace unit
 * @dev: the files of the unit
 * @handle: the AUX record that is being made
 */
struct seat {
	struct unit unit;
	struct device *dev;
	struct perf_output_handle handle;
};

static DEFINE_PER_CPU(struct seat, seats);
static struct device *root;

/* -------- the options of an event */

PMU_FORMAT_ATTR(preset, "config:0-3");
PMU_FORMAT_ATTR(branch_broadcast, "config:8");
PMU_FORMAT_ATTR(cycacc, "config:12");
PMU_FORMAT_ATTR(contextid, "config:14");
PMU_FORMAT_ATTR(contextid1, "config:14");
PMU_FORMAT_ATTR(contextid2, "config:15");
PMU_FORMAT_ATTR(timestamp, "config:28");
PMU_FORMAT_ATTR(retstack, "config:29");
PMU_FORMAT_ATTR(sinkid, "config2:0-31");
PMU_FORMAT_ATTR(configid, "config2:32-63");
PMU_FORMAT_ATTR(cc_threshold, "config3:0-11");

static struct attribute *format_attrs[] = {
	&format_attr_preset.attr, &format_attr_branch_broadcast.attr, &format_attr_cycacc.attr,
	&format_attr_contextid.attr, &format_attr_contextid1.attr, &format_attr_contextid2.attr,
	&format_attr_timestamp.attr, &format_attr_retstack.attr, &format_attr_sinkid.attr,
	&format_attr_configid.attr, &format_attr_cc_threshold.attr, NULL
};

static const struct attribute_group format_group = { .name = "format", .attrs = format_attrs };
static const struct attribute_group *pmu_groups[] = { &format_group, NULL };

/* -------- an event */

static struct pmu pmu;

static int event_init(struct perf_event *event)
{
	return event->attr.type == pmu.type ? 0 : -ENOENT;
}

static void *setup_aux(struct perf_event *event, void **pages, int nr_pages, bool overwrite)
{
	return aux_alloc(NULL, event, pages, nr_pages, overwrite);
}

static void report_id(struct perf_event *event, int cpu)
{
#if PERF_HAS_OUTPUT_ID
	perf_report_aux_output_id(event, CSF_ABI_HW_ID(CSF_ABI_ID_LEGACY(cpu), cpu));
#endif
}

static void event_start(struct perf_event *event, int flags)
{
	struct seat *seat = this_cpu_ptr(&seats);

	if (seat->handle.event || !perf_aux_output_begin(&seat->handle, event)) {
		event->hw.state = PERF_HES_STOPPED;
		return;
	}
	event->hw.state = 0;
	report_id(event, seat->unit.cpu);
	raw_spin_lock(&seat->unit.lock);
	seat->unit.enabled = true;
	seat->unit.started++;
	raw_spin_unlock(&seat->unit.lock);
}

/* Plays back what fits.  Returns how many bytes that was. */
static size_t play(struct seat *seat, const struct buffer *b)
{
	struct perf_output_handle *handle = &seat->handle;
	size_t n, lost;
	const u8 *bytes;

	raw_spin_lock(&seat->unit.lock);
	n = play_piece(&seat->unit, b->snapshot ? b->size : handle->size, b->size, &bytes, &lost);
	aux_put(b, handle->head, bytes, n);
	seat->unit.enabled = false;
	raw_spin_unlock(&seat->unit.lock);
	if (lost)
		perf_aux_output_flag(handle, PERF_AUX_FLAG_TRUNCATED);
	return n;
}

static void event_stop(struct perf_event *event, int flags)
{
	struct seat *seat = this_cpu_ptr(&seats);
	struct perf_output_handle *handle = &seat->handle;
	const struct buffer *b;
	size_t n;

	if (event->hw.state == PERF_HES_STOPPED)
		return;
	event->hw.state = PERF_HES_STOPPED;
	if (handle->event != event)
		return;
	b = perf_get_aux(handle);
	if (!b)
		return;
	n = play(seat, b);
	perf_aux_output_flag(handle, PERF_AUX_FLAG_CORESIGHT_FORMAT_RAW);
	/* A snapshot's head only ever grows; perf takes it, not the size. */
	if (b->snapshot)
		handle->head += n;
	perf_aux_output_end(handle, n);
}

static int event_add(struct perf_event *event, int mode)
{
	event->hw.state = PERF_HES_STOPPED;
	if (!(mode & PERF_EF_START))
		return 0;
	event_start(event, 0);
	return event->hw.state ? -EINVAL : 0;
}

static void event_del(struct perf_event *event, int mode)
{
	event_stop(event, PERF_EF_UPDATE);
}

static void event_read(struct perf_event *event)
{
}

static struct pmu pmu = {
	.module		= THIS_MODULE,
	.capabilities	= PERF_PMU_CAP_EXCLUSIVE | PERF_PMU_CAP_ITRACE,
	.task_ctx_nr	= perf_sw_context,
	.attr_groups	= pmu_groups,
	.event_init	= event_init,
	.setup_aux	= setup_aux,
	.free_aux	= aux_free,
	.add		= event_add,
	.del		= event_del,
	.start		= event_start,
	.stop		= event_stop,
	.read		= event_read,
};

/* -------- the units */

static void remove_all(void)
{
	char name[16];
	int cpu;

	for_each_possible_cpu(cpu) {
		struct seat *seat = per_cpu_ptr(&seats, cpu);

		if (!seat->dev)
			continue;
		snprintf(name, sizeof(name), "cpu%d", cpu);
		sysfs_remove_link(&pmu.dev->kobj, name);
		device_unregister(seat->dev);
		attributes_free(&seat->unit);
		seat->dev = NULL;
	}
}

static void release(struct device *dev)
{
	kfree(dev);
}

static struct device *make_device(struct unit *unit)
{
	struct device *dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	int err;

	if (!dev)
		return ERR_PTR(-ENOMEM);
	device_initialize(dev);
	dev->parent = root;
	dev->release = release;
	dev->groups = attributes_groups(unit);
	dev_set_drvdata(dev, unit);
	err = dev_set_name(dev, "%s%d", attributes_etm4(unit) ? "etm" : "ete", unit->cpu);
	if (!err)
		err = device_add(dev);
	if (!err)
		return dev;
	put_device(dev);
	return ERR_PTR(err);
}

static int add(int cpu)
{
	struct seat *seat = per_cpu_ptr(&seats, cpu);
	char name[16];
	int err;

	seat->unit.cpu = cpu;
	raw_spin_lock_init(&seat->unit.lock);
	seat->dev = make_device(&seat->unit);
	if (IS_ERR(seat->dev)) {
		err = PTR_ERR(seat->dev);
		seat->dev = NULL;
		return err;
	}
	snprintf(name, sizeof(name), "cpu%d", cpu);
	err = sysfs_create_link(&pmu.dev->kobj, &seat->dev->kobj, name);
	if (err) {
		device_unregister(seat->dev);
		seat->dev = NULL;
	}
	return err;
}

static int add_all(void)
{
	int cpu, err = 0;

	for_each_possible_cpu(cpu) {
		if (!err)
			err = add(cpu);
	}
	return err;
}

static int __init csflow_pmu_init(void)
{
	int err;

	root = root_device_register(KBUILD_MODNAME);
	if (IS_ERR(root))
		return PTR_ERR(root);
	err = perf_pmu_register(&pmu, CSF_ABI_PMU_NAME, -1);
	if (err) {
		root_device_unregister(root);
		return err;
	}
	err = add_all();
	if (!err)
		return 0;
	remove_all();
	perf_pmu_unregister(&pmu);
	root_device_unregister(root);
	return err;
}

static void __exit csflow_pmu_exit(void)
{
	remove_all();
	perf_pmu_unregister(&pmu);
	root_device_unregister(root);
}

module_init(csflow_pmu_init);
module_exit(csflow_pmu_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("The PMU cs_etm without CoreSight: plays back recorded trace");
