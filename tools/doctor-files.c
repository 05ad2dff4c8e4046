// SPDX-License-Identifier: GPL-2.0-only
/* The end of the page: files that the trace needs, how to get the missing ones; a verdict. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build-id.h"
#include "doctor.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define FILES_MAX	12	/* rows; the rest goes into one */

static uint64_t need(const struct doctor_dso *dso)
{
	return dso->steps + dso->lost + dso->gaps;
}

static uint64_t all_need(const struct doctor *d)
{
	uint64_t n = d->steps + d->lost + d->gaps;

	return n ? n : 1;
}

static double share(const struct doctor *d, uint64_t n)
{
	return 100.0 * n / all_need(d);
}

static int by_need(const void *a, const void *b)
{
	const struct doctor_dso *x = *(const struct doctor_dso *const *)a;
	const struct doctor_dso *y = *(const struct doctor_dso *const *)b;

	if (need(x) != need(y))
		return need(x) > need(y) ? -1 : 1;
	if (!x->dso || !y->dso)
		return x->dso ? -1 : y->dso ? 1 : 0;
	return strcmp(x->dso->name, y->dso->name);
}

/* What a recording says goes to a terminal, and into commands: only what is harmless there. */
static const char *clean(const char *name, char *buf, size_t n)
{
	size_t i;

	for (i = 0; name[i] && i + 1 < n; i++)
		buf[i] = name[i] < ' ' || name[i] == 0x7f || name[i] == '\'' ? '?' : name[i];
	buf[i] = 0;
	return buf;
}

static bool is_android(const char *name)
{
	static const char *const tops[] = {
		"/data/", "/system/", "/vendor/", "/apex/", "/product/", "/system_ext/", "/odm/"
	};

	for (size_t i = 0; i < ARRAY_SIZE(tops); i++)
		if (!strncmp(name, tops[i], strlen(tops[i])))
			return true;
	return false;
}

/* How to get a file that is not here, or not the right one. */
static void mend(const struct doctor *d, const struct dso *dso)
{
	const char *path = d->recording.path;
	char buf[1024];
	const char *name = clean(dso->name, buf, sizeof(buf));

	if (dso->kind == DSO_SYMBOL) {
		printf("          code that the kernel made at run time: in no file\n");
	} else if (dso->kind == DSO_NONE) {
		printf("          code made at run time: record it (perf record -k 1, perf inject "
		       "--jit), then decode the result\n");
	} else if (dso->kind == DSO_KERNEL) {
		printf("          csflow script -k VMLINUX %s   (its vmlinux, with symbols)\n",
		       path);
	} else if (is_android(name)) {
		printf("          mkdir -p \"symfs$(dirname '%s')\" && adb pull '%s' 'symfs%s'\n",
		       name, name, name);
		printf("          and then --symfs symfs\n");
	} else if (dso->n_build_id) {
		printf("          there: perf archive %s   here: tar xf %s.tar.bz2 -C ~/.debug\n",
		       path, path);
		printf("          or, if you have the file: perf buildid-cache --add FILE\n");
	} else {
		printf("          copy it from there to DIR%s%s; then --symfs DIR\n",
		       *name == '/' ? "" : "/", name);
	}
}

static void print_row(const struct doctor *d, const struct doctor_dso *row)
{
	const struct dso *dso = row->dso;
	char buf[1024];

	printf("  %5.1f%% %12" PRIu64 " %10" PRIu64 "  ", share(d, need(row)), row->insns,
	       row->lost);
	if (!dso) {
		printf("unknown      addresses where nothing is known to have been mapped\n");
		return;
	}
	printf("%-12.12s %s\n",
	       dso->state == DSO_UNCHECKED ? "unchecked" : dso_state_name(dso->state),
	       clean(dso->name, buf, sizeof(buf)));
	printf("          %s%s%s\n",
	       dso->n_build_id ? build_id_hex(dso->build_id, dso->n_build_id).text : "no build-id",
	       dso->path ? "  here: " : "", dso->path ? dso->path : "");
	if (!dso->elf && dso->state != DSO_IN_KCORE)
		mend(d, dso);
}

void doctor_print_files(const struct doctor *d)
{
	const struct doctor_dso **row = calloc(d->n_dso + 1, sizeof(*row));
	uint64_t rest = 0;
	size_t n = 0;

	if (!row)
		return;
	for (size_t i = 0; i <= d->n_dso; i++)
		if (need(&d->dso[i]))
			row[n++] = &d->dso[i];
	qsort(row, n, sizeof(*row), by_need);
	if (n)
		printf("\n   share instructions       lost  file\n");
	for (size_t i = 0; i < n; i++)
		if (i < FILES_MAX)
			print_row(d, row[i]);
		else
			rest += need(row[i]);
	if (n > FILES_MAX)
		printf("  %5.1f%%  %zu more files\n", share(d, rest), n - FILES_MAX);
	free(row);
}

