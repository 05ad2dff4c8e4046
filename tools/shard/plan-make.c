// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE	/* asprintf(), getline() */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../decoder/csflow.h"
#include "../../perf-plugin/array.h"
#include "../index/index.h"
#include "../index/seek.h"
#include "../input/recording.h"
#include "../lib/file.h"
#include "../lib/log.h"
#include "../lib/status.h"
#include "plan-make.h"

static int no_memory(void)
{
	log_say(LOG_MEMORY, "csflow shard: no memory\n");
	return CMD_FAILED;
}

/* ---------------------------------------------------------------- inputs */

/* Sets the size and the hash of the file at @in->path.  Return: 0 or -errno. */
static int look(struct plan_input *in)
{
	struct file file;
	int err = file_map(&file, in->path);

	if (err)
		return err;
	in->size = file.n;
	in->hash = index_hash_of(file.data, file.n);
	file_unmap(&file);
	return 0;
}

int plan_check_input(const struct plan_input *input)
{
	struct plan_input now = { .path = input->path };
	const int err = look(&now);

	if (!err && now.size == input->size && now.hash == input->hash)
		return CMD_OK;
	log_say(LOG_FILE, "csflow: %s: %s\n", input->path, err ? file_words(input->path, err) :
		"it is not the file that was planned: it has changed, or is another one here");
	return CMD_FAILED;
}

/* @name: of a line.  Return: CMD_OK; CMD_FAILED: reported. */
static int add_input(struct plan *plan, const char *name)
{
	struct plan_input in = { .path = realpath(name, NULL) };
	int err = in.path ? look(&in) : -errno;

	if (err)
		log_say(LOG_FILE, "csflow: %s: %s\n", name, file_words(name, err));
	else if (plan_add_input(plan, &in))
		err = no_memory();
	free(in.path);
	return err ? CMD_FAILED : CMD_OK;
}

/* Return: CMD_OK; CMD_FAILED: reported. */
static int add_lines(struct plan *plan, const char *list, FILE *f)
{
	int status = CMD_OK;
	char *line = NULL;
	size_t size = 0, number = 0;
	ssize_t n;

	while ((n = getline(&line, &size, f)) > 0) {
		number++;
		if (strlen(line) != (size_t)n) {
			log_say(LOG_SYNTAX, "csflow: %s:%zu: a zero byte: the list is a text with the path of a recording on each line\n",
				list ? list : "standard input", number);
			status = CMD_FAILED;
			break;
		}
		if (line[n - 1] == '\n')
			line[--n] = 0;
		if (n && add_input(plan, line))
			status = CMD_FAILED;
	}
	free(line);
	return status;
}

static int add_inputs(struct plan *plan, const char *list)
{
	FILE *f = list ? fopen(list, "r") : stdin;
	int status;

	if (!f) {
		log_say(LOG_FILE, "csflow: %s: %s\n", list, strerror(errno));
		return CMD_FAILED;
	}
	status = add_lines(plan, list, f);
	if (ferror(f)) {
		log_say(LOG_FILE, "csflow: %s: %s\n", list ? list : "standard input",
			strerror(errno));
		status = CMD_FAILED;
	}
	if (list)
		fclose(f);
	if (!status && !plan->n_input) {
		log_say(LOG_EMPTY, "csflow: %s: no file is in this list\n",
			list ? list : "standard input");
		status = CMD_FAILED;
	}
	return status;
}

/* ---------------------------------------------------------------- cutting a recording */

/* A stretch of its index: its first time, and its bytes. */
struct stretch {
	uint64_t time, bytes;
};

struct stretches {
	struct stretch *at;
	size_t n, size;
	uint64_t bytes;
};

static int add_stretches(struct stretches *s, const struct index_stream *stream,
			 const struct perf_time_conv *conv)
{
	for (size_t i = 0; i < stream->n; i++) {
		const struct index_entry *e = &stream->entry[i];
		const uint64_t end = i + 1 < stream->n ? e[1].pos : stream->bytes;

		if (!e->n_time || end < e->pos)
			continue;
		if (!array_room(&s->at, s->n, &s->size, sizeof(*s->at)))
			return -ENOMEM;
		s->at[s->n++] = (struct stretch){ perf_time_from_counter(conv, e->first),
						  end - e->pos };
		s->bytes += end - e->pos;
	}
	return 0;
}

