// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "code.h"

/* The library's limit, and more than a kernel has. */
#define SECTION_MAX	(1ULL << 32)
#define PAGE		4096ULL

/**
 * struct code_section - a section of the image
 * @dso: whose bytes it is; NULL: of a kernel, read by address
 * @base: of a kernel: address of its first byte
 * @n: bytes
 */
struct code_section {
	struct code_section *next;
	struct csflow_code *code;
	struct machine *machine;
	struct dso *dso;
	u64 base, n;
	int number;
	bool missing;
};

/* A section has one place in a space. */
struct code_place {
	int section;
	u64 base;
};

/* The space of @maps. */
struct code_space {
	struct code_space *next;
	struct csflow_code *code;
	struct machine *machine;
	struct maps *maps;
	int number;
	struct code_place *place;
	size_t n_place, size_place;
};

void csflow_code_init(struct csflow_code *code, struct csf_image *image,
		      struct machines *machines)
{
	*code = (struct csflow_code){ .image = image, .machines = machines };
}

static void free_sections(struct code_section *s)
{
	while (s) {
		struct code_section *next = s->next;

		dso__put(s->dso);
		free(s);
		s = next;
	}
}

static void free_spaces(struct code_space *s)
{
	while (s) {
		struct code_space *next = s->next;

		maps__put(s->maps);
		free(s->place);
		free(s);
		s = next;
	}
}

void csflow_code_exit(struct csflow_code *code)
{
	free_sections(code->kernel);
	for (size_t i = 0; i < CODE_HASH; i++) {
		free_sections(code->section[i]);
		free_spaces(code->space[i]);
	}
	*code = (struct csflow_code){ 0 };
}

static size_t slot(const void *p)
{
	return (uintptr_t)p * 0x9e3779b97f4a7c15ULL >> 56;
}

/* ---------------------------------------------------------------- reading */

static void say_missing(struct code_section *s, const char *name)
{
	if (s->missing)
		return;
	s->missing = true;
	if (s->code->missing++ < CODE_NAMED)
		pr_warning("csflow: the code of %s cannot be read, so what ran there is left out: copy the file here ('perf archive' collects them), or name its root with --symfs\n",
			   name);
}

static size_t read_dso(void *context, uint64_t offset, void *buf, size_t n)
{
	struct code_section *s = context;
	ssize_t got = dso__data_read_offset(s->dso, s->machine, offset, buf, n);

	if (got < 0)
		say_missing(s, dso__long_name(s->dso));
	return got > 0 ? got : 0;
}

/*
 * Loading a kernel's map may put others in its place, and gives it the offsets of the file that
 * was found: so it is looked up again behind that.
 */
static struct map *kernel_map(struct maps *maps, u64 addr)
{
	struct map *map = shim_maps_find(maps, addr);

	if (!map)
		return NULL;
	map__load(map);
	map__put(map);
	return shim_maps_find(maps, addr);
}

static size_t read_kernel(void *context, uint64_t offset, void *buf, size_t n)
{
	struct code_section *s = context;
	u64 addr = s->base + offset;
	struct map *map = kernel_map(machine__kernel_maps(s->machine), addr);
	ssize_t got;

	if (!map)
		return 0;
	n = min_t(u64, n, map__end(map) - addr);
	got = dso__data_read_offset(map__dso(map), s->machine, map__map_ip(map, addr), buf, n);
	if (got < 0)
		say_missing(s, dso__long_name(map__dso(map)));
	map__put(map);
	return got > 0 ? got : 0;
}

/* ---------------------------------------------------------------- sections */

static struct code_section *section_new(const struct code_section *as,
					struct code_section **head)
{
	struct code_section *s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	*s = *as;
	s->number = csf_section_read(s->code->image, s->n, s->dso ? read_dso : read_kernel, s);
	if (s->number < 0) {
		free(s);
		return NULL;
	}
	s->dso = dso__get(s->dso);
	s->next = *head;
	*head = s;
	return s;
}

/* Whether @section may be seen in @space with its first byte at @base. */
static bool fits(const struct code_space *space, int section, u64 base, bool *placed)
{
	*placed = false;
	for (size_t i = 0; i < space->n_place; i++) {
		if (space->place[i].section != section)
			continue;
		*placed = true;
		return space->place[i].base == base;
	}
	return true;
}

static int place(struct code_space *space, int section, u64 base)
{
	if (space->n_place == space->size_place) {
		size_t size = space->size_place ? 2 * space->size_place : 16;
		struct code_place *p = realloc(space->place, size * sizeof(*p));

		if (!p)
			return -ENOMEM;
		space->place = p;
		space->size_place = size;
	}
	space->place[space->n_place++] = (struct code_place){ section, base };
	return 0;
}

