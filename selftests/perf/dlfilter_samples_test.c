// SPDX-License-Identifier: GPL-2.0-only
/*
 * csflow-dlfilter.so, loaded and called as perf script does it: known samples, whose profile is
 * known, and samples, files and arguments that no caller should send.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include <perf/perf_dlfilter.h>

#define BRANCH		PERF_DLFILTER_FLAG_BRANCH
#define BEGIN		PERF_DLFILTER_FLAG_TRACE_BEGIN
#define END		PERF_DLFILTER_FLAG_TRACE_END
#define SYSCALL		(PERF_DLFILTER_FLAG_SYSCALLRET | PERF_DLFILTER_FLAG_INTERRUPT)

/* Code of a file, with one function that is all of it. */
struct mapping {
	uint64_t start, end, offset;
	const char *dso;
	bool kernel, no_symbol;
};

static const struct mapping program[] = {
	{ 0x10000, 0x10100, 0x400, "/bin/program" },
	{ 0x10100, 0x11000, 0x500, "/bin/program" },
	{ 0x20000, 0x21000, 0, "/lib/other" },
	{ 0x30000, 0x31000, 0, "[vdso]", .no_symbol = true },
	{ 0xffff000000010000, 0xffff000000020000, 0xffff000000010000, "[kernel]", .kernel = true },
};

/*
 * What perf is to its filter.
 * @of_ip: what the last resolve_ip() said, good until the next sample
 * @random: 0: mappings are as above; else the state of what makes them up
 */
struct perf {
	struct perf_event_attr attr;
	const struct perf_dlfilter_sample *sample;
	struct perf_dlfilter_al of_ip;
	char *arg[8];
	int n_arg;
	unsigned int resolved, cleaned;
	uint64_t random;
};

static uint64_t roll(struct perf *perf)
{
	perf->random ^= perf->random << 13;
	perf->random ^= perf->random >> 7;
	perf->random ^= perf->random << 17;
	return perf->random;
}

/* ---------------------------------------------------------------- what perf answers */

/* All that is in @al is overwritten later. */
static void al_clear(struct perf_dlfilter_al *al)
{
	free((char *)al->dso);
	free((char *)al->sym);
	free(al->buildid);
	memset(al, 0, sizeof(*al));
}

static int al_known(struct perf_dlfilter_al *al, uint64_t addr)
{
	for (size_t i = 0; i < sizeof(program) / sizeof(*program); i++) {
		const struct mapping *m = &program[i];

		if (addr < m->start || addr >= m->end)
			continue;
		al->size = sizeof(*al);
		al->dso = strdup(m->dso);
		al->addr = addr - m->start + m->offset;
		al->is_kernel_ip = m->kernel;
		al->buildid = malloc(4);
		memcpy(al->buildid, "\x12\x34\xab\x0f", 4);
		al->buildid_size = 4;
		if (m->no_symbol)
			return 0;
		al->sym = strdup("function");
		al->sym_start = m->offset;
		al->sym_end = m->offset + m->end - m->start;
		return 0;
	}
	return -1;
}

static int al_random(struct perf *perf, struct perf_dlfilter_al *al, uint64_t addr)
{
	const uint64_t r = roll(perf);
	char name[32];

	if (!(r & 15))
		return -1;
	al->size = sizeof(*al);
	al->addr = r & 16 ? addr : roll(perf);
	al->is_kernel_ip = !(r >> 5 & 15);
	if (r >> 9 & 7) {
		snprintf(name, sizeof(name), "%s%u", r & 1 << 12 ? "/" : "", (int)(r >> 13 & 63));
		al->dso = strdup(r >> 19 & 31 ? name : "");
	}
	if (r >> 24 & 3) {
		al->sym = strdup("s");
		al->sym_start = al->addr - (r >> 26 & 0xff);
		al->sym_end = r >> 34 & 7 ? al->addr + (r >> 37 & 0xff) : roll(perf);
	}
	if (r >> 45 & 1) {
		al->buildid_size = r >> 46 & 63;
		al->buildid = calloc(1, al->buildid_size ?: 1);
	}
	return 0;
}

