// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/demangle.h"
#include "script-around.h"

#define BEFORE		8	/* the default number of branches */
#define EDGES		512

/**
 * struct around_stream - the state of a stream
 * @line: the last lines that were not shown: a ring of @before; n_line in total
 * @after: how many more lines to show
 * @came: executions since the last branch
 */
struct around_stream {
	char **line;
	uint64_t n_line;
	size_t after;
	uint64_t came;
};

/* ---------------------------------------------------------------- the address */

bool script_around_parse(struct script_around *a, const char *text)
{
	const char *comma = strrchr(text, ','), *plus = strrchr(text, '+');
	size_t n = comma ? (size_t)(comma - text) : strlen(text);
	char *end;

	a->text = text;
	a->before = BEFORE;
	if (comma) {
		a->before = strtoul(comma + 1, &end, 0);
		if (*end || end == comma + 1 || a->before > AROUND_MAX)
			return false;
	}
	if (text[0] >= '0' && text[0] <= '9') {
		a->addr = strtoull(text, &end, 0);
		return end == text + n;
	}
	/* a name may have a plus of its own */
	if (plus && (!comma || plus < comma) && plus > text && plus[1] >= '0' && plus[1] <= '9') {
		a->addr = strtoull(plus + 1, &end, 0);
		if (end != text + n)
			return false;
		n = plus - text;
	}
	a->name = strndup(text, n);
	return a->name && n;
}

int script_around_start(struct script_around *a)
{
	a->real = a->print->out;
	a->own = calloc(1, sizeof(*a->own));
	if (a->own)
		a->own->file = open_memstream(&a->made, &a->n_made);
	if (!a->own || !a->own->file)
		return -1;
	a->print->out = a->own;
	return 0;
}

void script_around_fini(struct script_around *a)
{
	for (size_t i = 0; i < a->n_stream; i++) {
		for (size_t k = 0; a->stream[i].line && k < a->before; k++)
			free(a->stream[i].line[k]);
		free(a->stream[i].line);
	}
	free(a->stream);
	if (a->own && a->own->file)
		fclose(a->own->file);
	if (a->real)
		a->print->out = a->real;
	free(a->own);
	free(a->made);
	free(a->name);
	free(a->at);
}

/* ---------------------------------------------------------------- blocks */

/* The offset in a block of the symbol plus its offset, + 1; 0: elsewhere. */
static uint16_t symbol_in(struct script_around *a, const struct csf_block *b, uint64_t offset)
{
	struct perf_code *code = &a->print->replay->tasks->code;
	struct code_place first, place;
	struct elf_symbol symbol;
	uint64_t addr;

	if (!perf_code_place(code, b->section, b->offset, &first) ||
	    !perf_code_place(code, b->section, offset, &place) ||
	    !perf_code_symbol(code, &place, &symbol) || !demangle_is(symbol.name, a->name))
		return 0;
	addr = symbol.addr + a->addr;
	return addr >= first.addr && addr - first.addr < b->size ? addr - first.addr + 1 : 0;
}

static uint16_t find_in(struct script_around *a, const struct csf_block *b)
{
	uint16_t at;

	if (!a->name) {
		if (b->section != (uint32_t)a->section || a->offset < (uint64_t)b->offset ||
		    a->offset - b->offset >= b->size)
			return 0;
		return a->offset - b->offset + 1;
	}
	at = symbol_in(a, b, b->offset);
	return at ? at : symbol_in(a, b, b->offset + b->size - b->last_size);
}

static int learn(struct script_around *a, const struct perf_run *run)
{
	const struct csf_image *image = a->print->replay->image;
	const size_t n = (size_t)csf_block_count(image) + 1;
	uint64_t base = 0;
	int section = a->name ? 0 : csf_image_find(a->print->replay->image, run->run.space,
						   a->addr, run->run.time, &base);

	if (section != a->section || (section && a->offset != a->addr - base)) {
		a->section = section;
		a->offset = a->addr - base;
		a->n_block = 0;
	}
	if (n > a->size_block) {
		uint16_t *p = realloc(a->at, (2 * n + 1024) * sizeof(*p));

		if (!p)
			return -1;
		a->at = p;
		a->size_block = 2 * n + 1024;
	}
	for (; a->n_block < n; a->n_block++) {
		struct csf_block b;

		a->at[a->n_block] = 0;
		if (!a->n_block)
			continue;
		csf_block(image, a->n_block, &b);
		a->at[a->n_block] = find_in(a, &b);
	}
	return 0;
}

