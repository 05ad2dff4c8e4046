// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../decoder/csflow-debug.h"
#include "rig.h"

static int complain(const char *dir, const char *what)
{
	fprintf(stderr, "%s: %s\n", dir, what);
	return -1;
}

/* The files of the buffer, one after the other. */
static int read_buffer(struct rig *rig, const struct snapshot_buffer *buffer)
{
	for (size_t i = 0; i < buffer->n_path; i++) {
		struct file f;
		uint8_t *data;

		if (file_map(&f, buffer->path[i]))
			return -1;
		data = realloc(rig->data, rig->n + f.n + 1);
		if (!data) {
			file_unmap(&f);
			return -1;
		}
		rig->data = data;
		if (f.n)
			memcpy(data + rig->n, f.data, f.n);
		rig->n += f.n;
		file_unmap(&f);
	}
	rig->framed = buffer->format != FORMAT_RAW;
	rig->framing = buffer->format == FORMAT_DSTREAM ? CSF_FRAMES_DSTREAM : CSF_FRAMES_MEMORY;
	return 0;
}

static int add_streams(struct rig *rig, const struct snapshot_buffer *buffer)
{
	struct snapshot *s = &rig->snapshot;

	for (size_t i = 0; i < s->n_device && rig->n_stream < RIG_STREAMS; i++) {
		struct rig_stream *st = &rig->stream[rig->n_stream];
		int ret;

		if (s->device[i].class != CLASS_SOURCE ||
		    !snapshot_in_buffer(s, &s->device[i], STREAM_INSTRUCTIONS, buffer) ||
		    snapshot_config(&s->device[i], snapshot_core(s, &s->device[i]), &st->config,
				    &st->id) ||
		    csf_config_has_messages(&st->config))
			continue;
		st->config.size = sizeof(st->config);
		st->config.without = rig->without;
		ret = csf_new(&st->dec, &st->config, rig->image.image);
		if (ret == CSF_ERR_CONFIG)	/* a source of messages */
			continue;
		if (ret)
			return -1;
		rig->n_stream++;
		if (!rig->framed)
			break;
	}
	return rig->n_stream ? 0 : -1;
}

int rig_open(struct rig *rig, const char *dir, const char *name)
{
	const struct snapshot_buffer *buffer;
	struct snapshot *s = &rig->snapshot;

	if (snapshot_open(s, dir))
		return complain(dir, "not a snapshot");
	buffer = name ? snapshot_buffer(s, name) : s->n_buffer ? &s->buffer[0] : NULL;
	if (!buffer || read_buffer(rig, buffer))
		return complain(dir, "no such buffer");
	if (snapshot_image_open(&rig->image, s))
		return complain(dir, "out of memory");
	if (add_streams(rig, buffer))
		return complain(dir, "no trace of execution in this buffer");
	return 0;
}

void rig_close(struct rig *rig)
{
	for (unsigned int i = 0; i < rig->n_stream; i++)
		csf_free(rig->stream[i].dec);
	snapshot_image_close(&rig->image);
	snapshot_close(&rig->snapshot);
	free(rig->data);
	free(rig->path);
}

int rig_marks(struct rig *rig, uint16_t marks)
{
	int ret = 0;

	for (unsigned int i = 0; i < rig->n_stream && !ret; i++) {
		struct rig_stream *stream = &rig->stream[i];

		csf_free(stream->dec);
		stream->dec = NULL;
		stream->config.marks = marks;
		ret = csf_new(&stream->dec, &stream->config, rig->image.image);
	}
	return ret;
}

void rig_reset(struct rig *rig)
{
	for (unsigned int i = 0; i < rig->n_stream; i++)
		csf_reset(rig->stream[i].dec);
}

int rig_set_new(struct rig_set *set, size_t n)
{
	size_t size = 64;

	while (size < 2 * n)
		size *= 2;
	set->mask = size - 1;
	set->hash = calloc(size, sizeof(*set->hash));
	set->left = calloc(size, sizeof(*set->left));
	return set->hash && set->left ? 0 : -1;
}

int rig_set_copy(struct rig_set *set, const struct rig_set *from)
{
	if (rig_set_new(set, (from->mask + 1) / 2))
		return -1;
	memcpy(set->hash, from->hash, (from->mask + 1) * sizeof(*set->hash));
	memcpy(set->left, from->left, (from->mask + 1) * sizeof(*set->left));
	return 0;
}

