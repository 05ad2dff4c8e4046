// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as a branch list for csflow merge: as they are; or, after a first byte that says so, as
 * the message of a list of version 1, compressed.  A list that is accepted is added, and followed
 * through the program of the demo.
 */
#include <stdlib.h>
#include <string.h>

#include "../../tools/merge/lists.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static const struct dso_options options = {
	.symfs = "selftests/data/demo", .debug_dir = "/dev/null", .vmlinux = "/dev/null",
};

/* Once more, into the same: the atom runs are there by then. */
static void add(struct lists *lists, const struct branch_list *list, uint64_t atoms)
{
	const struct weight once = { 1, 1, 1 };

	for (int i = 0; i < 2; i++)
		must(!lists_add(lists, list, &once));
	/* following them takes as long as they are */
	must(!lists->n_run == !atoms);
	if (lists->n_bytes < 4096)
		must(!lists_drain(lists) && !lists->n_run);
}

static void check(const uint8_t *bytes, size_t n)
{
	const struct branch_list list = { bytes, n };
	pthread_mutex_t code = PTHREAD_MUTEX_INITIALIZER;
	struct branch_list_problem problem;
	struct merge_files files;
	struct lists lists;
	struct sums sums;
	uint64_t atoms;

	merge_files_init(&files);
	sums_init(&sums, &files, 1 << 20);
	lists_init(&lists, &sums, &options, &code);
	/* the compressed size does not bound it, and the fuzzer's time does */
	lists.stream.max = 1 << 20;
	if (!lists_check(&lists, &list, &atoms, &problem))
		add(&lists, &list, atoms);
	else
		must(problem.why && problem.offset <= n);
	lists_fini(&lists);
	sums_fini(&sums);
	merge_files_fini(&files);
}

static uint8_t *pack(const uint8_t *data, size_t n, size_t *size)
{
	const size_t room = BRANCH_STREAM_HEAD + ZSTD_compressBound(n + 4);
	uint8_t *plain = malloc(n + 4), *packed = calloc(1, room);
	size_t got;

	must(plain && packed);
	for (int i = 0; i < 4; i++)
		plain[i] = n >> 8 * i;
	memcpy(plain + 4, data, n);
	memcpy(packed, BRANCH_STREAM_MAGIC "\1\0\0\0\1", BRANCH_STREAM_HEAD);
	got = ZSTD_compress(packed + BRANCH_STREAM_HEAD, room - BRANCH_STREAM_HEAD, plain, n + 4,
			    1);
	must(!ZSTD_isError(got));
	free(plain);
	*size = BRANCH_STREAM_HEAD + got;
	return packed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const bool packs = n && *data == 'z';
	size_t size = n;
	uint8_t *bytes = packs ? pack(data + 1, n - 1, &size) : malloc(n ? n : 1);

	must(bytes);
	if (!packs && n)
		memcpy(bytes, data, n);
	check(bytes, size);
	free(bytes);
	return 0;
}
