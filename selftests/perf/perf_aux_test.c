// SPDX-License-Identifier: GPL-2.0-only
/* Trace in perf.data: whose it is, and where each fragment of it was in its ring. */
#include <errno.h>

#include "perf-ruin.h"

#include "../../perf-plugin/perf-switch.h"

TEST_F(ruin, aux_without_trace)
{
	uint8_t *aux = record_of(self, PERF_RECORD_AUX, 7);

	put64(aux + 8, 0x10000);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_EQ(1, self->aux->n_lost);
	EXPECT_TRUE(says(self, "64 of them are in no AUXTRACE record", offset_of(self, aux)));
	EXPECT_EQ(0x40, self->aux->no_record_bytes);
	/* over another one */
	put64(aux + 8, 0x80);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "names 64 bytes that another AUX record has named",
			 offset_of(self, aux)));
	EXPECT_EQ(8, self->aux->n_fragment);
	EXPECT_EQ(PERF_FRAGMENT_NO_RECORD, self->aux->fragment[7].flags);
	/* half of it */
	put64(aux + 8, 0xa0);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_EQ(0xc0, self->aux->fragment[7].aux_offset);
	EXPECT_EQ(0x20, self->aux->fragment[7].size);
	EXPECT_EQ(offset_of(self, aux), self->aux->fragment[7].record);
	EXPECT_EQ(0x200, self->aux->queue[0].bytes + self->aux->queue[1].bytes);
	/* over two buffers: two fragments, the second goes on where the first ends */
	put64(record_of(self, PERF_RECORD_AUX, 2) + 16, 0);
	put64(record_of(self, PERF_RECORD_AUX, 3) + 16, 0x80);
	put64(record_of(self, PERF_RECORD_AUX, 6) + 16, 0);
	put64(aux + 8, 0xc0);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_EQ(8, self->aux->n_fragment);
	EXPECT_EQ(2, self->aux->n_empty);
	EXPECT_EQ(0x80, self->aux->fragment[6].aux_offset);
	EXPECT_EQ(PERF_FRAGMENT_PART, self->aux->fragment[6].flags);
	EXPECT_EQ(self->aux->fragment[5].time, self->aux->fragment[6].time);
}

/* A record that perf has written twice: nothing is wrong with the trace. */
TEST_F(ruin, aux_twice)
{
	uint8_t *first = record_of(self, PERF_RECORD_AUX, 5);
	uint8_t *aux = record_of(self, PERF_RECORD_AUX, 7);
	const struct { int at; uint8_t change; } other[] = {
		{ 16, 0x60 }, { 24, 1 }, { 32, 1 }, { 36, 1 }, { 40, 1 },
	};

	memcpy(aux, first, aux[6]);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_TRUE(says(self, "names 64 bytes that another AUX record has named",
			 offset_of(self, aux)));
	EXPECT_EQ(0, self->file->problems.damage);
	EXPECT_EQ(8, self->aux->n_fragment);
	/* size, flags, process, thread or time is another */
	for (size_t i = 0; i < ARRAY_SIZE(other); i++) {
		memcpy(aux, first, aux[6]);
		aux[other[i].at] ^= other[i].change;
		ASSERT_EQ(0, ruin_open(self));
		EXPECT_LT(0, self->file->problems.damage) TH_LOG("at %d", other[i].at);
	}
}

