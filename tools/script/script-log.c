// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../perf-plugin/new-file.h"
#include "../dump/list.h"
#include "script-log.h"

int script_log_open(struct script_log *log, FILE *file)
{
	log->out.file = file ? file : new_file(SCRIPT_LOG);
	return log->out.file ? 0 : -errno;
}

static struct csf_elements *elements_of(struct script_log *log, const struct perf_stream *stream)
{
	if (stream->number >= log->n) {
		size_t n = 2 * (size_t)stream->number + 8;
		struct csf_elements *p = realloc(log->elements, n * sizeof(*p));

		if (!p)
			return NULL;
		memset(p + log->n, 0, (n - log->n) * sizeof(*p));
		log->elements = p;
		log->n = n;
	}
	log->elements[stream->number].dec = stream->dec;
	return &log->elements[stream->number];
}

void script_log_run(struct script_log *log, const struct perf_run *run)
{
	struct csf_elements *it;
	struct csf_element e;

	if (!log->out.file)
		return;
	it = elements_of(log, run->stream);
	if (!it) {
		log->failed = true;
		return;
	}
	csf_elements_run(it, &run->run);
	while (csf_elements_next(it, &e)) {
		out_room(&log->out, 512);
		out_text(&log->out, "cpu ");
		out_dec(&log->out, run->stream->cpu);
		out_char(&log->out, ' ');
		out_dec(&log->out, e.offset);
		out_char(&log->out, ' ');
		list_element(&log->out, &e);
		out_char(&log->out, '\n');
	}
	/* between the samples of the runs */
	if (log->out.file == stdout)
		out_flush(&log->out);
}

int script_log_close(struct script_log *log)
{
	int err = log->failed ? -ENOMEM : 0;

	free(log->elements);
	if (!log->out.file)
		return 0;
	out_flush(&log->out);
	return log->out.file == stdout ? err : new_file_close(log->out.file, err);
}
