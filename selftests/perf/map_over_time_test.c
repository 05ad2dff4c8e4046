// SPDX-License-Identifier: GPL-2.0-only
/* Threads and maps over time, fork and exec; which file is believed. */
#include <elf.h>
#include <stdio.h>
#include <sys/stat.h>

#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE

#include "../../perf-plugin/perf-sample.h"
#include "../../perf-plugin/perf-replay.h"
#include "../lib/recording.h"

/* A recording without trace, written by the test and then opened */
FIXTURE(world)
{
	struct perf_cs_cpu cpu[2];
	FILE *out;
	struct perf_writer *writer;
	struct perf_file *file;
	uint8_t *bytes;
	struct csf_image *image;
	struct perf_tasks *tasks;
	bool cut;
	char dir[32];
};

FIXTURE_SETUP(world)
{
	struct small_recording rec;
	struct perf_write_setup setup;

	(void)recording_make;
	recording_init(&rec, 2, 2);
	setup = rec.setup;
	for (int i = 0; i < 2; i++) {
		self->cpu[i] = rec.cpu[i];
		self->cpu[i].config.trcconfigr = 0x840;
	}
	setup.cpu = self->cpu;
	setup.time_conv.mult = 1;
	self->out = tmpfile();
	self->tasks = NULL;
	self->image = NULL;
	self->file = NULL;
	self->bytes = NULL;
	self->cut = false;
	strcpy(self->dir, "/tmp/map-test-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	ASSERT_NE(NULL, self->out);
	ASSERT_EQ(0, perf_write_new(&self->writer, fileno(self->out), &setup));
}

FIXTURE_TEARDOWN(world)
{
	char command[64];

	perf_tasks_free(self->tasks);
	csf_image_free(self->image);
	perf_file_close(self->file);
	free(self->bytes);
	if (self->out)
		fclose(self->out);
	snprintf(command, sizeof(command), "rm -rf %s", self->dir);
	if (system(command))
		printf("# %s stays\n", self->dir);
}

static void maps(struct _test_data_world *self, uint64_t time, uint32_t pid,
		 const struct perf_mmap *map)
{
	const struct perf_write_who who = { .time = time, .pid = pid, .tid = pid, .cpu = 1 };

	perf_write_mmap(self->writer, &who, map);
}

static void maps_file(struct _test_data_world *self, uint64_t time, uint32_t pid,
		      const char *name, uint64_t addr)
{
	const struct perf_mmap map = { .addr = addr, .len = 0x1000, .name = name, .prot = 5,
				       .flags = 2 };

	maps(self, time, pid, &map);
}

static void forks(struct _test_data_world *self, uint64_t time, uint32_t parent, uint32_t child)
{
	const struct perf_write_who who = { .time = time, .pid = parent, .tid = parent, .cpu = 1 };
	const struct perf_task task = { .pid = child, .tid = child, .ppid = parent,
					.ptid = parent };

	perf_write_fork(self->writer, &who, &task);
}

static void is_called(struct _test_data_world *self, uint64_t time, uint32_t pid,
		      const char *comm, bool exec)
{
	const struct perf_write_who who = { .time = time, .pid = pid, .tid = pid, .cpu = 1 };

	perf_write_comm(self->writer, &who, comm, exec);
}

/* perf stopped reading the maps of a process. */
static void cut_maps(uint8_t *bytes, size_t n)
{
	struct perf_event_header head;
	uint64_t at;

	memcpy(&at, bytes + 40, sizeof(at));
	for (; at + sizeof(head) <= n; at += head.size) {
		memcpy(&head, bytes + at, sizeof(head));
		if (head.type == PERF_RECORD_MMAP2)
			break;
	}
	head.misc |= PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT;
	memcpy(bytes + at, &head, sizeof(head));
}

static int world_open(struct _test_data_world *self)
{
	struct dso_options options = { .symfs = self->dir, .debug_dir = self->dir };
	size_t n;
	int err = perf_write_finish(self->writer);

	n = lseek(fileno(self->out), 0, SEEK_END);
	self->bytes = malloc(n);
	if (err || pread(fileno(self->out), self->bytes, n, 0) != (ssize_t)n)
		return -1;
	if (self->cut)
		cut_maps(self->bytes, n);
	err = perf_file_open_memory(&self->file, self->bytes, n);
	if (!err)
		err = csf_image_new(&self->image);
	if (!err)
		err = perf_tasks_new(&self->tasks, self->image, &options);
	return err ? err : perf_tasks_open(self->tasks, self->file);
}

/* The name of the file that @pid has at @addr; "" if there is none. */
static const char *has(struct _test_data_world *self, uint32_t pid, uint64_t time, uint64_t addr)
{
	struct perf_who who;
	struct code_place place;

	if (perf_tasks_who(self->tasks, pid, time, &who))
		return "no memory";
	if (!perf_code_find(&self->tasks->code, who.space, time, addr, &place))
		return "";
	return place.dso->name;
}

static uint64_t until(struct _test_data_world *self, uint32_t pid, uint64_t time)
{
	struct perf_who who;

	return perf_tasks_who(self->tasks, pid, time, &who) ? 0 : who.until;
}

static int section(struct _test_data_world *self, uint32_t pid, uint64_t time, uint64_t addr)
{
	struct perf_who who;

	if (perf_tasks_who(self->tasks, pid, time, &who))
		return -1;
	return csf_image_find(self->image, who.space, addr, time, NULL);
}

/* perf had no time to read all of a process, and says so in the last record. */
TEST_F(world, incomplete_maps)
{
	maps_file(self, 0, 7, "/first", 0x10000);
	self->cut = true;
	ASSERT_EQ(0, world_open(self));
	EXPECT_STREQ("/first", has(self, 7, 10, 0x10000));
	ASSERT_EQ(1, self->file->problems.total);
	EXPECT_STREQ("the maps of process 7 took perf too long and are incomplete: see perf record --proc-map-timeout",
		     self->file->problems.list[0].text);
}

/* A map replaces another from its time on, and not before. */
TEST_F(world, maps_over_time)
{
	maps_file(self, 10, 10, "/a", 0x1000);
	maps_file(self, 30, 10, "/b", 0x1000);
	ASSERT_EQ(0, world_open(self));
	EXPECT_STREQ("", has(self, 10, 5, 0x1000));
	EXPECT_STREQ("/a", has(self, 10, 10, 0x1000));
	EXPECT_STREQ("/a", has(self, 10, 29, 0x1fff));
	EXPECT_STREQ("/b", has(self, 10, 30, 0x1000));
	EXPECT_STREQ("/b", has(self, 10, PERF_TASKS_LAST, 0x1000));
	EXPECT_STREQ("", has(self, 10, 30, 0x2000));
	EXPECT_EQ(10, until(self, 10, 5));
	EXPECT_EQ(30, until(self, 10, 10));
	EXPECT_EQ(UINT64_MAX, until(self, 10, 30));
}

/*
 * A child begins with the maps that its parent had then, and shares its sections; exec drops them.
 */
TEST_F(world, fork_and_exec)
{
	maps_file(self, 10, 10, "/a", 0x1000);
	forks(self, 20, 10, 11);
	maps_file(self, 30, 10, "/b", 0x1000);
	is_called(self, 40, 11, "c", true);
	maps_file(self, 41, 11, "/c", 0x5000);
	ASSERT_EQ(0, world_open(self));
	EXPECT_STREQ("/a", has(self, 11, 25, 0x1000));
	EXPECT_STREQ("/a", has(self, 11, 35, 0x1000));
	EXPECT_STREQ("/b", has(self, 10, 35, 0x1000));
	EXPECT_STREQ("", has(self, 11, 45, 0x1000));
	EXPECT_STREQ("/c", has(self, 11, 45, 0x5000));
	EXPECT_EQ(40, until(self, 11, 25));
	EXPECT_EQ(section(self, 10, 15, 0x1000), section(self, 11, 25, 0x1000));
	EXPECT_NE(section(self, 10, 15, 0x1000), section(self, 10, 30, 0x1000));
}

/* A number that is used again is another process. */
TEST_F(world, pid_used_again)
{
	maps_file(self, 10, 10, "/a", 0x1000);
	maps_file(self, 10, 20, "/b", 0x1000);
	forks(self, 30, 10, 30);
	forks(self, 40, 20, 30);
	ASSERT_EQ(0, world_open(self));
	EXPECT_STREQ("/a", has(self, 30, 30, 0x1000));
	EXPECT_STREQ("/a", has(self, 30, 39, 0x1000));
	EXPECT_STREQ("/b", has(self, 30, 40, 0x1000));
	EXPECT_STREQ("/a", has(self, 30, 5, 0x1000));
	EXPECT_EQ(40, until(self, 30, 35));
}

/* Trace comes out of a buffer after its process is gone. */
TEST_F(world, exit_takes_nothing_away)
{
	const struct perf_write_who who = { .time = 20, .pid = 10, .tid = 10, .cpu = 1 };
	const struct perf_task task = { .pid = 10, .tid = 10, .ppid = 1, .ptid = 1 };

	maps_file(self, 10, 10, "/a", 0x1000);
	perf_write_exit(self->writer, &who, &task);
	ASSERT_EQ(0, world_open(self));
	EXPECT_STREQ("/a", has(self, 10, 30, 0x1000));
}

TEST_F(world, names)
{
	is_called(self, 10, 10, "sh", false);
	forks(self, 20, 10, 11);
	is_called(self, 30, 11, "ls", true);
	ASSERT_EQ(0, world_open(self));
	EXPECT_STREQ("sh", perf_tasks_comm(self->tasks, 10, 100));
	EXPECT_STREQ("sh", perf_tasks_comm(self->tasks, 11, 25));
	EXPECT_STREQ("ls", perf_tasks_comm(self->tasks, 11, 30));
	EXPECT_STREQ("swapper", perf_tasks_comm(self->tasks, 0, 30));
	EXPECT_EQ(NULL, perf_tasks_comm(self->tasks, 99, 30));
	EXPECT_EQ(NULL, perf_tasks_comm(self->tasks, PERF_NO_TID, 30));
}

/* No thread is taken for the idle task. */
TEST_F(world, unknown_thread)
{
	struct perf_who who;

	maps_file(self, 10, 10, "/a", 0x1000);
	ASSERT_EQ(0, world_open(self));
	ASSERT_EQ(0, perf_tasks_who(self->tasks, 99, 20, &who));
	EXPECT_EQ(PERF_NO_TID, who.pid);
	EXPECT_EQ(99, who.tid);
	EXPECT_EQ(CSF_SPACE_ALL, who.space);
	ASSERT_EQ(0, perf_tasks_who(self->tasks, PERF_NO_TID, 20, &who));
	EXPECT_EQ(PERF_NO_TID, who.pid);
	ASSERT_EQ(0, perf_tasks_who(self->tasks, 0, 20, &who));
	EXPECT_EQ(0, who.pid);
}

/* A file mapped twice in one process is two sections; another process shares them. */
TEST_F(world, mapped_twice)
{
	maps_file(self, 10, 10, "/a", 0x1000);
	maps_file(self, 11, 10, "/a", 0x8000);
	maps_file(self, 12, 20, "/a", 0x3000);
	ASSERT_EQ(0, world_open(self));
	EXPECT_STREQ("/a", has(self, 10, 20, 0x1000));
	EXPECT_STREQ("/a", has(self, 10, 20, 0x8000));
	EXPECT_NE(section(self, 10, 20, 0x1000), section(self, 10, 20, 0x8000));
	EXPECT_TRUE(section(self, 20, 20, 0x3000) == section(self, 10, 20, 0x1000) ||
		    section(self, 20, 20, 0x3000) == section(self, 10, 20, 0x8000));
}

/* All see the kernel's maps, unknown threads included. */
TEST_F(world, kernel_and_module)
{
	struct perf_mmap map = { .addr = 0xffff000000000000, .len = 0x10000, .prot = 5,
				 .name = "[kernel.kallsyms]_text" };

	maps(self, 0, UINT32_MAX, &map);
	map.addr = 0xffff100000000000;
	map.name = "/lib/modules/m.ko";
	maps(self, 30, UINT32_MAX, &map);
	maps_file(self, 10, 10, "/a", 0x1000);
	ASSERT_EQ(0, world_open(self));
	EXPECT_STREQ("[kernel.kallsyms]", has(self, 10, 20, 0xffff000000000010));
	EXPECT_STREQ("[kernel.kallsyms]", has(self, 99, 20, 0xffff000000000010));
	EXPECT_STREQ("", has(self, 10, 20, 0xffff100000000010));
	EXPECT_STREQ("/lib/modules/m.ko", has(self, 10, 30, 0xffff100000000010));
	EXPECT_EQ(30, until(self, 10, 20));
}

/* Memory without a file hides earlier maps there. */
TEST_F(world, anonymous)
{
	maps_file(self, 10, 10, "/a", 0x1000);
	maps_file(self, 20, 10, "//anon", 0x1000);
	ASSERT_EQ(0, world_open(self));
	EXPECT_STREQ("//anon", has(self, 10, 20, 0x1000));
}

/* ---------------------------------------------------------------- files */

/* A little ELF file: a segment with code, and a build-id if @id is not NULL. */
static int make_elf(struct _test_data_world *self, const char *name, uint16_t machine,
		    const char *id)
{
	struct {
		Elf64_Ehdr eh;
		Elf64_Phdr ph[2];
		uint32_t note[3];
		char gnu[4];
		char id[8];
		uint32_t code[4];
	} elf = {
		.eh = { .e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_DYN, .e_machine = machine, .e_version = EV_CURRENT,
			.e_phoff = sizeof(elf.eh), .e_ehsize = sizeof(elf.eh),
			.e_phentsize = sizeof(elf.ph[0]), .e_phnum = id ? 2 : 1 },
		.ph = { { .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = sizeof(elf),
			  .p_memsz = sizeof(elf), .p_vaddr = 0x10000 },
			{ .p_type = PT_NOTE, .p_offset = offsetof(__typeof__(elf), note),
			  .p_filesz = 24 } },
		.note = { 4, 8, NT_GNU_BUILD_ID },
		.gnu = "GNU",
		.code = { 0x14000000, 0xd503201f, 0xd503201f, 0xd503201f },
	};
	char path[64];
	FILE *f;

	if (id)
		memcpy(elf.id, id, 8);
	snprintf(path, sizeof(path), "%s/%s", self->dir, name);
	f = fopen(path, "w");
	if (!f)
		return -1;
	fwrite(&elf, sizeof(elf), 1, f);
	return fclose(f);
}

/* The result of looking for @name, recorded with @id. */
static enum dso_state look_for(struct _test_data_world *self, const char *name, const char *id,
			       size_t n)
{
	const struct dso_key key = { .name = name, .build_id = (const uint8_t *)id,
				     .n_build_id = n };
	struct dso_table table;
	struct dso_options options = { .symfs = self->dir, .debug_dir = self->dir };
	enum dso_state state;
	long number;

	if (dso_table_init(&table, &options))
		return DSO_UNSEEN;
	number = dso_add(&table, &key);
	dso_load(&table, table.dso[number]);
	state = table.dso[number]->state;
	dso_table_fini(&table);
	return state;
}

TEST_F(world, only_the_right_file)
{
	perf_write_finish(self->writer);
	ASSERT_EQ(0, make_elf(self, "lib", EM_AARCH64, "12345678"));
	ASSERT_EQ(0, make_elf(self, "plain", EM_AARCH64, NULL));
	ASSERT_EQ(0, make_elf(self, "x86", EM_X86_64, "87654321"));
	EXPECT_EQ(DSO_FOUND, look_for(self, "/lib", "12345678", 8));
	EXPECT_EQ(DSO_FOUND, look_for(self, "/lib", "12345678\0\0\0\0\0\0\0\0\0\0\0", 20));
	EXPECT_EQ(DSO_FOUND, look_for(self, "/usr/far/away/lib", "12345678", 8));
	EXPECT_EQ(DSO_DIFFERENT, look_for(self, "/lib", "12345679", 8));
	EXPECT_EQ(DSO_DIFFERENT, look_for(self, "/lib", "1234567", 7));
	EXPECT_EQ(DSO_DIFFERENT, look_for(self, "/lib", "123456780", 9));
	EXPECT_EQ(DSO_UNCHECKED, look_for(self, "/lib", NULL, 0));
	EXPECT_EQ(DSO_UNCHECKED, look_for(self, "/plain", "12345678", 8));
	EXPECT_EQ(DSO_FOREIGN, look_for(self, "/x86", "87654321", 8));
	EXPECT_EQ(DSO_MISSING, look_for(self, "/none", "11111111", 8));
	/* another name, and the build-id of a file that is there */
	EXPECT_EQ(DSO_FOUND, look_for(self, "/none", "12345678", 8));
}

TEST_F(world, build_id_cache)
{
	char path[64];

	perf_write_finish(self->writer);
	snprintf(path, sizeof(path), "%s/.build-id", self->dir);
	ASSERT_EQ(0, mkdir(path, 0700));
	snprintf(path, sizeof(path), "%s/.build-id/31", self->dir);
	ASSERT_EQ(0, mkdir(path, 0700));
	snprintf(path, sizeof(path), "%s/.build-id/31/32333435363738", self->dir);
	ASSERT_EQ(0, mkdir(path, 0700));
	ASSERT_EQ(0, make_elf(self, ".build-id/31/32333435363738/elf", EM_AARCH64, "12345678"));
	EXPECT_EQ(DSO_FOUND, look_for(self, "/elsewhere", "12345678", 8));
	EXPECT_EQ(DSO_FOUND, look_for(self, "/elsewhere", "12345678\0\0\0\0", 12));
	EXPECT_EQ(DSO_MISSING, look_for(self, "/elsewhere", "12345679", 8));
}

/* ---------------------------------------------------------------- decoding */

/* @first, a branch; it may lead to either BR X0, whose target is in the trace. */
static int make_code(struct _test_data_world *self, const char *name, uint32_t first)
{
	const uint32_t code[] = { first, 0x14000000, 0xd61f0000, 0xd61f0000, 0x14000000 };
	char path[64];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", self->dir, name);
	f = fopen(path, "w");
	if (!f)
		return -1;
	fwrite(code, sizeof(code), 1, f);
	return fclose(f);
}

/* A-sync, trace info, trace on, address and context 0x400000 EL0 64 bits thread 10, E E */
static const uint8_t fragment[] = {
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 4,
	0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0xb0, 10, 0, 0, 0, 0xdb,
};

static void traces(struct _test_data_world *self, uint64_t time, uint32_t cpu, uint64_t at)
{
	const struct perf_write_who who = { .time = time, .pid = 10, .tid = 10, .cpu = cpu };
	const struct perf_aux_record aux = { .offset = at, .size = sizeof(fragment),
					     .flags = 0x100 };
	const struct perf_auxtrace auxtrace = { .offset = at, .size = sizeof(fragment), .cpu = cpu,
						.tid = PERF_NO_TID };

	perf_write_aux(self->writer, &who, &aux);
	perf_write_auxtrace(self->writer, &auxtrace, fragment);
}

/* The same with timestamps: @first, the branches, @second, the branches once more. */
static void traces_timed(struct _test_data_world *self, uint32_t cpu, uint8_t first,
			 uint8_t second)
{
	const uint8_t bytes[] = {
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 4, 2, first,
		0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0xb0, 10, 0, 0, 0, 0xdb, 2, second,
		0x9d, 0, 0, 0x40, 0, 0, 0, 0, 0, 0xdb,
	};
	const struct perf_write_who who = { .time = 500, .pid = 10, .tid = 10, .cpu = cpu };
	const struct perf_aux_record aux = { .size = sizeof(bytes), .flags = 0x100 };
	const struct perf_auxtrace auxtrace = { .size = sizeof(bytes), .cpu = cpu,
						.tid = PERF_NO_TID };

	perf_write_aux(self->writer, &who, &aux);
	perf_write_auxtrace(self->writer, &auxtrace, bytes);
}

/* At @first a branch; a system call; after it two branches elsewhere, before @second. */
static void traces_call(struct _test_data_world *self, uint8_t first, uint8_t second)
{
	const uint8_t bytes[] = {
		0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 1, 0, 4, 2, first,
		0x85, 0, 0, 0x40, 0, 0, 0, 0, 0, 0xb0, 10, 0, 0, 0, 0xf7,
		6, 5, 0x9d, 2, 0, 0x40, 0, 0, 0, 0, 0, 4,
		0x9d, 0, 0, 0x41, 0, 0, 0, 0, 0, 0xdb, 2, second,
	};
	const struct perf_write_who who = { .time = 500, .pid = 10, .tid = 10, .cpu = 1 };
	const struct perf_aux_record aux = { .size = sizeof(bytes), .flags = 0x100 };
	const struct perf_auxtrace auxtrace = { .size = sizeof(bytes), .cpu = 1,
						.tid = PERF_NO_TID };

	perf_write_aux(self->writer, &who, &aux);
	perf_write_auxtrace(self->writer, &auxtrace, bytes);
}

/* Branches whose two ends were traced. */
struct seen {
	uint64_t target[8];
	uint64_t time[8];
	int n;
};

static int look(struct _test_data_world *self, struct seen *seen)
{
	const struct cs_samples_options options = { .branches = true };
	struct perf_replay_options open = { .dso.symfs = self->dir };
	struct cs_sample_state state[2] = { 0 };
	struct perf_replay *replay;
	struct cs_sample sample;
	struct cs_samples it;
	struct perf_run run;
	char path[64];

	*seen = (struct seen){ .n = 0 };
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(self->out));
	if (perf_write_finish(self->writer) || perf_replay_new(&replay, path, &open))
		return -1;
	cs_samples_init(&it, &options, replay->image);
	while (perf_replay_next(replay, &run) > 0) {
		const struct cs_samples_input in = {
			.dec = run.stream->dec, .run = &run.run, .starts = run.starts,
		};

		if (cs_samples_run(&it, &state[run.stream->number & 1], &in))
			break;
		while (cs_samples_next(&it, &sample)) {
			if (seen->n == 8 || !sample.ip || !sample.addr ||
			    sample.flags & CS_FLAG_TRACE_END)
				continue;
			seen->target[seen->n] = sample.addr;
			seen->time[seen->n++] = sample.time;
		}
	}
	cs_samples_fini(&it);
	perf_replay_free(replay);
	return seen->n;
}