static int by_time(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	return x->time == y->time ? 0 : x->time < y->time ? -1 : 1;
}

/* Adds @n pieces of an input, or fewer if they cannot be told apart by time. */
static int cut(struct plan *plan, uint32_t input, struct stretches *s, size_t n)
{
	const struct plan_input *in = &plan->input[input];
	struct plan_piece piece = { .input = input };
	const double scale = s->bytes ? (double)in->size / s->bytes : 0;
	uint64_t done = 0, before = 0, left = in->size;

	if (s->n)
		qsort(s->at, s->n, sizeof(*s->at), by_time);
	for (size_t i = 0, k = 1; i < s->n && k < n; i++) {
		if (done >= s->bytes / n * k && s->at[i].time > piece.from) {
			piece.until = s->at[i].time - 1;
			piece.bytes = scale * (done - before);
			if (piece.bytes > left)
				piece.bytes = left;
			left -= piece.bytes;
			if (plan_add_piece(plan, &piece))
				return -ENOMEM;
			piece.from = s->at[i].time;
			before = done;
			k++;
		}
		done += s->at[i].bytes;
	}
	piece.until = UINT64_MAX;
	piece.bytes = left;
	return plan_add_piece(plan, &piece);
}

static int read_stretches(struct stretches *s, const struct recording *r, const char *path)
{
	struct index *index = NULL;
	int err = r->replay->timed ? seek_index(&index, r->replay, path) : 0;

	for (size_t i = 0; index && i < index->n_stream && !err; i++)
		err = add_stretches(s, &index->stream[i], &r->replay->file->time_conv);
	index_free(index);
	return err;
}

/* Adds an input, in up to @n pieces if it can be cut.  Return: CMD_OK or CMD_FAILED. */
static int cut_input(struct plan *plan, uint32_t input, size_t n)
{
	const char *path = plan->input[input].path;
	struct recording r = { .path = path };
	struct stretches s = { 0 };
	int err = 0;

	/* an input that cannot be opened is reported, and again when its part is made */
	if (!recording_open(&r)) {
		err = read_stretches(&s, &r, path);
		recording_close(&r);
	}
	if (!err)
		err = cut(plan, input, &s, n);
	if (!s.n)
		log_say(LOG_NOTE, "csflow: %s: not cut: its trace has no times\n", path);
	free(s.at);
	return err ? no_memory() : CMD_OK;
}

static bool has_index(const char *path)
{
	char *name;
	bool has;

	if (asprintf(&name, "%s.tix", path) < 0)
		return false;
	has = !access(name, F_OK);
	free(name);
	return has;
}

static int add_whole(struct plan *plan, uint32_t input)
{
	const struct plan_piece all = { input, 0, UINT64_MAX, plan->input[input].size };

	return plan_add_piece(plan, &all) ? no_memory() : CMD_OK;
}

/* Makes pieces of all inputs. */
static int add_pieces(struct plan *plan, size_t n_part)
{
	uint64_t total = 0, share, largest = 0;
	const char *uncut = NULL;
	int status = CMD_OK;

	for (size_t i = 0; i < plan->n_input; i++)
		total += plan->input[i].size;
	share = total / n_part + 1;
	for (size_t i = 0; i < plan->n_input && !status; i++) {
		const struct plan_input *in = &plan->input[i];
		const bool large = n_part > 1 && in->size > share;

		if (large && has_index(in->path)) {
			status = cut_input(plan, i, (in->size + share - 1) / share);
			continue;
		}
		if (large && in->size > largest) {
			largest = in->size;
			uncut = in->path;
		}
		status = add_whole(plan, i);
	}
	if (uncut)
		log_say(LOG_NOTE, "csflow: %s: %" PRIu64 " bytes, a part would have %" PRIu64 ": it is not cut, because it has no index; csflow index makes one\n",
			uncut, largest, share);
	return status;
}

