// SPDX-License-Identifier: GPL-2.0-only
/* csflow script: the branches and instructions of a recording, as perf script lists them. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "../perf-plugin/itrace.h"
#include "lib/failed.h"
#include "lib/log.h"
#include "lib/operands.h"
#include "lib/perfconfig.h"
#include "lib/progress.h"
#include "input/losses.h"
#include "input/recording.h"
#include "script/script-around.h"
#include "script/script-batch.h"
#include "script/script-edge.h"
#include "script/script-log.h"
#include "script/script-print.h"
#include "index/seek.h"
#include "index/selection.h"

/* Branches that are handled together */
#define N_EDGES		512

static const char usage[] = "script [OPTIONS] [PERF.DATA|SNAPSHOT|LOG]";

/* Versions of perf's columns: the newest first. */
static const char *const columns[] = { "6.12", "6.1", NULL };

/* The words of --insn-trace: without one, it is the first. */
static const char *const insn_traces[] = { "raw", "disasm", NULL };

/* Losses, by enum csf_gap. */
struct script_losses {
	uint64_t gaps[CSF_GAP_NR], lost[CSF_GAP_NR], bytes[CSF_GAP_NR];
};

/**
 * struct script - the state of the command
 * @itrace: the parsed --itrace; @period: as written
 * @part: only samples of it
 * @state: one for each stream, n_state of them
 * @lost: in the span of time
 */
struct script {
	struct operands files;
	struct recording recording;
	struct itrace itrace;
	bool compat, call_trace, call_ret_trace, from_start;
	struct selection part;
	uint64_t max_stack;
	int columns;
	struct cs_sample_state *state;
	size_t n_state;
	struct cs_samples samples;
	struct call_stacks stacks;
	struct script_print print;
	struct script_edges edges;
	struct script_batches batches;
	struct script_around around;
	struct cs_edge edge[N_EDGES];
	struct script_log log;
	struct progress progress;
	struct out out;
	uint64_t n_samples;
	struct script_losses lost;
};

/* The arguments of options. */
struct words {
	const char *itrace, *fields, *insn_trace, *range, *around;
};

/* ---------------------------------------------------------------- options */

static int wrong(const char *option, const char *value, const char *why)
{
	log_say(LOG_USAGE, "csflow: %s %s: %s\n", option, value, why);
	return CMD_USAGE;
}

/* Expands perf's shorthands. */
static void shorthands(struct script *s, struct words *w)
{
	if (!w->insn_trace && !s->call_trace && !s->call_ret_trace)
		return;
	s->print.ns = true;
	if (!w->itrace)
		w->itrace = w->insn_trace ? "i0nse" : s->call_trace ? "ce" : "cre";
	if (!w->fields)
		w->fields = w->insn_trace && !strcmp(w->insn_trace, "disasm") ?
				    "+disasm,-event,-period" :
			    w->insn_trace ? "+insn,-event,-period" :
			    s->call_trace ? "-ip,-addr,-event,-period,+callindent" :
			    "-ip,-addr,-event,-period,+callindent,+flags";
}

static int wrong_itrace(const struct script *s, const char *value, const char *why)
{
	if (!s->itrace.unknown)
		return wrong("--itrace", value, why);
	log_say(LOG_USAGE, "csflow: --itrace %s: there is no letter '%c'; the letters are\n%s",
		value, s->itrace.unknown, itrace_letters);
	return CMD_USAGE;
}

static int understand(struct script *s, const struct words *w)
{
	const char *why = NULL;

	s->itrace.samples.branches = !w->itrace;
	if (w->itrace)
		why = itrace_parse(&s->itrace, w->itrace);
	if (why)
		return wrong_itrace(s, w->itrace, why);
	if (selection_read(&s->part))
		return CMD_USAGE;
	if (w->around && (w->itrace || s->compat))
		return wrong("--around", w->around, "lists all branches: not with --itrace or --compat");
	if (w->around && (s->part.dsos.n || s->part.symbols.n))
		return wrong("--around", w->around, "lists all branches: not with --dsos or --symbols");
	if (w->around && !script_around_parse(&s->around, w->around))
		return wrong("--around", w->around,
			     "not an address or SYMBOL+OFFSET, and ,COUNT");
	if (w->range && !time_range_parse(w->range, &s->recording.options.first,
					  &s->recording.options.end))
		return wrong("--range", w->range, "not FIRST,END, offsets in the file");
	return CMD_OK;
}

