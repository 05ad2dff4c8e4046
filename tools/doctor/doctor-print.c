// SPDX-License-Identifier: GPL-2.0-only
/* The page of csflow doctor: what was recorded, how, and with which result. */
#include <inttypes.h>
#include <stdio.h>

#include "doctor.h"

#define CPUS_MAX	16	/* rows; the rest are in one */

const char *doctor_bytes(uint64_t n, char *buf)
{
	static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
	double v = n;
	int unit = -1;

	while (v >= 1024 && unit < 3) {
		v /= 1024;
		unit++;
	}
	if (unit < 0)
		snprintf(buf, 16, "%" PRIu64 " B", n);
	else
		snprintf(buf, 16, "%.1f %s", v, units[unit]);
	return buf;
}

static void print_file(const struct doctor *d)
{
	const struct perf_file *file = d->recording.replay->file;
	const char *release = perf_file_string(file, PERF_FEATURE_OSRELEASE);
	const char *arch = perf_file_string(file, PERF_FEATURE_ARCH);
	uint32_t online, available;
	char buf[16];

	if (d->recording.copy) {
		printf("%s   %s\n", d->recording.log ? "log     " : "snapshot", d->recording.path);
		return;
	}
	printf("recording  %s, %s, %" PRIu64 " records", d->recording.path,
	       doctor_bytes(file->size, buf), file->n_record);
	if (file->pipe)
		printf(", from a pipe");
	if (file->dir)
		printf(", a directory");
	if (file->n_packed)
		printf(", compressed");
	if (file->foreign)
		printf(", big-endian");
	if (arch || release)
		printf("; of Linux%s%s%s%s", release ? " " : "", release ? release : "",
		       arch ? " " : "", arch ? arch : "");
	if (perf_file_cpus(file, &online, &available))
		printf(", %u CPUs", online);
	printf("\n");
	if (file->problems.total)
		printf("           problems in the file: %" PRIu64 ", of them damage: %" PRIu64
		       " (csflow doctor -v shows all)\n",
		       file->problems.total, file->problems.damage);
}

static void print_trace(const struct doctor *d)
{
	const struct perf_replay *s = d->recording.replay;
	const struct perf_aux *aux = s->aux;
	size_t threads = 0, raw = 0;
	char buf[16];

	for (size_t i = 0; i < aux->n_queue; i++)
		threads += aux->queue[i].cpu == PERF_NO_CPU;
	for (size_t i = 0; i < aux->n_fragment; i++)
		raw += aux->fragment[i].flags & PERF_FRAGMENT_RAW;
	printf("trace      %s in %zu fragment%s (%s), %zu buffer%s of %s%s\n",
	       doctor_bytes(s->queues->total, buf), aux->n_fragment, aux->n_fragment == 1 ? "" : "s",
	       !raw ? "frames" : raw == aux->n_fragment ? "raw" : "raw and frames", aux->n_queue,
	       aux->n_queue == 1 ? "" : "s",
	       !threads ? "CPUs" : threads == aux->n_queue ? "threads" : "CPUs and threads",
	       s->cs && s->cs->snapshot ? ", snapshots" : "");
	if (aux->n_truncated || aux->n_partial || aux->n_collision || aux->n_lost || aux->n_empty)
		printf("           lost while recording: %" PRIu64 " buffers truncated, %" PRIu64
		       " partial, %" PRIu64 " collisions, %" PRIu64 " empty; %s not in the file\n",
		       aux->n_truncated - aux->n_cut, aux->n_partial, aux->n_collision,
		       aux->n_empty, doctor_bytes(doctor_unsaved(aux), buf));
}

/* Do all buffers belong to threads? */
static bool per_thread(const struct perf_aux *aux)
{
	for (size_t i = 0; i < aux->n_queue; i++)
		if (aux->queue[i].cpu != PERF_NO_CPU)
			return false;
	return aux->n_queue;
}

static const char *pid_source(const struct perf_replay *s, enum perf_cs_pid pid)
{
	switch (pid) {
	case PERF_CS_PID_NONE:
		if (per_thread(s->aux))
			return "the buffers, each of which is of a thread";
		if (s->switches.n_switch)
			return "context switches, for there is nothing in the trace";
		if (s->switches.n_tracepoint)
			return "sched_switch tracepoints, for there is nothing in the trace";
		if (s->switches.only != PERF_NO_TID)
			return "nothing in the trace: user code is that of the one process";
		if (s->switches.several)
			return "nothing in the trace: which of several processes ran cannot be "
			       "told (record with contextid)";
		return "nothing in the trace (record with contextid)";
	case PERF_CS_PID_CONTEXTID:
		return "CONTEXTIDR_EL1";
	case PERF_CS_PID_VMID:
		return "CONTEXTIDR_EL2";
	}
	return "";
}

static const char *time_source(const struct perf_replay *s)
{
	if (s->timed)
		return "timestamps in the trace (virtual counter)";
	if (!s->cs->timestamps)
		return "AUX records: the trace has no timestamps, so maps are those of when a "
		       "buffer was emptied";
	if (!s->cs->virtual_time)
		return "AUX records: the trace has timestamps, but not of the virtual counter";
	if (!s->file->time_conv.mult)
		return "AUX records: the file does not say how to convert timestamps (TIME_CONV)";
	return "AUX records, as asked for";
}

