// SPDX-License-Identifier: GPL-2.0-only
/* csflow script: the branches and instructions of a recording, as perf script lists them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "options.h"
#include "progress.h"
#include "recording.h"
#include "script-print.h"

static const char usage[] = "script [OPTIONS] [PERF.DATA]";

/* perf's own, if --itrace=i names none */
#define DEFAULT_PERIOD	100000

/**
 * struct script - the command at work
 * @itrace: what --itrace asked for
 * @comms: names of threads that are shown, n_comms of them; 0: all; likewise @tids and @pids
 * @state: of each stream, n_state of them
 */
struct script {
	struct recording recording;
	struct cs_samples_options itrace;
	bool compat;
	struct opt_list comms;
	struct perf_cpus *tids, *pids;
	size_t n_tids, n_pids;
	struct cs_sample_state *state;
	size_t n_state;
	struct cs_samples samples;
	struct script_print print;
	struct progress progress;
	struct out out;
	uint64_t n_samples;
};

/* ---------------------------------------------------------------- options */

/*
 * "b", "i100i", "bi1i", "e".  What perf ignores for CoreSight is ignored; a
 * period in time is refused, because perf takes its number for instructions.
 */
static const char *parse_itrace(struct script *s, const char *text)
{
	s->itrace = (struct cs_samples_options){ 0 };
	for (const char *p = text; *p;) {
		char c = *p++;

		if (c == 'b') {
			s->itrace.branches = true;
		} else if (c == 'i') {
			char *end = (char *)p;

			s->itrace.insns = true;
			s->itrace.period = DEFAULT_PERIOD;
			if (*p >= '0' && *p <= '9')
				s->itrace.period = strtoull(p, &end, 10);
			p = end;
			if (*p == 'i')
				p++;
			else if (*p && strchr("tnmu", *p))
				return "a period in time: only instructions can be counted";
			if (!s->itrace.period)
				return "a period of 0";
		} else if (c == 'e') {
			s->itrace.errors = true;
		} else if (c == 'Z') {
			s->recording.options.timeless = true;
		} else if (c == 'l') {
			s->itrace.last_branch = true;
			while (*p >= '0' && *p <= '9')
				p++;
		} else if (!strchr(",crxwpodfmtaAgGlLsq", c) && (c < '0' || c > '9')) {
			return "an option that perf does not know";
		} else if (c == 'c' || c == 'r') {
			s->itrace.branches = true;
		}
	}
	return NULL;
}

static int wrong(const char *option, const char *value, const char *why)
{
	fprintf(stderr, "csflow: %s %s: %s\n", option, value, why);
	return CMD_USAGE;
}

/* What the words of options mean; @itrace and so on may be NULL. */
static int understand(struct script *s, const char *itrace, const char *tids, const char *pids)
{
	const char *why = itrace ? parse_itrace(s, itrace) : NULL;

	if (why)
		return wrong("--itrace", itrace, why);
	if (tids && !recording_ranges(tids, &s->tids, &s->n_tids))
		return wrong("--tid", tids, "no list of numbers");
	if (pids && !recording_ranges(pids, &s->pids, &s->n_pids))
		return wrong("--pid", pids, "no list of numbers");
	return CMD_OK;
}

