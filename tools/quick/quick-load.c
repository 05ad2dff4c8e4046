// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/array.h"
#include "../../perf-plugin/new-file.h"
#include "../../perf-plugin/perf-look.h"
#include "../lib/log.h"
#include "../lib/status.h"
#include "../lib/file.h"
#include "../lib/progress.h"
#include "quick-file.h"
#include "quick-load.h"
#include "../input/recording.h"
#include "../lib/spool.h"
#include "../lib/without.h"

/* Packets read at a time: they fit in the cache. */
#define BATCH	256

/* IDs from here on have no trace. */
#define ID_TRACE_MAX	0x70

/* Bytes of a fragment read at a time. */
#define CHUNK	(256u << 10)

/* A folder without files: places must not depend on the files of this machine. */
#define NO_FILES	"/dev/null"

static int failed(const char *path, const char *why)
{
	log_say(LOG_FILE, "csflow: %s: %s\n", path, why);
	return CMD_FAILED;
}

/* ---------------------------------------------------------------- streams of a recording */

/**
 * struct reader - a recording
 * @nothing: an image without code, to look for timestamps
 * @stream: @n of them
 * @frames: of the current queue; NULL: it is raw, or has not begun
 * @active: the @n_active streams of the current fragment
 */
struct reader {
	struct quick_fill fill;
	struct csf_image *nothing;
	struct quick_stream **stream;
	size_t n, size;
	struct csf_frames *frames;
	struct quick_stream *active[CSF_ID_MAX];
	size_t n_active;
	struct progress progress;
	uint64_t done;
};

/* Finds or makes the stream of @cpu in @queue.  Return: 0, -ENOENT, -ENOMEM. */
static int stream_of(struct reader *r, uint32_t queue, uint32_t cpu, struct quick_stream **out)
{
	int err;

	for (size_t i = 0; i < r->n; i++)
		if (r->stream[i]->whose.queue == queue && r->stream[i]->whose.cpu == cpu) {
			*out = r->stream[i];
			return 0;
		}
	if (!array_room(&r->stream, r->n, &r->size, sizeof(*r->stream)))
		return -ENOMEM;
	err = quick_fill_stream(&r->fill, out, queue, cpu);
	if (!err)
		r->stream[r->n++] = *out;
	return err;
}

/* Activates the stream of @cpu for the fragment, under @id, or raw. */
static int activate(struct reader *r, uint32_t queue, const struct perf_fragment *f, uint32_t cpu,
		    uint8_t id)
{
	struct quick_stream *s;
	int err = cpu == PERF_NO_CPU ? -ENOENT : stream_of(r, queue, cpu, &s);

	if (err)
		return err == -ENOENT ? 0 : err;
	if (id && csf_attach_monitor(r->frames, id, s->mon) == CSF_ERR_MEMORY)
		return -ENOMEM;
	r->active[r->n_active++] = s;
	return quick_fill_fragment(&r->fill, s, f);
}

static int activate_all(struct reader *r, uint32_t queue, const struct perf_fragment *f)
{
	const struct perf_replay *replay = r->fill.replay;
	struct perf_cs_id id[CSF_ID_MAX];
	size_t n;
	int err = 0;

	r->n_active = 0;
	if (!replay->cs)
		return 0;
	if (f->flags & PERF_FRAGMENT_RAW)
		return activate(r, queue, f, perf_cs_cpu_of_raw(replay->cs, f), 0);
	if (!r->frames && csf_frames_new(&r->frames, CSF_FRAMES_MEMORY, without_frames()))
		return -ENOMEM;
	for (int i = 1; i < ID_TRACE_MAX; i++)
		csf_attach_monitor(r->frames, i, NULL);
	n = perf_cs_ids(replay->cs, f, id);
	for (size_t i = 0; i < n && !err; i++)
		if (id[i].id)
			err = activate(r, queue, f, id[i].cpu, id[i].id);
	return err;
}

/* ---------------------------------------------------------------- fragments */

static int drain_committed(struct reader *r, struct quick_stream *s, struct csf_packet *packet)
{
	uint64_t offset[BATCH], used;
	int err;
	long n;

	do {
		n = csf_monitor_read_committed(s->mon, packet, offset, BATCH, &used);
		err = n < 0 ? -ENOMEM :
			      quick_fill_committed(&r->fill, s, packet, offset, n, used);
	} while (n > 0 && !err);
	return err;
}

static int drain(struct reader *r)
{
	struct csf_packet packet[BATCH];
	int err = 0;

	for (size_t i = 0; i < r->n_active && !err; i++) {
		struct csf_monitor *mon = r->active[i]->mon;
		long n;

		if (r->active[i]->speculates) {
			err = drain_committed(r, r->active[i], packet);
			continue;
		}
		while (!err && (n = csf_monitor_read(mon, packet, BATCH, NULL, NULL)) > 0)
			err = quick_fill_packets(&r->fill, r->active[i], packet, n);
	}
	return err;
}