/* A section of @dso that reaches to @end at least and can be seen at @base in @space. */
static struct code_section *section_for(struct code_space *space, struct dso *dso, u64 base,
					u64 end)
{
	struct code_section **head = &space->code->section[slot(dso)];
	struct code_section as = {
		.code = space->code, .machine = space->machine, .dso = dso,
		.n = ALIGN(end, PAGE),
	};
	struct code_section *s;
	bool placed = false;

	for (s = *head; s; s = s->next) {
		if (s->dso == dso && s->n >= end && fits(space, s->number, base, &placed))
			break;
	}
	if (!s) {
		s = section_new(&as, head);
		placed = false;
	}
	if (!s || (!placed && place(space, s->number, base)))
		return NULL;
	return s;
}

/* ---------------------------------------------------------------- maps */

static int enter(struct map *map, void *data)
{
	struct code_space *space = data;
	u64 start = map__start(map), offset = map__pgoff(map), n = map__end(map) - start;
	struct code_section *s;

	if (!map__dso(map) || shim_map_is_identity(map) || map__end(map) <= start ||
	    n > SECTION_MAX || offset > SECTION_MAX - n || (start - offset) & 3)
		return 0;
	s = section_for(space, map__dso(map), start - offset, offset + n);
	if (!s)
		return -ENOMEM;
	return csf_map(space->code->image, space->number, start, n, s->number, offset) ==
		CSF_ERR_MEMORY ? -ENOMEM : 0;
}

/* What a process has at @start, for @n bytes, is another thing now. */
static int change_user(struct code_space *space, u64 start, u64 n)
{
	u64 end = start + n < start ? ~0ULL : start + n;
	int err = 0;

	csf_unmap(space->code->image, space->number, start, n);
	while (start < end && !err) {
		struct map *map = shim_maps_find(space->maps, start);

		if (!map)
			break;
		err = enter(map, space);
		start = map__end(map);
		map__put(map);
	}
	return err;
}

/* Where in a kernel's space something changed. */
struct kernel_change {
	struct csflow_code *code;
	struct machine *machine;
	int space;
	u64 start, last;
};

/* All is looked at anew, and this part is as it was. */
static struct code_section *same_kernel(const struct kernel_change *change,
					const struct code_section *as)
{
	struct code_section *s = change->code->kernel;

	if (change->start || change->last != ~0ULL)
		return NULL;
	while (s && (s->machine != as->machine || s->base != as->base || s->n != as->n))
		s = s->next;
	return s;
}

static int enter_kernel(struct map *map, void *data)
{
	const struct kernel_change *change = data;
	struct code_section as = {
		.code = change->code, .machine = change->machine, .base = map__start(map),
		.n = min_t(u64, map__end(map) - map__start(map), SECTION_MAX),
	};
	struct code_section *s;

	if (map__end(map) <= map__start(map) || map__start(map) > change->last ||
	    map__end(map) <= change->start || as.base & 3)
		return 0;
	s = same_kernel(change, &as);
	if (!s)
		s = section_new(&as, &change->code->kernel);
	if (!s)
		return -ENOMEM;
	return csf_map(change->code->image, change->space, s->base, s->n, s->number, 0) ==
		CSF_ERR_MEMORY ? -ENOMEM : 0;
}

static int change_kernel(struct csflow_code *code, struct machine *machine, int space, u64 start,
			 u64 n)
{
	struct kernel_change change = {
		.code = code, .machine = machine, .space = space, .start = start,
		.last = start + n - 1 < start ? ~0ULL : start + n - 1,
	};

	if (!n || !machine__kernel_maps(machine))
		return 0;
	csf_unmap(code->image, space, start, change.last - start + 1);
	return shim_walk_maps(machine__kernel_maps(machine), enter_kernel, &change);
}

/* ---------------------------------------------------------------- spaces */

static struct code_space *find_space(const struct csflow_code *code, const struct maps *maps)
{
	struct code_space *s = code->space[slot(maps)];

	while (s && s->maps != maps)
		s = s->next;
	return s;
}

static struct code_space *space_new(struct csflow_code *code, struct machine *machine,
				    struct maps *maps)
{
	struct code_space **head = &code->space[slot(maps)];
	struct code_space *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->number = csf_space_new(code->image);
	if (s->number < 0) {
		free(s);
		return NULL;
	}
	s->code = code;
	s->machine = machine;
	s->maps = maps__get(maps);
	s->next = *head;
	*head = s;
	return s;
}