static int resolve(struct perf *perf, struct perf_dlfilter_al *al, uint64_t addr)
{
	return perf->random ? al_random(perf, al, addr) : al_known(al, addr);
}

static const struct perf_dlfilter_al *resolve_ip(void *ctx)
{
	struct perf *perf = ctx;

	if (!perf->of_ip.size && resolve(perf, &perf->of_ip, perf->sample->ip))
		return NULL;
	return &perf->of_ip;
}

static __s32 resolve_address(void *ctx, __u64 address, struct perf_dlfilter_al *al)
{
	struct perf *perf = ctx;

	if (al->size != sizeof(*al) || resolve(perf, al, address))
		return -1;
	perf->resolved++;
	return 0;
}

static void al_cleanup(void *ctx, struct perf_dlfilter_al *al)
{
	struct perf *perf = ctx;

	al_clear(al);
	perf->cleaned++;
}

static char **args(void *ctx, int *n)
{
	struct perf *perf = ctx;

	*n = perf->n_arg;
	return perf->arg;
}

static struct perf_event_attr *attr_of(void *ctx)
{
	struct perf *perf = ctx;

	return &perf->attr;
}

/* ---------------------------------------------------------------- a run of perf script */

/*
 * @out: where the profile goes; @elf: where the program is
 * @heard: takes the place of stderr while the filter runs; @said: its text
 */
FIXTURE(filter)
{
	struct perf perf;
	void *library, *data;
	struct perf_dlfilter_fns *fns;
	__typeof__(start) *start;
	__typeof__(stop) *stop;
	__typeof__(filter_event) *event;
	__typeof__(filter_event_early) *early;
	__typeof__(filter_description) *description;
	char dir[40], out[64], elf[64], out_arg[80], elf_arg[80];
	char *said, text[4096];
	size_t n_said;
	FILE *heard;
};

