// SPDX-License-Identifier: GPL-2.0-only
/* Tarmac: every record of both forms is read, written, and read again. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../tools/tarmac/tarmac-loss.h"
#include "../../tools/tarmac/tarmac-read.h"
#include "../../tools/tarmac/tarmac-write.h"
#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE
#include "tarmac-dump.h"

#define EXAMPLES	"selftests/data/tarmac/examples.txt"
#define LOG		"snapshots-ete/002-ack_test_scr/test_TARMAC"

/* The text of a record; @cpu: its processor too.  To be freed. */
static char *dump(const struct tarmac_parser *p, const struct tarmac_record *r, bool cpu)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	if (!f)
		abort();
	tarmac_dump(f, r);
	if (cpu)
		fprintf(f, " cpu=%s", tarmac_cpu_name(p, r->cpu));
	fclose(f);
	return text;
}

static size_t put(const struct tarmac_parser *p, const struct tarmac_record *r,
		  enum tarmac_style style, struct out *o)
{
	o->n = 0;
	return tarmac_write(o, r, style, tarmac_cpu_name(p, r->cpu),
			    tarmac_cpu_number(p, r->cpu)) ? o->n - 1 : 0;
}

/**
 * struct rig - @first reads the line, @again what was written of it
 * @o: where it is written
 */
struct rig {
	struct tarmac_parser first, again;
	struct tarmac_record record;
	struct out o;
};

static void rig_fini(struct rig *rig)
{
	tarmac_parser_free(&rig->first);
	tarmac_parser_free(&rig->again);
}

/* What the line written in style FM says, read again, as text; to be freed. */
static char *survivor(struct rig *rig)
{
	size_t n = put(&rig->first, &rig->record, TARMAC_STYLE_FM, &rig->o);
	struct tarmac_record r;

	if (tarmac_parse(&rig->again, rig->o.buf, n, &r) != 1)
		return strdup("nothing");
	return dump(&rig->again, &r, rig->record.has_cpu);
}

/* "cpu=0" of the matcher is written as "cpu0"; a text stays the same. */
static bool same(const char *first, const char *again)
{
	const char *cpu = strstr(first, " cpu=");

	if (!strcmp(first, again))
		return true;
	return cpu && !strncmp(first, again, cpu + 5 - first) &&
	       !strncmp(again + (cpu + 5 - first), "cpu", 3) &&
	       !strcmp(cpu + 5, again + (cpu + 8 - first));
}

TEST(examples)
{
	static struct rig rig;
	FILE *f = fopen(EXAMPLES, "r");
	char *line = NULL, *expected = NULL, *got, *again;
	size_t n_line = 0, n_expected = 0;
	unsigned int n = 0;
	ssize_t size;

	ASSERT_NE(NULL, f);
	memset(&rig, 0, sizeof(rig));
	while ((size = getline(&line, &n_line, f)) > 0) {
		if (*line == '#')
			continue;
		line[--size] = '\0';
		ASSERT_GT(getline(&expected, &n_expected, f), 0);
		expected[strcspn(expected, "\n")] = '\0';
		ASSERT_EQ(1, tarmac_parse(&rig.first, line, size, &rig.record));
		got = dump(&rig.first, &rig.record, rig.record.has_cpu);
		EXPECT_STREQ(expected + 1, got);
		again = survivor(&rig);
		/* A line that is wrong is kept as it is, and so wrong again. */
		if (!same(got, again))
			TH_LOG("'%s' is written as '%.*s'", line, (int)rig.o.n - 1, rig.o.buf);
		EXPECT_TRUE(same(got, again));
		free(got);
		free(again);
		n++;
	}
	EXPECT_GT(n, 190);
	rig_fini(&rig);
	free(line);
	free(expected);
	fclose(f);
}

struct written {
	const char *line, *fm, *matcher, *es, *gem5;
};

