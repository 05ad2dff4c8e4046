// SPDX-License-Identifier: GPL-2.0-only
/* csflow profile: exact counts, in the words of those who optimise programs. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "count-load.h"
#include "options.h"
#include "profile.h"

static const char usage[] = "profile [OPTIONS] PERF.DATA|COUNTS...";

/**
 * struct format - a printer
 * @print: NULL: the table itself
 * @of: a file; one that need not be there, for offsets will do; or all of the table
 * @wants: what it needs in a file besides code: words for who has not got it
 */
struct format {
	int (*print)(const struct profile *p);
	enum { FILE_ITSELF, OFFSETS, TABLE } of;
	const char *wants;
};

static const char no_symbols[] =
	"no symbols: it was stripped; name it as it was linked, or install its debug file";

static const char no_lines[] =
	"no debug information of what ran: compile with -g, or install its debug file";

/* Name, printer, what of, what it wants: one a row; the first is the default. */
#define FORMATS(F) \
	F("autofdo",		profile_autofdo,	OFFSETS,	NULL) \
	F("profgen",		profile_profgen,	FILE_ITSELF,	NULL) \
	F("perfscript",		profile_perfscript,	FILE_ITSELF,	NULL) \
	F("llvm",		profile_llvm,		FILE_ITSELF,	no_lines) \
	F("extbinary",		profile_extbinary,	FILE_ITSELF,	no_lines) \
	F("gcov",		profile_gcov,		FILE_ITSELF,	no_lines) \
	F("bolt",		profile_bolt,		FILE_ITSELF,	NULL) \
	F("bolt-traces",	profile_bolt_traces,	FILE_ITSELF,	NULL) \
	F("fdata",		profile_fdata,		FILE_ITSELF,	no_symbols) \
	F("propeller",		profile_propeller,	FILE_ITSELF,	NULL) \
	F("json",		profile_json,		TABLE,		NULL) \
	F("counts",		NULL,			TABLE,		NULL)

#define FORMAT_ROW(n, p, o, w)	{ .print = (p), .of = (o), .wants = (w) },
static const struct format formats[] = { FORMATS(FORMAT_ROW) };

#define FORMAT_NAME(n, p, o, w)	n,
static const char *const names[] = { FORMATS(FORMAT_NAME) NULL };

/* The command's options. */
struct words {
	struct opt_list binary;
	const char *out;
	struct perf_session_options session;
	int format;
};

static int failed(const char *what, const char *why)
{
	fprintf(stderr, "csflow: %s: %s\n", what, why);
	return CMD_FAILED;
}

static void print_id(const uint8_t *id, size_t n)
{
	fprintf(stderr, "build-id %s", n ? "" : "unknown");
	for (size_t i = 0; i < n; i++)
		fprintf(stderr, "%02x", id[i]);
}

static struct dso_key key_of(const struct count_dso *dso)
{
	return (struct dso_key){ .name = dso->name, .kind = dso->kind, .build_id = dso->build_id,
				 .n_build_id = dso->n_build_id };
}

/* ---------------------------------------------------------------- which file */

/* Of those that are @elf, or of all if that is NULL, the one of which most ran. */
static bool choose(struct profile *p, const struct elf_file *elf)
{
	uint64_t most = 0;

	for (size_t i = 0; i < p->table->n; i++) {
		const struct count_dso *dso = &p->table->dso[i];
		const struct dso_key key = key_of(dso);
		uint64_t ran = 0;

		for (size_t k = 0; k < dso->n_block; k++)
			ran = count_sum(ran, count_times(count_ran(&dso->block[k]),
							 dso->block[k].n_insn));
		if (ran > most && (!elf || dso_fits(&key, elf))) {
			most = ran;
			p->dso = i;
		}
	}
	return most;
}

