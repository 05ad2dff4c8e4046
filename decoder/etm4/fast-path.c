// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hot loop with paths: what stands between two addresses is looked up as a whole, and
 * only what was not seen before is stepped through.
 *
 * Without a return stack each run of atom packets begins at an address that stands in the trace,
 * or where the run before it ended: so no look-up waits for another.
 */
#include "fast.h"

/* Steps that PATH_BYTES packets may have. */
#define ROOM	(PATH_BYTES * ATOMS_MAX)

/* Bytes of an address or mark, and of what follows it. */
#define AT_ONCE	(CSF_PACKET_MAX + 8)

/* What whoever asked for paths is shown of one. */
#define PATH_ASKED	(CSF_PATH | PATH_NUMBER)

/* Where a run of atoms begins that does not begin anywhere: places without a block. */
#define START_UNSEEN	path_from_block(0)
#define START_AWAY	path_from_block(UINT32_MAX)

/**
 * struct taken - what came of packets that no path is remembered for; 16 bytes, two registers
 * @start: where the next ones begin
 * @bytes: of these
 * @more: they are a path from now on, which is handed out: its steps, less one; else 0
 * @stop: the loop has to be left
 */
struct taken {
	uint64_t start;
	uint32_t more;
	uint8_t bytes;
	bool stop;
};

/* Bit 7 of each of eight bytes that is no atom packet, so below 0xc0, and of the last one. */
static __always_inline uint64_t others_of(uint64_t bytes)
{
	return (bytes & bytes << 1 & 0x0080808080808080ull) ^ 0x8080808080808080ull;
}

/*
 * The place where execution is, at @start, as everybody else knows it.  @moved: the last address
 * that came since anybody did, or START_UNSEEN.  @gen: exec_gen().
 */
static void settle(struct csf_decoder *d, uint64_t start, uint64_t moved, uint32_t gen)
{
	struct exec *p = &d->exec;

	if (!path_is_block(moved)) {
		p->cur = go(d, moved, gen);
		if (start == moved)
			return;
		if (!p->cur)
			exec_locate(d);
	}
	if (start == START_UNSEEN)
		return;
	p->cur = start == START_AWAY ? 0 : path_block(start);
	p->returns = start == START_AWAY;
	p->from = 0;
}

static uint64_t start_of(const struct csf_decoder *d)
{
	if (d->exec.cur)
		return path_from_block(d->exec.cur);
	return d->exec.returns ? START_AWAY : START_UNSEEN;
}

/*
 * Makes @n steps, of the atom packets @bytes, a path of the image, whose lock it keeps.  Return:
 * path_of() it, or 0.
 */
static uint32_t number(struct csf_decoder *d, const uint32_t *step, uint32_t n, uint64_t bytes)
{
	struct csf_image *image = d->image;
	uint32_t number;

	exec_lock(d);
	number = path_at(&image->paths, path_hash(*step >> 1, bytes), step, n);
	d->memo->cells = image->paths.cells;
	return number ? path_of(number, n) : 0;
}

/* The run has the steps @step, @n of them, which may be there already. */
static void add_steps(struct csf_decoder *d, const uint32_t *step, uint32_t n)
{
	if (step != d->step + d->n_step)
		memcpy(d->step + d->n_step, step, n * sizeof(*step));
	d->n_step += n;
}

/*
 * The steps @step, @n of them, which what @row says made, are a path from now on, and stand in the
 * run as that: whoever counts has all steps of a path to count once, and these would be some more;
 * for everybody else to unfold them takes less than to copy them one by one.  Return: how many
 * there are, less one.
 */
static __always_inline uint32_t learn(struct csf_decoder *d, struct path_row row,
				      const uint32_t *step, uint32_t n)
{
	struct path_memo *memo = d->memo;

	row.path = memo->own ? path_keep(memo, n) : number(d, step, n, row.bytes);
	if (unlikely(!row.path)) {
		add_steps(d, step, n);
		return 0;
	}
	*path_learn(memo, row.start, row.bytes) = row;
	d->step[d->n_step++] = memo->own ? row.path : row.path & PATH_ASKED;
	return n - 1;
}

/* So few are remembered that what comes once may be, too. */
static __always_inline bool few(const struct csf_decoder *d)
{
	return d->memo->own ? d->memo->n_step < PATH_OWN_MAX / 2 :
			      load_link(&d->image->paths.n) < PATH_FEW;
}

/* Did all happen in one place: at @start, or, if that is a block, where @anchor was? */
static bool is_linked(const struct csf_decoder *d, uint64_t start, uint32_t anchor, uint32_t step)
{
	const struct exec *p = &d->exec;

	if (path_is_block(start))
		return start != START_UNSEEN && p->anchor == anchor;
	return p->at == (start & ~1ull) && p->anchor == step >> 1;
}

/* How many packets are in @bytes, 1 at least. */
static __always_inline uint32_t count_packets(uint64_t bytes)
{
	return 8 - __builtin_clzll(bytes) / 8;
}

