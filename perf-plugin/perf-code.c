// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf-module.h"
#include "perf-code.h"

/* For a kernel that is not here, this much memory from its start is known by name. */
#define KERNEL_SIZE	(256ull << 20)
#define SECTION_MAX	(1ull << 32)
/* A range that one process has mapped more often than this at a time is not entered again. */
#define COPIES_MAX	1024

int perf_code_init(struct perf_code *code, struct csf_image *image,
		   const struct dso_options *options)
{
	*code = (struct perf_code){ .image = image, .n_hash = 1024 };
	code->hash = calloc(code->n_hash, sizeof(*code->hash));
	if (!code->hash) {
		*code = (struct perf_code){ 0 };
		return -ENOMEM;
	}
	if (dso_table_init(&code->dsos, options)) {
		free(code->hash);
		*code = (struct perf_code){ 0 };
		return -ENOMEM;
	}
	return 0;
}

void perf_code_fini(struct perf_code *code)
{
	for (size_t i = 0; i < code->n_section; i++)
		free(code->section[i]);
	free(code->section);
	free(code->hash);
	dso_table_fini(&code->dsos);
	*code = (struct perf_code){ 0 };
}

/* Offset in the file of what is @distance after the start of a loaded module, or at an address. */
static size_t module_at(const struct elf_file *elf, uint64_t distance, uint64_t *offset)
{
	const struct elf_segment *s = elf_segment_find(elf, distance);

	if (!s)
		return 0;
	*offset = s->offset + (distance - s->addr);
	return s->size - (distance - s->addr);
}

static size_t file_at(const struct elf_file *elf, uint64_t wanted, uint64_t *offset)
{
	*offset = wanted;
	return wanted < elf->size ? elf->size - wanted : 0;
}

/*
 * An image of the kernel's memory has modules as they were executed, and what the kernel had made
 * at run time until then.  Return: bytes at *@at.
 */
static size_t kcore_at(const struct code_section *s, uint64_t offset, const struct elf_file **elf,
		       uint64_t *at)
{
	if (!s->in_memory)
		return 0;
	*elf = dso_kcore(&s->code->dsos);
	return *elf ? module_at(*elf, s->base + offset, at) : 0;
}

static bool kernel_address(void *context, const char *name, uint64_t *addr)
{
	const struct perf_code *code = context;

	if (!elf_file_address(code->kernel, name, addr))
		return false;
	*addr += code->bias;
	return true;
}

/* Fills in the branches from a module to the kernel, as they were when it was loaded there. */
static void resolve(const struct code_section *s)
{
	struct perf_code *code = s->code;
	const uint64_t base = s->base - s->offset;

	if (!code->kernel || code->several || s->dso->base == base)
		return;
	elf_module_resolve(s->dso->elf, base, kernel_address, code);
	s->dso->base = base;
}

/* A section begins at a multiple of 4, its code at up to so many bytes after that. */
#define ROOM_MAX	3

static size_t read_code(void *context, uint64_t offset, void *buf, size_t n)
{
	const struct code_section *s = context;
	const struct elf_file *elf;
	/* what a section has before its file; nothing is mapped there */
	const uint64_t before = -(s->offset + offset);
	uint64_t at = 0;
	size_t have;

	if (s->changed) {
		s->code->met_changed = true;
		return 0;
	}
	if (before - 1 < ROOM_MAX) {
		have = before < n ? before : n;
		memset(buf, 0, have);
		return have + (have < n ? read_code(context, offset + have, (uint8_t *)buf + have,
						    n - have) : 0);
	}
	have = kcore_at(s, offset, &elf, &at);
	if (!have) {
		if (!dso_load(&s->code->dsos, s->dso)) {
			s->dso->wanted = true;
			return 0;
		}
		elf = s->dso->elf;
		if (s->dso->kind == DSO_MODULE && elf->is_module) {
			resolve(s);
			have = module_at(elf, s->offset + offset, &at);
		} else {
			have = file_at(elf, s->offset + offset, &at);
		}
	}
	if (have > n)
		have = n;
	memcpy(buf, elf->bytes + at, have);
	return have;
}