static const struct written writings[] = {
	{ "1939 clk cpu0 IT (1915) 0001129c:00001521129c_NS d51bd061 O EL3h_s : MSR TPIDR,x1",
	  "1939 clk cpu0 IT (1915) 0001129c:00001521129c_NS d51bd061 O EL3h_s : MSR TPIDR,x1",
	  "1939 clk 0 IT (1915) 0001129c d51bd061 O EL3h_s : MSR TPIDR,x1",
	  "1939 clk cpu0 ES (0001129c:d51bd061) O EL3h_s: MSR TPIDR,x1",
	  "1939 clk cpu0 IT (1915) 0001129c:00001521129c d51bd061 O EL3h_s : MSR TPIDR,x1" },
	{ "1 clk cpu12 IS (2) FFFF000008081000 54000040 O EL1h_n : B.EQ {pc}+8",
	  "1 clk cpu12 IS (2) ffff000008081000 54000040 O EL1h_n : B.EQ {pc}+8",
	  "1 clk 12 IS (2) ffff000008081000 54000040 O EL1h_ns : B.EQ {pc}+8",
	  "1 clk cpu12 ES (ffff000008081000:54000040) O EL1h_n: CCFAIL B.EQ {pc}+8",
	  "1 clk cpu12 IS (2) ffff000008081000 54000040 O EL1h_ns : B.EQ {pc}+8" },
	{ "1 clk 0 IT (1) 00000004 3c080001 A svc : lui t0,0x1",
	  "1 clk cpu0 IT (1) 00000004 3c080001 A svc : lui t0,0x1",
	  "1 clk 0 IT (1) 00000004 3c080001 A svc : lui t0,0x1",
	  "1 clk cpu0 ES (00000004:3c080001) A svc: lui t0,0x1",
	  "1 clk cpu0 IT (1) 00000004 3c080001 A svc : lui t0,0x1" },
	{ "1 clk 0 IT (1) 00000004 3c080001 A svc : lui t0,0x1\r\r\r",
	  "1 clk cpu0 IT (1) 00000004 3c080001 A svc : lui t0,0x1",
	  "1 clk 0 IT (1) 00000004 3c080001 A svc : lui t0,0x1",
	  "1 clk cpu0 ES (00000004:3c080001) A svc: lui t0,0x1",
	  "1 clk cpu0 IT (1) 00000004 3c080001 A svc : lui t0,0x1" },
	{ "10 clk MR8 00103fc4 0010400000000000",
	  "10 clk cpu0 MR8 00103fc4 00104000_00000000",
	  "10 clk MR8 00103fc4 0010400000000000",
	  "10 clk cpu0 MR8 00103fc4 00104000_00000000",
	  "10 clk cpu0 MR8 00103fc4 0010400000000000" },
	{ "10 clk MW4X 00103fc4 00104000",
	  "10 clk cpu0 MW4X 00103fc4 00104000",
	  "10 clk MW4X 00103fc4 00104000",
	  "10 clk cpu0 MW4X 00103fc4 00104000",
	  "10 clk cpu0 MW4 00103fc4 00104000" },
	{ "14 clk cpu0 R X8 00000000:0000000A",
	  "14 clk cpu0 R X8 000000000000000a",
	  "14 clk R x8 000000000000000a",
	  "14 clk cpu0 R X8 000000000000000a",
	  "14 clk cpu0 R X8 000000000000000a" },
	{ "14 clk cpu0 R z0 0011223344556677 8899AABBCCDDEEFF",
	  "14 clk cpu0 R z0 00112233_44556677_8899aabb_ccddeeff",
	  "14 clk R z0 00112233445566778899aabbccddeeff",
	  "14 clk cpu0 R z0 00112233_44556677_8899aabb_ccddeeff",
	  "14 clk cpu0 R z0 00112233_44556677_8899aabb_ccddeeff" },
	{ "13 cyc MNW4___D 200041c8:0000200041c8_NS 9b3d0472",
	  "13 cyc cpu0 MNW4___D 200041c8:0000200041c8_NS 9b3d0472",
	  "13 cyc MW4 200041c8 72043d9b",
	  "13 cyc cpu0 MNW4___D 200041c8:0000200041c8_NS 9b3d0472",
	  "13 clk cpu0 MW4 200041c8:0000200041c8 72043d9b" },
	{ "7 clk cpu0 ES (00008000:--------) T:",
	  "7 clk cpu0 ES (00008000:--------) T:",
	  "7 clk 0 IT (0) 00008000 -------- T :",
	  "7 clk cpu0 ES (00008000:--------) T:",
	  "7 clk cpu0 IT (0) 00008000 -------- T :" },
	{ "7 clk cpu0 E 00000000 EL2h 00000019 CoreEvent_ModeChange",
	  "7 clk cpu0 E 00000000 EL2h 00000019 CoreEvent_ModeChange", "",
	  "7 clk cpu0 E 00000000 EL2h 00000019 CoreEvent_ModeChange",
	  "" },
	{ "7 clk cpu0 LD 00001000 ........ ##...... ........ 12345678 more",
	  "7 clk cpu0 LD 00001000 ........ ##...... ........ 12345678 more", "",
	  "7 clk cpu0 LD 00001000 ........ ##...... ........ 12345678 more",
	  "" },
};