/* In a snapshot AUX names the end of the bytes in the ring, and more than the ring has. */
TEST_F(ruin, snapshot)
{
	uint8_t *aux = record_of(self, PERF_RECORD_AUX, 1);

	put64(record_of(self, PERF_RECORD_AUX, 0) + 16, 0);
	put64(aux + 8, 0x80);
	put64(aux + 16, 0x123456);
	put64(aux + 24, PERF_AUX_FLAG_OVERWRITE | PERF_AUX_FLAG_TRUNCATED);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_EQ(0, self->file->problems.total);
	ASSERT_EQ(7, self->aux->n_fragment);
	EXPECT_EQ(0, self->aux->fragment[0].aux_offset);
	EXPECT_EQ(0x80, self->aux->fragment[0].size);
	EXPECT_EQ(PERF_FRAGMENT_OVERWRITE | PERF_FRAGMENT_TRUNCATED, self->aux->fragment[0].flags);
	EXPECT_EQ(1, self->aux->n_truncated);
	/* a second one without an AUX record: its trace is not shown, and that is said */
	put64(record_of(self, PERF_RECORD_AUX, 4) + 16, 0);
	put64(record_of(self, PERF_RECORD_AUX, 5) + 16, 0);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_EQ(1, self->file->problems.total);
	EXPECT_EQ(1, self->file->problems.damage);
	EXPECT_TRUE(says(self, "no AUX record names this snapshot of 128 bytes",
			 offset_of(self, record_of(self, PERF_RECORD_AUXTRACE, 2))));
	EXPECT_EQ(5, self->aux->n_fragment);
}

/* A flag in another ring, or in one record of many, takes no trace away. */
TEST_F(ruin, snapshot_of_another_ring)
{
	uint8_t *aux = record_of(self, PERF_RECORD_AUX, 1);

	put64(record_of(self, PERF_RECORD_AUX, 2) + 16, 0);
	put64(aux + 24, PERF_AUX_FLAG_OVERWRITE);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_EQ(0x200, self->aux->queue[0].bytes + self->aux->queue[1].bytes);
	EXPECT_EQ(0x80, self->aux->no_record_bytes);
	EXPECT_TRUE(says(self, "no AUX record names 64 bytes",
			 offset_of(self, record_of(self, PERF_RECORD_AUXTRACE, 1))));
}

/* Trace that was overwritten before a snapshot took it is counted, and no damage. */
TEST_F(ruin, overwritten_between_snapshots)
{
	uint8_t *overwritten = record_of(self, PERF_RECORD_AUX, 4);
	const uint64_t end[] = { 0x80, 0x180, 0x280 }, size[] = { 0x80, 0x40, 0x80 };
	const int number[] = { 0, 4, 5 };

	for (int i = 0; i < 3; i++) {
		uint8_t *aux = record_of(self, PERF_RECORD_AUX, number[i]);

		put64(aux + 8, end[i]);
		put64(aux + 16, size[i]);
		put64(aux + 24, PERF_AUX_FLAG_OVERWRITE);
	}
	put64(record_of(self, PERF_RECORD_AUX, 1) + 16, 0);
	put64(record_of(self, PERF_RECORD_AUXTRACE, 2) + 16, 0x200);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_EQ(1, self->aux->n_lost);
	EXPECT_EQ(0x40, self->aux->lost_bytes);
	EXPECT_TRUE(says(self, "64 of them are in no AUXTRACE record",
			 offset_of(self, overwritten)));
	EXPECT_EQ(0, self->file->problems.damage);
	/* in a ring that is not overwritten it is */
	put64(overwritten + 24, 0);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_LT(0, self->file->problems.damage);
}

/* Snapshots of a ring that is not yet full all begin at 0. */
TEST_F(ruin, snapshots_of_a_ring_not_full)
{
	for (int i = 0; i < 2; i++) {
		uint8_t *aux = record_of(self, PERF_RECORD_AUX, 4 * i);

		put64(record_of(self, PERF_RECORD_AUX, 4 * i + 1) + 16, 0);
		put64(aux + 8, 0x80);
		put64(aux + 16, 0x1000);
		put64(aux + 24, PERF_AUX_FLAG_OVERWRITE);
		put64(record_of(self, PERF_RECORD_AUXTRACE, 2 * i) + 16, 0);
	}
	/* the first one is shorter: its trace is the record's first part */
	put64(record_of(self, PERF_RECORD_AUX, 0) + 8, 0x40);
	put64(record_of(self, PERF_RECORD_AUXTRACE, 0) + 8, 0x40);
	self->rec.bytes[FEATURES + PERF_FEATURE_AUXTRACE / 8] &= ~(1 << PERF_FEATURE_AUXTRACE % 8);
	ASSERT_EQ(0, ruin_open(self));
	ASSERT_EQ(6, self->aux->n_fragment);
	EXPECT_EQ(0x40, self->aux->fragment[0].size);
	EXPECT_EQ(0x80, self->aux->fragment[1].size);
	EXPECT_EQ(0, self->aux->fragment[1].aux_offset);
	EXPECT_EQ(0, self->aux->n_lost);
}

