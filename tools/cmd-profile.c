// SPDX-License-Identifier: GPL-2.0-only
/* csflow profile: exact counts, in the formats of optimisers. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../perf-plugin/new-file.h"
#include "lib/build-id.h"
#include "carry/carry-builds.h"
#include "cmd.h"
#include "count/places.h"
#include "profile/count-load.h"
#include "lib/failed.h"
#include "lib/file.h"
#include "lib/log.h"
#include "lib/operands.h"
#include "lib/terminal.h"
#include "profile/profile.h"
#include "profile/quality.h"
#include "input/unchecked.h"
#include "input/losses.h"

/* The most files to name besides the chosen one. */
#define OTHERS_MAX	8

static const char usage[] =
	"profile [OPTIONS] [PERF.DATA|SNAPSHOT|LOG|COUNTS]... | "
	"profile [OPTIONS] ATOM-RUNS|LIST|TEXT...";

/**
 * struct format - a printer
 * @print: NULL: the table itself
 * @of: a file; a file that may be missing, because offsets are enough; the whole table; or calls,
 *      of everything or in a file, which only recordings have
 * @wants: what it needs in a file besides code: the message if that is missing
 */
struct format {
	int (*print)(const struct profile *p);
	enum { FILE_ITSELF, OFFSETS, TABLE, CALLS, FILE_CALLS } of;
	const char *wants;
};

static const char no_symbols[] =
	"no symbols: it was stripped; name it as it was linked, or install its debug file";

static const char no_lines[] =
	"no debug information of what ran: compile with -g, or install its debug file";

/* Name, printer, subject, needs: one format in each row; the first is the default. */
#define FORMATS(F) \
	F("autofdo",		profile_autofdo,	OFFSETS,	NULL) \
	F("profgen",		profile_profgen,	FILE_ITSELF,	NULL) \
	F("perfscript",		profile_perfscript,	FILE_ITSELF,	NULL) \
	F("hybrid",		profile_hybrid,		FILE_CALLS,	NULL) \
	F("llvm",		profile_llvm,		FILE_ITSELF,	no_lines) \
	F("llvm-cs",		profile_cs,		FILE_CALLS,	no_lines) \
	F("extbinary-cs",	profile_cs_extbinary,	FILE_CALLS,	no_lines) \
	F("extbinary",		profile_extbinary,	FILE_ITSELF,	no_lines) \
	F("gcov",		profile_gcov,		FILE_ITSELF,	no_lines) \
	F("bolt",		profile_bolt,		FILE_ITSELF,	NULL) \
	F("bolt-traces",	profile_bolt_traces,	FILE_ITSELF,	NULL) \
	F("fdata",		profile_fdata,		FILE_ITSELF,	no_symbols) \
	F("propeller",		profile_propeller,	FILE_ITSELF,	NULL) \
	F("branch-list",	profile_branch_list,	FILE_ITSELF,	NULL) \
	F("branch-list-v1",	profile_branch_list_v1,	FILE_ITSELF,	NULL) \
	F("branch-list-zstd",	profile_branch_list_zstd, FILE_ITSELF,	NULL) \
	F("folded",		profile_folded,		CALLS,		NULL) \
	F("json",		profile_json,		TABLE,		NULL) \
	F("counts",		NULL,			TABLE,		NULL)

#define FORMAT_ROW(n, p, o, w)	{ .print = (p), .of = (o), .wants = (w) },
static const struct format formats[] = { FORMATS(FORMAT_ROW) };

#define FORMAT_NAME(n, p, o, w)	n,
static const char *const names[] = { FORMATS(FORMAT_NAME) NULL };

static const char *const by_names[] = { "none", "name", "thread", NULL };

/**
 * struct words - the command's options
 * @carry: older builds of the one @binary, or folders of them
 * @inlines: stacks have inlined functions
 * @quality: NULL: a few lines about quality; "": more; else also a file
 * @least: the least percentage of each part of quality
 */