/* Each fragment is decoded with the code of its time, not with the last code. */
TEST_F(world, code_of_its_time)
{
	struct seen seen;

	maps_file(self, 10, 10, "/a", 0x400000);
	traces(self, 20, 1, 0);
	maps_file(self, 30, 10, "/b", 0x400000);
	traces(self, 40, 1, sizeof(fragment));
	ASSERT_EQ(0, make_code(self, "a", 0x14000002));
	ASSERT_EQ(0, make_code(self, "b", 0x14000003));
	ASSERT_EQ(2, look(self, &seen));
	EXPECT_EQ(0x400008, seen.target[0]);
	EXPECT_EQ(0x40000c, seen.target[1]);
}

/* With timestamps, code changes in the middle of a fragment. */
TEST_F(world, code_of_its_timestamp)
{
	struct seen seen;

	maps_file(self, 10, 10, "/a", 0x400000);
	traces_timed(self, 1, 20, 40);
	maps_file(self, 30, 10, "/b", 0x400000);
	ASSERT_EQ(0, make_code(self, "a", 0x14000002));
	ASSERT_EQ(0, make_code(self, "b", 0x14000003));
	ASSERT_EQ(3, look(self, &seen));
	EXPECT_EQ(0x400008, seen.target[0]);
	EXPECT_EQ(30, seen.time[0]);		/* one of two instructions from 20 to 40 */
	EXPECT_EQ(0x400000, seen.target[1]);
	EXPECT_EQ(0x40000c, seen.target[2]);
	EXPECT_EQ(50, seen.time[2]);		/* and then at the same rate */
}