static int feed(struct reader *r, const struct perf_fragment *f)
{
	struct perf_file *file = r->fill.replay->file;
	const bool raw = f->flags & PERF_FRAGMENT_RAW;
	int err = 0;

	/* bytes without a unit are taken out of frames, too, to count them by ID */
	for (uint64_t at = 0; at < f->size && !err && (raw ? r->n_active : !!r->frames);) {
		const uint8_t *p = file->bytes + f->offset + at;
		long n = f->size - at < CHUNK ? f->size - at : CHUNK;

		if (!raw)
			n = csf_frames_feed(r->frames, p, n);
		else if (csf_monitor_feed(r->active[0]->mon, p, n))
			n = -1;
		err = n > 0 ? drain(r) : -ENOMEM;
		at += n > 0 ? n : 0;
		if (at % CHUNK == 0 || at == f->size)
			perf_file_drop_part(file, f->offset, f->offset + at);
		progress_at(&r->progress, r->done + at);
	}
	r->done += f->size;
	return err;
}

/* Ends the streams that began with the fragment. */
static int end(struct reader *r, const struct perf_fragment *f)
{
	const bool raw = f->flags & PERF_FRAGMENT_RAW;
	int err;

	if (raw && r->n_active)
		csf_monitor_end(r->active[0]->mon);
	else if (!raw && r->frames)
		csf_frames_end(r->frames);
	err = drain(r);
	for (size_t i = 0; i < r->n_active && !err; i++)
		err = quick_fill_end(&r->fill, r->active[i]);
	return err;
}

/* The first timestamp is better than the time when the buffer was emptied. */
static int look(struct reader *r, const struct perf_fragment *f)
{
	struct perf_replay *replay = r->fill.replay;
	const struct perf_look_at at = { .fragment = f, .bytes = replay->file->bytes + f->offset };
	uint64_t timestamp = 0;
	int err;

	if (!replay->timed)
		return 0;
	err = perf_look(replay->cs, r->nothing, &at, &timestamp);
	for (size_t i = 0; i < r->n_active && timestamp && !err; i++)
		err = quick_fill_time(&r->fill, r->active[i], timestamp);
	return err;
}

/* In the frames of a queue; raw bytes, or those of no known replay, were counted by fragment. */
static void count_unread(const struct reader *r)
{
	struct csf_frame_stats stats = { .size = sizeof(stats) };
	uint64_t *stat = r->fill.quick->table.stat;

	if (!r->frames)
		return;
	csf_frames_stats(r->frames, &stats);
	stats.dropped[0] = stats.null;
	for (int id = 0; id < ID_TRACE_MAX; id++)
		stat[COUNT_NO_UNIT] += stats.dropped[id];
	stat[COUNT_NO_UNIT] += stats.partial;
}

static int read_queue(struct reader *r, uint32_t number)
{
	const struct perf_aux *aux = r->fill.replay->aux;
	const struct perf_queue *queue = &aux->queue[number];
	int err = 0;

	for (size_t i = queue->first; i < queue->first + queue->n && !err; i++) {
		const struct perf_fragment *f = &aux->fragment[i];
		const bool goes_on = i + 1 < queue->first + queue->n &&
				     f[1].flags & PERF_FRAGMENT_PART;

		err = activate_all(r, number, f);
		if (!err && !(f->flags & PERF_FRAGMENT_PART))
			err = look(r, f);
		if (!err && !r->n_active && (!r->frames || f->flags & PERF_FRAGMENT_RAW))
			r->fill.quick->table.stat[COUNT_NO_UNIT] += f->size;
		if (!err)
			err = feed(r, f);
		if (!err && !goes_on)
			err = end(r, f);
	}
	count_unread(r);
	csf_frames_free(r->frames);
	r->frames = NULL;
	return err;
}

static int read_all(struct reader *r)
{
	const struct perf_replay *replay = r->fill.replay;
	uint64_t *stat = r->fill.quick->table.stat;
	int err = csf_image_new(&r->nothing) ? -ENOMEM : 0;

	for (size_t i = 0; i < replay->aux->n_queue && !err; i++)
		err = read_queue(r, i);
	for (size_t i = 0; i < r->n; i++)
		quick_fill_free(r->stream[i]);
	free(r->stream);
	csf_image_free(r->nothing);
	stat[COUNT_RECORDINGS] += 1;
	stat[COUNT_HOLES] += replay->aux->n_truncated + replay->aux->n_lost;
	stat[COUNT_DAMAGED] += replay->file->problems.damage;
	return err;
}

/* ---------------------------------------------------------------- files */

/* The threads are the caller's then. */
static int take_threads(struct quick_load *load, struct quick_fill *fill)
{
	while (fill->n_thread) {
		if (!array_room(&load->thread, load->n_thread, &load->size_thread,
				sizeof(*load->thread)))
			return -ENOMEM;
		load->thread[load->n_thread++] = fill->thread[--fill->n_thread];
	}
	return 0;
}

