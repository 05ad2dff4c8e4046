// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "options.h"
#include "recording.h"

static bool number(const char **p, uint32_t *v)
{
	char *end;
	unsigned long n;

	if (**p < '0' || **p > '9')
		return false;
	n = strtoul(*p, &end, 10);
	if (n > INT32_MAX)
		return false;
	*p = end;
	*v = n;
	return true;
}

bool recording_ranges(const char *text, struct perf_cpus **out, size_t *n)
{
	size_t max = 1;
	struct perf_cpus *ranges;

	for (const char *p = text; *p; p++)
		max += *p == ',';
	ranges = calloc(max, sizeof(*ranges));
	*out = ranges;
	*n = 0;
	for (const char *p = text; ranges; p++) {
		struct perf_cpus *r = &ranges[*n];

		if (!number(&p, &r->first))
			break;
		r->last = r->first;
		if (*p == '-') {
			p++;
			if (!number(&p, &r->last) || r->last < r->first)
				break;
		}
		++*n;
		if (!*p)
			return true;
		if (*p != ',')
			break;
	}
	free(ranges);
	*out = NULL;
	return false;
}

int recording_open(struct recording *r)
{
	int err;

	if (!r->path)
		r->path = "perf.data";
	if (r->cpus && !recording_ranges(r->cpus, &r->ranges, &r->options.n_cpus)) {
		fprintf(stderr, "csflow: '%s' is no list of CPUs\n", r->cpus);
		return CMD_USAGE;
	}
	r->options.cpus = r->ranges;
	r->options.n_threads = options_threads(r->options.n_threads);
	err = perf_session_new(&r->session, r->path, &r->options);
	if (err) {
		fprintf(stderr, "csflow: %s: %s\n", r->path, strerror(-err));
		free(r->ranges);
		r->ranges = NULL;
		return CMD_FAILED;
	}
	return CMD_OK;
}

/* Where a problem is: in a directory, in which file of it. */
static void print_place(const struct recording *r, uint64_t offset)
{
	char name[32];
	const char *part = perf_file_part(r->session->file, &offset, name, sizeof(name));

	fprintf(stderr, "csflow: %s: %s%soffset 0x%" PRIx64 ": ", r->path, part ? part : "",
		part ? ": " : "", offset);
}

int recording_report(const struct recording *r)
{
	const struct perf_problems *p = &r->session->file->problems;
	uint64_t shown = 0, damage = 0;

	for (size_t i = 0; i < p->n; i++) {
		damage += p->list[i].severity == PERF_DAMAGE;
		if (p->list[i].severity == PERF_NOTE && !r->verbose)
			continue;
		shown++;
		if (p->list[i].offset == PERF_PROBLEM_NOWHERE)
			fprintf(stderr, "csflow: %s: ", r->path);
		else
			print_place(r, p->list[i].offset);
		fprintf(stderr, "%s\n", p->list[i].text);
	}
	if (p->damage > damage)
		fprintf(stderr, "csflow: %s: and %" PRIu64 " more\n", r->path, p->damage - damage);
	return p->damage ? CMD_FAILED : CMD_OK;
}

void recording_close(struct recording *r)
{
	perf_session_free(r->session);
	r->session = NULL;
	free(r->ranges);
	r->ranges = NULL;
}
