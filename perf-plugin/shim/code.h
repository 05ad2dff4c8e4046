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
#include "../../decoder/csflow.h"

#define CODE_HASH	256
/* Of files whose code is missing so many are named. */
#define CODE_NAMED	8

/* What a record changes, once perf has taken it in. */
enum code_change { CODE_SAME, CODE_USER, CODE_KERNEL, CODE_POKE };

/**
 * struct csflow_code - all code of a session
 * @image: borrowed
 * @machines: of the session
 * @missing: dsos whose code could not be read
 */
struct csflow_code {
	struct csf_image *image;
	struct machines *machines;
	unsigned int missing;
	/* private */
	struct code_section *section[CODE_HASH];	/* of dsos */
	struct code_section *kernel;
	struct code_space *space[CODE_HASH];
	bool has_kernel;
	struct {
		enum code_change what;
		struct machine *machine;
		pid_t pid, tid;
		u64 start, n;
	} change;
};

void csflow_code_init(struct csflow_code *code, struct csf_image *image,
		      struct machines *machines);
void csflow_code_exit(struct csflow_code *code);

/* Before perf takes in @event: remembers what that will change. */
void csflow_code_event(struct csflow_code *code, const union perf_event *event,
		       const struct perf_sample *sample);

/* Before anything is decoded: takes over what changed.  Return: 0, -ENOMEM. */
int csflow_code_update(struct csflow_code *code);

/* The space of a thread, NULL: of nobody; of a guest's kernel.  Return: number, -ENOMEM. */
int csflow_code_space(struct csflow_code *code, struct thread *thread);
int csflow_code_guest(struct csflow_code *code, struct machine *guest);

#endif /* SHIM_CODE_H */
