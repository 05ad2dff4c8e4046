// SPDX-License-Identifier: GPL-2.0-only
/* The part of the page about the files of the trace, and how to get missing ones. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/build-id.h"
#include "doctor.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define FILES_MAX	12	/* rows; the rest are in one */

static uint64_t need(const struct doctor_dso *dso)
{
	return dso->steps + dso->lost + dso->gaps;
}

static uint64_t all_need(const struct doctor *d)
{
	uint64_t n = d->steps + d->lost + d->gaps;

	return n ? n : 1;
}

double doctor_share(const struct doctor *d, uint64_t n)
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

/* Names go to a terminal, and into commands: keeps only harmless characters. */
static const char *clean(const char *name, char *buf, size_t n)
{
	size_t i;

	for (i = 0; name[i] && i + 1 < n; i++)
		buf[i] = name[i] < ' ' || name[i] == 0x7f || name[i] == '\'' ? '?' : name[i];
	buf[i] = 0;
	return buf;
}

/* Names that only Android has, and those that indicate it if simpleperf recorded. */
static bool is_android(const struct doctor *d, const char *name)
{
	static const char *const tops[] = {
		"/system/", "/apex/", "/system_ext/", "/data/", "/vendor/", "/product/", "/odm/"
	};
	const size_t n = perf_file_is_simpleperf(d->recording.replay->file) ? ARRAY_SIZE(tops) : 3;

	for (size_t i = 0; i < n; i++)
		if (!strncmp(name, tops[i], strlen(tops[i])))
			return true;
	return false;
}

static bool is_deleted(const char *name)
{
	const size_t n = strlen(name);

	return n > 10 && !strcmp(name + n - 10, " (deleted)");
}

/* Explains code that is in no file. */
static void say_made(const struct dso *dso)
{
	if (dso->kind == DSO_SYMBOL)
		printf("          code that the kernel made at run time: in no file\n");
	else if (is_deleted(dso->name))
		printf("          the file was removed or replaced while it ran: record again, with "
		       "the file in its place\n");
	else if (!strcmp(dso->name, "[vdso]") && dso->kind == DSO_FILE && !dso->n_build_id)
		printf("          the kernel gives it to programs, and perf kept no copy: record with "
		       "perf record --no-buildid-mmap\n");
	else if (dso->kind == DSO_NONE && strcmp(dso->name, "[vdso]"))
		printf("          code made at run time: record it (perf record -k 1, perf inject "
		       "--jit), then decode the result\n");
	else
		printf("          the kernel gives it to programs: in no file\n");
}

/* Prints how to get a file that is missing, or the right one. */
static void mend(const struct doctor *d, const struct dso *dso)
{
	const char *path = d->recording.path;
	char buf[1024];
	const char *name = clean(dso->name, buf, sizeof(buf));

	if (dso->state == DSO_CHANGED) {
		doctor_print_changed(d);
	} else if (dso->kind == DSO_SYMBOL || dso->kind == DSO_NONE ||
		   (dso->kind == DSO_FILE && *name == '[' && !dso->n_build_id)) {
		say_made(dso);
	} else if (dso->kind == DSO_KERNEL) {
		printf("          csflow script -k VMLINUX %s   (its vmlinux, with symbols)\n",
		       path);
	} else if (is_android(d, name)) {
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

	printf("  %5.1f%% %12" PRIu64 " %10" PRIu64 "  ", doctor_share(d, need(row)), row->insns,
	       row->lost);
	if (!dso) {
		printf("unknown      addresses where nothing is known to have been mapped\n");
		if (d->unknown_kernel)
			printf("          the kernel's own: no record tells of a module that is loaded "
			       "during a recording: load it before\n");
		return;
	}
	printf("%-12.12s %s\n",
	       dso->state == DSO_UNCHECKED ? "unchecked" : dso_state_name(dso->state),
	       clean(dso->name, buf, sizeof(buf)));
	if (dso->state != DSO_CHANGED)
		printf("          %s%s%s\n", dso->n_build_id ?
		       build_id_hex(dso->build_id, dso->n_build_id).text : "no build-id",
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
		printf("\n  files, each with its share of all blocks that ran and atoms that were lost:\n"
		       "   share instructions       lost  file\n");
	for (size_t i = 0; i < n; i++)
		if (i < FILES_MAX)
			print_row(d, row[i]);
		else
			rest += need(row[i]);
	if (n > FILES_MAX)
		printf("  %5.1f%%  %zu more files\n", doctor_share(d, rest), n - FILES_MAX);
	free(row);
}
