// SPDX-License-Identifier: GPL-2.0-only
#include "lower-bound.h"
#include "plugin.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "perf-abi.h"
#include "perf-queues.h"
#include "perf-switch.h"

/* A recording in a pipe begins with this and its own size, instead of a header. */
static const uint8_t pipe_header[16] = "PERFILE2\x10";

/* The offset in the file of the fragment with this number. */
struct fragment_offset {
	uint64_t offset;
	size_t fragment;
};

/**
 * struct plugin - a recording; the host has its processes and code
 * @cpus: copy of @options.cpu
 * @pipe: the @n_pipe bytes read so far; NULL: there is a file
 * @by_offset: fragments sorted by offset; NULL: not needed yet
 * @pokes: TEXT_POKE records
 * @run: the last run
 * @text: text of the last plugin_problem()
 */
struct plugin {
	struct perf_file *file;
	struct perf_aux *aux;
	struct perf_cs *cs;
	struct csf_image *image;
	struct perf_queues *queues;
	struct csf_threads *threads;
	struct perf_switches switches;
	struct plugin_options options;
	struct plugin_host host;
	struct perf_cpus *cpus;
	uint8_t *pipe;
	size_t n_pipe, size_pipe;
	struct fragment_offset *by_offset;
	struct perf_timeline pokes;
	struct perf_run run;
	bool timed;
	char text[200];
};

static int who(void *context, const struct perf_stream *stream, uint64_t time,
	       struct perf_who *answer)
{
	struct plugin *p = context;
	const struct perf_ran ran = {
		.aux = p->aux, .fragment = stream->fragment, .cpu = stream->cpu,
		.time = p->timed ? time : 0,
	};
	struct plugin_who ask = {
		.cpu = stream->cpu, .tid = stream->tid, .time = time, .context = stream->context,
		.guest = stream->guest,
	};
	uint64_t until = UINT64_MAX;

	if (ask.tid == PERF_NO_TID)
		ask.tid = perf_switches_ran(&p->switches, &ran, &until);
	*answer = (struct perf_who){
		.pid = PERF_NO_TID, .tid = ask.tid, .until = until,
		.space = p->host.space(p->host.context, &ask),
	};
	return answer->space < 0 ? answer->space : 0;
}

static uint64_t came(void *context, const struct perf_stream *stream, uint64_t from, uint64_t to)
{
	const struct plugin *p = context;

	return perf_switches_came(&p->switches, stream->cpu, stream->tid, from, to);
}

/* ---------------------------------------------------------------- open and close */

static int copy_cpus(struct plugin *p)
{
	const size_t n = p->options.n_cpu;

	p->cpus = calloc(n + 1, sizeof(*p->cpus));
	for (size_t i = 0; p->cpus && i < n; i++) {
		p->cpus[i].first = p->options.cpu[i].first;
		p->cpus[i].last = p->options.cpu[i].last;
	}
	return p->cpus ? 0 : -ENOMEM;
}

/* Needed even with no threads: they let all decoders share what is known of addresses. */
static int start_threads(struct plugin *p)
{
	uint32_t n = p->options.n_threads;

	if (n > CSF_THREADS_MAX)
		n = CSF_THREADS_MAX;
	return csf_threads_new(&p->threads, n ? n - 1 : 0) ? -ENOMEM : 0;
}

static int plugin_new(struct plugin **out, const struct plugin_options *options,
		      const struct plugin_host *host)
{
	struct plugin *p = calloc(1, sizeof(*p));

	*out = p;
	if (!p)
		return -ENOMEM;
	p->options = *options;
	p->host = *host;
	if (csf_image_new(&p->image) || copy_cpus(p) || start_threads(p)) {
		plugin_close(p);
		*out = NULL;
		return -ENOMEM;
	}
	return 0;
}

/* Makes everything except the file itself. */
static int make_queues(struct plugin *p)
{
	const struct perf_queues_ops ops = { .context = p, .who = who, .came = came };
	struct perf_queues_options options = {
		.file = p->file, .image = p->image,
		.cpus = p->cpus, .n_cpus = p->options.n_cpu,
		.from = p->options.from, .until = p->options.until,
		.marks = p->options.marks, .commit_tail = p->options.commit_tail,
	};
	int err = perf_aux_new(&p->aux, p->file);

	if (!err)
		err = perf_switches_init(&p->switches, p->file);
	if (!err)
		err = perf_timeline_init(&p->pokes, p->file, PERF_KIND(PERF_RECORD_TEXT_POKE));
	if (err)
		return err;
	/* without metadata nothing is decoded, and a problem reports this */
	err = perf_cs_open(&p->cs, p->file, p->aux);
	if (err == -ENOMEM)
		return err;
	p->timed = !p->options.timeless &&
		   perf_cs_timed(p->cs, &p->file->time_conv, p->options.trust);
	options.timed = p->timed;
	options.aux = p->aux;
	options.cs = p->cs;
	options.threads = p->threads;
	err = perf_queues_new(&p->queues, &options, &ops);
	perf_file_drop(p->file);
	return err;
}

