// SPDX-License-Identifier: GPL-2.0-only
/* Code made at run time: jitdumps, whole and damaged, and what a recording has of them. */
#include <elf.h>
#include <stdio.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/jitdump.h"
#include "../../perf-plugin/perf-tasks.h"
#include "../lib/recording.h"

/* A jitdump, put together by hand */
struct dump {
	uint8_t bytes[4096];
	size_t n;
};

static void put(struct dump *d, uint64_t v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		d->bytes[d->n++] = v >> 8 * i;
}

static void begin(struct dump *d, uint32_t machine)
{
	d->n = JITDUMP_HEADER;
	jitdump_header(d->bytes, machine, 42, 1);
}

static void add_load(struct dump *d, uint64_t time, uint64_t addr, const char *name,
		     const char *code)
{
	const struct jitdump_code load = { .time = time, .pid = 42, .tid = 43, .addr = addr,
					   .size = strlen(code), .index = addr >> 12,
					   .name = name };

	jitdump_load(d->bytes + d->n, &load);
	d->n += JITDUMP_LOAD;
	memcpy(d->bytes + d->n, name, strlen(name) + 1);
	d->n += strlen(name) + 1;
	memcpy(d->bytes + d->n, code, strlen(code));
	d->n += strlen(code);
}

static void add_move(struct dump *d, uint64_t time, uint64_t from, uint64_t to, uint64_t size)
{
	put(d, JITDUMP_CODE_MOVE, 4);
	put(d, 64, 4);
	put(d, time, 8);
	put(d, 42, 4);
	put(d, 43, 4);
	put(d, to, 8);
	put(d, from, 8);
	put(d, to, 8);
	put(d, size, 8);
	put(d, from >> 12, 8);
}

static void add_other(struct dump *d, uint32_t kind)
{
	put(d, kind, 4);
	put(d, 24, 4);
	put(d, 7, 8);
	put(d, 0, 8);
}

TEST(names)
{
	uint32_t pid = 0;

	EXPECT_TRUE(jitdump_name("/tmp/x/jit-1234.dump", &pid));
	EXPECT_EQ(1234, pid);
	EXPECT_TRUE(jitdump_name("jit-7.dump", &pid));
	EXPECT_EQ(7, pid);
	EXPECT_FALSE(jitdump_name("/tmp/jit-.dump", &pid));
	EXPECT_FALSE(jitdump_name("/tmp/jit--1.dump", &pid));
	EXPECT_FALSE(jitdump_name("/tmp/jit-1.dumps", &pid));
	EXPECT_FALSE(jitdump_name("/tmp/jit-99999999999.dump", &pid));
	EXPECT_FALSE(jitdump_name("/tmp/jit-1.dump/x", &pid));
}

TEST(what_is_written_is_read)
{
	struct dump d;
	struct jitdump dump;
	struct jitdump_code code;

	begin(&d, EM_AARCH64);
	add_load(&d, 100, 0x1000, "first", "code");
	add_other(&d, JITDUMP_CODE_UNWINDING_INFO);
	add_load(&d, 101, 0x2000, "", "");
	add_other(&d, JITDUMP_CODE_CLOSE);
	add_move(&d, 102, 0x1000, 0x3000, 4);
	ASSERT_TRUE(jitdump_open(&dump, d.bytes, d.n));
	EXPECT_EQ(42, dump.pid);
	EXPECT_EQ(EM_AARCH64, dump.elf_machine);
	ASSERT_TRUE(jitdump_next(&dump, &code));
	EXPECT_EQ(JITDUMP_CODE_LOAD, code.kind);
	EXPECT_EQ(100, code.time);
	EXPECT_EQ(42, code.pid);
	EXPECT_EQ(43, code.tid);
	EXPECT_EQ(0x1000, code.addr);
	EXPECT_EQ(4, code.size);
	EXPECT_STREQ("first", code.name);
	EXPECT_EQ(0, memcmp(d.bytes + code.offset, "code", 4));
	ASSERT_TRUE(jitdump_next(&dump, &code));
	EXPECT_EQ(0, code.size);
	EXPECT_STREQ("", code.name);
	ASSERT_TRUE(jitdump_next(&dump, &code));
	EXPECT_EQ(JITDUMP_CODE_MOVE, code.kind);
	EXPECT_EQ(0x1000, code.from);
	EXPECT_EQ(0x3000, code.addr);
	EXPECT_EQ(1, code.index);
	EXPECT_FALSE(jitdump_next(&dump, &code));
}

