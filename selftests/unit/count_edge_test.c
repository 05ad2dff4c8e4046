// SPDX-License-Identifier: GPL-2.0-only
/*
 * The target of the last branch before trace ends, or is lost: an edge, if the trace or the code
 * tells the target, whether or not code there was traced.  A recording and its atom runs say the
 * same.
 */
#include <stdio.h>
#include <unistd.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/perf-write.h"
#include "../../tools/count/count-file.h"
#include "../../tools/profile/count-load.h"
#include "../../tools/quick/quick-count.h"
#include "../../tools/quick/quick-load.h"
#include "../lib/recording.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define CODE_SIZE	0x3000
#define FAR		0x2000	/* a section of its own, of the same file */
#define TRACE_MAX	1024
#define TEXT_MAX	4096
#define SYNC		"async; info; on; "
#define USER		" el0 ns 64 cid=42; "
#define NO_PACKET	0x98	/* a header */
#define LIBRARY		0x500000
#define LATE		0x600000	/* mapped when the time is no longer known */

static const uint32_t near[] = {
	0xd63f0000,	/* 0 blr x0 */
	0xd503201f,	/* 4 nop */
	0x14000800,	/* 8 b 2008 */
	0xd503201f,	/* c nop */
	0xd65f03c0,	/* 10 ret */
	0x54ffffa0,	/* 14 b.eq 8 */
	0xd503201f,	/* 18 nop */
	0xd65f03c0,	/* 1c ret */
};

static const uint32_t far[] = {
	0xd503201f,	/* 2000 nop */
	0xd503201f,	/* 2004 nop */
	0xd503201f,	/* 2008 nop */
	0xd65f03c0,	/* 200c ret */
};

FIXTURE(edges)
{
	struct small_recording rec;
	char dir[40], path[64];
	struct dso_options dso;
	char text[TEXT_MAX];
};

static bool write_code(const struct _test_data_edges *self)
{
	uint8_t code[CODE_SIZE] = { 0 };
	char path[64];
	FILE *f;
	bool ok;

	memcpy(code, near, sizeof(near));
	memcpy(code + FAR, far, sizeof(far));
	snprintf(path, sizeof(path), "%s/code", self->dir);
	f = fopen(path, "w");
	ok = f && fwrite(code, sizeof(code), 1, f) == 1;
	return f && !fclose(f) && ok;
}

FIXTURE_SETUP(edges)
{
	(void)recording_make;
	recording_init(&self->rec, 2, 1);
	self->rec.cpu[0].protocol = CSF_PROTOCOL_ETE;
	self->rec.cpu[0].config.trcdevarch = 0x47705a13;
	self->rec.cpu[0].config.trcidr1 = 0x4100ff02;
	/* Q elements */
	self->rec.cpu[0].config.trcidr0 |= 0x18000;
	self->rec.cpu[0].config.trcconfigr |= 0x6000;
	strcpy(self->dir, "/tmp/csflow-edges-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->path, sizeof(self->path), "%s/perf.data", self->dir);
	self->dso.symfs = self->dir;
	ASSERT_TRUE(write_code(self));
}

FIXTURE_TEARDOWN(edges)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", self->dir);
	if (system(command))
		printf("# %s stays\n", self->dir);
}

/* ---------------------------------------------------------------- the recording */

static void write_map(struct perf_writer *w, uint64_t time, uint64_t addr, uint64_t offset,
		      const char *name)
{
	const struct perf_write_who who = { .time = time, .pid = 42, .tid = 42, .cpu = 1 };
	const struct perf_mmap map = { .addr = addr, .len = 0x1000, .pgoff = offset, .prot = 5,
				       .flags = 2, .name = name };

	perf_write_mmap(w, &who, &map);
}