int plugin_open(struct plugin **out, const char *path, const struct plugin_options *options,
		const struct plugin_host *host)
{
	int err = plugin_new(out, options, host);

	if (!err)
		err = perf_file_open(&(*out)->file, path);
	if (!err)
		err = make_queues(*out);
	if (err) {
		plugin_close(*out);
		*out = NULL;
	}
	return err;
}

int plugin_open_pipe(struct plugin **out, const struct plugin_options *options,
		     const struct plugin_host *host)
{
	int err = plugin_new(out, options, host);

	if (!err)
		err = plugin_feed(*out, pipe_header, sizeof(pipe_header));
	if (err) {
		plugin_close(*out);
		*out = NULL;
	}
	return err;
}

int plugin_feed(struct plugin *p, const void *bytes, size_t n)
{
	if (n > SIZE_MAX / 4 - p->n_pipe)
		return -ENOMEM;
	if (p->n_pipe + n > p->size_pipe) {
		size_t size = 2 * (p->n_pipe + n);
		uint8_t *more = realloc(p->pipe, size);

		if (!more)
			return -ENOMEM;
		p->pipe = more;
		p->size_pipe = size;
	}
	memcpy(p->pipe + p->n_pipe, bytes, n);
	p->n_pipe += n;
	return 0;
}

int plugin_ready(struct plugin *p)
{
	int err = perf_file_open_memory(&p->file, p->pipe, p->n_pipe);

	return err ? err : make_queues(p);
}

void plugin_close(struct plugin *p)
{
	if (!p)
		return;
	perf_queues_free(p->queues);
	csf_threads_free(p->threads);
	perf_cs_free(p->cs);
	perf_aux_free(p->aux);
	perf_switches_fini(&p->switches);
	perf_timeline_fini(&p->pokes);
	csf_image_free(p->image);
	perf_file_close(p->file);
	free(p->cpus);
	free(p->pipe);
	free(p->by_offset);
	free(p);
}

/* ---------------------------------------------------------------- runs */

struct csf_image *plugin_image(struct plugin *p)
{
	return p->image;
}

bool plugin_timed(const struct plugin *p)
{
	return p->timed;
}

uint64_t plugin_time(const struct plugin *p, uint64_t timestamp)
{
	if (!p->file || !p->file->time_conv.mult)
		return 0;
	return perf_time_from_counter(&p->file->time_conv, timestamp);
}

uint64_t plugin_timestamp(const struct plugin *p, uint64_t ns)
{
	if (!p->file || !p->file->time_conv.mult)
		return 0;
	return perf_time_to_counter(&p->file->time_conv, ns);
}

static uint32_t losses(uint32_t flags)
{
	return (flags & PERF_FRAGMENT_TRUNCATED ? PLUGIN_TRUNCATED : 0) |
	       (flags & PERF_FRAGMENT_OVERWRITE ? PLUGIN_OVERWRITE : 0) |
	       (flags & PERF_FRAGMENT_PARTIAL ? PLUGIN_PARTIAL : 0) |
	       (flags & PERF_FRAGMENT_COLLISION ? PLUGIN_COLLISION : 0);
}

int plugin_next(struct plugin *p, uint64_t until, struct plugin_run *out)
{
	const struct perf_stream *stream;
	int ret;

	if (!p->queues)
		return 0;
	ret = perf_queues_next(p->queues, until, &p->run);
	if (ret <= 0)
		return ret;
	perf_switches_check(&p->switches, p->file, p->run.who.tid, &p->run.run);
	stream = p->run.stream;
	*out = (struct plugin_run){
		.run = &p->run.run, .dec = stream->dec,
		.stream = stream->number, .queue = stream->queue, .id = stream->id,
		.cpu = stream->cpu, .tid = p->run.who.tid,
		.time = p->run.time, .aux_time = p->run.fragment->time,
		.since = p->run.since, .came = p->run.came,
		.starts = p->run.starts, .lost = losses(p->run.fragment->flags),
		.offset = p->run.fragment->offset,
		.at = p->run.run.offset > stream->begin ? p->run.run.offset - stream->begin : 0,
	};
	return 1;
}

void plugin_progress(const struct plugin *p, uint64_t *done, uint64_t *total)
{
	*done = p->queues ? p->queues->done : 0;
	*total = p->queues ? p->queues->total : 0;
}

/* ---------------------------------------------------------------- queries */

