// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "message-stream.h"
#include "order-event.h"

#define TRCCONFIGR_TS	(1u << 11)
#define ETMCR_TS	(1u << 28)

/* Has the trace of an ITM a whole global timestamp? */
static bool has_global(const struct input *in, const struct input_source *source)
{
	const struct csf_message *m;
	struct message_stream s;
	bool found = false;

	if (!message_stream_open(&s, in, source)) {
		s.quiet = true;
		while (!found && (m = message_stream_next(&s)) != NULL) {
			found = m->kind == CSF_MESSAGE_GLOBAL_TIME &&
				!(m->flags & CSF_MESSAGE_PARTIAL);
			message_stream_take(&s);
		}
	}
	message_stream_close(&s);
	return found;
}

uint32_t order_clock_of(const struct input *in, const struct input_source *source, size_t i,
			struct order_clock *clock)
{
	const struct csf_config *config = &source->config;
	bool sends = true;

	*clock = (struct order_clock){ .protocol = csf_config_protocol(config) };
	switch ((enum csf_protocol)clock->protocol) {
	case CSF_PROTOCOL_ETM4:
	case CSF_PROTOCOL_ETE:
		sends = config->trcconfigr & TRCCONFIGR_TS && !source->data;
		break;
	case CSF_PROTOCOL_ETM3:
	case CSF_PROTOCOL_PTM:
		sends = config->etmcr & ETMCR_TS;
		break;
	case CSF_PROTOCOL_MTB:
		sends = false;
		break;
	case CSF_PROTOCOL_ITM:
		clock->own = !has_global(in, source);
		break;
	default:
		break;
	}
	return clock->own ? ORDER_OWN(i) : sends ? ORDER_GLOBAL : ORDER_NO_CLOCK;
}

/* The count in a timestamp of an ETMv4 is not part of the next cycle count; others count on. */
static bool counts_on(const struct order_clock *clock)
{
	return clock->protocol != CSF_PROTOCOL_ETM4 && clock->protocol != CSF_PROTOCOL_ETE;
}

static void element_time(struct order_clock *clock, const struct csf_element *e,
			 struct order_item *item)
{
	uint64_t ticks = clock->has_mark ? clock->marked : clock->ticks;

	clock->has_mark = false;
	if (e->flags & CSF_ELEM_HAS_CC && counts_on(clock)) {
		clock->ticks += e->cycle_count;
		ticks = clock->ticks;
	} else if (e->flags & CSF_ELEM_HAS_CC) {
		ticks += e->cycle_count;
	}
	if (!e->timestamp)	/* the trace unit did not know it */
		return;
	item->time = e->timestamp;
	item->flags |= ORDER_TIME;
	if (!(e->flags & CSF_ELEM_HAS_CC))
		return;
	item->ticks = ticks;
	item->flags |= ORDER_TICKS;
}

static void lose_ticks(struct order_clock *clock, struct order_item *item)
{
	clock->has_mark = false;
	item->flags |= ORDER_LOST;
}

void order_element(struct order_clock *clock, const struct csf_element *e,
		   struct order_item *item)
{
	switch ((enum csf_element_type)e->type) {
	case CSF_ELEM_TIMESTAMP:
		element_time(clock, e, item);
		break;
	case CSF_ELEM_CYCLE_COUNT:
		/* an ETMv4 that does not know the count sends 0 */
		if (!e->cycle_count && !counts_on(clock)) {
			item->flags |= ORDER_LOST;
			break;
		}
		clock->ticks += e->cycle_count;
		item->ticks = clock->ticks;
		item->flags |= ORDER_TICKS;
		break;
	case CSF_ELEM_SYNC_MARKER:
		clock->marked = clock->ticks;
		clock->has_mark = true;
		item->flags |= ORDER_MARK;
		break;
	case CSF_ELEM_TRACE_ON:
		/* as a rule the next count includes the cycles while trace was off */
		if (e->value != CSF_ON_NORMAL)
			lose_ticks(clock, item);
		break;
	case CSF_ELEM_NO_SYNC:
		lose_ticks(clock, item);
		break;
	default:
		break;
	}
}

