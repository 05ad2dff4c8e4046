// SPDX-License-Identifier: GPL-2.0-only
/*
 * A check before perf reads the records of a file.  perf maps as many bytes as the header says, and
 * goes from one record to the next.  If the file ends before that, perf dies of SIGBUS; if the last
 * record is longer than the header says, perf looks for the rest for ever; and if the header says
 * 0, because the recording was not finished, perf reads nothing.  So the header in memory is
 * corrected to the end of the last whole record.
 */
#include <byteswap.h>
#include <errno.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <util/env.h>
#include <util/symbol.h>

#include "reader.h"

/**
 * struct records - records of a file, as perf reads them
 * @bytes: the file, up to the end of its records
 * @at: the next one; @end: no record may have a byte from here on
 * @swap: they have the other byte order
 * @ours: there is CoreSight trace
 */
struct records {
	const u8 *bytes;
	u64 at, end;
	bool swap, ours;
};

static u64 number(const struct records *r, u64 at, int size)
{
	u64 v = 0;

	for (int i = 0; i < size; i++)
		v = v << 8 | r->bytes[at + (r->swap ? i : size - 1 - i)];
	return v;
}

/* Number of bytes after a record that belong to it, but not to its size. */
static u64 payload(const struct records *r, u32 type, u16 size)
{
	if (type == PERF_RECORD_AUXTRACE && size >= 16)
		return number(r, r->at + 8, 8);
	if (type == PERF_RECORD_HEADER_TRACING_DATA && size >= 12)
		return PERF_ALIGN(number(r, r->at + 8, 4), sizeof(u64));
	return 0;
}

/* Return: false: there are no more whole records. */
static bool next(struct records *r)
{
	u64 more, left = r->end - r->at;
	u32 type;
	u16 size;

	if (left < sizeof(struct perf_event_header))
		return false;
	type = number(r, r->at, 4);
	size = number(r, r->at + 6, 2);
	if (size < sizeof(struct perf_event_header) || size > left)
		return false;
	more = payload(r, type, size);
	if (more > left - size)
		return false;
	if (type == PERF_RECORD_AUXTRACE_INFO && size >= 12)
		r->ours |= number(r, r->at + 8, 4) == PERF_AUXTRACE_CS_ETM;
	r->at += size + more;
	return true;
}

/* Features follow the records, and are written last: an unfinished file has none. */
static void no_features(struct perf_header *header)
{
	for (int feat = 0; feat < HEADER_FEAT_BITS; feat++)
		perf_header__clear_feat(header, feat);
}

static void mend_end(struct perf_session *session, struct records *r, u64 size)
{
	struct perf_header *header = &session->header;
	const u64 begin = header->data_offset, was = header->data_size;

	if (begin >= size)
		return;
	r->at = begin;
	r->end = was && was < size - begin ? begin + was : size;
	while (next(r))
		;
	if (!r->ours || r->at == begin + was)
		return;
	if (was)
		pr_warning("csflow: %s: records should end at %#" PRIx64
			   ", whole ones end at %#" PRIx64 ": the rest is not read\n",
			   session->data->file.path, (uint64_t)(begin + was), (uint64_t)r->at);
	else
		pr_warning("csflow: %s: the recording was not finished: %" PRIu64
			   " bytes of whole records are read\n", session->data->file.path,
			   (uint64_t)(r->at - begin));
	if (!was)
		no_features(header);
	header->data_size = r->at - begin;
}

int perf_session__process_events(struct perf_session *session)
{
	struct perf_data *data = session->data;
	struct records r = { .swap = session->header.needs_swap };
	struct stat st;
	void *map;

	if (!data || !perf_data__is_read(data) || data->is_pipe || data->is_dir ||
	    fstat(perf_data__fd(data), &st) || !S_ISREG(st.st_mode) || !st.st_size)
		return csflow_process_events(session);
	map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, perf_data__fd(data), 0);
	if (map != MAP_FAILED) {
		r.bytes = map;
		mend_end(session, &r, st.st_size);
		munmap(map, st.st_size);
	}
	return csflow_process_events(session);
}

/*
 * simpleperf's index has no count, and 7.2 then does not open the file.  The index is not needed
 * here.
 */
int csflow_read_index(int fd, u64 size, struct perf_session *session, bool needs_swap)
{
	if (auxtrace_index__process(fd, size, session, needs_swap) < 0)
		pr_warning("csflow: %s: the index of AUXTRACE records cannot be read, nor is it needed\n",
			   session->data->file.path);
	return 0;
}

#if SHIM_HAS_REPIPE
int csflow_read_header(struct perf_session *session, int repipe)
{
	return perf_session__read_header(session, repipe);
}
#else
/*
 * A file with the part before the records; its header is that of the time without features.
 * Return: -1: there is none.
 */
static int front_alone(const struct perf_session *session)
{
	const u64 old = offsetof(struct perf_file_header, adds_features);
	const u64 size = session->header.needs_swap ? bswap_64(old) : old;
	const off_t n = session->header.data_offset;
	int front = memfd_create("csflow", MFD_CLOEXEC);
	off_t at = 0;

	if (front < 0)
		return -1;
	while (at < n && sendfile(front, perf_data__fd(session->data), &at, n - at) > 0)
		;
	if (n > 0 && at == n && pwrite(front, &size, sizeof(size), 8) == sizeof(size))
		return front;
	close(front);
	return -1;
}

/* Reads it without features if the file ends before them: otherwise 7.2 does not open it. */
int csflow_read_header(struct perf_session *session)
{
	struct perf_data *data = session->data;
	const int fd = perf_data__fd(data);
	int front, err = perf_session__read_header(session);
	struct stat st;

	if (err >= 0 || data->is_pipe || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return err;
	front = front_alone(session);
	if (front < 0)
		return err;
	data->file.fd = front;
	err = perf_session__read_header(session);
	data->file.fd = fd;
	close(front);
	if (err >= 0)
		pr_warning("csflow: %s: what stands after the records, such as build-ids, cannot be read\n",
			   data->file.path);
	return err;
}
#endif

/*
 * perf crashes for a recording without a description of the machine: sets texts for missing fields.
 */
int csflow_json_init(struct perf_env *env)
{
	char **text[] = {
		&env->hostname, &env->os_release, &env->arch, &env->cpu_desc, &env->cpuid,
		&env->version,
	};

	for (size_t i = 0; i < ARRAY_SIZE(text); i++) {
		if (!*text[i])
			*text[i] = strdup("");
		if (!*text[i])
			return -ENOMEM;
	}
	return symbol__init(env);
}
