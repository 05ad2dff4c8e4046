// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inlined functions of programs, for each address of their code, beside llvm-symbolizer.  The
 * programs come from gcc and clang, from C and C++, with all kinds of debug information.
 */
#define _GNU_SOURCE
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/elf.h"
#include "../../perf-plugin/elf-inline.h"

#define FRAMES_MAX	128

/* A frame of theirs: a function, and a place in it. */
struct theirs {
	char name[1024], file[1024];
	int line;
};

FIXTURE(inlined)
{
	char dir[64], prog[80];
};

FIXTURE_SETUP(inlined)
{
	strcpy(self->dir, "/tmp/inlined-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->prog, sizeof(self->prog), "%s/prog", self->dir);
}

FIXTURE_TEARDOWN(inlined)
{
	char line[96];

	snprintf(line, sizeof(line), "rm -rf %s", self->dir);
	EXPECT_EQ(0, system(line));
}

FIXTURE_VARIANT(inlined)
{
	/*
	 * A command, $P is the program and $D a folder; the tool that it needs, besides peers.  If
	 * it makes $D/plain, the peer reads that.
	 */
	const char *command, *tool;
	bool is_long;
};

#define PROGRAMS	"selftests/programs/"
#define GCC		"aarch64-linux-gnu-gcc -O2 -g "
#define GXX		"aarch64-linux-gnu-g++ -std=c++17 -O2 -g "
#define CLANG		"clang-19 --target=aarch64-linux-gnu -fuse-ld=lld -O2 -g "
#define CLANGXX		"clang++-19 --target=aarch64-linux-gnu -std=c++17 -fuse-ld=lld -O2 -g "

#define KIND(kind, need, words)						\
	FIXTURE_VARIANT_ADD(inlined, kind) { .command = words, .tool = need }

/* only in make check-long */
#define KIND_LONG(kind, need, words)					\
	FIXTURE_VARIANT_ADD(inlined, kind) { .command = words, .tool = need, .is_long = true }

KIND(gcc, "aarch64-linux-gnu-gcc", GCC "-o $P " PROGRAMS "json.c");
KIND_LONG(gcc_dwarf4, "aarch64-linux-gnu-gcc", GCC "-gdwarf-4 -o $P " PROGRAMS "json.c");
KIND(gcc_lto, "aarch64-linux-gnu-gcc", "cd $D && for i in json branches; do "
	GCC "-flto -Dmain=${i}_main -c $OLDPWD/" PROGRAMS "$i.c; done; "
	"echo 'int json_main(int n, char **v), branches_main(int n, char **v);"
	"int main(int n, char **v) { return json_main(n, v) + branches_main(n, v); }' > m.c; "
	GCC "-flto -o $P m.c json.o branches.o");
KIND_LONG(gcc_split, "aarch64-linux-gnu-gcc", GCC "-gsplit-dwarf -o $P " PROGRAMS "json.c");
/* the peer does not find names in the common file */
KIND(gcc_dwz, "dwz", GCC "-o $P " PROGRAMS "json.c && cp $P $D/plain && cp $P $D/other && "
	"dwz -m $D/common $P $D/other");
KIND(gxx, "aarch64-linux-gnu-g++", GXX "-o $P " PROGRAMS "shapes.cpp");
KIND_LONG(clang, "clang-19", CLANG "-o $P " PROGRAMS "json.c");
KIND(clang_split, "clang-19", CLANG "-gsplit-dwarf -o $P " PROGRAMS "json.c");
KIND(clang_probes, "clang-19", CLANG "-fpseudo-probe-for-profiling -o $P " PROGRAMS "json.c");
KIND_LONG(clang_lto, "ld.lld-19", CLANG "-flto -o $P " PROGRAMS "json.c");
KIND(clangxx, "clang++-19", CLANGXX "-o $P " PROGRAMS "shapes.cpp");

/* Runs the command of the variant.  Return: false: it failed. */
static bool build(const char *dir, const char *prog, const char *command)
{
	char *line;
	int ret;

	if (asprintf(&line, "D=%s P=%s; { %s; } > %s/log 2>&1", dir, prog, command, dir) < 0)
		return false;
	ret = system(line);
	free(line);
	return !ret;
}

static bool has(const char *tool)
{
	char line[128];

	snprintf(line, sizeof(line), "command -v %s > /dev/null", tool);
	return !system(line);
}

/* Executable code of the section .text, to their input.  Return: number of addresses. */
static size_t list(const struct elf_file *elf, const char *dir, struct elf_range *text)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "%s/addresses", dir);
	f = fopen(path, "w");
	if (!f || !elf_file_section(elf, ".text", text)) {
		if (f)
			fclose(f);
		return 0;
	}
	for (uint64_t at = text->start; at < text->end; at += 4)
		fprintf(f, "0x%lx\n", at);
	fclose(f);
	return (text->end - text->start) / 4;
}

