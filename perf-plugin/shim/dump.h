/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the packets of trace, for `perf script -D` and for the log. */
#ifndef SHIM_DUMP_H
#define SHIM_DUMP_H

#include "compat.h"
#include "../out.h"
#include "../plugin.h"

/* The index is not known. */
#define DUMP_NO_INDEX	UINT64_MAX

/* A piece of trace, and how far it is printed. */
struct csflow_dump;

/* @out: output; borrowed.  Return: 0, -ENOMEM. */
int csflow_dump_new(struct csflow_dump **dump, struct plugin *plugin,
		    const struct plugin_piece *piece, struct out *out);
void csflow_dump_free(struct csflow_dump *dump);

/* "ETE", "ETMV4I" or "unknown": the protocol that its trace is read as. */
const char *csflow_dump_protocol(const struct csflow_dump *dump);

/**
 * csflow_dump_until() - print further packets
 * @at: print up to and including the packet with the byte at this offset, in bytes of trace ID @id;
 *      UINT64_MAX: all of it.  It may print a few more, as it reads whole frames
 *
 * Return: 0, -ENOMEM.
 */
int csflow_dump_until(struct csflow_dump *dump, u8 id, u64 at);

/* The ID in the lines for packets of trace ID @id, which is 0 for raw trace. */
u8 csflow_dump_id(const struct csflow_dump *dump, u8 id);

/* The index of that byte, as in the lines; DUMP_NO_INDEX if it was not reached. */
u64 csflow_dump_index(const struct csflow_dump *dump, u8 id, u64 at);

/* Prints the packets of the @n bytes at @offset of the file on stdout.  Return: 0, -ENOMEM. */
int csflow_dump(struct plugin *plugin, u64 offset, u64 n);

#endif /* SHIM_DUMP_H */
