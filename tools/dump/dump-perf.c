// SPDX-License-Identifier: GPL-2.0-only
/* The trace buffers of a perf.data, one after another. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/perf-cs.h"
#include "../../perf-plugin/perf-tasks.h"
#include "../../perf-plugin/perf-switch.h"
#include "../lib/log.h"
#include "../lib/status.h"
#include "dump.h"
#include "figures.h"
#include "list-order.h"
#include "../lib/file.h"
#include "../lib/problems.h"
#include "../input/unchecked.h"

#define CHUNK	(1u << 20)
#define ALIGN	(4u << 10)

/**
 * struct counter - statistics of buffers of the same trace units
 * @in: with @source
 */
struct counter {
	struct counter *next;
	struct input_source source[CSF_ID_MAX + 1];
	struct input in;
	struct figures figures;
};

/* @passed: file contents before this were released from memory */
struct recording {
	struct perf_file *file;
	uint64_t passed;
	struct perf_aux *aux;
	struct perf_cs *cs;
	struct perf_tasks *tasks;
	struct perf_switches switches;
	struct csf_image *image;
	struct counter *counter;
};

/**
 * struct buffer - fragments that make one piece of trace
 * @fragment: the first, number @first, of @n
 * @in: the whole input, with @name and @source; with bytes only if there is one fragment
 * @counter: the statistics for it; NULL: it is listed, or there is an @err
 */
struct buffer {
	struct recording *recording;
	const struct perf_fragment *fragment;
	size_t first, n;
	char name[32];
	struct input_source source[CSF_ID_MAX + 1];
	struct input in;
	struct counter *counter;
	int err;
};

/*
 * The thread if trace does not tell it: that of its ring, or the only one that ran on its CPU.
 * The AUX record has only the thread that happened to run when the buffer was emptied.
 */
static uint32_t ran(const struct buffer *b, uint32_t cpu)
{
	const struct recording *r = b->recording;
	const struct perf_ran ran = { .aux = r->aux, .fragment = b->fragment, .cpu = cpu };
	const uint32_t tid = r->aux->queue[b->fragment->queue].tid;
	uint64_t until;

	return tid != PERF_NO_TID ? tid : perf_switches_ran(&r->switches, &ran, &until);
}

static void choose(const struct input *in, const struct input_source *source,
		   struct csf_decoder *dec, const struct csf_context *context)
{
	const struct buffer *b = in->owner;
	const struct recording *r = b->recording;
	const struct perf_cs_cpu *unit = perf_cs_cpu(r->cs, source->number);
	uint64_t time = b->fragment->time ? b->fragment->time : PERF_TASKS_LAST;
	uint32_t tid = PERF_NO_TID;
	struct perf_who who;

	if (unit && context)
		tid = perf_cs_tid(unit, context);
	if (tid == PERF_NO_TID)
		tid = ran(b, source->number);
	if (perf_tasks_who(r->tasks, perf_switches_whose(&r->switches, tid), time, &who))
		return;
	csf_set_space(dec, who.space);
	csf_set_time(dec, time, 0);
}

static void show_problems(const char *path, const struct perf_file *file)
{
	struct problems problems = { 0 };

	problems_warn_perf(&problems, path, file, false);
	problems_print(&problems, "csflow dump: ");
	problems_free(&problems);
}

static void add_source(const struct dump *d, struct buffer *b, uint32_t cpu, uint8_t id)
{
	struct input_source *s = &b->source[b->in.n_source];

	if (d->id_given && d->id != id)
		return;
	*s = (struct input_source){ .number = cpu, .id = id };
	if (perf_cs_config(b->recording->cs, cpu, &s->config))
		log_say(LOG_UNKNOWN, "csflow dump: trace ID 0x%02x: the trace unit is not known\n",
			id);
	else
		b->in.n_source++;
}

static void add_sources(const struct dump *d, struct buffer *b)
{
	const struct perf_cs *cs = b->recording->cs;
	struct perf_cs_id id[CSF_ID_MAX];
	size_t n_id;

	if (b->fragment->flags & PERF_FRAGMENT_RAW) {
		add_source(d, b, perf_cs_cpu_of_raw(cs, b->fragment), 0);
		return;
	}
	n_id = perf_cs_ids(cs, b->fragment, id);
	for (size_t i = 0; i < n_id; i++)
		add_source(d, b, id[i].cpu, id[i].id);
}

