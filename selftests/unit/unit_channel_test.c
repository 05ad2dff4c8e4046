// SPDX-License-Identifier: GPL-2.0-only
/* The registers and the buffer of a virtual trace unit, as a guest's driver uses them. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../tools/encoder/encoder.h"
#include "../../tools/qemu/channel.h"

static unsigned int rings, rung_cpu;

static void bell(unsigned int cpu)
{
	rings++;
	rung_cpu = cpu;
}

/* What the guest sees of CPU 1, and the unit's own view. */
FIXTURE(unit)
{
	struct enc_setup setup;
	struct channel c;
	struct csf_channel *reg;
	uint8_t *memory;
	char path[32];
	int fd;
};

FIXTURE_SETUP(unit)
{
	char problem[ENC_PROBLEM_MAX];

	strcpy(self->path, "/tmp/unit-channel-XXXXXX");
	self->fd = mkstemp(self->path);
	ASSERT_LE(0, self->fd);
	ASSERT_EQ(0, enc_setup_parse(&self->setup, "ete=1.2,rs=3", problem));
	ASSERT_LE(0, channel_open(self->path, bell));
	channel_init(&self->c, 1, &self->setup);
	self->memory = mmap(NULL, CSF_CHANNEL_CPUS * CSF_CHANNEL_STRIDE, PROT_READ | PROT_WRITE,
			    MAP_SHARED, self->fd, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->memory);
	self->reg = (void *)(self->memory + CSF_CHANNEL_STRIDE);
	rings = 0;
}

FIXTURE_TEARDOWN(unit)
{
	close(self->fd);
	unlink(self->path);
}

TEST_F(unit, is_there)
{
	struct stat st;

	ASSERT_EQ(0, fstat(self->fd, &st));
	EXPECT_EQ(CSF_CHANNEL_CPUS * CSF_CHANNEL_STRIDE, (unsigned long)st.st_size);
	EXPECT_EQ(CSF_CHANNEL_MAGIC, self->reg->magic);
	EXPECT_EQ(CSF_CHANNEL_VERSION, self->reg->version);
	EXPECT_EQ(0x47725a13u, self->reg->trcdevarch);
	EXPECT_EQ(self->setup.config.trcidr0, self->reg->trcidr0);
	EXPECT_EQ(self->setup.config.trcidr2, self->reg->trcidr2);
	EXPECT_EQ(1u, self->reg->idle);
	EXPECT_EQ(0u, ((struct csf_channel *)self->memory)->magic);
	channel_remove(&self->c);
	EXPECT_EQ(0u, self->reg->magic);
}

TEST_F(unit, registers)
{
	struct enc_setup setup;

	/* Q elements, and bits that there are not, are ignored. */
	self->reg->trcconfigr = 0xffff;
	self->reg->trcccctlr = 0x10;
	self->reg->trcsyncpr = 10;
	self->reg->ts_period = 500;
	self->reg->strobe_on = 7;
	self->reg->strobe_off = 9;
	self->reg->n_range = 2;
	self->reg->range[0] = (struct csf_channel_range){ 0x1000, 0x2000, CSF_CHANNEL_INCLUDE, 0 };
	self->reg->range[1] = (struct csf_channel_range){ 0x1800, 0x1900, CSF_CHANNEL_EXCLUDE, 0 };
	channel_setup(&self->c, &setup, &self->setup);
	EXPECT_EQ(0x98d9u, setup.config.trcconfigr);
	EXPECT_EQ(0x10u, setup.threshold);
	EXPECT_EQ(1024u, setup.sync);
	EXPECT_EQ(500u, setup.time_period);
	EXPECT_EQ(32u, setup.cid_bits);
	EXPECT_EQ(7u, setup.strobe_on);
	EXPECT_EQ(9u, setup.strobe_off);
	EXPECT_EQ(3u, setup.stack);
	ASSERT_EQ(1u, setup.include.n);
	EXPECT_EQ(0x2000u, setup.include.range[0].to);
	ASSERT_EQ(1u, setup.exclude.n);
	EXPECT_EQ(0x1800u, setup.exclude.range[0].from);
}