/* Big-endian agents write so. */
TEST(other_byte_order)
{
	static const uint8_t head[JITDUMP_HEADER] = {
		'J', 'i', 'T', 'D', 0, 0, 0, 1, 0, 0, 0, 40, 0, 0, 0, 183,
		0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0, 0, 9,
	};
	struct jitdump dump;

	ASSERT_TRUE(jitdump_open(&dump, head, sizeof(head)));
	EXPECT_EQ(0x102, dump.pid);
	EXPECT_EQ(183, dump.elf_machine);
}

/* Reads all contents of a copy that has exactly @n bytes. */
static unsigned int count(const struct dump *d, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	struct jitdump dump;
	struct jitdump_code code;
	unsigned int found = 0;

	memcpy(copy, d->bytes, n);
	if (jitdump_open(&dump, copy, n)) {
		while (jitdump_next(&dump, &code)) {
			found++;
			if (code.kind == JITDUMP_CODE_LOAD &&
			    (code.offset > n || code.size > n - code.offset))
				found = 1000;
		}
	}
	free(copy);
	return found;
}

TEST(damaged)
{
	struct dump d, bad;

	begin(&d, EM_AARCH64);
	add_load(&d, 100, 0x1000, "first", "code");
	add_load(&d, 101, 0x2000, "second", "more");
	ASSERT_EQ(2, count(&d, d.n));
	for (size_t n = 0; n < d.n; n++)
		EXPECT_EQ(n >= JITDUMP_HEADER + 66 ? 1 : 0, count(&d, n));
	for (size_t i = 0; i < d.n; i++) {
		for (int bit = 0; bit < 8; bit++) {
			bad = d;
			bad.bytes[i] ^= 1 << bit;
			EXPECT_GE(2, count(&bad, bad.n));
		}
	}
	bad = d;
	memset(bad.bytes + JITDUMP_HEADER + JITDUMP_LOAD, 'x', 10);	/* a name without end */
	EXPECT_EQ(1, count(&bad, bad.n));
}

/* ---------------------------------------------------------------- in a recording */

FIXTURE(recorded)
{
	struct perf_file *file;
	struct csf_image *image;
	struct perf_tasks *tasks;
	uint8_t *bytes;
	char dir[32], name[64];
};

