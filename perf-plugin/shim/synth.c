// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>

#include <util/callchain.h>
#include <util/symbol_conf.h>

#include "synth.h"

/* ---------------------------------------------------------------- attributes */

static void attr_of(struct perf_event_attr *attr, const struct perf_event_attr *trace,
		    u64 config, bool timed)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = PERF_TYPE_HARDWARE;
	attr->config = config;
	attr->sample_type = trace->sample_type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID |
		PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_STREAM_ID |
		PERF_SAMPLE_PERIOD | PERF_SAMPLE_IDENTIFIER);
	attr->sample_type |= PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_PERIOD;
	if (timed)
		attr->sample_type |= PERF_SAMPLE_TIME;
	else
		attr->sample_type &= ~(u64)PERF_SAMPLE_TIME;
	attr->exclude_user = trace->exclude_user;
	attr->exclude_kernel = trace->exclude_kernel;
	attr->exclude_hv = trace->exclude_hv;
	attr->exclude_host = trace->exclude_host;
	attr->exclude_guest = trace->exclude_guest;
	attr->sample_id_all = trace->sample_id_all;
	attr->read_format = trace->read_format;
}

/*
 * Gives perf an event with attributes @attr.  perf data convert --to-json takes none, and leaves
 * out samples of events that are not in the list: so the event is added to the list for it.
 */
static int deliver_attr(struct perf_session *session, const struct perf_event_attr *attr, u64 id)
{
	const int n = session->evlist->core.nr_entries;
	union {
		struct {
			struct perf_event_header header;
			struct perf_event_attr attr;
			u64 id;
		} made;
		union perf_event event;
	} u = {
		.made.header.type = PERF_RECORD_HEADER_ATTR,
		.made.header.size = sizeof(u.made),
		.made.attr = *attr,
		.made.id = id,
	};
	int err = perf_session__deliver_synth_event(session, &u.event, NULL);

	if (err || session->evlist->core.nr_entries > n)
		return err;
	return perf_event__process_attr(session->tool, &u.event, &session->evlist);
}

/* Adds fields for call chains and last branches, for events with a period. */
static void add_stacks(struct perf_event_attr *attr, const struct itrace_synth_opts *opts)
{
	if (opts->callchain)
		attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (opts->last_branch) {
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		/* Records have room for hw_idx, whether its value is known or not. */
		attr->branch_sample_type |= PERF_SAMPLE_BRANCH_HW_INDEX;
	}
}

/* perf script turns call chains off if none was recorded. */
static void use_callchains(const struct itrace_synth_opts *opts)
{
	if (symbol_conf.use_callchain || !(opts->callchain || opts->add_callchain))
		return;
	symbol_conf.use_callchain = callchain_register_param(&callchain_param) >= 0;
}

/* Recorded events get the fields that G and L add. */
static void add_to_events(struct csflow_synth *synth, const struct evsel *trace)
{
	struct evsel *evsel;

	evlist__for_each_entry(synth->session->evlist, evsel) {
		const u64 type = evsel->core.attr.sample_type;

		if (evsel == trace)
			continue;
		if (synth->opts->add_callchain && !(type & PERF_SAMPLE_CALLCHAIN))
			evsel->synth_sample_type |= PERF_SAMPLE_CALLCHAIN;
		if (synth->opts->add_last_branch && !(type & PERF_SAMPLE_BRANCH_STACK))
			evsel->synth_sample_type |= PERF_SAMPLE_BRANCH_STACK;
	}
}

static int make_events(struct csflow_synth *synth, struct evsel *trace, bool timed)
{
	const struct itrace_synth_opts *opts = synth->opts;
	const u64 branches = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
	const struct {
		bool wanted;
		u64 config, period;
	} kind[SYNTH_KINDS] = {
		[CS_SAMPLE_BRANCH] = { opts->branches, branches, 1 },
		[CS_SAMPLE_INSN] = { opts->instructions, PERF_COUNT_HW_INSTRUCTIONS,
				     opts->period },
		[CS_SAMPLE_CYCLES] = { shim_itrace_cycles(opts), PERF_COUNT_HW_CPU_CYCLES,
				       opts->period },
		[CS_SAMPLE_TRANSACTION] = { opts->transactions, branches, 1 },
	};
	u64 id = shim_first_id(trace);

	for (int i = 0; i < SYNTH_KINDS; i++) {
		struct perf_event_attr *attr = &synth->attr[i];
		int err;

		if (!kind[i].wanted)
			continue;
		attr_of(attr, &trace->core.attr, kind[i].config, timed);
		attr->sample_period = kind[i].period;
		if (i == CS_SAMPLE_BRANCH)
			attr->sample_type |= PERF_SAMPLE_ADDR;
		else
			add_stacks(attr, opts);
		synth->id[i] = id++;
		err = deliver_attr(synth->session, attr, synth->id[i]);
		if (err)
			return err;
	}
	return 0;
}

/* Two events of one type get names, to be distinguishable. */
static void name_transactions(struct csflow_synth *synth)
{
	struct evsel *evsel;

	if (!synth->attr[CS_SAMPLE_TRANSACTION].size)
		return;
	evlist__for_each_entry(synth->session->evlist, evsel) {
		if (evsel->core.id && evsel->core.id[0] == synth->id[CS_SAMPLE_TRANSACTION]) {
			free(evsel->name);
			evsel->name = strdup("transactions");
		}
	}
}

