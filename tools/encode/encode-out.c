// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../perf-plugin/new-file.h"
#include "encode-out.h"
#include "../lib/frame-write.h"
#include "../lib/unit-ini.h"

/* Bytes of one unit before the next one's: odd, so that IDs come to all places of frames */
#define TURN	61

static void fail(struct encode_out *out, const char *suffix)
{
	free(out->failed);
	if (asprintf(&out->failed, "%s%s", out->path, suffix) < 0)
		out->failed = NULL;
}

FILE *encode_out_create(struct encode_out *out, const char *suffix)
{
	FILE *f = NULL;
	char *path;

	if (asprintf(&path, "%s%s", out->path, suffix) < 0)
		return NULL;
	f = new_file(path);
	if (!f)
		fail(out, suffix);
	free(path);
	return f;
}

int encode_out_close(struct encode_out *out, FILE *f, const char *suffix, int err)
{
	err = new_file_close(f, err);
	if (err)
		fail(out, suffix);
	return err;
}

int encode_out_hold(struct encode_out *out, FILE *f, const char *suffix, int err)
{
	err = new_file_hold(f, err);
	if (err)
		fail(out, suffix);
	return err;
}

int encode_out_release(struct encode_out *out, int err)
{
	if (err)
		return err;
	err = new_file_release();
	if (err)
		fail(out, "");
	return err;
}

long encode_out_copy(struct encode_out *out, size_t i, FILE *to)
{
	char buf[1 << 15];
	long n = 0;
	size_t got;

	rewind(out->trace[i].file);
	while ((got = fread(buf, 1, sizeof(buf), out->trace[i].file)) > 0) {
		if (fwrite(buf, 1, got, to) != got)
			return -errno;
		n += got;
	}
	return ferror(out->trace[i].file) ? -EIO : n;
}

long encode_out_frames(struct encode_out *out, size_t first, size_t n, FILE *to)
{
	struct frame_writer frames = { 0 };
	uint8_t buf[TURN];
	bool more = true;
	long done = 0;

	for (size_t i = first; i < first + n; i++)
		rewind(out->trace[i].file);
	while (more) {
		more = false;
		for (size_t i = first; i < first + n; i++) {
			size_t got = fread(buf, 1, sizeof(buf), out->trace[i].file);

			frame_write(&frames, out->trace[i].id, buf, got);
			more |= got;
		}
		if (!more)
			frame_write_end(&frames);
		if (frames.n)
			done += fwrite(frames.data, 1, frames.n, to);
		frames.n = 0;
	}
	free(frames.data);
	if (frames.no_memory)
		return -ENOMEM;
	return ferror(to) ? -EIO : done;
}

static long buffer(struct encode_out *out, size_t i, FILE *to)
{
	if (out->formatted)
		return encode_out_frames(out, 0, out->n_trace, to);
	return encode_out_copy(out, i, to);
}

int encode_out_raw(struct encode_out *out)
{
	FILE *f = encode_out_create(out, "");
	long n;

	if (!f)
		return -errno;
	n = buffer(out, 0, f);
	return encode_out_close(out, f, "", n < 0 ? n : 0);
}

/* ---------------------------------------------------------------- snapshots */

/*
 * One file for each run of pages: some readers take a file as one piece of memory.  For changed
 * code, the first version: a snapshot has no time.
 */
static int put_code(struct encode_out *out)
{
	const struct encode_code *code = out->code;
	size_t number = 0;
	char suffix[40];
	int err = 0;

	for (size_t i = 0, n; !err && i < code->n_page; i += n) {
		FILE *f;

		n = encode_code_run(code, i);
		if (code->page[i]->from)
			continue;
		snprintf(suffix, sizeof(suffix), "/code%zu.bin", ++number);
		f = encode_out_create(out, suffix);
		if (!f)
			return -errno;
		for (size_t k = i; k < i + n; k++)
			fwrite(code->page[k]->bytes, 1, CODE_PAGE, f);
		err = encode_out_hold(out, f, suffix, 0);
	}
	return err;
}

static void put_dumps(const struct encode_out *out, FILE *f)
{
	const struct encode_code *code = out->code;
	size_t number = 0;

	for (size_t i = 0, n; i < code->n_page; i += n) {
		n = encode_code_run(code, i);
		if (code->page[i]->from)
			continue;
		number++;
		fprintf(f, "\n[dump%zu]\nfile=code%zu.bin\naddress=0x%" PRIx64 "\nlength=0x%zx\n",
			number, number, code->page[i]->addr, n * CODE_PAGE);
	}
}

