// SPDX-License-Identifier: GPL-2.0-only
#include <linux/device.h>
#include <linux/module.h>
#include <linux/mutex.h>

#include "attributes.h"
#include "channel.h"
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

bool attributes_etm4(const struct unit *unit)
{
	return unit->channel ? !unit->channel->trcdevarch : etm4;
}

/* A live unit has its own. */
#define REGISTER(name, otherwise)						\
static ssize_t name##_show(struct device *dev, struct device_attribute *attr,	\
			   char *buf)						\
{										\
	const struct unit *unit = unit_of_dev(dev);				\
										\
	if (!unit)								\
		return -ENODEV;							\
	return sysfs_emit(buf, "0x%x\n",					\
			  unit->channel ? unit->channel->name : (otherwise));	\
}										\
static DEVICE_ATTR_RO(name)

REGISTER(trcidr0, trcidr0);
/* The version of an ETE is in TRCDEVARCH, that of an ETMv4 here. */
REGISTER(trcidr1, trcidr1 ?: etm4 ? 0x4100f433 : 0x4100fff0);
REGISTER(trcidr2, trcidr2);
REGISTER(trcidr8, trcidr8);
REGISTER(trcauthstatus, trcauthstatus);
REGISTER(trcdevarch, trcdevarch);

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

COUNT(cpu, unit->cpu);
COUNT(sent, unit->sent);
COUNT(lost, unit->lost);
COUNT(left, unit->replay ? unit->replay->n - unit->replay->pos : 0);
COUNT(started, unit->started);
COUNT(written, READ_ONCE(unit->channel->written));
COUNT(instructions, READ_ONCE(unit->channel->instructions));
COUNT(not_traced, READ_ONCE(unit->channel->lost));

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
	if (unit->channel)
		return -EBUSY;
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

static struct attribute *top_attrs[] = {
	&dev_attr_cpu.attr, &dev_attr_ts_source.attr, NULL
};

static struct attribute *trcidr_attrs[] = {
	&dev_attr_trcidr0.attr, &dev_attr_trcidr1.attr, &dev_attr_trcidr2.attr,
	&dev_attr_trcidr8.attr, NULL
};

static struct attribute *ete_attrs[] = {
	&dev_attr_trcauthstatus.attr, &dev_attr_trcdevarch.attr, NULL
};

/* TRCDEVARCH is what tells an ETE from an ETMv4. */
static struct attribute *etm4_attrs[] = { &dev_attr_trcauthstatus.attr, NULL };

static struct attribute *replay_attrs[] = {
	&dev_attr_sent.attr, &dev_attr_lost.attr, &dev_attr_left.attr, &dev_attr_started.attr, NULL
};

static struct attribute *live_attrs[] = {
	&dev_attr_written.attr, &dev_attr_instructions.attr, &dev_attr_not_traced.attr, NULL
};

static BIN_ATTR_CONST struct bin_attribute *BIN_ATTR_CONST replay_bin_attrs[] = {
	&bin_attr_trace, NULL
};

static const struct attribute_group top_group = { .attrs = top_attrs };
static const struct attribute_group trcidr_group = { .name = "trcidr", .attrs = trcidr_attrs };
static const struct attribute_group ete_group = { .name = "mgmt", .attrs = ete_attrs };
static const struct attribute_group etm4_group = { .name = "mgmt", .attrs = etm4_attrs };
static const struct attribute_group live_group = { .name = "live", .attrs = live_attrs };

static const struct attribute_group replay_group = {
	.name = "replay",
	.attrs = replay_attrs,
	.bin_attrs = replay_bin_attrs,
};

static const struct attribute_group *ete_groups[] = {
	&top_group, &trcidr_group, &ete_group, &replay_group, NULL
};

static const struct attribute_group *etm4_groups[] = {
	&top_group, &trcidr_group, &etm4_group, &replay_group, NULL
};

static const struct attribute_group *live_ete_groups[] = {
	&top_group, &trcidr_group, &ete_group, &replay_group, &live_group, NULL
};

static const struct attribute_group *live_etm4_groups[] = {
	&top_group, &trcidr_group, &etm4_group, &replay_group, &live_group, NULL
};

const struct attribute_group **attributes_groups(const struct unit *unit)
{
	if (unit->channel)
		return attributes_etm4(unit) ? live_etm4_groups : live_ete_groups;
	return attributes_etm4(unit) ? etm4_groups : ete_groups;
}

void attributes_free(struct unit *unit)
{
	exchange(unit, NULL);
}