FIXTURE_SETUP(filter)
{
	char path[PATH_MAX] = "";

	ASSERT_LT(0, readlink("/proc/self/exe", path, sizeof(path) - 32));
	strcpy(strrchr(path, '/'), "/../../csflow-dlfilter.so");
	self->library = dlopen(path, RTLD_NOW);
	ASSERT_NE(NULL, self->library);
	self->fns = dlsym(self->library, "perf_dlfilter_fns");
	self->start = dlsym(self->library, "start");
	self->stop = dlsym(self->library, "stop");
	self->event = dlsym(self->library, "filter_event");
	self->early = dlsym(self->library, "filter_event_early");
	self->description = dlsym(self->library, "filter_description");
	ASSERT_NE(NULL, self->fns);
	*self->fns = (struct perf_dlfilter_fns){
		.resolve_ip = resolve_ip, .resolve_address = resolve_address,
		.al_cleanup = al_cleanup, .args = args, .attr = attr_of,
	};
	strcpy(self->dir, "/tmp/dlfilter_samples.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	sprintf(self->out, "%s/out", self->dir);
	sprintf(self->elf, "%s/elf", self->dir);
	sprintf(self->out_arg, "out=%s", self->out);
	sprintf(self->elf_arg, "elf=%s", self->elf);
	self->perf.attr.type = PERF_TYPE_HARDWARE;
	self->perf.attr.config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
	self->heard = open_memstream(&self->said, &self->n_said);
}

FIXTURE_TEARDOWN(filter)
{
	fclose(self->heard);
	free(self->said);
	al_clear(&self->perf.of_ip);
	unlink(self->out);
	unlink(self->elf);
	rmdir(self->dir);
	dlclose(self->library);
}

/* The harness itself prints to stderr: so before each call of the filter, and after it. */
static void swap_stderr(struct _test_data_filter *self)
{
	FILE *f = stderr;

	stderr = self->heard;
	self->heard = f;
}

static int stop_it(struct _test_data_filter *self)
{
	int err;

	swap_stderr(self);
	err = self->stop(self->data, &self->perf);
	swap_stderr(self);
	fflush(self->heard);
	return err;
}

#define begin(...)	begin_with(self, (char *[]){ __VA_ARGS__, NULL })

static int begin_with(struct _test_data_filter *self, char **arg)
{
	int err;

	fclose(self->heard);
	free(self->said);
	self->heard = open_memstream(&self->said, &self->n_said);
	self->perf.n_arg = 0;
	while (*arg)
		self->perf.arg[self->perf.n_arg++] = *arg++;
	swap_stderr(self);
	err = self->start(&self->data, &self->perf);
	swap_stderr(self);
	return err;
}

/* Return: as perf takes it: 0 keeps the sample, 1 drops it, less ends perf. */
static int feed(struct _test_data_filter *self, const struct perf_dlfilter_sample *sample)
{
	int err;

	al_clear(&self->perf.of_ip);
	self->perf.sample = sample;
	swap_stderr(self);
	err = self->early(self->data, sample, &self->perf);
	if (!err)
		err = self->event(self->data, sample, &self->perf);
	swap_stderr(self);
	return err;
}

static int branch(struct _test_data_filter *self, uint64_t from, uint64_t to, uint32_t flags)
{
	const struct perf_dlfilter_sample sample = {
		.size = sizeof(sample), .ip = from, .addr = to, .flags = flags, .tid = 7, .cpu = 1,
	};

	return feed(self, &sample);
}

static const char *contents(struct _test_data_filter *self)
{
	FILE *f = fopen(self->out, "r");
	size_t n = f ? fread(self->text, 1, sizeof(self->text) - 1, f) : 0;

	self->text[n] = 0;
	if (f)
		fclose(f);
	return self->text;
}

/* The profile; "" if there is none. */
static const char *end(struct _test_data_filter *self)
{
	return stop_it(self) ? "" : contents(self);
}

static void put_old(struct _test_data_filter *self)
{
	FILE *f = fopen(self->out, "w");

	fputs("old", f);
	fclose(f);
}

static unsigned int files(struct _test_data_filter *self)
{
	DIR *dir = opendir(self->dir);
	struct dirent *entry;
	unsigned int n = 0;

	while ((entry = readdir(dir)))
		n += *entry->d_name != '.' || strlen(entry->d_name) > 2;
	closedir(dir);
	return n;
}

/* Offsets from 0x400 on are addresses from 0x500400 on. */
struct small_elf {
	Elf64_Ehdr header;
	Elf64_Phdr segment[20];
};

static struct small_elf small_elf(unsigned int n_segment)
{
	struct small_elf elf = { .header = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_phoff = sizeof(elf.header), .e_phentsize = sizeof(*elf.segment),
		.e_phnum = n_segment,
	} };

	for (unsigned int i = 0; i < n_segment; i++) {
		elf.segment[i].p_type = PT_LOAD;
		elf.segment[i].p_flags = PF_R | PF_X;
		elf.segment[i].p_offset = 0x400 + 0x1000 * i;
		elf.segment[i].p_vaddr = 0x500400 + 0x1000 * i;
		elf.segment[i].p_filesz = 0x1000;
	}
	return elf;
}

static void write_elf(struct _test_data_filter *self, const struct small_elf *elf, size_t n)
{
	FILE *f = fopen(self->elf, "w");

	fwrite(elf, 1, n, f);
	fclose(f);
}

/* ---------------------------------------------------------------- known samples */

static void feed_program(struct _test_data_filter *self)
{
	branch(self, 0, 0x10000, BRANCH | BEGIN);
	for (int i = 0; i < 3; i++)
		branch(self, 0x10010, 0x10000, BRANCH);
	branch(self, 0x10010, 0x10200, BRANCH);
	branch(self, 0x10204, 0x20000, BRANCH);
	branch(self, 0x20008, 0x10208, BRANCH);
	/* an exception, with what the kernel does, and the way back */
	branch(self, 0x10208, 0xffff000000010000, BRANCH | SYSCALL);
	branch(self, 0xffff000000010004, 0x1020c, BRANCH | SYSCALL);
	branch(self, 0x10210, 0x30000, BRANCH);
	branch(self, 0x30000, 0x40000, BRANCH);
	branch(self, 0, 0x10300, BRANCH | BEGIN);
	branch(self, 0x10300, 0, BRANCH | END);
}

