// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../count/count-file.h"
#include "quick-file.h"

bool quick_file_is(const void *bytes, size_t n)
{
	return n >= PACKED_HEAD && !memcmp(bytes, QUICK_MAGIC, 8);
}

/* All other ends have a target. */
static bool leads(uint8_t end)
{
	return end > QUICK_STOP;
}

#define UNIT_FIELDS	10

/* The fields of a unit in the file, in their order.  Return: how many. */
static size_t unit_fields(struct csf_config *c, uint32_t version, uint32_t *field[UNIT_FIELDS])
{
	uint32_t *const all[UNIT_FIELDS] = {
		&c->trcdevarch, &c->trcidr0, &c->trcidr1, &c->trcidr2, &c->trcconfigr, &c->profile,
		&c->protocol, &c->etmidr, &c->etmcr, &c->etmccer,
	};

	memcpy(field, all, sizeof(all));
	return version == QUICK_VERSION ? 6 : UNIT_FIELDS;
}

/* That of the file of a table. */
static uint32_t version_of(const struct quick *quick)
{
	for (size_t i = 0; i < quick->n_unit; i++)
		if (quick_is_older(&quick->unit[i]))
			return QUICK_OLDER;
	return QUICK_VERSION;
}

/* ---------------------------------------------------------------- writing */

static void put_units(struct packed_out *out, const struct quick *quick)
{
	packed_put(out, quick->n_unit);
	for (size_t i = 0; i < quick->n_unit; i++) {
		uint32_t *field[UNIT_FIELDS];
		const size_t n = unit_fields(&quick->unit[i], version_of(quick), field);

		for (size_t k = 0; k < n; k++)
			packed_put(out, *field[k]);
	}
}

static void put_dsos(struct packed_out *out, const struct count_table *table)
{
	packed_put(out, table->n);
	for (size_t i = 0; i < table->n; i++)
		count_file_put_dso(out, &table->dso[i]);
}

static void put_sections(struct packed_out *out, const struct quick *quick)
{
	packed_put(out, quick->n_section ? quick->n_section - 1 : 0);
	for (size_t i = 1; i < quick->n_section; i++) {
		const struct quick_section *s = &quick->section[i];

		packed_put(out, s->dso);
		packed_put(out, s->offset);
		packed_put(out, s->n);
		packed_put(out, s->symbol);
		packed_put(out, s->addr);
		packed_put(out, s->moved);
	}
}

/* Parts that are the same as in the previous one are left out. */
static void put_atom_run(struct packed_out *out, const struct quick *quick, size_t i,
			 const struct atom_run *last)
{
	const struct atom_run *s = &quick->atom_run[i];
	uint8_t atoms[8];

	for (int k = 0; k < 8; k++)
		atoms[k] = s->atoms >> 8 * k;
	packed_put(out, s->parent ? i + 1 - s->parent : 0);
	packed_put(out, s->end | s->flags << 3);
	packed_put(out, s->unit);
	packed_put(out, s->n);
	packed_bytes(out, atoms, (s->n + 7u) / 8);
	if (!s->parent) {
		packed_put(out, s->section);
		packed_put(out, packed_fold(s->from - last->from));
	}
	if (leads(s->end)) {
		packed_put(out, s->to_section);
		packed_put(out, packed_fold(s->to - last->to));
	}
	if (quick_is_part(s->end))
		return;
	packed_put(out, s->count[0]);
	packed_put(out, s->count[1]);
}

int quick_file_write(const struct quick *quick, FILE *f)
{
	struct packed_out out = { 0 };
	struct atom_run last = { 0 };

	packed_put(&out, COUNT_STAT_NR);
	for (int i = 0; i < COUNT_STAT_NR; i++)
		packed_put(&out, quick->table.stat[i]);
	packed_put(&out, quick->full);
	put_units(&out, quick);
	put_dsos(&out, &quick->table);
	put_sections(&out, quick);
	packed_put(&out, quick->n);
	for (size_t i = 0; i < quick->n; i++) {
		put_atom_run(&out, quick, i, &last);
		last = quick->atom_run[i];
	}
	return packed_write(&out, QUICK_MAGIC, version_of(quick), f);
}

/* ---------------------------------------------------------------- reading */

/* Is it a unit that csflow knows, of a protocol that the version has? */
static bool is_unit(const struct csf_config *c)
{
	return csf_config_version(c) >= 0 && (!c->protocol || quick_is_older(c));
}

