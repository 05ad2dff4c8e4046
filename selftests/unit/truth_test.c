// SPDX-License-Identifier: GPL-2.0-only
/* The reader of the truth log reads what the writer writes; and what it does with other bytes. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../tools/truth/truth.h"
#include "../lib/random-case.h"

static const uint8_t nops[4 * 64];

/* In place of libc's, so that there may be no more memory. */
static bool no_memory;

void *realloc(void *p, size_t n)
{
	const size_t old = p ? malloc_usable_size(p) : 0;
	void *grown = no_memory ? NULL : malloc(n);

	if (!grown)
		return NULL;
	if (p)
		memcpy(grown, p, old < n ? old : n);
	free(p);
	return grown;
}

/* Two A64 instructions at @addr. */
static uint32_t two(struct truth_writer *truth, uint64_t addr)
{
	const struct truth_block block = { .addr = addr, .code = nops, .size = 8, .n_insn = 2 };

	return truth_define(truth, &block);
}

/* Each record as a line. */
static void print(FILE *f, const struct truth_record *r)
{
	switch (r->kind) {
	case TRUTH_RAN:
		fprintf(f, "ran %llx+%x %u/%u isa %u", (unsigned long long)r->addr, r->size,
			r->first, r->n_insn, r->block->isa);
		for (uint32_t i = 0; i < r->size; i++)
			fprintf(f, "%s%02x", i ? "" : " ", r->code[i]);
		fputs(r->failed ? " failed" : "", f);
		break;
	case TRUTH_DATA:
		fprintf(f, "data %x %llx/%u = %llx", r->data.flags,
			(unsigned long long)r->data.addr, r->data.size,
			(unsigned long long)r->data.value);
		break;
	case TRUTH_THREAD:
		fprintf(f, "thread %u/%u", r->pid, r->tid);
		break;
	case TRUTH_CONTEXT:
		fprintf(f, "context el %u s %u %d %d:%x %d:%x", r->context.el, r->context.security,
			r->context.bits64, r->context.has_contextid, r->context.contextid,
			r->context.has_vmid, r->context.vmid);
		break;
	case TRUTH_EXCEPTION:
		fprintf(f, "exception %llx at %llx", (unsigned long long)r->value,
			(unsigned long long)r->addr);
		break;
	case TRUTH_LOST:
		fprintf(f, "lost %s", truth_lost_name(r->value));
		break;
	case TRUTH_FOUND:
		fprintf(f, "found");
		break;
	case TRUTH_MAP:
	case TRUTH_UNMAP:
		fprintf(f, "%s %u/%u %llx+%llx@%llx ino %llu.%llu dev %u:%u prot %u flags %u "
			"'%s' %u:%02x",
			r->kind == TRUTH_MAP ? "map" : "unmap", r->map.pid, r->map.tid,
			(unsigned long long)r->map.addr, (unsigned long long)r->map.len,
			(unsigned long long)r->map.pgoff, (unsigned long long)r->map.ino,
			(unsigned long long)r->map.ino_generation, r->map.maj, r->map.min,
			r->map.prot, r->map.flags, r->map.name, r->map.n_build_id,
			r->map.build_id[0]);
		break;
	case TRUTH_COMM:
		fprintf(f, "comm %u/%u '%s' %llu", r->pid, r->tid, r->name,
			(unsigned long long)r->value);
		break;
	case TRUTH_CONFIG:
		fprintf(f, "config %llu: %x %x %x profile %u, %u: %x %x %x",
			(unsigned long long)r->value, r->config.trcconfigr, r->config.trcidr0,
			r->config.trcidr13, r->config.profile, r->config.protocol, r->config.etmcr,
			r->config.etmccer, r->config.etmidr);
		break;
	default:
		fprintf(f, "%s %llu", r->kind == TRUTH_TIME ? "time" :
			r->kind == TRUTH_TM ? "tm" : r->kind == TRUTH_END ? "end" : "?",
			(unsigned long long)r->value);
	}
	fputc('\n', f);
}

/* All of CPU @cpu as text, and "wrong: ..." if the file is; the caller frees it. */
static char *all(int fd, uint32_t cpu)
{
	struct truth_cursor *at = malloc(sizeof(*at));
	struct truth_file *file;
	struct truth_record r;
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	int err = truth_open(&file, fd);

	if (err) {
		fprintf(f, "error %d\n", err);
	} else {
		truth_start(at, file, cpu);
		while ((err = truth_next(at, &r)) > 0)
			print(f, &r);
		if (err)
			fprintf(f, "error %d\n", err);
		if (at->wrong)
			fprintf(f, "wrong: %s at 0x%llx\n", at->wrong,
				(unsigned long long)at->where);
		truth_stop(at);
	}
	truth_close(file);
	free(at);
	fclose(f);
	return text;
}

