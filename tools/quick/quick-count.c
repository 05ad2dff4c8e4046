// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../count/count-fill.h"
#include "quick-count.h"
#include "../input/unchecked.h"
#include "../lib/without.h"

/* The place of programs and libraries: AArch32 needs room above, and 0 is not an address. */
#define USER_BASE	0x10000000

/* Sections of one file that are placed together: a program has one or two. */
#define BESIDE_MAX	64

/* Exceptions for replay: an interrupt; a debug halt, whose address is not reliable. */
#define TYPE_IRQ	14
#define TYPE_DEBUG_HALT	1

#define EXCEPTION_ADDR	1	/* E1:E0 */

/* struct csf_packet.info of an I-sync and of a branch of ETMv3 and PTM. */
#define ISYNC_PERIODIC	(0 << 5 | 8)	/* non-secure */
#define ISYNC_ON	(1 << 5 | 8)
#define BRANCH_NS	8
#define BRANCH_CANCEL	(1 << 5)

/* The largest sum of counts, so that no sum of instructions is too large. */
#define TIMES_MAX	(1ull << 52)

/**
 * struct seat - the place of a section while atom runs are replayed
 * @space: address space; CSF_SPACE_ALL: the kernel's
 * @addr: of its first byte
 * @dso: number of its file in the code
 */
struct seat {
	int space;
	uint64_t addr;
	uint32_t dso;
};

/**
 * struct replay - the state of replay
 * @seat: one for each section
 * @dec: one for each trace unit; NULL: not yet needed
 * @trace: an atom run as trace, @n bytes
 * @parts: numbers of its parts, the first one last
 * @gap: a part of it was lost
 * @going: execution goes on after the previous code
 * @breaks: see enum count_stat
 * @lost: likewise
 */
struct replay {
	const struct quick *quick;
	struct csf_image *image;
	struct perf_code code;
	struct seat *seat;
	struct csf_decoder *dec[QUICK_UNITS];
	struct perf_stream stream;
	struct count_fill fill;
	uint8_t *trace;
	size_t n, size;
	uint32_t *parts;
	bool gap, going;
	uint64_t breaks, lost[CSF_GAP_NR];
};

/* ---------------------------------------------------------------- places of sections */

static bool is_kernel(const struct replay *r, uint32_t section)
{
	const struct quick *q = r->quick;
	const uint8_t kind = q->table.dso[q->section[section].dso].kind;

	return kind == DSO_KERNEL || kind == DSO_MODULE || kind == DSO_SYMBOL;
}

/* The address by the program's headers. */
static uint64_t user_addr(struct replay *r, const struct quick_section *s, uint32_t number)
{
	struct dso *dso = r->code.dsos.dso[number];
	const struct elf_segment *segment = NULL;

	if (dso_load(&r->code.dsos, dso) && dso->elf->is_elf)
		segment = elf_segment_at(dso->elf, s->offset);
	return USER_BASE + (segment ? segment->addr + (s->offset - segment->offset) : s->offset);
}

static int seat_section(struct replay *r, uint32_t section)
{
	const struct quick_section *s = &r->quick->section[section];
	const struct count_dso *d = &r->quick->table.dso[s->dso];
	const struct dso_key key = { .name = d->name, .kind = d->kind, .build_id = d->build_id,
				     .n_build_id = d->n_build_id, .program = d->program };
	struct seat *seat = &r->seat[section];
	long dso = dso_add(&r->code.dsos, &key);

	if (dso < 0)
		return -ENOMEM;
	seat->dso = dso;
	seat->addr = s->addr;
	if (!is_kernel(r, section))
		seat->addr = user_addr(r, s, dso);
	/* a kernel and modules that were moved are no longer at their mutual call targets */
	seat->space = is_kernel(r, section) && !s->moved ? CSF_SPACE_ALL :
		      csf_space_alone(r->image);
	return seat->space < 0 ? -ENOMEM : 0;
}

