// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "order.h"
#include "../../decoder/csflow.h"

/* An item that waits for its turn.  @from: where its data begin; @counted: it has @ticks. */
struct held {
	struct order_placed placed;
	uint64_t ticks;
	size_t from;
	bool counted;
};

/**
 * struct line - the items of one source that wait, in their order
 * @held: those from @head to @n; those before @ready have their place
 * @bytes: their data, @used of @room
 * @counted: those before this have ticks, or never will
 * @base: ticks at the last timestamp, if @has_base
 * @now: ticks of the last item that had some, if @has_now
 * @mark: number of the item that the next timestamp is of, if @has_mark
 * @last: the last timestamp, if @timed
 */
struct line {
	struct order_source source;
	struct order_state state;
	struct held *held;
	size_t head, ready, n, size, counted, mark;
	uint8_t *bytes;
	size_t used, room;
	uint64_t base, now, last;
	uint32_t epoch;
	bool has_base, has_now, has_mark, timed, ended;
};

/**
 * struct order - the merge
 * @clock: the sources that have it are being merged
 * @taken: the line of the item before; NULL: none
 */
struct order {
	struct line *line;
	size_t n, hold;
	struct line *taken;
	uint32_t clock;
	bool begun;
};

int order_new(struct order **out, const struct order_source *source, size_t n, size_t hold)
{
	struct order *o = calloc(1, sizeof(*o));

	*out = o;
	if (!o)
		return CSF_ERR_MEMORY;
	o->line = calloc(n + 1, sizeof(*o->line));
	if (!o->line) {
		free(o);
		*out = NULL;
		return CSF_ERR_MEMORY;
	}
	o->n = n;
	o->hold = hold ?: ORDER_HOLD;
	for (size_t i = 0; i < n; i++)
		o->line[i].source = source[i];
	return 0;
}

void order_free(struct order *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->n; i++) {
		free(o->line[i].held);
		free(o->line[i].bytes);
	}
	free(o->line);
	free(o);
}

/* ---------------------------------------------------------------- what is held */

/* Forgets what was taken, if that is most of it. */
static void shrink(struct line *l)
{
	const size_t gone = l->head, from = gone < l->n ? l->held[gone].from : l->used;

	if (!gone || gone < l->n / 2)
		return;
	memmove(l->held, l->held + gone, (l->n - gone) * sizeof(*l->held));
	memmove(l->bytes, l->bytes + from, l->used - from);
	l->used -= from;
	l->n -= gone;
	for (size_t i = 0; i < l->n; i++)
		l->held[i].from -= from;
	l->ready -= gone;
	l->counted = l->counted > gone ? l->counted - gone : 0;
	l->mark = l->mark > gone ? l->mark - gone : 0;
	l->head = 0;
}

static int make_room(struct line *l, size_t n)
{
	void *grown;

	shrink(l);
	if (l->n == l->size) {
		const size_t size = l->size ? 2 * l->size : 64;

		grown = realloc(l->held, size * sizeof(*l->held));
		if (!grown)
			return CSF_ERR_MEMORY;
		l->held = grown;
		l->size = size;
	}
	if (l->room - l->used < n) {
		const size_t room = 2 * (l->room + n) + 1024;

		grown = realloc(l->bytes, room);
		if (!grown)
			return CSF_ERR_MEMORY;
		l->bytes = grown;
		l->room = room;
	}
	return 0;
}

static int append(struct line *l, size_t number, const struct order_item *item)
{
	int err = make_room(l, item->n);

	if (err)
		return err;
	if (item->n)
		memcpy(l->bytes + l->used, item->data, item->n);
	l->held[l->n++] = (struct held){
		.placed = { .n = item->n, .source = number }, .from = l->used,
	};
	l->used += item->n;
	return 0;
}

/* ---------------------------------------------------------------- places */

static void place(struct line *l, struct held *h, enum order_kind kind, uint64_t at)
{
	h->placed.kind = kind;
	h->placed.at = at;
	h->placed.epoch = l->epoch;
	l->state.n[kind]++;
}

/* The items before number @end have no timestamp after them. */
static void place_after(struct line *l, size_t end)
{
	for (; l->ready < end; l->ready++) {
		struct held *h = &l->held[l->ready];

		h->placed.since = l->last;
		place(l, h, l->timed ? ORDER_AFTER : ORDER_NONE, l->last);
	}
}

/* The time of @h by ticks, of which the timestamp @time has @ticks. */
static uint64_t by_ticks(const struct line *l, const struct held *h, uint64_t time, uint64_t ticks)
{
	const unsigned __int128 way = time - l->last;

	return l->last + (uint64_t)(way * (h->ticks - l->base) / (ticks - l->base));
}

/* The items before number @end are before the timestamp @time, of which the ticks are @ticks. */
static void place_before(struct line *l, size_t end, uint64_t time, const uint64_t *ticks)
{
	const bool can = ticks && l->has_base && *ticks > l->base;

	for (; l->ready < end; l->ready++) {
		struct held *h = &l->held[l->ready];

		h->placed.since = l->timed ? l->last : 0;
		h->placed.until = time;
		if (!l->timed)
			place(l, h, ORDER_BEFORE, time);
		else if (can && h->counted && h->ticks >= l->base && h->ticks <= *ticks)
			place(l, h, ORDER_TICKED, by_ticks(l, h, time, *ticks));
		else
			place(l, h, ORDER_BETWEEN, time);
	}
}

