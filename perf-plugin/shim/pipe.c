// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include <internal/lib.h>

#include "pipe.h"

/* Size of the pieces in which trace is read from the pipe. */
#define PIECE	(256U << 10)

static int feed_attr(struct csflow *c, const struct evsel *evsel)
{
	const size_t n = evsel->core.ids * sizeof(u64);
	struct {
		struct perf_event_header header;
		struct perf_event_attr attr;
	} made = {
		.header.type = PERF_RECORD_HEADER_ATTR,
		.header.size = sizeof(made) + n,
		.attr = evsel->core.attr,
	};
	int err;

	if (n > UINT16_MAX - sizeof(made))
		return -E2BIG;
	made.attr.size = sizeof(made.attr);
	err = plugin_feed(c->plugin, &made, sizeof(made));
	return err ? err : plugin_feed(c->plugin, evsel->core.id, n);
}

int csflow_feed_start(struct csflow *c, const union perf_event *info)
{
	const struct perf_record_time_conv *conv = &c->session->time_conv;
	struct evsel *evsel;
	int err = 0;

	evlist__for_each_entry(c->session->evlist, evsel) {
		/* perf knows this for a file, but not for a pipe */
		evsel->needs_swap = c->session->header.needs_swap;
		err = feed_attr(c, evsel);
		if (err)
			return err;
	}
	if (conv->header.size)
		err = plugin_feed(c->plugin, conv, conv->header.size);
	return err ? err : plugin_feed(c->plugin, info, info->header.size);
}

/*
 * perf converts the bytes at the end of a record word by word, but two words are pairs of numbers,
 * which are then in the wrong order.
 */
static void order_pairs(struct csflow *c, union perf_event *event)
{
	static const u64 words[] = {
		PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_CPU, PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_ID,
		PERF_SAMPLE_TIME, PERF_SAMPLE_TID,
	};
	struct evsel *evsel = evlist__event2evsel(c->session->evlist, event);
	u64 type = evsel && evsel->core.attr.sample_id_all ? evsel->core.attr.sample_type : 0;
	u8 *p = (u8 *)event + event->header.size;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (!(type & words[i]) || p - (u8 *)event < 16)
			continue;
		p -= sizeof(u64);
		if (words[i] & (PERF_SAMPLE_CPU | PERF_SAMPLE_TID)) {
			u32 *pair = (u32 *)p, first = pair[0];

			pair[0] = pair[1];
			pair[1] = first;
		}
	}
}

static int feed_foreign(struct csflow *c, const union perf_event *event)
{
	union perf_event *own = malloc(event->header.size);
	int err;

	if (!own)
		return -ENOMEM;
	memcpy(own, event, event->header.size);
	order_pairs(c, own);
	err = plugin_feed(c->plugin, own, own->header.size);
	free(own);
	return err;
}

int csflow_feed_event(struct csflow *c, const union perf_event *event)
{
	switch (event->header.type) {
	case PERF_RECORD_AUX:
	case PERF_RECORD_ITRACE_START:
	case PERF_RECORD_AUX_OUTPUT_HW_ID:
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
	case PERF_RECORD_LOST:
		if (c->session->header.needs_swap)
			return feed_foreign(c, event);
		return plugin_feed(c->plugin, event, event->header.size);
	case PERF_RECORD_TEXT_POKE:
		/* perf has converted the bytes of the code as if they were words */
		return c->session->header.needs_swap ? 0 :
			plugin_feed(c->plugin, event, event->header.size);
	default:
		return 0;
	}
}

int csflow_feed_trace(struct csflow *c, const union perf_event *event)
{
	int fd = perf_data__fd(c->session->data);
	int err = plugin_feed(c->plugin, event, event->header.size);
	u64 left = event->auxtrace.size;
	void *piece = malloc(PIECE);

	while (!err && piece && left) {
		ssize_t got = readn(fd, piece, min_t(u64, left, PIECE));

		if (got <= 0)
			err = got ? -errno : -EPIPE;
		else
			err = plugin_feed(c->plugin, piece, got);
		left -= got;
	}
	if (!piece)
		err = -ENOMEM;
	free(piece);
	return err;
}

int csflow_hold(struct csflow *c, const union perf_event *event)
{
	struct csflow_held *held = &c->held;
	const size_t n = event->header.size;

	if (held->size - held->n < n + sizeof(u64)) {
		size_t size = 2 * held->size + PIECE;
		u8 *p = realloc(held->bytes, size);

		if (!p)
			return -ENOMEM;
		held->bytes = p;
		held->size = size;
	}
	memcpy(held->bytes + held->n, event, n);
	held->n += ALIGN(n, sizeof(u64));
	return 1;
}

/* It was counted when it was read, and is counted again when it is delivered. */
static void count_once(struct events_stats *stats, u32 type)
{
	stats->nr_events[0]--;
	stats->nr_events[type]--;
}

static int replay(struct csflow *c, union perf_event *event,
		  int (*before)(struct csflow *c, union perf_event *event,
				struct perf_sample *sample))
{
	struct perf_sample sample;
	int err;

	shim_sample_init(&sample);
	err = evlist__parse_sample(c->session->evlist, event, &sample);
	if (!err)
		err = before(c, event, &sample);
	if (!err) {
		count_once(&c->session->evlist->stats, event->header.type);
		err = perf_session__deliver_synth_event(c->session, event, &sample);
	}
	shim_sample_exit(&sample);
	return err;
}

int csflow_replay(struct csflow *c, int (*before)(struct csflow *c, union perf_event *event,
						  struct perf_sample *sample))
{
	int err = 0;

	for (size_t at = 0; at < c->held.n && !err;) {
		union perf_event *event = (union perf_event *)(c->held.bytes + at);

		at += ALIGN((size_t)event->header.size, sizeof(u64));
		err = replay(c, event, before);
	}
	return err;
}