/* The local times of an ITM are ticks, if it also sends global ones. */
static void itm_time(struct order_clock *clock, const struct csf_message *m,
		     struct order_item *item)
{
	const bool sure = m->flags & CSF_MESSAGE_HAS_TIME &&
			  !(m->flags & (CSF_MESSAGE_LATE | CSF_MESSAGE_TIME_LATE));

	if (m->flags & CSF_MESSAGE_TIME_LOST || m->kind == CSF_MESSAGE_GAP)
		item->flags |= ORDER_LOST;
	if (m->kind == CSF_MESSAGE_GLOBAL_TIME && m->flags & CSF_MESSAGE_CLOCK)
		item->flags |= ORDER_CLOCK;
	if (m->kind == CSF_MESSAGE_GLOBAL_TIME && !(m->flags & CSF_MESSAGE_PARTIAL)) {
		item->time = m->value;
		item->flags |= ORDER_TIME;
	}
	if (!sure)
		return;
	if (clock->own) {
		item->time = m->time;
		item->flags |= ORDER_TIME;
	} else if (m->kind != CSF_MESSAGE_GLOBAL_TIME) {
		/* a global timestamp has the time of the local one after it, which is later */
		item->ticks = m->time;
		item->flags |= ORDER_TICKS;
	}
}

void order_message(struct order_clock *clock, const struct csf_message *m,
		   struct order_item *item)
{
	if (clock->protocol == CSF_PROTOCOL_ITM) {
		itm_time(clock, m, item);
		return;
	}
	if (m->kind == CSF_MESSAGE_FREQUENCY) {
		if (clock->hertz && clock->hertz != m->value)
			item->flags |= ORDER_CLOCK;
		clock->hertz = m->value;
	}
	if (!(m->flags & CSF_MESSAGE_HAS_TIME))
		return;
	item->time = m->time;
	item->flags |= ORDER_TIME;
}

/* Adds a part of the sentence. */
__attribute__((format(printf, 3, 4)))
static void add(char *text, size_t size, const char *format, ...)
{
	size_t n = 0;
	va_list args;

	while (n < size && text[n])
		n++;
	if (n)
		n += snprintf(text + n, size - n, "; ");
	if (n >= size)
		return;
	va_start(args, format);
	vsnprintf(text + n, size - n, format, args);
	va_end(args);
}

bool order_words(const struct order_state *s, uint32_t clock, char *text, size_t size)
{
	uint64_t n = 0;

	for (int i = 0; i < ORDER_KINDS; i++)
		n += s->n[i];
	*text = '\0';
	if (!n) {
		add(text, size, "it has no trace");
		return true;
	}
	if (!s->times) {
		add(text, size, "it has no timestamps: it is not in order with the others");
		return true;
	}
	if (clock != ORDER_GLOBAL)
		add(text, size,
		    "its times are of a clock of its own: it comes after the others");
	if (s->n[ORDER_BEFORE] + s->n[ORDER_NONE])
		add(text, size, "%" PRIu64 " before its first timestamp, %" PRIu64,
		    s->n[ORDER_BEFORE] + s->n[ORDER_NONE], s->first);
	if (s->back)
		add(text, size,
		    "its time goes back %" PRIu64 " times: what follows comes after all that has no such step",
		    s->back);
	if (s->changed)
		add(text, size, "its clock changes %" PRIu64 " times", s->changed);
	if (s->full)
		add(text, size,
		    "%" PRIu64 " times there is no timestamp for too long: only its own order is known",
		    s->full);
	else if (s->n[ORDER_AFTER])
		add(text, size, "%" PRIu64 " after its last timestamp, %" PRIu64,
		    s->n[ORDER_AFTER], s->last);
	return *text;
}