/* Maps a section in the space of another one, or in its own. */
static int map_section(struct replay *r, uint32_t section, int space)
{
	const struct quick_section *s = &r->quick->section[section];
	const struct seat *seat = &r->seat[section];
	const struct code_map map = { .space = space, .dso = seat->dso, .addr = seat->addr,
				      .n = s->n, .offset = s->offset };
	struct code_map kernel = map;

	if (r->quick->table.dso[s->dso].kind != DSO_KERNEL)
		return perf_code_map(&r->code, &map);
	kernel.offset = s->addr + s->symbol;
	return perf_code_map_kernel(&r->code, &kernel, "_text");
}

static bool overlap(const struct replay *r, uint32_t a, uint32_t b)
{
	const struct seat *seat = r->seat;

	return seat[a].addr < seat[b].addr + r->quick->section[b].n &&
	       seat[b].addr < seat[a].addr + r->quick->section[a].n;
}

/* Makes the space of a program or library: the section, and the rest of the file around it. */
static int map_user(struct replay *r, uint32_t section)
{
	const struct quick *q = r->quick;
	size_t n = 0;
	int err = 0;

	for (size_t i = 1; i < q->n_section && n < BESIDE_MAX && !err; i++) {
		if (i == section || q->section[i].dso != q->section[section].dso ||
		    overlap(r, i, section))
			continue;
		n++;
		err = map_section(r, i, r->seat[section].space);
	}
	return err ?: map_section(r, section, r->seat[section].space);
}

/* Kernels before their modules, which call them. */
static int map_kernels(struct replay *r, bool modules)
{
	const struct quick *q = r->quick;
	int err = 0;

	for (size_t i = 1; i < q->n_section && !err; i++)
		if (is_kernel(r, i) &&
		    (q->table.dso[q->section[i].dso].kind != DSO_KERNEL) == modules)
			err = map_section(r, i, r->seat[i].space);
	return err;
}

static int map_all(struct replay *r)
{
	const struct quick *q = r->quick;
	int err = 0;

	for (size_t i = 1; i < q->n_section && !err; i++)
		err = seat_section(r, i);
	if (!err)
		err = map_kernels(r, false);
	if (!err)
		err = map_kernels(r, true);
	for (size_t i = 1; i < q->n_section && !err; i++)
		if (!is_kernel(r, i))
			err = map_user(r, i);
	return err;
}

/* ---------------------------------------------------------------- atom runs as trace */

static void put(struct replay *r, uint8_t unit, const struct csf_packet *packet)
{
	int n = csf_packet_write(&r->quick->unit[unit], r->trace + r->n, packet);

	r->n += n > 0 ? n : 0;
}

/* Writes an address, with a context for its width, or without. */
static void put_address(struct replay *r, const struct atom_run *first, uint64_t addr,
			bool context)
{
	const uint8_t isa = first->flags & QUICK_ISA;
	const bool wide = isa == CSF_A64;
	struct csf_packet p = { .type = wide ? CSF_PKT_ADDR64 : CSF_PKT_ADDR32, .n = 64,
				.val = addr, .flags = isa == CSF_T32 ? CSF_PKT_IS1 : 0 };

	/* a packet of the other kind has no bit 1: there is no A64 code, and there shall be none */
	if (wide && addr & 2)
		p.flags = CSF_PKT_IS1;

	if (!wide) {
		p.n = 32;
		p.val = (uint32_t)addr;
	}
	if (context) {
		p.type = wide ? CSF_PKT_ADDR_CTXT64 : CSF_PKT_ADDR_CTXT32;
		p.flags |= CSF_PKT_CTXT;
		/* SF, and EL1 */
		p.info = wide << 4 | 1;
	}
	put(r, first->unit, &p);
}

/* The same for ETMv3 and PTM; @addr has its instruction set bit. */
static void put_older(struct replay *r, uint8_t unit, struct csf_packet p, uint64_t addr)
{
	p.n = 32;
	p.val = (uint32_t)addr & ~1u;
	p.flags |= addr & 1 ? CSF_PKT_IS1 : 0;
	put(r, unit, &p);
}

