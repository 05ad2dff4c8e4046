// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/file.h"
#include "../source/source.h"
#include "../tarmac/tarmac-read.h"
#include "../truth/truth.h"
#include "encode-log.h"
#include "encode-recording.h"

/* Branches have the times of the log, nearly. */
#define UNIT		"ete=1.1,rs,cid,ts=16"

/* A Tarmac log may begin with this much other text. */
#define LOOK_MAX	(1u << 16)

/* ---------------------------------------------------------------- which files */

static bool is_text(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] < ' ' && !strchr("\t\r\n", p[i] ? p[i] : 1))
			return false;
	return n;
}

/* Has it a line of Tarmac near the beginning?  Of a pipe the line is not looked for. */
static bool has_tarmac(const char *path)
{
	struct tarmac_reader reader = { .path = path };
	struct tarmac_record r;
	bool has = false;

	if (!strcmp(path, "-") || file_is_pipe(path))
		return true;
	if (!tarmac_open(&reader))
		while (!has && reader.offset < LOOK_MAX && tarmac_next(&reader, &r) > 0)
			has = !r.wrong && r.kind == TARMAC_INST;
	tarmac_close(&reader);
	problems_free(&reader.problems);
	return has;
}

static bool is(const char *path, const void *head, size_t n)
{
	return truth_is(head, n) || (is_text(head, n) && has_tarmac(path));
}

/* ---------------------------------------------------------------- conversion */

/* What the log leaves out is in the programs: it is read again with them. */
static int encode(struct encode_log *log, struct source *source,
		  const struct encode_programs *programs)
{
	int err = encode_log(log, source);

	if (err || !log->encode.stats.no_code || !programs->n)
		return err;
	encode_log_fini(log);
	*log = (struct encode_log){ .who = log->who, .path = log->path, .setup = log->setup,
				    .default_id = log->default_id };
	for (size_t i = 0; i < programs->n && !err; i++)
		err = encode_code_elf(&log->code, ENCODE_OWN_PID, programs->program[i].path,
				      programs->program[i].offset);
	return err ? err : encode_log(log, source);
}

static const char *why_not_changed(const struct encode_log *log)
{
	return log->code.changed && log->out.n_trace > 1 && !log->encode.has_clock ?
	       "no common clock: some streams may be decoded with code of another time" : NULL;
}

static void tell_programs(const struct encode_programs *programs, struct problems *problems)
{
	for (size_t i = 0; i < programs->n; i++)
		if (!programs->program[i].ran)
			problems_warn(problems, programs->program[i].path, 0,
				      "the log executed nothing of it, or other code at its addresses: its names are not used");
}

static int put(struct encode_log *log, const char *path, struct encode_programs *programs,
	       struct problems *problems, int fd)
{
	const char *slash = strrchr(path, '/');
	int err;

	log->out.name = !strcmp(path, "-") ? "log" : slash ? slash + 1 : path;
	log->out.path = log->out.name == path || slash ? path : log->out.name;
	log->out.programs = programs->n ? programs : NULL;
	log->out.to = fdopen(dup(fd), "wb");
	if (!log->out.to)
		return -errno;
	err = encode_out_perf(&log->out);
	if (fclose(log->out.to) && !err)
		err = -errno;
	if (!err)
		tell_programs(programs, problems);
	return err;
}

static int convert(struct problems *problems, const char *path, struct source *source,
		   const struct snapshot_choice *choice, int fd)
{
	char problem[ENC_PROBLEM_MAX];
	struct enc_setup setup;
	struct encode_log log = { .who = "csflow", .path = path, .setup = &setup,
				  .default_id = ENCODE_OWN_PID };
	struct encode_programs programs = { 0 };
	int err = enc_setup_parse(&setup, UNIT, problem) ? -EINVAL : 0, bad;

	if (!err)
		err = encode_programs_open(&programs, &choice->elf, problems);
	if (!err) {
		bad = encode(&log, source, &programs);
		encode_log_tell(&log, why_not_changed(&log));
		/* all that was read is shown, whatever errors came after it */
		err = bad == -ENOMEM ? bad : put(&log, path, &programs, problems, fd);
	}
	encode_log_fini(&log);
	encode_programs_close(&programs);
	return err;
}

static int write_log(struct problems *problems, const char *path,
		     const struct snapshot_choice *choice, int fd)
{
	const struct source_options options = {
		.snapshot.implicit_thumb = choice->implicit_thumb,
	};
	struct source *source;
	int err;

	/* it may have been looked at before */
	if (!strcmp(path, "-"))
		lseek(STDIN_FILENO, 0, SEEK_SET);
	err = source_open(&source, path, &options);
	if (!err)
		err = convert(problems, path, source, choice, fd);
	if (source)
		source_take_problems(source, problems);
	if (err && !problems->n)
		problems_error(problems, path, 0, "%s", strerror(-err));
	source_close(source);
	return err;
}

const struct recording_log encode_recording = { .is = is, .write = write_log };
