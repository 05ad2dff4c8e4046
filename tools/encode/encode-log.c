// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "../lib/log.h"
#include "encode-log.h"

/* Trace IDs, from the first on */
#define ID_FIRST	0x10
#define ID_LAST		0x6f

#define TIDS_MAX	65536

/* ---------------------------------------------------------------- streams */

static int add_tid(void *owner, uint32_t pid, uint32_t tid)
{
	struct encode_log *c = owner;
	struct encode_tid *grown;

	for (size_t i = c->out.n_tid; i--;)
		if (c->out.tid[i].pid == pid && c->out.tid[i].tid == tid)
			return 0;
	if (c->out.n_tid == TIDS_MAX)
		return 0;
	if (c->out.n_tid == c->tids) {
		c->tids = 2 * c->tids + 16;
		grown = realloc(c->out.tid, c->tids * sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		c->out.tid = grown;
	}
	c->out.tid[c->out.n_tid++] = (struct encode_tid){ .pid = pid, .tid = tid };
	return 0;
}

/* Writes the encoder's bytes to the stream's file. */
static int drain(struct encode_log *c, struct encode_trace *trace)
{
	const uint8_t *bytes;
	long n = enc_take(c->encode.encoder, &bytes);

	if (n < 0)
		return -ENOMEM;
	trace->n += n;
	return n && fwrite(bytes, 1, n, trace->file) != n ? -errno : 0;
}

static int one_stream(struct encode_log *c, struct source *source,
		      const struct source_stream *stream, struct encode_trace *trace)
{
	struct source_item item;
	int ret;

	c->encode.pid = ENCODE_OWN_PID;
	ret = encode_start(&c->encode, c->setup, c->default_id);
	if (!ret)
		ret = source_start(source, stream);
	while (!ret && (ret = source_next(source, &item)) > 0) {
		ret = encode_item(&c->encode, &item);
		if (!ret && enc_pending(c->encode.encoder) > 1 << 16)
			ret = drain(c, trace);
		if (c->progress)
			progress_at(c->progress, source_done(source));
	}
	if (c->encode.encoder) {
		encode_end(&c->encode, !c->open_end);
		trace->end = c->encode.clock;
		if (!ret)
			ret = drain(c, trace);
		/* errors are reported here, because rewind() forgets them */
		if (!ret && fflush(trace->file))
			ret = -errno;
	}
	enc_free(c->encode.encoder);
	c->encode.encoder = NULL;
	return ret;
}

static bool wanted(const struct encode_log *c, uint32_t number)
{
	for (size_t i = 0; i < c->n_cpus; i++)
		if (number >= c->cpus[i].first && number <= c->cpus[i].last)
			return true;
	return !c->n_cpus;
}

static struct encode_trace *new_trace(struct encode_log *c, const struct source_stream *stream)
{
	struct encode_out *out = &c->out;
	struct encode_trace *grown = realloc(out->trace, (out->n_trace + 1) * sizeof(*grown));
	struct encode_trace *trace;

	if (!grown)
		return NULL;
	out->trace = grown;
	trace = &grown[out->n_trace];
	*trace = (struct encode_trace){ .file = tmpfile(), .id = ID_FIRST + out->n_trace };
	if (!trace->file)
		return NULL;
	trace->number = stream->by == SOURCE_THREAD ? out->n_trace : stream->any ? 0 :
			stream->number;
	out->n_trace++;
	return trace;
}

int encode_log(struct encode_log *c, struct source *source)
{
	struct source_stream stream;
	struct encode_trace *trace;
	int ret;

	c->out.setup = c->setup;
	c->out.code = &c->code;
	c->encode.code = &c->code;
	c->encode.tid_seen = add_tid;
	c->encode.tid_owner = c;
	ret = add_tid(c, ENCODE_OWN_PID, ENCODE_OWN_PID);
	for (size_t n = 0; !ret && source_stream(source, n, &stream); n++) {
		if (!wanted(c, stream.number))
			continue;
		if (ID_FIRST + c->out.n_trace > ID_LAST) {
			log_say(LOG_ROUGH, "%s: more CPUs or threads than trace IDs: the first %d\n",
				c->who, ID_LAST - ID_FIRST + 1);
			break;
		}
		trace = new_trace(c, &stream);
		ret = trace ? one_stream(c, source, &stream, trace) : -errno;
	}
	return ret;
}

/* ---------------------------------------------------------------- results */

static void tell_lost(const struct encode_log *c)
{
	const struct encode_stats *s = &c->encode.stats;
	const char *separator = ": ";
	uint64_t lost = 0;

	for (int why = ENC_KEPT + 1; why < ENC_LOST_NR; why++)
		lost += s->lost[why];
	if (!lost)
		return;
	log_say(LOG_LOST, "%s: %" PRIu64 " of %" PRIu64
		" instructions are not in the trace", c->who, lost, s->insns);
	for (int why = ENC_KEPT + 1; why < ENC_LOST_NR; why++) {
		if (!s->lost[why])
			continue;
		log_say(LOG_LOST, "%s%s %" PRIu64, separator, enc_lost_name(why), s->lost[why]);
		separator = ", ";
	}
	log_say(LOG_LOST, "\n");
}

/* Reports @n records that trace cannot carry, the first in line @line. */
static void tell_first(const struct encode_log *c, uint64_t n, uint64_t line, const char *what)
{
	if (!n)
		return;
	log_say(LOG_INPUT, "%s: %" PRIu64 "%s", c->who, n, what);
	if (line)
		log_say(LOG_INPUT, "; first at %s:%" PRIu64, c->path, line);
	log_say(LOG_LOST, "\n");
}

void encode_log_tell(const struct encode_log *c, const char *why_not_changed)
{
	const struct encode_stats *s = &c->encode.stats;
	uint64_t bytes = 0;

	for (size_t i = 0; i < c->out.n_trace; i++)
		bytes += c->out.trace[i].n;
	if (c->verbose)
		log_say(LOG_NOTE, "%s: %" PRIu64 " instructions, %" PRIu64 " exceptions, %"
			PRIu64 " bytes of trace of %zu trace units\n", c->who, s->insns,
			s->exceptions, bytes, c->out.n_trace);
	tell_lost(c);
	tell_first(c, s->jumps, s->first_jump,
		   " times the log goes on elsewhere without a reason: the trace has a gap there");
	tell_first(c, s->no_code, s->first_no_code,
		   " instructions have no opcode in the log, nor in an --elf");
	tell_first(c, s->wide, s->first_wide,
		   " instructions are A64, which this trace unit cannot trace");
	tell_first(c, s->open, s->first_open,
		   " times the log ends with a branch whose target is not known");
	tell_first(c, s->faulted, s->first_fault,
		   " instructions faulted: they are in the log, and not in the trace");
	if (why_not_changed)
		log_say(LOG_ROUGH, "%s: code changed, %" PRIu64 " times an instruction differed from before, first at 0x%"
			PRIx64 ": %s\n", c->who, c->code.changed, c->code.changed_at,
			why_not_changed);
}

void encode_log_fini(struct encode_log *c)
{
	for (size_t i = 0; i < c->out.n_trace; i++)
		fclose(c->out.trace[i].file);
	free(c->out.trace);
	free(c->out.tid);
	free(c->out.failed);
	encode_code_fini(&c->code);
}