/* Frames of an address, up to an empty line. */
static int read_theirs(FILE *f, struct theirs frame[FRAMES_MAX])
{
	char text[2048];
	int n = 0;

	while (n < FRAMES_MAX && fgets(text, sizeof(text), f) && *text != '\n') {
		text[strcspn(text, "\n")] = 0;
		snprintf(frame[n].name, sizeof(frame[n].name), "%.1000s", text);
		if (!fgets(text, sizeof(text), f))
			return -1;
		/* file:line:column */
		*strrchr(text, ':') = 0;
		frame[n].line = atoi(strrchr(text, ':') + 1);
		*strrchr(text, ':') = 0;
		snprintf(frame[n++].file, sizeof(frame[n].file), "%.1000s", basename(text));
	}
	return n;
}

/* Is frame @i of theirs, and the place of its call, the same as @own? */
static bool same(const struct theirs *frame, const struct elf_inlined *own)
{
	const char *file = own->call_file ? strrchr(own->call_file, '/') : NULL;

	return !strcmp(frame[0].name, own->function->linkage) &&
	       frame[1].line == own->call_line && file && !strcmp(frame[1].file, file + 1);
}

/* How many frames of ours are theirs; -1: they are different. */
static int compare(const struct theirs *frame, int n, const struct elf_inlined *own)
{
	int i = 0;

	for (; own; own = own->outer, i++)
		if (i + 1 >= n || !same(frame + i, own))
			return -1;
	return i + 1 == n || !n ? i : -1;
}

TEST_F(inlined, as_symbolizer)
{
	static struct theirs frame[FRAMES_MAX];
	struct elf_range text, range = { 0, 0 };
	const struct elf_inlined *own = NULL;
	struct elf_file *elf;
	char line[512], plain[96];
	size_t n_inlined = 0, n;
	FILE *f;

	if (variant->is_long && !getenv("CSFLOW_LONG"))
		SKIP(return, "only with CSFLOW_LONG");
	if (!has(variant->tool) || !has("llvm-symbolizer-19") || !has("ld.lld-19"))
		SKIP(return, "no %s, llvm-symbolizer-19 or ld.lld-19", variant->tool);
	ASSERT_TRUE(build(self->dir, self->prog, variant->command)) {
		snprintf(line, sizeof(line), "cat %s/log", self->dir);
		(void)!system(line);
	}
	ASSERT_EQ(0, elf_file_open(&elf, self->prog));
	n = list(elf, self->dir, &text);
	ASSERT_LT(100, n);
	/* where no code is, nothing is said of other addresses */
	EXPECT_EQ(NULL, elf_file_inlined(elf, UINT64_MAX - 1, &range));
	EXPECT_TRUE(text.start < range.start || text.start >= range.end);
	range = (struct elf_range){ 0, 0 };
	snprintf(plain, sizeof(plain), "%s/plain", self->dir);
	snprintf(line, sizeof(line), "llvm-symbolizer-19 -e %s --no-demangle --inlines < %s/addresses",
		 access(plain, F_OK) ? self->prog : plain, self->dir);
	f = popen(line, "r");
	ASSERT_NE(NULL, f);
	for (uint64_t at = text.start; at < text.end; at += 4) {
		const int n_theirs = read_theirs(f, frame);

		/* an answer is good for its whole range */
		if (at >= range.end)
			own = elf_file_inlined(elf, at, &range);
		EXPECT_LE(range.start, at);
		EXPECT_LT(at, range.end);
		ASSERT_LE(0, compare(frame, n_theirs, own))
			TH_LOG("0x%lx: theirs %d: %s %s:%d, ours %s line %d", at, n_theirs,
			       frame[0].name, frame[1].file, frame[1].line,
			       own ? own->function->linkage : "none", own ? own->call_line : 0);
		n_inlined += !!own;
	}
	pclose(f);
	elf_file_close(elf);
	/* much of the code is inlined */
	EXPECT_LT(n / 8, n_inlined);
}

TEST_HARNESS_MAIN
