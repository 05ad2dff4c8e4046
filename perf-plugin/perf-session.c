// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include "perf-session.h"

/* Of a guest's code nothing is known; that it is at the host's addresses means nothing. */
static int guest_space(struct perf_session *s, int *space)
{
	if (!s->guest)
		s->guest = csf_space_alone(s->image);
	*space = s->guest;
	return s->guest < 0 ? -ENOMEM : 0;
}

/* The host of the queues: threads and maps as the records of the file tell them. */
static int who(void *context, const struct perf_stream *stream, uint64_t time,
	       struct perf_who *answer)
{
	struct perf_session *s = context;
	const struct perf_ran ran = {
		.aux = s->aux, .fragment = stream->fragment, .cpu = stream->cpu,
		.time = s->timed ? time : 0,
	};
	uint64_t until = UINT64_MAX;
	uint32_t tid = stream->tid;
	int err;

	if (tid == PERF_NO_TID)
		tid = perf_switches_ran(&s->switches, &ran, &until);
	err = perf_map_who(s->map, tid, time ? time : PERF_MAP_LAST, answer);
	if (until < answer->until)
		answer->until = until;
	if (!err && stream->guest)
		err = guest_space(s, &answer->space);
	return err;
}

static uint64_t came(void *context, const struct perf_stream *stream, uint64_t from, uint64_t to)
{
	const struct perf_session *s = context;

	return perf_switches_came(&s->switches, stream->cpu, stream->tid, from, to);
}

static int open_all(struct perf_session *s, const char *path)
{
	int err = perf_file_open(&s->file, path);

	if (err)
		return err;
	if (csf_image_new(&s->image))
		return -ENOMEM;
	s->options.dso.recording = s->file->dir;
	s->options.dso.release = perf_file_string(s->file, PERF_FEATURE_OSRELEASE);
	err = perf_map_new(&s->map, s->image, &s->options.dso);
	if (!err)
		err = perf_map_open(s->map, s->file);
	if (!err)
		err = perf_switches_init(&s->switches, s->file);
	if (!err)
		err = perf_aux_new(&s->aux, s->file);
	if (err)
		return err;
	s->why = perf_cs_open(&s->cs, s->file);
	return s->why == -ENOMEM ? -ENOMEM : 0;
}

static int make_queues(struct perf_session *s)
{
	int err = s->options.n_threads > 1 ?
		  csf_threads_new(&s->threads, s->options.n_threads - 1) : 0;
	const struct perf_queues_ops ops = { .context = s, .who = who, .came = came };
	const struct perf_queues_options options = {
		.file = s->file, .aux = s->aux, .cs = s->cs, .image = s->image,
		.cpus = s->options.cpus, .n_cpus = s->options.n_cpus,
		.from = s->options.from, .until = s->options.until,
		.marks = s->options.marks, .timed = s->timed, .threads = s->threads,
	};

	if (err)
		return err == CSF_ERR_MEMORY ? -ENOMEM : -EINVAL;
	return perf_queues_new(&s->queues, &options, &ops);
}

int perf_session_new(struct perf_session **out, const char *path,
		     const struct perf_session_options *options)
{
	struct perf_session *s = calloc(1, sizeof(*s));
	int err;

	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->options = *options;
	err = open_all(s, path);
	if (!err) {
		s->timed = !options->timeless &&
			   perf_cs_timed(s->cs, &s->file->time_conv, options->trust);
		err = make_queues(s);
	}
	if (err) {
		perf_session_free(s);
		return err;
	}
	*out = s;
	return 0;
}

void perf_session_free(struct perf_session *s)
{
	if (!s)
		return;
	perf_queues_free(s->queues);
	csf_threads_free(s->threads);
	perf_cs_free(s->cs);
	perf_aux_free(s->aux);
	perf_map_free(s->map);
	perf_switches_fini(&s->switches);
	csf_image_free(s->image);
	perf_file_close(s->file);
	free(s);
}

int perf_session_next(struct perf_session *s, struct perf_run *run)
{
	return perf_queues_next(s->queues, UINT64_MAX, run);
}

uint64_t perf_session_time(const struct perf_session *s, uint64_t timestamp)
{
	if (!s->file->time_conv.mult)
		return 0;
	return perf_time_from_counter(&s->file->time_conv, timestamp);
}
