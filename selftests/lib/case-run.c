// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/flow.h"
#include "case-run.h"
#include "spread.h"

struct out {
	const struct trace_case *c;
	struct text *text;
	bool offsets;
	uint64_t last_time;
	uint64_t seq;		/* of the next step */
	uint64_t lost, skipped;	/* in gaps */
	struct spread spread;
	uint64_t split;		/* the last timestamp in a run that may be full, not at its end */
};

static void put(struct out *o, const struct flow_event *event)
{
	const struct labels labels = { o->c->label, o->c->n_label };
	bool more = event->kind == FLOW_END && event->end.end == CSF_END_GAP &&
		    event->end.flags & CSF_GAP_MORE;

	if (o->offsets && event->kind != FLOW_STEP && !more)
		text_add(o->text, "@%" PRIu64 " ", event->offset);
	flow_print(o->text, &labels, event);
	if (event->kind == FLOW_MARK && event->mark.kind == CSF_MARK_TIME)
		o->last_time = event->mark.value;
}

/* ---------------------------------------------------------------- walker */

static void walked(void *context, struct walker *w, const struct flow_event *event)
{
	struct out *o = context;

	put(o, event);
	if (event->kind == FLOW_END && event->end.end == CSF_END_CONTEXT)
		walker_set_space(w, case_space(o->c, &event->end.to));
	if (event->kind == FLOW_END && event->end.end == CSF_END_TIME)
		walker_set_time(w, o->last_time, case_limit(o->c, o->last_time));
}

int case_walk(const struct trace_case *c, bool offsets, struct text *text)
{
	const struct walker_image image = { c->map, c->n_map };
	struct out o = { .c = c, .text = text, .offsets = offsets };
	struct walker *w = walker_new(&c->config, &image, walked, &o);

	if (!w)
		return CSF_ERR_CONFIG;
	walker_set_time(w, 0, case_limit(c, 0));
	for (size_t i = 0; i < c->n_piece; i++) {
		const struct case_piece *p = &c->piece[i];

		walker_piece(w, p->trace, p->n, p->end == CASE_BREAK);
		if (p->end != CASE_RESET)
			continue;
		walker_reset(w);
		walker_set_space(w, CSF_SPACE_ALL);
		walker_set_time(w, 0, case_limit(c, 0));
	}
	walker_free(w);
	return 0;
}

/* ---------------------------------------------------------------- decoder */

/*
 * A full run ends at its last timestamp, if it does not begin there.  That of the last bytes fed
 * need not, because no other run follows.
 */
static void check_full(struct out *o, const struct csf_run *run)
{
	size_t i = run->n_mark;

	if (o->split)
		text_add(o->text, "full behind a timestamp: %" PRIu64 "\n", o->split);
	o->split = 0;
	while (i && run->mark[i - 1].kind != CSF_MARK_TIME)
		i--;
	if (run->end != CSF_END_FULL || !i || run->mark[i - 1].seq == run->seq)
		return;
	if (i < run->n_mark || run->mark[i - 1].seq != run->seq + run->n)
		o->split = run->mark[i - 1].seq;
}

/* Checks that must hold for every run, whatever the trace. */
static void check_run(struct out *o, const struct csf_run *run, uint32_t run_max)
{
	uint64_t seq = run->seq;

	if (run->seq != o->seq)
		text_add(o->text, "wrong seq: %" PRIu64 "\n", run->seq);
	if (run_max && run->n > run_max)
		text_add(o->text, "run too long: %zu\n", run->n);
	for (size_t i = 0; i < run->n_mark; i++) {
		if (run->mark[i].seq < seq || run->mark[i].seq > run->seq + run->n)
			text_add(o->text, "mark out of order: %" PRIu64 "\n", run->mark[i].seq);
		seq = run->mark[i].seq;
	}
	o->seq = run->seq + run->n;
	check_full(o, run);
	if (run->end == CSF_END_GAP) {
		o->lost += run->lost;
		o->skipped += run->bytes;
	}
}