struct words {
	int by, addresses;
	struct opt_list binary, carry;
	const char *out;
	const char *const *path;
	size_t n_path;
	struct perf_replay_options replay;
	const char *range;
	struct selection part;
	struct snapshot_choice snapshot;
	int format;
	bool quiet, inlines;
	const char *quality;
	uint64_t least;
};

static int failed(const char *what, const char *why)
{
	log_say(LOG_FILE, "csflow: %s: %s\n", what, why);
	return CMD_FAILED;
}

static struct dso_key key_of(const struct count_dso *dso)
{
	return (struct dso_key){ .name = dso->name, .kind = dso->kind, .build_id = dso->build_id,
				 .n_build_id = dso->n_build_id };
}

/* ---------------------------------------------------------------- which file */

/*
 * Chooses the file that ran most: among those that are @elf; if @elf is NULL, among the programs
 * that were run, because they called the rest; and if none of these ran, among all files.
 */
static bool choose(struct profile *p, const struct elf_file *elf)
{
	uint64_t most = 0;
	bool program = false;

	for (size_t i = 0; i < p->table->n; i++) {
		const struct count_dso *dso = &p->table->dso[i];
		const struct dso_key key = key_of(dso);
		const uint64_t ran = count_dso_insns(dso);
		const bool better = dso->program == program ? ran > most : ran && dso->program;

		if (elf ? ran > most && dso_fits(&key, elf) : better) {
			most = ran;
			program = dso->program;
			p->dso = i;
		}
	}
	return most;
}

/* No file was requested: reports the chosen one, and the others. */
static void say_chosen(const struct profile *p)
{
	const struct count_dso *chosen = &p->table->dso[p->dso];
	uint64_t all = 0, rest = 0;
	size_t n = 0;

	for (size_t i = 0; i < p->table->n; i++)
		all = count_sum(all, count_dso_insns(&p->table->dso[i]));
	if (count_dso_insns(chosen) == all)
		return;
	log_say(LOG_NOTE, "csflow: this is the profile of %s, %s: %.1f %% of the instructions",
		chosen->name, chosen->program ? "the program that was run" :
		"of which most ran; no program is known to have been run",
		100.0 * count_dso_insns(chosen) / all);
	for (size_t i = 0; i < p->table->n; i++) {
		const uint64_t ran = count_dso_insns(&p->table->dso[i]);

		if (i == p->dso || !ran)
			continue;
		if (n++ < OTHERS_MAX)
			log_say(LOG_NOTE, "%s %s %.1f %%", n > 1 ? "," : "; --binary has others:",
				p->table->dso[i].name, 100.0 * ran / all);
		else
			rest = count_sum(rest, ran);
	}
	if (n > OTHERS_MAX)
		log_say(LOG_NOTE, ", and %zu more, %.1f %%", n - OTHERS_MAX, 100.0 * rest / all);
	log_say(LOG_NOTE, "\n");
}

/* Another build of the file that ran is a better explanation than that nothing ran. */
static int say_none_ran(const struct profile *p, const struct elf_file *elf)
{
	log_say(LOG_EMPTY, "csflow: %s, build-id %s", elf->path,
		build_id_name(elf->build_id, elf->n_build_id).text);
	for (size_t i = 0; i < p->table->n; i++) {
		const struct count_dso *dso = &p->table->dso[i];

		if (strcmp(basename(dso->name), basename(elf->path)) || !dso->n_build_id)
			continue;
		log_say(LOG_ROUGH, ": %s that was recorded has build-id %s; name that file with "
			"--binary\n", dso->name, build_id_hex(dso->build_id, dso->n_build_id).text);
		return CMD_FAILED;
	}
	log_say(LOG_EMPTY, ": nothing of it ran, the profile would be empty; see csflow doctor\n");
	return CMD_FAILED;
}

