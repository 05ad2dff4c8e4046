// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "replay.h"

#define SYNC_ZEROS	11	/* of an A-sync of ETE and ETMv4, before its 0x80 */

struct replay *replay_new(void)
{
	return kzalloc(sizeof(struct replay), GFP_KERNEL);
}

void replay_free(struct replay *r)
{
	if (!r)
		return;
	vfree(r->bytes);
	vfree(r->sync);
	kfree(r);
}

/* Each A-sync has its 12 bytes. */
static size_t syncs_of(size_t n)
{
	return n / (SYNC_ZEROS + 1) + 1;
}

bool replay_has_room(const struct replay *r, size_t n)
{
	return n <= r->max - r->n && syncs_of(n) <= r->max_sync - r->n_sync;
}

struct replay *replay_grow(const struct replay *r, size_t n)
{
	struct replay *more;

	if (n > REPLAY_MAX - r->n)
		return NULL;
	more = kmemdup(r, sizeof(*r), GFP_KERNEL);
	if (!more)
		return NULL;
	more->max = max(2 * r->max, r->n + n);
	more->max_sync = max(2 * r->max_sync, r->n_sync + syncs_of(n));
	more->bytes = vmalloc(more->max);
	more->sync = vmalloc(array_size(more->max_sync, sizeof(*more->sync)));
	if (!more->bytes || !more->sync) {
		replay_free(more);
		return NULL;
	}
	if (r->n)
		memcpy(more->bytes, r->bytes, r->n);
	if (r->n_sync)
		memcpy(more->sync, r->sync, r->n_sync * sizeof(*r->sync));
	return more;
}

void replay_add(struct replay *r, const u8 *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (bytes[i] == 0x80 && r->zeros >= SYNC_ZEROS)
			r->sync[r->n_sync++] = r->n + i - SYNC_ZEROS;
		r->zeros = bytes[i] ? 0 : r->zeros + 1;
	}
	memcpy(r->bytes + r->n, bytes, n);
	r->n += n;
}

/* The number of A-syncs up to @end, which is one beyond the last that may begin a piece. */
static size_t syncs_up_to(const struct replay *r, size_t end)
{
	size_t low = 0, high = r->n_sync;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (r->sync[mid] <= end)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Where the piece that begins at @r->pos may end at the earliest. */
static size_t first_cut(const struct replay *r)
{
	const size_t i = syncs_up_to(r, r->pos);

	return i < r->n_sync ? r->sync[i] : r->n;
}

size_t replay_piece(struct replay *r, size_t want, size_t room, size_t size, bool anywhere,
		    size_t *lost)
{
	const size_t from = r->pos;
	size_t end, cut, i;

	*lost = 0;
	if (anywhere)
		return min(want, r->n - r->pos);
	while (r->pos < r->n && first_cut(r) - r->pos > size)
		r->pos = first_cut(r);
	*lost = r->pos - from;
	end = r->pos + min(want, r->n - r->pos);
	if (end == r->n)
		return end - r->pos;
	i = syncs_up_to(r, end);
	cut = i && r->sync[i - 1] > r->pos ? r->sync[i - 1] : first_cut(r);
	return cut - r->pos <= room ? cut - r->pos : 0;
}