static int say_lost(const char *path, uint64_t n, const char *what)
{
	if (!n)
		return CMD_OK;
	log_say(LOG_LOST, "csflow: %s: %" PRIu64 " %s\n", path, n, what);
	return CMD_FAILED;
}

/* A unit without the return stack that one has.  With it, only code tells the call of a return. */
static const char *without_return_stack(const struct quick *quick)
{
	for (size_t i = 0; i < quick->n_unit; i++) {
		if (quick->unit[i].trcconfigr & QUICK_RS)
			return "ete=1.1,cid,ts=4096";
		if (quick->unit[i].etmcr & QUICK_CR_RS)
			return "ptm=1.1,cid,ts=4096";
	}
	return NULL;
}

/* Reports what needs the decoder and the code.  Return: CMD_FAILED: something is lost. */
static int say_all_lost(const char *path, const struct quick_fill *fill)
{
	const char *unit = without_return_stack(fill->quick);
	const struct perf_replay *replay = fill->replay;
	int bad = 0;

	bad += say_lost(path, fill->transactions,
			"atoms of transactions are lost; use csflow profile");
	bad += say_lost(path, fill->lost_q,
			"paths that atoms do not tell are lost; use csflow profile");
	say_lost(path, replay->tasks->n_poke,
		 "changes of the kernel's code while it ran: profiles take that of the file");
	if (unit)
		log_say(LOG_ROUGH, "csflow: %s: a return stack was on: profiles of atom runs lose the "
			"atoms after returns from other atom runs; use csflow profile, or record without "
			"it: perf without retstack, csflow record -u %s\n", path, unit);
	return bad ? CMD_FAILED : CMD_OK;
}

/* Trace units whose trace is left out.  Return: CMD_OK: there are none. */
static int say_left_out(const char *path, const struct perf_cs *cs)
{
	for (size_t i = 0; cs && i < cs->n_cpu; i++) {
		if (!cs->cpu[i].config.size || quick_reads(&cs->cpu[i].config))
			continue;
		log_say(LOG_INPUT, "csflow: %s: the trace of CPU %u is left out: it is %s, and quick reads ETMv4, ETE, ETMv3 and PTM; use csflow profile\n",
			path, cs->cpu[i].cpu, csf_protocol_name(cs->cpu[i].protocol));
		return CMD_FAILED;
	}
	return CMD_OK;
}

static int load_recording(struct quick_load *load, const char *path)
{
	struct recording r = { .path = path, .options = load->replay, .snapshot = load->snapshot };
	struct reader reader = { .fill = { .quick = load->quick } };
	int status, err;

	r.options.dso = (struct dso_options){ .symfs = NO_FILES, .debug_dir = NO_FILES,
					      .vmlinux = NO_FILES };
	r.options.n_threads = 1;
	status = recording_open(&r);
	if (status)
		return status;
	reader.fill.replay = r.replay;
	progress_start(&reader.progress, path, r.replay->queues->total, load->progress);
	err = read_all(&reader);
	progress_stop(&reader.progress);
	if (!err)
		err = take_threads(load, &reader.fill);
	if (err)
		status = failed(path, strerror(-err));
	else if (say_all_lost(path, &reader.fill) || say_left_out(path, r.replay->cs))
		status = CMD_FAILED;
	quick_fill_fini(&reader.fill);
	if (recording_report(&r))
		status = CMD_FAILED;
	recording_close(&r);
	return status;
}

int quick_read(struct quick *quick, const char *path, const struct file *file)
{
	struct packed_problem problem;
	int err = quick_file_read(quick, file->data, file->n, &problem);

	if (!err)
		return CMD_OK;
	if (err != -EBADMSG)
		return failed(path, strerror(-err));
	log_say(LOG_DAMAGE, "csflow: %s: offset 0x%zx: %s\n", path, problem.offset, problem.why);
	return CMD_FAILED;
}

static int load_file(struct quick_load *load, const char *path, const struct file *file)
{
	struct quick one = { 0 };
	int status = quick_read(&one, path, file);
	int err = status ? 0 : quick_merge(load->quick, &one, 1);

	quick_fini(&one);
	return err ? failed(path, strerror(-err)) : status;
}

int quick_load(struct quick_load *load, const char *path)
{
	struct file file = { .n = 0 };
	struct spool spool;
	int status, err;

	if (spool_perf_pipe(path))
		return load_recording(load, path);
	err = spool_map(&spool, &file, path);
	if (err && err != -EISDIR)
		return failed(path, file_words(path, err));
	if (!err && quick_file_is(file.data, file.n))
		status = load_file(load, path, &file);
	else
		status = load_recording(load, path);
	if (!err)
		file_unmap(&file);
	spool_end(&spool);
	return status;
}

int quick_save(const struct quick *quick, const char *path)
{
	FILE *f = new_file(path);
	int err;

	if (!f)
		return failed(path, file_words(path, -errno));
	err = new_file_close(f, quick_file_write(quick, f));
	return err ? failed(path ? path : "standard output", strerror(-err)) : CMD_OK;
}