/* Finds the file for formats that need it; without it, @instead tells what is written. */
static int find_file_or(struct profile *p, struct dso_table *dsos, const char *instead)
{
	const struct count_dso *counts = &p->table->dso[p->dso];
	const struct dso_key key = key_of(counts);
	long n = dso_add(dsos, &key);

	if (n < 0)
		return failed(counts->name, "finding its file: no memory");
	if (dso_load(dsos, dsos->dso[n])) {
		p->elf = dsos->dso[n]->elf;
		return CMD_OK;
	}
	log_say(LOG_FILE, "csflow: %s, build-id %s: %s; name it with --binary or --symfs%s\n",
		counts->name, build_id_name(counts->build_id, counts->n_build_id).text,
		dso_state_name(dsos->dso[n]->state), instead ?: "");
	return instead ? CMD_OK : CMD_FAILED;
}

static int find_file(struct profile *p, struct dso_table *dsos)
{
	return find_file_or(p, dsos, NULL);
}

/* For addresses: the table has offsets of files, and addresses of kernels and modules. */
static int find_addresses(struct profile *p, struct dso_table *dsos, const struct words *w)
{
	const bool offsets = p->table->dso[p->dso].kind == DSO_FILE;
	const char *instead = NULL;
	int status;

	if (offsets && w->addresses == PROFILE_ANY)
		instead = ": without it addresses are offsets in the file, which create_llvm_prof "
			  "0.19 may misread";
	else if (offsets && w->addresses == PROFILE_FILE)
		return CMD_OK;
	status = find_file_or(p, dsos, instead);
	if (p->elf && w->addresses == PROFILE_ANY && profile_addresses_differ(p))
		log_say(LOG_ROUGH, "csflow: %s is not loaded at its file offsets: addresses are those for "
			"create_llvm_prof 0.19 (--addresses=load); for newer versions use "
			"--addresses=file\n", p->elf->path);
	return status;
}

/* ---------------------------------------------------------------- printing */

static int save(const char *path, const char *text, size_t n)
{
	FILE *f;
	int err;

	if (memchr(text, 0, n) && !terminal_takes_binary(path))
		return CMD_USAGE;
	f = new_file(path);

	if (!f)
		return failed(path, file_words(path, -errno));
	err = new_file_close(f, fwrite(text, 1, n, f) == n ? 0 : -errno);
	return err ? failed(path ? path : "standard output", strerror(-err)) : CMD_OK;
}

static int say_why(const struct profile *p, const struct words *w, int err)
{
	const struct format *format = &formats[w->format];
	const struct count_dso *dso = &p->table->dso[p->dso];

	if (format->of == TABLE || format->of == CALLS)
		return failed_while(w->path, w->n_path, "making the profile", err);
	log_say(LOG_FILE, "csflow: %s, build-id %s", p->elf ? p->elf->path : dso->name,
		build_id_name(dso->build_id, dso->n_build_id).text);
	if (err == -EOPNOTSUPP)
		log_say(LOG_FILE, ": a kernel module: it can be written only as autofdo, folded, json and "
			"counts\n");
	else if (err == -EBADMSG)
		log_say(LOG_FILE, ": its probes are damaged: .pseudo_probe, .pseudo_probe_desc\n");
	else
		log_say(LOG_FILE, ": %s\n", err == -ENODATA ? format->wants : strerror(-err));
	return CMD_FAILED;
}

/* Writes only complete output.  @binary: NULL: the chosen file. */
static int print(struct profile *p, const struct words *w, const char *out, const char *binary)
{
	const struct format *f = &formats[w->format];
	struct dso_options options = w->replay.dso;
	struct dso_table dsos = { 0 };
	char *text = NULL;
	size_t n = 0;
	int status = CMD_OK, err;

	if (f->of == FILE_ITSELF || f->of == FILE_CALLS || f->of == OFFSETS) {
		/* of several with one build-id, the requested one */
		if (binary) {
			options.given = &binary;
			options.n_given = 1;
		}
		if (dso_table_init(&dsos, &options))
			return failed_while(w->path, w->n_path, "finding programs", -ENOMEM);
		status = f->of == OFFSETS ? find_addresses(p, &dsos, w) : find_file(p, &dsos);
	}
	if (!status) {
		p->f = open_memstream(&text, &n);
		/* readers of these formats cannot read unlinked files */
		err = !p->f ? -ENOMEM : f->of != OFFSETS && p->elf && p->elf->is_module ?
		      -EOPNOTSUPP : f->print(p);
		if (p->f && fclose(p->f) && !err)
			err = -ENOMEM;
		status = err ? say_why(p, w, err) : save(out, text, n);
	}
	p->elf = NULL;
	free(text);
	unchecked_tell(&dsos);
	if (dsos.hash)
		dso_table_fini(&dsos);
	return status;
}

