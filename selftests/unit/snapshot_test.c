// SPDX-License-Identifier: GPL-2.0-only
/* Arm snapshots: tolerant of form, exact about what is wrong and where. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../perf-plugin/opencsd/element.h"
#include "../../tools/lib/ini.h"
#include "../../tools/lib/options.h"
#include "../../tools/lib/progress.h"
#include "../../tools/input/snapshot-image.h"
#include "../lib/kselftest_harness.h"
#undef ARRAY_SIZE
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* A folder with the files of a test. */
FIXTURE(snapshot)
{
	char dir[64];
	struct snapshot s;
	struct snapshot_image image;
};

FIXTURE_SETUP(snapshot)
{
	strcpy(self->dir, "/tmp/csflow-snapshot-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	memset(&self->s, 0, sizeof(self->s));
	memset(&self->image, 0, sizeof(self->image));
}

FIXTURE_TEARDOWN(snapshot)
{
	char command[128];

	snapshot_image_close(&self->image);
	snapshot_close(&self->s);
	snprintf(command, sizeof(command), "rm -rf '%s'", self->dir);
	ASSERT_EQ(0, system(command));
}

static void put(const char *dir, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (!f || fputs(text, f) < 0 || fclose(f))
		abort();
}

static bool reported(const struct problems *p, const char *text)
{
	for (size_t i = 0; i < p->n; i++)
		if (strstr(p->text[i], text))
			return true;
	return false;
}

static const char main_ini[] =
	"[snapshot]\nversion=1.0\n[device_list]\na=core.ini\nb=unit.ini\n"
	"[trace]\nmetadata=trace.ini\n";
static const char core_ini[] =
	"[device]\nname=cpu_0\nclass=core\ntype=Cortex-A53\n";
static const char unit_ini[] =
	"[device]\nname=ETM_0\nclass=trace_source\ntype=ETM4.0\n"
	"[regs]\nTRCCONFIGR=0x1\nTRCTRACEIDR=0x10\n";
static const char trace_ini[] =
	"[trace_buffers]\nbuffers=buffer0\n[buffer0]\nname=ETB_0\nfile=trace.bin\n"
	"format=coresight\n[core_trace_sources]\ncpu_0=ETM_0\n[source_buffers]\nETM_0=ETB_0\n";

static void put_all(const char *dir)
{
	put(dir, "snapshot.ini", main_ini);
	put(dir, "core.ini", core_ini);
	put(dir, "unit.ini", unit_ini);
	put(dir, "trace.ini", trace_ini);
	put(dir, "trace.bin", "0123456789abcdef");
}

TEST_F(snapshot, plain)
{
	const struct snapshot_device *core, *unit;
	struct csf_config config;
	uint8_t id;

	put_all(self->dir);
	ASSERT_EQ(0, snapshot_open(&self->s, self->dir));
	EXPECT_EQ(0, self->s.problems.n);
	ASSERT_EQ(2, self->s.n_device);
	unit = snapshot_device(&self->s, "ETM_0");
	core = snapshot_device(&self->s, "cpu_0");
	ASSERT_NE(NULL, unit);
	EXPECT_EQ(core, snapshot_core(&self->s, unit));
	EXPECT_EQ(CSF_PROTOCOL_ETM4, unit->protocol);
	ASSERT_EQ(0, snapshot_config(unit, core, &config, &id));
	EXPECT_EQ(0x10, id);
	EXPECT_EQ(1, config.trcconfigr);
	EXPECT_EQ(0x4100f403, config.trcidr1);
	EXPECT_EQ(CSF_PROFILE_A, config.profile);
	ASSERT_EQ(1, self->s.n_buffer);
	EXPECT_STREQ("ETB_0", self->s.buffer[0].name);
	EXPECT_EQ(FORMAT_FRAMES, self->s.buffer[0].format);
	EXPECT_TRUE(snapshot_in_buffer(&self->s, unit, STREAM_INSTRUCTIONS,
				       &self->s.buffer[0]));
}

/* Byte order mark, any line end, comments, quotes, odd spellings of names, blanks everywhere. */
TEST_F(snapshot, tolerant)
{
	const struct snapshot_device *unit;
	const struct snapshot_buffer *buffer;

	put(self->dir, "snapshot.ini",
	    "\xef\xbb\xbf; comment\r\n [ Snapshot ]\t\r\nVersion = \"1\"\r\n\r\n[device list]\r\n"
	    "x = core-a.ini ; the core\r\ny=unit.ini\r\n[trace]\r\nmetadata=\"sub\\trace.ini\"\r\n");
	put(self->dir, "core_a.ini", "[DEVICE]\rNAME=cpu 0\rClass=Core\rtype=Cortex-M33\r");
	put(self->dir, "unit.ini",
	    "[device]\nname=E\nclass=trace-source\ntype=ete\nlocation=ap:1,address:0x80\n"
	    "[regs]\nTRCDEVARCH(id:0x3ef,size:32)=0x4770_5a13\ntrctraceidr(0x10)=17\n");
	put(self->dir, "f#1.bin", "");
	unlink("sub");
	{
		char path[128];

		snprintf(path, sizeof(path), "%s/sub", self->dir);
		ASSERT_EQ(0, mkdir(path, 0700));
	}
	put(self->dir, "sub/trace.ini",
	    "[b 1]\nname=B1\nfile=f#1.bin, f#1.bin\nformat=source data\n[trace buffers]\n"
	    "buffers= b 1 , \n[core trace sources]\ncpu_0=@ap:1,address:0x80\n");
	ASSERT_EQ(0, snapshot_open(&self->s, self->dir));
	EXPECT_EQ(0, self->s.problems.n);
	unit = snapshot_device(&self->s, "E");
	ASSERT_NE(NULL, unit);
	EXPECT_EQ(0x47705a13, snapshot_reg(unit, "TRCDEVARCH", 0));
	EXPECT_EQ(0x3ef, unit->reg[0].id);
	EXPECT_EQ(0x10, unit->reg[1].id);
	EXPECT_EQ(17, snapshot_reg(unit, "TRCTRACEIDR", 0));
	ASSERT_NE(NULL, snapshot_core(&self->s, unit));
	EXPECT_STREQ("cpu 0", snapshot_core(&self->s, unit)->name);
	buffer = snapshot_buffer(&self->s, "b1");
	ASSERT_NE(NULL, buffer);
	EXPECT_EQ(2, buffer->n_path);
	EXPECT_EQ(FORMAT_RAW, buffer->format);
	EXPECT_TRUE(snapshot_in_buffer(&self->s, unit, STREAM_INSTRUCTIONS, buffer));
}

struct wrong {
	const char *file, *text;	/* takes the place of a file of put_all() */
	const char *problem;
	int open;			/* the answer of snapshot_open() */
};

static const struct wrong wrongs[] = {
	{ "snapshot.ini", "[snapshot]\nversion=2.0\n", "snapshot.ini:2: version '2.0'", -1 },
	{ "snapshot.ini", "[device_list]\n", "snapshot.ini: no version=", 0 },
	{ "snapshot.ini", "[snapshot]\nversion=1.0\nnonsense\n", "snapshot.ini:3: neither", 0 },
	{ "snapshot.ini", "a=b\n[snapshot]\nversion=1.0\n", "snapshot.ini:1: key=value before", 0 },
	{ "snapshot.ini", "[snapshot\nversion=1.0\n", "snapshot.ini:1: '[' without ']'", 0 },
	{ "snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\na=no.ini\n",
	  "no.ini: No such file", 0 },
	{ "snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\na=../x/core.ini\n",
	  "../x/core.ini: Permission denied", 0 },
	{ "snapshot.ini", "[snapshot]\nversion=1.0\n[device_list]\na=/etc/passwd\n",
	  "/etc/passwd: Permission denied", 0 },
	{ "snapshot.ini", "[snapshot]\nversion=1.0\n[trace]\nmetadata=no.ini\n",
	  "no.ini: No such file", -1 },
	{ "trace.ini", "[trace_buffers]\n", "trace.ini: [trace_buffers] has no buffers=", -1 },
	{ "trace.ini", "[trace_buffers]\nbuffers=x\n", "trace.ini:2: none of the buffers", -1 },
	{ "trace.ini", "[trace_buffers]\nbuffers=x\n[x]\nname=n\n", "trace.ini:3: [x] has no file",
	  -1 },
	{ "trace.ini", "[trace_buffers]\nbuffers=x\n[x]\nfile=../../etc/passwd\n",
	  "trace.ini:4: '../../etc/passwd' leads out", 0 },
	{ "trace.ini", "[trace_buffers]\nbuffers=x\n[x]\nfile=f\nformat=morse\n",
	  "trace.ini:5: buffer format 'morse'", 0 },
	{ "trace.ini", "[trace_buffers]\nbuffers=x\n[x]\nfile=f\n[source_buffers]\nNO=x\n",
	  "trace.ini:6: there is no trace source 'NO'", 0 },
	{ "trace.ini", "[trace_buffers]\nbuffers=x\n[x]\nfile=f\n[source_buffers]\nETM_0=y\n",
	  "trace.ini:6: there is no buffer 'y'", 0 },
	{ "trace.ini",
	  "[trace_buffers]\nbuffers=x\n[x]\nfile=f\n[source_buffers]\nETM_0 (stream:2)=x\n",
	  "trace.ini:6: ETM_0 has no stream 2: want 0 or 1", 0 },
	{ "trace.ini", "[trace_buffers]\nbuffers=x\n[x]\nfile=f\n[core_trace_sources]\nno=ETM_0\n",
	  "trace.ini:6: there is no core 'no'", 0 },
	{ "unit.ini", "[device]\nname=U\nclass=trace_source\ntype=XYZ\n",
	  "unit.ini:1: trace source of unknown type 'XYZ'", 0 },
	{ "unit.ini", "[regs]\nA=1\n", "unit.ini: the device has no name", 0 },
	{ "unit.ini", "[device]\nname=U\n[regs]\nA=zz\n",
	  "unit.ini:4: A: 'zz' is not a 64-bit number", 0 },
	{ "unit.ini", "[device]\nname=U\n[regs]\nA=0x11112222333344445\n", "unit.ini:4: A:", 0 },
	{ "unit.ini", "[device]\nname=U\n[regs]\nA=017\n", "taken for decimal, not octal", 0 },
	{ "unit.ini", "[device]\nname=U\n[regs]\nA(what)=1\n", "unit.ini:4: 'what' is neither", 0 },
	{ "core.ini", "[device]\nname=c\n[dump]\nfile=f\n",
	  "core.ini:3: [dump] has no address", 0 },
	{ "core.ini", "[device]\nname=c\n[dump]\nfile=trace.bin\naddress=0\nspace=Q\n",
	  "core.ini:6: there is no memory space 'Q'", 0 },
};

TEST_F(snapshot, wrong)
{
	for (size_t i = 0; i < ARRAY_SIZE(wrongs); i++) {
		put_all(self->dir);
		put(self->dir, wrongs[i].file, wrongs[i].text);
		EXPECT_EQ(wrongs[i].open, snapshot_open(&self->s, self->dir)) {
			TH_LOG("%s", wrongs[i].problem);
		}
		EXPECT_TRUE(reported(&self->s.problems, wrongs[i].problem)) {
			TH_LOG("not reported: %s; but %s", wrongs[i].problem,
			       self->s.problems.n ? self->s.problems.text[0] : "nothing");
		}
		snapshot_close(&self->s);
	}
}

/* A zero byte, a control character, and more problems than are kept. */
TEST(ini_hostile)
{
	struct problems p = { 0 };
	struct ini ini = { .name = strdup("x") };
	char *text = malloc(100000);

	memset(text, '\n', 100000);
	for (int i = 0; i < 50000; i += 2)
		text[i] = i % 100 ? '\x1b' : '[';
	text[99998] = 0;
	EXPECT_EQ(0, ini_parse(&ini, text, 100000, &p));
	EXPECT_EQ(PROBLEMS_MAX, p.n);
	EXPECT_EQ(25001 - PROBLEMS_MAX, p.dropped);
	EXPECT_EQ(NULL, strchr(p.text[1], '\x1b'));
	ini_free(&ini);
	problems_free(&p);
	free(text);
}

static const char dumps_ini[] =
	"[device]\nname=cpu_0\nclass=core\ntype=ARM-AA64\n"
	"[dump1]\nfile=trace.bin\naddress=0x1000\nlength=8\noffset=4\n"
	"[dump2]\nfile=trace.bin\naddress=0x2000\nspace=EL1S\n"
	"[dump3]\nfile=other.bin\naddress=0x2000\nspace=R\nlength=99\n"
	"[dump4]\nfile=other.bin\naddress=0x1004\n"
	"[dump5]\nfile=no.bin\naddress=0\n"
	"[dump6]\nfile=trace.bin\naddress=0\noffset=16\n"
	"[dump7]\nfile=trace.bin\naddress=0xfffffffffffffff8\n";

static const struct {
	struct csf_context context;
	uint32_t space;
} contexts[] = {
	{ { .el = 0, .security = CSF_SECURE }, SPACE_EL1S },
	{ { .el = 2, .security = CSF_SECURE }, SPACE_EL2S },
	{ { .el = 3, .security = CSF_SECURE }, SPACE_EL3 },
	{ { .el = 1, .security = CSF_NONSECURE }, SPACE_EL1N },
	{ { .el = 2, .security = CSF_NONSECURE }, SPACE_EL2N },
	{ { .el = 3, .security = CSF_NONSECURE }, SPACE_EL3 },
	{ { .el = 1, .security = CSF_REALM }, SPACE_EL1R },
	{ { .el = 2, .security = CSF_REALM }, SPACE_EL2R },
	{ { .el = 3, .security = CSF_REALM }, SPACE_ROOT },
	{ { .el = 3, .security = CSF_ROOT }, SPACE_ROOT },
};

static size_t read_at(struct snapshot_image *si, size_t context, uint64_t addr, char *buf)
{
	int space = snapshot_image_space(si, &contexts[context].context);

	memset(buf, 0, 17);
	return csf_image_read(si->image, space, addr, 0, buf, 16);
}

/* Each context reads its own memory space; where dumps overlap the first counts. */
TEST_F(snapshot, image)
{
	char buf[17];

	for (size_t i = 0; i < ARRAY_SIZE(contexts); i++)
		EXPECT_EQ(contexts[i].space, ocsd_space_bit(&contexts[i].context));
	put_all(self->dir);
	put(self->dir, "core.ini", dumps_ini);
	put(self->dir, "other.bin", "ABCDEFGHIJKL");
	ASSERT_EQ(0, snapshot_open(&self->s, self->dir));
	ASSERT_EQ(0, snapshot_image_open(&self->image, &self->s));
	EXPECT_EQ(16, read_at(&self->image, 3, 0x1000, buf));
	EXPECT_STREQ("456789abEFGHIJKL", buf) { TH_LOG("the first of overlapping dumps counts"); }
	EXPECT_EQ(16, read_at(&self->image, 0, 0x2000, buf));
	EXPECT_STREQ("0123456789abcdef", buf);
	EXPECT_EQ(12, read_at(&self->image, 6, 0x2000, buf));
	EXPECT_STREQ("ABCDEFGHIJKL", buf);
	EXPECT_EQ(0, read_at(&self->image, 3, 0x2000, buf));
	EXPECT_EQ(8, read_at(&self->image, 3, 0xfffffffffffffff8, buf));
	EXPECT_TRUE(reported(&self->s.problems, "core.ini:14: the dump is cut from 99 to the 12"));
	EXPECT_TRUE(reported(&self->s.problems, "core.ini:19: the dump overlaps that of "));
	EXPECT_TRUE(reported(&self->s.problems, "no.bin: No such file"));
	EXPECT_TRUE(reported(&self->s.problems, "core.ini:25: the dump begins after the end"));
}

TEST(profiles)
{
	enum csf_profile profile;

	EXPECT_TRUE(snapshot_profile("Cortex-A53", &profile));
	EXPECT_EQ(CSF_PROFILE_A, profile);
	EXPECT_TRUE(snapshot_profile("Cortex-M0+", &profile));
	EXPECT_EQ(CSF_PROFILE_M, profile);
	EXPECT_TRUE(snapshot_profile("ARMv8-R", &profile));
	EXPECT_EQ(CSF_PROFILE_R, profile);
	EXPECT_TRUE(snapshot_profile("ARM-aa64", &profile));
	EXPECT_EQ(CSF_PROFILE_A, profile);
	EXPECT_FALSE(snapshot_profile("Z80", &profile));
	EXPECT_EQ(0x19, snapshot_space("s"));
	EXPECT_EQ(0x06, snapshot_space("N"));
	EXPECT_EQ(0xff, snapshot_space("any"));
	EXPECT_EQ(0, snapshot_space("EL9"));
}

/* These two name devices that they do not have. */
static bool lacks_devices(const char *path)
{
	return strstr(path, "test-file-mem-offsets") || strstr(path, "tc2-ptm-rstk-t32");
}

/* The snapshots of the corpus open without problems. */
static int open_all(struct __test_metadata *_metadata, const char *folder)
{
	char path[4096];
	struct dirent *entry;
	DIR *dir = opendir(folder);
	int n = 0;

	while (dir && (entry = readdir(dir)) != NULL) {
		struct snapshot s;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		EXPECT_EQ(0, snapshot_open(&s, path)) {
			TH_LOG("%s: %s", path, s.problems.n ? s.problems.text[0] : "");
		}
		EXPECT_LT(0, s.n_buffer);
		EXPECT_EQ(lacks_devices(path), s.problems.n != 0) {
			TH_LOG("%s: %s", path, s.problems.n ? s.problems.text[0] : "");
		}
		snapshot_close(&s);
		n++;
	}
	if (dir)
		closedir(dir);
	return n;
}

TEST(corpus)
{
	const char *corpus = getenv("CSFLOW_CORPUS");
	char path[4096];

	if (!corpus)
		SKIP(return, "CSFLOW_CORPUS is not set");
	snprintf(path, sizeof(path), "%s/snapshots", corpus);
	EXPECT_EQ(13, open_all(_metadata, path));
	snprintf(path, sizeof(path), "%s/snapshots-ete", corpus);
	EXPECT_EQ(22, open_all(_metadata, path));
}

TEST(numbers)
{
	uint64_t n;

	EXPECT_TRUE(options_number("0", &n));
	EXPECT_TRUE(options_number("0xffffFFFFffffFFFF", &n));
	EXPECT_EQ(UINT64_MAX, n);
	EXPECT_TRUE(options_number("18446744073709551615", &n));
	EXPECT_FALSE(options_number("18446744073709551616", &n));
	EXPECT_FALSE(options_number("", &n));
	EXPECT_FALSE(options_number("0x", &n));
	EXPECT_FALSE(options_number("-1", &n));
	EXPECT_FALSE(options_number(" 1", &n));
	EXPECT_FALSE(options_number("1 ", &n));
	EXPECT_FALSE(options_number("0x-1", &n));
}

TEST(progress_words)
{
	struct progress p = { .what = "x", .total = 100000000 };
	char line[160];

	progress_line(&p, 25000000, 5000000000ull, line, sizeof(line));
	EXPECT_STREQ("x: 25.0 MB, 5.0 MB/s, 25 %, 0:15 left", line);
	p.total = 0;
	progress_line(&p, 25000000, 0, line, sizeof(line));
	EXPECT_STREQ("x: 25.0 MB, 0.0 MB/s", line);
}

TEST_HARNESS_MAIN
