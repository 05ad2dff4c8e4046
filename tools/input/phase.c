// SPDX-License-Identifier: GPL-2.0-only
/*
 * In a wrong phase, most IDs are reserved ones, or the padding is not zero, or streams do not make
 * sense to the trace unit that they are of.  All that is counted as nonsense, for each frame.  A
 * window of frames moves over the trace: while it makes sense in the present phase, its first half
 * is taken.  If not, bytes were lost after one of its frames: the frame and the other phase are
 * taken that together leave the least nonsense.
 *
 * A trace has few IDs.  Which they are is known after a first search; in a second one all others
 * are nonsense, too.
 */
#include <stdlib.h>
#include <string.h>

#include "phase.h"

#define FRAME		16
#define WINDOW		32	/* frames */
#define PAYLOAD		15	/* of a frame, at most */

/* Nonsense that a window may have: real streams have some where they begin or lose packets. */
#define TOLERATED	3

/* Frames after a change of the phase that are too few to tell. */
#define FEW		4

/* The first bytes of a stream may be the end of a packet from before the window. */
#define SETTLED	8

/* A byte of padding may be noise; a reserved ID or packet is worse. */
enum { NEW_ID = 1, BAD_PADDING = 1, BAD_PACKET = 2, RARE_ID = 2, BAD_ID = 4 };

/* Of so many pieces of frames, a usual ID has one. */
#define USUAL	32

/**
 * struct stream_bytes - the bytes of one trace ID in a window
 * @frame: of each byte: the number of its frame
 */
struct stream_bytes {
	uint8_t bytes[WINDOW * PAYLOAD];
	uint8_t frame[WINDOW * PAYLOAD];
	size_t n;
};

/**
 * struct phase - the search
 * @in: the trace
 * @stream: of a window, by trace ID
 * @pieces: of frames that were judged, by ID, and of all
 * @id_cost: NEW_ID in the first search; in the second RARE_ID, if that has hardly seen it
 * @cut: what was found
 */
struct phase {
	const struct input *in;
	struct stream_bytes stream[CSF_ID_MAX];
	size_t pieces[CSF_ID_MAX], all;
	uint8_t id_cost[CSF_ID_MAX];
	struct input_cut *cut;
	size_t n_cut;
};

/* Flush, trigger, and trace units. */
static bool is_id(unsigned int id)
{
	return id < 0x70 || id == 0x7b || id == 0x7d;
}

/* The trace unit with an ID; NULL: it is not known. */
static const struct input_source *source_of(const struct input *in, unsigned int id)
{
	for (size_t i = 0; i < in->n_source; i++)
		if (in->source[i].id == id)
			return &in->source[i];
	return NULL;
}

/* ---------------------------------------------------------------- the sense of a stream */

static bool is_odd(const struct csf_message *m)
{
	switch ((enum csf_message_kind)m->kind) {
	case CSF_MESSAGE_OTHER:
		return true;
	case CSF_MESSAGE_COUNTERS:
		return m->value > 0x3f;
	case CSF_MESSAGE_EXCEPTION:
		return !m->info;
	case CSF_MESSAGE_NO_PC:
		return m->value && m->value != 0xff;
	case CSF_MESSAGE_GAP:
		return m->info == CSF_GAP_PACKET;
	default:
		return false;
	}
}

static void judge_messages(const struct stream_bytes *s, const struct csf_config *config,
			   unsigned int *bad)
{
	struct csf_messages *messages;
	struct csf_message m;

	if (csf_messages_new(&messages, config))
		return;
	csf_messages_feed(messages, s->bytes, s->n);
	csf_messages_end(messages);
	while (csf_messages_next(messages, &m) > 0)
		if (m.offset >= SETTLED && m.offset < s->n && is_odd(&m))
			bad[s->frame[m.offset]] += BAD_PACKET;
	csf_messages_free(messages);
}

