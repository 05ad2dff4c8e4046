// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>

#include "report.h"

/* What decoders could not use. */
static void count_losses(struct csflow *c, u64 *elements, u64 *gaps)
{
	struct csf_stats stats;

	for (u32 i = 0; plugin_stats(c->plugin, i, &stats); i++) {
		*elements += stats.lost;
		for (int reason = CSF_GAP_OVERFLOW; reason < CSF_GAP_NR; reason++)
			*gaps += stats.gaps[reason];
	}
}

void csflow_report(struct csflow *c)
{
	u64 elements = 0, gaps = 0, unknown = plugin_unknown(c->plugin);
	const char *text;
	bool damage;

	for (size_t i = 0; (text = plugin_problem(c->plugin, i, &damage)); i++) {
		if (damage)
			pr_warning("csflow: %s\n", text);
		else
			pr_debug("csflow: %s\n", text);
	}
	if (c->code.missing > CODE_NAMED)
		pr_warning("csflow: and that of %u more files\n", c->code.missing - CODE_NAMED);
	if (unknown)
		pr_warning("csflow: %" PRIu64 " bytes of trace are of a trace unit that the file says nothing about, or of a protocol that is not known: they are left out\n",
			   unknown);
	count_losses(c, &elements, &gaps);
	if (gaps && !c->opts.errors)
		pr_warning("csflow: the trace has %" PRIu64 " gaps, in which at least %" PRIu64 " branches are lost; --itrace with the letter e shows each\n",
			   gaps, elements);
}
