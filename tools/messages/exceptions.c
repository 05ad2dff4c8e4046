// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>

#include "exceptions.h"

#define IRQ	16

const char *exception_name(uint32_t number, char buf[EXCEPTION_NAME_MAX])
{
	static const char *const names[IRQ] = {
		"Thread", "Reset", "NMI", "HardFault", "MemManage", "BusFault", "UsageFault",
		"SecureFault", [11] = "SVCall", [12] = "DebugMonitor", [14] = "PendSV",
		[15] = "SysTick",
	};

	if (number >= IRQ)
		snprintf(buf, EXCEPTION_NAME_MAX, "IRQ %u", number - IRQ);
	else if (names[number])
		snprintf(buf, EXCEPTION_NAME_MAX, "%s", names[number]);
	else
		snprintf(buf, EXCEPTION_NAME_MAX, "Exception %u", number);
	return buf;
}

/* How many are above the innermost @number; all of them if it is not active. */
static size_t above(const struct exceptions *e, uint32_t number)
{
	size_t n = 0;

	while (n < e->n && e->active[e->n - 1 - n] != number)
		n++;
	return n;
}

static bool enter(struct exceptions *e, uint32_t number, size_t *ends)
{
	if (e->n == EXCEPTIONS_DEPTH) {
		*ends = e->n;
		e->n = 0;
	}
	e->active[e->n++] = number;
	return true;
}

bool exceptions_step(struct exceptions *e, const struct csf_message *m, size_t *ends)
{
	const size_t n = above(e, m->value);

	*ends = 0;
	switch (m->info) {
	case CSF_MESSAGE_ENTERED:
		return enter(e, m->value, ends);
	case CSF_MESSAGE_EXITED:
		/* one that began before the trace, or in a loss, is not shown */
		*ends = n < e->n ? n + 1 : 0;
		e->n -= *ends;
		return false;
	case CSF_MESSAGE_RETURNED:
		*ends = n;
		e->n -= n;
		return m->value && !e->n ? enter(e, m->value, ends) : false;
	default:
		return false;
	}
}
