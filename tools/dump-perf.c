// SPDX-License-Identifier: GPL-2.0-only
/* The trace buffers of a perf.data, one after the other. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../perf-plugin/perf-cs.h"
#include "../perf-plugin/perf-map.h"
#include "../perf-plugin/perf-switch.h"
#include "cmd.h"
#include "dump.h"
#include "figures.h"
#include "problems.h"

#define CHUNK	(1u << 20)

/* What @choose needs: the fragment at hand, and who ran. */
struct recording {
	struct perf_file *file;
	struct perf_aux *aux;
	struct perf_cs *cs;
	struct perf_map *map;
	struct perf_switches switches;
	struct csf_image *image;
	const struct perf_fragment *fragment;
};

/*
 * Who ran where trace does not say it: the thread of its ring, or the only one that ran on its CPU.
 * That of the AUX record is whoever happened to run when the buffer was emptied.
 */
static uint32_t ran(const struct recording *r, uint32_t cpu)
{
	const struct perf_ran ran = { .aux = r->aux, .fragment = r->fragment, .cpu = cpu };
	const uint32_t tid = r->aux->queue[r->fragment->queue].tid;
	uint64_t until;

	return tid != PERF_NO_TID ? tid : perf_switches_ran(&r->switches, &ran, &until);
}

static void choose(const struct input *in, const struct input_source *source,
		   struct csf_decoder *dec, const struct csf_context *context)
{
	struct recording *r = in->owner;
	const struct perf_cs_cpu *unit = perf_cs_cpu(r->cs, source->number);
	uint64_t time = r->fragment->time ? r->fragment->time : PERF_MAP_LAST;
	uint32_t tid = PERF_NO_TID;
	struct perf_who who;

	if (unit && context)
		tid = perf_cs_tid(unit, context);
	if (tid == PERF_NO_TID)
		tid = ran(r, source->number);
	if (perf_map_who(r->map, tid, time, &who))
		return;
	csf_set_space(dec, who.space);
	csf_set_time(dec, time, 0);
}

static void show_problems(const char *path, const struct perf_file *file)
{
	struct problems problems = { 0 };

	problems_warn_perf(&problems, path, file, false);
	problems_print(&problems, stderr, "csflow dump: ");
	problems_free(&problems);
}

static void add_source(const struct dump *d, const struct recording *r, struct input_source *source,
		       size_t *n)
{
	struct input_source *s = &source[*n];

	if (d->id_given && d->id != s->id)
		return;
	if (perf_cs_config(r->cs, s->number, &s->config))
		fprintf(stderr, "csflow dump: trace ID 0x%02x: the trace unit is not known\n",
			s->id);
	else
		(*n)++;
}

static size_t sources_of(const struct dump *d, const struct recording *r,
			 struct input_source *source)
{
	struct perf_cs_id id[CSF_ID_MAX];
	size_t n_id, n = 0;

	if (r->fragment->flags & PERF_FRAGMENT_RAW) {
		source[0] = (struct input_source){
			.number = perf_cs_cpu_of_raw(r->cs, r->fragment)
		};
		add_source(d, r, source, &n);
		return n;
	}
	n_id = perf_cs_ids(r->cs, r->fragment, id);
	for (size_t i = 0; i < n_id; i++) {
		source[n] = (struct input_source){
			.number = id[i].cpu, .id = id[i].id
		};
		add_source(d, r, source, &n);
	}
	return n;
}

static void head(const struct dump *d, const struct perf_fragment *f, size_t number, size_t n)
{
	if (d->format == DUMP_OPENCSD)
		return;
	printf("# buffer %zu: ", number);
	if (f->cpu != PERF_NO_CPU)
		printf("cpu %u, ", f->cpu);
	if (f->tid != PERF_NO_TID)
		printf("thread %u, ", f->tid);
	printf("%zu bytes at offset 0x%" PRIx64 ", %s\n", n, f->offset,
	       f->flags & PERF_FRAGMENT_RAW ? "raw" : "frames");
}

/* How many fragments, from @first, are one piece of trace. */
static size_t parts(const struct perf_aux *aux, size_t first)
{
	size_t n = 1;

	while (first + n < aux->n_fragment &&
	       aux->fragment[first + n].queue == aux->fragment[first].queue &&
	       aux->fragment[first + n].flags & PERF_FRAGMENT_PART)
		n++;
	return n;
}

