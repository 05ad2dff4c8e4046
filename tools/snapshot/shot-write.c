// SPDX-License-Identifier: GPL-2.0-only
/* Writes a snapshot: all of its files, or none. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../perf-plugin/new-file.h"
#include "../input/input.h"
#include "../lib/progress.h"
#include "../lib/unit-ini.h"
#include "shot.h"

/* The snapshot, where it goes, bytes of trace so far, and the first error. */
struct writer {
	const struct shot *shot;
	struct progress *progress;
	uint64_t bytes;
	const char *dir;
	char *failed;
	int err;
};

static void fail(struct writer *w, const char *path, int err)
{
	if (w->err)
		return;
	w->err = err;
	w->failed = strdup(path);
}

/* Opens DIR/NAMESUFFIX.  NULL: there was an error, now or before. */
static FILE *make(struct writer *w, const char *name, const char *suffix)
{
	FILE *f = NULL;
	char *path;

	if (w->err)
		return NULL;
	if (asprintf(&path, "%s/%s%s", w->dir, name, suffix) < 0) {
		fail(w, w->dir, -ENOMEM);
		return NULL;
	}
	f = new_file(path);
	if (!f)
		fail(w, path, -errno);
	free(path);
	return f;
}

static void done(struct writer *w, FILE *f, const char *name)
{
	const int err = new_file_hold(f, 0);

	if (err)
		fail(w, name, err);
}

static void put_dumps(const struct shot *s, FILE *f)
{
	for (size_t i = 0; i < s->n_dump; i++) {
		const struct shot_dump *d = &s->dump[i];

		fprintf(f, "\n[dump%zu]\nfile=%s\naddress=0x%" PRIx64 "\nlength=0x%" PRIx64 "\n",
			i, s->file[d->file].name, d->addr, d->n);
		if (d->offset)
			fprintf(f, "offset=0x%" PRIx64 "\n", d->offset);
		if (d->space)
			fprintf(f, "space=%s\n", d->space);
	}
}

/* Memory is that of the first core: it is the same for all. */
static void put_core(struct writer *w, size_t i)
{
	const struct shot_core *core = &w->shot->core[i];
	FILE *f = make(w, core->name, ".ini");

	if (!f)
		return;
	fprintf(f, "[device]\nname=%s\nclass=core\ntype=%s\n", core->name, core->type);
	if (w->shot->n_reg)
		fputs("\n[regs]\n", f);
	for (size_t k = 0; k < w->shot->n_reg; k++)
		fprintf(f, "%s\n", w->shot->reg[k].text);
	if (!i)
		put_dumps(w->shot, f);
	done(w, f, core->name);
}

/* Memory without a processor, which only sources of messages do without. */
static void put_memory(struct writer *w)
{
	FILE *f = w->shot->n_core || !w->shot->n_dump ? NULL : make(w, "memory", ".ini");

	if (!f)
		return;
	fputs("[device]\nname=memory\nclass=memory_space\n", f);
	put_dumps(w->shot, f);
	done(w, f, "memory.ini");
}

#define DEVICE_NAME_MAX	(SHOT_NAME_MAX + 24)

/*
 * The device for buffer @k of the unit.  Some readers know only one buffer of a trace source, so
 * there is a device for each, as in the snapshots of Arm's tests.
 */
static const char *device(const struct shot_unit *unit, size_t k, char name[DEVICE_NAME_MAX])
{
	if (unit->n_buffer > 1)
		snprintf(name, DEVICE_NAME_MAX, "%s_s%zu", unit->name, k);
	else
		snprintf(name, DEVICE_NAME_MAX, "%s", unit->name);
	return name;
}

static void put_unit(struct writer *w, const struct shot_unit *unit, size_t k)
{
	char name[DEVICE_NAME_MAX];
	FILE *f = make(w, device(unit, k, name), ".ini");

	if (!f)
		return;
	unit_ini_write(f, &unit->config, name, unit->id);
	if (unit->has_position)
		fprintf(f, "POSITION=0x%08" PRIx32 "\n", unit->position);
	done(w, f, name);
}

static void put_buffer(struct writer *w, const struct shot_buffer *b)
{
	FILE *f = make(w, b->name, ".bin");

	if (!f)
		return;
	for (size_t i = 0; i < b->n_part; i++) {
		fwrite(b->part[i].data, 1, b->part[i].n, f);
		progress_at(w->progress, w->bytes += b->part[i].n);
	}
	done(w, f, b->name);
}