static struct truth_writer *begin(int *fd, uint32_t n_cpu)
{
	struct truth_writer *truth = NULL;

	*fd = memfd_create("truth", 0);
	truth_new(&truth, *fd, n_cpu);
	return truth;
}

static void every_kind(struct truth_cpu *c, uint32_t number)
{
	const struct csf_context context = { .el = 1, .security = CSF_REALM, .bits64 = true,
		.has_contextid = true, .contextid = 0xfffffff0, .known = true };
	const struct truth_map map = { .pid = 7, .tid = 8, .addr = 0xffff800000000000,
		.len = 0x2000, .pgoff = 0x1000, .ino = 99, .ino_generation = 3, .maj = 8, .min = 1,
		.prot = 5, .flags = 2, .name = "/bin/true", .n_build_id = 20,
		.build_id = { 0xab } };
	const struct csf_config config = { .trcconfigr = 1, .trcidr0 = 2, .trcidr13 = 0xffffffff,
		.profile = 1, .protocol = CSF_PROTOCOL_PTM, .etmcr = 3, .etmccer = 4,
		.etmidr = 0x4100f311 };

	truth_config(c, &config, 16);
	truth_thread(c, 7, 8);
	truth_comm(c, 7, 8, "true", true);
	truth_map(c, &map);
	truth_context(c, &context);
	truth_ran(c, number);
	truth_data(c, &(struct truth_data){
		.addr = 0xffff0000, .value = UINT64_MAX, .size = 8,
		.flags = TRUTH_DATA_STORE | TRUTH_DATA_ELEMENTS,
	});
	truth_failed(c, number);
	truth_data(c, &(struct truth_data){ .size = 4, .flags = TRUTH_DATA_REGISTER });
	truth_part(c, number, 1, 1);
	truth_part(c, number, 1, 0);
	truth_exception(c, 0x2, 0x400008);
	truth_lost(c, TRUTH_LOST_OVERFLOW);
	truth_ran(c, number);
	truth_found(c);
	truth_time(c, UINT64_MAX);
	truth_tm(c, CSF_TRANS_FAIL);
	truth_unmap(c, &map);
}

TEST(every_kind_comes_back)
{
	static const char want[] =
		"config 16: 1 2 ffffffff profile 1, 4: 3 4 4100f311\n"
		"thread 7/8\n"
		"comm 7/8 'true' 1\n"
		"map 7/8 ffff800000000000+2000@1000 ino 99.3 dev 8:1 prot 5 flags 2 '/bin/true' 20:ab\n"
		"context el 1 s 3 1 1:fffffff0 0:0\n"
		"ran 400000+8 0/2 isa 0 0000000000000000\n"
		"data 41 ffff0000/8 = ffffffffffffffff\n"
		"ran 400000+4 0/1 isa 0 00000000 failed\n"
		"data 4 0/4 = 0\n"
		"ran 400004+4 1/1 isa 0 00000000\n"
		"exception 2 at 400008\n"
		"lost overflow\n"
		"ran 400000+8 0/2 isa 0 0000000000000000\n"
		"found\n"
		"time 18446744073709551615\n"
		"tm 3\n"
		"unmap 7/8 ffff800000000000+2000@0 ino 0.0 dev 0:0 prot 0 flags 0 '' 0:00\n"
		"end 4\n";
	struct truth_writer *truth;
	char *text;
	int fd;

	truth = begin(&fd, 2);
	ASSERT_NE(NULL, truth);
	every_kind(truth_cpu(truth, 1), two(truth, 0x400000));
	ASSERT_EQ(NULL, truth_cpu(truth, 2));
	ASSERT_EQ(0, truth_finish(truth));
	text = all(fd, 1);
	EXPECT_STREQ(want, text);
	free(text);
	text = all(fd, 0);
	EXPECT_STREQ("wrong: the end is missing at 0x100\n", text);
	free(text);
	close(fd);
}

