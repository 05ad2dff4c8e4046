// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The next run of a decoder, with or without threads, in any protocol. */
#include "read-ahead.h"

int decoder_next(struct csf_decoder *d, struct csf_run *run)
{
	if (unlikely(!d->addr.cache) && threads_lend(d->lender, d))
		return CSF_ERR_MEMORY;
	return d->protocol->next(d, run);
}

CSF_API int csf_next(struct csf_decoder *d, struct csf_run *run)
{
	return unlikely(d->read_ahead) ? read_ahead_next(d, run) : decoder_next(d, run);
}