TEST(styles)
{
	static struct rig rig;

	for (size_t i = 0; i < sizeof(writings) / sizeof(*writings); i++) {
		const struct written *w = &writings[i];
		const char *const want[] = { w->fm, w->matcher, w->es, w->gem5 };

		memset(&rig, 0, sizeof(rig));
		ASSERT_EQ(1, tarmac_parse(&rig.first, w->line, strlen(w->line), &rig.record));
		for (int style = 0; style < TARMAC_STYLE_NR; style++) {
			size_t n = put(&rig.first, &rig.record, style, &rig.o);

			rig.o.buf[n] = '\0';
			EXPECT_STREQ(want[style], rig.o.buf);
		}
		rig_fini(&rig);
	}
}

/* The output of the matcher's style is the same when it is read and written again. */
TEST(matcher_again)
{
	static struct rig rig;
	char *line = NULL, *once;
	size_t n_line = 0, n;
	struct tarmac_record r;
	FILE *f = fopen(EXAMPLES, "r");
	ssize_t size;

	ASSERT_NE(NULL, f);
	memset(&rig, 0, sizeof(rig));
	while ((size = getline(&line, &n_line, f)) > 0) {
		if (*line == '#' || *line == '\t' ||
		    tarmac_parse(&rig.first, line, size - 1, &rig.record) != 1)
			continue;
		n = put(&rig.first, &rig.record, TARMAC_STYLE_MATCHER, &rig.o);
		if (!n)
			continue;
		once = strndup(rig.o.buf, n);
		ASSERT_EQ(1, tarmac_parse(&rig.again, once, n, &r));
		EXPECT_EQ(rig.record.kind, r.kind);
		n = put(&rig.again, &r, TARMAC_STYLE_MATCHER, &rig.o);
		rig.o.buf[n] = '\0';
		if (r.kind == TARMAC_INST)
			EXPECT_STREQ(once, rig.o.buf);
		free(once);
	}
	rig_fini(&rig);
	free(line);
	fclose(f);
}

/*
 * Reads a line that is in a log of its style: in the matcher's the processor is that of an
 * instruction; and an indented text goes on with a message.
 */
static int parse_in_log(struct tarmac_parser *p, const char *line, uint32_t number,
			struct tarmac_record *r)
{
	char before[64];

	tarmac_parser_free(p);
	snprintf(before, sizeof(before), "0 clk %u IT (0) 00000000 00000000 A :", number);
	if (tarmac_parse(p, before, strlen(before), r) != 1)
		return -1;
	*p = (struct tarmac_parser){ .cpu = p->cpu, .n_cpu = p->n_cpu, .note = *line == ' ' };
	return tarmac_parse(p, line, strlen(line), r);
}

/* The line in @style; "": it has none. */
static void write_line(const struct tarmac_parser *p, const struct tarmac_record *r,
		       enum tarmac_style style, struct out *o, char *line, size_t max)
{
	const size_t n = put(p, r, style, o);

	snprintf(line, max, "%.*s", (int)n, o->buf);
}

