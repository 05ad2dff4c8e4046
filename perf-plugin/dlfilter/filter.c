// SPDX-License-Identifier: GPL-2.0-only
/*
 * csflow-dlfilter.so: with it, perf script --dlfilter writes a profile for compilers instead of
 * text.
 *
 * Source: perf_dlfilter.h and tools/perf/Documentation/perf-dlfilter.txt of Linux 6.12.  Built with
 * that header, it works with perf 6.1 as well, which has the same functions except al_cleanup.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#pragma GCC visibility push(default)
#include <perf/perf_dlfilter.h>

/* perf fills these in. */
struct perf_dlfilter_fns perf_dlfilter_fns;
#pragma GCC visibility pop

#include "../new-file.h"
#include "counts.h"
#include "flow.h"
#include "profile.h"

/* Maximum size of a straight line of code, the same as in create_llvm_prof. */
#define RANGE_MAX	(1 << 20)

/* Code of the kernel on a CPU counts as a thread with this number. */
#define TID_KERNEL	INT32_MIN

/**
 * struct filter - the state of one run of perf script
 * @begin: start of the line that ends with the current sample; @entered: as in struct flow
 * @branches: there were samples of branches; @stacks: there were last-branch stacks
 */
struct filter {
	struct profile profile;
	struct counts counts;
	struct flows flows;
	uint64_t begin;
	bool entered, branches, stacks;
};

/* A place in code: an offset in a file, and the function that is there. */
struct place {
	uint32_t dso;
	uint64_t offset, sym_start, sym_end;
};

/* ---------------------------------------------------------------- arguments */

static int usage(const char *arg)
{
	if (arg)
		fprintf(stderr, "csflow: --dlarg %s: there is no such argument\n", arg);
	fputs("csflow: --dlarg autofdo|bolt --dlarg out=FILE [--dlarg dso=NAME] [--dlarg elf=FILE] [--dlarg addresses=load|file]\n",
	      stderr);
	return -1;
}

static int read_arg(struct profile *profile, const char *arg)
{
	if (!strcmp(arg, "autofdo"))
		profile->format = PROFILE_AUTOFDO;
	else if (!strcmp(arg, "bolt"))
		profile->format = PROFILE_BOLT;
	else if (!strncmp(arg, "out=", 4))
		profile->out_name = arg + 4;
	else if (!strncmp(arg, "dso=", 4))
		profile->dso = arg + 4;
	else if (!strncmp(arg, "elf=", 4))
		profile->elf = arg + 4;
	else if (!strcmp(arg, "addresses=load"))
		profile->addresses = ADDRESSES_LOAD;
	else if (!strcmp(arg, "addresses=file"))
		profile->addresses = ADDRESSES_FILE;
	else
		return usage(arg);
	return 0;
}

