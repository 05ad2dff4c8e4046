// SPDX-License-Identifier: GPL-2.0-only
/* Rows of functions that open: sums of callers and callees, recursion, threads, files. */
#include <stdlib.h>
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../tools/context/context-parts.h"
#include "../../tools/report/hierarchy.h"

/*
 * Thread 1: main 10 -> f 20 -> g 30, and f -> f 5 -> g 7.
 * Thread 2: main 1 -> g 100.
 * Functions main and f are in file 0, g is in file 1.
 */
FIXTURE(hierarchy)
{
	struct contexts c;
	struct hierarchy h;
};

static uint32_t node(struct contexts *c, uint32_t parent, uint32_t function, uint64_t insns)
{
	const struct context_node key = {
		.kind = CONTEXT_CALL, .parent = parent, .function = function,
	};
	const uint32_t n = context_node(c, &key);

	c->node[n].insns = insns;
	c->node[n].calls = 1;
	return n;
}

FIXTURE_SETUP(hierarchy)
{
	struct contexts *c = &self->c;
	uint32_t thread[2], main, f, g, n;

	for (int i = 0; i < 2; i++) {
		const struct context_node key = { .kind = CONTEXT_THREAD, .site = 1 + i };

		thread[i] = context_node(c, &key);
	}
	main = context_function(c, 0, 0x100, "main");
	f = context_function(c, 0, 0x200, "f");
	g = context_function(c, 1, 0x100, "g");
	n = node(c, node(c, thread[0], main, 10), f, 20);
	node(c, n, g, 30);
	node(c, node(c, n, f, 5), g, 7);
	node(c, node(c, thread[1], main, 1), g, 100);
	ASSERT_EQ(0, hierarchy_new(&self->h, c));
}

FIXTURE_TEARDOWN(hierarchy)
{
	hierarchy_fini(&self->h);
	contexts_fini(&self->c);
}

/* All rows as "depth name total self calls", with a sign. */
static const char *rows(const struct hierarchy *h)
{
	static char text[2048];
	size_t n = 0;

	*text = '\0';
	for (size_t i = 0; i < h->n; i++) {
		const struct hierarchy_row *r = &h->row[i];

		n += snprintf(text + n, sizeof(text) - n, "%*s%c%s", r->depth, "",
			      r->leaf ? ' ' : r->open ? '-' : '+', hierarchy_name(h, r));
		if (r->kind == HIERARCHY_CALLER)
			n += snprintf(text + n, sizeof(text) - n, " %d", (int)r->total);
		else if (r->kind == HIERARCHY_FUNCTION || r->kind == HIERARCHY_CALLEE)
			n += snprintf(text + n, sizeof(text) - n, " %d %d %d", (int)r->total,
				      (int)r->self, (int)r->calls);
		n += snprintf(text + n, sizeof(text) - n, "\n");
	}
	return text;
}

TEST_F(hierarchy, functions)
{
	EXPECT_STREQ("+main 173 11 2\n+g 137 137 3\n+f 62 25 2\n", rows(&self->h));
	EXPECT_EQ(173, self->h.all);
	self->h.by_self = true;
	ASSERT_EQ(0, hierarchy_again(&self->h));
	EXPECT_STREQ("+g 137 137 3\n+f 62 25 2\n+main 173 11 2\n", rows(&self->h));
}

TEST_F(hierarchy, callers_and_callees)
{
	ASSERT_EQ(0, hierarchy_toggle(&self->h, 1));
	EXPECT_STREQ("+main 173 11 2\n"
		     "-g 137 137 3\n"
		     " -called by\n"
		     "  +main 100\n"
		     "  +f 37\n"
		     "  calls\n"
		     "+f 62 25 2\n", rows(&self->h));
	ASSERT_EQ(0, hierarchy_toggle(&self->h, 4));
	/* of 37 instructions f was called by main for 30, and by f for 7 */
	EXPECT_STREQ("+main 173 11 2\n"
		     "-g 137 137 3\n"
		     " -called by\n"
		     "  +main 100\n"
		     "  -f 37\n"
		     "   +main 30\n"
		     "   +f 7\n"
		     "  calls\n"
		     "+f 62 25 2\n", rows(&self->h));
	EXPECT_EQ(4, hierarchy_above(&self->h, 5));
	EXPECT_EQ(1, hierarchy_above(&self->h, 7));
	EXPECT_EQ(8, hierarchy_above(&self->h, 8));
	ASSERT_EQ(0, hierarchy_toggle(&self->h, 1));
	EXPECT_STREQ("+main 173 11 2\n+g 137 137 3\n+f 62 25 2\n", rows(&self->h));
}

/* The instructions of f within f are counted once. */
TEST_F(hierarchy, recursion)
{
	ASSERT_EQ(0, hierarchy_open_below(&self->h, 2));
	EXPECT_STREQ("+main 173 11 2\n"
		     "+g 137 137 3\n"
		     "-f 62 25 2\n"
		     " -called by\n"
		     "  -main 62\n"
		     "    no known caller 62\n"
		     " -calls\n"
		     "   g 37 37 2\n"
		     "  -f 12 5 1\n"
		     "    g 7 7 1\n", rows(&self->h));
}

TEST_F(hierarchy, a_thread_and_a_file)
{
	uint32_t *thread;

	ASSERT_EQ(2, hierarchy_threads(&self->h, &thread));
	EXPECT_EQ(2, self->h.tree.node[thread[0]].thread);
	EXPECT_EQ(1, self->h.tree.node[thread[1]].thread);
	free(thread);
	self->h.thread = 2;
	ASSERT_EQ(0, hierarchy_again(&self->h));
	EXPECT_STREQ("+main 101 1 1\n+g 100 100 1\n", rows(&self->h));
	EXPECT_EQ(101, self->h.all);
	self->h.thread = 0;
	self->h.dso = 1;
	ASSERT_EQ(0, hierarchy_again(&self->h));
	EXPECT_STREQ("+g 137 137 3\n", rows(&self->h));
	EXPECT_EQ(1, hierarchy_dso(&self->h, &self->h.row[0]));
}

static bool not_g(void *ctx, uint32_t function)
{
	struct contexts *c = ctx;

	return strcmp(c->function[function].name, "g");
}

TEST_F(hierarchy, only_what_is_wanted)
{
	self->h.wants = not_g;
	self->h.ctx = &self->c;
	ASSERT_EQ(0, hierarchy_again(&self->h));
	EXPECT_STREQ("+main 173 11 2\n+f 62 25 2\n", rows(&self->h));
}

TEST_HARNESS_MAIN
