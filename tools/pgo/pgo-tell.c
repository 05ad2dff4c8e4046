// SPDX-License-Identifier: GPL-2.0-only
/* The command that uses a profile. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "pgo.h"
#include "../lib/log.h"
#include "../lib/tool.h"

/* The tool that makes compilers' files from Propeller's counts. */
#define PROPELLER	"generate_propeller_profiles"

/* The programs and packages of Debian 12. */
static const struct taker {
	const char *name, *package;
} takers[] = {
	[PGO_CLANG]	= { "clang",		"clang-19" },
	[PGO_GCC]	= { "gcc",		"gcc" },
	[PGO_BOLT]	= { "llvm-bolt",	"bolt-19" },
	[PGO_PROPELLER]	= { "clang",		"clang-19" },
};

/* The prefix of compilers for the program, "" on a machine of the same kind. */
static const char *triple(const struct pgo *p)
{
	struct utsname name;

	if (!uname(&name) && !strncmp(name.machine, p->arm ? "armv" : "aarch64", 4))
		return "";
	return p->arm ? "arm-linux-gnueabihf" : "aarch64-linux-gnu";
}

bool pgo_find_taker(const struct pgo *p, char *path, size_t n)
{
	const char *prefix = triple(p);
	char name[NAME_MAX];

	if (p->whom != PGO_GCC)
		return tool_find_llvm(takers[p->whom].name, p->clang, 0, path, n);
	snprintf(name, sizeof(name), "%s%sgcc", prefix, *prefix ? "-" : "");
	return tool_find(name, path, n);
}

/* The name under which it is found, if any. */
static const char *taker(const struct pgo *p, char *path, size_t n)
{
	const char *prefix = triple(p);

	if (pgo_find_taker(p, path, n))
		return basename(path);
	log_say(LOG_TOOL, "csflow: there is no %s%s%s here: Debian has it in package %s%s%s\n",
		p->whom == PGO_GCC ? prefix : "", p->whom == PGO_GCC && *prefix ? "-" : "",
		takers[p->whom].name, takers[p->whom].package,
		p->whom == PGO_GCC && *prefix ? "-" : "", p->whom == PGO_GCC ? prefix : "");
	return takers[p->whom].name;
}

/* Reports what clang itself lacks: headers, and libraries to link with. */
static void say_what_lacks(const char *triple)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "/usr/%s/include/stdio.h", triple);
	if (*triple && access(path, R_OK))
		log_say(LOG_TOOL, "csflow: there is no C library to compile for %s here: Debian has it "
			"in package gcc-%s\n", triple, triple);
}

/* Words with a file in them; "%s" stands for it. */
static void print_file(const char *format, const char *path)
{
	char *word = NULL;

	if (asprintf(&word, format, path) < 0)
		return;
	log_say(LOG_NOTE, "%c", ' ');
	tool_print_word(log_to(LOG_NOTE), word);
	free(word);
}

static void tell_clang(const struct pgo *p, const char *compiler)
{
	const char *target = triple(p);

	log_say(LOG_NOTE, "%s", compiler);
	if (*target)
		log_say(LOG_NOTE, " --target=%s", target);
	log_say(LOG_NOTE, " -O2 %s%s", p->probes ? "-fpseudo-probe-for-profiling" :
		"-g -fdebug-info-for-profiling", p->unique ? " -funique-internal-linkage-names" : "");
	print_file("-fprofile-sample-use=%s", p->out);
	log_say(LOG_NOTE, "%s\n", p->probes ? "" : " -mllvm -sample-profile-use-profi");
}

static void tell_gcc(const struct pgo *p, const char *compiler)
{
	log_say(LOG_NOTE, "%s -O2 -g", compiler);
	print_file("-fauto-profile=%s", p->out);
	log_say(LOG_NOTE, "\n");
}

static void tell_bolt(const struct pgo *p, const char *bolt)
{
	log_say(LOG_NOTE, "%s", bolt);
	print_file("%s", p->binary);
	log_say(LOG_NOTE, " -o");
	print_file("%s.bolt", basename(p->binary));
	print_file("-data=%s", p->out);
	log_say(LOG_NOTE, " -reorder-blocks=ext-tsp%s -split-functions -split-all-cold -dyno-stats\n",
		p->relocs ? " -reorder-functions=hfsort+" : "");
}

static void tell_propeller(const struct pgo *p, const char *compiler)
{
	const char *target = triple(p);

	log_say(LOG_NOTE, PROPELLER " --profile_type=FREQUENCIES_PROTO");
	print_file("--binary=%s", p->binary);
	print_file("--profile=%s", p->out);
	print_file("--cc_profile=%s.cc", p->out);
	print_file("--ld_profile=%s.ld", p->out);
	log_say(LOG_NOTE, "\n%s", compiler);
	if (*target)
		log_say(LOG_NOTE, " --target=%s", target);
	log_say(LOG_NOTE, " -O2 -fuse-ld=lld");
	print_file("-fbasic-block-sections=list=%s.cc", p->out);
	print_file("-Wl,--symbol-ordering-file=%s.ld", p->out);
	log_say(LOG_NOTE, " -Wl,--no-warn-symbol-ordering\n");
}

void pgo_tell(const struct pgo *p)
{
	static void (*const tell[])(const struct pgo *p, const char *name) = {
		[PGO_CLANG] = tell_clang,
		[PGO_GCC] = tell_gcc,
		[PGO_BOLT] = tell_bolt,
		[PGO_PROPELLER] = tell_propeller,
	};
	char path[PATH_MAX], other[PATH_MAX];
	const char *name = taker(p, path, sizeof(path));

	if (p->whom == PGO_CLANG || p->whom == PGO_PROPELLER)
		say_what_lacks(triple(p));
	if (p->whom == PGO_PROPELLER && !tool_find(PROPELLER, other, sizeof(other)))
		log_say(LOG_TOOL, "csflow: there is no " PROPELLER " here: it is in "
			"github.com/google/llvm-propeller\n");
	if (p->whom == PGO_BOLT && !p->relocs)
		log_say(LOG_ROUGH, "csflow: %s: linked without -Wl,--emit-relocs: BOLT cannot reorder "
			"functions then\n", p->binary);
	if (p->whom == PGO_CLANG && !p->probes)
		log_say(LOG_ROUGH, "csflow: %s: these are counts by line; built with "
			"-fpseudo-probe-for-profiling it gains more\n", p->binary);
	log_say(LOG_NOTE, p->whom == PGO_BOLT ? "csflow: now:\n" :
		"csflow: now compile and link with the flags it had, and these:\n");
	tell[p->whom](p, name);
}