/* Prints the profile of the requested file. */
static int print_one(const struct profile *all, const struct words *w, const char *binary)
{
	struct profile p = *all;
	struct elf_file *elf = NULL;
	char *out = NULL;
	int status, err = elf_file_open(&elf, binary);

	if (err)
		return failed(binary, file_elf_words(binary, err));
	if (w->binary.n > 1 && asprintf(&out, "%s.%s", w->out, basename(binary)) < 0)
		status = failed(binary, "naming its profile: no memory");
	else if (choose(&p, elf))
		status = print(&p, w, out ? out : w->out, binary);
	else
		status = say_none_ran(&p, elf);
	free(out);
	elf_file_close(elf);
	return status;
}

static bool chooses(const struct selection *part)
{
	return selection_of_runs(part) || part->dsos.n || part->symbols.n;
}

/* If one fails, the others are still printed. */
static int print_all(const struct profile *all, const struct words *w)
{
	struct profile p = *all;
	int status = CMD_OK;

	if (!formats[w->format].print)
		return count_save(p.table, w->out);
	if (formats[w->format].of == TABLE || formats[w->format].of == CALLS)
		return print(&p, w, w->out, NULL);
	for (size_t i = 0; i < w->binary.n; i++)
		if (print_one(all, w, w->binary.value[i]))
			status = CMD_FAILED;
	if (w->binary.n)
		return status;
	if (!choose(&p, NULL))
		return failed("profile", chooses(&w->part) ?
			      "nothing that ran was selected: the profile would be empty" :
			      "no known file ran: the profile would be empty; see csflow doctor");
	if (!w->quiet)
		say_chosen(&p);
	return print(&p, w, w->out, NULL);
}

/* ---------------------------------------------------------------- quality */

/* Adds functions of the printed files, if they have any. */
static int add_functions(struct quality *q, const struct words *w)
{
	struct profile p = { .table = q->table };
	struct dso_table dsos = { 0 };
	int err = 0;

	for (size_t i = 0; i < w->binary.n && !err; i++) {
		struct elf_file *elf = NULL;

		if (!elf_file_open(&elf, w->binary.value[i]) && choose(&p, elf))
			err = quality_add_functions(q, p.dso, elf);
		elf_file_close(elf);
	}
	if (w->binary.n || !choose(&p, NULL))
		return err;
	err = dso_table_init(&dsos, &w->replay.dso);
	if (!err) {
		const struct dso_key key = key_of(&q->table->dso[p.dso]);
		long n = dso_add(&dsos, &key);

		if (n < 0)
			err = n;
		else if (dso_load(&dsos, dsos.dso[n]))
			err = quality_add_functions(q, p.dso, dsos.dso[n]->elf);
		unchecked_tell(&dsos);
		dso_table_fini(&dsos);
	}
	return err;
}

static int save_quality(const struct quality *q, const char *path)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	int status;

	if (f)
		quality_json(q, f);
	if (!f || fclose(f))
		status = failed(path, "no memory");
	else
		status = save(strcmp(path, "-") ? path : NULL, text, n);
	free(text);
	return status;
}

/* Reports the quality of the counts.  Return: CMD_POOR: it is too low. */
static int report(const struct count_table *table, const struct words *w)
{
	const bool file = w->quality && *w->quality;
	struct quality q;
	int status = CMD_OK, err;

	if (w->quiet && !file && !w->least)
		return CMD_OK;			/* not requested */
	err = quality_measure(&q, table);
	if (!err && (file || !w->quiet))
		err = add_functions(&q, w);
	if (err)
		status = failed_while(w->path, w->n_path, "measuring how good it is", err);
	if (!err && !w->quiet)
		quality_print(&q, w->quality && !file, log_to(LOG_NOTE));
	if (!err && file)
		status = save_quality(&q, w->quality);
	if (!err && !quality_enough(&q, w->least, log_to(LOG_NOTE)) && !status)
		status = CMD_POOR;
	quality_fini(&q);
	return status;
}

