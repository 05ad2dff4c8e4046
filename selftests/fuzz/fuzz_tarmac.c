// SPDX-License-Identifier: GPL-2.0-only
/* Any bytes as lines of Tarmac: read, written in all styles, and read again. */
#include <stdio.h>
#include <stdlib.h>

#include "../../tools/tarmac/tarmac-parse.h"
#include "../../tools/tarmac/tarmac-write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* A line, its written form, and the written form of that; each without its end. */
static char *rewrite(const char *line, size_t n, bool implicit_thumb, struct out *o)
{
	struct tarmac_parser p = { .implicit_thumb = implicit_thumb };
	struct tarmac_record r;

	if (tarmac_parse(&p, line, n, &r) != 1)
		abort();
	o->n = 0;
	if (!tarmac_write(o, &r, TARMAC_STYLE_FM, tarmac_cpu_name(&p, r.cpu),
			  tarmac_cpu_number(&p, r.cpu)))
		abort();
	tarmac_parser_free(&p);
	return strndup(o->buf, o->n - 1);
}

/*
 * The first time a line may become another one, for example if disassembly looks like a mode.
 * After that nothing changes.
 */
static void settle(const char *line, size_t n, bool implicit_thumb, struct out *o)
{
	char *text[4];

	text[0] = rewrite(line, n, implicit_thumb, o);
	for (int i = 1; i < 4; i++)
		text[i] = rewrite(text[i - 1], strlen(text[i - 1]), implicit_thumb, o);
	if (strcmp(text[2], text[3])) {
		fprintf(stderr, "%s\n%s\n%s\n", text[1], text[2], text[3]);
		abort();
	}
	for (int i = 0; i < 4; i++)
		free(text[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct out o;
	struct tarmac_parser p = { .implicit_thumb = n & 1 };
	struct tarmac_record r;
	const char *text = (const char *)data, *end;

	/* Canonical lines are longer: they must fit in the buffer of the test. */
	if (n > 4096)
		return 0;
	o.file = stdout;
	for (const char *last = text + n; text < last; text = end + 1) {
		end = memchr(text, '\n', last - text) ?: last;
		if (tarmac_parse(&p, text, end - text, &r) == 1 && !memchr(text, 0, end - text)) {
			settle(text, end - text, p.implicit_thumb, &o);
			o.n = 0;
			tarmac_write(&o, &r, TARMAC_STYLE_MATCHER, NULL, 1);
			o.n = 0;
			tarmac_write(&o, &r, TARMAC_STYLE_ES, NULL, 1);
		}
	}
	tarmac_parser_free(&p);
	return 0;
}
