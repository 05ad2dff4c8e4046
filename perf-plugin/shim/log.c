// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/time64.h>

#include "log.h"
#include "../perf-sample.h"

/* ---------------------------------------------------------------- only what precedes an error */

/* Keeps the last part of the text. */
static ssize_t keep(void *cookie, const char *text, size_t n)
{
	struct csflow_log *log = cookie;
	const size_t max = 2 * log->keep;
	const size_t all = n;

	if (n > max) {
		text += n - max;
		n = max;
	}
	if (log->n + n > max) {
		const size_t stays = min_t(size_t, log->n, max - n);

		memmove(log->text, log->text + log->n - stays, stays);
		log->n = stays;
	}
	memcpy(log->text + log->n, text, n);
	log->n += n;
	return all;
}

static int open_kept(struct csflow_log *log, size_t size)
{
	const cookie_io_functions_t functions = { .write = keep };

	log->keep = size;
	log->text = malloc(2 * size + 1);
	log->kept = fopencookie(log, "w", functions);
	return log->text && log->kept ? 0 : -ENOMEM;
}

/* Writes whole lines of the kept text, no more than was asked for. */
static void write_kept(struct csflow_log *log)
{
	const char *from, *end;

	if (!log->kept)
		return;
	fflush(log->kept);
	from = log->text;
	end = from + log->n;
	if (log->n > log->keep) {
		from = memchr(end - log->keep - 1, '\n', log->keep + 1);
		from = from ? from + 1 : end;
	}
	fwrite(from, 1, end - from, log->file);
	log->n = 0;
}

/* ---------------------------------------------------------------- packets */

/* Prints the rest of the current piece of ring @queue. */
static int finish_piece(struct csflow_log *log, u32 queue)
{
	struct csflow_dump *dump = log->dump[queue];
	int err = dump ? csflow_dump_until(dump, 0, UINT64_MAX) : 0;

	csflow_dump_free(dump);
	log->dump[queue] = NULL;
	return err;
}

static void print_head(struct csflow_log *log, const struct plugin_piece *piece,
		       const struct csflow_dump *dump)
{
	out_flush(log->out);
	fprintf(log->out->file, "\n. ... CoreSight %s Trace data: size %#zx bytes, at %#" PRIx64,
		csflow_dump_protocol(dump), (size_t)piece->size, (uint64_t)piece->offset);
	if (piece->cpu != PLUGIN_NONE)
		fprintf(log->out->file, ", cpu %u", piece->cpu);
	fputc('\n', log->out->file);
}

/* The ring of @run may have come to another piece. */
static int enter_piece(struct csflow_log *log, const struct plugin_run *run)
{
	struct plugin_piece piece;
	int err;

	if (log->dump[run->queue] && log->piece[run->queue] == run->offset)
		return 0;
	err = finish_piece(log, run->queue);
	if (err || !plugin_piece(log->plugin, run->offset, 1, 0, &piece))
		return err;
	log->piece[run->queue] = run->offset;
	err = csflow_dump_new(&log->dump[run->queue], log->plugin, &piece, log->out);
	if (!err)
		print_head(log, &piece, log->dump[run->queue]);
	return err;
}

/* Makes room for entry @number.  Return: 0, -ENOMEM. */
static int grow(void **array, size_t *n, size_t size, u32 number)
{
	const size_t more = 2 * (size_t)number + 8;
	void *p;

	if (number < *n)
		return 0;
	p = realloc(*array, more * size);
	if (!p)
		return -ENOMEM;
	memset(p + *n * size, 0, (more - *n) * size);
	*array = p;
	*n = more;
	return 0;
}

static int make_room(struct csflow_log *log, const struct plugin_run *run)
{
	size_t n = log->n_dump;

	if (grow((void **)&log->piece, &n, sizeof(*log->piece), run->queue) ||
	    grow((void **)&log->dump, &log->n_dump, sizeof(*log->dump), run->queue) ||
	    grow((void **)&log->error, &log->n_error, sizeof(*log->error), run->stream))
		return -ENOMEM;
	return 0;
}

/* ---------------------------------------------------------------- errors */

static void print_time(FILE *file, u64 time)
{
	if (time)
		fprintf(file, ", time %" PRIu64 ".%09" PRIu64, (uint64_t)time / NSEC_PER_SEC,
			(uint64_t)time % NSEC_PER_SEC);
}