TEST_F(filter, autofdo)
{
	ASSERT_EQ(0, begin("autofdo", self->out_arg));
	feed_program(self);
	/* 400 to 410 four times, 600 to 604, 608 and 60c to 610, and what the end left, 700 */
	EXPECT_STREQ("5\n400-410:4\n600-604:1\n608-608:1\n60c-610:1\n700-700:1\n"
		     "0\n"
		     "2\n410->400:3\n410->600:1\n"
		     "// build_id: 0x1234ab0f\n// /bin/program\n", end(self));
	EXPECT_NE(NULL, strstr(self->said, "code ran in /lib/other, [kernel], [vdso], too"));
	EXPECT_EQ(self->perf.resolved, self->perf.cleaned);
	EXPECT_LT(0, self->perf.resolved);
}

/* perf may be ended by a signal at any time, and the profile must not be half written then. */
TEST_F(filter, before_the_end)
{
	put_old(self);
	ASSERT_EQ(0, begin("autofdo", self->out_arg));
	feed_program(self);
	EXPECT_STREQ("old", contents(self));
	EXPECT_EQ(1, files(self));
	EXPECT_EQ(0, stop_it(self));
	EXPECT_STRNE("old", contents(self));
	EXPECT_EQ(1, files(self));
}

TEST_F(filter, no_profile)
{
	put_old(self);
	ASSERT_EQ(0, begin("autofdo", self->out_arg));
	EXPECT_EQ(-1, stop_it(self));
	EXPECT_NE(NULL, strstr(self->said, "no branches"));
	EXPECT_STREQ("old", contents(self));
	EXPECT_EQ(1, files(self));
}

TEST_F(filter, bolt)
{
	const struct small_elf elf = small_elf(1);

	write_elf(self, &elf, sizeof(elf));
	ASSERT_EQ(0, begin("bolt", self->out_arg, self->elf_arg));
	feed_program(self);
	EXPECT_STREQ("F 500400 500410 3\nF 500600 500604 1\nF 500608 500608 1\n"
		     "f 500400 500410 1\nf 50060c 500610 1\nf 500700 500700 1\n"
		     "B 500410 500400 3 0\nB 500410 500600 1 0\n"
		     "B 500604 X:0 1 0\nB 500610 X:0 1 0\n", end(self));
}

/* perf 6.1 has none. */
TEST_F(filter, no_cleanup)
{
	self->fns->al_cleanup = NULL;
	ASSERT_EQ(0, begin("autofdo", self->out_arg, "dso=none"));
	branch(self, 0, 0x50000, BRANCH | BEGIN);
	branch(self, 0x10010, 0x50000, BRANCH);
	EXPECT_STREQ("", end(self));
	EXPECT_NE(NULL, strstr(self->said, "no code ran in none"));
}

TEST_F(filter, other_file)
{
	ASSERT_EQ(0, begin("autofdo", self->out_arg, "dso=other"));
	feed_program(self);
	EXPECT_STREQ("1\n0-8:1\n0\n0\n// build_id: 0x1234ab0f\n// /lib/other\n", end(self));
}

TEST_F(filter, kernel)
{
	ASSERT_EQ(0, begin("autofdo", self->out_arg, "dso=[kernel]"));
	feed_program(self);
	EXPECT_STREQ("", end(self));
	EXPECT_NE(NULL, strstr(self->said, "no offsets in a file"));
}

/* The kernel goes on where it was, whichever thread it serves; a thread waits meanwhile. */
TEST_F(filter, lines)
{
	struct perf_dlfilter_sample sample = { .size = sizeof(sample), .flags = BRANCH, .cpu = 1 };

	ASSERT_EQ(0, begin("autofdo", self->out_arg));
	sample.tid = 1;
	sample.ip = 0x10010;
	sample.addr = 0x10020;
	feed(self, &sample);
	sample.tid = 2;
	sample.ip = 0x10030;
	feed(self, &sample);
	sample.cpu = 2;
	feed(self, &sample);
	sample.cpu = 1;
	sample.tid = 1;
	feed(self, &sample);
	EXPECT_STREQ("1\n420-430:1\n0\n2\n410->420:1\n430->420:3\n"
		     "// build_id: 0x1234ab0f\n// /bin/program\n", end(self));
}

