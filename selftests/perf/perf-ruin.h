/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests: a recording that a test damages and then opens. */
#ifndef PERF_RUIN_H
#define PERF_RUIN_H

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/perf-abi.h"
#include "../../perf-plugin/perf-aux.h"
#include "../../perf-plugin/perf-cs.h"
#include "../lib/recording.h"

/* Offsets in the header */
#define DATA_SIZE	48
#define FEATURES	72

static inline void put64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

FIXTURE(ruin)
{
	struct small_recording rec;
	struct perf_file *file;
	struct perf_aux *aux;
	struct perf_cs *cs;
};

FIXTURE_SETUP(ruin)
{
	recording_init(&self->rec, 2, 2);
	self->rec.hw_id = 2;
	ASSERT_EQ(0, recording_make(&self->rec));
}

static inline void ruin_close(struct _test_data_ruin *self)
{
	perf_cs_free(self->cs);
	perf_aux_free(self->aux);
	perf_file_close(self->file);
	self->cs = NULL;
	self->aux = NULL;
	self->file = NULL;
}

static inline int ruin_open(struct _test_data_ruin *self)
{
	int err;

	ruin_close(self);
	err = perf_file_open_memory(&self->file, self->rec.bytes, self->rec.n);
	if (!err)
		err = perf_aux_new(&self->aux, self->file);
	if (!err)
		perf_cs_open(&self->cs, self->file, NULL);
	return err;
}

FIXTURE_TEARDOWN(ruin)
{
	ruin_close(self);
	free(self->rec.bytes);
}

/* The record number @number of @type; 0: the first */
static inline uint8_t *record_of(struct _test_data_ruin *self, uint32_t type, int number)
{
	uint64_t at = 0, end;
	uint8_t *p = self->rec.bytes;

	at = get_le64(p + 40);
	end = at + get_le64(p + DATA_SIZE);
	while (at < end) {
		if (get_le32(p + at) == type && !number--)
			return p + at;
		at += get_le16(p + at + 6) +
		      (get_le32(p + at) == PERF_RECORD_AUXTRACE ? get_le64(p + at + 8) : 0);
	}
	return NULL;
}

static inline bool says(const struct _test_data_ruin *self, const char *text, uint64_t offset)
{
	for (size_t i = 0; i < self->file->problems.n; i++)
		if (strstr(self->file->problems.list[i].text, text) &&
		    self->file->problems.list[i].offset == offset)
			return true;
	return false;
}

static inline uint64_t offset_of(const struct _test_data_ruin *self, const uint8_t *p)
{
	return p - self->rec.bytes;
}

#endif /* PERF_RUIN_H */
