// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <util/cs-etm.h>

#include "metadata.h"

/* Words before those of the CPUs: version, PMU type and number of CPUs, snapshot. */
#define HEAD	3

/* The latest version of the header. */
#define VERSION	2
#define PARAMS_MAX	16

static const struct unit {
	u64 magic;
	/* number in version 0, which has no count */
	unsigned int n_old;
	const char *param[PARAMS_MAX];
} units[] = {
	{ 0x3030303030303030ULL, 4, { "ETMCR", "ETMTRACEIDR", "ETMCCER", "ETMIDR" } },
	{ 0x4040404040404040ULL, 7,
	  { "TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8",
	    "TRCAUTHSTATUS", "TS_SOURCE" } },
	{ 0x5050505050505050ULL, 0,
	  { "TRCCONFIGR", "TRCTRACEIDR", "TRCIDR0", "TRCIDR1", "TRCIDR2", "TRCIDR8",
	    "TRCAUTHSTATUS", "TRCDEVARCH", "TS_SOURCE" } },
};

/* Tabs after a name, except where perf itself has spaces: programs that read this may be strict. */
static void print(const char *name, u64 value)
{
	static const char tabs[] = "\t\t\t";
	size_t n = (24 + 7 - strlen(name)) / 8;

	if (!strcmp(name, "TS_SOURCE"))
		fprintf(stdout, "\t%-31s%" PRId64 "\n", name, value);
	else if (!strcmp(name, "TRCDEVARCH"))
		fprintf(stdout, "\t%-31s%" PRIx64 "\n", name, value);
	else
		fprintf(stdout, "\t%s%s       %" PRIx64 "\n", name, tabs + 3 - n, value);
}

/*
 * Prints the words of one CPU, of @n that are left.  Return: their number; 0: they make no sense.
 */
static size_t print_cpu(const u64 *word, size_t n, u64 version)
{
	const size_t head = version ? 3 : 2;
	const struct unit *unit = NULL;
	u64 params;

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (n && units[i].magic == word[0])
			unit = &units[i];
	}
	if (!unit || n < head)
		return 0;
	params = version ? word[2] : unit->n_old;
	if (params > n - head)
		return 0;
	print("Magic number", word[0]);
	fprintf(stdout, "\tCPU\t\t\t       %" PRId64 "\n", word[1]);
	if (version)
		print("NR_TRC_PARAMS", params);
	for (u64 i = 0; i < params; i++)
		print(i < PARAMS_MAX && unit->param[i] ? unit->param[i] : "(not known)",
		      word[head + i]);
	return head + params;
}

static void print_all(const u64 *word, size_t n)
{
	size_t at = HEAD, size;

	print("Header version", word[0]);
	print("PMU type/num cpus", word[1]);
	print("Snapshot", word[2]);
	for (u64 i = 0; i < (word[1] & 0xffffffff); i++) {
		size = print_cpu(word + at, n - at, word[0]);
		if (!size)
			break;
		at += size;
	}
}

int csflow_metadata(const union perf_event *info)
{
	const size_t head = sizeof(info->auxtrace_info);
	const size_t n = info->header.size > head ? (info->header.size - head) / sizeof(u64) : 0;

	const u64 *word = (const u64 *)info->auxtrace_info.priv;

	if (n < HEAD)
		return -EINVAL;
	if (word[0] > VERSION) {
		pr_err("csflow: the metadata is of version %" PRIu64 "; up to %d are known\n",
		       word[0], VERSION);
		return -EINVAL;
	}
	if (dump_trace)
		print_all(word, n);
	return 0;
}
