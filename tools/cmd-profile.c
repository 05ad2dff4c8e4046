// SPDX-License-Identifier: GPL-2.0-only
/* csflow profile: exact counts, in the words of those who optimise programs. */
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

enum { FOR_AUTOFDO, FOR_PROFGEN, FOR_BOLT, FOR_COUNTS };
static const char *const formats[] = { "autofdo", "profgen", "bolt", "counts", NULL };

/* The command's options. */
struct words {
	const char *binary, *out;
	struct dso_options dso;
	int format;
};

static int failed(const char *what, const char *why)
{
	fprintf(stderr, "csflow: %s: %s\n", what, why);
	return CMD_FAILED;
}

static bool has_id(const struct count_dso *dso, const struct elf_file *elf)
{
	return dso->n_build_id && dso->n_build_id <= elf->n_build_id &&
	       !memcmp(dso->build_id, elf->build_id, dso->n_build_id);
}

/* The file that is asked for; else the one that ran most. */
static int choose(struct profile *p, const char *binary)
{
	uint64_t most = 0;

	p->dso = p->table->n;
	for (size_t i = 0; i < p->table->n; i++) {
		const struct count_dso *dso = &p->table->dso[i];
		uint64_t ran = 0;

		for (size_t k = 0; k < dso->n_block; k++)
			ran = count_sum(ran, count_times(count_ran(&dso->block[k]),
							 dso->block[k].n_insn));
		if (ran > most && (!binary || has_id(dso, p->elf))) {
			most = ran;
			p->dso = i;
		}
	}
	if (p->dso < p->table->n)
		return CMD_OK;
	if (binary)
		return failed(binary, "none of what ran has its build-id; see csflow doctor");
	return failed("profile", "nothing ran whose file is known: it would be empty; see csflow doctor");
}

/* The file itself, for formats that want its addresses. */
static int find_binary(struct profile *p, struct dso_table *dsos)
{
	const struct count_dso *counts = &p->table->dso[p->dso];
	const struct dso_key key = { .name = counts->name, .kind = counts->kind,
				     .build_id = counts->build_id,
				     .n_build_id = counts->n_build_id };
	long n = dso_add(dsos, &key);

	if (n < 0)
		return failed("profile", "no memory");
	if (dso_load(dsos, dsos->dso[n])) {
		p->elf = dsos->dso[n]->elf;
		return CMD_OK;
	}
	fprintf(stderr, "csflow: %s, build-id ", counts->name);
	for (size_t i = 0; i < counts->n_build_id; i++)
		fprintf(stderr, "%02x", counts->build_id[i]);
	fprintf(stderr, "%s: %s; name it with --binary or --symfs\n",
		counts->n_build_id ? "" : "unknown", dso_state_name(dsos->dso[n]->state));
	return CMD_FAILED;
}

static int print(struct profile *p, const struct words *w)
{
	struct dso_table dsos = { 0 };
	int status = CMD_OK, err;

	if (w->format != FOR_AUTOFDO && !p->elf) {
		if (dso_table_init(&dsos, &w->dso))
			return failed("profile", "no memory");
		status = find_binary(p, &dsos);
	}
	p->f = status ? NULL : w->out ? fopen(w->out, "w") : stdout;
	if (!status && !p->f)
		status = failed(w->out, strerror(errno));
	if (!status) {
		err = w->format == FOR_BOLT ? profile_bolt(p) :
		      profile_text(p, w->format == FOR_PROFGEN);
		if (w->out && fclose(p->f) && !err)
			err = -errno;
		if (err)
			status = failed(w->out ? w->out : "profile", strerror(-err));
	}
	if (dsos.hash) {
		p->elf = NULL;
		dso_table_fini(&dsos);
	}
	return status;
}

/* How much of the trace it stands on. */
static void quality(const struct profile *p)
{
	const uint64_t *s = p->table->stat;
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
	for (size_t i = 0; i < p->table->n; i++)
		if (p->table->dso[i].lost)
			fprintf(stderr, "csflow:   for want of %s: %" PRIu64 " atoms lost; see csflow doctor\n",
				p->table->dso[i].name, p->table->dso[i].lost);
}

static int work(const struct words *w, int n, char **paths)
{
	struct count_table table = { 0 };
	struct profile p = { .table = &table };
	struct elf_file *elf = NULL;
	int status = CMD_OK, bad = 0, err = w->binary ? elf_file_open(&elf, w->binary) : 0;

	if (err)
		return failed(w->binary, strerror(-err));
	p.elf = elf;
	for (int i = 0; i < n; i++)
		bad += !!count_load(&table, paths[i], 1, &w->dso);
	if (bad == n && !table.stat[COUNT_BYTES]) {
		elf_file_close(elf);
		count_table_fini(&table);
		return CMD_FAILED;
	}
	quality(&p);
	if (w->format == FOR_COUNTS) {
		status = count_save(&table, w->out);
	} else {
		status = choose(&p, w->binary);
		if (!status)
			status = print(&p, w);
	}
	elf_file_close(elf);
	count_table_fini(&table);
	return status || !bad ? status : CMD_FAILED;
}

int cmd_profile(int argc, char **argv)
{
	struct words w = { .format = FOR_AUTOFDO };
	const struct opt table[] = {
		OPT_CHOICE(0, "for", &w.format, formats, "FORMAT",
			   "for create_llvm_prof, llvm-profgen, perf2bolt, csflow merge"),
		OPT_STRING(0, "binary", &w.binary, "FILE",
			   "the program; else the one that ran most"),
		OPT_STRING('o', "output", &w.out, "FILE", "write there; standard output"),
		OPT_STRING(0, "symfs", &w.dso.symfs, "DIR", "look for files below DIR"),
		OPT_STRING('k', "vmlinux", &w.dso.vmlinux, "FILE", "the kernel that was traced"),
		OPT_STRING(0, "buildid-dir", &w.dso.debug_dir, "DIR",
			   "perf's build-id cache; ~/.debug"),
		OPT_END
	};
	int n = options_parse(argc, argv, table, usage);

	if (!n) {
		fprintf(stderr, "csflow: profile: no recording\n");
		return CMD_USAGE;
	}
	return work(&w, n, argv + 1);
}
