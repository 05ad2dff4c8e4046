// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The hot loop with paths: the atoms between two addresses are looked up as a whole, and only those
 * that were not seen before are stepped through.
 *
 * Without a return stack, each run of atom packets begins at an address from the trace, or where
 * the run before it ended: so no look-up waits for another.
 */
#include "fast.h"

/* Maximum number of steps of PATH_BYTES packets. */
#define ROOM	(PATH_BYTES * ATOMS_MAX)

/* Maximum bytes of an address or mark, and of the atoms after it that are read. */
#define AT_ONCE	(CSF_PACKET_MAX + 8)

/* The bits of a path that a caller that asked for paths gets. */
#define PATH_ASKED	(CSF_PATH | PATH_NUMBER)

/* Start of a run of atoms at a place that is not known as a block. */
#define START_UNSEEN	path_from_block(0)
#define START_AWAY	path_from_block(UINT32_MAX)

/**
 * struct taken - the result for packets without a remembered path; 16 bytes, two registers
 * @start: start of the next packets
 * @bytes: these packets
 * @more: they are a path from now on, which is handed out: its number of steps less one; otherwise
 *        0
 * @stop: the loop must end
 */
struct taken {
	uint64_t start;
	uint32_t more;
	uint8_t bytes;
	bool stop;
};

/* Bit 7 of each of eight bytes that is not an atom packet, so below 0xc0, and of the last one. */
static __always_inline uint64_t others_of(uint64_t bytes)
{
	return (bytes & bytes << 1 & 0x0080808080808080ull) ^ 0x8080808080808080ull;
}

/*
 * Sets the place of execution, which is at @start, for the rest of the decoder.  @moved: the last
 * address since this was last done, or START_UNSEEN.  @gen: exec_gen().
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
 * Makes the @n steps of the atom packets @bytes a path of the image, whose lock it keeps.  Return:
 * path_of() it, or 0.
 */
static uint32_t number(struct csf_decoder *d, const uint32_t *step, uint32_t n, uint64_t bytes)
{
	struct csf_image *image = d->image;
	uint32_t number;

	exec_lock(d);
	number = path_at(&image->paths, path_hash(*step >> 1, bytes), step, n);
	d->addr.memo->cells = image->paths.cells;
	return number ? path_of(number, n) : 0;
}

/* Adds the @n steps @step to the run; they may be there already. */
static void add_steps(struct csf_decoder *d, const uint32_t *step, uint32_t n)
{
	if (step != d->out.step + d->out.n_step)
		memcpy(d->out.step + d->out.n_step, step, n * sizeof(*step));
	d->out.n_step += n;
}

/*
 * Makes a path of the @n steps @step, which came from the packets in @row, and puts it into the
 * run.  A caller that counts paths then has no extra steps to count; for other callers unfolding
 * takes less time than copying the steps one by one.  Return: number of steps, less one.
 */
static __always_inline uint32_t learn(struct csf_decoder *d, struct path_row row,
				      const uint32_t *step, uint32_t n)
{
	struct path_memo *memo = d->addr.memo;

	row.path = memo->own ? path_keep(memo, n) : number(d, step, n, row.bytes);
	if (unlikely(!row.path)) {
		add_steps(d, step, n);
		return 0;
	}
	*path_learn(memo, row.start, row.bytes) = row;
	d->out.step[d->out.n_step++] = memo->own ? row.path : row.path & PATH_ASKED;
	return n - 1;
}

/* Are there so few paths that even those seen only once may be remembered? */
static __always_inline bool few(const struct csf_decoder *d)
{
	return d->addr.memo->own ? d->addr.memo->n_step < PATH_OWN_MAX / 2 :
			      load_link(&d->image->paths.n) < PATH_FEW;
}

/* Did all steps stay in one place: at @start, or, if that is a block, in that of @anchor? */
static bool is_linked(const struct csf_decoder *d, uint64_t start, uint32_t anchor, uint32_t step)
{
	const struct exec *p = &d->exec;

	if (path_is_block(start))
		return start != START_UNSEEN && p->anchor == anchor;
	return p->at == (start & ~1ull) && p->anchor == step >> 1;
}

