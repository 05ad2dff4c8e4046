// SPDX-License-Identifier: GPL-2.0-only
/* csflow index: makes and reads indexes of traces. */
#define _GNU_SOURCE	/* asprintf() */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../perf-plugin/perf-cs.h"
#include "cmd.h"
#include "dump/dump.h"
#include "lib/failed.h"
#include "lib/file.h"
#include "lib/log.h"
#include "input/recording.h"
#include "lib/operands.h"
#include "input/frame-ids.h"
#include "index/index.h"
#include "lib/problems.h"
#include "input/snapshot-capture.h"
#include "index/time-span.h"

static const char usage[] =
	"index [OPTIONS] [FILE] | index [OPTIONS] DIR | index [OPTIONS] -o INDEX - | "
	"index --check|--list|--trigger [-o INDEX] [FILE] | "
	"index --timestamp=N|--offset=N|--channel=N [-o INDEX] [FILE]";

#define CHUNK	(1u << 20)

/**
 * struct indexing - the state of the command
 * @path: of the source; @output: of the index, allocated if @made
 * @time, @pos, @id, @channel, @trigger: what to look up, if given
 * @index: the index that was built, or read
 * @bytes, @hash: of the source; @damaged: it is incomplete, which was reported
 * @done: bytes of trace so far
 * @range: as given; @first, @end: only fragments with some of these bytes, 0: no end
 */
struct indexing {
	struct dump dump;
	const char *path, *output;
	char *made;
	bool sparse, check, list, trigger, has_time, has_pos, has_id, has_channel;
	uint64_t time, pos, id;
	uint32_t channel;
	struct index_builder *builder;
	struct index *index;
	uint64_t bytes, hash, done;
	bool damaged;
	const char *range;
	uint64_t first, end;
};

static int fail(const char *path, const char *why)
{
	log_say(LOG_FILE, "csflow index: %s: %s\n", path, why);
	return CMD_FAILED;
}

/* @total: bytes of trace; 0: not known */
static void begin_progress(struct indexing *x, uint64_t total)
{
	progress_start(&x->dump.progress, x->path, total, x->dump.show_progress);
}

static int feed(struct indexing *x, const uint8_t *bytes, size_t n, bool last)
{
	const int err = index_builder_feed(x->builder, bytes, n, last);

	x->done += n;
	progress_at(&x->dump.progress, x->done);
	return err;
}

static int feed_all(struct indexing *x, const uint8_t *bytes, size_t n)
{
	size_t at = 0, part;
	int err;

	begin_progress(x, n);
	do {
		part = n - at < CHUNK ? n - at : CHUNK;
		err = feed(x, bytes + at, part, at + part == n);
		at += part;
	} while (!err && at < n);
	return err;
}

/* ---------------------------------------------------------------- perf.data */

static size_t perf_sources(const struct perf_cs *cs, const struct perf_fragment *f,
			   struct input_source *source)
{
	struct perf_cs_id id[CSF_ID_MAX];
	size_t n_id = 1, n = 0;

	if (f->flags & PERF_FRAGMENT_RAW)
		id[0] = (struct perf_cs_id){ .cpu = perf_cs_cpu_of_raw(cs, f) };
	else
		n_id = perf_cs_ids(cs, f, id);
	for (size_t i = 0; i < n_id; i++) {
		source[n] = (struct input_source){ .number = id[i].cpu, .id = id[i].id };
		n += !perf_cs_config(cs, id[i].cpu, &source[n].config);
	}
	return n;
}

/* A fragment may be larger than memory. */
static int index_fragment(struct indexing *x, const struct perf_file *file,
			  const struct perf_fragment *f, bool last)
{
	uint64_t at = 0;
	int err;

	do {
		size_t n = f->size - at < CHUNK ? f->size - at : CHUNK;
		const uint64_t offset = f->offset + at;

		at += n;
		err = feed(x, file->bytes + offset, n, last && at == f->size);
		perf_file_drop_part(file, offset, offset + n);
	} while (at < f->size && !err);
	return err;
}

/* The index does not have what is outside the range, and records that. */
static bool outside(const struct indexing *x, const struct perf_fragment *f)
{
	return f->offset + f->size <= x->first || (x->end && f->offset >= x->end);
}

