// SPDX-License-Identifier: GPL-2.0-only
/* Code that the kernel makes or changes while it runs, and names for it. */
#include <linux/bpf.h>

#include "perf-kernel.h"

TEST_F(kernel, symbols)
{
	struct perf_who who;

	symbol(self, 10, "bpf_prog_7_main", false);
	symbol(self, 30, "bpf_prog_7_main", true);
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_STREQ("", at(self, 9, TEXT));
	EXPECT_STREQ("bpf_prog_7_main+4 (bpf_prog_7_main)", at(self, 10, TEXT + 4));
	EXPECT_STREQ("bpf_prog_7_main (gone)+4 (bpf_prog_7_main (gone))", at(self, 30, TEXT + 4));
	EXPECT_STREQ("", at(self, 10, TEXT + 0x40));
	EXPECT_EQ(1, self->tasks->n_symbol);
	ASSERT_EQ(0, perf_tasks_who(self->tasks, 0, 10, &who));
	EXPECT_EQ(30, who.until);
	EXPECT_EQ(0, insn(self, 10, TEXT));
}

TEST_F(kernel, pokes)
{
	char kcore[64];

	maps(self, "[kernel.kallsyms]_text", MOVED, MOVED, id);
	pokes(self, 20, MOVED + 4, 0x11111111, 0x22222222);
	pokes(self, 30, MOVED + 4, 0x22222222, 0x33333333);
	ASSERT_EQ(0, make(create(self, "mykcore"), ET_CORE, MOVED, NULL));
	ASSERT_EQ(0, make_kallsyms(create(self, "k")));
	snprintf(kcore, sizeof(kcore), "%s/mykcore", self->dir);
	self->options.kcore = kcore;
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(2, self->tasks->n_poke);
	EXPECT_EQ(0x11111111, insn(self, 10, MOVED + 4));
	EXPECT_EQ(0x22222222, insn(self, 20, MOVED + 4));
	EXPECT_EQ(0x22222222, insn(self, 29, MOVED + 4));
	EXPECT_EQ(0x33333333, insn(self, 30, MOVED + 4));
	EXPECT_EQ(NOP, insn(self, 20, MOVED));
	EXPECT_EQ(ET_CORE, insn(self, 20, MOVED + 8));
	EXPECT_STREQ("?+0 ([kernel.kallsyms])", at(self, 30, MOVED + 4));
}

/* A changed instruction still belongs to its function. */
TEST_F(kernel, poked_function)
{
	maps(self, "[kernel.kallsyms]_text", MOVED, MOVED, id);
	pokes(self, 20, MOVED + 8, ET_EXEC, 0x22222222);
	ASSERT_EQ(0, make(create(self, "vmlinux"), ET_EXEC, TEXT, id));
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(0x22222222, insn(self, 20, MOVED + 8));
	EXPECT_STREQ("func+4 ([kernel.kallsyms])", at(self, 20, MOVED + 8));
	EXPECT_STREQ("func+4 ([kernel.kallsyms])", at(self, 10, MOVED + 8));
}

/* A trampoline: first its symbol, then its code. */
TEST_F(kernel, trampoline)
{
	symbol(self, 10, "ftrace_trampoline", false);
	pokes(self, 20, TEXT + 8, 0, RET);
	pokes(self, 25, MODULE, 0, NOP);
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(0, insn(self, 10, TEXT + 8));
	EXPECT_EQ(RET, insn(self, 20, TEXT + 8));
	EXPECT_STREQ("ftrace_trampoline+8 (ftrace_trampoline)", at(self, 20, TEXT + 8));
	EXPECT_EQ(NOP, insn(self, 25, MODULE));
	EXPECT_STREQ("[text poke]+0 ([text poke])", at(self, 25, MODULE));
}

/* Two programs of two functions, at the same addresses, as perf record keeps them */
struct bpf_info {
	uint32_t n;
	struct __attribute__((packed)) {
		uint32_t info_len, data_len;
		uint64_t arrays;
		uint8_t info[sizeof(struct bpf_prog_info)];
		uint64_t addr[2];
		uint32_t size[2];
		uint32_t code[4];
	} program[2];
} __attribute__((packed));

