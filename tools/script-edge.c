// SPDX-License-Identifier: GPL-2.0-only
#include <assert.h>

#include "script-edge.h"
#include "script-parts.h"

#define COMM_MAX	64
#define CLOCK_MAX	LINE_PIECE
/* In the buffer, for a line that is copied */
#define LINE_ROOM	(SCRIPT_WHO_MAX + CLOCK_MAX + LINE_MAX + LINE_PIECE)

int script_edges_init(struct script_edges *e)
{
	return line_cache_init(&e->lines);
}

void script_edges_fini(struct script_edges *e)
{
	line_cache_fini(&e->lines);
}

/* What was printed behind @mark goes to @to, which has room for @max bytes, and not out. */
static size_t take_back(struct out *out, size_t mark, char *to, size_t max)
{
	size_t n = out->n - mark;

	assert(n <= max);
	memcpy(to, out->buf + mark, n);
	out->n = mark;
	return n;
}

bool script_edges_run(struct script_edges *e, const struct perf_run *run)
{
	const struct line_world world = {
		.space = run->run.space, .until = run->who.until,
		.in_transaction = run->run.in_transaction,
	};
	struct script_print *p = e->print;
	size_t mark;
	char buf[16];

	e->n_who = 0;
	e->world = line_cache_world(&e->lines, &world);
	if (!(p->fields.branch & SCRIPT_WHO))
		return true;
	if (p->fields.branch & SCRIPT_COMM && strlen(script_comm(p, run, buf)) > COMM_MAX)
		return false;
	out_room(p->out, LINE_ROOM);
	mark = p->out->n;
	script_who(p, run, p->fields.branch);
	e->n_who = take_back(p->out, mark, e->who, SCRIPT_WHO_MAX);
	return true;
}

/* ---------------------------------------------------------------- a line */

static void new_clock(struct script_edges *e, uint64_t ns)
{
	const int digits = e->print->ns ? 9 : 6;
	uint64_t second = ns / 1000000000, part = ns % 1000000000 / (e->print->ns ? 1 : 1000);
	struct out *out = e->print->out;
	char *end = e->clock + e->n_clock - strlen(": ");
	size_t mark = out->n;

	if (!e->n_clock || second != e->second) {
		script_clock(e->print, ns);
		e->n_clock = take_back(out, mark, e->clock, CLOCK_MAX);
		e->second = second;
		return;
	}
	for (int i = 0; i < digits; i++) {
		*--end = '0' + part % 10;
		part /= 10;
	}
}

/* What is in front of the rest of a line. */
static inline void put_front(struct script_edges *e, uint64_t time)
{
	struct out *out = e->print->out;
	char *to = line_copy(out->buf + out->n, e->who, e->n_who);

	out->n = to - out->buf;
	if (!(e->print->fields.branch & SCRIPT_TIME))
		return;
	if (!e->n_clock || e->at != (e->print->ns ? time : time / 1000)) {
		new_clock(e, time);
		e->at = e->print->ns ? time : time / 1000;
		to = out->buf + out->n;
	}
	memcpy(to, e->clock, CLOCK_MAX);
	out->n += e->n_clock;
}

/* Return: it is one that is printed. */
static bool print_new(struct script_edges *e, const struct cs_edge *edge)
{
	const struct line_slot key = { .from = edge->from, .to = edge->to, .world = e->world };
	struct out *out = e->print->out;
	struct cs_sample sample;
	uint64_t gone = out->gone;
	size_t mark;

	if (!cs_samples_edge(e->samples, edge, &sample)) {
		line_cache_add(&e->lines, &key, "", 0);
		return false;
	}
	put_front(e, edge->time);
	mark = out->n;
	script_rest(e->print, &sample, e->print->fields.branch);
	if (out->gone == gone && out->n - mark <= LINE_MAX)
		line_cache_add(&e->lines, &key, out->buf + mark, out->n - mark);
	return true;
}

size_t script_edges_print(struct script_edges *e, const struct cs_edge *edge, size_t n)
{
	struct out *out = e->print->out;
	size_t shown = 0;

	for (const struct cs_edge *end = edge + n; edge < end; edge++) {
		const struct line_text *t;

		if (edge->time < e->from || edge->time > e->until)
			continue;
		t = line_cache_find(&e->lines, edge->from, edge->to, e->world);
		out_room(out, LINE_ROOM);
		if (!t) {
			shown += print_new(e, edge);
		} else if (t->n) {
			put_front(e, edge->time);
			out->n = line_copy(out->buf + out->n, t->text, t->n) - out->buf;
			shown++;
		}
	}
	return shown;
}