static void put_step(struct out *o, struct csf_decoder *d, const struct csf_image *image,
		     const struct csf_run *run, uint32_t step)
{
	struct flow_event event = { .kind = FLOW_STEP, .taken = step & 1 };
	struct csf_block block;

	csf_block(image, step >> 1, &block);
	event.addr = csf_block_addr(d, run, step >> 1);
	event.n_insn = block.n_insn;
	event.cut = block.flags & CSF_FLAG_CUT;
	if (event.cut && event.taken)
		text_add(o->text, "cut block taken\n");
	put(o, &event);
}

static void put_run(struct out *o, struct csf_decoder *d, const struct csf_image *image,
		    const struct csf_run *run)
{
	size_t mark = 0;

	for (size_t i = 0; i <= run->n; i++) {
		while (mark < run->n_mark && run->mark[mark].seq <= run->seq + i) {
			struct flow_event event = {
				.kind = FLOW_MARK, .mark = run->mark[mark],
				.offset = run->mark[mark].offset,
			};

			if (event.mark.kind == CSF_MARK_DATA)
				event.access = run->access[event.mark.value];
			mark++;
			put(o, &event);
		}
		if (i < run->n)
			put_step(o, d, image, run, run->step[i]);
	}
	if (run->end != CSF_END_FULL && run->end != CSF_END_CODE) {
		struct flow_event event = {
			.kind = FLOW_END, .end = *run, .offset = run->offset,
		};

		put(o, &event);
	}
}

static int drain(struct out *o, struct csf_decoder *d, const struct csf_image *image,
		 uint32_t run_max)
{
	struct csf_run run;
	int ret;

	while ((ret = csf_next(d, &run)) > 0) {
		spread_run(&o->spread, image, &run);
		check_run(o, &run, run_max);
		put_run(o, d, image, &run);
		if (run.end == CSF_END_CONTEXT)
			csf_set_space(d, case_space(o->c, &run.to));
		/* where it changes nothing: then it makes no difference */
		if (run.end == CSF_END_TIME ||
		    (run.end == CSF_END_CONTEXT && o->last_time > run.time))
			csf_set_time(d, o->last_time, case_limit(o->c, o->last_time));
	}
	o->split = 0;
	return ret;
}

static size_t chunk_size(const struct feeding *how, uint32_t *random, size_t left)
{
	size_t n = how->chunk ? how->chunk : left;

	if (how->seed) {
		*random = *random * 1664525 + 1013904223;
		n = 1 + (*random >> 8) % n;
	}
	return n < left ? n : left;
}

static int feed_piece(struct out *o, struct csf_decoder *d, const struct csf_image *image,
		      const struct case_piece *p, const struct feeding *how)
{
	uint32_t random = how->seed;
	size_t n;
	int ret;

	for (size_t at = 0; at < p->n; at += n) {
		uint8_t *copy;

		n = chunk_size(how, &random, p->n - at);
		copy = malloc(n);	/* so that no byte around it may be read */
		memcpy(copy, p->trace + at, n);
		ret = csf_feed(d, copy, n);
		if (!ret && how->flush < 0)
			ret = csf_flush(d, how->flush < -1);
		if (!ret)
			ret = drain(o, d, image, how->run_max);
		free(copy);
		if (!ret && how->flush > 0)
			ret = csf_flush(d, how->flush > 1);
		if (!ret && how->flush > 0)
			ret = drain(o, d, image, how->run_max);
		if (ret < 0)
			return ret;
	}
	ret = p->end == CASE_BREAK ? csf_break(d) : csf_end(d);
	return ret ? ret : drain(o, d, image, how->run_max);
}

static void check_stats(struct out *o, const struct csf_decoder *d)
{
	struct csf_stats stats = { .size = sizeof(stats) };

	csf_stats(d, &stats);
	if (stats.lost != o->lost || stats.skipped != o->skipped || stats.steps != o->seq)
		text_add(o->text, "stats: %" PRIu64 " lost, %" PRIu64 " skipped, %" PRIu64
			 " steps; runs: %" PRIu64 ", %" PRIu64 ", %" PRIu64 "\n", stats.lost,
			 stats.skipped, stats.steps, o->lost, o->skipped, o->seq);
	o->lost = 0;
	o->skipped = 0;
	o->seq = 0;
}