/*
 * Each example from each style to each other: it says the same, as fm writes it, exactly if no loss
 * is told; and then it is the same line again in its first style.
 * @pairs: counts, of style A and B, lines that were the same and those with a loss
 */
static unsigned int there_and_back(struct rig *rig, unsigned int (*pairs)[TARMAC_STYLE_NR][2])
{
	static char a[4096], b[4096], again[4096], all[4096], left[4096];
	const uint32_t number = tarmac_cpu_number(&rig->first, rig->record.cpu);
	struct tarmac_parser in_a = { 0 }, in_b = { 0 };
	struct tarmac_record ra, rb;
	unsigned int bad = 0;

	for (int i = 0; i < TARMAC_STYLE_NR; i++) {
		write_line(&rig->first, &rig->record, i, &rig->o, a, sizeof(a));
		if (!*a || parse_in_log(&in_a, a, number, &ra) != 1)
			continue;
		write_line(&in_a, &ra, i, &rig->o, again, sizeof(again));
		write_line(&in_a, &ra, TARMAC_STYLE_FM, &rig->o, all, sizeof(all));
		bad += strcmp(a, again) != 0;
		for (int j = 0; j < TARMAC_STYLE_NR; j++) {
			const char *cpu = tarmac_cpu_name(&in_a, ra.cpu);
			const uint32_t lost = tarmac_lost(&ra, j, cpu);
			bool same = false;

			write_line(&in_a, &ra, j, &rig->o, b, sizeof(b));
			if (*b && parse_in_log(&in_b, b, number, &rb) == 1) {
				write_line(&in_b, &rb, i, &rig->o, again, sizeof(again));
				write_line(&in_b, &rb, TARMAC_STYLE_FM, &rig->o, left,
					   sizeof(left));
				same = !strcmp(all, left);
			}
			pairs[i][j][!same]++;
			if (same == !lost && (lost || !strcmp(a, again)))
				continue;
			printf("# '%s' is in %s '%s', and again '%s': lost 0x%x\n", a,
			       tarmac_style_name[j], b, again, lost);
			bad++;
		}
	}
	tarmac_parser_free(&in_a);
	tarmac_parser_free(&in_b);
	return bad;
}

TEST(all_pairs_of_styles)
{
	static struct rig rig;
	unsigned int pairs[TARMAC_STYLE_NR][TARMAC_STYLE_NR][2] = { 0 };
	char *line = NULL;
	size_t n_line = 0;
	FILE *f = fopen(EXAMPLES, "r");
	ssize_t size;

	ASSERT_NE(NULL, f);
	memset(&rig, 0, sizeof(rig));
	while ((size = getline(&line, &n_line, f)) > 0) {
		if (*line == '#' || *line == '\t' ||
		    tarmac_parse(&rig.first, line, size - 1, &rig.record) != 1)
			continue;
		EXPECT_EQ(0, there_and_back(&rig, pairs));
	}
	for (int i = 0; i < TARMAC_STYLE_NR; i++)
		for (int j = 0; j < TARMAC_STYLE_NR; j++)
			EXPECT_GT(pairs[i][j][0], i == j ? 95 : 20);
	/* fm has everything that others have */
	for (int i = 0; i < TARMAC_STYLE_NR; i++)
		EXPECT_EQ(0, pairs[i][TARMAC_STYLE_FM][1]);
	rig_fini(&rig);
	free(line);
	fclose(f);
}

TEST(implicit_thumb)
{
	struct tarmac_parser p = { .implicit_thumb = true };
	static const char line[] = "7 clk IT (3) 00008000 4770 BX lr";
	struct tarmac_record r;

	ASSERT_EQ(1, tarmac_parse(&p, line, strlen(line), &r));
	EXPECT_EQ(TARMAC_INST, r.kind);
	EXPECT_EQ(TARMAC_T, r.inst.isa);
	tarmac_parser_free(&p);
}

