// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a count table for csflow merge.  The checksum is made right, or nothing would get
 * past it.  A table that is accepted is the same after it was merged, and csflow profile can read
 * it.
 */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "../../tools/count/count-file.h"
#include "../../tools/merge/count-input.h"
#include "../../tools/merge/sums-write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* Merges a table that was accepted, in little memory. */
static char *merge(struct count_input *in, const uint8_t *bytes, size_t n, size_t *size)
{
	const struct weight once = { 1, 1, 1 };
	struct merge_files files;
	struct sums sums;
	bool full = false;
	char *text = NULL;
	FILE *f;

	merge_files_init(&files);
	sums_init(&sums, &files, n & 1 ? 16384 : 1 << 20);
	must(!count_input_add(in, bytes, n, &sums, &once));
	must(!sums_end(&sums));
	f = open_memstream(&text, size);
	must(f && !sums_write(&sums, 1, f, &full) && !fclose(f));
	sums_fini(&sums);
	merge_files_fini(&files);
	return text;
}

static void check(const uint8_t *bytes, size_t n)
{
	struct count_input in = { .n = 0 };
	struct packed_problem problem = { NULL, 0 };
	struct count_table table = { 0 };
	char *one, *two;
	size_t n_one, n_two;
	uint64_t ran;

	if (count_input_check(&in, bytes, n, &ran, &problem)) {
		must(problem.why && problem.offset <= n);
		count_input_fini(&in);
		return;
	}
	one = merge(&in, bytes, n, &n_one);
	must(!count_input_check(&in, (uint8_t *)one, n_one, &ran, &problem));
	two = merge(&in, (uint8_t *)one, n_one, &n_two);
	must(n_one == n_two && !memcmp(one, two, n_one));
	must(!count_file_read(&table, bytes, n, &problem));
	count_table_fini(&table);
	count_input_fini(&in);
	free(one);
	free(two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	/* of exactly this size, so that a sanitizer sees what is read beyond it */
	uint8_t *bytes = malloc(n + 1);
	uint32_t crc;

	must(bytes);
	memcpy(bytes, data, n);
	if (n >= PACKED_HEAD) {
		memcpy(bytes, COUNT_MAGIC, 8);
		crc = crc32_z(crc32_z(0, NULL, 0), bytes + PACKED_HEAD, n - PACKED_HEAD);
		for (int i = 0; i < 4; i++)
			bytes[12 + i] = crc >> 8 * i;
	}
	bytes = realloc(bytes, n ? n : 1);
	must(bytes);
	check(bytes, n);
	free(bytes);
	return 0;
}
