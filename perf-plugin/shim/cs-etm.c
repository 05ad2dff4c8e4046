// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include <internal/lib.h>
#include <util/color.h>
#include <util/cs-etm.h>
#include <util/time-utils.h>

#include "csflow.h"
#include "dump.h"
#include "pipe.h"
#include "metadata.h"
#include "report.h"

static struct csflow *csflow_of(struct perf_session *session)
{
	return container_of(session->auxtrace, struct csflow, auxtrace);
}

/* ---------------------------------------------------------------- decoding */

/*
 * plugin.h asks for the code of the thread that executes.  If trace has a thread before perf has
 * the record of its start, code is missing, and plugin.h asks again later.
 */
static int space_of(void *context, const struct plugin_who *who)
{
	struct csflow *c = context;

	if (who->guest)
		return csflow_code_guest(&c->code, csflow_who(&c->whos, who->tid)->pid);
	return csflow_code_space(&c->code, csflow_who(&c->whos, who->tid)->thread);
}

static uint64_t clock_of(const void *context, uint64_t timestamp)
{
	return plugin_time(context, timestamp);
}

static struct csflow_stream *stream_of(struct csflow *c, u32 number)
{
	if (number >= c->n_stream) {
		size_t n = 2 * (size_t)number + 8;
		struct csflow_stream **p = realloc(c->stream, n * sizeof(*p));

		if (!p)
			return NULL;
		memset(p + c->n_stream, 0, (n - c->n_stream) * sizeof(*p));
		c->stream = p;
		c->n_stream = n;
	}
	if (!c->stream[number]) {
		c->stream[number] = calloc(1, sizeof(*c->stream[number]));
		if (c->stream[number])
			c->stream[number]->number = number;
	}
	return c->stream[number];
}

/* Has the sink lost, or may it have lost, trace before the run? */
static bool sink_lost(const struct plugin_run *run)
{
	return run->starts && run->lost & (PLUGIN_TRUNCATED | PLUGIN_PARTIAL | PLUGIN_COLLISION);
}

/* Makes all samples of a run. */
static int show(struct csflow *c, const struct plugin_run *run)
{
	struct csflow_who *who = csflow_who(&c->whos, run->tid);
	const struct cs_samples_input input = {
		.dec = run->dec, .run = run->run, .starts = run->starts,
		.pid = who->pid, .tid = run->tid,
		.time = run->time ? run->time : run->aux_time, .since = run->since,
		.came = run->came,
	};
	struct csflow_stream *stream = stream_of(c, run->stream);
	struct cs_sample sample;
	int err = csflow_log_run(&c->log, run, who);

	if (err)
		return err;
	if (!stream || cs_samples_run(&c->samples, &stream->samples, &input))
		return -ENOMEM;
	stream->losses += sink_lost(run);
	while (cs_samples_next(&c->samples, &sample)) {
		who = csflow_who(&c->whos, sample.from.tid);
		if (sample.moves)
			err = csflow_stack_move(&c->opts, who, stream, run->cpu, &sample);
		if (!err && sample.wanted)
			err = csflow_synth_sample(&c->synth, run, who, stream, &sample);
		if (err)
			return err;
	}
	return 0;
}

/* Reports the details of an error if memory was missing; the error itself is just a number. */
static int said(int err)
{
	char text[256];

	if (err == -ENOMEM && plugin_no_memory(text, sizeof(text)))
		pr_err("csflow: %s\n", text);
	return err;
}

/* Decodes everything that ran before @until. */
static int decode(struct csflow *c, u64 until)
{
	struct plugin_run run;
	int err;

	while ((err = plugin_next(c->plugin, until, &run)) > 0) {
		err = show(c, &run);
		if (err)
			return err;
	}
	return err;
}

/* ---------------------------------------------------------------- opening */

static void samples_init(struct csflow *c)
{
	const struct itrace_synth_opts *opts = &c->opts;
	struct cs_samples_options o = {
		.branches = opts->branches, .calls = opts->calls, .returns = opts->returns,
		.insns = opts->instructions, .cycles = shim_itrace_cycles(opts),
		.transactions = opts->transactions, .errors = opts->errors,
		.errors_not = opts->error_minus_flags & (CS_ERROR_OVERFLOW | CS_ERROR_LOST),
		.period = opts->period, .skip = opts->initial_skip, .quick = opts->quick,
		.ipc = true, .approx_ipc = opts->approx_ipc, .insn_bytes = true,
		.moves = csflow_stack_wanted(opts), .last_branch = opts->last_branch,
		.compat = c->config.compat, .timeless = true,
	};

	/*
	 * Timestamps of a clock other than perf's are of no use: time is then that of the buffer.
	 */
	if (plugin_timed(c->plugin)) {
		o.timeless = false;
		o.clock = clock_of;
		o.clock_context = c->plugin;
		if (opts->period_type != PERF_ITRACE_PERIOD_INSTRUCTIONS && !c->config.compat)
			o.period_unit = CS_PERIOD_TIME;
		if (opts->period_type == PERF_ITRACE_PERIOD_TICKS)
			o.period = plugin_time(c->plugin, opts->period) - plugin_time(c->plugin, 0);
	}
	cs_samples_init(&c->samples, &o, plugin_image(c->plugin));
}