void rig_set_free(struct rig_set *set)
{
	free(set->hash);
	free(set->left);
}

void rig_keep(struct rig_sum *sum, uint8_t id, uint64_t start, uint64_t end, bool taken)
{
	struct rig_set *set = sum->set;
	uint64_t hash;
	size_t i;

	if (!set)
		return;
	hash = rig_mix(id, start, end, taken) | 1;
	for (i = hash & set->mask; set->hash[i] && set->hash[i] != hash; i = (i + 1) & set->mask)
		;
	if (sum->fill) {
		set->hash[i] = hash;
		set->left[i]++;
	} else if (set->left[i]) {
		set->left[i]--;
		sum->kept++;
	}
}

/* Whether the peer is lost: see struct rig_sum.as_peer. */
struct loss {
	size_t mark;		/* the next of this run */
	bool returned;		/* the last range ended with a return, or another such branch */
	bool lost;
};

/* What a pass does with the runs of a decoder. */
struct pass {
	struct rig *rig;
	struct rig_sum *sum;
	struct csf_elements it[RIG_STREAMS];
	struct loss loss[RIG_STREAMS];
	uint64_t mix[RIG_STREAMS];
	uint32_t *count, *path;
	size_t n_count;
	rig_run_fn fn;
	void *context;
};

/* Handles the marks before step @n of @run. */
static void pass_marks(struct loss *l, const struct csf_run *run, size_t n)
{
	for (; l->mark < run->n_mark && run->mark[l->mark].seq <= run->seq + n; l->mark++)
		if (run->mark[l->mark].kind == CSF_MARK_INFO && l->returned)
			l->lost = true;
}

/* Is the range @e, which ends with the step before @n of @run, one that the peer loses? */
static bool peer_loses(struct loss *l, const struct csf_run *run, size_t n,
		       const struct csf_element *e)
{
	bool lost;

	pass_marks(l, run, n - 1);
	lost = l->lost;
	l->returned = e->flags & CSF_ELEM_EXEC && e->last_kind == CSF_INSN_INDIRECT;
	l->lost = lost && !l->returned;
	return lost;
}

static void end_marks(struct loss *l, const struct csf_run *run)
{
	pass_marks(l, run, run->n);
	l->mark = 0;
	if (run->end != CSF_END_FULL) {
		l->lost = false;
		l->returned = false;
	}
}

static void add_elements(struct pass *p, unsigned int i, const struct csf_run *run)
{
	struct csf_element e;

	csf_elements_run(&p->it[i], run);
	while (csf_elements_next(&p->it[i], &e)) {
		if (e.type != CSF_ELEM_INSTR_RANGE)
			continue;
		if (p->sum->as_peer && peer_loses(&p->loss[i], run, p->it[i].step, &e)) {
			p->sum->left_out++;
			continue;
		}
		p->sum->ranges++;
		p->sum->insns += e.n_insn;
		p->mix[i] = rig_mix(p->mix[i], e.st_addr, e.en_addr, e.flags & CSF_ELEM_EXEC);
		rig_keep(p->sum, p->rig->stream[i].id, e.st_addr, e.en_addr,
			 e.flags & CSF_ELEM_EXEC);
	}
	end_marks(&p->loss[i], run);
	if (run->end == CSF_END_CONTEXT)
		csf_set_space(p->rig->stream[i].dec,
			      snapshot_image_space(&p->rig->image, &run->to));
	if (run->end == CSF_END_GAP) {
		p->sum->gaps += csf_run_is_gap(run);
		p->sum->lost += run->lost;
	}
}

/* Room for the counts of all paths.  Return: the counts, or NULL. */
static uint32_t *path_counts(struct rig *rig)
{
	const uint32_t n = csf_path_count(rig->image.image) + 1;

	if (n > rig->n_path) {
		uint32_t *path = realloc(rig->path, 2ul * n * sizeof(*path));

		if (!path)
			return NULL;
		memset(path + rig->n_path, 0, (2ul * n - rig->n_path) * sizeof(*path));
		rig->path = path;
		rig->n_path = 2 * n;
	}
	return rig->path;
}