/**
 * struct batch - atom packets of which all atoms fit into one number
 * @atoms: these, the next one in bit 0
 * @n: how many
 * @rest: the packets behind them
 */
struct batch {
	uint64_t atoms;
	uint32_t n;
	uint64_t rest;
};

static __always_inline struct batch first_of(uint64_t bytes)
{
	struct batch b = { .rest = bytes };

	do {
		const struct packet_atoms *atoms = &packet_atom[b.rest & 0xff];

		b.atoms |= (uint64_t)atoms->bits << b.n;
		b.n += atoms->n;
		b.rest >>= 8;
		if (!b.rest)
			break;
	} while (b.n <= 64 - ATOMS_MAX);
	return b;
}

/*
 * The block where execution is, which nobody remembers: of the atoms of the packets @bytes, which
 * end at offset @end, @done became steps.  0: what is left of one packet is lost, and *@rest are
 * those behind it.
 */
static noinline uint32_t find_place(struct csf_decoder *d, uint64_t bytes, uint64_t end,
				    uint32_t done, uint64_t *rest)
{
	uint32_t n, cur;

	for (; (n = packet_atom[bytes & 0xff].n) <= done; bytes >>= 8)
		done -= n;
	n -= done;
	cur = d->exec.from && d->exec.known ? exec_link(d) : 0;
	if (!cur)
		cur = fast_locate(d, end - count_packets(bytes),
				  packet_atom[bytes & 0xff].bits >> done, n);
	if (likely(cur))
		return cur;
	d->stats.atoms += n;
	d->stats.p0 += n;
	*rest = bytes >> 8;
	return 0;
}

/*
 * As leave(), where most have no link: its other callers are best compiled as they are, for they
 * mostly find one.
 */
static __always_inline uint32_t leave_new(struct csf_decoder *d, uint32_t step, uint32_t next,
					  bool on)
{
	if (next & SUCC_AWAY) {
		d->exec.returns = true;
		d->exec.from = 0;
		return 0;
	}
	if (next & SUCC_BLOCK)
		return next & SUCC_BLOCK;
	if (likely(on && !(next & SUCC_OUT)))
		return exec_go_on(d, step);
	exec_leave(d, step >> 1, step & 1);
	return d->exec.cur;
}

/*
 * Steps through the atom packets *@bytes, which end at offset @end, until the run ends or the slow
 * path has to go on; then these are the others.  Steps go to *@to.  Returns false if atoms are
 * lost.
 */
static __always_inline bool step_packets(struct csf_decoder *d, uint32_t **to, uint64_t *bytes,
					 uint64_t end)
{
	const uint32_t *const succ = d->image->blocks.succ;
	uint32_t *out = *to, cur = d->exec.cur;
	uint64_t rest = *bytes, behind;
	bool all = true;

	do {
		const uint64_t packets = rest;
		struct batch b = first_of(packets);
		const uint32_t n = b.n;

		rest = b.rest;
		while (b.n) {
			if (unlikely(!cur))
				cur = find_place(d, packets, end, n - b.n, &behind);
			if (unlikely(!cur)) {
				cur = d->exec.cur;
				rest = behind;
				all = false;
				break;
			}
			/* What most are: a load and a jump that is not taken, each. */
			do {
				*out = 2 * cur + (b.atoms & 1);
				b.atoms >>= 1;
				cur = load_link(&succ[*out++]);
			} while (--b.n && likely((int32_t)cur > 0));
			if (unlikely((int32_t)cur <= 0))
				cur = leave_new(d, out[-1], cur, b.n || rest);
		}
	} while (rest && likely(all || !(d->ended | d->el_ready)));
	*bytes = rest;
	*to = out;
	d->exec.cur = cur;
	return all;
}

/*
 * Steps through the atom packets @bytes, at @pos.  They are remembered if nothing odd happened on
 * the way: so the steps are made where they would be kept.
 */
static noinline struct taken step_through(struct csf_decoder *d, uint64_t start, uint64_t moved,
					  uint64_t bytes, const uint8_t *pos, uint32_t gen)
{
	const uint64_t offset = window_offset(&d->win, pos);
	const uint32_t packets = count_packets(bytes);
	uint32_t *const kept = path_room(d->memo, ROOM), *const step = kept ?: d->step + d->n_step;
	uint32_t *out = step, anchor, more = 0;
	uint64_t rest = bytes, end;
	bool all;

	settle(d, start, moved, gen);
	anchor = d->exec.anchor;
	path_look_ahead(d->memo, d->exec.cur, bytes);
	d->keep_lock = true;
	all = step_packets(d, &out, &rest, offset + packets);
	end = start_of(d);
	if (likely(all && end != START_UNSEEN && is_linked(d, start, anchor, *step)) &&
	    (few(d) || path_seen(d->memo, start, bytes, gen)) && (kept || !d->memo->own))
		more = learn(d, (struct path_row){ start, bytes, gen, 0, end }, step, out - step);
	else
		add_steps(d, step, out - step);
	d->keep_lock = false;
	exec_let_go(d);

	if (unlikely(!all && (d->ended || d->el_ready)))
		return (struct taken){
			.start = START_UNSEEN, .bytes = packets - (rest ? count_packets(rest) : 0),
			.stop = true,
		};
	return (struct taken){
		.start = end, .bytes = packets, .more = more, .stop = !path_miss(d->memo, offset),
	};
}

