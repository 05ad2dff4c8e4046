// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "count-file.h"
#include "count-fill.h"
#include "count-load.h"
#include "file.h"
#include "recording.h"

static int failed(const char *path, const char *why)
{
	fprintf(stderr, "csflow: %s: %s\n", path, why);
	return CMD_FAILED;
}

static int decode(struct count_table *table, struct perf_session *session)
{
	struct count_fill fill;
	struct perf_run run;
	int err;

	count_fill_init(&fill, session);
	while ((err = perf_session_next(session, &run)) > 0) {
		err = count_fill_run(&fill, &run);
		if (err)
			break;
	}
	if (!err)
		err = count_fill_fold(&fill, table);
	count_fill_fini(&fill);
	return err;
}

static int load_recording(struct count_table *table, const char *path,
			  const struct perf_session_options *options)
{
	struct recording r = { .path = path, .options = *options };
	int status = recording_open(&r);

	if (status)
		return status;
	if (decode(table, r.session))
		status = failed(path, "no memory");
	if (recording_report(&r))
		status = CMD_FAILED;
	recording_close(&r);
	return status;
}

int count_load(struct count_table *table, const char *path, uint64_t weight,
	       const struct perf_session_options *options)
{
	struct count_table one = { 0 };
	const char *why = NULL;
	struct file file;
	int err = file_map(&file, path), status = CMD_OK;

	if (err == -EISDIR && options) {
		status = load_recording(&one, path, options);
	} else if (err) {
		return failed(path, strerror(-err));
	} else if (options && !count_file_is(file.data, file.n)) {
		status = load_recording(&one, path, options);
	} else {
		err = count_file_read(&one, file.data, file.n, &why);
		if (err)
			status = failed(path, why ? why : strerror(-err));
	}
	file_unmap(&file);
	/* What could be decoded of a damaged recording counts, too. */
	err = why ? 0 : count_table_merge(table, &one, weight);
	if (!err)
		err = count_table_settle(table);
	count_table_fini(&one);
	return err ? failed(path, strerror(-err)) : status;
}

int count_save(const struct count_table *table, const char *path)
{
	FILE *f = path ? fopen(path, "wb") : stdout;
	int err;

	if (!f)
		return failed(path, strerror(errno));
	err = count_file_write(table, f);
	if (path && fclose(f) && !err)
		err = -errno;
	return err ? failed(path ? path : "standard output", strerror(-err)) : CMD_OK;
}