static void put_file(struct writer *w, const struct shot_file *file)
{
	FILE *f = make(w, file->name, "");

	if (!f)
		return;
	fwrite(file->data, 1, file->n, f);
	done(w, f, file->name);
}

static void put_maps(const struct shot *s, FILE *f)
{
	char name[DEVICE_NAME_MAX];

	fputs("\n[core_trace_sources]\n", f);
	for (size_t i = 0; i < s->n_unit; i++)
		for (size_t k = 0; s->unit[i].core >= 0 && k < s->unit[i].n_buffer; k++)
			fprintf(f, "%s=%s\n", s->core[s->unit[i].core].name,
				device(&s->unit[i], k, name));
	fputs("\n[source_buffers]\n", f);
	for (size_t i = 0; i < s->n_unit; i++)
		for (size_t k = 0; k < s->unit[i].n_buffer; k++)
			fprintf(f, "%s=%s\n", device(&s->unit[i], k, name),
				s->buffer[s->unit[i].buffer[k]].name);
}

static void put_trace(struct writer *w)
{
	const struct shot *s = w->shot;
	FILE *f = make(w, "trace", ".ini");

	if (!f)
		return;
	fputs("[trace_buffers]\nbuffers=", f);
	for (size_t i = 0; i < s->n_buffer; i++)
		fprintf(f, "%sbuffer%zu", i ? "," : "", i);
	fputs("\n", f);
	for (size_t i = 0; i < s->n_buffer; i++) {
		const struct shot_buffer *b = &s->buffer[i];

		fprintf(f, "\n[buffer%zu]\nname=%s\nfile=%s.bin\nformat=%s\n", i, b->name, b->name,
			b->framing == INPUT_RAW ? "source_data" :
			b->framing == CSF_FRAMES_DSTREAM ? "dstream_coresight" : "coresight");
	}
	put_maps(s, f);
	done(w, f, "trace.ini");
}

/* It names the others, so it comes last. */
static void put_main(struct writer *w)
{
	const struct shot *s = w->shot;
	FILE *f = make(w, "snapshot", ".ini");
	char name[DEVICE_NAME_MAX];
	size_t n = 0;

	if (!f)
		return;
	fputs("[snapshot]\nversion=1.0\n", f);
	if (s->description)
		fprintf(f, "description=%s\n", s->description);
	fputs("\n[device_list]\n", f);
	for (size_t i = 0; i < s->n_core; i++)
		fprintf(f, "device%zu=%s.ini\n", n++, s->core[i].name);
	if (!s->n_core && s->n_dump)
		fprintf(f, "device%zu=memory.ini\n", n++);
	for (size_t i = 0; i < s->n_unit; i++)
		for (size_t k = 0; k < s->unit[i].n_buffer; k++)
			fprintf(f, "device%zu=%s.ini\n", n++, device(&s->unit[i], k, name));
	fputs("\n[trace]\nmetadata=trace.ini\n", f);
	done(w, f, "snapshot.ini");
}

static uint64_t bytes_of(const struct shot *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->n_buffer; i++)
		for (size_t k = 0; k < s->buffer[i].n_part; k++)
			n += s->buffer[i].part[k].n;
	return n;
}

int shot_write(const struct shot *s, const char *dir, bool show_progress, char **failed)
{
	struct progress progress;
	struct writer w = { .shot = s, .dir = dir, .progress = &progress };
	int err;

	progress_start(&progress, dir, bytes_of(s), show_progress);
	if (access(dir, F_OK))
		new_file_passing(dir);
	if (mkdir(dir, 0777) && errno != EEXIST)
		fail(&w, dir, -errno);
	for (size_t i = 0; i < s->n_file; i++)
		put_file(&w, &s->file[i]);
	for (size_t i = 0; i < s->n_core; i++)
		put_core(&w, i);
	put_memory(&w);
	for (size_t i = 0; i < s->n_unit; i++)
		for (size_t k = 0; k < s->unit[i].n_buffer; k++)
			put_unit(&w, &s->unit[i], k);
	for (size_t i = 0; i < s->n_buffer; i++)
		put_buffer(&w, &s->buffer[i]);
	put_trace(&w);
	put_main(&w);
	progress_stop(&progress);
	if (!w.err) {
		err = new_file_release();
		if (err)
			fail(&w, dir, err);
	}
	*failed = w.failed;
	return w.err;
}
