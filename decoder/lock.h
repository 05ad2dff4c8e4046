/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Locks that nobody holds for long: whoever waits for one lets others run for a moment before it
 * sleeps.
 *
 * Who sleeps has to be woken, and that takes longer than the wait.  And it may be the wrong place
 * where it wakes up: in a virtual machine Linux was seen to move the woken to whoever woke it, with
 * another processor idle, and for up to 20 ms both had one.  Who lets others run stays where it is.
 */
#ifndef CSF_LOCK_H
#define CSF_LOCK_H

#include <pthread.h>

/* Somebody has it. */
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