TEST_F(unit, registers_that_are_zero)
{
	struct enc_setup setup;

	channel_setup(&self->c, &setup, &self->setup);
	EXPECT_EQ(1u, setup.config.trcconfigr);
	EXPECT_EQ(0u, setup.time_period);
	EXPECT_EQ(0u, setup.cid_bits);
	EXPECT_EQ(1u, setup.threshold);
	EXPECT_EQ(4096u, setup.sync);
	self->reg->trcconfigr = 1u << 11;
	self->reg->trcsyncpr = 31;
	self->reg->strobe_on = 5;
	/* More than there are. */
	self->reg->n_range = 1000;
	channel_setup(&self->c, &setup, &self->setup);
	EXPECT_LT(0u, setup.time_period);
	EXPECT_EQ(1u << 20, setup.sync);
	EXPECT_EQ(0u, setup.strobe_on);
	EXPECT_EQ(CSF_CHANNEL_RANGES, setup.include.n);
}

TEST_F(unit, limit)
{
	uint8_t bytes[100];

	memset(bytes, 0xa5, sizeof(bytes));
	EXPECT_FALSE(channel_has_room(&self->c, 0));
	self->reg->limit = CHANNEL_SLACK + 60;
	EXPECT_TRUE(channel_has_room(&self->c, 60));
	EXPECT_FALSE(channel_has_room(&self->c, 61));
	self->reg->limit = 60;
	channel_write(&self->c, bytes, sizeof(bytes));
	EXPECT_EQ(60u, self->reg->written);
	EXPECT_EQ(0xa5, self->memory[CSF_CHANNEL_STRIDE + CSF_CHANNEL_AT + 59]);
	EXPECT_EQ(0, self->memory[CSF_CHANNEL_STRIDE + CSF_CHANNEL_AT + 60]);
	/* The limit is less than what was written. */
	self->reg->limit = 10;
	channel_write(&self->c, bytes, sizeof(bytes));
	EXPECT_EQ(60u, self->reg->written);
	channel_fill(&self->c);
	EXPECT_EQ(1u, self->reg->full);
	EXPECT_EQ(0u, rings);
}

TEST_F(unit, round_and_round)
{
	const size_t n = CSF_CHANNEL_BYTES - 3;
	const uint8_t *at = self->memory + CSF_CHANNEL_STRIDE + CSF_CHANNEL_AT;
	uint8_t *bytes = calloc(1, 2 * CSF_CHANNEL_BYTES);

	ASSERT_NE(NULL, bytes);
	self->reg->flags = CSF_CHANNEL_WRAP;
	EXPECT_TRUE(channel_has_room(&self->c, 1u << 30));
	channel_write(&self->c, bytes, n);
	channel_write(&self->c, (const uint8_t *)"abcdef", 6);
	EXPECT_EQ(n + 6, self->reg->written);
	EXPECT_EQ(0, memcmp(at + n, "abc", 3));
	EXPECT_EQ(0, memcmp(at, "def", 3));
	/* More at once than there is. */
	bytes[2 * CSF_CHANNEL_BYTES - 1] = 'z';
	channel_write(&self->c, bytes, 2 * CSF_CHANNEL_BYTES);
	EXPECT_EQ('z', at[2]);
	EXPECT_EQ(n + 6 + 2 * CSF_CHANNEL_BYTES, self->reg->written);
	free(bytes);
}

TEST_F(unit, rings)
{
	const uint8_t bytes[8] = { 0 };

	self->reg->limit = 1000;
	self->reg->signal = 16;
	channel_write(&self->c, bytes, 8);
	EXPECT_EQ(0u, rings);
	channel_write(&self->c, bytes, 8);
	EXPECT_EQ(1u, rings);
	EXPECT_EQ(1u, rung_cpu);
	/* Once for each value. */
	channel_write(&self->c, bytes, 8);
	channel_fill(&self->c);
	EXPECT_EQ(1u, rings);
	self->reg->signal = 20;
	channel_write(&self->c, bytes, 1);
	EXPECT_EQ(2u, rings);
	/* What never comes, because there is no room. */
	self->reg->signal = 2000;
	channel_write(&self->c, bytes, 8);
	EXPECT_EQ(2u, rings);
	channel_fill(&self->c);
	EXPECT_EQ(3u, rings);
}

TEST(no_file)
{
	EXPECT_GT(0, channel_open("/nonexistent/file", NULL));
}

TEST_HARNESS_MAIN
