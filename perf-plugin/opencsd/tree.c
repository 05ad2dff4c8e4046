// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tree.h"

/* ---------------------------------------------------------------- lines */

struct out *tree_line(struct tree *t, uint32_t index, uint8_t id)
{
	struct out *line = t->out;

	line->n = 0;
	out_text(line, "Idx:");
	out_dec(line, index);
	out_text(line, "; ID:");
	out_hex(line, id);
	out_char(line, ';');
	return line;
}

void tree_say(struct tree *t)
{
	t->out->buf[t->out->n] = 0;
	log_print(&t->log, t->out->buf, t->out->n);
}

/* ---------------------------------------------------------------- frames */

/* Gives a batch to its source.  @then: what to do after it, as what follows is for another. */
static void give_batch(struct tree *t, enum source_then then)
{
	struct source *s = t->by_id[t->batch_id];

	source_give(s, t->batch, t->n_batch, t->batch_idx);
	source_then(s, then);
	t->working = s;
	t->n_batch = 0;
}

static uint64_t piece_index(const struct tree *t, const struct csf_frame *piece)
{
	uint64_t in_chunk = piece->offset - t->chunk_at;
	uint8_t before = in_chunk && in_chunk <= t->n_chunk ? t->chunk[in_chunk - 1] : 0;

	return ocsd_piece_index(piece->offset, t->frame_base, piece->id, before);
}

/* Returns true if there is work: the piece was taken, or waits until the batch is done. */
static bool take_data(struct tree *t, const struct csf_frame *piece)
{
	struct source *s = piece->id < CSF_ID_MAX ? t->by_id[piece->id] : NULL;
	bool other = piece->id != t->batch_id;

	if (!s) {
		t->unknown += piece->n;
		return false;
	}
	if (t->n_batch && (other || t->n_batch + piece->n > TREE_BATCH || source_by_pieces(s))) {
		t->ahead = *piece;
		t->has_ahead = true;
		give_batch(t, other ? SOURCE_SURE : SOURCE_KEEP);
		return true;
	}
	source_note(s, piece->n, piece_index(t, piece));
	if (!t->n_batch)
		t->batch_idx = piece_index(t, piece);
	memcpy(t->batch + t->n_batch, piece->data, piece->n);
	t->n_batch += piece->n;
	t->batch_id = piece->id;
	if (source_by_pieces(s))
		give_batch(t, SOURCE_KEEP);
	return t->working;
}

/* Returns true if there is work. */
static bool take_piece(struct tree *t, const struct csf_frame *piece)
{
	switch ((enum csf_frame_kind)piece->kind) {
	case CSF_FRAME_DATA:
		return take_data(t, piece);
	case CSF_FRAME_FSYNC:
		t->frame_base = piece->offset + 4;
		return false;
	case CSF_FRAME_BARRIER:
	case CSF_FRAME_BAD:
		t->sweep = SOURCE_BREAK;
		t->at_source = 0;
		if (t->n_batch)
			give_batch(t, SOURCE_WHOLE);
		return true;
	default:
		return false;
	}
}

static bool next_frames(struct tree *t)
{
	struct csf_frame piece;

	for (;;) {
		if (t->has_ahead)
			piece = t->ahead;
		else if (csf_frames_next(t->frames, &piece) <= 0)
			break;
		t->has_ahead = false;
		if (take_piece(t, &piece))
			return true;
	}
	t->n_chunk = 0;
	if (t->n_batch)
		give_batch(t, SOURCE_KEEP);
	return t->working;
}

/* ---------------------------------------------------------------- work */

static bool next_raw(struct tree *t)
{
	size_t n = t->n_chunk;

	t->n_chunk = 0;
	if (!n || !t->n_source)
		return false;
	t->working = t->source[0];
	source_note(t->working, n, t->chunk_at);
	source_give(t->working, t->chunk, n, t->chunk_at);
	return true;
}

/* Goes to the next source with something to do.  Returns true if there was one. */
static bool next_in_sweep(struct tree *t)
{
	if (t->at_source < t->n_source) {
		t->working = t->source[t->at_source++];
		source_then(t->working, t->sweep);
		return true;
	}
	t->sweep = SOURCE_KEEP;
	return false;
}

/* Finds the next thing to do.  Returns false when there is none. */
static bool next_work(struct tree *t)
{
	if (t->sweep != SOURCE_KEEP && next_in_sweep(t))
		return true;
	if (t->n_chunk || t->has_ahead || t->n_batch)
		if (t->framed ? next_frames(t) : next_raw(t))
			return true;
	if (t->last == SOURCE_KEEP)
		return false;
	t->sweep = t->last;
	t->at_source = 0;
	t->last = SOURCE_KEEP;
	return true;
}

/* Works on the bytes that were taken until nothing is left, or the client wants to wait. */
static uint32_t work(struct tree *t)
{
	do {
		if (t->working) {
			uint32_t resp = source_work(t->working);

			if (resp >= ABI_WAIT)
				return resp;
		}
		t->working = NULL;
	} while (next_work(t));
	return ABI_CONT;
}

static void take(struct tree *t, const uint8_t *p, size_t n, bool last)
{
	memcpy(t->chunk, p, n);
	t->n_chunk = n;
	t->chunk_at = t->taken;
	t->taken += n;
	if (last)
		t->last = t->commits ? SOURCE_TAIL : SOURCE_WHOLE;
	if (t->framed)
		csf_frames_watch(t->frames, t->chunk, n, false);
}

