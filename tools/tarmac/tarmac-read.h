/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A Tarmac log, record by record, in constant memory:
 *
 *	struct tarmac_reader reader = { .path = "trace.log" };
 *	struct tarmac_record r;
 *	int ret;
 *
 *	ret = tarmac_open(&reader);
 *	while (!ret && (ret = tarmac_next(&reader, &r)) > 0)
 *		... reader.line is its number, tarmac_cpu_name(&reader.parser, r.cpu) its processor
 *	problems_print(&reader.problems, "csflow: ");
 *	tarmac_close(&reader);
 */
#ifndef CSF_TARMAC_READ_H
#define CSF_TARMAC_READ_H

#include "../lib/problems.h"
#include "../lib/spool.h"
#include "tarmac-parse.h"

/* Longer lines are cut. */
#define TARMAC_LINE_MAX	(1u << 16)

/**
 * struct tarmac_reader - zero it, set @path, tarmac_open()
 * @path: "-": standard input; may be a pipe
 * @parser: set @implicit_thumb before tarmac_open(); for tarmac_cpu_name()
 * @problems: lines that begin like Tarmac but are not; of those that begin with the same word, only
 *            the first few are listed, and all are counted
 * @line: number of the line of the record, from 1; several may be in one
 * @offset: of its first byte in the file
 * @raw: the raw line
 * @n_wrong: wrong records, and lines that are not text
 * @n_record: records; @n_text: other lines that are not meant as records, the first is @text_line
 * @spool: read this instead of @path; may be NULL
 */
struct tarmac_reader {
	const char *path;
	struct tarmac_parser parser;
	struct problems problems;
	uint64_t line, offset, n_wrong, n_record, n_text, text_line;
	struct tarmac_text raw;
	struct spool *spool;
	/* private */
	int fd;
	bool at_end, cutting;
	char *buf;
	size_t pos, n;
	uint64_t base;
	struct {
		char word[12];
		uint64_t n;
	} repeat[16];
};

/* Return: 0, or a negative errno. */
int tarmac_open(struct tarmac_reader *t);
void tarmac_close(struct tarmac_reader *t);

/*
 * Return: 1 and a record, valid until the next call; 0: the end; a negative errno: the file cannot
 * be read further.
 */
int tarmac_next(struct tarmac_reader *t, struct tarmac_record *r);

#endif /* CSF_TARMAC_READ_H */