/* ---------------------------------------------------------------- last-branch stacks */

static int stack(struct _test_data_filter *self, const struct perf_branch_entry *e, uint64_t n)
{
	/* Exactly as long as it says. */
	struct perf_branch_entry *entries = malloc(n * sizeof(*entries) + !n);
	struct perf_dlfilter_sample sample = {
		.size = sizeof(sample), .ip = 0x10000, .brstack_nr = n, .brstack = entries,
	};
	int err;

	for (uint64_t i = 0; i < n; i++)
		entries[i] = e[i];
	err = feed(self, &sample);
	free(entries);
	return err;
}

TEST_F(filter, stacks)
{
	static const struct perf_branch_entry newest_first[] = {
		{ .from = 0x10018, .to = 0x20004, .mispred = 1 },
		{ .from = 0x10010, .to = 0x10014 },
		{ .from = 0x10018, .to = 0x10004, .mispred = 1 },
		{ .from = 0x20000, .to = 0x10008 },
		{ .from = 0x10018, .to = 0x20000, .mispred = 1 },
		{ .from = 0x10010, .to = 0 },
		{ .from = 0, .to = 0x10000 },
	};
	const struct small_elf elf = small_elf(1);

	write_elf(self, &elf, sizeof(elf));
	self->perf.attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	ASSERT_EQ(0, begin("bolt", self->out_arg, self->elf_arg));
	EXPECT_EQ(1, stack(self, newest_first, 7));
	/* without a stack perf may keep it */
	EXPECT_EQ(1, stack(self, NULL, 0));
	/* two branches that lead outside are one, and both of its misses count */
	EXPECT_STREQ("F 500400 500410 1\nF 500404 500410 1\nF 500408 500418 1\n"
		     "F 500414 500418 1\n"
		     "B 500410 X:0 1 0\nB 500410 500414 1 0\n"
		     "B 500418 X:0 2 2\nB 500418 500404 1 1\n", end(self));
}

TEST_F(filter, both_kinds)
{
	static const struct perf_branch_entry entry = { .from = 0x10010, .to = 0x10014 };

	ASSERT_EQ(0, begin("autofdo", self->out_arg));
	EXPECT_EQ(1, branch(self, 0x10010, 0x10020, BRANCH));
	self->perf.attr.config = PERF_COUNT_HW_INSTRUCTIONS;
	EXPECT_EQ(-1, stack(self, &entry, 1));
	end(self);
	EXPECT_NE(NULL, strstr(self->said, "counted twice"));
}

/* ---------------------------------------------------------------- arguments and files */

TEST_F(filter, arguments)
{
	const char *more = NULL;

	EXPECT_EQ(-1, begin(self->out_arg));
	EXPECT_EQ(-1, begin("bolt"));
	EXPECT_EQ(-1, begin("autofdo", ""));
	EXPECT_EQ(-1, begin("autofdo", "out="));
	EXPECT_EQ(-1, begin("autofdo", "out"));
	EXPECT_EQ(NULL, self->data);
	EXPECT_EQ(0, stop_it(self));
	EXPECT_NE(NULL, self->description(&more));
	EXPECT_NE(NULL, strstr(more, "out="));
	ASSERT_EQ(0, begin("autofdo", self->out_arg));
	EXPECT_STREQ("", end(self));
	EXPECT_NE(NULL, strstr(self->said, "no branches"));
}

static const char *bolt_of(struct _test_data_filter *self)
{
	if (begin("bolt", self->out_arg, self->elf_arg))
		return "cannot begin";
	branch(self, 0x10010, 0x10014, BRANCH);
	return end(self);
}

