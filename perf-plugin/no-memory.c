// SPDX-License-Identifier: GPL-2.0-only
#include "no-memory.h"

#include <inttypes.h>
#include <stdio.h>

#include "../decoder/csflow.h"
#include "plugin.h"

/* Threads read programs, too: of two calls at once, either may be kept. */
static struct {
	const char *what;
	uint64_t bytes;
} none;

void no_memory_for(const char *what, uint64_t bytes)
{
	__atomic_store_n(&none.bytes, bytes, __ATOMIC_RELAXED);
	__atomic_store_n(&none.what, what, __ATOMIC_RELAXED);
}

size_t plugin_no_memory(char *text, size_t n)
{
	const char *what = __atomic_load_n(&none.what, __ATOMIC_RELAXED);
	uint64_t bytes = __atomic_load_n(&none.bytes, __ATOMIC_RELAXED);

	if (!what) {
		what = "a table of the decoder";
		bytes = csf_no_memory();
	}
	if (!bytes)
		return 0;
	return snprintf(text, n,
			"%" PRIu64 " KiB were wanted for %s, and there was no memory, or no address space: see ulimit -v",
			(bytes + 1023) >> 10, what);
}