/* Packets in words, with ";" between them.  Return: bytes; 0: a word is wrong. */
static size_t assemble(const struct csf_config *config, const char *words, uint8_t *out)
{
	size_t n = 0;

	while (*words) {
		const size_t len = strcspn(words, ";");
		struct csf_packet packet;
		const char *where;
		char word[128];

		snprintf(word, sizeof(word), "%.*s", (int)len, words);
		words += len;
		words += strspn(words, "; ");
		if (!strcmp(word, "damage")) {
			out[n++] = NO_PACKET;
			continue;
		}
		if (csf_packet_parse(config, word, &packet, &where) || n + 64 > TRACE_MAX) {
			printf("# %s: %s\n", word, where);
			return 0;
		}
		n += csf_packet_write(config, out + n, &packet);
	}
	return n;
}

static bool record(struct _test_data_edges *self, const char *words)
{
	const struct perf_write_who who = { .time = 100, .pid = 42, .tid = 42, .cpu = 1 };
	uint8_t trace[TRACE_MAX];
	const size_t n = assemble(&self->rec.cpu[0].config, words, trace);
	const struct perf_aux_record aux = { .size = n, .flags = 0x100 };
	const struct perf_auxtrace auxtrace = { .size = n, .cpu = 1, .tid = PERF_NO_TID };
	FILE *f = fopen(self->path, "w+");
	struct perf_writer *w;
	int err = -1;

	self->rec.setup.cpu = self->rec.cpu;
	if (n && f && !perf_write_new(&w, fileno(f), &self->rec.setup)) {
		perf_write_comm(w, &who, "code", false);
		write_map(w, 10, 0x400000, 0, "/code");
		write_map(w, 10, 0x400000 + FAR, FAR, "/code");
		write_map(w, 10, LIBRARY, 0, "/library");
		write_map(w, 120, LATE, 0, "/late");
		perf_write_aux(w, &who, &aux);
		perf_write_auxtrace(w, &auxtrace, trace);
		err = perf_write_finish(w);
	}
	return f && !fclose(f) && !err;
}

/* ---------------------------------------------------------------- its counts */

/* Every edge, a line each. */
static void list(struct _test_data_edges *self, const struct count_table *table)
{
	size_t n = 0;

	*self->text = 0;
	for (size_t i = 0; i < table->n; i++) {
		struct count_edge *edge = NULL;
		size_t n_edge = 0;

		if (count_edges(table, i, &edge, &n_edge))
			strcpy(self->text, "no memory");
		for (size_t k = 0; k < n_edge && n + 128 < TEXT_MAX; k++) {
			const struct count_edge *e = &edge[k];

			n += sprintf(self->text + n, "%s+%llx ", table->dso[i].name,
				     (unsigned long long)e->from);
			if (e->dso == COUNT_OUTSIDE)
				n += sprintf(self->text + n, "?");
			else
				n += sprintf(self->text + n, "%s+%llx", table->dso[e->dso].name,
					     (unsigned long long)e->to);
			n += sprintf(self->text + n, " x%llu\n", (unsigned long long)e->count);
		}
		free(edge);
	}
}

static bool load(struct _test_data_edges *self, struct count_table *table, uint32_t threads)
{
	const struct count_load_options options = {
		.replay = { .dso = self->dso, .n_threads = threads },
	};

	/* losses are reported, and no other problem is allowed */
	count_load(table, self->path, 1, &options);
	list(self, table);
	return table->stat[COUNT_RECORDINGS] == 1;
}

static bool load_atom_runs(struct _test_data_edges *self, struct count_table *table)
{
	struct quick quick = { .max = QUICK_MAX };
	struct quick_load load = { .quick = &quick, .replay.dso = self->dso };
	int err;

	quick_load(&load, self->path);
	for (size_t i = 0; i < load.n_thread; i++)
		free(load.thread[i].comm);
	free(load.thread);
	err = quick_settle(&quick);
	if (!err)
		err = quick_count_table(&quick, table, &self->dso);
	quick_fini(&quick);
	list(self, table);
	return !err;
}

