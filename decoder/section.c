// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sections of code: how their bytes are read. */
#include <stdlib.h>

#include "image.h"

/* All of the code, if it is available in one piece; asks only once. */
static void have_whole(struct section *s)
{
	const void *code = NULL;
	uint64_t n = s->whole(s->context, &code);

	s->asked = true;
	if (!n || !code)
		return;
	s->code = code;
	s->n_code = n < s->n ? n : s->n;
}

/* All reads of code come here, so each byte is read only once. */
static bool read_page(struct section *s, uint64_t page)
{
	uint64_t offset = page * SECTION_PAGE;
	uint64_t want = s->n - offset < SECTION_PAGE ? s->n - offset : SECTION_PAGE;
	uint8_t *bytes = malloc(SECTION_PAGE);
	size_t n = 0, got;

	if (!bytes)
		return false;
	while (n < want) {
		got = s->read(s->context, offset + n, bytes + n, want - n);
		if (!got)
			break;
		n += got < want - n ? got : want - n;
	}
	s->page[page].bytes = bytes;
	s->page[page].n = n;
	return true;
}

size_t section_page(struct section *s, uint64_t offset, const uint8_t **p)
{
	static const uint8_t none;
	uint64_t page = offset / SECTION_PAGE, in_page = offset % SECTION_PAGE;

	*p = &none;
	if (offset >= s->n)
		return 0;
	if (s->whole && !s->asked)
		have_whole(s);
	if (offset < s->n_code) {
		*p = s->code + offset;
		return s->n_code - offset;
	}
	if (s->code)
		return 0;
	if (!s->page[page].bytes && !read_page(s, page)) {
		*p = NULL;
		return 0;
	}
	if (in_page >= s->page[page].n)
		return 0;
	*p = s->page[page].bytes + in_page;
	return s->page[page].n - in_page;
}
