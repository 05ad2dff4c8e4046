// SPDX-License-Identifier: GPL-2.0-only
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "aux.h"

/*
 * The core tells a sink of its buffer when it is allocated and when it is to be written, but not
 * when the sink is enabled.  So all are in a list, the newest first.
 */
static LIST_HEAD(buffers);
static DEFINE_RAW_SPINLOCK(lock);

void *aux_alloc(struct coresight_device *csdev, struct perf_event *event, void **pages,
		int nr_pages, bool overwrite)
{
	struct buffer *b = kzalloc(sizeof(*b), GFP_KERNEL);
	unsigned long flags;

	if (!b)
		return NULL;
	b->page = pages;
	b->size = (size_t)nr_pages << PAGE_SHIFT;
	b->snapshot = overwrite;
	b->owner = event->owner ? task_pid_nr(event->owner) : 0;
	b->rb = event->rb;
	raw_spin_lock_irqsave(&lock, flags);
	list_add(&b->node, &buffers);
	raw_spin_unlock_irqrestore(&lock, flags);
	return b;
}

void aux_free(void *buffer)
{
	struct buffer *b = buffer;
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	list_del(&b->node);
	raw_spin_unlock_irqrestore(&lock, flags);
	kfree(b);
}

struct buffer *aux_find(const struct perf_output_handle *handle)
{
	struct buffer *b, *found = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&lock, flags);
	list_for_each_entry(b, &buffers, node) {
		if (b->rb == handle->rb) {
			found = b;
			break;
		}
	}
	raw_spin_unlock_irqrestore(&lock, flags);
	return found;
}

/* The address of offset @at, and how many of @n bytes are on that page. */
static u8 *on_page(const struct buffer *b, size_t at, size_t *n)
{
	const size_t off = at & (b->size - 1);

	*n = min(*n, PAGE_SIZE - offset_in_page(off));
	return b->page[off >> PAGE_SHIFT] + offset_in_page(off);
}

void aux_put(const struct buffer *b, size_t at, const u8 *from, size_t n)
{
	while (n) {
		size_t part = n;
		u8 *to = on_page(b, at, &part);

		memcpy(to, from, part);
		at += part;
		from += part;
		n -= part;
	}
}

void aux_fill(const struct buffer *b, size_t at, u8 byte, size_t n)
{
	while (n) {
		size_t part = n;
		u8 *to = on_page(b, at, &part);

		memset(to, byte, part);
		at += part;
		n -= part;
	}
}