/*
 * A file that is mapped in a system call is there after it, though no timestamp says that this is
 * later; before it the earlier file is there.
 */
TEST_F(world, code_of_the_timestamp_to_come)
{
	struct seen seen;

	maps_file(self, 10, 10, "/a", 0x400000);
	traces_call(self, 20, 40);
	maps_file(self, 30, 10, "/b", 0x410000);
	ASSERT_EQ(0, make_code(self, "a", 0x14000002));
	ASSERT_EQ(0, make_code(self, "b", 0x14000000));
	ASSERT_LE(2, look(self, &seen));
	EXPECT_EQ(0x400008, seen.target[0]);
	EXPECT_EQ(0x410000, seen.target[1]);
}

/* Nor a file that is mapped still later. */
TEST_F(world, no_code_of_later)
{
	struct seen seen;

	maps_file(self, 10, 10, "/a", 0x400000);
	traces_call(self, 20, 40);
	maps_file(self, 41, 10, "/b", 0x410000);
	ASSERT_EQ(0, make_code(self, "a", 0x14000002));
	ASSERT_EQ(0, make_code(self, "b", 0x14000000));
	look(self, &seen);
	for (int i = 0; i < seen.n; i++)
		EXPECT_NE(0x410000, seen.target[i]);
}

/* With two CPUs, the one that is further back goes on. */
TEST_F(world, cpus_in_order)
{
	struct seen seen;

	maps_file(self, 1, 10, "/a", 0x400000);
	traces_timed(self, 1, 10, 30);
	traces_timed(self, 3, 20, 40);
	ASSERT_EQ(0, make_code(self, "a", 0x14000002));
	ASSERT_EQ(6, look(self, &seen));
	for (int i = 1; i < seen.n; i++)
		EXPECT_LE(seen.time[i - 1], seen.time[i]);
	EXPECT_EQ(20, seen.time[0]);
	EXPECT_EQ(50, seen.time[5]);
}

TEST_HARNESS_MAIN