/* Number of packets in @bytes, 1 at least. */
static __always_inline uint32_t count_packets(uint64_t bytes)
{
	return 8 - __builtin_clzll(bytes) / 8;
}

/**
 * struct batch - atom packets whose atoms all fit into one number
 * @atoms: the atoms, the next one in bit 0
 * @n: number of atoms
 * @rest: the packets after them
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
 * The block where execution is, which is not remembered.  @done atoms of the packets @bytes, which
 * end at offset @end, became steps.  0: the rest of one packet is lost, and *@rest are the packets
 * after it.
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
		cur = steps_locate(d, end - count_packets(bytes),
				   packet_atom[bytes & 0xff].bits >> done, n);
	if (likely(cur))
		return cur;
	d->stats.atoms += n;
	d->stats.p0 += n;
	*rest = bytes >> 8;
	return 0;
}

/*
 * The N atom after @done others of the packets @bytes, which end at offset @end, contradicts the
 * code of block @cur.  Leaves the rest of its packet to the slow path; *@rest are the packets after
 * it.
 */
static noinline void refuse(struct csf_decoder *d, uint64_t bytes, uint64_t end, uint32_t done,
			    uint64_t *rest)
{
	uint32_t n;

	for (; (n = packet_atom[bytes & 0xff].n) <= done; bytes >>= 8)
		done -= n;
	n -= done;
	steps_refuse(d, end - count_packets(bytes), packet_atom[bytes & 0xff].bits >> done, n);
	d->stats.atoms += n;
	d->stats.p0 += n;
	*rest = bytes >> 8;
}

/*
 * As leave(), where most steps have no link.  Its other callers are best compiled separately, as
 * they mostly find one.
 */
static __always_inline uint32_t leave_new(struct csf_decoder *d, uint32_t step, uint32_t next,
					  bool on, bool *never)
{
	*never = false;
	if (next & SUCC_AWAY) {
		*never = !(step & 1);
		if (unlikely(*never))
			return step >> 1;
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
 * path has to go on; *@bytes are then the packets that are left.  Steps go to *@to.  Returns false
 * if atoms are lost.
 */
static __always_inline bool step_packets(struct csf_decoder *d, uint32_t **to, uint64_t *bytes,
					 uint64_t end)
{
	const uint32_t *const succ = d->image->blocks.succ;
	uint32_t *out = *to, cur = d->exec.cur;
	uint64_t rest = *bytes, behind;
	bool all = true, never;

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
			/* Most steps: one load and one branch that is not taken. */
			do {
				*out = 2 * cur + (b.atoms & 1);
				b.atoms >>= 1;
				cur = load_link(&succ[*out++]);
			} while (--b.n && likely((int32_t)cur > 0));
			if (likely((int32_t)cur > 0))
				continue;
			cur = leave_new(d, out[-1], cur, b.n || rest, &never);
			if (likely(!never))
				continue;
			refuse(d, packets, end, n - again(b.n) - 1, &rest);
			all = false;
			out = again(out) - 1;
			break;
		}
	} while (rest && likely(all || !(d->out.ended | d->el_ready)));
	*bytes = rest;
	*to = out;
	d->exec.cur = cur;
	return all;
}

/*
 * Steps through the atom packets @bytes, at @pos.  They are remembered if nothing unusual happened
 * on the way: so the steps are made in the place where they would be kept.
 */
