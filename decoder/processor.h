/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Processors: which one a thread is on.  That is for the scheduler to say; but where it was wrong,
 * see lock.h, two threads share one for up to 20 ms while another has nothing to do.
 */
#ifndef CSF_PROCESSOR_H
#define CSF_PROCESSOR_H

/* The one that the calling thread is on; < 0: nobody knows. */
int processor_here(void);

/*
 * The calling thread, which shares @cpu with another, leaves it for one that it may be on, if any
 * is idle.  It may come back.
 */
void processor_leave(int cpu);

#endif /* CSF_PROCESSOR_H */