/* ---------------------------------------------------------------- lines */

static struct around_stream *stream_of(struct script_around *a, size_t number)
{
	struct around_stream *s;

	if (number >= a->n_stream) {
		size_t n = 2 * number + 8;
		struct around_stream *p = realloc(a->stream, n * sizeof(*p));

		if (!p)
			return NULL;
		memset(p + a->n_stream, 0, (n - a->n_stream) * sizeof(*p));
		a->stream = p;
		a->n_stream = n;
	}
	s = &a->stream[number];
	if (!s->line)
		s->line = calloc(a->before + 1, sizeof(*s->line));
	return s->line ? s : NULL;
}

static void show(struct script_around *a, const char *text)
{
	fputs(text, a->real->file);
	a->shown++;
}

/* Shows or keeps the last printed line. */
static int take_line(struct script_around *a, struct around_stream *s)
{
	char **keep;

	if (!a->own->n)
		return 0;
	out_flush(a->own);
	fflush(a->own->file);
	rewind(a->own->file);
	if (s->after) {
		s->after--;
		fwrite(a->made, 1, a->n_made, a->real->file);
		a->shown++;
		return 0;
	}
	if (!a->before)
		return 0;
	keep = &s->line[s->n_line++ % a->before];
	free(*keep);
	*keep = strndup(a->made, a->n_made);
	return *keep ? 0 : -1;
}

/* Execution reached the address, and leaves: shows the lines before, and some after. */
static void leave(struct script_around *a, struct around_stream *s)
{
	a->hits += s->came;
	s->came = 0;
	for (uint64_t i = s->n_line > a->before ? s->n_line - a->before : 0; i < s->n_line; i++)
		show(a, s->line[i % a->before]);
	s->n_line = 0;
	s->after = a->before ? a->before : 1;
}

/* ---------------------------------------------------------------- runs */

static bool comes(const struct script_around *a, const struct csf_run *run)
{
	for (size_t i = 0; i < run->n; i++)
		if (a->at[csf_step_block(run->step[i])])
			return true;
	return false;
}

static uint64_t count(const struct script_around *a, const struct csf_run *run, size_t from,
		      size_t to)
{
	uint64_t n = 0;

	for (; from < to; from++)
		n += a->at[csf_step_block(run->step[from])] != 0;
	return n;
}

static int one(struct script_around *a, struct around_stream *s, const struct perf_run *run,
	       const struct cs_sample *sample)
{
	const bool in_time = time_spans_have(a->edges->spans, sample->time);

	if (s->came && in_time)
		leave(a, s);
	s->came = 0;
	if (!in_time)
		return 0;
	script_print(a->print, run, sample);
	return take_line(a, s);
}

/* Only the last branches of a run become text. */
static int tail(struct script_around *a, struct around_stream *s, const struct cs_edge *edge,
		size_t n)
{
	const size_t want = s->after > a->before ? s->after : a->before;
	const struct edge_context c = script_edges_here(a->edges);
	uint64_t lines = 0;
	int err = 0;

	for (size_t i = s->after || n < want ? 0 : n - want; i < n && !err; i++) {
		script_edges_print(a->edges, &c, &edge[i], 1, true, &lines);
		err = take_line(a, s);
	}
	return err;
}

/* The step that a branch leads into: the one that samples are at, or the end. */
static size_t entered(const struct cs_samples *samples, const struct csf_run *run)
{
	return samples->ended ? run->n : samples->step;
}

int script_around_run(struct script_around *a, const struct perf_run *run, bool in_short)
{
	struct around_stream *s = stream_of(a, run->stream->number);
	struct cs_edge edge[EDGES];
	struct cs_sample sample;
	size_t n, step = 0;

	if (!s || learn(a, run))
		return -1;
	in_short = in_short && !s->came && !comes(a, &run->run);
	for (;;) {
		n = in_short ? cs_samples_edges(a->samples, edge, EDGES) : 0;
		if (n && tail(a, s, edge, n))
			return -1;
		if (n)
			continue;
		if (!cs_samples_next(a->samples, &sample))
			break;
		if (sample.kind != CS_SAMPLE_BRANCH || !sample.wanted)
			continue;
		s->came += count(a, &run->run, step, entered(a->samples, &run->run));
		step = entered(a->samples, &run->run);
		if (one(a, s, run, &sample))
			return -1;
	}
	s->came += count(a, &run->run, step, run->run.n);
	return 0;
}
