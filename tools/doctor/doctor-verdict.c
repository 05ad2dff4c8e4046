// SPDX-License-Identifier: GPL-2.0-only
/*
 * The last line of the page: the verdict.  Each cause has one function, which prints
 * the cause, how often it was seen, and the remedy for that cause alone; doctor_test.sh has an
 * input that gives each cause, and a similar one that does not.
 */
#include <inttypes.h>
#include <stdio.h>

#include "doctor.h"

/* TRCCONFIGR: settings that make trace larger than the path, or smaller. */
#define CONFIG_BB	(1u << 3)
#define CONFIG_CYCLES	(1u << 4)
#define CONFIG_TIMES	(1u << 11)
#define CONFIG_RETSTACK	(1u << 12)

static uint64_t missing(const struct doctor *d)
{
	return d->lost + d->gaps;
}

/* Do some, or all, decoded units have this bit of TRCCONFIGR? */
static bool configured(const struct doctor *d, uint32_t bit, bool all)
{
	const struct perf_queues *queues = d->recording.replay->queues;
	size_t n = 0;

	for (size_t i = 0; i < queues->n_stream; i++)
		n += !!(queues->stream[i]->unit->config.trcconfigr & bit);
	return all ? n == queues->n_stream : n;
}

/* Is no unit configured to trace context IDs? */
static bool nameless(const struct doctor *d)
{
	const struct perf_queues *queues = d->recording.replay->queues;

	for (size_t i = 0; i < queues->n_stream; i++)
		if (queues->stream[i]->unit->pid != PERF_CS_PID_NONE)
			return false;
	return true;
}

/* Is there an unchecked file, which may not be the one that ran? */
static bool doubtful(const struct doctor *d)
{
	for (size_t i = 1; i <= d->n_dso; i++)
		if (d->dso[i].steps && d->dso[i].dso->state == DSO_UNCHECKED)
			return true;
	return false;
}

/* ---------------------------------------------------------------- nothing was decoded */

/* The reason for an empty trace. */
static const char *why_no_trace(const struct doctor *d)
{
	const struct perf_replay *s = d->recording.replay;

	if (doctor_unsaved(s->aux))
		return "trace was written, and it is not in the file: it was not saved, as where a "
		       "disk is full, or is cut off (see trace)";
	if (s->file->problems.damage)
		return "it holds no trace, and the file is damaged: what the records after the "
		       "damage had is not known";
	if (s->aux->n_truncated)
		return "every AUX record is empty and truncated: the buffer was full; larger "
		       "buffers (perf record -m ,64M) help";
	if (s->aux->n_empty)
		return "every AUX record is empty: the sink got no trace";
	return "it holds no trace: nothing ran while tracing was on, the filter let nothing "
	       "pass, or the recording ended before any trace was written";
}

/* The reason if all atoms are lost because code is missing: by the most frequent kind. */
static const char *why_no_code(const struct doctor *d)
{
	const uint64_t known = d->lost - d->no_context - d->unknown_tid;

	if (d->no_context > known && d->no_context >= d->unknown_tid)
		return nameless(d) ?
		       "the trace does not say which thread it is of, so no user code is known: "
		       "record with contextid, or per thread" :
		       "no trace unit has said which thread it is of, so no user code is known";
	if (d->unknown_tid > known)
		return "no record names the threads in the trace: what they had mapped is unknown";
	return "the code that was executed is not here: see the files above";
}

/* The reason if nothing was decoded: the first that fits. */
static const char *why_empty(const struct doctor *d)
{
	const struct perf_replay *s = d->recording.replay;

	if (!s->file->usable)
		return "this is not a perf.data";
	if (!s->file->auxtrace_info.size)
		return "the file has no AUXTRACE_INFO record: no hardware trace was recorded "
		       "(perf record -e cs_etm//)";
	if (!s->cs)
		return "its AUXTRACE_INFO record is not of CoreSight, or cannot be read";
	if (!s->queues->total)
		return why_no_trace(d);
	if (s->queues->no_unit == s->queues->total)
		return "no fragment belongs to a trace unit that can be decoded (ETMv4, ETE): see "
		       "metadata";
	if (!s->queues->n_stream)
		return "no trace of the CPUs that were asked for";
	if (!d->stats.async)
		return "there is no A-sync in all the trace: it is not what the metadata says, or "
		       "all of it is damaged";
	if (missing(d))
		return why_no_code(d);
	if (d->stats.lost || d->stats.skipped)
		return "all of it is in the gaps above";
	return "according to the trace no instruction was executed";
}

/* ---------------------------------------------------------------- some of it was */

static bool say_code(const struct doctor *d)
{
	if (missing(d))
		printf("; %.1f%% of the blocks and atoms need code that is not here: see the files "
		       "above", doctor_share(d, missing(d)));
	return missing(d);
}

static bool say_threads(const struct doctor *d)
{
	if (d->no_context)
		printf("; %" PRIu64 " atoms of unknown threads%s", d->no_context,
		       nameless(d) ? ": record with contextid, or per thread" :
				     ": no trace unit had said yet which thread it is");
	if (d->unknown_tid)
		printf("; %" PRIu64 " atoms of threads that no record names", d->unknown_tid);
	return d->no_context || d->unknown_tid;
}