/* The file of a table.  Return: bytes. */
static size_t bytes_of(const struct count_table *table, char *bytes, size_t n)
{
	FILE *f = fmemopen(bytes, n, "w");
	long size = -1;

	if (f && !count_file_write(table, f))
		size = ftell(f);
	if (f)
		fclose(f);
	return size < 0 ? 0 : size;
}

/**
 * struct row - a trace
 * @words: packets
 * @edges: what it must say
 * @apart: its atom runs are not the same: Documentation/format/quick.rst
 * @max_spec: TRCIDR8: P0 elements that can be uncommitted
 */
struct row {
	const char *name, *words, *edges;
	bool apart;
	uint32_t max_spec;
};

static void check(struct __test_metadata *_metadata, struct _test_data_edges *self,
		  const struct row *row)
{
	static char bytes[2][65536];
	size_t n[2];

	self->rec.cpu[0].config.trcidr8 = row->max_spec;
	ASSERT_TRUE(record(self, row->words)) TH_LOG("%s", row->name);
	for (uint32_t threads = 1; threads <= 4; threads += 3) {
		struct count_table table = { 0 };

		EXPECT_TRUE(load(self, &table, threads));
		EXPECT_STREQ(row->edges, self->text)
			TH_LOG("%s, %u threads", row->name, threads);
		n[0] = bytes_of(&table, bytes[0], sizeof(*bytes));
		count_table_fini(&table);
	}
	if (!row->apart) {
		struct count_table table = { 0 };

		EXPECT_TRUE(load_atom_runs(self, &table));
		EXPECT_STREQ(row->edges, self->text) TH_LOG("%s, atom runs", row->name);
		n[1] = bytes_of(&table, bytes[1], sizeof(*bytes));
		EXPECT_LT(0, n[0]);
		EXPECT_EQ(n[0], n[1]);
		EXPECT_EQ(0, memcmp(bytes[0], bytes[1], n[0])) TH_LOG("%s, bytes", row->name);
		count_table_fini(&table);
	}
}

#define INDIRECT	SYNC "addr.ctx 0x400000" USER "atom E; addr 0x500010; "
#define CALLED		"/code+0 /library+10 x1\n"
/* atom runs know no section but those that an address is in */
#define DIRECT		SYNC "addr.ctx 0x402008" USER "atom E; on; addr 0x400008; atom E; "
#define JUMPED		"/code+8 /code+2008 x1\n/code+200c ? x1\n"