/* A continued fragment belongs to the one before. */
static int index_fragments(struct indexing *x, const struct perf_file *file,
			   const struct perf_aux *aux, const struct perf_cs *cs)
{
	struct input_source source[CSF_ID_MAX];
	struct input in = { .source = source };
	uint64_t total = 0;
	bool going = false;
	int err = 0;

	for (size_t i = 0; i < aux->n_fragment; i++)
		total += outside(x, &aux->fragment[i]) ? 0 : aux->fragment[i].size;
	begin_progress(x, total);
	for (size_t i = 0; i < aux->n_fragment && !err; i++) {
		const struct perf_fragment *f = &aux->fragment[i];
		bool last = i + 1 == aux->n_fragment || f[1].queue != f->queue ||
			    !(f[1].flags & PERF_FRAGMENT_PART) || outside(x, &f[1]);

		if (outside(x, f)) {
			going = false;
			continue;
		}
		in.framing = f->flags & PERF_FRAGMENT_RAW ? INPUT_RAW : CSF_FRAMES_MEMORY;
		in.n_source = perf_sources(cs, f, source);
		if (f->flags & PERF_FRAGMENT_PART && going && f[-1].queue == f->queue)
			err = index_builder_go_on(x->builder, f->offset);
		else
			err = index_builder_begin(x->builder, &in, f->offset);
		if (!err)
			err = index_fragment(x, file, f, last);
		going = true;
	}
	return err;
}

/* Reports problems; the index has the readable part of a damaged recording. */
static void tell(struct indexing *x, const struct perf_file *file)
{
	struct problems problems = { 0 };

	problems_warn_perf(&problems, x->path, file, false);
	problems_print(&problems, "csflow index: ");
	problems_free(&problems);
	x->damaged = file->problems.damage;
}

static int index_perf(struct indexing *x)
{
	struct perf_file *file = NULL;
	struct perf_aux *aux = NULL;
	struct perf_cs *cs = NULL;
	int err = perf_file_open(&file, x->path);

	if (!err)
		err = perf_aux_new(&aux, file);
	if (!err)
		err = perf_cs_open(&cs, file, aux);
	if (file)
		tell(x, file);
	if (err) {
		fail(x->path, file_words(x->path, err));
	} else {
		err = index_fragments(x, file, aux, cs);
		if (err)
			fail(x->path, csf_strerror(err));
		x->bytes = file->size;
		x->hash = index_hash_of(file->bytes, file->size);
	}
	perf_cs_free(cs);
	perf_aux_free(aux);
	perf_file_close(file);
	return err ? CMD_FAILED : CMD_OK;
}

/* ---------------------------------------------------------------- bare bytes */

/* In constant memory. */
static int index_bytes(struct indexing *x)
{
	struct index_hash *hash = calloc(1, sizeof(*hash));
	uint8_t *chunk = malloc(CHUNK);
	int err = hash && chunk ? 0 : CSF_ERR_MEMORY;
	struct stat st;
	ssize_t n = 1;

	begin_progress(x, stat(x->path, &st) ? 0 : st.st_size);
	while (!err && n > 0) {
		n = spool_read(&x->dump.spool, chunk, CHUNK);
		if (n < 0)
			break;
		index_hash_feed(hash, chunk, n);
		err = feed(x, chunk, n, !n);
	}
	if (!err) {
		x->bytes = hash->n;
		x->hash = index_hash_end(hash);
	}
	free(hash);
	free(chunk);
	if (err)
		return fail(x->path, csf_strerror(err));
	return n < 0 ? fail(x->path, strerror(-n)) : CMD_OK;
}

/* The first of input_framings[]: an index has places of a file as it is. */
static const char *const framings[] = { "auto", "raw", "frames", "tpiu", "dstream", NULL };

static int index_raw(struct indexing *x)
{
	struct input_source source = { .id = x->id };
	struct input in = {
		.framing = dump_framing(&x->dump, INPUT_RAW), .source = &source, .n_source = 1,
	};
	const bool known = unit_complete(&x->dump.unit);
	int status;

	source.config = x->dump.unit.config;
	if (!known)
		status = fail(x->path, UNIT_UNKNOWN);
	else if (x->id >= CSF_ID_MAX)
		status = fail(x->path, "--id: a trace ID has 7 bits");
	else if (in.framing != INPUT_RAW && !x->has_id && !strcmp(x->path, "-"))
		status = fail(x->path, "frames: name the trace unit with --id");
	else if (in.framing != INPUT_RAW && !x->has_id &&
		 frame_ids_only("index", x->path, x->path, in.framing, &source.id))
		status = CMD_FAILED;
	else if (index_builder_begin(x->builder, &in, 0))
		status = fail(x->path, "no memory");
	else
		status = index_bytes(x);
	return status;
}