/* One that no I-sync of a trace unit would continue. */
static void put_isync(struct replay *r, uint8_t unit, uint64_t addr)
{
	put_older(r, unit, (struct csf_packet){ .type = CSF_PKT_ISYNC, .info = ISYNC_ON }, addr);
}

static bool is_older(const struct replay *r, uint8_t unit)
{
	return quick_is_older(&r->quick->unit[unit]);
}

/* Begins an atom run: its address, and an empty return stack. */
static void put_begin(struct replay *r, const struct atom_run *first, uint64_t addr)
{
	if (is_older(r, first->unit)) {
		put_isync(r, first->unit, addr | ((first->flags & QUICK_ISA) == CSF_T32));
		return;
	}
	put(r, first->unit, &(struct csf_packet){ .type = CSF_PKT_INFO });
	put(r, first->unit, &(struct csf_packet){ .type = CSF_PKT_ON });
	put_address(r, first, addr, true);
}

/* An end that makes the decoder report all that is not yet reported. */
static void put_end(struct replay *r, uint8_t unit)
{
	static const struct csf_packet on = { .type = CSF_PKT_ON };

	if (is_older(r, unit))
		put_isync(r, unit, 0);
	else
		put(r, unit, &on);
}

/* Of an ETMv3: some E, and perhaps one N. */
static unsigned int put_atoms_etm3(struct replay *r, uint8_t unit, unsigned int taken,
				   unsigned int n)
{
	struct csf_packet p = { .type = CSF_PKT_ATOM, .n = taken < 15 ? taken : 15 };

	p.val = (1u << p.n) - 1;
	p.n += taken == p.n && taken < n;
	put(r, unit, &p);
	return p.n;
}

/* Writes as many of the next atoms as one packet can hold. */
static unsigned int put_atoms(struct replay *r, uint8_t unit, uint64_t atoms, unsigned int n)
{
	unsigned int taken = ~atoms ? __builtin_ctzll(~atoms) : 64;
	struct csf_packet p = { .type = CSF_PKT_ATOM };

	if (taken > n)
		taken = n;
	if (r->quick->unit[unit].protocol == CSF_PROTOCOL_ETM3)
		return put_atoms_etm3(r, unit, taken, n);
	/* 4 to 24 atoms: all but the last are E; or 3, 2, 1 of any kind; of PTM 1 to 5 of any */
	if (is_older(r, unit))
		p.n = n < 5 ? n : 5;
	else if (taken >= 24)
		p.n = 24;
	else if (taken >= 4)
		p.n = taken;
	else
		p.n = n < 3 ? n : 3;
	p.val = atoms & ((1u << p.n) - 1);
	put(r, unit, &p);
	return p.n;
}

/* The first @n. */
static void put_all_atoms(struct replay *r, uint8_t unit, const struct atom_run *s, unsigned int n)
{
	uint64_t atoms = s->atoms;

	for (unsigned int some; n; n -= some) {
		some = put_atoms(r, unit, atoms, n);
		atoms = some < 64 ? atoms >> some : 0;
	}
}

static bool is_exception(const struct atom_run *last)
{
	return last->end == QUICK_EXCEPTION || last->end == QUICK_NEAR;
}

/* Were both sections placed together? */
static bool together(const struct replay *r, uint32_t a, uint32_t b)
{
	const struct quick_section *s = r->quick->section;

	return a && b && (s[a].dso == s[b].dso ||
			  (r->seat[a].space == CSF_SPACE_ALL && r->seat[b].space == CSF_SPACE_ALL));
}

/*
 * The address where @part leads to.  One that no code can lead to keeps its distance from the atom
 * run.  The distance of sections with several addresses is unknown.  Return: it is known.
 */
static bool target_of(const struct replay *r, const struct atom_run *first,
		      const struct atom_run *part, uint64_t *addr)
{
	const struct quick_section *s = r->quick->section, *from = &s[first->section];
	const struct quick_section *to = &s[part->to_section];

	*addr = r->seat[part->to_section].addr + part->to;
	if (together(r, first->section, part->to_section))
		return true;
	*addr = r->seat[first->section].addr + (to->addr + part->to - from->addr);
	return !from->moved && !to->moved;
}