/* Prints what addresses and paths alone do not show. */
static void print_world(const struct perf_replay *s)
{
	const struct perf_tasks *tasks = s->tasks;
	const struct perf_namespaces *ns = &tasks->namespaces;

	if (tasks->n_symbol || tasks->n_poke)
		printf("kernel     made code at run time: %zu symbol%s; changed code %zu time%s\n",
		       tasks->n_symbol, tasks->n_symbol == 1 ? "" : "s", tasks->n_poke,
		       tasks->n_poke == 1 ? "" : "s");
	if (ns->n < 2)
		return;
	printf("containers %zu mount namespaces: a path may be another file in each; processes",
	       ns->n);
	for (size_t i = 0; i < ns->n && i < 8; i++)
		printf(" %u", ns->mount[i].pid);
	printf("%s\n", ns->n > 8 ? " ..." : "");
}

static void print_metadata(const struct doctor *d)
{
	const struct perf_replay *s = d->recording.replay;
	const struct perf_cs *cs = s->cs;
	const struct perf_cs_cpu *unit = s->queues->n_stream ? s->queues->stream[0]->unit : NULL;
	bool differ = false;

	if (!cs) {
		printf("metadata   none that can be read\n");
		return;
	}
	if (!unit && cs->n_cpu)
		unit = &cs->cpu[0];
	for (size_t i = 0; unit && i < s->queues->n_stream; i++)
		differ |= s->queues->stream[i]->unit->pid != unit->pid;
	printf("metadata   version %u, %zu CPUs, trace IDs from %s\n", cs->version, cs->n_cpu,
	       cs->has_hw_id ? "HW_ID records" : "metadata");
	if (unit)
		printf("threads    from %s%s; %zu known, %zu maps\n", pid_source(s, unit->pid),
		       differ ? " (not the same on all CPUs)" : "", s->tasks->n_thread,
		       s->tasks->n_mmap);
	printf("time       from %s\n", time_source(s));
}

static const char *unit_name(const struct perf_stream *stream, char *buf, size_t n)
{
	const struct csf_config *config = &stream->unit->config;
	const enum csf_protocol protocol = csf_config_protocol(config);

	snprintf(buf, n, "%s%s.%d", csf_protocol_name(protocol),
		 protocol == CSF_PROTOCOL_ETM4 || protocol == CSF_PROTOCOL_ETM3 ? "" : "1",
		 csf_config_version(config) & 15);
	return buf;
}

static void print_streams(const struct doctor *d)
{
	const struct perf_replay *s = d->recording.replay;
	uint64_t rest = 0;

	if (s->queues->n_stream)
		printf("\n  CPU   ID  unit         bytes     packets   A-syncs  every     gaps"
		       "       lost\n");
	for (size_t i = 0; i < s->queues->n_stream; i++) {
		const struct perf_stream *stream = s->queues->stream[i];
		struct csf_stats st = { .size = sizeof(st) };
		char unit[16], bytes[16], every[16] = "never";
		uint64_t gaps = 0;

		csf_stats(stream->dec, &st);
		if (i >= CPUS_MAX) {
			rest += st.bytes;
			continue;
		}
		for (int g = 0; g < CSF_GAP_NR; g++)
			gaps += g == CSF_GAP_OFF ? 0 : st.gaps[g];
		if (st.async)
			doctor_bytes(st.bytes / st.async, every);
		printf("%5u   %02x  %-9s %9s %11" PRIu64 " %9" PRIu64 "  %-8s %5" PRIu64 " %10"
		       PRIu64 "\n", stream->cpu, stream->id, unit_name(stream, unit, sizeof(unit)),
		       doctor_bytes(st.bytes, bytes), st.packets, st.async, every, gaps, st.lost);
	}
	if (s->queues->n_stream > CPUS_MAX)
		printf("  and %zu more, %" PRIu64 " bytes\n", s->queues->n_stream - CPUS_MAX, rest);
}

/* Prints trace of unknown units. */
static void print_strangers(const struct doctor *d)
{
	const uint64_t *id = d->unread.id;

	if (id[0])
		printf("   ID 00: %" PRIu64 " bytes of no trace unit: damaged frames\n", id[0]);
	for (int i = 1; i < CSF_ID_MAX; i++)
		if (id[i])
			printf("   ID %02x: %" PRIu64 " bytes of a trace unit that the metadata "
			       "does not name\n", i, id[i]);
}

static void print_gaps(const struct doctor *d)
{
	struct csf_report report;
	bool head = false;

	for (int g = 0; g < CSF_GAP_NR; g++) {
		if (!d->stats.gaps[g])
			continue;
		if (!head)
			printf("\n  gap             times       lost    skipped\n");
		head = true;
		csf_report_code(CSF_REPORT_GAP, g, &report);
		printf("  %-12s %8" PRIu64 " %10" PRIu64 " %10" PRIu64 "  %s%s\n", csf_gap_name(g),
		       d->stats.gaps[g], d->stats.lost_by[g], d->stats.skipped_by[g],
		       report.words, g == CSF_GAP_IMAGE ? ": see below" : "");
	}
}

void doctor_print(const struct doctor *d)
{
	print_file(d);
	print_trace(d);
	print_metadata(d);
	print_world(d->recording.replay);
	print_streams(d);
	print_strangers(d);
	print_gaps(d);
	doctor_print_files(d);
	doctor_print_verdict(d);
}