TEST(what_is_no_block_gets_no_number)
{
	struct truth_block block = { .code = nops, .size = 8, .n_insn = 2 };
	struct truth_writer *truth;
	int fd;

	truth = begin(&fd, 1);
	ASSERT_NE(NULL, truth);
	block.n_insn = 0;
	EXPECT_EQ(0, truth_define(truth, &block));
	block.n_insn = 3;
	EXPECT_EQ(0, truth_define(truth, &block));
	block.n_insn = 1;
	EXPECT_EQ(0, truth_define(truth, &block));
	block.n_insn = 2;
	block.isa = CSF_T32 + 1;
	EXPECT_EQ(0, truth_define(truth, &block));
	block.isa = CSF_T32;
	EXPECT_EQ(0, truth_define(truth, &block));
	/* nop; bl: 2 + 4 bytes */
	block.code = (const uint8_t *)"\x00\xbf\x00\xf0\x00\xf8";
	block.size = 6;
	EXPECT_EQ(1, truth_define(truth, &block));
	EXPECT_EQ(2, truth_block_bytes(&block, 1));
	EXPECT_EQ(6, truth_block_bytes(&block, 2));
	block.size = 4;
	EXPECT_EQ(0, truth_define(truth, &block));
	EXPECT_EQ(0, truth_finish(truth));
	EXPECT_EQ(-EINVAL, truth_new(&truth, fd, 0));
	EXPECT_EQ(-EINVAL, truth_new(&truth, fd, TRUTH_CPU_MAX + 1));
	close(fd);
}

/* ---------------------------------------------------------------- many threads */

#define THREADS	4
#define ROUNDS	40000

struct thread {
	struct truth_writer *truth;
	uint32_t cpu;
};

/* Each defines blocks of its own, and runs them in an order that can be told afterwards. */
static void *run(void *context)
{
	const struct thread *t = context;
	struct truth_cpu *c = truth_cpu(t->truth, t->cpu);
	struct dice d = { .state = t->cpu };
	uint32_t number[64], n = 0;

	for (uint32_t i = 0; i < ROUNDS; i++) {
		if (n < 64 && !roll(&d, 50)) {
			number[n] = two(t->truth, (uint64_t)t->cpu << 32 | n * 8);
			n++;
		}
		if (n)
			truth_ran(c, number[i % n]);
	}
	return NULL;
}

TEST(threads_do_not_disturb_each_other)
{
	struct thread thread[THREADS];
	struct truth_writer *truth;
	pthread_t id[THREADS];
	int fd;

	truth = begin(&fd, THREADS);
	ASSERT_NE(NULL, truth);
	for (uint32_t i = 0; i < THREADS; i++) {
		thread[i] = (struct thread){ truth, i };
		ASSERT_EQ(0, pthread_create(&id[i], NULL, run, &thread[i]));
	}
	for (uint32_t i = 0; i < THREADS; i++)
		pthread_join(id[i], NULL);
	ASSERT_EQ(0, truth_finish(truth));
	for (uint32_t cpu = 0; cpu < THREADS; cpu++) {
		struct truth_cursor *at = malloc(sizeof(*at));
		struct dice d = { .state = cpu };
		bool seen[TRUTH_CPU_MAX];
		struct truth_file *file;
		struct truth_record r;
		uint32_t n = 0;
		uint64_t end;

		ASSERT_EQ(0, truth_open(&file, fd));
		ASSERT_EQ(0, truth_cpus(file, seen, &end));
		ASSERT_TRUE(seen[cpu]);
		ASSERT_FALSE(seen[THREADS]);
		truth_start(at, file, cpu);
		for (uint32_t i = 0; i < ROUNDS; i++) {
			n += n < 64 && !roll(&d, 50);
			if (!n)
				continue;
			ASSERT_EQ(1, truth_next(at, &r));
			ASSERT_EQ(TRUTH_RAN, r.kind);
			ASSERT_EQ((uint64_t)cpu << 32 | i % n * 8, r.addr);
		}
		ASSERT_EQ(1, truth_next(at, &r));
		ASSERT_EQ(TRUTH_END, r.kind);
		ASSERT_EQ(0, truth_next(at, &r));
		ASSERT_EQ(NULL, at->wrong);
		truth_stop(at);
		truth_close(file);
		free(at);
	}
	close(fd);
}

/* ---------------------------------------------------------------- damage */

static int file_of(const void *bytes, size_t n)
{
	int fd = memfd_create("truth", 0);

	if (write(fd, bytes, n) != n)
		abort();
	return fd;
}

#define HEADER	"CSFTRUTH\1\0\0\0\0\0\0\0"
/* block 1: two instructions at 0x10 */
#define DEFINE	"\xff\xff\xff\xff\x0f\0\0\0" "\0\1\x0c\1\x10\0\2" "\0\0\0\0\0\0\0\0"
#define BYTES(text)	text, sizeof(text) - 1

