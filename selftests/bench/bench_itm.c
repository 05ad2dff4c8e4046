// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench_itm [-n KIB] [-r ROUNDS] PROTOCOL FILE
 *
 * The messages of a file, itm or stm, to a consumer that does nothing: a pass, or the fastest of
 * some.  A small file is read over and over, up to KIB.
 *
 * Prints bytes of trace, messages, seconds of CPU time, MB a second.  Under callgrind,
 * --toggle-collect=measured counts what it executes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "speed.h"

#define CHUNK	(64u << 10)

static uint64_t consume(struct csf_messages *messages)
{
	struct csf_message m;
	uint64_t n = 0;

	while (csf_messages_next(messages, &m) > 0)
		n++;
	return n;
}

/* Return: how many messages. */
__attribute__((noinline)) uint64_t measured(struct csf_messages *messages, const uint8_t *p,
					    size_t n)
{
	uint64_t found = 0;

	for (size_t at = 0, take; at < n; at += take) {
		take = n - at < CHUNK ? n - at : CHUNK;
		if (csf_messages_feed(messages, p + at, take))
			return 0;
		found += consume(messages);
	}
	csf_messages_end(messages);
	return found + consume(messages);
}

/* The file, again and again up to @want bytes. */
static uint8_t *read_file(const char *path, size_t want, size_t *n)
{
	FILE *f = fopen(path, "rb");
	long once = f && !fseek(f, 0, SEEK_END) ? ftell(f) : 0;
	uint8_t *p = NULL;

	if (once > 0) {
		*n = want > (size_t)once ? (want + once - 1) / once * once : (size_t)once;
		p = malloc(*n);
		rewind(f);
	}
	if (p && fread(p, 1, once, f) != (size_t)once) {
		free(p);
		p = NULL;
	}
	for (size_t at = once; p && at < *n; at += once)
		memcpy(p + at, p, once);
	if (f)
		fclose(f);
	return p;
}

static int run(uint32_t protocol, const char *path, size_t want, int rounds)
{
	const struct csf_config config = { .size = sizeof(config), .protocol = protocol };
	struct csf_messages *messages;
	uint64_t found = 0;
	double best = 0;
	size_t n;
	uint8_t *p = read_file(path, want, &n);

	if (!p || csf_messages_new(&messages, &config)) {
		fprintf(stderr, "bench_itm: %s: cannot be read\n", path);
		return 1;
	}
	for (int i = 0; i < rounds; i++) {
		double start, seconds;

		csf_messages_reset(messages);
		start = speed_clock();
		found = measured(messages, p, n);
		seconds = speed_clock() - start;
		best = !i || seconds < best ? seconds : best;
	}
	printf("%zu %llu %.6f %.1f\n", n, (unsigned long long)found, best, n / best / 1e6);
	csf_messages_free(messages);
	free(p);
	return found ? 0 : 1;
}

int main(int argc, char **argv)
{
	size_t want = 0;
	int rounds = 1, i = 1;

	for (; i + 1 < argc && argv[i][0] == '-'; i += 2) {
		if (argv[i][1] == 'n')
			want = strtoull(argv[i + 1], NULL, 10) << 10;
		else
			rounds = atoi(argv[i + 1]);
	}
	if (argc - i != 2) {
		fprintf(stderr, "usage: bench_itm [-n KIB] [-r ROUNDS] itm|stm FILE\n");
		return 2;
	}
	return run(strcmp(argv[i], "stm") ? CSF_PROTOCOL_ITM : CSF_PROTOCOL_STM, argv[i + 1], want,
		   rounds);
}