TEST(attributes)
{
	static const char line[] = "1 clk cpu0 TTW I LPAE 1:1 0 0 : BLOCK A=1 B =2 C= 0x3";
	struct tarmac_text name, value, rest;
	struct tarmac_parser p = { 0 };
	struct tarmac_record r;
	char all[64] = "";

	ASSERT_EQ(1, tarmac_parse(&p, line, strlen(line), &r));
	ASSERT_EQ(TARMAC_WALK, r.kind);
	for (rest = r.walk.attr; tarmac_attr(&rest, &name, &value);)
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%.*s:%.*s ", (int)name.n,
			 name.p, (int)value.n, value.p);
	EXPECT_STREQ("A:1 B:2 C:0x3 ", all);
	tarmac_parser_free(&p);
}

/* Names are told apart whatever their number; those of too many are one. */
TEST(processors)
{
	struct tarmac_parser p = { 0 };
	struct tarmac_record r;
	char line[64];

	for (int round = 0; round < 2; round++) {
		for (unsigned int i = 0; i < TARMAC_CPU_MAX + 5; i++) {
			snprintf(line, sizeof(line), "%u clk c%u.cpu%u R r0 0", i, i / 7, i);
			ASSERT_EQ(1, tarmac_parse(&p, line, strlen(line), &r));
			ASSERT_EQ(i < TARMAC_CPU_MAX ? i : TARMAC_CPU_MAX - 1, r.cpu);
			if (i < TARMAC_CPU_MAX)
				ASSERT_EQ(i, tarmac_cpu_number(&p, r.cpu));
		}
	}
	EXPECT_STREQ("", tarmac_cpu_name(&p, TARMAC_CPU_MAX));
	tarmac_parser_free(&p);
}

/* ---------------------------------------------------------------- files */

/* The text comes out of a pipe, in pieces. */
static int open_text(struct tarmac_reader *t, const char *text, size_t n, size_t piece)
{
	int fd[2], status = 0;
	pid_t pid;

	if (pipe(fd))
		abort();
	fflush(NULL);
	pid = fork();
	if (!pid) {
		for (size_t at = 0, take; at < n && !status; at += take) {
			take = n - at < piece ? n - at : piece;
			status = write(fd[1], text + at, take) != (ssize_t)take;
		}
		_Exit(status);
	}
	close(fd[1]);
	dup2(fd[0], STDIN_FILENO);
	close(fd[0]);
	t->path = "-";
	return tarmac_open(t);
}

TEST(pieces)
{
	static const char text[] =
		"Tarmac Text Rev 3t\r\n\n1 clk cpu0 R r0 00000001\r\n\n   \n"
		"2 clk cpu0 R r1 00000002\n3 clk cpu0 R r2";
	static const uint64_t lines[] = { 1, 3, 6, 7 }, offsets[] = { 0, 21, 52, 77 };
	struct tarmac_record r;

	for (size_t piece = 1; piece < 40; piece += 6) {
		struct tarmac_reader t = { 0 };

		ASSERT_EQ(0, open_text(&t, text, sizeof(text) - 1, piece));
		for (int i = 0; i < 4; i++) {
			ASSERT_EQ(1, tarmac_next(&t, &r));
			EXPECT_EQ(lines[i], t.line);
			EXPECT_EQ(offsets[i], t.offset);
		}
		EXPECT_EQ(TARMAC_TEXT, r.kind);
		ASSERT_EQ(0, tarmac_next(&t, &r));
		EXPECT_EQ(1, t.n_wrong);
		EXPECT_STREQ("-:7:16: R: no value; taken for text", t.problems.text[0]);
		tarmac_close(&t);
		wait(NULL);
	}
}

/* One line tells that from there on processors are not distinguished. */
TEST(crowd)
{
	struct tarmac_reader t = { 0 };
	struct tarmac_record r;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	ASSERT_NE(NULL, f);
	for (int i = 0; i < 2 * (TARMAC_CPU_MAX + 1); i++)
		fprintf(f, "%d clk cpu%d R r0 0\n", i, i % (TARMAC_CPU_MAX + 1));
	fclose(f);
	ASSERT_EQ(0, open_text(&t, text, n, 4096));
	while (tarmac_next(&t, &r) > 0)
		EXPECT_NE(TARMAC_TEXT, r.kind);
	ASSERT_EQ(1, t.problems.n);
	EXPECT_STREQ("-:1025: more than 1024 processors: from here on others are taken for cpu1023",
		     t.problems.text[0]);
	tarmac_close(&t);
	wait(NULL);
	free(text);
}

