// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bits.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/stringhash.h>

#include <asm/virt.h>

#include "channel.h"
#include "compat.h"
#include "csf_abi.h"
#include "settings.h"

/* TRCIDR0 */
#define TRCBB			BIT(5)
#define RETSTACK		BIT(9)

#define CC_THRESHOLD		0x100	/* where the event has none */
#define AUTOFDO_WINDOW		5000
#define AUTOFDO_PERIOD		10000	/* in windows, without a preset */

static unsigned int sync = 12;
module_param(sync, uint, 0644);
MODULE_PARM_DESC(sync, "A live unit synchronises every 2^sync bytes; 0: when it likes");

static unsigned long ts_period;
module_param(ts_period, ulong, 0644);
MODULE_PARM_DESC(ts_period, "Ticks between two timestamps of a live unit; 0: as the event says");

static unsigned long strobe_on;
module_param(strobe_on, ulong, 0644);
MODULE_PARM_DESC(strobe_on, "Ticks for which a live unit traces; 0: always");

static unsigned long strobe_off;
module_param(strobe_off, ulong, 0644);
MODULE_PARM_DESC(strobe_off, "Ticks for which it then does not trace");

static bool wants(const struct perf_event *event, unsigned int option)
{
	return event->attr.config & BIT_ULL(option);
}

/* 0: no periodic timestamps; n: one every 2^(n-1) ticks. */
static unsigned int ts_level(const struct perf_event *event)
{
	return (event->attr.config & CSF_ABI_OPT_TS_LEVEL_MASK) >> CSF_ABI_OPT_TS_LEVEL_SHIFT;
}

/* Return: TRCCONFIGR, or -EINVAL. */
static int trcconfigr(const struct csf_channel *channel, const struct perf_event *event)
{
	const bool ids = task_is_in_init_pid_ns(current);
	int value = 0;

	if (wants(event, CSF_ABI_OPT_BRANCH_BROADCAST)) {
		if (!(channel->trcidr0 & TRCBB))
			return -EINVAL;
		value |= BIT(CSF_ABI_CONFIGR_BB);
	}
	if (wants(event, CSF_ABI_OPT_CONTEXTID2)) {
		if (!is_kernel_in_hyp_mode())
			return -EINVAL;
		if (ids)
			value |= BIT(CSF_ABI_CONFIGR_VMID) | BIT(CSF_ABI_CONFIGR_VMIDOPT);
	}
	if (wants(event, CSF_ABI_OPT_CONTEXTID1) && ids)
		value |= BIT(CSF_ABI_CONFIGR_CID);
	if (wants(event, CSF_ABI_OPT_CYCACC))
		value |= BIT(CSF_ABI_CONFIGR_CCI);
	if (wants(event, CSF_ABI_OPT_TIMESTAMP) || ts_level(event))
		value |= BIT(CSF_ABI_CONFIGR_TS);
	if (wants(event, CSF_ABI_OPT_RETSTACK) && (channel->trcidr0 & RETSTACK))
		value |= BIT(CSF_ABI_CONFIGR_RS);
	return value;
}

/* A kernel at EL1 has nothing to do with EL2. */
static u32 levels(const struct perf_event *event)
{
	u32 value = 0;

	if (!event->attr.exclude_user)
		value |= BIT(0);
	if (!event->attr.exclude_kernel)
		value |= is_kernel_in_hyp_mode() ? BIT(2) : BIT(1);
	return value;
}

static void write_range(struct csf_channel_range *range, const struct perf_addr_filter *filter,
			const struct perf_addr_filter_range *place)
{
	range->from = place->start;
	range->to = place->start + place->size;
	range->zero = 0;
	switch (filter->action) {
	case PERF_ADDR_FILTER_ACTION_START:
		range->kind = CSF_CHANNEL_START;
		break;
	case PERF_ADDR_FILTER_ACTION_STOP:
		range->kind = CSF_CHANNEL_STOP;
		break;
	default:
		range->kind = CSF_CHANNEL_INCLUDE;
		break;
	}
}

/* The core lets no more filters through than the unit has. */
static void write_ranges(struct csf_channel *channel, struct perf_event *event)
{
	struct perf_addr_filters_head *head = perf_event_addr_filters(event);
	const struct perf_addr_filter *filter;
	unsigned long flags;
	unsigned int n = 0;

	raw_spin_lock_irqsave(&head->lock, flags);
	if (event->addr_filter_ranges) {
		list_for_each_entry(filter, &head->list, entry) {
			if (n == CSF_CHANNEL_RANGES)
				break;
			write_range(&channel->range[n], filter, &event->addr_filter_ranges[n]);
			n++;
		}
	}
	raw_spin_unlock_irqrestore(&head->lock, flags);
	channel->n_range = n;
}

/*
 * The configuration "autofdo": a window of trace in every so many windows.  What the file system of
 * configurations has changed of it is for drivers inside the core only.
 */
static void write_strobe(struct csf_channel *channel, const struct perf_event *event)
{
	static const u16 periods[] = { AUTOFDO_PERIOD, 2, 4, 8, 16, 64, 128, 512, 1024, 4096 };
	const u32 config = event->attr.config2 >> CSF_ABI_CONFIG2_CONFIG_SHIFT;
	const unsigned int preset = event->attr.config & CSF_ABI_OPT_PRESET_MASK;

	channel->strobe_on = strobe_on;
	channel->strobe_off = strobe_off;
	if (config != hashlen_hash(hashlen_string(NULL, "autofdo")) ||
	    preset >= ARRAY_SIZE(periods))
		return;
	channel->strobe_on = AUTOFDO_WINDOW;
	channel->strobe_off = AUTOFDO_WINDOW * (periods[preset] - 1UL);
}

int settings_write(struct csf_channel *channel, struct perf_event *event, u8 id)
{
	const u32 threshold = CONFIG3(event) & CSF_ABI_CONFIG3_CC_THRESHOLD;
	const unsigned int level = ts_level(event);
	const int config = trcconfigr(channel, event);

	if (config < 0)
		return config;
	channel->trcconfigr = config;
	channel->trctraceidr = id;
	channel->trcccctlr = wants(event, CSF_ABI_OPT_CYCACC) ? threshold ?: CC_THRESHOLD : 0;
	channel->trcsyncpr = sync;
	channel->levels = levels(event);
	channel->ts_period = ts_period ?: level ? 1UL << (level - 1) : 0;
	write_strobe(channel, event);
	write_ranges(channel, event);
	return 0;
}
