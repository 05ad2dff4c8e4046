// SPDX-License-Identifier: GPL-2.0-only
/* The trace source of a CPU: what the CoreSight core asks of it. */
#include <linux/device.h>
#include <linux/module.h>

#include "attributes.h"
#include "channel.h"
#include "compat.h"
#include "csf_abi.h"
#include "etr.h"
#include "settings.h"
#include "unit.h"

/* Takes the source for perf. */
static int claim(struct unit *unit)
{
	unsigned long flags;
	int err = 0;

	raw_spin_lock_irqsave(&unit->lock, flags);
	if (unit->enabled)
		err = -EBUSY;
	unit->enabled = true;
	unit->started += !err;
	raw_spin_unlock_irqrestore(&unit->lock, flags);
	return err;
}

static void release(struct unit *unit)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&unit->lock, flags);
	unit->enabled = false;
	raw_spin_unlock_irqrestore(&unit->lock, flags);
}

static bool is_traced(const struct unit *unit)
{
	return READ_ONCE(unit->enabled) && !READ_ONCE(unit->paused);
}

void source_go_on(struct unit *unit)
{
	if (!is_traced(unit))
		return;
	channel_start(unit->channel);
	/* An NMI may have paused it in between. */
	if (!is_traced(unit))
		channel_stop(unit->channel);
}

static int source_enable(SOURCE_ENABLE_ARGS)
{
	struct unit *unit = unit_of(csdev);
	int err;

	if (mode != CS_MODE_PERF)
		return -EINVAL;
	err = claim(unit);
	if (err)
		return err;
	unit->id = SOURCE_ID(unit->cpu);
	if (!unit->channel)
		return 0;
	err = settings_write(unit->channel, event, unit->id);
	if (err) {
		release(unit);
		return err;
	}
	WRITE_ONCE(unit->paused, PAUSED(event));
	source_go_on(unit);
	return 0;
}

static void source_disable(struct coresight_device *csdev, struct perf_event *event)
{
	struct unit *unit = unit_of(csdev);

	if (unit->channel)
		channel_stop(unit->channel);
	release(unit);
}

#if SOURCE_PAUSES
static int source_resume(struct coresight_device *csdev)
{
	struct unit *unit = unit_of(csdev);

	WRITE_ONCE(unit->paused, false);
	if (unit->channel)
		source_go_on(unit);
	return 0;
}

static void source_pause(struct coresight_device *csdev)
{
	struct unit *unit = unit_of(csdev);

	WRITE_ONCE(unit->paused, true);
	if (unit->channel && READ_ONCE(unit->enabled))
		channel_stop(unit->channel);
}
#endif

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
#if SOURCE_PAUSES
	.resume_perf	= source_resume,
	.pause_perf	= source_pause,
#endif
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
		.groups = attributes_groups(unit),
	};
	struct coresight_device *source;
	int err;

	desc.name = devm_kasprintf(dev, GFP_KERNEL, "%s%d",
				   attributes_etm4(unit) ? "etm" : "ete", unit->cpu);
	desc.pdata = devm_kzalloc(dev, sizeof(*desc.pdata), GFP_KERNEL);
	if (!desc.name || !desc.pdata)
		return -ENOMEM;
	err = etr_connect(unit, dev, desc.pdata);
	if (err)
		return err;
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
	attributes_free(unit);
}
