// SPDX-License-Identifier: GPL-2.0-only
/* The trace source of a CPU: its registers in sysfs, which perf reads, and its recording. */
#include <linux/device.h>
#include <linux/module.h>
#include <linux/mutex.h>

#include "compat.h"
#include "csf_abi.h"
#include "replay.h"
#include "unit.h"

static bool etm4;
module_param(etm4, bool, 0444);
MODULE_PARM_DESC(etm4, "The sources are ETMv4; otherwise they are ETE");

/* By default they are those of the units of csflow record and csflow encode. */
static unsigned int trcidr0 = 0x2801cea1;
module_param(trcidr0, uint, 0444);
MODULE_PARM_DESC(trcidr0, "TRCIDR0 of each source");

static unsigned int trcidr1;
module_param(trcidr1, uint, 0444);
MODULE_PARM_DESC(trcidr1, "TRCIDR1 of each source; 0: of an ETE, or of an ETMv4.3");

static unsigned int trcidr2 = 0xd0001088;
module_param(trcidr2, uint, 0444);
MODULE_PARM_DESC(trcidr2, "TRCIDR2 of each source");

static unsigned int trcidr8;
module_param(trcidr8, uint, 0444);
MODULE_PARM_DESC(trcidr8, "TRCIDR8 of each source");

static unsigned int trcdevarch = 0x47715a13;
module_param(trcdevarch, uint, 0444);
MODULE_PARM_DESC(trcdevarch, "TRCDEVARCH of each source that is an ETE");

static unsigned int trcauthstatus = 0xcc;
module_param(trcauthstatus, uint, 0444);
MODULE_PARM_DESC(trcauthstatus, "TRCAUTHSTATUS of each source");

/* NULL: the files are there, and registration is not finished. */
static struct unit *unit_of_dev(struct device *dev)
{
	return dev_get_drvdata(dev);
}

#define REGISTER(name)								\
static ssize_t name##_show(struct device *dev, struct device_attribute *attr,	\
			   char *buf)						\
{										\
	return sysfs_emit(buf, "0x%x\n", name);					\
}										\
static DEVICE_ATTR_RO(name)

REGISTER(trcidr0);
REGISTER(trcidr2);
REGISTER(trcidr8);
REGISTER(trcauthstatus);
REGISTER(trcdevarch);

/* The version of an ETE is in TRCDEVARCH, that of an ETMv4 here. */
static ssize_t trcidr1_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0x%x\n", trcidr1 ?: etm4 ? 0x4100f433 : 0x4100fff0);
}
static DEVICE_ATTR_RO(trcidr1);

static ssize_t ts_source_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", CSF_ABI_TS_VIRTUAL);
}
static DEVICE_ATTR_RO(ts_source);

#define COUNT(name, expression)							\
static ssize_t name##_show(struct device *dev, struct device_attribute *attr,	\
			   char *buf)						\
{										\
	struct unit *unit = unit_of_dev(dev);					\
	unsigned long flags;							\
	u64 value;								\
										\
	if (!unit)								\
		return -ENODEV;							\
	raw_spin_lock_irqsave(&unit->lock, flags);				\
	value = expression;							\
	raw_spin_unlock_irqrestore(&unit->lock, flags);				\
	return sysfs_emit(buf, "%llu\n", value);				\
}										\
static DEVICE_ATTR_RO(name)

COUNT(sent, unit->sent);
COUNT(lost, unit->lost);
COUNT(left, unit->replay ? unit->replay->n - unit->replay->pos : 0);
COUNT(started, unit->started);

/* -------- the recording to play back */

static DEFINE_MUTEX(replay_mutex);	/* one writer */

/* Gives the unit another recording, and frees the one before. */
static void exchange(struct unit *unit, struct replay *replay)
{
	struct replay *old;
	unsigned long flags;

	raw_spin_lock_irqsave(&unit->lock, flags);
	old = unit->replay;
	if (replay && old && old->n == replay->n)
		replay->pos = old->pos;	/* it was played on while it was copied */
	unit->replay = replay;
	raw_spin_unlock_irqrestore(&unit->lock, flags);
	replay_free(old);
}

static int make_room(struct unit *unit, size_t n)
{
	struct replay *more;

	if (!unit->replay) {
		more = replay_new();
		if (!more)
			return -ENOMEM;
		exchange(unit, more);
	}
	if (replay_has_room(unit->replay, n))
		return 0;
	more = replay_grow(unit->replay, n);
	if (!more)
		return unit->replay->n + n > REPLAY_MAX ? -EFBIG : -ENOMEM;
	exchange(unit, more);
	return 0;
}

/* Writing from offset 0 begins a new recording; further writes append to it. */
static ssize_t trace_write(struct file *file, struct kobject *kobj, BIN_ATTR_ARG, char *buf,
			   loff_t off, size_t n)
{
	struct unit *unit = unit_of_dev(kobj_to_dev(kobj));
	unsigned long flags;
	int err;

	if (!unit)
		return -ENODEV;
	mutex_lock(&replay_mutex);
	if (!off)
		exchange(unit, NULL);
	if (off && (!unit->replay || off != unit->replay->n)) {
		mutex_unlock(&replay_mutex);
		return -ESPIPE;
	}
	err = make_room(unit, n);
	if (!err) {
		raw_spin_lock_irqsave(&unit->lock, flags);
		replay_add(unit->replay, buf, n);
		raw_spin_unlock_irqrestore(&unit->lock, flags);
	}
	mutex_unlock(&replay_mutex);
	return err ?: n;
}
static BIN_ATTR_WO(trace, 0);

