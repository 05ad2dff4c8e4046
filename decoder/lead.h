/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lead: how far stepping is ahead of what is committed.
 *
 * With speculation atoms wait for a Commit, and nearly all get it.  So they are stepped
 * when they are read, as without speculation: behind the last step that is sure, in the
 * room of those to come.  A Commit then only counts them, and a Cancel or Mispredict
 * goes back, for a step says which block it was made from.
 *
 * Nothing of that is seen outside: nothing is looked up or asked for until it is sure,
 * and lead_run() leaves behind what there would be, had all waited in the queue.
 */
#ifndef CSF_LEAD_H
#define CSF_LEAD_H

#include "fast.h"

/*
 * Takes packets as long as they are ordinary.  Returns whether none could be, for want of a
 * place that is known, of room, or because something else waits in the queue, too.
 */
bool lead_run(struct csf_decoder *d);

#endif /* CSF_LEAD_H */