static const struct {
	const char *name;
	const char *bytes;
	size_t n;
	const char *want;
} bad[] = {
	{ "empty", BYTES(""),
		"error -22\n" },
	{ "other version", BYTES("CSFTRUTH\2\0\0\0\0\0\0\0"),
		"error -22\n" },
	{ "no end", BYTES(HEADER),
		"wrong: the end is missing at 0x10\n" },
	{ "half a head", BYTES(HEADER "\0\0\0\0\1"),
		"wrong: not a chunk at 0x10\n" },
	{ "empty chunk", BYTES(HEADER "\0\0\0\0\0\0\0\0"),
		"wrong: not a chunk at 0x10\n" },
	{ "huge chunk", BYTES(HEADER "\0\0\0\0\1\0\x10\0\1"),
		"wrong: not a chunk at 0x10\n" },
	{ "no such cpu", BYTES(HEADER "\0\x10\0\0\1\0\0\0\1"),
		"wrong: not a chunk at 0x10\n" },
	{ "undefined", BYTES(HEADER "\0\0\0\0\1\0\0\0\1"),
		"wrong: a block that is not defined at 0x18\n" },
	{ "cut number", BYTES(HEADER "\0\0\0\0\1\0\0\0\x81"),
		"wrong: a number that is cut off at 0x18\n" },
	{ "long number", BYTES(HEADER "\0\0\0\0\6\0\0\0\xff\xff\xff\xff\x1f\1"),
		"wrong: a number that is cut off at 0x18\n" },
	{ "cut chunk", BYTES(HEADER DEFINE "\0\0\0\0\4\0\0\0\1\1"),
		"ran 10+8 0/2 isa 0 0000000000000000\n"
		"ran 10+8 0/2 isa 0 0000000000000000\n"
		"wrong: the end is missing at 0x33\n" },
	{ "cut record", BYTES(HEADER "\0\0\0\0\3\0\0\0\0\4\5"),
		"wrong: a record that is cut off at 0x18\n" },
	{ "run among definitions", BYTES(HEADER "\xff\xff\xff\xff\1\0\0\0\1"),
		"wrong: a record that is not a definition at 0x18\n" },
	{ "twice", BYTES(HEADER DEFINE DEFINE),
		"wrong: a block whose number does not follow the one before at 0x2f\n" },
	{ "short code", BYTES(HEADER "\xff\xff\xff\xff\x0b\0\0\0" "\0\1\x08\1\x10\0\2" "\0\0\0\0"),
		"wrong: a block whose code is not as long as its instructions at 0x18\n" },
	{ "part outside", BYTES(HEADER DEFINE "\0\0\0\0\6\0\0\0" "\0\2\3\1\1\2"),
		"wrong: a part of a block that has no such instructions at 0x2f\n" },
	{ "part of nothing", BYTES(HEADER DEFINE "\0\0\0\0\6\0\0\0" "\0\2\3\1\0\0"),
		"wrong: a part of a block that has no such instructions at 0x2f\n" },
	{ "found what was not lost", BYTES(HEADER "\0\0\0\0\3\0\0\0\0\7\0"),
		"wrong: an impossible record at 0x18\n" },
	{ "wrong count", BYTES(HEADER DEFINE "\0\0\0\0\5\0\0\0\1\0\x0e\1\2"),
		"ran 10+8 0/2 isa 0 0000000000000000\n"
		"wrong: the count at the end is not that of the blocks at 0x30\n" },
	{ "kind of tomorrow", BYTES(HEADER DEFINE "\0\0\0\0\x0a\0\0\0\0\x20\2\1\1" "\1\0\x0e\1\1"),
		"ran 10+8 0/2 isa 0 0000000000000000\n"
		"end 1\n" },
};

TEST(damage_is_told)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		int fd = file_of(bad[i].bytes, bad[i].n);
		char *text = all(fd, 0);

		EXPECT_STREQ(bad[i].want, text)
			TH_LOG("%s", bad[i].name);
		free(text);
		close(fd);
	}
}

TEST(full_disk)
{
	struct truth_writer *truth;
	int fd[2];

	ASSERT_EQ(0, pipe(fd));
	close(fd[0]);
	signal(SIGPIPE, SIG_IGN);
	ASSERT_EQ(0, truth_new(&truth, fd[1], 1));
	truth_ran(truth_cpu(truth, 0), two(truth, 0));
	EXPECT_EQ(-EPIPE, truth_finish(truth));
	close(fd[1]);
}

/* A block without a number cannot be executed. */
TEST(no_memory_is_told)
{
	int fd = memfd_create("truth", 0);
	struct truth_writer *truth;

	ASSERT_EQ(0, truth_new(&truth, fd, 1));
	no_memory = true;
	EXPECT_EQ(0, two(truth, 0));
	no_memory = false;
	EXPECT_EQ(-ENOMEM, truth_finish(truth));
	close(fd);
}

TEST_HARNESS_MAIN