/* Maps of a process are as in the file; code of others comes partly from elsewhere, or changes. */
static size_t whole_code(void *context, const void **bytes)
{
	const struct code_section *s = context;
	uint64_t at;
	size_t n;

	if (s->dso->kind != DSO_FILE || !dso_load(&s->code->dsos, s->dso))
		return 0;
	n = file_at(s->dso->elf, s->offset, &at);
	*bytes = s->dso->elf->bytes + at;
	return n;
}

/* ---------------------------------------------------------------- sections */

static uint32_t slot(const struct perf_code *code, const struct dso *dso, uint64_t offset,
		     uint64_t n)
{
	uint64_t h = (uintptr_t)dso * 0x9e3779b97f4a7c15ull;

	h = (h ^ offset) * 0x9e3779b97f4a7c15ull;
	h = (h ^ h >> 29 ^ n) * 0x9e3779b97f4a7c15ull;
	return (h >> 32) % code->n_hash;
}

static void rehash(struct perf_code *code)
{
	size_t n = 4 * code->n_hash;
	uint32_t *hash = calloc(n, sizeof(*hash));

	if (!hash)
		return;
	free(code->hash);
	code->hash = hash;
	code->n_hash = n;
	for (size_t i = 0; i < code->n_section; i++) {
		struct code_section *s = code->section[i];
		uint32_t *head;

		if (!s)
			continue;
		head = &hash[slot(code, s->dso, s->offset, s->n)];
		s->next = *head;
		*head = i;
	}
}

/* Enters @s, whose section is already in the image, in the table by number. */
static int enter(struct perf_code *code, struct code_section *s)
{
	uint32_t *head;

	if ((size_t)s->number >= code->n_section) {
		size_t n = 2 * (size_t)s->number + 16;
		struct code_section **p = realloc(code->section, n * sizeof(*p));

		if (!p)
			return -ENOMEM;
		memset(p + code->n_section, 0, (n - code->n_section) * sizeof(*p));
		code->section = p;
		code->n_section = n;
	}
	if (++code->n_used > code->n_hash)
		rehash(code);
	code->section[s->number] = s;
	head = &code->hash[slot(code, s->dso, s->offset, s->n)];
	s->next = *head;
	*head = s->number;
	return 0;
}

/* @bytes: the code, if it is available. */
static struct code_section *section_new(struct perf_code *code, const struct code_section *as,
					const void *bytes)
{
	struct code_section *s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	*s = *as;
	s->code = code;
	s->number = bytes ? csf_section_bytes(code->image, bytes, s->n) :
		csf_section_read(code->image, s->n, read_code, s);
	if (!bytes && s->number > 0)
		csf_section_whole(code->image, s->number, whole_code);
	if (s->number > 0 && !enter(code, s))
		return s;
	/*
	 * The image may have the section and would call read_code() with it, but as no map leads to
	 * it, it never does.
	 */
	free(s);
	return NULL;
}

/*
 * A section of the range that has no place in this space yet, or this same place: a section has one
 * place in a space.
 */
static struct code_section *section_for(struct perf_code *code, const struct code_section *as,
					bool *refused)
{
	uint32_t copies = 0;

	for (uint32_t i = code->hash[slot(code, as->dso, as->offset, as->n)]; i;
	     i = code->section[i]->next) {
		struct code_section *s = code->section[i];

		if (s->dso != as->dso || s->offset != as->offset || s->n != as->n || s->poked ||
		    s->in_memory != as->in_memory || s->changed != as->changed)
			continue;
		if (s->space == as->space && s->base != as->base) {
			if (++copies >= COPIES_MAX) {
				*refused = true;
				return NULL;
			}
			continue;
		}
		s->space = as->space;
		s->base = as->base;
		return s;
	}
	return section_new(code, as, NULL);
}

/* Counts maps that the image refused.  Return: 0, -ENOMEM. */
static int entered(struct perf_code *code, int err)
{
	if (err == CSF_ERR_MEMORY)
		return -ENOMEM;
	code->refused += err != 0;
	return 0;
}

/* Code that was there from the start is in an image of the memory; later code may not be. */
static bool is_in_memory(const struct dso *dso, const struct code_map *map)
{
	return dso->kind == DSO_MODULE || (dso->kind == DSO_SYMBOL && !map->from);
}

