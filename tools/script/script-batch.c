// SPDX-License-Identifier: GPL-2.0-only
#include <stdlib.h>
#include <string.h>

#include "script-batch.h"

/* The target size of a batch's text: text beyond its buffer is copied once more. */
#define BATCH_TEXT	(OUT_SIZE / 8 * 7)

/* ---------------------------------------------------------------- text */

/* The text of a batch waits unless it is the first one. */
static void keep(struct out *out, void *batch)
{
	struct batch *b = batch;

	if (b->n_text + out->n > b->size) {
		size_t size = 2 * (b->n_text + out->n);
		char *text = realloc(b->text, size);

		if (!text) {
			b->failed = true;
			return;
		}
		b->text = text;
		b->size = size;
	}
	memcpy(b->text + b->n_text, out->buf, out->n);
	b->n_text += out->n;
}

static void begin_part(struct batch *b, const struct batch_part *part)
{
	out_room(&b->out, part->n_own);
	memcpy(b->out.buf + b->out.n, b->own + part->own, part->n_own);
	b->out.n += part->n_own;
	script_front_who(&b->front, part->who, part->n_who);
}

/* Steps of a run, the last of which leads nowhere. */
static uint32_t print_steps(struct batch *b, const struct batch_part *part, uint32_t end,
			    const struct edge_context *c, bool learns)
{
	const uint32_t first = part->first;
	struct cs_steps steps = part->steps;
	size_t done;

	steps.step = b->step + first;
	steps.n = end - first - 1;
	done = script_steps_print(b->batches->edges, c, &steps, b->done - first, learns,
				  &b->shown);
	return done < steps.n ? first + done : end;
}

/* Prints up to @end, all of one run.  @learns: also unknown ones.  Return: where it stopped. */
static uint32_t print_part(struct batch *b, const struct batch_part *part, uint32_t end,
			   bool learns)
{
	const struct edge_context c = { &b->out, &b->front, part->world, &part->input };

	if (part->steps.info)
		return print_steps(b, part, end, &c, learns);
	return b->done + script_edges_print(b->batches->edges, &c, &b->edge[b->done],
					    end - b->done, learns, &b->shown);
}

static void print_batch(struct batch *b, bool learns)
{
	for (; b->n_done_part < b->n_part; b->n_done_part++) {
		const struct batch_part *part = &b->part[b->n_done_part];
		const uint32_t end = b->n_done_part + 1 < b->n_part ? part[1].first : b->n;

		if (!b->begun)
			begin_part(b, part);
		b->begun = true;
		b->done = print_part(b, part, end, learns);
		if (b->done < end)
			return;
		b->begun = false;
	}
}

static void work(struct csf_work *work)
{
	struct batch *b = (struct batch *)work;

	print_batch(b, false);
	__atomic_store_n(&b->ended, true, __ATOMIC_RELEASE);
}

/* ---------------------------------------------------------------- order */

static struct batch *nth(const struct script_batches *s, uint32_t n)
{
	return &s->batch[s->order[n]];
}

/* Waits until no thread reads the known texts. */
static void end_all(struct script_batches *s)
{
	for (; s->n_ended < s->n; s->n_ended++)
		csf_work_end(s->threads, &nth(s, s->n_ended)->work);
}

static bool of_steps(const struct batch *b)
{
	return b->n_part && b->part[0].steps.info;
}

/* Sets the size of the next batches by a finished one. */
static void set_room(struct script_batches *s, const struct batch *b)
{
	const size_t text = b->n_text + b->out.n;
	const size_t most = of_steps(b) ? BATCH_STEPS : BATCH_EDGES;
	const size_t room = text ? b->n * (size_t)BATCH_TEXT / text : most;

	s->room = room < BATCH_MIN ? BATCH_MIN : room > most ? most : room;
}

/* @b, the oldest, can be filled again, before others, because it is still in caches. */
static void put_back(struct script_batches *s, const struct batch *b)
{
	s->n_ended--;
	s->n--;
	memmove(s->order, s->order + 1, s->n);
	s->order[s->n] = b - s->batch;
}

/* Writes the text of the oldest batch. */
static void finish(struct script_batches *s)
{
	struct batch *b = nth(s, 0);
	FILE *file = s->edges->print->out->file;

	if (!s->n_ended) {
		csf_work_end(s->threads, &b->work);
		s->n_ended++;
	}
	if (b->n_text)
		out_write(file, b->text, b->n_text);
	b->out.full = NULL;
	if (b->n_done_part < b->n_part) {
		end_all(s);
		s->learns = true;
		print_batch(b, true);
		s->learns = false;
	} else {
		set_room(s, b);
	}
	out_flush(&b->out);
	s->shown += b->shown;
	s->failed |= b->failed;
	put_back(s, b);
}

