// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>

#include "report.h"
#include "../plugin-changes.h"

/* The output of all decoders, and what they could not use. */
struct sum {
	u64 steps, elements, gaps;
};

static struct sum sum_up(struct csflow *c)
{
	struct csf_stats stats;
	struct sum sum = { 0 };

	for (u32 i = 0; plugin_stats(c->plugin, i, &stats); i++) {
		sum.steps += stats.steps;
		sum.elements += stats.lost;
		for (int reason = CSF_GAP_OVERFLOW; reason < CSF_GAP_NR; reason++)
			sum.gaps += stats.gaps[reason];
	}
	return sum;
}

/* If a report is empty, says why. */
static void say_nothing_came(struct csflow *c)
{
	uint64_t done, total;

	plugin_progress(c->plugin, &done, &total);
	if (!total)
		pr_warning("csflow: the recording holds no trace\n");
	else if (c->n_range || c->opts.range_num)
		pr_warning("csflow: no trace of the CPUs and times that were asked for\n");
	else
		pr_warning("csflow: nothing could be decoded of %" PRIu64 " bytes of trace: 'csflow doctor' says why\n",
			   total);
}

/* Reports code of the kernel of which it is not known what ran. */
static void report_changes(const struct csflow_code *code)
{
	const char *bad = plugin_changes_bad(code->changes);

	if (bad)
		pr_warning("csflow: %s: not the memory of the kernel that was recorded: code that it changed is not known\n",
			   bad);
	if (code->met_changed)
		pr_warning("csflow: the kernel changed code while it was recorded, such as static keys: what ran there is not known, up to the next address in the trace: 'csflow doctor' names the functions\n");
}

void csflow_report(struct csflow *c)
{
	const struct sum sum = sum_up(c);
	uint64_t unknown, cut;
	const char *text;
	bool damage;

	plugin_unread(c->plugin, &unknown, &cut);
	for (size_t i = 0; (text = plugin_problem(c->plugin, i, &damage)); i++) {
		if (damage)
			pr_warning("csflow: %s\n", text);
		else
			pr_debug("csflow: %s\n", text);
	}
	if (c->code.missing > CODE_NAMED)
		pr_warning("csflow: and that of %u more files\n", c->code.missing - CODE_NAMED);
	report_changes(&c->code);
	if (unknown)
		pr_warning("csflow: %" PRIu64 " bytes of trace are of a trace unit that the file says nothing about, or of a protocol that is not known: they are left out\n",
			   unknown);
	if (cut)
		pr_warning("csflow: %" PRIu64 " bytes of trace are of frames whose end is missing: they are left out\n",
			   cut);
	if (!sum.steps)
		say_nothing_came(c);
	if (sum.gaps && !c->opts.errors)
		pr_warning("csflow: the trace has %" PRIu64 " gaps, in which at least %" PRIu64 " branches are lost; --itrace with the letter e shows each\n",
			   sum.gaps, sum.elements);
}