int csflow_code_space(struct csflow_code *code, struct thread *thread)
{
	struct maps *maps = thread ? thread__maps(thread) : NULL;
	struct code_space *space;

	if (!maps)
		return CSF_SPACE_ALL;
	space = find_space(code, maps);
	if (space)
		return space->number;
	space = space_new(code, &code->machines->host, maps);
	if (!space || shim_walk_maps(maps, enter, space))
		return -ENOMEM;
	return space->number;
}

int csflow_code_guest(struct csflow_code *code, struct machine *guest)
{
	struct maps *maps = guest ? machine__kernel_maps(guest) : NULL;
	struct code_space *space;

	if (!maps)
		return CSF_SPACE_ALL;
	space = find_space(code, maps);
	if (space)
		return space->number;
	space = space_new(code, guest, maps);
	if (!space || change_kernel(code, guest, space->number, 0, ~0ULL))
		return -ENOMEM;
	return space->number;
}

/* ---------------------------------------------------------------- changes */

static void set_change(struct csflow_code *code, enum code_change what, pid_t pid, pid_t tid,
		       u64 start, u64 n)
{
	code->change.what = what;
	code->change.machine = &code->machines->host;
	code->change.pid = pid;
	code->change.tid = tid;
	code->change.start = start;
	code->change.n = n;
}

/* perf finds out for itself where a kernel ends, and where it begins. */
static void is_kernel(struct csflow_code *code, const char *name)
{
	if (code->change.what == CODE_KERNEL && *name == '[') {
		code->change.start = 0;
		code->change.n = ~0ULL;
	}
}

void csflow_code_event(struct csflow_code *code, const union perf_event *event,
		       const struct perf_sample *sample)
{
	bool guest = sample->cpumode == PERF_RECORD_MISC_GUEST_KERNEL;
	enum code_change what = guest || sample->cpumode == PERF_RECORD_MISC_KERNEL ?
		CODE_KERNEL : CODE_USER;

	switch (event->header.type) {
	case PERF_RECORD_MMAP:
		set_change(code, what, event->mmap.pid, event->mmap.tid, event->mmap.start,
			   event->mmap.len);
		is_kernel(code, event->mmap.filename);
		break;
	case PERF_RECORD_MMAP2:
		set_change(code, what, event->mmap2.pid, event->mmap2.tid, event->mmap2.start,
			   event->mmap2.len);
		is_kernel(code, event->mmap2.filename);
		break;
	case PERF_RECORD_KSYMBOL:
		set_change(code, CODE_KERNEL, 0, 0, event->ksymbol.addr, event->ksymbol.len);
		break;
	case PERF_RECORD_TEXT_POKE:
		set_change(code, CODE_POKE, 0, 0, event->text_poke.addr,
			   event->text_poke.new_len);
		break;
	default:
		return;
	}
	if (guest)
		code->change.machine = machines__find_guest(code->machines,
							    DEFAULT_GUEST_KERNEL_ID);
}

/* The space of a process, if trace has led there. */
static struct code_space *space_of(struct csflow_code *code, pid_t pid, pid_t tid)
{
	struct thread *thread = machine__find_thread(&code->machines->host, pid, tid);
	struct code_space *space = NULL;

	if (thread && thread__maps(thread))
		space = find_space(code, thread__maps(thread));
	thread__put(thread);
	return space;
}

static int user_changed(struct csflow_code *code)
{
	struct code_space *space = space_of(code, code->change.pid, code->change.tid);

	return space ? change_user(space, code->change.start, code->change.n) : 0;
}

static int kernel_changed(struct csflow_code *code)
{
	struct machine *machine = code->change.machine;
	struct code_space *space;

	if (!machine)
		return 0;
	if (machine__is_host(machine))
		return change_kernel(code, machine, CSF_SPACE_ALL, code->change.start,
				     code->change.n);
	space = find_space(code, machine__kernel_maps(machine));
	if (!space)
		return 0;
	return change_kernel(code, machine, space->number, code->change.start, code->change.n);
}

/* Code that was patched: it is read again. */
static void poked(struct csflow_code *code)
{
	for (const struct code_section *s = code->kernel; s; s = s->next) {
		if (code->change.start - s->base < s->n)
			csf_section_stale(code->image, s->number);
	}
}

int csflow_code_update(struct csflow_code *code)
{
	enum code_change what = code->change.what;

	code->change.what = CODE_SAME;
	if (!code->has_kernel) {
		code->has_kernel = true;
		if (what != CODE_USER)
			what = CODE_SAME;
		if (change_kernel(code, &code->machines->host, CSF_SPACE_ALL, 0, ~0ULL))
			return -ENOMEM;
	}
	switch (what) {
	case CODE_USER:
		return user_changed(code);
	case CODE_KERNEL:
		return kernel_changed(code);
	case CODE_POKE:
		poked(code);
		break;
	case CODE_SAME:
	default:
		break;
	}
	return 0;
}