/* A snapshot has the bytes of the one before, too: they are taken once, if they are the same. */
TEST_F(ruin, snapshots_overlap)
{
	free(self->rec.bytes);
	recording_init(&self->rec, 2, 2);
	self->rec.setup.snapshot = true;
	ASSERT_EQ(0, recording_make(&self->rec));
	for (int same = 0; same < 2; same++) {
		uint8_t *first = record_of(self, PERF_RECORD_AUXTRACE, 0);
		uint8_t *second = record_of(self, PERF_RECORD_AUXTRACE, 2);

		put64(second + 16, 0x20);	/* the ring has 0x80 bytes, and went on by 0x20 */
		for (int i = 0; i < 2; i++) {
			uint8_t *aux = record_of(self, PERF_RECORD_AUX, 4 * i);

			put64(record_of(self, PERF_RECORD_AUX, 4 * i + 1) + 16, 0);
			put64(aux + 8, 0x80 + 0x20 * i);
			put64(aux + 16, 0x1000);
			put64(aux + 24, PERF_AUX_FLAG_OVERWRITE);
		}
		if (same)
			memcpy(second + 48, first + 48 + 0x20, 0x60);
		ASSERT_EQ(0, ruin_open(self));
		EXPECT_EQ(0, self->aux->n_lost);
		ASSERT_EQ(6, self->aux->n_fragment);
		EXPECT_EQ(0x80, self->aux->fragment[0].size);
		EXPECT_EQ(same ? 0x20 : 0x80, self->aux->fragment[1].size);
		EXPECT_EQ(same ? 0x80 : 0x20, self->aux->fragment[1].aux_offset);
		ruin_close(self);
	}
}

/* perf record of a task, a ring for each CPU: a fragment belongs to the thread that AUX names. */
TEST_F(ruin, rings_of_a_task)
{
	struct perf_switches none = { 0 };
	struct perf_ran ran = { .cpu = 3 };
	uint64_t until;

	ASSERT_EQ(0, ruin_open(self));
	ran.aux = self->aux;
	ran.fragment = &self->aux->fragment[7];
	EXPECT_EQ(PERF_NO_TID, perf_switches_ran(&none, &ran, &until));
	/* simpleperf has 0 there, whatever it traced */
	for (int tid = 0; tid <= 42; tid += 42) {
		ruin_close(self);
		for (int i = 0; i < 4; i++)
			record_of(self, PERF_RECORD_AUXTRACE, i)[36] = tid;
		for (int i = 0; i < 4; i++)
			memset(record_of(self, PERF_RECORD_AUXTRACE, i) + 37, 0, 3);
		ASSERT_EQ(0, ruin_open(self));
		ran.aux = self->aux;
		ran.fragment = &self->aux->fragment[7];
		EXPECT_EQ(tid ? PERF_FRAGMENT_TASK : 0, ran.fragment->flags);
		EXPECT_EQ(tid ? tid : PERF_NO_TID, perf_switches_ran(&none, &ran, &until));
		EXPECT_EQ(UINT64_MAX, until);
	}
}