/* A file of that name that is another one explains more than that nothing ran. */
static int say_none_ran(const struct profile *p, const struct elf_file *elf)
{
	fprintf(stderr, "csflow: %s, ", elf->path);
	print_id(elf->build_id, elf->n_build_id);
	for (size_t i = 0; i < p->table->n; i++) {
		const struct count_dso *dso = &p->table->dso[i];

		if (strcmp(basename(dso->name), basename(elf->path)) || !dso->n_build_id)
			continue;
		fprintf(stderr, ": %s that was recorded has ", dso->name);
		print_id(dso->build_id, dso->n_build_id);
		fprintf(stderr, "; name that file with --binary\n");
		return CMD_FAILED;
	}
	fprintf(stderr, ": nothing of it ran, the profile would be empty; see csflow doctor\n");
	return CMD_FAILED;
}

/* The file itself, for formats that want it. */
static int find_file(struct profile *p, struct dso_table *dsos)
{
	const struct count_dso *counts = &p->table->dso[p->dso];
	const struct dso_key key = key_of(counts);
	long n = dso_add(dsos, &key);

	if (n < 0)
		return failed("profile", "no memory");
	if (dso_load(dsos, dsos->dso[n])) {
		p->elf = dsos->dso[n]->elf;
		return CMD_OK;
	}
	fprintf(stderr, "csflow: %s, ", counts->name);
	print_id(counts->build_id, counts->n_build_id);
	fprintf(stderr, ": %s; name it with --binary or --symfs\n",
		dso_state_name(dsos->dso[n]->state));
	return CMD_FAILED;
}

/* ---------------------------------------------------------------- printing */

static int save(const char *path, const char *text, size_t n)
{
	FILE *f = path ? fopen(path, "wb") : stdout;
	bool bad;

	if (!f)
		return failed(path, strerror(errno));
	bad = fwrite(text, 1, n, f) != n;
	if (path && fclose(f))
		bad = true;
	return bad ? failed(path ? path : "standard output", strerror(errno)) : CMD_OK;
}

static int say_why(const struct profile *p, const struct format *format, int err)
{
	const struct count_dso *dso = &p->table->dso[p->dso];

	if (format->of == TABLE)
		return failed("profile", strerror(-err));
	fprintf(stderr, "csflow: %s, ", p->elf ? p->elf->path : dso->name);
	print_id(dso->build_id, dso->n_build_id);
	if (err == -EOPNOTSUPP)
		fprintf(stderr, ": a kernel module: for these there are autofdo, json and counts\n");
	else
		fprintf(stderr, ": %s\n", err == -ENODATA ? format->wants : strerror(-err));
	return CMD_FAILED;
}

/* Nothing is written, unless it is whole. */
static int print(struct profile *p, const struct words *w, const char *out)
{
	const struct format *f = &formats[w->format];
	struct dso_table dsos = { 0 };
	char *text = NULL;
	size_t n = 0;
	int status = CMD_OK, err;

	if (f->of == FILE_ITSELF) {
		if (dso_table_init(&dsos, &w->session.dso))
			return failed("profile", "no memory");
		status = find_file(p, &dsos);
	}
	if (!status) {
		p->f = open_memstream(&text, &n);
		err = p->f ? f->print(p) : -ENOMEM;
		if (p->f && fclose(p->f) && !err)
			err = -ENOMEM;
		status = err ? say_why(p, f, err) : save(out, text, n);
	}
	p->elf = NULL;
	free(text);
	if (dsos.hash)
		dso_table_fini(&dsos);
	return status;
}

/* Of the file that is asked for. */
static int print_one(const struct count_table *table, const struct words *w, const char *binary)
{
	struct profile p = { .table = table };
	struct elf_file *elf = NULL;
	char *out = NULL;
	int status, err = elf_file_open(&elf, binary);

	if (err)
		return failed(binary, strerror(-err));
	if (w->binary.n > 1 && asprintf(&out, "%s.%s", w->out, basename(binary)) < 0)
		status = failed("profile", "no memory");
	else if (choose(&p, elf))
		status = print(&p, w, out ? out : w->out);
	else
		status = say_none_ran(&p, elf);
	free(out);
	elf_file_close(elf);
	return status;
}