/*
 * Hides what the kernel changed during the recording: either code may have run.  @of: code in the
 * image of its memory, as it is mapped
 */
static int hide_changes(struct perf_code *code, const struct code_map *map,
			const struct code_section *of)
{
	const struct code_changes *changes = dso_changes(&code->dsos);
	const uint64_t end = of->base + of->n;
	struct code_section at = *of, *s = NULL;
	bool refused = false;
	int err = 0;
	long dso;

	if (!changes)
		return -ENOMEM;
	for (size_t i = code_changes_at(changes, of->base); i < changes->n && !err; i++) {
		const struct elf_range *r = &changes->range[i];
		const uint64_t from = r->start > of->base ? r->start : of->base;

		if (from >= end)
			break;
		if (!s) {
			dso = dso_add_changed(&code->dsos);
			if (dso < 0)
				return -ENOMEM;
			at.dso = code->dsos.dso[dso];
			at.changed = true;
			s = section_for(code, &at, &refused);
			if (!s)
				return refused ? 0 : -ENOMEM;
		}
		err = entered(code, csf_map_span(code->image, map->space, from,
						 (r->end < end ? r->end : end) - from, s->number,
						 from - of->base, map->from, UINT64_MAX));
	}
	return err;
}

int perf_code_map(struct perf_code *code, const struct code_map *map)
{
	/* spaces count from 0, and 0 must differ from "none" */
	struct code_section as = { .dso = code->dsos.dso[map->dso], .offset = map->offset,
				   .n = map->n, .space = map->space + 1, .base = map->addr };
	/* T32 code need not begin at a multiple of 4; its section may begin before its file */
	const uint32_t room = map->addr & ROOM_MAX;
	struct code_section *s;
	bool refused = false;
	int err;

	if (!map->n || map->n > SECTION_MAX || map->addr > UINT64_MAX - map->n ||
	    map->offset > UINT64_MAX - map->n) {
		code->refused++;
		return 0;
	}
	as.in_memory = is_in_memory(as.dso, map);
	as.offset -= room;
	as.base -= room;
	as.n += room;
	s = section_for(code, &as, &refused);
	if (!s && !refused)
		return -ENOMEM;
	if (refused) {
		code->refused++;
		return 0;
	}
	err = entered(code, csf_map_span(code->image, map->space, map->addr, map->n, s->number,
					 map->addr - as.base, map->from, UINT64_MAX));
	return err || !as.in_memory ? err : hide_changes(code, map, &as);
}

/* ---------------------------------------------------------------- the kernel */

/* @n bytes of code at @addr, @bias more than in the file of the kernel */
static int map_kernel_bytes(struct perf_code *code, const struct code_map *map,
			    const struct code_section *at, const void *bytes)
{
	struct code_section *s;

	if (at->n > SECTION_MAX)
		return 0;
	s = section_new(code, at, bytes);
	if (!s)
		return -ENOMEM;
	return entered(code, csf_map_span(code->image, map->space, at->base, at->n, s->number, 0,
					  map->from, UINT64_MAX));
}

static int map_vmlinux(struct perf_code *code, const struct code_map *map, struct dso *dso,
		       uint64_t bias)
{
	int err = 0;

	for (size_t i = 0; i < dso->elf->n_segment && !err; i++) {
		const struct elf_segment *s = &dso->elf->segment[i];
		const struct code_section at = { .dso = dso, .offset = s->addr, .n = s->size,
						 .base = s->addr + bias };

		if (s->exec)
			err = map_kernel_bytes(code, map, &at, dso->elf->bytes + s->offset);
	}
	return err;
}

/* The kernel's own part of an image of its memory: modules have maps of their own. */
static int map_kcore(struct perf_code *code, const struct code_map *map, struct dso *dso,
		     uint64_t bias)
{
	const struct elf_file *core = dso_kcore(&code->dsos);
	const uint64_t end = map->n < UINT64_MAX - map->addr ? map->addr + map->n : UINT64_MAX;
	int err = 0;

	for (size_t i = 0; i < core->n_segment && !err; i++) {
		const struct elf_segment *s = &core->segment[i];
		const uint64_t from = s->addr > map->addr ? s->addr : map->addr;
		const uint64_t to = s->addr + s->size < end ? s->addr + s->size : end;
		const struct code_section at = { .dso = dso, .offset = from - bias, .n = to - from,
						 .base = from };

		if (!s->exec || from >= to || (i && s[-1].addr == s->addr))
			continue;
		err = map_kernel_bytes(code, map, &at,
				       core->bytes + s->offset + (from - s->addr));
		if (!err)
			err = hide_changes(code, map, &at);
	}
	return err;
}