/* Reports losses because buffers in memory were full. */
static bool say_buffers(const struct doctor *d)
{
	const struct perf_aux *aux = d->recording.replay->aux;
	const uint64_t times = aux->n_truncated - aux->n_cut + d->stats.gaps[CSF_GAP_BREAK];

	if (times)
		printf("; trace was lost while recording because a buffer was full: larger buffers "
		       "(perf record -m ,64M) or a filter help");
	return times;
}

/* Reports other flags of AUX records; they do not tell whether a buffer was full. */
static bool say_records(const struct doctor *d)
{
	const struct perf_aux *aux = d->recording.replay->aux;
	const uint64_t times = aux->n_partial + aux->n_collision;

	if (times)
		printf("; %" PRIu64 " AUX records say that trace is missing in or after them "
		       "(partial, collision)", times);
	return times;
}

static bool say_unsaved(const struct doctor *d)
{
	const struct perf_replay *s = d->recording.replay;
	const uint64_t bytes = doctor_unsaved(s->aux);
	char buf[16];

	if (bytes)
		printf("; %s of trace was written and is not in the file: %s",
		       doctor_bytes(bytes, buf), s->cs && s->cs->snapshot ?
		       "it is in no snapshot, as where newer trace overwrote it" :
		       "it was not saved, as where a disk is full, or is cut off");
	return bytes;
}

/* Reports overflows of the unit's own FIFO: no buffer in memory helps. */
static bool say_overflow(const struct doctor *d)
{
	const uint64_t times = d->stats.gaps[CSF_GAP_OVERFLOW];

	if (!times)
		return false;
	printf("; the trace unit overflowed %" PRIu64 " times, which buffers do not help: trace "
	       "less at once: only user code (cs_etm//u) or a filter", times);
	if (configured(d, CONFIG_BB, false))
		printf(", no branch broadcast");
	if (configured(d, CONFIG_CYCLES, false))
		printf(", no cycle counts");
	if (configured(d, CONFIG_TIMES, false))
		printf(", fewer timestamps");
	if (!configured(d, CONFIG_RETSTACK, true))
		printf(", a return stack (retstack)");
	return true;
}

static bool say_damage(const struct doctor *d)
{
	const uint64_t packets = d->stats.gaps[CSF_GAP_PACKET];
	const uint64_t walks = d->stats.gaps[CSF_GAP_WALK], returns = d->stats.gaps[CSF_GAP_STACK];

	if (packets)
		printf("; %" PRIu64 " places contradict the protocol: the trace is damaged, or the "
		       "metadata is wrong", packets);
	if (walks)
		printf("; %" PRIu64 " places contradict the code%s", walks, doubtful(d) ?
		       ": an unchecked file above may not be the one that ran" : "");
	if (returns)
		printf("; %" PRIu64 " returns lead back to no call that is known%s", returns,
		       doubtful(d) ? ": an unchecked file above may not be the one that ran" : "");
	return packets || walks || returns;
}

/* Reports the other gaps; nothing is lost where tracing was off. */
static bool say_others(const struct doctor *d)
{
	const uint64_t *gaps = d->stats.gaps;
	const uint64_t others = gaps[CSF_GAP_START] + gaps[CSF_GAP_DISCARD] + gaps[CSF_GAP_CUT] +
				gaps[CSF_GAP_ADDRESS] + gaps[CSF_GAP_SPECULATION];

	if (others)
		printf("; %" PRIu64 " other gaps, see above", others);
	return others;
}

static bool say_unnamed(const struct doctor *d)
{
	if (d->unnamed)
		printf("; %" PRIu64 " times the trace does not say what was executed (Q elements)",
		       d->unnamed);
	return d->unnamed;
}

static bool say_unread(const struct doctor *d)
{
	const uint64_t unknown = d->unread.total - d->unread.cut - d->unread.nameless;

	if (unknown)
		printf("; %" PRIu64 " bytes are of no trace unit that is known", unknown);
	if (d->unread.nameless)
		printf("; %" PRIu64 " bytes are of frames before the first trace ID",
		       d->unread.nameless);
	if (d->unread.cut)
		printf("; %" PRIu64 " bytes are of frames whose end is missing", d->unread.cut);
	return d->unread.total;
}

static bool (*const causes[])(const struct doctor *d) = {
	say_code, say_threads, say_buffers, say_records, say_unsaved, say_overflow, say_damage,
	say_others, say_unnamed, say_unread,
};

void doctor_print_verdict(const struct doctor *d)
{
	const struct perf_replay *s = d->recording.replay;
	bool told = false;

	printf("\nverdict    ");
	if (!d->steps) {
		printf("nothing can be decoded: %s\n", why_empty(d));
		return;
	}
	printf("%" PRIu64 " instructions in %" PRIu64 " blocks decoded", d->insns, d->steps);
	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++)
		told |= causes[i](d);
	if (!told && !d->stats.lost && !s->aux->n_lost && !s->file->problems.damage)
		printf("; nothing is missing");
	printf("\n");
}