static int parse(struct script *s, int argc, char **argv)
{
	struct dso_options *dso = &s->recording.options.dso;
	const char *fields = NULL, *itrace = NULL, *tids = NULL, *pids = NULL, *why = NULL;
	bool progress = false;
	const struct opt table[] = {
		OPT_STRING('i', "input", &s->recording.path, "FILE", "the recording; perf.data"),
		OPT_STRING('F', "fields", &fields, "LIST",
			   "comm,pid,tid,cpu,time,event,ip,sym,symoff,dso,addr,flags,insn,"
			   "insnlen,period,srcline; +FIELD, -FIELD change the default"),
		OPT_STRING(0, "itrace", &itrace, "WHAT",
			   "b: branches (default); iNi: every Nth instruction; e: gaps; "
			   "Z: ignore timestamps"),
		OPT_STRING('C', "cpu", &s->recording.cpus, "LIST", "only these CPUs, as 0,4-7"),
		OPT_LIST('c', "comms", &s->comms, "NAME", "only threads of this name"),
		OPT_STRING(0, "tid", &tids, "LIST", "only these threads"),
		OPT_STRING(0, "pid", &pids, "LIST", "only these processes"),
		OPT_STRING(0, "symfs", &dso->symfs, "DIR", "look for files below DIR"),
		OPT_STRING('k', "vmlinux", &dso->vmlinux, "FILE", "the kernel that was traced"),
		OPT_STRING(0, "kcore", &dso->kcore, "FILE", "an image of its memory"),
		OPT_STRING(0, "kallsyms", &dso->kallsyms, "FILE", "names of its functions"),
		OPT_STRING(0, "buildid-dir", &dso->debug_dir, "DIR",
			   "perf's build-id cache; ~/.debug"),
		OPT_FLAG(0, "compat", &s->compat, "choose as perf with OpenCSD does"),
		OPT_FLAG(0, "ns", &s->print.ns, "times to the nanosecond"),
		OPT_FLAG(0, "full-source-path", &s->print.full_path, "source files with directory"),
		OPT_FLAG(0, "progress", &progress, "show how far it is"),
		OPT_FLAG('v', "verbose", &s->recording.verbose, "say what is unusual, too"),
		OPT_END
	};
	int n = options_parse(argc, argv, table, usage), status;

	if (n > 1)
		return wrong("script", argv[2], "one recording at a time");
	if (n)
		s->recording.path = argv[1];
	status = understand(s, itrace, tids, pids);
	if (status)
		return status;
	s->recording.options.marks = CSF_MARK_TIME;
	status = recording_open(&s->recording);
	if (status)
		return status;
	s->print.fields.branch = SCRIPT_DEFAULT | (s->recording.session->timed ? SCRIPT_TIME : 0);
	s->print.fields.insn = s->print.fields.branch & ~SCRIPT_ADDR;
	if (fields)
		why = script_fields_parse(&s->print.fields, fields);
	if (why)
		return wrong("-F", fields, why);
	progress_start(&s->progress, "decoding", s->recording.session->queues->total, progress);
	return CMD_OK;
}

/* ---------------------------------------------------------------- filters */

static bool in(const struct perf_cpus *list, size_t n, uint32_t v)
{
	for (size_t i = 0; i < n; i++)
		if (v >= list[i].first && v <= list[i].last)
			return true;
	return !n;
}

/* One -c may name several, with commas between them. */
static bool in_list(const char *list, const char *word)
{
	size_t n = strlen(word);

	for (const char *p = list; p; p = strchr(p, ',')) {
		p += *p == ',';
		if (!strncmp(p, word, n) && (!p[n] || p[n] == ','))
			return true;
	}
	return false;
}

static bool named(struct script *s, const struct perf_run *run)
{
	char buf[16];
	const char *comm;

	if (!s->comms.n)
		return true;
	comm = script_comm(&s->print, run, buf);
	for (size_t i = 0; i < s->comms.n; i++)
		if (in_list(s->comms.value[i], comm))
			return true;
	return false;
}