static noinline struct taken step_through(struct csf_decoder *d, uint64_t start, uint64_t moved,
					  uint64_t bytes, const uint8_t *pos, uint32_t gen)
{
	const uint64_t offset = window_offset(&d->in.win, pos);
	const uint32_t packets = count_packets(bytes);
	uint32_t *const kept = path_room(d->addr.memo, ROOM), *const step =
								      kept  ?:
									      d->out.step +
										      d->out.n_step;
	uint32_t *out = step, anchor, more = 0;
	uint64_t rest = bytes, end;
	bool all;

	settle(d, start, moved, gen);
	anchor = d->exec.anchor;
	path_look_ahead(d->addr.memo, d->exec.cur, bytes);
	d->keep_lock = true;
	all = step_packets(d, &out, &rest, offset + packets);
	end = start_of(d);
	if (likely(all && end != START_UNSEEN && is_linked(d, start, anchor, *step)) &&
	    (few(d) || path_seen(d->addr.memo, start, bytes, gen)) && (kept || !d->addr.memo->own))
		more = learn(d, (struct path_row){
			start, bytes, gen | (end == START_AWAY ? 0 : PATH_STAYS), 0, end,
		}, step, out - step);
	else
		add_steps(d, step, out - step);
	d->keep_lock = false;
	exec_let_go(d);

	if (unlikely(!all && (d->out.ended || d->el_ready)))
		return (struct taken){
			.start = START_UNSEEN, .bytes = packets - (rest ? count_packets(rest) : 0),
			.stop = true,
		};
	return (struct taken){
		.start = end,
		.bytes = packets,
		.more = more,
		.stop = !path_miss(d->addr.memo, offset),
	};
}

/*
 * Counts @n steps and paths, made of @units runs of atoms; the paths have @more than one step each.
 */
static void count(struct csf_decoder *d, uint64_t units, uint64_t n, uint64_t more)
{
	d->stats.atoms += n + more;
	d->stats.p0 += n + more;
	path_judge(d->addr.memo, window_offset(&d->in.win, d->in.win.pos), units, n + more);
}

/*
 * An address or mark, and the atoms after it, can be taken if it starts before this.  Then either
 * packets may start at these atoms, too, or there are none, as no atom follows a cut.
 */
static const uint8_t *bound_of(const struct window *win)
{
	const uint8_t *near = etm4_near(win), *behind = win->limit - (AT_ONCE - 1);

	return near < behind ? near : behind;
}

/* As fast_mark(), after @n steps and paths, which have @more steps than that. */
static noinline unsigned int take_mark(struct csf_decoder *d, const uint8_t *pos, uint32_t n,
				       uint64_t more)
{
	unsigned int size;

	d->out.n_step = n;
	d->out.n_more += more;	/* the loop counts these when it ends */
	size = fast_mark(d, pos);
	d->out.n_more -= more;
	return size;
}

/* As packet_address_at(), and keeps it as the last address. */
static __always_inline unsigned int take_address(const uint8_t *pos, uint64_t last[3], uint64_t *at)
{
	const unsigned int size = packet_address_at(pos, last, at);

	if (unlikely(!size))
		return 0;
	packet_keep_address(last, *at);
	return size;
}

/*
 * Takes an address, which sets *@start and *@moved, or a mark.  Returns its size; 0: it is neither.
 */
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

/*
 * Is this an address that no branch waits for, as execution is at @start?  Then the loop must end:
 * it may contradict the code.  Rows whose end is not START_AWAY are apart, so that the others need
 * not ask.
 */
static __always_inline bool is_needless(uint64_t start, const uint8_t *pos)
{
	return start != START_AWAY && packet_is_address[*pos];
}

/*
 * The number of packets before the first of @others, one at least.  Compared one by one: then the
 * processor goes on where it predicts the next packet, and does not wait for the bytes here.
 */
static __always_inline unsigned int count_atom_packets(uint64_t others)
{
	if (others & 0x8000)
		return 1;
	if (others & 0x800000)
		return 2;
	if (others & 0x80000000)
		return 3;
	return (unsigned int)__builtin_ctzll(others) / 8;
}

static __always_inline bool has_path(const struct path_row *row, uint64_t start, uint64_t bytes)
{
	return row->start == start && row->bytes == bytes;
}

/* The row that has it, of the two places for it; one of the two if none has. */
static __always_inline const struct path_row *likely_row(const struct path_memo *memo,
							 uint64_t start, uint64_t bytes)
{
	const struct path_row *row = path_slot(memo, start, bytes);

	return likely(has_path(row, start, bytes)) ? row : path_other(row);
}

