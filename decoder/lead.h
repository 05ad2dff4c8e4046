/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lead: how far stepping is ahead of what is committed.
 *
 * With speculation atoms wait for a Commit, and nearly all get it.  So they are stepped
 * when they are read, as without speculation: behind the last step that is sure, in the
 * room of those to come.  A Commit then only counts them, and a Cancel or Mispredict
 * goes back, for a step says which block it was made from.  What calls and returns did to
 * the return stack is undone.
 *
 * Nothing of that is seen outside: nothing is looked up or asked for until it is sure,
 * and lead_run() leaves behind what there would be, had all waited in the queue.
 */
#ifndef CSF_LEAD_H
#define CSF_LEAD_H

#include "fast.h"

#define LEAD_STACK_MAX	64	/* steps that may be unsure, with a return stack */

/* With a return stack only if not many steps may be unsure, for each may have to be undone. */
static inline bool lead_may(const struct csf_decoder *d)
{
	return !(d->config.without & CSF_WITHOUT_LEAD) &&
	       (!d->config.retstack || d->config.max_spec <= LEAD_STACK_MAX);
}

/*
 * Takes packets as long as they are ordinary.  Returns whether none could be, for want of a
 * place that is known, of room, or because something else waits in the queue, too.
 */
bool lead_run(struct csf_decoder *d);

#endif /* CSF_LEAD_H */
