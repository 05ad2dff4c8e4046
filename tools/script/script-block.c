// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text of a block: the length of each instruction's line, in 16 bits, and then the lines,
 * without their beginnings.
 */
#include "script-edge.h"
#include "script-parts.h"

/* Copies the line after @mark to @at of the text.  Return: its end; 0: too long. */
static size_t keep(struct script_edges *e, uint32_t nth, size_t at, uint64_t mark)
{
	const struct out *out = e->print->out;
	const uint64_t n = script_mark(e->print) - mark;
	const uint16_t len = n;

	/* a part may be written already */
	if (n > LINE_MAX || n > out->n || at + n > SCRIPT_BLOCK)
		return 0;
	memcpy(e->block + nth * sizeof(len), &len, sizeof(len));
	memcpy(e->block + at, out->buf + out->n - n, n);
	return at + n;
}

static size_t print_first(struct script_edges *e, const struct line_slot *key, uint32_t n)
{
	struct script_print *p = e->print;
	size_t shown = 0, at = n * sizeof(uint16_t);

	for (uint32_t i = 0; i < n; i++) {
		struct cs_sample sample;
		uint64_t mark;

		cs_samples_block_insn(e->samples, i, &sample);
		if (!time_spans_have(e->spans, e->time[i]))
			continue;
		out_room(p->out, SCRIPT_ROOM);
		script_front_put(&e->front, p->out, e->time[i]);
		mark = script_mark(p);
		script_rest(p, &sample, p->fields.insn);
		shown++;
		at = at ? keep(e, i, at, mark) : 0;
	}
	/* of a text that is too long, only that fact is kept */
	if (shown == n)
		line_cache_add(&e->lines, key, e->block, at);
	return shown;
}

static size_t print_long(struct script_edges *e, const struct perf_run *run, uint32_t n)
{
	size_t shown = 0;

	for (uint32_t i = 0; i < n; i++) {
		struct cs_sample sample;

		cs_samples_block_insn(e->samples, i, &sample);
		sample.time = e->time[i];
		if (!time_spans_have(e->spans, sample.time))
			continue;
		script_edges_sample(e, run, &sample);
		shown++;
	}
	return shown;
}

/* Prints all lines, which have no beginnings. */
static size_t print_whole(struct script_edges *e, const struct line_text *t, uint32_t n)
{
	const size_t first = n * sizeof(uint16_t);
	struct out *out = e->print->out;

	out_room(out, SCRIPT_BLOCK + LINE_PIECE);
	out->n = line_copy(out->buf + out->n, t->text + first, t->n - first) - out->buf;
	return n;
}

static size_t print_again(struct script_edges *e, const struct line_text *t, uint32_t n)
{
	const char *text = t->text + n * sizeof(uint16_t);
	struct script_print *p = e->print;
	struct out *out = p->out;
	size_t shown = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint16_t len;

		memcpy(&len, t->text + i * sizeof(len), sizeof(len));
		if (time_spans_have(e->spans, e->time[i])) {
			out_room(out, SCRIPT_ROOM);
			script_front_put(&e->front, p->out, e->time[i]);
			out->n = line_copy(out->buf + out->n, text, len) - out->buf;
			shown++;
		}
		text += len;
	}
	return shown;
}

static size_t print(struct script_edges *e, const struct perf_run *run, uint32_t block, uint32_t n)
{
	const struct line_slot key = { .from = block, .world = e->world | SCRIPT_TEXT_BLOCK };
	const struct line_text *t = line_cache_find(&e->lines, key.from, key.to, key.world);

	if (!t)
		return print_first(e, &key, n);
	if (!t->n)
		return print_long(e, run, n);
	if (!e->front.n && !e->front.timed && !e->spans->n)
		return print_whole(e, t, n);
	return print_again(e, t, n);
}

size_t script_blocks_print(struct script_edges *e, const struct perf_run *run, bool show)
{
	size_t shown = 0;
	uint32_t block, n;

	while ((block = cs_samples_block(e->samples, e->time, &n))) {
		if (show)
			shown += print(e, run, block, n);
		cs_samples_block_pass(e->samples);
	}
	return shown;
}
