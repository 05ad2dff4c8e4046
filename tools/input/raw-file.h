/* SPDX-License-Identifier: GPL-2.0-only */
/* A raw file: trace without a word on the trace unit that wrote it, which the user describes. */
#ifndef CSF_RAW_FILE_H
#define CSF_RAW_FILE_H

#include "../lib/problems.h"
#include "../lib/spool.h"
#include "input.h"
#include "unit.h"

/**
 * struct raw_words - what the words of a trace unit say
 * @framing: CSF_FRAMES_MEMORY, CSF_FRAMES_DSTREAM or INPUT_RAW
 * @id, @position: of an MTB; if @has_id, @has_position
 */
struct raw_words {
	struct unit unit;
	uint64_t id, position;
	bool has_id, has_position;
	int framing;
};

/* Zero @w and set @framing to INPUT_RAW first.  Return: @word is one of them. */
bool raw_words_take(struct raw_words *w, const char *word);

/**
 * struct raw_file - zero it, then raw_file_open(); close it either way
 * @source: the trace unit
 * @framing: CSF_FRAMES_MEMORY or INPUT_RAW
 * @data: the trace, @n bytes; of an MTB the oldest first
 */
struct raw_file {
	struct input_source source;
	int framing;
	const uint8_t *data;
	size_t n;
	/* private */
	struct spool spool;
	struct file file;
	uint8_t *ordered;
};

/**
 * raw_file_open() - read a raw file
 * @path: "-": standard input
 * @words: the options of csflow dump for a raw file, without their dashes, with commas or blanks
 *         between them: protocol, profile, registers, mtb-position, framing (raw, frames), id
 * @problems: gets what is wrong with the words or the file
 *
 * Return: 0, or -errno, and @problems has the reason.
 */
int raw_file_open(struct raw_file *r, struct problems *problems, const char *path,
		  const char *words);
void raw_file_close(struct raw_file *r);

#endif /* CSF_RAW_FILE_H */