static void head(const struct dump *d, const struct buffer *b)
{
	const struct perf_fragment *f = b->fragment;

	if (d->format == DUMP_OPENCSD)
		return;
	printf("# %s: ", b->name);
	if (f->cpu != PERF_NO_CPU)
		printf("cpu %u, ", f->cpu);
	if (f->tid != PERF_NO_TID)
		printf("thread %u, ", f->tid);
	printf("%zu bytes at offset 0x%" PRIx64 ", %s\n", b->in.n, f->offset,
	       f->flags & PERF_FRAGMENT_RAW ? "raw" : "frames");
}

/* How many fragments, from @first, make one piece of trace. */
static size_t parts(const struct perf_aux *aux, size_t first)
{
	size_t n = 1;

	while (first + n < aux->n_fragment &&
	       aux->fragment[first + n].queue == aux->fragment[first].queue &&
	       aux->fragment[first + n].flags & PERF_FRAGMENT_PART)
		n++;
	return n;
}

/* The bytes of all fragments.  Return: NULL: no memory. */
static uint8_t *join(const struct buffer *b)
{
	uint8_t *data = malloc(b->in.n + 1);
	size_t at = 0;

	for (size_t i = 0; i < b->n && data; i++) {
		const struct perf_fragment *f = &b->fragment[i];

		memcpy(data + at, b->recording->file->bytes + f->offset, f->size);
		at += f->size;
	}
	return data;
}

/* How many of @left bytes are fed at once.  A small rest would leave threads idle. */
static size_t chunk(uint64_t left)
{
	if (left > CHUNK && left < 2 * CHUNK)
		left -= left / 2 / ALIGN * ALIGN;
	return left < CHUNK ? left : CHUNK;
}

static bool same_source(const struct input_source *a, const struct input_source *b)
{
	return a->number == b->number && a->id == b->id &&
	       !memcmp(&a->config, &b->config, sizeof(a->config));
}

static bool counts(const struct counter *c, const struct input *in)
{
	size_t i = 0;

	if (c->in.framing != in->framing || c->in.n_source != in->n_source)
		return false;
	while (i < in->n_source && same_source(&c->source[i], &in->source[i]))
		i++;
	return i == in->n_source;
}

/* Finds the statistics for the same trace units, or makes new ones.  Return: 0 or csf_error. */
static int find_counter(const struct dump *d, struct buffer *b)
{
	struct counter **list = &b->recording->counter, *c = *list;
	int err;

	while (c && !counts(c, &b->in))
		c = c->next;
	if (!c) {
		c = calloc(1, sizeof(*c));
		if (!c)
			return CSF_ERR_MEMORY;
		memcpy(c->source, b->source, sizeof(c->source));
		c->in = b->in;
		c->in.source = c->source;
		c->next = *list;
		*list = c;
		err = figures_open(&c->figures, &c->in, d->threads);
		if (err)
			return err;
	}
	b->counter = c;
	return 0;
}

static void free_counters(struct recording *r)
{
	while (r->counter) {
		struct counter *c = r->counter;

		r->counter = c->next;
		figures_close(&c->figures);
		free(c);
	}
}

/* The first bytes to feed of @b. */
static struct figures_next first_of(const struct buffer *b)
{
	const struct perf_fragment *f = b->fragment;

	return (struct figures_next){
		.figures = &b->counter->figures,
		.bytes = b->recording->file->bytes + f->offset, .n = chunk(f->size),
	};
}

/* Fragment by fragment; read trace need not stay in memory. */
static int decode(struct dump *d, struct buffer *b, const struct figures_next *next)
{
	struct figures *figures = &b->counter->figures;
	struct recording *r = b->recording;
	uint64_t done = 0;
	int err = 0;

	for (size_t i = 0; i < b->n && !err; i++) {
		const struct perf_fragment *f = &b->fragment[i];

		for (uint64_t at = 0, some; at < f->size && !err; at += some) {
			const uint8_t *bytes = r->file->bytes + f->offset + at;

			some = chunk(f->size - at);
			done += some;
			if (done < b->in.n)
				err = figures_feed(figures, bytes, some,
						   chunk(f->size - at - some));
			else
				err = figures_finish(figures, bytes, some, next);
			perf_file_pass(r->file, &r->passed, f->offset + at + some);
			progress_at(&d->progress, done);
		}
	}
	return err || b->in.n ? err : figures_finish(figures, NULL, 0, next);
}