/* ---------------------------------------------------------------- which part */

static bool is_chosen(struct places *places, const struct words *w, size_t dso, uint64_t offset)
{
	struct place_symbol symbol;

	return !w->part.symbols.n || (places_symbol(places, dso, offset, &symbol) &&
				      opt_list_has_function(&w->part.symbols, symbol.name));
}

static void keep_chosen(struct count_dso *d, struct places *places, const struct words *w,
			size_t dso)
{
	size_t n_block = 0, n_edge = 0;

	for (size_t i = 0; i < d->n_block; i++)
		if (is_chosen(places, w, dso, d->block[i].start))
			d->block[n_block++] = d->block[i];
	for (size_t i = 0; i < d->n_edge; i++)
		if (is_chosen(places, w, dso, d->edge[i].from))
			d->edge[n_edge++] = d->edge[i];
	d->n_block = n_block;
	d->n_edge = n_edge;
}

/* Keeps only counts of chosen files and functions.  Return: CMD_OK, or what to exit with. */
static int choose_code(struct count_table *table, const struct words *w)
{
	struct places places = { 0 };
	int err;

	if (!w->part.dsos.n && !w->part.symbols.n)
		return CMD_OK;
	err = places_init(&places, table, &w->replay.dso);
	for (size_t i = 0; i < table->n && !err; i++) {
		if (selection_has_dso(&w->part, table->dso[i].name)) {
			keep_chosen(&table->dso[i], &places, w, i);
			continue;
		}
		table->dso[i].n_block = 0;
		table->dso[i].n_edge = 0;
	}
	places_fini(&places);
	return err ? failed_while(w->path, w->n_path, "finding functions", err) : CMD_OK;
}

/* Counts of older builds go to the one that is named.  Return: CMD_OK, or what to exit with. */
static int carry_older(struct count_table *table, const struct words *w)
{
	const struct carry_builds builds = {
		.binary = w->binary.n ? w->binary.value[0] : NULL, .from = &w->carry,
		.dso = &w->replay.dso, .functions = w->quality && !*w->quality, .quiet = w->quiet,
		.least = w->least,
	};

	return w->carry.n ? carry_builds(table, &builds) : CMD_OK;
}

static int work(const struct words *w)
{
	const bool counts = formats[w->format].of == FILE_CALLS;
	const bool calls = counts || formats[w->format].of == CALLS;
	const struct count_load_options options = { .replay = w->replay,
						    .part = &w->part,
						    .snapshot = w->snapshot,
						    .addresses = w->addresses };
	struct count_table table = { 0 };
	struct contexts contexts = { .counts = counts, .inlines = calls && !counts && w->inlines };
	const struct profile all = { .table = &table, .contexts = &contexts, .by = w->by,
				     .addresses = w->addresses };
	int status = CMD_FAILED, good = CMD_OK, carried = CMD_OK;
	size_t bad = 0;

	for (size_t i = 0; i < w->n_path; i++)
		bad += !!(calls ? count_load_contexts(&table, &contexts, w->path[i], &options) :
				  count_load(&table, w->path[i], 1, &options));
	if (contexts.inlines && contexts_inline(&contexts)) {
		failed_while(w->path, w->n_path, "dividing inlined functions", -ENOMEM);
		bad = w->n_path;
	} else if (choose_code(&table, w)) {
		bad = w->n_path;
	/* branch lists and texts have no bytes of trace */
	} else if (bad < w->n_path || table.stat[COUNT_BYTES] || table.stat[COUNT_BLOCKS]) {
		carried = carry_older(&table, w);
		good = report(&table, w);
		good = carried ?: good;
		status = print_all(&all, w);
	}
	count_table_fini(&table);
	contexts_fini(&contexts);
	if (bad)
		return CMD_FAILED;
	return status ? status : good;
}