/* Errors with the same word are reported three times, then counted. */
TEST(complaints)
{
	struct tarmac_reader t = { 0 };
	struct tarmac_record r;
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	unsigned int records = 0;

	ASSERT_NE(NULL, f);
	for (int i = 0; i < 50; i++)
		fprintf(f, "%d clk cpu0 R r0\n%d clk cpu0 MR4 0\n", i, i);
	fclose(f);
	ASSERT_EQ(0, open_text(&t, text, n, 4096));
	while (tarmac_next(&t, &r) > 0)
		records++;
	EXPECT_EQ(100, records);
	EXPECT_EQ(100, t.n_wrong);
	ASSERT_EQ(8, t.problems.n);
	EXPECT_STREQ("-:6:17: MR4: no data; taken for text", t.problems.text[5]);
	EXPECT_STREQ("-: 47 more that begin with R, and are taken for text",
		     t.problems.text[6]);
	tarmac_close(&t);
	wait(NULL);
	free(text);
}

/* A line that begins like a record but is none is wrong; others are counted. */
TEST(no_records)
{
	static const char text[] =
		"Fast Models, some version\n"
		"10 tic 2fb (00001012:4b04) T thrd_s: LDR r3,[pc,#16]\n"
		"10 tic cpu1 XYZ 1\n"
		"   indented by somebody\n"
		"   R R0 00000001\n"
		"   XY R0 00000001\n"
		"Info: R R0\n"
		"   that goes on\n"
		"10 tic\n"
		"one\001two\n"
		"bye\n";
	static const char *const told[] = {
		"-:2:8: 2fb: no record that is known; taken for text",
		"-:3:13: XYZ: no record that is known; taken for text",
		"-:6:4: XY: no record that is known; taken for text",
		"-:10:4: no text; left out",
		"-:1: the first of 4 lines that are no record, and are kept as text",
	};
	struct tarmac_reader t = { 0 };
	struct tarmac_record r;

	ASSERT_EQ(0, open_text(&t, text, sizeof(text) - 1, 4096));
	while (tarmac_next(&t, &r) > 0)
		;
	EXPECT_EQ(4, t.n_wrong);
	EXPECT_EQ(3, t.n_record);
	ASSERT_EQ(5, t.problems.n);
	EXPECT_EQ(1, t.problems.notes);
	for (int i = 0; i < 5; i++)
		EXPECT_STREQ(told[i], t.problems.text[i]);
	tarmac_close(&t);
	wait(NULL);
}

/* Each record of a line counts, with or without a stamp; words that only look like one do not. */
TEST(several_in_a_line)
{
	static const struct {
		const char *line;
		unsigned int n;
		enum tarmac_kind kind[4];
	} lines[] = {
		{ "9 tic R R2 20  ST 20001040 11...... ........ ........ ........  S:000020001040 NM NSH",
		  2, { TARMAC_REG, TARMAC_DIAGRAM } },
		{ "1 clk cpu0 IT (1) 8000 e3a00001 A svc_ns : MOV r0,#1 2 clk cpu1 R r0 00000001",
		  2, { TARMAC_INST, TARMAC_REG } },
		{ "1 clk cpu0 MR4 00001000 00000001 R r0 5 R r1 6 BR (00001010) T",
		  4, { TARMAC_MEM, TARMAC_REG, TARMAC_REG, TARMAC_NOTE } },
		{ "1 clk R r0 R r1 5", 2, { TARMAC_TEXT, TARMAC_REG } },
		{ "1 clk R cpsr 20000000 __C_ E 8000 00000007 CoreEvent_IRQ",
		  2, { TARMAC_REG, TARMAC_EVENT } },
		{ "1 clk IT (1) 8000 bf18 T svc_ns : IT NE", 1, { TARMAC_INST } },
		{ "1 clk IT (1) 8000 e3a00001 A svc_ns : LDR R R r0", 1, { TARMAC_INST } },
		{ "1 clk R X0 01234567 89abcdef", 1, { TARMAC_REG } },
		{ "Info: R r0 00000001 R r1 00000001", 1, { TARMAC_NOTE } },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		const char *p = lines[i].line;
		size_t n = strlen(p);
		struct tarmac_parser parser = { 0 };
		struct tarmac_record r;
		unsigned int k = 0;

		for (; n; p = parser.more.p, n = parser.more.n, k++) {
			ASSERT_EQ(1, tarmac_parse(&parser, p, n, &r));
			ASSERT_LT(k, lines[i].n);
			EXPECT_EQ(lines[i].kind[k], r.kind) TH_LOG("%s", lines[i].line);
		}
		EXPECT_EQ(lines[i].n, k) TH_LOG("%s", lines[i].line);
		tarmac_parser_free(&parser);
	}
}

