// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code that is in no file goes to jit-PID.dump beside the recording, with a map of that file in the
 * recording, as if an agent in the program had written it.
 */
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "../../perf-plugin/jitdump.h"
#include "record.h"

/* The address at which an agent maps its file: any, and it is not executed. */
#define MARKER	0x10000u

/**
 * struct record_code - the file of code
 * @path: its absolute path
 * @n: number of records; @err: -errno, nothing more is written then
 */
struct record_code {
	char path[PATH_MAX];
	FILE *file;
	uint64_t n;
	int err;
};

/* Beside @output. */
static bool name_file(char *path, const char *output, uint32_t pid)
{
	const char *slash = strrchr(output, '/');
	char dir[PATH_MAX], real[PATH_MAX];
	size_t n = slash ? slash - output + 1 : 0;

	if (n >= sizeof(dir))
		return false;
	memcpy(dir, output, n);
	dir[n] = '\0';
	if (!realpath(n ? dir : ".", real))
		return false;
	return snprintf(path, PATH_MAX, "%s/jit-%u.dump", real, pid) < PATH_MAX;
}

static struct record_code *open_file(const struct record *r, const struct port_head *head)
{
	struct record_code *code = calloc(1, sizeof(*code));
	uint8_t bytes[JITDUMP_HEADER];

	if (!code)
		return NULL;
	jitdump_header(bytes, r->arm ? EM_ARM : EM_AARCH64, head->pid, head->time);
	if (name_file(code->path, r->output, head->pid))
		code->file = fopen(code->path, "wbe");
	if (!code->file || fwrite(bytes, 1, sizeof(bytes), code->file) != sizeof(bytes))
		code->err = errno ? -errno : -EIO;
	return code;
}

static void tell_map(struct record *r, const struct port_head *head)
{
	const struct perf_write_who who = { head->time, head->pid, head->tid, head->cpu };
	struct perf_mmap map = { .addr = MARKER, .len = 4096, .name = r->code->path,
				 .prot = PROT_READ | PROT_EXEC, .flags = MAP_PRIVATE };
	struct stat st;

	if (!stat(r->code->path, &st))
		map.ino = st.st_ino;
	perf_write_mmap(recorder_writer(r->recorder), &who, &map);
}

void record_code(struct record *r, const struct port_head *head, const uint8_t *body)
{
	static const char name[] = "code";
	struct jitdump_code load = { .pid = head->pid, .tid = head->tid, .time = head->time,
				     .name = name };
	uint8_t bytes[JITDUMP_LOAD];
	struct port_code as;

	if (!r->code) {
		r->code = open_file(r, head);
		if (!r->code)
			return;
		tell_map(r, head);
	}
	if (r->code->err)
		return;
	memcpy(&as, body, sizeof(as));
	load.addr = as.addr;
	load.size = head->size - sizeof(as);
	load.index = r->code->n++;
	jitdump_load(bytes, &load);
	if (fwrite(bytes, 1, sizeof(bytes), r->code->file) != sizeof(bytes) ||
	    fwrite(name, 1, sizeof(name), r->code->file) != sizeof(name) ||
	    fwrite(body + sizeof(as), 1, load.size, r->code->file) != load.size)
		r->code->err = errno ? -errno : -EIO;
}

int record_code_finish(struct record *r)
{
	int err;

	if (!r->code)
		return 0;
	if (r->code->file && fclose(r->code->file) && !r->code->err)
		r->code->err = -errno;
	err = r->code->err;
	free(r->code);
	r->code = NULL;
	return err;
}