static uint8_t *join(const struct recording *r, const struct perf_fragment *f, size_t n,
		     size_t *size)
{
	uint8_t *data;
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		at += f[i].size;
	data = malloc(at + 1);
	*size = at;
	at = 0;
	for (size_t i = 0; i < n && data; i++) {
		memcpy(data + at, r->file->bytes + f[i].offset, f[i].size);
		at += f[i].size;
	}
	return data;
}

/* What is fed at once of @left bytes. */
static size_t chunk(uint64_t left)
{
	return left < CHUNK ? left : CHUNK;
}

/* Fragment by fragment; what was read need not stay in memory. */
static int count(struct dump *d, const struct recording *r, const struct input *in, size_t n)
{
	const struct perf_fragment *f = r->fragment;
	struct figures figures;
	int err = figures_open(&figures, in, d->threads);
	uint64_t done = 0;

	progress_start(&d->progress, in->name, in->n, d->show_progress);
	for (size_t i = 0; i < n && !err; i++) {
		for (uint64_t at = 0, some; at < f[i].size && !err; at += some) {
			const uint64_t offset = f[i].offset + at;

			some = chunk(f[i].size - at);
			err = figures_feed(&figures, r->file->bytes + offset, some,
					   chunk(f[i].size - at - some));
			perf_file_drop_part(r->file, offset, offset + some);
			progress_at(&d->progress, done += some);
		}
	}
	progress_stop(&d->progress);
	if (!err)
		err = figures_end(&figures);
	if (!err)
		figures_print(&figures, stdout);
	figures_close(&figures);
	return dump_end(d, in, err);
}

/* The piece of trace that begins with fragment @first of @n. */
static int dump_piece(struct dump *d, struct recording *r, size_t first, size_t n)
{
	const struct perf_fragment *f = &r->aux->fragment[first];
	struct input_source source[CSF_ID_MAX + 1];
	char name[32];
	struct input in = {
		.name = name, .data = r->file->bytes + f->offset, .n = f->size,
		.framing = f->flags & PERF_FRAGMENT_RAW ? INPUT_RAW : CSF_FRAMES_MEMORY,
		.source = source, .image = r->image, .choose = choose, .owner = r,
	};
	uint8_t *joined = NULL;
	int status;

	if (n > 1 && !dump_counts(d)) {
		joined = join(r, f, n, &in.n);
		in.data = joined;
		if (!joined)
			return CMD_FAILED;
	}
	snprintf(name, sizeof(name), "buffer %zu", first);
	r->fragment = f;
	in.framing = dump_framing(d, in.framing);
	in.n_source = sources_of(d, r, source);
	for (size_t i = 1; i < n && !joined; i++)
		in.n += f[i].size;
	head(d, f, first, in.n);
	status = dump_counts(d) ? count(d, r, &in, n) : dump_input(d, &in);
	d->reset = true;
	free(joined);
	return status;
}

static int dump_pieces(struct dump *d, struct recording *r)
{
	bool listed = false;
	int status = CMD_OK;
	size_t n;

	for (size_t i = 0; i < r->aux->n_fragment && status == CMD_OK; i += n) {
		n = parts(r->aux, i);
		if (d->buffer_given && (d->buffer < i || d->buffer >= i + n))
			continue;
		listed = true;
		status = dump_piece(d, r, i, n);
	}
	if (listed || status != CMD_OK)
		return status;
	fprintf(stderr, "csflow dump: there is no such buffer, but %zu others\n",
		r->aux->n_fragment);
	return CMD_FAILED;
}

static int open_recording(struct recording *r, const struct dump *d, const char *path)
{
	struct dso_options dso = { .symfs = d->symfs, .vmlinux = d->vmlinux };
	int err = perf_file_open(&r->file, path);

	if (!err)
		err = perf_aux_new(&r->aux, r->file);
	if (!err)
		err = perf_cs_open(&r->cs, r->file);
	if (!err)
		err = csf_image_new(&r->image);
	if (!err) {
		dso.recording = r->file->dir;
		dso.release = perf_file_string(r->file, PERF_FEATURE_OSRELEASE);
		err = perf_map_new(&r->map, r->image, &dso);
	}
	if (!err)
		err = perf_map_open(r->map, r->file);
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
		fprintf(stderr, "csflow dump: %s: %s\n", path, strerror(err < 0 ? -err : err));
	else
		status = dump_pieces(d, &r);
	/* what there is was listed, and is not all */
	if (r.file && r.file->problems.damage && status == CMD_OK)
		status = CMD_FAILED;
	perf_switches_fini(&r.switches);
	perf_map_free(r.map);
	csf_image_free(r.image);
	perf_cs_free(r.cs);
	perf_aux_free(r.aux);
	perf_file_close(r.file);
	return status;
}
