// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes as two truth logs, or a truth log and a Tarmac log: the records read must be bounded
 * and consistent, and the matcher must come to an end.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../tools/match/match.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Bytes that choose how to compare, and where A ends. */
#define HEAD	4

/* Receives sums, so that they are computed. */
unsigned int fuzz_truth_seen;

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* As a truth log: its header is put in front. */
static int file_of(const uint8_t *bytes, size_t n, bool truth)
{
	static const uint8_t head[TRUTH_HEADER] = TRUTH_MAGIC "\1";
	int fd = memfd_create("log", 0);

	check(fd >= 0);
	if (truth)
		check(write(fd, head, sizeof(head)) == sizeof(head));
	check(write(fd, bytes, n) == n);
	return fd;
}

static unsigned int sum(const uint8_t *p, size_t n)
{
	unsigned int v = 0;

	while (n--)
		v += *p++;
	return v;
}

/* Every record that is handed out keeps what its comment promises. */
static void check_record(const struct truth_record *r)
{
	if (r->kind != TRUTH_RAN)
		return;
	check(r->n_insn && r->first + r->n_insn <= r->block->n_insn);
	check(r->addr - r->block->addr == r->code - r->block->code);
	check(r->code + r->size <= r->block->code + r->block->size);
	fuzz_truth_seen += sum(r->code, r->size);
}

static void check_log(int fd)
{
	static struct truth_cursor at;
	static struct truth_record r;
	bool seen[TRUTH_CPU_MAX];
	struct truth_file *file;
	uint64_t last, end;

	if (truth_open(&file, fd))
		return;
	check(truth_cpus(file, seen, &end) >= 0);
	for (uint32_t cpu = 0; cpu < 4; cpu++) {
		last = 0;
		truth_start(&at, file, cpu);
		while (truth_next(&at, &r) > 0) {
			check(r.offset > last);
			last = r.offset;
			check_record(&r);
		}
		truth_stop(&at);
	}
	truth_close(file);
}

/* Unlike the command: streams of any number, so that they meet. */
static void compare(struct source *a, struct source *b, struct match_options *o)
{
	struct source_stream x, y;
	struct match *m = malloc(sizeof(*m));

	check(m && !match_init(m, o, a, b));
	for (size_t i = 0; i < 3 && source_stream(a, i, &x); i++)
		if (source_stream(b, i, &y))
			match_streams(m, &x, &y);
	check(m->count.equal <= m->count.insns[0] && m->count.equal <= m->count.insns[1]);
	check(!!match_differences(&m->count) == !!m->count.places);
	match_fini(m);
	free(m);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct match_options o = { .window = 1, .resync = 20, .confirm = 2, .context = 2 };
	struct source_options options = { 0 };
	struct source *s[2] = { NULL };
	char path[2][40];
	size_t cut;
	int fd[2];

	if (n < HEAD)
		return 0;
	o.window = 1 + (bytes[0] & 3);
	o.skip_equal = bytes[0] & 4;
	o.skip_rest = bytes[0] & 8;
	o.format = (bytes[0] >> 4) % 3;
	o.align = bytes[0] >> 7;
	options.by = bytes[1] & 1 ? SOURCE_THREAD : SOURCE_CPU;
	o.boot = bytes[1] >> 1 & 3;
	cut = (bytes[2] | bytes[3] << 8) % (n - HEAD + 1);
	o.out = fopen("/dev/null", "w");
	match_rules_ready(&o.rules);
	fd[0] = file_of(bytes + HEAD, cut, true);
	fd[1] = file_of(bytes + HEAD + cut, n - HEAD - cut, !(bytes[1] & 8));
	for (int i = 0; i < 2; i++) {
		snprintf(path[i], sizeof(path[i]), "/proc/self/fd/%d", fd[i]);
		check_log(fd[i]);
	}
	if (!source_open(&s[0], path[0], &options) && !source_open(&s[1], path[1], &options))
		compare(s[0], s[1], &o);
	for (int i = 0; i < 2; i++) {
		source_close(s[i]);
		close(fd[i]);
	}
	fclose(o.out);
	return 0;
}