/* @n steps and paths were made of @units runs of atoms; the paths have @more than one. */
static void count(struct csf_decoder *d, uint64_t units, uint64_t n, uint64_t more)
{
	d->stats.atoms += n + more;
	d->stats.p0 += n + more;
	path_judge(d->memo, window_offset(&d->win, d->win.pos), units, n + more);
}

/*
 * An address or mark, and the atoms that follow it, can be taken if it starts before this: then
 * these are where packets may start, too, or there are none, for no atom is behind a cut.
 */
static const uint8_t *bound_of(const struct window *win)
{
	const uint8_t *near = etm4_near(win), *behind = win->limit - (AT_ONCE - 1);

	return near < behind ? near : behind;
}

/* As packet_address_at(), and then it is the last one. */
static __always_inline unsigned int take_address(const uint8_t *pos, uint64_t last[3], uint64_t *at)
{
	const unsigned int size = packet_address_at(pos, last, at);

	if (unlikely(!size))
		return 0;
	packet_keep_address(last, *at);
	return size;
}

/* As fast_mark(), behind @n steps and paths, which have @more steps than that. */
static noinline unsigned int take_mark(struct csf_decoder *d, const uint8_t *pos, uint32_t n,
				       uint64_t more)
{
	unsigned int size;

	d->n_step = n;
	d->n_more += more;	/* the loop counts them when it ends */
	size = fast_mark(d, pos);
	d->n_more -= more;
	return size;
}

/* An address, which is *@start and *@moved then, or a mark.  Returns its size; 0: it is neither. */
static __always_inline unsigned int take_between(struct csf_decoder *d, const uint8_t *pos,
						 uint64_t *start, uint64_t *moved, uint32_t n,
						 uint64_t more)
{
	const unsigned int size = take_address(pos, d->etm4.expand.addr, start);

	if (unlikely(!size))
		return take_mark(d, pos, n, more);
	*moved = *start;
	return size;
}

/* Of the two places for a row that which has it, if any has. */
static __always_inline const struct path_row *likely_row(const struct path_memo *memo,
							 uint64_t start, uint64_t bytes)
{
	const struct path_row *row = path_slot(memo, start, bytes);

	return likely(row->start == start && row->bytes == bytes) ? row : path_other(row);
}

/* Takes what it can, but for the last bytes that are at hand, and the last places of the run. */
static void run(struct csf_decoder *d)
{
	const uint8_t *pos = d->win.pos, *const first = pos, *const bound = bound_of(&d->win);
	const uint32_t *const full = d->step + d->config.run_max - d->n_more;
	uint32_t *out = d->step + d->n_step, *const begin = out;
	const struct path_memo *memo = d->memo;
	uint64_t start = start_of(d), moved = START_UNSEEN, payload = 0, more = 0, bytes, others;
	const uint32_t gen = exec_gen(d), shown = d->config.paths ? PATH_ASKED : ~0u;
	int64_t single = 0;	/* steps of what is not known, but for one of each run of atoms */

	while (likely(pos < bound)) {
		const struct path_row *row;
		struct taken taken;

		if (*pos < 0xc0) {
			const unsigned int size = take_between(d, pos, &start, &moved,
							       out - d->step, more);

			if (unlikely(!size))
				break;
			pos += size;
			payload += size - 1;
		}
		bytes = get_le64(pos);
		others = others_of(bytes);
		if (unlikely(others & 0x80))
			continue;
		bytes &= (others ^ (others - 1)) >> 8;	/* up to the first of them */
		row = likely_row(memo, start, bytes);
		if (likely(row->start == start && row->bytes == bytes && row->gen == gen)) {
			const uint32_t path = row->path;
			const uint64_t then = more + path_more(path);

			if (unlikely(out + then >= full))
				break;
			start = row->end;
			more = then;
			*out++ = path & shown;
			pos += (unsigned int)__builtin_ctzll(others) / 8;
			continue;
		}
		if (unlikely(out + more + ROOM > full))
			break;
		d->n_step = out - d->step;
		taken = step_through(d, start, moved, bytes, pos, gen);
		single += d->n_step - (out - d->step) - 1;
		out = d->step + d->n_step;
		more += taken.more;
		start = taken.start;
		moved = START_UNSEEN;
		pos += taken.bytes;
		if (taken.stop)
			break;
	}
	d->n_step = out - d->step;
	settle(d, start, moved, gen);
	d->win.pos = pos;
	d->n_more += more;
	d->folded |= out > begin;
	d->stats.packets += (pos - first) - payload;
	count(d, out - begin - single, out - begin, more);
}

void flow_fast_paths(struct csf_decoder *d)
{
	if (settled(d) && d->n_step + d->n_more + ROOM <= d->config.run_max)
		run(d);
}