/* @next: the buffer that is counted next; NULL: none. */
static int count(struct dump *d, struct buffer *b, const struct buffer *next)
{
	struct figures_next then;
	int err = b->err;

	head(d, b);
	if (next && next->counter)
		then = first_of(next);
	if (!err) {
		b->counter->in.owner = b;
		figures_begin(&b->counter->figures);
		progress_start(&d->progress, b->name, b->in.n, d->show_progress);
		err = decode(d, b, next && next->counter ? &then : NULL);
		progress_stop(&d->progress);
	}
	if (!err)
		figures_print(&b->counter->figures, stdout);
	d->reset = true;
	return dump_end(d, &b->in, err);
}

static int list(struct dump *d, struct buffer *b)
{
	uint8_t *joined = NULL;
	int status;

	if (b->n > 1) {
		joined = join(b);
		if (!joined)
			return dump_end(d, &b->in, CSF_ERR_MEMORY);
		b->in.data = joined;
	}
	head(d, b);
	dump_units(d, &b->in);
	status = dump_input(d, &b->in);
	d->reset = true;
	free(joined);
	return status;
}

/* Opens the piece of trace that begins with fragment @first. */
static void open_buffer(const struct dump *d, struct recording *r, size_t first, struct buffer *b)
{
	const struct perf_fragment *f = &r->aux->fragment[first];
	const int framing = f->flags & PERF_FRAGMENT_RAW ? INPUT_RAW : CSF_FRAMES_MEMORY;

	*b = (struct buffer){
		.recording = r, .fragment = f, .first = first, .n = parts(r->aux, first),
	};
	snprintf(b->name, sizeof(b->name), "buffer %zu", first);
	b->in = (struct input){
		.name = b->name, .data = r->file->bytes + f->offset,
		.framing = dump_framing(d, framing), .source = b->source, .image = r->image,
		.choose = choose, .owner = b,
	};
	for (size_t i = 0; i < b->n; i++)
		b->in.n += f[i].size;
	add_sources(d, b);
	if (dump_counts(d))
		b->err = find_counter(d, b);
}

/* Finds the next requested buffer from fragment @from on.  Return: there is one. */
static bool find_buffer(const struct dump *d, struct recording *r, size_t from, struct buffer *b)
{
	size_t n;

	for (; from < r->aux->n_fragment; from += n) {
		n = parts(r->aux, from);
		if (!d->buffer_given || (d->buffer >= from && d->buffer < from + n)) {
			open_buffer(d, r, from, b);
			return true;
		}
	}
	return false;
}

static int dump_buffers(struct dump *d, struct recording *r, const char *path)
{
	struct buffer both[2], *b = &both[0], *next = &both[1];
	bool more = find_buffer(d, r, 0, b);
	int status = CMD_OK;

	if (!more && !r->aux->n_fragment) {
		log_say(LOG_EMPTY, "csflow dump: %s: it holds no trace; see 'csflow doctor'\n",
			path);
		return CMD_FAILED;
	}
	if (!more) {
		log_say(LOG_USAGE, "csflow dump: %s: there is no buffer %" PRIu64
			", but %zu others\n", path, d->buffer, r->aux->n_fragment);
		return CMD_FAILED;
	}
	while (more && status == CMD_OK) {
		struct buffer *done = b;

		more = find_buffer(d, r, b->first + b->n, next);
		status = dump_counts(d) ? count(d, b, more ? next : NULL) : list(d, b);
		b = next;
		next = done;
	}
	return status;
}

/* ---------------------------------------------------------------- in order of time */

/**
 * struct chain - the trace of one unit in one ring, piece by piece
 * @b: the current piece; @joined: its bytes, if they had to be
 * @next: fragment where the next piece may begin
 */
struct chain {
	const struct dump *d;
	struct recording *recording;
	struct buffer b;
	uint8_t *joined;
	size_t next;
	uint32_t queue, cpu;
};

/* Opens the next piece of trace that has the unit.  Return: as list_part.more. */
static int next_piece(struct list_part *part)
{
	struct chain *c = part->owner;
	struct buffer *b = &c->b;

	free(c->joined);
	c->joined = NULL;
	while (find_buffer(c->d, c->recording, c->next, b)) {
		c->next = b->first + b->n;
		if (b->fragment->queue > c->queue)
			break;
		for (size_t i = 0; i < b->in.n_source; i++) {
			if (b->fragment->queue != c->queue || b->source[i].number != c->cpu)
				continue;
			if (b->n > 1) {
				c->joined = join(b);
				if (!c->joined)
					return CSF_ERR_MEMORY;
				b->in.data = c->joined;
			}
			part->in = &b->in;
			part->source = &b->source[i];
			return 1;
		}
	}
	return 0;
}