/* Only whole buffers outside of --time are left out here; perf filters each sample. */
static void set_times(const struct itrace_synth_opts *opts, struct plugin_options *o)
{
	for (int i = 0; i < opts->range_num; i++) {
		const struct perf_time_interval *t = &opts->ptime_range[i];

		if (!i || t->start < o->from)
			o->from = t->start;
		if (!i || !t->end || (o->until && t->end > o->until))
			o->until = t->end;
	}
}

static int set_cpus(struct csflow *c, struct plugin_options *o)
{
	if (!c->opts.cpu_bitmap)
		return 0;
	c->range = calloc(MAX_NR_CPUS, sizeof(*c->range));
	if (!c->range)
		return -ENOMEM;
	for (u64 cpu = 0; cpu < MAX_NR_CPUS; cpu++) {
		if (!test_bit(cpu, c->opts.cpu_bitmap))
			continue;
		if (c->n_range && c->range[c->n_range - 1].last == cpu - 1)
			c->range[c->n_range - 1].last = cpu;
		else
			c->range[c->n_range++] = (struct plugin_range){ cpu, cpu };
	}
	o->cpu = c->range;
	o->n_cpu = c->n_range;
	return 0;
}

static int open_plugin(struct csflow *c, union perf_event *info)
{
	const struct plugin_host host = { .context = c, .space = space_of };
	struct plugin_options o = {
		.marks = CS_SAMPLES_MARKS,
		.timeless = c->opts.timeless_decoding,
		.trust = shim_itrace_timestamp(&c->opts),
		.commit_tail = c->config.commit_tail,
		.n_threads = c->config.threads,
	};
	int err = set_cpus(c, &o);

	if (err)
		return err;
	set_times(&c->opts, &o);
	if (!c->piped)
		return plugin_open(&c->plugin, c->session->data->file.path, &o, &host);
	err = plugin_open_pipe(&c->plugin, &o, &host);
	return err ? err : csflow_feed_start(c, info);
}

/* The event that was recorded; if none is of the PMU in the metadata, the first of any PMU. */
static struct evsel *recorded_event(struct csflow *c)
{
	struct evsel *evsel, *other = NULL;

	evlist__for_each_entry(c->session->evlist, evsel) {
		if (evsel->core.attr.type == c->pmu_type)
			return evsel;
		if (!other && evsel->core.attr.type >= PERF_TYPE_MAX)
			other = evsel;
	}
	return other;
}

/* Does the trace have timestamps, of any clock? */
static bool has_timestamps(const struct evsel *trace)
{
	const u64 config = trace->core.attr.config;

	return config >> 28 & 1 || config >> 4 & 15;
}

static int make_events(struct csflow *c)
{
	struct evsel *trace = recorded_event(c);
	bool timed;
	int err;

	if (!trace) {
		pr_err("csflow: the file has CoreSight trace, and no event that it is of\n");
		return -EINVAL;
	}
	timed = !c->opts.timeless_decoding &&
		((!c->piped && plugin_timed(c->plugin)) || has_timestamps(trace));
	err = csflow_synth_init(&c->synth, c->session, &c->opts, trace, timed);
	c->synth.code = &c->code;
	return err;
}

/* ---------------------------------------------------------------- called by perf */

/*
 * Finds the process of a thread that existed before perf started and that no other record names: a
 * switch names the thread that ran before, or runs next.
 */
static void name_thread(struct csflow *c, const union perf_event *event)
{
	pid_t pid, tid;

	if (event->header.type != PERF_RECORD_SWITCH_CPU_WIDE)
		return;
	pid = event->context_switch.next_prev_pid;
	tid = event->context_switch.next_prev_tid;
	if (pid > 0 && tid > 0)
		thread__put(machine__findnew_thread(&c->session->machines.host, pid, tid));
}

/* Call before perf processes a record: decodes what ran before it. */
static int catch_up(struct csflow *c, union perf_event *event, struct perf_sample *sample)
{
	int err = csflow_code_update(&c->code);

	if (!err && sample->time && sample->time != ~0ULL)
		err = decode(c, sample->time);
	if (err)
		return err;
	name_thread(c, event);
	csflow_log_event(&c->log, event, sample);
	csflow_code_event(&c->code, event, sample);
	csflow_whos_changed(&c->whos);
	if (event->header.type == PERF_RECORD_SAMPLE)
		csflow_synth_add(&c->synth, csflow_who(&c->whos, sample->tid), sample);
	return 0;
}

