/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions that contain an instruction, by debug information, including inlined ones. */
#ifndef CSF_FRAMES_H
#define CSF_FRAMES_H

#include "../../perf-plugin/elf.h"

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

/**
 * struct frames - zero is empty
 * @bodies: all functions; @asked: by their number: were frames in it asked for?
 * @body: the last one that was asked for
 * @range: all of it has the same inlined functions, of which @inlined is the innermost
 */
struct frames {
	struct elf_file *file;
	struct elf_bodies bodies;
	bool *asked;
	const struct elf_body *body;
	struct elf_range range;
	const struct elf_inlined *inlined;
};

/*
 * Borrows @file.  Return: 0; -ENODATA: there is no debug information; -ENOMEM.  In any case
 * frames_fini().
 */
int frames_read(struct frames *f, struct elf_file *file);
void frames_fini(struct frames *f);

/* The frames of the instruction at @addr, the outermost first.  Return: how many; -ENOMEM. */
int frames_at(struct frames *f, uint64_t addr, struct frame frame[FRAME_MAX]);

/* Were frames in the function of @f->bodies.body[@i] asked for? */
bool frames_asked(const struct frames *f, size_t i);

/* The function that begins at @addr; NULL: none. */
const char *frames_entry(const struct frames *f, uint64_t addr);

#endif /* CSF_FRAMES_H */
