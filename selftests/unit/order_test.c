// SPDX-License-Identifier: GPL-2.0-only
/* What several sources tell, in one order of time. */
#include <stdio.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../tools/input/order-event.h"

/* Items as text: a letter, then words t=TIME, c=TICKS, m(ark), l(ost), k(clock). */
struct script {
	const char *const *line;
	char last[32];
};

static int next_of(void *owner, struct order_item *item)
{
	struct script *s = owner;
	char *at;

	if (!*s->line)
		return 0;
	snprintf(s->last, sizeof(s->last), "%s", *s->line++);
	item->data = s->last;
	item->n = 1;
	at = strstr(s->last, "t=");
	if (at) {
		item->flags |= ORDER_TIME;
		item->time = strtoull(at + 2, NULL, 0);
	}
	at = strstr(s->last, "c=");
	if (at) {
		item->flags |= ORDER_TICKS;
		item->ticks = strtoull(at + 2, NULL, 0);
	}
	item->flags |= strstr(s->last, " m") ? ORDER_MARK : 0;
	item->flags |= strstr(s->last, " l") ? ORDER_LOST : 0;
	item->flags |= strstr(s->last, " k") ? ORDER_CLOCK : 0;
	return 1;
}

#define LINES(...) ((const char *const []){ __VA_ARGS__, NULL })

FIXTURE(order)
{
	struct script script[4];
	struct order_source source[4];
	struct order *order;
	char text[2000];
};

FIXTURE_SETUP(order)
{
	for (int i = 0; i < 4; i++)
		self->source[i] = (struct order_source){
			.next = next_of, .owner = &self->script[i],
		};
}

FIXTURE_TEARDOWN(order)
{
	order_free(self->order);
}

/* The result in one line: "a@100 b@~150". */
static const char *merge(struct _test_data_order *self, size_t n, size_t hold)
{
	struct order_placed placed;
	char when[ORDER_WHEN_MAX];
	size_t at = 0;
	int got;

	if (order_new(&self->order, self->source, n, hold))
		return "no memory";
	while ((got = order_next(self->order, &placed)) > 0) {
		order_when(&placed, when);
		at += snprintf(self->text + at, sizeof(self->text) - at, "%s%.*s@%s",
			       at ? " " : "", (int)placed.n, (const char *)placed.data, when);
	}
	return got ? "failed" : self->text;
}

TEST_F(order, one_source)
{
	self->script[0].line = LINES("a", "b t=100", "c", "d t=200", "e");
	ASSERT_STREQ("a@-100 b@100 c@100-200 d@200 e@200-", merge(self, 1, 0));
}

TEST_F(order, two_sources)
{
	self->script[0].line = LINES("a", "b t=100", "c", "d t=200", "e t=300");
	self->script[1].line = LINES("p t=50", "q t=150", "r", "s t=300");
	ASSERT_STREQ("p@50 a@-100 b@100 q@150 c@100-200 d@200 e@300 r@150-300 s@300",
		     merge(self, 2, 0));
	ASSERT_EQ(3, order_state(self->order, 0)->times);
	ASSERT_EQ(50, order_state(self->order, 1)->first);
	ASSERT_EQ(300, order_state(self->order, 1)->last);
}

TEST_F(order, ticks)
{
	/* 100 ticks of time are 1,000 cycles; b is over by 250 */
	self->script[0].line = LINES("a t=100 c=5000", "b", "c c=5250", "d c=5500", "e",
				     "f t=200 c=6000", "g", "h l", "i c=7000", "j t=300 c=7100",
				     "k c=7110", "l t=310 c=7120");
	ASSERT_STREQ("a@100 b@~125 c@~125 d@~150 e@~200 f@200 "
		     "g@200-300 h@200-300 i@200-300 j@300 k@~305 l@310", merge(self, 1, 0));
}

TEST_F(order, ticks_of_a_timestamp_without)
{
	self->script[0].line = LINES("a t=100 c=0", "b c=50", "c c=100", "d", "e t=200", "f c=150",
				     "g t=300 c=200");
	ASSERT_STREQ("a@100 b@~150 c@~200 d@100-200 e@200 f@~250 g@300", merge(self, 1, 0));
}

TEST_F(order, mark)
{
	self->script[0].line = LINES("a t=100", "b", "c m", "d", "e t=200", "f", "g t=300");
	ASSERT_STREQ("a@100 b@100-200 c@200 d@200-300 e@200-300 f@200-300 g@300",
		     merge(self, 1, 0));
}

TEST_F(order, lost_mark)
{
	self->script[0].line = LINES("a t=100", "c m", "d l", "e t=200");
	ASSERT_STREQ("a@100 c@100-200 d@100-200 e@200", merge(self, 1, 0));
}