/* Takes a record from a pipe. */
static int process_piped(struct csflow *c, const union perf_event *event)
{
	int err = csflow_feed_event(c, event);

	return err || dump_trace ? err : csflow_hold(c, event);
}

static int process_event(struct perf_session *session, union perf_event *event,
			 struct perf_sample *sample, shim_const struct perf_tool *tool)
{
	struct csflow *c = csflow_of(session);

	if (dump_trace)
		return c->piped ? process_piped(c, event) : 0;
	if (!c->decode)
		return 0;
	if (!tool->ordered_events) {
		pr_err("csflow: CoreSight trace wants records in order of time\n");
		return -EINVAL;
	}
	return said(c->piped ? process_piped(c, event) : catch_up(c, event, sample));
}

static int process_auxtrace_event(struct perf_session *session, union perf_event *event,
				  shim_const struct perf_tool *tool __maybe_unused)
{
	struct csflow *c = csflow_of(session);
	off_t offset;

	if (c->piped)
		return csflow_feed_trace(c, event);
	if (!dump_trace)
		return 0;
	/* perf has left the file position at the bytes that follow the record */
	offset = lseek(perf_data__fd(session->data), 0, SEEK_CUR);
	return offset == -1 ? -errno : csflow_dump(c->plugin, offset, event->auxtrace.size);
}

/* The end of a pipe: from here on it is as with a file. */
static int end_pipe(struct csflow *c)
{
	int err = plugin_ready(c->plugin);

	if (err)
		return err;
	if (dump_trace)
		return csflow_dump(c->plugin, 0, ~0ULL);
	samples_init(c);
	return csflow_replay(c, catch_up);
}

static int flush_events(struct perf_session *session,
			shim_const struct perf_tool *tool __maybe_unused)
{
	struct csflow *c = csflow_of(session);
	int err = 0;

	if (c->piped && (dump_trace || c->decode))
		err = end_pipe(c);
	if (err || dump_trace || !c->decode)
		return err;
	err = csflow_code_update(&c->code);
	if (!err)
		err = decode(c, UINT64_MAX);
	if (!err)
		err = csflow_log_end(&c->log);
	if (!err)
		csflow_report(c);
	return said(err);
}

static void free_events(struct perf_session *session __maybe_unused)
{
}

static void csflow_free(struct csflow *c)
{
	cs_samples_fini(&c->samples);
	csflow_log_close(&c->log);
	for (size_t i = 0; i < c->n_stream; i++) {
		if (c->stream[i])
			free(c->stream[i]->last);
		free(c->stream[i]);
	}
	free(c->stream);
	free(c->held.bytes);
	free(c->range);
	csflow_synth_exit(&c->synth);
	plugin_close(c->plugin);
	csflow_code_exit(&c->code);
	csflow_whos_exit(&c->whos);
	free(c);
}

static void free_session(struct perf_session *session)
{
	struct csflow *c = csflow_of(session);

	session->auxtrace = NULL;
	csflow_free(c);
}

static bool evsel_is_auxtrace(struct perf_session *session, struct evsel *evsel)
{
	return evsel->core.attr.type == csflow_of(session)->pmu_type;
}

/* ---------------------------------------------------------------- entry */

static struct csflow *csflow_new(struct perf_session *session, const union perf_event *info)
{
	struct csflow *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->auxtrace = (struct auxtrace){
		.process_event = process_event,
		.process_auxtrace_event = process_auxtrace_event,
		.flush_events = flush_events,
		.free_events = free_events,
		.free = free_session,
		.evsel_is_auxtrace = evsel_is_auxtrace,
	};
	c->session = session;
	c->pmu_type = info->auxtrace_info.priv[CS_PMU_TYPE_CPUS] >> 32;
	c->piped = perf_data__is_pipe(session->data);
	csflow_config_read(&c->config);
	c->decode = csflow_options(&c->opts, session->itrace_synth_opts);
	csflow_whos_init(&c->whos, &session->machines.host, c->config.compat);
	return c;
}

static int start(struct csflow *c, union perf_event *info)
{
	int err = open_plugin(c, info);

	if (err) {
		pr_err("csflow: %s cannot be read: %s\n", c->session->data->file.path,
		       strerror(-err));
		return said(err);
	}
	c->whos.plugin = c->plugin;
	csflow_code_init(&c->code, c->plugin, c->session);
	if (!c->decode)
		return 0;
	err = csflow_log_open(&c->log, &c->opts, c->plugin);
	if (err)
		return err;
	shim_keep_exited_threads();
	if (!c->piped)
		samples_init(c);
	return make_events(c);
}

int cs_etm__process_auxtrace_info(union perf_event *event, struct perf_session *session)
{
	struct csflow *c;
	int err = csflow_metadata(event);

	if (err)
		return err;
	c = csflow_new(session, event);
	if (!c)
		return -ENOMEM;
	err = start(c, event);
	if (err) {
		csflow_free(c);
		return err;
	}
	session->auxtrace = &c->auxtrace;
	return 0;
}
