/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The code that perf knows, as sections and spaces of an image.
 *
 * A dso is one section, whatever process maps it at whatever address, so that it is decoded once.
 * A space is made for the maps of a process when trace first leads there; after that, only changes
 * by records are taken over.  Nothing is read before a decoder needs it.
 */
#ifndef SHIM_CODE_H
#define SHIM_CODE_H

#include "compat.h"
#include "../plugin.h"

#define CODE_HASH	256
/* Maximum number of files to name whose code is missing. */
#define CODE_NAMED	8

/* The code that a record changes, once perf has processed it. */
enum code_change { CODE_SAME, CODE_USER, CODE_KERNEL, CODE_POKE };

/**
 * struct csflow_code - all code of a session
 * @plugin: borrowed
 * @image: that of @plugin
 * @machines: those of the session
 * @recording: the directory of the recording; NULL: it is a file
 * @missing: number of dsos whose code could not be read
 * @changes: code of the kernel that changed during the recording; NULL: nothing is known of it
 * @met_changed: such code was needed
 */
struct csflow_code {
	struct plugin *plugin;
	struct csf_image *image;
	struct machines *machines;
	const char *recording;
	unsigned int missing;
	struct plugin_changes *changes;
	bool met_changed;
	/* private */
	struct code_section *section[CODE_HASH];	/* sections of dsos */
	struct code_section *kernel, *changed;
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

/* @session is borrowed. */
void csflow_code_init(struct csflow_code *code, struct plugin *plugin,
		      struct perf_session *session);
void csflow_code_exit(struct csflow_code *code);

/* Call before perf processes @event: remembers what that will change. */
void csflow_code_event(struct csflow_code *code, const union perf_event *event,
		       const struct perf_sample *sample);

/* Call before decoding: takes over the changes.  Return: 0, -ENOMEM. */
int csflow_code_update(struct csflow_code *code);

/*
 * The space of a thread, NULL: not known; of the guest that @pid runs.  Return: its number,
 * -ENOMEM.
 */
int csflow_code_space(struct csflow_code *code, struct thread *thread);
int csflow_code_guest(struct csflow_code *code, pid_t pid);

/* Is the space @number a guest's? */
bool csflow_code_is_guest(const struct csflow_code *code, int number);

/*
 * Start of a kernel's addresses.  For perf this is the start of its text; on arm64 modules are
 * below that.
 */
static inline u64 csflow_kernel_start(struct machine *machine)
{
	return min_t(u64, machine__kernel_start(machine), 1ULL << 63);
}

#endif /* SHIM_CODE_H */
