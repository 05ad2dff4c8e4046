// SPDX-License-Identifier: GPL-2.0-only
/*
 * A program that was linked with Debian's libopencsd_c_api, over the snapshots of the corpus:
 * the elements that it gets from ours must be those that it gets from Debian's.
 *
 * This program is that one, too: with the name of a snapshot it prints the elements.  Differences
 * are listed, each with its number of lines; Documentation/differences.rst has the reasons.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kselftest.h"
#undef ARRAY_SIZE
#include "../decoder/bytes.h"
#include "peer.h"

/**
 * struct expected - a snapshot
 * @alone: lines that only Debian's library has; @ours: that only ours has
 */
struct expected {
	const char *name;
	unsigned int alone, ours;
};

/*
 * Ours says that an address is unknown (8) where P0 elements are lost; Debian's says nothing, or
 * that code is missing (7) again at each exception.  It walks through what was not executed (5, 6),
 * and gives up on two of these.  Ours says once more that there is no sync (1) at the end of trace
 * without any, and a context again that was sent again (4).
 */
static const struct expected snapshots[] = {
	{ "snapshots/juno_r1_1", 21, 368 }, { "snapshots/juno-ret-stck", 49, 3 },
	{ "snapshots/juno-uname-001", 59, 0 }, { "snapshots/a57_single_step", 0, 1 },
	{ "snapshots/init-short-addr", 1, 12 }, { "snapshots/test-file-mem-offsets", 1, 1 },
	{ "snapshots-ete/001-ack_test" }, { "snapshots-ete/002-ack_test_scr" },
	{ "snapshots-ete/ete-bc-instr" }, { "snapshots-ete/ete-wfet" },
	{ "snapshots-ete/ete_ip", 1, 2 }, { "snapshots-ete/ete_mem" },
	{ "snapshots-ete/ete_spec_1", 0, 1 }, { "snapshots-ete/ete_spec_2", 1, 1 },
	{ "snapshots-ete/event_test", 1, 4 }, { "snapshots-ete/infrastructure", 1, 235 },
	{ "snapshots-ete/pauth_lr", 1, 1 }, { "snapshots-ete/q_elem", 5, 1 },
	{ "snapshots-ete/rme_test" }, { "snapshots-ete/src_addr" },
	{ "snapshots-ete/ss_ib_el1ns" }, { "snapshots-ete/tme_simple" },
	{ "snapshots-ete/tme_test" }, { "snapshots-ete/trace_file_cid_vmid" },
	{ "snapshots-ete/ts_bit64_set" }, { "snapshots-ete/ts_marker" },
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

/* Runs this program.  Return: 0: the library is of @version, and what it said is in @to. */
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

static unsigned int count(const char *sign, const char *dir)
{
	char command[512];
	unsigned int n = 0;
	FILE *f;

	snprintf(command, sizeof(command), "diff %s/debian %s/ours | grep -c '^%s'", dir, dir,
		 sign);
	f = popen(command, "r");
	if (!f || fscanf(f, "%u", &n) != 1)
		n = 9999;
	if (f)
		pclose(f);
	return n;
}

static void compare(const char *self, const char *corpus, const char *lib, const char *tmp,
		    const struct expected *e)
{
	char dir[512], to[600];
	unsigned int alone, ours;
	int err;

	snprintf(dir, sizeof(dir), "%s/%s", corpus, e->name);
	snprintf(to, sizeof(to), "%s/debian", tmp);
	err = list(self, dir, NULL, "1.3.3", to);
	snprintf(to, sizeof(to), "%s/ours", tmp);
	err |= list(self, dir, lib, "1.5.5", to);
	alone = count("<", tmp);
	ours = count(">", tmp);
	if (alone || ours)
		ksft_print_msg("%s: %u lines of Debian's alone, %u of ours\n", e->name, alone,
			       ours);
	ksft_test_result(!err && alone == e->alone && ours == e->ours, "%s\n", e->name);
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
