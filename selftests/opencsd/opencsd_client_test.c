// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that was linked with Debian's libopencsd_c_api, over the snapshots of the corpus:
 * the elements that it gets from our library must be those that it gets from Debian's.
 *
 * This test is itself that program: with the name of a snapshot it prints the elements.
 * Differences are listed, by element and number of lines; Documentation/user/differences.rst has
 * the reasons.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest.h"
#undef ARRAY_SIZE
#include "../../decoder/bytes.h"
#include "../lib/peer.h"

/**
 * struct expected - a snapshot
 * @other: lines that differ: how many, whose (<: only Debian's, >: only ours), of which element
 */
struct expected {
	const char *name, *other;
};

/*
 * If P0 elements are lost, our library says that an address is unknown (8).  Debian's says nothing,
 * or says again at each exception that code is missing (7).  It walks through code that was not
 * executed (5, 6), or returns to calls from before code was missing.  It leaves out a context (4)
 * after which nothing is executed before trace ends or is lost.  It is older than FEAT_PAuth_LR:
 * pauth_lr.  No code belongs to init-short-addr and event_test: then it takes no data at all.
 */
static const struct expected snapshots[] = {
	{ "snapshots/juno_r1_1", "21<7 367>8 " },
	{ "snapshots/juno-ret-stck", "263<5 36>8 54<7 " },
	{ "snapshots/juno-uname-001", "59<7 " }, { "snapshots/a57_single_step", "1>4 " },
	{ "snapshots/init-short-addr", "1<end 1>1 1>3 1>end 2>2 2>4 5>7 " },
	{ "snapshots/test-file-mem-offsets", "" },
	{ "snapshots-ete/001-ack_test", "" }, { "snapshots-ete/002-ack_test_scr", "" },
	{ "snapshots-ete/ete-bc-instr", "" }, { "snapshots-ete/ete-wfet", "" },
	{ "snapshots-ete/ete_ip", "1<5 2>8 " }, { "snapshots-ete/ete_mem", "" },
	{ "snapshots-ete/ete_spec_1", "" }, { "snapshots-ete/ete_spec_2", "1<5 1>8 " },
	{ "snapshots-ete/event_test", "1<end 1>1 1>13 1>3 1>end " },
	{ "snapshots-ete/infrastructure", "1<7 232>8 2>4 " },
	{ "snapshots-ete/pauth_lr", "1<5 1>5 " }, { "snapshots-ete/q_elem", "1<6 1>8 2<5 2<7 " },
	{ "snapshots-ete/rme_test", "" }, { "snapshots-ete/src_addr", "" },
	{ "snapshots-ete/ss_ib_el1ns", "" }, { "snapshots-ete/tme_simple", "" },
	{ "snapshots-ete/tme_test", "" }, { "snapshots-ete/trace_file_cid_vmid", "" },
	{ "snapshots-ete/ts_bit64_set", "" }, { "snapshots-ete/ts_marker", "" },
};

static int print(const char *dir)
{
	struct rig rig = { 0 };
	struct peer *peer;
	int err;

	if (rig_open(&rig, dir, NULL))
		return 1;
	printf("%s\n", peer_version());
	peer = peer_new(&rig, PEER_FULL);
	err = !peer || peer_print(peer, rig.data, rig.n, stdout);
	peer_free(peer);
	rig_close(&rig);
	return err;
}

/* Runs this program.  Return: 0: the library is of @version, and the output is in @to. */
static int list(const char *self, const char *dir, const char *lib, const char *version,
		const char *to)
{
	char command[2048], line[64];
	FILE *f;

	/* The first line is the library's version; trace IDs come one after the other. */
	snprintf(command, sizeof(command),
		 "export ASAN_OPTIONS=detect_leaks=0:alloc_dealloc_mismatch=0; "
		 "{ %s%s %s %s; echo end $?; } | "
		 "{ read v; echo $v >%s.version; sort -s -k1,1 >%s; }",
		 lib ? "LD_LIBRARY_PATH=" : "", lib ?: "", self, dir, to, to);
	if (system(command))
		return -1;
	snprintf(command, sizeof(command), "%s.version", to);
	f = fopen(command, "r");
	if (!f)
		return -1;
	if (!fgets(line, sizeof(line), f))
		line[0] = 0;
	fclose(f);
	line[strcspn(line, "\n")] = 0;
	return strcmp(line, version) ? -1 : 0;
}

/* The differences, as in struct expected. */
static void differences(const char *dir, char *other, size_t size)
{
	char command[512];
	size_t n = 0;
	FILE *f;

	snprintf(command, sizeof(command),
		 "diff %s/debian %s/ours | awk '/^[<>]/ { n[$1 ($2 == \"end\" ? $2 : $3)]++ } "
		 "END { for (k in n) print n[k] k }' | LC_ALL=C sort | tr '\\n' ' '", dir, dir);
	f = popen(command, "r");
	if (f) {
		n = fread(other, 1, size - 1, f);
		pclose(f);
	}
	other[n] = 0;
}

static void compare(const char *self, const char *corpus, const char *lib, const char *tmp,
		    const struct expected *e)
{
	char dir[512], to[600], other[256];
	int err;

	snprintf(dir, sizeof(dir), "%s/%s", corpus, e->name);
	snprintf(to, sizeof(to), "%s/debian", tmp);
	err = list(self, dir, NULL, "1.3.3", to);
	snprintf(to, sizeof(to), "%s/ours", tmp);
	err |= list(self, dir, lib, "1.8.0", to);
	differences(tmp, other, sizeof(other));
	if (*other)
		ksft_print_msg("%s: %s\n", e->name, other);
	ksft_test_result(!err && !strcmp(other, e->other), "%s\n", e->name);
}

int main(int argc, char **argv)
{
	const char *corpus = getenv("CSFLOW_CORPUS"), *out = getenv("O") ?: "build";
	char tmp[] = "/tmp/opencsd-client-XXXXXX", lib[512], command[600];
	struct stat st;

	if (argc == 2)
		return print(argv[1]);
	ksft_print_header();
	snprintf(command, sizeof(command), "%s/libopencsd_c_api.so.1", out);
	if (!corpus)
		ksft_exit_skip("CSFLOW_CORPUS is not set\n");
	if (stat(command, &st) || !mkdtemp(tmp))
		ksft_exit_fail_msg("no %s\n", command);
	snprintf(lib, sizeof(lib), "%s", out);
	ksft_set_plan(ARRAY_SIZE(snapshots));
	for (size_t i = 0; i < ARRAY_SIZE(snapshots); i++)
		compare(argv[0], corpus, lib, tmp, &snapshots[i]);
	snprintf(command, sizeof(command), "rm -r %s", tmp);
	if (system(command))
		ksft_print_msg("%s is left\n", tmp);
	ksft_finished();
}