/* The last item has a timestamp, which is that of the item with the mark if there is one. */
static void see_time(struct line *l, const struct order_item *item)
{
	const size_t at = l->has_mark ? l->mark : l->n - 1;
	const uint64_t *ticks = item->flags & ORDER_TICKS ? &item->ticks :
				l->has_now ? &l->now : NULL;
	struct held *h = &l->held[at];

	if (l->timed && item->time < l->last) {
		place_after(l, at);
		l->epoch++;
		l->state.back++;
		l->has_base = false;
	} else {
		place_before(l, at, item->time, ticks);
	}
	if (!l->state.times++)
		l->state.first = item->time;
	l->state.last = item->time;
	l->last = item->time;
	l->timed = true;
	l->has_base = ticks;
	l->base = ticks ? *ticks : 0;
	l->has_mark = false;
	h->placed.since = item->time;
	h->placed.until = item->time;
	place(l, h, ORDER_EXACT, item->time);
	l->ready = at + 1;
}

/* The items since the last one with ticks happened until these. */
static void see_ticks(struct line *l, uint64_t ticks)
{
	for (; l->counted < l->n; l->counted++) {
		l->held[l->counted].ticks = ticks;
		l->held[l->counted].counted = true;
	}
	l->has_now = true;
	l->now = ticks;
}

/* Up to the next timestamp no item has a time by ticks. */
static void forget_ticks(struct line *l)
{
	l->has_base = false;
	l->has_now = false;
	l->has_mark = false;
}

static void see(struct line *l, const struct order_item *item)
{
	struct order_item timed;

	l->state.changed += !!(item->flags & ORDER_CLOCK);
	if (item->flags & (ORDER_LOST | ORDER_CLOCK))
		forget_ticks(l);
	if (item->flags & ORDER_TICKS && !(item->flags & ORDER_TIME && l->has_mark))
		see_ticks(l, item->ticks);
	if (item->flags & ORDER_MARK) {
		l->has_mark = true;
		l->mark = l->n - 1;
	}
	if (!(item->flags & ORDER_TIME))
		return;
	timed = *item;
	timed.time += l->source.skew;
	see_time(l, &timed);
}

/* ---------------------------------------------------------------- the merge */

/* Reads until the first item of the line has a place.  Return: 0 or a negative enum csf_error. */
static int fill(struct order *o, struct line *l)
{
	struct order_item item;
	int got, err;

	while (l->ready == l->head && !l->ended) {
		item = (struct order_item){ 0 };
		got = l->source.next(l->source.owner, &item);
		if (got < 0)
			return got;
		if (!got) {
			l->ended = true;
			place_after(l, l->n);
			break;
		}
		err = append(l, l - o->line, &item);
		if (err)
			return err;
		see(l, &item);
		if (l->n - l->ready < o->hold)
			continue;
		place_after(l, l->n);
		forget_ticks(l);
		l->state.full++;
	}
	return 0;
}

static bool is_before(const struct line *a, const struct line *b)
{
	const struct order_placed *x = &a->held[a->head].placed, *y = &b->held[b->head].placed;

	return x->epoch != y->epoch ? x->epoch < y->epoch : x->at < y->at;
}

/* The line of @o->clock whose first item comes first; NULL: they are all at their end. */
static struct line *first_line(struct order *o, int *err)
{
	struct line *first = NULL;

	for (size_t i = 0; i < o->n; i++) {
		struct line *l = &o->line[i];

		if (l->source.clock != o->clock)
			continue;
		*err = fill(o, l);
		if (*err)
			return NULL;
		if (l->head < l->n && (!first || is_before(l, first)))
			first = l;
	}
	return first;
}

/* The next clock after the one that is done.  Return: there is one. */
static bool next_clock(struct order *o)
{
	bool any = false;
	uint32_t least = 0;

	for (size_t i = 0; i < o->n; i++) {
		const uint32_t clock = o->line[i].source.clock;

		if ((!o->begun || clock > o->clock) && (!any || clock < least)) {
			least = clock;
			any = true;
		}
	}
	if (any)
		o->clock = least;
	o->begun = true;
	return any;
}

int order_next(struct order *o, struct order_placed *placed)
{
	struct line *l = NULL;
	struct held *h;
	int err = 0;

	while (!l) {
		if (o->begun)
			l = first_line(o, &err);
		if (err)
			return err;
		if (!l && !next_clock(o))
			return 0;
	}
	h = &l->held[l->head++];
	*placed = h->placed;
	placed->data = l->bytes + h->from;
	return 1;
}

const struct order_state *order_state(const struct order *o, size_t source)
{
	return &o->line[source].state;
}

const char *order_kind_name(enum order_kind kind)
{
	static const char *const names[] = {
		"exact", "ticked", "between", "before", "after", "none",
	};

	return kind < ORDER_KINDS ? names[kind] : "unknown";
}

const char *order_when(const struct order_placed *p, char text[ORDER_WHEN_MAX])
{
	switch ((enum order_kind)p->kind) {
	case ORDER_EXACT:
		snprintf(text, ORDER_WHEN_MAX, "%" PRIu64, p->at);
		break;
	case ORDER_TICKED:
		snprintf(text, ORDER_WHEN_MAX, "~%" PRIu64, p->at);
		break;
	case ORDER_BETWEEN:
		snprintf(text, ORDER_WHEN_MAX, "%" PRIu64 "-%" PRIu64, p->since, p->until);
		break;
	case ORDER_BEFORE:
		snprintf(text, ORDER_WHEN_MAX, "-%" PRIu64, p->until);
		break;
	case ORDER_AFTER:
		snprintf(text, ORDER_WHEN_MAX, "%" PRIu64 "-", p->since);
		break;
	default:
		snprintf(text, ORDER_WHEN_MAX, "?");
		break;
	}
	return text;
}