TEST_F(filter, elf_files)
{
	struct small_elf elf = small_elf(20);

	write_elf(self, &elf, sizeof(elf));
	EXPECT_STREQ("", bolt_of(self));
	EXPECT_NE(NULL, strstr(self->said, "more than 16 segments of code"));
	elf = small_elf(2);
	for (size_t n = 0; n < sizeof(elf.header) + 2 * sizeof(*elf.segment); n++) {
		write_elf(self, &elf, n);
		EXPECT_STREQ("", bolt_of(self));
	}
	elf.header.e_phoff = UINT64_MAX - 8;
	write_elf(self, &elf, sizeof(elf));
	EXPECT_STREQ("", bolt_of(self));
	elf = small_elf(1);
	elf.segment[0].p_filesz = UINT64_MAX;
	write_elf(self, &elf, sizeof(elf));
	EXPECT_STREQ("", bolt_of(self));
	EXPECT_NE(NULL, strstr(self->said, "no segment of code"));
	/* No process would write into it, and the filter would wait for it. */
	unlink(self->elf);
	ASSERT_EQ(0, mkfifo(self->elf, 0600));
	EXPECT_STREQ("", bolt_of(self));
	EXPECT_NE(NULL, strstr(self->said, "no file"));
}

/* ---------------------------------------------------------------- samples as none should be */

static uint64_t random_address(struct perf *perf)
{
	const uint64_t r = roll(perf);

	switch (r & 7) {
	case 0:		return 0;
	case 1:		return UINT64_MAX - (r >> 8 & 7);
	case 2:		return r >> 3;
	case 3:		return r;
	default:	return 0x10000 + (r >> 8 & 0xfff);
	}
}

static int feed_random(struct _test_data_filter *self)
{
	struct perf *perf = &self->perf;
	struct perf_branch_entry e[32];
	const uint64_t r = roll(perf);
	const struct perf_dlfilter_sample sample = {
		.size = sizeof(sample), .ip = random_address(perf), .addr = random_address(perf),
		.flags = r & 1 ? BRANCH : r >> 1 & 0xffff, .tid = r & 2 ? r >> 32 : 1,
		.cpu = r & 4 ? r >> 40 : 1,
	};

	if (perf->attr.config == PERF_COUNT_HW_BRANCH_INSTRUCTIONS)
		return feed(self, &sample);
	memset(e, 0, sizeof(e));
	for (int i = 0; i < 32; i++) {
		e[i].from = random_address(perf);
		e[i].to = random_address(perf);
		e[i].mispred = roll(perf) & 1;
	}
	return stack(self, e, r >> 8 & 31);
}

/* Both numbers at the head of the lists of AutoFDO's text are the numbers of their lines. */
static bool is_autofdo(const char *path)
{
	FILE *f = fopen(path, "r");
	unsigned long range = 0, branch = 0;
	bool good = f && fscanf(f, "%lu", &range) == 1;

	for (; good && range; range--)
		good = fscanf(f, "%*x-%*x:%*u") == 0;
	good = good && fscanf(f, " 0 %lu", &branch) == 1;
	for (; good && branch; branch--)
		good = fscanf(f, "%*x->%*x:%*u") == 0;
	good = good && fgetc(f) == '\n' && fgetc(f) == '/';
	if (f)
		fclose(f);
	return good;
}

TEST_F(filter, random)
{
	const struct small_elf elf = small_elf(2);
	unsigned int written = 0;

	write_elf(self, &elf, sizeof(elf));
	for (uint64_t seed = 1; seed <= 40; seed++) {
		char *format = seed & 1 ? "autofdo" : "bolt";
		int err = 0;

		self->perf.random = seed * 0x9e3779b97f4a7c15;
		self->perf.attr.config = seed & 2 ? PERF_COUNT_HW_INSTRUCTIONS :
						    PERF_COUNT_HW_BRANCH_INSTRUCTIONS;
		ASSERT_EQ(0, begin(format, self->out_arg, self->elf_arg));
		for (int i = 0; i < 1000 && err >= 0; i++)
			err = feed_random(self);
		EXPECT_LE(0, err);
		if (stop_it(self))
			continue;
		written++;
		EXPECT_TRUE(!(seed & 1) || is_autofdo(self->out));
	}
	EXPECT_LT(20, written);
	EXPECT_EQ(self->perf.resolved, self->perf.cleaned);
}

TEST_HARNESS_MAIN