/* Execution is followed as far as possible. */
static void put_exception(struct replay *r, const struct atom_run *first,
			  const struct atom_run *last)
{
	const struct csf_packet p = {
		.type = CSF_PKT_EXCEPTION, .n = EXCEPTION_ADDR,
		.exception = last->end == QUICK_NEAR ? TYPE_DEBUG_HALT : TYPE_IRQ,
	};
	const struct csf_packet older = {
		.type = CSF_PKT_BRANCH, .flags = CSF_PKT_CTXT, .info = BRANCH_NS,
		.exception = TYPE_IRQ,
	};
	uint64_t addr;

	if (is_older(r, first->unit)) {
		put_older(r, first->unit, older, 0);
	} else if (target_of(r, first, last, &addr)) {
		put(r, first->unit, &p);
		put_address(r, first, addr, false);
	}
}

/* The address after the last atom: the code may contradict it. */
static void put_next(struct replay *r, const struct atom_run *first, const struct atom_run *last)
{
	uint64_t addr;

	if (target_of(r, first, last, &addr))
		put_address(r, first, addr, false);
}

/*
 * Does the address after @last come with its last atom?  A branch of PTM has both: the code may
 * contradict it.  Return: likewise, and @addr.
 */
static bool is_branch(struct replay *r, const struct atom_run *first, const struct atom_run *last,
		      uint64_t *addr)
{
	return r->quick->unit[first->unit].protocol == CSF_PROTOCOL_PTM &&
	       last->end == QUICK_NEXT && last->n && last->atoms >> (last->n - 1) & 1 &&
	       target_of(r, first, last, addr);
}

static void put_branch(struct replay *r, const struct atom_run *first, const struct atom_run *last,
		       uint64_t addr)
{
	put_older(r, first->unit, (struct csf_packet){ .type = CSF_PKT_BRANCH },
		  addr | !!(last->flags & QUICK_TO_T32));
}

/* Execution came to a place without an atom.  If the place is not known, it is lost there. */
static void put_reach(struct replay *r, const struct atom_run *first, const struct atom_run *part)
{
	struct csf_packet p = { .type = CSF_PKT_ISYNC, .info = ISYNC_PERIODIC };
	uint64_t addr;

	if (part->end == QUICK_OVER)
		p = (struct csf_packet){ .type = CSF_PKT_WAYPOINT };
	if (!target_of(r, first, part, &addr))
		addr = 0;
	put_older(r, first->unit, p, addr | !!(part->flags & QUICK_TO_T32));
}

/*
 * The last atom of an ETMv3 waits for the next one, which would be of another atom run: one that is
 * cancelled takes its place.
 */
static void put_cancelled(struct replay *r, uint8_t unit)
{
	static const struct csf_packet atom = { .type = CSF_PKT_ATOM, .n = 1, .val = 1 };
	const struct csf_packet cancel = {
		.type = CSF_PKT_BRANCH, .flags = CSF_PKT_CTXT, .info = BRANCH_NS | BRANCH_CANCEL,
	};

	put(r, unit, &atom);
	put_older(r, unit, cancel, 0);
}

/* Makes room for @n parts as trace: each has up to 64 atoms in as many bytes, and an address. */
static bool make_room(struct replay *r, size_t n)
{
	size_t size = 4 * CSF_PACKET_MAX + n * (64 + CSF_PACKET_MAX);
	uint8_t *p;

	if (size <= r->size)
		return true;
	size *= 2;
	p = realloc(r->trace, size);
	if (!p)
		return false;
	r->trace = p;
	r->size = size;
	return true;
}

/* Collects its parts, the first one last.  Return: how many. */
static size_t find_parts(struct replay *r, uint32_t atom_run)
{
	size_t n = 0;

	r->parts[n++] = atom_run;
	while (r->quick->atom_run[r->parts[n - 1]].parent) {
		r->parts[n] = r->quick->atom_run[r->parts[n - 1]].parent - 1;
		n++;
	}
	return n;
}

