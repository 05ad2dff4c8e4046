// SPDX-License-Identifier: GPL-2.0-only
#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include <util/vdso.h>

#include "code-parts.h"

/* No vDSO is larger. */
#define VDSO_MAX	65536

void csflow_code_init(struct csflow_code *code, struct plugin *plugin,
		      struct perf_session *session)
{
	*code = (struct csflow_code){
		.plugin = plugin, .image = plugin_image(plugin), .machines = &session->machines,
		.recording = perf_data__is_dir(session->data) ? session->data->path : NULL,
	};
}

static void free_sections(struct code_section *s)
{
	while (s) {
		struct code_section *next = s->next;

		dso__put(s->dso);
		plugin_module_free(s->module);
		free(s);
		s = next;
	}
}

static void free_spaces(struct code_space *s)
{
	while (s) {
		struct code_space *next = s->next;

		maps__put(s->maps);
		free(s->mapped);
		free(s);
		s = next;
	}
}

void csflow_code_exit(struct csflow_code *code)
{
	plugin_changes_free(code->changes);
	free_sections(code->kernel);
	free_sections(code->changed);
	for (size_t i = 0; i < CODE_HASH; i++) {
		free_sections(code->section[i]);
		free_spaces(code->space[i]);
	}
	free(code->poke);
	free(code->name);
	*code = (struct csflow_code){ 0 };
}

static size_t slot(const void *p)
{
	return (uintptr_t)p * 0x9e3779b97f4a7c15ULL >> 56;
}

/* ---------------------------------------------------------------- reading */

void csflow_section_missing(struct code_section *s, const char *name)
{
	if (s->missing)
		return;
	s->missing = true;
	if (s->code->missing++ < CODE_NAMED)
		pr_warning("csflow: the code of %s cannot be read, so what ran there is left out: copy the file here ('perf archive' collects them), or name its root with --symfs\n",
			   name);
}

/*
 * If perf has not found a vDSO in its cache, it takes that of this machine, which may be another.
 */
static bool other_vdso(struct dso *dso, const u8 *bytes, size_t n)
{
	const struct build_id *id = shim_dso_build_id(dso);

	return id && dso__is_vdso(dso) && !memmem(bytes, n, id->data, id->size);
}

/* Files from perf inject --jit say that they are for the machine on which it ran. */
static bool other_machine(const struct dso *dso, u16 machine)
{
	const char *slash = strrchr(dso__long_name(dso), '/');
	const char *name = slash ? slash + 1 : dso__long_name(dso);

	return machine != EM_AARCH64 && machine != EM_ARM && strncmp(name, "jitted-", 7);
}

/* Is the file for another kind of machine, or another vDSO? */
static bool is_foreign(const struct code_section *s)
{
	u8 *bytes = malloc(VDSO_MAX);
	ssize_t got = bytes ? dso__data_read_offset(s->dso, s->machine, 0, bytes, VDSO_MAX) : 0;
	bool foreign = false;
	u16 machine;

	if (got >= 20 && !memcmp(bytes, ELFMAG, SELFMAG)) {
		memcpy(&machine, bytes + offsetof(Elf64_Ehdr, e_machine), sizeof(machine));
		foreign = other_machine(s->dso, machine) || other_vdso(s->dso, bytes, got);
	}
	free(bytes);
	return foreign;
}

static size_t read_dso(void *context, uint64_t offset, void *buf, size_t n)
{
	struct code_section *s = context;
	size_t skip = offset < s->skew ? min_t(size_t, s->skew - offset, n) : 0;
	ssize_t got = -1;

	if (!s->checked)
		s->foreign = is_foreign(s);
	s->checked = true;
	memset(buf, 0, skip);
	if (!s->foreign)
		got = dso__data_read_offset(s->dso, s->machine, offset + skip - s->skew,
					    (u8 *)buf + skip, n - skip);
	if (got < 0)
		csflow_section_missing(s, dso__long_name(s->dso));
	return got > 0 ? got + skip : 0;
}

/* ---------------------------------------------------------------- sections */

struct code_section *csflow_section_new(const struct code_section *as, csf_read_fn fn,
					struct code_section **head)
{
	struct code_section *s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	*s = *as;
	s->number = csf_section_read(s->code->image, s->n, fn, s);
	if (s->number < 0) {
		free(s);
		return NULL;
	}
	s->dso = dso__get(s->dso);
	s->next = *head;
	*head = s;
	return s;
}

/* Can @section be mapped in @space with its first byte at @base? */
static bool fits(const struct code_space *space, int section, u64 base, bool *is_mapped)
{
	*is_mapped = false;
	for (size_t i = 0; i < space->n_mapped; i++) {
		if (space->mapped[i].section != section)
			continue;
		*is_mapped = true;
		return space->mapped[i].base == base;
	}
	return true;
}

static int map_section(struct code_space *space, int section, u64 base)
{
	if (space->n_mapped == space->size_mapped) {
		size_t size = space->size_mapped ? 2 * space->size_mapped : 16;
		struct section_base *p = realloc(space->mapped, size * sizeof(*p));

		if (!p)
			return -ENOMEM;
		space->mapped = p;
		space->size_mapped = size;
	}
	space->mapped[space->n_mapped++] = (struct section_base){ section, base };
	return 0;
}

