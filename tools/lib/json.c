// SPDX-License-Identifier: GPL-2.0-only
#include "json.h"
#include "utf8.h"

void json_string(FILE *f, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	int n;

	fputc('"', f);
	for (; *s; s += n ? n : 1) {
		n = utf8_size(s);
		if (!n)
			fputs("\\ufffd", f);
		else if (*s == '"' || *s == '\\')
			fprintf(f, "\\%c", *s);
		else if (*s < 0x20 || *s == '<')
			fprintf(f, "\\u%04x", *s);
		else
			fwrite(s, 1, n, f);
	}
	fputc('"', f);
}