static void empty(struct script_batches *s, struct batch *b)
{
	b->n = 0;
	b->n_part = 0;
	b->n_own = 0;
	b->done = 0;
	b->n_done_part = 0;
	b->begun = false;
	b->n_text = 0;
	b->shown = 0;
	b->failed = false;
	b->out.full = keep;
	s->fresh = true;
}

static bool is_ended(const struct batch *b)
{
	return __atomic_load_n(&b->ended, __ATOMIC_ACQUIRE);
}

/* Hands over the filled batch. */
static void hand_over(struct script_batches *s)
{
	struct batch *b = nth(s, s->n++);

	b->ended = false;
	csf_work_begin(s->threads, &b->work);
	/* uses as few as possible, so that all fit into a processor's cache */
	while (s->n == BATCHES || (s->n && is_ended(nth(s, 0))))
		finish(s);
	empty(s, nth(s, s->n));
}

/* Writes all branches so far. */
static void settle(void *batches)
{
	struct script_batches *s = batches;

	/* learning may forget everything: no thread may read it then */
	if (s->learns)
		return;
	if (nth(s, s->n)->n_part)
		hand_over(s);
	while (s->n)
		finish(s);
	empty(s, nth(s, 0));
}

/* Text of the caller comes after the batches. */
static void full(struct out *out, void *batches)
{
	settle(batches);
	out_write(out->file, out->buf, out->n);
}

/* ---------------------------------------------------------------- branches */

static void add_part(struct script_batches *s, struct batch *b)
{
	const struct script_edges *e = s->edges;
	struct batch_part *part = &b->part[b->n_part++];
	struct out *out = e->print->out;

	part->first = b->n;
	part->steps.info = NULL;
	part->world = e->world;
	part->own = b->n_own;
	part->n_own = out->n;
	part->n_who = e->front.n_who;
	memcpy(part->who, e->front.text, part->n_who);
	memcpy(b->own + b->n_own, out->buf, out->n);
	b->n_own += out->n;
	out->gone += out->n;
	out->n = 0;
	part->input = e->samples->in;
	part->run = *part->input.run;
	part->run.n = 0;
	part->run.n_mark = 0;
	part->input.run = &part->run;
	s->fresh = false;
}

struct cs_edge *script_batches_room(struct script_batches *s, size_t *n)
{
	struct batch *b = nth(s, s->n);
	struct out *out = s->edges->print->out;

	if (out->n > BATCH_OWN)
		out_flush(out);
	if (b->n >= s->room || b->n_part == BATCH_PARTS || b->n_own + out->n > BATCH_OWN) {
		hand_over(s);
		b = nth(s, s->n);
	}
	*n = s->room - b->n;
	return of_steps(b) ? NULL : &b->edge[b->n];
}

void script_batches_add(struct script_batches *s, size_t n)
{
	struct batch *b = nth(s, s->n);

	if (s->fresh || s->edges->print->out->n)
		add_part(s, b);
	b->n += n;
}

void script_batches_add_steps(struct script_batches *s, const struct cs_steps *steps)
{
	struct batch *b = nth(s, s->n);

	if (s->fresh || s->edges->print->out->n) {
		add_part(s, b);
		b->part[b->n_part - 1].steps = *steps;
		b->step[b->n++] = steps->step[0];
	}
	memcpy(b->step + b->n, steps->step + 1, steps->n * sizeof(*b->step));
	b->n += steps->n;
}

/* ---------------------------------------------------------------- begin and end */

int script_batches_init(struct script_batches *s, struct csf_threads *threads,
			struct script_edges *edges)
{
	s->batch = calloc(BATCHES, sizeof(*s->batch));
	if (!s->batch)
		return -1;
	s->threads = threads;
	s->edges = edges;
	s->room = BATCH_MIN;	/* until the length of lines is known */
	for (int i = 0; i < BATCHES; i++) {
		struct batch *b = &s->batch[i];

		s->order[i] = i;
		b->work.work = work;
		b->batches = s;
		b->out.file = edges->print->out->file;
		b->out.owner = b;
		b->front = edges->front;
	}
	empty(s, &s->batch[0]);
	edges->print->out->full = full;
	edges->print->out->owner = s;
	edges->lines.forgets = settle;
	edges->lines.owner = s;
	return 0;
}

void script_batches_fini(struct script_batches *s)
{
	if (!s->batch)
		return;
	settle(s);
	for (int i = 0; i < BATCHES; i++)
		free(s->batch[i].text);
	free(s->batch);
}