static int open_recording(struct script *s, const char *fields)
{
	struct perf_replay_options *o = &s->recording.options;
	const char *why = NULL;
	int status;

	s->recording.cpus = s->part.cpus;
	o->marks = CS_SAMPLES_MARKS;
	o->timeless = s->itrace.timeless;
	o->trust = s->itrace.trust;
	status = recording_open(&s->recording);
	if (status)
		return status;
	s->print.fields.branch = SCRIPT_DEFAULT | (s->recording.replay->timed ? SCRIPT_TIME : 0);
	s->print.fields.insn = s->print.fields.branch & ~SCRIPT_ADDR;
	if (fields)
		why = script_fields_parse(&s->print.fields, fields);
	return why ? wrong("-F", fields, why) : CMD_OK;
}

/* Long because it is the table of all options. */
static int parse(struct script *s, int argc, char **argv)
{
	struct dso_options *dso = &s->recording.options.dso;
	struct words w = { 0 };
	bool progress = false;
	const struct opt table[] = {
		OPT_INPUT(&s->files.inputs),
		OPT_GROUP("What to list:"),
		OPT_STRING(0, "itrace", &w.itrace, "WHAT",
			   "the samples, by perf's letters: b branches, c calls, r returns, "
			   "iN[i|t|us|ms|ns] instructions, yN cycles, x transactions, e losses, g "
			   "and l stacks; more in csflow-script(1) (default: b)"),
		OPT_STRING_OF('F', "fields", &w.fields, script_field_names, "LIST",
			      "the fields; +FIELD and -FIELD change the default (default: as perf "
			      "script)"),
		OPT_OPTIONAL_OF(0, "insn-trace", &w.insn_trace, insn_traces, "HOW",
				"list every instruction, as bytes or disassembled (default: raw)"),
		OPT_FLAG(0, "call-trace", &s->call_trace, "list calls, indented"),
		OPT_FLAG(0, "call-ret-trace", &s->call_ret_trace,
			 "list calls and returns, indented"),
		OPT_U64(0, "max-stack", &s->max_stack, "N", "at most N entries of a call chain"),
		OPT_NO("inline", &s->print.inlines, "leave inlined functions out of call chains"),
		OPT_FLAG(0, "ns", &s->print.ns, "print times to the nanosecond"),
		OPT_FLAG(0, "full-source-path", &s->print.full_path,
			 "print source files with their directories"),
		OPT_CHOICE(0, "columns", &s->columns, columns, "VERSION",
			   "print the columns of this perf"),
		OPT_FLAG(0, "compat", &s->compat, "do as perf with OpenCSD where both are right"),
		OPT_PROGRESS_OFF(&progress),
		OPT_VERBOSE(&s->recording.verbose),
		OPT_SELECTION(&s->part),
		OPT_FLAG(0, "from-start", &s->from_start,
			 "with --time, also decode everything before it"),
		OPT_STRING(0, "range", &w.range, "FIRST,END",
			   "only trace in these bytes of the file"),
		OPT_STRING(0, "around", &w.around, "WHERE[,COUNT]",
			   "only COUNT branches before and after each execution of an address or "
			   "symbol (default: 8)"),
		OPT_FILES_GROUP,
		OPT_SNAPSHOT(&s->recording.snapshot),
		OPT_FILES(dso),
		OPT_KERNEL(dso),
		OPT_SPEED(&s->recording.options.n_threads),
		OPT_END
	};
	int n, status;

	perfconfig_choice("columns", columns, &s->columns);
	n = options_parse(argc, argv, table, usage);
	shorthands(s, &w);
	status = understand(s, &w);
	if (!status)
		status = recording_choose(&s->recording, &s->files, n, argv, usage);
	if (!status)
		status = open_recording(s, w.fields);
	if (status)
		return status;
	progress_start(&s->progress, "decoding", s->recording.replay->queues->total, progress);
	return CMD_OK;
}

