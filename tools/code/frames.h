/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions that contain an instruction, by debug information, including inlined ones. */
#ifndef CSF_FRAMES_H
#define CSF_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "functions.h"
#include "../../perf-plugin/section.h"

/* Code that is inlined deeper than this counts as the place that called it. */
#define FRAME_MAX	64

/**
 * struct frame - a function, and a place in it
 * @name: the linker's name; borrowed from the file
 * @line: relative to the first line of the function; may be negative
 * @discriminator: as in the file
 * @checksum: of the function's control flow, if probes give it, see probes.h; else 0
 */
struct frame {
	const char *name;
	int64_t line;
	uint32_t discriminator;
	uint64_t checksum;
};

/* A piece of a function that has code, @start..@end-1; a function may have several. */
struct frame_function {
	uint64_t start, end;
	struct frame_scopes *scopes;
	bool is_entry;
};

/* Zero is empty.  @function: by address; @section: all lines; @lines: those that were read. */
struct frames {
	struct frame_function *function;
	size_t n, size;
	struct frame_scopes *all;
	struct section section;
	struct frame_lines *lines;
};

/* Return: 0; -ENODATA: there is no debug information; -ENOMEM.  In any case frames_fini(). */
int frames_read(struct frames *f, const struct functions *file);
void frames_fini(struct frames *f);

/* The frames of the instruction at @addr, the outermost first.  Return: how many; -ENOMEM. */
int frames_at(struct frames *f, uint64_t addr, struct frame frame[FRAME_MAX]);

/* Were frames in the function of @function[@i] asked for? */
bool frames_asked(const struct frames *f, size_t i);
const char *frames_name(const struct frames *f, size_t i);

/* The function that begins at @addr; NULL: none. */
const char *frames_entry(const struct frames *f, uint64_t addr);

#endif /* CSF_FRAMES_H */