static void judge_packets(const struct stream_bytes *s, const struct csf_config *config,
			  unsigned int *bad)
{
	struct csf_monitor *mon;
	struct csf_packet pkt;
	uint64_t offset;

	if (csf_monitor_new(&mon, config))
		return;
	csf_monitor_feed(mon, s->bytes, s->n);
	csf_monitor_end(mon);
	while (csf_monitor_next(mon, &pkt, &offset, NULL) > 0)
		if (offset >= SETTLED && offset < s->n && pkt.type == CSF_PKT_BAD &&
		    pkt.n != CSF_BAD_CUT)
			bad[s->frame[offset]] += BAD_PACKET;
	csf_monitor_free(mon);
}

static void judge_stream(const struct phase *p, unsigned int id, unsigned int *bad)
{
	const struct stream_bytes *s = &p->stream[id];
	const struct input_source *source = source_of(p->in, id);

	if (!s->n || !source)
		return;
	if (csf_config_has_messages(&source->config))
		judge_messages(s, &source->config, bad);
	else
		judge_packets(s, &source->config, bad);
}

/* ---------------------------------------------------------------- the sense of frames */

static void take_piece(struct phase *p, const struct csf_frame *piece, size_t at,
		       unsigned int *bad)
{
	const size_t frame = (piece->offset - at) / FRAME;
	struct stream_bytes *s;

	if (piece->id >= CSF_ID_MAX)
		return;
	bad[frame] += is_id(piece->id) ? p->id_cost[piece->id] : BAD_ID;
	/* padding goes on to the end of its frame, nearly always */
	s = &p->stream[0];
	if (piece->id && s->n && s->frame[s->n - 1] == frame && !bad[frame])
		bad[frame] += BAD_PADDING;
	for (size_t i = 0; !piece->id && i < piece->n; i++)
		bad[frame] += piece->data[i] ? BAD_PADDING : 0;
	s = &p->stream[piece->id];
	memcpy(s->bytes + s->n, piece->data, piece->n);
	memset(s->frame + s->n, frame, piece->n);
	s->n += piece->n;
}

/* The nonsense in each of @n frames, at most WINDOW, from @at on. */
static int judge(struct phase *p, size_t at, size_t n, unsigned int *bad)
{
	struct csf_frames *frames;
	struct csf_frame piece;
	int err = csf_frames_new(&frames, CSF_FRAMES_MEMORY, CSF_FRAMES_NO_BARRIER);

	if (err)
		return err;
	memset(bad, 0, n * sizeof(*bad));
	for (size_t id = 0; id < CSF_ID_MAX; id++)
		p->stream[id].n = 0;
	err = csf_frames_watch(frames, p->in->data + at, n * FRAME, false);
	while (!err && csf_frames_next(frames, &piece) > 0) {
		piece.offset += at;
		if (piece.kind == CSF_FRAME_DATA)
			take_piece(p, &piece, at, bad);
	}
	csf_frames_free(frames);
	for (size_t id = 1; id < 0x70; id++)
		judge_stream(p, id, bad);
	return err;
}

static unsigned int sum(const unsigned int *bad, size_t n)
{
	unsigned int total = 0;

	while (n--)
		total += *bad++;
	return total;
}

/* Whole frames of a window that begins at @at. */
static size_t window(const struct phase *p, size_t at)
{
	const size_t n = at < p->in->n ? (p->in->n - at) / FRAME : 0;

	return n < WINDOW ? n : WINDOW;
}

/* ---------------------------------------------------------------- the search */

static int cut(struct phase *p, size_t at, size_t n)
{
	struct input_cut *grown = p->cut;

	if (!n)
		return 0;
	if (!(p->n_cut & (p->n_cut - 1)))
		grown = realloc(grown, (p->n_cut ? 2 * p->n_cut : 1) * sizeof(*grown));
	if (!grown)
		return CSF_ERR_MEMORY;
	p->cut = grown;
	p->cut[p->n_cut++] = (struct input_cut){ .at = at, .n = n };
	return 0;
}