/* ---------------------------------------------------------------- filters */

static bool shown(struct script *s, const struct perf_run *run)
{
	return selection_has_run(&s->part, s->recording.replay, run);
}

/* Was it executed in a selected file and function?  Losses are always shown. */
static bool is_selected(struct script *s, const struct cs_sample *sample)
{
	struct perf_code *code = &s->recording.replay->tasks->code;
	struct code_place place;

	if ((!s->part.dsos.n && !s->part.symbols.n) || sample->kind == CS_SAMPLE_ERROR)
		return true;
	return perf_code_find(code, sample->from.space, sample->from.map_time, sample->ip,
			      &place) &&
	       place.dso && selection_has_place(&s->part, code, &place);
}

/* ---------------------------------------------------------------- work */

static struct cs_sample_state *state_of(struct script *s, const struct perf_stream *stream)
{
	if (stream->number >= s->n_state) {
		size_t n = 2 * (size_t)stream->number + 8;
		struct cs_sample_state *p = realloc(s->state, n * sizeof(*p));

		if (!p)
			return NULL;
		memset(p + s->n_state, 0, (n - s->n_state) * sizeof(*p));
		s->state = p;
		s->n_state = n;
	}
	return &s->state[stream->number];
}

/* Stacks belong to threads, wherever they run; to a CPU if the thread is unknown. */
static struct call_stack *stack_of(struct script *s, const struct perf_run *run, int32_t tid)
{
	uint64_t key = (uint32_t)tid;

	if (tid <= 0)
		key |= (uint64_t)(run->stream->number + 1) << 32;
	return call_stacks_of(&s->stacks, key);
}

/* A loss after the last timestamp before the span is not in it. */
static void count_gap(struct script *s, const struct perf_run *run)
{
	const struct csf_run *r = &run->run;

	if (r->end != CSF_END_GAP || !time_spans_have(&s->part.spans, run->stream->time))
		return;
	s->lost.gaps[r->value] += csf_run_is_gap(r);
	s->lost.lost[r->value] += r->lost;
	s->lost.bytes[r->value] += r->bytes;
}

static int one_sample(struct script *s, const struct perf_run *run,
		      const struct cs_sample *sample, bool show)
{
	struct call_stack *stack = NULL;

	if (s->itrace.samples.moves) {
		stack = stack_of(s, run, sample->from.tid);
		if (!stack ||
		    (sample->moves && call_stack_move(stack, sample, run->stream->number)))
			return CMD_FAILED;
	}
	if (show && sample->wanted && time_spans_have(&s->part.spans, sample->time) &&
	    is_selected(s, sample)) {
		s->print.stack = stack;
		script_edges_sample(&s->edges, run, sample);
		s->n_samples++;
	}
	return CMD_OK;
}

/* Collects last branches, if branches are not needed otherwise. */
static int moves(struct script *s, const struct perf_run *run, const struct cs_sample_state *state)
{
	struct call_stack *stack;

	if (!s->itrace.branches || s->itrace.chain || s->print.fields.insn & SCRIPT_CALLINDENT)
		return CMD_OK;
	stack = stack_of(s, run, run->who.tid);
	if (!stack)
		return CMD_FAILED;
	script_moves(&s->edges, stack, run, cs_samples_trace_nr(state));
	return CMD_OK;
}

/* Prints @steps instead of branches. */
static void some_steps(struct script *s, const struct cs_steps *steps)
{
	const struct edge_context c = script_edges_here(&s->edges);

	if (s->batches.threads)
		script_batches_add_steps(&s->batches, steps);
	else
		script_steps_print(&s->edges, &c, steps, 0, true, &s->n_samples);
}