FIXTURE_SETUP(recorded)
{
	(void)recording_make;
	memset(self, 0, sizeof(*self));
	strcpy(self->dir, "/tmp/jit-test-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->name, sizeof(self->name), "%s/jit-42.dump", self->dir);
}

FIXTURE_TEARDOWN(recorded)
{
	perf_tasks_free(self->tasks);
	csf_image_free(self->image);
	perf_file_close(self->file);
	free(self->bytes);
	unlink(self->name);
	rmdir(self->dir);
}

static void maps(struct perf_writer *writer, uint64_t time, const char *name, uint64_t addr)
{
	const struct perf_write_who who = { .time = time, .pid = 42, .tid = 42, .cpu = 1 };
	const struct perf_mmap map = { .addr = addr, .len = 0x1000, .name = name, .prot = 5,
				       .flags = 2 };

	perf_write_mmap(writer, &who, &map);
}

/* A recording that names @d, and has mapped other things before and after. */
static int open_with(struct _test_data_recorded *self, const struct dump *d)
{
	FILE *out = tmpfile(), *file = fopen(self->name, "wb");
	const struct dso_options options = { 0 };
	struct perf_writer *writer;
	struct small_recording rec;
	size_t n;
	int err;

	if (!out || !file || fwrite(d->bytes, 1, d->n, file) != d->n || fclose(file))
		return -1;
	recording_init(&rec, 2, 1);
	rec.setup.cpu = rec.cpu;
	if (perf_write_new(&writer, fileno(out), &rec.setup))
		return -1;
	maps(writer, 10, "/bin/sort", 0x1000);
	maps(writer, 20, self->name, 0x9000);
	maps(writer, 150, "//anon", 0x2000);
	maps(writer, 300, "/bin/less", 0x1000);
	err = perf_write_finish(writer);
	n = lseek(fileno(out), 0, SEEK_END);
	self->bytes = malloc(n);
	if (err || pread(fileno(out), self->bytes, n, 0) != (ssize_t)n)
		return -1;
	fclose(out);
	err = perf_file_open_memory(&self->file, self->bytes, n);
	if (!err)
		err = csf_image_new(&self->image);
	if (!err)
		err = perf_tasks_new(&self->tasks, self->image, &options);
	return err ? err : perf_tasks_open(self->tasks, self->file);
}

/* The name of the code at @addr, and its first byte. */
static const char *has(struct _test_data_recorded *self, uint64_t time, uint64_t addr, char *byte)
{
	struct perf_who who;
	struct code_place place;

	*byte = 0;
	if (perf_tasks_who(self->tasks, 42, time, &who) ||
	    !perf_code_find(&self->tasks->code, who.space, time, addr, &place))
		return "";
	if (dso_load(&self->tasks->code.dsos, place.dso)) {
		const struct code_section *s = self->tasks->code.section[place.section];

		*byte = place.dso->elf->bytes[s->offset + place.offset];
	}
	return place.dso->name;
}

TEST_F(recorded, over_time)
{
	struct dump d;
	char byte;

	begin(&d, EM_AARCH64);
	add_load(&d, 100, 0x1000, "a", "Aaaa");
	add_load(&d, 120, 0x2000, "b", "Bbbb");
	add_load(&d, 200, 0x1000, "c", "Cccc");
	add_move(&d, 250, 0x2000, 0x5000, 4);
	ASSERT_EQ(0, open_with(self, &d));
	EXPECT_STREQ("/bin/sort", has(self, 99, 0x1000, &byte));
	EXPECT_STREQ(self->name, has(self, 100, 0x1001, &byte));
	EXPECT_EQ('a', byte);
	EXPECT_STREQ("/bin/sort", has(self, 100, 0x1004, &byte));
	EXPECT_STREQ("", has(self, 119, 0x2000, &byte));
	EXPECT_STREQ(self->name, has(self, 120, 0x2000, &byte));
	EXPECT_EQ('B', byte);
	/* its protection changed: that looks like a new map, and the code is still there */
	EXPECT_STREQ(self->name, has(self, 160, 0x2000, &byte));
	EXPECT_EQ('B', byte);
	has(self, 200, 0x1000, &byte);
	EXPECT_EQ('C', byte);
	EXPECT_STREQ("/bin/less", has(self, 300, 0x1000, &byte));
	EXPECT_STREQ("", has(self, 249, 0x5000, &byte));
	EXPECT_STREQ(self->name, has(self, 250, 0x5000, &byte));
	EXPECT_EQ('B', byte);
	/* the jitdump itself is no code */
	EXPECT_STREQ("", has(self, 400, 0x9000, &byte));
}

TEST_F(recorded, for_another_processor)
{
	struct dump d;
	char byte;

	begin(&d, EM_X86_64);
	add_load(&d, 100, 0x1000, "a", "Aaaa");
	ASSERT_EQ(0, open_with(self, &d));
	EXPECT_STREQ("/bin/sort", has(self, 200, 0x1000, &byte));
	EXPECT_STREQ("//anon", has(self, 200, 0x2000, &byte));
}

TEST_HARNESS_MAIN