/* Without timestamps, only a thread that holds for a whole fragment is known. */
TEST_F(ruin, whose_fragment)
{
	struct perf_switches switches = { 0 };
	struct perf_ran ran = { .cpu = 3 };
	uint64_t until;

	ruin_close(self);
	free(self->rec.bytes);
	recording_init(&self->rec, 2, 2);
	self->rec.others = true;	/* 42 goes, 1 comes, on CPU 1 at 1508 */
	ASSERT_EQ(0, recording_make(&self->rec));
	ASSERT_EQ(0, ruin_open(self));
	ASSERT_EQ(0, perf_switches_init(&switches, self->file));
	ran.aux = self->aux;
	ran.cpu = 1;
	ran.fragment = &self->aux->fragment[0];		/* 0 to 2000 */
	EXPECT_EQ(PERF_NO_TID, perf_switches_ran(&switches, &ran, &until));
	ran.fragment = &self->aux->fragment[1];		/* 2000 to 2010 */
	EXPECT_EQ(1, perf_switches_ran(&switches, &ran, &until));
	ran.time = 1505;
	EXPECT_EQ(42, perf_switches_ran(&switches, &ran, &until));
	EXPECT_EQ(1506, until);		/* there records were lost */
	ran.time = 1507;
	EXPECT_EQ(PERF_NO_TID, perf_switches_ran(&switches, &ran, &until));
	perf_switches_fini(&switches);
}

TEST_F(ruin, no_aux_at_all)
{
	uint8_t *aux;

	while ((aux = record_of(self, PERF_RECORD_AUX, 0)))
		aux[0] = PERF_RECORD_LOST;
	ASSERT_EQ(0, ruin_open(self));
	ASSERT_EQ(4, self->aux->n_fragment);
	EXPECT_EQ(0x80, self->aux->fragment[0].size);
	EXPECT_EQ(PERF_FRAGMENT_NO_RECORD, self->aux->fragment[0].flags);
	EXPECT_EQ(0, self->file->problems.damage);
	/* it is unknown how much of the last frame is padding */
	put64(record_of(self, PERF_RECORD_AUXTRACE, 3) + 8, 0x78);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_EQ(0x70, self->aux->fragment[3].size);
}

/* In the ring of a thread trace belongs to that thread, even if nothing else is known. */
TEST_F(ruin, no_aux_of_a_thread)
{
	uint8_t *aux;

	free(self->rec.bytes);
	recording_init(&self->rec, 2, 1);
	self->rec.setup.per_thread = true;
	ASSERT_EQ(0, recording_make(&self->rec));
	while ((aux = record_of(self, PERF_RECORD_AUX, 0)))
		aux[0] = PERF_RECORD_LOST;
	ASSERT_EQ(0, ruin_open(self));
	ASSERT_EQ(2, self->aux->n_fragment);
	EXPECT_EQ(42, self->aux->fragment[0].tid);
	EXPECT_EQ(PERF_NO_CPU, self->aux->fragment[0].cpu);
}

/* A CPU that went off and came back: its ring begins again at 0. */
TEST_F(ruin, ring_begins_again)
{
	uint8_t *first;

	for (int i = 4; i < 8; i++)
		put64(record_of(self, PERF_RECORD_AUX, i) + 8, i % 2 * 0x40);
	for (int i = 2; i < 4; i++)
		put64(record_of(self, PERF_RECORD_AUXTRACE, i) + 16, 0);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_EQ(0, self->file->problems.total);
	ASSERT_EQ(8, self->aux->n_fragment);
	for (int i = 0; i < 8; i++)
		EXPECT_EQ(i % 2 * 0x40, self->aux->fragment[i].aux_offset);
	EXPECT_LT(self->aux->fragment[1].offset, self->aux->fragment[2].offset);
	EXPECT_LT(self->aux->fragment[1].time, self->aux->fragment[2].time);
	/* a record that perf has written twice is no such begin */
	first = record_of(self, PERF_RECORD_AUX, 0);
	memcpy(record_of(self, PERF_RECORD_AUX, 1), first, first[6]);
	ASSERT_EQ(0, ruin_open(self));
	EXPECT_EQ(0, self->file->problems.damage);
	ASSERT_EQ(8, self->aux->n_fragment);
	EXPECT_EQ(PERF_FRAGMENT_NO_RECORD, self->aux->fragment[1].flags);
	EXPECT_EQ(0, self->aux->fragment[2].flags);
}

TEST_HARNESS_MAIN