static void print_gap(struct csflow_log *log, const struct plugin_run *run,
		      const struct csflow_who *who)
{
	const struct cs_sample what = { .code = run->run->value, .lost = run->run->lost };
	const struct csflow_dump *dump = log->dump[run->queue];
	const u8 id = dump ? csflow_dump_id(dump, run->id) : run->id;
	const bool still = log->error[run->stream] & LOG_OPEN;
	const u64 idx = dump ? csflow_dump_index(dump, run->id, run->at) : DUMP_NO_INDEX;
	FILE *file = log->out->file;
	char text[64];

	out_flush(log->out);
	if (idx == DUMP_NO_INDEX)
		fprintf(file, "\tID:%x;\t", id);
	else
		fprintf(file, "\tIdx:%" PRIu64 "; ID:%x;\t", (uint64_t)idx, id);
	if (!cs_gap_is_loss(run->run)) {
		fprintf(file, "not traced: %s\n", csf_gap_name(run->run->value));
		return;
	}
	cs_sample_error_text(&what, text, sizeof(text));
	fprintf(file, "%s: %s: at %#" PRIx64 ", cpu %u, pid %d, tid %d",
		still ? "the same error" : "error", text, run->run->addr, run->cpu, who->pid,
		who->tid);
	print_time(file, run->time ? run->time : run->aux_time);
	if (run->run->bytes)
		fprintf(file, ", %" PRIu64 " bytes skipped", run->run->bytes);
	fprintf(file, " [gap-%s]\n", csf_gap_name(run->run->value));
	write_kept(log);
}

static void print_resumed(struct csflow_log *log, const struct plugin_run *run)
{
	const u64 addr = csf_block_addr(run->dec, run->run, csf_step_block(run->run->step[0]));
	const struct csflow_dump *dump = log->dump[run->queue];
	const u8 id = dump ? csflow_dump_id(dump, run->id) : run->id;

	out_flush(log->out);
	fprintf(log->file, "\tID:%x;\tdecoding goes on at %#" PRIx64 "\n", id, (uint64_t)addr);
}

/* Logs what the steps and the end of a run say of the error before it. */
static void pass_error(struct csflow_log *log, const struct plugin_run *run)
{
	u8 *error = &log->error[run->stream];

	if (run->run->n && *error & LOG_WAITS)
		print_resumed(log, run);
	if (run->run->n)
		*error = 0;
	if (run->run->end != CSF_END_GAP || !(run->run->flags & CSF_GAP_MORE))
		*error &= ~LOG_OPEN;
}

int csflow_log_run(struct csflow_log *log, const struct plugin_run *run,
		   const struct csflow_who *who)
{
	int err;

	if (!log->file)
		return 0;
	err = make_room(log, run);
	if (!err)
		err = enter_piece(log, run);
	if (err)
		return err;
	pass_error(log, run);
	if (run->run->end != CSF_END_GAP)
		return 0;
	if (log->dump[run->queue])
		err = csflow_dump_until(log->dump[run->queue], run->id, run->at);
	print_gap(log, run, who);
	if (cs_gap_is_loss(run->run))
		log->error[run->stream] = LOG_OPEN | LOG_WAITS;
	return err;
}

void csflow_log_event(struct csflow_log *log, const union perf_event *event,
		      const struct perf_sample *sample)
{
	if (!log->events)
		return;
	out_flush(log->out);
	fprintf(log->out->file, "perf event %s: cpu %d, pid %d, tid %d",
		perf_event__name(event->header.type), (int)sample->cpu, (int)sample->pid,
		(int)sample->tid);
	print_time(log->out->file, sample->time == ~0ULL ? 0 : sample->time);
	fputc('\n', log->out->file);
}

/* ---------------------------------------------------------------- the file */

static int prepare(struct csflow_log *log, const struct itrace_synth_opts *opts)
{
	log->events = opts->log_plus_flags & AUXTRACE_LOG_FLG_ALL_PERF_EVTS;
	log->out = calloc(1, sizeof(*log->out));
	if (!log->out)
		return -ENOMEM;
	if (opts->log_plus_flags & AUXTRACE_LOG_FLG_ON_ERROR &&
	    open_kept(log, opts->log_on_error_size))
		return -ENOMEM;
	log->out->file = log->kept ? log->kept : log->file;
	return 0;
}

int csflow_log_open(struct csflow_log *log, const struct itrace_synth_opts *opts,
		    struct plugin *plugin)
{
	int err;

	*log = (struct csflow_log){ .plugin = plugin };
	if (!opts->log)
		return 0;
	log->file = opts->log_plus_flags & AUXTRACE_LOG_FLG_USE_STDOUT ? stdout :
									 fopen(LOG_NAME, "we");
	if (!log->file) {
		pr_warning("csflow: %s cannot be written, so there is no log: %s\n", LOG_NAME,
			   strerror(errno));
		return 0;
	}
	err = prepare(log, opts);
	if (err)
		csflow_log_close(log);
	return err;
}

int csflow_log_end(struct csflow_log *log)
{
	int err = 0;

	if (!log->file)
		return 0;
	for (u32 i = 0; i < log->n_dump && !err; i++)
		err = finish_piece(log, i);
	out_flush(log->out);
	return err;
}

void csflow_log_close(struct csflow_log *log)
{
	bool bad = false;

	for (size_t i = 0; i < log->n_dump; i++)
		csflow_dump_free(log->dump[i]);
	if (log->kept)
		fclose(log->kept);
	if (log->file == stdout)
		bad = fflush(stdout);
	else if (log->file)
		bad = ferror(log->file) | fclose(log->file);
	if (bad)
		pr_warning("csflow: the log could not be written\n");
	free(log->text);
	free(log->dump);
	free(log->piece);
	free(log->error);
	free(log->out);
	*log = (struct csflow_log){ 0 };
}