const char *plugin_problem(struct plugin *p, size_t i, bool *damage)
{
	const struct perf_problem *problem;

	if (!p->file || i >= p->file->problems.n)
		return NULL;
	problem = &p->file->problems.list[i];
	*damage = problem->severity != PERF_NOTE;
	if (problem->offset == PERF_PROBLEM_NOWHERE)
		return problem->text;
	snprintf(p->text, sizeof(p->text), "offset %#" PRIx64 ": %s", problem->offset,
		 problem->text);
	return p->text;
}

uint32_t plugin_only(const struct plugin *p)
{
	return p->queues ? p->switches.only : PLUGIN_NONE;
}

void plugin_unread(const struct plugin *p, uint64_t *unknown, uint64_t *cut)
{
	struct perf_unread unread = { .total = 0 };

	if (p->queues)
		perf_queues_unread(p->queues, &unread);
	*unknown = unread.total - unread.cut;
	*cut = unread.cut;
}

bool plugin_stats(const struct plugin *p, uint32_t stream, struct csf_stats *stats)
{
	if (!p->queues || stream >= p->queues->n_stream)
		return false;
	stats->size = sizeof(*stats);
	csf_stats(p->queues->stream[stream]->dec, stats);
	return true;
}

bool plugin_poke(struct plugin *p, size_t i, struct plugin_poke *poke)
{
	struct perf_text_poke found = { 0 };
	struct perf_record record;

	*poke = (struct plugin_poke){ 0 };
	if (i >= p->pokes.n)
		return false;
	if (perf_record_at(p->file, p->pokes.moment[i].offset, &record) &&
	    (record.misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL &&
	    perf_record_text_poke(&record, &found))
		*poke = (struct plugin_poke){
			.addr = found.addr, .time = p->pokes.moment[i].time,
			.old = found.old_bytes, .n_old = found.old_len,
			.new = found.new_bytes, .n_new = found.new_len,
		};
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct fragment_offset *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Fragments are sorted by queue; here they are sorted in file order. */
static bool sort_fragments(struct plugin *p)
{
	const struct perf_aux *aux = p->aux;

	if (!aux || p->by_offset)
		return aux;
	p->by_offset = calloc(aux->n_fragment + 1, sizeof(*p->by_offset));
	if (!p->by_offset)
		return false;
	for (size_t i = 0; i < aux->n_fragment; i++)
		p->by_offset[i] = (struct fragment_offset){ aux->fragment[i].offset, i };
	qsort(p->by_offset, aux->n_fragment, sizeof(*p->by_offset), compare);
	return true;
}

/* Index in @by_offset of the first fragment at or after @offset. */
static size_t find_fragment(const struct plugin *p, uint64_t offset)
{
	return LOWER_BOUND(p->aux->n_fragment, i, p->by_offset[i].offset < offset);
}

/* The trace ID that was assigned to a trace unit with raw trace; 0: not known. */
static uint8_t id_of_raw(const struct plugin *p, const struct perf_fragment *f)
{
	const uint32_t number = p->cs ? perf_cs_cpu_of_raw(p->cs, f) : PERF_NO_CPU;
	const struct perf_cs_cpu *cpu = number == PERF_NO_CPU ? NULL : perf_cs_cpu(p->cs, number);

	if (!cpu)
		return 0;
	for (size_t i = 0; i < p->cs->n_id; i++)
		if (p->cs->id[i].cpu == number)
			return p->cs->id[i].id;
	return cpu->id;
}

bool plugin_piece(struct plugin *p, uint64_t offset, uint64_t size, size_t i,
		  struct plugin_piece *piece)
{
	const struct perf_fragment *f;
	size_t at;

	if (!sort_fragments(p))
		return false;
	at = find_fragment(p, offset);
	if (i >= p->aux->n_fragment - at)
		return false;
	f = &p->aux->fragment[p->by_offset[at + i].fragment];
	if (f->offset - offset >= size)
		return false;
	*piece = (struct plugin_piece){
		.bytes = p->file->bytes + f->offset, .size = f->size,
		.aux_offset = f->aux_offset, .offset = f->offset, .cpu = f->cpu,
		.raw = f->flags & PERF_FRAGMENT_RAW, .fragment = p->by_offset[at + i].fragment,
	};
	if (piece->raw)
		piece->id = id_of_raw(p, f);
	return true;
}

int plugin_config(const struct plugin *p, const struct plugin_piece *piece, uint8_t id,
		  struct csf_config *config)
{
	const struct perf_fragment *f;
	uint32_t cpu;

	if (!p->cs || piece->fragment >= p->aux->n_fragment)
		return -ENOENT;
	f = &p->aux->fragment[piece->fragment];
	cpu = piece->raw ? perf_cs_cpu_of_raw(p->cs, f) : perf_cs_cpu_of_id(p->cs, f, id);
	return cpu == PERF_NO_CPU || perf_cs_config(p->cs, cpu, config) ? -ENOENT : 0;
}
