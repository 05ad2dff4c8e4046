// SPDX-License-Identifier: GPL-2.0-only
#include "script-edge.h"
#include "script-parts.h"

int script_edges_init(struct script_edges *e)
{
	struct script_print *p = e->print;

	/* a branch is kept as a whole: keeping its parts is useless */
	if (p->kinds != 1u << CS_SAMPLE_BRANCH || p->fields.branch & SCRIPT_CALLINDENT)
		p->known = &e->lines;
	script_front_init(&e->front, p);
	return line_cache_init(&e->lines);
}

void script_edges_fini(struct script_edges *e)
{
	line_cache_fini(&e->lines);
}

bool script_edges_run(struct script_edges *e, const struct perf_run *run)
{
	const struct line_world world = {
		.space = run->run.space, .until = run->who.until,
		.in_transaction = run->run.in_transaction,
	};
	struct script_print *p = e->print;

	e->world = line_cache_world(&e->lines, &world);
	p->world = e->world;
	p->space = run->run.space;
	p->map_time = run->run.time;
	e->whole = script_front_run(&e->front, p, run);
	return e->whole;
}

/* ---------------------------------------------------------------- a line */

/* The text of an address depends on the maps of its time. */
static void print_rest(struct script_edges *e, const struct edge_context *c,
		       const struct cs_sample *sample)
{
	struct script_print *p = e->print;
	const struct script_print was = *p;

	p->out = c->out;
	p->world = c->world;
	if (c->input) {
		p->space = c->input->run->space;
		p->map_time = c->input->run->time;
	}
	script_rest(p, sample, p->fields.branch);
	p->out = was.out;
	p->world = was.world;
	p->space = was.space;
	p->map_time = was.map_time;
}

bool script_edges_new(struct script_edges *e, const struct edge_context *c,
		      const struct cs_edge *edge)
{
	const struct line_slot key = { .from = edge->from, .to = edge->to, .world = c->world };
	struct out *out = c->out;
	struct cs_sample sample;
	uint64_t gone;
	size_t mark;

	if (!(c->input ? cs_samples_edge_of(e->samples, c->input, edge, &sample) :
			 cs_samples_edge(e->samples, edge, &sample))) {
		line_cache_add(&e->lines, &key, "", 0);
		return false;
	}
	out_room(out, SCRIPT_ROOM);
	gone = out->gone;
	script_front_put(c->front, out, edge->time);
	mark = out->n;
	print_rest(e, c, &sample);
	if (out->gone == gone && out->n - mark <= LINE_MAX)
		line_cache_add(&e->lines, &key, out->buf + mark, out->n - mark);
	return true;
}

/* Return: false: it is unknown. */
static __always_inline bool print_edge(struct script_edges *e, const struct edge_context *c,
				       const struct cs_edge *edge, bool learns, uint64_t *shown)
{
	const struct line_text *t = line_cache_find(&e->lines, edge->from, edge->to, c->world);

	if (t)
		*shown += script_edges_again(c, t, edge->time);
	else if (learns)
		*shown += script_edges_new(e, c, edge);
	return t || learns;
}

size_t script_edges_print(struct script_edges *e, const struct edge_context *c,
			  const struct cs_edge *edge, size_t n, bool learns, uint64_t *shown)
{
	uint64_t n_shown = 0;
	size_t i = 0;

	for (; i < n; i++)
		if (time_spans_have(e->spans, edge[i].time) &&
		    !print_edge(e, c, &edge[i], learns, &n_shown))
			break;
	*shown += n_shown;
	return i;
}

size_t script_steps_print(struct script_edges *e, const struct edge_context *c,
			  const struct cs_steps *steps, size_t from, bool learns, uint64_t *shown)
{
	uint64_t n_shown = 0;
	struct cs_edge edge;
	size_t i = from;

	if (!time_spans_have(e->spans, steps->time))
		return steps->n;
	for (; i < steps->n; i++)
		if (cs_steps_edge(steps, i, &edge) && !print_edge(e, c, &edge, learns, &n_shown))
			break;
	*shown += n_shown;
	return i;
}

/* ---------------------------------------------------------------- instructions */

/* Is the text after the time the same for each execution? */
static bool is_plain(const struct script_edges *e, const struct cs_sample *sample)
{
	const struct script_print *p = e->print;
	const uint32_t fields = p->fields.insn;

	return sample->kind == CS_SAMPLE_INSN && !(p->chain && p->stack) &&
	       !(fields & (SCRIPT_IPC | SCRIPT_BRANCHES)) &&
	       (sample->period == 1 || !(fields & SCRIPT_PERIOD));
}

void script_edges_sample(struct script_edges *e, const struct perf_run *run,
			 const struct cs_sample *sample)
{
	const struct where at = { sample->ip, sample->from.map_time, sample->from.space };
	const uint32_t what = SCRIPT_TEXT_INSN | (uint32_t)sample->insn_len << 20 |
			      sample->flags << 6;
	struct script_print *p = e->print;
	const uint32_t fields = p->fields.insn;
	uint64_t mark;

	if (!e->whole || sample->kind == CS_SAMPLE_ERROR) {
		script_print(p, run, sample);
		return;
	}
	out_room(p->out, SCRIPT_ROOM);
	script_front_put(&e->front, p->out, sample->time);
	if (!is_plain(e, sample)) {
		script_rest(p, sample,
			    sample->kind == CS_SAMPLE_BRANCH ? p->fields.branch : fields);
		return;
	}
	if (script_again(p, &at, what))
		return;
	mark = script_mark(p);
	script_rest(p, sample, fields);
	script_keep(p, &at, what, mark);
}