/* Takes the path of @row.  Returns false if there is no room for it. */
static __always_inline bool take_path(const struct path_row *row, uint64_t *start, uint32_t **out,
				      uint64_t *more, const uint32_t *full, uint32_t shown)
{
	const uint32_t path = row->path;
	const uint64_t then = *more + path_more(path);

	if (unlikely(*out + then >= full))
		return false;
	*start = row->end;
	*more = then;
	*(*out)++ = path & shown;
	return true;
}

/*
 * Takes what it can, except for the last bytes available and the last places of the run.  Long
 * because it is the hot loop: its state stays in registers, and what is rare is in functions
 * already.
 *
 * Where the processor cannot predict a branch, the trace alone decides it, and not a row, which may
 * have to come from far: after a path it goes on by the next byte.
 */
static void run(struct csf_decoder *d)
{
	const uint8_t *pos = d->in.win.pos, *const first = pos, *bound = bound_of(&d->in.win);
	const uint32_t *const full = d->out.step + d->config.run_max - d->out.n_more;
	uint32_t *out = d->out.step + d->out.n_step, *const begin = out;
	const struct path_memo *memo = d->addr.memo;
	uint64_t start = start_of(d), moved = START_UNSEEN, payload = 0, more = 0, bytes, others;
	const uint32_t gen = exec_gen(d), shown = d->config.paths ? PATH_ASKED : ~0u;
	int64_t single = 0;	/* steps of unknown paths, less one for each run of atoms */

	if (pos < bound && is_needless(start, pos))
		bound = pos;
	while (likely(pos < bound)) {
		const struct path_row *row;
		const uint8_t *next;
		struct taken taken;

		if (*pos < 0xc0) {
			const unsigned int size = take_between(d, pos, &start, &moved,
							       out - d->out.step, more);

			if (unlikely(!size))
				break;
			pos += size;
			payload += size - 1;
		}
		bytes = get_le64(pos);
		others = others_of(bytes);
		if (unlikely(others & 0x80)) {
			if (is_needless(start, pos))
				break;
			continue;
		}
		bytes &= (others ^ (others - 1)) >> 8;	/* up to the first other packet */
		next = pos + count_atom_packets(others);
		row = likely_row(memo, start, bytes);
		if (likely(has_path(row, start, bytes) &&
			   row->gen == (*next < 0xc0 ? gen : gen | PATH_STAYS))) {
			if (unlikely(!take_path(row, &start, &out, &more, full, shown)))
				break;
			pos = next;
			continue;
		}
		/* the other kind of end: a mark comes next, or the address is needless */
		if (has_path(row, start, bytes) &&
		    (row->gen | PATH_STAYS) == (gen | PATH_STAYS)) {
			if (unlikely(!take_path(row, &start, &out, &more, full, shown)))
				break;
			pos = next;
			if (pos < bound && is_needless(start, pos))
				break;
			continue;
		}
		if (unlikely(out + more + ROOM > full))
			break;
		d->out.n_step = out - d->out.step;
		taken = step_through(d, start, moved, bytes, pos, gen);
		single += d->out.n_step - (out - d->out.step) - 1;
		out = d->out.step + d->out.n_step;
		more += taken.more;
		start = taken.start;
		moved = START_UNSEEN;
		pos += taken.bytes;
		if (taken.stop || (pos < bound && is_needless(start, pos)))
			break;
	}
	d->out.n_step = out - d->out.step;
	settle(d, start, moved, gen);
	d->in.win.pos = pos;
	d->out.n_more += more;
	d->out.folded |= out > begin;
	d->stats.packets += (pos - first) - payload;
	count(d, out - begin - single, out - begin, more);
}

void flow_fast_paths(struct csf_decoder *d)
{
	if (settled(d) && d->out.n_step + d->out.n_more + ROOM <= d->config.run_max)
		run(d);
}
