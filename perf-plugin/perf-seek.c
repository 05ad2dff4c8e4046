// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bisection.  A fragment is cut into pieces of PERF_START_ALIGN bytes, of which only the first
 * timestamp is read.  A wrong timestamp must not hide trace: to go on after a piece, the next piece
 * must agree.  Decode can then begin some pieces earlier, if all trace units that have trace later
 * are known to be in sync there.
 */
#include "perf-seek.h"

#include <errno.h>
#include <string.h>

#include "perf-look.h"

/* Number of pieces to search backwards for a trace unit that has written nothing for long. */
#define BACK_MAX	64

/* Number of timestamps after which a stream's clock is known. */
#define TIMES		2

/**
 * struct seek - a search in one fragment
 * @f: the fragment, number @fragment; @n: whole pieces of it
 * @only: trace ID, if there can be only one; otherwise 0
 */
struct seek {
	const struct perf_replay *replay;
	struct csf_image *nothing;
	const struct perf_fragment *f;
	size_t fragment;
	uint64_t from;
	uint64_t n;
	uint8_t only;
};

bool perf_seek_guests(const struct perf_replay *s)
{
	const struct perf_evsel *evsel = s->file->aux_evsel;

	if (evsel && evsel->attr.exclude_kernel)
		return false;
	for (size_t i = 0; i < s->cs->n_cpu; i++)
		if (s->cs->cpu[i].pid == PERF_CS_PID_VMID)
			return true;
	return false;
}

size_t perf_seek_fragment(const struct perf_replay *s, size_t queue, uint64_t from)
{
	const struct perf_queue *q = &s->aux->queue[queue];
	size_t i = q->first;

	while (i < q->first + q->n && s->aux->fragment[i].time &&
	       s->aux->fragment[i].time < from)
		i++;
	return i;
}

bool perf_seek_may(const struct perf_replay *s, size_t queue, size_t from)
{
	const struct perf_queue *q = &s->aux->queue[queue];
	const uint64_t until = s->queues->options.until;
	uint32_t first = PERF_NO_CPU;

	for (size_t i = from; q->tid != PERF_NO_TID && i < q->first + q->n; i++) {
		const struct perf_fragment *f = &s->aux->fragment[i];
		const uint32_t unit = perf_look_unit(f, s->file->bytes + f->offset);

		if (i == from)
			first = unit;
		else if (until && f[-1].time > until)
			break;
		else if (unit != first)
			return false;
	}
	return true;
}

void perf_seek_id(const struct perf_replay *s, struct perf_start *start, uint64_t known,
		  uint8_t id)
{
	const struct perf_fragment *f = &s->aux->fragment[start->fragment];
	const uint8_t *bytes = s->file->bytes + f->offset + known;
	bool seen[CSF_ID_MAX] = { false };

	start->id = 0;
	if (f->flags & PERF_FRAGMENT_RAW)
		return;
	start->id = perf_look_last_id(bytes, start->pos - known);
	if (start->id || !id)
		return;
	perf_look_ids(bytes, start->pos - known, seen);
	if (!memchr(seen, true, sizeof(seen)))
		start->id = id;
}

int perf_seek_el1(const struct perf_replay *s, const struct perf_start *start)
{
	struct perf_fragment part = s->aux->fragment[start->fragment];
	const struct perf_look_at at = {
		.fragment = &part, .bytes = s->file->bytes + part.offset,
	};
	struct csf_image *nothing;
	int ret;

	part.size = start->pos;
	if (csf_image_new(&nothing))
		return -ENOMEM;
	ret = perf_look_guest(s->cs, nothing, &at, s->file);
	csf_image_free(nothing);
	return ret;
}

/* The pieces from @first up to @end, as a fragment. */
static struct perf_look_at at_piece(const struct seek *k, uint64_t first, uint64_t end,
				    struct perf_fragment *part)
{
	struct perf_look_at at = { .fragment = part, .id = k->only };
	struct perf_start start = { .fragment = k->fragment, .pos = first * PERF_START_ALIGN };

	*part = *k->f;
	part->offset += start.pos;
	part->size = end < k->n ? (end - first) * PERF_START_ALIGN : k->f->size - start.pos;
	at.bytes = k->replay->file->bytes + part->offset;
	if (!k->only) {
		perf_seek_id(k->replay, &start, 0, 0);
		at.id = start.id;
	}
	return at;
}

/* The time when a piece begins; 0: there is no timestamp near. */
static int time_of(const struct seek *k, uint64_t piece, uint64_t *time)
{
	const struct perf_replay *s = k->replay;
	struct perf_fragment part;
	const struct perf_look_at at = at_piece(k, piece, k->n, &part);
	uint64_t timestamp;
	int err = perf_look(s->cs, k->nothing, &at, &timestamp);

	*time = err || !timestamp ? 0 : perf_time_from_counter(&s->file->time_conv, timestamp);
	return err;
}

/* Is what is wanted after the beginning of @piece?  Return: 1, 0, -ENOMEM. */
static int begins_before(const struct seek *k, uint64_t piece)
{
	uint64_t time, next = 0;
	int err = time_of(k, piece, &time);

	if (!err && time && time < k->from && piece + 1 < k->n)
		err = time_of(k, piece + 1, &next);
	return err ? err : time && time < k->from && next < k->from;
}

