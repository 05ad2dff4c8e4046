// SPDX-License-Identifier: GPL-2.0-only
/* The trace of one CPU in one queue, to be filled by quick-fill.c. */
#include <errno.h>
#include <stdlib.h>

#include "quick-parts.h"

/* Finds the place with half of the bytes of the stream's queue. */
static void find_middle(const struct quick_fill *fill, struct quick_stream *s)
{
	const struct perf_aux *aux = fill->replay->aux;
	const struct perf_queue *queue = &aux->queue[s->whose.queue];

	s->middle = queue->bytes / 2;
	for (size_t i = 0; i < queue->n; i++) {
		s->last = &aux->fragment[queue->first + i];
		if (s->middle < s->last->size)
			break;
		s->middle -= s->last->size;
	}
}

int quick_fill_stream(struct quick_fill *fill, struct quick_stream **out, uint32_t queue,
		      uint32_t cpu)
{
	struct quick_stream *s = calloc(1, sizeof(*s));
	long unit;
	int err;

	*out = NULL;
	if (!s)
		return -ENOMEM;
	if (perf_cs_config(fill->replay->cs, cpu, &s->config)) {
		free(s);
		return -ENOENT;
	}
	if (!quick_reads(&s->config)) {
		free(s);
		return -ENOENT;
	}
	unit = quick_unit(fill->quick, &s->config);
	err = unit < 0 ? CSF_ERR_MEMORY : csf_monitor_new(&s->mon, &s->config);
	s->speculates = s->config.trcidr8;	/* MAXSPEC */
	if (!err && s->speculates)
		err = csf_monitor_commit(s->mon);
	if (err) {
		csf_monitor_free(s->mon);
		free(s);
		return err == CSF_ERR_MEMORY ? -ENOMEM : -ENOENT;
	}
	quick_older_init(s);
	s->unit = unit;
	s->fill = fill;
	s->why = CSF_GAP_ADDRESS;
	s->whose.unit = perf_cs_cpu(fill->replay->cs, cpu);
	s->whose.cpu = cpu;
	s->whose.queue = queue;
	find_middle(fill, s);
	*out = s;
	return 0;
}

void quick_fill_free(struct quick_stream *s)
{
	if (s) {
		csf_monitor_free(s->mon);
		free(s->older.held);
	}
	free(s);
}
