// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <stdio.h>

#include "line.h"

const char *const bad_word[5] = { "reserved", "config", "sequence", "cut", "unsync" };

struct line line_begin(char *buf, size_t n)
{
	if (n)
		buf[0] = 0;
	return (struct line){ buf, n, 0 };
}

void line_put(struct line *line, const char *format, ...)
{
	const size_t room = line->len < line->n ? line->n - line->len : 0;
	va_list args;

	va_start(args, format);
	line->len += vsnprintf(room ? line->buf + line->len : NULL, room, format, args);
	va_end(args);
}

void line_put_bad(struct line *line, const struct csf_packet *pkt, const char *name)
{
	line_put(line, "raw");
	for (unsigned int i = 0; i < pkt->size && i < sizeof(pkt->val); i++)
		line_put(line, " %02x", (unsigned int)(pkt->val >> 8 * i & 0xff));
	if (pkt->size > sizeof(pkt->val))
		line_put(line, " +%u", (unsigned int)(pkt->size - sizeof(pkt->val)));
	line_put(line, " %s", bad_word[pkt->n < ARRAY_SIZE(bad_word) ? pkt->n : 0]);
	if (name)
		line_put(line, " %s", name);
}
