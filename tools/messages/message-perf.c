// SPDX-License-Identifier: GPL-2.0-only
/* The buffers of a perf.data, one after another: instrumentation of ETEs. */
#include <errno.h>

#include "../../perf-plugin/perf-cs.h"
#include "../lib/file.h"
#include "../lib/log.h"
#include "../lib/problems.h"
#include "../lib/status.h"
#include "feed.h"
#include "message-files.h"

struct recording {
	struct perf_file *file;
	struct perf_aux *aux;
	struct perf_cs *cs;
	size_t found;
};

static int add_reader(struct message_files *f, const struct recording *r, uint32_t cpu, uint8_t id,
		      struct message_source **reader, size_t *n)
{
	struct input_source source = { .number = cpu, .id = id };
	int err = 0;

	if ((f->id_given && f->id != id) || perf_cs_config(r->cs, cpu, &source.config))
		return 0;
	if (message_source_is(&source.config))
		reader[(*n)++] = message_files_open(f, &source, &err);
	else
		message_files_other(f, &source.config);
	return err;
}

static int add_readers(struct message_files *f, const struct recording *r,
		       const struct perf_fragment *fragment, struct message_source **reader,
		       size_t *n)
{
	struct perf_cs_id id[CSF_ID_MAX];
	size_t n_id;
	int err = 0;

	if (fragment->flags & PERF_FRAGMENT_RAW)
		return add_reader(f, r, perf_cs_cpu_of_raw(r->cs, fragment), 0, reader, n);
	n_id = perf_cs_ids(r->cs, fragment, id);
	for (size_t i = 0; i < n_id && !err; i++)
		err = add_reader(f, r, id[i].cpu, id[i].id, reader, n);
	return err;
}

/* Is fragment @i the rest of the one before it? */
static bool is_part(const struct perf_aux *aux, size_t i)
{
	return i < aux->n_fragment && aux->fragment[i].flags & PERF_FRAGMENT_PART &&
	       aux->fragment[i].queue == aux->fragment[i - 1].queue;
}

/* Reads the piece of trace that begins with fragment @*at, and moves *@at after it. */
static int read_piece(struct message_files *f, struct recording *r, size_t *at)
{
	const struct perf_fragment *first = &r->aux->fragment[*at];
	const int framing = first->flags & PERF_FRAGMENT_RAW ? INPUT_RAW : CSF_FRAMES_MEMORY;
	struct feed feed = { .take = listing_take, .owner = f->listing };
	struct message_source *reader[CSF_ID_MAX + 1];
	size_t n = 0;
	int err = add_readers(f, r, first, reader, &n);

	r->found += n;
	if (!err && n)
		err = feed_open(&feed, framing, reader, n);
	do {
		const struct perf_fragment *fragment = &r->aux->fragment[*at];

		if (!err && n)
			err = feed_bytes(&feed, r->file->bytes + fragment->offset, fragment->size);
	} while (is_part(r->aux, ++*at));
	if (!err && n)
		err = feed_end(&feed);
	message_files_shut(f);
	feed_close(&feed);
	return err;
}

static int read_pieces(struct message_files *f, struct recording *r, const char *path)
{
	int err = 0;

	for (size_t at = 0; at < r->aux->n_fragment && !err;)
		err = read_piece(f, r, &at);
	if (!err && !r->found)
		return message_files_none(f, path);
	return message_files_end(f, path, err);
}

static void show_problems(const char *path, const struct perf_file *file)
{
	struct problems problems = { 0 };

	problems_warn_perf(&problems, path, file, false);
	problems_print(&problems, "csflow: ");
	problems_free(&problems);
}

int message_files_perf(struct message_files *f, const char *path)
{
	struct recording r = { 0 };
	int status = CMD_FAILED;
	int err = perf_file_open(&r.file, path);

	if (!err)
		err = perf_aux_new(&r.aux, r.file);
	if (!err)
		err = perf_cs_open(&r.cs, r.file, r.aux);
	if (r.file)
		show_problems(path, r.file);
	if (err)
		log_say(LOG_FILE, "csflow: %s: %s\n", path, file_words(path, err));
	else
		status = read_pieces(f, &r, path);
	/* the readable part was listed, but is incomplete */
	if (r.file && r.file->problems.damage && status == CMD_OK)
		status = CMD_FAILED;
	perf_cs_free(r.cs);
	perf_aux_free(r.aux);
	perf_file_close(r.file);
	return status;
}
