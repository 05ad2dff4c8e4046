// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as messages of MIPI SyS-T, whole or in a stream, with a format that is made of them:
 * nothing is read beyond them, no text is longer than its room, and a stream goes on.
 */
#include <stdlib.h>
#include <string.h>

#include "../../tools/messages/escape.h"
#include "../../tools/messages/syst.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void decode(const struct syst_catalog *catalog, const uint8_t *bytes, size_t n, bool whole)
{
	static char text[ESCAPE_ROOM(SYST_TEXT_MAX)];
	const struct syst_source source = { .master = 1, .channel = 2 };
	struct syst_message m;
	const size_t taken = syst_decode(catalog, &source, bytes, n, whole, &m);

	must(taken <= n);
	must(!whole || taken || !n);
	if (!taken)
		return;
	must(m.n_text <= SYST_TEXT_MAX);
	must(escape_text(text, (const uint8_t *)m.text, m.n_text) < sizeof(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char format[17] = "";
	struct syst_format entry = { .text = format, .list = SYST_CATALOG32 };
	struct syst_catalog catalog = { .format = &entry, .n_format = 1 };
	char *name = format;
	uint8_t *bytes;

	if (n < 18)
		return 0;
	memcpy(format, data, 16);
	entry.list = data[16] % SYST_LISTS;
	catalog.client = &name;
	catalog.n_client = 1;
	/* of exactly this size, so that a sanitizer sees what is read beyond it */
	n -= 17;
	bytes = malloc(n);
	must(bytes);
	memcpy(bytes, data + 17, n);
	decode(&catalog, bytes, n, true);
	decode(&catalog, bytes, n, false);
	free(bytes);
	return 0;
}
