// SPDX-License-Identifier: GPL-2.0-only
/*
 * mkphone IN OUT FORM...: a perf.data as simpleperf of today would have written it.
 *
 * aux-zstd: record -z: trace of each AUXTRACE record is a frame of zstd
 * records-zstd: record -z: records of the kernel are in COMPRESSED
 * init-map: what was mapped at the beginning is in a feature, not in the data
 * branch-list=FILE: record --decode-etm: that branch list in the place of trace
 * no-aux: AUX without AUXTRACE: the trace was not saved
 * cut-frame: with aux-zstd: the first frame ends 16 bytes early
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "../../perf-plugin/perf-abi.h"
#include "../../perf-plugin/perf-file.h"
#include "../lib/recording-forms.h"

/* Offsets in the header */
#define DATA		40
#define FEATURES	72

struct bytes {
	uint8_t *p;
	size_t n;
};

/**
 * struct phone - what is made
 * @in: the file as it was
 * @data: the new data section; @init: that of INIT_MAP; @index: of AUXTRACE records
 * @pending: records that are still to be compressed
 * @begun: there was trace: what is mapped now is not of the beginning
 */
struct phone {
	struct bytes in, data, init, index, list, pending;
	bool aux_zstd, records_zstd, init_map, no_aux, cut_frame, begun;
};

static void die(const char *what)
{
	fprintf(stderr, "mkphone: %s: %s\n", what, errno ? strerror(errno) : "cannot be done");
	exit(1);
}

static void put(uint8_t *p, uint64_t v, size_t n)
{
	memcpy(p, &v, n);
}

static void add(struct bytes *to, const void *p, size_t n)
{
	to->p = realloc(to->p, to->n + n + 1);
	if (!to->p)
		die("memory");
	memcpy(to->p + to->n, p, n);
	to->n += n;
}

static void add_number(struct bytes *to, uint64_t v)
{
	add(to, &v, 8);
}

static struct bytes read_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	struct bytes all = { NULL, 0 };
	uint8_t part[4096];
	size_t n;

	if (!f)
		die(path);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		add(&all, part, n);
	fclose(f);
	return all;
}

/* Records that wait go into COMPRESSED records, as a frame. */
static void flush_pending(struct phone *m, struct bytes *to)
{
	uint8_t *packed = malloc(2 * m->pending.n + 4096), *end = packed;

	if (m->pending.n)
		recording_pack(&end, m->pending.p, m->pending.n, RECORDING_COMPRESSED, 0);
	add(to, packed, end - packed);
	free(packed);
	m->pending.n = 0;
}

static void add_auxtrace(struct phone *m, const uint8_t *p)
{
	size_t size = get_le16(p + 6), n = get_le64(p + 8);
	size_t room = ZSTD_compressBound(n) + 8;
	uint8_t *packed = calloc(1, room), *at;

	if (m->no_aux)
		n = 0;
	else if (m->aux_zstd)
		n = ZSTD_compress(packed, room, p + size, n, 3);
	else
		memcpy(packed, p + size, n);
	n -= m->cut_frame ? 16 : 0;
	m->cut_frame = false;
	n = (n + 7) / 8 * 8;
	/* its place in the file: what precedes the data stays unchanged */
	add_number(&m->index, get_le64(m->in.p + DATA) + m->data.n);
	add_number(&m->index, size);
	add(&m->data, p, size);
	at = m->data.p + m->data.n - size;
	put(at + 8, n, 8);
	add(&m->data, packed, n);
	free(packed);
	m->begun = true;
}

static bool is_map(uint32_t type)
{
	return type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2 || type == PERF_RECORD_COMM;
}

static void add_record(struct phone *m, const uint8_t *p)
{
	uint32_t type = get_le32(p);
	size_t size = get_le16(p + 6);

	if (type == PERF_RECORD_AUXTRACE) {
		flush_pending(m, &m->data);
		if (!m->list.n && !m->no_aux)
			add_auxtrace(m, p);
		return;
	}
	m->begun |= type == PERF_RECORD_ITRACE_START;
	if (m->init_map && !m->begun && is_map(type))
		add(&m->init, p, size);
	else if (m->records_zstd && type < 64)
		add(&m->pending, p, size);
	else
		add(&m->data, p, size);
}

