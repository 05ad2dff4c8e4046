/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lines: text in the making, for csf_packet_print() of all protocols and csf_report_print(). */
#ifndef CSF_LINE_H
#define CSF_LINE_H

#include "bytes.h"
#include "csflow.h"

/**
 * struct line - a line that has not ended yet
 * @buf: room for @n bytes with the 0
 * @len: length of the text, which counts on when @buf is full
 */
struct line {
	char *buf;
	size_t n;
	size_t len;
};

/* Indexed by enum csf_bad, up to CSF_BAD_UNSYNC. */
extern const char *const bad_word[5] __hidden;

/* An empty line. */
struct line line_begin(char *buf, size_t n);

void line_put(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Bytes that are no packet: "raw", the bytes, the number of further bytes, the reason, and the
 * packet that they may have been.  @name: of that packet; NULL: it has none.
 */
void line_put_bad(struct line *line, const struct csf_packet *pkt, const char *name);

#endif /* CSF_LINE_H */