/* ---------------------------------------------------------------- verdict */

/* Nothing was decoded at all: the first reason that fits. */
static const char *why_empty(const struct doctor *d)
{
	const struct perf_session *s = d->recording.session;

	if (!s->file->usable)
		return "this is no perf.data";
	if (!s->file->auxtrace_info.size)
		return "the file has no AUXTRACE_INFO record: no hardware trace was recorded "
		       "(perf record -e cs_etm//)";
	if (!s->cs)
		return "its AUXTRACE_INFO record is not of CoreSight, or cannot be read";
	if (!s->aux->n_record && s->aux->n_empty)
		return "every AUX record is empty: the sink got no trace, or all of it was lost";
	if (!s->queues->total)
		return "it holds no trace: nothing ran while tracing was on, or the filter let "
		       "nothing pass";
	if (s->queues->no_unit == s->queues->total)
		return "no fragment belongs to a trace unit that can be decoded (ETMv4, ETE): see "
		       "metadata";
	if (!s->queues->n_stream)
		return "no trace of the CPUs that were asked for";
	if (!d->stats.async)
		return "there is no A-sync in all the trace: it is not what the metadata says, or "
		       "all of it is damaged";
	if (d->lost + d->gaps && d->no_context)
		return "the trace does not say which thread it is of, so no user code is known: "
		       "record with contextid, or per thread";
	if (d->lost + d->gaps && d->unknown_tid)
		return "no record names the threads in the trace: what they had mapped is unknown";
	if (d->lost + d->gaps)
		return "the code that was executed is not here: see the files above";
	return "the trace says of no instruction that it was executed";
}

static bool lost_while_recording(const struct doctor *d)
{
	const uint64_t *gaps = d->stats.gaps;

	return d->stats.lost_by[CSF_GAP_OVERFLOW] || gaps[CSF_GAP_OVERFLOW] ||
	       gaps[CSF_GAP_BREAK] || d->recording.session->aux->n_truncated;
}

/* Gaps that have no words of their own in the verdict; where tracing was off nothing is lost. */
static uint64_t other_gaps(const struct doctor *d)
{
	const uint64_t *gaps = d->stats.gaps;

	return gaps[CSF_GAP_START] + gaps[CSF_GAP_DISCARD] + gaps[CSF_GAP_CUT] +
	       gaps[CSF_GAP_ADDRESS] + gaps[CSF_GAP_SPECULATION];
}

/* Return: something is, and it was told. */
static bool tell_missing(const struct doctor *d)
{
	const uint64_t *gaps = d->stats.gaps, others = other_gaps(d);
	const uint64_t damage = gaps[CSF_GAP_PACKET] + gaps[CSF_GAP_WALK] + gaps[CSF_GAP_STACK];
	const bool lost = lost_while_recording(d);

	if (d->lost + d->gaps)
		printf("; %.1f%% of the trace needs code that is not here",
		       share(d, d->lost + d->gaps));
	if (d->no_context)
		printf("; %" PRIu64 " atoms of unknown threads: record with contextid",
		       d->no_context);
	if (lost)
		printf("; trace was lost while recording: larger buffers (perf record -m ,64M) or "
		       "a filter help");
	if (damage)
		printf("; %" PRIu64 " places contradict the code or the protocol", damage);
	if (others)
		printf("; %" PRIu64 " other gaps, see above", others);
	if (d->unnamed)
		printf("; %" PRIu64 " times the trace does not say what was executed (Q elements)",
		       d->unnamed);
	if (d->n_nobody)
		printf("; %" PRIu64 " bytes are of no trace unit that is known", d->n_nobody);
	return d->lost + d->gaps || lost || damage || others || d->unnamed || d->n_nobody;
}

void doctor_print_verdict(const struct doctor *d)
{
	const struct perf_session *s = d->recording.session;

	printf("\nverdict    ");
	if (!d->steps) {
		printf("nothing can be decoded: %s\n", why_empty(d));
		return;
	}
	printf("%" PRIu64 " instructions in %" PRIu64 " blocks decoded", d->insns, d->steps);
	if (!tell_missing(d) && !d->stats.lost && !s->aux->n_lost && !s->file->problems.damage)
		printf("; nothing is missing");
	printf("\n");
}