/* One that fails is no reason not to print the others. */
static int print_all(const struct count_table *table, const struct words *w)
{
	struct profile p = { .table = table };
	int status = CMD_OK;

	if (!formats[w->format].print)
		return count_save(table, w->out);
	if (formats[w->format].of == TABLE)
		return print(&p, w, w->out);
	for (size_t i = 0; i < w->binary.n; i++)
		if (print_one(table, w, w->binary.value[i]))
			status = CMD_FAILED;
	if (w->binary.n)
		return status;
	if (!choose(&p, NULL))
		return failed("profile", "nothing ran whose file is known: it would be empty; see csflow doctor");
	return print(&p, w, w->out);
}

/* How much of the trace it stands on. */
static void quality(const struct count_table *table)
{
	const uint64_t *s = table->stat;
	uint64_t lost = 0;

	for (int g = 0; g < CSF_GAP_NR; g++)
		lost = count_sum(lost, s[COUNT_LOST + g]);
	fprintf(stderr, "csflow: %" PRIu64 " bytes of trace, %" PRIu64 " instructions in %" PRIu64
		" blocks; lost: %" PRIu64 " atoms, %" PRIu64 " bytes\n", s[COUNT_BYTES],
		s[COUNT_INSNS], s[COUNT_BLOCKS], lost, s[COUNT_SKIPPED]);
	for (int g = 0; g < CSF_GAP_NR; g++)
		if (s[COUNT_LOST + g])
			fprintf(stderr, "csflow:   %s: %" PRIu64 " atoms lost\n", csf_gap_name(g),
				s[COUNT_LOST + g]);
	for (size_t i = 0; i < table->n; i++) {
		const struct count_dso *dso = &table->dso[i];

		if (!dso->lost)
			continue;
		fprintf(stderr, "csflow:   for want of %s, ", dso->name);
		print_id(dso->build_id, dso->n_build_id);
		fprintf(stderr, ": %" PRIu64 " atoms lost; see csflow doctor, name it with --binary\n",
			dso->lost);
	}
}

static int work(const struct words *w, int n, char **paths)
{
	struct count_table table = { 0 };
	int status, bad = 0;

	for (int i = 0; i < n; i++)
		bad += !!count_load(&table, paths[i], 1, &w->session);
	if (bad == n && !table.stat[COUNT_BYTES]) {
		count_table_fini(&table);
		return CMD_FAILED;
	}
	quality(&table);
	status = print_all(&table, w);
	count_table_fini(&table);
	return status || !bad ? status : CMD_FAILED;
}

int cmd_profile(int argc, char **argv)
{
	struct words w = { .session = { .marks = CSF_MARK_TIME } };
	const struct opt table[] = {
		OPT_CHOICE(0, "for", &w.format, names, "FORMAT",
			   "what to write; the first of these"),
		OPT_LIST(0, "binary", &w.binary, "FILE",
			 "a program, by its build-id; else the one that ran most"),
		OPT_STRING('o', "output", &w.out, "FILE",
			   "write there, of several programs to FILE.PROGRAM; standard output"),
		OPT_THREADS(&w.session.n_threads),
		OPT_STRING(0, "symfs", &w.session.dso.symfs, "DIR", "look for files below DIR"),
		OPT_STRING('k', "vmlinux", &w.session.dso.vmlinux, "FILE",
			   "the kernel that was traced"),
		OPT_STRING(0, "buildid-dir", &w.session.dso.debug_dir, "DIR",
			   "perf's build-id cache; ~/.debug"),
		OPT_END
	};
	int n = options_parse(argc, argv, table, usage), status = CMD_USAGE;

	w.session.dso.given = w.binary.value;
	w.session.dso.n_given = w.binary.n;
	if (!n)
		fprintf(stderr, "csflow: profile: no recording\n");
	else if (w.binary.n > 1 && !w.out && formats[w.format].of != TABLE)
		fprintf(stderr, "csflow: profile: several programs, and no --output for them\n");
	else
		status = work(&w, n, argv + 1);
	free(w.binary.value);
	return status;
}