/* Can the file be written?  Leaves no file, as a signal may end perf.  Otherwise -errno. */
static int try(const char *path)
{
	struct stat st;
	FILE *f;

	if (!stat(path, &st) && !S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : access(path, W_OK) ? -errno : 0;
	f = new_file(path);
	if (!f)
		return -errno;
	new_file_close(f, -ECANCELED);
	return 0;
}

static int read_args(struct profile *profile, void *ctx)
{
	int n = 0, err;
	char **arg = perf_dlfilter_fns.args(ctx, &n);

	for (int i = 0; arg && i < n; i++)
		if (read_arg(profile, arg[i]))
			return -1;
	if (!profile->format || !profile->out_name)
		return usage(NULL);
	/* Check now, not when all the work is done. */
	err = try(profile->out_name);
	if (err)
		fprintf(stderr, "csflow: %s: %s\n", profile->out_name, strerror(-err));
	return err ? -1 : 0;
}

int start(void **data, void *ctx)
{
	struct filter *filter = calloc(1, sizeof(*filter));

	*data = filter;
	if (filter && !read_args(&filter->profile, ctx))
		return 0;
	free(filter);
	*data = NULL;
	return -1;
}

static int write_out(struct profile *profile, const struct counts *counts)
{
	int err, said = 0;

	profile->out = new_file(profile->out_name);
	err = profile->out ? 0 : -errno;
	if (!err) {
		said = profile_write(profile, counts);
		err = new_file_close(profile->out, said ? -ECANCELED : 0);
	}
	if (err && !said)
		fprintf(stderr, "csflow: %s: %s\n", profile->out_name, strerror(-err));
	return err ? -1 : 0;
}

int stop(void *data, void *ctx)
{
	struct filter *filter = data;
	int err;

	if (!filter)
		return 0;
	err = write_out(&filter->profile, &filter->counts);
	flows_free(&filter->flows);
	counts_free(&filter->counts);
	free(filter);
	return err;
}

/* ---------------------------------------------------------------- places */

static bool set_place(struct filter *filter, struct place *place, const struct perf_dlfilter_al *al)
{
	struct dso dso = { .name = (char *)al->dso, .kernel = al->is_kernel_ip };

	if (!al->dso)
		return false;
	if (al->buildid && al->buildid_size <= sizeof(dso.buildid)) {
		dso.n_buildid = al->buildid_size;
		memcpy(dso.buildid, al->buildid, al->buildid_size);
	}
	place->dso = counts_dso(&filter->counts, &dso);
	place->offset = al->addr;
	place->sym_start = al->sym ? al->sym_start : 0;
	place->sym_end = al->sym ? al->sym_end : 0;
	return place->dso != DSO_NONE;
}

/*
 * Finds the place of @addr; @near is that of @near_addr: a function is in one file, in one piece.
 */
static bool find_place(struct filter *filter, struct place *place, uint64_t addr,
		       const struct place *near, uint64_t near_addr, void *ctx)
{
	struct perf_dlfilter_al al = { .size = sizeof(al) };
	bool found;

	if (near) {
		uint64_t offset = near->offset + (addr - near_addr);

		if (offset - near->sym_start < near->sym_end - near->sym_start) {
			*place = *near;
			place->offset = offset;
			return true;
		}
	}
	if (perf_dlfilter_fns.resolve_address(ctx, addr, &al))
		return false;
	found = set_place(filter, place, &al);
	if (perf_dlfilter_fns.al_cleanup)
		perf_dlfilter_fns.al_cleanup(ctx, &al);
	return found;
}

/* ---------------------------------------------------------------- counting */

static int count_range(struct filter *filter, const struct place *from, const struct place *to,
		       bool entered)
{
	const struct count what = {
		.kind = entered ? COUNT_ENTERED : COUNT_RANGE, .n = 1,
		.from = from->offset, .to = to->offset, .dso = from->dso, .to_dso = to->dso,
	};

	if (from->dso != to->dso || to->offset - from->offset > RANGE_MAX)
		return 0;
	filter->counts.dso[from->dso].weight += to->offset - from->offset + 4;
	return counts_add(&filter->counts, &what);
}

/* @to NULL: the target is not known. */
static int count_branch(struct filter *filter, const struct place *from, const struct place *to,
			bool missed)
{
	const struct count what = {
		.kind = COUNT_BRANCH, .n = 1, .missed = missed,
		.from = from->offset, .dso = from->dso,
		.to = to ? to->offset : 0, .to_dso = to ? to->dso : DSO_NONE,
	};

	return counts_add(&filter->counts, &what);
}

/* Exceptions, returns from them, and breaks of trace are not branches of the program. */
static bool is_branch(const struct perf_dlfilter_sample *sample)
{
	const uint32_t other = PERF_DLFILTER_FLAG_SYSCALLRET | PERF_DLFILTER_FLAG_ASYNC |
			       PERF_DLFILTER_FLAG_INTERRUPT | PERF_DLFILTER_FLAG_TX_ABORT |
			       PERF_DLFILTER_FLAG_TRACE_BEGIN | PERF_DLFILTER_FLAG_TRACE_END;

	return sample->addr && (sample->flags & (PERF_DLFILTER_FLAG_BRANCH | other)) ==
				       PERF_DLFILTER_FLAG_BRANCH;
}

static int add_branch(struct filter *filter, const struct perf_dlfilter_sample *sample, void *ctx)
{
	const struct perf_dlfilter_al *al = sample->ip ? perf_dlfilter_fns.resolve_ip(ctx) : NULL;
	struct place ip, other;
	int err = 0;

	if (!al || !set_place(filter, &ip, al))
		return 0;
	if (filter->begin && find_place(filter, &other, filter->begin, &ip, sample->ip, ctx))
		err = count_range(filter, &other, &ip, filter->entered);
	if (err || !is_branch(sample))
		return err;
	if (find_place(filter, &other, sample->addr, &ip, sample->ip, ctx))
		return count_branch(filter, &ip, &other, false);
	return count_branch(filter, &ip, NULL, false);
}

/* From the oldest to the newest. */
static int add_stack(struct filter *filter, const struct perf_dlfilter_sample *sample, void *ctx)
{
	struct place begin, from, to;
	bool begins = false;

	for (uint64_t i = sample->brstack_nr; i-- > 0;) {
		const struct perf_branch_entry *e = &sample->brstack[i];
		const uint64_t since = begins ? sample->brstack[i + 1].to : 0;
		const bool known = e->from && find_place(filter, &from, e->from,
							 begins ? &begin : NULL, since, ctx);

		if (known && begins && count_range(filter, &begin, &from, false))
			return -1;
		begins = e->to &&
			 find_place(filter, &to, e->to, known ? &from : NULL, e->from, ctx);
		if (known && count_branch(filter, &from, begins ? &to : NULL, e->mispred))
			return -1;
		begin = to;
	}
	return 0;
}

/* ---------------------------------------------------------------- samples */

static bool of_branches(void *ctx)
{
	const struct perf_event_attr *attr = perf_dlfilter_fns.attr(ctx);

	return attr && attr->type == PERF_TYPE_HARDWARE &&
	       attr->config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
}

static bool in_kernel(uint64_t addr)
{
	return addr >> 63;
}

/* Also takes samples that perf then leaves out: otherwise the rest would look like one line. */
int filter_event_early(void *data, const struct perf_dlfilter_sample *sample, void *ctx)
{
	struct filter *filter = data;
	struct flow *flow;

	if (!of_branches(ctx))
		return sample->brstack_nr ? 0 : 1;
	filter->begin = 0;
	if (sample->ip) {
		flow = flow_of(&filter->flows, sample->cpu,
			       in_kernel(sample->ip) ? TID_KERNEL : sample->tid);
		if (!flow)
			return -1;
		filter->begin = flow->begin;
		filter->entered = flow->entered;
		flow->begin = 0;
	}
	/* where trace ends, the target of a branch did not run inside it */
	if (sample->addr && !(sample->flags & PERF_DLFILTER_FLAG_TRACE_END)) {
		flow = flow_of(&filter->flows, sample->cpu,
			       in_kernel(sample->addr) ? TID_KERNEL : sample->tid);
		if (!flow)
			return -1;
		flow->begin = sample->addr;
		flow->entered = !is_branch(sample);
	}
	return 0;
}

int filter_event(void *data, const struct perf_dlfilter_sample *sample, void *ctx)
{
	struct filter *filter = data;
	int err;

	if (of_branches(ctx)) {
		filter->branches = true;
		err = add_branch(filter, sample, ctx);
	} else {
		filter->stacks = true;
		err = add_stack(filter, sample, ctx);
	}
	if (err)
		fputs("csflow: no memory\n", stderr);
	if (!err && filter->branches && filter->stacks) {
		fputs("csflow: branches and last-branch stacks would be counted twice: ask for one of them\n",
		      stderr);
		err = -1;
	}
	return err ? -1 : 1;
}

const char *filter_description(const char **long_description)
{
	static const char text[] =
		"--dlarg autofdo  for create_llvm_prof --profiler=text\n"
		"--dlarg bolt     for perf2bolt -pa\n"
		"--dlarg out=FILE where to\n"
		"--dlarg dso=NAME of which program or library; else of the hottest\n"
		"--dlarg elf=FILE where that is, if not at its own path (bolt)";

	*long_description = text;
	return "csflow: writes a branch profile for compilers";
}
