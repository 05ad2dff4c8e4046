// SPDX-License-Identifier: GPL-2.0-only
/*
 * mkitm FILE EVENTS [plain]
 *
 * Makes the trace of so many random events of an ITM, always the same.  With "plain", only events
 * that sigrok reads.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/random-itm.h"

int main(int argc, char **argv)
{
	struct random_itm *u = malloc(sizeof(*u));
	FILE *f = argc > 2 ? fopen(argv[1], "wb") : NULL;
	bool good = u && f;

	if (!f)
		fprintf(stderr, "usage: mkitm FILE EVENTS [plain]\n");
	if (good) {
		random_itm_begin(u, 8);
		u->plain = argc > 3 && !strcmp(argv[3], "plain");
	}
	for (long n = 0; good && n < atol(argv[2]); n += RANDOM_ITM_EVENTS) {
		u->n_want = 0;
		u->waiting = 0;
		random_itm_batch(u);
		good = fwrite(u->bytes, 1, u->n, f) == u->n;
	}
	good = f && !fclose(f) && good;
	free(u);
	return good ? 0 : 1;
}
