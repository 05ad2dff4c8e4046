/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Locks that nobody holds for long: whoever waits for one looks for a moment before it sleeps. */
#ifndef CSF_LOCK_H
#define CSF_LOCK_H

#include <pthread.h>

static inline void lock_init(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
#ifdef __GLIBC__
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ADAPTIVE_NP);
#endif
	pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
}

#endif /* CSF_LOCK_H */