/* The packet has the address of the code that is not traced. */
TEST_F(edges, told_by_trace)
{
	static const struct row rows[] = {
		{ "filter", INDIRECT "on", CALLED },
		{ "filter, and back", INDIRECT "on; addr 0x400014; atom N",
		  CALLED },
		{ "end", INDIRECT, CALLED },
		{ "overflow", INDIRECT "overflow", CALLED },
		{ "discard", INDIRECT "discard", CALLED },
		{ "damage", INDIRECT "damage", CALLED },
		/* only with speculation can an address take the place of another */
		{ "corrected", SYNC "addr.ctx 0x400000" USER "atom E; addr 0x400014; atom N;"
		  "cancel1 1; addr 0x500010; commit 1; on", CALLED, .max_spec = 4 },
		{ "handler", INDIRECT "exception irq addr; addr 0x500010;"
		  "addr.ctx 0xffff800010011480 el1 ns 64 cid=42; on", CALLED },
		{ "SError", INDIRECT "exception serror addr; addr 0x400ffc", CALLED },
		{ "no file", SYNC "addr.ctx 0x400000" USER "atom E; addr 0x700010; on",
		  "/code+0 ? x1\n" },
		{ "mapped late", SYNC "addr.ctx 0x400000" USER "atom E; addr 0x600010; on",
		  "/code+0 /late+10 x1\n" },
		{ "again", INDIRECT "on; addr 0x400000; atom E; addr 0x500010; on; addr 0x400000;"
		  "atom E; addr 0x400010; on",
		  "/code+0 /code+10 x1\n/code+0 /library+10 x2\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check(_metadata, self, &rows[i]);
}

/* The instruction has it. */
TEST_F(edges, told_by_code)
{
	static const struct row rows[] = {
		{ "filter", DIRECT "on", JUMPED },
		{ "end", DIRECT, JUMPED },
		{ "overflow", DIRECT "overflow", JUMPED },
		{ "damage", DIRECT "damage", JUMPED },
		{ "handler", DIRECT "exception irq addr; addr 0x402008;"
		  "addr.ctx 0xffff800010011480 el1 ns 64 cid=42; on", JUMPED },
		{ "SError", DIRECT "exception serror addr; addr 0x402008", JUMPED },
		{ "reset", DIRECT "exception reset unknown", JUMPED },
		{ "followed", DIRECT "atom E; on",
		  "/code+8 /code+2008 x1\n/code+200c ? x2\n" },
		{ "no address there", SYNC "addr.ctx 0x400008" USER "atom E; on",
		  "/code+8 /code+2008 x1\n", true },
		{ "in one section", SYNC "addr.ctx 0x400014" USER "atom E; on",
		  "/code+14 /code+8 x1\n" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check(_metadata, self, &rows[i]);
}

/* An exception is no branch, and unknown targets stay unknown. */
TEST_F(edges, not_told)
{
	static const struct row rows[] = {
		{ "no address", SYNC "addr.ctx 0x400000" USER "atom E; on", "/code+0 ? x1\n" },
		{ "the address behind", SYNC "addr.ctx 0x400000" USER "atom E; on; addr 0x500010; on",
		  "/code+0 ? x1\n" },
		/* it may be any address then */
		{ "reset", INDIRECT "exception reset unknown", "/code+0 ? x1\n" },
		{ "not taken", SYNC "addr.ctx 0x400014" USER "atom N; on", "" },
		{ "handler", SYNC "addr.ctx 0x400014" USER "exception irq addr; addr 0x400018;"
		  "addr.ctx 0xffff800010011480 el1 ns 64 cid=42; on", "" },
		{ "nothing ran", SYNC "addr.ctx 0x400014" USER "addr 0x500010; on", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check(_metadata, self, &rows[i]);
}

/* It came to an address; the way on from there is unknown. */
TEST_F(edges, no_way_on)
{
	static const struct row rows[] = {
		{ "exception elsewhere", SYNC "addr.ctx 0x400000" USER "atom E; addr 0x40001c;"
		  "exception irq addr; addr 0x400ff0", "/code+0 /code+1c x1\n" },
		/* the second address contradicts the code; atom runs have only the last */
		{ "another address", SYNC "addr.ctx 0x400000" USER "atom E; addr 0x400014;"
		  "addr 0x500010; on", "/code+0 /code+14 x1\n", true },
		{ "Q", INDIRECT "q 5; addr 0x400014; atom N", CALLED },
		{ "source elsewhere", SYNC "addr.ctx 0x400000" USER "atom E; addr 0x400014;"
		  "src32 0x400ff0", "/code+0 /code+14 x1\n", true },
		/* no execution can go there: the code is not what ran, or the packet is damaged */
		{ "source before it", SYNC "addr.ctx 0x400000" USER "atom E; addr 0x400014; src32 0x40000c",
		  "/code+0 /code+14 x1\n", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check(_metadata, self, &rows[i]);
}

/* A transaction that failed did not happen. */
TEST_F(edges, transactions)
{
#define INSIDE SYNC "addr.ctx 0x400014" USER "atom N; tm.start; atom E; addr 0x500010; "
	static const struct row rows[] = {
		{ "commit", INSIDE "tm.commit; on", "/code+1c /library+10 x1\n", true },
		{ "filter, commit", INSIDE "on; tm.commit", "/code+1c /library+10 x1\n", true },
		{ "filter, failure", INSIDE "on; exception trans.fail unknown", "", true },
		{ "handler, failure", INSIDE "exception irq addr; addr 0x500010;"
		  "exception trans.fail unknown", "", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		check(_metadata, self, &rows[i]);
}

TEST_HARNESS_MAIN
