// SPDX-License-Identifier: GPL-2.0-only
/* Code of a section: in memory, read a page at a time, or there as a whole when it is needed. */
#include <string.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../decoder/csflow.h"

#define CODE_SIZE	12288u
#define BASE		0x10000

/**
 * struct code - some code and its reader
 * @n: bytes there are
 * @whole: they can be had at once
 * @n_read: calls for pages; @n_whole: for all of it
 * @image: has it at BASE
 */
struct code {
	uint8_t byte[CODE_SIZE];
	size_t n;
	bool whole;
	unsigned int n_read, n_whole;
	struct csf_image *image;
};

static size_t read_code(void *context, uint64_t offset, void *buf, size_t n)
{
	struct code *code = context;
	const size_t left = offset < code->n ? code->n - offset : 0;

	code->n_read++;
	n = n < left ? n : left;
	memcpy(buf, code->byte + offset, n);
	return n;
}

static size_t whole_code(void *context, const void **bytes)
{
	struct code *code = context;

	code->n_whole++;
	*bytes = code->byte;
	return code->whole ? code->n : 0;
}

FIXTURE(sections)
{
	struct csf_image *image;
	struct code code;
	int section;
};

FIXTURE_SETUP(sections)
{
	ASSERT_EQ(0, csf_image_new(&self->image));
	self->code.n = CODE_SIZE;
	self->code.whole = true;
	self->code.image = self->image;
	for (size_t i = 0; i < CODE_SIZE; i++)
		self->code.byte[i] = i ^ i >> 8;
	self->section = csf_section_read(self->image, CODE_SIZE, read_code, &self->code);
	ASSERT_LT(0, self->section);
	ASSERT_EQ(0, csf_map(self->image, CSF_SPACE_ALL, BASE, CODE_SIZE, self->section, 0));
}

FIXTURE_TEARDOWN(sections)
{
	csf_image_free(self->image);
}

/* Reads @n bytes at @offset.  Returns how many there were, or -1 if they are others. */
static long look(const struct code *code, uint64_t offset, size_t n)
{
	uint8_t buf[CODE_SIZE];
	const size_t got = csf_image_read(code->image, CSF_SPACE_ALL, BASE + offset, 0, buf, n);

	return memcmp(buf, code->byte + offset, got) ? -1 : (long)got;
}

TEST_F(sections, read_by_page)
{
	EXPECT_EQ(8, look(&self->code, 4092, 8));
	EXPECT_EQ(2, self->code.n_read);
	EXPECT_EQ(8, look(&self->code, 4092, 8));
	EXPECT_EQ(2, self->code.n_read);
}

TEST_F(sections, whole)
{
	ASSERT_EQ(0, csf_section_whole(self->image, self->section, whole_code));
	EXPECT_EQ(0, self->code.n_whole);
	EXPECT_EQ(8, look(&self->code, 4092, 8));
	EXPECT_EQ(CODE_SIZE, look(&self->code, 0, CODE_SIZE));
	EXPECT_EQ(1, self->code.n_whole);
	EXPECT_EQ(0, self->code.n_read);
}

/* The section goes on, but the code has ended; its reader is not asked for more. */
TEST_F(sections, whole_but_short)
{
	self->code.n = 5000;
	ASSERT_EQ(0, csf_section_whole(self->image, self->section, whole_code));
	EXPECT_EQ(4, look(&self->code, 4996, 8));
	EXPECT_EQ(4, look(&self->code, 4996, 8));
	EXPECT_EQ(0, look(&self->code, 5000, 8));
	EXPECT_EQ(0, look(&self->code, 8192, 8));
	EXPECT_EQ(1, self->code.n_whole);
	EXPECT_EQ(0, self->code.n_read);
}

/* More than the section has is none of it. */
TEST_F(sections, whole_and_more)
{
	int section = csf_section_read(self->image, 4096, read_code, &self->code);
	uint8_t buf[8192];

	ASSERT_EQ(0, csf_section_whole(self->image, section, whole_code));
	ASSERT_EQ(0, csf_map(self->image, CSF_SPACE_ALL, 0x40000, 4096, section, 0));
	EXPECT_EQ(4096, csf_image_read(self->image, CSF_SPACE_ALL, 0x40000, 0, buf, 8192));
}

TEST_F(sections, not_to_be_had_at_once)
{
	self->code.whole = false;
	ASSERT_EQ(0, csf_section_whole(self->image, self->section, whole_code));
	EXPECT_EQ(8, look(&self->code, 4092, 8));
	EXPECT_EQ(8, look(&self->code, 8192, 8));
	EXPECT_EQ(1, self->code.n_whole);
	EXPECT_EQ(3, self->code.n_read);
}

TEST_F(sections, stale)
{
	ASSERT_EQ(0, csf_section_whole(self->image, self->section, whole_code));
	EXPECT_EQ(8, look(&self->code, 0, 8));
	ASSERT_EQ(0, csf_section_stale(self->image, self->section));
	self->code.whole = false;
	EXPECT_EQ(8, look(&self->code, 0, 8));
	EXPECT_EQ(2, self->code.n_whole);
	EXPECT_EQ(1, self->code.n_read);
	ASSERT_EQ(0, csf_section_stale(self->image, self->section));
	self->code.whole = true;
	self->code.n = 4;
	EXPECT_EQ(4, look(&self->code, 0, 8));
	EXPECT_EQ(3, self->code.n_whole);
	EXPECT_EQ(1, self->code.n_read);
}

TEST_F(sections, nothing_can_be_read)
{
	int section = csf_section_bytes(self->image, self->code.byte, CODE_SIZE);

	EXPECT_EQ(CSF_ERR_ARG, csf_section_whole(self->image, section, whole_code));
	EXPECT_EQ(CSF_ERR_ARG, csf_section_whole(self->image, 0, whole_code));
	EXPECT_EQ(CSF_ERR_ARG, csf_section_whole(self->image, section + 1, whole_code));
}

TEST_HARNESS_MAIN