/* The last piece whose beginning is before @from. */
static int bisect(const struct seek *k, uint64_t *piece)
{
	uint64_t low = 0, high = k->n;
	int ret;

	while (high - low > 1) {
		const uint64_t middle = low + (high - low) / 2;

		ret = begins_before(k, middle);
		if (ret < 0)
			return ret;
		if (ret)
			low = middle;
		else
			high = middle;
	}
	*piece = low;
	return 0;
}

static void ids_of(const struct seek *k, uint64_t pos, uint64_t n, bool *seen)
{
	memset(seen, 0, CSF_ID_MAX);
	if (k->f->flags & PERF_FRAGMENT_RAW)
		seen[0] = true;
	else if (k->only)
		seen[k->only] = true;
	else
		perf_look_ids(k->replay->file->bytes + k->f->offset + pos, n, seen);
}

static bool has_unit(const struct seek *k, int id)
{
	if (k->f->flags & PERF_FRAGMENT_RAW)
		return !id;
	return id && perf_cs_cpu_of_id(k->replay->cs, k->f, id) != PERF_NO_CPU;
}

/*
 * From piece @first up to @end, do all streams that continue there get into sync?  Streams without
 * later trace, or that begin after @first, need not.
 */
static int settles(const struct seek *k, uint64_t first, uint64_t end)
{
	const uint64_t pos = first * PERF_START_ALIGN;
	bool before[CSF_ID_MAX], after[CSF_ID_MAX];
	uint32_t n_time[CSF_ID_MAX];
	struct perf_fragment part;
	const struct perf_look_at at = at_piece(k, first, end, &part);
	int err = perf_look_count(k->replay->cs, k->nothing, &at, n_time);

	if (err)
		return err;
	ids_of(k, 0, pos, before);
	ids_of(k, pos, k->f->size - pos, after);
	after[at.id] = true;
	for (int i = 0; i < CSF_ID_MAX; i++)
		if (before[i] && after[i] && n_time[i] < TIMES && has_unit(k, i))
			return 0;
	return 1;
}

/* Return: 1 and the piece to begin with; 0 and the piece that has it; -ENOMEM. */
static int find(const struct seek *k, uint64_t *first)
{
	uint64_t piece;
	int ret = bisect(k, &piece);

	if (ret)
		return ret;
	for (uint64_t back = PERF_SEEK_BEFORE; back <= BACK_MAX && back < piece; back *= 2) {
		*first = piece - back;
		ret = settles(k, *first, piece - 1);
		if (ret)
			return ret;
	}
	*first = piece;
	return 0;
}

static void one_id(struct seek *k)
{
	struct perf_cs_id id[CSF_ID_MAX];

	k->only = 0;
	if (!(k->f->flags & PERF_FRAGMENT_RAW) && perf_cs_ids(k->replay->cs, k->f, id) == 1)
		k->only = id[0].id;
}

int perf_seek(const struct perf_replay *s, size_t queue, uint64_t from, struct perf_start *start)
{
	const struct perf_queue *q = &s->aux->queue[queue];
	struct seek k = { .replay = s, .from = from };
	size_t i = perf_seek_fragment(s, queue, from);
	uint64_t piece = 0;
	int ret = 0;

	if (!q->n)
		return 0;
	i -= i == q->first + q->n;
	*start = (struct perf_start){ .fragment = i, .pos = s->aux->fragment[i].size };
	if (csf_image_new(&k.nothing))
		return -ENOMEM;
	for (int tries = 2; !ret && tries && perf_seek_may(s, queue, i); tries--, i--) {
		k.fragment = i;
		k.f = &s->aux->fragment[i];
		k.n = k.f->size / PERF_START_ALIGN;
		one_id(&k);
		ret = find(&k, &piece);
		if (i == q->first)
			break;
	}
	if (k.f)
		*start = (struct perf_start){ k.fragment, piece * PERF_START_ALIGN, 0 };
	if (ret > 0)
		perf_seek_id(s, start, 0, 0);
	csf_image_free(k.nothing);
	return ret;
}

/* When a fragment began, as far as it tells; otherwise when it was complete. */
static int begin_of(const struct perf_replay *s, struct csf_image *nothing,
		    const struct perf_fragment *f, uint64_t *time)
{
	const struct perf_look_at at = {
		.fragment = f, .bytes = s->file->bytes + f->offset,
	};
	uint64_t timestamp = 0;
	int err = s->timed ? perf_look(s->cs, nothing, &at, &timestamp) : 0;

	*time = timestamp ? perf_time_from_counter(&s->file->time_conv, timestamp) : f->time;
	return err;
}

int perf_seek_ends(const struct perf_replay *s, uint64_t *first, uint64_t *last)
{
	struct csf_image *nothing;
	uint64_t time;
	int err = 0;

	*first = UINT64_MAX;
	*last = 0;
	if (csf_image_new(&nothing))
		return -ENOMEM;
	for (size_t i = 0; i < s->aux->n_queue && !err; i++) {
		const struct perf_queue *q = &s->aux->queue[i];

		if (!q->n)
			continue;
		err = begin_of(s, nothing, &s->aux->fragment[q->first], &time);
		if (time && time < *first)
			*first = time;
		for (size_t k = q->first; k < q->first + q->n; k++)
			if (s->aux->fragment[k].time > *last)
				*last = s->aux->fragment[k].time;
	}
	csf_image_free(nothing);
	return !err && (!*last || *first > *last) ? -ENODATA : err;
}
