// SPDX-License-Identifier: GPL-2.0-only
/* Code of the kernel that changed during a recording: two images of its memory are compared. */
#include "perf-kernel.h"

/* ---------------------------------------------------------------- recordings */

/* A recording in a directory, with the kernel and a module as they were at its start */
static void records_kcore(struct _test_data_kernel *self, char *path, size_t n)
{
	maps(self, "[kernel.kallsyms]_text", MOVED, MOVED, id);
	make(create(self, "r/kcore_dir/kcore"), ET_CORE, MOVED, NULL);
	make_kallsyms(create(self, "r/kcore_dir/kallsyms"));
	snprintf(path, n, "%s/r", self->dir);
	self->options.recording = path;
}

/* The memory at the end, where the third word is another one */
static int make_second(struct _test_data_kernel *self)
{
	const uint32_t word = NOP;
	char path[96];
	FILE *f;

	if (make(create(self, "r/kcore_dir__2nd/kcore"), ET_CORE, MOVED, NULL))
		return -1;
	snprintf(path, sizeof(path), "%s/r/kcore_dir__2nd/kcore", self->dir);
	f = fopen(path, "r+");
	if (!f)
		return -1;
	fseek(f, offsetof(struct image, code) + 8, SEEK_SET);
	fwrite(&word, sizeof(word), 1, f);
	return fclose(f);
}

/* The third word is another at the end: what ran there is not known, and the rest is as it was. */
TEST_F(kernel, changed)
{
	char path[64];

	records_kcore(self, path, sizeof(path));
	ASSERT_EQ(0, make_second(self));
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(NOP, insn(self, 0, MOVED));
	EXPECT_EQ(NOP, insn(self, 0, MOVED + 4));
	EXPECT_FALSE(self->tasks->code.met_changed);
	EXPECT_EQ(0, insn(self, 0, MOVED + 8));
	EXPECT_EQ(0, insn(self, UINT64_MAX - 1, MOVED + 8));
	EXPECT_TRUE(self->tasks->code.met_changed);
	EXPECT_EQ(RET, insn(self, 0, MOVED + 12));
	EXPECT_EQ(DSO_CHANGED, dso_of(self, MOVED + 8)->state);
	EXPECT_EQ(DSO_FOUND, dso_of(self, MOVED + 12)->state);
	EXPECT_EQ(NULL, self->tasks->code.dsos.bad_second);
}

/* A module's code that changed; the kernel's is the same. */
TEST_F(kernel, changed_module)
{
	char path[64];

	records_kcore(self, path, sizeof(path));
	maps(self, "[nf_tables]", MOVED, 0, NULL);
	ASSERT_EQ(0, make_second(self));
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(0, insn(self, 0, MOVED + 8));
	EXPECT_EQ(RET, insn(self, 0, MOVED + 12));
}

TEST_F(kernel, not_changed)
{
	char path[64];

	records_kcore(self, path, sizeof(path));
	ASSERT_EQ(0, make(create(self, "r/kcore_dir__2nd/kcore"), ET_CORE, MOVED, NULL));
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(ET_CORE, insn(self, 0, MOVED + 8));
	EXPECT_FALSE(self->tasks->code.met_changed);
}

/* Without a comparison, the code is that of the start. */
TEST_F(kernel, changed_but_asked_for)
{
	char path[64], kcore[64];

	records_kcore(self, path, sizeof(path));
	ASSERT_EQ(0, make_second(self));
	snprintf(kcore, sizeof(kcore), "%s/r/kcore_dir/kcore", self->dir);
	self->options.kcore = kcore;
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(ET_CORE, insn(self, 0, MOVED + 8));
}

/* After another boot, the kernel is elsewhere: that says nothing, and it is noted. */
TEST_F(kernel, second_of_another_boot)
{
	char path[64], second[96];

	records_kcore(self, path, sizeof(path));
	ASSERT_EQ(0, make(create(self, "r/kcore_dir__2nd/kcore"), ET_CORE, TEXT, NULL));
	snprintf(second, sizeof(second), "%s/r/kcore_dir__2nd/kcore", self->dir);
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(ET_CORE, insn(self, 0, MOVED + 8));
	EXPECT_STREQ(second, self->tasks->code.dsos.bad_second);
}

/* ---------------------------------------------------------------- images */

/* Images of several segments, word by word */
static struct elf_file *core_of(uint8_t *bytes, size_t n, struct elf_segment *s, size_t n_segment)
{
	static struct elf_file file[2];
	static int next;
	struct elf_file *f = &file[next++ % 2];

	*f = (struct elf_file){ .bytes = bytes, .size = n, .segment = s, .n_segment = n_segment };
	return f;
}

TEST(changes)
{
	/* the first range is there twice, and each image has memory that the other does not have */
	struct elf_segment a[] = { { 0x1000, 0, 32, true }, { 0x1000, 0, 32, true },
				   { 0x2000, 32, 32, true } };
	struct elf_segment b[] = { { 0x1008, 0, 16, true }, { 0x1008, 0, 16, true },
				   { 0x1ff0, 16, 48, true }, { 0x9000, 0, 16, true } };
	uint8_t before[64], after[64];
	struct code_changes c = { 0 };

	memset(before, 1, sizeof(before));
	memset(after, 1, sizeof(after));
	after[4] = 2;		/* 0x100c, and the word after it */
	after[8] = 2;
	after[16 + 15] = 2;	/* 0x1fff, which only the second has */
	after[16 + 16] = 2;	/* 0x2000 */
	after[16 + 47] = 2;	/* 0x201c */
	ASSERT_EQ(0, code_changes_find(&c, core_of(before, 64, a, 3), core_of(after, 64, b, 4)));
	EXPECT_TRUE(c.compared);
	ASSERT_EQ(3, c.n);
	EXPECT_EQ(0x100c, c.range[0].start);
	EXPECT_EQ(0x1014, c.range[0].end);
	EXPECT_EQ(0x2000, c.range[1].start);
	EXPECT_EQ(0x2004, c.range[1].end);
	EXPECT_EQ(0x201c, c.range[2].start);
	EXPECT_EQ(0x2020, c.range[2].end);
	EXPECT_EQ(0, code_changes_at(&c, 0));
	EXPECT_EQ(0, code_changes_at(&c, 0x1013));
	EXPECT_EQ(1, code_changes_at(&c, 0x1014));
	EXPECT_EQ(3, code_changes_at(&c, 0x2020));
	code_changes_free(&c);
}

/* So many that some are one range */
TEST(changes_everywhere)
{
	const size_t n = 4 << 20;
	uint8_t *before = calloc(1, n), *after = calloc(1, n);
	struct elf_segment s = { 0x1000, 0, n, true };
	struct code_changes c = { 0 };

	ASSERT_NE(NULL, before);
	ASSERT_NE(NULL, after);
	for (size_t i = 0; i < n; i += 8)
		after[i] = 1;
	ASSERT_EQ(0, code_changes_find(&c, core_of(before, n, &s, 1), core_of(after, n, &s, 1)));
	EXPECT_GE(1u << 18, c.n);
	EXPECT_LT(0, c.n);
	EXPECT_EQ(0x1000, c.range[0].start);
	EXPECT_EQ(0x1000 + n - 4, c.range[c.n - 1].end);
	code_changes_free(&c);
	free(before);
	free(after);
}

TEST_HARNESS_MAIN
