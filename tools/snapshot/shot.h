/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A snapshot that is being put together, and then written: what Documentation/format/snapshot.rst
 * describes, in the strictest form of it, which every reader takes.
 */
#ifndef CSF_SHOT_H
#define CSF_SHOT_H

#include <stdio.h>

#include "../../decoder/csflow.h"
#include "../lib/problems.h"

#define SHOT_NAME_MAX	48

/* Text that the shot owns, such as a register: "PC(size:64)=0x8000". */
struct shot_text {
	char *text;
};

/**
 * struct shot_core - a processor
 * @type: borrowed
 */
struct shot_core {
	char name[SHOT_NAME_MAX];
	const char *type;
};

/**
 * struct shot_unit - a trace unit
 * @core: number of its core; -1: it has none
 * @authstatus: TRCAUTHSTATUS; 0: everything may be traced
 * @position: of an MTB, if @has_position
 * @buffer: numbers of the buffers that it wrote into, @n_buffer of them
 */
struct shot_unit {
	char name[SHOT_NAME_MAX];
	struct csf_config config;
	int core;
	uint32_t authstatus, position;
	bool has_position;
	uint8_t id;
	size_t *buffer;
	size_t n_buffer;
};

/**
 * struct shot_buffer - a trace buffer
 * @framing: CSF_FRAMES_MEMORY, CSF_FRAMES_DSTREAM or INPUT_RAW
 * @part: the pieces of its bytes, borrowed, @n_part of them
 */
struct shot_part {
	const uint8_t *data;
	size_t n;
};

struct shot_buffer {
	char name[SHOT_NAME_MAX];
	int framing;
	struct shot_part *part;
	size_t n_part;
};

/**
 * struct shot_file - a file with memory
 * @data: @n bytes; @owned: to be freed
 */
struct shot_file {
	char name[SHOT_NAME_MAX];
	const uint8_t *data;
	uint64_t n;
	bool owned;
};

/**
 * struct shot_dump - memory
 * @file: number of its file, where it is @n bytes at @offset
 * @space: name of the memory space; NULL: any
 * @from: what it is, for messages; borrowed
 */
struct shot_dump {
	size_t file;
	uint64_t addr, n, offset;
	const char *space, *from;
};

/**
 * struct shot - all of it; zero it, free it with shot_free()
 * @description: free text, or NULL
 * @reg: registers, the same for all cores
 * @kept: text that others borrow
 */
struct shot {
	const char *description;
	struct shot_core *core;
	struct shot_unit *unit;
	struct shot_buffer *buffer;
	struct shot_file *file;
	struct shot_dump *dump;
	struct shot_text *reg, *kept;
	size_t n_core, n_unit, n_buffer, n_file, n_dump, n_reg, n_kept;
	struct problems problems;
};

/* Each adds a zeroed element; NULL: no memory. */
struct shot_core *shot_add_core(struct shot *s);
struct shot_unit *shot_add_unit(struct shot *s);
struct shot_buffer *shot_add_buffer(struct shot *s);
int shot_add_part(struct shot_buffer *b, const uint8_t *data, size_t n);
int shot_add_wrote(struct shot_unit *u, size_t buffer);

/* @data: of a whole file, which @owned gives to the shot.  Return: its number, or -ENOMEM. */
long shot_add_file(struct shot *s, const char *name, const uint8_t *data, uint64_t n, bool owned);

/**
 * shot_add_dump() - add memory
 *
 * Memory that is there already is not added again.  If it has other bytes that is a problem, and
 * the first stays.
 *
 * Return: 0, -ENOMEM.
 */
int shot_add_dump(struct shot *s, const struct shot_dump *dump);

/* "Cortex-M", "ARMv7-A" or the like, for a core of which only the trace unit is known. */
const char *shot_core_type(const struct csf_config *config);

/* "etm", "ptm", "itm" and so on: the beginning of the name of a trace unit. */
const char *shot_unit_kind(const struct csf_config *config);

/*
 * Writes all files of it into the folder @dir, at once.  *@failed: the file that could not be
 * written, to be freed.  Return: 0 or a negative errno.
 */
int shot_write(const struct shot *s, const char *dir, bool show_progress, char **failed);
void shot_free(struct shot *s);

#endif /* CSF_SHOT_H */