static int take_units(struct packed_in *in, struct quick *quick, uint32_t version)
{
	uint64_t n = packed_take_max(in, QUICK_UNITS, "too many trace units");

	for (uint64_t i = 0; i < n && !in->why; i++) {
		struct csf_config c = { .size = sizeof(c) };
		uint32_t *field[UNIT_FIELDS];
		const size_t n_field = unit_fields(&c, version, field);
		long number;

		for (size_t k = 0; k < n_field; k++)
			*field[k] = packed_take_max(in, UINT32_MAX,
						    "a register of more than 32 bits");
		if (!in->why && c.profile > CSF_PROFILE_M)
			packed_wrong(in, "an unknown profile");
		if (!in->why && !is_unit(&c))
			packed_wrong(in, "an unknown trace unit");
		number = in->why ? 0 : quick_unit(quick, &c);
		if (number < 0)
			return number;
		if (!in->why && (uint64_t)number != i)
			packed_wrong(in, "a repeated trace unit");
	}
	return 0;
}

/* @files: the files of sections; the table gets those. */
static int take_sections(struct packed_in *in, struct quick *quick, const struct count_table *files)
{
	uint64_t n = packed_take_max(in, QUICK_SECTIONS - 1, "too many sections");

	for (uint64_t i = 0; i < n && !in->why; i++) {
		uint64_t dso = packed_take_max(in, UINT32_MAX,
					       "a section of a file that is not there");
		struct quick_section s = { .offset = packed_take(in) };
		struct dso_key key;
		long number;

		s.n = packed_take_max(in, 1ull << 32, "a section is too long");
		s.symbol = packed_take(in);
		s.addr = packed_take(in);
		s.moved = packed_take_max(in, 1, "an unknown flag of a section");
		if (!in->why && dso >= files->n)
			packed_wrong(in, "a section of a file that is not there");
		if (!in->why && (!s.n || s.offset > UINT64_MAX - s.n || s.addr > UINT64_MAX - s.n))
			packed_wrong(in, "an impossible section");
		if (in->why)
			break;
		key = (struct dso_key){ .name = files->dso[dso].name, .kind = files->dso[dso].kind,
					.build_id = files->dso[dso].build_id,
					.n_build_id = files->dso[dso].n_build_id,
					.program = files->dso[dso].program };
		number = quick_section(quick, &key, &s);
		if (number < 0)
			return number;
		if ((uint64_t)number != i + 1)
			packed_wrong(in, "a repeated section");
	}
	return 0;
}

static int take_files(struct packed_in *in, struct quick *quick)
{
	struct count_table files = { 0 };
	uint64_t n = packed_take_max(in, QUICK_SECTIONS, "too many files");
	int err = 0;

	for (uint64_t i = 0; i < n && !in->why && !err; i++)
		err = count_file_take_dso(in, &files) == -ENOMEM ? -ENOMEM : 0;
	if (!err)
		err = take_sections(in, quick, &files);
	count_table_fini(&files);
	return err;
}

/* Only trace of ETMv3 and PTM says that execution came somewhere without an atom. */
static bool is_reach(const struct quick *quick, const struct atom_run *s)
{
	return s->end >= QUICK_REACH && s->unit < quick->n_unit &&
	       quick_is_older(&quick->unit[s->unit]);
}

/* Does it say which instruction set it led to?  A branch of PTM is an atom with its address. */
static bool says_set(const struct quick *quick, const struct atom_run *s)
{
	return is_reach(quick, s) ||
	       ((s->end == QUICK_NEXT || s->end == QUICK_LED) && s->unit < quick->n_unit &&
		quick->unit[s->unit].protocol == CSF_PROTOCOL_PTM);
}

static void take_form(struct packed_in *in, const struct quick *quick, struct atom_run *s)
{
	uint64_t form = packed_take_max(in, 0x7f, "an unknown form of an atom run");
	const uint8_t *atoms;

	s->end = form & 7;
	s->flags = form >> 3;
	s->unit = packed_take_max(in, UINT8_MAX, "an atom run of a trace unit that is not there");
	s->n = packed_take_max(in, QUICK_ATOMS, "an atom run has more atoms than fit");
	atoms = packed_take_bytes(in, (s->n + 7u) / 8);
	for (int k = 0; atoms && k < (s->n + 7) / 8; k++)
		s->atoms |= (uint64_t)atoms[k] << 8 * k;
	if ((s->flags & QUICK_ISA) > CSF_T32 ||
	    s->flags & ~(QUICK_ISA | QUICK_TO_T32 | QUICK_FRESH) ||
	    (s->flags & QUICK_TO_T32 && !says_set(quick, s)) ||
	    (s->end >= QUICK_REACH && !is_reach(quick, s)) ||
	    (s->end == QUICK_PART && s->n < QUICK_ATOMS) ||
	    (s->n < QUICK_ATOMS && s->atoms >> s->n))
		packed_wrong(in, "an unknown form of an atom run");
}