/* Prints short branches, if any come next.  Return: there were some. */
static bool some_branches(struct script *s, bool show)
{
	const struct edge_context c = script_edges_here(&s->edges);
	struct cs_edge *edge = s->edge;
	struct cs_steps steps;
	size_t n = N_EDGES;

	if (s->batches.threads)
		edge = script_batches_room(&s->batches, &n);
	if (cs_samples_steps(&s->samples, &steps, n)) {
		if (show)
			some_steps(s, &steps);
		return true;
	}
	n = cs_samples_edges(&s->samples, edge, n);
	if (!n || !show)
		return n;
	if (s->batches.threads)
		script_batches_add(&s->batches, n);
	else
		script_edges_print(&s->edges, &c, edge, n, true, &s->n_samples);
	return true;
}

static int one_run(struct script *s, const struct perf_run *run)
{
	const struct cs_samples_input input = {
		.dec = run->stream->dec, .run = &run->run, .starts = run->starts,
		.pid = run->who.pid, .tid = run->who.tid,
		.time = run->time ? run->time : run->fragment->time, .since = run->since,
		.came = run->came,
	};
	struct cs_sample_state *state = state_of(s, run->stream);
	bool show = shown(s, run), in_short;
	struct cs_sample sample;

	if (s->part.spans.n)
		count_gap(s, run);
	if (s->itrace.log_stdout)
		out_flush(&s->out);
	script_log_run(&s->log, run);
	if (!state || cs_samples_run(&s->samples, state, &input))
		return CMD_FAILED;
	in_short = script_edges_run(&s->edges, run) || !show;
	in_short = in_short && cs_samples_in_short(&s->samples) && !s->part.dsos.n &&
		   !s->part.symbols.n;
	if (show && s->around.text)
		return script_around_run(&s->around, run, in_short) ? CMD_FAILED : CMD_OK;
	script_batches_run(&s->batches);
	for (;;) {
		if (in_short && moves(s, run, state))
			return CMD_FAILED;
		if (in_short)
			s->n_samples += script_blocks_print(&s->edges, run, show);
		if (in_short && some_branches(s, show))
			continue;
		if (!cs_samples_next(&s->samples, &sample))
			return CMD_OK;
		if (one_sample(s, run, &sample, show))
			return CMD_FAILED;
	}
}

static int work(struct script *s)
{
	struct perf_replay *replay = s->recording.replay;
	struct perf_run run;
	int ret;

	while ((ret = losses_next(replay, &run)) > 0) {
		if (one_run(s, &run)) {
			ret = -1;
			break;
		}
		progress_at(&s->progress, replay->queues->done);
	}
	progress_stop(&s->progress);
	out_flush(&s->out);
	s->n_samples += s->batches.shown;
	if (s->batches.failed)
		ret = -1;
	return ret < 0 ? failed_while(&s->recording.path, 1, "listing", -ENOMEM) : CMD_OK;
}

static const char *why_empty(const struct perf_replay *replay, uint64_t steps, uint64_t no_code)
{
	if (!replay->queues->total)
		return "it holds no trace";
	if (replay->queues->options.n_cpus && !replay->queues->n_stream)
		return "it has no trace of these CPUs";
	if (replay->queues->no_unit == replay->queues->total)
		return "its trace cannot be decoded";
	if (steps)
		return "nothing that ran was selected";
	return no_code ? "the code that ran is not here" : "its trace has no executed instruction";
}

/* The losses of the decoders or, for a span of time, those counted on the way. */
static uint64_t losses(const struct script *s, struct script_losses *lost)
{
	const struct perf_replay *replay = s->recording.replay;
	uint64_t steps = 0;

	*lost = s->lost;
	for (size_t i = 0; i < replay->queues->n_stream; i++) {
		struct csf_stats stats = { .size = sizeof(stats) };

		csf_stats(replay->queues->stream[i]->dec, &stats);
		steps += stats.steps;
		for (int g = 0; g < CSF_GAP_NR && !s->part.spans.n; g++) {
			lost->gaps[g] += stats.gaps[g];
			lost->lost[g] += stats.lost_by[g];
			lost->bytes[g] += stats.skipped_by[g];
		}
	}
	lost->gaps[CSF_GAP_OFF] = 0;
	if (!lost->lost[CSF_GAP_START])
		lost->gaps[CSF_GAP_START] = 0;
	return steps;
}

