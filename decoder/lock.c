// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <sched.h>

#include "lock.h"

#define TRIES	256	/* 0.1 ms, if no other thread wants to run */

void lock_wait(pthread_mutex_t *lock)
{
	for (unsigned int i = 0; i < TRIES; i++) {
		sched_yield();
		if (!pthread_mutex_trylock(lock))
			return;
	}
	pthread_mutex_lock(lock);
}