/* @depth: of all earlier atom runs.  Return: its own depth. */
static uint32_t check_parent(struct packed_in *in, const struct quick *quick, uint64_t back,
			     struct atom_run *s, const uint16_t *depth)
{
	if (!back)
		return 0;
	if (back > quick->n || !quick_is_part(quick->atom_run[quick->n - back].end)) {
		packed_wrong(in, "an atom run that continues none");
		return 0;
	}
	s->parent = quick->n + 1 - back;
	if (depth[s->parent - 1] + 2u > QUICK_DEEP)
		packed_wrong(in, "an atom run is too long");
	return depth[s->parent - 1] + 1;
}

static int take_atom_run(struct packed_in *in, struct quick *quick, struct atom_run *last,
			 uint16_t *depth)
{
	const char *no_section = "an atom run in a section that is not there";
	const uint64_t max = quick->n_section ? quick->n_section - 1 : 0;
	const size_t n = quick->n;
	struct atom_run s = { 0 };

	depth[n] = check_parent(in, quick, packed_take(in), &s, depth);
	take_form(in, quick, &s);
	if (!s.parent) {
		s.section = packed_take_max(in, max, no_section);
		s.from = last->from + packed_unfold(packed_take(in));
	}
	if (leads(s.end)) {
		s.to_section = packed_take_max(in, max, no_section);
		s.to = last->to + packed_unfold(packed_take(in));
	}
	if (!quick_is_part(s.end)) {
		s.count[0] = packed_take(in);
		s.count[1] = packed_take(in);
	}
	if (!in->why && s.unit >= quick->n_unit)
		packed_wrong(in, "an atom run of a trace unit that is not there");
	if (in->why)
		return 0;
	*last = s;
	if (quick_part(quick, &s) == UINT32_MAX)
		return -ENOMEM;
	if (quick->n == n) {
		packed_wrong(in, "a repeated atom run");
		return 0;
	}
	memcpy(quick->atom_run[n].count, s.count, sizeof(s.count));
	return 0;
}

static int take_atom_runs(struct packed_in *in, struct quick *quick)
{
	/* an atom run has at least four bytes */
	uint64_t n = packed_take_max(in, (in->end - in->p) / 4,
				     "more atom runs than fit in the file");
	uint16_t *depth = calloc(n + 1, sizeof(*depth));
	struct atom_run last = { 0 };
	int err = depth ? 0 : -ENOMEM;

	for (uint64_t i = 0; i < n && !in->why && !err; i++)
		err = take_atom_run(in, quick, &last, depth);
	free(depth);
	return err;
}

static int take_all(struct packed_in *in, struct quick *quick, uint32_t version)
{
	uint64_t n = packed_take(in);
	int err;

	/* another version of the same format may have more of them */
	for (uint64_t i = 0; i < n && !in->why; i++) {
		uint64_t v = packed_take(in);

		if (i < COUNT_STAT_NR)
			quick->table.stat[i] = v;
	}
	quick->full = packed_take(in);
	err = take_units(in, quick, version);
	if (!err && !in->why)
		err = take_files(in, quick);
	if (!err && !in->why)
		err = take_atom_runs(in, quick);
	if (!err && !in->why && in->p != in->end)
		packed_wrong(in, "there is data after its end");
	return err;
}

int quick_file_read(struct quick *quick, const void *bytes, size_t n,
		    struct packed_problem *problem)
{
	uint32_t version = QUICK_VERSION;
	struct packed_in in;
	int err;

	*problem = (struct packed_problem){ "it is not a table of csflow quick", 0 };
	if (!quick_file_is(bytes, n))
		return -EBADMSG;
	quick->max = UINT32_MAX - 1;
	if (((const uint8_t *)bytes)[8] == QUICK_OLDER)
		version = QUICK_OLDER;
	err = packed_open(&in, bytes, n, version, problem);
	if (!err)
		err = take_all(&in, quick, version);
	return err ? err : packed_close(&in, bytes, problem);
}