/* The options together.  Return: CMD_OK or CMD_USAGE, which is reported. */
static int check(struct words *w)
{
	const int of = formats[w->format].of;
	const bool calls = of == CALLS || of == FILE_CALLS;

	if (selection_read(&w->part))
		return CMD_USAGE;
	if (w->range && !time_range_parse(w->range, &w->replay.first, &w->replay.end))
		log_say(LOG_USAGE, "csflow: --range %s: not FIRST,END, offsets in the file\n",
			w->range);
	else if ((w->part.dsos.n || w->part.symbols.n) && calls)
		log_say(LOG_USAGE, "csflow profile: a format with callers has all functions: not with --dsos and --symbols; --comms, --tid, --pid and --cpu choose what ran\n");
	else if (w->carry.n && w->binary.n != 1)
		log_say(LOG_USAGE, "csflow profile: --carry-from needs one --binary, the build that gets the counts\n");
	else if (w->carry.n && calls)
		log_say(LOG_USAGE, "csflow profile: a format with callers has them of recordings only: not with --carry-from\n");
	else if (w->binary.n > 1 && !w->out && of != TABLE && of != CALLS)
		log_say(LOG_USAGE, "csflow profile: several programs, and no --output for them\n");
	else
		return CMD_OK;
	return CMD_USAGE;
}

int cmd_profile(int argc, char **argv)
{
	struct words w = { .replay = { .marks = CSF_MARK_TIME }, .addresses = PROFILE_ANY,
			   .inlines = true };
	struct operands files = { .otherwise = "perf.data" };
	const struct opt table[] = {
		OPT_INPUT(&files.inputs),
		OPT_GROUP("The profile:"),
		OPT_CHOICE(0, "for", &w.format, names, "FORMAT", "the format to write"),
		OPT_OUTPUT('o', "output", &w.out, "FILE",
			   "where to write; for several programs FILE.PROGRAM (default: standard "
			   "output)"),
		OPT_LIST(0, "binary", &w.binary, "FILE",
			 "the file of a program that ran, by its build-id (default: the one that was "
			 "run)"),
		OPT_LIST(0, "carry-from", &w.carry, "FILE",
			 "carry counts of FILE, an older build of --binary, or a folder of them"),
		OPT_CHOICE(0, "by", &w.by, by_names, "WHAT",
			   "with folded, the threads to tell apart"),
		OPT_NO("inline", &w.inlines,
		       "with folded, count inlined functions as their callers"),
		OPT_CHOICE(0, "addresses", &w.addresses, profile_address_names, "WHICH",
			   "with autofdo, count from the first loaded byte, for create_llvm_prof "
			   "0.19, or in the file (default: load)"),
		OPT_GROUP("Its quality:"),
		OPT_FLAG('q', "quiet", &w.quiet, "print no statistics"),
		OPT_OPTIONAL(0, "quality", &w.quality, "FILE",
			     "print more about the quality, or write it to FILE as JSON"),
		OPT_U64(0, "min-quality", &w.least, "PERCENT",
			"exit with status 3 if a part of the quality is below PERCENT"),
		OPT_SELECTION(&w.part),
		OPT_STRING(0, "range", &w.range, "FIRST,END",
			   "only trace in these bytes of the file"),
		OPT_FILES_GROUP,
		OPT_SNAPSHOT(&w.snapshot),
		OPT_FILES(&w.replay.dso),
		OPT_SPEED(&w.replay.n_threads),
		OPT_PROGRESS(losses_progress()),
		OPT_END
	};
	int n = options_parse(argc, argv, table, usage), status;

	w.replay.dso.given = w.binary.value;
	w.replay.dso.n_given = w.binary.n;
	status = check(&w);
	if (!status)
		status = operands_take(&files, n, argv, usage);
	w.path = files.path;
	w.n_path = files.n;
	if (!status)
		status = work(&w);
	operands_free(&files);
	free(w.binary.value);
	free(w.carry.value);
	free(w.snapshot.elf.value);
	selection_fini(&w.part);
	return status;
}