/* ---------------------------------------------------------------- parts */

static const struct plan_piece *sorted_piece;

/* The largest first; equal ones in the order of the list. */
static int by_bytes(const void *a, const void *b)
{
	const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
	const uint64_t x = sorted_piece[i].bytes, y = sorted_piece[k].bytes;

	return x != y ? (x > y ? -1 : 1) : i < k ? -1 : i > k;
}

/**
 * struct load - parts as a heap: number 0 has the fewest bytes
 * @bytes: of the part @part
 */
struct load {
	uint64_t bytes;
	uint32_t part;
};

static bool less(const struct load *a, const struct load *b)
{
	return a->bytes != b->bytes ? a->bytes < b->bytes : a->part < b->part;
}

static void sink(struct load *heap, size_t n)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < n) {
		struct load top = heap[at];

		child += child + 1 < n && less(&heap[child + 1], &heap[child]);
		if (!less(&heap[child], &top))
			break;
		heap[at] = heap[child];
		heap[child] = top;
		at = child;
	}
}

/* Sets @of[i], the part of each piece. */
static void balance(struct load *heap, size_t n, const uint32_t *order, size_t n_piece,
		    uint32_t *of)
{
	for (size_t k = 0; k < n; k++)
		heap[k] = (struct load){ .part = k };
	for (size_t i = 0; i < n_piece; i++) {
		of[order[i]] = heap->part;
		heap->bytes += sorted_piece[order[i]].bytes;
		/* a part without bytes would take all that is empty */
		heap->bytes += !sorted_piece[order[i]].bytes;
		sink(heap, n);
	}
}

/* Puts the pieces into the order of their parts. */
static void arrange(struct plan *plan, const struct plan_piece *piece, const uint32_t *of)
{
	size_t at = 0;

	for (size_t i = 0; i < plan->n_piece; i++) {
		plan->part[of[i]].n++;
		plan->part[of[i]].bytes += piece[i].bytes;
	}
	for (size_t k = 0; k < plan->n_part; k++) {
		plan->part[k].first = at;
		at += plan->part[k].n;
		plan->part[k].n = 0;
	}
	for (size_t i = 0; i < plan->n_piece; i++) {
		struct plan_part *part = &plan->part[of[i]];

		plan->piece[part->first + part->n++] = piece[i];
	}
}

static int divide(struct plan *plan, size_t n)
{
	const size_t n_piece = plan->n_piece;
	const size_t n_part = n < n_piece ? n : n_piece;
	struct plan_piece *piece = malloc(n_piece * sizeof(*piece));
	uint32_t *order = malloc(n_piece * sizeof(*order));
	uint32_t *of = malloc(n_piece * sizeof(*of));
	struct load *heap = malloc(n_part * sizeof(*heap));
	int status = CMD_OK;

	plan->part = calloc(n_part, sizeof(*plan->part));
	if (piece && order && of && heap && plan->part) {
		plan->n_part = n_part;
		memcpy(piece, plan->piece, n_piece * sizeof(*piece));
		for (size_t i = 0; i < n_piece; i++)
			order[i] = i;
		sorted_piece = piece;
		qsort(order, n_piece, sizeof(*order), by_bytes);
		balance(heap, n_part, order, n_piece, of);
		arrange(plan, piece, of);
	} else {
		status = no_memory();
	}
	free(piece);
	free(order);
	free(of);
	free(heap);
	return status;
}

int plan_make(struct plan *plan, const char *list, size_t n)
{
	int status = add_inputs(plan, list);

	plan->version = strdup(csf_version());
	if (!plan->version)
		return no_memory();
	if (!status)
		status = add_pieces(plan, n);
	if (!status)
		status = divide(plan, n);
	if (!status && plan->n_part < n)
		log_say(LOG_NOTE, "csflow: number of parts: %zu, not %zu: the inputs are not divided further\n",
			plan->n_part, n);
	return status;
}