/* Prints one line for all losses; then the reason if there was nothing to print. */
static void summary(const struct script *s)
{
	struct script_losses lost;
	const char *separator = ": ";
	uint64_t steps = losses(s, &lost);

	fflush(stdout);
	for (int g = 0; g < CSF_GAP_NR; g++) {
		if (!lost.gaps[g])
			continue;
		if (*separator == ':')
			log_say(LOG_LOST, "csflow: %s: gaps", s->recording.path);
		log_say(LOG_LOST, "%s%s %" PRIu64 " (%" PRIu64 " atoms lost, %" PRIu64
			" bytes skipped)", separator, csf_gap_name(g), lost.gaps[g], lost.lost[g],
			lost.bytes[g]);
		separator = ", ";
	}
	if (*separator == ',')
		log_say(LOG_LOST, "; see 'csflow doctor'\n");
	if (s->around.text)
		log_say(LOG_NOTE, "csflow: %s: %s: executed %" PRIu64 " times\n", s->recording.path,
			s->around.text, s->around.hits);
	else if (!s->n_samples && s->recording.replay->file->usable)
		log_say(LOG_EMPTY, "csflow: %s: no samples: %s; see 'csflow doctor'\n",
			s->recording.path, why_empty(s->recording.replay, steps,
						     lost.lost[CSF_GAP_IMAGE]));
}

/* ---------------------------------------------------------------- the command */

static uint64_t clock_of(const void *replay, uint64_t timestamp)
{
	return perf_replay_time(replay, timestamp);
}

/* Does anything depend on time? */
static bool asks_time(const struct script *s)
{
	const struct cs_samples_options *o = &s->itrace.samples;

	return (s->print.fields.branch | s->print.fields.insn) & SCRIPT_TIME || s->part.spans.n ||
	       o->errors || o->transactions ||
	       ((o->insns || o->cycles) && o->period_unit == CS_PERIOD_TIME);
}

/* Chooses the samples, after the recording was opened. */
static void choose(struct script *s)
{
	const struct perf_replay *replay = s->recording.replay;
	const uint32_t fields = s->print.fields.branch | s->print.fields.insn;
	const struct perf_time_conv *conv = &replay->file->time_conv;
	struct cs_samples_options *o = &s->itrace.samples;

	itrace_period(&s->itrace, conv->mult, 1ull << (conv->shift & 31));
	o->compat = s->compat;
	o->insn_bytes = fields & (SCRIPT_INSN | SCRIPT_INSNLEN | SCRIPT_DISASM);
	o->ipc = fields & SCRIPT_IPC;
	o->moves |= fields & SCRIPT_CALLINDENT;
	o->only_calls = !s->itrace.branches;
	o->timeless |= !replay->timed || !asks_time(s);
	o->clock = clock_of;
	o->clock_context = replay;
	s->print.kinds = o->branches << CS_SAMPLE_BRANCH | o->insns << CS_SAMPLE_INSN |
			 o->cycles << CS_SAMPLE_CYCLES | o->transactions << CS_SAMPLE_TRANSACTION;
	if (!(s->print.kinds & ~(1u << CS_SAMPLE_BRANCH)))
		s->print.fields.insn = 0;
}

/* How samples depend on much earlier trace. */
static struct seek_needs needs(const struct script *s)
{
	const struct cs_samples_options *o = &s->samples.options;
	struct seek_needs n = { .stacks = o->moves, .from_start = s->from_start };

	if (s->itrace.log)
		n.all = "the log has everything";
	else if (o->skip)
		n.all = "what is skipped is counted from the beginning";
	else if (o->compat)
		n.all = "the time of --compat is counted from the beginning";
	else if ((o->insns || o->cycles) && !o->quick &&
		 (o->period != 1 || o->period_unit != CS_PERIOD_INSNS))
		n.all = "a period is counted from the beginning";
	return n;
}