/* Skips bytes that were taken before, but not reported as taken. */
static size_t take_again(struct tree *t, size_t n)
{
	size_t again = t->held < n ? t->held : n;

	t->held -= again;
	return again;
}

/* Everything is taken, but if the client knew, it would not come back. */
static size_t hold(struct tree *t, size_t n)
{
	t->held = t->framed ? TREE_FRAME : 1;
	if (t->held > n)
		t->held = n;
	return n - t->held;
}

uint32_t tree_data(struct tree *t, uint32_t index, const uint8_t *p, size_t n, uint32_t *taken)
{
	uint32_t resp = work(t);
	size_t done = 0;

	*taken = 0;
	if (resp >= ABI_WAIT)
		return resp;
	if (!t->held)
		t->delta = index - (uint32_t)t->taken;
	done = take_again(t, n);
	while (done < n && resp < ABI_WAIT) {
		size_t some = n - done < TREE_CHUNK ? n - done : TREE_CHUNK;

		take(t, p + done, some, done + some == n);
		done += some;
		resp = work(t);
	}
	*taken = resp >= ABI_WAIT && done == n ? hold(t, n) : done;
	return resp;
}

uint32_t tree_flush(struct tree *t)
{
	return work(t);
}

uint32_t tree_end(struct tree *t)
{
	uint32_t resp = work(t);

	if (resp >= ABI_WAIT)
		return resp;
	if (t->framed)
		csf_frames_watch(t->frames, NULL, 0, true);
	t->n_chunk = t->framed;		/* so that bytes left in frames are processed */
	t->chunk_at = t->taken;
	t->last = SOURCE_END;
	return work(t);
}

static int renew(struct tree *t)
{
	int err = ABI_OK;

	for (size_t i = 0; i < t->n_source; i++)
		if (t->source[i]->view.memory)
			memory_close(&t->source[i]->view);
	err = memory_renew(&t->memory);
	for (size_t i = 0; !err && i < t->n_source; i++)
		err = source_renew(t->source[i]);
	return err;
}

uint32_t tree_reset(struct tree *t)
{
	t->n_chunk = 0;
	t->n_batch = 0;
	t->has_ahead = false;
	t->held = 0;
	t->sweep = SOURCE_KEEP;
	t->last = SOURCE_KEEP;
	t->working = NULL;
	t->taken = 0;
	t->frame_base = 0;
	if (t->frames)
		csf_frames_reset(t->frames);
	for (size_t i = 0; i < t->n_source; i++)
		source_reset(t->source[i]);
	if (memory_full(&t->memory) && renew(t))
		return ABI_FATAL_SYS_ERR;
	return ABI_CONT;
}

/* ---------------------------------------------------------------- life */

static int make_frames(struct tree *t, uint32_t flags)
{
	enum csf_framing framing = flags & ABI_FRAMES_PORT ? CSF_FRAMES_TPIU : CSF_FRAMES_MEMORY;
	uint32_t other = flags & ABI_FRAMES_BARRIER ? 0 : CSF_FRAMES_NO_BARRIER;

	return csf_frames_new(&t->frames, framing, framing == CSF_FRAMES_MEMORY ? other : 0);
}

static bool is_set(const char *name, bool otherwise)
{
	const char *value = getenv(name);

	return value && *value ? *value != '0' : otherwise;
}

/* perf does not use the index of an element, and finding it takes time. */
static bool wants_index(void)
{
	return strncmp(program_invocation_short_name, "perf", 4) != 0;
}

const struct ocsd_release *tree_release(void)
{
	const char *name = getenv("CSFLOW_OPENCSD");
	const struct ocsd_release *release = name && *name ? ocsd_release_find(name) : NULL;

	return release ?: ocsd_release_at(0);
}

struct tree *tree_new(uint32_t type, uint32_t flags)
{
	struct tree *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->framed = type == ABI_SRC_FORMATTED;
	t->release = tree_release();
	t->commits = is_set("CSFLOW_COMMIT_TAIL", false);
	t->exact = is_set("CSFLOW_EXACT_INDEX", wants_index());
	t->out = calloc(1, sizeof(*t->out));
	if (!t->out || memory_init(&t->memory) || (t->framed && make_frames(t, flags))) {
		tree_free(t);
		return NULL;
	}
	return t;
}

void tree_free(struct tree *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_source; i++)
		source_free(t->source[i]);
	csf_frames_free(t->frames);
	memory_fini(&t->memory);
	free(t->out);
	free(t);
}

int tree_add(struct tree *t, const struct csf_config *config, uint8_t id, uint32_t flags)
{
	struct source *s;
	int err;

	if (t->by_id[id] || (!t->framed && t->n_source))
		return ABI_ERR_ATTACH_TOO_MANY;
	err = source_new(&s, t, config, id, flags);
	if (err)
		return err;
	t->by_id[id] = s;
	t->source[t->n_source++] = s;
	return ABI_OK;
}

int tree_remove(struct tree *t, uint8_t id)
{
	struct source *s = id < CSF_ID_MAX ? t->by_id[id] : NULL;
	size_t i = 0;

	if (!s)
		return ABI_ERR_INVALID_ID;
	while (t->source[i] != s)
		i++;
	memmove(&t->source[i], &t->source[i + 1], (--t->n_source - i) * sizeof(*t->source));
	t->by_id[id] = NULL;
	if (t->working == s)
		t->working = NULL;
	if (t->batch_id == id)
		t->n_batch = 0;
	source_free(s);
	return ABI_OK;
}