static int add_steps(struct pass *p, unsigned int i, const struct csf_run *run)
{
	const uint32_t *step = run->step, *const end = step + run->n;
	uint32_t *count = p->count, *path = path_counts(p->rig);

	/* The array is checked once, not for each step. */
	if (2ull * csf_block_count(p->rig->image.image) + 1 >= p->n_count || !path)
		return CSF_ERR_MEMORY;
	while (step < end) {
		for (; end - step >= 4 && !((step[0] | step[1] | step[2] | step[3]) & CSF_PATH);
		     step += 4) {
			count[step[0]]++;
			count[step[1]]++;
			count[step[2]]++;
			count[step[3]]++;
		}
		for (; step < end && !(*step & CSF_PATH); step++)
			count[*step]++;
		for (; step < end && *step & CSF_PATH; step++)
			path[*step & ~CSF_PATH]++;
	}
	if (run->end == CSF_END_CONTEXT)
		csf_set_space(p->rig->stream[i].dec,
			      snapshot_image_space(&p->rig->image, &run->to));
	return 0;
}

/* Paths become the steps that they consist of. */
static void spread_paths(struct rig *rig, uint32_t *count)
{
	for (uint32_t i = 1; i < rig->n_path; i++) {
		const uint32_t *step, times = rig->path[i];
		size_t n;

		if (!times)
			continue;
		n = csf_path(rig->image.image, i, &step);
		for (size_t k = 0; k < n; k++)
			count[step[k]] += times;
		rig->path[i] = 0;
	}
}

static void show_run(struct pass *p, unsigned int i, const struct csf_run *run)
{
	p->fn(p->context, &p->rig->stream[i], run);
	if (run->end == CSF_END_CONTEXT)
		csf_set_space(p->rig->stream[i].dec,
			      snapshot_image_space(&p->rig->image, &run->to));
}

static int drain(struct pass *p)
{
	struct csf_run run;
	int ret = 0;

	for (unsigned int i = 0; i < p->rig->n_stream; i++) {
		while ((ret = csf_next(p->rig->stream[i].dec, &run)) > 0) {
			if (p->sum)
				add_elements(p, i, &run);
			else if (p->count)
				ret = add_steps(p, i, &run);
			else
				show_run(p, i, &run);
			if (ret < 0)
				return ret;
		}
		if (ret < 0)
			return ret;
	}
	return ret;
}

/* Size of the next piece after @done, of @all. */
static size_t next_piece(struct rig *rig, size_t done, size_t all)
{
	const size_t left = (rig->tell && done < rig->tell_at ? rig->tell_at : all) - done;
	size_t n = rig->piece;

	if (n == RIG_RANDOM) {
		rig->random = rig->random * 1103515245 + 12345;
		n = 1 + (rig->random >> 8) % 300;
	}
	return n && n < left ? n : left;
}

static int run_framed(struct pass *p, const uint8_t *data, size_t n)
{
	struct rig *rig = p->rig;
	struct csf_frames *frames;
	size_t done = 0;
	long took = 0;
	int ret = csf_frames_new(&frames, rig->framing, rig->without & CSF_WITHOUT_FRAMES);

	for (unsigned int i = 0; !ret && i < rig->n_stream; i++)
		ret = csf_attach(frames, rig->stream[i].id, rig->stream[i].dec);
	while (!ret && done < n) {
		took = csf_frames_feed(frames, data + done, next_piece(rig, done, n));
		if (took <= 0)
			ret = took ? took : CSF_ERR_ARG;
		else
			ret = drain(p);
		rig_tell(rig, done, done + took);
		done += took;
	}
	if (!ret)
		ret = csf_frames_end(frames);
	if (!ret)
		ret = drain(p);
	csf_frames_free(frames);
	return ret;
}

static int run_raw(struct pass *p, const uint8_t *data, size_t n)
{
	struct csf_decoder *dec = p->rig->stream[0].dec;
	size_t done = 0;
	int ret = 0;

	while (!ret && done < n) {
		size_t piece = next_piece(p->rig, done, n);

		ret = csf_feed(dec, data + done, piece);
		if (!ret)
			ret = drain(p);
		rig_tell(p->rig, done, done + piece);
		done += piece;
	}
	if (!ret)
		ret = csf_end(dec);
	return ret ? ret : drain(p);
}

static int run(struct pass *p, const uint8_t *data, size_t n)
{
	return p->rig->framed ? run_framed(p, data, n) : run_raw(p, data, n);
}