/**
 * struct turn - where the phase may change
 * @keep: so many frames of the window are in the present phase
 * @skip: so many bytes after them are in no frame
 * @bad: the nonsense that is left
 */
struct turn {
	size_t keep, skip;
	unsigned int bad;
};

/* The best frame after which @skip bytes are left out. */
static void try_skip(const unsigned int *now, const unsigned int *then, size_t n, size_t skip,
		     struct turn *best)
{
	unsigned int bad = sum(then, n);

	for (size_t keep = 0; keep <= n; keep++) {
		if (bad < best->bad)
			*best = (struct turn){ .keep = keep, .skip = skip, .bad = bad };
		if (keep < n)
			bad += now[keep] - then[keep];
	}
}

/* The phase at @at makes no sense for long: finds the better one, if there is one. */
static int find_turn(struct phase *p, size_t at, const unsigned int *now, struct turn *best)
{
	unsigned int then[WINDOW];
	const size_t n = window(p, at);

	for (size_t skip = 1; skip < FRAME; skip++) {
		const size_t m = window(p, at + skip);
		int err = judge(p, at + skip, m, then);

		if (err)
			return err;
		if (m < n)
			then[m] = now[m];
		try_skip(now, then, n, skip, best);
	}
	return 0;
}

/* What is in the first @n frames of the window that was judged last. */
static void count_pieces(struct phase *p, size_t n)
{
	for (size_t id = 0; id < CSF_ID_MAX; id++) {
		const struct stream_bytes *s = &p->stream[id];

		for (size_t i = 0; i < s->n && s->frame[i] < n; i++) {
			if (i && s->frame[i] == s->frame[i - 1])
				continue;
			p->pieces[id]++;
			p->all++;
		}
	}
}

/* Moves on by some frames, or by some and a cut. */
static int move(struct phase *p, size_t *at)
{
	const size_t n = window(p, *at);
	unsigned int now[WINDOW];
	struct turn best = { .keep = n };
	int err = judge(p, *at, n, now);

	if (err)
		return err;
	best.bad = sum(now, n);
	/* the other phase has to be clearly better */
	if (best.bad > TOLERATED) {
		best.bad -= best.bad < 4 * TOLERATED ? TOLERATED : best.bad / 4;
		err = find_turn(p, *at, now, &best);
	} else {
		count_pieces(p, n / 2);
	}
	if (err)
		return err;
	/* a few frames tell little: more are looked at first */
	if (!best.skip || (n == WINDOW && best.keep > n - FEW)) {
		*at += FRAME * (n == WINDOW ? n / 2 : n);
		return 0;
	}
	*at += FRAME * best.keep;
	err = cut(p, *at, best.skip);
	*at += best.skip;
	return err;
}

static int search(struct phase *p)
{
	size_t at = 0;
	int err = 0;

	p->n_cut = 0;
	while (window(p, at) && !err)
		err = move(p, &at);
	return err;
}

/* Trace units that are known, padding and trigger cost nothing. */
static void set_cost(struct phase *p, bool first)
{
	for (size_t id = 1; id < 0x70; id++) {
		const bool rare = p->pieces[id] * USUAL < p->all;

		p->id_cost[id] = first ? NEW_ID : rare ? RARE_ID : 0;
		if (source_of(p->in, id))
			p->id_cost[id] = 0;
	}
}

int phase_find(const struct input *in, struct input_cut **cut, size_t *n_cut)
{
	struct phase *p = calloc(1, sizeof(*p));
	int err = p ? 0 : CSF_ERR_MEMORY;

	*cut = NULL;
	*n_cut = 0;
	if (err)
		return err;
	p->in = in;
	set_cost(p, true);
	err = search(p);
	set_cost(p, false);
	if (!err)
		err = search(p);
	if (err) {
		free(p->cut);
	} else {
		*cut = p->cut;
		*n_cut = p->n_cut;
	}
	free(p);
	return err;
}