static int index_file(struct indexing *x)
{
	const bool standard = !strcmp(x->path, "-");
	int fd = standard ? STDIN_FILENO : open(x->path, O_RDONLY | O_CLOEXEC);
	struct spool *s = &x->dump.spool;
	int err = fd < 0 ? -errno : spool_begin(s, fd);
	bool perf = !err && spool_is_perf(s);
	int status;

	/* a recording is read more than once */
	if (perf && standard)
		err = spool_all(s);
	if (err)
		status = fail(x->path, file_words(x->path, err));
	else if (!s->n_head)
		status = fail(x->path, "the file is empty");
	else
		status = perf ? index_perf(x) : index_raw(x);
	spool_end(s);
	if (fd >= 0 && !standard)
		close(fd);
	return status;
}

static int index_buffer(struct indexing *x, struct snapshot *s,
			const struct snapshot_capture *capture)
{
	struct input_source *source = calloc(2 * s->n_device + 1, sizeof(*source));
	struct input in = { .framing = snapshot_framing(capture->buffer), .source = source };
	int err, status = CMD_FAILED;

	if (!source)
		return fail(x->path, "no memory");
	in.n_source = snapshot_sources(s, capture, x->has_id ? (int)x->id : -1, SNAPSHOT_MESSAGES,
				       source);
	problems_print(&s->problems, "csflow index: ");
	if (!in.n_source) {
		log_say(LOG_UNKNOWN, "csflow index: %s: no trace unit that csflow reads wrote into buffer %s: see [source_buffers] in %s; name another buffer with --source\n",
			x->path, capture->buffer->name, s->trace_ini);
	} else {
		err = index_builder_begin(x->builder, &in, 0);
		if (!err)
			err = feed_all(x, capture->data, capture->n);
		status = err ? fail(x->path, csf_strerror(err)) : CMD_OK;
		x->bytes = capture->n;
		x->hash = index_hash_of(capture->data, capture->n);
	}
	free(source);
	return status;
}

static const struct snapshot_buffer *buffer_of(const struct indexing *x, const struct snapshot *s)
{
	if (x->dump.source)
		return snapshot_buffer(s, x->dump.source);
	return s->n_buffer ? &s->buffer[0] : NULL;
}

static int no_buffer(const struct indexing *x, const struct snapshot *s)
{
	log_say(LOG_USAGE, "csflow index: %s: there is no buffer %s\n", x->path,
		x->dump.source ? x->dump.source : "");
	for (size_t i = 0; i < s->n_buffer; i++)
		log_say(LOG_USAGE, "csflow index: but there is %s\n", s->buffer[i].name);
	return CMD_FAILED;
}

/* Calls @what with the requested buffer. */
static int with_buffer(struct indexing *x, int (*what)(struct indexing *x, struct snapshot *s,
						       const struct snapshot_capture *capture))
{
	const struct snapshot_buffer *buffer;
	struct snapshot_capture capture;
	struct snapshot s;
	int err = snapshot_open(&s, x->path), status = CMD_FAILED;
	const char *path;

	problems_print(&s.problems, "csflow index: ");
	problems_free(&s.problems);
	buffer = err ? NULL : buffer_of(x, &s);
	if (buffer) {
		err = snapshot_capture_open(&capture, &s, buffer, &path);
		if (err)
			problems_print(&s.problems, "csflow index: ");
		status = err ? fail(path, strerror(-err)) : what(x, &s, &capture);
		snapshot_capture_close(&capture);
	} else if (!err) {
		no_buffer(x, &s);
	}
	snapshot_close(&s);
	return status;
}

/* ---------------------------------------------------------------- answers */

/* Numbers of channels are known modulo 64. */
static void print_messages(const struct index_entry *e)
{
	const char *before = " channels ";

	printf(" messages %" PRIu32, e->contextid);
	for (int i = 0; i < 64; i++) {
		if (!(e->addr >> i & 1))
			continue;
		printf("%s%d", before, i);
		before = ",";
	}
}

static void print_entry(const struct index_stream *s, size_t i)
{
	const struct index_entry *e = &s->entry[i];

	printf("0x%" PRIx64 " [%02x] stream 0x%" PRIx64, e->capture, s->id, e->pos);
	if (e->n_time)
		printf(" time %" PRIu64 "-%" PRIu64, e->first, e->last);
	if (e->flags & INDEX_HAS_CHANNELS)
		print_messages(e);
	if (e->flags & INDEX_HAS_ADDR)
		printf(" address 0x%" PRIx64, e->addr);
	if (e->flags & INDEX_HAS_CONTEXTID)
		printf(" context ID 0x%x", e->contextid);
	if (e->flags & INDEX_HAS_VMID)
		printf(" VMID 0x%x", e->vmid);
	if (e->events & ~INDEX_TRIGGER)
		printf(" events 0x%x", e->events & ~INDEX_TRIGGER);
	if (e->events & INDEX_TRIGGER)
		printf(" trigger");
	printf(" syncs %u", e->n_sync);
	if (e->n_lost)
		printf(" losses %u", e->n_lost);
	printf("\n");
}

