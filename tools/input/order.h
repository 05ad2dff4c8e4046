/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Merges what several trace sources tell into one order of time.
 *
 *	struct order_source source[2] = { { .next = next_a, .owner = &a }, ... };
 *	struct order_placed placed;
 *	struct order *order;
 *
 *	order_new(&order, source, 2, 0);
 *	while ((got = order_next(order, &placed)) > 0)
 *		... placed.data came from source[placed.source], placed.kind says how sure it is
 *
 * Most items of a trace have no time of their own: a timestamp says that all before it happened
 * until then, and all after it since then.  So items are held until the next timestamp of their
 * source, but only so many of them: memory does not grow with the trace.
 */
#ifndef CSF_ORDER_H
#define CSF_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Items of one source that are held at most, if the caller names no other number. */
#define ORDER_HOLD	(64u << 10)

/* struct order_item.flags */
#define ORDER_TIME	0x01	/* @time is valid */
#define ORDER_TICKS	0x02	/* @ticks is valid */
#define ORDER_MARK	0x04	/* the next @time is that of this item */
#define ORDER_LOST	0x08	/* @ticks before this and after it cannot be compared */
#define ORDER_CLOCK	0x10	/* the rate of the clock changes here; also means ORDER_LOST */

/**
 * struct order_item - what a source tells next
 * @data: @n bytes, which are copied
 * @time: with ORDER_TIME: the time of this item; what came before it was not later, what comes
 *        after it is not earlier
 * @ticks: with ORDER_TICKS: what a steady counter of any rate, such as one of cycles, showed then.
 *         Items between two timestamps get a time by it
 * @flags: ORDER_x
 */
struct order_item {
	const void *data;
	size_t n;
	uint64_t time, ticks;
	uint32_t flags;
};

/**
 * struct order_source - a source, which the caller fills in
 * @next: gets the next item; 1: there is one, 0: there is none, negative: enum csf_error
 * @owner: for @next
 * @clock: times of sources with one number can be compared.  Those of the least number come first,
 *         then those of the next: times of two clocks have no order
 * @skew: is added to its times
 */
struct order_source {
	int (*next)(void *owner, struct order_item *item);
	void *owner;
	uint32_t clock;
	int64_t skew;
};

/**
 * enum order_kind - what is known of the time of an item
 * @ORDER_EXACT: it is @since
 * @ORDER_TICKED: it is @at by the ticks between the timestamps @since and @until
 * @ORDER_BETWEEN: not before @since and not after @until
 * @ORDER_BEFORE: not after @until: the first timestamp of its source
 * @ORDER_AFTER: not before @since, after which its source has no timestamp: at its end, where the
 *               time goes back, or among as many items as are held
 * @ORDER_NONE: nothing: the source had no timestamp
 */
enum order_kind {
	ORDER_EXACT,
	ORDER_TICKED,
	ORDER_BETWEEN,
	ORDER_BEFORE,
	ORDER_AFTER,
	ORDER_NONE,
	ORDER_KINDS
};

/**
 * struct order_placed - an item in its place
 * @data: as in struct order_item; valid until the next order_next()
 * @source: number of its source
 * @kind: enum order_kind
 * @at: the time that it is placed at: its own, that by ticks, else @until if it is known, else
 *      @since, else 0; in one clock and @epoch it never goes down
 * @since, @until: see @kind
 * @epoch: how often the time of its source went back before.  All that has a lower number comes
 *         first: as a rule the clock was set back for all sources
 */
struct order_placed {
	const void *data;
	size_t n;
	size_t source;
	uint64_t at, since, until;
	uint32_t epoch;
	uint8_t kind;
};

/**
 * struct order_state - what became of a source
 * @n: items by enum order_kind
 * @first, @last: its first and last timestamp, if @times
 * @times: timestamps that were used
 * @back: timestamps that were earlier than the one before
 * @changed: items with ORDER_CLOCK
 * @full: how often more items than allowed would have been held
 */
struct order_state {
	uint64_t n[ORDER_KINDS];
	uint64_t first, last;
	uint64_t times, back, changed, full;
};

struct order;

/**
 * order_new() - begin to merge
 * @source: @n of them, copied.  If two items have the same time, that of the first source is first
 * @hold: how many items of a source are held at most; 0: ORDER_HOLD
 *
 * Return: 0, CSF_ERR_MEMORY.
 */
int order_new(struct order **order, const struct order_source *source, size_t n, size_t hold);
void order_free(struct order *order);

/* Return: 1 and the next item in order; 0: there is none; or what a source returned. */
int order_next(struct order *order, struct order_placed *placed);

/* So far; final when order_next() has returned 0. */
const struct order_state *order_state(const struct order *order, size_t source);

/* "exact", "between" and so on. */
const char *order_kind_name(enum order_kind kind);

/* The longest result of order_when(), with its end. */
#define ORDER_WHEN_MAX	48

/*
 * The time of an item in words: "100" exact, "~100" by ticks, "100-200" between, "-100" before,
 * "100-" after, "?" not known.
 */
const char *order_when(const struct order_placed *placed, char text[ORDER_WHEN_MAX]);

#endif /* CSF_ORDER_H */
