// SPDX-License-Identifier: GPL-2.0-only
#include "../lib/log.h"
#include "../lib/progress.h"
#include "losses.h"

static bool wanted;

bool *losses_progress(void)
{
	wanted = true;
	return &wanted;
}

/* One recording is decoded at a time. */
static void show(struct perf_replay *replay, bool more)
{
	static const struct perf_replay *shown;
	static struct progress progress;

	if (shown != replay)
		progress_start(&progress, replay->name ? replay->name : "decoding",
			       replay->queues->total, true);
	shown = more ? replay : NULL;
	progress_at(&progress, replay->queues->done);
	if (!more)
		progress_stop(&progress);
}

int losses_next(struct perf_replay *replay, struct perf_run *run)
{
	const int got = perf_replay_next(replay, run);
	struct csf_report report;

	if (wanted)
		show(replay, got > 0);
	if (got <= 0 || run->run.end != CSF_END_GAP || !log_takes(CSF_WARNING) ||
	    csf_report_run(&run->run, &report) <= 0 || !log_takes(report.severity))
		return got;
	report.index = perf_queues_offset(replay->queues, run);
	report.id = run->stream->id;
	log_report(replay->name, run->stream->cpu, &report);
	return got;
}

static void report_in(const char *name, uint8_t id, const struct csf_frames *frames,
		      struct csf_report *report)
{
	if (!log_takes(report->severity))
		return;
	if (frames)
		report->index = csf_frames_offset(frames, id, report->index);
	report->id = id;
	log_report(name, LOG_NO_CPU, report);
}

void losses_run(const char *name, uint8_t id, const struct csf_frames *frames,
		const struct csf_run *run)
{
	struct csf_report report;

	if (log_takes(CSF_WARNING) && csf_report_run(run, &report) > 0)
		report_in(name, id, frames, &report);
}

void losses_message(const char *name, uint8_t id, const struct csf_frames *frames,
		    const struct csf_message *message)
{
	struct csf_report report;

	if (log_takes(CSF_WARNING) && csf_report_message(message, &report) > 0)
		report_in(name, id, frames, &report);
}