static bool write_trace(struct replay *r, size_t n, const struct atom_run *first,
			const struct atom_run *last)
{
	uint64_t addr = 0;
	const bool branch = is_branch(r, first, last, &addr);

	if (!make_room(r, n))
		return false;
	r->n = 0;
	put_begin(r, first, r->seat[first->section].addr + first->from);
	while (n--) {
		const struct atom_run *part = &r->quick->atom_run[r->parts[n]];

		put_all_atoms(r, first->unit, part, part->n - (branch && part == last));
		if (part->end >= QUICK_REACH && is_older(r, first->unit))
			put_reach(r, first, part);
	}
	if (branch)
		put_branch(r, first, last, addr);
	else if (is_exception(last))
		put_exception(r, first, last);
	else if (last->end == QUICK_NEXT && !is_older(r, first->unit))
		put_next(r, first, last);
	else if (last->end != QUICK_STOP &&
		 r->quick->unit[first->unit].protocol == CSF_PROTOCOL_ETM3)
		put_cancelled(r, first->unit);
	return true;
}

/* ---------------------------------------------------------------- replay */

/* A decoder of a unit, in sync.  NULL: no memory. */
static struct csf_decoder *decoder_of(struct replay *r, uint8_t unit)
{
	static const struct csf_packet async = { .type = CSF_PKT_ASYNC };
	struct csf_config config = r->quick->unit[unit];

	if (r->dec[unit])
		return r->dec[unit];
	config.marks = CSF_MARK_WALK;
	config.without = without_layers();
	if (!make_room(r, 1) || csf_new(&r->dec[unit], &config, r->image))
		return NULL;
	r->n = 0;
	put(r, unit, &async);
	return r->dec[unit];
}

/* Does code run again whose predecessor is not known? */
static void count_breaks(struct replay *r, const struct csf_run *run)
{
	if (run->n && !r->going)
		r->breaks = count_sum(r->breaks, r->fill.weight);
	r->going |= run->n;
	if (run->end == CSF_END_GAP && run->value != CSF_GAP_OFF)
		r->going = false;
}

/* Decodes everything that was written, @times times. */
static int decode(struct replay *r, struct csf_decoder *dec, bool starts)
{
	struct perf_run run = { .stream = &r->stream, .starts = starts };
	int err = csf_feed(dec, r->trace, r->n) || csf_flush(dec, true) ? -ENOMEM : 0;
	int ret;

	while (!err && (ret = csf_next(dec, &run.run)) != 0) {
		if (ret < 0)
			return -ENOMEM;
		count_breaks(r, &run.run);
		if (run.run.end == CSF_END_GAP && run.run.value != CSF_GAP_OFF) {
			const uint64_t lost = count_times(run.run.lost, r->fill.weight);

			r->gap = true;
			r->lost[run.run.value] = count_sum(r->lost[run.run.value], lost);
		}
		err = count_fill_run(&r->fill, &run);
		run.starts = false;
	}
	return err;
}

static bool has_code(struct replay *r, uint32_t section, uint64_t offset)
{
	const struct seat *seat = &r->seat[section];
	uint8_t code[2];

	return section && csf_image_read(r->image, seat->space, seat->addr + offset, 0, code,
					 sizeof(code)) == sizeof(code);
}

/* Goes on at the target of the atom run, if that ran. */
static int go_on(struct replay *r, const struct atom_run *last)
{
	const struct seat *seat = &r->seat[last->to_section];

	if (last->end != QUICK_NEXT && last->end != QUICK_LED)
		return 0;
	if (last->end == QUICK_NEXT && r->gap && has_code(r, last->to_section, last->to))
		r->breaks = count_sum(r->breaks, r->fill.weight);
	return count_fill_next(&r->fill, &r->stream, last->to_section ? seat->space : -1,
			       seat->addr + last->to);
}

/* Its code is missing: its target is executed after a gap. */
static void skip_atom_run(struct replay *r, uint32_t number, uint64_t times)
{
	const struct atom_run *last = &r->quick->atom_run[number];
	const uint64_t lost = count_times(quick_atoms(r->quick, number), times);

	r->lost[CSF_GAP_IMAGE] = count_sum(r->lost[CSF_GAP_IMAGE], lost);
	if (last->end == QUICK_NEXT && has_code(r, last->to_section, last->to))
		r->breaks = count_sum(r->breaks, times);
}