static int put_map(struct csf_image *image, const struct walker_map *m, const int *number)
{
	if (!m->code)
		return csf_unmap(image, m->space, m->addr, m->n);
	return csf_map_span(image, m->space, m->addr, m->n, number[m->section],
			    m->addr - m->base, m->from, m->until);
}

static int build(const struct trace_case *c, struct csf_image *image)
{
	int number[CASE_SECTIONS];

	for (int i = 1; i < c->n_space; i++)
		if (csf_space_new(image) != i)
			return CSF_ERR_MEMORY;
	for (size_t i = 0; i < c->n_section; i++) {
		number[i] = csf_section_bytes(image, c->section[i].code, c->section[i].n);
		if (number[i] < 0)
			return number[i];
	}
	for (size_t i = 0; i < c->n_map; i++) {
		int err = put_map(image, &c->map[i], number);

		if (err)
			return err;
	}
	return 0;
}

/* As new, as it is at the beginning. */
static void begin(struct out *o, struct csf_decoder *d)
{
	csf_reset(d);
	csf_set_time(d, 0, case_limit(o->c, 0));
	o->last_time = 0;
}

static int feed_all(struct out *o, struct csf_decoder *d, const struct csf_image *image,
		    const struct feeding *how)
{
	const struct trace_case *c = o->c;
	int ret = 0;

	begin(o, d);
	for (size_t i = 0; !ret && i < c->n_piece; i++) {
		ret = feed_piece(o, d, image, &c->piece[i], how);
		if (ret || c->piece[i].end != CASE_RESET)
			continue;
		check_stats(o, d);
		begin(o, d);
	}
	if (!ret)
		check_stats(o, d);
	return ret;
}

int case_decode(const struct trace_case *c, const struct feeding *how, struct text *text)
{
	struct out o = { .c = c, .text = text, .offsets = how->offsets };
	struct csf_config config = c->config;
	struct csf_decoder *d = NULL;
	struct csf_image *image;
	int ret = csf_image_new(&image);

	if (ret)
		return ret;
	config.run_max = how->run_max;
	config.without = how->without;
	ret = build(c, image);
	if (!ret)
		ret = csf_new(&d, &config, image);
	if (!ret)
		csf_ask_code(d, how->ask);
	if (!ret && how->paths)
		ret = csf_ask_paths(d, true);
	if (!ret && how->many)
		d->config.many = 0;
	if (how->block_maps)
		image->block_maps.from = 0;
	/* Steps that were seen twice are known the third time. */
	for (int i = how->paths || how->many ? 0 : 2; !ret && i < 3; i++) {
		text_clear(text);
		ret = feed_all(&o, d, image, how);
	}
	if (!ret && how->stats)
		csf_stats(d, how->stats);
	csf_free(d);
	csf_image_free(image);
	free(o.spread.step);
	return ret;
}

static bool same_line(const char *a, const char *b)
{
	size_t n = strcspn(a, "\n");

	return n == strcspn(b, "\n") && !strncmp(a, b, n);
}

static const char *next_line(const char *s)
{
	s += strcspn(s, "\n");
	return *s ? s + 1 : s;
}

bool case_matches(const struct trace_case *c, const struct text *got)
{
	const char *want = c->expect.s ?: "", *s = got->s ?: "";
	bool any = false;

	for (; *want; want = next_line(want)) {
		if (same_line(want, "...")) {
			any = true;
			continue;
		}
		while (any && *s && !same_line(want, s))
			s = next_line(s);
		if (!*s || !same_line(want, s))
			return false;
		s = next_line(s);
		any = false;
	}
	return any || !*s;
}

void case_differ(const struct text *want, const struct text *got, struct text *out)
{
	const char *a = want->s ?: "", *b = got->s ?: "", *line_a = a, *line_b = b;
	const char *const start = a;

	for (; *a && *a == *b; a++, b++)
		if (*a == '\n') {
			line_a = a + 1;
			line_b = b + 1;
		}
	text_add(out, "behind %zu bytes of text:\n", (size_t)(line_a - start));
	text_add(out, "  want %.*s\n", (int)strcspn(line_a, "\n"), line_a);
	text_add(out, "  got  %.*s\n", (int)strcspn(line_b, "\n"), line_b);
}