static int start_disasm(struct script *s)
{
	int err = 0;

	if ((s->print.fields.branch | s->print.fields.insn) & SCRIPT_DISASM)
		err = disasm_new(&s->print.dis);
	if (err == -ENOENT)
		log_say(LOG_TOOL, "csflow script: no LLVM library to disassemble with: install libllvm19\n");
	else if (err)
		return failed_while(&s->recording.path, 1, "starting the disassembler", err);
	return err ? CMD_FAILED : CMD_OK;
}

static int start(struct script *s)
{
	struct seek_needs n;
	int err = 0;

	choose(s);
	if (start_disasm(s))
		return CMD_FAILED;
	s->print.replay = s->recording.replay;
	s->print.old = s->columns;
	script_print_init(&s->print);
	cs_samples_init(&s->samples, &s->itrace.samples, s->recording.replay->image);
	n = needs(s);
	if (time_spans_open(&s->part.spans, &s->recording, &n))
		return CMD_FAILED;
	/* stock perf is a timestamp late */
	if (s->compat && s->part.spans.n)
		perf_queues_span(s->recording.replay->queues,
				 s->from_start ? 0 : s->part.spans.from, 0);
	call_stacks_init(&s->stacks, s->itrace.branches);
	s->edges.print = &s->print;
	s->edges.samples = &s->samples;
	s->edges.spans = &s->part.spans;
	s->print.chain_max = s->itrace.chain;
	if (s->max_stack && s->max_stack < s->print.chain_max)
		s->print.chain_max = s->max_stack;
	if (s->itrace.chain)
		s->print.chain = calloc(s->itrace.chain, sizeof(*s->print.chain));
	if ((s->itrace.chain && !s->print.chain) || script_edges_init(&s->edges))
		return failed_while(&s->recording.path, 1, "starting", -ENOMEM);
	s->around.print = &s->print;
	s->around.samples = &s->samples;
	s->around.edges = &s->edges;
	if (s->around.text && script_around_start(&s->around))
		return failed_while(&s->recording.path, 1, "starting", -ENOMEM);
	/* --around searches text; if memory is short, one thread is enough */
	if (s->recording.replay->threads && !s->print.known && !s->around.text &&
	    script_batches_init(&s->batches, s->recording.replay->threads, &s->edges))
		s->batches.threads = NULL;
	if (s->itrace.log)
		err = script_log_open(&s->log, s->itrace.log_stdout ? stdout : NULL);
	if (err)
		log_say(LOG_FILE, "csflow: %s: %s\n", SCRIPT_LOG, strerror(-err));
	return err ? CMD_FAILED : CMD_OK;
}

static void tidy(struct script *s)
{
	script_around_fini(&s->around);
	cs_samples_fini(&s->samples);
	script_batches_fini(&s->batches);
	script_edges_fini(&s->edges);
	disasm_free(s->print.dis);
	call_stacks_fini(&s->stacks);
	recording_close(&s->recording);
	free(s->print.chain);
	free(s->recording.snapshot.elf.value);
	selection_fini(&s->part);
	operands_free(&s->files);
	free(s->state);
	free(s);
}

int cmd_script(int argc, char **argv)
{
	struct script *s = calloc(1, sizeof(*s));
	int status, err;

	if (!s)
		return failed_at_once("script");
	s->out.file = stdout;
	s->print.out = &s->out;
	s->print.inlines = true;
	status = parse(s, argc, argv);
	if (status == CMD_OK)
		status = start(s);
	if (status == CMD_OK) {
		status = work(s);
		err = script_log_close(&s->log);
		if (err) {
			log_say(LOG_FILE, "csflow: %s: %s\n", SCRIPT_LOG, strerror(-err));
			status = CMD_FAILED;
		}
		summary(s);
		if (recording_report(&s->recording))
			status = CMD_FAILED;
	}
	tidy(s);
	return status;
}