static int replay_atom_run(struct replay *r, uint32_t number, uint64_t times)
{
	const struct atom_run *last = &r->quick->atom_run[number];
	size_t n = find_parts(r, number);
	const struct atom_run *first = &r->quick->atom_run[r->parts[n - 1]];
	struct csf_decoder *dec;
	int err = 0;

	if (!first->section) {
		skip_atom_run(r, number, times);
		return 0;
	}
	r->fill.weight = times;
	r->gap = false;
	r->going = !(first->flags & QUICK_FRESH);
	dec = r->dec[first->unit];
	if (!dec) {
		dec = decoder_of(r, first->unit);
		err = dec ? decode(r, dec, true) : -ENOMEM;
	}
	if (err || !write_trace(r, n, first, last))
		return -ENOMEM;
	csf_set_space(dec, r->seat[first->section].space);
	err = decode(r, dec, true);
	if (!err)
		err = go_on(r, last);
	if (err || (!r->gap && last->end != QUICK_STOP))
		return err;
	/*
	 * The loss after the first gap is reported at the next event; so is where the
	 * last branch leads, if its code tells that.
	 */
	r->n = 0;
	put_end(r, first->unit);
	return decode(r, dec, false);
}

static int replay_all(struct replay *r)
{
	const struct quick *q = r->quick;
	uint64_t all = 0;
	int err = 0;

	for (size_t i = 0; i < q->n; i++) {
		const uint64_t *count = q->atom_run[i].count;

		if (count[0] || count[1])
			all = count_sum(all, count_times(count_sum(count[0], count[1]),
							 quick_atoms(q, i) + 1));
	}
	if (all > TIMES_MAX)
		return -EOVERFLOW;
	for (size_t i = 0; i < q->n && !err; i++)
		for (int half = 0; half < 2 && !err; half++) {
			r->fill.half = half;
			if (q->atom_run[i].count[half])
				err = replay_atom_run(r, i, q->atom_run[i].count[half]);
		}
	return err;
}

/* ---------------------------------------------------------------- all */

static int fold(struct replay *r, struct count_table *table)
{
	uint64_t *stat = r->fill.stat;

	memcpy(stat, r->quick->table.stat, sizeof(r->fill.stat));
	stat[COUNT_BREAKS] = r->breaks;
	for (int g = 0; g < CSF_GAP_NR; g++)
		stat[COUNT_LOST + g] = count_sum(stat[COUNT_LOST + g], r->lost[g]);
	stat[COUNT_LOST + CSF_GAP_DISCARD] = count_sum(stat[COUNT_LOST + CSF_GAP_DISCARD],
						       r->quick->full);
	return count_fill_fold(&r->fill, table);
}

int quick_count_table(const struct quick *quick, struct count_table *table,
		      const struct dso_options *options)
{
	struct replay *r = calloc(1, sizeof(*r));
	int err = r ? 0 : -ENOMEM;

	if (err)
		return err;
	r->quick = quick;
	r->seat = calloc(quick->n_section + 1, sizeof(*r->seat));
	r->parts = calloc(QUICK_DEEP + 1, sizeof(*r->parts));
	if (!r->seat || !r->parts || csf_image_new(&r->image))
		err = -ENOMEM;
	if (!err)
		err = perf_code_init(&r->code, r->image, options);
	if (!err) {
		count_fill_init_code(&r->fill, &r->code);
		err = map_all(r);
		if (!err)
			err = replay_all(r);
		if (!err)
			err = fold(r, table);
		for (size_t i = 0; i < quick->n_unit; i++)
			csf_free(r->dec[i]);
		count_fill_fini(&r->fill);
		unchecked_tell(&r->code.dsos);
		perf_code_fini(&r->code);
	}
	csf_image_free(r->image);
	free(r->trace);
	free(r->seat);
	free(r->parts);
	free(r);
	return err;
}