/* How far a kernel was moved from the address that it was linked at. */
static bool kernel_bias(struct elf_file *elf, uint64_t addr, const char *symbol, uint64_t *bias)
{
	uint64_t linked;

	*bias = 0;
	if (elf->is_core)
		return true;
	if (*symbol && elf_file_address(elf, symbol, &linked)) {
		*bias = addr - linked;
		return true;
	}
	return elf_segment_find(elf, addr);
}

/* The notes of a kernel, its build-id among them, are in its memory. */
static bool is_memory_of(const struct elf_file *core, const struct elf_file *kernel, uint64_t bias)
{
	const struct elf_segment *a, *b;
	struct elf_range notes;
	uint64_t n;

	if (!elf_file_section(kernel, ".notes", &notes))
		return true;
	n = notes.end - notes.start;
	a = elf_segment_find(kernel, notes.start);
	b = elf_segment_find(core, notes.start + bias);
	if (!a || !b || a->addr + a->size < notes.end || b->addr + b->size < notes.end + bias)
		return false;
	return !memcmp(kernel->bytes + a->offset + (notes.start - a->addr),
		       core->bytes + b->offset + (notes.start + bias - b->addr), n);
}

static bool has_part_of(const struct elf_file *core, const struct code_map *map)
{
	for (size_t i = 0; i < core->n_segment; i++)
		if (core->segment[i].addr < map->addr ?
		    core->segment[i].size > map->addr - core->segment[i].addr :
		    core->segment[i].addr - map->addr < map->n)
			return true;
	return false;
}

static bool has_memory(struct perf_code *code, const struct code_map *map,
		       const struct elf_file *kernel, uint64_t bias)
{
	const struct elf_file *core = dso_kcore(&code->dsos);

	if (!core || (has_part_of(core, map) && is_memory_of(core, kernel, bias)))
		return core;
	dso_refuse_kcore(&code->dsos, core->path, "the memory of another kernel, or of another boot");
	return false;
}

int perf_code_map_kernel(struct perf_code *code, const struct code_map *map, const char *symbol)
{
	struct dso *dso = code->dsos.dso[map->dso];
	struct code_map whole = *map;
	uint64_t bias;
	int err;

	if (!dso_load(&code->dsos, dso) || !dso->elf->is_elf ||
	    !kernel_bias(dso->elf, map->offset ? map->offset : map->addr, symbol, &bias)) {
		whole.n = map->n < KERNEL_SIZE ? map->n : KERNEL_SIZE;
		whole.offset = 0;
		return perf_code_map(code, &whole);
	}
	if (dso->elf->is_core)
		return map_kcore(code, map, dso, 0);
	code->several = code->several || (code->kernel && code->kernel != dso->elf);
	code->kernel = dso->elf;
	code->bias = bias;
	err = map_vmlinux(code, map, dso, bias);
	if (err || !has_memory(code, map, dso->elf, bias))
		return err;
	return map_kcore(code, map, dso, bias);
}

/* Alternatives are chosen when the kernel boots. */
static bool changes_itself(const struct dso *dso)
{
	struct elf_range range;

	return dso->elf && !dso->elf->is_core &&
	       elf_file_section(dso->elf, ".altinstructions", &range);
}

const struct dso *perf_code_as_linked(struct perf_code *code)
{
	struct csf_block block;

	if (dso_kcore(&code->dsos))
		return NULL;
	for (uint32_t i = 1; !csf_block(code->image, i, &block); i++) {
		const struct code_section *s = block.section < code->n_section ?
					       code->section[block.section] : NULL;

		if (s && s->dso->kind == DSO_KERNEL)
			return changes_itself(s->dso) ? s->dso : NULL;
	}
	return NULL;
}

/* ---------------------------------------------------------------- places */

