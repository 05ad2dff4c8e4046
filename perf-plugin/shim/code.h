/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The code that perf knows, as sections and spaces of an image.
 *
 * A dso is one section, whichever process maps it and wherever, so that it is
 * decoded once.  A space is made for the maps of a process when trace first
 * leads there; after that only what records change is taken over.  Nothing is
 * read before a decoder wants it.
 */
#ifndef SHIM_CODE_H
#define SHIM_CODE_H

#include "compat.h"
#include "../plugin.h"

#define CODE_HASH	256
/* Of files whose code is missing so many are named. */
#define CODE_NAMED	8

/* What a record changes, once perf has taken it in. */
enum code_change { CODE_SAME, CODE_USER, CODE_KERNEL, CODE_POKE };

/**
 * struct csflow_code - all code of a session
 * @plugin: borrowed
 * @image: of that
 * @machines: of the session
 * @missing: dsos whose code could not be read
 */
struct csflow_code {
	struct plugin *plugin;
	struct csf_image *image;
	struct machines *machines;
	unsigned int missing;
	/* private */
	struct code_section *section[CODE_HASH];	/* of dsos */
	struct code_section *kernel;
	struct code_space *space[CODE_HASH];
	struct code_poke *poke;
	size_t n_poke;
	struct code_name *name;
	size_t n_name;
	const struct machine *names_of;
	int unknown_guest;
	bool has_kernel;
	struct {
		enum code_change what;
		struct machine *machine;
		pid_t pid, tid;
		u64 start, n;
	} change;
};

void csflow_code_init(struct csflow_code *code, struct plugin *plugin, struct machines *machines);
void csflow_code_exit(struct csflow_code *code);

/* Before perf takes in @event: remembers what that will change. */
void csflow_code_event(struct csflow_code *code, const union perf_event *event,
		       const struct perf_sample *sample);

/* Before anything is decoded: takes over what changed.  Return: 0, -ENOMEM. */
int csflow_code_update(struct csflow_code *code);

/* The space of a thread, NULL: nobody's; of the guest that @pid runs.  Return: number, -ENOMEM. */
int csflow_code_space(struct csflow_code *code, struct thread *thread);
int csflow_code_guest(struct csflow_code *code, pid_t pid);

/* Whether the space @number is a guest's. */
bool csflow_code_is_guest(const struct csflow_code *code, int number);

/*
 * Where a kernel's addresses begin.  For perf that is where its text does; on arm64 modules lie
 * below that.
 */
static inline u64 csflow_kernel_start(struct machine *machine)
{
	return min_t(u64, machine__kernel_start(machine), 1ULL << 63);
}

#endif /* SHIM_CODE_H */