/* A section of @dso up to @end at least, whose first byte can be mapped at @at in @space. */
static struct code_section *section_for(struct code_space *space, struct dso *dso, u64 at,
					u64 end)
{
	const u32 skew = at & 3;
	const u64 base = at - skew;
	struct code_section **head = &space->code->section[slot(dso)];
	struct code_section as = {
		.code = space->code, .machine = space->machine, .dso = dso,
		.n = ALIGN(end + skew, PAGE), .skew = skew,
	};
	struct code_section *s;
	bool is_mapped = false;

	for (s = *head; s; s = s->next) {
		if (s->dso == dso && s->skew == skew && s->n >= end + skew &&
		    fits(space, s->number, base, &is_mapped))
			break;
	}
	if (!s) {
		s = csflow_section_new(&as, read_dso, head);
		is_mapped = false;
	}
	if (!s || (!is_mapped && map_section(space, s->number, base)))
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
	    n > SECTION_MAX || offset > SECTION_MAX - n)
		return 0;
	s = section_for(space, map__dso(map), start - offset, offset + n);
	if (!s)
		return -ENOMEM;
	return csf_map(space->code->image, space->number, start, n, s->number,
		       offset + s->skew) == CSF_ERR_MEMORY ? -ENOMEM : 0;
}

/* The @n bytes that a process has at @start have changed. */
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

/* ---------------------------------------------------------------- spaces */

static struct code_space *find_space(const struct csflow_code *code, const struct maps *maps)
{
	struct code_space *s = code->space[slot(maps)];

	while (s && s->maps != maps)
		s = s->next;
	return s;
}

/* Makes a space as in @as. */
static struct code_space *space_new(struct csflow_code *code, const struct code_space *as)
{
	struct code_space **head = &code->space[slot(as->maps)];
	struct code_space *s = malloc(sizeof(*s));

	if (!s)
		return NULL;
	*s = *as;
	s->number = as->guest ? csf_space_alone(code->image) : csf_space_new(code->image);
	if (s->number < 0) {
		free(s);
		return NULL;
	}
	s->code = code;
	s->maps = maps__get(as->maps);
	s->next = *head;
	*head = s;
	return s;
}

int csflow_code_space(struct csflow_code *code, struct thread *thread)
{
	const struct code_space as = { .machine = &code->machines->host,
				       .maps = thread ? thread__maps(thread) : NULL };
	struct code_space *space;

	if (!as.maps)
		return CSF_SPACE_ALL;
	space = find_space(code, as.maps);
	if (space)
		return space->number;
	space = space_new(code, &as);
	if (!space || shim_walk_maps(as.maps, enter, space))
		return -ENOMEM;
	return space->number;
}

/* ---------------------------------------------------------------- guests */

/* As perf finds it for a sample of a thread of @pid; NULL: perf was not told of guests. */
static struct machine *guest_of(struct csflow_code *code, pid_t pid)
{
	return perf_guest ? machines__find_guest(code->machines, pid) : NULL;
}

/* Nothing is known of this guest, but its code is not the host's. */
static int unknown_guest(struct csflow_code *code)
{
	if (!code->unknown_guest)
		code->unknown_guest = csf_space_alone(code->image);
	return code->unknown_guest < 0 ? -ENOMEM : code->unknown_guest;
}

/* --guest-code: the guest executes code of the process that runs it. */
static int guest_code(struct csflow_code *code, pid_t pid)
{
	struct thread *thread = machines__findnew_guest_code(code->machines, pid);
	struct code_space as = { .machine = &code->machines->host, .guest = true };
	struct code_space *space;
	int err = 0;

	if (!thread || !thread__maps(thread))
		return unknown_guest(code);
	as.maps = thread__maps(thread);
	space = find_space(code, as.maps);
	if (!space) {
		space = space_new(code, &as);
		err = space ? shim_walk_maps(as.maps, enter, space) : -ENOMEM;
	}
	thread__put(thread);
	return err ? -ENOMEM : space->number;
}

int csflow_code_guest(struct csflow_code *code, pid_t pid)
{
	struct code_space as = { .guest = true }, *space;

	if (perf_guest && symbol_conf.guest_code)
		return guest_code(code, pid);
	as.machine = guest_of(code, pid);
	as.maps = as.machine ? machine__kernel_maps(as.machine) : NULL;
	if (!as.maps)
		return unknown_guest(code);
	space = find_space(code, as.maps);
	if (space)
		return space->number;
	space = space_new(code, &as);
	if (!space || csflow_kernel_changed(code, as.machine, space->number, 0, ~0ULL))
		return -ENOMEM;
	return space->number;
}

bool csflow_code_is_guest(const struct csflow_code *code, int number)
{
	if (number == CSF_SPACE_ALL || number == code->unknown_guest)
		return number;
	for (size_t i = 0; i < CODE_HASH; i++)
		for (const struct code_space *s = code->space[i]; s; s = s->next)
			if (s->number == number)
				return s->guest;
	return false;
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

/* perf itself finds out where a kernel begins and ends. */
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
	if (guest && perf_guest)
		code->change.machine = guest_of(code, code->change.pid);
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
		return csflow_kernel_changed(code, machine, CSF_SPACE_ALL, code->change.start,
					     code->change.n);
	space = find_space(code, machine__kernel_maps(machine));
	if (!space)
		return 0;
	return csflow_kernel_changed(code, machine, space->number, code->change.start,
				     code->change.n);
}

int csflow_code_update(struct csflow_code *code)
{
	enum code_change what = code->change.what;

	code->change.what = CODE_SAME;
	if (!code->has_kernel) {
		code->has_kernel = true;
		if (what != CODE_USER)
			what = CODE_SAME;
		if (csflow_kernel_pokes(code) || csflow_kernel_compare(code) ||
		    csflow_kernel_changed(code, &code->machines->host, CSF_SPACE_ALL, 0, ~0ULL))
			return -ENOMEM;
	}
	switch (what) {
	case CODE_USER:
		return user_changed(code);
	case CODE_KERNEL:
		return kernel_changed(code);
	case CODE_POKE:
		csflow_kernel_poked(code, code->change.start);
		break;
	case CODE_SAME:
	default:
		break;
	}
	return 0;
}