static int put_core(struct encode_out *out, const struct encode_trace *trace, bool dumps)
{
	char suffix[32];
	FILE *f;

	snprintf(suffix, sizeof(suffix), "/cpu_%" PRIu32 ".ini", trace->number);
	f = encode_out_create(out, suffix);
	if (!f)
		return -errno;
	fprintf(f, "[device]\nname=cpu_%" PRIu32 "\nclass=core\ntype=ARMv8-A\n", trace->number);
	if (dumps)
		put_dumps(out, f);
	return encode_out_hold(out, f, suffix, 0);
}

static int put_unit(struct encode_out *out, const struct encode_trace *trace)
{
	char suffix[32], name[32];
	FILE *f;

	snprintf(name, sizeof(name), "unit_%" PRIu32, trace->number);
	snprintf(suffix, sizeof(suffix), "/%.24s.ini", name);
	f = encode_out_create(out, suffix);
	if (!f)
		return -errno;
	unit_ini_write(f, &out->setup->config, name, trace->id);
	return encode_out_hold(out, f, suffix, 0);
}

static int put_main(struct encode_out *out)
{
	FILE *f = encode_out_create(out, "/snapshot.ini");

	if (!f)
		return -errno;
	fprintf(f, "[snapshot]\nversion=1.0\ndescription=%s\n\n[device_list]\n", out->name);
	for (size_t i = 0; i < out->n_trace; i++)
		fprintf(f, "device%zu=cpu_%" PRIu32 ".ini\ndevice%zu=unit_%" PRIu32 ".ini\n",
			2 * i, out->trace[i].number, 2 * i + 1, out->trace[i].number);
	fprintf(f, "\n[trace]\nmetadata=trace.ini\n");
	return encode_out_hold(out, f, "/snapshot.ini", 0);
}

/* A raw buffer has one source. */
static int put_trace_ini(struct encode_out *out)
{
	size_t n = out->formatted ? 1 : out->n_trace;
	FILE *f = encode_out_create(out, "/trace.ini");

	if (!f)
		return -errno;
	fprintf(f, "[trace_buffers]\nbuffers=");
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%sbuffer%zu", i ? "," : "", i);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "\n\n[buffer%zu]\nname=BUFFER_%zu\nfile=trace%zu.bin\nformat=%s", i,
			i, i, out->formatted ? "coresight" : "source_data");
	fprintf(f, "\n\n[core_trace_sources]\n");
	for (size_t i = 0; i < out->n_trace; i++)
		fprintf(f, "cpu_%" PRIu32 "=unit_%" PRIu32 "\n", out->trace[i].number,
			out->trace[i].number);
	fprintf(f, "\n[source_buffers]\n");
	for (size_t i = 0; i < out->n_trace; i++)
		fprintf(f, "unit_%" PRIu32 "=BUFFER_%zu\n", out->trace[i].number,
			out->formatted ? 0 : i);
	return encode_out_hold(out, f, "/trace.ini", 0);
}

static int put_buffer(struct encode_out *out, size_t i)
{
	char suffix[32];
	FILE *f;
	long n;

	snprintf(suffix, sizeof(suffix), "/trace%zu.bin", i);
	f = encode_out_create(out, suffix);
	if (!f)
		return -errno;
	n = buffer(out, i, f);
	return encode_out_hold(out, f, suffix, n < 0 ? n : 0);
}

static int put_files(struct encode_out *out)
{
	int err = put_code(out);

	for (size_t i = 0; !err && i < out->n_trace; i++) {
		err = put_core(out, &out->trace[i], !i);
		if (!err)
			err = put_unit(out, &out->trace[i]);
		if (!err && (!i || !out->formatted))
			err = put_buffer(out, i);
	}
	if (!err)
		err = put_trace_ini(out);
	return err ? err : put_main(out);
}

/* A new folder is removed if it stays empty. */
static int make_folder(const char *path)
{
	if (access(path, F_OK))
		new_file_passing(path);
	return mkdir(path, 0777) && errno != EEXIST ? -errno : 0;
}

/*
 * The folder may have another snapshot, and a mixture of both is useless: so all files of this one
 * are replaced at once, the file that names the others last.
 */
int encode_out_snapshot(struct encode_out *out)
{
	int err = make_folder(out->path);

	if (err) {
		fail(out, "");
		return err;
	}
	encode_code_sort(out->code);
	return encode_out_release(out, put_files(out));
}