/* Prints the answers.  Return: how many lines. */
static size_t answer(const struct indexing *x, const struct index_stream *s)
{
	size_t n = x->list ? s->n : 0, i = x->has_time ? index_find_time(s, x->time) :
		   x->has_pos ? index_find_pos(s, x->pos) : INDEX_NONE;

	if (x->has_id && s->id != x->id)
		return 0;
	if (i != INDEX_NONE) {
		print_entry(s, i);
		n++;
	}
	for (i = 0; x->list && i < s->n; i++)
		print_entry(s, i);
	for (i = 0; x->has_channel; i++, n++) {
		i = index_find_channel(s, i, x->channel);
		if (i == INDEX_NONE)
			break;
		print_entry(s, i);
	}
	for (i = 0; x->trigger; i++, n++) {
		i = index_find_event(s, i, INDEX_TRIGGER);
		if (i == INDEX_NONE)
			break;
		print_entry(s, i);
	}
	return n;
}

static void summary(const struct indexing *x)
{
	const struct index *index = x->index;

	for (size_t i = 0; i < index->n_stream; i++) {
		const struct index_stream *s = &index->stream[i];

		printf("%s [%02x] cpu %u: %" PRIu64 " bytes, %zu stretch%s%s\n",
		       csf_protocol_name(s->protocol), s->id, s->cpu, s->bytes, s->n,
		       s->n == 1 ? "" : "es", s->ordered ? "" : ", times go back");
	}
}

/* An unsuccessful look-up must not be silent. */
static int answers(const struct indexing *x)
{
	const bool asked = x->has_time || x->has_pos || x->has_channel || x->trigger;
	size_t n = 0;

	if (!x->list && !asked)
		summary(x);
	for (size_t i = 0; i < x->index->n_stream; i++)
		n += answer(x, &x->index->stream[i]);
	if (n || !(asked || (x->list && x->has_id)))
		return CMD_OK;
	return fail(x->path, "it has no such place");
}

/* ---------------------------------------------------------------- the command */

static int build(struct indexing *x)
{
	const char *other = recording_no_trace(x->path, true);
	int status;

	if (other)
		return fail(x->path, other);
	if (index_builder_new(&x->builder, x->sparse ? INDEX_SPARSE : INDEX_FULL))
		return fail(x->path, "no memory");
	if (file_is_pipe(x->path))
		status = fail(x->path, FILE_PIPE);
	else if (spool_perf_at(x->path))	/* maybe of a folder */
		status = index_perf(x);
	else if (snapshot_is(x->path))
		status = with_buffer(x, index_buffer);
	else
		status = index_file(x);
	progress_stop(&x->dump.progress);
	if (status == CMD_OK)
		x->index = index_builder_take(x->builder);
	index_builder_free(x->builder);
	if (status != CMD_OK)
		return status;
	if (!x->index)
		return fail(x->path, "no memory");
	x->index->bytes = x->bytes;
	x->index->hash = x->hash;
	return CMD_OK;
}

static int compare(struct indexing *x, const void *bytes, uint64_t n)
{
	const int state = index_fits(x->index, n, index_hash_of(bytes, n));

	return state ? fail(x->output, index_state_name(state)) : CMD_OK;
}

static int compare_buffer(struct indexing *x, struct snapshot *s,
			  const struct snapshot_capture *capture)
{
	return compare(x, capture->data, capture->n);
}

static int compare_perf(struct indexing *x)
{
	struct perf_file *perf = NULL;
	const int err = perf_file_open(&perf, x->path);
	const int status = err ? fail(x->path, strerror(-err)) :
				 compare(x, perf->bytes, perf->size);

	perf_file_close(perf);
	return status;
}

static int read_old(struct indexing *x)
{
	struct file file;
	struct packed_problem problem;
	int state = index_read(&x->index, x->output, &problem), status;

	if (state == -ENOENT)
		return fail(x->output, "there is no index: make it with csflow index without the options that read one, or name it with -o");
	if (state == INDEX_CORRUPT) {
		log_say(LOG_DAMAGE, "csflow index: %s: is damaged: offset 0x%zx: %s\n", x->output,
			problem.offset, problem.why);
		return CMD_FAILED;
	}
	if (state)
		return fail(x->output, state < 0 ? file_words(x->output, state) :
			    index_state_name(state));
	if (snapshot_is(x->path))
		return spool_perf_at(x->path) ? compare_perf(x) : with_buffer(x, compare_buffer);
	state = file_map(&file, x->path);
	if (state)
		return fail(x->path, file_words(x->path, state));
	status = compare(x, file.data, file.n);
	file_unmap(&file);
	return status;
}

