/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Locks that are never held for long: a thread that waits for one yields for a moment before it
 * sleeps.
 *
 * A thread that sleeps has to be woken, which takes longer than the wait.  It may also wake up in a
 * bad place: in a virtual machine, Linux was seen to move the woken thread to the processor of the
 * thread that woke it, while another processor was idle, and for up to 20 ms both shared it.  A
 * thread that yields stays where it is.
 */
#ifndef CSF_LOCK_H
#define CSF_LOCK_H

#include <pthread.h>

/* Another thread holds the lock. */
void lock_wait(pthread_mutex_t *lock);

static inline void lock_take(pthread_mutex_t *lock)
{
	if (pthread_mutex_trylock(lock))
		lock_wait(lock);
}

static inline void lock_release(pthread_mutex_t *lock)
{
	pthread_mutex_unlock(lock);
}

#endif /* CSF_LOCK_H */