TEST(long_line)
{
	size_t n = 3 * TARMAC_LINE_MAX + 100;
	char *text = malloc(n);
	struct tarmac_reader t = { 0 };
	struct tarmac_record r;

	ASSERT_NE(NULL, text);
	memset(text, 'q', n);
	memcpy(text, "1 clk cpu0 IT (1) 0 0 O : ", 26);
	memcpy(text + n - 27, "\n2 clk cpu0 R r1 00000002\n", 26);
	ASSERT_EQ(0, open_text(&t, text, n - 1, 4096));
	ASSERT_EQ(1, tarmac_next(&t, &r));
	EXPECT_EQ(TARMAC_INST, r.kind);
	EXPECT_EQ(TARMAC_LINE_MAX, t.raw.n);
	ASSERT_EQ(1, tarmac_next(&t, &r));
	EXPECT_EQ(TARMAC_REG, r.kind);
	EXPECT_EQ(2, t.line);
	ASSERT_EQ(0, tarmac_next(&t, &r));
	ASSERT_EQ(1, t.problems.n);
	EXPECT_STREQ("-:1: longer than 65536 bytes: the rest is left out", t.problems.text[0]);
	tarmac_close(&t);
	wait(NULL);
	free(text);
}

TEST(no_file)
{
	struct tarmac_reader t = { .path = "/nonexistent" };
	struct tarmac_reader folder = { .path = "/" };
	struct tarmac_record r;

	EXPECT_EQ(-ENOENT, tarmac_open(&t));
	tarmac_close(&t);
	ASSERT_EQ(0, tarmac_open(&folder));
	EXPECT_EQ(-EISDIR, tarmac_next(&folder, &r));
	tarmac_close(&folder);
}

/* 64,366 lines that a model of Arm wrote: no line is just text, and all survive. */
TEST(model_log)
{
	static struct rig rig;
	static struct tarmac_reader t;
	uint64_t n = 0, lost = 0, texts = 0;
	char path[512], *got, *again;
	int ret;

	if (!getenv("CSFLOW_CORPUS"))
		SKIP(return, "CSFLOW_CORPUS is not set");
	snprintf(path, sizeof(path), "%s/" LOG, getenv("CSFLOW_CORPUS"));
	t.path = path;
	ASSERT_EQ(0, tarmac_open(&t));
	while ((ret = tarmac_next(&t, &rig.record)) > 0) {
		size_t size = put(&t.parser, &rig.record, TARMAC_STYLE_FM, &rig.o);
		struct tarmac_record r;

		n++;
		texts += rig.record.kind == TARMAC_TEXT;
		ASSERT_EQ(1, tarmac_parse(&rig.again, rig.o.buf, size, &r));
		got = dump(&t.parser, &rig.record, rig.record.has_cpu);
		again = dump(&rig.again, &r, rig.record.has_cpu);
		lost += strcmp(got, again) != 0;
		free(got);
		free(again);
	}
	EXPECT_EQ(0, ret);
	EXPECT_EQ(64366, n);
	EXPECT_EQ(0, texts);
	EXPECT_EQ(0, lost);
	EXPECT_EQ(0, t.problems.n);
	tarmac_close(&t);
	rig_fini(&rig);
}

TEST_HARNESS_MAIN