/* FILE.tix; for a named buffer of a snapshot, FILE.BUFFER.tix.  Return: NULL: no memory. */
static char *name_index(const struct indexing *x)
{
	const char *buffer = x->dump.source;
	size_t n = strlen(x->path);
	char *name;

	while (n > 1 && x->path[n - 1] == '/')
		n--;
	if (asprintf(&name, "%.*s%s%s.tix", (int)n, x->path, buffer ? "." : "",
		     buffer ? buffer : "") < 0)
		return NULL;
	for (char *c = name + n; *c; c++)
		if (*c == '/')
			*c = '_';
	return name;
}

static int run(struct indexing *x)
{
	const bool asked = x->check || x->list || x->has_time || x->has_pos || x->has_channel ||
			   x->trigger;
	int status, err;

	if (!x->output) {
		if (!strcmp(x->path, "-")) {
			fail("-", "name the index with -o");
			return CMD_USAGE;
		}
		x->made = name_index(x);
		if (!x->made)
			return fail(x->path, "no memory");
		x->output = x->made;
	}
	status = asked ? read_old(x) : build(x);
	if (status != CMD_OK)
		return status;
	err = asked ? 0 : index_write(x->index, x->output);
	if (err)
		return fail(x->output, file_words(x->output, err));
	status = answers(x);
	return x->damaged ? CMD_FAILED : status;
}

int cmd_index(int argc, char **argv)
{
	struct indexing *x = calloc(1, sizeof(*x));
	struct operands files = { .most = 1, .otherwise = "perf.data" };
	int status = CMD_USAGE;

	if (!x)
		return failed_at_once("index");
	const struct opt table[] = {
		OPT_NEW_FILE('o', "output", &x->output, "FILE",
			     "the index (default: FILE.tix or, with --source, DIR.BUFFER.tix)"),
		OPT_FLAG(0, "sparse", &x->sparse, "a coarser index of a twentieth of the size"),
		OPT_STRING(0, "range", &x->range, "FIRST,END",
			   "only buffers that have some of these bytes of a recording"),
		OPT_GROUP("Reading an index:"),
		OPT_FLAG(0, "check", &x->check,
			 "check that it is undamaged and belongs to this trace"),
		OPT_FLAG(0, "list", &x->list, "list all entries"),
		OPT_U64_SEEN(0, "timestamp", &x->time, &x->has_time, "N",
			     "the place of the first timestamp of N or more"),
		OPT_U64_SEEN(0, "offset", &x->pos, &x->has_pos, "N",
			     "the place of byte N of a stream"),
		OPT_U32_SEEN(0, "channel", &x->channel, &x->has_channel, "N",
			     "the places with messages of channel N"),
		OPT_FLAG(0, "trigger", &x->trigger, "the places with a trigger"),
		OPT_GROUP("Input:"),
		OPT_INPUT(&files.inputs),
		OPT_STRING(0, "source", &x->dump.source, "BUFFER",
			   "the trace buffer of a snapshot (default: the first)"),
		OPT_U64_SEEN(0, "id", &x->id, &x->has_id, "ID", "only this trace ID"),
		OPT_CHOICE(0, "framing", &x->dump.framing, framings, "FRAMING",
			   "how the trace is wrapped"),
		OPT_PROGRESS(&x->dump.show_progress),
		OPT_MEMORY,
		OPT_GROUP("The trace unit of a raw file:"),
		UNIT_OPTIONS(&x->dump.unit),
		OPT_NO_CPUS("an index is of all CPUs; csflow script has it"),
		OPT_NO_THREADS("an index is of all threads; csflow script has it"),
		OPT_NO_TIME("--timestamp=N finds a place; csflow script has it"),
		OPT_NO_CODE("an index is of all code; csflow script has it"),
		OPT_END
	};

	x->dump.show_progress = true;
	const int n = options_parse(argc, argv, table, usage);

	if (x->range && !time_range_parse(x->range, &x->first, &x->end))
		fail(x->range, "not FIRST,END, offsets in the file");
	else
		status = operands_take(&files, n, argv, usage);
	if (!status) {
		x->path = files.path[0];
		status = run(x);
	}
	operands_free(&files);
	index_free(x->index);
	free(x->made);
	free(x);
	return status;
}
