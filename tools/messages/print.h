/* SPDX-License-Identifier: GPL-2.0-only */
/* The formats of the listing. */
#ifndef CSF_MESSAGES_PRINT_H
#define CSF_MESSAGES_PRINT_H

#include "../../perf-plugin/out.h"
#include "message-source.h"

struct print;

/**
 * struct print_format - a format; all return 0 or a negative errno
 * @folder: it writes several files into a folder
 * @head: NULL, or the line before the first row, also of a listing without rows
 * @start, @row, @end: any may be NULL, but @row
 */
struct print_format {
	bool folder;
	const char *head;
	int (*start)(struct print *p);
	int (*row)(struct print *p, const struct row *row);
	int (*end)(struct print *p);
};

/**
 * struct print - the output
 * @out: of a format that writes one file
 * @folder: of one that writes several
 * @state: of the format
 * @nothing: at the end, the input could not be read and no row was printed
 */
struct print {
	const struct print_format *format;
	struct out out;
	const char *folder;
	void *state;
	bool nothing;
};

extern const struct print_format print_text, print_csv, print_json, print_ctf, print_perfetto,
	print_samples;

/* The words of struct csf_message.flags, with @between between them. */
void print_flags(struct out *o, const struct row *row, char between);

/* "0.000123456": @ticks at @hz. */
void print_seconds(struct out *o, uint64_t ticks, uint64_t hz);

/* 0x, and the digits of @size bytes. */
void print_hex(struct out *o, uint64_t value, unsigned int size);

#endif /* CSF_MESSAGES_PRINT_H */