/* Adds the unit of @source in the queue of @b, unless it is there.  Return: 0, CSF_ERR_MEMORY. */
static int add_chain(const struct dump *d, const struct buffer *b, uint32_t cpu,
		     struct list_part **part, size_t *n)
{
	const uint32_t queue = b->fragment->queue;
	const struct perf_queue *q = &b->recording->aux->queue[queue];
	struct list_part *p;
	struct chain *c;

	for (size_t i = 0; i < *n; i++) {
		c = (*part)[i].owner;
		if (c->queue == queue && c->cpu == cpu)
			return 0;
	}
	c = calloc(1, sizeof(*c));
	p = c ? realloc(*part, (*n + 1) * sizeof(*p)) : NULL;
	if (!p) {
		free(c);
		return CSF_ERR_MEMORY;
	}
	*c = (struct chain){
		.d = d, .recording = b->recording, .next = q->first, .queue = queue, .cpu = cpu,
	};
	*part = p;
	p = &p[(*n)++];
	*p = (struct list_part){ .more = next_piece, .owner = c };
	if (q->tid == PERF_NO_TID && q->cpu == cpu)
		snprintf(p->label, sizeof(p->label), "cpu%u", cpu);
	else if (q->tid == PERF_NO_TID)
		snprintf(p->label, sizeof(p->label), "ring%u.cpu%u", queue, cpu);
	else
		snprintf(p->label, sizeof(p->label), "tid%u.cpu%u", q->tid, cpu);
	return 0;
}

/* Finds all units in all rings. */
static int find_chains(const struct dump *d, struct recording *r, struct list_part **part,
		       size_t *n)
{
	struct buffer *b = malloc(sizeof(*b));
	int err = b ? 0 : CSF_ERR_MEMORY;

	for (size_t at = 0; !err && find_buffer(d, r, at, b); at = b->first + b->n)
		for (size_t i = 0; i < b->in.n_source && !err; i++)
			err = add_chain(d, b, b->source[i].number, part, n);
	free(b);
	return err;
}

/* All trace of a recording, in one order of time. */
static int dump_in_time(struct dump *d, struct recording *r)
{
	struct list_part *part = NULL;
	size_t n = 0;
	int err = find_chains(d, r, &part, &n), status;

	for (size_t i = 0; i < n && !err; i++)
		err = next_piece(&part[i]) < 0 ? CSF_ERR_MEMORY : 0;
	if (!err)
		status = dump_in_order(d, part, n);
	else
		status = dump_end(d, &(struct input){ .name = d->path }, err);
	for (size_t i = 0; i < n; i++) {
		struct chain *c = part[i].owner;

		free(c->joined);
		free(c);
	}
	free(part);
	return status;
}

static int open_recording(struct recording *r, const struct dump *d, const char *path)
{
	struct dso_options dso = { .symfs = d->symfs, .vmlinux = d->vmlinux };
	int err = perf_file_open(&r->file, path);

	if (!err)
		err = perf_aux_new(&r->aux, r->file);
	if (!err)
		err = perf_cs_open(&r->cs, r->file, r->aux);
	if (!err)
		err = csf_image_new(&r->image) ? -ENOMEM : 0;
	if (!err) {
		dso.recording = r->file->dir;
		dso.release = perf_file_string(r->file, PERF_FEATURE_OSRELEASE);
		err = perf_tasks_new(&r->tasks, r->image, &dso);
	}
	if (!err)
		err = perf_tasks_open(r->tasks, r->file);
	if (!err)
		err = perf_switches_init(&r->switches, r->file);
	if (!err)
		perf_file_drop(r->file);
	return err;
}

int dump_perf(struct dump *d, const char *path)
{
	struct recording r = { 0 };
	int status = CMD_FAILED;
	int err = open_recording(&r, d, path);

	if (r.file)
		show_problems(path, r.file);
	if (err)
		log_say(LOG_FILE, "csflow dump: %s: %s\n", path, file_words(path, err));
	else if (d->order == DUMP_BY_TIME && r.aux->n_fragment && !d->buffer_given)
		status = dump_in_time(d, &r);
	else
		status = dump_buffers(d, &r, path);
	/* the readable part was listed, but is incomplete */
	if (r.file && r.file->problems.damage && status == CMD_OK)
		status = CMD_FAILED;
	if (r.tasks)
		unchecked_tell(&r.tasks->code.dsos);
	free_counters(&r);
	perf_switches_fini(&r.switches);
	perf_tasks_free(r.tasks);
	csf_image_free(r.image);
	perf_cs_free(r.cs);
	perf_aux_free(r.aux);
	perf_file_close(r.file);
	return status;
}