/* -------- groups of files */

static struct attribute *top_attrs[] = { &dev_attr_ts_source.attr, NULL };

static struct attribute *trcidr_attrs[] = {
	&dev_attr_trcidr0.attr, &dev_attr_trcidr1.attr, &dev_attr_trcidr2.attr,
	&dev_attr_trcidr8.attr, NULL
};

static struct attribute *mgmt_attrs[] = {
	&dev_attr_trcauthstatus.attr, &dev_attr_trcdevarch.attr, NULL
};

static struct attribute *replay_attrs[] = {
	&dev_attr_sent.attr, &dev_attr_lost.attr, &dev_attr_left.attr, &dev_attr_started.attr, NULL
};

static BIN_ATTR_CONST struct bin_attribute *BIN_ATTR_CONST replay_bin_attrs[] = {
	&bin_attr_trace, NULL
};

/* TRCDEVARCH is what tells an ETE from an ETMv4. */
static umode_t mgmt_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	return etm4 && attr == &dev_attr_trcdevarch.attr ? 0 : attr->mode;
}

static const struct attribute_group top_group = { .attrs = top_attrs };
static const struct attribute_group trcidr_group = { .name = "trcidr", .attrs = trcidr_attrs };

static const struct attribute_group mgmt_group = {
	.name = "mgmt",
	.attrs = mgmt_attrs,
	.is_visible = mgmt_visible,
};

static const struct attribute_group replay_group = {
	.name = "replay",
	.attrs = replay_attrs,
	.bin_attrs = replay_bin_attrs,
};

static const struct attribute_group *groups[] = {
	&top_group, &trcidr_group, &mgmt_group, &replay_group, NULL
};

/* -------- what the CoreSight core asks of a source */

static int source_enable(SOURCE_ENABLE_ARGS)
{
	struct unit *unit = unit_of(csdev);
	unsigned long flags;
	int err = 0;

	if (mode != CS_MODE_PERF)
		return -EINVAL;
	raw_spin_lock_irqsave(&unit->lock, flags);
	if (unit->enabled)
		err = -EBUSY;
	unit->enabled = true;
	unit->started += !err;
	raw_spin_unlock_irqrestore(&unit->lock, flags);
	return err;
}

static void source_disable(struct coresight_device *csdev, struct perf_event *event)
{
	struct unit *unit = unit_of(csdev);
	unsigned long flags;

	raw_spin_lock_irqsave(&unit->lock, flags);
	unit->enabled = false;
	raw_spin_unlock_irqrestore(&unit->lock, flags);
}

#if SOURCE_HAS_CPU_ID
static int source_cpu_id(struct coresight_device *csdev)
{
	return unit_of(csdev)->cpu;
}
#endif

#if SOURCE_HAS_TRACE_ID
static int source_trace_id(struct coresight_device *csdev)
{
	return CSF_ABI_ID_LEGACY(unit_of(csdev)->cpu);
}
#endif

static const struct coresight_ops_source source_ops_table = {
#if SOURCE_HAS_CPU_ID
	.cpu_id		= source_cpu_id,
#endif
#if SOURCE_HAS_TRACE_ID
	.trace_id	= source_trace_id,
#endif
	.enable		= source_enable,
	.disable	= source_disable,
};

static const struct coresight_ops source_ops_all = {
#if SOURCE_ASKS_TRACE_ID
	.trace_id	= coresight_etm_get_trace_id,
#endif
	.source_ops	= &source_ops_table,
};

int source_register(struct unit *unit, struct device *dev)
{
	struct coresight_desc desc = {
		.dev = dev,
		.type = CORESIGHT_DEV_TYPE_SOURCE,
		.subtype.source_subtype = CORESIGHT_DEV_SUBTYPE_SOURCE_PROC,
		.ops = &source_ops_all,
		.groups = groups,
	};
	struct coresight_device *source;
	int err;

	desc.name = devm_kasprintf(dev, GFP_KERNEL, "%s%d", etm4 ? "etm" : "ete", unit->cpu);
	desc.pdata = devm_kzalloc(dev, sizeof(*desc.pdata), GFP_KERNEL);
	if (!desc.name || !desc.pdata)
		return -ENOMEM;
	set_cpu(&desc, unit->cpu);
	source = coresight_register(&desc);
	if (IS_ERR(source))
		return PTR_ERR(source);
	dev_set_drvdata(&source->dev, unit);
	err = etm_perf_symlink(source, true);
	if (err) {
		coresight_unregister(source);
		return err;
	}
	unit->source = source;
	return 0;
}

void source_unregister(struct unit *unit)
{
	if (!unit->source)
		return;
	etm_perf_symlink(unit->source, false);
	coresight_unregister(unit->source);
	unit->source = NULL;
	exchange(unit, NULL);
}