int rig_sum(struct rig *rig, const uint8_t *data, size_t n, struct rig_sum *sum)
{
	struct pass p = { .rig = rig, .sum = sum };
	int ret;

	for (unsigned int i = 0; i < rig->n_stream; i++)
		p.it[i].dec = rig->stream[i].dec;
	ret = run(&p, data, n);
	for (unsigned int i = 0; i < rig->n_stream; i++)
		sum->sum += p.mix[i];
	return ret;
}

static int ask_paths(struct rig *rig, bool ask)
{
	int ret = 0;

	for (unsigned int i = 0; !ret && i < rig->n_stream; i++)
		ret = csf_ask_paths(rig->stream[i].dec, ask);
	return ret;
}

int rig_count(struct rig *rig, const uint8_t *data, size_t n, uint32_t *count, size_t n_count)
{
	struct pass p = { .rig = rig, .count = count, .n_count = n_count };
	int ret = ask_paths(rig, true);

	if (!ret)
		ret = run(&p, data, n);
	spread_paths(rig, count);
	ask_paths(rig, false);
	return ret;
}

int rig_runs(struct rig *rig, const uint8_t *data, size_t n, rig_run_fn fn, void *context)
{
	struct pass p = { .rig = rig, .fn = fn, .context = context };

	return run(&p, data, n);
}

int rig_frames(struct rig *rig, const uint8_t *data, size_t n, uint64_t *bytes)
{
	struct csf_frame_stats stats = { .size = sizeof(stats) };
	struct csf_frames *frames;
	int ret = csf_frames_new(&frames, rig->framing, 0);
	long took;

	for (size_t done = 0; !ret && done < n; done += took) {
		took = csf_frames_feed(frames, data + done, n - done);
		if (took <= 0)
			ret = took ? took : CSF_ERR_ARG;
	}
	if (!ret) {
		csf_frames_stats(frames, &stats);
		for (unsigned int i = 0; i < CSF_ID_MAX; i++)
			*bytes += stats.id[i];
	}
	csf_frames_free(frames);
	return ret;
}

/* So many packets at a time. */
#define PACKETS	256

struct packet_pass {
	struct rig *rig;
	struct csf_monitor *mon[RIG_STREAMS];
	uint64_t packets, bytes;
};

/* One field of each packet is read, the least that any client would do. */
static int drain_packets(struct packet_pass *p)
{
	struct csf_packet pkt[PACKETS];
	const uint8_t *bytes;
	uint64_t offset;
	long n;

	for (unsigned int i = 0; i < p->rig->n_stream; i++) {
		while ((n = csf_monitor_read(p->mon[i], pkt, PACKETS, &offset, &bytes)) > 0) {
			p->packets += n;
			for (long k = 0; k < n; k++)
				p->bytes += pkt[k].size;
		}
		if (n < 0)
			return n;
	}
	return 0;
}

static int packets_framed(struct packet_pass *p, const uint8_t *data, size_t n)
{
	struct rig *rig = p->rig;
	struct csf_frames *frames;
	long took = 0;
	int ret = csf_frames_new(&frames, rig->framing, 0);

	for (unsigned int i = 0; !ret && i < rig->n_stream; i++)
		ret = csf_attach_monitor(frames, rig->stream[i].id, p->mon[i]);
	for (size_t done = 0; !ret && done < n; done += took) {
		took = csf_frames_feed(frames, data + done, n - done);
		ret = took <= 0 ? -1 : drain_packets(p);
	}
	if (!ret)
		ret = csf_frames_end(frames);
	csf_frames_free(frames);
	return ret;
}

int rig_packets(struct rig *rig, const uint8_t *data, size_t n, uint64_t *packets)
{
	struct packet_pass p = { .rig = rig };
	int ret = 0;

	for (unsigned int i = 0; !ret && i < rig->n_stream; i++)
		ret = csf_monitor_new(&p.mon[i], &rig->stream[i].config);
	if (!ret && rig->framed)
		ret = packets_framed(&p, data, n);
	else if (!ret)
		ret = csf_monitor_feed(p.mon[0], data, n);
	if (!ret)
		ret = drain_packets(&p);
	if (!ret && !rig->framed)
		ret = csf_monitor_end(p.mon[0]);
	if (!ret)
		ret = drain_packets(&p);
	for (unsigned int i = 0; i < rig->n_stream; i++)
		csf_monitor_free(p.mon[i]);
	*packets = p.packets;
	return ret || p.bytes > n ? -1 : 0;
}
