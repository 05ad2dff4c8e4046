/* SPDX-License-Identifier: GPL-2.0-only */
/* AUX buffers: the pages that perf gives to a sink. */
#ifndef CSFLOW_AUX_H
#define CSFLOW_AUX_H

#include <linux/coresight.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/types.h>

/**
 * struct buffer - an AUX buffer
 * @page: its pages
 * @size: its size in bytes, a power of two
 * @snapshot: it is written round and round
 * @owner: the process that made the event; 0: the kernel
 * @rb: perf's own buffer, of which this is a part
 * @node: in the list of all
 */
struct buffer {
	void **page;
	size_t size;
	bool snapshot;
	pid_t owner;
	const void *rb;
	struct list_head node;
};

/* Both are for struct coresight_ops_sink. */
void *aux_alloc(struct coresight_device *csdev, struct perf_event *event, void **pages,
		int nr_pages, bool overwrite);
void aux_free(void *buffer);

/* The buffer that an AUX record is for; NULL: not one of aux_alloc(). */
struct buffer *aux_find(const struct perf_output_handle *handle);

/* Copies @n bytes to offset @at of the buffer, and on from its start. */
void aux_put(const struct buffer *b, size_t at, const u8 *from, size_t n);

/* Likewise, @n times the same byte. */
void aux_fill(const struct buffer *b, size_t at, u8 byte, size_t n);

#endif /* CSFLOW_AUX_H */
