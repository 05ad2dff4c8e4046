// SPDX-License-Identifier: GPL-2.0-only
/* Checks a profile with the tools that take it. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "../lib/log.h"
#include "../lib/status.h"
#include "pgo.h"
#include "../lib/tool.h"

/* The first versions with the formats that we write: by lines, by probes. */
#define LLVM_MIN	14
#define PROBES_MIN	19

#define WORDS_MAX	10

static bool find_reader(const struct pgo *p, char *path, size_t n)
{
	switch (p->whom) {
	case PGO_CLANG:
		return tool_find_llvm("llvm-profdata", p->clang, p->probes ? PROBES_MIN : LLVM_MIN,
				      path, n);
	case PGO_GCC:
		return pgo_find_taker(p, path, n);
	case PGO_BOLT:
		return tool_find_llvm("merge-fdata", p->clang, LLVM_MIN, path, n);
	case PGO_PROPELLER:
		break;
	}
	return false;
}

static size_t count_functions(FILE *said)
{
	static const char start[] = "Function: ";
	char line[4096];
	size_t n = 0;
	bool begins = true;

	while (fgets(line, sizeof(line), said)) {
		n += begins && !strncmp(line, start, strlen(start));
		begins = strchr(line, '\n');
	}
	return n;
}

static int say_it_is_bad(const struct pgo *p, const char *reader, FILE *said)
{
	char line[4096] = "it does not say why\n";

	if (!fgets(line, sizeof(line), said))
		clearerr(said);
	line[strcspn(line, "\n")] = '\0';
	log_say(LOG_PROGRAM, "csflow: %s: %s does not take it: %s\n", p->out, reader, line);
	return CMD_FAILED;
}

/* It was read. */
static int say_it_is_good(const struct pgo *p, const char *reader, FILE *said)
{
	size_t n;

	if (p->whom != PGO_CLANG) {
		log_say(LOG_NOTE, "csflow: %s: %s takes it\n", p->out, reader);
		return CMD_OK;
	}
	n = count_functions(said);
	log_say(LOG_NOTE, "csflow: %s: %zu functions, says %s\n", p->out, n, reader);
	return n ? CMD_OK : CMD_FAILED;
}

int pgo_check(const struct pgo *p)
{
	char path[PATH_MAX], option[PATH_MAX + 32];
	/* gcc reads a profile even for an empty source. */
	const char *const words[][WORDS_MAX] = {
		[PGO_CLANG] = { path, "show", "--sample", p->out },
		[PGO_GCC] = { path, "-O2", "-S", "-o", "/dev/null", option, "-xc", "/dev/null" },
		[PGO_BOLT] = { path, p->out },
	};
	FILE *said;
	int status;

	if (!find_reader(p, path, sizeof(path))) {
		log_say(LOG_TOOL, "csflow: %s: the tool that reads it is not here: the profile is not checked\n",
			p->out);
		return CMD_OK;
	}
	snprintf(option, sizeof(option), "-fauto-profile=%s", p->out);
	status = tool_run(words[p->whom], &said);
	if (status < 0) {
		log_say(LOG_FILE, "csflow: %s: %s\n", path, strerror(-status));
		status = CMD_FAILED;
	} else if (status) {
		status = say_it_is_bad(p, path, said);
	} else {
		status = say_it_is_good(p, path, said);
	}
	if (said)
		fclose(said);
	return status;
}