TEST_F(order, time_goes_back)
{
	self->script[0].line = LINES("a t=100", "b", "c t=10", "d", "e t=20");
	self->script[1].line = LINES("p t=90", "q t=110", "r t=5", "s t=15");
	ASSERT_STREQ("p@90 a@100 b@100- q@110 r@5 c@10 s@15 d@10-20 e@20", merge(self, 2, 0));
	ASSERT_EQ(1, order_state(self->order, 0)->back);
}

TEST_F(order, clocks)
{
	self->script[0].line = LINES("a t=5", "b t=6");
	self->script[1].line = LINES("p t=500");
	self->script[2].line = LINES("x", "y");
	self->source[0].clock = ORDER_OWN(0);
	self->source[2].clock = ORDER_NO_CLOCK;
	ASSERT_STREQ("p@500 a@5 b@6 x@? y@?", merge(self, 3, 0));
}

TEST_F(order, bound)
{
	self->script[0].line = LINES("a", "b", "c", "d t=100", "e", "f", "g", "h t=200");
	self->script[1].line = LINES("p t=150");
	ASSERT_STREQ("a@? b@? c@-100 d@100 e@100- f@100- p@150 g@100-200 h@200",
		     merge(self, 2, 2));
	ASSERT_EQ(2, order_state(self->order, 0)->full);
	ASSERT_EQ(2, order_state(self->order, 0)->n[ORDER_NONE]);
}

TEST_F(order, bound_after_mark)
{
	self->script[0].line = LINES("a t=100", "b m", "c", "d", "e t=200");
	ASSERT_STREQ("a@100 b@100- c@100- d@100-200 e@200", merge(self, 1, 2));
}

static int fails(void *owner, struct order_item *item)
{
	return CSF_ERR_MEMORY;
}

TEST_F(order, failure)
{
	struct order_placed placed;

	self->source[0].next = fails;
	ASSERT_EQ(0, order_new(&self->order, self->source, 1, 0));
	ASSERT_EQ(CSF_ERR_MEMORY, order_next(self->order, &placed));
}

/* Flat: a million items are held in the room of a few. */
static int many(void *owner, struct order_item *item)
{
	uint64_t *n = owner;

	*item = (struct order_item){ .data = n, .n = sizeof(*n) };
	if (++*n % 10 == 0) {
		item->flags = ORDER_TIME;
		item->time = *n;
	}
	return *n <= 1000000;
}

TEST_F(order, many_items)
{
	struct order_placed placed;
	uint64_t n[2] = { 0 }, seen = 0, at = 0;

	self->source[0] = (struct order_source){ .next = many, .owner = &n[0] };
	self->source[1] = (struct order_source){ .next = many, .owner = &n[1] };
	ASSERT_EQ(0, order_new(&self->order, self->source, 2, 0));
	while (order_next(self->order, &placed) > 0) {
		ASSERT_LE(at, placed.at);
		at = placed.at;
		seen++;
	}
	ASSERT_EQ(2000000, seen);
}

TEST(cycles_of_an_etm4)
{
	struct order_clock clock = { .protocol = CSF_PROTOCOL_ETM4 };
	struct csf_element e = { .type = CSF_ELEM_CYCLE_COUNT, .cycle_count = 40 };
	struct order_item item = { 0 };

	order_element(&clock, &e, &item);
	ASSERT_EQ(ORDER_TICKS, item.flags);
	ASSERT_EQ(40, item.ticks);
	e = (struct csf_element){
		.type = CSF_ELEM_TIMESTAMP, .timestamp = 1000, .cycle_count = 7,
		.flags = CSF_ELEM_HAS_TS | CSF_ELEM_HAS_CC,
	};
	item = (struct order_item){ 0 };
	order_element(&clock, &e, &item);
	ASSERT_EQ(47, item.ticks);
	/* the 7 cycles are counted again */
	e = (struct csf_element){ .type = CSF_ELEM_CYCLE_COUNT, .cycle_count = 10 };
	item = (struct order_item){ 0 };
	order_element(&clock, &e, &item);
	ASSERT_EQ(50, item.ticks);
}

TEST(cycles_of_a_ptm)
{
	struct order_clock clock = { .protocol = CSF_PROTOCOL_PTM };
	struct csf_element e = {
		.type = CSF_ELEM_TIMESTAMP, .timestamp = 1000, .cycle_count = 7,
		.flags = CSF_ELEM_HAS_TS | CSF_ELEM_HAS_CC,
	};
	struct order_item item = { 0 };

	order_element(&clock, &e, &item);
	ASSERT_EQ(7, item.ticks);
	e = (struct csf_element){ .type = CSF_ELEM_CYCLE_COUNT, .cycle_count = 10 };
	item = (struct order_item){ 0 };
	order_element(&clock, &e, &item);
	ASSERT_EQ(17, item.ticks);
}

TEST_HARNESS_MAIN