int csflow_synth_init(struct csflow_synth *synth, struct perf_session *session,
		      const struct itrace_synth_opts *opts, struct evsel *trace, bool timed)
{
	int err;

	*synth = (struct csflow_synth){ .session = session, .opts = opts };
	synth->event = malloc(PERF_SAMPLE_MAX_SIZE);
	synth->branches = calloc(1, sizeof(*synth->branches) +
				 (opts->last_branch_sz + 1) * sizeof(struct branch_entry));
	synth->chain = calloc(1, sizeof(*synth->chain) + (opts->callchain_sz + 2) * sizeof(u64));
	if (!synth->event || !synth->branches || !synth->chain)
		return -ENOMEM;
	add_to_events(synth, trace);
	use_callchains(synth->opts);
	err = make_events(synth, trace, timed);
	name_transactions(synth);
	return err;
}

void csflow_synth_exit(struct csflow_synth *synth)
{
	free(synth->event);
	free(synth->branches);
	free(synth->chain);
	*synth = (struct csflow_synth){ 0 };
}

/* ---------------------------------------------------------------- samples */

static u8 cpumode_of(const struct csflow_synth *synth, const struct cs_task *task, u64 addr)
{
	const bool kernel = addr >= csflow_kernel_start(&synth->session->machines.host);

	if (csflow_code_is_guest(synth->code, task->space))
		return kernel ? PERF_RECORD_MISC_GUEST_KERNEL : PERF_RECORD_MISC_GUEST_USER;
	if (task->context.known && task->context.el > 0 && !task->context.no_el && addr)
		return PERF_RECORD_MISC_KERNEL;
	return kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
}

static int deliver_error(struct csflow_synth *synth, const struct plugin_run *run,
			 const struct csflow_who *who, const struct cs_sample *from)
{
	char text[MAX_AUXTRACE_ERROR_MSG];
	union perf_event *event = synth->event;

	cs_sample_error_text(from, text, sizeof(text));
	auxtrace_synth_error(&event->auxtrace_error, PERF_AUXTRACE_ERROR_ITRACE, from->code,
			     run->cpu, who->pid, who->tid, from->ip, text, from->time);
	synth->errors++;
	return perf_session__deliver_synth_event(synth->session, event, NULL);
}

/*
 * The target as perf has it: scripts (arm-cs-trace-disasm.py) take all code from the target of one
 * branch to the next branch as executed, and only a target of 0 tells them that it was not.
 */
static u64 target_of(const struct cs_sample *from)
{
	return from->flags & CS_FLAG_TRACE_END ? 0 : from->addr;
}

/* The branch itself, for perf's branch view. */
static void only_branch(struct branch_stack *branches, const struct cs_sample *from)
{
	branches->nr = 1;
	branches->hw_idx = -1ULL;
	branches->entries[0] = (struct branch_entry){ .from = from->ip, .to = target_of(from) };
}

static void add_stack(struct csflow_synth *synth, struct perf_sample *sample,
		      const struct csflow_who *who, const struct csflow_stream *stream,
		      const struct cs_sample *from)
{
	const struct itrace_synth_opts *opts = synth->opts;

	if (opts->last_branch) {
		if (from->kind == CS_SAMPLE_BRANCH)
			only_branch(synth->branches, from);
		else
			csflow_stack_branches(opts, who, stream, synth->branches);
		sample->branch_stack = synth->branches;
	}
	if (opts->callchain && from->kind != CS_SAMPLE_BRANCH) {
		csflow_stack_chain(who, sample->cpu, sample->ip,
				   csflow_kernel_start(&synth->session->machines.host),
				   synth->chain, opts->callchain_sz + 1);
		sample->callchain = synth->chain;
	}
}

static void fill(struct csflow_synth *synth, struct perf_sample *sample,
		 const struct plugin_run *run, const struct csflow_who *who,
		 const struct cs_sample *from)
{
	sample->ip = from->ip;
	sample->addr = target_of(from);
	sample->pid = who->pid;
	sample->tid = who->tid;
	sample->id = synth->id[from->kind];
	sample->stream_id = sample->id;
	sample->period = from->period;
	sample->time = from->time;
	sample->cpu = run->cpu;
	sample->flags = from->flags;
	sample->insn_cnt = from->insn_cnt;
	sample->cyc_cnt = from->cyc_cnt;
	sample->insn_len = from->insn_len;
	memcpy(sample->insn, from->insn, sizeof(from->insn));
	sample->cpumode = cpumode_of(synth, &from->from, from->ip);
}

int csflow_synth_sample(struct csflow_synth *synth, const struct plugin_run *run,
			const struct csflow_who *who, const struct csflow_stream *stream,
			const struct cs_sample *from)
{
	union perf_event *event = synth->event;
	struct perf_sample sample;
	int err = 0;

	if (from->kind == CS_SAMPLE_ERROR)
		return deliver_error(synth, run, who, from);
	if (!synth->attr[from->kind].size)
		return 0;

	shim_sample_init(&sample);
	fill(synth, &sample, run, who, from);
	add_stack(synth, &sample, who, stream, from);
	event->sample.header.type = PERF_RECORD_SAMPLE;
	event->sample.header.misc = sample.cpumode;
	event->sample.header.size = sizeof(struct perf_event_header);
	if (synth->opts->inject)
		err = shim_write_sample(event, &synth->attr[from->kind], &sample);
	if (!err)
		err = perf_session__deliver_synth_event(synth->session, event, &sample);
	synth->delivered++;
	shim_sample_exit(&sample);
	return err;
}

void csflow_synth_add(struct csflow_synth *synth, const struct csflow_who *who,
		      struct perf_sample *sample)
{
	if (synth->opts->add_callchain || synth->opts->add_last_branch)
		csflow_stack_add(synth->opts, who,
				 csflow_kernel_start(&synth->session->machines.host), sample,
				 synth->chain, synth->branches);
}