static bool to_file(struct code_place *place, const struct code_section *s)
{
	const struct elf_segment *segment;
	const struct elf_file *elf = s->dso->elf;
	uint64_t offset = s->offset + place->offset;

	if (s->dso->kind == DSO_KERNEL || (elf && elf->is_module)) {
		place->addr = offset;
		return true;
	}
	segment = elf ? elf_segment_at(elf, offset) : NULL;
	if (!segment)
		return false;
	place->addr = segment->addr + (offset - segment->offset);
	return true;
}

bool perf_code_place(struct perf_code *code, int section, uint64_t offset,
		     struct code_place *place)
{
	const struct code_section *s;

	if (section <= 0 || (size_t)section >= code->n_section || !code->section[section])
		return false;
	s = code->section[section];
	*place = (struct code_place){ .dso = s->dso, .section = section, .offset = offset };
	place->has_addr = to_file(place, s);
	return true;
}

bool perf_code_find(struct perf_code *code, int space, uint64_t time, uint64_t addr,
		    struct code_place *place)
{
	uint64_t base = 0;
	int section = csf_image_find(code->image, space, addr, time, &base);

	return perf_code_place(code, section, addr - base, place);
}

/* ---------------------------------------------------------------- code that changes */

/* Maps @n bytes at the address of @at, until or from some time. */
static int map_bytes(struct perf_code *code, const struct code_section *at,
		     const struct code_map *map, const uint8_t *bytes, uint64_t until)
{
	struct code_section *s = section_new(code, at, bytes);

	if (!s)
		return -ENOMEM;
	return entered(code, csf_map_span(code->image, map->space, map->addr, at->n, s->number, 0,
					  map->from, until));
}

int perf_code_poke(struct perf_code *code, const struct code_map *map, const struct code_poke *poke)
{
	struct code_section at = { .dso = code->dsos.dso[map->dso], .poked = true,
				   .base = map->addr };
	struct code_map before = *map;
	struct code_place place;
	bool first = true;
	int err = 0;

	if (perf_code_find(code, map->space, map->from, map->addr, &place)) {
		const struct code_section *was = code->section[place.section];

		at.dso = was->dso;
		at.offset = was->offset + place.offset;
		first = !was->poked;
	}
	at.n = poke->n_old;
	before.from = 0;
	if (first && at.n && map->from)
		err = map_bytes(code, &at, &before, poke->old, map->from);
	at.n = poke->n_new;
	return err || !at.n ? err : map_bytes(code, &at, map, poke->new, UINT64_MAX);
}

/* ---------------------------------------------------------------- symbols */

/* The address in the file may not have been known before the file was loaded. */
static bool load(struct perf_code *code, struct code_place *place)
{
	if (!dso_load(&code->dsos, place->dso))
		return false;
	if (!place->has_addr)
		place->has_addr = to_file(place, code->section[place->section]);
	return place->has_addr;
}

bool perf_code_symbol(struct perf_code *code, const struct code_place *place,
		      struct elf_symbol *symbol)
{
	const struct code_section *s = code->section[place->section];
	struct code_place p = *place;
	struct dso_place at = { .dso = place->dso, .run = s->base + place->offset };

	if (place->dso->kind == DSO_SYMBOL) {
		*symbol = (struct elf_symbol){ .name = s->dso->name, .size = s->n };
		symbol->addr = (place->has_addr ? place->addr : 0) - s->offset - place->offset;
		return true;
	}
	at.in_file = load(code, &p);
	at.addr = p.has_addr ? p.addr : 0;
	return dso_symbol(&code->dsos, &at, symbol);
}

bool perf_code_line(struct perf_code *code, const struct code_place *place, struct elf_line *line)
{
	struct code_place p = *place;

	return load(code, &p) && elf_file_line(p.dso->elf, p.addr, line);
}

const struct elf_inlined *perf_code_inlined(struct perf_code *code, struct code_place *place,
					    uint64_t *n)
{
	const struct elf_inlined *found;
	struct elf_range range;

	*n = UINT64_MAX;
	if (!load(code, place))
		return NULL;
	found = elf_file_inlined(place->dso->elf, place->addr, &range);
	*n = range.end - place->addr;
	return found;
}