static bool shown(struct script *s, const struct perf_run *run)
{
	return in(s->tids, s->n_tids, run->who.tid) && in(s->pids, s->n_pids, run->who.pid) &&
	       named(s, run);
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

static int one_run(struct script *s, const struct perf_run *run)
{
	const struct cs_samples_input input = {
		.dec = run->stream->dec, .run = &run->run, .starts = run->starts,
	};
	struct cs_sample_state *state = state_of(s, run->stream);
	bool show = shown(s, run);
	struct cs_sample sample;

	if (!state)
		return CMD_FAILED;
	if (cs_samples_run(&s->samples, state, &input))
		return CMD_FAILED;
	while (cs_samples_next(&s->samples, &sample))
		if (show) {
			script_print(&s->print, run, &sample);
			s->n_samples++;
		}
	return CMD_OK;
}

static int work(struct script *s)
{
	struct perf_session *session = s->recording.session;
	struct perf_run run;
	int ret;

	while ((ret = perf_session_next(session, &run)) > 0) {
		if (one_run(s, &run)) {
			ret = -1;
			break;
		}
		progress_at(&s->progress, session->queues->done);
	}
	progress_stop(&s->progress);
	out_flush(&s->out);
	if (ret < 0)
		fprintf(stderr, "csflow: no memory\n");
	return ret < 0 ? CMD_FAILED : CMD_OK;
}

static const char *why_empty(const struct perf_session *session, uint64_t steps, uint64_t no_code)
{
	if (!session->queues->total)
		return "it holds no trace";
	if (session->queues->no_unit == session->queues->total)
		return "its trace cannot be decoded";
	if (steps)
		return "none of what ran was asked for";
	return no_code ? "the code that ran is not here" : "its trace says of nothing that it ran";
}

/* Losses, one line for all of them; then why there is nothing, if there is nothing. */
static void summary(const struct script *s)
{
	const struct perf_session *session = s->recording.session;
	uint64_t gaps[CSF_GAP_NR] = { 0 }, lost[CSF_GAP_NR] = { 0 }, bytes[CSF_GAP_NR] = { 0 };
	const char *separator = ": ";
	uint64_t steps = 0;

	for (size_t i = 0; i < session->queues->n_stream; i++) {
		struct csf_stats stats = { .size = sizeof(stats) };

		csf_stats(session->queues->stream[i]->dec, &stats);
		steps += stats.steps;
		for (int g = 0; g < CSF_GAP_NR; g++) {
			gaps[g] += stats.gaps[g];
			lost[g] += stats.lost_by[g];
			bytes[g] += stats.skipped_by[g];
		}
	}
	gaps[CSF_GAP_OFF] = 0;
	if (!lost[CSF_GAP_START])
		gaps[CSF_GAP_START] = 0;
	fflush(stdout);
	for (int g = 0; g < CSF_GAP_NR; g++) {
		if (!gaps[g])
			continue;
		if (*separator == ':')
			fprintf(stderr, "csflow: %s: gaps", s->recording.path);
		fprintf(stderr, "%s%s %" PRIu64 " (%" PRIu64 " atoms lost, %" PRIu64
			" bytes skipped)", separator, csf_gap_name(g), gaps[g], lost[g], bytes[g]);
		separator = ", ";
	}
	if (*separator == ',')
		fprintf(stderr, "; see 'csflow doctor'\n");
	if (!s->n_samples)
		fprintf(stderr, "csflow: %s: no samples: %s; see 'csflow doctor'\n",
			s->recording.path, why_empty(session, steps, lost[CSF_GAP_IMAGE]));
}

static void tidy(struct script *s)
{
	cs_samples_fini(&s->samples);
	recording_close(&s->recording);
	free(s->comms.value);
	free(s->tids);
	free(s->pids);
	free(s->state);
	free(s);
}

static uint64_t clock_of(const void *session, uint64_t timestamp)
{
	return perf_session_time(session, timestamp);
}

int cmd_script(int argc, char **argv)
{
	struct script *s = calloc(1, sizeof(*s));
	int status;

	if (!s)
		return CMD_FAILED;
	s->itrace.branches = true;
	s->out.file = stdout;
	s->print.out = &s->out;
	status = parse(s, argc, argv);
	if (status == CMD_OK) {
		s->print.session = s->recording.session;
		if (!s->itrace.period)
			s->print.fields.insn = 0;
		s->itrace.compat = s->compat;
		s->itrace.insn_bytes = true;
		if (s->recording.session->timed) {
			s->itrace.clock = clock_of;
			s->itrace.clock_context = s->recording.session;
		} else {
			s->itrace.timeless = true;
		}
		script_print_init(&s->print);
		cs_samples_init(&s->samples, &s->itrace, s->recording.session->image);
		status = work(s);
		summary(s);
		if (recording_report(&s->recording))
			status = CMD_FAILED;
	}
	tidy(s);
	return status;
}
