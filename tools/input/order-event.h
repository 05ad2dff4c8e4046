/* SPDX-License-Identifier: GPL-2.0-only */
/* What elements and messages tell of their time, in the terms of order.h. */
#ifndef CSF_ORDER_EVENT_H
#define CSF_ORDER_EVENT_H

#include "input.h"
#include "order.h"

/**
 * struct order_clock - the clock of one source, while its events are read; zero it first
 * @ticks: cycles so far; @marked: those up to a timestamp marker, if @has_mark
 * @hertz: what an STM said last of its clock
 * @protocol: enum csf_protocol
 * @own: the only times are those of a clock of its own
 */
struct order_clock {
	uint64_t ticks, marked, hertz;
	uint8_t protocol;
	bool has_mark, own;
};

/* struct order_source.clock */
#define ORDER_GLOBAL	0u		/* the timestamps that all CoreSight sources share */
#define ORDER_OWN(i)	(1u + (i))	/* a clock of source @i alone */
#define ORDER_NO_CLOCK	UINT32_MAX	/* the source sends no timestamps */

/**
 * order_clock_of() - which clock a source has
 * @in: its trace, of which the messages of an ITM are read for a global timestamp
 * @i: its number, for ORDER_OWN()
 * @clock: made ready for order_element() or order_message()
 *
 * Return: the number for struct order_source.
 */
uint32_t order_clock_of(const struct input *in, const struct input_source *source, size_t i,
			struct order_clock *clock);

/* Fill in all of @item but @data and @n. */
void order_element(struct order_clock *clock, const struct csf_element *e,
		   struct order_item *item);
void order_message(struct order_clock *clock, const struct csf_message *m,
		   struct order_item *item);

/**
 * order_words() - what of a source is not in order, in a sentence
 * @clock: as order_clock_of() returned it
 *
 * Return: false: all is in order, and there is nothing to say.
 */
bool order_words(const struct order_state *state, uint32_t clock, char *text, size_t size);

#endif /* CSF_ORDER_EVENT_H */