static void make_bpf(struct bpf_info *bpf, uint32_t other, uint64_t ksyms)
{
	const struct bpf_prog_info info[] = { {
		.nr_jited_ksyms = 2, .nr_jited_func_lens = 2, .jited_ksyms = ksyms,
		.jited_func_lens = 16, .jited_prog_insns = 24, .jited_prog_len = 16,
	} };

	*bpf = (struct bpf_info){ .n = 2 };
	for (int i = 0; i < 2; i++) {
		__typeof__(bpf->program[0]) *p = &bpf->program[i];

		p->info_len = sizeof(p->info);
		p->data_len = 40;
		memcpy(p->info, info, sizeof(*info));
		p->addr[0] = TEXT;
		p->addr[1] = MODULE;
		p->size[0] = 4;
		p->size[1] = 12;
		p->code[0] = NOP;
		p->code[3] = i ? other : RET;
	}
}

static void bpf_symbol(struct _test_data_kernel *self, uint64_t addr, uint32_t size)
{
	const struct perf_write_field field[] = { { 8, addr }, { 4, size }, { 2, 1 }, { 2, 0 },
						  { 0 } };
	const struct perf_write_record record = { .type = PERF_RECORD_KSYMBOL, .field = field,
						  .text = "bpf_prog_1" };

	put(self, 10, &record);
}

/* The code that the kernel made of BPF programs is in a section of its own. */
TEST_F(kernel, bpf)
{
	struct bpf_info info;

	make_bpf(&info, RET, 0);
	self->bpf = (struct perf_section){ .bytes = (uint8_t *)&info, .size = sizeof(info) };
	bpf_symbol(self, TEXT, 4);
	bpf_symbol(self, MODULE, 12);
	bpf_symbol(self, MODULE + 0x100, 12);
	ASSERT_EQ(0, kernel_open(self));
	EXPECT_EQ(0, insn(self, 9, TEXT));
	EXPECT_EQ(NOP, insn(self, 10, TEXT));
	EXPECT_EQ(RET, insn(self, 10, MODULE + 8));
	EXPECT_EQ(0, insn(self, 10, MODULE + 0x108));
	EXPECT_STREQ("bpf_prog_1+8 (bpf_prog_1)", at(self, 10, MODULE + 8));
}

/* Two programs one after the other at one place; and sizes that are wrong. */
TEST_F(kernel, bpf_not_sure)
{
	struct perf_file file = { 0 };
	struct bpf_info info;
	struct perf_bpf bpf;

	file.feature[PERF_FEATURE_BPF_PROG_INFO] = (struct perf_section){
		.bytes = (uint8_t *)&info, .size = sizeof(info) };
	make_bpf(&info, NOP, 0);
	ASSERT_EQ(0, perf_bpf_init(&bpf, &file));
	EXPECT_EQ(2, bpf.n);
	EXPECT_EQ((void *)info.program[0].code, perf_bpf_find(&bpf, TEXT, 4));
	EXPECT_EQ(NULL, perf_bpf_find(&bpf, TEXT, 8));
	EXPECT_EQ(NULL, perf_bpf_find(&bpf, MODULE, 12));
	perf_bpf_fini(&bpf);
	/* the second function is longer than the code; addresses are not in the arrays */
	info.program[0].size[1] = 13;
	info.program[1].size[1] = 13;
	ASSERT_EQ(0, perf_bpf_init(&bpf, &file));
	EXPECT_EQ(1, bpf.n);
	perf_bpf_fini(&bpf);
	make_bpf(&info, NOP, 25);
	ASSERT_EQ(0, perf_bpf_init(&bpf, &file));
	EXPECT_EQ(0, bpf.n);
	perf_bpf_fini(&bpf);
	/* arrays larger than the section */
	make_bpf(&info, NOP, 0);
	info.program[0].data_len = 800;
	ASSERT_EQ(0, perf_bpf_init(&bpf, &file));
	EXPECT_EQ(0, bpf.n);
	perf_bpf_fini(&bpf);
	for (size_t n = 0; n < sizeof(info); n++) {
		make_bpf(&info, NOP, 0);
		file.feature[PERF_FEATURE_BPF_PROG_INFO].size = n;
		ASSERT_EQ(0, perf_bpf_init(&bpf, &file));
		EXPECT_EQ(n < 4 + sizeof(info.program[0]) ? 0 : 2, bpf.n);
		perf_bpf_fini(&bpf);
	}
}

TEST_HARNESS_MAIN