static void walk(struct phone *m)
{
	uint64_t at = get_le64(m->in.p + DATA), end = at + get_le64(m->in.p + DATA + 8);
	struct bytes init;

	while (at < end) {
		const uint8_t *p = m->in.p + at;

		add_record(m, p);
		at += get_le16(p + 6) +
		      (get_le32(p) == PERF_RECORD_AUXTRACE ? get_le64(p + 8) : 0);
	}
	flush_pending(m, &m->data);
	if (!m->records_zstd)
		return;
	init = m->init;
	m->init = (struct bytes){ NULL, 0 };
	m->pending = init;
	flush_pending(m, &m->init);
}

/* The contents for feature @bit; @old: where the file has it */
static struct bytes feature_of(struct phone *m, int bit, const uint8_t *old)
{
	static uint8_t meta[] = "product_props\0a telephone";

	switch (bit) {
	case PERF_FEATURE_AUXTRACE:
		return m->index;
	case PERF_FEATURE_INIT_MAP:
		return m->init;
	case PERF_FEATURE_ETM_BRANCH_LIST:
		return m->list;
	}
	if (!old && bit == PERF_FEATURE_META_INFO)
		return (struct bytes){ meta, sizeof(meta) };
	if (!old)
		return (struct bytes){ NULL, 0 };
	return (struct bytes){ m->in.p + get_le64(old), get_le64(old + 8) };
}

static void make(struct phone *m, struct bytes *out)
{
	uint64_t data = get_le64(m->in.p + DATA);
	const uint8_t *old = m->in.p + data + get_le64(m->in.p + DATA + 8);
	struct bytes table = { NULL, 0 }, body = { NULL, 0 }, has[PERF_FEATURE_NR];
	size_t n = 0;

	add(out, m->in.p, data);
	add(out, m->data.p, m->data.n);
	put(out->p + DATA + 8, m->data.n, 8);
	for (int i = 0; i < PERF_FEATURE_NR; i++) {
		bool there = m->in.p[FEATURES + i / 8] >> i % 8 & 1;

		has[i] = feature_of(m, i, there ? old : NULL);
		old += there ? 16 : 0;
		n += !!has[i].n;
		out->p[FEATURES + i / 8] &= ~(1 << i % 8);
		out->p[FEATURES + i / 8] |= !!has[i].n << i % 8;
	}
	for (int i = 0; i < PERF_FEATURE_NR; i++) {
		if (!has[i].n)
			continue;
		add_number(&table, out->n + 16 * n + body.n);
		add_number(&table, has[i].n);
		add(&body, has[i].p, has[i].n);
	}
	add(out, table.p, table.n);
	add(out, body.p, body.n);
	free(table.p);
	free(body.p);
}

static void read_form(struct phone *m, const char *form)
{
	if (!strncmp(form, "branch-list=", 12))
		m->list = read_file(form + 12);
	else if (!strcmp(form, "aux-zstd"))
		m->aux_zstd = true;
	else if (!strcmp(form, "records-zstd"))
		m->records_zstd = true;
	else if (!strcmp(form, "init-map"))
		m->init_map = true;
	else if (!strcmp(form, "no-aux"))
		m->no_aux = true;
	else if (!strcmp(form, "cut-frame"))
		m->cut_frame = true;
	else
		die(form);
}

int main(int argc, char **argv)
{
	struct phone m = { .begun = false };
	struct bytes out = { NULL, 0 };
	FILE *f;

	if (argc < 3) {
		fprintf(stderr, "usage: mkphone IN OUT FORM...\n");
		return 2;
	}
	m.in = read_file(argv[1]);
	if (m.in.n < 104 || memcmp(m.in.p, "PERFILE2", 8))
		die(argv[1]);
	for (int i = 3; i < argc; i++)
		read_form(&m, argv[i]);
	walk(&m);
	make(&m, &out);
	f = fopen(argv[2], "wb");
	if (!f || fwrite(out.p, 1, out.n, f) != out.n || fclose(f))
		die(argv[2]);
	free(m.in.p);
	free(m.data.p);
	free(m.init.p);
	free(m.index.p);
	free(m.list.p);
	free(m.pending.p);
	free(out.p);
	return 0;
}
