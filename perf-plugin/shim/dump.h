/* SPDX-License-Identifier: GPL-2.0-only */
/* The packets of trace in words, for `perf script -D` and for the log. */
#ifndef SHIM_DUMP_H
#define SHIM_DUMP_H

#include "compat.h"
#include "../out.h"
#include "../plugin.h"

/* No index is known. */
#define DUMP_NO_INDEX	UINT64_MAX

/* A piece of trace, as far as it is printed. */
struct csflow_dump;

/* @out: where it goes; borrowed.  Return: 0, -ENOMEM. */
int csflow_dump_new(struct csflow_dump **dump, struct plugin *plugin,
		    const struct plugin_piece *piece, struct out *out);
void csflow_dump_free(struct csflow_dump *dump);

/* "ETE", "ETMV4I" or "unknown": as what its trace is read. */
const char *csflow_dump_protocol(const struct csflow_dump *dump);

/**
 * csflow_dump_until() - go on printing
 * @at: up to and including the packet that has the byte at this place, in bytes of trace ID @id;
 *      UINT64_MAX: all of it; perhaps a few more, for it goes by frames
 *
 * Return: 0, -ENOMEM.
 */
int csflow_dump_until(struct csflow_dump *dump, u8 id, u64 at);

/* The ID that lines have of what comes as of trace ID @id, which is 0 where trace is raw. */
u8 csflow_dump_id(const struct csflow_dump *dump, u8 id);

/* The index of that byte, as lines have it; DUMP_NO_INDEX if it was not reached. */
u64 csflow_dump_index(const struct csflow_dump *dump, u8 id, u64 at);

/* Prints the packets of the @n bytes at @offset of the file on stdout.  Return: 0, -ENOMEM. */
int csflow_dump(struct plugin *plugin, u64 offset, u64 n);

#endif /* SHIM_DUMP_H */
